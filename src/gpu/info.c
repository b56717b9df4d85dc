/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/info.h"

#define IMAGE_FLAGS                                                                                \
	(VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT |                \
		VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT |     \
		VK_IMAGE_CREATE_PROTECTED_BIT | VK_IMAGE_CREATE_ALIAS_BIT)
#define IMAGE_USAGE                                                                                \
	(VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |                       \
		VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |                          \
		VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |                                              \
		VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT)
#define BUFFER_FLAGS VK_BUFFER_CREATE_PROTECTED_BIT
#define BUFFER_USAGE                                                                               \
	(VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |                     \
		VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |                                         \
		VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |    \
		VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |            \
		VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT)

VkExternalMemoryHandleTypeFlagBits
kr_gpu_handle_type(const struct kr_gpu_memory *memory)
{
	return memory->kind == KR_GPU_DMA_BUF ? VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT
					      : VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
}

/* Formats that have a number in Vulkan 1.1 and no compression: all that buffers are made of. */
static bool
is_format(uint32_t format)
{
	return (format >= VK_FORMAT_R4G4_UNORM_PACK8 && format <= VK_FORMAT_D32_SFLOAT_S8_UINT) ||
		(format >= VK_FORMAT_G8B8G8R8_422_UNORM &&
			format <= VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM) ||
		(format >= VK_FORMAT_G8_B8R8_2PLANE_444_UNORM &&
			format <= VK_FORMAT_G16_B16R16_2PLANE_444_UNORM);
}

static uint32_t
most_levels(uint32_t width, uint32_t height)
{
	return 32u - (uint32_t)__builtin_clz(width | height | 1u);
}

static const char *
image_flaw(const struct kr_gpu_memory *memory)
{
	if (!is_format(memory->format))
		return "its format is unknown";
	if (!memory->width || !memory->height || !memory->mip_levels || !memory->array_layers ||
		memory->mip_levels > most_levels(memory->width, memory->height))
		return "its size, mip levels or layers can't be";
	if (memory->samples != 1)
		return "it has several samples a pixel";
	if ((memory->flags & ~(uint32_t)IMAGE_FLAGS) || (memory->usage & ~(uint32_t)IMAGE_USAGE) ||
		!memory->usage)
		return "its flags or its usage are none that are shared";
	if ((memory->flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) &&
		(memory->width != memory->height || memory->array_layers < 6))
		return "it is a cube map without six square layers";
	if (memory->tiling != VK_IMAGE_TILING_OPTIMAL && memory->tiling != VK_IMAGE_TILING_LINEAR &&
		memory->tiling != VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT)
		return "its tiling is unknown";
	if (memory->view_format_count > KR_GPU_MAX_VIEW_FORMATS)
		return "its views have too many formats";
	for (uint32_t i = 0; i < memory->view_format_count; i++) {
		if (!is_format(memory->view_formats[i]))
			return "a format of its views is unknown";
	}
	/* VUID-VkImageCreateInfo-pNext-01578 */
	if (memory->view_format_count > 1 && !(memory->flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT))
		return "its views have formats, and it isn't mutable";
	return NULL;
}

const char *
kr_gpu_description_flaw(const struct kr_gpu_memory *memory)
{
	if (memory->kind != KR_GPU_OPAQUE_FD && memory->kind != KR_GPU_DMA_BUF)
		return "its kind is unknown";
	if (memory->plane_count > KR_GPU_MAX_PLANES)
		return "it has too many planes";
	if (memory->layout != VK_IMAGE_LAYOUT_GENERAL && memory->format)
		return "it doesn't change hands in the layout GENERAL";
	if (memory->format)
		return image_flaw(memory);
	if (!memory->width || memory->height != 1 || memory->view_format_count || !memory->usage ||
		(memory->flags & ~(uint32_t)BUFFER_FLAGS) ||
		(memory->usage & ~(uint32_t)BUFFER_USAGE))
		return "its size, flags or usage are none that buffers have";
	return NULL;
}

static void
add(struct kr_gpu_info *info, void *structure)
{
	VkBaseOutStructure *base = structure;

	base->pNext = (VkBaseOutStructure *)info->image.pNext;
	info->image.pNext = base;
}

static void
add_formats(struct kr_gpu_info *info, const struct kr_gpu_memory *memory)
{
	for (uint32_t i = 0; i < memory->view_format_count; i++)
		info->view_formats[i] = (VkFormat)memory->view_formats[i];
	info->formats = (VkImageFormatListCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
		.viewFormatCount = memory->view_format_count,
		.pViewFormats = info->view_formats,
	};
	add(info, &info->formats);
}

static void
add_modifier(struct kr_gpu_info *info, const struct kr_gpu_memory *memory)
{
	for (uint32_t i = 0; i < memory->plane_count && i < KR_GPU_MAX_PLANES; i++)
		info->planes[i] = (VkSubresourceLayout){
			.offset = memory->planes[i].offset,
			.rowPitch = memory->planes[i].row_bytes,
		};
	info->explicit_modifier = (VkImageDrmFormatModifierExplicitCreateInfoEXT){
		.sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT,
		.drmFormatModifier = memory->modifier,
		.drmFormatModifierPlaneCount = memory->plane_count,
		.pPlaneLayouts = info->planes,
	};
	add(info, &info->explicit_modifier);
}

