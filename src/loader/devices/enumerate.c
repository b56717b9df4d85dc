/* SPDX-License-Identifier: Apache-2.0 */
/* vkEnumeratePhysicalDevices, and the same of groups: what every driver has, in one list. */
#include "loader/devices/groups.h"
#include "loader/devices/list.h"
#include "loader/handles/physical_device.h"
#include "loader/handles/terminators.h"
#include "loader/instances/hotplug.h"
#include "loader/messages/messages.h"
#include "util/log.h"

/*
 * Nothing to list is an error, unless ids leave it out or a driver that stands for that takes part.
 */
static VkResult
check_empty(const struct kr_device_list *list)
{
	if (list->count || list->empty_is_fine)
		return VK_SUCCESS;
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "no driver has a device that is listed");
	return VK_ERROR_INITIALIZATION_FAILED;
}

static VkResult
list_devices(struct kr_instance *instance, uint32_t *out_count, VkPhysicalDevice *out)
{
	struct kr_device_list list;
	VkResult result = kr_device_list_init(instance, &list);
	uint32_t count;

	if (result != VK_SUCCESS)
		return result;
	count = out ? KR_MIN(list.count, *out_count) : list.count;
	result = check_empty(&list);
	for (uint32_t i = 0; result == VK_SUCCESS && out && i < count; i++) {
		out[i] = kr_physical_device_wrap(list.items[i].driver, list.items[i].handle);
		if (!out[i])
			result = VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	if (result == VK_SUCCESS) {
		*out_count = count;
		if (count < list.count) {
			kr_info("vkEnumeratePhysicalDevices: Trimming device count from %u to %u, the room there is",
				list.count, count);
			result = VK_INCOMPLETE;
		}
	}
	kr_device_list_finish(&list);
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_EnumeratePhysicalDevices(VkInstance handle, uint32_t *out_count, VkPhysicalDevice *out)
{
	struct kr_instance *instance = kr_instance_from_dispatchable(handle);
	struct kr_message_scope scope;
	VkResult result;

	if (!out_count) {
		kr_instance_log(instance, KR_LOG_ERROR | KR_LOG_VALIDATION,
			"vkEnumeratePhysicalDevices: there is no count to write to [VUID-vkEnumeratePhysicalDevices-pPhysicalDeviceCount-parameter]");
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	kr_message_scope_begin(&scope, instance, NULL);
	result = kr_hotplug_look(instance, out != NULL);
	if (result == VK_SUCCESS)
		result = list_devices(instance, out_count, out);
	kr_message_scope_end(&scope);
	return result;
}

static VkResult
list_groups(struct kr_instance *instance, uint32_t *out_count, VkPhysicalDeviceGroupProperties *out)
{
	struct kr_device_list list;
	VkResult result = kr_device_list_init(instance, &list);

	if (result != VK_SUCCESS)
		return result;
	result = check_empty(&list);
	if (result == VK_SUCCESS)
		result = kr_device_groups_list(&list, out_count, out);
	kr_device_list_finish(&list);
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_EnumeratePhysicalDeviceGroups(
	VkInstance handle, uint32_t *out_count, VkPhysicalDeviceGroupProperties *out)
{
	struct kr_instance *instance = kr_instance_from_dispatchable(handle);
	struct kr_message_scope scope;
	VkResult result;

	kr_message_scope_begin(&scope, instance, NULL);
	result = kr_hotplug_look(instance, out != NULL);
	if (result == VK_SUCCESS)
		result = list_groups(instance, out_count, out);
	kr_message_scope_end(&scope);
	return result;
}

static const struct kr_terminator terminators[] = {
	KR_TERMINATOR(EnumeratePhysicalDevices),
	KR_TERMINATOR_TWICE(EnumeratePhysicalDeviceGroups),
};
const struct kr_terminators kr_terminators_enumerate = {terminators, KR_ARRAY_LEN(terminators)};
