/* SPDX-License-Identifier: Apache-2.0 */
/* What the null driver says of itself is what it was told to say. */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "null/null_control.h"

static void
open_as(struct null_driver *driver, const char *settings)
{
	assert_int_equal(setenv("KRAFLA_NULL_DRIVER", settings, 1), 0);
	open_hal(driver);
}

/* Everything that the settings reach. */
struct answers {
	VkPhysicalDeviceProperties2 properties;
	VkPhysicalDeviceVulkan11Properties properties11;
	VkPhysicalDeviceFeatures2 features;
	VkPhysicalDeviceVulkan11Features features11;
	VkPhysicalDeviceVulkan12Features features12;
	VkPhysicalDeviceVulkan13Features features13;
	VkPhysicalDeviceVariablePointersFeatures variable_pointers;
	VkExternalSemaphoreProperties semaphore;
	VkExternalFenceProperties fence;
	VkFormatProperties etc2;
};

static void
ask(struct null_driver *driver, struct answers *answers)
{
	const VkPhysicalDeviceExternalSemaphoreInfo semaphore = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT};
	const VkPhysicalDeviceExternalFenceInfo fence = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_FENCE_INFO,
		.handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT};
	VkPhysicalDevice device = driver->physical_device;

	*answers = (struct answers){
		.properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
			&answers->properties11},
		.properties11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES},
		.features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &answers->features11},
		.features11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
			&answers->features12},
		.features12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
			&answers->features13},
		.features13 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
			&answers->variable_pointers},
		.variable_pointers = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES},
		.semaphore = {VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES},
		.fence = {VK_STRUCTURE_TYPE_EXTERNAL_FENCE_PROPERTIES},
	};
	INSTANCE_FN(driver, vkGetPhysicalDeviceProperties2)(device, &answers->properties);
	INSTANCE_FN(driver, vkGetPhysicalDeviceFeatures2)(device, &answers->features);
	INSTANCE_FN(driver, vkGetPhysicalDeviceExternalSemaphoreProperties)
	(device, &semaphore, &answers->semaphore);
	INSTANCE_FN(driver, vkGetPhysicalDeviceExternalFenceProperties)
	(device, &fence, &answers->fence);
	INSTANCE_FN(driver, vkGetPhysicalDeviceFormatProperties)
	(device, VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK, &answers->etc2);
}

