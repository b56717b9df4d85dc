/* SPDX-License-Identifier: Apache-2.0 */
/* See rig.h. */
#include "rig.h"

#include <pthread.h>
#include <string.h>

#include "egl/fence/fence.h"
#include "egl/image/image.h"
#include "egl/window/window.h"

struct rooms rooms;
__EGLapiImports krafla;

static void
note(const char *name)
{
	strncat(rooms.log, name, sizeof(rooms.log) - strlen(rooms.log) - 1);
	strncat(rooms.log, " ", sizeof(rooms.log) - strlen(rooms.log) - 1);
}

/* --- fences --- */

EGLBoolean
kr_egl_fences_start(struct kr_egl_display *display)
{
	note("start");
	return !rooms.no_start;
}

void
kr_egl_fences_stop(struct kr_egl_display *display)
{
	/* The vendor is there until we are done. */
	note(hand_of(1)->terminates + hand_of(2)->terminates ? "late" : "stop");
}

const char *
kr_egl_fences_extensions(const struct kr_egl_display *display)
{
	return "EGL_HAND_all EGL_ROOM_fences";
}

bool
kr_egl_fences_emulated(const struct kr_egl_display *display)
{
	return rooms.emulated;
}

static void
touch_vendor(struct kr_egl_thread *thread)
{
	if (rooms.meddles)
		thread->display->vendor->egl.QuerySurface(
			thread->display->handle, EGL_NO_SURFACE, EGL_WIDTH, NULL);
}

void
kr_egl_fences_flushed(struct kr_egl_thread *thread)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	rooms.flushed++;
	rooms.context = thread->context;
	note("flushed");
	pthread_mutex_unlock(&lock);
	touch_vendor(thread);
}

void
kr_egl_fences_context_gone(struct kr_egl_display *display, EGLContext context)
{
	rooms.gone++;
}

void
kr_egl_fences_context_lost(struct kr_egl_display *display, EGLContext context)
{
	rooms.lost++;
	rooms.context = context;
}

EGLSync
kr_egl_sync_create(struct kr_egl_display *display, enum kr_egl_sync_form form, EGLenum type,
	const void *attributes)
{
	return (EGLSync)0x99;
}

EGLBoolean
kr_egl_sync_destroy(struct kr_egl_display *display, EGLSync sync)
{
	return EGL_TRUE;
}

EGLint
kr_egl_sync_client_wait(
	struct kr_egl_display *display, EGLSync sync, EGLint flags, EGLTime timeout_ns)
{
	return EGL_CONDITION_SATISFIED;
}

EGLBoolean
kr_egl_sync_wait(struct kr_egl_display *display, EGLSync sync, EGLint flags)
{
	return EGL_TRUE;
}

EGLBoolean
kr_egl_sync_get(struct kr_egl_display *display, enum kr_egl_sync_form form, EGLSync sync,
	EGLint attribute, void *value)
{
	return EGL_TRUE;
}

EGLBoolean
kr_egl_sync_signal(struct kr_egl_display *display, EGLSync sync, EGLenum mode)
{
	return EGL_FALSE;
}

EGLint
kr_egl_sync_dup(struct kr_egl_display *display, EGLSync sync)
{
	return EGL_NO_NATIVE_FENCE_FD_ANDROID;
}

/* --- windows: no display is android's --- */

EGLDisplay
kr_egl_android_display(void *native, const EGLAttrib *attributes)
{
	kr_egl_error_set(EGL_BAD_NATIVE_WINDOW);
	return EGL_NO_DISPLAY;
}

EGLBoolean
kr_egl_windows_start(struct kr_egl_display *display)
{
	return EGL_FALSE;
}

void
kr_egl_windows_stop(struct kr_egl_display *display)
{
}

const char *
kr_egl_windows_extensions(const struct kr_egl_display *display)
{
	return "";
}

EGLBoolean
kr_egl_config_choose(struct kr_egl_display *display, const EGLint *attributes, EGLConfig *configs,
	EGLint room, EGLint *count)
{
	return EGL_FALSE;
}

EGLBoolean
kr_egl_config_get(struct kr_egl_display *display, EGLConfig config, EGLint attribute, EGLint *value)
{
	return EGL_FALSE;
}

EGLSurface
kr_egl_surface_create(struct kr_egl_display *display, EGLConfig config,
	struct ANativeWindow *window, const EGLAttrib *attributes)
{
	return EGL_NO_SURFACE;
}

EGLBoolean
kr_egl_surface_destroy(struct kr_egl_display *display, EGLSurface surface)
{
	return EGL_FALSE;
}

EGLBoolean
kr_egl_surface_query(
	struct kr_egl_display *display, EGLSurface surface, EGLint attribute, EGLint *value)
{
	return EGL_FALSE;
}

