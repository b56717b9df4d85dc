/* SPDX-License-Identifier: Apache-2.0 */
/* The null driver as drivers of other versions and abilities are (KRAFLA_NULL_DRIVER). */
#include "support.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "null/null_control.h"
#include "sync/fence/fence.h"

#define SIZE 16

static void
open_as(struct null_driver *driver, const char *settings)
{
	assert_int_equal(setenv("KRAFLA_NULL_DRIVER", settings, 1), 0);
	open_hal(driver);
}

static void
open_version(struct null_driver *driver, unsigned version)
{
	char text[32];

	snprintf(text, sizeof(text), "version=%u", version);
	open_as(driver, text);
}

static struct kr_null_counts
counts(struct null_driver *driver)
{
	struct kr_null_counts now;

	CONTROL_FN(driver, kr_null_get_counts)(&now);
	return now;
}

/* A buffer, and what a platform says of it. */
struct rig_buffer {
	struct kr_buffer *buffer;
	uint32_t *pixels;
	uint32_t row;
	VkNativeBufferANDROID native;
};

static void
make_buffer(struct rig_buffer *rig, uint64_t usage)
{
	const struct kr_buffer_desc desc = {
		SIZE, SIZE, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, usage};
	const struct kr_buffer_info *info;
	void *pixels;

	assert_int_equal(kr_buffer_allocate(&desc, &rig->buffer), 0);
	assert_int_equal(kr_buffer_map(rig->buffer, &pixels), 0);
	info = kr_buffer_get_info(rig->buffer);
	rig->pixels = pixels;
	rig->row = info->row_bytes / 4;
	rig->native = (VkNativeBufferANDROID){
		.sType = VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID,
		.handle = kr_buffer_handle(rig->buffer),
		.stride = (int)info->stride,
		.format = (int)info->desc.format,
		.usage = 1,
		.usage2 = {2, 3},
		.usage3 = usage,
		.ahb = (struct AHardwareBuffer *)rig->buffer,
	};
}

static const VkImageCreateInfo plain_info = {
	.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
	.imageType = VK_IMAGE_TYPE_2D,
	.format = VK_FORMAT_R8G8B8A8_UNORM,
	.extent = {SIZE, SIZE, 1},
	.mipLevels = 1,
	.arrayLayers = 1,
	.samples = VK_SAMPLE_COUNT_1_BIT,
	.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
};

static VkResult
create_image(struct null_driver *driver, const VkImageCreateInfo *info, VkImage *image)
{
	return DEVICE_FN(driver, vkCreateImage)(driver->device, info, NULL, image);
}

/* The image's info; the image is destroyed. */
static struct kr_null_image_info
describe(struct null_driver *driver, VkImage image)
{
	struct kr_null_image_info info;

	CONTROL_FN(driver, kr_null_describe_image)(image, &info);
	DEVICE_FN(driver, vkDestroyImage)(driver->device, image, NULL);
	return info;
}

static void
expect_refused(struct null_driver *driver, VkImageCreateInfo info, const void *chain)
{
	VkImage image;

	info.pNext = chain;
	assert_int_equal(create_image(driver, &info, &image), VK_ERROR_FORMAT_NOT_SUPPORTED);
}

static const unsigned versions[] = {5, 6, 7, 8, 9, 10, 11};

static void
versions_have_their_functions(void **state)
{
	static const struct {
		const char *name;
		unsigned since;
	} functions[] = {
		{"vkGetSwapchainGrallocUsageANDROID", 5},
		{"vkGetSwapchainGrallocUsage2ANDROID", 6},
		{"vkGetSwapchainGrallocUsage3ANDROID", 9},
		{"vkGetSwapchainGrallocUsage4ANDROID", 10},
		{"vkAcquireImageANDROID", 5},
		{"vkQueueSignalReleaseImageANDROID", 5},
	};
	VkExtensionProperties extension;
	struct null_driver driver;

	for (size_t i = 0; i < KR_ARRAY_LEN(versions); i++) {
		uint32_t count = 1;

		open_version(&driver, versions[i]);
		assert_int_equal(INSTANCE_FN(&driver, vkEnumerateDeviceExtensionProperties)(
					 driver.physical_device, NULL, &count, &extension),
			VK_SUCCESS);
		assert_string_equal(
			extension.extensionName, VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME);
		assert_int_equal(extension.specVersion, versions[i]);
		for (size_t j = 0; j < KR_ARRAY_LEN(functions); j++) {
			bool there = driver.gdpa(driver.device, functions[j].name);

			assert_int_equal(there, versions[i] >= functions[j].since);
			there = driver.gipa(driver.instance, functions[j].name);
			assert_int_equal(there, versions[i] >= functions[j].since);
		}
		close_driver(&driver);
	}
}

