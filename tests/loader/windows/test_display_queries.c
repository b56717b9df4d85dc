/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Displays and planes, of three kinds of drivers: one with both forms of the queries, one with the
 * first alone, and one that has no displays, though it may give out functions.
 */
#include <string.h>

#include "scene.h"

static const char *const names[] = {"VK_EXT_debug_utils", "VK_KHR_surface", "VK_KHR_display",
	"VK_KHR_get_display_properties2", NULL};
static const char *const first_form[] = {"VK_KHR_display", NULL};

static VkBaseOutStructure beyond = {.sType = VK_STRUCTURE_TYPE_DISPLAY_PRESENT_INFO_KHR};

/* The old driver has displays, by the first form. */
static void
begin(struct scene *s)
{
	begin_scene_with(s, VK_API_VERSION_1_1, names, first_form);
}

static void
expect_first_form(struct scene *s, const char *function, int ignored)
{
	assert_int_equal(s->heard.emulated, 1);
	assert_int_equal(s->heard.ignored, ignored);
	assert_string_equal(s->fakes.a->seen_function, function);
	assert_null(s->fakes.b->seen_function);
	s->heard = (struct heard){0};
	s->fakes.a->seen_function = NULL;
}

static void
expect_asked(struct scene *s, struct fake_control *driver, const char *function)
{
	assert_int_equal(s->heard.emulated + s->heard.ignored, 0);
	assert_string_equal(driver->seen_function, function);
	driver->seen_function = NULL;
}

/* K-32 */
static void
displays(void **state)
{
	VkDisplayProperties2KHR displays[3] = {{.pNext = &beyond}};
	PFN_vkGetPhysicalDeviceDisplayProperties2KHR get;
	uint32_t count = 0;
	struct scene s;

	begin(&s);
	get = OF_INSTANCE(&s.l, vkGetPhysicalDeviceDisplayProperties2KHR);
	assert_int_equal(get(s.old, &count, NULL), VK_SUCCESS);
	assert_int_equal(count, 1);
	expect_first_form(&s, "get_displays", 0);
	count = 3;
	assert_int_equal(get(s.old, &count, displays), VK_SUCCESS);
	assert_int_equal(count, 1);
	assert_ptr_equal(displays[0].displayProperties.display, s.fakes.a->display);
	assert_ptr_equal(displays[0].pNext, &beyond);
	assert_null(displays[1].displayProperties.display);
	expect_first_form(&s, "get_displays", 1);
	assert_int_equal(get(s.new, &count, displays), VK_INCOMPLETE);
	assert_int_equal(count, 1);
	count = 3;
	assert_int_equal(get(s.new, &count, displays), VK_SUCCESS);
	assert_int_equal(count, 2);
	assert_ptr_equal(displays[1].displayProperties.display,
		(VkDisplayKHR)((uintptr_t)&s.fakes.b->display + 1));
	expect_asked(&s, s.fakes.b, "get_displays2");
	end_scene(&s);
}

/* K-32 */
static void
planes(void **state)
{
	VkDisplayPlaneProperties2KHR planes[3] = {{0}, {.pNext = &beyond}};
	VkDisplayPlanePropertiesKHR first[2];
	PFN_vkGetPhysicalDeviceDisplayPlaneProperties2KHR get;
	uint32_t count = 2;
	struct scene s;

	begin(&s);
	assert_int_equal(
		EXPORTED(&s.l, vkGetPhysicalDeviceDisplayPlanePropertiesKHR)(s.old, &count, first),
		VK_SUCCESS);
	assert_int_equal(first[1].currentStackIndex, 11);
	expect_asked(&s, s.fakes.a, "get_planes");
	get = OF_INSTANCE(&s.l, vkGetPhysicalDeviceDisplayPlaneProperties2KHR);
	assert_int_equal(get(s.old, &count, NULL), VK_SUCCESS);
	assert_int_equal(count, 2);
	expect_first_form(&s, "get_planes", 0);
	count = 3;
	assert_int_equal(get(s.old, &count, planes), VK_SUCCESS);
	assert_int_equal(count, 2);
	assert_int_equal(planes[0].displayPlaneProperties.currentStackIndex, 10);
	assert_int_equal(planes[1].displayPlaneProperties.currentStackIndex, 11);
	assert_int_equal(planes[2].displayPlaneProperties.currentStackIndex, 0);
	expect_first_form(&s, "get_planes", 1);
	count = 1;
	assert_int_equal(get(s.old, &count, planes), VK_INCOMPLETE);
	assert_int_equal(count, 1);
	expect_first_form(&s, "get_planes", 0);
	count = 3;
	assert_int_equal(get(s.new, &count, planes), VK_SUCCESS);
	assert_int_equal(planes[1].displayPlaneProperties.currentStackIndex, 21);
	expect_asked(&s, s.fakes.b, "get_planes2");
	end_scene(&s);
}

