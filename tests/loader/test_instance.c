/* SPDX-License-Identifier: Apache-2.0 */
/* Instances over several drivers: who takes part, with what, and what is left behind. */
#include <stdio.h>
#include <string.h>

#include "support.h"

static const char *const surface_names[] = {"VK_KHR_surface", "VK_KHR_xcb_surface", NULL};

static void
test_devices_of_both_drivers(void **state)
{
	struct fakes fakes;
	struct loader l;
	VkPhysicalDevice again[8];
	uint32_t count = 8;

	open_fakes(&fakes);
	fakes.a->device_count = 2;
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, NULL);
	assert_int_equal(l.device_count, 3);
	/* Each call reaches the driver's own handle. */
	for (uint32_t i = 0; i < 3; i++) {
		VkPhysicalDeviceProperties properties;
		struct fake_control *c = i < 2 ? fakes.a : fakes.b;

		EXPORTED(&l, vkGetPhysicalDeviceProperties)(l.devices[i], &properties);
		assert_string_equal(properties.deviceName, i < 2 ? "a" : "b");
		assert_ptr_equal(c->seen_physical_device, c->physical_devices[i % 2]);
		assert_ptr_not_equal(l.devices[i], c->seen_physical_device);
		/* Layers key on the first word: it is the instance's. */
		assert_ptr_equal(*(void **)l.devices[i], *(void **)l.instance);
	}
	/* The same objects every time, also through groups. */
	assert_int_equal(
		EXPORTED(&l, vkEnumeratePhysicalDevices)(l.instance, &count, again), VK_SUCCESS);
	assert_memory_equal(again, l.devices, 3 * sizeof(again[0]));
	count = 2;
	assert_int_equal(
		EXPORTED(&l, vkEnumeratePhysicalDevices)(l.instance, &count, again), VK_INCOMPLETE);
	assert_int_equal(count, 2);
	end_instance(&l);
	assert_int_equal(fakes.a->instances, 0);
	assert_int_equal(fakes.b->instances, 0);
	close_loader(&l);
	close_fakes(&fakes);
}

static void
test_groups(void **state)
{
	VkPhysicalDeviceGroupProperties groups[4] = {0};
	struct fakes fakes;
	struct loader l;
	uint32_t count = 4;

	open_fakes(&fakes);
	fakes.a->device_count = 2;
	fakes.b->no_groups = true; /* then the loader makes one for each device */
	fakes.b->device_count = 2;
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, NULL);
	assert_int_equal(EXPORTED(&l, vkEnumeratePhysicalDeviceGroups)(l.instance, &count, groups),
		VK_SUCCESS);
	assert_int_equal(count, 3);
	assert_int_equal(groups[0].physicalDeviceCount, 2);
	assert_ptr_equal(groups[0].physicalDevices[1], l.devices[1]);
	assert_int_equal(groups[1].physicalDeviceCount, 1);
	assert_ptr_equal(groups[1].physicalDevices[0], l.devices[2]);
	assert_ptr_equal(groups[2].physicalDevices[0], l.devices[3]);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

static void
test_extensions_go_to_who_has_them(void **state)
{
	static const char *const wanted[] = {"VK_KHR_surface", "VK_KHR_xcb_surface",
		"VK_KHR_device_group_creation", "VK_EXT_headless_surface", NULL};
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	fakes.a->instance_extensions[0] = "VK_KHR_surface";
	fakes.a->instance_extensions[1] = "VK_KHR_xcb_surface";
	fakes.b->instance_extensions[0] = "VK_KHR_device_group_creation";
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, wanted);
	assert_int_equal(fakes.a->seen_instance_extension_count, 2);
	assert_true(has_name(fakes.a->seen_instance_extensions, 2, "VK_KHR_xcb_surface"));
	assert_true(has_name(fakes.a->seen_instance_extensions, 2, "VK_KHR_surface"));
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

static void
test_missing_extension(void **state)
{
	static const char *const unknown[] = {"VK_KR_nothing", NULL};
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	use_both_fakes();
	open_loader(&l);
	/* Neither driver has xcb, and the platform's window system isn't chosen. */
	assert_int_equal(try_instance(&l, VK_API_VERSION_1_1, surface_names),
		VK_ERROR_EXTENSION_NOT_PRESENT);
	assert_int_equal(
		try_instance(&l, VK_API_VERSION_1_1, unknown), VK_ERROR_EXTENSION_NOT_PRESENT);
	assert_null(l.instance);
	assert_int_equal(fakes.a->instances_created, 0);
	close_loader(&l);
	close_fakes(&fakes);
}

static bool
offers(const struct loader *l, const char *name)
{
	VkExtensionProperties list[64];
	uint32_t count = 64;

	assert_int_equal(EXPORTED(l, vkEnumerateInstanceExtensionProperties)(NULL, &count, list),
		VK_SUCCESS);
	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(list[i].extensionName, name))
			return true;
	}
	return false;
}

