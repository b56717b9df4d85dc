/* SPDX-License-Identifier: Apache-2.0 */
/* See hand.h. */
#include "hand.h"

#include <glvnd/libeglabi.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)

#define SHOWN __attribute__((visibility("default")))

extern struct hand hand;
SHOWN struct hand hand = {.new_index = -1};

static const __EGLapiExports *exports;
static int display, devices[2], context;
/* Where the program's own are: ThreadSanitizer can't follow those of libraries that come later. */
static _Thread_local EGLint last_error __attribute__((tls_model("initial-exec"))) = EGL_SUCCESS;

static EGLBoolean
end(const char *name, EGLint error)
{
	if (hand.fails && !strcmp(hand.fails, name))
		error = hand.error;
	last_error = error;
	return error == EGL_SUCCESS ? EGL_TRUE : EGL_FALSE;
}

static void
note(const char *name)
{
	strncat(hand.log, name, sizeof(hand.log) - strlen(hand.log) - 1);
	strncat(hand.log, " ", sizeof(hand.log) - strlen(hand.log) - 1);
}

static intptr_t
refuse(void)
{
	last_error = EGL_BAD_ACCESS;
	return 0;
}

static EGLBoolean
accept(void)
{
	last_error = EGL_SUCCESS;
	return EGL_TRUE;
}

static EGLint
get_error(void)
{
	EGLint error = last_error;

	last_error = EGL_SUCCESS;
	return error;
}

static EGLBoolean
initialize(EGLDisplay of, EGLint *major, EGLint *minor)
{
	hand.initializes++;
	if (hand.in_initialize)
		hand.in_initialize();
	if (major)
		*major = 1;
	if (minor)
		*minor = 4;
	return end("eglInitialize", EGL_SUCCESS);
}

static EGLBoolean
terminate(EGLDisplay of)
{
	hand.terminates++;
	note("terminate");
	return end("eglTerminate", EGL_SUCCESS);
}

static const char *
query_string(EGLDisplay of, EGLint name)
{
	last_error = EGL_SUCCESS;
	if (!of && name == EGL_EXTENSIONS)
		return hand.counts_references ? "EGL_KHR_display_reference EGL_EXT_device_base"
					      : "EGL_EXT_device_base EGL_HAND_" TEXT(HAND_NUMBER);
	if (name == EGL_EXTENSIONS)
		return hand.events ? "EGL_KHR_cl_event2" : "EGL_HAND_new EGL_HAND_all ";
	return name == EGL_VERSION ? "1.4 hand" : "hand " TEXT(HAND_NUMBER);
}

static EGLBoolean
make_current(EGLDisplay of, EGLSurface draw, EGLSurface read, EGLContext with)
{
	if (!with && hand.current)
		note("leave");
	else if (with)
		note("enter");
	/* What leaves can't fail. */
	if (with && !end("eglMakeCurrent", EGL_SUCCESS))
		return EGL_FALSE;
	hand.current = with;
	return accept();
}

static EGLBoolean
release_thread(void)
{
	if (!end("eglReleaseThread", EGL_SUCCESS))
		return EGL_FALSE;
	hand.releases++;
	hand.current = NULL;
	return EGL_TRUE;
}

static EGLBoolean
bind_api(EGLenum api)
{
	hand.api = api;
	return end("eglBindAPI", EGL_SUCCESS);
}

static EGLContext
create_context(EGLDisplay of, EGLConfig with, EGLContext shared, const EGLint *attributes)
{
	last_error = EGL_SUCCESS;
	return &context;
}

static EGLBoolean
swap_buffers(EGLDisplay of, EGLSurface with)
{
	note("swap");
	return end("eglSwapBuffers", EGL_SUCCESS);
}

static EGLBoolean
query_devices(EGLint room, EGLDeviceEXT *list, EGLint *count)
{
	for (int i = 0; list && i < 2 && i < room; i++)
		list[i] = &devices[i];
	*count = list && room < 2 ? room : 2;
	return end("eglQueryDevicesEXT", EGL_SUCCESS);
}