static void
versions_read_their_structures(void **state)
{
	const VkSwapchainImageCreateInfoANDROID shared = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID,
		.usage = VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID};
	VkImageCreateInfo create = plain_info;
	struct rig_buffer rig;
	struct null_driver driver;

	make_buffer(&rig, AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER);
	rig.native.pNext = &shared;
	create.pNext = &rig.native;
	for (size_t i = 0; i < KR_ARRAY_LEN(versions); i++) {
		unsigned version = versions[i];
		struct kr_null_image_info info;
		VkImage image;

		open_version(&driver, version);
		assert_int_equal(create_image(&driver, &create, &image), VK_SUCCESS);
		info = describe(&driver, image);
		assert_true(info.has_buffer && !info.bound);
		assert_int_equal(info.gralloc_usage, 1);
		assert_int_equal(info.consumer_usage, version >= 6 ? 2 : 0);
		assert_int_equal(info.producer_usage, version >= 6 ? 3 : 0);
		assert_int_equal(info.swapchain_usage, version >= 6 ? 1 : 0);
		assert_int_equal(info.gralloc_usage64,
			version >= 9 ? AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER : 0);
		assert_int_equal(info.hardware_buffer, version >= 11);
		close_driver(&driver);
	}
	kr_buffer_unref(rig.buffer);
}

/* W-10: who has no such structure never says yes. */
static void
versions_tell_of_sharing(void **state)
{
	static const struct {
		const char *settings;
		VkBool32 shared;
	} cases[] = {
		{"version=6", VK_FALSE},
		{"version=7", VK_TRUE},
		{"version=11", VK_TRUE},
		{"version=11,shared=no", VK_FALSE},
	};
	struct null_driver driver;

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		VkPhysicalDevicePresentationPropertiesANDROID sharing = {
			.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID};
		VkPhysicalDeviceProperties2 properties = {
			.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &sharing};

		open_as(&driver, cases[i].settings);
		INSTANCE_FN(&driver, vkGetPhysicalDeviceProperties2)
		(driver.physical_device, &properties);
		assert_int_equal(sharing.sharedImage, cases[i].shared);
		close_driver(&driver);
	}
}

/* W-06 is a matter of version 8. */
static void
versions_bind(void **state)
{
	VkImageSwapchainCreateInfoKHR of = {VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR};
	VkImageCreateInfo create = plain_info;
	struct null_driver driver;
	struct rig_buffer rig;

	make_buffer(&rig, AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER);
	create.pNext = &of;
	for (size_t i = 0; i < KR_ARRAY_LEN(versions); i++) {
		VkBindImageMemoryInfo bind = {
			VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, &rig.native};
		struct kr_null_image_info info;
		VkResult result;

		open_version(&driver, versions[i]);
		assert_int_equal(create_image(&driver, &create, &bind.image), VK_SUCCESS);
		result = DEVICE_FN(&driver, vkBindImageMemory2)(driver.device, 1, &bind);
		assert_int_equal(
			result, versions[i] >= 8 ? VK_SUCCESS : VK_ERROR_INVALID_EXTERNAL_HANDLE);
		info = describe(&driver, bind.image);
		assert_int_equal(info.bound, versions[i] >= 8);
		assert_int_equal(counts(&driver).binds, versions[i] >= 8);
		close_driver(&driver);
	}
	kr_buffer_unref(rig.buffer);
}

