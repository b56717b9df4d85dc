/* SPDX-License-Identifier: Apache-2.0 */
/* One callback of the application, and what is said to it. */
#ifndef KR_LOADER_MESSAGES_MESSAGE_H
#define KR_LOADER_MESSAGES_MESSAGE_H

#include "loader/handles/handles.h"
#include "util/vulkan.h"

/* Either of debug utils (utils.pfnUserCallback is set) or of debug report. */
struct kr_callback {
	VkDebugUtilsMessengerCreateInfoEXT utils;
	VkDebugReportCallbackCreateInfoEXT report;
};

struct kr_messenger {
	struct kr_list link;
	struct kr_instance *instance;
	struct kr_callback callback;
	bool lifetime; /* chained to VkInstanceCreateInfo: for creation and destruction alone */
	uint64_t driver[KR_MAX_DRIVERS]; /* by number of the driver: its own object, or 0 */
};

/* What is said: in the forms of both kinds, so that each callback finds its own. */
struct kr_message {
	VkDebugUtilsMessageSeverityFlagBitsEXT severity;
	VkDebugUtilsMessageTypeFlagsEXT types;
	const VkDebugUtilsMessengerCallbackDataEXT *data; /* NULL: for debug report alone */
	VkDebugReportFlagsEXT flags;                      /* 0: for debug utils alone */
	VkDebugReportObjectTypeEXT object_type;
	uint64_t object;
	size_t location;
	int32_t code;
	const char *prefix;
	const char *text;
	/* What `data` points at in a message that came as one of debug report. */
	VkDebugUtilsMessengerCallbackDataEXT made_data;
	VkDebugUtilsObjectNameInfoEXT made_object;
};

/* Adds the form of debug report to a message of debug utils. */
void kr_message_add_report(struct kr_message *message);
/* Adds the form of debug utils to a message of debug report; `message` must stay where it is. */
void kr_message_add_utils(struct kr_message *message);

/* Gives a message to one callback if it wants it; true when the callback asks to abort the call. */
bool kr_callback_tell(const struct kr_callback *callback, const struct kr_message *message);

/* VK_EXT_debug_report's name for a kind of objects as the core's, which replaced it. */
VkObjectType kr_message_object_type(VkDebugReportObjectTypeEXT type);

#endif
