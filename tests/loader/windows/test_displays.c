/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Displays of the drivers: their modes, surfaces on their planes, and taking them
 * from a window system.
 */
#include <stdio.h>
#include <string.h>

#include "rig.h"

/* K-38: a display mode is one driver's, and so is the surface of it. */
static void
display_surfaces_are_of_one_driver(void **state)
{
	static const char *const names[] = {"VK_KHR_surface", "VK_KHR_display", NULL};
	VkDisplaySurfaceCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_DISPLAY_SURFACE_CREATE_INFO_KHR};
	VkDisplayModePropertiesKHR mode;
	VkDisplayPropertiesKHR display;
	VkSurfaceKHR surface;
	uint32_t count = 1;
	struct rig r;

	open_rig_without_instance(&r, names);
	r.fakes.b->instance_extensions[0] = "VK_KHR_surface";
	r.fakes.b->instance_extensions[1] = "VK_KHR_display";
	make_instance(&r.l, names);
	assert_int_equal(EXPORTED(&r.l, vkGetPhysicalDeviceDisplayPropertiesKHR)(
				 r.l.devices[1], &count, &display),
		VK_SUCCESS);
	assert_ptr_equal(display.display, r.fakes.b->display);
	assert_int_equal(EXPORTED(&r.l, vkGetDisplayModePropertiesKHR)(
				 r.l.devices[1], display.display, &count, &mode),
		VK_SUCCESS);
	assert_ptr_equal(r.fakes.b->seen_display, display.display);
	info.displayMode = mode.displayMode;
	assert_int_equal(
		EXPORTED(&r.l, vkCreateDisplayPlaneSurfaceKHR)(r.l.instance, &info, NULL, &surface),
		VK_SUCCESS);
	assert_int_equal(surface_support(&r, 0, surface), VK_FALSE);
	assert_int_equal(surface_support(&r, 1, surface), VK_TRUE);
	assert_int_equal(r.fakes.a->surfaces_created, 0);
	assert_int_equal(r.fakes.b->seen_surface_type, info.sType);
	end_surface(&r, surface);
	close_rig(&r);
}

static const char *const acquire_names[] = {"VK_KHR_surface", "VK_KHR_display",
	"VK_EXT_direct_mode_display", "VK_EXT_acquire_xlib_display", "VK_EXT_acquire_drm_display",
	NULL};

/* K-38 */
static void
displays_are_acquired_from_their_driver(void **state)
{
	VkDisplayKHR display = VK_NULL_HANDLE, found = VK_NULL_HANDLE;
	VkDisplayPropertiesKHR properties;
	uint32_t count = 1;
	struct rig r;

	open_rig(&r, acquire_names);
	assert_int_equal(EXPORTED(&r.l, vkGetPhysicalDeviceDisplayPropertiesKHR)(
				 r.l.devices[0], &count, &properties),
		VK_SUCCESS);
	display = properties.display;
	assert_int_equal(
		EXPORTED(&r.l, vkAcquireXlibDisplayEXT)(r.l.devices[0], (Display *)1, display),
		VK_SUCCESS);
	assert_string_equal(r.fakes.a->seen_function, "acquire_xlib");
	assert_ptr_equal(r.fakes.a->seen_display, display);
	assert_int_equal(
		EXPORTED(&r.l, vkGetRandROutputDisplayEXT)(r.l.devices[0], (Display *)1, 5, &found),
		VK_SUCCESS);
	assert_ptr_equal(found, display);
	assert_int_equal(
		EXPORTED(&r.l, vkAcquireDrmDisplayEXT)(r.l.devices[0], 3, display), VK_SUCCESS);
	assert_string_equal(r.fakes.a->seen_function, "acquire_drm");
	found = VK_NULL_HANDLE;
	assert_int_equal(
		EXPORTED(&r.l, vkGetDrmDisplayEXT)(r.l.devices[0], 3, 7, &found), VK_SUCCESS);
	assert_ptr_equal(found, display);
	r.fakes.a->seen_display = VK_NULL_HANDLE;
	assert_int_equal(EXPORTED(&r.l, vkReleaseDisplayEXT)(r.l.devices[0], display), VK_SUCCESS);
	assert_string_equal(r.fakes.a->seen_function, "release_display");
	assert_ptr_equal(r.fakes.a->seen_display, display);
	close_rig(&r);
}

