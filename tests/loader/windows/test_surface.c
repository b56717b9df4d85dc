/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces and swapchains: whose they are, and that a driver never sees another's (rule 2). */
#include <string.h>

#include "support.h"

static const char *const xcb_names[] = {"VK_KHR_surface", "VK_KHR_xcb_surface",
	"VK_KHR_get_surface_capabilities2", "VK_EXT_headless_surface", NULL};

static void
give_xcb(struct fake_control *c)
{
	c->instance_extensions[0] = "VK_KHR_surface";
	c->instance_extensions[1] = "VK_KHR_xcb_surface";
}

static VkSurfaceKHR
make_xcb(struct loader *l)
{
	VkXcbSurfaceCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR,
		.connection = (xcb_connection_t *)1,
		.window = 77,
	};
	VkSurfaceKHR surface;

	assert_int_equal(
		EXPORTED(l, vkCreateXcbSurfaceKHR)(l->instance, &info, NULL, &surface), VK_SUCCESS);
	return surface;
}

static VkBool32
support(struct loader *l, VkPhysicalDevice device, VkSurfaceKHR surface)
{
	VkBool32 supported = 17;

	assert_int_equal(
		EXPORTED(l, vkGetPhysicalDeviceSurfaceSupportKHR)(device, 0, surface, &supported),
		VK_SUCCESS);
	return supported;
}

/* K-38, W-02: loader/issues/1567 and its like: each driver gets its own surface or none. */
static void
test_each_driver_its_own(void **state)
{
	struct fakes fakes;
	struct loader l;
	VkSurfaceKHR surface;

	open_fakes(&fakes);
	give_xcb(fakes.a);
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, xcb_names);
	surface = make_xcb(&l);
	/* Nothing before it is needed. */
	assert_int_equal(fakes.a->surfaces, 0);
	assert_int_equal(support(&l, l.devices[1], surface), VK_FALSE);
	assert_int_equal(fakes.b->surfaces_created, 0);
	assert_int_equal(support(&l, l.devices[0], surface), VK_TRUE);
	assert_int_equal(support(&l, l.devices[0], surface), VK_TRUE);
	assert_int_equal(fakes.a->surfaces_created, 1);
	assert_ptr_equal(fakes.a->seen_surface, fakes.a->surface);
	assert_ptr_not_equal(fakes.a->seen_surface, surface);
	EXPORTED(&l, vkDestroySurfaceKHR)(l.instance, surface, NULL);
	EXPORTED(&l, vkDestroySurfaceKHR)(l.instance, VK_NULL_HANDLE, NULL);
	assert_int_equal(fakes.a->surfaces, 0);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

static void
test_presentation_support_without_the_extension(void **state)
{
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	give_xcb(fakes.a);
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, xcb_names);
	assert_int_equal(EXPORTED(&l, vkGetPhysicalDeviceXcbPresentationSupportKHR)(
				 l.devices[1], 0, (xcb_connection_t *)1, 0),
		VK_FALSE);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* The loader offers version 2 of the queries on drivers that have version 1. */
static void
test_capabilities2_from_version1(void **state)
{
	static const char *const names[] = {"VK_KHR_surface", "VK_KHR_xcb_surface",
		"VK_KHR_get_surface_capabilities2", "VK_EXT_display_surface_counter", NULL};
	VkPhysicalDeviceSurfaceInfo2KHR info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR};
	VkSurfaceCapabilities2KHR caps = {.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR};
	VkSurfaceCapabilities2EXT counters = {.supportedSurfaceCounters = 1};
	VkSurfaceFormat2KHR formats[3] = {{.sType = VK_STRUCTURE_TYPE_SURFACE_FORMAT_2_KHR}};
	uint32_t count = 0;
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	give_xcb(fakes.a);
	fakes.b->instance_extensions[0] = "VK_EXT_display_surface_counter";
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, names);
	info.surface = make_xcb(&l);
	assert_int_equal(EXPORTED(&l, vkGetPhysicalDeviceSurfaceCapabilities2KHR)(
				 l.devices[0], &info, &caps),
		VK_SUCCESS);
	assert_int_equal(caps.surfaceCapabilities.minImageCount, 7);
	assert_int_equal(OF_INSTANCE(&l, vkGetPhysicalDeviceSurfaceCapabilities2EXT)(
				 l.devices[0], info.surface, &counters),
		VK_SUCCESS);
	assert_int_equal(counters.minImageCount, 7);
	assert_int_equal(counters.supportedSurfaceCounters, 0);
	assert_int_equal(EXPORTED(&l, vkGetPhysicalDeviceSurfaceFormats2KHR)(
				 l.devices[0], &info, &count, NULL),
		VK_SUCCESS);
	assert_int_equal(count, 2);
	count = 1;
	assert_int_equal(EXPORTED(&l, vkGetPhysicalDeviceSurfaceFormats2KHR)(
				 l.devices[0], &info, &count, formats),
		VK_INCOMPLETE);
	assert_int_equal(formats[0].surfaceFormat.format, VK_FORMAT_B8G8R8A8_UNORM);
	EXPORTED(&l, vkDestroySurfaceKHR)(l.instance, info.surface, NULL);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

