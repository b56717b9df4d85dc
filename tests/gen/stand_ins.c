/* SPDX-License-Identifier: Apache-2.0 */
/* The entry points that src/entry writes by hand; for these tests they only have to exist. */
#include "gen/trampolines.h"

#define STAND_IN(name)                                                                             \
	void name##_stands_in(void) __asm__(#name);                                                \
	__attribute__((visibility("default"))) void name##_stands_in(void)                         \
	{                                                                                          \
	}

STAND_IN(vkCreateInstance)
STAND_IN(vkDestroyInstance)
STAND_IN(vkEnumerateInstanceExtensionProperties)
STAND_IN(vkEnumerateInstanceLayerProperties)
STAND_IN(vkEnumerateInstanceVersion)
STAND_IN(vkGetInstanceProcAddr)
STAND_IN(vkGetDeviceProcAddr)
STAND_IN(vkCreateDevice)
STAND_IN(vkDestroyDevice)
STAND_IN(vkEnumerateDeviceExtensionProperties)
STAND_IN(vkEnumerateDeviceLayerProperties)