static void
test_offered_extensions(void **state)
{
	struct fakes fakes;
	struct loader l;
	uint32_t count = 1;
	VkExtensionProperties one;

	open_fakes(&fakes);
	fakes.a->instance_extensions[0] = "VK_KHR_xlib_surface";
	fakes.a->instance_extensions[1] = "VK_KR_unknown";
	fakes.b->instance_extensions[0] = "VK_KHR_external_memory_capabilities";
	use_both_fakes();
	open_loader(&l);
	/* On every driver: what W-01 lists of instances comes first. */
	assert_true(offers(&l, "VK_KHR_surface"));
	assert_true(offers(&l, "VK_KHR_android_surface"));
	assert_true(offers(&l, "VK_EXT_headless_surface"));
	assert_true(offers(&l, "VK_EXT_debug_utils"));
	assert_true(offers(&l, "VK_KHR_xlib_surface"));
	assert_true(offers(&l, "VK_KHR_external_memory_capabilities"));
	assert_false(offers(&l, "VK_KHR_xcb_surface"));
	assert_false(offers(&l, "VK_KR_unknown"));
	assert_int_equal(EXPORTED(&l, vkEnumerateInstanceExtensionProperties)(NULL, &count, &one),
		VK_INCOMPLETE);
	assert_int_equal(count, 1);
	close_loader(&l);
	close_fakes(&fakes);
}

static void
test_offered_with_platform_wsi(void **state)
{
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	fakes.a->instance_extensions[0] = "VK_EXT_directfb_surface";
	fakes.a->instance_extensions[1] = "VK_KHR_wayland_surface";
	use_both_fakes();
	set_variable("KRAFLA_WSI", "platform");
	open_loader(&l);
	/* What the platform can't present to isn't offered. */
	assert_true(offers(&l, "VK_KHR_xcb_surface"));
	assert_true(offers(&l, "VK_KHR_xlib_surface"));
	assert_false(offers(&l, "VK_EXT_directfb_surface"));
	assert_true(offers(&l, "VK_KHR_wayland_surface"));
	set_variable("KRAFLA_DISPLAY", "/nonexistent/display");
	assert_true(offers(&l, "VK_KHR_wayland_surface"));
	assert_false(offers(&l, "VK_EXT_directfb_surface"));
	close_loader(&l);
	close_fakes(&fakes);
}

static void
test_old_driver_gets_old_version(void **state)
{
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	fakes.a->api_version = 0; /* no vkEnumerateInstanceVersion */
	use_both_fakes();
	open_loader(&l);
	assert_int_equal(try_instance(&l, VK_API_VERSION_1_3, NULL), VK_SUCCESS);
	assert_int_equal(fakes.a->seen_api_version, VK_API_VERSION_1_0);
	assert_int_equal(fakes.b->seen_api_version, VK_API_VERSION_1_3);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

static void
test_failing_driver_is_left_out(void **state)
{
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	fakes.a->create_instance_result = VK_ERROR_INITIALIZATION_FAILED;
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, NULL);
	assert_int_equal(l.device_count, 1);
	end_instance(&l);
	fakes.b->create_instance_result = VK_ERROR_INCOMPATIBLE_DRIVER;
	assert_int_equal(try_instance(&l, VK_API_VERSION_1_1, NULL), VK_ERROR_INCOMPATIBLE_DRIVER);
	/* Without memory nobody is left out silently. */
	fakes.a->create_instance_result = VK_SUCCESS;
	fakes.b->create_instance_result = VK_ERROR_OUT_OF_HOST_MEMORY;
	assert_int_equal(try_instance(&l, VK_API_VERSION_1_1, NULL), VK_ERROR_OUT_OF_HOST_MEMORY);
	assert_int_equal(fakes.a->instances, 0);
	close_loader(&l);
	close_fakes(&fakes);
}

static void
test_failing_enumeration_is_left_out(void **state)
{
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	fakes.a->enumerate_result = VK_ERROR_INITIALIZATION_FAILED;
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, NULL);
	assert_int_equal(l.device_count, 1);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* K-36: as everywhere on Linux. */
static void
test_no_driver(void **state)
{
	struct loader l;

	use_no_drivers();
	open_loader(&l);
	assert_int_equal(try_instance(&l, VK_API_VERSION_1_1, NULL), VK_ERROR_INCOMPATIBLE_DRIVER);
	assert_null(l.instance);
	close_loader(&l);
}

/* D-04, K-45: instances work and have no devices. */
static void
test_no_driver_on_android(void **state)
{
	struct loader l;

	use_no_drivers();
	set_variable("KRAFLA_PROFILE", "android");
	open_loader(&l);
	make_instance(&l, NULL);
	assert_int_equal(l.device_count, 0);
	end_instance(&l);
	close_loader(&l);
}

/* D-04 */
static void
test_broken_hal_is_an_error(void **state)
{
	struct loader l;

	use_no_drivers();
	set_variable("KRAFLA_HAL_PATH", kr_test_dir());
	set_variable("KRAFLA_PROP_ro_hardware_vulkan", "broken");
	kr_test_file("vulkan.broken.so", "not a library");
	open_loader(&l);
	assert_int_equal(try_instance(&l, VK_API_VERSION_1_1, NULL), VK_ERROR_INCOMPATIBLE_DRIVER);
	close_loader(&l);
}

