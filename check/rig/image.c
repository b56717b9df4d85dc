/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers, and images of them, as the platform makes them (W-03 to W-06). */
#include "check/rig/state.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <string.h>

#include "gralloc/buffer.h"

#define VERSION_WITH_BINDS 8

/* What a consumer adds that shows pictures, and reads them by the CPU. */
#define CONSUMER_USAGE                                                                             \
	(AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY | AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE |        \
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN)

uint32_t
check_buffer_format(VkFormat format)
{
	switch (format) {
	case VK_FORMAT_R8G8B8A8_UNORM:
	case VK_FORMAT_R8G8B8A8_SRGB:
		return AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;
	case VK_FORMAT_B8G8R8A8_UNORM:
	case VK_FORMAT_B8G8R8A8_SRGB:
		return AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM;
	case VK_FORMAT_R5G6B5_UNORM_PACK16:
		return AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM;
	case VK_FORMAT_A2B10G10R10_UNORM_PACK32:
		return AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM;
	case VK_FORMAT_R16G16B16A16_SFLOAT:
		return AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT;
	default:
		return 0;
	}
}

bool
check_format_is_usable(struct check *c, const struct check_device *device, VkFormat format,
	VkImageUsageFlags usage)
{
	VkImageFormatProperties properties;

	return check_buffer_format(format) &&
		CHECK_CALL(c, vkGetPhysicalDeviceImageFormatProperties, device->physical, format,
			VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL, usage, 0,
			&properties) == VK_SUCCESS;
}

/* "Often" is 6 and 0x60 in the older halves, 3 and 0x30 in one number. */
static uint64_t
merge_halves(uint64_t consumer, uint64_t producer)
{
	uint64_t merged = consumer | producer;

	if ((merged & 0x6) == 0x6)
		merged = (merged & ~UINT64_C(0x6)) | 0x3;
	if ((merged & 0x60) == 0x60)
		merged = (merged & ~UINT64_C(0x60)) | 0x30;
	return merged;
}

static VkResult
ask_halves(struct check *c, const struct check_device *device, VkFormat format,
	VkImageUsageFlags usage, VkSwapchainImageUsageFlagsANDROID swapchain, uint64_t *gralloc)
{
	uint64_t consumer = 0, producer = 0;
	VkResult result = CHECK_CALL(c, vkGetSwapchainGrallocUsage2ANDROID, device->device, format,
		usage, swapchain, &consumer, &producer);

	*gralloc = merge_halves(consumer, producer);
	return result;
}

VkResult
check_gralloc_usage(struct check *c, const struct check_device *device, VkFormat format,
	VkImageUsageFlags usage, VkSwapchainImageUsageFlagsANDROID swapchain, uint64_t *gralloc)
{
	const VkGrallocUsageInfo2ANDROID info4 = {
		.sType = VK_STRUCTURE_TYPE_GRALLOC_USAGE_INFO_2_ANDROID,
		.format = format,
		.imageUsage = usage,
		.swapchainImageUsage = swapchain,
	};
	const VkGrallocUsageInfoANDROID info3 = {
		.sType = VK_STRUCTURE_TYPE_GRALLOC_USAGE_INFO_ANDROID,
		.format = format,
		.imageUsage = usage,
	};
	const struct check_vk *vk = check_functions(c);
	VkResult result;
	int bits = 0;

	*gralloc = 0;
	if (vk->vkGetSwapchainGrallocUsage4ANDROID)
		return CHECK_CALL(
			c, vkGetSwapchainGrallocUsage4ANDROID, device->device, &info4, gralloc);
	/* Version 3 of the query knows nothing of sharing. */
	if (vk->vkGetSwapchainGrallocUsage3ANDROID &&
		(!swapchain || !vk->vkGetSwapchainGrallocUsage2ANDROID))
		return CHECK_CALL(
			c, vkGetSwapchainGrallocUsage3ANDROID, device->device, &info3, gralloc);
	if (vk->vkGetSwapchainGrallocUsage2ANDROID)
		return ask_halves(c, device, format, usage, swapchain, gralloc);
	result = CHECK_CALL(
		c, vkGetSwapchainGrallocUsageANDROID, device->device, format, usage, &bits);
	*gralloc = (uint32_t)bits;
	return result;
}

struct kr_buffer *
check_make_buffer(
	struct check *c, VkFormat format, uint32_t width, uint32_t height, uint64_t gralloc)
{
	const struct kr_buffer_desc desc = {
		.width = width,
		.height = height,
		.layers = 1,
		.format = check_buffer_format(format),
		.usage = gralloc,
	};
	struct kr_buffer *buffer = NULL;
	int ret = kr_buffer_allocate(&desc, &buffer);

	if (ret == -EOPNOTSUPP || ret == -EINVAL)
		check_fail(c, "the allocator has no buffer of format %u with the usage %#llx",
			desc.format, (unsigned long long)gralloc);
	if (ret)
		check_skip(c, "no buffer could be allocated: %s", strerror(-ret));
	return buffer;
}

