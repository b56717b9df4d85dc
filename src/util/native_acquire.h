/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the adapter tells the window system of its vkAcquireImageANDROID: which objects it imports a
 * kernel's fence into. For the others it would wait, without knowing for how long whoever acquires
 * wants to. Asked for by name with the driver's vkGetDeviceProcAddr; HAL drivers don't have it,
 * since theirs take fences by contract, and applications never get it (DESIGN rule 2).
 */
#ifndef KR_UTIL_NATIVE_ACQUIRE_H
#define KR_UTIL_NATIVE_ACQUIRE_H

#include "util/vulkan.h"

#define KR_ACQUIRE_IMPORTS_FUNCTION "vkGetAcquireImportsKRAFLA"

/* Of a device for its whole life. Any thread. */
typedef void(VKAPI_PTR *PFN_vkGetAcquireImportsKRAFLA)(
	VkDevice device, VkBool32 *semaphores, VkBool32 *fences);

#endif
