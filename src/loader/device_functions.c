/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which function a device has at the bottom of its chain: the driver's own, except for
 *
 *   - what makes dispatchable objects, whose first word is the loader's
 *   - what takes surfaces and swapchains
 *   - what takes handles as numbers
 *   - functions of VK_EXT_debug_utils on drivers without it, which do nothing
 *
 * A test prints and pins the list.
 */
#include "loader/device_functions.h"

#include <pthread.h>
#include <string.h>

#include "gen/handle_reach.h"
#include "gen/missing.h"
#include "loader/devices/hooks.h"
#include "loader/windows/subresource.h"
#include "util/native_acquire.h"
#include "util/native_memory.h"
#include "util/native_release.h"

static VKAPI_ATTR void VKAPI_CALL
ignore_queue_label(VkQueue queue, const VkDebugUtilsLabelEXT *label)
{
}

static VKAPI_ATTR void VKAPI_CALL
ignore_queue_end(VkQueue queue)
{
}

static VKAPI_ATTR void VKAPI_CALL
ignore_label(VkCommandBuffer buffer, const VkDebugUtilsLabelEXT *label)
{
}

static VKAPI_ATTR void VKAPI_CALL
ignore_end(VkCommandBuffer buffer)
{
}

static const struct kr_hook own_rows[] = {
	KR_HOOK_BY(kr_terminator_GetDeviceProcAddr, GetDeviceProcAddr, ALWAYS),
	KR_HOOK_BY(ignore_queue_label, QueueBeginDebugUtilsLabelEXT, IF_MISSING),
	KR_HOOK_BY(ignore_queue_end, QueueEndDebugUtilsLabelEXT, IF_MISSING),
	KR_HOOK_BY(ignore_queue_label, QueueInsertDebugUtilsLabelEXT, IF_MISSING),
	KR_HOOK_BY(ignore_label, CmdBeginDebugUtilsLabelEXT, IF_MISSING),
	KR_HOOK_BY(ignore_end, CmdEndDebugUtilsLabelEXT, IF_MISSING),
	KR_HOOK_BY(ignore_label, CmdInsertDebugUtilsLabelEXT, IF_MISSING),
};

static const struct kr_hooks own_hooks = {own_rows, KR_ARRAY_LEN(own_rows)};
static const struct kr_hooks *const tables[] = {
	&own_hooks,
	&kr_hooks_calibrated,
	&kr_hooks_device,
	&kr_hooks_object_names,
	&kr_hooks_swapchain,
	&kr_hooks_swapchain_presents,
};

/* Commands of hidden extensions alone: not there when swapchains of ours may be (rule 2). */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool hidden[KR_COMMAND_COUNT];
/* Where a command's hook stands, so that the hooks themselves are in memory that nobody writes. */
static struct place {
	uint16_t table;
	uint16_t row; /* from 1 on; 0: there is none */
} places[KR_COMMAND_COUNT];
/* Hooks of commands that not every registry has; as KR_HOOK_WITH_WSI. */
static PFN_vkVoidFunction late_hooks[KR_COMMAND_COUNT];

static void
place_hooks(size_t table)
{
	for (size_t i = 0; i < tables[table]->count; i++)
		places[tables[table]->items[i].id] =
			(struct place){(uint16_t)table, (uint16_t)(i + 1)};
}

static const struct kr_hook *
hook_of(enum kr_command_id id)
{
	static const struct kr_hook none = {.rule = KR_HOOK_NONE};
	const struct place *place = &places[id];

	return place->row ? &tables[place->table]->items[place->row - 1] : &none;
}

static void
prepare(void)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(tables); i++)
		place_hooks(i);
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		const struct kr_command *command = &kr_commands[i];
		uint32_t count = 0;

		for (uint32_t j = 0; j < command->extension_count; j++)
			count += kr_device_extension_is_hidden(
				kr_extensions[kr_command_extensions[command->extension_first + j]]
					.name);
		late_hooks[i] = kr_subresource_hook(command->name);
		hidden[i] = count && count == command->extension_count && !command->core_version;
	}
}

/* Core, or of an extension that is enabled. */
static bool
is_enabled(const struct kr_device *device, const struct kr_command *command)
{
	for (uint32_t i = 0; i < command->extension_count; i++) {
		enum kr_extension extension =
			(enum kr_extension)kr_command_extensions[command->extension_first + i];

		if (kr_extension_set_has(kr_extensions[extension].instance
				    ? &device->instance->enabled_below
				    : &device->enabled,
			    extension))
			return true;
	}
	return command->core_version;
}

