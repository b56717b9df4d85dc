/* SPDX-License-Identifier: Apache-2.0 */
/* The ways to ask a driver for gralloc usage (W-03). */
#include "check/native/native.h"

#define POISON UINT64_C(0x5A5A5A5A5A5A5A5A)

bool
native_query_knows_shared(enum native_query query)
{
	return query == NATIVE_QUERY_2 || query == NATIVE_QUERY_4;
}

bool
native_has_query(struct check *c, const struct check_device *device, enum native_query query)
{
	const struct check_vk *vk = check_functions(c);

	switch (query) {
	case NATIVE_QUERY_1:
		return vk->vkGetSwapchainGrallocUsageANDROID;
	case NATIVE_QUERY_2:
		return vk->vkGetSwapchainGrallocUsage2ANDROID;
	case NATIVE_QUERY_3:
		return vk->vkGetSwapchainGrallocUsage3ANDROID;
	case NATIVE_QUERY_4:
		return vk->vkGetSwapchainGrallocUsage4ANDROID;
	case NATIVE_QUERY_AHB:
		return device->version >= NATIVE_SINCE_HARDWARE &&
			vk->vkGetPhysicalDeviceImageFormatProperties2;
	case NATIVE_QUERY_END:
		break;
	}
	return false;
}

static void
check_answered(struct check *c, VkResult result, uint64_t answer, uint64_t before, const char *what)
{
	CHECK(c, result != VK_SUCCESS || answer != before,
		"the query for gralloc usage gave VK_SUCCESS and left %s as it was", what);
}

static VkResult
ask_1(struct check *c, const struct check_device *device, VkFormat format, VkImageUsageFlags usage,
	uint64_t *answer)
{
	int bits = (int)POISON;
	VkResult result = CHECK_CALL(
		c, vkGetSwapchainGrallocUsageANDROID, device->device, format, usage, &bits);

	check_answered(c, result, (uint32_t)bits, (uint32_t)POISON, "grallocUsage");
	*answer = (uint32_t)bits;
	return result;
}

/* "Often" is 6 and 0x60 in the halves, 3 and 0x30 in one number. */
static uint64_t
merge(uint64_t consumer, uint64_t producer)
{
	uint64_t merged = consumer | producer;

	if ((merged & 0x6) == 0x6)
		merged = (merged & ~UINT64_C(0x6)) | 0x3;
	if ((merged & 0x60) == 0x60)
		merged = (merged & ~UINT64_C(0x60)) | 0x30;
	return merged;
}

static VkResult
ask_2(struct check *c, const struct check_device *device, VkFormat format, VkImageUsageFlags usage,
	VkSwapchainImageUsageFlagsANDROID swapchain, uint64_t *answer)
{
	uint64_t consumer = POISON, producer = POISON;
	VkResult result = CHECK_CALL(c, vkGetSwapchainGrallocUsage2ANDROID, device->device, format,
		usage, swapchain, &consumer, &producer);

	check_answered(c, result, consumer, POISON, "grallocConsumerUsage");
	check_answered(c, result, producer, POISON, "grallocProducerUsage");
	*answer = merge(consumer, producer);
	return result;
}

static VkResult
ask_3(struct check *c, const struct check_device *device, VkFormat format, VkImageUsageFlags usage,
	uint64_t *answer)
{
	const VkGrallocUsageInfoANDROID info = {
		.sType = VK_STRUCTURE_TYPE_GRALLOC_USAGE_INFO_ANDROID,
		.format = format,
		.imageUsage = usage,
	};
	VkResult result =
		CHECK_CALL(c, vkGetSwapchainGrallocUsage3ANDROID, device->device, &info, answer);

	check_answered(c, result, *answer, POISON, "grallocUsage");
	return result;
}

static VkResult
ask_4(struct check *c, const struct check_device *device, VkFormat format, VkImageUsageFlags usage,
	VkSwapchainImageUsageFlagsANDROID swapchain, uint64_t *answer)
{
	const VkGrallocUsageInfo2ANDROID info = {
		.sType = VK_STRUCTURE_TYPE_GRALLOC_USAGE_INFO_2_ANDROID,
		.format = format,
		.imageUsage = usage,
		.swapchainImageUsage = swapchain,
	};
	VkResult result =
		CHECK_CALL(c, vkGetSwapchainGrallocUsage4ANDROID, device->device, &info, answer);

	check_answered(c, result, *answer, POISON, "grallocUsage");
	return result;
}

static VkResult
ask_ahb(struct check *c, const struct check_device *device, VkFormat format,
	VkImageUsageFlags usage, uint64_t *answer)
{
	const VkPhysicalDeviceExternalImageFormatInfo external = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID,
	};
	const VkPhysicalDeviceImageFormatInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = &external,
		.format = format,
		.type = VK_IMAGE_TYPE_2D,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = usage,
	};
	VkAndroidHardwareBufferUsageANDROID out = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_USAGE_ANDROID,
		.androidHardwareBufferUsage = POISON,
	};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &out};
	VkResult result = CHECK_CALL(
		c, vkGetPhysicalDeviceImageFormatProperties2, device->physical, &info, &properties);

	check_answered(c, result, out.androidHardwareBufferUsage, POISON,
		"VkAndroidHardwareBufferUsageANDROID::androidHardwareBufferUsage");
	*answer = out.androidHardwareBufferUsage;
	return result;
}

VkResult
native_ask(struct check *c, const struct check_device *device, enum native_query query,
	VkFormat format, VkImageUsageFlags usage, bool shared, uint64_t *answer)
{
	VkSwapchainImageUsageFlagsANDROID swapchain =
		shared ? VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID : 0;

	*answer = POISON;
	switch (query) {
	case NATIVE_QUERY_1:
		return ask_1(c, device, format, usage, answer);
	case NATIVE_QUERY_2:
		return ask_2(c, device, format, usage, swapchain, answer);
	case NATIVE_QUERY_3:
		return ask_3(c, device, format, usage, answer);
	case NATIVE_QUERY_4:
		return ask_4(c, device, format, usage, swapchain, answer);
	case NATIVE_QUERY_AHB:
		return ask_ahb(c, device, format, usage, answer);
	case NATIVE_QUERY_END:
		break;
	}
	check_fail(c, "there is no usage query %d", query);
}
