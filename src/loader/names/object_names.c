/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that take a handle as a number and a type: a handle of ours must not come to the
 * driver, which would take it for its own (DESIGN rule 2; tried: lavapipe crashes).
 */
#include "loader/devices/hooks.h"
#include "loader/handles/handles.h"
#include "loader/messages/message.h"
#include "loader/handles/physical_device.h"
#include "loader/windows/vk_display.h"
#include "loader/windows/surface.h"
#include "wsi/wsi.h"

static bool
is_our_swapchain(const struct kr_device *device, VkObjectType type, uint64_t handle)
{
	return type == VK_OBJECT_TYPE_SWAPCHAIN_KHR && device->wsi &&
		kr_wsi_owns_swapchain(device->wsi, (VkSwapchainKHR)handle);
}

/*
 * The handle that the driver knows, false when it knows none: the name then is for layers and
 * messages, which have it already.
 */
static bool
translate(struct kr_device *device, VkObjectType type, uint64_t *handle)
{
	const struct kr_instance_driver *owner = device->physical_device->owner;
	const struct kr_physical_device *physical_device;

	switch (type) {
	case VK_OBJECT_TYPE_INSTANCE:
		*handle = (uint64_t)(uintptr_t)owner->handle;
		return true;
	case VK_OBJECT_TYPE_PHYSICAL_DEVICE:
		physical_device = kr_physical_device_look_up(
			device->instance, (const void *)(uintptr_t)*handle);
		if (!physical_device || physical_device->owner != owner)
			return false;
		*handle = (uint64_t)(uintptr_t)physical_device->handle;
		return true;
	case VK_OBJECT_TYPE_SURFACE_KHR:
		*handle = (uint64_t)kr_vk_surface_peek_drivers(
			kr_vk_surface_from_handle((VkSurfaceKHR)*handle), owner);
		return *handle != 0;
	case VK_OBJECT_TYPE_SWAPCHAIN_KHR:
		return !is_our_swapchain(device, type, *handle);
	case VK_OBJECT_TYPE_DISPLAY_KHR:
	case VK_OBJECT_TYPE_DISPLAY_MODE_KHR:
		return !kr_vk_display_stands(device->instance);
	/* The loader's callbacks. */
	case VK_OBJECT_TYPE_DEBUG_UTILS_MESSENGER_EXT:
	case VK_OBJECT_TYPE_DEBUG_REPORT_CALLBACK_EXT:
		return false;
	default:
		return true;
	}
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_SetDebugUtilsObjectNameEXT(VkDevice handle, const VkDebugUtilsObjectNameInfoEXT *info)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);
	VkDebugUtilsObjectNameInfoEXT translated = *info;

	if (!device->driver.SetDebugUtilsObjectNameEXT ||
		!translate(device, info->objectType, &translated.objectHandle))
		return VK_SUCCESS;
	return device->driver.SetDebugUtilsObjectNameEXT(handle, &translated);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_SetDebugUtilsObjectTagEXT(VkDevice handle, const VkDebugUtilsObjectTagInfoEXT *info)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);
	VkDebugUtilsObjectTagInfoEXT translated = *info;

	if (!device->driver.SetDebugUtilsObjectTagEXT ||
		!translate(device, info->objectType, &translated.objectHandle))
		return VK_SUCCESS;
	return device->driver.SetDebugUtilsObjectTagEXT(handle, &translated);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_DebugMarkerSetObjectNameEXT(VkDevice handle, const VkDebugMarkerObjectNameInfoEXT *info)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);
	VkDebugMarkerObjectNameInfoEXT translated = *info;

	if (!translate(device, kr_message_object_type(info->objectType), &translated.object))
		return VK_SUCCESS;
	return device->driver.DebugMarkerSetObjectNameEXT(handle, &translated);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_DebugMarkerSetObjectTagEXT(VkDevice handle, const VkDebugMarkerObjectTagInfoEXT *info)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);
	VkDebugMarkerObjectTagInfoEXT translated = *info;

	if (!translate(device, kr_message_object_type(info->objectType), &translated.object))
		return VK_SUCCESS;
	return device->driver.DebugMarkerSetObjectTagEXT(handle, &translated);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_SetPrivateData(
	VkDevice handle, VkObjectType type, uint64_t object, VkPrivateDataSlot slot, uint64_t data)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);
	PFN_vkSetPrivateData set = device->driver.SetPrivateData ? device->driver.SetPrivateData
								 : device->driver.SetPrivateDataEXT;

	if (is_our_swapchain(device, type, object))
		return kr_wsi_set_private_data(device->wsi, (VkSwapchainKHR)object, slot, data);
	return set(handle, type, object, slot, data);
}

static VKAPI_ATTR void VKAPI_CALL
terminator_GetPrivateData(
	VkDevice handle, VkObjectType type, uint64_t object, VkPrivateDataSlot slot, uint64_t *data)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);
	PFN_vkGetPrivateData get = device->driver.GetPrivateData ? device->driver.GetPrivateData
								 : device->driver.GetPrivateDataEXT;

	if (is_our_swapchain(device, type, object))
		*data = kr_wsi_get_private_data(device->wsi, (VkSwapchainKHR)object, slot);
	else
		get(handle, type, object, slot, data);
}

static VKAPI_ATTR void VKAPI_CALL
terminator_DestroyPrivateDataSlot(
	VkDevice handle, VkPrivateDataSlot slot, const VkAllocationCallbacks *allocator)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);
	PFN_vkDestroyPrivateDataSlot destroy = device->driver.DestroyPrivateDataSlot
		? device->driver.DestroyPrivateDataSlot
		: device->driver.DestroyPrivateDataSlotEXT;

	kr_wsi_forget_private_data(device->wsi, slot);
	destroy(handle, slot, allocator);
}

static const struct kr_hook hooks[] = {
	KR_HOOK(SetPrivateData, WITH_WSI),
	KR_HOOK_BY(terminator_SetPrivateData, SetPrivateDataEXT, WITH_WSI),
	KR_HOOK(GetPrivateData, WITH_WSI),
	KR_HOOK_BY(terminator_GetPrivateData, GetPrivateDataEXT, WITH_WSI),
	KR_HOOK(DestroyPrivateDataSlot, WITH_WSI),
	KR_HOOK_BY(terminator_DestroyPrivateDataSlot, DestroyPrivateDataSlotEXT, WITH_WSI),
	KR_HOOK(DebugMarkerSetObjectNameEXT, IF_DRIVERS),
	KR_HOOK(DebugMarkerSetObjectTagEXT, IF_DRIVERS),
	KR_HOOK(SetDebugUtilsObjectNameEXT, DEBUG_UTILS),
	KR_HOOK(SetDebugUtilsObjectTagEXT, DEBUG_UTILS),
};
const struct kr_hooks kr_hooks_object_names = {hooks, KR_ARRAY_LEN(hooks)};
