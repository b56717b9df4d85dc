/* SPDX-License-Identifier: Apache-2.0 */
/* What format a hardware buffer has as an image, and what can be done with it. */
#include <krafla/hardware_buffer.h>

#include "adapter/foreign.h"
#include "adapter/hardware_buffer/external_format.h"
#include "adapter/hardware_buffer/hardware_buffer.h"
#include "chain/chain.h"
#include "gpu/format.h"

#define CALL "vkGetAndroidHardwareBufferPropertiesANDROID"

/* Both structures say the same, one of them with more bits. */
struct seen {
	VkFormat format;
	uint64_t external_format;
	enum kr_ahb_way way;
	VkFormatFeatureFlags2 features;
	VkComponentMapping components;
	VkSamplerYcbcrModelConversion model;
	VkSamplerYcbcrRange range;
	VkChromaLocation x, y;
};

/* Whether it would be an image over the buffer's mapping, where it has also memory of a GPU. */
static bool
lies_in_rows(struct kr_adapter_device *device, const struct kr_buffer_info *info, VkFormat format)
{
	const VkImageCreateInfo sampled = {
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = {info->desc.width, info->desc.height, 1},
		.mipLevels = 1,
		.arrayLayers = info->desc.layers,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT,
	};

	return info->backend != KR_BUFFER_GPU &&
		(!info->gpu || kr_adapter_image_lies_in_host_memory(device->gpu, &sampled));
}

static enum kr_ahb_way
way_of(struct kr_adapter_device *device, const struct kr_buffer_info *info, VkFormat format)
{
	if (lies_in_rows(device, info, format))
		return KR_AHB_HOST;
	return info->gpu->kind == KR_GPU_DMA_BUF ? KR_AHB_DMA_BUF : KR_AHB_OPAQUE;
}

static VkFormatFeatureFlags2
features_of(const struct kr_external_features *features, enum kr_ahb_way way)
{
	if (way == KR_AHB_HOST)
		return features->linear;
	return way == KR_AHB_DMA_BUF ? features->linear & features->optimal : features->optimal;
}

/*
 * By Android's habit, since no buffer says it: ten bits are BT.2020's, pictures larger than
 * standard definition BT.709's, all others BT.601's, with the narrow range of video.
 */
static void
suggest_colours(const struct kr_buffer_info *info, struct seen *seen)
{
	if (info->desc.format == AHARDWAREBUFFER_FORMAT_YCbCr_P010)
		seen->model = VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_2020;
	else if (info->desc.width > 1024 || info->desc.height > 576)
		seen->model = VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709;
	else
		seen->model = VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601;
	seen->range = VK_SAMPLER_YCBCR_RANGE_ITU_NARROW;
}

/* Chroma beside each other pixel of a row, between two rows, as MPEG-2 and later have it. */
static void
suggest_places(struct seen *seen)
{
	if (!(seen->features & VK_FORMAT_FEATURE_2_COSITED_CHROMA_SAMPLES_BIT))
		seen->x = VK_CHROMA_LOCATION_MIDPOINT;
	if (seen->features & VK_FORMAT_FEATURE_2_MIDPOINT_CHROMA_SAMPLES_BIT)
		seen->y = VK_CHROMA_LOCATION_MIDPOINT;
}

static void
suggest(const struct kr_adapter_device *device, const struct kr_buffer_info *info,
	const struct kr_external_features *features, struct seen *seen)
{
	const VkFormatFeatureFlags2 of_conversions = KR_CONVERSION_FEATURES;

	/* A conversion may do what it can with any tiling; planes are never bound one by one. */
	seen->features &= ~(of_conversions | VK_FORMAT_FEATURE_2_DISJOINT_BIT);
	if (!(seen->features & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT))
		return;
	seen->external_format = kr_external_format_number(seen->format, seen->way);
	if (!device->hardware_buffers.conversions)
		return;
	if (kr_gpu_format_needs_conversion(seen->format))
		seen->features |= (features->linear | features->optimal) & of_conversions;
	else if (!kr_gpu_format_is_depth(seen->format))
		seen->features |= kr_external_format_plain_features(seen->features);
	if (kr_gpu_format_planes(seen->format) > 1) {
		suggest_colours(info, seen);
		suggest_places(seen);
	}
	if (info->desc.format == AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM)
		seen->components.a = VK_COMPONENT_SWIZZLE_ONE;
}

