/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the profile has a property for it, and a debuggable process's says "true":
 * VK_EXT_debug_report is enabled for the application, and errors and warnings of whoever reports
 * through it (layers, drivers, the loader) are written to stderr (docs/profiles.md, "Debug
 * reports").
 */
#ifndef KR_LOADER_MESSAGES_LOG_CALLBACK_H
#define KR_LOADER_MESSAGES_LOG_CALLBACK_H

#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

struct kr_message_log_request {
	bool wanted;
	VkInstanceCreateInfo info; /* what the instance is to be created with */
	const char **names;        /* NULL: the application's serve */
};

/* `info` must outlive the request. VK_ERROR_OUT_OF_HOST_MEMORY leaves nothing to be finished. */
VkResult kr_message_log_request_init(struct kr_message_log_request *request,
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator) KR_MUST_CHECK;
void kr_message_log_request_finish(
	struct kr_message_log_request *request, const VkAllocationCallbacks *allocator);

/* Through the instance's layers. One that can't be made is told: the instance works without. */
void kr_message_log_create(struct kr_instance *instance);
/* Does nothing without one. */
void kr_message_log_destroy(struct kr_instance *instance);

#endif
