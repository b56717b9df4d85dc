/* SPDX-License-Identifier: Apache-2.0 */
/* A callback that writes for the user, without the application's doing. */
#include "loader/messages/log_callback.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/profile.h"
#include "util/alloc.h"
#include "util/guard.h"
#include "util/log.h"
#include "util/properties.h"
#include "util/text.h"

static bool
is_wanted(void)
{
	const char *property = kr_profile_get()->log_property;
	char value[KR_PROPERTY_VALUE_MAX];

	return property && kr_property_get(property, value, sizeof(value)) &&
		!strcmp(value, "true") && kr_guard_process_is_debuggable();
}

static bool
is_enabled(const VkInstanceCreateInfo *info)
{
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
		if (!strcmp(info->ppEnabledExtensionNames[i], VK_EXT_DEBUG_REPORT_EXTENSION_NAME))
			return true;
	}
	return false;
}

VkResult
kr_message_log_request_init(struct kr_message_log_request *request,
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator)
{
	uint32_t count = info->enabledExtensionCount;

	*request = (struct kr_message_log_request){.wanted = is_wanted(), .info = *info};
	if (!request->wanted || is_enabled(info))
		return VK_SUCCESS;
	request->names = kr_zalloc_array(allocator, count + (size_t)1, sizeof(*request->names),
		VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!request->names)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < count; i++)
		request->names[i] = info->ppEnabledExtensionNames[i];
	request->names[count] = VK_EXT_DEBUG_REPORT_EXTENSION_NAME;
	request->info.enabledExtensionCount = count + 1;
	request->info.ppEnabledExtensionNames = request->names;
	return VK_SUCCESS;
}

void
kr_message_log_request_finish(
	struct kr_message_log_request *request, const VkAllocationCallbacks *allocator)
{
	kr_free(allocator, request->names);
}

/* To stderr itself: what goes through the log is heard by callbacks, and this is one. */
static VKAPI_ATTR VkBool32 VKAPI_CALL
write_message(VkDebugReportFlagsEXT flags, VkDebugReportObjectTypeEXT type, uint64_t object,
	size_t location, int32_t code, const char *prefix, const char *text, void *user_data)
{
	char *line = kr_asprintf("[%s] %s, code %d: %s\n", prefix ? prefix : "",
		flags & VK_DEBUG_REPORT_ERROR_BIT_EXT ? "error" : "warning", code,
		text ? text : "");

	fputs(line ? line : "a message, for which there is no memory\n", stderr);
	free(line);
	return VK_FALSE;
}

void
kr_message_log_create(struct kr_instance *instance)
{
	const VkDebugReportCallbackCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT,
		.flags = VK_DEBUG_REPORT_ERROR_BIT_EXT | VK_DEBUG_REPORT_WARNING_BIT_EXT,
		.pfnCallback = write_message,
	};
	VkResult result = instance->table.CreateDebugReportCallbackEXT(
		instance->handle, &info, instance->allocator, &instance->log_callback);

	if (result == VK_SUCCESS)
		return;
	instance->log_callback = VK_NULL_HANDLE;
	kr_warn("the callback that %s asks for can't be made (%d)", kr_profile_get()->log_property,
		result);
}

void
kr_message_log_destroy(struct kr_instance *instance)
{
	if (instance->log_callback)
		instance->table.DestroyDebugReportCallbackEXT(
			instance->handle, instance->log_callback, instance->allocator);
}
