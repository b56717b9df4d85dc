/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/check.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "gpu/info.h"
#include "gpu/linear.h"
#include "gpu/memory.h"
#include "gpu/modifier.h"
#include "gpu/sample.h"
#include "sync/kernel/dma_buf.h"

static int
no(struct kr_gpu_import *import, int err, const char *reason)
{
	import->reason = reason;
	return err;
}

/* The claims that can be judged without the descriptor. */
static int
check_claims(struct kr_gpu_import *import)
{
	const struct kr_gpu_memory *memory = &import->image.description;
	const VkPhysicalDeviceMemoryProperties *have = &import->gpu->memory;
	const char *flaw = kr_gpu_description_flaw(memory);
	uint32_t heap;

	if (flaw)
		return no(import, -EINVAL, flaw);
	if (memory->kind == KR_GPU_DMA_BUF)
		return 0;
	if (memcmp(memory->device_uuid, import->gpu->device_uuid, KR_GPU_UUID_SIZE) != 0)
		return no(import, -EXDEV, "it is memory of another device");
	if (memcmp(memory->driver_uuid, import->gpu->driver_uuid, KR_GPU_UUID_SIZE) != 0)
		return no(import, -EXDEV, "it is memory of another driver");
	if (memory->tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT)
		return no(import, -EINVAL, "it has modifiers, and is no dma-buf");
	if (memory->memory_type >= have->memoryTypeCount)
		return no(import, -EINVAL, "its memory is of no type that this device has");
	heap = have->memoryTypes[memory->memory_type].heapIndex;
	if (!memory->allocation_size || memory->allocation_size > have->memoryHeaps[heap].size ||
		memory->allocation_size > import->gpu->max_allocation)
		return no(import, -EINVAL, "its memory is larger than all that this device has");
	return 0;
}

static bool
supports(const struct kr_gpu_import *import)
{
	return kr_gpu_supports(import->gpu, &import->image.description, import->type,
		VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT, NULL);
}

/* LINEAR in whichever way this device takes that; else the modifier that was used. */
static int
choose_tiling(struct kr_gpu_import *import)
{
	struct kr_gpu_memory *memory = &import->image.description;
	bool linear = memory->kind == KR_GPU_DMA_BUF && memory->modifier == KR_GPU_LINEAR;
	bool modifiers = import->gpu->modifiers;
	uint32_t planes = 0;

	if (memory->kind != KR_GPU_DMA_BUF && import->gpu->maps_files)
		import->type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
	if (!memory->format || memory->kind != KR_GPU_DMA_BUF)
		return supports(import)
			? 0
			: no(import, -EOPNOTSUPP, "this device imports no such memory");
	if (import->made && memory->tiling == VK_IMAGE_TILING_LINEAR)
		modifiers = false;
	memory->tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
	if (modifiers)
		planes = kr_gpu_modifier_planes(import->gpu, memory->format, memory->modifier);
	if (planes && supports(import))
		return planes == memory->plane_count && planes <= KR_GPU_MAX_PLANES
			? 0
			: no(import, -EINVAL, "it hasn't as many planes as its modifier says");
	linear = linear && (!import->made || !modifiers);
	memory->tiling = VK_IMAGE_TILING_LINEAR;
	if (linear && supports(import))
		return 0;
	return no(import, -EOPNOTSUPP,
		linear ? "this device imports no such dma-buf"
		       : "this device doesn't import dma-bufs of that modifier");
}

static int
check_dma_buf(struct kr_gpu_import *import)
{
	struct kr_gpu_memory *memory = &import->image.description;
	const char *flaw;
	off_t size;
	int flags;

	if (kr_dma_buf_check(import->fd))
		return no(import, -EINVAL, "its descriptor is no dma-buf");
	flags = fcntl(import->fd, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) != O_RDWR)
		return no(import, -EINVAL, "its dma-buf can't be written");
	size = lseek(import->fd, 0, SEEK_END);
	if (size <= 0 || (uint64_t)size < memory->allocation_size)
		return no(import, -EINVAL, "its dma-buf is smaller than it says");
	memory->allocation_size = (uint64_t)size;
	flaw = memory->modifier == KR_GPU_LINEAR ? kr_gpu_linear_flaw(memory) : NULL;
	return flaw ? no(import, -EINVAL, flaw) : 0;
}

