/* SPDX-License-Identifier: Apache-2.0 */
/* Which drivers the libvulkan.so.1 of this very process sees, and the null driver's hooks. */
#ifndef KR_TESTS_STACK_H
#define KR_TESTS_STACK_H

#include "null/null_control.h"

enum stack_driver {
	/*
	 * Through its manifest and the adapter; skips the case when it isn't there.
	 * KRAFLA_TEST_DRIVER=swiftshader has SwiftShader in its place, in all that follows; "given"
	 * has the driver that VK_DRIVER_FILES names.
	 */
	STACK_LAVAPIPE,
	STACK_NULL,     /* as an Android HAL module */
	STACK_NULL_ICD, /* the same behind a manifest */
	STACK_BOTH,     /* lavapipe, then the null driver, as manifests */
};

/* To be called once, before Vulkan: sets the environment, with all else of it hidden. */
void stack_use(enum stack_driver driver);
/* A function that vulkan.null.so exports; a driver must have been loaded. */
void *stack_null_function(const char *name);
/*
 * [*begin, *end) are the addresses of a loaded library whose path ends so; fails the
 * case if none is.
 */
void stack_library_range(const char *name, char **begin, char **end);
/* Milliseconds of a clock that only goes forward. */
long long stack_now_ms(void);

#endif
