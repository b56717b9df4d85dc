/* SPDX-License-Identifier: Apache-2.0 */
/* eglMakeCurrent: the pbuffers that stand for surfaces, and who has which. */
#include "egl/window/internal.h"

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

/* What the thread has had until now. */
static void
let_go(const struct kr_egl_thread *thread)
{
	struct kr_egl_surface *draw, *read;

	if (!thread->display)
		return;
	draw = kr_egl_surface_current(thread->display, thread->draw);
	read = kr_egl_surface_current(thread->display, thread->read);
	kr_egl_surface_unuse(draw);
	kr_egl_surface_unuse(read);
}

EGLBoolean
kr_egl_surfaces_make_current(struct kr_egl_display *display, EGLSurface draw_handle,
	EGLSurface read_handle, EGLContext context)
{
	struct kr_egl_surface *draw = kr_egl_surface_use(display, draw_handle);
	struct kr_egl_surface *read = kr_egl_surface_use(display, read_handle);
	EGLint error = context == EGL_NO_CONTEXT ? EGL_SUCCESS : prepare(draw, read);
	EGLBoolean result;

	if (error != EGL_SUCCESS) {
		kr_egl_surface_unuse(draw);
		kr_egl_surface_unuse(read);
		return kr_egl_answer(error);
	}
	result = display->vendor->egl.MakeCurrent(display->handle, pbuffer_of(draw, draw_handle),
		pbuffer_of(read, read_handle), context);
	kr_egl_error_of(display->vendor);
	if (!result) {
		kr_egl_surface_unuse(draw);
		kr_egl_surface_unuse(read);
		return EGL_FALSE;
	}
	let_go(kr_egl_this_thread());
	if (draw)
		draw->was_current = true;
	if (read)
		read->was_current = true;
	return EGL_TRUE;
}
