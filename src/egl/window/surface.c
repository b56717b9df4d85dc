/* SPDX-License-Identifier: Apache-2.0 */
/* Window surfaces: who uses them, and their end. */
#include <stdlib.h>

#include "egl/window/internal.h"
#include "util/log.h"

EGLint
kr_egl_vendor_error(struct kr_egl_vendor *vendor)
{
	EGLint error = vendor->egl.GetError();

	return error == EGL_SUCCESS ? EGL_BAD_ALLOC : error;
}

EGLBoolean
kr_egl_answer(EGLint error)
{
	kr_egl_error_set(error);
	return error == EGL_SUCCESS ? EGL_TRUE : EGL_FALSE;
}

EGLBoolean
kr_egl_answer_of(struct kr_egl_vendor *vendor, EGLBoolean result)
{
	kr_egl_error_of(vendor);
	return result;
}

struct kr_egl_surface *
kr_egl_surface_find_locked(struct kr_egl_windows *windows, EGLSurface handle)
{
	struct kr_egl_surface *surface;

	kr_list_for_each (surface, &windows->surfaces, link) {
		if ((EGLSurface)surface == handle && !surface->destroyed)
			return surface;
	}
	return NULL;
}

struct kr_egl_surface *
kr_egl_surface_use(struct kr_egl_display *display, EGLSurface handle)
{
	struct kr_egl_windows *windows = display->windows;
	struct kr_egl_surface *surface;

	if (!windows || handle == EGL_NO_SURFACE)
		return NULL;
	kr_mutex_lock(&windows->lock);
	surface = kr_egl_surface_find_locked(windows, handle);
	if (surface)
		surface->users++;
	kr_mutex_unlock(&windows->lock);
	return surface;
}

static void
destroy_pbuffer(struct kr_egl_surface *surface, unsigned index)
{
	struct kr_egl_display *display = surface->windows->display;
	EGLSurface handle = surface->pbuffers[index].handle;

	/* Those of a display that has been terminated are gone, or go with their context. */
	if (handle != EGL_NO_SURFACE && !surface->orphaned)
		display->vendor->egl.DestroySurface(display->handle, handle);
	surface->pbuffers[index] = (struct kr_egl_pbuffer){.handle = EGL_NO_SURFACE};
}

EGLint
kr_egl_surface_make_pbuffer(
	struct kr_egl_surface *surface, unsigned index, EGLint width, EGLint height)
{
	struct kr_egl_display *display = surface->windows->display;
	EGLint attributes[] = {
		EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE, surface->colour->drawn, EGL_NONE};
	EGLSurface handle;

	if (surface->colour->drawn != EGL_NONE)
		attributes[4] = EGL_GL_COLORSPACE;
	handle = display->vendor->egl.CreatePbufferSurface(
		display->handle, surface->config, attributes);
	if (handle == EGL_NO_SURFACE)
		return kr_egl_vendor_error(display->vendor);
	if (surface->resolve)
		display->vendor->egl.SurfaceAttrib(
			display->handle, handle, EGL_MULTISAMPLE_RESOLVE, surface->resolve);
	kr_mutex_lock(&surface->windows->lock);
	destroy_pbuffer(surface, index);
	surface->pbuffers[index] = (struct kr_egl_pbuffer){handle, width, height, 0};
	kr_mutex_unlock(&surface->windows->lock);
	return EGL_SUCCESS;
}

void
kr_egl_surface_end(struct kr_egl_surface *surface)
{
	ANativeWindow *window = surface->window;

	/* Its thread, pbuffers and window are the parent's, too. */
	if (kr_egl_copier_is_parents(&surface->copier))
		return;
	/* The frame that is under way gets to its end. */
	kr_egl_copier_stop(&surface->copier);
	kr_egl_copier_finish(&surface->copier);
	destroy_pbuffer(surface, 0);
	destroy_pbuffer(surface, 1);
	if (surface->connected) {
		window->perform(window, NATIVE_WINDOW_API_DISCONNECT, NATIVE_WINDOW_API_EGL);
		window->common.decRef(&window->common);
	}
	free(surface);
}

void
kr_egl_surface_unuse(struct kr_egl_surface *surface)
{
	struct kr_egl_windows *windows;
	bool last;

	if (!surface)
		return;
	windows = surface->windows;
	kr_mutex_lock(&windows->lock);
	last = !--surface->users && surface->destroyed;
	if (last)
		kr_list_remove(&surface->link);
	windows->busy += last;
	kr_mutex_unlock(&windows->lock);
	if (!last)
		return;
	kr_egl_surface_end(surface);
	kr_egl_windows_leave(windows);
}

/* Takes its name away. True: nobody uses it, and it is off the list. */
static bool
doom_locked(struct kr_egl_windows *windows, struct kr_egl_surface *surface)
	KR_REQUIRES(windows->lock)
{
	surface->destroyed = true;
	if (surface->users)
		return false;
	kr_list_remove(&surface->link);
	return true;
}

static EGLBoolean
destroy(struct kr_egl_display *display, EGLSurface handle)
{
	struct kr_egl_windows *windows = display->windows;
	struct kr_egl_surface *surface;
	bool ends;

	kr_mutex_lock(&windows->lock);
	surface = kr_egl_surface_find_locked(windows, handle);
	ends = surface && doom_locked(windows, surface);
	kr_mutex_unlock(&windows->lock);
	if (!surface)
		return kr_egl_answer_of(display->vendor,
			display->vendor->egl.DestroySurface(display->handle, handle));
	if (ends)
		kr_egl_surface_end(surface);
	return kr_egl_answer(EGL_SUCCESS);
}

EGLBoolean
kr_egl_surface_destroy(struct kr_egl_display *display, EGLSurface handle)
{
	EGLBoolean result;

	if (!kr_egl_windows_enter_started(display->windows))
		return kr_egl_answer(EGL_NOT_INITIALIZED);
	result = destroy(display, handle);
	kr_egl_windows_leave(display->windows);
	return result;
}

/* One that hasn't been stopped, with one more user; NULL: that was all. */
static struct kr_egl_surface *
begin_stop(struct kr_egl_windows *windows)
{
	struct kr_egl_surface *surface, *found = NULL;

	kr_mutex_lock(&windows->lock);
	windows->started = false;
	kr_list_for_each (surface, &windows->surfaces, link) {
		if (surface->stopped)
			continue;
		surface->destroyed = surface->stopped = true;
		surface->users++;
		found = surface;
		break;
	}
	kr_mutex_unlock(&windows->lock);
	return found;
}

/* What somebody has current stays until he lets it go, and is nothing but a name for the window. */
void
kr_egl_windows_stop(struct kr_egl_display *display)
{
	struct kr_egl_windows *windows = display->windows;
	struct kr_egl_surface *surface;

	while (windows && (surface = begin_stop(windows))) {
		if (!kr_egl_copier_is_parents(&surface->copier))
			kr_egl_copier_stop(&surface->copier);
		kr_mutex_lock(&windows->lock);
		surface->orphaned = surface->users > 1;
		kr_mutex_unlock(&windows->lock);
		kr_egl_surface_unuse(surface);
	}
	if (windows)
		kr_egl_windows_wait_idle(windows);
}