/* The results of all queries, newest first; VK_INCOMPLETE: there is none. */
static void
ask_usage(struct null_driver *driver, VkSwapchainImageUsageFlagsANDROID swapchain,
	VkResult results[5], uint64_t usages[5])
{
	const VkGrallocUsageInfo2ANDROID info4 = {
		.sType = VK_STRUCTURE_TYPE_GRALLOC_USAGE_INFO_2_ANDROID,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.swapchainImageUsage = swapchain};
	const VkGrallocUsageInfoANDROID info3 = {
		.sType = VK_STRUCTURE_TYPE_GRALLOC_USAGE_INFO_ANDROID,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT};
	const VkPhysicalDeviceExternalImageFormatInfo external = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID};
	const VkPhysicalDeviceImageFormatInfo2 format = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = &external,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.type = VK_IMAGE_TYPE_2D,
		.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT};
	VkAndroidHardwareBufferUsageANDROID hardware = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_USAGE_ANDROID};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &hardware};
	PFN_vkGetSwapchainGrallocUsage4ANDROID usage4 =
		DEVICE_FN(driver, vkGetSwapchainGrallocUsage4ANDROID);
	PFN_vkGetSwapchainGrallocUsage3ANDROID usage3 =
		DEVICE_FN(driver, vkGetSwapchainGrallocUsage3ANDROID);
	PFN_vkGetSwapchainGrallocUsage2ANDROID usage2 =
		DEVICE_FN(driver, vkGetSwapchainGrallocUsage2ANDROID);
	uint64_t consumer = 0;
	int usage = 0;

	for (unsigned i = 0; i < 5; i++)
		results[i] = VK_INCOMPLETE;
	memset(usages, 0, 5 * sizeof(*usages));
	results[0] = INSTANCE_FN(driver, vkGetPhysicalDeviceImageFormatProperties2)(
		driver->physical_device, &format, &properties);
	usages[0] = hardware.androidHardwareBufferUsage;
	if (usage4)
		results[1] = usage4(driver->device, &info4, &usages[1]);
	if (usage3)
		results[2] = usage3(driver->device, &info3, &usages[2]);
	if (usage2)
		results[3] = usage2(driver->device, VK_FORMAT_R8G8B8A8_UNORM,
			VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, swapchain, &consumer, &usages[3]);
	usages[3] |= consumer;
	results[4] = DEVICE_FN(driver, vkGetSwapchainGrallocUsageANDROID)(driver->device,
		VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &usage);
	usages[4] = (uint32_t)usage;
}

/* W-03, W-13: what it asks for comes out of each way to ask, as far as that can hold it. */
static void
usage_is_asked_in_each_way(void **state)
{
	const uint64_t bits = UINT64_C(0x8001000110000000);
	struct null_driver driver;
	VkResult results[5];
	uint64_t usages[5];

	open_as(&driver, "version=11,usage=0x8001000110000000");
	ask_usage(&driver, 1, results, usages);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(results[i], VK_SUCCESS);
	assert_true(usages[0] == (bits | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER));
	assert_true(usages[1] == bits && usages[2] == bits && usages[3] == bits);
	assert_int_equal(usages[4], 0x10000000);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(counts(&driver).usage_queries[i], 1);
	close_driver(&driver);

	open_as(&driver, "version=8");
	ask_usage(&driver, 1, results, usages);
	assert_int_equal(results[0], VK_ERROR_FORMAT_NOT_SUPPORTED);
	assert_int_equal(results[1], VK_INCOMPLETE);
	assert_int_equal(results[2], VK_INCOMPLETE);
	assert_true(results[3] == VK_SUCCESS && results[4] == VK_SUCCESS);
	close_driver(&driver);

	open_as(&driver, "version=10,shared=no");
	ask_usage(&driver, 1, results, usages);
	assert_int_equal(results[1], VK_ERROR_FORMAT_NOT_SUPPORTED);
	assert_int_equal(results[2], VK_SUCCESS);
	assert_int_equal(results[3], VK_ERROR_FORMAT_NOT_SUPPORTED);
	close_driver(&driver);
}

