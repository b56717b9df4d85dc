/* SPDX-License-Identifier: Apache-2.0 */
#include "both_swapchains.h"

#include <string.h>

#define FAKES_SWAPCHAIN ((VkSwapchainKHR)(uintptr_t)0x5ca1ab1e)

VkSwapchainCreateInfoKHR
both_info(VkSurfaceKHR surface, VkSwapchainKHR old)
{
	return (VkSwapchainCreateInfoKHR){
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
		.surface = surface,
		.minImageCount = 3,
		.imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
		.imageExtent = {64, 64},
		.imageArrayLayers = 1,
		.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
		.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
		.presentMode = VK_PRESENT_MODE_FIFO_KHR,
		.oldSwapchain = old,
	};
}

VkResult
both_create(struct both *s, VkSurfaceKHR surface, VkSwapchainKHR old, VkSwapchainKHR *swapchain)
{
	VkSwapchainCreateInfoKHR info = both_info(surface, old);

	return EXPORTED(&s->l, vkCreateSwapchainKHR)(s->device, &info, NULL, swapchain);
}

static void
make_surfaces(struct both *s)
{
	VkHeadlessSurfaceCreateInfoEXT headless = {
		.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
	VkXcbSurfaceCreateInfoKHR xcb = {
		.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR,
		.connection = (xcb_connection_t *)1,
		.window = 77,
	};

	assert_int_equal(EXPORTED(&s->l, vkCreateHeadlessSurfaceEXT)(
				 s->l.instance, &headless, NULL, &s->headless),
		VK_SUCCESS);
	assert_int_equal(EXPORTED(&s->l, vkCreateXcbSurfaceKHR)(s->l.instance, &xcb, NULL, &s->xcb),
		VK_SUCCESS);
}

static void
append(const char **names, const char *const *more)
{
	while (*names)
		names++;
	for (int i = 0; more && more[i]; i++)
		names[i] = more[i];
}

void
open_both_with(struct both *s, const char *const *listed, const char *const *enabled)
{
	static const char *const names[] = {"VK_KHR_surface", "VK_KHR_xcb_surface",
		"VK_EXT_headless_surface", "VK_EXT_debug_utils", "VK_KHR_get_surface_capabilities2",
		NULL};
	const char *device_names[FAKE_MAX_NAMES] = {"VK_KHR_swapchain", "VK_KHR_display_swapchain",
		"VK_EXT_debug_marker", "VK_EXT_private_data"};

	memset(s, 0, sizeof(*s));
	open_fake_hal(&s->hal);
	s->driver = s->hal.control;
	/* Behind those that the module adds itself. */
	s->driver->instance_extensions[2] = "VK_KHR_surface";
	s->driver->instance_extensions[3] = "VK_KHR_xcb_surface";
	for (int i = 0; device_names[i]; i++)
		s->driver->device_extensions[1 + i] = device_names[i];
	append(s->driver->device_extensions, listed);
	append(device_names, enabled);
	open_loader(&s->l);
	make_instance(&s->l, names);
	make_surfaces(s);
	s->device = make_device(&s->l, s->l.devices[0], device_names);
	EXPORTED(&s->l, vkGetDeviceQueue)(s->device, 0, 0, &s->queue);
	assert_int_equal(both_create(s, s->headless, VK_NULL_HANDLE, &s->ours), VK_SUCCESS);
	assert_int_equal(s->driver->swapchains_created, 0);
	assert_int_equal(both_create(s, s->xcb, VK_NULL_HANDLE, &s->theirs), VK_SUCCESS);
	assert_int_equal(s->driver->swapchains_created, 1);
	assert_ptr_equal(s->theirs, FAKES_SWAPCHAIN);
	assert_ptr_equal(s->driver->seen_surface, s->driver->surface);
	s->driver->seen_function = NULL;
}

void
open_both(struct both *s)
{
	open_both_with(s, NULL, NULL);
}

void
close_both(struct both *s)
{
	EXPORTED(&s->l, vkDestroySwapchainKHR)(s->device, s->ours, NULL);
	end_device(&s->l, s->device);
	EXPORTED(&s->l, vkDestroySurfaceKHR)(s->l.instance, s->headless, NULL);
	EXPORTED(&s->l, vkDestroySurfaceKHR)(s->l.instance, s->xcb, NULL);
	assert_int_equal(s->driver->surfaces, 0);
	assert_int_equal(s->driver->images, 0);
	end_instance(&s->l);
	close_loader(&s->l);
	close_fake_hal(&s->hal);
}
