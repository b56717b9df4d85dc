/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers that lack what an instance has: answered from what they have, told as such, and never
 * with a neighbour's answer. fake_a lacks everything, fake_b has it.
 */
#include <string.h>

#include "scene.h"

static const char *const debug[] = {"VK_EXT_debug_utils", NULL};

/* K-32 */
static void
test_properties2(void **state)
{
	VkPhysicalDeviceIDProperties ids = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
		.deviceLUIDValid = VK_TRUE,
	};
	VkPhysicalDeviceSubgroupProperties subgroups = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
		.pNext = &ids,
		.subgroupSize = 77,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
		.pNext = &subgroups,
	};
	struct scene s;

	begin_scene(&s, VK_API_VERSION_1_1, debug);
	memset(ids.deviceUUID, 5, sizeof(ids.deviceUUID));
	EXPORTED(&s.l, vkGetPhysicalDeviceProperties2)(s.old, &properties);
	assert_string_equal(properties.properties.deviceName, "a");
	assert_int_equal(s.heard.emulated, 1);
	assert_int_equal(s.heard.ignored, 1);
	assert_int_equal(subgroups.subgroupSize, 77);
	assert_int_equal(ids.deviceUUID[3], 0);
	assert_false(ids.deviceLUIDValid);
	/* The other driver is asked itself. */
	EXPORTED(&s.l, vkGetPhysicalDeviceProperties2)(s.new, &properties);
	assert_string_equal(properties.properties.deviceName, "b");
	assert_int_equal(properties.properties.driverVersion, 2);
	assert_int_equal(s.heard.emulated, 1);
	end_scene(&s);
}

/* K-32: of an application that asked for neither 1.1 nor the extension. */
static void
test_not_asked_for(void **state)
{
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
	};
	struct scene s;

	begin_scene(&s, VK_API_VERSION_1_0, debug);
	OF_INSTANCE(&s.l, vkGetPhysicalDeviceProperties2)(s.new, &properties);
	assert_string_equal(properties.properties.deviceName, "b");
	assert_int_equal(properties.properties.driverVersion, 0);
	assert_int_equal(s.heard.emulated, 1);
	end_scene(&s);
}

/* K-32 */
static void
test_queue_families2(void **state)
{
	VkQueueFamilyProperties2 families[2] = {
		{.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2},
		{.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2},
	};
	uint32_t count = 0;
	struct scene s;

	begin_scene(&s, VK_API_VERSION_1_1, debug);
	EXPORTED(&s.l, vkGetPhysicalDeviceQueueFamilyProperties2)(s.old, &count, NULL);
	assert_int_equal(count, 1);
	count = 2;
	EXPORTED(&s.l, vkGetPhysicalDeviceQueueFamilyProperties2)(s.old, &count, families);
	assert_int_equal(count, 1);
	assert_int_equal(families[0].queueFamilyProperties.queueFlags, VK_QUEUE_GRAPHICS_BIT);
	end_scene(&s);
}

/* K-32: a question that goes beyond the old query has no answer. */
static void
test_image_formats2(void **state)
{
	VkPhysicalDeviceExternalImageFormatInfo external = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
	};
	VkPhysicalDeviceImageFormatInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = &external,
	};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
	struct scene s;

	begin_scene(&s, VK_API_VERSION_1_1, debug);
	assert_int_equal(EXPORTED(&s.l, vkGetPhysicalDeviceImageFormatProperties2)(
				 s.old, &info, &properties),
		VK_ERROR_FORMAT_NOT_SUPPORTED);
	end_scene(&s);
}