/* K-32 */
static void
displays_of_a_plane(void **state)
{
	VkDisplayKHR displays[2] = {VK_NULL_HANDLE};
	uint32_t count = 1;
	struct scene s;

	begin(&s);
	assert_int_equal(
		EXPORTED(&s.l, vkGetDisplayPlaneSupportedDisplaysKHR)(s.old, 5, &count, displays),
		VK_INCOMPLETE);
	assert_int_equal(count, 1);
	assert_int_equal(s.fakes.a->seen_plane, 5);
	assert_ptr_equal(displays[0], (VkDisplayKHR)(uintptr_t)&s.fakes.a->display);
	expect_asked(&s, s.fakes.a, "get_displays_of_plane");
	assert_null(s.fakes.b->seen_function);
	end_scene(&s);
}

/* K-32 */
static void
capabilities_of_a_plane(void **state)
{
	const VkDisplayModeKHR mode = (VkDisplayModeKHR)(uintptr_t)0x1234;
	VkDisplayPlaneInfo2KHR info = {
		.sType = VK_STRUCTURE_TYPE_DISPLAY_PLANE_INFO_2_KHR, .mode = mode, .planeIndex = 3};
	VkDisplayPlaneCapabilities2KHR caps = {
		.sType = VK_STRUCTURE_TYPE_DISPLAY_PLANE_CAPABILITIES_2_KHR, .pNext = &beyond};
	PFN_vkGetDisplayPlaneCapabilities2KHR get;
	struct scene s;

	begin(&s);
	get = OF_INSTANCE(&s.l, vkGetDisplayPlaneCapabilities2KHR);
	assert_int_equal(get(s.old, &info, &caps), VK_SUCCESS);
	assert_int_equal(caps.capabilities.minSrcExtent.height, 6);
	assert_ptr_equal(s.fakes.a->seen_display_mode, mode);
	assert_int_equal(s.fakes.a->seen_plane, 3);
	expect_first_form(&s, "get_plane_caps", 1);
	info.planeIndex = 4;
	assert_int_equal(get(s.new, &info, &caps), VK_SUCCESS);
	assert_int_equal(s.fakes.b->seen_plane, 4);
	expect_asked(&s, s.fakes.b, "get_plane_caps2");
	end_scene(&s);
}

