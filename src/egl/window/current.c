/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eglMakeCurrent: the pbuffers that stand for surfaces, and who has which. The vendor can't say
 * that a surface is current in another thread: a swap there changes the pbuffer behind it.
 */
#include <pthread.h>

#include "egl/window/internal.h"

struct kr_egl_surface *
kr_egl_surface_current(struct kr_egl_display *display, EGLSurface handle)
{
	struct kr_egl_windows *windows = display->windows;
	struct kr_egl_surface *surface, *found = NULL;

	if (!windows || handle == EGL_NO_SURFACE)
		return NULL;
	kr_mutex_lock(&windows->lock);
	kr_list_for_each (surface, &windows->surfaces, link) {
		if ((EGLSurface)surface == handle && surface->holder == kr_egl_this_thread())
			found = surface;
	}
	kr_mutex_unlock(&windows->lock);
	return found;
}

static void
let_go(struct kr_egl_surface *surface)
{
	if (!surface)
		return;
	kr_mutex_lock(&surface->windows->lock);
	if (!--surface->holds)
		surface->holder = NULL;
	kr_mutex_unlock(&surface->windows->lock);
	kr_egl_surface_unuse(surface);
}

/* What the thread has had until now. */
static void
let_go_of_old(const struct kr_egl_thread *thread)
{
	if (!thread->display)
		return;
	let_go(kr_egl_surface_current(thread->display, thread->draw));
	let_go(kr_egl_surface_current(thread->display, thread->read));
}

void
kr_egl_surfaces_let_go(void)
{
	let_go_of_old(kr_egl_this_thread());
}

static pthread_key_t end_key;
static int end_key_err;

/* Whether the vendor lets others have what was current here is its affair. */
static void
end_thread(void *data)
{
	struct kr_egl_thread *thread = data;

	let_go_of_old(thread);
	thread->display = NULL;
}

static void
make_end_key(void)
{
	end_key_err = pthread_key_create(&end_key, end_thread);
}

/* Another thread may have the same record some day: it mustn't be taken for this one. */
static bool
watch_end(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_end_key);
	return !end_key_err && !pthread_setspecific(end_key, kr_egl_this_thread());
}

/* One of ours, with one more hold; NULL: none of ours. EGL_SUCCESS, or the error. */
static EGLint
hold(struct kr_egl_display *display, EGLSurface handle, struct kr_egl_surface **surface)
{
	const struct kr_egl_thread *thread = kr_egl_this_thread();
	struct kr_egl_windows *windows = display->windows;
	struct kr_egl_surface *found;
	EGLint error = EGL_SUCCESS;

	*surface = NULL;
	if (!windows || handle == EGL_NO_SURFACE)
		return EGL_SUCCESS;
	kr_mutex_lock(&windows->lock);
	found = kr_egl_surface_find_locked(windows, handle);
	if (found && found->holder && found->holder != thread) {
		error = EGL_BAD_ACCESS;
	} else if (found && !watch_end()) {
		error = EGL_BAD_ALLOC;
	} else if (found) {
		found->holder = thread;
		found->holds++;
		found->users++;
		*surface = found;
	}
	kr_mutex_unlock(&windows->lock);
	return error;
}

/* The vendor's name for what a program names; its own for what isn't ours. */
static EGLSurface
pbuffer_of(struct kr_egl_surface *surface, EGLSurface handle)
{
	return surface ? kr_egl_surface_back(surface)->handle : handle;
}

/* Before it is drawn into for the first time it may be as large as its window has become. */
static void
follow_window(struct kr_egl_surface *surface)
{
	const struct kr_egl_pbuffer *back = kr_egl_surface_back(surface);
	EGLint width, height;

	if (surface->was_current || !kr_egl_window_size(surface->window, &width, &height) ||
		(width == back->width && height == back->height))
		return;
	/* What there is goes on if that fails; the next swap tries again. */
	(void)kr_egl_surface_make_pbuffer(surface, surface->back, width, height);
}

static EGLint
prepare(struct kr_egl_surface *draw, struct kr_egl_surface *read)
{
	if ((draw && !kr_egl_window_is_valid(draw->window)) ||
		(read && !kr_egl_window_is_valid(read->window)))
		return EGL_BAD_NATIVE_WINDOW;
	if (draw)
		follow_window(draw);
	if (read && read != draw)
		follow_window(read);
	return EGL_SUCCESS;
}

EGLBoolean
kr_egl_surfaces_make_current(struct kr_egl_display *display, EGLSurface draw_handle,
	EGLSurface read_handle, EGLContext context)
{
	struct kr_egl_windows *windows = display->windows;
	struct kr_egl_surface *draw, *read = NULL;
	EGLBoolean result = EGL_FALSE;
	EGLint error;

	if (windows)
		kr_egl_windows_enter(windows);
	error = hold(display, draw_handle, &draw);
	if (error == EGL_SUCCESS)
		error = hold(display, read_handle, &read);
	if (error == EGL_SUCCESS && context != EGL_NO_CONTEXT)
		error = prepare(draw, read);
	kr_egl_error_set(error);
	if (error == EGL_SUCCESS) {
		result = display->vendor->egl.MakeCurrent(display->handle,
			pbuffer_of(draw, draw_handle), pbuffer_of(read, read_handle), context);
		kr_egl_error_of(display->vendor);
	}
	if (windows)
		kr_egl_windows_leave(windows);
	if (!result) {
		let_go(draw);
		let_go(read);
		return EGL_FALSE;
	}
	let_go_of_old(kr_egl_this_thread());
	if (draw)
		draw->was_current = true;
	if (read)
		read->was_current = true;
	/* Surfaces without a context aren't current, should a vendor take them. */
	if (context == EGL_NO_CONTEXT) {
		let_go(draw);
		let_go(read);
	}
	return EGL_TRUE;
}