/* The newest ways to ask fail, as many as was said; or the newest says nothing. */
static void
usage_queries_are_refused(void **state)
{
	struct null_driver driver;
	VkResult results[5];
	uint64_t usages[5];

	open_as(&driver, "version=11,refuse=2");
	ask_usage(&driver, 0, results, usages);
	assert_int_equal(results[0], VK_ERROR_FORMAT_NOT_SUPPORTED);
	assert_int_equal(results[1], VK_ERROR_FORMAT_NOT_SUPPORTED);
	assert_true(results[2] == VK_SUCCESS && results[4] == VK_SUCCESS);
	close_driver(&driver);

	open_as(&driver, "version=7,refuse=1");
	ask_usage(&driver, 0, results, usages);
	assert_int_equal(results[3], VK_ERROR_FORMAT_NOT_SUPPORTED);
	assert_int_equal(results[4], VK_SUCCESS);
	close_driver(&driver);

	open_as(&driver, "version=11,ahb=ignored");
	ask_usage(&driver, 0, results, usages);
	assert_int_equal(results[0], VK_SUCCESS);
	assert_int_equal(usages[0], 0);
	close_driver(&driver);
}

/* W-13: a buffer without the bits that were asked for makes no image. */
static void
usage_is_wanted_in_the_handle(void **state)
{
	VkImageCreateInfo create = plain_info;
	struct null_driver driver;
	struct rig_buffer with, without;
	VkImage image;

	make_buffer(&with,
		AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER | AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE);
	make_buffer(&without, AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER);
	open_as(&driver, "version=9,usage=0x100");
	create.pNext = &without.native;
	without.native.usage3 |= 0x100;
	assert_int_equal(create_image(&driver, &create, &image), VK_ERROR_INVALID_EXTERNAL_HANDLE);
	create.pNext = &with.native;
	with.native.usage3 &= ~UINT64_C(0x100);
	assert_int_equal(create_image(&driver, &create, &image), VK_ERROR_INVALID_EXTERNAL_HANDLE);
	with.native.usage3 |= 0x100;
	assert_int_equal(create_image(&driver, &create, &image), VK_SUCCESS);
	DEVICE_FN(&driver, vkDestroyImage)(driver.device, image, NULL);
	close_driver(&driver);
	kr_buffer_unref(with.buffer);
	kr_buffer_unref(without.buffer);
}

/* W-04: what else such an image can't be. */
static void
images_are_plain(void **state)
{
	VkImageCreateInfo wrong = plain_info;
	struct null_driver driver;
	struct rig_buffer rig;

	make_buffer(&rig, AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER);
	open_version(&driver, 11);
	wrong.mipLevels = 2;
	expect_refused(&driver, wrong, &rig.native);
	wrong = plain_info;
	wrong.arrayLayers = 2;
	expect_refused(&driver, wrong, &rig.native);
	wrong = plain_info;
	wrong.samples = VK_SAMPLE_COUNT_4_BIT;
	expect_refused(&driver, wrong, &rig.native);
	wrong = plain_info;
	wrong.tiling = VK_IMAGE_TILING_LINEAR;
	expect_refused(&driver, wrong, &rig.native);
	wrong = plain_info;
	wrong.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
	expect_refused(&driver, wrong, &rig.native);
	close_driver(&driver);
	kr_buffer_unref(rig.buffer);
}

static VkResult
ask_format(struct null_driver *driver, VkImageCreateFlags flags)
{
	const VkPhysicalDeviceImageFormatInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.type = VK_IMAGE_TYPE_2D,
		.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.flags = flags};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};

	return INSTANCE_FN(driver, vkGetPhysicalDeviceImageFormatProperties2)(
		driver->physical_device, &info, &properties);
}

