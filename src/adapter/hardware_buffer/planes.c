/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an image's rows and planes are a buffer's: else its memory isn't imported. */
#include <stdio.h>

#include "adapter/hardware_buffer/hardware_buffer.h"
#include "gpu/format.h"

static VkSubresourceLayout
ask_driver(const struct kr_adapter_device *device, VkImage image, uint32_t count, uint32_t plane)
{
	const VkImageSubresource what = {
		.aspectMask = count == 1 ? VK_IMAGE_ASPECT_COLOR_BIT
					 : (VkImageAspectFlags)VK_IMAGE_ASPECT_PLANE_0_BIT << plane,
	};
	VkSubresourceLayout layout = {0};

	device->vk.GetImageSubresourceLayout(device->handle, image, &what, &layout);
	return layout;
}

/*
 * Lavapipe 25.0 says that every plane begins at 0, which can't be. They follow one another: where
 * each has the buffer's rows and all of them end where the buffer's do, they begin where its do.
 */
static bool
planes_end_together(const VkMemoryRequirements *needs, const struct kr_buffer_info *info,
	const struct kr_buffer_planes *planes)
{
	const struct kr_buffer_plane *last = &planes->plane[planes->count - 1];
	uint64_t rows = (uint64_t)info->desc.height / 2 + info->desc.height % 2;

	return needs->size == last->offset + (rows + 3) / 4 * 4 * last->row_bytes;
}

static bool
plane_matches(const VkSubresourceLayout *driver, const struct kr_buffer_plane *buffer,
	uint32_t plane, bool *offset_unknown, struct kr_ahb_flaw *flaw)
{
	*offset_unknown |= plane && !driver->offset;
	if (driver->rowPitch != buffer->row_bytes) {
		snprintf(flaw->text, sizeof(flaw->text),
			"rows of plane %u have %llu bytes in the driver's image and %u in the buffer",
			plane, (unsigned long long)driver->rowPitch, buffer->row_bytes);
		return false;
	}
	if (driver->offset != buffer->offset && (!plane || driver->offset)) {
		snprintf(flaw->text, sizeof(flaw->text),
			"plane %u begins at %llu in the driver's image and at %llu in the buffer",
			plane, (unsigned long long)driver->offset,
			(unsigned long long)buffer->offset);
		return false;
	}
	return true;
}

bool
kr_ahb_rows_match(const struct kr_adapter_device *device, VkImage image, VkFormat format,
	const struct kr_buffer_info *info, struct kr_ahb_flaw *flaw)
{
	struct kr_buffer_planes planes = {0};
	VkMemoryRequirements needs;
	bool offset_unknown = false;

	if (kr_buffer_get_planes(info, &planes) || planes.count != kr_gpu_format_planes(format)) {
		snprintf(flaw->text, sizeof(flaw->text),
			"the image has %u planes and the buffer %u", kr_gpu_format_planes(format),
			planes.count);
		return false;
	}
	for (uint32_t i = 0; i < planes.count; i++) {
		const VkSubresourceLayout layout = ask_driver(device, image, planes.count, i);

		if (!plane_matches(&layout, &planes.plane[i], i, &offset_unknown, flaw))
			return false;
	}
	device->vk.GetImageMemoryRequirements(device->handle, image, &needs);
	if (needs.size <= info->size &&
		(!offset_unknown || planes_end_together(&needs, info, &planes)))
		return true;
	snprintf(flaw->text, sizeof(flaw->text),
		"the driver's image takes %llu bytes, which aren't the %llu of the buffer",
		(unsigned long long)needs.size, (unsigned long long)info->size);
	return false;
}

VkResult
kr_ahb_check_rows(struct kr_adapter_device *device, const struct kr_buffer_info *info,
	VkFormat format, VkImageUsageFlags usage, const char *call)
{
	const VkExternalMemoryImageCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
	};
	const VkImageCreateInfo create = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = &external,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = {info->desc.width, info->desc.height, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_LINEAR,
		.usage = usage,
	};
	struct kr_ahb_flaw flaw;
	VkImage image;
	VkResult result =
		device->vk.CreateImage(device->handle, &create, device->allocator, &image);

	if (result != VK_SUCCESS)
		return kr_ahb_refuse(call, "the driver has no image in rows of the buffer's size");
	result = kr_ahb_rows_match(device, image, format, info, &flaw)
		? VK_SUCCESS
		: kr_ahb_refuse(call, flaw.text);
	device->vk.DestroyImage(device->handle, image, device->allocator);
	return result;
}
