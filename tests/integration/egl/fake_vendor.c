/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vendor of EGL as glvnd loads them: a display, a device and a context of its own, GL functions
 * that tell whose they are, an extension, and the wish to patch glvnd's entry points. It draws
 * nothing.
 */
#include "fake_vendor.h"

#include <EGL/eglext.h>
#include <glvnd/libeglabi.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)
#define NAME            "fake " TEXT(FAKE_NUMBER)

static const __EGLapiExports *exports;
static int displays[2], device, config, context, surface;
static bool initialised;
static _Thread_local EGLint last_error = EGL_SUCCESS;
static EGLint patches;
static int answer_index = -1, patches_index = -1;

static intptr_t
fail(EGLint error)
{
	last_error = error;
	return 0;
}

static intptr_t
succeed(intptr_t answer)
{
	last_error = EGL_SUCCESS;
	return answer;
}

/* --- functions of EGL --- */

/* All that isn't for this vendor to do. */
static intptr_t
refuse(void)
{
	return fail(EGL_BAD_ACCESS);
}

static EGLint
get_error(void)
{
	EGLint error = last_error;

	last_error = EGL_SUCCESS;
	return error;
}

static EGLBoolean
initialize(EGLDisplay display, EGLint *major, EGLint *minor)
{
	if (display == &displays[1])
		return (EGLBoolean)fail(FAKE_ERROR(FAKE_NUMBER));
	initialised = true;
	if (major)
		*major = 1;
	if (minor)
		*minor = 4;
	return (EGLBoolean)succeed(EGL_TRUE);
}

static EGLBoolean
terminate(EGLDisplay display)
{
	initialised = false;
	return (EGLBoolean)succeed(EGL_TRUE);
}

static const char *
query_string(EGLDisplay display, EGLint name)
{
	if (!display && name == EGL_EXTENSIONS)
		return "EGL_EXT_client_extensions EGL_EXT_device_base EGL_EXT_platform_base"
		       " EGL_EXT_device_enumeration EGL_EXT_device_query";
	if (!display || !initialised)
		return (const char *)fail(display ? EGL_NOT_INITIALIZED : EGL_BAD_DISPLAY);
	last_error = EGL_SUCCESS;
	return name == EGL_EXTENSIONS ? "EGL_FAKE_answer" : name == EGL_VERSION ? "1.4" : NAME;
}

static EGLBoolean
choose_config(EGLDisplay display, const EGLint *attributes, EGLConfig *configs, EGLint room,
	EGLint *count)
{
	if (!initialised)
		return (EGLBoolean)fail(EGL_NOT_INITIALIZED);
	if (configs && room)
		configs[0] = &config;
	*count = 1;
	return (EGLBoolean)succeed(EGL_TRUE);
}

static EGLContext
create_context(EGLDisplay display, EGLConfig with, EGLContext shared, const EGLint *attributes)
{
	return (EGLContext)succeed((intptr_t)&context);
}

static EGLSurface
create_surface(EGLDisplay display, EGLConfig with, const EGLint *attributes)
{
	return (EGLSurface)succeed((intptr_t)&surface);
}

static EGLBoolean
accept(void)
{
	return (EGLBoolean)succeed(EGL_TRUE);
}

static EGLBoolean
query_devices(EGLint room, EGLDeviceEXT *devices, EGLint *count)
{
	if (devices && room > 0)
		devices[0] = &device;
	*count = 1;
	return (EGLBoolean)succeed(EGL_TRUE);
}

static const char *
query_device_string(EGLDeviceEXT of, EGLint name)
{
	if (of != &device)
		return (const char *)fail(EGL_BAD_DEVICE_EXT);
	return (const char *)succeed((intptr_t) "EGL_FAKE_device_" TEXT(FAKE_NUMBER));
}

static EGLBoolean
query_display_attrib(EGLDisplay display, EGLint name, EGLAttrib *value)
{
	*value = (EGLAttrib)&device;
	return (EGLBoolean)succeed(EGL_TRUE);
}

static EGLint
answer(EGLDisplay display)
{
	return (EGLint)succeed(FAKE_NUMBER);
}

static EGLint
count_patches(EGLDisplay display)
{
	return (EGLint)succeed(patches);
}

/* --- functions of GL --- */

static const unsigned char *
gl_get_string(unsigned name)
{
	return (const unsigned char *)NAME;
}

static unsigned
gl_get_error(void)
{
	return FAKE_PLATFORM(FAKE_NUMBER);
}

/* Whatever its name is: some drivers have a function for each. */
static int
gl_any(void)
{
	return FAKE_NUMBER;
}