/* W-04: a flag is good for images of buffers when the question for formats says so. */
static void
abilities_are_switched(void **state)
{
	static const struct {
		const char *on, *off;
		VkImageCreateFlags flags;
	} cases[] = {
		{"version=11,mutable=yes", "version=11,mutable=no",
			VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT},
		{"version=11,protected=yes", "version=11,protected=no",
			VK_IMAGE_CREATE_PROTECTED_BIT},
		{"version=11,msrtss=yes", "version=11,msrtss=no",
			VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT},
	};
	struct null_driver driver;
	struct rig_buffer rig;

	make_buffer(&rig, AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER);
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		VkImageCreateInfo info = plain_info;
		VkImage image;

		info.pNext = &rig.native;
		info.flags = cases[i].flags;
		open_as(&driver, cases[i].on);
		assert_int_equal(ask_format(&driver, info.flags), VK_SUCCESS);
		assert_int_equal(create_image(&driver, &info, &image), VK_SUCCESS);
		assert_int_equal(describe(&driver, image).flags, info.flags);
		close_driver(&driver);

		open_as(&driver, cases[i].off);
		assert_int_equal(ask_format(&driver, info.flags), VK_ERROR_FORMAT_NOT_SUPPORTED);
		expect_refused(&driver, info, &rig.native);
		close_driver(&driver);
	}
	kr_buffer_unref(rig.buffer);
}

#define TYPE_COMPRESSION VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT
#define TYPE_MSRTSS                                                                                \
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_FEATURES_EXT

static void
abilities_are_features(void **state)
{
	static const char *const settings[] = {"", "protected=yes,compression=yes,msrtss=yes"};
	struct null_driver driver;

	for (VkBool32 on = 0; on < KR_ARRAY_LEN(settings); on++) {
		VkPhysicalDeviceVulkan11Features all11 = {
			.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
		VkPhysicalDeviceProtectedMemoryFeatures prot = {
			.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES,
			.pNext = &all11};
		VkPhysicalDeviceImageCompressionControlFeaturesEXT compression = {
			.sType = TYPE_COMPRESSION, .pNext = &prot};
		VkPhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT msrtss = {
			.sType = TYPE_MSRTSS, .pNext = &compression};
		VkPhysicalDeviceFeatures2 features = {
			.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &msrtss};
		VkQueueFamilyProperties family;
		VkPhysicalDeviceMemoryProperties memory;
		uint32_t count = 1, extensions = 0;

		open_as(&driver, settings[on]);
		INSTANCE_FN(&driver, vkGetPhysicalDeviceFeatures2)
		(driver.physical_device, &features);
		assert_true(all11.multiview);
		assert_int_equal(all11.protectedMemory, on);
		assert_int_equal(prot.protectedMemory, on);
		assert_int_equal(compression.imageCompressionControl, on);
		assert_int_equal(msrtss.multisampledRenderToSingleSampled, on);
		INSTANCE_FN(&driver, vkGetPhysicalDeviceQueueFamilyProperties)
		(driver.physical_device, &count, &family);
		assert_int_equal(!!(family.queueFlags & VK_QUEUE_PROTECTED_BIT), on);
		INSTANCE_FN(&driver, vkGetPhysicalDeviceMemoryProperties)
		(driver.physical_device, &memory);
		assert_int_equal(memory.memoryTypeCount, on ? 2 : 1);
		INSTANCE_FN(&driver, vkEnumerateDeviceExtensionProperties)
		(driver.physical_device, NULL, &extensions, NULL);
		assert_int_equal(extensions, on ? 3 : 1);
		close_driver(&driver);
	}
}

static VkResult
ask_compression(struct null_driver *driver, VkImageCompressionFlagsEXT flags,
	VkImageCompressionPropertiesEXT *compression)
{
	const VkImageCompressionControlEXT control = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT, .flags = flags};
	const VkPhysicalDeviceImageFormatInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = &control,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.type = VK_IMAGE_TYPE_2D,
		.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = compression};

	*compression = (VkImageCompressionPropertiesEXT){
		.sType = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT};
	return INSTANCE_FN(driver, vkGetPhysicalDeviceImageFormatProperties2)(
		driver->physical_device, &info, &properties);
}

