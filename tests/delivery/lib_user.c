/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that need lib_base: WANTS is the function of it that they call. */
#include "libs.h"

#ifdef DRIVER
#include <dlfcn.h>
#include <stddef.h>

/* A driver's own copy of something, so that two of them can be told apart. */
int
krd_driver(void)
{
	return DRIVER;
}

void *
vk_icdGetInstanceProcAddr(void *instance, const char *name)
{
	return NULL;
}

/* What the driver opens itself, by SONAME. */
int
krd_open_runtime(void)
{
	void *runtime = dlopen("libkrdruntime.so.1", RTLD_NOW | RTLD_LOCAL);
	int (*answer)(void) = runtime ? (int (*)(void))dlsym(runtime, "krd_runtime") : NULL;

	return answer ? answer() : -1;
}
#endif

#ifdef RUNTIME
int
krd_runtime(void)
{
	return RUNTIME;
}
#endif

#ifdef WANTS
int
USER(void)
{
	return WANTS();
}
#endif
