/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces and configs: of an android display they are Krafla's. */
#include "egl/calls/internal.h"

#include "egl/fence/fence.h"
#include "egl/vendor/older.h"
#include "egl/window/window.h"
#include "util/macros.h"

static EGLBoolean EGLAPIENTRY
choose_config(
	EGLDisplay dpy, const EGLint *attributes, EGLConfig *configs, EGLint size, EGLint *count)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);

	if (!display)
		return EGL_FALSE;
	if (display->android)
		return kr_egl_config_choose(display, attributes, configs, size, count);
	return display->vendor->egl.ChooseConfig(dpy, attributes, configs, size, count);
}

static EGLBoolean EGLAPIENTRY
get_config_attrib(EGLDisplay dpy, EGLConfig config, EGLint attribute, EGLint *value)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);

	if (!display)
		return EGL_FALSE;
	if (display->android)
		return kr_egl_config_get(display, config, attribute, value);
	return display->vendor->egl.GetConfigAttrib(dpy, config, attribute, value);
}

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

static EGLBoolean EGLAPIENTRY
destroy_surface(EGLDisplay dpy, EGLSurface surface)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);

	if (!display)
		return EGL_FALSE;
	if (display->android)
		return kr_egl_surface_destroy(display, surface);
	return display->vendor->egl.DestroySurface(dpy, surface);
}

static EGLBoolean EGLAPIENTRY
query_surface(EGLDisplay dpy, EGLSurface surface, EGLint attribute, EGLint *value)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);

	if (!display)
		return EGL_FALSE;
	if (display->android)
		return kr_egl_surface_query(display, surface, attribute, value);
	return display->vendor->egl.QuerySurface(dpy, surface, attribute, value);
}

static EGLBoolean EGLAPIENTRY
surface_attrib(EGLDisplay dpy, EGLSurface surface, EGLint attribute, EGLint value)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);

	if (!display)
		return EGL_FALSE;
	if (display->android)
		return kr_egl_surface_set(display, surface, attribute, value);
	return display->vendor->egl.SurfaceAttrib(dpy, surface, attribute, value);
}

static EGLBoolean EGLAPIENTRY
swap_interval(EGLDisplay dpy, EGLint interval)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);

	if (!display)
		return EGL_FALSE;
	if (display->android)
		return kr_egl_surface_interval(display, interval);
	return display->vendor->egl.SwapInterval(dpy, interval);
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
	KR_EGL_CALL("eglChooseConfig", choose_config),
	KR_EGL_CALL("eglCreatePlatformPixmapSurface", create_platform_pixmap_surface),
	KR_EGL_CALL("eglCreatePlatformPixmapSurfaceEXT", create_platform_pixmap_surface_ext),
	KR_EGL_CALL("eglCreatePlatformWindowSurface", create_platform_window_surface),
	KR_EGL_CALL("eglCreatePlatformWindowSurfaceEXT", create_platform_window_surface_ext),
	KR_EGL_CALL("eglCreateWindowSurface", create_window_surface),
	KR_EGL_CALL("eglDestroySurface", destroy_surface),
	KR_EGL_CALL("eglGetConfigAttrib", get_config_attrib),
	KR_EGL_CALL("eglQuerySurface", query_surface),
	KR_EGL_CALL("eglSurfaceAttrib", surface_attrib),
	KR_EGL_CALL("eglSwapBuffers", swap_buffers),
	KR_EGL_CALL("eglSwapBuffersWithDamageEXT", swap_with_damage_ext),
	KR_EGL_CALL("eglSwapBuffersWithDamageKHR", swap_with_damage_khr),
	KR_EGL_CALL("eglSwapInterval", swap_interval),
};
const size_t kr_egl_surface_call_count = KR_ARRAY_LEN(kr_egl_surface_calls);
