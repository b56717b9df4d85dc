/* SPDX-License-Identifier: Apache-2.0 */
/* The application's callbacks as objects, ours and in each driver. */
#include "loader/messages/messengers.h"

#include <string.h>

#include "loader/handles/terminators.h"
#include "loader/messages/driver.h"
#include "loader/messages/message.h"
#include "loader/messages/messages.h"
#include "util/alloc.h"

static struct kr_messenger *
messenger_create(struct kr_instance *instance, const struct kr_callback *callback,
	const VkAllocationCallbacks *allocator, VkSystemAllocationScope scope)
{
	struct kr_messenger *messenger = kr_object_alloc(allocator, sizeof(*messenger), scope);

	if (!messenger)
		return NULL;
	kr_list_init(&messenger->link);
	messenger->instance = instance;
	messenger->callback = *callback;
	messenger->callback.utils.pNext = messenger->callback.report.pNext = NULL;
	return messenger;
}

static void
list_messenger(struct kr_messenger *messenger)
{
	kr_mutex_lock(&messenger->instance->lock);
	kr_list_append(&messenger->instance->messengers, &messenger->link);
	kr_mutex_unlock(&messenger->instance->lock);
}

static void
destroy_in_drivers(struct kr_messenger *messenger)
{
	const VkAllocationCallbacks *allocator = kr_object_allocator(messenger);
	struct kr_instance *instance = messenger->instance;

	for (uint32_t i = 0; i < kr_instance_driver_count(instance); i++) {
		const struct kr_instance_driver *driver = instance->drivers[i];

		if (!messenger->driver[i])
			continue;
		if (messenger->callback.utils.pfnUserCallback)
			driver->table.DestroyDebugUtilsMessengerEXT(driver->handle,
				(VkDebugUtilsMessengerEXT)messenger->driver[i], allocator);
		else
			driver->table.DestroyDebugReportCallbackEXT(driver->handle,
				(VkDebugReportCallbackEXT)messenger->driver[i], allocator);
	}
}

static void
messenger_destroy(struct kr_messenger *messenger)
{
	struct kr_instance *instance;

	if (!messenger)
		return;
	instance = messenger->instance;
	kr_mutex_lock(&instance->lock);
	kr_list_remove(&messenger->link);
	kr_mutex_unlock(&instance->lock);
	kr_listeners_remove();
	destroy_in_drivers(messenger);
	kr_object_free(messenger);
}

/* The messenger's object in one driver, in *made. */
static VkResult
make_in_driver(struct kr_messenger *messenger, const struct kr_instance_driver *driver,
	const void *chain, const VkAllocationCallbacks *allocator, uint64_t *made)
{
	VkDebugReportCallbackEXT report = VK_NULL_HANDLE;
	VkDebugUtilsMessengerEXT utils = VK_NULL_HANDLE;
	VkResult result;

	if (messenger->callback.utils.pfnUserCallback) {
		VkDebugUtilsMessengerCreateInfoEXT info = kr_messenger_utils_for_driver(messenger);

		info.pNext = chain;
		result = driver->table.CreateDebugUtilsMessengerEXT(
			driver->handle, &info, allocator, &utils);
		*made = (uint64_t)utils;
	} else {
		VkDebugReportCallbackCreateInfoEXT info = kr_messenger_report_for_driver(messenger);

		info.pNext = chain;
		result = driver->table.CreateDebugReportCallbackEXT(
			driver->handle, &info, allocator, &report);
		*made = (uint64_t)report;
	}
	return result;
}

