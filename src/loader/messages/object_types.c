/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two enums have the same values for core 1.0, and for what came after VK_EXT_debug_report was given
 * up; between lie those of the table. What debug report has no name for stays a number that it doesn't
 * know, as in every loader.
 */
#include "loader/messages/object_types.h"

#include <stddef.h>

#include "util/macros.h"

#define DIFFERENT(name)                                                                            \
	{                                                                                          \
		VK_OBJECT_TYPE_##name, VK_DEBUG_REPORT_OBJECT_TYPE_##name##_EXT                    \
	}
static const struct {
	VkObjectType object;
	VkDebugReportObjectTypeEXT report;
} different[] = {
	DIFFERENT(SURFACE_KHR),
	DIFFERENT(SWAPCHAIN_KHR),
	DIFFERENT(DEBUG_REPORT_CALLBACK_EXT),
	DIFFERENT(DISPLAY_KHR),
	DIFFERENT(DISPLAY_MODE_KHR),
	DIFFERENT(VALIDATION_CACHE_EXT),
};

VkObjectType
kr_object_type_from_report(VkDebugReportObjectTypeEXT type)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(different); i++) {
		if (different[i].report == type)
			return different[i].object;
	}
	return (VkObjectType)type;
}

VkDebugReportObjectTypeEXT
kr_report_type_from_object(VkObjectType type)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(different); i++) {
		if (different[i].object == type)
			return different[i].report;
	}
	return (VkDebugReportObjectTypeEXT)type;
}
