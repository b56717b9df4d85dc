/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver that opens libraries when it is asked for its functions: one that its RUNPATH leads to, one that is nowhere,
 * and the platform's. It has no functions.
 */
#include <dlfcn.h>
#include <stddef.h>

__attribute__((visibility("default"))) void *vk_icdGetInstanceProcAddr(
	void *instance, const char *name);

void *
vk_icdGetInstanceProcAddr(void *instance, const char *name)
{
	if (!dlopen("libpart_b.so.1", RTLD_NOW) || dlopen("libpart_nowhere.so.1", RTLD_NOW) ||
		!dlopen("libm.so.6", RTLD_NOW))
		__builtin_trap();
	return NULL;
}
