/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A context of OpenGL ES on each device of EGL. None of it needs a window system: displays are
 * those of the device platform, or where EGL has none, of the surfaceless one, or its default.
 */
#include "tools/features/launch/egl_question.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/features/launch/egl.h"
#include "util/text.h"
#include "util/macros.h"

struct gl {
	const unsigned char *(*get_string)(uint32_t name);
	void (*get_integers)(uint32_t name, int32_t *values);
	void (*get_bytes)(uint32_t name, uint32_t index, uint8_t *bytes);
};

/* Of a list of words with blanks between. */
static bool
has_word(const char *list, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = list; at && (at = strstr(at, word)); at += length) {
		if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	}
	return false;
}

static bool
open_egl(struct kr_flags_egl *egl, void **library, struct kr_flags_gles *gles)
{
	const struct {
		const char *name;
		void *function; /* of the struct, a pointer to a function */
	} functions[] = {
		{"eglGetProcAddress", &egl->eglGetProcAddress},
		{"eglQueryString", &egl->eglQueryString},
		{"eglGetDisplay", &egl->eglGetDisplay},
		{"eglInitialize", &egl->eglInitialize},
		{"eglTerminate", &egl->eglTerminate},
		{"eglBindAPI", &egl->eglBindAPI},
		{"eglChooseConfig", &egl->eglChooseConfig},
		{"eglCreateContext", &egl->eglCreateContext},
		{"eglDestroyContext", &egl->eglDestroyContext},
		{"eglCreatePbufferSurface", &egl->eglCreatePbufferSurface},
		{"eglMakeCurrent", &egl->eglMakeCurrent},
		{"eglGetError", &egl->eglGetError},
	};

	*library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!*library) {
		snprintf(gles->why, sizeof(gles->why), "there is no EGL: %s", dlerror());
		return false;
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(functions); i++) {
		void *found = dlsym(*library, functions[i].name);

		if (!found) {
			snprintf(gles->why, sizeof(gles->why), "libEGL.so.1 has no %s",
				functions[i].name);
			return false;
		}
		memcpy(functions[i].function, &found, sizeof(found));
	}
	return true;
}

static void
find_extensions(struct kr_flags_egl *egl, const char *client)
{
	if (has_word(client, "EGL_EXT_platform_base"))
		egl->eglGetPlatformDisplayEXT = egl->eglGetProcAddress("eglGetPlatformDisplayEXT");
	if (has_word(client, "EGL_EXT_device_base") ||
		has_word(client, "EGL_EXT_device_enumeration"))
		egl->eglQueryDevicesEXT = egl->eglGetProcAddress("eglQueryDevicesEXT");
	if (has_word(client, "EGL_EXT_device_base") || has_word(client, "EGL_EXT_device_query")) {
		egl->eglQueryDeviceStringEXT = egl->eglGetProcAddress("eglQueryDeviceStringEXT");
		egl->eglQueryDeviceBinaryEXT = egl->eglGetProcAddress("eglQueryDeviceBinaryEXT");
	}
}

/* The number of a node of /dev, 0 when the name is none. */
static uint64_t
number_of_node(const char *path)
{
	struct stat status;

	return path && !stat(path, &status) && S_ISCHR(status.st_mode) ? status.st_rdev : 0;
}

static void
identify(const struct kr_flags_egl *egl, void *native, struct kr_flags_gles_device *device)
{
	const char *extensions = egl->eglQueryDeviceStringEXT
		? egl->eglQueryDeviceStringEXT(native, EGL_EXTENSIONS)
		: NULL;
	int32_t written = 0;

	device->is_listed = true;
	device->is_software = has_word(extensions, "EGL_MESA_device_software");
	if (has_word(extensions, "EGL_EXT_device_drm"))
		device->nodes[0] = number_of_node(
			egl->eglQueryDeviceStringEXT(native, EGL_DRM_DEVICE_FILE_EXT));
	if (has_word(extensions, "EGL_EXT_device_drm_render_node"))
		device->nodes[1] = number_of_node(
			egl->eglQueryDeviceStringEXT(native, EGL_DRM_RENDER_NODE_FILE_EXT));
	device->has_nodes = device->nodes[0] || device->nodes[1];
	if (has_word(extensions, "EGL_EXT_device_persistent_id") && egl->eglQueryDeviceBinaryEXT)
		device->has_uuid = egl->eglQueryDeviceBinaryEXT(native, EGL_DEVICE_UUID_EXT,
					   sizeof(device->uuid), device->uuid, &written) &&
			written == sizeof(device->uuid);
}

/* "OpenGL ES 3.2 Mesa 22.3.6". */
static void
read_version(struct kr_flags_gles_device *device)
{
	uint32_t major, minor;

	if (sscanf(device->version, "OpenGL ES %u.%u", &major, &minor) == 2) {
		device->major = major;
		device->minor = minor;
	}
}

static void *
find_gl(const struct kr_flags_egl *egl, void *gles_library, const char *name)
{
	void *found = egl->eglGetProcAddress(name);

	return found || !gles_library ? found : dlsym(gles_library, name);
}