/* Since version 9 a control may stand in the chain of an image of a buffer. */
static void
compression_is_controlled(void **state)
{
	VkImageCompressionControlEXT control = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT,
		.flags = VK_IMAGE_COMPRESSION_FIXED_RATE_DEFAULT_EXT};
	VkImageCompressionPropertiesEXT compression;
	VkImageCreateInfo info = plain_info;
	struct kr_null_image_info made;
	struct null_driver driver;
	struct rig_buffer rig;
	VkImage image;

	make_buffer(&rig, AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER);
	rig.native.pNext = &control;
	info.pNext = &rig.native;
	open_as(&driver, "version=9,compression=yes");
	assert_int_equal(create_image(&driver, &info, &image), VK_SUCCESS);
	made = describe(&driver, image);
	assert_true(made.has_compression);
	assert_int_equal(made.compression, VK_IMAGE_COMPRESSION_FIXED_RATE_DEFAULT_EXT);
	assert_int_equal(ask_compression(&driver, control.flags, &compression), VK_SUCCESS);
	assert_int_equal(
		compression.imageCompressionFlags, VK_IMAGE_COMPRESSION_FIXED_RATE_EXPLICIT_EXT);
	assert_int_equal(compression.imageCompressionFixedRateFlags,
		VK_IMAGE_COMPRESSION_FIXED_RATE_4BPC_BIT_EXT);
	assert_int_equal(ask_compression(&driver, VK_IMAGE_COMPRESSION_DISABLED_EXT, &compression),
		VK_SUCCESS);
	assert_int_equal(compression.imageCompressionFlags, VK_IMAGE_COMPRESSION_DISABLED_EXT);
	assert_int_equal(compression.imageCompressionFixedRateFlags, 0);
	close_driver(&driver);

	open_as(&driver, "version=8,compression=yes");
	expect_refused(&driver, info, &rig.native);
	close_driver(&driver);
	open_as(&driver, "version=9");
	expect_refused(&driver, info, &rig.native);
	close_driver(&driver);
	kr_buffer_unref(rig.buffer);
}

static void
format_lists_are_checked(void **state)
{
	const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB};
	const VkFormat others[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R5G6B5_UNORM_PACK16};
	VkImageFormatListCreateInfo list = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
		.viewFormatCount = 2,
		.pViewFormats = formats};
	VkImageCreateInfo info = plain_info;
	struct kr_null_image_info made;
	struct null_driver driver;
	struct rig_buffer rig;
	VkImage image;

	make_buffer(&rig, AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER);
	rig.native.pNext = &list;
	info.pNext = &rig.native;
	open_version(&driver, 11);
	expect_refused(&driver, info, &rig.native);
	info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
	assert_int_equal(create_image(&driver, &info, &image), VK_SUCCESS);
	made = describe(&driver, image);
	assert_int_equal(made.view_format_count, 2);
	assert_int_equal(made.view_formats[1], VK_FORMAT_R8G8B8A8_SRGB);
	list.pViewFormats = others;
	expect_refused(&driver, info, &rig.native);
	list.pViewFormats = &formats[1];
	list.viewFormatCount = 1;
	expect_refused(&driver, info, &rig.native);
	close_driver(&driver);
	kr_buffer_unref(rig.buffer);
}

/* W-02: what never may come here is counted when it does. */
static void
foreign_things_are_counted(void **state)
{
	VkImageSwapchainCreateInfoKHR of = {VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR};
	VkPhysicalDevicePresentIdFeaturesKHR ids = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR};
	VkPhysicalDeviceFeatures2 features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &ids};
	VkImageCreateInfo info = plain_info;
	struct null_driver driver;
	VkImage image;

	open_version(&driver, 11);
	info.pNext = &of;
	assert_int_equal(create_image(&driver, &info, &image), VK_SUCCESS);
	DEVICE_FN(&driver, vkDestroyImage)(driver.device, image, NULL);
	assert_int_equal(counts(&driver).swapchains, 0);
	of.swapchain = (VkSwapchainKHR)(uintptr_t)0x1234;
	assert_int_equal(create_image(&driver, &info, &image), VK_SUCCESS);
	DEVICE_FN(&driver, vkDestroyImage)(driver.device, image, NULL);
	assert_int_equal(counts(&driver).swapchains, 1);
	assert_int_equal(counts(&driver).foreign_structures, 0);
	INSTANCE_FN(&driver, vkGetPhysicalDeviceFeatures2)(driver.physical_device, &features);
	assert_int_equal(counts(&driver).foreign_structures, 1);
	close_driver(&driver);
}

