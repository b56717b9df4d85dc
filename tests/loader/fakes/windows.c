/* SPDX-License-Identifier: Apache-2.0 */
/* What the fake drivers know of window systems, displays and names. */
#include "icd.h"

#include <string.h>

#include "util/macros.h"

static struct fake_control *const c = &fake_control;

#define SAY_CALLED() (c->seen_function = __func__)

static VKAPI_ATTR VkBool32 VKAPI_CALL
xcb_support(VkPhysicalDevice device, uint32_t family, xcb_connection_t *connection,
	xcb_visualid_t visual)
{
	SAY_CALLED();
	return VK_TRUE;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
xlib_support(VkPhysicalDevice device, uint32_t family, Display *display, VisualID visual)
{
	SAY_CALLED();
	return VK_TRUE;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
wayland_support(VkPhysicalDevice device, uint32_t family, struct wl_display *display)
{
	SAY_CALLED();
	return VK_TRUE;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
directfb_support(VkPhysicalDevice device, uint32_t family, IDirectFB *dfb)
{
	SAY_CALLED();
	return VK_TRUE;
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_displays(VkPhysicalDevice device, uint32_t *count, VkDisplayPropertiesKHR *out)
{
	SAY_CALLED();
	c->display = (VkDisplayKHR)(uintptr_t)&c->display;
	if (out && *count) {
		memset(out, 0, sizeof(*out));
		out->display = c->display;
	}
	*count = 1;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_modes(VkPhysicalDevice device, VkDisplayKHR display, uint32_t *count,
	VkDisplayModePropertiesKHR *out)
{
	SAY_CALLED();
	c->seen_display = display;
	c->display_mode = (VkDisplayModeKHR)(uintptr_t)&c->display_mode;
	if (out && *count) {
		memset(out, 0, sizeof(*out));
		out->displayMode = c->display_mode;
	}
	*count = 1;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
acquire_xlib(VkPhysicalDevice device, Display *dpy, VkDisplayKHR display)
{
	SAY_CALLED();
	c->seen_display = display;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_randr(VkPhysicalDevice device, Display *dpy, RROutput output, VkDisplayKHR *out)
{
	SAY_CALLED();
	*out = c->display;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
acquire_drm(VkPhysicalDevice device, int32_t fd, VkDisplayKHR display)
{
	SAY_CALLED();
	c->seen_display = display;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_drm(VkPhysicalDevice device, int32_t fd, uint32_t connector, VkDisplayKHR *out)
{
	SAY_CALLED();
	*out = c->display;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
release_display(VkPhysicalDevice device, VkDisplayKHR display)
{
	SAY_CALLED();
	c->seen_display = display;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_present_modes(
	VkPhysicalDevice device, VkSurfaceKHR surface, uint32_t *count, VkPresentModeKHR *out)
{
	SAY_CALLED();
	c->seen_surface = surface;
	if (out && *count)
		*out = VK_PRESENT_MODE_FIFO_KHR;
	*count = 1;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_rectangles(VkPhysicalDevice device, VkSurfaceKHR surface, uint32_t *count, VkRect2D *out)
{
	SAY_CALLED();
	c->seen_surface = surface;
	*count = 1;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
set_tag(VkDevice device, const VkDebugUtilsObjectTagInfoEXT *info)
{
	SAY_CALLED();
	c->seen_object_type = info->objectType;
	c->seen_object = info->objectHandle;
	c->tags_set++;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
mark_name(VkDevice device, const VkDebugMarkerObjectNameInfoEXT *info)
{
	SAY_CALLED();
	c->seen_object = info->object;
	c->names_set++;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
mark_tag(VkDevice device, const VkDebugMarkerObjectTagInfoEXT *info)
{
	SAY_CALLED();
	c->seen_object = info->object;
	c->tags_set++;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
set_data(VkDevice device, VkObjectType type, uint64_t object, VkPrivateDataSlot slot, uint64_t data)
{
	SAY_CALLED();
	c->seen_object_type = type;
	c->seen_object = object;
	c->seen_slot = slot;
	c->private_data = data;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
get_data(
	VkDevice device, VkObjectType type, uint64_t object, VkPrivateDataSlot slot, uint64_t *data)
{
	SAY_CALLED();
	c->seen_object = object;
	c->seen_slot = slot;
	*data = c->private_data;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_slot(VkDevice device, VkPrivateDataSlot slot, const VkAllocationCallbacks *allocator)
{
	SAY_CALLED();
	c->seen_slot = slot;
}

#define FN(name, function)                                                                         \
	{                                                                                          \
		"vk" name, (PFN_vkVoidFunction)function                                            \
	}
static const struct {
	const char *name;
	PFN_vkVoidFunction function;
} functions[] = {
	FN("CreateXlibSurfaceKHR", fake_create_surface),
	FN("CreateWaylandSurfaceKHR", fake_create_surface),
	FN("CreateDirectFBSurfaceEXT", fake_create_surface),
	FN("CreateDisplayPlaneSurfaceKHR", fake_create_surface),
	FN("GetPhysicalDeviceXcbPresentationSupportKHR", xcb_support),
	FN("GetPhysicalDeviceXlibPresentationSupportKHR", xlib_support),
	FN("GetPhysicalDeviceWaylandPresentationSupportKHR", wayland_support),
	FN("GetPhysicalDeviceDirectFBPresentationSupportEXT", directfb_support),
	FN("GetPhysicalDeviceDisplayPropertiesKHR", get_displays),
	FN("GetDisplayModePropertiesKHR", get_modes),
	FN("AcquireXlibDisplayEXT", acquire_xlib),
	FN("GetRandROutputDisplayEXT", get_randr),
	FN("AcquireDrmDisplayEXT", acquire_drm),
	FN("GetDrmDisplayEXT", get_drm),
	FN("ReleaseDisplayEXT", release_display),
	FN("GetPhysicalDeviceSurfacePresentModesKHR", get_present_modes),
	FN("GetPhysicalDevicePresentRectanglesKHR", get_rectangles),
	FN("SetDebugUtilsObjectTagEXT", set_tag),
	FN("DebugMarkerSetObjectNameEXT", mark_name),
	FN("DebugMarkerSetObjectTagEXT", mark_tag),
	FN("SetPrivateData", set_data),
	FN("SetPrivateDataEXT", set_data),
	FN("GetPrivateData", get_data),
	FN("GetPrivateDataEXT", get_data),
	FN("DestroyPrivateDataSlot", destroy_slot),
	FN("DestroyPrivateDataSlotEXT", destroy_slot),
};

PFN_vkVoidFunction
fake_windows_find(const char *name)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(functions); i++) {
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	}
	return NULL;
}