EGLBoolean
kr_egl_surface_set(
	struct kr_egl_display *display, EGLSurface surface, EGLint attribute, EGLint value)
{
	return EGL_FALSE;
}

EGLBoolean
kr_egl_surface_swap(
	struct kr_egl_display *display, EGLSurface surface, const EGLint *rectangles, EGLint count)
{
	return EGL_FALSE;
}

EGLBoolean
kr_egl_surface_interval(struct kr_egl_display *display, EGLint interval)
{
	return EGL_FALSE;
}

EGLBoolean
kr_egl_surfaces_make_current(
	struct kr_egl_display *display, EGLSurface draw, EGLSurface read, EGLContext context)
{
	kr_egl_error_set(EGL_SUCCESS);
	return display->vendor->egl.MakeCurrent(display->handle, draw, read, context);
}

void
kr_egl_surfaces_let_go(void)
{
}

void *
kr_egl_windows_function(const char *name)
{
	return NULL;
}

/* --- images --- */

const char *
kr_egl_images_extensions(const struct kr_egl_display *display)
{
	return "";
}

EGLImage
kr_egl_image_create(
	struct kr_egl_display *display, EGLClientBuffer buffer, const EGLAttrib *attributes)
{
	return EGL_NO_IMAGE;
}

EGLBoolean
kr_egl_image_destroy(struct kr_egl_display *display, EGLImage image)
{
	return EGL_FALSE;
}

void
kr_egl_images_stop(struct kr_egl_display *display)
{
}

void *
kr_egl_images_function(const char *name)
{
	return NULL;
}

/* --- glvnd --- */

static int self, others;
static _Thread_local bool last_is_krafla;
static _Thread_local EGLint last_error = EGL_SUCCESS;

static void
thread_init(void)
{
}

static void
set_error(EGLint error)
{
	last_is_krafla = false;
	last_error = error;
}

static EGLBoolean
set_last_vendor(__EGLvendorInfo *vendor)
{
	last_is_krafla = (void *)vendor == (void *)&self;
	last_error = EGL_SUCCESS;
	return EGL_TRUE;
}

static __EGLvendorInfo *
display_of_others(EGLDisplay display)
{
	return display == RIG_OTHERS_DISPLAY ? (__EGLvendorInfo *)(void *)&others : NULL;
}

static EGLBoolean
others_function(EGLDisplay display, EGLSurface surface, const EGLint *rectangles, EGLint count)
{
	return display == RIG_OTHERS_DISPLAY && count == RIG_OTHERS_INDEX;
}

static __eglMustCastToProperFunctionPointerType
fetch(__EGLvendorInfo *vendor, int index)
{
	return (void *)vendor == (void *)&others && index == RIG_OTHERS_INDEX
		? (__eglMustCastToProperFunctionPointerType)others_function
		: NULL;
}

static __EGLvendorInfo *
no_device(EGLDeviceEXT device)
{
	return NULL;
}

static EGLBoolean
set_device(EGLDeviceEXT device, __EGLvendorInfo *vendor)
{
	return EGL_TRUE;
}

static const __EGLapiExports glvnd = {
	.threadInit = thread_init,
	.setEGLError = set_error,
	.setLastVendor = set_last_vendor,
	.fetchDispatchEntry = fetch,
	.getVendorFromDisplay = display_of_others,
	.getVendorFromDevice = no_device,
	.setVendorForDevice = set_device,
};

void
rig_start(void)
{
	hand_choose(hand_list(hand_manifest("1.json", hand_library(1)),
		hand_manifest("2.json", hand_library(2))));
	assert_true(__egl_Main(
		EGL_VENDOR_ABI_VERSION, &glvnd, (__EGLvendorInfo *)(void *)&self, &krafla));
}

void *
rig_function(const char *name)
{
	void *function = krafla.getProcAddress(name);

	assert_non_null(function);
	/* As glvnd does before it calls one. */
	if (strcmp(name, "eglGetError"))
		set_last_vendor((__EGLvendorInfo *)(void *)&self);
	return function;
}

EGLDisplay
rig_display(int number)
{
	EGLDisplay display = krafla.getPlatformDisplay(HAND_PLATFORM(number), NULL, NULL);

	assert_non_null(display);
	assert_true(EGL(Initialize, INITIALIZE)(display, NULL, NULL));
	return display;
}

EGLContext
rig_context(EGLDisplay display)
{
	return EGL(CreateContext, CREATECONTEXT)(display, NULL, EGL_NO_CONTEXT, NULL);
}

EGLint
rig_error(void)
{
	EGLint error = last_is_krafla ? EGL(GetError, GETERROR)() : last_error;

	set_error(EGL_SUCCESS);
	return error;
}