/* Of `extension`, in each driver that has it; `chain` is for these. */
static VkResult
create(VkInstance handle, const struct kr_callback *callback, enum kr_extension extension,
	const void *chain, const VkAllocationCallbacks *allocator, struct kr_messenger **out)
{
	struct kr_instance *instance = kr_instance_from_dispatchable(handle);
	struct kr_messenger *messenger =
		messenger_create(instance, callback, allocator, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	VkResult result = VK_SUCCESS;

	if (!messenger)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < kr_instance_driver_count(instance) && result == VK_SUCCESS; i++) {
		const struct kr_instance_driver *driver = instance->drivers[i];
		uint64_t made = 0;

		if (!kr_extension_set_has(&driver->enabled, extension))
			continue;
		result = make_in_driver(messenger, driver, chain, allocator, &made);
		if (result == VK_SUCCESS)
			messenger->driver[i] = made;
	}
	if (result != VK_SUCCESS) {
		destroy_in_drivers(messenger);
		kr_object_free(messenger);
		return result;
	}
	list_messenger(messenger);
	kr_listeners_add();
	*out = messenger;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_CreateDebugUtilsMessengerEXT(VkInstance handle,
	const VkDebugUtilsMessengerCreateInfoEXT *info, const VkAllocationCallbacks *allocator,
	VkDebugUtilsMessengerEXT *out)
{
	const struct kr_callback callback = {.utils = *info};
	struct kr_messenger *messenger;
	VkResult result = create(
		handle, &callback, KR_EXT_VK_EXT_debug_utils, info->pNext, allocator, &messenger);

	if (result == VK_SUCCESS)
		*out = (VkDebugUtilsMessengerEXT)messenger;
	return result;
}

static VKAPI_ATTR void VKAPI_CALL
terminator_DestroyDebugUtilsMessengerEXT(VkInstance handle, VkDebugUtilsMessengerEXT messenger,
	const VkAllocationCallbacks *allocator)
{
	messenger_destroy((struct kr_messenger *)messenger);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_CreateDebugReportCallbackEXT(VkInstance handle,
	const VkDebugReportCallbackCreateInfoEXT *info, const VkAllocationCallbacks *allocator,
	VkDebugReportCallbackEXT *out)
{
	const struct kr_callback callback = {.report = *info};
	struct kr_messenger *messenger;
	VkResult result = create(
		handle, &callback, KR_EXT_VK_EXT_debug_report, info->pNext, allocator, &messenger);

	if (result == VK_SUCCESS)
		*out = (VkDebugReportCallbackEXT)messenger;
	return result;
}

static VKAPI_ATTR void VKAPI_CALL
terminator_DestroyDebugReportCallbackEXT(VkInstance handle, VkDebugReportCallbackEXT callback,
	const VkAllocationCallbacks *allocator)
{
	messenger_destroy((struct kr_messenger *)callback);
}

/* We tell the callbacks ourselves: through the drivers each would hear it once for every driver. */
static VKAPI_ATTR void VKAPI_CALL
terminator_SubmitDebugUtilsMessageEXT(VkInstance handle,
	VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data)
{
	struct kr_message message = {.severity = severity, .types = types, .data = data};

	kr_message_add_report(&message);
	kr_instance_tell(kr_instance_from_dispatchable(handle), false, &message);
}

static VKAPI_ATTR void VKAPI_CALL
terminator_DebugReportMessageEXT(VkInstance handle, VkDebugReportFlagsEXT flags,
	VkDebugReportObjectTypeEXT type, uint64_t object, size_t location, int32_t code,
	const char *prefix, const char *text)
{
	struct kr_message message = {
		.flags = flags,
		.object_type = type,
		.object = object,
		.location = location,
		.code = code,
		.prefix = prefix,
		.text = text,
	};

	kr_message_add_utils(&message);
	kr_instance_tell(kr_instance_from_dispatchable(handle), false, &message);
}

VkResult
kr_messengers_keep_chained(struct kr_instance *instance, const void *chain)
{
	for (const VkBaseInStructure *s = chain; s; s = s->pNext) {
		struct kr_callback callback = {0};
		struct kr_messenger *messenger;

		if (s->sType == VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT)
			memcpy(&callback.utils, s, sizeof(callback.utils));
		else if (s->sType == VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT)
			memcpy(&callback.report, s, sizeof(callback.report));
		else
			continue;
		messenger = messenger_create(instance, &callback, instance->allocator,
			VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
		if (!messenger)
			return VK_ERROR_OUT_OF_HOST_MEMORY;
		messenger->lifetime = true;
		list_messenger(messenger);
	}
	return VK_SUCCESS;
}

void
kr_messengers_finish(struct kr_instance *instance)
{
	struct kr_messenger *messenger, *next;

	kr_list_for_each_safe (messenger, next, &instance->messengers, link) {
		kr_list_remove(&messenger->link);
		if (!messenger->lifetime) /* the application forgot it: its memory is not ours */
			kr_listeners_remove();
		else
			kr_object_free(messenger);
	}
}

static const struct kr_terminator terminators[] = {
	KR_TERMINATOR(CreateDebugUtilsMessengerEXT),
	KR_TERMINATOR(DestroyDebugUtilsMessengerEXT),
	KR_TERMINATOR(SubmitDebugUtilsMessageEXT),
	KR_TERMINATOR(CreateDebugReportCallbackEXT),
	KR_TERMINATOR(DestroyDebugReportCallbackEXT),
	KR_TERMINATOR(DebugReportMessageEXT),
};
const struct kr_terminators kr_terminators_messengers = {terminators, KR_ARRAY_LEN(terminators)};
