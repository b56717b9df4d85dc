/* SPDX-License-Identifier: Apache-2.0 */
/* What an image is told of its buffer, and what a driver reads of it (W-04, W-13). */
#include "check/native/native.h"

#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"

#define FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define SIDE   64
#define USAGE                                                                                      \
	(VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |                   \
		VK_IMAGE_USAGE_TRANSFER_DST_BIT)

/* Bits 48 to 63 are the vendors', and between a driver and its allocator. */
#define VENDOR_BITS (UINT64_C(0x8421) << 48)

/* With the bits that the driver asks for, a consumer's, and these. */
static struct kr_buffer *
make_buffer(struct check *c, const struct check_device *device, uint64_t more)
{
	uint64_t gralloc;
	VkResult result = check_gralloc_usage(c, device, FORMAT, USAGE, 0, &gralloc);

	check_success(c, "the query for gralloc usage", result);
	return check_make_buffer(c, FORMAT, SIDE, SIDE,
		gralloc | more | AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY |
			AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN);
}

static void
make_and_draw(struct check *c, struct check_device *device, struct kr_buffer *buffer,
	const void *chain, const char *what)
{
	static const float rgba[4] = {0.0f, 0.6f, 0.2f, 1.0f};
	struct check_image image = {
		.buffer = buffer, .format = FORMAT, .width = SIDE, .height = SIDE};
	const VkImageCreateInfo info =
		check_image_info(&(struct check_image_request){.usage = USAGE}, chain);
	VkResult result = CHECK_CALL(c, vkCreateImage, device->device, &info, NULL, &image.image);

	CHECK(c, result == VK_SUCCESS, "%s: vkCreateImage gives %s", what,
		check_result_name(result));
	native_draw(c, device, &image, rgba);
}

/* A driver knows the structure as its version has it: what lies behind that is not its own. */
static void
members_of_its_version(struct check *c)
{
	VkNativeBufferANDROID native;
	struct check_device device;
	struct kr_buffer *buffer;

	check_make_device(c, NULL, &device);
	buffer = make_buffer(c, &device, 0);
	native = check_native_buffer(buffer, NULL);
	if (device.version < 11)
		native.ahb = (struct AHardwareBuffer *)(uintptr_t)8;
	if (device.version < 9)
		native.usage3 = UINT64_MAX;
	if (device.version < 6)
		native.usage2 = (VkNativeBufferUsage2ANDROID){UINT64_MAX, UINT64_MAX};
	make_and_draw(c, &device, buffer, &native, "with rubbish in members of later versions");
}

static void
usage_of_64_bits(struct check *c)
{
	VkNativeBufferANDROID native;
	struct check_device device;
	struct kr_buffer *buffer;

	check_make_device(c, NULL, &device);
	buffer = make_buffer(c, &device, VENDOR_BITS);
	native = check_native_buffer(buffer, NULL);
	make_and_draw(c, &device, buffer, &native, "of a buffer with usage bits beyond 32");
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
		.pViewFormats = &(VkFormat){FORMAT},
	};
	VkNativeBufferANDROID native;
	struct check_device device;
	struct kr_buffer *buffer;

	check_make_device(c, NULL, &device);
	if (device.api_version < VK_API_VERSION_1_2)
		check_not_applicable(c, "a device before Vulkan 1.2 needn't know a structure here");
	buffer = make_buffer(c, &device, 0);
	native =
		check_native_buffer(buffer, device.version >= NATIVE_SINCE_SHARED ? &behind : NULL);
	before.pNext = &native;
	make_and_draw(c, &device, buffer, &before, "behind another structure");
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
		.name = "image.finds_the_buffer_in_the_chain",
		.requirement = "W-04",
		.expected = "VkNativeBufferANDROID counts wherever in the chain it stands",
		.consequence = "windows stay black as soon as a layer is in use",
		.run = anywhere_in_the_chain,
	},
};

const struct check_rows check_native_image_chain = CHECK_ROWS(rows);
