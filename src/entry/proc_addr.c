/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vkGetInstanceProcAddr and vkGetDeviceProcAddr (L-03). Functions asked of an instance are
 * trampolines: those of devices must do for any device, and all check their handle. Functions asked
 * of a device are next in its chain, without layers the driver's.
 */
#include <string.h>

#include "entry/elsewhere.h"
#include "entry/entry.h"
#include "gen/commands.h"
#include "gen/trampolines.h"
#include "loader/device_functions.h"
#include "loader/handles/handles.h"
#include "loader/instance_functions.h"
#include "loader/names/unknown_functions.h"
#include "util/bare_instance.h"

static PFN_vkVoidFunction
find_without_instance(const char *name)
{
	const struct kr_command *command = kr_command_find(name);

	if (!command && !strcmp(name, KR_BARE_INSTANCE_FUNCTION))
		return (PFN_vkVoidFunction)kr_entry_CreateBareInstance;
	if (!command ||
		(command->level != KR_LEVEL_GLOBAL &&
			kr_command_get_id(command) != KR_CMD_GetInstanceProcAddr))
		return NULL;
	return kr_entry_own(kr_command_get_id(command));
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr(VkInstance handle, const char *name)
{
	const struct kr_command *command;
	struct kr_instance *instance;
	enum kr_command_id id;

	if (!handle)
		return name ? find_without_instance(name) : NULL;
	if (!kr_instance_table_is_live(kr_instance_table_of(handle)))
		return ((PFN_vkGetInstanceProcAddr)kr_entry_elsewhere(
			handle, KR_CMD_GetInstanceProcAddr))(handle, name);
	if (!name)
		return NULL;
	instance = kr_instance_from_dispatchable(handle);
	command = kr_command_find(name);
	if (!command)
		return kr_is_platform_function(name) ? NULL : kr_unknown_find(instance, name);
	id = kr_command_get_id(command);
	if (id == KR_CMD_GetInstanceProcAddr)
		return kr_trampolines[id];
	/* Since 1.3 global functions are had without an instance alone. */
	if (command->level == KR_LEVEL_GLOBAL)
		return instance->api_version < VK_API_VERSION_1_3 ? kr_entry_own(id) : NULL;
	return kr_instance_enables(instance, command) ? kr_trampolines[id] : NULL;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetDeviceProcAddr(VkDevice device, const char *name)
{
	const struct kr_command *command;

	if (!device)
		return NULL;
	if (kr_device_from_dispatchable(device)->table.magic != KR_DEVICE_MAGIC)
		return ((PFN_vkGetDeviceProcAddr)kr_entry_elsewhere(
			device, KR_CMD_GetDeviceProcAddr))(device, name);
	if (!name)
		return NULL;
	command = kr_command_find(name);
	if (command) {
		enum kr_command_id id = kr_command_get_id(command);

		if (id == KR_CMD_GetDeviceProcAddr || id == KR_CMD_DestroyDevice)
			return kr_trampolines[id];
	}
	return kr_device_find(device, command, name);
}
