/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver that opens libraries when it is asked for its functions: one that its RUNPATH leads to,
 * one that is nowhere, and the platform's. It has no functions.
 */
#include <dlfcn.h>
#include <stddef.h>

__attribute__((visibility("default"))) void *vk_icdGetInstanceProcAddr(
	void *instance, const char *name);

/* glibc's own dlopen: a sanitizer's would ask in place of this library, without its RUNPATH. */
static void *
open_library(const char *name)
{
	static void *(*function)(const char *, int);

	if (!function)
		function = (void *(*)(const char *, int))dlsym(
			dlopen("libc.so.6", RTLD_NOW), "dlopen");
	return function(name, RTLD_NOW);
}

void *
vk_icdGetInstanceProcAddr(void *instance, const char *name)
{
	if (!open_library("libpart_b.so.1") || open_library("libpart_nowhere.so.1") ||
		!open_library("libm.so.6"))
		__builtin_trap();
	return NULL;
}
