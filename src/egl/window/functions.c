/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of EGL_ANDROID_presentation_time and EGL_ANDROID_get_frame_timestamps.
 * eglSwapBuffersWithDamage is of egl/calls.
 */
#include <string.h>

#include "egl/vendor/exports.h"
#include "egl/window/internal.h"
#include "util/macros.h"

/* A window surface, with one more user; NULL and the error. */
static struct kr_egl_surface *
enter(EGLDisplay handle, EGLSurface name)
{
	struct kr_egl_display *display;
	struct kr_egl_surface *surface = NULL;

	kr_egl_dispatch_begin();
	display = kr_egl_display_find(handle);
	if (display)
		surface = kr_egl_surface_use(display, name);
	kr_egl_error_set(!display ? EGL_BAD_DISPLAY : surface ? EGL_SUCCESS : EGL_BAD_SURFACE);
	return surface;
}

static EGLBoolean
leave(struct kr_egl_surface *surface, EGLint error)
{
	kr_egl_surface_unuse(surface);
	return kr_egl_answer(error);
}

static EGLBoolean EGLAPIENTRY
presentation_time(EGLDisplay display, EGLSurface name, EGLnsecsANDROID time)
{
	struct kr_egl_surface *surface = enter(display, name);

	if (!surface)
		return EGL_FALSE;
	kr_mutex_lock(&surface->windows->lock);
	surface->timing.wanted_ns = time;
	kr_mutex_unlock(&surface->windows->lock);
	return leave(surface, EGL_SUCCESS);
}

static EGLBoolean EGLAPIENTRY
get_next_frame_id(EGLDisplay display, EGLSurface name, EGLuint64KHR *id)
{
	struct kr_egl_surface *surface = enter(display, name);
	uint64_t number = 0;
	int err;

	if (!surface)
		return EGL_FALSE;
	if (!id)
		return leave(surface, EGL_BAD_PARAMETER);
	err = surface->window->perform(surface->window, NATIVE_WINDOW_GET_NEXT_FRAME_ID, &number);
	if (!err)
		*id = number;
	return leave(surface, err ? EGL_BAD_NATIVE_WINDOW : EGL_SUCCESS);
}

static bool
is_of_compositor(EGLint name)
{
	return name >= EGL_COMPOSITE_DEADLINE_ANDROID &&
		name <= EGL_COMPOSITE_TO_PRESENT_LATENCY_ANDROID;
}

static EGLBoolean
is_supported(EGLDisplay display, EGLSurface name, EGLint timestamp, bool of_compositor)
{
	struct kr_egl_surface *surface = enter(display, name);
	bool has;

	if (!surface)
		return EGL_FALSE;
	has = is_of_compositor(timestamp) == of_compositor &&
		kr_egl_timing_has(surface->window, timestamp);
	leave(surface, EGL_SUCCESS);
	return has ? EGL_TRUE : EGL_FALSE;
}

static EGLBoolean EGLAPIENTRY
get_compositor_timing_supported(EGLDisplay display, EGLSurface surface, EGLint name)
{
	return is_supported(display, surface, name, true);
}

static EGLBoolean EGLAPIENTRY
get_frame_timestamp_supported(EGLDisplay display, EGLSurface surface, EGLint name)
{
	return is_supported(display, surface, name, false);
}

/* Nothing is written unless all of it can be. */
static EGLint
check_names(const struct kr_egl_surface *surface, EGLint count, const EGLint *names,
	const EGLnsecsANDROID *values, bool of_compositor)
{
	if (count < 0 || (count && (!names || !values)))
		return EGL_BAD_PARAMETER;
	if (!surface->timing.enabled)
		return EGL_BAD_SURFACE;
	for (EGLint i = 0; i < count; i++) {
		if (is_of_compositor(names[i]) != of_compositor ||
			!kr_egl_timing_has(surface->window, names[i]))
			return EGL_BAD_PARAMETER;
	}
	return EGL_SUCCESS;
}

static EGLBoolean EGLAPIENTRY
get_compositor_timing(EGLDisplay display, EGLSurface name, EGLint count, const EGLint *names,
	EGLnsecsANDROID *values)
{
	struct kr_egl_surface *surface = enter(display, name);
	EGLint error;

	if (!surface)
		return EGL_FALSE;
	error = check_names(surface, count, names, values, true);
	for (EGLint i = 0; error == EGL_SUCCESS && i < count; i++) {
		int64_t value = 0;

		if (kr_egl_timing_of_compositor(surface->window, names[i], &value))
			error = EGL_BAD_NATIVE_WINDOW;
		values[i] = value;
	}
	return leave(surface, error);
}

static EGLBoolean EGLAPIENTRY
get_frame_timestamps(EGLDisplay display, EGLSurface name, EGLuint64KHR frame, EGLint count,
	const EGLint *names, EGLnsecsANDROID *values)
{
	struct kr_egl_surface *surface = enter(display, name);
	struct kr_egl_times times;
	EGLint error;
	bool found;

	if (!surface)
		return EGL_FALSE;
	error = check_names(surface, count, names, values, false);
	kr_mutex_lock(&surface->windows->lock);
	found = kr_egl_timing_find(&surface->timing, frame, &times);
	kr_mutex_unlock(&surface->windows->lock);
	if (error == EGL_SUCCESS && !found)
		error = EGL_BAD_ACCESS;
	for (EGLint i = 0; error == EGL_SUCCESS && i < count; i++)
		values[i] = kr_egl_timing_value(&times, surface->window, names[i]);
	return leave(surface, error);
}

void *
kr_egl_windows_function(const char *name)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} functions[] = {
		{"eglGetCompositorTimingANDROID", (void (*)(void))get_compositor_timing},
		{"eglGetCompositorTimingSupportedANDROID",
			(void (*)(void))get_compositor_timing_supported},
		{"eglGetFrameTimestampSupportedANDROID",
			(void (*)(void))get_frame_timestamp_supported},
		{"eglGetFrameTimestampsANDROID", (void (*)(void))get_frame_timestamps},
		{"eglGetNextFrameIdANDROID", (void (*)(void))get_next_frame_id},
		{"eglPresentationTimeANDROID", (void (*)(void))presentation_time},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(functions); i++) {
		if (!strcmp(functions[i].name, name))
			return (void *)functions[i].function;
	}
	return NULL;
}
