/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of formats, and what can be done with them. */
#include "adapter/hardware_buffer/external_format.h"

#include "adapter/instance.h"
#include "chain/chain.h"
#include "gpu/format.h"

/* Bits that VkFormatProperties has no room for. */
#define NEWER (~(VkFormatFeatureFlags2)INT32_MAX)

/* Above what a VkFormat takes: "KrFm". */
#define TAG     (UINT64_C(0x4B72466D) << 32)
#define IN_ROWS (UINT64_C(1) << 31)
#define DMA_BUF (UINT64_C(1) << 30)

void
kr_external_features_ask(
	const struct kr_adapter_gpu *gpu, VkFormat format, struct kr_external_features *features)
{
	const struct kr_instance_table *vk = &gpu->instance->vk;
	PFN_vkGetPhysicalDeviceFormatProperties2 get = vk->GetPhysicalDeviceFormatProperties2;
	VkFormatProperties3 more = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
	VkFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2,
		.pNext = &more,
	};
	const VkFormatProperties *p = &properties.formatProperties;

	if (!get || gpu->api_version < VK_API_VERSION_1_1)
		get = vk->GetPhysicalDeviceFormatProperties2KHR;
	if (get)
		get(gpu->handle, format, &properties);
	else
		vk->GetPhysicalDeviceFormatProperties(
			gpu->handle, format, &properties.formatProperties);
	/* Those that both have are taken from the one that every program knows. */
	features->linear = p->linearTilingFeatures | (more.linearTilingFeatures & NEWER);
	features->optimal = p->optimalTilingFeatures | (more.optimalTilingFeatures & NEWER);
}

uint64_t
kr_external_format_number(VkFormat format, enum kr_ahb_way way)
{
	return TAG | (uint32_t)format | (way == KR_AHB_HOST ? IN_ROWS : 0) |
		(way == KR_AHB_DMA_BUF ? DMA_BUF : 0);
}

bool
kr_external_format_from_number(uint64_t number, VkFormat *format, enum kr_ahb_way *way)
{
	VkFormat found = (VkFormat)(number & (DMA_BUF - 1));
	enum kr_ahb_way said = number & IN_ROWS ? KR_AHB_HOST
		: number & DMA_BUF              ? KR_AHB_DMA_BUF
						: KR_AHB_OPAQUE;

	if (number != kr_external_format_number(found, said) || !kr_gpu_buffer_format(found))
		return false;
	*format = found;
	*way = said;
	return true;
}

uint64_t
kr_external_format_find(const void *chain)
{
	const VkExternalFormatANDROID *external =
		kr_chain_find(chain, VK_STRUCTURE_TYPE_EXTERNAL_FORMAT_ANDROID);

	return external ? external->externalFormat : 0;
}

VkFormatFeatureFlags2
kr_external_format_plain_features(VkFormatFeatureFlags2 features)
{
	VkFormatFeatureFlags2 plain = VK_FORMAT_FEATURE_2_MIDPOINT_CHROMA_SAMPLES_BIT |
		VK_FORMAT_FEATURE_2_COSITED_CHROMA_SAMPLES_BIT;

	if (features & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT)
		plain |= VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER_BIT;
	return plain;
}

const char *
kr_external_format_why_no_conversions(const struct kr_adapter_device *device)
{
	const struct kr_adapter_gpu *gpu = device->gpu;
	VkPhysicalDeviceSamplerYcbcrConversionFeatures has = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES,
	};
	VkPhysicalDeviceFeatures2 features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
		.pNext = &has,
	};

	if (gpu->instance->vk.GetPhysicalDeviceFeatures2)
		gpu->instance->vk.GetPhysicalDeviceFeatures2(gpu->handle, &features);
	return has.samplerYcbcrConversion
		? "YCbCr needs the feature samplerYcbcrConversion, which wasn't enabled on the device"
		: "YCbCr needs the feature samplerYcbcrConversion, which the driver hasn't";
}