/* Of the context that is current. */
static void
ask_gl(const struct kr_flags_egl *egl, struct kr_flags_gles_device *device)
{
	void *library = dlopen("libGLESv2.so.2", RTLD_NOW | RTLD_LOCAL);
	struct gl gl = {
		.get_string = find_gl(egl, library, "glGetString"),
		.get_integers = find_gl(egl, library, "glGetIntegerv"),
		.get_bytes = find_gl(egl, library, "glGetUnsignedBytei_vEXT"),
	};
	const char *version, *renderer, *extensions;
	int32_t count = 0;

	if (!gl.get_string) {
		snprintf(device->why, sizeof(device->why), "there is no glGetString");
		return;
	}
	version = (const char *)gl.get_string(GL_VERSION);
	renderer = (const char *)gl.get_string(GL_RENDERER);
	extensions = (const char *)gl.get_string(GL_EXTENSIONS);
	snprintf(device->version, sizeof(device->version), "%s", version ? version : "");
	snprintf(device->renderer, sizeof(device->renderer), "%s", renderer ? renderer : "");
	kr_text_clean(device->renderer, strlen(device->renderer), false);
	if (!*device->version)
		snprintf(device->why, sizeof(device->why), "the context says no version");
	read_version(device);
	if (device->has_uuid || !gl.get_bytes || !gl.get_integers ||
		!has_word(extensions, "GL_EXT_memory_object"))
		return;
	gl.get_integers(GL_NUM_DEVICE_UUIDS_EXT, &count);
	if (count == 1) {
		gl.get_bytes(GL_DEVICE_UUID_EXT, 0, device->uuid);
		device->has_uuid = true;
	}
}

static void *
create_context(const struct kr_flags_egl *egl, void *display, void *config)
{
	/* The highest that a driver has of a version's family may come for any of it. */
	static const int32_t versions[][2] = {{3, 2}, {3, 1}, {3, 0}, {2, 0}};

	for (size_t i = 0; i < KR_ARRAY_LEN(versions); i++) {
		const int32_t attributes[] = {EGL_CONTEXT_MAJOR_VERSION, versions[i][0],
			EGL_CONTEXT_MINOR_VERSION, versions[i][1], EGL_NONE};
		void *context = egl->eglCreateContext(display, config, NULL, attributes);

		if (context)
			return context;
	}
	return NULL;
}

static void
ask_context(const struct kr_flags_egl *egl, void *display, struct kr_flags_gles_device *device)
{
	static const int32_t wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
		EGL_OPENGL_ES2_BIT, EGL_NONE};
	static const int32_t smallest[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
	const char *extensions = egl->eglQueryString(display, EGL_EXTENSIONS);
	const bool surfaceless = has_word(extensions, "EGL_KHR_surfaceless_context");
	void *config = NULL, *context, *surface = NULL;
	int32_t count = 0;

	if (!egl->eglBindAPI(EGL_OPENGL_ES_API)) {
		snprintf(device->why, sizeof(device->why), "EGL has no OpenGL ES");
		return;
	}
	if (!egl->eglChooseConfig(display, wanted, &config, 1, &count) || count < 1)
		config = NULL;
	if (!config && !(surfaceless && has_word(extensions, "EGL_KHR_no_config_context"))) {
		snprintf(
			device->why, sizeof(device->why), "EGL has no configuration for OpenGL ES");
		return;
	}
	context = create_context(egl, display, config);
	if (!context) {
		snprintf(device->why, sizeof(device->why),
			"eglCreateContext made no context of OpenGL ES (0x%04x)",
			(unsigned)egl->eglGetError());
		return;
	}
	if (!surfaceless)
		surface = egl->eglCreatePbufferSurface(display, config, smallest);
	if ((surface || surfaceless) && egl->eglMakeCurrent(display, surface, surface, context))
		ask_gl(egl, device);
	else
		snprintf(device->why, sizeof(device->why),
			"eglMakeCurrent couldn't use the context (0x%04x)",
			(unsigned)egl->eglGetError());
	egl->eglMakeCurrent(display, NULL, NULL, NULL);
	egl->eglDestroyContext(display, context);
}

static void
ask_display(const struct kr_flags_egl *egl, void *display, struct kr_flags_gles_device *device)
{
	int32_t major, minor;

	if (!display || !egl->eglInitialize(display, &major, &minor)) {
		snprintf(device->why, sizeof(device->why), "eglInitialize failed (0x%04x)",
			(unsigned)egl->eglGetError());
		return;
	}
	ask_context(egl, display, device);
	egl->eglTerminate(display);
}

static void
ask_listed(const struct kr_flags_egl *egl, struct kr_flags_gles *gles)
{
	void *natives[KR_FLAGS_GLES_DEVICES];
	int32_t count = 0;

	if (!egl->eglQueryDevicesEXT(KR_FLAGS_GLES_DEVICES, natives, &count))
		count = 0;
	for (int32_t i = 0; i < count && i < KR_FLAGS_GLES_DEVICES; i++) {
		struct kr_flags_gles_device *device = &gles->devices[gles->count++];

		identify(egl, natives[i], device);
		ask_display(egl,
			egl->eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, natives[i], NULL),
			device);
	}
}

void
kr_flags_egl_ask(struct kr_flags_gles *gles)
{
	struct kr_flags_egl egl = {0};
	void *library, *display = NULL;
	const char *client;

	if (!open_egl(&egl, &library, gles))
		return;
	client = egl.eglQueryString(NULL, EGL_EXTENSIONS);
	find_extensions(&egl, client);
	if (egl.eglQueryDevicesEXT && egl.eglGetPlatformDisplayEXT &&
		has_word(client, "EGL_EXT_platform_device"))
		ask_listed(&egl, gles);
	if (gles->count)
		return;
	if (egl.eglGetPlatformDisplayEXT && has_word(client, "EGL_MESA_platform_surfaceless"))
		display = egl.eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
	if (!display)
		display = egl.eglGetDisplay(NULL);
	ask_display(&egl, display, &gles->devices[gles->count++]);
}
