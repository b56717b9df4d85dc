/* SPDX-License-Identifier: Apache-2.0 */
/* Mesa's vendor of EGL, whose displays' driver is called as if it were a GPU's. */
#include <EGL/egl.h>
#include <dlfcn.h>
#include <glvnd/libeglabi.h>
#include <stddef.h>
#include <string.h>

static void *(*mesa_get_proc_address)(const char *name);

static const char *
get_display_driver_name(EGLDisplay display)
{
	return "guise";
}

static void *
get_proc_address(const char *name)
{
	if (!strcmp(name, "eglGetDisplayDriverName"))
		return (void *)get_display_driver_name;
	return mesa_get_proc_address(name);
}

__attribute__((visibility("default"))) EGLBoolean __egl_Main(uint32_t version,
	const __EGLapiExports *exports, __EGLvendorInfo *vendor, __EGLapiImports *imports);

EGLBoolean
__egl_Main(uint32_t version, const __EGLapiExports *exports, __EGLvendorInfo *vendor,
	__EGLapiImports *imports)
{
	void *mesa = dlopen("libEGL_mesa.so.0", RTLD_NOW);
	__PFNEGLMAINPROC start = mesa ? (__PFNEGLMAINPROC)dlsym(mesa, "__egl_Main") : NULL;

	if (!start || !start(version, exports, vendor, imports))
		return EGL_FALSE;
	mesa_get_proc_address = imports->getProcAddress;
	imports->getProcAddress = get_proc_address;
	return EGL_TRUE;
}
