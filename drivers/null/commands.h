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

#define NULL_NATIVE_BUFFER_COMMANDS(X)                                                             \
	X(GetSwapchainGrallocUsageANDROID)                                                         \
	X(GetSwapchainGrallocUsage2ANDROID)                                                        \
	X(AcquireImageANDROID)                                                                     \
	X(QueueSignalReleaseImageANDROID)

#define NULL_DECLARE(name) __typeof__(*(PFN_vk##name)0) null_##name;
NULL_NATIVE_BUFFER_COMMANDS(NULL_DECLARE)

#endif