static void
answers_are_set(void **state)
{
	struct null_driver driver;
	struct answers a;

	open_as(&driver, "");
	ask(&driver, &a);
	assert_int_equal(VK_API_VERSION_MINOR(a.properties.properties.apiVersion), 3);
	assert_int_equal(a.properties.properties.deviceType, VK_PHYSICAL_DEVICE_TYPE_OTHER);
	assert_int_equal(a.properties.properties.limits.maxPerStageDescriptorStorageBuffers, 4);
	assert_int_equal(a.properties11.maxMultiviewViewCount, 6);
	assert_false(a.features.features.textureCompressionETC2);
	assert_true(a.features.features.robustBufferAccess);
	assert_false(a.features11.variablePointers || a.variable_pointers.variablePointers);
	assert_false(a.features12.storageBuffer8BitAccess);
	assert_true(a.features13.dynamicRendering);
	assert_int_equal(a.semaphore.externalSemaphoreFeatures, 0);
	assert_int_equal(a.fence.externalFenceFeatures, 0);
	assert_int_equal(a.etc2.optimalTilingFeatures, 0);
	close_driver(&driver);

	open_as(&driver,
		"api=1.0.3,type=cpu,limit.maxPerStageDescriptorStorageBuffers=15,"
		"limit.viewportBoundsRange=-0.5,limit.minTexelOffset=-9,"
		"limit.maxMemoryAllocationCount=0x1001,limit.sparseAddressSpaceSize=0x100000000,"
		"limit.maxComputeWorkGroupCount=7,property.maxMultiviewViewCount=5,"
		"feature.textureCompressionETC2=yes,feature.robustBufferAccess=no,"
		"feature.variablePointers=yes,feature.storageBuffer8BitAccess=yes,"
		"feature.dynamicRendering=no,external.semaphore=import,external.fence=both,"
		"format.147=1");
	ask(&driver, &a);
	assert_int_equal(a.properties.properties.apiVersion, VK_MAKE_API_VERSION(0, 1, 0, 3));
	assert_int_equal(a.properties.properties.deviceType, VK_PHYSICAL_DEVICE_TYPE_CPU);
	assert_int_equal(a.properties.properties.limits.maxPerStageDescriptorStorageBuffers, 15);
	assert_true(a.properties.properties.limits.viewportBoundsRange[0] == -0.5f &&
		a.properties.properties.limits.viewportBoundsRange[1] == -0.5f);
	assert_int_equal(a.properties.properties.limits.minTexelOffset, -9);
	assert_int_equal(a.properties.properties.limits.maxTexelOffset, 7);
	assert_int_equal(a.properties.properties.limits.maxMemoryAllocationCount, 4097);
	assert_true(a.properties.properties.limits.sparseAddressSpaceSize == UINT64_C(1) << 32);
	assert_int_equal(a.properties.properties.limits.maxComputeWorkGroupCount[2], 7);
	assert_int_equal(a.properties11.maxMultiviewViewCount, 5);
	assert_true(a.features.features.textureCompressionETC2);
	assert_false(a.features.features.robustBufferAccess);
	assert_true(a.features11.variablePointers && a.variable_pointers.variablePointers);
	assert_true(a.features12.storageBuffer8BitAccess);
	assert_false(a.features13.dynamicRendering);
	assert_true(a.features13.maintenance4);
	assert_int_equal(a.semaphore.externalSemaphoreFeatures,
		VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT);
	assert_int_equal(a.fence.externalFenceFeatures,
		VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT |
			VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT);
	assert_int_equal(a.etc2.optimalTilingFeatures, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT);
	close_driver(&driver);
}

/* A device is made with a feature exactly where it is said to be there. */
static void
devices_have_what_is_said(void **state)
{
	static const char *const settings[] = {
		"feature.geometryShader=no", "feature.geometryShader=yes"};
	const VkPhysicalDeviceFeatures features = {.geometryShader = VK_TRUE};
	const float priority = 1.0f;
	const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority};
	const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.pEnabledFeatures = &features};

	for (unsigned i = 0; i < 2; i++) {
		struct null_driver driver;
		VkDevice device;
		VkResult result;

		open_as(&driver, settings[i]);
		result = INSTANCE_FN(&driver, vkCreateDevice)(
			driver.physical_device, &info, NULL, &device);
		assert_int_equal(result, i ? VK_SUCCESS : VK_ERROR_FEATURE_NOT_PRESENT);
		if (i)
			DEVICE_FN(&driver, vkDestroyDevice)(device, NULL);
		close_driver(&driver);
	}
}

/* 0: it isn't there. */
static uint32_t
version_of(struct null_driver *driver, const char *name)
{
	VkExtensionProperties extensions[16];
	uint32_t count = KR_ARRAY_LEN(extensions);

	assert_int_equal(INSTANCE_FN(driver, vkEnumerateDeviceExtensionProperties)(
				 driver->physical_device, NULL, &count, extensions),
		VK_SUCCESS);
	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(extensions[i].extensionName, name))
			return extensions[i].specVersion;
	}
	return 0;
}

