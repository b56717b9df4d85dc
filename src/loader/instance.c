/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creating an instance: the loader's object first, then down the chain of layers to its bottom,
 * which finds that object in *instance and creates an instance in each driver.
 */
#include "loader/instance.h"

#include <stdio.h>
#include <string.h>

#include "layers/layers.h"
#include "loader/bottom.h"
#include "loader/instances/create.h"
#include "loader/drivers/drivers.h"
#include "loader/drivers/extensions.h"
#include "loader/instances/hotplug.h"
#include "loader/devices/foreign.h"
#include "loader/instances/drivers.h"
#include "loader/instance_functions.h"
#include "loader/instances/search.h"
#include "loader/messages/log_callback.h"
#include "loader/messages/messages.h"
#include "loader/messages/messengers.h"
#include "loader/handles/physical_device.h"
#include "loader/names/unknown_functions.h"
#include "loader/windows/vk_display.h"
#include "util/alloc.h"
#include "util/log.h"
#include "util/report.h"

/* The chain is kept until here: its layers may run until their vkDestroyInstance has returned. */
static void
release(struct kr_instance *instance)
{
	kr_instance_destroy_in_drivers(instance);
	kr_live_remove(&instance->live);
	kr_messengers_finish(instance);
	kr_physical_devices_finish(instance);
	kr_layer_chain_destroy(instance->chain, instance->allocator);
	kr_foreign_finish(instance);
	kr_unknown_finish(instance);
	kr_vk_display_finish(instance);
	kr_hash_finish(&instance->display_modes);
	kr_mutex_finish(&instance->lock);
	kr_instance_free_drivers(instance);
	kr_settings_finish(&instance->settings);
	kr_object_free(instance);
}

static struct kr_instance *
allocate(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, bool bare)
{
	struct kr_instance *instance =
		kr_object_alloc(allocator, sizeof(*instance), VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);

	if (!instance)
		return NULL;
	instance->allocator = kr_object_allocator(instance);
	instance->table = *kr_terminator_table();
	instance->dispatch = &instance->table;
	instance->self = instance;
	kr_live_add(&instance->live, &instance->table);
	instance->api_version = VK_API_VERSION_1_0;
	if (info->pApplicationInfo && info->pApplicationInfo->apiVersion)
		instance->api_version = info->pApplicationInfo->apiVersion;
	instance->bare = bare;
	instance->platform_wsi = !bare && kr_platform_wsi_chosen();
	kr_hotplug_begin(instance);
	kr_mutex_init(&instance->lock);
	kr_list_init(&instance->physical_devices);
	kr_list_init(&instance->devices);
	kr_list_init(&instance->messengers);
	kr_hash_init_with(
		&instance->display_modes, instance->allocator, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
	if (!kr_settings_read(NULL, &instance->settings))
		return instance;
	release(instance);
	return NULL;
}

/* The first layer's functions; what it doesn't know goes straight to the bottom. */
static void
load_top(struct kr_instance *instance, VkInstance handle)
{
	const struct kr_instance_table *bottom = kr_terminator_table();
	struct kr_instance_table top;

	kr_instance_table_load(&top, instance->chain->layers[0].get_instance_proc_addr, handle);
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		const struct kr_command *command = &kr_commands[i];
		PFN_vkVoidFunction function;

		if (command->level != KR_LEVEL_INSTANCE &&
			command->level != KR_LEVEL_PHYSICAL_DEVICE)
			continue;
		memcpy(&function, (char *)&top + command->table_offset, sizeof(function));
		if (!function)
			memcpy((char *)&top + command->table_offset,
				(const char *)bottom + command->table_offset, sizeof(function));
	}
	top.magic = KR_INSTANCE_MAGIC;
	instance->table = top;
	kr_foreign_intercept(instance);
}

