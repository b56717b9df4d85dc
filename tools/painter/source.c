/* SPDX-License-Identifier: Apache-2.0 */
/* See source.h. */
#include "tools/painter/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gralloc/handle.h"
#include "render/render.h"

/* --- formats --- */

static bool
decoding_of_words(uint32_t format, enum kr_paint_decoding *decoding)
{
	switch (format) {
	case AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM:
	case AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM:
		*decoding = KR_PAINT_RGBA8;
		return true;
	case AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM:
		*decoding = KR_PAINT_BGRA8;
		return true;
	case AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM:
		*decoding = KR_PAINT_RGB8;
		return true;
	case AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM:
		*decoding = KR_PAINT_RGB565;
		return true;
	case AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM:
		*decoding = KR_PAINT_RGB10A2;
		return true;
	case AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT:
		*decoding = KR_PAINT_HALF;
		return true;
	default:
		return false;
	}
}

static bool
may_be_viewed(const struct kr_gpu_memory *memory, VkFormat format)
{
	if (!(memory->flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT))
		return false;
	for (uint32_t i = 0; i < memory->view_format_count; i++) {
		if (memory->view_formats[i] == (uint32_t)format)
			return true;
	}
	return !memory->view_format_count;
}

/* Values are taken as they are encoded: by a view of them, else encoded again. */
static void
undo_srgb(const struct kr_gpu_memory *memory, VkFormat unorm, VkFormat *view,
	enum kr_paint_decoding *decoding)
{
	if (may_be_viewed(memory, unorm)) {
		*view = unorm;
		*decoding = KR_PAINT_RGBA8;
	} else {
		*decoding = KR_PAINT_SRGB;
	}
}

static bool
decoding_of_image(
	const struct kr_gpu_memory *memory, VkFormat *view, enum kr_paint_decoding *decoding)
{
	*view = (VkFormat)memory->format;
	switch (*view) {
	case VK_FORMAT_R8G8B8A8_UNORM:
	case VK_FORMAT_B8G8R8A8_UNORM:
	case VK_FORMAT_A8B8G8R8_UNORM_PACK32:
	case VK_FORMAT_R8G8B8_UNORM:
		*decoding = KR_PAINT_RGBA8;
		return true;
	case VK_FORMAT_R8G8B8A8_SRGB:
		undo_srgb(memory, VK_FORMAT_R8G8B8A8_UNORM, view, decoding);
		return true;
	case VK_FORMAT_B8G8R8A8_SRGB:
		undo_srgb(memory, VK_FORMAT_B8G8R8A8_UNORM, view, decoding);
		return true;
	case VK_FORMAT_A8B8G8R8_SRGB_PACK32:
		undo_srgb(memory, VK_FORMAT_A8B8G8R8_UNORM_PACK32, view, decoding);
		return true;
	case VK_FORMAT_R5G6B5_UNORM_PACK16:
		*decoding = KR_PAINT_RGB565;
		return true;
	case VK_FORMAT_A2B10G10R10_UNORM_PACK32:
		*decoding = KR_PAINT_RGB10A2;
		return true;
	case VK_FORMAT_R16G16B16A16_SFLOAT:
		*decoding = KR_PAINT_HALF;
		return true;
	default:
		return false;
	}
}

/* --- memory of a GPU --- */

static int
create_view(const struct kr_paint_device *device, struct kr_paint_source *source, VkFormat format)
{
	const VkImageViewUsageCreateInfo usage = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT,
	};
	const VkImageViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.pNext = &usage,
		.image = source->image.image,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = format,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};

	if (device->d.CreateImageView(device->device, &info, NULL, &source->view) == VK_SUCCESS)
		return 0;
	source->view = VK_NULL_HANDLE;
	return -ENOMEM;
}

static bool
can_sample(const struct kr_paint_device *device, const struct kr_gpu_memory *memory, VkFormat view)
{
	VkFormatProperties properties;

	device->i.GetPhysicalDeviceFormatProperties(device->physical_device, view, &properties);
	return (memory->tiling == VK_IMAGE_TILING_OPTIMAL ? properties.optimalTilingFeatures
			       : memory->tiling == VK_IMAGE_TILING_LINEAR
			       ? properties.linearTilingFeatures
			       : VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) &
		VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
}

