/* SPDX-License-Identifier: Apache-2.0 */
/* The table that glvnd fills in. */
#include "egl/calls/calls.h"

#include <string.h>

#include "egl/calls/internal.h"
#include "egl/image/image.h"
#include "egl/window/window.h"

static void *
find(const struct kr_egl_call *calls, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(calls[i].name, name))
			return calls[i].function;
	}
	return NULL;
}

/* Functions of ours that find the vendor by themselves. */
static void *
find_call(const char *name)
{
	const struct {
		const struct kr_egl_call *calls;
		size_t count;
	} files[] = {
		{kr_egl_core_calls, kr_egl_core_call_count},
		{kr_egl_display_calls, kr_egl_display_call_count},
		{kr_egl_surface_calls, kr_egl_surface_call_count},
		{kr_egl_device_calls, kr_egl_device_call_count},
		{kr_egl_sync_calls, kr_egl_sync_call_count},
		{kr_egl_image_calls, kr_egl_image_call_count},
	};
	void *function = kr_egl_windows_function(name);

	if (!function)
		function = kr_egl_images_function(name);
	for (size_t i = 0; !function && i < KR_ARRAY_LEN(files); i++)
		function = find(files[i].calls, files[i].count, name);
	return function;
}

static void *
get_dispatch_address(const char *name)
{
	void *function = find_call(name);

	return function ? function : kr_egl_dispatch_address(name);
}

/* Functions of EGL that aren't ours go through their own dispatch function, which asks us. */
static void *
get_proc_address(const char *name)
{
	return strncmp(name, "egl", 3) ? kr_egl_gl_function(name) : get_dispatch_address(name);
}

static EGLBoolean
get_supports_api(EGLenum api)
{
	for (unsigned i = 0; i < kr_egl_vendors_count(); i++) {
		if (kr_egl_vendor_at(i)->imports.getSupportsAPI(api))
			return EGL_TRUE;
	}
	return EGL_FALSE;
}

static const char *
get_vendor_string(int name)
{
	return name == __EGL_VENDOR_STRING_PLATFORM_EXTENSIONS ? kr_egl_platform_extensions()
							       : NULL;
}

static EGLenum
find_native_display_platform(void *native)
{
	for (unsigned i = 0; i < kr_egl_vendors_count(); i++) {
		const __EGLapiImports *imports = &kr_egl_vendor_at(i)->imports;
		EGLenum platform = imports->findNativeDisplayPlatform
			? imports->findNativeDisplayPlatform(native)
			: EGL_NONE;

		if (platform != EGL_NONE)
			return platform;
	}
	return EGL_NONE;
}

/* Entry points of glvnd are nobody's to write: what isn't filled in is refused. */
void
kr_egl_calls_fill(__EGLapiImports *imports)
{
	imports->getPlatformDisplay = kr_egl_platform_display;
	imports->getSupportsAPI = get_supports_api;
	imports->getVendorString = get_vendor_string;
	imports->getProcAddress = get_proc_address;
	imports->getDispatchAddress = get_dispatch_address;
	imports->setDispatchIndex = kr_egl_outer_index_set;
	imports->findNativeDisplayPlatform = find_native_display_platform;
}
