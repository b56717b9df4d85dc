/* SPDX-License-Identifier: Apache-2.0 */
/* eglQuerySurface and eglSurfaceAttrib. */
#include "egl/window/internal.h"

/* Of what is drawn next, as far as it is known: how many frames ago the pbuffer was shown. */
static EGLint
age_of(struct kr_egl_surface *surface)
{
	const struct kr_egl_pbuffer *back = kr_egl_surface_back(surface);

	return back->frame ? (EGLint)(surface->frames + 1 - back->frame) : 0;
}

static bool
is_drawn_into(const struct kr_egl_surface *surface)
{
	const struct kr_egl_thread *thread = kr_egl_this_thread();

	return thread->context != EGL_NO_CONTEXT && thread->draw == (EGLSurface)surface;
}

static EGLint
resolution(float dots_per_inch)
{
	const double inches_per_metre = 39.37007874;

	return dots_per_inch > 0
		? (EGLint)((double)dots_per_inch * inches_per_metre * EGL_DISPLAY_SCALING)
		: EGL_UNKNOWN;
}

/* False: the vendor's answer about the pbuffer is ours. */
static bool
query_own(struct kr_egl_surface *surface, EGLint attribute, EGLint *value, EGLint *error)
{
	const struct kr_egl_pbuffer *back = kr_egl_surface_back(surface);
	const EGLint *light = kr_egl_light_at(&surface->light, attribute);

	*error = EGL_SUCCESS;
	if (light) {
		*value = *light;
		return true;
	}
	switch (attribute) {
	case EGL_WIDTH:
		*value = back->width;
		return true;
	case EGL_HEIGHT:
		*value = back->height;
		return true;
	case EGL_RENDER_BUFFER:
		*value = EGL_BACK_BUFFER;
		return true;
	case EGL_SWAP_BEHAVIOR:
		*value = surface->swap_behavior;
		return true;
	case EGL_TIMESTAMPS_ANDROID:
		*value = surface->timing.enabled;
		return true;
	/* Of one that nobody has named the vendor knows. */
	case EGL_GL_COLORSPACE:
		*value = surface->colour->colorspace;
		return *value != EGL_NONE;
	case EGL_BUFFER_AGE_EXT:
		if (is_drawn_into(surface))
			*value = age_of(surface);
		else
			*error = EGL_BAD_SURFACE;
		return true;
	case EGL_HORIZONTAL_RESOLUTION:
		*value = resolution(surface->window->xdpi);
		return true;
	case EGL_VERTICAL_RESOLUTION:
		*value = resolution(surface->window->ydpi);
		return true;
	/* Of pbuffers alone: nothing is written, says EGL. */
	case EGL_LARGEST_PBUFFER:
	case EGL_TEXTURE_FORMAT:
	case EGL_TEXTURE_TARGET:
	case EGL_MIPMAP_TEXTURE:
	case EGL_MIPMAP_LEVEL:
		return true;
	default:
		return false;
	}
}

static EGLBoolean
query(struct kr_egl_display *display, EGLSurface handle, EGLint attribute, EGLint *value)
{
	struct kr_egl_vendor *vendor = display->vendor;
	struct kr_egl_surface *surface = kr_egl_surface_use(display, handle);
	EGLint error = EGL_BAD_PARAMETER;
	EGLBoolean result;
	bool own = true;

	if (surface && value) {
		kr_mutex_lock(&surface->windows->lock);
		own = query_own(surface, attribute, value, &error);
		handle = kr_egl_surface_back(surface)->handle;
		kr_mutex_unlock(&surface->windows->lock);
	}
	if (surface && own)
		result = kr_egl_answer(error);
	else
		result = kr_egl_answer_of(vendor,
			vendor->egl.QuerySurface(display->handle, handle, attribute, value));
	kr_egl_surface_unuse(surface);
	return result;
}

EGLBoolean
kr_egl_surface_query(
	struct kr_egl_display *display, EGLSurface handle, EGLint attribute, EGLint *value)
{
	EGLBoolean result;

	if (!kr_egl_windows_enter_started(display->windows))
		return kr_egl_answer(EGL_NOT_INITIALIZED);
	result = query(display, handle, attribute, value);
	kr_egl_windows_leave(display->windows);
	return result;
}

/* To both of them, and to those that come. */
static EGLint
set_resolve(struct kr_egl_surface *surface, EGLint value)
{
	struct kr_egl_display *display = surface->windows->display;
	struct kr_egl_vendor *vendor = display->vendor;

	for (unsigned i = 0; i < 2; i++) {
		EGLSurface handle = surface->pbuffers[i].handle;

		if (handle != EGL_NO_SURFACE &&
			!vendor->egl.SurfaceAttrib(
				display->handle, handle, EGL_MULTISAMPLE_RESOLVE, value))
			return kr_egl_vendor_error(vendor);
	}
	surface->resolve = value;
	return EGL_SUCCESS;
}

static EGLint
set_light(struct kr_egl_surface *surface, EGLint *light, EGLint value)
{
	if (value < 0 && value != EGL_DONT_CARE)
		return EGL_BAD_PARAMETER;
	*light = value;
	kr_egl_light_tell_window(&surface->light, surface->window);
	return EGL_SUCCESS;
}

static EGLint
set_own(struct kr_egl_surface *surface, EGLint attribute, EGLint value)
{
	EGLint *light = kr_egl_light_at(&surface->light, attribute);

	if (light)
		return set_light(surface, light, value);
	switch (attribute) {
	case EGL_SWAP_BEHAVIOR:
		if (value != EGL_BUFFER_PRESERVED && value != EGL_BUFFER_DESTROYED)
			return EGL_BAD_PARAMETER;
		surface->swap_behavior = value;
		return EGL_SUCCESS;
	case EGL_MULTISAMPLE_RESOLVE:
		return set_resolve(surface, value);
	case EGL_TIMESTAMPS_ANDROID:
		if (value != EGL_TRUE && value != EGL_FALSE)
			return EGL_BAD_PARAMETER;
		surface->timing.enabled = value;
		/* Windows of others tell nothing: then that isn't supported. */
		(void)kr_egl_timing_tell_window(&surface->timing, surface->window);
		return EGL_SUCCESS;
	/* Means nothing to a window, says EGL. */
	case EGL_MIPMAP_LEVEL:
		return EGL_SUCCESS;
	/* EGL_FRONT_BUFFER_AUTO_REFRESH_ANDROID too: there is a copy between the two. */
	default:
		return EGL_BAD_ATTRIBUTE;
	}
}

static EGLBoolean
set(struct kr_egl_display *display, EGLSurface handle, EGLint attribute, EGLint value)
{
	struct kr_egl_vendor *vendor = display->vendor;
	struct kr_egl_surface *surface = kr_egl_surface_use(display, handle);
	EGLint error;

	if (!surface)
		return kr_egl_answer_of(vendor,
			vendor->egl.SurfaceAttrib(display->handle, handle, attribute, value));
	kr_mutex_lock(&surface->windows->lock);
	error = set_own(surface, attribute, value);
	kr_mutex_unlock(&surface->windows->lock);
	kr_egl_surface_unuse(surface);
	return kr_egl_answer(error);
}

EGLBoolean
kr_egl_surface_set(
	struct kr_egl_display *display, EGLSurface handle, EGLint attribute, EGLint value)
{
	EGLBoolean result;

	if (!kr_egl_windows_enter_started(display->windows))
		return kr_egl_answer(EGL_NOT_INITIALIZED);
	result = set(display, handle, attribute, value);
	kr_egl_windows_leave(display->windows);
	return result;
}
