/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/modifier.h"

#include "gpu/info.h"
#include "gpu/linear.h"

/* The first of what the driver has: drivers have a few dozen at most. */
static uint32_t
ask_modifiers(const struct kr_gpu *gpu, uint32_t format,
	VkDrmFormatModifierPropertiesEXT answers[static KR_GPU_MAX_MODIFIERS])
{
	VkDrmFormatModifierPropertiesListEXT list = {
		.sType = VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT,
		.drmFormatModifierCount = KR_GPU_MAX_MODIFIERS,
		.pDrmFormatModifierProperties = answers,
	};
	VkFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2,
		.pNext = &list,
	};

	gpu->vk.GetPhysicalDeviceFormatProperties2(
		gpu->physical_device, (VkFormat)format, &properties);
	return KR_MIN(list.drmFormatModifierCount, (uint32_t)KR_GPU_MAX_MODIFIERS);
}

uint32_t
kr_gpu_modifier_planes(const struct kr_gpu *gpu, uint32_t format, uint64_t modifier)
{
	VkDrmFormatModifierPropertiesEXT known[KR_GPU_MAX_MODIFIERS];
	uint32_t count = ask_modifiers(gpu, format, known);

	for (uint32_t i = 0; i < count; i++) {
		if (known[i].drmFormatModifier == modifier)
			return known[i].drmFormatModifierPlaneCount;
	}
	return 0;
}

static void
gather(const struct kr_gpu *gpu, const struct kr_gpu_memory *memory, bool linear,
	struct kr_gpu_modifiers *modifiers)
{
	VkDrmFormatModifierPropertiesEXT known[KR_GPU_MAX_MODIFIERS];
	struct kr_gpu_memory asked = *memory;
	uint32_t count = ask_modifiers(gpu, memory->format, known);

	modifiers->count = 0;
	asked.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
	for (uint32_t i = 0; i < count; i++) {
		asked.modifier = known[i].drmFormatModifier;
		if ((asked.modifier == KR_GPU_LINEAR) == linear &&
			known[i].drmFormatModifierPlaneCount >= 1 &&
			known[i].drmFormatModifierPlaneCount <= KR_GPU_MAX_PLANES &&
			kr_gpu_supports(gpu, &asked, kr_gpu_handle_type(&asked),
				VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT, NULL))
			modifiers->values[modifiers->count++] = asked.modifier;
	}
}

bool
kr_gpu_modifiers_choose(
	const struct kr_gpu *gpu, struct kr_gpu_memory *memory, struct kr_gpu_modifiers *modifiers)
{
	modifiers->count = 0;
	if (gpu->modifiers) {
		if (memory->tiling != VK_IMAGE_TILING_LINEAR)
			gather(gpu, memory, false, modifiers);
		if (!modifiers->count)
			gather(gpu, memory, true, modifiers);
	}
	if (modifiers->count) {
		memory->tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
		return true;
	}
	memory->tiling = VK_IMAGE_TILING_LINEAR;
	return kr_gpu_supports(gpu, memory, kr_gpu_handle_type(memory),
		VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT, NULL);
}

static uint64_t
ask_layout(const struct kr_gpu *gpu, VkImage image, VkImageAspectFlags aspect,
	struct kr_gpu_plane *plane)
{
	const VkImageSubresource subresource = {.aspectMask = aspect};
	VkSubresourceLayout layout = {0};

	gpu->vk.GetImageSubresourceLayout(gpu->device, image, &subresource, &layout);
	*plane = (struct kr_gpu_plane){layout.offset, layout.rowPitch};
	return layout.size;
}

/* The n-th of `count` planes of an image that is LINEAR. */
static VkImageAspectFlags
plane_aspect(const struct kr_gpu_memory *memory, uint32_t count, uint32_t n)
{
	if (count > 1)
		return (VkImageAspectFlags)VK_IMAGE_ASPECT_PLANE_0_BIT << n;
	if (kr_gpu_aspects(memory->format) & VK_IMAGE_ASPECT_COLOR_BIT)
		return VK_IMAGE_ASPECT_COLOR_BIT;
	return kr_gpu_aspects(memory->format) & VK_IMAGE_ASPECT_DEPTH_BIT
		? VK_IMAGE_ASPECT_DEPTH_BIT
		: VK_IMAGE_ASPECT_STENCIL_BIT;
}

/*
 * Where the planes of one memory begin can't be the same: lavapipe 25 says 0 of each, and has them
 * one behind the other.
 */
static void
ask_linear(const struct kr_gpu *gpu, VkImage image, const struct kr_gpu_memory *memory,
	uint32_t count, struct kr_gpu_plane *planes)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t size = ask_layout(gpu, image, plane_aspect(memory, count, i), &planes[i]);

		if (i && !planes[i].offset)
			planes[i].offset = end;
		end = planes[i].offset + size;
	}
}

VkResult
kr_gpu_layouts_get(const struct kr_gpu *gpu, VkImage image, struct kr_gpu_memory *memory)
{
	VkImageDrmFormatModifierPropertiesEXT made = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_PROPERTIES_EXT,
	};
	VkResult result;
	uint32_t count;

	if (!memory->format)
		return VK_SUCCESS;
	if (memory->tiling == VK_IMAGE_TILING_LINEAR) {
		memory->modifier = KR_GPU_LINEAR;
		memory->plane_count = kr_gpu_format_planes(memory->format);
		ask_linear(gpu, image, memory, memory->plane_count, memory->planes);
		return VK_SUCCESS;
	}
	result = gpu->vk.GetImageDrmFormatModifierPropertiesEXT(gpu->device, image, &made);
	if (result != VK_SUCCESS)
		return result;
	count = kr_gpu_modifier_planes(gpu, memory->format, made.drmFormatModifier);
	if (!count || count > KR_GPU_MAX_PLANES)
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	memory->modifier = made.drmFormatModifier;
	memory->plane_count = count;
	for (uint32_t i = 0; i < count; i++)
		ask_layout(gpu, image, VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT << i,
			&memory->planes[i]);
	return VK_SUCCESS;
}

bool
kr_gpu_same_layout(const struct kr_gpu *gpu, VkImage image, const struct kr_gpu_memory *memory,
	uint64_t *offset)
{
	struct kr_gpu_plane planes[KR_GPU_MAX_PLANES];
	uint32_t count = kr_gpu_format_planes(memory->format);

	if (memory->plane_count != count)
		return false;
	ask_linear(gpu, image, memory, count, planes);
	if (memory->planes[0].offset < planes[0].offset)
		return false;
	*offset = memory->planes[0].offset - planes[0].offset;
	for (uint32_t i = 0; i < count; i++) {
		if (planes[i].row_bytes != memory->planes[i].row_bytes ||
			planes[i].offset + *offset != memory->planes[i].offset)
			return false;
	}
	return true;
}
