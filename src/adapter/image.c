/* SPDX-License-Identifier: Apache-2.0 */
/* Creating and destroying images of native buffers. */
#include "adapter/image.h"

#include <errno.h>
#include <sys/stat.h>

#include "gpu/format.h"
#include "adapter/shared.h"
#include "chain/chain.h"
#include "util/alloc.h"
#include "util/log.h"

/*
 * What the ICD must not see. An ICD takes any swapchain for one of its own and follows the pointer.
 */
static bool
is_ours(VkStructureType type)
{
	return type == VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID ||
		type == VK_STRUCTURE_TYPE_SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID ||
		type == VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR;
}

static VkResult
refuse(const char *what)
{
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "a native buffer can't be an image: %s", what);
	return VK_ERROR_INVALID_EXTERNAL_HANDLE;
}

VkResult
kr_adapter_image_set_buffer(struct kr_adapter_image *image, const VkNativeBufferANDROID *native)
{
	const struct kr_buffer_info *info;
	struct kr_buffer *buffer;
	struct stat st;
	VkResult result;
	int err;

	if (!native->handle)
		return refuse("it has no handle");
	err = kr_buffer_import(native->handle, &buffer);
	if (err == -ENOMEM || err == -EMFILE || err == -ENFILE)
		return err == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_TOO_MANY_OBJECTS;
	if (err)
		return refuse(err == -EPERM ? "it isn't sealed against resizing"
					    : "its handle doesn't describe its memory");
	info = kr_buffer_get_info(buffer);
	result = VK_SUCCESS;
	if (native->stride != (int)info->stride || native->format != (int)info->desc.format)
		result = refuse("stride or format aren't those of its handle");
	else if (!kr_gpu_format_matches(image->format, info->desc.format))
		result = refuse("the formats differ");
	else if (image->extent.width > info->desc.width || image->extent.height > info->desc.height)
		result = refuse("it is smaller than the image");
	else if (info->modifier)
		result = refuse("it isn't linear");
	else if (fstat(info->fd, &st) || kr_buffer_map(buffer, &image->pixels))
		result = VK_ERROR_MEMORY_MAP_FAILED;
	if (result != VK_SUCCESS) {
		kr_buffer_unref(buffer);
		return result;
	}
	image->buffer = buffer;
	image->buffer_dev = st.st_dev;
	image->buffer_ino = st.st_ino;
	return VK_SUCCESS;
}

static void
destroy_handle(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	device->vk.DestroyImage(device->handle, image->handle, image->allocator);
	image->handle = VK_NULL_HANDLE;
}

/* In memory that can be exported; *made false: today's other ways are left. */
static VkResult
make_exportable(struct kr_adapter_device *device, struct kr_adapter_image *image,
	const VkImageCreateInfo *info, bool *made)
{
	VkResult result;

	image->exportable = false;
	result = kr_adapter_export_image_create(device, image, info, made);

	if (result == VK_SUCCESS && *made && image->buffer)
		result = kr_copy_image_bind(device, image);
	if (result == VK_SUCCESS || !*made)
		return result;
	kr_adapter_image_finish(device, image);
	destroy_handle(device, image);
	if (result == VK_ERROR_DEVICE_LOST || result == VK_ERROR_OUT_OF_HOST_MEMORY)
		return result;
	kr_warn("%s: gives no memory of an image that could be exported (%d)",
		device->gpu->instance->icd.name, result);
	image->exportable = *made = false;
	return VK_SUCCESS;
}

/* Host import if it can be had, else the copy; a shared image has to lie in the buffer itself. */
static VkResult
make(struct kr_adapter_device *device, struct kr_adapter_image *image,
	const VkImageCreateInfo *info, uint32_t row_bytes)
{
	bool made = false;
	VkResult result = VK_SUCCESS;

	if (image->exportable)
		result = make_exportable(device, image, info, &made);
	if (result != VK_SUCCESS || made)
		return result;
	result = kr_host_image_create(device, image, info, row_bytes, &made);
	if (result != VK_SUCCESS)
		return result;
	if (made && !image->buffer)
		return VK_SUCCESS;
	if (made) {
		result = kr_host_image_bind(device, image);
		if (result == VK_SUCCESS)
			return VK_SUCCESS;
		destroy_handle(device, image);
		if (result == VK_ERROR_DEVICE_LOST ||
			(image->shared &&
				(result == VK_ERROR_OUT_OF_HOST_MEMORY ||
					result == VK_ERROR_OUT_OF_DEVICE_MEMORY)))
			return result;
	}
	if (image->shared)
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	result = kr_copy_image_create(device, image, info);
	if (result != VK_SUCCESS || !image->buffer)
		return result;
	result = kr_copy_image_bind(device, image);
	if (result != VK_SUCCESS) {
		kr_adapter_image_finish(device, image);
		destroy_handle(device, image);
	}
	return result;
}

/* What an image may be beyond W-04, where the ICD's own question for formats agrees. */
#define POSSIBLE_FLAGS                                                                             \
	(VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT |                 \
		VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT)

