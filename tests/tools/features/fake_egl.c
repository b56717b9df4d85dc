/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libEGL.so.1 whose devices and version are what FAKE_EGL and FAKE_GL_VERSION say:
 *   software    one that draws on the CPU
 *   node        one whose node is /dev/null, and no CPU
 *   uuid        one with a UUID whose bytes are all 0x75
 *   plain       one of which nothing is said
 *   undivided   no devices are listed, there is but a display
 *   old         no devices, no platforms, and contexts need a surface
 *   contextless a display without contexts
 *   crash       it crashes when it is asked
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static char display, device, config, context, surface;
static int current;

static int
is(const char *kind)
{
	const char *set = getenv("FAKE_EGL");

	return set && !strcmp(set, kind);
}

static const unsigned char *
get_string(uint32_t name)
{
	const char *version = getenv("FAKE_GL_VERSION");

	if (!current)
		return NULL;
	return (const unsigned char *)(name == 0x1F02 ? version
			: name == 0x1F01              ? "fake renderer"
						      : "");
}

static uint32_t
query_devices(int32_t size, void **devices, int32_t *count)
{
	if (devices && size)
		devices[0] = &device;
	*count = 1;
	return 1;
}

static const char *
query_device_string(void *of, int32_t name)
{
	if (of != &device)
		return NULL;
	if (name == 0x3055 && is("software"))
		return "EGL_EXT_other EGL_MESA_device_software";
	if (name == 0x3055 && is("node"))
		return "EGL_EXT_device_drm_render_node";
	if (name == 0x3055 && is("uuid"))
		return "EGL_EXT_device_persistent_id";
	return name == 0x3377 ? "/dev/null" : "";
}

static uint32_t
query_device_binary(void *of, int32_t name, int32_t size, void *value, int32_t *written)
{
	if (of != &device || name != 0x335C || size != 16)
		return 0;
	memset(value, 0x75, 16);
	*written = 16;
	return 1;
}

static void *
get_platform_display(uint32_t platform, void *native, const int32_t *attributes)
{
	return platform == 0x313F ? (native == &device ? &display : NULL) : &display;
}

/* Declared by the program by hand, as here. */
EXPORT void *eglGetProcAddress(const char *name);
EXPORT const char *eglQueryString(void *of, int32_t name);
EXPORT void *eglGetDisplay(void *native);
EXPORT uint32_t eglInitialize(void *of, int32_t *major, int32_t *minor);
EXPORT uint32_t eglTerminate(void *of);
EXPORT uint32_t eglBindAPI(uint32_t api);
EXPORT uint32_t eglChooseConfig(
	void *of, const int32_t *wanted, void **configs, int32_t size, int32_t *count);
EXPORT void *eglCreateContext(void *of, void *with, void *share, const int32_t *attributes);
EXPORT uint32_t eglDestroyContext(void *of, void *which);
EXPORT void *eglCreatePbufferSurface(void *of, void *with, const int32_t *attributes);
EXPORT uint32_t eglMakeCurrent(void *of, void *draw, void *read, void *which);
EXPORT int32_t eglGetError(void);

void *
eglGetProcAddress(const char *name)
{
	if (!strcmp(name, "glGetString"))
		return get_string;
	if (!strcmp(name, "eglQueryDevicesEXT"))
		return query_devices;
	if (!strcmp(name, "eglQueryDeviceStringEXT"))
		return query_device_string;
	if (!strcmp(name, "eglQueryDeviceBinaryEXT"))
		return query_device_binary;
	return !strcmp(name, "eglGetPlatformDisplayEXT") ? get_platform_display : NULL;
}

const char *
eglQueryString(void *of, int32_t name)
{
	if (is("crash"))
		abort();
	if (of)
		return is("old") ? "" : "EGL_KHR_surfaceless_context";
	if (is("old"))
		return NULL;
	if (is("undivided"))
		return "EGL_EXT_platform_base EGL_MESA_platform_surfaceless";
	return "EGL_EXT_platform_base EGL_EXT_device_base EGL_EXT_platform_device";
}

void *
eglGetDisplay(void *native)
{
	return &display;
}

uint32_t
eglInitialize(void *of, int32_t *major, int32_t *minor)
{
	*major = 1;
	*minor = 5;
	return of == &display;
}

uint32_t
eglTerminate(void *of)
{
	return of == &display;
}

uint32_t
eglBindAPI(uint32_t api)
{
	return api == 0x30A0;
}

uint32_t
eglChooseConfig(void *of, const int32_t *wanted, void **configs, int32_t size, int32_t *count)
{
	configs[0] = &config;
	*count = 1;
	return 1;
}

/* Only the version that FAKE_GL_VERSION has, and lower ones, can be had. */
void *
eglCreateContext(void *of, void *with, void *share, const int32_t *attributes)
{
	const char *version = getenv("FAKE_GL_VERSION");
	int major = 3, minor = 2;

	if (version)
		sscanf(version, "OpenGL ES %d.%d", &major, &minor);
	if (is("contextless") || attributes[1] > major ||
		(attributes[1] == major && attributes[3] > minor))
		return NULL;
	return &context;
}

uint32_t
eglDestroyContext(void *of, void *which)
{
	return 1;
}

void *
eglCreatePbufferSurface(void *of, void *with, const int32_t *attributes)
{
	return &surface;
}

uint32_t
eglMakeCurrent(void *of, void *draw, void *read, void *which)
{
	current = which == &context && (!is("old") || draw == &surface);
	return !which || current;
}

int32_t
eglGetError(void)
{
	return 0x3009;
}