static void
test_portability(void **state)
{
	static const char *const names[] = {"VK_KHR_portability_enumeration", NULL};
	const struct kr_vulkan_instance_info info = {
		.flags = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR,
		.extensions = names,
	};
	struct fakes fakes;
	struct loader l;
	char text[1024];

	open_fakes(&fakes);
	use_no_drivers();
	snprintf(text, sizeof(text),
		"{\"file_format_version\": \"1.0.1\", \"ICD\": {\"library_path\": \"%s\", "
		"\"api_version\": \"1.1.0\", \"is_portability_driver\": true}}",
		TEST_FAKE_A);
	set_variable("VK_DRIVER_FILES", kr_test_file("portable.json", text));
	open_loader(&l);
	assert_int_equal(try_instance(&l, VK_API_VERSION_1_1, NULL), VK_ERROR_INCOMPATIBLE_DRIVER);
	assert_int_equal(try_instance_with(&l, &info), VK_SUCCESS);
	assert_int_equal(fakes.a->seen_flags, 0);
	assert_int_equal(fakes.a->seen_instance_extension_count, 0);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* Every allocation of instance and enumeration fails once; nothing stays behind. */
static void
test_allocation_failures(void **state)
{
	const VkDebugUtilsMessengerCreateInfoEXT messenger = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
	};
	struct counting counting;
	const struct kr_vulkan_instance_info info = {
		.chain = &messenger,
		.allocator = &counting.callbacks,
	};
	struct fakes fakes;
	struct loader l;
	long failures = 0;
	VkResult result;

	open_fakes(&fakes);
	use_both_fakes();
	open_loader(&l);
	for (long i = 0;; i++) {
		VkPhysicalDevice devices[4];
		uint32_t count = 4;

		counting_init(&counting, i);
		result = try_instance_with(&l, &info);
		if (result == VK_SUCCESS) {
			result = EXPORTED(&l, vkEnumeratePhysicalDevices)(
				l.instance, &count, devices);
			EXPORTED(&l, vkDestroyInstance)(l.instance, &counting.callbacks);
		}
		assert_int_equal(counting.alive, 0);
		assert_int_equal(fakes.a->instances, 0);
		assert_int_equal(fakes.b->instances, 0);
		if (result == VK_SUCCESS)
			break;
		assert_int_equal(result, VK_ERROR_OUT_OF_HOST_MEMORY);
		failures++;
	}
	assert_true(failures >= 6); /* object, messenger, two instances, arrays, devices */
	close_loader(&l);
	close_fakes(&fakes);
}

static void
test_unloading_leaves_nothing(void **state)
{
	struct loader l;

	use_both_fakes();
	open_loader(&l);
	make_instance(&l, NULL);
	assert_true(is_mapped("fake_a.so"));
	end_instance(&l);
	close_loader(&l);
	assert_false(is_mapped("libvulkan.so.1"));
	assert_false(is_mapped("fake_a.so"));
	assert_false(is_mapped("fake_b.so"));
}

static void
test_old_queries_are_answered(void **state)
{
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
	};
	VkQueueFamilyProperties2 family = {.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2};
	struct fakes fakes;
	struct loader l;
	uint32_t count = 1;

	open_fakes(&fakes);
	fakes.b->no_properties2 = true;
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, NULL);
	EXPORTED(&l, vkGetPhysicalDeviceProperties2)(l.devices[0], &properties);
	assert_int_equal(properties.properties.driverVersion, 2);
	EXPORTED(&l, vkGetPhysicalDeviceProperties2)(l.devices[1], &properties);
	assert_int_equal(properties.properties.driverVersion, 0);
	assert_string_equal(properties.properties.deviceName, "b");
	EXPORTED(&l, vkGetPhysicalDeviceQueueFamilyProperties2)(l.devices[1], &count, &family);
	assert_int_equal(count, 1);
	assert_int_equal(family.queueFamilyProperties.queueFlags, VK_QUEUE_GRAPHICS_BIT);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

static const struct kr_test tests[] = {
	KR_TEST(test_devices_of_both_drivers),
	KR_TEST(test_groups),
	KR_TEST(test_extensions_go_to_who_has_them),
	KR_TEST(test_missing_extension),
	KR_TEST(test_offered_extensions),
	KR_TEST(test_offered_with_platform_wsi),
	KR_TEST(test_old_driver_gets_old_version),
	KR_TEST(test_failing_driver_is_left_out),
	KR_TEST(test_failing_enumeration_is_left_out),
	KR_TEST(test_no_driver),
	KR_TEST(test_no_driver_on_android),
	KR_TEST(test_broken_hal_is_an_error),
	KR_TEST(test_portability),
	KR_TEST(test_allocation_failures),
	KR_TEST(test_unloading_leaves_nothing),
	KR_TEST(test_old_queries_are_answered),
};

KR_TEST_MAIN(tests)