/* K-32, K-38: a mode is remembered by whichever query or call the application had it of. */
static void
modes_belong_to_their_driver(void **state)
{
	VkDisplayModeCreateInfoKHR create_info = {
		.sType = VK_STRUCTURE_TYPE_DISPLAY_MODE_CREATE_INFO_KHR};
	VkDisplaySurfaceCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_DISPLAY_SURFACE_CREATE_INFO_KHR};
	const VkDisplayKHR display = (VkDisplayKHR)(uintptr_t)0x1234;
	VkDisplayModeProperties2KHR mode = {.pNext = &beyond};
	VkDisplayModeKHR modes[3];
	uint32_t count = 1;
	struct scene s;

	begin(&s);
	assert_int_equal(
		OF_INSTANCE(&s.l, vkGetDisplayModeProperties2KHR)(s.old, display, &count, &mode),
		VK_SUCCESS);
	expect_first_form(&s, "get_modes", 1);
	modes[0] = mode.displayModeProperties.displayMode;
	assert_int_equal(
		OF_INSTANCE(&s.l, vkGetDisplayModeProperties2KHR)(s.new, display, &count, &mode),
		VK_SUCCESS);
	expect_asked(&s, s.fakes.b, "get_modes2");
	modes[1] = mode.displayModeProperties.displayMode;
	assert_int_equal(EXPORTED(&s.l, vkCreateDisplayModeKHR)(
				 s.new, display, &create_info, NULL, &modes[2]),
		VK_SUCCESS);
	expect_asked(&s, s.fakes.b, "create_mode");
	assert_ptr_equal(s.fakes.b->seen_display, display);
	for (int i = 0; i < 3; i++) {
		struct fake_control *own = i ? s.fakes.b : s.fakes.a;
		VkBool32 supported[2];
		VkSurfaceKHR surface;

		info.displayMode = modes[i];
		assert_int_equal(EXPORTED(&s.l, vkCreateDisplayPlaneSurfaceKHR)(
					 s.l.instance, &info, NULL, &surface),
			VK_SUCCESS);
		for (int j = 0; j < 2; j++)
			assert_int_equal(EXPORTED(&s.l, vkGetPhysicalDeviceSurfaceSupportKHR)(
						 s.l.devices[j], 0, surface, &supported[j]),
				VK_SUCCESS);
		assert_int_equal(supported[0], i == 0);
		assert_int_equal(supported[1], i != 0);
		assert_int_equal(own->surfaces, 1);
		EXPORTED(&s.l, vkDestroySurfaceKHR)(s.l.instance, surface, NULL);
	}
	end_scene(&s);
}

/* K-32, K-38: it gives out all of these functions, and none is called. */
static void
a_driver_without_displays_is_not_asked(void **state)
{
	const VkDisplayModeKHR mode = (VkDisplayModeKHR)(uintptr_t)0x1234;
	VkDisplayPlaneCapabilitiesKHR caps = {.minSrcExtent = {3, 3}};
	VkDisplayPlanePropertiesKHR plane;
	VkDisplayPlaneProperties2KHR plane2 = {0};
	VkDisplayProperties2KHR display2 = {0};
	VkDisplayModePropertiesKHR mode_properties;
	VkDisplayKHR display;
	uint32_t counts[5] = {1, 1, 1, 1, 1};
	struct scene s;

	begin_scene(&s, VK_API_VERSION_1_1, names);
	assert_int_equal(EXPORTED(&s.l, vkGetPhysicalDeviceDisplayPlanePropertiesKHR)(
				 s.old, &counts[0], &plane),
		VK_SUCCESS);
	assert_int_equal(EXPORTED(&s.l, vkGetDisplayPlaneSupportedDisplaysKHR)(
				 s.old, 0, &counts[1], &display),
		VK_SUCCESS);
	assert_int_equal(EXPORTED(&s.l, vkGetDisplayModePropertiesKHR)(
				 s.old, VK_NULL_HANDLE, &counts[2], &mode_properties),
		VK_SUCCESS);
	assert_int_equal(OF_INSTANCE(&s.l, vkGetPhysicalDeviceDisplayPlaneProperties2KHR)(
				 s.old, &counts[3], &plane2),
		VK_SUCCESS);
	assert_int_equal(OF_INSTANCE(&s.l, vkGetPhysicalDeviceDisplayProperties2KHR)(
				 s.old, &counts[4], &display2),
		VK_SUCCESS);
	for (size_t i = 0; i < KR_ARRAY_LEN(counts); i++)
		assert_int_equal(counts[i], 0);
	assert_int_equal(EXPORTED(&s.l, vkGetDisplayPlaneCapabilitiesKHR)(s.old, mode, 0, &caps),
		VK_SUCCESS);
	assert_int_equal(caps.minSrcExtent.width, 0);
	assert_null(s.fakes.a->seen_function);
	end_scene(&s);
}

