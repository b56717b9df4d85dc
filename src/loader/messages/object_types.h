/* SPDX-License-Identifier: Apache-2.0 */
/* VK_EXT_debug_report's names for kinds of objects, and those that replaced them. */
#ifndef KR_LOADER_OBJECT_TYPES_H
#define KR_LOADER_OBJECT_TYPES_H

#include "util/vulkan.h"

VkObjectType kr_object_type_from_report(VkDebugReportObjectTypeEXT type);
VkDebugReportObjectTypeEXT kr_report_type_from_object(VkObjectType type);

#endif