struct own_rig {
	struct null_driver driver;
	struct rig_buffer buffer;
	VkImage image;
};

static void
open_own(struct own_rig *rig, const void *chain)
{
	VkImageCreateInfo info = plain_info;

	make_buffer(&rig->buffer, AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER);
	rig->buffer.native.pNext = chain;
	info.pNext = &rig->buffer.native;
	open_as(&rig->driver, "version=11,layout=own");
	assert_int_equal(create_image(&rig->driver, &info, &rig->image), VK_SUCCESS);
}

static void
close_own(struct own_rig *rig)
{
	DEVICE_FN(&rig->driver, vkDestroyImage)(rig->driver.device, rig->image, NULL);
	close_driver(&rig->driver);
	kr_buffer_unref(rig->buffer.buffer);
}

static void
acquire(struct own_rig *rig, int take_fd)
{
	assert_int_equal(DEVICE_FN(&rig->driver, vkAcquireImageANDROID)(rig->driver.device,
				 rig->image, take_fd, VK_NULL_HANDLE, VK_NULL_HANDLE),
		VK_SUCCESS);
}

static void
release(struct own_rig *rig)
{
	int fd;

	assert_int_equal(DEVICE_FN(&rig->driver, vkQueueSignalReleaseImageANDROID)(
				 rig->driver.queue, 0, NULL, rig->image, &fd),
		VK_SUCCESS);
	assert_int_equal(fd, -1);
}

static void
fill(struct own_rig *rig, uint32_t pixel)
{
	assert_int_equal(CONTROL_FN(&rig->driver, kr_null_fill_image)(rig->image, pixel), 0);
}

static uint32_t
read_at(struct own_rig *rig, uint32_t x, uint32_t y)
{
	uint32_t pixel = 0;

	assert_int_equal(CONTROL_FN(&rig->driver, kr_null_read_pixel)(rig->image, x, y, &pixel), 0);
	return pixel;
}

/* W-13: pixels are right in the buffer after a release, and not before it. */
static void
own_layout_is_left_by_a_release(void **state)
{
	struct own_rig rig;

	open_own(&rig, NULL);
	assert_int_equal(CONTROL_FN(&rig.driver, kr_null_fill_image)(rig.image, 7), -EPERM);
	acquire(&rig, -1);
	fill(&rig, 0xff112233);
	assert_int_not_equal(rig.buffer.pixels[0], 0xff112233);
	assert_int_equal(CONTROL_FN(&rig.driver, kr_null_write_pixel)(rig.image, 3, 2, 5), 0);
	assert_int_equal(
		CONTROL_FN(&rig.driver, kr_null_write_pixel)(rig.image, SIZE, 0, 5), -ERANGE);
	assert_int_not_equal(rig.buffer.pixels[2 * rig.buffer.row + 3], 5);
	release(&rig);
	assert_int_equal(rig.buffer.pixels[0], 0xff112233);
	assert_int_equal(rig.buffer.pixels[2 * rig.buffer.row + 3], 5);
	close_own(&rig);
}

/* W-13: a change from outside is there after an acquire, and goes unseen without one. */
static void
own_layout_sees_changes_by_an_acquire(void **state)
{
	struct own_rig rig;

	open_own(&rig, NULL);
	acquire(&rig, -1);
	fill(&rig, 0xff112233);
	release(&rig);
	acquire(&rig, -1);
	assert_int_equal(counts(&rig.driver).outside_changes, 0);
	assert_int_equal(read_at(&rig, 1, 1), 0xff112233);
	release(&rig);
	rig.buffer.pixels[rig.buffer.row + 1] = 9;
	acquire(&rig, -1);
	assert_int_equal(counts(&rig.driver).outside_changes, 1);
	assert_int_equal(read_at(&rig, 1, 1), 9);
	assert_int_equal(read_at(&rig, 0, 1), 0xff112233);
	/* A change that no acquire is told of: the driver has its own idea of the colour. */
	fill(&rig, 1);
	rig.buffer.pixels[0] = 8;
	acquire(&rig, -1);
	assert_int_equal(read_at(&rig, 0, 0), 1);
	assert_int_equal(counts(&rig.driver).missed_releases, 1);
	release(&rig);
	release(&rig);
	assert_int_equal(counts(&rig.driver).missed_acquires, 1);
	close_own(&rig);
}