static VkResult
create_through_layers(struct kr_instance *instance, const VkInstanceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkInstance *handle)
{
	VkResult result = kr_layer_chain_create_instance(
		instance->chain, &kr_bottom, info, allocator, handle);

	/* Below it isn't an answer: extensions were checked before. */
	if (result == VK_ERROR_EXTENSION_NOT_PRESENT)
		kr_log(KR_LOG_WARN | KR_LOG_LAYER,
			"vkCreateInstance: a layer says that an extension isn't present, which neither the loader nor a driver does (Policy #LLP_LAYER_17)");
	if (result != VK_SUCCESS)
		return result;
	if (!instance->complete || !*handle) {
		kr_log(KR_LOG_ERROR | KR_LOG_LAYER,
			"vkCreateInstance: a layer reported success without creating an instance");
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	load_top(instance, *handle);
	return VK_SUCCESS;
}

/* Drivers, and what the application wants of them and of the chain. */
static VkResult
prepare(struct kr_instance *instance, const VkInstanceCreateInfo *info)
{
	struct kr_loaded_drivers *drivers;
	VkResult result = kr_instance_find_drivers(instance, info, &drivers);

	if (result != VK_SUCCESS)
		return result;
	result = kr_instance_add_drivers(instance, drivers);
	if (result == VK_SUCCESS)
		result = kr_instance_extensions_check(
			info, drivers, instance->platform_wsi, instance->chain, &instance->enabled);
	if (result == VK_SUCCESS)
		result = kr_messengers_keep_chained(instance, info->pNext);
	kr_loaded_drivers_unref(drivers);
	return result;
}

static VkResult
create_chain(struct kr_instance *instance, const VkInstanceCreateInfo *info)
{
	const struct kr_layer_request request = {
		.count = info->enabledLayerCount,
		.names = info->ppEnabledLayerNames,
		.api_version = instance->api_version,
	};

	return kr_layer_chain_create(
		&instance->settings, &request, instance->allocator, &instance->chain);
}

/* What is wrong with the version that the application says it was written for. */
static void
check_version(const VkApplicationInfo *application)
{
	uint32_t version = application ? application->apiVersion : 0;

	if (version && version < VK_API_VERSION_1_0)
		kr_error(
			"VkInstanceCreateInfo::pApplicationInfo::apiVersion has value of %u which is not permitted. If apiVersion is not 0, then it must be greater than or equal to the value of VK_API_VERSION_1_0 [VUID-VkApplicationInfo-apiVersion]",
			version);
	if (VK_API_VERSION_VARIANT(version))
		kr_warn("vkCreateInstance: The API Variant specified in pCreateInfo->pApplicationInfo.apiVersion is %u instead of the expected value of 0.",
			VK_API_VERSION_VARIANT(version));
}

/* One line; what doesn't fit is left out. */
static void
tell_names(const char *what, uint32_t count, const char *const *names)
{
	char text[1024] = "";
	size_t used = 0;

	for (uint32_t i = 0; names && i < count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "",
			names[i] ? names[i] : "NULL");
	kr_info("%s: %s", what, text[0] ? text : "none");
}

static void
tell_application(const VkApplicationInfo *application)
{
	uint32_t version = application ? application->apiVersion : 0;

	kr_info("Application name: \"%s\" (version %u), engine \"%s\" (version %u), for Vulkan %u.%u.%u",
		application && application->pApplicationName ? application->pApplicationName : "",
		application ? application->applicationVersion : 0,
		application && application->pEngineName ? application->pEngineName : "",
		application ? application->engineVersion : 0,
		VK_API_VERSION_MAJOR(version ? version : VK_API_VERSION_1_0),
		VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
}

/* Whose instance is made, and what for: the first question about anybody's log. */
static void
tell_request(const VkInstanceCreateInfo *info)
{
	check_version(info->pApplicationInfo);
	if (!kr_log_enabled(KR_LOG_INFO))
		return;
	tell_application(info->pApplicationInfo);
	tell_names("Requested layers", info->enabledLayerCount, info->ppEnabledLayerNames);
	tell_names(
		"Requested extensions", info->enabledExtensionCount, info->ppEnabledExtensionNames);
}

static VkResult
create(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, bool bare,
	VkInstance *out)
{
	struct kr_instance *instance;
	VkInstance handle;
	VkResult result;

	result = kr_instance_extensions_check_names(info);
	if (result != VK_SUCCESS)
		return result;
	tell_request(info);
	instance = allocate(info, allocator, bare);
	if (!instance)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	result = bare ? VK_SUCCESS : create_chain(instance, info);
	if (result == VK_SUCCESS)
		result = prepare(instance, info);
	if (result != VK_SUCCESS)
		goto err_release;
	handle = (VkInstance)instance;
	if (instance->chain)
		result = create_through_layers(instance, info, allocator, &handle);
	else
		result = kr_terminator_CreateInstance(info, allocator, &handle);
	if (result != VK_SUCCESS)
		goto err_release;
	instance->handle = handle;
	*out = handle;
	if (!bare)
		kr_report(KR_REPORT_INSTANCE, NULL);
	return VK_SUCCESS;

err_release:
	release(instance);
	return result;
}

VkResult
kr_instance_create(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
	bool bare, VkInstance *out)
{
	struct kr_message_log_request request;
	struct kr_message_scope scope;
	VkResult result;

	kr_message_scope_begin(&scope, NULL, info->pNext);
	result = kr_message_log_request_init(&request, info, allocator);
	if (result == VK_SUCCESS) {
		result = create(&request.info, allocator, bare, out);
		kr_message_log_request_finish(&request, allocator);
	}
	if (result == VK_SUCCESS && request.wanted)
		kr_message_log_create(kr_instance_from_dispatchable(*out));
	kr_message_scope_end(&scope);
	return result;
}

void
kr_instance_destroy(VkInstance handle, const VkAllocationCallbacks *allocator)
{
	struct kr_instance *instance = kr_instance_from_dispatchable(handle);
	struct kr_message_scope scope;

	kr_message_scope_begin_destroy(&scope, instance);
	kr_message_log_destroy(instance);
	instance->table.DestroyInstance(handle, allocator);
	kr_message_scope_end(&scope);
	release(instance);
}
