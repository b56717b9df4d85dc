/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feature structures of the device extensions that are hidden (gen/handle_reach.h): the ICD would
 * answer them for its own swapchains, which ours are not, or fail vkCreateDevice over them.
 */
#ifndef KR_ADAPTER_HIDDEN_FEATURES_H
#define KR_ADAPTER_HIDDEN_FEATURES_H

#include <stdbool.h>
#include "util/macros.h"
#include "util/vulkan.h"

/* Whether a structure of this type belongs to a hidden extension's features. */
bool kr_adapter_is_hidden_feature(VkStructureType type);
/* Answers such a structure: none of its features is there. */
void kr_adapter_clear_hidden_feature(VkBaseOutStructure *node);

/*
 * VK_ERROR_FEATURE_NOT_PRESENT when the chain of a VkDeviceCreateInfo asks for such a feature:
 * nobody here has it. One that is there and asks for nothing is only taken out.
 */
VkResult kr_adapter_check_hidden_features(const void *chain) KR_MUST_CHECK;

VKAPI_ATTR void VKAPI_CALL kr_adapter_GetPhysicalDeviceFeatures2(
	VkPhysicalDevice physicalDevice, VkPhysicalDeviceFeatures2 *pFeatures);

#endif
