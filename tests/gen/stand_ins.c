/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What src/entry and src/loader put beside the trampolines. Entry points written by hand only have
 * to exist for these tests.
 */
#include <stdlib.h>

#include "entry/elsewhere.h"
#include "gen/trampolines.h"
#include "loader/handles/live.h"
#include "stand_ins.h"

_Atomic(const struct kr_instance_table *) kr_live_slots[KR_LIVE_SLOTS];
const struct kr_instance_table *stand_in_listed;
void (*stand_in_invalid)(enum kr_command_id id);

bool
kr_live_is_listed(const struct kr_instance_table *table)
{
	return table && table == stand_in_listed;
}

PFN_vkVoidFunction
kr_entry_elsewhere(const void *handle, enum kr_command_id id)
{
	if (stand_in_invalid)
		stand_in_invalid(id);
	abort();
}

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