/* The image is the driver's when the fence signals, and not earlier. */
static void
own_layout_waits_for_the_fence(void **state)
{
	struct own_rig rig;
	int producer, fence, ret = -EPERM;

	open_own(&rig, NULL);
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	acquire(&rig, fence);
	assert_int_equal(CONTROL_FN(&rig.driver, kr_null_fill_image)(rig.image, 7), -EPERM);
	kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	for (unsigned i = 0; ret == -EPERM && i < 2000; i++) {
		usleep(1000);
		ret = CONTROL_FN(&rig.driver, kr_null_fill_image)(rig.image, 7);
	}
	assert_int_equal(ret, 0);
	release(&rig);
	assert_int_equal(rig.buffer.pixels[0], 7);
	close_own(&rig);
}

/* W-09: a shared image's pixels can be read all the time, however often it is released. */
static void
own_layout_leaves_shared_images_alone(void **state)
{
	const VkSwapchainImageCreateInfoANDROID shared = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID,
		.usage = VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID};
	struct own_rig rig;

	open_own(&rig, &shared);
	acquire(&rig, -1);
	for (uint32_t i = 1; i < 4; i++) {
		fill(&rig, i);
		assert_int_equal(rig.buffer.pixels[0], i);
		release(&rig);
		assert_int_equal(rig.buffer.pixels[0], i);
	}
	assert_int_equal(counts(&rig.driver).shared_images, 1);
	assert_int_equal(counts(&rig.driver).missed_acquires, 0);
	close_own(&rig);
}

static void
settings_are_checked(void **state)
{
	static const char *const wrong[] = {"version=4", "version=12", "version", "shared=maybe",
		"nothing=1", "refuse=6", "usage=x", "usage=0x10000000000000000", "layout=yes",
		"version=5,,shared=no", "=", "usage=-1"};
	struct null_driver driver;
	PFN_kr_null_set_driver set;
	VkExtensionProperties extension;
	uint32_t count = 1;

	open_as(&driver, "version=12");
	INSTANCE_FN(&driver, vkEnumerateDeviceExtensionProperties)
	(driver.physical_device, NULL, &count, &extension);
	assert_int_equal(extension.specVersion, 8);
	set = CONTROL_FN(&driver, kr_null_set_driver);
	for (size_t i = 0; i < KR_ARRAY_LEN(wrong); i++)
		assert_int_equal(set(wrong[i]), -EINVAL);
	assert_int_equal(set("version=5,shared=no,usage=0xffffffffffffffff,refuse=5"), 0);
	assert_int_equal(set(NULL), 0);
	close_driver(&driver);
}

#define CASE(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	CASE(versions_have_their_functions),
	CASE(versions_read_their_structures),
	CASE(versions_tell_of_sharing),
	CASE(versions_bind),
	CASE(usage_is_asked_in_each_way),
	CASE(usage_queries_are_refused),
	CASE(usage_is_wanted_in_the_handle),
	CASE(images_are_plain),
	CASE(abilities_are_switched),
	CASE(abilities_are_features),
	CASE(compression_is_controlled),
	CASE(format_lists_are_checked),
	CASE(foreign_things_are_counted),
	CASE(own_layout_is_left_by_a_release),
	CASE(own_layout_sees_changes_by_an_acquire),
	CASE(own_layout_waits_for_the_fence),
	CASE(own_layout_leaves_shared_images_alone),
	CASE(settings_are_checked),
};

KR_TEST_MAIN(tests)