void
kr_gpu_info_init(const struct kr_gpu *gpu, const struct kr_gpu_memory *memory,
	VkExternalMemoryHandleTypeFlagBits type, struct kr_gpu_info *info)
{
	const bool shared = gpu->family_count > 1;

	*info = (struct kr_gpu_info){
		.image =
			{
				.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
				.flags = memory->flags,
				.imageType = VK_IMAGE_TYPE_2D,
				.format = (VkFormat)memory->format,
				.extent = {memory->width, memory->height, 1},
				.mipLevels = memory->mip_levels,
				.arrayLayers = memory->array_layers,
				.samples = (VkSampleCountFlagBits)memory->samples,
				.tiling = (VkImageTiling)memory->tiling,
				.usage = memory->usage,
				.sharingMode = shared ? VK_SHARING_MODE_CONCURRENT
						      : VK_SHARING_MODE_EXCLUSIVE,
				.queueFamilyIndexCount = shared ? gpu->family_count : 0,
				.pQueueFamilyIndices = shared ? gpu->families : NULL,
			},
		.external =
			{
				.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
				.handleTypes = type,
			},
	};
	add(info, &info->external);
	if (memory->view_format_count)
		add_formats(info, memory);
	if (memory->tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT && memory->plane_count)
		add_modifier(info, memory);
}

VkBufferCreateInfo
kr_gpu_buffer_info(const struct kr_gpu *gpu, const struct kr_gpu_memory *memory,
	VkExternalMemoryHandleTypeFlagBits type, VkExternalMemoryBufferCreateInfo *external)
{
	const bool shared = gpu->family_count > 1;

	*external = (VkExternalMemoryBufferCreateInfo){
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = type,
	};
	return (VkBufferCreateInfo){
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.pNext = external,
		.flags = memory->flags,
		.size = memory->width,
		.usage = memory->usage,
		.sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
		.queueFamilyIndexCount = shared ? gpu->family_count : 0,
		.pQueueFamilyIndices = shared ? gpu->families : NULL,
	};
}

static bool
buffer_supported(const struct kr_gpu *gpu, const struct kr_gpu_memory *memory,
	VkExternalMemoryHandleTypeFlagBits type, VkExternalMemoryProperties *properties)
{
	const VkPhysicalDeviceExternalBufferInfo question = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
		.flags = memory->flags,
		.usage = memory->usage,
		.handleType = type,
	};
	VkExternalBufferProperties answer = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES,
	};

	gpu->vk.GetPhysicalDeviceExternalBufferProperties(gpu->physical_device, &question, &answer);
	*properties = answer.externalMemoryProperties;
	return true;
}

static bool
within(const struct kr_gpu_memory *memory, const VkImageFormatProperties *limits)
{
	return memory->width <= limits->maxExtent.width &&
		memory->height <= limits->maxExtent.height &&
		memory->mip_levels <= limits->maxMipLevels &&
		memory->array_layers <= limits->maxArrayLayers &&
		(memory->samples & limits->sampleCounts);
}

static bool
image_supported(const struct kr_gpu *gpu, const struct kr_gpu_memory *memory,
	VkExternalMemoryHandleTypeFlagBits type, VkExternalMemoryProperties *properties)
{
	struct kr_gpu_info info;
	VkPhysicalDeviceImageDrmFormatModifierInfoEXT modifier = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT,
		.drmFormatModifier = memory->modifier,
		.sharingMode = gpu->family_count > 1 ? VK_SHARING_MODE_CONCURRENT
						     : VK_SHARING_MODE_EXCLUSIVE,
		.queueFamilyIndexCount = gpu->family_count > 1 ? gpu->family_count : 0,
		.pQueueFamilyIndices = gpu->families,
	};
	VkPhysicalDeviceExternalImageFormatInfo external = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
		.handleType = type,
	};
	const VkPhysicalDeviceImageFormatInfo2 question = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = &external,
		.format = (VkFormat)memory->format,
		.type = VK_IMAGE_TYPE_2D,
		.tiling = (VkImageTiling)memory->tiling,
		.usage = memory->usage,
		.flags = memory->flags,
	};
	VkExternalImageFormatProperties answer = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES,
	};
	VkImageFormatProperties2 limits = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
		.pNext = &answer,
	};

	kr_gpu_info_init(gpu, memory, type, &info);
	if (memory->tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT) {
		modifier.pNext = external.pNext;
		external.pNext = &modifier;
	}
	if (memory->view_format_count) {
		info.formats.pNext = external.pNext;
		external.pNext = &info.formats;
	}
	if (gpu->vk.GetPhysicalDeviceImageFormatProperties2(
		    gpu->physical_device, &question, &limits) != VK_SUCCESS)
		return false;
	*properties = answer.externalMemoryProperties;
	return within(memory, &limits.imageFormatProperties);
}

static uint32_t
protected_flag(const struct kr_gpu_memory *memory)
{
	return memory->format ? (uint32_t)VK_IMAGE_CREATE_PROTECTED_BIT
			      : (uint32_t)VK_BUFFER_CREATE_PROTECTED_BIT;
}

bool
kr_gpu_supports(const struct kr_gpu *gpu, const struct kr_gpu_memory *memory,
	VkExternalMemoryHandleTypeFlagBits type, VkExternalMemoryFeatureFlags features,
	bool *only_dedicated)
{
	VkExternalMemoryProperties properties = {0};

	if (memory->kind == KR_GPU_DMA_BUF ? !gpu->dma_buf : !gpu->opaque_fd)
		return false;
	if (memory->format && memory->tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT &&
		!gpu->modifiers)
		return false;
	if (memory->view_format_count && !gpu->format_list)
		return false;
	if (!memory->format && memory->width > gpu->max_allocation)
		return false;
	if (!gpu->protects && memory->flags & protected_flag(memory))
		return false;
	if (memory->format ? !image_supported(gpu, memory, type, &properties)
			   : !buffer_supported(gpu, memory, type, &properties))
		return false;
	if (only_dedicated)
		*only_dedicated = properties.externalMemoryFeatures &
			VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT;
	return (properties.externalMemoryFeatures & features) == features;
}
