/* SPDX-License-Identifier: Apache-2.0 */
/* The loader's physical devices: one object for each of a driver's, for as long as the instance. */
#ifndef KR_LOADER_PHYSICAL_DEVICE_H
#define KR_LOADER_PHYSICAL_DEVICE_H

#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"
#include "wsi/wsi.h"

/* The object of a driver's handle, or NULL when it was not seen yet. */
struct kr_physical_device *kr_physical_device_find(
	struct kr_instance *instance, VkPhysicalDevice handle);
/*
 * The object that a handle from above is, or NULL when it is none of ours: layers may call with devices of
 * their own, which nothing can be read of.
 */
const struct kr_physical_device *kr_physical_device_look_up(
	struct kr_instance *instance, const void *handle);
/* The object of a driver's handle, made when it is new; VK_NULL_HANDLE without memory. */
VkPhysicalDevice kr_physical_device_wrap(struct kr_driver_instance *owner, VkPhysicalDevice handle);
void kr_physical_devices_finish(struct kr_instance *instance);

/* What a driver's device offers for windows, asked for once. */
enum kr_device_window_bits {
	KR_DEVICE_NATIVE_BUFFER = 1 << 0,       /* VK_ANDROID_native_buffer: swapchains of ours */
	KR_DEVICE_SWAPCHAIN = 1 << 1,           /* its own VK_KHR_swapchain, and surfaces for it */
	KR_DEVICE_INCREMENTAL_PRESENT = 1 << 2, /* VK_KHR_incremental_present for those */
};
VkResult kr_physical_device_window_support(struct kr_physical_device *device, uint32_t *bits,
	uint32_t *native_buffer_version) KR_MUST_CHECK;
/* Whether the driver has a device extension; false also when it can't be asked. */
bool kr_physical_device_offers(const struct kr_physical_device *device, const char *name);
/* For the functions of wsi. */
VkResult kr_physical_device_get_gpu(struct kr_physical_device *device, struct kr_wsi_gpu *gpu)
	KR_MUST_CHECK;

/* Terminators. */
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_EnumeratePhysicalDevices(
	VkInstance instance, uint32_t *pCount, VkPhysicalDevice *pDevices);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_EnumeratePhysicalDeviceGroups(
	VkInstance instance, uint32_t *pCount, VkPhysicalDeviceGroupProperties *pProperties);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_EnumerateDeviceExtensionProperties(
	VkPhysicalDevice physicalDevice, const char *pLayerName, uint32_t *pPropertyCount,
	VkExtensionProperties *pProperties);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_EnumerateDeviceLayerProperties(
	VkPhysicalDevice physicalDevice, uint32_t *pPropertyCount, VkLayerProperties *pProperties);

#endif
