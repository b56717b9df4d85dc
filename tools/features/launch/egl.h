/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As much of EGL's and OpenGL ES's ABI as one question needs: the libraries are opened when they
 * are asked, and Krafla is built without them. Names and numbers are those of the registries.
 */
#ifndef KR_TOOLS_FEATURES_LAUNCH_EGL_H
#define KR_TOOLS_FEATURES_LAUNCH_EGL_H

#include <stdint.h>

enum {
	EGL_NONE = 0x3038,
	EGL_EXTENSIONS = 0x3055,
	EGL_VENDOR = 0x3053,
	EGL_SURFACE_TYPE = 0x3033,
	EGL_PBUFFER_BIT = 0x0001,
	EGL_RENDERABLE_TYPE = 0x3040,
	EGL_OPENGL_ES2_BIT = 0x0004,
	EGL_WIDTH = 0x3057,
	EGL_HEIGHT = 0x3056,
	EGL_OPENGL_ES_API = 0x30A0,
	EGL_CONTEXT_MAJOR_VERSION = 0x3098,
	EGL_CONTEXT_MINOR_VERSION = 0x30FB,
	EGL_PLATFORM_SURFACELESS_MESA = 0x31DD,
	EGL_PLATFORM_DEVICE_EXT = 0x313F,
	EGL_DRM_DEVICE_FILE_EXT = 0x3233,
	EGL_DRM_RENDER_NODE_FILE_EXT = 0x3377,
	EGL_DEVICE_UUID_EXT = 0x335C,

	GL_RENDERER = 0x1F01,
	GL_VERSION = 0x1F02,
	GL_EXTENSIONS = 0x1F03,
	GL_NUM_DEVICE_UUIDS_EXT = 0x9596,
	GL_DEVICE_UUID_EXT = 0x9597,
};

/* Types are EGL's: EGLDisplay, EGLConfig, EGLContext, EGLSurface and EGLDeviceEXT are pointers. */
struct kr_flags_egl {
	void *(*eglGetProcAddress)(const char *name);
	const char *(*eglQueryString)(void *display, int32_t name);
	void *(*eglGetDisplay)(void *native);
	uint32_t (*eglInitialize)(void *display, int32_t *major, int32_t *minor);
	uint32_t (*eglTerminate)(void *display);
	uint32_t (*eglBindAPI)(uint32_t api);
	uint32_t (*eglChooseConfig)(void *display, const int32_t *attributes, void **configs,
		int32_t size, int32_t *count);
	void *(*eglCreateContext)(
		void *display, void *config, void *share, const int32_t *attributes);
	uint32_t (*eglDestroyContext)(void *display, void *context);
	void *(*eglCreatePbufferSurface)(void *display, void *config, const int32_t *attributes);
	uint32_t (*eglMakeCurrent)(void *display, void *draw, void *read, void *context);
	int32_t (*eglGetError)(void);
	/* Of extensions: NULL where they aren't. */
	uint32_t (*eglQueryDevicesEXT)(int32_t size, void **devices, int32_t *count);
	const char *(*eglQueryDeviceStringEXT)(void *device, int32_t name);
	uint32_t (*eglQueryDeviceBinaryEXT)(
		void *device, int32_t name, int32_t size, void *value, int32_t *written);
	void *(*eglGetPlatformDisplayEXT)(
		uint32_t platform, void *native, const int32_t *attributes);
};

#endif
