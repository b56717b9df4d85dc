/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions the adapter answers itself; for everything else the ICD's own pointer is given.
 */
#ifndef KR_ADAPTER_HOOKS_H
#define KR_ADAPTER_HOOKS_H

#include "util/vulkan.h"

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL kr_adapter_GetDeviceProcAddr(
	VkDevice device, const char *pName);

#endif
