/* SPDX-License-Identifier: Apache-2.0 */
/* The functions at the bottom of an instance's chain, and who may have which by name. */
#include "loader/instance.h"

#include <pthread.h>
#include <string.h>

#include "gen/missing.h"
#include "gen/terminators.h"
#include "layers/layers.h"
#include "loader/device.h"
#include "loader/windows/display.h"
#include "loader/windows/display_mode.h"
#include "loader/global.h"
#include "loader/emulation/emulated.h"
#include "loader/messages/messengers.h"
#include "loader/drivers/commands.h"
#include "loader/devices/enumerate.h"
#include "loader/devices/extensions.h"
#include "loader/emulation/properties2.h"
#include "loader/names/unknown_functions.h"
#include "loader/windows/surface.h"

/* Terminators written by hand; they go before the generated ones. */
#define BY_HAND(name)                                                                              \
	{                                                                                          \
		KR_CMD_##name, (PFN_vkVoidFunction)kr_bottom_##name                                \
	}
/* Core, and KHR before that. */
#define BY_HAND_TWICE(name)                                                                        \
	BY_HAND(name),                                                                             \
	{                                                                                          \
		KR_CMD_##name##KHR, (PFN_vkVoidFunction)kr_bottom_##name                           \
	}
static const struct {
	enum kr_command_id id;
	PFN_vkVoidFunction function;
} by_hand[] = {
	BY_HAND(DestroyInstance),
	BY_HAND(GetInstanceProcAddr),
	BY_HAND(EnumeratePhysicalDevices),
	BY_HAND_TWICE(EnumeratePhysicalDeviceGroups),
	BY_HAND(EnumerateDeviceExtensionProperties),
	BY_HAND(EnumerateDeviceLayerProperties),
	BY_HAND_TWICE(GetPhysicalDeviceFeatures2),
	BY_HAND_TWICE(GetPhysicalDeviceProperties2),
	BY_HAND_TWICE(GetPhysicalDeviceFormatProperties2),
	BY_HAND_TWICE(GetPhysicalDeviceImageFormatProperties2),
	BY_HAND_TWICE(GetPhysicalDeviceQueueFamilyProperties2),
	BY_HAND_TWICE(GetPhysicalDeviceMemoryProperties2),
	BY_HAND_TWICE(GetPhysicalDeviceSparseImageFormatProperties2),
	BY_HAND_TWICE(GetPhysicalDeviceExternalBufferProperties),
	BY_HAND_TWICE(GetPhysicalDeviceExternalSemaphoreProperties),
	BY_HAND_TWICE(GetPhysicalDeviceExternalFenceProperties),
	BY_HAND(GetPhysicalDeviceToolProperties),
	BY_HAND(GetPhysicalDeviceToolPropertiesEXT),
	BY_HAND(GetPhysicalDeviceExternalImageFormatPropertiesNV),
	BY_HAND(GetPhysicalDeviceMultisamplePropertiesEXT),
	BY_HAND(CreateDevice),
	BY_HAND(CreateDebugUtilsMessengerEXT),
	BY_HAND(DestroyDebugUtilsMessengerEXT),
	BY_HAND(SubmitDebugUtilsMessageEXT),
	BY_HAND(CreateDebugReportCallbackEXT),
	BY_HAND(DestroyDebugReportCallbackEXT),
	BY_HAND(DebugReportMessageEXT),
	BY_HAND(CreateAndroidSurfaceKHR),
	BY_HAND(CreateHeadlessSurfaceEXT),
	BY_HAND(CreateXcbSurfaceKHR),
	BY_HAND(CreateXlibSurfaceKHR),
	BY_HAND(CreateWaylandSurfaceKHR),
	BY_HAND(CreateDirectFBSurfaceEXT),
	BY_HAND(CreateDisplayPlaneSurfaceKHR),
	BY_HAND(DestroySurfaceKHR),
	BY_HAND(GetPhysicalDeviceSurfaceSupportKHR),
	BY_HAND(GetPhysicalDeviceSurfaceCapabilitiesKHR),
	BY_HAND(GetPhysicalDeviceSurfaceCapabilities2KHR),
	BY_HAND(GetPhysicalDeviceSurfaceCapabilities2EXT),
	BY_HAND(GetPhysicalDeviceSurfaceFormatsKHR),
	BY_HAND(GetPhysicalDeviceSurfaceFormats2KHR),
	BY_HAND(GetPhysicalDeviceSurfacePresentModesKHR),
	BY_HAND(GetPhysicalDevicePresentRectanglesKHR),
	BY_HAND(GetPhysicalDeviceDisplayPropertiesKHR),
	BY_HAND(GetPhysicalDeviceDisplayPlanePropertiesKHR),
	BY_HAND(GetDisplayPlaneSupportedDisplaysKHR),
	BY_HAND(GetDisplayPlaneCapabilitiesKHR),
	BY_HAND(GetPhysicalDeviceDisplayProperties2KHR),
	BY_HAND(GetPhysicalDeviceDisplayPlaneProperties2KHR),
	BY_HAND(GetDisplayPlaneCapabilities2KHR),
	BY_HAND(GetDisplayModePropertiesKHR),
	BY_HAND(GetDisplayModeProperties2KHR),
	BY_HAND(CreateDisplayModeKHR),
	BY_HAND(GetPhysicalDeviceXcbPresentationSupportKHR),
	BY_HAND(GetPhysicalDeviceXlibPresentationSupportKHR),
	BY_HAND(GetPhysicalDeviceWaylandPresentationSupportKHR),
	BY_HAND(GetPhysicalDeviceDirectFBPresentationSupportEXT),
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct kr_instance_table bottom;

static void
store(enum kr_command_id id, PFN_vkVoidFunction function)
{
	memcpy((char *)&bottom + kr_commands[id].table_offset, &function, sizeof(function));
}

static void
make_bottom(void)
{
	bottom.magic = KR_INSTANCE_MAGIC;
	for (int i = 0; i < KR_COMMAND_COUNT; i++) {
		if (kr_generated_terminators[i])
			store((enum kr_command_id)i, kr_generated_terminators[i]);
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(by_hand); i++)
		store(by_hand[i].id, by_hand[i].function);
	kr_instance_table_fill_missing(&bottom);
}

const struct kr_instance_table *
kr_bottom_instance_table(void)
{
	pthread_once(&once, make_bottom);
	return &bottom;
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
	return kr_command_is_enabled(&instance->enabled, command);
}

PFN_vkVoidFunction VKAPI_CALL
kr_bottom_GetInstanceProcAddr(VkInstance handle, const char *name)
{
	const struct kr_command *command = kr_command_find(name);
	struct kr_instance *instance;

	if (command == &kr_commands[KR_CMD_CreateInstance])
		return (PFN_vkVoidFunction)kr_bottom_CreateInstance;
	if (command == &kr_commands[KR_CMD_GetInstanceProcAddr])
		return (PFN_vkVoidFunction)kr_bottom_GetInstanceProcAddr;
	if (command == &kr_commands[KR_CMD_GetDeviceProcAddr])
		return (PFN_vkVoidFunction)kr_bottom_GetDeviceProcAddr;
	if (command == &kr_commands[KR_CMD_CreateDevice])
		return (PFN_vkVoidFunction)kr_bottom_CreateDevice;
	/* A layer may ask what there is below it while it creates its instance. */
	if (command == &kr_commands[KR_CMD_EnumerateInstanceVersion])
		return (PFN_vkVoidFunction)kr_bottom_EnumerateInstanceVersion;
	if (command == &kr_commands[KR_CMD_EnumerateInstanceExtensionProperties])
		return (PFN_vkVoidFunction)kr_bottom_EnumerateInstanceExtensionProperties;
	if (command == &kr_commands[KR_CMD_EnumerateInstanceLayerProperties])
		return (PFN_vkVoidFunction)kr_bottom_EnumerateInstanceLayerProperties;
	if (!handle)
		return NULL;
	/* How layers ask for it that don't take it from their link. */
	if (!strcmp(name, "vk_layerGetPhysicalDeviceProcAddr"))
		return (PFN_vkVoidFunction)kr_bottom_GetPhysicalDeviceProcAddr;
	instance = kr_instance_from_dispatchable(handle);
	if (!command)
		return kr_is_platform_function(name) ? NULL : kr_unknown_find_below(instance, name);
	if (command->level != KR_LEVEL_INSTANCE && command->level != KR_LEVEL_PHYSICAL_DEVICE)
		return NULL;
	if (!kr_command_is_enabled(&instance->enabled_below, command))
		return NULL;
	return entry(kr_bottom_instance_table(), command);
}

PFN_vkVoidFunction VKAPI_CALL
kr_bottom_GetPhysicalDeviceProcAddr(VkInstance handle, const char *name)
{
	const struct kr_command *command = kr_command_find(name);

	if (!handle)
		return NULL;
	if (!command)
		return kr_unknown_find_physical_device_below(
			kr_instance_from_dispatchable(handle), name);
	return command->level == KR_LEVEL_PHYSICAL_DEVICE
		? kr_bottom_GetInstanceProcAddr(handle, name)
		: NULL;
}
