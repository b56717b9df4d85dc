/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver's functions: one null_<command> for every core command of Vulkan 1.0 to 1.3 that does
 * something, declared and put into a table by gen/, and those of VK_ANDROID_native_buffer. The
 * other vkCmd* are one function that does nothing (table.c).
 */
#ifndef KR_NULL_COMMANDS_H
#define KR_NULL_COMMANDS_H

#include "gen/null_commands.h"
#include <krafla/native_buffer.h>
#include "util/vulkan.h"

/* With the version that brought them, or the first that is spoken here. */
#define NULL_NATIVE_BUFFER_COMMANDS(X)                                                             \
	X(GetSwapchainGrallocUsageANDROID, 5)                                                      \
	X(GetSwapchainGrallocUsage2ANDROID, 6)                                                     \
	X(GetSwapchainGrallocUsage3ANDROID, 9)                                                     \
	X(GetSwapchainGrallocUsage4ANDROID, 10)                                                    \
	X(AcquireImageANDROID, 5)                                                                  \
	X(QueueSignalReleaseImageANDROID, 5)

#define NULL_DECLARE(name, since) __typeof__(*(PFN_vk##name)0) null_##name;
NULL_NATIVE_BUFFER_COMMANDS(NULL_DECLARE)
NULL_DECLARE(GetImageSubresourceLayout2EXT, 0)

#endif