/* Why no image of it can be had, or VK_SUCCESS. */
static VkResult
check(struct kr_adapter_device *device, const struct kr_buffer_info *info, const struct seen *seen)
{
	if (kr_gpu_format_needs_conversion(seen->format) && !device->hardware_buffers.conversions)
		return kr_ahb_refuse(CALL, kr_external_format_why_no_conversions(device));
	if (kr_gpu_format_planes(seen->format) > 1 &&
		(info->desc.width % 2 || info->desc.height % 2))
		return kr_ahb_refuse(CALL, KR_AHB_ODD);
	if (!seen->features)
		return kr_ahb_refuse(CALL, "the driver has no images of the buffer's format");
	if (seen->way != KR_AHB_HOST)
		return VK_SUCCESS;
	return kr_ahb_check_rows(device, info, seen->format,
		seen->features & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT
			? VK_IMAGE_USAGE_SAMPLED_BIT
			: VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
		CALL);
}

static void
answer(const struct seen *seen, VkAndroidHardwareBufferFormatPropertiesANDROID *out)
{
	out->format = seen->format;
	out->externalFormat = seen->external_format;
	/* Bit 31 and beyond are only in the other one. */
	out->formatFeatures = (VkFormatFeatureFlags)(seen->features & INT32_MAX);
	out->samplerYcbcrConversionComponents = seen->components;
	out->suggestedYcbcrModel = seen->model;
	out->suggestedYcbcrRange = seen->range;
	out->suggestedXChromaOffset = seen->x;
	out->suggestedYChromaOffset = seen->y;
}

static void
answer2(const struct seen *seen, VkAndroidHardwareBufferFormatProperties2ANDROID *out)
{
	out->format = seen->format;
	out->externalFormat = seen->external_format;
	out->formatFeatures = seen->features;
	out->samplerYcbcrConversionComponents = seen->components;
	out->suggestedYcbcrModel = seen->model;
	out->suggestedYcbcrRange = seen->range;
	out->suggestedXChromaOffset = seen->x;
	out->suggestedYChromaOffset = seen->y;
}

VkResult
kr_ahb_describe_format(struct kr_adapter_device *device, const struct kr_buffer_info *info,
	VkAndroidHardwareBufferPropertiesANDROID *properties)
{
	struct seen seen = {
		.format = info->gpu ? (VkFormat)info->gpu->format
				    : kr_gpu_format_of_buffer(info->desc.format),
		.model = VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY,
		.range = VK_SAMPLER_YCBCR_RANGE_ITU_FULL,
		.x = VK_CHROMA_LOCATION_COSITED_EVEN,
		.y = VK_CHROMA_LOCATION_COSITED_EVEN,
	};
	struct kr_external_features features;
	VkResult result;

	if (seen.format) {
		kr_external_features_ask(device->gpu, seen.format, &features);
		seen.way = way_of(device, info, seen.format);
		seen.features = features_of(&features, seen.way);
		result = check(device, info, &seen);
		if (result != VK_SUCCESS)
			return result;
		suggest(device, info, &features, &seen);
	}
	for (VkBaseOutStructure *out = properties->pNext; out; out = out->pNext) {
		if (out->sType ==
			VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_FORMAT_PROPERTIES_ANDROID)
			answer(&seen, (void *)out);
		if (out->sType ==
			VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_FORMAT_PROPERTIES_2_ANDROID)
			answer2(&seen, (void *)out);
	}
	return VK_SUCCESS;
}