/* Gralloc's usage in its older halves: android_convertGralloc0To1Usage. */
static VkNativeBufferUsage2ANDROID
split_halves(uint64_t usage)
{
	VkNativeBufferUsage2ANDROID halves = {usage & 0x959902, usage & 0xC24222};

	if ((usage & 0x3) == 0x3) {
		halves.consumer |= 0x6;
		halves.producer |= 0x6;
	}
	if ((usage & 0x30) == 0x30)
		halves.producer |= 0x60;
	return halves;
}

VkNativeBufferANDROID
check_native_buffer(struct kr_buffer *buffer, const void *chain)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);

	return (VkNativeBufferANDROID){
		.sType = VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID,
		.pNext = chain,
		.handle = kr_buffer_handle(buffer),
		.stride = (int)info->stride,
		.format = (int)info->desc.format,
		.usage = (int)info->desc.usage,
		.usage2 = split_halves((uint32_t)info->desc.usage),
		.usage3 = info->desc.usage,
		.ahb = (struct AHardwareBuffer *)(void *)buffer,
	};
}

static struct check_image_request
complete(const struct check_image_request *request)
{
	struct check_image_request r = request ? *request : (struct check_image_request){0};

	r.format = r.format ? r.format : VK_FORMAT_R8G8B8A8_UNORM;
	r.width = r.width ? r.width : 64;
	r.height = r.height ? r.height : 64;
	r.usage = r.usage ? r.usage
			  : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
			VK_IMAGE_USAGE_TRANSFER_DST_BIT;
	return r;
}

VkImageCreateInfo
check_image_info(const struct check_image_request *request, const void *chain)
{
	struct check_image_request r = complete(request);

	return (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = chain,
		.flags = r.flags,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = r.format,
		.extent = {r.width, r.height, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = r.usage,
		.sharingMode = VK_SHARING_MODE_EXCLUSIVE,
		.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
	};
}

/* Without memory; the swapchain is the platform's, and no driver sees it (W-02). */
static VkResult
create_deferred(struct check *c, struct check_device *device, const VkImageCreateInfo *plain,
	const void *chain, struct check_image *out)
{
	const VkImageSwapchainCreateInfoKHR of = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR, .pNext = chain};
	const VkBindImageMemorySwapchainInfoKHR bind_of = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR};
	const VkNativeBufferANDROID native = check_native_buffer(out->buffer, &bind_of);
	VkImageCreateInfo info = *plain;
	VkBindImageMemoryInfo bind = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, .pNext = &native};
	VkResult result;

	info.pNext = &of;
	result = CHECK_CALL(c, vkCreateImage, device->device, &info, NULL, &out->image);
	if (result != VK_SUCCESS)
		return result;
	bind.image = out->image;
	result = CHECK_CALL(c, vkBindImageMemory2, device->device, 1, &bind);
	if (result != VK_SUCCESS)
		CHECK_CALL(c, vkDestroyImage, device->device, out->image, NULL);
	return result;
}

static VkResult
create(struct check *c, struct check_device *device, const struct check_image_request *request,
	struct check_image *out)
{
	const VkSwapchainImageCreateInfoANDROID sharing = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID,
		.usage = VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID,
	};
	const void *chain = request->shared ? &sharing : NULL;
	const VkNativeBufferANDROID native = check_native_buffer(out->buffer, chain);
	VkImageCreateInfo info = check_image_info(request, &native);

	if (request->deferred)
		return create_deferred(c, device, &info, chain, out);
	return CHECK_CALL(c, vkCreateImage, device->device, &info, NULL, &out->image);
}

VkResult
check_try_image(struct check *c, struct check_device *device,
	const struct check_image_request *wanted, struct check_image *out)
{
	const struct check_image_request request = complete(wanted);
	uint64_t gralloc = 0;
	VkResult result;

	if (request.deferred && device->version < VERSION_WITH_BINDS)
		check_not_applicable(c,
			"the driver has VK_ANDROID_native_buffer %u, and binds come with %u",
			device->version, VERSION_WITH_BINDS);
	result = check_gralloc_usage(c, device, request.format, request.usage,
		request.shared ? VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID : 0, &gralloc);
	if (result != VK_SUCCESS)
		return result;
	*out = (struct check_image){
		.format = request.format,
		.width = request.width,
		.height = request.height,
		.usage = gralloc | CONSUMER_USAGE,
		.shared = request.shared,
	};
	out->buffer = check_make_buffer(c, out->format, out->width, out->height, out->usage);
	out->ahb = (struct AHardwareBuffer *)(void *)out->buffer;
	result = create(c, device, &request, out);
	if (result != VK_SUCCESS) {
		kr_buffer_unref(out->buffer);
		*out = (struct check_image){0};
		return result;
	}
	CHECK(c, out->image, "vkCreateImage gave VK_SUCCESS and no image");
	return VK_SUCCESS;
}

void
check_make_image(struct check *c, struct check_device *device,
	const struct check_image_request *request, struct check_image *out)
{
	VkResult result = check_try_image(c, device, request, out);

	CHECK(c, result == VK_SUCCESS, "an image of a native buffer couldn't be made: %s",
		check_result_name(result));
}

void
check_destroy_image(struct check *c, struct check_device *device, struct check_image *image)
{
	CHECK_CALL(c, vkDestroyImage, device->device, image->image, NULL);
	kr_buffer_unref(image->buffer);
	*image = (struct check_image){0};
}