static const struct {
	const char *name;
	void *function;
} functions[] = {
	{"eglBindTexImage", refuse},
	{"eglChooseConfig", choose_config},
	{"eglCopyBuffers", refuse},
	{"eglCreateContext", create_context},
	{"eglCreatePbufferFromClientBuffer", refuse},
	{"eglCreatePbufferSurface", create_surface},
	{"eglCreatePixmapSurface", refuse},
	{"eglCreateWindowSurface", refuse},
	{"eglDestroyContext", accept},
	{"eglDestroySurface", accept},
	{"eglGetConfigAttrib", refuse},
	{"eglGetConfigs", refuse},
	{"eglGetError", get_error},
	{"eglInitialize", initialize},
	{"eglMakeCurrent", accept},
	{"eglQueryContext", refuse},
	{"eglQueryString", query_string},
	{"eglQuerySurface", refuse},
	{"eglReleaseTexImage", refuse},
	{"eglReleaseThread", accept},
	{"eglSurfaceAttrib", refuse},
	{"eglSwapBuffers", accept},
	{"eglSwapInterval", accept},
	{"eglTerminate", terminate},
	{"eglWaitClient", accept},
	{"eglWaitGL", accept},
	{"eglWaitNative", accept},
	{"eglQueryDevicesEXT", query_devices},
	{"eglQueryDeviceStringEXT", query_device_string},
	{"eglQueryDisplayAttribEXT", query_display_attrib},
	{"eglFakeAnswerEXT", answer},
	{"eglFakePatchesEXT", count_patches},
	{"glGetError", gl_get_error},
	{"glGetString", gl_get_string},
};

/* --- what glvnd asks for --- */

static void *
get_proc_address(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	}
	return strncmp(name, "glAny", 5) ? NULL : (void *)gl_any;
}

/* As every vendor's dispatch function: finds the display's vendor, and calls what that has. */
static EGLint
dispatch(EGLDisplay display, int index)
{
	__EGLvendorInfo *vendor;
	fake_answer_fn function;

	exports->threadInit();
	vendor = exports->getVendorFromDisplay(display);
	if (!vendor) {
		exports->setEGLError(EGL_BAD_DISPLAY);
		return 0;
	}
	exports->setLastVendor(vendor);
	function = (fake_answer_fn)exports->fetchDispatchEntry(vendor, index);
	if (!function) {
		exports->setEGLError(EGL_BAD_ACCESS);
		return 0;
	}
	return function(display);
}

static EGLint
dispatch_answer(EGLDisplay display)
{
	return dispatch(display, answer_index);
}

static EGLint
dispatch_patches(EGLDisplay display)
{
	return dispatch(display, patches_index);
}

static void *
get_dispatch_address(const char *name)
{
	if (!strcmp(name, "eglFakeAnswerEXT"))
		return dispatch_answer;
	return strcmp(name, "eglFakePatchesEXT") ? NULL : dispatch_patches;
}

static void
set_dispatch_index(const char *name, int index)
{
	if (!strcmp(name, "eglFakeAnswerEXT"))
		answer_index = index;
	if (!strcmp(name, "eglFakePatchesEXT"))
		patches_index = index;
}

static EGLDisplay
get_platform_display(EGLenum platform, void *native, const EGLAttrib *attributes)
{
	last_error = EGL_SUCCESS;
	if (platform == FAKE_PLATFORM(FAKE_NUMBER) ||
		(platform == EGL_PLATFORM_DEVICE_EXT && native == &device))
		return &displays[0];
	return platform == FAKE_BROKEN(FAKE_NUMBER) ? &displays[1]
						    : (EGLDisplay)fail(EGL_BAD_PARAMETER);
}

static EGLBoolean
supports_api(EGLenum api)
{
	return api == EGL_OPENGL_ES_API || api == EGL_OPENGL_API;
}

static const char *
get_vendor_string(int name)
{
	return name == __EGL_VENDOR_STRING_PLATFORM_EXTENSIONS
		? "EGL_FAKE_platform_" TEXT(FAKE_NUMBER)
		: NULL;
}

static GLboolean
is_patch_supported(int type, int size)
{
	return 1;
}

/* It would write into glvnd's entry points; counting that it may is enough. */
static GLboolean
initiate_patch(int type, int size, DispatchPatchLookupStubOffset lookup)
{
	patches++;
	return 0;
}

__attribute__((visibility("default"))) EGLBoolean __egl_Main(uint32_t version,
	const __EGLapiExports *given, __EGLvendorInfo *vendor, __EGLapiImports *imports);

EGLBoolean
__egl_Main(uint32_t version, const __EGLapiExports *given, __EGLvendorInfo *vendor,
	__EGLapiImports *imports)
{
	if (EGL_VENDOR_ABI_GET_MAJOR_VERSION(version) != EGL_VENDOR_ABI_MAJOR_VERSION)
		return EGL_FALSE;
	exports = given;
	imports->getPlatformDisplay = get_platform_display;
	imports->getSupportsAPI = supports_api;
	imports->getVendorString = get_vendor_string;
	imports->getProcAddress = get_proc_address;
	imports->getDispatchAddress = get_dispatch_address;
	imports->setDispatchIndex = set_dispatch_index;
	imports->isPatchSupported = is_patch_supported;
	imports->initiatePatch = initiate_patch;
	return EGL_TRUE;
}
