/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vkGetInstanceProcAddr and vkGetDeviceProcAddr (L-03). Functions of an instance are what its
 * trampolines would jump to; functions of devices asked of an instance are trampolines, since they
 * must do for any device; those asked of a device are next in its chain, without layers the driver's.
 */
#include <string.h>

#include "entry/entry.h"
#include "gen/commands.h"
#include "gen/trampolines.h"
#include "loader/device.h"
#include "loader/handles.h"
#include "loader/instance.h"

/* Entry points that must be passed through, because they build or end the chain. */
static bool
is_by_hand(enum kr_command_id id)
{
	switch (id) {
	case KR_CMD_DestroyInstance:
	case KR_CMD_GetInstanceProcAddr:
	case KR_CMD_CreateDevice:
	case KR_CMD_EnumerateDeviceExtensionProperties:
	case KR_CMD_EnumerateDeviceLayerProperties:
	case KR_CMD_GetDeviceProcAddr:
	case KR_CMD_DestroyDevice:
		return true;
	default:
		return false;
	}
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr(VkInstance handle, const char *name)
{
	const struct kr_command *command = kr_command_find(name);
	const struct kr_instance *instance;
	enum kr_command_id id;

	if (!handle) {
		if (!command ||
			(command->level != KR_LEVEL_GLOBAL &&
				kr_command_id(command) != KR_CMD_GetInstanceProcAddr))
			return NULL;
		return kr_trampolines[kr_command_id(command)];
	}
	instance = kr_instance_from_dispatchable(handle);
	if (instance->table.magic != KR_INSTANCE_MAGIC)
		kr_entry_invalid("vkGetInstanceProcAddr", "instance",
			"VUID-vkGetInstanceProcAddr-instance-parameter");
	if (!command)
		return kr_is_platform_function(name) ? NULL
						     : kr_instance_find_unknown(handle, name);
	id = kr_command_id(command);
	if (is_by_hand(id))
		return kr_trampolines[id];
	switch (command->level) {
	case KR_LEVEL_GLOBAL:
		return instance->api_version < VK_API_VERSION_1_3 ? kr_trampolines[id] : NULL;
	case KR_LEVEL_DEVICE:
		return kr_instance_enables(instance, command) ? kr_trampolines[id] : NULL;
	default:
		return kr_instance_find(handle, command);
	}
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetDeviceProcAddr(VkDevice device, const char *name)
{
	const struct kr_command *command = kr_command_find(name);

	if (!device)
		return NULL;
	if (command) {
		enum kr_command_id id = kr_command_id(command);

		if (id == KR_CMD_GetDeviceProcAddr || id == KR_CMD_DestroyDevice)
			return kr_trampolines[id];
	}
	return kr_device_find(device, command, name);
}