static EGLBoolean
query_display(EGLDisplay of, EGLint attribute, EGLAttrib *value)
{
	if (attribute == EGL_TRACK_REFERENCES_KHR)
		*value = hand.counts_references;
	else
		*value = (EGLAttrib)&devices[0];
	return end("eglQueryDisplayAttribEXT", EGL_SUCCESS);
}

static EGLint
label(EGLDisplay of, EGLenum type, EGLObjectKHR object, EGLLabelKHR text)
{
	hand.labels++;
	return EGL_SUCCESS;
}

static EGLint
answer(EGLDisplay of)
{
	last_error = EGL_SUCCESS;
	return HAND_NUMBER;
}

/* --- what functions of EGL 1.5 were before --- */

static void *
take_list(const char *name, const EGLint *list)
{
	hand.called = name;
	hand.had_list = list != NULL;
	hand.list_len = 0;
	for (; list && list[hand.list_len] != EGL_NONE && hand.list_len < 254; hand.list_len += 2) {
		hand.list[hand.list_len] = list[hand.list_len];
		hand.list[hand.list_len + 1] = list[hand.list_len + 1];
	}
	return end(name, EGL_SUCCESS) ? &devices[0] : NULL;
}

static EGLImageKHR
create_image(
	EGLDisplay of, EGLContext in, EGLenum target, EGLClientBuffer buffer, const EGLint *list)
{
	return take_list("eglCreateImageKHR", list);
}

static EGLBoolean
destroy_image(EGLDisplay of, EGLImageKHR image)
{
	hand.called = "eglDestroyImageKHR";
	return end(hand.called, image == &devices[0] ? EGL_SUCCESS : EGL_BAD_PARAMETER);
}

static EGLSurface
create_window(EGLDisplay of, EGLConfig with, void *window, const EGLint *list)
{
	return take_list("eglCreatePlatformWindowSurfaceEXT", list);
}

static EGLSurface
create_pixmap(EGLDisplay of, EGLConfig with, void *pixmap, const EGLint *list)
{
	return take_list("eglCreatePlatformPixmapSurfaceEXT", list);
}

static EGLSyncKHR
create_sync(EGLDisplay of, EGLenum type, const EGLint *list)
{
	return take_list("eglCreateSyncKHR", list);
}

static EGLSyncKHR
create_sync_64(EGLDisplay of, EGLenum type, const EGLAttribKHR *list)
{
	hand.called = "eglCreateSync64KHR";
	return end(hand.called, EGL_SUCCESS) ? &devices[0] : NULL;
}

static EGLBoolean
get_sync(EGLDisplay of, EGLSyncKHR sync, EGLint attribute, EGLint *value)
{
	hand.called = "eglGetSyncAttribKHR";
	*value = attribute + 1;
	return end(hand.called, EGL_SUCCESS);
}

static void
gl_flush(void)
{
	hand.flushes++;
	note("flush");
}

static int
gl_number(void)
{
	return HAND_NUMBER;
}

struct function {
	const char *name;
	void *function;
};

static const struct function older[] = {
	{"eglCreateImageKHR", create_image},
	{"eglCreatePlatformPixmapSurfaceEXT", create_pixmap},
	{"eglCreatePlatformWindowSurfaceEXT", create_window},
	{"eglCreateSync64KHR", create_sync_64},
	{"eglCreateSyncKHR", create_sync},
	{"eglDestroyImageKHR", destroy_image},
	{"eglGetSyncAttribKHR", get_sync},
};

