/* SPDX-License-Identifier: Apache-2.0 */
/* What kind of device one is, in words for people. */
#ifndef KR_TOOLS_COMMAND_DEVICE_TYPE_H
#define KR_TOOLS_COMMAND_DEVICE_TYPE_H

#include "util/vulkan.h"

const char *kr_tool_device_type(VkPhysicalDeviceType type);

#endif