static PFN_vkVoidFunction
choose(const struct kr_device *device, enum kr_command_id id, PFN_vkVoidFunction own)
{
	const struct kr_hook *hook = hook_of(id);

	/* A hook is ours: what isn't enabled isn't there, whatever the driver says. */
	if (hook->rule != KR_HOOK_NONE && !is_enabled(device, &kr_commands[id]))
		return NULL;
	switch (hook->rule) {
	case KR_HOOK_NONE:
		if (late_hooks[id] && own && device->wsi)
			return late_hooks[id];
		return device->native_buffer && hidden[id] ? NULL : own;
	case KR_HOOK_ALWAYS:
		return hook->function;
	case KR_HOOK_IF_DRIVERS:
		return own ? hook->function : NULL;
	case KR_HOOK_WITH_WSI:
		return own && device->wsi ? hook->function : own;
	case KR_HOOK_SWAPCHAIN:
		return device->wsi ? hook->function : own;
	case KR_HOOK_SURFACE:
		return device->wsi || own ? hook->function : NULL;
	case KR_HOOK_IF_MISSING:
	case KR_HOOK_DEBUG_UTILS:
		if (own && hook->rule == KR_HOOK_IF_MISSING)
			return own;
		return kr_extension_set_has(
			       &device->instance->enabled_below, KR_EXT_VK_EXT_debug_utils)
			? hook->function
			: NULL;
	}
	return own;
}

/* NULL when the device hasn't got it. */
static PFN_vkVoidFunction
function_of(const struct kr_device *device, const struct kr_command *command)
{
	PFN_vkVoidFunction own;

	if (command->level != KR_LEVEL_DEVICE)
		return NULL;
	pthread_once(&once, prepare);
	memcpy(&own, (const char *)&device->driver + command->table_offset, sizeof(own));
	return choose(device, kr_command_get_id(command), own);
}

void
kr_device_load_terminators(struct kr_device *device)
{
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		const struct kr_command *command = &kr_commands[i];
		PFN_vkVoidFunction function;

		if (command->level != KR_LEVEL_DEVICE)
			continue;
		function = function_of(device, command);
		memcpy((char *)&device->table + command->table_offset, &function, sizeof(function));
	}
}

bool
kr_is_platform_function(const char *name)
{
	static const char *const names[] = {
		"vkAcquireImageANDROID",
		KR_ACQUIRE_IMPORTS_FUNCTION,
		KR_NATIVE_MEMORY_FUNCTION,
		"vkGetSwapchainGrallocUsage2ANDROID",
		"vkGetSwapchainGrallocUsage3ANDROID",
		"vkGetSwapchainGrallocUsage4ANDROID",
		"vkGetSwapchainGrallocUsageANDROID",
		"vkQueueSignalReleaseImageANDROID",
		KR_RELEASE_WANTED_FUNCTION,
		"vkSetNativeFenceFdANDROID",
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

PFN_vkVoidFunction VKAPI_CALL
kr_terminator_GetDeviceProcAddr(VkDevice handle, const char *name)
{
	const struct kr_device *device = kr_device_from_dispatchable(handle);
	const struct kr_command *command = kr_command_find(name);
	PFN_vkVoidFunction function;

	if (command)
		return function_of(device, command);
	/* Newer than our registry (L-05): the driver's own, with its own handles. */
	function =
		kr_is_platform_function(name) ? NULL : device->get_device_proc_addr(handle, name);
	if (function && device->wsi && kr_subresource_hook(name))
		function = kr_subresource_hook(name);
	return function;
}

/* VUID-vkGetDeviceProcAddr-pName: VK_KHR_maintenance5 makes it a rule. */
static bool
is_too_new(const struct kr_device *device, const struct kr_command *command)
{
	uint32_t version =
		VK_MAKE_API_VERSION(0, VK_API_VERSION_MAJOR(device->instance->api_version),
			VK_API_VERSION_MINOR(device->instance->api_version), 0);

	for (uint32_t i = 0; i < command->extension_count; i++) {
		if (kr_extension_set_has(&device->enabled,
			    (enum kr_extension)kr_command_extensions[command->extension_first + i]))
			return false;
	}
	return command->core_version > version;
}

/* The table's function goes before the chain's (foreign_names.c). */
static bool
is_intercepted(const struct kr_command *command)
{
	switch (kr_command_get_id(command)) {
	case KR_CMD_DebugMarkerSetObjectNameEXT:
	case KR_CMD_DebugMarkerSetObjectTagEXT:
	case KR_CMD_SetDebugUtilsObjectNameEXT:
	case KR_CMD_SetDebugUtilsObjectTagEXT:
		return true;
	default:
		return false;
	}
}

PFN_vkVoidFunction
kr_device_find(VkDevice handle, const struct kr_command *command, const char *name)
{
	const struct kr_device *device = kr_device_from_dispatchable(handle);
	PFN_vkVoidFunction function;

	if (command && device->maintenance5 && is_too_new(device, command))
		return NULL;
	if (!command ||
		(device->table.GetDeviceProcAddr != kr_terminator_GetDeviceProcAddr &&
			!is_intercepted(command)))
		return kr_is_platform_function(name) && !command
			? NULL
			: device->table.GetDeviceProcAddr(handle, name);
	if (command->level != KR_LEVEL_DEVICE)
		return NULL;
	/* Without layers the table is the bottom's. */
	memcpy(&function, (const char *)&device->table + command->table_offset, sizeof(function));
	return kr_command_is_missing(function) ? NULL : function;
}