static void
test_swapchain_of_the_driver(void **state)
{
	static const char *const device_names[] = {"VK_KHR_swapchain", NULL};
	static const char *const names[] = {
		"VK_KHR_surface", "VK_KHR_xcb_surface", "VK_EXT_debug_utils", NULL};
	VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
	VkDebugUtilsObjectNameInfoEXT name = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
		.objectType = VK_OBJECT_TYPE_SURFACE_KHR,
	};
	struct fakes fakes;
	struct loader l;
	VkSwapchainKHR swapchain;
	VkDevice device;

	open_fakes(&fakes);
	give_xcb(fakes.a);
	fakes.a->device_extensions[0] = "VK_KHR_swapchain";
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, names);
	info.surface = make_xcb(&l);
	device = make_device(&l, l.devices[0], device_names);
	assert_true(has_name(fakes.a->seen_device_extensions, fakes.a->seen_device_extension_count,
		"VK_KHR_swapchain"));
	/* A name before the driver has a surface is for nobody. */
	name.objectHandle = (uint64_t)info.surface;
	assert_int_equal(
		OF_DEVICE(&l, device, vkSetDebugUtilsObjectNameEXT)(device, &name), VK_SUCCESS);
	assert_int_equal(fakes.a->names_set, 0);
	assert_int_equal(
		EXPORTED(&l, vkCreateSwapchainKHR)(device, &info, NULL, &swapchain), VK_SUCCESS);
	assert_ptr_equal(fakes.a->seen_surface, fakes.a->surface);
	assert_int_equal(
		OF_DEVICE(&l, device, vkSetDebugUtilsObjectNameEXT)(device, &name), VK_SUCCESS);
	assert_int_equal(fakes.a->seen_object, (uint64_t)fakes.a->surface);
	end_device(&l, device);
	EXPORTED(&l, vkDestroySurfaceKHR)(l.instance, info.surface, NULL);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

static void
test_extension_not_enabled(void **state)
{
	VkHeadlessSurfaceCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
	VkSurfaceKHR surface = VK_NULL_HANDLE;
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, NULL);
	assert_null(OF_INSTANCE(&l, vkCreateHeadlessSurfaceEXT));
	assert_int_equal(
		EXPORTED(&l, vkCreateHeadlessSurfaceEXT)(l.instance, &info, NULL, &surface),
		VK_ERROR_EXTENSION_NOT_PRESENT);
	assert_null(surface);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

static const char *const headless_names[] = {
	"VK_KHR_surface", "VK_EXT_headless_surface", "VK_EXT_debug_utils", NULL};

static VkSurfaceKHR
make_headless(struct loader *l)
{
	VkHeadlessSurfaceCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
	VkSurfaceKHR surface;

	assert_int_equal(
		EXPORTED(l, vkCreateHeadlessSurfaceEXT)(l->instance, &info, NULL, &surface),
		VK_SUCCESS);
	return surface;
}

