/* SPDX-License-Identifier: Apache-2.0 */
/* What an image is told of its buffer, and what a driver reads of it (W-04, W-13). */
#include "check/native/native.h"

/* Bits 48 to 63 are the vendors', and between a driver and its allocator. */
#define VENDOR_BITS (UINT64_C(0x8421) << 48)

static void
make_and_draw(struct check *c, struct check_device *device, struct check_image *image,
	const VkImageCreateInfo *info, const char *what)
{
	static const float rgba[4] = {0.0f, 0.6f, 0.2f, 1.0f};
	VkResult result = CHECK_CALL(c, vkCreateImage, device->device, info, NULL, &image->image);

	CHECK(c, result == VK_SUCCESS, "%s: vkCreateImage gives %s", what,
		check_result_name(result));
	native_draw(c, device, image, rgba);
}

/* A driver knows the structure as its version has it: what lies behind that is not its own. */
static void
members_of_its_version(struct check *c)
{
	VkNativeBufferANDROID native;
	struct check_device device;
	struct check_image image;
	VkImageCreateInfo info;

	check_make_device(c, NULL, &device);
	image = native_buffer(c, &device, 0);
	native = check_native_buffer(image.buffer, NULL);
	if (device.version < 11)
		native.ahb = (struct AHardwareBuffer *)(uintptr_t)8;
	if (device.version < 9)
		native.usage3 = UINT64_MAX;
	if (device.version < 6)
		native.usage2 = (VkNativeBufferUsage2ANDROID){UINT64_MAX, UINT64_MAX};
	info = check_image_info(NULL, &native);
	make_and_draw(c, &device, &image, &info, "with rubbish in members of later versions");
}

static void
usage_of_64_bits(struct check *c)
{
	VkNativeBufferANDROID native;
	struct check_device device;
	struct check_image image;
	VkImageCreateInfo info;

	check_make_device(c, NULL, &device);
	image = native_buffer(c, &device, VENDOR_BITS);
	native = check_native_buffer(image.buffer, NULL);
	info = check_image_info(NULL, &native);
	make_and_draw(c, &device, &image, &info, "of a buffer with usage bits beyond 32");
}

/* Layers put their structures in front. */
static void
anywhere_in_the_chain(struct check *c)
{
	const VkSwapchainImageCreateInfoANDROID behind = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID};
	VkImageFormatListCreateInfo before = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
		.viewFormatCount = 1,
		.pViewFormats = &(VkFormat){VK_FORMAT_R8G8B8A8_UNORM},
	};
	VkNativeBufferANDROID native;
	struct check_device device;
	struct check_image image;
	VkImageCreateInfo info;

	check_make_device(c, NULL, &device);
	if (device.api_version < VK_API_VERSION_1_2)
		check_not_applicable(c, "a device before Vulkan 1.2 needn't know a structure here");
	image = native_buffer(c, &device, 0);
	native = check_native_buffer(
		image.buffer, device.version >= NATIVE_SINCE_SHARED ? &behind : NULL);
	before.pNext = &native;
	info = check_image_info(NULL, &before);
	make_and_draw(c, &device, &image, &info, "behind another structure");
}

/* As VK_KHR_swapchain_mutable_format has it. */
static void
of_two_formats(struct check *c)
{
	static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB};
	const VkImageCreateFlags flags =
		VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
	const VkImageFormatListCreateInfo list = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
		.viewFormatCount = KR_ARRAY_LEN(formats),
		.pViewFormats = formats,
	};
	VkImageCreateInfo info = check_image_info(NULL, NULL);
	VkImageFormatProperties properties;
	VkNativeBufferANDROID native;
	struct check_device device;
	struct check_image image;

	check_make_device(c, NULL, &device);
	if (device.api_version < VK_API_VERSION_1_2 ||
		CHECK_CALL(c, vkGetPhysicalDeviceImageFormatProperties, device.physical,
			info.format, info.imageType, info.tiling, info.usage, flags,
			&properties) != VK_SUCCESS)
		check_not_applicable(c, "the device has no such images of R8G8B8A8_UNORM");
	image = native_buffer(c, &device, 0);
	native = check_native_buffer(image.buffer, &list);
	info.pNext = &native;
	info.flags = flags;
	make_and_draw(c, &device, &image, &info, "with views of two formats");
}

static const struct check_case rows[] = {
	{
		.name = "image.reads_members_of_its_version",
		.requirement = "W-04",
		.expected =
			"of VkNativeBufferANDROID a driver reads what its version of the extension has",
		.consequence = "an older platform's rubbish is read: crashes, or no swapchain",
		.run = members_of_its_version,
	},
	{
		.name = "image.takes_usage_of_64_bits",
		.requirement = "W-13",
		.expected = "a buffer may have usage bits beyond 32",
		.consequence =
			"no swapchain on machines whose allocator or display uses bits of its own",
		.run = usage_of_64_bits,
	},
	{
		.name = "image.of_two_formats",
		.requirement = "W-04",
		.expected =
			"images whose views may have another format can be made, where the device has such images",
		.consequence = "swapchains with VK_KHR_swapchain_mutable_format can't be created",
		.run = of_two_formats,
	},
	{
		.name = "image.finds_the_buffer_in_the_chain",
		.requirement = "W-04",
		.expected = "VkNativeBufferANDROID counts wherever in the chain it stands",
		.consequence = "windows stay black as soon as a layer is in use",
		.run = anywhere_in_the_chain,
	},
};

const struct check_rows check_native_image_chain = CHECK_ROWS(rows);
