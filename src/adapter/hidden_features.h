/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feature structures of device extensions about swapchains (gen/handle_reach.h): the ICD would
 * answer them for its own swapchains, which ours are not, or fail vkCreateDevice over them. Some
 * are hidden always. The others are the loader's for swapchains of ours, the ICD's for its own.
 */
#ifndef KR_ADAPTER_HIDDEN_FEATURES_H
#define KR_ADAPTER_HIDDEN_FEATURES_H

#include <stdbool.h>
#include "chain/chain.h"
#include "util/macros.h"
#include "util/vulkan.h"

struct kr_adapter_instance;

/* Whether a structure of this type holds features of a hidden extension. */
bool kr_adapter_is_hidden_feature(VkStructureType type);
/* The same, or of one that is handled. */
bool kr_adapter_is_swapchain_feature(VkStructureType type);
/* Which of the two an instance's ICD isn't asked for: its own swapchains have what is handled. */
kr_chain_test kr_adapter_hidden_features(const struct kr_adapter_instance *instance);
/* Answers such a structure: none of its features is there. */
void kr_adapter_clear_hidden_feature(VkBaseOutStructure *node);

/*
 * VK_ERROR_FEATURE_NOT_PRESENT when the chain of a VkDeviceCreateInfo asks for such a feature:
 * nobody here has it. One that is there and asks for nothing is only taken out.
 */
VkResult kr_adapter_check_hidden_features(const void *chain, kr_chain_test hidden) KR_MUST_CHECK;

VKAPI_ATTR void VKAPI_CALL kr_adapter_GetPhysicalDeviceFeatures2(
	VkPhysicalDevice physicalDevice, VkPhysicalDeviceFeatures2 *pFeatures);

#endif