static VkSwapchainKHR
make_swapchain(struct loader *l, VkDevice device, VkSurfaceKHR surface)
{
	VkSurfaceFormatKHR format;
	VkSurfaceCapabilitiesKHR caps;
	VkSwapchainKHR swapchain;
	uint32_t count = 1;
	VkSwapchainCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
		.surface = surface,
		.imageExtent = {64, 64},
		.imageArrayLayers = 1,
		.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
		.presentMode = VK_PRESENT_MODE_FIFO_KHR,
	};

	assert_true(EXPORTED(l, vkGetPhysicalDeviceSurfaceFormatsKHR)(
			    l->devices[0], surface, &count, &format) >= VK_SUCCESS);
	assert_int_equal(EXPORTED(l, vkGetPhysicalDeviceSurfaceCapabilitiesKHR)(
				 l->devices[0], surface, &caps),
		VK_SUCCESS);
	info.minImageCount = caps.minImageCount;
	info.imageFormat = format.format;
	info.imageColorSpace = format.colorSpace;
	info.compositeAlpha = caps.supportedCompositeAlpha & -caps.supportedCompositeAlpha;
	assert_int_equal(
		EXPORTED(l, vkCreateSwapchainKHR)(device, &info, NULL, &swapchain), VK_SUCCESS);
	return swapchain;
}