static const struct function functions[] = {
	{"eglBindAPI", bind_api},
	{"eglBindTexImage", refuse},
	{"eglChooseConfig", refuse},
	{"eglCopyBuffers", refuse},
	{"eglCreateContext", create_context},
	{"eglCreatePbufferFromClientBuffer", refuse},
	{"eglCreatePbufferSurface", refuse},
	{"eglCreatePixmapSurface", refuse},
	{"eglCreateWindowSurface", refuse},
	{"eglDestroyContext", accept},
	{"eglDestroySurface", accept},
	{"eglGetConfigAttrib", refuse},
	{"eglGetConfigs", refuse},
	{"eglGetError", get_error},
	{"eglInitialize", initialize},
	{"eglMakeCurrent", make_current},
	{"eglQueryContext", refuse},
	{"eglQueryString", query_string},
	{"eglQuerySurface", refuse},
	{"eglReleaseTexImage", refuse},
	{"eglReleaseThread", release_thread},
	{"eglSurfaceAttrib", refuse},
	{"eglSwapBuffers", swap_buffers},
	{"eglSwapInterval", accept},
	{"eglTerminate", terminate},
	{"eglWaitClient", accept},
	{"eglWaitGL", accept},
	{"eglWaitNative", accept},
	{"eglQueryDevicesEXT", query_devices},
	{"eglQueryDisplayAttribEXT", query_display},
	{"eglLabelObjectKHR", label},
	{"eglHandNewEXT", answer},
#if HAND_NUMBER == 2
	{"eglHandSecondEXT", answer},
#endif
	{"glFlush", gl_flush},
	{"glFinish", gl_flush},
	{"glHandNumber", gl_number},
#if HAND_NUMBER == 2
	{"glHandSecond", gl_number},
#endif
};

static void *
get_proc_address(const char *name)
{
	if (hand.lacks && !strcmp(name, hand.lacks))
		return NULL;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	}
	for (size_t i = 0; hand.older && i < sizeof(older) / sizeof(older[0]); i++) {
		if (!strcmp(older[i].name, name))
			return older[i].function;
	}
	return NULL;
}

static EGLint
dispatch_new(EGLDisplay of)
{
	__EGLvendorInfo *vendor;
	hand_new_fn function = NULL;

	exports->threadInit();
	vendor = exports->getVendorFromDisplay(of);
	if (vendor)
		function = (hand_new_fn)exports->fetchDispatchEntry(vendor, hand.new_index);
	if (!function) {
		exports->setEGLError(EGL_BAD_DISPLAY);
		return 0;
	}
	exports->setLastVendor(vendor);
	return function(of);
}

static void *
get_dispatch_address(const char *name)
{
	return strcmp(name, "eglHandNewEXT") ? NULL : (void *)dispatch_new;
}

static void
set_dispatch_index(const char *name, int index)
{
	if (!strcmp(name, "eglHandNewEXT"))
		hand.new_index = index;
}

static EGLDisplay
get_platform_display(EGLenum platform, void *native, const EGLAttrib *attributes)
{
	last_error = EGL_SUCCESS;
	if (platform == HAND_PLATFORM_SHARED)
		return (EGLDisplay)(uintptr_t)0x4711;
	if (platform == HAND_PLATFORM(HAND_NUMBER) ||
		(platform == EGL_PLATFORM_DEVICE_EXT && native == &devices[1]))
		return &display;
	last_error = hand.display_error;
	return EGL_NO_DISPLAY;
}

static EGLBoolean
supports_api(EGLenum api)
{
	return api == EGL_OPENGL_ES_API || (HAND_NUMBER == 2 && api == EGL_OPENGL_API);
}

SHOWN EGLBoolean __egl_Main(uint32_t version, const __EGLapiExports *given, __EGLvendorInfo *vendor,
	__EGLapiImports *imports);

EGLBoolean
__egl_Main(uint32_t version, const __EGLapiExports *given, __EGLvendorInfo *vendor,
	__EGLapiImports *imports)
{
	hand.mains++;
	if (hand.refuses || EGL_VENDOR_ABI_GET_MAJOR_VERSION(version))
		return EGL_FALSE;
	exports = given;
	imports->getPlatformDisplay = get_platform_display;
	imports->getSupportsAPI = supports_api;
	imports->getProcAddress = get_proc_address;
	imports->getDispatchAddress = get_dispatch_address;
	imports->setDispatchIndex = hand.no_table ? NULL : set_dispatch_index;
	return EGL_TRUE;
}