/* K-32 */
static void
test_external_properties(void **state)
{
	VkPhysicalDeviceExternalBufferInfo buffer_info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO};
	VkPhysicalDeviceExternalFenceInfo fence_info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_FENCE_INFO};
	VkPhysicalDeviceExternalSemaphoreInfo semaphore_info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO};
	VkExternalBufferProperties buffer = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES,
		.externalMemoryProperties = {1, 1, 1}};
	VkExternalFenceProperties fence = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_FENCE_PROPERTIES, NULL, 1, 1, 1};
	VkExternalSemaphoreProperties semaphore = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES, NULL, 1, 1, 1};
	struct scene s;

	begin_scene(&s, VK_API_VERSION_1_1, debug);
	EXPORTED(&s.l, vkGetPhysicalDeviceExternalBufferProperties)(s.old, &buffer_info, &buffer);
	assert_int_equal(buffer.externalMemoryProperties.externalMemoryFeatures, 0);
	assert_int_equal(buffer.externalMemoryProperties.compatibleHandleTypes, 0);
	EXPORTED(&s.l, vkGetPhysicalDeviceExternalFenceProperties)(s.old, &fence_info, &fence);
	assert_int_equal(fence.externalFenceFeatures, 0);
	EXPORTED(&s.l, vkGetPhysicalDeviceExternalSemaphoreProperties)
	(s.old, &semaphore_info, &semaphore);
	assert_int_equal(semaphore.externalSemaphoreFeatures, 0);
	assert_int_equal(s.heard.emulated, 3);
	EXPORTED(&s.l, vkGetPhysicalDeviceExternalFenceProperties)(s.new, &fence_info, &fence);
	assert_int_equal(fence.externalFenceFeatures, VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT);
	assert_int_equal(s.heard.emulated, 3);
	end_scene(&s);
}

/* K-32 */
static void
test_displays(void **state)
{
	static const char *const names[] = {"VK_EXT_debug_utils", "VK_KHR_surface",
		"VK_KHR_display", "VK_KHR_get_display_properties2", NULL};
	VkDisplayModeCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_DISPLAY_MODE_CREATE_INFO_KHR};
	VkDisplayPlaneInfo2KHR plane = {.sType = VK_STRUCTURE_TYPE_DISPLAY_PLANE_INFO_2_KHR};
	VkDisplayPlaneCapabilities2KHR caps = {
		.sType = VK_STRUCTURE_TYPE_DISPLAY_PLANE_CAPABILITIES_2_KHR,
		.capabilities.minSrcExtent = {3, 3}};
	VkDisplayModeKHR mode;
	uint32_t count = 7;
	struct scene s;

	begin_scene(&s, VK_API_VERSION_1_1, names);
	assert_int_equal(
		OF_INSTANCE(&s.l, vkGetPhysicalDeviceDisplayPropertiesKHR)(s.old, &count, NULL),
		VK_SUCCESS);
	assert_int_equal(count, 0);
	count = 7;
	assert_int_equal(
		OF_INSTANCE(&s.l, vkGetPhysicalDeviceDisplayProperties2KHR)(s.old, &count, NULL),
		VK_SUCCESS);
	assert_int_equal(count, 0);
	count = 7;
	assert_int_equal(OF_INSTANCE(&s.l, vkGetDisplayModeProperties2KHR)(
				 s.old, VK_NULL_HANDLE, &count, NULL),
		VK_SUCCESS);
	assert_int_equal(count, 0);
	assert_int_equal(OF_INSTANCE(&s.l, vkGetDisplayPlaneCapabilities2KHR)(s.old, &plane, &caps),
		VK_SUCCESS);
	assert_int_equal(caps.capabilities.minSrcExtent.width, 0);
	assert_int_equal(OF_INSTANCE(&s.l, vkCreateDisplayModeKHR)(
				 s.old, VK_NULL_HANDLE, &info, NULL, &mode),
		VK_ERROR_INITIALIZATION_FAILED);
	assert_int_equal(s.heard.emulated, 3);
	end_scene(&s);
}

static const struct kr_test tests[] = {
	KR_TEST(test_properties2),
	KR_TEST(test_not_asked_for),
	KR_TEST(test_queue_families2),
	KR_TEST(test_image_formats2),
	KR_TEST(test_external_properties),
	KR_TEST(test_displays),
};

KR_TEST_MAIN(tests)
