/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Window systems of the drivers: surfaces, presentation queries and displays pass to the driver
 * that has them, and to no other.
 */
#include <dlfcn.h>
#include <string.h>
#include <vulkan/vk_icd.h>

#include "rig.h"

struct platform {
	const char *extension;
	VkStructureType type;
	const char *create; /* all of these take the same arguments but for the structure */
	VkBool32 (*support)(struct loader *l, VkPhysicalDevice device);
};

typedef VkResult(VKAPI_PTR *create_fn)(VkInstance instance, const void *info,
	const VkAllocationCallbacks *allocator, VkSurfaceKHR *surface);

static VkBool32
xcb_support(struct loader *l, VkPhysicalDevice device)
{
	return EXPORTED(l, vkGetPhysicalDeviceXcbPresentationSupportKHR)(
		device, 0, (xcb_connection_t *)1, 0);
}

static VkBool32
xlib_support(struct loader *l, VkPhysicalDevice device)
{
	return EXPORTED(l, vkGetPhysicalDeviceXlibPresentationSupportKHR)(
		device, 0, (Display *)1, 0);
}

static VkBool32
wayland_support(struct loader *l, VkPhysicalDevice device)
{
	return EXPORTED(l, vkGetPhysicalDeviceWaylandPresentationSupportKHR)(
		device, 0, (struct wl_display *)1);
}

/* Not exported by name, like every extension that few have. */
static VkBool32
directfb_support(struct loader *l, VkPhysicalDevice device)
{
	PFN_vkGetPhysicalDeviceDirectFBPresentationSupportEXT support =
		OF_INSTANCE(l, vkGetPhysicalDeviceDirectFBPresentationSupportEXT);

	return support ? support(device, 0, (IDirectFB *)1) : VK_FALSE;
}

static const struct platform platforms[] = {
	{"VK_KHR_xcb_surface", VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR,
		"vkCreateXcbSurfaceKHR", xcb_support},
	{"VK_KHR_xlib_surface", VK_STRUCTURE_TYPE_XLIB_SURFACE_CREATE_INFO_KHR,
		"vkCreateXlibSurfaceKHR", xlib_support},
	{"VK_KHR_wayland_surface", VK_STRUCTURE_TYPE_WAYLAND_SURFACE_CREATE_INFO_KHR,
		"vkCreateWaylandSurfaceKHR", wayland_support},
	{"VK_EXT_directfb_surface", VK_STRUCTURE_TYPE_DIRECTFB_SURFACE_CREATE_INFO_EXT,
		"vkCreateDirectFBSurfaceEXT", directfb_support},
};

static VkResult
try_surface(struct rig *r, const struct platform *platform, VkSurfaceKHR *surface)
{
	/* The largest, and all that the drivers look at. */
	union {
		VkXcbSurfaceCreateInfoKHR xcb;
		VkXlibSurfaceCreateInfoKHR xlib;
		VkWaylandSurfaceCreateInfoKHR wayland;
		VkDirectFBSurfaceCreateInfoEXT directfb;
	} info = {.xcb = {.sType = platform->type, .window = 77}};
	create_fn create = (create_fn)dlsym(r->l.dso, platform->create);

	if (!create)
		create = (create_fn)r->l.gipa(r->l.instance, platform->create);
	if (!create)
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	if (platform->type == VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR)
		info.xcb.connection = (xcb_connection_t *)1;
	return create(r->l.instance, &info, NULL, surface);
}

static VkSurfaceKHR
make_surface(struct rig *r, const struct platform *platform)
{
	VkSurfaceKHR surface;

	assert_int_equal(try_surface(r, platform, &surface), VK_SUCCESS);
	return surface;
}