static VkPhysicalDevice
device_of(const struct loader *l, const char *driver)
{
	VkPhysicalDeviceProperties properties;

	for (uint32_t i = 0; i < l->device_count; i++) {
		EXPORTED(l, vkGetPhysicalDeviceProperties)(l->devices[i], &properties);
		if (!strcmp(properties.deviceName, driver))
			return l->devices[i];
	}
	fail_msg("%s has no device", driver);
	return VK_NULL_HANDLE;
}

/* The application's memory runs out within an emulation. */
static void
no_memory_is_an_error(void **state)
{
	static const char *const own_names[] = {
		"VK_KHR_surface", "VK_KHR_display", "VK_KHR_get_display_properties2", NULL};
	struct counting counting;
	const struct kr_vulkan_instance_info info = {
		.extensions = own_names,
		.allocator = &counting.callbacks,
	};
	VkDisplayProperties2KHR display = {0};
	VkDisplayPlaneProperties2KHR plane = {0};
	VkDisplayModeProperties2KHR mode = {0};
	uint32_t count = 1;
	struct fakes fakes;
	struct loader l;
	VkPhysicalDevice device;

	open_fakes(&fakes);
	fakes.a->instance_extensions[0] = "VK_KHR_display";
	fakes.b->instance_extensions[0] = "VK_KHR_get_display_properties2";
	use_both_fakes();
	open_loader(&l);
	counting_init(&counting, -1);
	assert_int_equal(try_instance_with(&l, &info), VK_SUCCESS);
	find_devices(&l);
	device = device_of(&l, "a");
	counting.fail_at = counting.allocations;
	assert_int_equal(
		OF_INSTANCE(&l, vkGetPhysicalDeviceDisplayProperties2KHR)(device, &count, &display),
		VK_ERROR_OUT_OF_HOST_MEMORY);
	counting.fail_at = counting.allocations;
	assert_int_equal(OF_INSTANCE(&l, vkGetPhysicalDeviceDisplayPlaneProperties2KHR)(
				 device, &count, &plane),
		VK_ERROR_OUT_OF_HOST_MEMORY);
	counting.fail_at = counting.allocations;
	assert_int_equal(OF_INSTANCE(&l, vkGetDisplayModeProperties2KHR)(
				 device, VK_NULL_HANDLE, &count, &mode),
		VK_ERROR_OUT_OF_HOST_MEMORY);
	assert_null(fakes.a->seen_function);
	EXPORTED(&l, vkDestroyInstance)(l.instance, &counting.callbacks);
	assert_int_equal(counting.alive, 0);
	close_loader(&l);
	close_fakes(&fakes);
}

/* K-32: it says that it has the extension, and lacks one of the functions. */
static void
a_form_that_a_driver_lacks_comes_from_the_other(void **state)
{
	VkDisplayPlaneProperties2KHR plane = {0};
	uint32_t count = 1;
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	fakes.b->instance_extensions[0] = "VK_KHR_surface";
	fakes.b->instance_extensions[1] = "VK_KHR_display";
	fakes.b->instance_extensions[2] = "VK_KHR_get_display_properties2";
	fakes.b->lacks = "vkGetPhysicalDeviceDisplayPlaneProperties2KHR";
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, names);
	assert_int_equal(OF_INSTANCE(&l, vkGetPhysicalDeviceDisplayPlaneProperties2KHR)(
				 device_of(&l, "b"), &count, &plane),
		VK_INCOMPLETE);
	assert_int_equal(plane.displayPlaneProperties.currentStackIndex, 10);
	assert_string_equal(fakes.b->seen_function, "get_planes");
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

static const struct kr_test tests[] = {
	KR_TEST(displays),
	KR_TEST(planes),
	KR_TEST(displays_of_a_plane),
	KR_TEST(capabilities_of_a_plane),
	KR_TEST(modes_belong_to_their_driver),
	KR_TEST(a_driver_without_displays_is_not_asked),
	KR_TEST(no_memory_is_an_error),
	KR_TEST(a_form_that_a_driver_lacks_comes_from_the_other),
};

KR_TEST_MAIN(tests)
