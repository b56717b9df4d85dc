/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is given to drivers in place of the application's callbacks, so that their messages come
 * with the loader's handles (DESIGN rule 3).
 */
#ifndef KR_LOADER_MESSAGES_DRIVER_H
#define KR_LOADER_MESSAGES_DRIVER_H

#include "chain/arena.h"
#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

struct kr_callback;
struct kr_messenger;

/* A driver's object made of these calls the application's callback; pNext is for the caller. */
VkDebugUtilsMessengerCreateInfoEXT kr_messenger_utils_for_driver(struct kr_messenger *messenger);
VkDebugReportCallbackCreateInfoEXT kr_messenger_report_for_driver(struct kr_messenger *messenger);

/* A VkInstanceCreateInfo's chain with the callbacks in it exchanged. */
struct kr_message_chain {
	const void *head;      /* what to chain instead */
	struct kr_arena arena; /* what is copied of the rest */
	struct kr_callback *callbacks;
	const VkAllocationCallbacks *allocator;
};

VkResult kr_message_chain_init(struct kr_message_chain *out, struct kr_instance *instance,
	const void *chain, const VkAllocationCallbacks *allocator) KR_MUST_CHECK;
void kr_message_chain_finish(struct kr_message_chain *messages);

#endif
