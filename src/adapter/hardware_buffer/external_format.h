/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VkExternalFormatANDROID: numbers that stand for the formats of buffers, for applications that
 * sample what they get without knowing what it is. The ICD never sees them: images, views and
 * conversions of such a number are of the Vulkan format that it stands for.
 *
 * A conversion of a format without planes changes nothing (RGB_IDENTITY), and few drivers have it.
 * So there it is none: views and samplers are made without, and the view has its swizzle. The
 * application's handle is a conversion of the driver's own all the same, so that it can be named.
 *
 * Thread-safety: any thread.
 */
#ifndef KR_ADAPTER_EXTERNAL_FORMAT_H
#define KR_ADAPTER_EXTERNAL_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include "adapter/device.h"
#include "adapter/hardware_buffer/hardware_buffer.h"
#include "util/macros.h"

/* What conversions can do: MIDPOINT_CHROMA_SAMPLES to ..._EXPLICIT_FORCEABLE, and COSITED. */
#define KR_CONVERSION_FEATURES (UINT64_C(0x3E0000) | VK_FORMAT_FEATURE_2_COSITED_CHROMA_SAMPLES_BIT)

/* A format's, with the newer bits where the ICD has them. */
struct kr_external_features {
	VkFormatFeatureFlags2 linear;
	VkFormatFeatureFlags2 optimal;
};
void kr_external_features_ask(
	const struct kr_adapter_gpu *gpu, VkFormat format, struct kr_external_features *features);

/*
 * The number says which memory such buffers have. So who has it knows which image to make, before
 * anybody names a buffer.
 */
uint64_t kr_external_format_number(VkFormat format, enum kr_ahb_way way);
/* false: it is no number of ours. */
bool kr_external_format_from_number(uint64_t number, VkFormat *format, enum kr_ahb_way *way)
	KR_MUST_CHECK;
/* What a chain's VkExternalFormatANDROID says; 0 for none. */
uint64_t kr_external_format_find(const void *chain);
/* KR_CONVERSION_FEATURES of a format without planes that has these. */
VkFormatFeatureFlags2 kr_external_format_plain_features(VkFormatFeatureFlags2 features);
/* A sentence, for a device without samplerYcbcrConversion. */
const char *kr_external_format_why_no_conversions(const struct kr_adapter_device *device);

/* What the application left behind. */
void kr_ahb_conversions_finish(struct kr_adapter_device *device);

VKAPI_ATTR VkResult VKAPI_CALL kr_ahb_CreateSamplerYcbcrConversion(VkDevice device,
	const VkSamplerYcbcrConversionCreateInfo *pCreateInfo,
	const VkAllocationCallbacks *pAllocator, VkSamplerYcbcrConversion *pYcbcrConversion);
VKAPI_ATTR void VKAPI_CALL kr_ahb_DestroySamplerYcbcrConversion(VkDevice device,
	VkSamplerYcbcrConversion ycbcrConversion, const VkAllocationCallbacks *pAllocator);
VKAPI_ATTR VkResult VKAPI_CALL kr_ahb_CreateSampler(VkDevice device,
	const VkSamplerCreateInfo *pCreateInfo, const VkAllocationCallbacks *pAllocator,
	VkSampler *pSampler);
VKAPI_ATTR VkResult VKAPI_CALL kr_ahb_CreateImageView(VkDevice device,
	const VkImageViewCreateInfo *pCreateInfo, const VkAllocationCallbacks *pAllocator,
	VkImageView *pView);

#endif
