/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/allocator/want.h"

#include <errno.h>

#include <krafla/hardware_buffer.h>

#include "gpu/format.h"

#define CPU_USAGE (AHARDWAREBUFFER_USAGE_CPU_READ_MASK | AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK)
#define ATTACHMENT_USAGE                                                                           \
	(VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT)
/* Whatever another process may make of it: it has to make the same. */
#define BUFFER_USAGE                                                                               \
	(VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |                     \
		VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |          \
		VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT |             \
		VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT)

static uint32_t
all_levels(uint32_t width, uint32_t height)
{
	return 32u - (uint32_t)__builtin_clz(width | height | 1u);
}

static int
no(const char **reason, const char *sentence)
{
	*reason = sentence;
	return -EOPNOTSUPP;
}

static int
want_image(const struct kr_gpu *gpu, const struct kr_buffer_desc *desc,
	struct kr_gpu_memory *wanted, const char **reason)
{
	VkFormatProperties2 properties = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2};
	const bool mipmaps = desc->usage & AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE;
	const bool cube = desc->usage & AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP;

	wanted->format = kr_gpu_format_of_buffer(desc->format);
	if (!wanted->format)
		return no(reason, "GPUs have no such format");
	if (kr_gpu_format_planes(wanted->format) > 1 && (desc->width % 2 || desc->height % 2))
		return no(reason, "Vulkan has no images of YCbCr 4:2:0 of odd sizes");
	gpu->vk.GetPhysicalDeviceFormatProperties2(
		gpu->physical_device, (VkFormat)wanted->format, &properties);
	wanted->usage =
		kr_gpu_hardware_buffer_usage(properties.formatProperties.optimalTilingFeatures);
	if ((desc->usage & AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE) &&
		!(wanted->usage & VK_IMAGE_USAGE_SAMPLED_BIT))
		return no(reason, "the device doesn't sample images of that format");
	if ((desc->usage & AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER) &&
		!(wanted->usage & ATTACHMENT_USAGE))
		return no(reason, "the device doesn't draw into images of that format");
	wanted->height = desc->height;
	wanted->flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0;
	wanted->tiling = VK_IMAGE_TILING_OPTIMAL;
	wanted->mip_levels = mipmaps ? all_levels(desc->width, desc->height) : 1;
	wanted->array_layers = desc->layers;
	wanted->samples = 1;
	return 0;
}

int
kr_gpu_want(const struct kr_gpu *gpu, const struct kr_buffer_desc *desc,
	struct kr_gpu_memory *wanted, const char **reason)
{
	const bool blob = desc->format == AHARDWAREBUFFER_FORMAT_BLOB;
	int err = 0;

	*wanted = (struct kr_gpu_memory){.kind = KR_GPU_OPAQUE_FD, .width = desc->width};
	if (desc->usage & CPU_USAGE)
		return no(reason, "its memory would be a GPU's, which processors don't reach");
	if (desc->usage & AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT)
		return no(reason, "no device here protects its memory");
	if (blob)
		wanted->usage = BUFFER_USAGE;
	else
		err = want_image(gpu, desc, wanted, reason);
	if (!err && !kr_gpu_image_possible(gpu, wanted))
		err = no(reason, "the device has no such images that it exports");
	return err;
}