/* K-38 */
static void
a_driver_without_displays_acquires_none(void **state)
{
	uint32_t count = 1;
	struct rig r;
	VkDisplayPropertiesKHR properties;

	open_rig_without_instance(&r, acquire_names);
	r.fakes.b->lacks = "vkAcquireDrmDisplayEXT";
	make_instance(&r.l, acquire_names);
	assert_int_not_equal(EXPORTED(&r.l, vkAcquireDrmDisplayEXT)(
				     r.l.devices[1], 3, (VkDisplayKHR)(uintptr_t)1),
		VK_SUCCESS);
	assert_null(r.fakes.b->seen_display);
	end_instance(&r.l);
	r.fakes.b->lacks = "vkGetPhysicalDeviceDisplayPropertiesKHR";
	make_instance(&r.l, acquire_names);
	assert_int_equal(EXPORTED(&r.l, vkGetPhysicalDeviceDisplayPropertiesKHR)(
				 r.l.devices[1], &count, &properties),
		VK_SUCCESS);
	assert_int_equal(count, 0);
	close_rig(&r);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user_data)
{
	char *heard = user_data;

	assert_int_equal(severity, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT);
	assert_string_equal(heard, "");
	snprintf(heard, 512, "%s", data->pMessage);
	return VK_FALSE;
}

/*
 * K-38, K-50: the second driver gives out functions of extensions that it hasn't got, as some do:
 * it isn't called, and each instance's messengers hear of that once.
 */
static void
what_was_not_enabled_on_a_driver_is_not_called(void **state)
{
	static const char *const names[] = {"VK_KHR_surface", "VK_KHR_display",
		"VK_EXT_direct_mode_display", "VK_EXT_acquire_xlib_display", "VK_EXT_debug_utils",
		NULL};
	const VkDisplayKHR display = (VkDisplayKHR)(uintptr_t)1;
	char heard[512];
	const VkDebugUtilsMessengerCreateInfoEXT info = kr_vulkan_messenger_info(
		VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, hear, heard);
	VkDebugUtilsMessengerEXT messenger;
	struct rig r;

	open_rig_without_instance(&r, names);
	for (int i = 0; i < 2; i++) {
		make_instance(&r.l, names);
		messenger = make_messenger(&r.l, &info);
		heard[0] = '\0';
		for (int j = 0; j < 2; j++)
			assert_int_equal(EXPORTED(&r.l, vkAcquireXlibDisplayEXT)(
						 r.l.devices[1], (Display *)1, display),
				VK_ERROR_EXTENSION_NOT_PRESENT);
		assert_non_null(strstr(heard, "vkAcquireXlibDisplayEXT: the driver \""));
		assert_non_null(strstr(heard, "fake_b"));
		heard[0] = '\0';
		assert_int_equal(EXPORTED(&r.l, vkReleaseDisplayEXT)(r.l.devices[1], display),
			VK_ERROR_EXTENSION_NOT_PRESENT);
		assert_non_null(strstr(heard, "vkReleaseDisplayEXT"));
		assert_null(r.fakes.b->seen_function);
		end_messenger(&r.l, messenger);
		end_instance(&r.l);
	}
	make_instance(&r.l, names);
	close_rig(&r);
}

static const struct kr_test tests[] = {
	KR_TEST(display_surfaces_are_of_one_driver),
	KR_TEST(displays_are_acquired_from_their_driver),
	KR_TEST(a_driver_without_displays_acquires_none),
	KR_TEST(what_was_not_enabled_on_a_driver_is_not_called),
};

KR_TEST_MAIN(tests)
