/* SPDX-License-Identifier: Apache-2.0 */
/* Looks commands up in drivers' tables and sets of extensions. */
#include "loader/drivers/commands.h"

#include <string.h>

#include "gen/missing.h"
#include "loader/handles/handles.h"

bool
kr_instance_table_has(const struct kr_instance_table *driver, enum kr_command_id id)
{
	PFN_vkVoidFunction function;

	memcpy(&function, (const char *)driver + kr_commands[id].table_offset, sizeof(function));
	return function && !kr_command_is_missing(function);
}

bool
kr_physical_device_has_command_of(
	const struct kr_physical_device *device, enum kr_extension extension, enum kr_command_id id)
{
	return kr_extension_set_has(&device->owner->enabled, extension) &&
		kr_instance_table_has(device->driver, id);
}

bool
kr_extension_set_enables(const struct kr_extension_set *set, const struct kr_command *command)
{
	if (command->core_version)
		return true;
	for (uint32_t i = 0; i < command->extension_count; i++) {
		enum kr_extension extension =
			(enum kr_extension)kr_command_extensions[command->extension_first + i];

		if (!kr_extensions[extension].instance || kr_extension_set_has(set, extension))
			return true;
	}
	return false;
}

bool
kr_physical_device_has_command(const struct kr_physical_device *device, enum kr_command_id id)
{
	return !device->owner ||
		(kr_extension_set_enables(&device->owner->enabled, &kr_commands[id]) &&
			kr_instance_table_has(device->driver, id));
}
