/* SPDX-License-Identifier: Apache-2.0 */
/* The way of the loader's own messages to the application's callbacks. */
#include "loader/messages/messages.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "loader/messages/message.h"
#include "util/log.h"

/*
 * The innermost scope of each thread. pthread keys, because __thread would need ld.so as a library.
 */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t scope_key;
static bool has_key;

static struct kr_mutex listeners_lock = KR_MUTEX_INITIALIZER;
static unsigned listeners KR_GUARDED_BY(listeners_lock);

/* Lines look as they do from every other libvulkan.so.1: people and tools search for them. */
__attribute__((constructor)) static void
set_prefix(void)
{
	kr_log_set_prefix("[Vulkan Loader] ", 32);
}

static void
make_key(void)
{
	kr_info("Krafla " KRAFLA_VERSION ", made for Vulkan %u.%u.%u",
		VK_API_VERSION_MAJOR(VK_HEADER_VERSION_COMPLETE),
		VK_API_VERSION_MINOR(VK_HEADER_VERSION_COMPLETE),
		VK_API_VERSION_PATCH(VK_HEADER_VERSION_COMPLETE));
	has_key = pthread_key_create(&scope_key, NULL) == 0;
}

__attribute__((destructor)) static void
delete_key(void)
{
	if (has_key)
		pthread_key_delete(scope_key);
}

#define TOLD_AT_ONCE 16

/* Copies from the skip-th callback on, so that none is called under the lock. */
static size_t
copy_callbacks(
	struct kr_instance *instance, bool lifetime, size_t skip, struct kr_callback *callbacks)
{
	struct kr_messenger *messenger;
	size_t count = 0;

	kr_mutex_lock(&instance->lock);
	kr_list_for_each (messenger, &instance->messengers, link) {
		if (messenger->lifetime && !lifetime)
			continue;
		if (skip) {
			skip--;
			continue;
		}
		callbacks[count++] = messenger->callback;
		if (count == TOLD_AT_ONCE)
			break;
	}
	kr_mutex_unlock(&instance->lock);
	return count;
}

void
kr_instance_tell(struct kr_instance *instance, bool lifetime, const struct kr_message *message)
{
	struct kr_callback callbacks[TOLD_AT_ONCE];
	size_t told = 0, count;

	do {
		count = copy_callbacks(instance, lifetime, told, callbacks);
		for (size_t i = 0; i < count; i++)
			(void)kr_callback_tell(&callbacks[i], message);
		told += count;
	} while (count == TOLD_AT_ONCE);
}

/* To the callbacks of a VkInstanceCreateInfo's chain. */
static void
tell_chain(const void *chain, const struct kr_message *message)
{
	for (const VkBaseInStructure *s = chain; s; s = s->pNext) {
		struct kr_callback callback = {0};

		if (s->sType == VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT)
			memcpy(&callback.utils, s, sizeof(callback.utils));
		else if (s->sType == VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT)
			memcpy(&callback.report, s, sizeof(callback.report));
		else
			continue;
		(void)kr_callback_tell(&callback, message);
	}
}

static VkDebugUtilsMessageSeverityFlagBitsEXT
severity_from_log(uint32_t bits)
{
	if (bits & KR_LOG_ERROR)
		return VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
	if (bits & (KR_LOG_WARN | KR_LOG_PERF))
		return VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
	if (bits & KR_LOG_INFO)
		return VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
	return VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT;
}

uint64_t
kr_message_handle(const struct kr_instance *instance)
{
	if (!instance)
		return 0;
	return (uint64_t)(uintptr_t)(instance->handle ? (const void *)instance->handle : instance);
}

static VkDebugUtilsMessageTypeFlagsEXT
types_from_log(uint32_t bits)
{
	if (bits & KR_LOG_PERF)
		return VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
	/*
	 * Who didn't ask for validation shall hear of a mistake that ends in an error all the same.
	 */
	return VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
		(bits & KR_LOG_VALIDATION ? VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT : 0);
}

static void
tell(const struct kr_message_scope *scope, uint32_t bits, const char *text)
{
	VkDebugUtilsObjectNameInfoEXT object = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
		.objectType = VK_OBJECT_TYPE_INSTANCE,
		.objectHandle = kr_message_handle(scope->instance),
	};
	VkDebugUtilsMessengerCallbackDataEXT details = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
		.pMessageIdName = "Loader Message",
		.pMessage = text,
		.objectCount = 1,
		.pObjects = &object,
	};
	struct kr_message message = {
		.severity = severity_from_log(bits),
		.types = types_from_log(bits),
		.data = &details,
	};

	/* What a callback calls in turn is no part of this call. */
	struct kr_message_scope none;

	kr_message_add_report(&message);
	kr_message_scope_begin(&none, NULL, NULL);
	if (scope->instance)
		kr_instance_tell(scope->instance, scope->lifetime, &message);
	tell_chain(scope->chain, &message);
	kr_message_scope_end(&none);
}

/* A sink of the log. */
static void
handle_log(void *data, uint32_t bits, const char *text)
{
	const struct kr_message_scope *scope = pthread_getspecific(scope_key);

	if (scope)
		tell(scope, bits, text);
}

static const struct kr_message_scope *
current_scope(void)
{
	pthread_once(&once, make_key);
	return has_key ? pthread_getspecific(scope_key) : NULL;
}

void
kr_listeners_add(void)
{
	kr_mutex_lock(&listeners_lock);
	if (!listeners++)
		kr_log_set_sink(handle_log, NULL);
	kr_mutex_unlock(&listeners_lock);
}

void
kr_listeners_remove(void)
{
	kr_mutex_lock(&listeners_lock);
	if (!--listeners)
		kr_log_set_sink(NULL, NULL);
	kr_mutex_unlock(&listeners_lock);
}

static bool
has_callbacks(const void *chain)
{
	for (const VkBaseInStructure *s = chain; s; s = s->pNext) {
		if (s->sType == VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT ||
			s->sType == VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT)
			return true;
	}
	return false;
}

void
kr_message_scope_begin(
	struct kr_message_scope *scope, struct kr_instance *instance, const void *chain)
{
	*scope = (struct kr_message_scope){.instance = instance, .chain = chain};
	pthread_once(&once, make_key);
	if (!has_key)
		return;
	scope->outer = pthread_getspecific(scope_key);
	pthread_setspecific(scope_key, scope);
	if (has_callbacks(chain))
		kr_listeners_add();
}

void
kr_message_scope_begin_destroy(struct kr_message_scope *scope, struct kr_instance *instance)
{
	kr_message_scope_begin(scope, instance, NULL);
	scope->lifetime = has_key;
	if (scope->lifetime)
		kr_listeners_add();
}

void
kr_message_scope_end(struct kr_message_scope *scope)
{
	if (!has_key)
		return;
	if (scope->lifetime || has_callbacks(scope->chain))
		kr_listeners_remove();
	pthread_setspecific(scope_key, scope->outer);
}

void
kr_instance_log(struct kr_instance *instance, uint32_t bits, const char *fmt, ...)
{
	const struct kr_message_scope *outer = current_scope();
	bool inside = outer && (outer->instance == instance || outer->chain);
	struct kr_message_scope scope;
	va_list args;

	/*
	 * Inside of a call on it, and of the one that creates it, everyone concerned
	 * hears it anyway.
	 */
	if (!inside)
		kr_message_scope_begin(&scope, instance, NULL);
	va_start(args, fmt);
	kr_vlog(bits, fmt, args);
	va_end(args);
	if (!inside)
		kr_message_scope_end(&scope);
}
