/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of the loader's messages to the application's callbacks (messengers.h).
 *
 * A message of the loader belongs to the call that caused it: each call that may say something
 * opens a scope, which names the instance, or the chain of an instance that is being created or
 * destroyed. Callbacks are called without any lock of ours held.
 */
#ifndef KR_LOADER_MESSAGES_MESSAGES_H
#define KR_LOADER_MESSAGES_MESSAGES_H

#include "loader/handles/handles.h"
#include "util/vulkan.h"

struct kr_message_scope {
	struct kr_instance *instance; /* NULL while there is none */
	const void *chain;            /* pNext of VkInstanceCreateInfo, or NULL */
	bool lifetime;                /* the instance is being destroyed */
	struct kr_message_scope *outer;
};

/* From here on messages of this thread go to these callbacks, until the end. Scopes nest. */
void kr_message_scope_begin(
	struct kr_message_scope *scope, struct kr_instance *instance, const void *chain);
/* The same for vkDestroyInstance: callbacks that were chained to its creation are told again. */
void kr_message_scope_begin_destroy(struct kr_message_scope *scope, struct kr_instance *instance);
void kr_message_scope_end(struct kr_message_scope *scope);

/*
 * A message about an instance from anywhere, also from outside of such a scope: its
 * callbacks hear it.
 */
void kr_instance_log(struct kr_instance *instance, uint32_t bits, const char *fmt, ...)
	KR_PRINTF(3, 4);

struct kr_message;

/*
 * Gives a message to all of an instance's callbacks; to those of its lifetime only when asked for.
 */
void kr_instance_tell(
	struct kr_instance *instance, bool lifetime, const struct kr_message *message);

/* The application's handle of an instance: while it is created, the loader's; 0 for NULL. */
uint64_t kr_message_handle(const struct kr_instance *instance);

/* Counts callbacks anywhere in the process: while there are none, messages cost nothing. */
void kr_listeners_add(void);
void kr_listeners_remove(void);

#endif