bool
kr_adapter_image_is_plain(const VkImageCreateInfo *info)
{
	return info->imageType == VK_IMAGE_TYPE_2D && info->extent.depth == 1 &&
		info->mipLevels == 1 && info->arrayLayers == 1 &&
		!(info->flags & ~(VkImageCreateFlags)POSSIBLE_FLAGS) &&
		info->samples == VK_SAMPLE_COUNT_1_BIT && info->tiling == VK_IMAGE_TILING_OPTIMAL &&
		kr_gpu_format_is_shown(info->format);
}

/* `native` NULL: the buffer comes with vkBindImageMemory2 and then has gralloc's rows (W-06). */
static VkResult
create(struct kr_adapter_device *device, const VkImageCreateInfo *info,
	const VkNativeBufferANDROID *native, VkSwapchainImageUsageFlagsANDROID usage,
	const VkAllocationCallbacks *callbacks, VkImage *handle)
{
	const VkAllocationCallbacks *allocator = callbacks ? callbacks : device->allocator;
	struct kr_adapter_image *image;
	uint32_t row_bytes;
	uint64_t size;
	VkResult result;

	image = kr_object_alloc(allocator, sizeof(*image), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!image)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	image->allocator = callbacks ? kr_object_allocator(image) : NULL;
	image->format = info->format;
	image->shared = usage & VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID;
	image->exportable = !image->shared && (usage & KR_SWAPCHAIN_IMAGE_GPU_MEMORY);
	image->extent = (VkExtent2D){info->extent.width, info->extent.height};
	if (native) {
		result = kr_adapter_image_set_buffer(image, native);
		if (result != VK_SUCCESS)
			goto err_free;
		row_bytes = kr_buffer_get_info(image->buffer)->row_bytes;
		image->exportable |= !image->shared &&
			(kr_buffer_get_info(image->buffer)->desc.usage & KR_USAGE_GPU_MEMORY);
	} else if (kr_format_layout(kr_gpu_buffer_format(info->format), info->extent.width,
			   info->extent.height, &row_bytes, &size)) {
		result = VK_ERROR_FORMAT_NOT_SUPPORTED;
		goto err_free;
	}
	result = make(device, image, info, row_bytes);
	if (result != VK_SUCCESS)
		goto err_buffer;
	*handle = image->handle;
	kr_adapter_image_add(device, image);
	return VK_SUCCESS;

err_buffer:
	kr_buffer_unref(image->buffer);
err_free:
	kr_object_free(image);
	return result;
}

/* What it was to be made from stands in its chain no more. */
static VkResult
create_stripped(struct kr_adapter_device *state, const VkImageCreateInfo *info,
	const VkNativeBufferANDROID *native, VkSwapchainImageUsageFlagsANDROID usage,
	const VkAllocationCallbacks *allocator, VkImage *image)
{
	if (kr_adapter_image_is_plain(info))
		return create(state, info, native, usage, allocator, image);
	if (native || (usage & VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID))
		return refuse("the image is not 2D with one level, layer and sample");
	return state->vk.CreateImage(state->handle, info, allocator, image);
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_CreateImage(VkDevice device, const VkImageCreateInfo *pCreateInfo,
	const VkAllocationCallbacks *pAllocator, VkImage *pImage)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	const VkNativeBufferANDROID *native;
	const VkImageSwapchainCreateInfoKHR *swapchain;
	const VkSwapchainImageCreateInfoANDROID *asked;
	VkSwapchainImageUsageFlagsANDROID usage;
	VkImageCreateInfo info = *pCreateInfo;
	const VkAllocationCallbacks *allocator;
	struct kr_arena arena;
	VkResult result;

	native = kr_chain_find(info.pNext, VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID);
	swapchain = kr_chain_find(info.pNext, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR);
	/* A swapchain that is left in the chain beside the driver's own is the driver's. */
	if (!state->engaged ||
		(!native &&
			(!swapchain ||
				(swapchain->swapchain &&
					state->gpu->instance->options.keep_driver_wsi))))
		return state->vk.CreateImage(device, pCreateInfo, pAllocator, pImage);
	asked = kr_chain_find(info.pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID);
	usage = asked ? asked->usage : 0;
	if ((usage & VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID) &&
		!kr_adapter_shares_images(state->gpu))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	allocator = pAllocator ? pAllocator : state->allocator;
	kr_arena_init(&arena, allocator);
	result = kr_chain_strip(&arena, info.pNext, is_ours, "vkCreateImage", &info.pNext);
	if (result == VK_SUCCESS)
		result = create_stripped(state, &info, native, usage, pAllocator, pImage);
	kr_arena_finish(&arena);
	return result;
}

VKAPI_ATTR void VKAPI_CALL
kr_adapter_DestroyImage(VkDevice device, VkImage image, const VkAllocationCallbacks *pAllocator)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	struct kr_adapter_image *native = kr_adapter_image_take(state, image);

	if (native)
		kr_adapter_image_end(state, native);
	else
		state->vk.DestroyImage(device, image, pAllocator);
}