static void
present_once(struct loader *l, VkDevice device, VkSwapchainKHR swapchain)
{
	const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	uint32_t index;
	VkPresentInfoKHR present = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.swapchainCount = 1,
		.pSwapchains = &swapchain,
		.pImageIndices = &index,
	};
	VkQueue queue;
	VkFence fence;

	EXPORTED(l, vkGetDeviceQueue)(device, 0, 0, &queue);
	assert_int_equal(EXPORTED(l, vkCreateFence)(device, &fence_info, NULL, &fence), VK_SUCCESS);
	assert_int_equal(EXPORTED(l, vkAcquireNextImageKHR)(
				 device, swapchain, UINT64_MAX, VK_NULL_HANDLE, fence, &index),
		VK_SUCCESS);
	assert_int_equal(
		EXPORTED(l, vkWaitForFences)(device, 1, &fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
	assert_int_equal(EXPORTED(l, vkQueuePresentKHR)(queue, &present), VK_SUCCESS);
	EXPORTED(l, vkDestroyFence)(device, fence, NULL);
}

/*
 * K-38: headless where the driver lacks it is ours, where it has it the driver's, in one instance.
 */
static void
test_headless_ours_and_theirs(void **state)
{
	static const char *const both[] = {TEST_FAKE_A};
	static const char *const device_names[] = {"VK_KHR_swapchain", NULL};
	VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
	const uint32_t index = 0;
	VkPresentInfoKHR present = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.swapchainCount = 1,
		.pImageIndices = &index,
	};
	VkSwapchainKHR ours, theirs;
	VkQueue queue;
	VkDevice devices[2];
	struct fakes fakes;
	struct loader l;
	VkSurfaceKHR surface;
	VkBool32 supported[2];

	open_fakes(&fakes);
	fakes.a->instance_extensions[0] = "VK_KHR_surface";
	fakes.a->instance_extensions[1] = "VK_EXT_headless_surface";
	fakes.a->device_extensions[0] = "VK_KHR_swapchain";
	use_drivers(1, both);
	set_variable("KRAFLA_HAL_PATH", TEST_HAL_DIR);
	set_variable("KRAFLA_PROP_ro_hardware_vulkan", "null");
	open_loader(&l);
	make_instance(&l, headless_names);
	assert_int_equal(l.device_count, 2); /* HAL first */
	surface = make_headless(&l);
	supported[0] = support(&l, l.devices[0], surface);
	assert_int_equal(fakes.a->surfaces, 0);
	supported[1] = support(&l, l.devices[1], surface);
	assert_int_equal(supported[0], VK_TRUE);
	assert_int_equal(supported[1], VK_TRUE);
	assert_int_equal(fakes.a->surfaces, 1);
	/* Both present to the one surface, each its way. */
	for (int i = 0; i < 2; i++)
		devices[i] = make_device(&l, l.devices[i], device_names);
	info.surface = surface;
	assert_int_equal(
		EXPORTED(&l, vkCreateSwapchainKHR)(devices[1], &info, NULL, &theirs), VK_SUCCESS);
	assert_ptr_equal(fakes.a->seen_surface, fakes.a->surface);
	assert_ptr_equal(theirs, (VkSwapchainKHR)(uintptr_t)0x5ca1ab1e);
	ours = make_swapchain(&l, devices[0], surface);
	assert_int_equal(fakes.a->swapchains_created, 1);
	present_once(&l, devices[0], ours);
	assert_ptr_equal(fakes.a->seen_presented, VK_NULL_HANDLE);
	present.pSwapchains = &theirs;
	EXPORTED(&l, vkGetDeviceQueue)(devices[1], 0, 0, &queue);
	assert_int_equal(EXPORTED(&l, vkQueuePresentKHR)(queue, &present), VK_SUCCESS);
	assert_ptr_equal(fakes.a->seen_presented, theirs);
	EXPORTED(&l, vkDestroySwapchainKHR)(devices[0], ours, NULL);
	for (int i = 0; i < 2; i++)
		end_device(&l, devices[i]);
	EXPORTED(&l, vkDestroySurfaceKHR)(l.instance, surface, NULL);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* A frame of ours through the loader on the null driver; names of our handles stay with us. */
static void
test_swapchain_of_ours(void **state)
{
	static const char *const device_names[] = {"VK_KHR_swapchain", NULL};
	VkPresentInfoKHR present = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR};
	VkDebugUtilsObjectNameInfoEXT name = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
		.objectType = VK_OBJECT_TYPE_SWAPCHAIN_KHR,
		.pObjectName = "ours",
	};
	VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	struct loader l;
	VkSwapchainKHR swapchain;
	VkSurfaceKHR surface;
	VkDevice device;
	VkQueue queue;
	VkFence fence;
	uint32_t index, count = 0;

	use_null_hal();
	open_loader(&l);
	make_instance(&l, headless_names);
	surface = make_headless(&l);
	device = make_device(&l, l.devices[0], device_names);
	EXPORTED(&l, vkGetDeviceQueue)(device, 0, 0, &queue);
	swapchain = make_swapchain(&l, device, surface);
	assert_int_equal(
		EXPORTED(&l, vkGetSwapchainImagesKHR)(device, swapchain, &count, NULL), VK_SUCCESS);
	assert_true(count >= 2);
	name.objectHandle = (uint64_t)swapchain;
	assert_int_equal(
		OF_DEVICE(&l, device, vkSetDebugUtilsObjectNameEXT)(device, &name), VK_SUCCESS);
	assert_int_equal(
		EXPORTED(&l, vkCreateFence)(device, &fence_info, NULL, &fence), VK_SUCCESS);
	present.swapchainCount = 1;
	present.pSwapchains = &swapchain;
	present.pImageIndices = &index;
	for (int i = 0; i < 8; i++) {
		assert_int_equal(EXPORTED(&l, vkAcquireNextImageKHR)(device, swapchain, UINT64_MAX,
					 VK_NULL_HANDLE, fence, &index),
			VK_SUCCESS);
		assert_int_equal(
			EXPORTED(&l, vkWaitForFences)(device, 1, &fence, VK_TRUE, UINT64_MAX),
			VK_SUCCESS);
		EXPORTED(&l, vkResetFences)(device, 1, &fence);
		assert_int_equal(EXPORTED(&l, vkQueuePresentKHR)(queue, &present), VK_SUCCESS);
	}
	EXPORTED(&l, vkDestroyFence)(device, fence, NULL);
	EXPORTED(&l, vkDestroySwapchainKHR)(device, swapchain, NULL);
	EXPORTED(&l, vkDestroySwapchainKHR)(device, VK_NULL_HANDLE, NULL);
	end_device(&l, device);
	EXPORTED(&l, vkDestroySurfaceKHR)(l.instance, surface, NULL);
	end_instance(&l);
	close_loader(&l);
}

static const struct kr_test tests[] = {
	KR_TEST(test_each_driver_its_own),
	KR_TEST(test_presentation_support_without_the_extension),
	KR_TEST(test_capabilities2_from_version1),
	KR_TEST(test_swapchain_of_the_driver),
	KR_TEST(test_extension_not_enabled),
	KR_TEST(test_headless_ours_and_theirs),
	KR_TEST(test_swapchain_of_ours),
};

KR_TEST_MAIN(tests)
