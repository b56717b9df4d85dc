/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The display of EGL_PLATFORM_ANDROID_KHR: one of a vendor's that needs no window system, Mesa's
 * surfaceless platform or a device. There is one in a process, as the platform's default display
 * is one.
 *
 * It should be no display that the program also has by the vendor's own platform, since its configs
 * differ. Mesa gives another surfaceless display for an empty list of attributes than for none, and
 * programs' empty lists never come to vendors (egl/calls); devices' displays differ where there are
 * references to them (EGL_KHR_display_reference).
 */
#include <stdlib.h>

#include "egl/window/internal.h"
#include "sync/fence/fork.h"
#include "util/log.h"

static struct {
	struct kr_mutex lock;
	struct kr_egl_display *display KR_GUARDED_BY(lock); /* once there is one */
} android = {.lock = KR_MUTEX_INITIALIZER};

static EGLDisplay
get_surfaceless(struct kr_egl_vendor *vendor)
{
	static const EGLAttrib none[] = {EGL_NONE};

	return vendor->imports.getPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, none);
}

static EGLDisplay
get_device(struct kr_egl_vendor *vendor)
{
	static const EGLAttrib tracked[] = {EGL_TRACK_REFERENCES_KHR, EGL_TRUE, EGL_NONE};
	PFNEGLQUERYDEVICESEXTPROC query =
		(PFNEGLQUERYDEVICESEXTPROC)kr_egl_vendor_function(vendor, "eglQueryDevicesEXT");
	EGLDeviceEXT device;
	EGLDisplay display;
	EGLint count = 0;

	if (!query || !query(1, &device, &count) || count < 1)
		return EGL_NO_DISPLAY;
	display = vendor->imports.getPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device, tracked);
	if (display == EGL_NO_DISPLAY)
		display = vendor->imports.getPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device, NULL);
	return display;
}

static struct kr_egl_windows *
make_windows(struct kr_egl_display *display)
{
	struct kr_egl_windows *windows = calloc(1, sizeof(*windows));

	if (!windows)
		return NULL;
	windows->display = display;
	kr_mutex_init(&windows->lock);
	kr_cond_init(&windows->idle);
	kr_list_init(&windows->surfaces);
	return windows;
}

/* A vendor's display becomes the platform's. NULL: no memory. */
static struct kr_egl_display *
adopt(EGLDisplay handle, struct kr_egl_vendor *vendor)
{
	struct kr_egl_display *display = kr_egl_display_add(handle, vendor);

	if (display && !display->windows)
		display->windows = make_windows(display);
	if (!display || !display->windows)
		return NULL;
	display->android = true;
	kr_info("EGL: windows are drawn by %s", vendor->library);
	return display;
}

/* EGL_SUCCESS, without a display: no vendor has one. */
static struct kr_egl_display *
find_display(EGLint *error)
{
	struct kr_egl_display *display;

	*error = EGL_SUCCESS;
	for (unsigned i = 0; i < kr_egl_vendors_count(); i++) {
		struct kr_egl_vendor *vendor = kr_egl_vendor_at(i);
		EGLDisplay handle = get_surfaceless(vendor);

		if (handle == EGL_NO_DISPLAY)
			handle = get_device(vendor);
		if (handle == EGL_NO_DISPLAY)
			continue;
		display = adopt(handle, vendor);
		*error = display ? EGL_SUCCESS : EGL_BAD_ALLOC;
		return display;
	}
	kr_error(
		"EGL: no vendor has a display without a window system, which windows of Android's platform need");
	return NULL;
}

EGLDisplay
kr_egl_android_display(void *native, const EGLAttrib *attributes)
{
	struct kr_egl_display *display;
	EGLint error = EGL_SUCCESS;

	if (native != EGL_DEFAULT_DISPLAY || (attributes && attributes[0] != EGL_NONE)) {
		kr_egl_error_set(
			native != EGL_DEFAULT_DISPLAY ? EGL_BAD_PARAMETER : EGL_BAD_ATTRIBUTE);
		return EGL_NO_DISPLAY;
	}
	kr_mutex_lock(&android.lock);
	if (!android.display)
		android.display = find_display(&error);
	display = android.display;
	kr_mutex_unlock(&android.lock);
	kr_egl_error_set(error);
	return display ? display->handle : EGL_NO_DISPLAY;
}

EGLBoolean
kr_egl_windows_start(struct kr_egl_display *display)
{
	kr_mutex_lock(&display->windows->lock);
	display->windows->started = true;
	kr_mutex_unlock(&display->windows->lock);
	return EGL_TRUE;
}

#define OTHERS                                                                                     \
	"EGL_ANDROID_framebuffer_target EGL_ANDROID_get_frame_timestamps EGL_ANDROID_presentation_time EGL_ANDROID_recordable EGL_EXT_buffer_age EGL_EXT_swap_buffers_with_damage EGL_KHR_swap_buffers_with_damage"
/* Pbuffers of sRGB are the vendor's. */
#define COLOURS                                                                                    \
	"EGL_EXT_gl_colorspace_bt2020_hlg EGL_EXT_gl_colorspace_bt2020_linear EGL_EXT_gl_colorspace_bt2020_pq EGL_EXT_gl_colorspace_display_p3 EGL_EXT_gl_colorspace_display_p3_linear EGL_EXT_gl_colorspace_display_p3_passthrough EGL_EXT_gl_colorspace_scrgb EGL_EXT_gl_colorspace_scrgb_linear EGL_EXT_surface_CTA861_3_metadata EGL_EXT_surface_SMPTE2086_metadata"

const char *
kr_egl_windows_extensions(const struct kr_egl_display *display)
{
	if (!display->windows)
		return "";
	return kr_egl_vendor_has(display, "EGL_KHR_gl_colorspace") ? OTHERS " " COLOURS : OTHERS;
}

/* A fork waits for none of these locks: vendors may be called with them. */
static void
after_fork(bool child) KR_NO_THREAD_SAFETY
{
	if (!child)
		return;
	kr_mutex_init(&android.lock);
	if (!android.display)
		return;
	kr_mutex_init(&android.display->windows->lock);
	kr_cond_init(&android.display->windows->idle);
	android.display->windows->busy = 0;
}

static void __attribute__((constructor)) register_fork(void)
{
	static const struct kr_sync_fork_hook hook = {NULL, after_fork};

	kr_sync_fork_register(KR_SYNC_FORK_EGL_WINDOWS, &hook);
}