/* K-38 */
static void
each_platform_is_its_drivers(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(platforms); i++) {
		const struct platform *p = &platforms[i];
		const char *const names[] = {"VK_KHR_surface", p->extension, NULL};
		VkPresentModeKHR mode;
		VkSurfaceKHR surface;
		uint32_t count = 1;
		struct rig r;

		open_rig(&r, names);
		assert_int_equal(p->support(&r.l, r.l.devices[0]), VK_TRUE);
		assert_int_equal(p->support(&r.l, r.l.devices[1]), VK_FALSE);
		assert_non_null(r.fakes.a->seen_function);
		assert_null(r.fakes.b->seen_function);
		surface = make_surface(&r, p);
		assert_int_equal(r.fakes.a->surfaces_created, 0);
		assert_int_equal(surface_support(&r, 0, surface), VK_TRUE);
		assert_int_equal(surface_support(&r, 1, surface), VK_FALSE);
		assert_int_equal(r.fakes.a->seen_surface_type, p->type);
		assert_int_equal(EXPORTED(&r.l, vkGetPhysicalDeviceSurfacePresentModesKHR)(
					 r.l.devices[0], surface, &count, &mode),
			VK_SUCCESS);
		assert_ptr_equal(r.fakes.a->seen_surface, r.fakes.a->surface);
		assert_int_equal(EXPORTED(&r.l, vkGetPhysicalDeviceSurfacePresentModesKHR)(
					 r.l.devices[1], surface, &count, &mode),
			VK_ERROR_EXTENSION_NOT_PRESENT);
		assert_int_equal(r.fakes.a->surfaces_created, 1);
		assert_int_equal(r.fakes.b->surfaces_created, 0);
		assert_null(r.fakes.b->seen_surface);
		end_surface(&r, surface);
		close_rig(&r);
	}
}

/* K-38 */
static void
a_platform_that_was_not_enabled_makes_none(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(platforms); i++) {
		const char *const has[] = {"VK_KHR_surface", platforms[i].extension, NULL};
		static const char *const enabled[] = {"VK_KHR_surface", NULL};
		VkSurfaceKHR surface = VK_NULL_HANDLE;
		struct rig r;

		open_rig_without_instance(&r, has);
		make_instance(&r.l, enabled);
		assert_null(r.l.gipa(r.l.instance, platforms[i].create));
		assert_int_equal(
			try_surface(&r, &platforms[i], &surface), VK_ERROR_EXTENSION_NOT_PRESENT);
		assert_null(surface);
		assert_int_equal(platforms[i].support(&r.l, r.l.devices[0]), VK_FALSE);
		assert_null(r.fakes.a->seen_function);
		close_rig(&r);
	}
}

static void
look_at_loaders_surface(struct rig *r)
{
	VkSurfaceKHR surface = make_surface(r, &platforms[0]);
	const struct {
		VkIcdSurfaceBase base;
		xcb_connection_t *connection;
		xcb_window_t window;
	} * seen;

	assert_int_equal(surface_support(r, 0, surface), VK_TRUE);
	assert_int_equal(r->fakes.a->surfaces_created, 0);
	assert_ptr_equal(r->fakes.a->seen_surface, surface);
	seen = (const void *)surface;
	assert_int_equal(seen->base.platform, VK_ICD_WSI_PLATFORM_XCB);
	assert_ptr_equal(seen->connection, (xcb_connection_t *)1);
	assert_int_equal(seen->window, 77);
	assert_int_equal(surface_support(r, 1, surface), VK_FALSE);
	end_surface(r, surface);
}

static const char *const xcb_names[] = {"VK_KHR_surface", "VK_KHR_xcb_surface", NULL};

/* K-38, K-18 */
static void
interface_2_reads_the_loaders_surface(void **state)
{
	struct rig r;

	open_rig_without_instance(&r, xcb_names);
	r.fakes.a->interface_version = 2;
	make_instance(&r.l, xcb_names);
	look_at_loaders_surface(&r);
	close_rig(&r);
}

/* K-38: later drivers need not have surfaces of their own either. */
static void
a_driver_without_the_function_reads_the_loaders_surface(void **state)
{
	struct rig r;

	open_rig_without_instance(&r, xcb_names);
	r.fakes.a->lacks = "vkCreateXcbSurfaceKHR";
	make_instance(&r.l, xcb_names);
	look_at_loaders_surface(&r);
	close_rig(&r);
}

static int heard;

static VKAPI_ATTR VkBool32 VKAPI_CALL
hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user_data)
{
	heard += strstr(data->pMessage, user_data) != NULL;
	return VK_FALSE;
}

