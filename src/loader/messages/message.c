/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One message in two forms: who listens through VK_EXT_debug_report hears what was said through
 * VK_EXT_debug_utils, and the other way round, as in the usual loader.
 */
#include "loader/messages/message.h"

#include <stddef.h>

#include "util/macros.h"

/*
 * The two enums have the same values for core 1.0, and for what came after VK_EXT_debug_report was
 * given up; between lie those of the table. What debug report has no name for stays a number that
 * it doesn't know, as in every loader.
 */
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
kr_message_object_type(VkDebugReportObjectTypeEXT type)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(different); i++) {
		if (different[i].report == type)
			return different[i].object;
	}
	return (VkObjectType)type;
}

static VkDebugReportObjectTypeEXT
report_type_from_object(VkObjectType type)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(different); i++) {
		if (different[i].object == type)
			return different[i].report;
	}
	return (VkDebugReportObjectTypeEXT)type;
}

static VkDebugReportFlagsEXT
flags_from_severity(
	VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types)
{
	if (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT)
		return VK_DEBUG_REPORT_ERROR_BIT_EXT;
	if (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT)
		return types & VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT
			? VK_DEBUG_REPORT_PERFORMANCE_WARNING_BIT_EXT
			: VK_DEBUG_REPORT_WARNING_BIT_EXT;
	if (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT)
		return VK_DEBUG_REPORT_INFORMATION_BIT_EXT;
	return VK_DEBUG_REPORT_DEBUG_BIT_EXT;
}

void
kr_message_add_report(struct kr_message *m)
{
	const VkDebugUtilsMessengerCallbackDataEXT *data = m->data;

	m->flags = flags_from_severity(m->severity, m->types);
	m->object_type = VK_DEBUG_REPORT_OBJECT_TYPE_UNKNOWN_EXT;
	m->object = 0;
	if (data->objectCount) {
		m->object_type = report_type_from_object(data->pObjects[0].objectType);
		m->object = data->pObjects[0].objectHandle;
	}
	m->location = 0;
	m->code = data->messageIdNumber;
	m->prefix = data->pMessageIdName;
	m->text = data->pMessage;
}

static VkDebugUtilsMessageSeverityFlagBitsEXT
severity_from_flags(VkDebugReportFlagsEXT flags)
{
	if (flags & VK_DEBUG_REPORT_ERROR_BIT_EXT)
		return VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
	if (flags & (VK_DEBUG_REPORT_WARNING_BIT_EXT | VK_DEBUG_REPORT_PERFORMANCE_WARNING_BIT_EXT))
		return VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
	if (flags & VK_DEBUG_REPORT_INFORMATION_BIT_EXT)
		return VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
	return VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT;
}

void
kr_message_add_utils(struct kr_message *m)
{
	m->severity = severity_from_flags(m->flags);
	m->types = m->flags & VK_DEBUG_REPORT_PERFORMANCE_WARNING_BIT_EXT
		? VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT
		: VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
	m->made_object = (VkDebugUtilsObjectNameInfoEXT){
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
		.objectType = kr_message_object_type(m->object_type),
		.objectHandle = m->object,
	};
	m->made_data = (VkDebugUtilsMessengerCallbackDataEXT){
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
		.pMessageIdName = m->prefix,
		.messageIdNumber = m->code,
		.pMessage = m->text,
		.objectCount = 1,
		.pObjects = &m->made_object,
	};
	m->data = &m->made_data;
}

bool
kr_callback_tell(const struct kr_callback *callback, const struct kr_message *m)
{
	const VkDebugUtilsMessengerCreateInfoEXT *utils = &callback->utils;
	const VkDebugReportCallbackCreateInfoEXT *report = &callback->report;

	if (utils->pfnUserCallback) {
		if (!m->data || !(utils->messageSeverity & m->severity) ||
			!(utils->messageType & m->types))
			return false;
		return utils->pfnUserCallback(m->severity, m->types, m->data, utils->pUserData);
	}
	if (!report->pfnCallback || !(report->flags & m->flags))
		return false;
	return report->pfnCallback(m->flags, m->object_type, m->object, m->location, m->code,
		m->prefix, m->text, report->pUserData);
}
