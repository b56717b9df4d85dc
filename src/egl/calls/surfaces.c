/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces and configs: of an android display they are Krafla's. */
#include "egl/calls/internal.h"

#include "egl/fence/fence.h"
#include "egl/vendor/older.h"
#include "egl/window/window.h"
#include "util/macros.h"

/* An android display's is done by `ours`, another's by its vendor. */
#define FORWARD(name, ours, parameters, ...)                                                       \
	static EGLBoolean EGLAPIENTRY forward_##name parameters                                    \
	{                                                                                          \
		struct kr_egl_display *display = kr_egl_enter(dpy);                                \
                                                                                                   \
		if (!display)                                                                      \
			return EGL_FALSE;                                                          \
		if (display->android)                                                              \
			return ours(display, __VA_ARGS__);                                         \
		return display->vendor->egl.name(dpy, __VA_ARGS__);                                \
	}

FORWARD(ChooseConfig, kr_egl_config_choose,
	(EGLDisplay dpy, const EGLint *attributes, EGLConfig *configs, EGLint size, EGLint *count),
	attributes, configs, size, count)
FORWARD(GetConfigAttrib, kr_egl_config_get,
	(EGLDisplay dpy, EGLConfig config, EGLint attribute, EGLint *value), config, attribute,
	value)
FORWARD(DestroySurface, kr_egl_surface_destroy, (EGLDisplay dpy, EGLSurface surface), surface)
FORWARD(QuerySurface, kr_egl_surface_query,
	(EGLDisplay dpy, EGLSurface surface, EGLint attribute, EGLint *value), surface, attribute,
	value)
FORWARD(SurfaceAttrib, kr_egl_surface_set,
	(EGLDisplay dpy, EGLSurface surface, EGLint attribute, EGLint value), surface, attribute,
	value)
FORWARD(SwapInterval, kr_egl_surface_interval, (EGLDisplay dpy, EGLint interval), interval)

static EGLSurface
create_android(struct kr_egl_display *display, EGLConfig config, void *window, const EGLint *list)
{
	struct kr_egl_attributes attributes;
	EGLSurface surface;

	if (!kr_egl_attributes_widen(&attributes, list)) {
		kr_egl_error_set(EGL_BAD_ALLOC);
		return EGL_NO_SURFACE;
	}
	surface = kr_egl_surface_create(display, config, window, attributes.list);
	kr_egl_attributes_finish(&attributes);
	return surface;
}

static EGLSurface EGLAPIENTRY
create_window_surface(
	EGLDisplay dpy, EGLConfig config, EGLNativeWindowType window, const EGLint *attributes)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);

	if (!display)
		return EGL_NO_SURFACE;
	if (display->android)
		return create_android(display, config, (void *)window, attributes);
	return display->vendor->egl.CreateWindowSurface(dpy, config, window, attributes);
}

static EGLSurface EGLAPIENTRY
create_platform_window_surface(
	EGLDisplay dpy, EGLConfig config, void *window, const EGLAttrib *attributes)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);

	if (!display)
		return EGL_NO_SURFACE;
	if (display->android)
		return kr_egl_surface_create(display, config, window, attributes);
	return kr_egl_vendors_window_create(display, config, window, attributes);
}

static EGLSurface EGLAPIENTRY
create_platform_pixmap_surface(
	EGLDisplay dpy, EGLConfig config, void *pixmap, const EGLAttrib *attributes)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);

	return display ? kr_egl_vendors_pixmap_create(display, config, pixmap, attributes)
		       : EGL_NO_SURFACE;
}

static EGLSurface EGLAPIENTRY
create_platform_window_surface_ext(
	EGLDisplay dpy, EGLConfig config, void *window, const EGLint *attributes)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);
	PFNEGLCREATEPLATFORMWINDOWSURFACEEXTPROC create;

	if (!display)
		return EGL_NO_SURFACE;
	if (display->android)
		return create_android(display, config, window, attributes);
	create = (PFNEGLCREATEPLATFORMWINDOWSURFACEEXTPROC)kr_egl_vendor_function(
		display->vendor, "eglCreatePlatformWindowSurfaceEXT");
	if (create)
		return create(dpy, config, window, attributes);
	kr_egl_error_set(EGL_BAD_DISPLAY);
	return EGL_NO_SURFACE;
}

