/* SPDX-License-Identifier: Apache-2.0 */
/* Hidden features: answered FALSE, refused when they are asked for. */
#include "adapter/hidden_features.h"

#include <stddef.h>

#include "adapter/instance.h"
#include "chain/chain.h"
#include "util/log.h"

/*
 * By number, since applications may be built with newer headers than Krafla: then the registry here
 * knows neither name nor size. All are an sType, a pNext and so many VkBool32.
 */
static const struct hidden_feature {
	uint32_t type;
	uint32_t bools;
	const char *name;
	bool handled;
} hidden_features[] = {
	{1000208000, 3, "VkPhysicalDevicePresentTimingFeaturesEXT", true},
	{1000248000, 1, "VkPhysicalDevicePresentWaitFeaturesKHR", true},
	{1000275000, 1, "VkPhysicalDeviceSwapchainMaintenance1FeaturesKHR", true},
	{1000292000, 1, "VkPhysicalDevicePresentBarrierFeaturesNV"},
	{1000294001, 1, "VkPhysicalDevicePresentIdFeaturesKHR", true},
	{1000361000, 1, "VkPhysicalDevicePresentModeFifoLatestReadyFeaturesKHR", true},
	{1000437000, 1, "VkPhysicalDeviceImageCompressionControlSwapchainFeaturesEXT", true},
	{1000479002, 1, "VkPhysicalDevicePresentId2FeaturesKHR", true},
	{1000480001, 1, "VkPhysicalDevicePresentWait2FeaturesKHR", true},
	{1000590000, 1, "VkPhysicalDeviceHdrVividFeaturesHUAWEI"},
	{1000613001, 1, "VkPhysicalDevicePresentMeteringFeaturesNV"},
	{1000616000, 1, "VkPhysicalDeviceMultisampledRenderToSwapchainFeaturesEXT", true},
};

/* The common form of these structures. */
struct bool_features {
	VkStructureType type;
	void *next;
	VkBool32 values[];
};

static const struct hidden_feature *
find(VkStructureType type)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(hidden_features); i++) {
		if (hidden_features[i].type == (uint32_t)type)
			return &hidden_features[i];
	}
	return NULL;
}

bool
kr_adapter_is_swapchain_feature(VkStructureType type)
{
	return find(type);
}

bool
kr_adapter_is_hidden_feature(VkStructureType type)
{
	const struct hidden_feature *feature = find(type);

	return feature && !feature->handled;
}

kr_chain_test
kr_adapter_hidden_features(const struct kr_adapter_instance *instance)
{
	return instance->options.keep_driver_wsi ? kr_adapter_is_hidden_feature
						 : kr_adapter_is_swapchain_feature;
}

void
kr_adapter_clear_hidden_feature(VkBaseOutStructure *node)
{
	struct bool_features *features = (void *)node;
	const struct hidden_feature *hidden = find(node->sType);

	for (uint32_t i = 0; hidden && i < hidden->bools; i++)
		features->values[i] = VK_FALSE;
}

VkResult
kr_adapter_check_hidden_features(const void *chain, kr_chain_test test)
{
	for (const VkBaseInStructure *node = chain; node; node = node->pNext) {
		const struct bool_features *features = (const void *)node;
		const struct hidden_feature *hidden = find(node->sType);

		for (uint32_t i = 0; hidden && test(node->sType) && i < hidden->bools; i++) {
			if (!features->values[i])
				continue;
			kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
				"vkCreateDevice: a feature of %s is asked for, which the platform's swapchains don't have",
				hidden->name);
			return VK_ERROR_FEATURE_NOT_PRESENT;
		}
	}
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
kr_adapter_GetPhysicalDeviceFeatures2(
	VkPhysicalDevice physicalDevice, VkPhysicalDeviceFeatures2 *pFeatures)
{
	struct kr_adapter_gpu *gpu = kr_adapter_gpu_from_handle(physicalDevice);
	const struct kr_instance_table *vk = &gpu->instance->vk;
	struct kr_chain_unlinked hidden;

	kr_chain_unlink(pFeatures, kr_adapter_hidden_features(gpu->instance), &hidden);
	if (vk->GetPhysicalDeviceFeatures2)
		vk->GetPhysicalDeviceFeatures2(physicalDevice, pFeatures);
	else
		vk->GetPhysicalDeviceFeatures2KHR(physicalDevice, pFeatures);
	for (size_t i = 0; i < hidden.count; i++)
		kr_adapter_clear_hidden_feature(hidden.items[i].node);
	kr_chain_relink(&hidden);
}