/* K-38, K-50 */
static void
a_driver_that_cannot_be_asked_is_named(void **state)
{
	static const char *const names[] = {
		"VK_KHR_surface", "VK_KHR_wayland_surface", "VK_EXT_debug_utils", NULL};
	static const char function[] = "vkGetPhysicalDeviceWaylandPresentationSupportKHR";
	const VkDebugUtilsMessengerCreateInfoEXT info = kr_vulkan_messenger_info(
		VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, hear, (void *)(uintptr_t)function);
	VkDebugUtilsMessengerEXT messenger;
	struct rig r;

	open_rig_without_instance(&r, names);
	r.fakes.a->lacks = function;
	make_instance(&r.l, names);
	messenger = make_messenger(&r.l, &info);
	/* One that doesn't claim to have the window system is nothing to speak of. */
	assert_int_equal(wayland_support(&r.l, r.l.devices[1]), VK_FALSE);
	assert_int_equal(heard, 0);
	assert_int_equal(wayland_support(&r.l, r.l.devices[0]), VK_FALSE);
	assert_int_equal(heard, 1);
	end_messenger(&r.l, messenger);
	close_rig(&r);
}

/* K-38: VK_GOOGLE_surfaceless_query is answered by a driver that has it, without a surface. */
static void
surfaceless_queries_are_the_drivers(void **state)
{
	static const char *const names[] = {"VK_KHR_surface", "VK_GOOGLE_surfaceless_query", NULL};
	VkSurfaceFormatKHR formats[2];
	uint32_t count = 2;
	struct rig r;

	open_rig_without_instance(&r, names);
	r.fakes.b->instance_extensions[0] = "VK_KHR_surface";
	make_instance(&r.l, names);
	r.fakes.a->seen_surface = (VkSurfaceKHR)(uintptr_t)1;
	assert_int_equal(EXPORTED(&r.l, vkGetPhysicalDeviceSurfaceFormatsKHR)(
				 r.l.devices[0], VK_NULL_HANDLE, &count, formats),
		VK_SUCCESS);
	assert_int_equal(count, 2);
	assert_null(r.fakes.a->seen_surface);
	r.fakes.b->seen_surface = (VkSurfaceKHR)(uintptr_t)1;
	assert_int_equal(EXPORTED(&r.l, vkGetPhysicalDeviceSurfaceFormatsKHR)(
				 r.l.devices[1], VK_NULL_HANDLE, &count, formats),
		VK_ERROR_EXTENSION_NOT_PRESENT);
	assert_ptr_equal(r.fakes.b->seen_surface, (VkSurfaceKHR)(uintptr_t)1);
	close_rig(&r);
}

/* K-38, K-32: one driver has VK_EXT_surface_maintenance1, the neighbour is answered for. */
static void
surface_maintenance_is_answered_for(void **state)
{
	static const char *const names[] = {"VK_KHR_surface", "VK_KHR_xcb_surface",
		"VK_KHR_get_surface_capabilities2", "VK_EXT_surface_maintenance1", NULL};
	VkPresentModeKHR modes[3] = {VK_PRESENT_MODE_MAX_ENUM_KHR};
	VkSurfacePresentModeEXT mode = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_EXT,
		.presentMode = VK_PRESENT_MODE_MAILBOX_KHR,
	};
	VkPhysicalDeviceSurfaceInfo2KHR info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR,
		.pNext = &mode,
	};
	VkSurfacePresentModeCompatibilityEXT compatible = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_EXT};
	VkSurfacePresentScalingCapabilitiesEXT scaling = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_EXT,
		.pNext = &compatible,
		.supportedPresentScaling = 17,
		.maxScaledImageExtent = {9, 9},
	};
	VkSurfaceCapabilities2KHR caps = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR, .pNext = &scaling};
	PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR ask;
	struct rig r;

	open_rig_without_instance(&r, names);
	r.fakes.b->instance_extensions[0] = "VK_KHR_surface";
	r.fakes.b->instance_extensions[1] = "VK_KHR_xcb_surface";
	make_instance(&r.l, names);
	info.surface = make_surface(&r, &platforms[0]);
	ask = EXPORTED(&r.l, vkGetPhysicalDeviceSurfaceCapabilities2KHR);
	assert_int_equal(ask(r.l.devices[1], &info, &caps), VK_SUCCESS);
	assert_int_equal(caps.surfaceCapabilities.minImageCount, 7);
	assert_int_equal(compatible.presentModeCount, 1);
	assert_int_equal(scaling.supportedPresentScaling, 0);
	assert_int_equal(
		scaling.maxScaledImageExtent.width, caps.surfaceCapabilities.maxImageExtent.width);
	compatible.presentModeCount = 3;
	compatible.pPresentModes = modes;
	assert_int_equal(ask(r.l.devices[1], &info, &caps), VK_SUCCESS);
	assert_int_equal(compatible.presentModeCount, 1);
	assert_int_equal(modes[0], VK_PRESENT_MODE_MAILBOX_KHR);
	end_surface(&r, info.surface);
	close_rig(&r);
}

