/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices: the driver's handles, whose first word is the loader's. The bottom of their chain hands
 * out the driver's own functions except where the platform has a say (device_functions.c).
 */
#ifndef KR_LOADER_DEVICE_H
#define KR_LOADER_DEVICE_H

#include <stdbool.h>
#include "gen/commands.h"
#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

/* vkCreateDevice and vkDestroyDevice, layers included. */
VkResult kr_device_create(VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *device) KR_MUST_CHECK;
void kr_device_destroy(VkDevice device, const VkAllocationCallbacks *allocator);

/* The application's vkGetDeviceProcAddr, but for the functions that entry/ writes by hand. */
PFN_vkVoidFunction kr_device_find(
	VkDevice device, const struct kr_command *command, const char *name);

/* Functions that only the platform calls: nobody above it finds them (D-05). */
bool kr_is_platform_function(const char *name);

/*
 * Gives an object that the driver made its first word. VK_ERROR_INITIALIZATION_FAILED, with a message,
 * when the driver didn't leave that word to us (`what` names the object).
 */
VkResult kr_device_adopt(const struct kr_device *device, void *object, const char *what)
	KR_MUST_CHECK;

/*
 * The function at the bottom of the chain, NULL when the device hasn't got it: the hook when there is
 * one for this device, else the driver's own.
 */
PFN_vkVoidFunction kr_device_bottom_function(
	const struct kr_device *device, const struct kr_command *command);
/* All of them as a table. */
void kr_device_bottom_table(const struct kr_device *device, struct kr_device_table *table);

/* The bottom of the chain. */
VKAPI_ATTR VkResult VKAPI_CALL kr_terminator_CreateDevice(VkPhysicalDevice physicalDevice,
	const VkDeviceCreateInfo *pCreateInfo, const VkAllocationCallbacks *pAllocator,
	VkDevice *pDevice);
VKAPI_ATTR void VKAPI_CALL kr_terminator_DestroyDevice(
	VkDevice device, const VkAllocationCallbacks *pAllocator);
PFN_vkVoidFunction VKAPI_CALL kr_terminator_GetDeviceProcAddr(VkDevice device, const char *name);

/*
 * A layer that fails when all below it has worked leaves a device behind: ends those that this thread
 * has made and nobody got.
 */
void kr_device_destroy_orphans(struct kr_instance *instance);

/* What layers may call to create devices of their own (vk_layer.h). */
VkResult VKAPI_CALL kr_layer_create_device(VkInstance instance, VkPhysicalDevice physical_device,
	const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *device,
	PFN_vkGetInstanceProcAddr layer, PFN_vkGetDeviceProcAddr *next);
void VKAPI_CALL kr_layer_destroy_device(
	VkDevice device, const VkAllocationCallbacks *allocator, PFN_vkDestroyDevice destroy);

#endif
