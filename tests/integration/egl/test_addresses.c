/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which addresses of GL functions glvnd gets: those of the vendor itself, for each name that the
 * headers of GL and OpenGL ES declare, but for glFlush and glFinish where fences are emulated. So a
 * call of GL costs nothing more, which no clock could tell.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <glvnd/libeglabi.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "programs.h"

#define MESA   "libEGL_mesa.so.0"
#define LENGTH 128 /* of a name */

/* --- a glvnd that knows of nothing --- */

static void
thread_init(void)
{
}

static EGLenum
current_api(void)
{
	return EGL_OPENGL_ES_API;
}

static void *
nothing(void)
{
	return NULL;
}

static __EGLvendorInfo *
no_vendor(void *of)
{
	return NULL;
}

static EGLSurface
no_surface(EGLint which)
{
	return NULL;
}

static __eglMustCastToProperFunctionPointerType
no_entry(__EGLvendorInfo *vendor, int index)
{
	return NULL;
}

static void
set_error(EGLint error)
{
}

static EGLBoolean
set_last(__EGLvendorInfo *vendor)
{
	return EGL_TRUE;
}

static EGLBoolean
set_device(EGLDeviceEXT device, __EGLvendorInfo *vendor)
{
	return EGL_TRUE;
}

static __EGLvendorInfo *
no_current(void)
{
	return NULL;
}

static const __EGLapiExports exports = {
	.threadInit = thread_init,
	.getCurrentApi = current_api,
	.getCurrentVendor = no_current,
	.getCurrentContext = nothing,
	.getCurrentDisplay = nothing,
	.getCurrentSurface = no_surface,
	.fetchDispatchEntry = no_entry,
	.setEGLError = set_error,
	.setLastVendor = set_last,
	.getVendorFromDisplay = no_vendor,
	.getVendorFromDevice = no_vendor,
	.setVendorForDevice = set_device,
};

typedef EGLBoolean (*main_fn)(
	uint32_t version, const __EGLapiExports *given, void *vendor, __EGLapiImports *imports);

static void
load(const char *library, __EGLapiImports *imports)
{
	static int self; /* what glvnd would call it */
	void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	main_fn egl_main;

	if (!loaded)
		fail_msg("%s", dlerror());
	egl_main = (main_fn)dlsym(loaded, "__egl_Main");
	assert_non_null(egl_main);
	memset(imports, 0, sizeof(*imports));
	assert_true(egl_main(EGL_VENDOR_ABI_VERSION, &exports, &self, imports));
}

/* As its manifest names it, with Mesa behind it. */
static void
load_krafla(__EGLapiImports *imports)
{
	const char *env = egl_env(EGL_KRAFLA), *manifest = strchr(env, '=') + 1, *library = NULL;
	json_t *json = json_load_file(manifest, 0, NULL);
	char path[1024];

	putenv((char *)env);
	setenv("KRAFLA_EGL_VENDORS", "/usr/share/glvnd/egl_vendor.d/50_mesa.json", 1);
	json_unpack(json, "{s:{s:s}}", "ICD", "library_path", &library);
	assert_non_null(library);
	/* Where it begins without a slash it counts from the manifest on. */
	if (library[0] == '/')
		snprintf(path, sizeof(path), "%s", library);
	else
		snprintf(path, sizeof(path), "%.*s/%s", (int)(strrchr(manifest, '/') - manifest),
			manifest, library);
	json_decref(json);
	load(path, imports);
}

/* --- names --- */

/* The next one of a function in the text of a header, or NULL. */
static const char *
next_name(const char **at, char name[LENGTH])
{
	for (const char *c = *at; (c = strstr(c, "gl")); c++) {
		size_t length = 2;

		while (isalnum((unsigned char)c[length]))
			length++;
		if (!isupper((unsigned char)c[2]) || length >= LENGTH || !strchr(" (", c[length]) ||
			isalnum((unsigned char)c[-1]) || c[-1] == '_')
			continue;
		memcpy(name, c, length);
		name[length] = '\0';
		*at = c + length;
		return name;
	}
	return NULL;
}

static unsigned
compare_names(const __EGLapiImports *krafla, const __EGLapiImports *mesa, const char *text)
{
	char name[LENGTH];
	unsigned count = 0;

	while (next_name(&text, name)) {
		void *theirs = mesa->getProcAddress(name), *ours = krafla->getProcAddress(name);

		count += theirs != NULL;
		if (!strcmp(name, "glFlush") || !strcmp(name, "glFinish"))
			assert_int_equal(!ours, !theirs);
		else if (ours != theirs)
			fail_msg("%s: %p where the vendor has %p", name, ours, theirs);
	}
	return count;
}

static char *
read_header(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = calloc(1, 4 << 20);

	assert_non_null(text);
	if (file) {
		text[0] = '\n'; /* there is something before each name */
		text[1 + fread(text + 1, 1, (4 << 20) - 2, file)] = '\0';
		fclose(file);
	}
	return text;
}

static void
addresses_are_the_vendors(void **state)
{
	static const char *const headers[] = {"/usr/include/GLES3/gl32.h",
		"/usr/include/GLES2/gl2ext.h", "/usr/include/GL/gl.h", "/usr/include/GL/glext.h"};
	__EGLapiImports krafla, mesa;
	unsigned count = 0;

	skip_without_egl();
	load_krafla(&krafla);
	load(MESA, &mesa);
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		char *text = read_header(headers[i]);

		count += compare_names(&krafla, &mesa, text);
		free(text);
	}
	assert_true(count > 1000);
}

/* What would let glvnd's entry points be rewritten isn't offered. */
static void
patching_is_not_offered(void **state)
{
	__EGLapiImports krafla;

	skip_without_egl();
	load_krafla(&krafla);
	assert_null(krafla.isPatchSupported);
	assert_null(krafla.initiatePatch);
	assert_null(krafla.releasePatch);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(addresses_are_the_vendors, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS),
	KR_TEST_FLAGS(patching_is_not_offered, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS),
};

KR_TEST_MAIN(tests)
