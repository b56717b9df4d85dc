/* SPDX-License-Identifier: Apache-2.0 */
/* The functions at the bottom of an instance's chain, and who may have which by name. */
#include "loader/instance_functions.h"

#include <pthread.h>
#include <string.h>

#include "gen/missing.h"
#include "gen/terminators.h"
#include "loader/create_device.h"
#include "loader/device_functions.h"
#include "loader/global.h"
#include "loader/handles/terminators.h"
#include "loader/drivers/commands.h"
#include "loader/instances/create.h"
#include "loader/names/unknown_functions.h"

/* Those that are written by hand go before the generated ones. */
static const struct kr_terminator own[] = {
	{KR_CMD_CreateDevice, (PFN_vkVoidFunction)kr_terminator_CreateDevice},
	{KR_CMD_GetInstanceProcAddr, (PFN_vkVoidFunction)kr_terminator_GetInstanceProcAddr},
};
static const struct kr_terminators *const tables[] = {
	&kr_terminators_calibrated,
	&kr_terminators_display,
	&kr_terminators_display_mode,
	&kr_terminators_emulated,
	&kr_terminators_enumerate,
	&kr_terminators_extensions,
	&kr_terminators_features,
	&kr_terminators_instance,
	&kr_terminators_messengers,
	&kr_terminators_presentation_support,
	&kr_terminators_properties2,
	&kr_terminators_surface,
	&kr_terminators_surface_queries,
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct kr_instance_table terminators;

static void
store(enum kr_command_id id, PFN_vkVoidFunction function)
{
	memcpy((char *)&terminators + kr_commands[id].table_offset, &function, sizeof(function));
}

static void
store_all(const struct kr_terminator *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		store(items[i].id, items[i].function);
}

static void
make_table(void)
{
	terminators.magic = KR_INSTANCE_MAGIC;
	for (int i = 0; i < KR_COMMAND_COUNT; i++) {
		if (kr_generated_terminators[i])
			store((enum kr_command_id)i, kr_generated_terminators[i]);
	}
	store_all(own, KR_ARRAY_LEN(own));
	for (size_t i = 0; i < KR_ARRAY_LEN(tables); i++)
		store_all(tables[i]->items, tables[i]->count);
	kr_instance_table_fill_missing(&terminators);
}

const struct kr_instance_table *
kr_terminator_table(void)
{
	pthread_once(&once, make_table);
	return &terminators;
}

static PFN_vkVoidFunction
entry(const struct kr_instance_table *table, const struct kr_command *command)
{
	PFN_vkVoidFunction function;

	memcpy(&function, (const char *)table + command->table_offset, sizeof(function));
	return function;
}

bool
kr_instance_enables(const struct kr_instance *instance, const struct kr_command *command)
{
	return kr_extension_set_enables(&instance->enabled, command);
}

PFN_vkVoidFunction VKAPI_CALL
kr_terminator_GetInstanceProcAddr(VkInstance handle, const char *name)
{
	const struct kr_command *command = kr_command_find(name);
	struct kr_instance *instance;

	if (command == &kr_commands[KR_CMD_CreateInstance])
		return (PFN_vkVoidFunction)kr_terminator_CreateInstance;
	if (command == &kr_commands[KR_CMD_GetInstanceProcAddr])
		return (PFN_vkVoidFunction)kr_terminator_GetInstanceProcAddr;
	if (command == &kr_commands[KR_CMD_GetDeviceProcAddr])
		return (PFN_vkVoidFunction)kr_terminator_GetDeviceProcAddr;
	if (command == &kr_commands[KR_CMD_CreateDevice])
		return (PFN_vkVoidFunction)kr_terminator_CreateDevice;
	/* A layer may ask what there is below it while it creates its instance. */
	if (command == &kr_commands[KR_CMD_EnumerateInstanceVersion])
		return (PFN_vkVoidFunction)kr_terminator_EnumerateInstanceVersion;
	if (command == &kr_commands[KR_CMD_EnumerateInstanceExtensionProperties])
		return (PFN_vkVoidFunction)kr_terminator_EnumerateInstanceExtensionProperties;
	if (command == &kr_commands[KR_CMD_EnumerateInstanceLayerProperties])
		return (PFN_vkVoidFunction)kr_terminator_EnumerateInstanceLayerProperties;
	if (!handle)
		return NULL;
	/* How layers ask for it that don't take it from their link. */
	if (!strcmp(name, "vk_layerGetPhysicalDeviceProcAddr"))
		return (PFN_vkVoidFunction)kr_terminator_GetPhysicalDeviceProcAddr;
	instance = kr_instance_from_dispatchable(handle);
	if (!command)
		return kr_is_platform_function(name) ? NULL : kr_unknown_find_below(instance, name);
	if (command->level != KR_LEVEL_INSTANCE && command->level != KR_LEVEL_PHYSICAL_DEVICE)
		return NULL;
	if (!kr_extension_set_enables(&instance->enabled_below, command))
		return NULL;
	return entry(kr_terminator_table(), command);
}

PFN_vkVoidFunction VKAPI_CALL
kr_terminator_GetPhysicalDeviceProcAddr(VkInstance handle, const char *name)
{
	const struct kr_command *command = kr_command_find(name);

	if (!handle)
		return NULL;
	if (!command)
		return kr_unknown_find_physical_device_below(
			kr_instance_from_dispatchable(handle), name);
	return command->level == KR_LEVEL_PHYSICAL_DEVICE
		? kr_terminator_GetInstanceProcAddr(handle, name)
		: NULL;
}