static EGLSurface EGLAPIENTRY
create_platform_pixmap_surface_ext(
	EGLDisplay dpy, EGLConfig config, void *pixmap, const EGLint *attributes)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);
	PFNEGLCREATEPLATFORMPIXMAPSURFACEEXTPROC create;

	if (!display)
		return EGL_NO_SURFACE;
	create = (PFNEGLCREATEPLATFORMPIXMAPSURFACEEXTPROC)kr_egl_vendor_function(
		display->vendor, "eglCreatePlatformPixmapSurfaceEXT");
	if (create)
		return create(dpy, config, pixmap, attributes);
	kr_egl_error_set(EGL_BAD_DISPLAY);
	return EGL_NO_SURFACE;
}

/* Of another display's surface nothing is drawn by this thread's context. */
static EGLBoolean
swapped(const struct kr_egl_display *display, EGLBoolean done)
{
	if (kr_egl_this_thread()->display == display)
		kr_egl_ended(done, done || display->android);
	return done;
}

static EGLBoolean EGLAPIENTRY
swap_buffers(EGLDisplay dpy, EGLSurface surface)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);

	if (!display)
		return EGL_FALSE;
	if (display->android)
		return swapped(display, kr_egl_surface_swap(display, surface, NULL, 0));
	return swapped(display, display->vendor->egl.SwapBuffers(dpy, surface));
}

static EGLBoolean
swap_with_damage(EGLDisplay dpy, EGLSurface surface, const EGLint *rectangles, EGLint count,
	const char *name)
{
	struct kr_egl_display *display = kr_egl_display_find(dpy);
	PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC swap;

	kr_egl_dispatch_begin();
	if (!display) {
		swap = (PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC)kr_egl_elsewhere(dpy, name);
		return swap ? swap(dpy, surface, rectangles, count) : EGL_FALSE;
	}
	kr_egl_error_of(display->vendor);
	if (display->android)
		return swapped(display, kr_egl_surface_swap(display, surface, rectangles, count));
	swap = (PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC)kr_egl_vendor_function(display->vendor, name);
	if (!swap) {
		kr_egl_error_set(EGL_BAD_DISPLAY);
		return EGL_FALSE;
	}
	return swapped(display, swap(dpy, surface, rectangles, count));
}

static EGLBoolean EGLAPIENTRY
swap_with_damage_khr(EGLDisplay dpy, EGLSurface surface, const EGLint *rectangles, EGLint count)
{
	return swap_with_damage(dpy, surface, rectangles, count, "eglSwapBuffersWithDamageKHR");
}

static EGLBoolean EGLAPIENTRY
swap_with_damage_ext(EGLDisplay dpy, EGLSurface surface, const EGLint *rectangles, EGLint count)
{
	return swap_with_damage(dpy, surface, rectangles, count, "eglSwapBuffersWithDamageEXT");
}

const struct kr_egl_call kr_egl_surface_calls[] = {
	KR_EGL_CALL("eglChooseConfig", forward_ChooseConfig),
	KR_EGL_CALL("eglCreatePlatformPixmapSurface", create_platform_pixmap_surface),
	KR_EGL_CALL("eglCreatePlatformPixmapSurfaceEXT", create_platform_pixmap_surface_ext),
	KR_EGL_CALL("eglCreatePlatformWindowSurface", create_platform_window_surface),
	KR_EGL_CALL("eglCreatePlatformWindowSurfaceEXT", create_platform_window_surface_ext),
	KR_EGL_CALL("eglCreateWindowSurface", create_window_surface),
	KR_EGL_CALL("eglDestroySurface", forward_DestroySurface),
	KR_EGL_CALL("eglGetConfigAttrib", forward_GetConfigAttrib),
	KR_EGL_CALL("eglQuerySurface", forward_QuerySurface),
	KR_EGL_CALL("eglSurfaceAttrib", forward_SurfaceAttrib),
	KR_EGL_CALL("eglSwapBuffers", swap_buffers),
	KR_EGL_CALL("eglSwapBuffersWithDamageEXT", swap_with_damage_ext),
	KR_EGL_CALL("eglSwapBuffersWithDamageKHR", swap_with_damage_khr),
	KR_EGL_CALL("eglSwapInterval", forward_SwapInterval),
};
const size_t kr_egl_surface_call_count = KR_ARRAY_LEN(kr_egl_surface_calls);
