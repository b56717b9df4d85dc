/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers whose properties were asked for. An application asks before it can allocate, and has no
 * reason not to before it makes the image: that is how the image for a dma-buf is known to be one,
 * and what its modifier and planes are. The latest of its size decides, and is good for one image,
 * so that another one, made for something else, isn't taken for it.
 */
#include "adapter/hardware_buffer/asked.h"

#include <krafla/hardware_buffer.h>

#include "gpu/format.h"
#include "util/alloc.h"

/* Who asks twice about one means one. */
static void
forget(struct kr_adapter_device *device, uint64_t id) KR_REQUIRES(device->hardware_buffers.lock)
{
	for (uint32_t i = 0; i < KR_AHB_MAX_ASKED; i++) {
		if (device->hardware_buffers.asked[i].id == id)
			device->hardware_buffers.asked[i].unused = false;
	}
}

void
kr_ahb_asked_remember(struct kr_adapter_device *device, const struct kr_buffer_info *info)
{
	struct kr_ahb_asked *asked;
	bool dma_buf =
		info->gpu && info->gpu->kind == KR_GPU_DMA_BUF && info->backend == KR_BUFFER_GPU;

	kr_mutex_lock(&device->hardware_buffers.lock);
	if (!device->hardware_buffers.asked)
		device->hardware_buffers.asked = kr_zalloc_array(device->allocator,
			KR_AHB_MAX_ASKED, sizeof(*asked), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
	/* Without memory the image is refused, with the reason. */
	if (device->hardware_buffers.asked) {
		forget(device, info->id);
		asked = &device->hardware_buffers
				 .asked[device->hardware_buffers.asked_count++ % KR_AHB_MAX_ASKED];
		asked->unused = true;
		asked->is_dma_buf = dma_buf;
		asked->id = info->id;
		asked->desc = info->desc;
		if (dma_buf)
			asked->memory = *info->gpu;
	}
	kr_mutex_unlock(&device->hardware_buffers.lock);
}

/* Whether the latest one that `fits` is a dma-buf; it is used up. */
static bool
take(struct kr_adapter_device *device,
	bool (*fits)(const struct kr_ahb_asked *asked, const void *wanted), const void *wanted,
	struct kr_gpu_memory *memory)
{
	bool found = false, is_dma_buf = false;
	uint32_t count;

	kr_mutex_lock(&device->hardware_buffers.lock);
	count = device->hardware_buffers.asked ? KR_AHB_MAX_ASKED : 0;
	for (uint32_t i = 1; i <= count && !found; i++) {
		struct kr_ahb_asked *asked =
			&device->hardware_buffers.asked[(device->hardware_buffers.asked_count - i) %
				KR_AHB_MAX_ASKED];

		found = asked->unused && fits(asked, wanted);
		if (!found)
			continue;
		*memory = asked->memory;
		is_dma_buf = asked->is_dma_buf;
		asked->unused = false;
	}
	kr_mutex_unlock(&device->hardware_buffers.lock);
	return is_dma_buf;
}

static bool
fits_image(const struct kr_ahb_asked *asked, const void *wanted)
{
	const VkImageCreateInfo *image = wanted;

	return asked->desc.width == image->extent.width &&
		asked->desc.height == image->extent.height &&
		asked->desc.layers == image->arrayLayers &&
		kr_gpu_format_matches(image->format, asked->desc.format);
}

bool
kr_ahb_asked_take_image(struct kr_adapter_device *device, const VkImageCreateInfo *image,
	struct kr_gpu_memory *memory)
{
	return take(device, fits_image, image, memory);
}

static bool
fits_buffer(const struct kr_ahb_asked *asked, const void *wanted)
{
	const VkBufferCreateInfo *buffer = wanted;

	return asked->desc.format == AHARDWAREBUFFER_FORMAT_BLOB &&
		buffer->size <= asked->desc.width;
}

bool
kr_ahb_asked_take_buffer(struct kr_adapter_device *device, const VkBufferCreateInfo *buffer,
	struct kr_gpu_memory *memory)
{
	return take(device, fits_buffer, buffer, memory);
}