static int
check_descriptor(struct kr_gpu_import *import)
{
	const struct kr_gpu_memory *memory = &import->image.description;

	if (import->fd < 0)
		return no(import, -EINVAL, "it has no descriptor");
	if (memory->kind == KR_GPU_DMA_BUF)
		return check_dma_buf(import);
	return kr_gpu_sample_check(
		&import->gpu->sample, import->fd, memory->allocation_size, &import->reason);
}

static int
make(struct kr_gpu_import *import)
{
	const struct kr_gpu *gpu = import->gpu;
	struct kr_gpu_image *image = &import->image;
	struct kr_gpu_info info;
	VkResult result;

	if (import->made)
		return 0;
	if (image->description.format) {
		kr_gpu_info_init(gpu, &image->description, import->type, &info);
		result = gpu->vk.CreateImage(
			gpu->device, &info.image, gpu->allocator, &image->image);
	} else {
		result = kr_gpu_buffer_make(gpu, import->type, image);
	}
	if (result == VK_SUCCESS)
		return 0;
	image->image = VK_NULL_HANDLE;
	image->buffer = VK_NULL_HANDLE;
	if (result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY)
		return no(import, -ENOMEM, "there is no memory to describe it");
	return no(import, -EINVAL, "this device's driver makes no image of that description");
}

/* Of the types that both the image and the dma-buf can have. */
static int
choose_type(struct kr_gpu_import *import, uint32_t types)
{
	VkMemoryFdPropertiesKHR properties = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR,
	};

	if (import->gpu->vk.GetMemoryFdPropertiesKHR(import->gpu->device,
		    VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, import->fd,
		    &properties) != VK_SUCCESS)
		return no(import, -EINVAL, "this device's driver doesn't know its dma-buf");
	types &= properties.memoryTypeBits;
	if (!types)
		return no(import, -EOPNOTSUPP, "no memory of this device can be such a dma-buf");
	import->image.description.memory_type = (uint32_t)__builtin_ctz(types);
	return 0;
}

static int
check_layout(struct kr_gpu_import *import, const struct kr_gpu_needs *needs)
{
	const struct kr_gpu_memory *memory = &import->image.description;

	if (!memory->format || memory->tiling != VK_IMAGE_TILING_LINEAR ||
		memory->kind != KR_GPU_DMA_BUF)
		return 0;
	if (!kr_gpu_same_layout(import->gpu, import->image.image, memory, &import->offset))
		return no(import, -EOPNOTSUPP,
			"its rows or planes don't lie where this device's driver has them");
	if (import->offset % needs->alignment || (import->offset && needs->only_dedicated))
		return no(import, -EOPNOTSUPP,
			"it begins in the middle of its dma-buf, where this driver can't");
	if (import->offset && import->made)
		return no(import, -EOPNOTSUPP,
			"it begins in the middle of its dma-buf, and is bound to the beginning");
	return 0;
}

static int
check_needs(struct kr_gpu_import *import)
{
	struct kr_gpu_memory *memory = &import->image.description;
	struct kr_gpu_needs needs;
	int err;

	kr_gpu_needs_get(import->gpu, &import->image, &needs);
	err = check_layout(import, &needs);
	if (err)
		return err;
	if (import->offset > memory->allocation_size ||
		needs.size > memory->allocation_size - import->offset)
		return no(import, -EINVAL, "its memory is too small for it");
	if (memory->kind == KR_GPU_DMA_BUF) {
		memory->dedicated = needs.dedicated && !import->offset;
		return choose_type(import, needs.types);
	}
	if (!(needs.types & (1u << memory->memory_type)))
		return no(import, -EINVAL, "its memory is of a type that it can't have");
	if (needs.only_dedicated && !memory->dedicated)
		return no(import, -EINVAL, "it hasn't its memory for itself");
	return 0;
}

int
kr_gpu_import_plan(struct kr_gpu_import *import)
{
	int err = check_claims(import);

	import->type = kr_gpu_handle_type(&import->image.description);
	return err ? err : choose_tiling(import);
}

int
kr_gpu_import_prepare(struct kr_gpu_import *import)
{
	int err = kr_gpu_import_plan(import);

	if (!err)
		err = check_descriptor(import);
	if (!err)
		err = make(import);
	if (!err)
		err = check_needs(import);
	return err;
}
