/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver that is delivered: it answers each question with what was asked. OLD: one
 * from before negotiation.
 */
#include "util/macros.h"
#include "util/vulkan.h"
#include <vulkan/vk_icd.h>

KR_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(
	VkInstance instance, const char *name);

KR_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
	return (PFN_vkVoidFunction)(uintptr_t)name;
}

#ifndef OLD
KR_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(
	uint32_t *version);
KR_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(
	VkInstance instance, const char *name);

KR_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
	*version = 4;
	return VK_SUCCESS;
}

KR_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name)
{
	return (PFN_vkVoidFunction)(uintptr_t)(name + 1);
}
#endif
