/* SPDX-License-Identifier: Apache-2.0 */
/* What drivers say, on its way to the application: their handles become the loader's. */
#include "loader/messages/driver.h"

#include "chain/chain.h"
#include "loader/handles/physical_device.h"
#include "loader/messages/message.h"
#include "loader/messages/messages.h"
#include "util/alloc.h"

#define OBJECTS_ON_STACK 16

/* A driver's handle as the application knows it. */
static uint64_t
translate(struct kr_instance *instance, VkObjectType type, uint64_t handle)
{
	struct kr_physical_device *device;

	if (type == VK_OBJECT_TYPE_INSTANCE)
		return kr_message_handle(instance);
	if (type != VK_OBJECT_TYPE_PHYSICAL_DEVICE)
		return handle;
	device = kr_physical_device_find(instance, (VkPhysicalDevice)(uintptr_t)handle);
	return (uint64_t)(uintptr_t)device;
}

/* What a driver calls: its message with our handles goes on to the application. */
static VKAPI_ATTR VkBool32 VKAPI_CALL
handle_utils(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user_data)
{
	struct kr_messenger *messenger = user_data;
	struct kr_instance *instance = messenger->instance;
	VkDebugUtilsObjectNameInfoEXT objects[OBJECTS_ON_STACK], *copy = objects;
	VkDebugUtilsMessengerCallbackDataEXT translated = *data;
	struct kr_message message = {.severity = severity, .types = types, .data = &translated};
	bool abort_call;

	if (data->objectCount > OBJECTS_ON_STACK) {
		copy = kr_zalloc_array(instance->allocator, data->objectCount, sizeof(*copy),
			VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
		if (!copy) { /* The text matters more than the objects behind the 16th. */
			copy = objects;
			translated.objectCount = OBJECTS_ON_STACK;
		}
	}
	for (uint32_t i = 0; i < translated.objectCount; i++) {
		copy[i] = data->pObjects[i];
		copy[i].objectHandle =
			translate(instance, copy[i].objectType, copy[i].objectHandle);
	}
	translated.pObjects = copy;
	abort_call = kr_callback_tell(&messenger->callback, &message);
	if (copy != objects)
		kr_free(instance->allocator, copy);
	return abort_call;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
handle_report(VkDebugReportFlagsEXT flags, VkDebugReportObjectTypeEXT type, uint64_t object,
	size_t location, int32_t code, const char *prefix, const char *text, void *user_data)
{
	struct kr_messenger *messenger = user_data;
	struct kr_message message = {
		.flags = flags,
		.object_type = type,
		.object = translate(messenger->instance, kr_message_object_type(type), object),
		.location = location,
		.code = code,
		.prefix = prefix,
		.text = text,
	};

	return kr_callback_tell(&messenger->callback, &message);
}

VkDebugUtilsMessengerCreateInfoEXT
kr_messenger_utils_for_driver(struct kr_messenger *messenger)
{
	VkDebugUtilsMessengerCreateInfoEXT info = messenger->callback.utils;

	info.pfnUserCallback = handle_utils;
	info.pUserData = messenger;
	return info;
}

VkDebugReportCallbackCreateInfoEXT
kr_messenger_report_for_driver(struct kr_messenger *messenger)
{
	VkDebugReportCallbackCreateInfoEXT info = messenger->callback.report;

	info.pfnCallback = handle_report;
	info.pUserData = messenger;
	return info;
}

static bool
is_callback(VkStructureType type)
{
	return type == VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT ||
		type == VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT;
}

/* Callbacks of the instance's lifetime; nobody else adds or removes any while it is created. */
static uint32_t
count_lifetime(struct kr_instance *instance)
{
	struct kr_messenger *messenger;
	uint32_t count = 0;

	kr_list_for_each (messenger, &instance->messengers, link)
		count += messenger->lifetime;
	return count;
}

VkResult
kr_message_chain_init(struct kr_message_chain *out, struct kr_instance *instance, const void *chain,
	const VkAllocationCallbacks *allocator)
{
	uint32_t count = count_lifetime(instance), i = 0;
	struct kr_messenger *messenger;
	const void *rest;
	VkResult result;

	*out = (struct kr_message_chain){.head = chain, .allocator = allocator};
	kr_arena_init(&out->arena, allocator);
	if (!count)
		return VK_SUCCESS;
	result = kr_chain_strip(&out->arena, chain, is_callback, "vkCreateInstance", &rest);
	if (result == VK_ERROR_OUT_OF_HOST_MEMORY)
		goto err_finish;
	/*
	 * A chain that can't be copied stays: rather the driver's handles in messages
	 * than no driver.
	 */
	if (result != VK_SUCCESS)
		return VK_SUCCESS;
	out->callbacks = kr_zalloc_array(
		allocator, count, sizeof(*out->callbacks), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!out->callbacks) {
		result = VK_ERROR_OUT_OF_HOST_MEMORY;
		goto err_finish;
	}
	out->head = rest;
	kr_list_for_each (messenger, &instance->messengers, link) {
		struct kr_callback *callback = &out->callbacks[i];

		if (!messenger->lifetime)
			continue;
		callback->utils = kr_messenger_utils_for_driver(messenger);
		callback->report = kr_messenger_report_for_driver(messenger);
		callback->utils.pNext = callback->report.pNext = out->head;
		out->head = messenger->callback.utils.pfnUserCallback
			? (const void *)&callback->utils
			: (const void *)&callback->report;
		i++;
	}
	return VK_SUCCESS;
err_finish:
	kr_arena_finish(&out->arena);
	return result;
}

void
kr_message_chain_finish(struct kr_message_chain *messages)
{
	kr_arena_finish(&messages->arena);
	kr_free(messages->allocator, messages->callbacks);
}
