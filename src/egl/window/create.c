/* SPDX-License-Identifier: Apache-2.0 */
/* eglCreateWindowSurface and its younger forms. */
#include <stdlib.h>

#include "egl/window/internal.h"
#include "window/window.h"

static bool
is_window(const ANativeWindow *window)
{
	return window && window->common.magic == ANDROID_NATIVE_WINDOW_MAGIC &&
		window->common.version == sizeof(ANativeWindow);
}

/* EGL_SUCCESS, or what is wrong with an attribute. */
static EGLint
read_attributes(struct kr_egl_surface *surface, const EGLAttrib *attributes)
{
	for (; attributes && attributes[0] != EGL_NONE; attributes += 2) {
		switch (attributes[0]) {
		case EGL_RENDER_BUFFER:
			/* A wish: eglQuerySurface tells that it is the back buffer. */
			if (attributes[1] != EGL_BACK_BUFFER && attributes[1] != EGL_SINGLE_BUFFER)
				return EGL_BAD_ATTRIBUTE;
			break;
		case EGL_GL_COLORSPACE:
			surface->colour = kr_egl_colour_find((EGLint)attributes[1]);
			if (!surface->colour)
				return EGL_BAD_ATTRIBUTE;
			break;
		default:
			return EGL_BAD_ATTRIBUTE;
		}
	}
	return EGL_SUCCESS;
}

/* The vendor's error for a config that is none. */
static EGLint
read_config(struct kr_egl_surface *surface)
{
	struct kr_egl_display *display = surface->windows->display;
	EGLint id;

	if (!display->vendor->egl.GetConfigAttrib(
		    display->handle, surface->config, EGL_CONFIG_ID, &id))
		return kr_egl_vendor_error(display->vendor);
	surface->format = kr_egl_format_of(display, surface->config);
	return surface->format ? EGL_SUCCESS : EGL_BAD_MATCH;
}

/* What is behind it, once the window is its own. */
static EGLint
fill(struct kr_egl_surface *surface)
{
	EGLint width, height, error;

	if (!kr_egl_window_size(surface->window, &width, &height))
		return EGL_BAD_NATIVE_WINDOW;
	error = kr_egl_surface_make_pbuffer(surface, 0, width, height);
	if (error != EGL_SUCCESS)
		return error;
	error = kr_egl_copier_start(&surface->copier, surface->windows->display, surface->config,
		surface->format, surface->pbuffers[0].handle);
	/* For people who look at the display; windows of others don't know it. */
	if (error == EGL_SUCCESS)
		(void)surface->window->perform(
			surface->window, KR_WINDOW_DESCRIBE_PRODUCER, surface->copier.renderer);
	return error;
}

static EGLint
open_surface(struct kr_egl_surface *surface, const EGLAttrib *attributes)
{
	ANativeWindow *window = surface->window;
	EGLint error = read_config(surface);

	if (error == EGL_SUCCESS)
		error = read_attributes(surface, attributes);
	if (error == EGL_SUCCESS && (!is_window(window) || !kr_egl_window_is_valid(window)))
		error = EGL_BAD_NATIVE_WINDOW;
	if (error == EGL_SUCCESS)
		error = kr_egl_window_connect(window, surface->format);
	if (error != EGL_SUCCESS)
		return error;
	window->common.incRef(&window->common);
	surface->connected = true;
	error = kr_egl_colour_tell_window(surface->colour, surface->format, window);
	return error == EGL_SUCCESS ? fill(surface) : error;
}

static bool
add(struct kr_egl_surface *surface)
{
	struct kr_egl_windows *windows = surface->windows;
	bool started;

	kr_mutex_lock(&windows->lock);
	started = windows->started;
	if (started)
		kr_list_append(&windows->surfaces, &surface->link);
	kr_mutex_unlock(&windows->lock);
	return started;
}

EGLSurface
kr_egl_surface_create(struct kr_egl_display *display, EGLConfig config,
	struct ANativeWindow *window, const EGLAttrib *attributes)
{
	struct kr_egl_surface *surface;
	EGLint error;

	if (!kr_egl_windows_enter_started(display->windows)) {
		kr_egl_error_set(EGL_NOT_INITIALIZED);
		return EGL_NO_SURFACE;
	}
	surface = calloc(1, sizeof(*surface));
	error = EGL_BAD_ALLOC;
	if (!surface)
		goto out;
	surface->windows = display->windows;
	surface->config = config;
	surface->colour = &kr_egl_colour_default;
	kr_egl_light_init(&surface->light);
	surface->swap_behavior = EGL_BUFFER_DESTROYED;
	surface->timing.interval = 1;
	surface->window = window;
	kr_list_init(&surface->link);
	error = open_surface(surface, attributes);
	if (error == EGL_SUCCESS && !add(surface))
		error = EGL_NOT_INITIALIZED;
	if (error == EGL_SUCCESS)
		goto out;
	kr_egl_surface_end(surface);
	surface = NULL;
out:
	kr_egl_windows_leave(display->windows);
	kr_egl_error_set(error);
	return (EGLSurface)surface;
}