static int
import_image(
	const struct kr_paint_device *device, struct kr_paint_source *source, const char **reason)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(source->buffer);
	const struct kr_gpu_memory *memory = info->gpu;
	VkFormat view;
	int err;

	*reason = "its image can't be sampled";
	if (!memory->format || !(memory->usage & VK_IMAGE_USAGE_SAMPLED_BIT) ||
		memory->samples != 1 || !decoding_of_image(memory, &view, &source->decoding) ||
		!can_sample(device, memory, view))
		return -EOPNOTSUPP;
	err = kr_gpu_memory_check(&device->gpu, memory, info->gpu_fd, reason);
	if (err)
		return err;
	if (kr_gpu_image_import(&device->gpu, memory, info->gpu_fd, &source->image, reason))
		return -EINVAL;
	source->is_image = true;
	*reason = "its image can't be looked at";
	return create_view(device, source, view);
}

/* --- memory of CPUs --- */

static int
map_words(const struct kr_paint_device *device, struct kr_paint_source *source, const char **reason)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(source->buffer);
	VkBufferUsageFlags usage = device->direct ? VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
						  : VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
	int err;

	*reason = "the painter knows no such format";
	if (!decoding_of_words(info->desc.format, &source->decoding))
		return -EOPNOTSUPP;
	*reason = "it is too large for the device";
	if (info->size > device->properties.limits.maxStorageBufferRange)
		return -EOPNOTSUPP;
	*reason = "it can't be mapped";
	err = kr_buffer_map(source->buffer, &source->data);
	if (err)
		return err;
	/* A dma-buf has to be told of each access: it is copied by the CPU. */
	err = kr_buffer_backend_is_dma_buf(info->backend)
		? -EOPNOTSUPP
		: kr_paint_memory_import(device, source->data, info->size, usage, &source->mapped);
	*reason = "there is no memory for it";
	if (!err && device->direct)
		return 0;
	return kr_paint_memory_init(device, KR_PAINT_OF_DEVICE, info->size,
		VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
		&source->copy);
}

/* --- all --- */

static int
import_buffer(const struct kr_painter_packet *packet, struct kr_buffer **buffer)
{
	const struct kr_pp_buffer *message = &packet->message.buffer;
	native_handle_t *handle;
	int fds = 0, err;

	while (fds < KR_PP_MAX_FDS && packet->fds[fds] >= 0)
		fds++;
	if (!message->ints || message->ints > KR_ARRAY_LEN(message->handle))
		return -EINVAL;
	err = kr_handle_create(fds, message->ints, &handle);
	if (err)
		return err;
	memcpy(handle->data, packet->fds, sizeof(int) * (size_t)fds);
	memcpy(handle->data + fds, message->handle, sizeof(int) * message->ints);
	err = kr_buffer_import(handle, buffer);
	(void)kr_handle_delete(handle);
	return err;
}

static bool
has_size(const struct kr_buffer_desc *desc, uint32_t most)
{
	return desc->width && desc->height && desc->width <= most && desc->height <= most &&
		desc->layers == 1;
}

int
kr_paint_source_create(const struct kr_paint_device *device, const struct kr_painter_packet *packet,
	struct kr_paint_source **out, const char **reason)
{
	struct kr_paint_source *source = calloc(1, sizeof(*source));
	const struct kr_buffer_info *info;
	int err;

	*reason = "there is no memory for it";
	if (!source)
		return -ENOMEM;
	source->id = packet->message.buffer.id;
	kr_list_init(&source->link);
	pixman_region32_init(&source->valid);
	*reason = "its handle lies";
	err = import_buffer(packet, &source->buffer);
	if (err)
		goto err_destroy;
	info = kr_buffer_get_info(source->buffer);
	*reason = "its size or format can't be shown";
	err = -EOPNOTSUPP;
	if (!has_size(&info->desc, KR_RENDER_MAX_SIZE) || !kr_pixels_to_xrgb(info->desc.format))
		goto err_destroy;
	err = info->gpu ? import_image(device, source, reason) : map_words(device, source, reason);
	if (err)
		goto err_destroy;
	*out = source;
	return 0;

err_destroy:
	kr_paint_source_destroy(device, source);
	return err;
}

void
kr_paint_source_destroy(const struct kr_paint_device *device, struct kr_paint_source *source)
{
	if (!source)
		return;
	kr_list_remove(&source->link);
	if (source->view)
		device->d.DestroyImageView(device->device, source->view, NULL);
	kr_gpu_image_destroy(&device->gpu, &source->image);
	kr_paint_memory_finish(device, &source->copy);
	kr_paint_memory_finish(device, &source->mapped);
	pixman_region32_fini(&source->valid);
	kr_buffer_unref(source->buffer);
	free(source);
}

struct kr_paint_source *
kr_paint_sources_find(const struct kr_paint_sources *sources, uint64_t id)
{
	struct kr_paint_source *source;

	kr_list_for_each (source, &sources->list, link) {
		if (source->id == id)
			return source;
	}
	return NULL;
}