/* K-38 */
static void
device_functions_take_the_drivers_surface(void **state)
{
	static const char *const device_names[] = {
		"VK_KHR_swapchain", "VK_KHR_display_swapchain", NULL};
	VkSwapchainCreateInfoKHR infos[2] = {
		{.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR}};
	VkDeviceGroupPresentModeFlagsKHR modes = 0;
	VkSwapchainKHR swapchains[2];
	VkSurfaceKHR surface;
	VkDevice device;
	struct rig r;

	open_rig_without_instance(&r, xcb_names);
	r.fakes.a->device_extensions[0] = "VK_KHR_swapchain";
	r.fakes.a->device_extensions[1] = "VK_KHR_display_swapchain";
	make_instance(&r.l, xcb_names);
	surface = make_surface(&r, &platforms[0]);
	device = make_device(&r.l, r.l.devices[0], device_names);
	assert_int_equal(
		EXPORTED(&r.l, vkGetDeviceGroupSurfacePresentModesKHR)(device, surface, &modes),
		VK_SUCCESS);
	assert_int_equal(modes, VK_DEVICE_GROUP_PRESENT_MODE_REMOTE_BIT_KHR);
	assert_ptr_equal(r.fakes.a->seen_surface, r.fakes.a->surface);
	r.fakes.a->seen_surface = VK_NULL_HANDLE;
	infos[1] = infos[0];
	infos[0].surface = infos[1].surface = surface;
	assert_int_equal(
		EXPORTED(&r.l, vkCreateSharedSwapchainsKHR)(device, 2, infos, NULL, swapchains),
		VK_SUCCESS);
	assert_ptr_equal(r.fakes.a->seen_surface, r.fakes.a->surface);
	assert_ptr_equal(infos[1].surface, surface);
	end_device(&r.l, device);
	end_surface(&r, surface);
	close_rig(&r);
}

/* K-27 */
static void
a_swapchain_without_a_surface_aborts(void **state)
{
	static const char *const device_names[] = {"VK_KHR_swapchain", NULL};
	VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
	VkSwapchainKHR swapchain;
	VkDevice device;
	struct rig r;

	open_rig_without_instance(&r, xcb_names);
	r.fakes.a->device_extensions[0] = "VK_KHR_swapchain";
	make_instance(&r.l, xcb_names);
	device = make_device(&r.l, r.l.devices[0], device_names);
	(void)EXPORTED(&r.l, vkCreateSwapchainKHR)(device, &info, NULL, &swapchain);
}

static const struct kr_test tests[] = {
	KR_TEST(each_platform_is_its_drivers),
	KR_TEST(a_platform_that_was_not_enabled_makes_none),
	KR_TEST(interface_2_reads_the_loaders_surface),
	KR_TEST(a_driver_without_the_function_reads_the_loaders_surface),
	KR_TEST(a_driver_that_cannot_be_asked_is_named),
	KR_TEST(surfaceless_queries_are_the_drivers),
	KR_TEST(surface_maintenance_is_answered_for),
	KR_TEST(device_functions_take_the_drivers_surface),
	KR_TEST_FLAGS(a_swapchain_without_a_surface_aborts, KR_TEST_EXPECT_ABORT),
};

KR_TEST_MAIN(tests)