static void
extensions_come_and_go(void **state)
{
	struct null_driver driver;

	open_as(&driver,
		"version=11,compression=yes,extension.VK_KHR_variable_pointers=yes,"
		"extension.VK_KHR_dynamic_rendering=7,extension.VK_KHR_variable_pointers=3,"
		"extension.VK_EXT_image_compression_control=no");
	assert_int_equal(version_of(&driver, VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME), 11);
	assert_int_equal(version_of(&driver, "VK_KHR_variable_pointers"), 3);
	assert_int_equal(version_of(&driver, "VK_KHR_dynamic_rendering"), 7);
	assert_int_equal(version_of(&driver, "VK_EXT_image_compression_control"), 0);
	close_driver(&driver);
}

static void
devices_are_several(void **state)
{
	VkPhysicalDevice devices[4];
	VkPhysicalDeviceGroupProperties groups[4];
	uint32_t count = 4;
	struct null_driver driver;

	open_as(&driver, "devices=3");
	assert_int_equal(
		INSTANCE_FN(&driver, vkEnumeratePhysicalDevices)(driver.instance, &count, devices),
		VK_SUCCESS);
	assert_int_equal(count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		VkPhysicalDeviceProperties properties;

		groups[i] = (VkPhysicalDeviceGroupProperties){
			.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES};
		INSTANCE_FN(&driver, vkGetPhysicalDeviceProperties)(devices[i], &properties);
		assert_int_equal(properties.deviceID, i);
	}
	count = 2;
	assert_int_equal(INSTANCE_FN(&driver, vkEnumeratePhysicalDeviceGroups)(
				 driver.instance, &count, groups),
		VK_INCOMPLETE);
	assert_int_equal(count, 2);
	assert_ptr_equal(groups[1].physicalDevices[0], devices[1]);
	close_driver(&driver);
}

static void
wrong_settings_are_refused(void **state)
{
	static const char *const wrong[] = {"api=1", "api=1.", "api=2.0", "api=0.9", "api=1.5",
		"api=1.3.1.1", "api=1.3.4096", "api=1.-1", "api=", "type=gpu", "type=", "devices=0",
		"devices=5", "devices=x", "feature.textureCompressionETC3=yes",
		"feature.textureCompressionETC2=2", "feature.textureCompressionETC2=maybe",
		"feature.=yes", "feature=yes", "feature.sType=yes",
		"limit.maxImageDimension2D=", "limit.maxImageDimension2D=-1",
		"limit.maxImageDimension2D=4294967296", "limit.maxImageDimension2D=1x",
		"limit.minTexelOffset=--1", "limit.minTexelOffset=2147483648",
		"limit.timestampPeriod=fast", "limit.timestampPeriod=", "property.driverName=me",
		"extension.KHR_x=yes", "extension.VK_KHR_x=maybe",
		"extension.VK_KHR_x=", "external.semaphore=yes", "external.memory=both",
		"format.=1", "format.R8=1", "format.1=x"};
	struct null_driver driver;
	char text[4096] = "";

	open_as(&driver, "");
	for (size_t i = 0; i < KR_ARRAY_LEN(wrong); i++) {
		if (CONTROL_FN(&driver, kr_null_set_driver)(wrong[i]) != -EINVAL)
			fail_msg("%s", wrong[i]);
	}
	/* There is room for 64. */
	for (unsigned i = 0; i < 65; i++) {
		size_t length = strlen(text);

		assert_int_equal(CONTROL_FN(&driver, kr_null_set_driver)(text), 0);
		snprintf(text + length, sizeof(text) - length, "extension.VK_KHR_%u=yes,", i);
	}
	assert_int_equal(CONTROL_FN(&driver, kr_null_set_driver)(text), -EINVAL);
	snprintf(text, sizeof(text), "extension.VK_%080u=yes", 1);
	assert_int_equal(CONTROL_FN(&driver, kr_null_set_driver)(text), -EINVAL);
	close_driver(&driver);
}

#define CASE(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	CASE(answers_are_set),
	CASE(devices_have_what_is_said),
	CASE(extensions_come_and_go),
	CASE(devices_are_several),
	CASE(wrong_settings_are_refused),
};

KR_TEST_MAIN(tests)
