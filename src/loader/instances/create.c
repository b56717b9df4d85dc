/* SPDX-License-Identifier: Apache-2.0 */
/* The bottom of vkCreateInstance and vkDestroyInstance: an instance in each driver. */
#include "loader/instances/create.h"

#include <stdlib.h>

#include "loader/drivers/extensions.h"
#include "loader/handles/terminators.h"
#include "loader/instances/driver.h"
#include "loader/instances/search.h"
#include "util/log.h"

void
kr_instance_destroy_in_drivers(struct kr_instance *instance)
{
	for (uint32_t i = 0; i < kr_instance_driver_count(instance); i++)
		kr_instance_driver_destroy(instance->drivers[i]);
	instance->complete = false;
}

/* In each driver; how many can be used, in *created. */
static VkResult
create_in_drivers(struct kr_instance *instance, const VkInstanceCreateInfo *info,
	const VkAllocationCallbacks *allocator, uint32_t *created)
{
	*created = 0;
	for (uint32_t i = 0; i < kr_instance_driver_count(instance); i++) {
		struct kr_instance_driver *driver = instance->drivers[i];
		VkResult result;

		kr_instance_driver_choose(driver, instance->platform_wsi, &instance->enabled_below);
		result = kr_instance_driver_create(driver, info, allocator);
		if (result == VK_ERROR_OUT_OF_HOST_MEMORY)
			return result;
		*created += result == VK_SUCCESS;
	}
	return VK_SUCCESS;
}

/*
 * A layer hands down the object that it was given; one that wrote into it has
 * destroyed the loader's.
 */
static void
check_intact(const struct kr_instance *instance)
{
	if (kr_instance_table_is_live(instance->dispatch))
		return;
	kr_log(KR_LOG_ERROR | KR_LOG_FATAL | KR_LOG_LAYER,
		"terminator_CreateInstance: Instance pointer (%p) has invalid MAGIC value 0x%08x. Instance value possibly corrupted by active layer (Policy #LLP_LAYER_21)",
		(const void *)instance, (unsigned)(uintptr_t)instance->dispatch);
	abort();
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_terminator_CreateInstance(const VkInstanceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkInstance *handle)
{
	struct kr_instance *instance = (struct kr_instance *)*handle;
	uint32_t created = 0;
	VkResult result;

	check_intact(instance);
	/* Layers may have chosen another version, and added extensions. */
	instance->api_version_below = VK_API_VERSION_1_0;
	if (info->pApplicationInfo && info->pApplicationInfo->apiVersion)
		instance->api_version_below = info->pApplicationInfo->apiVersion;
	instance->enabled_below = instance->enabled;
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
		kr_extension_set_add(&instance->enabled_below,
			kr_extension_find(info->ppEnabledExtensionNames[i]));
	result = kr_instance_keep_origin(instance, info);
	if (result == VK_SUCCESS)
		result = create_in_drivers(instance, info, allocator, &created);
	if (result == VK_SUCCESS && !created) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "vkCreateInstance: no driver could be used");
		result = VK_ERROR_INCOMPATIBLE_DRIVER;
	}
	if (result != VK_SUCCESS)
		kr_instance_destroy_in_drivers(instance);
	instance->complete = result == VK_SUCCESS;
	return result;
}

static VKAPI_ATTR void VKAPI_CALL
terminator_DestroyInstance(VkInstance handle, const VkAllocationCallbacks *allocator)
{
	kr_instance_destroy_in_drivers(kr_instance_from_dispatchable(handle));
}

static const struct kr_terminator terminators[] = {
	KR_TERMINATOR(DestroyInstance),
};
const struct kr_terminators kr_terminators_instance = {terminators, KR_ARRAY_LEN(terminators)};
