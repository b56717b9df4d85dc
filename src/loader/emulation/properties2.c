/* SPDX-License-Identifier: Apache-2.0 */
/* Physical device queries in their second form, from the first where there is no other. */
#include "loader/emulation/properties2.h"

#include <string.h>

#include "loader/drivers/drivers.h"
#include "loader/handles/terminators.h"
#include "loader/messages/messages.h"
#include "util/alloc.h"
#include "util/enumerate.h"
#include "util/log.h"

#define SHARE(table, name)                                                                         \
	do {                                                                                       \
		if (!(table)->name)                                                                \
			(table)->name = (table)->name##KHR;                                        \
		if (!(table)->name##KHR)                                                           \
			(table)->name##KHR = (table)->name;                                        \
	} while (0)

/* Whether callers may use a form that is core in 1.1 and before that of an extension. */
static bool
may_use(const struct kr_instance_driver *driver, enum kr_extension extension, bool core, bool khr)
{
	const struct kr_instance *instance = driver->instance;

	if (core && instance->api_version_below >= VK_API_VERSION_1_1)
		return true;
	return khr && kr_extension_set_has(&instance->enabled_below, extension) &&
		kr_extension_set_has(&driver->enabled, extension);
}

#define MAY_USE(driver, extension, name)                                                           \
	may_use(driver, KR_EXT_VK_KHR_##extension, (driver)->table.name, (driver)->table.name##KHR)

/*
 * Whether the loader may ask the driver itself: by the version that it was created with, or the
 * extension. The settings file's device configurations are matched by nothing else, so whoever
 * gives the function is asked for them; manifests often tell less than what their driver can.
 */
static bool
may_ask(const struct kr_instance_driver *driver)
{
	const struct kr_instance *instance = driver->instance;
	bool core = driver->driver->api_version >= VK_API_VERSION_1_1 &&
		instance->api_version_below >= VK_API_VERSION_1_1;

	if (driver->table.GetPhysicalDeviceProperties2 && (core || instance->settings.device_count))
		return true;
	return driver->table.GetPhysicalDeviceProperties2KHR &&
		kr_extension_set_has(
			&driver->enabled, KR_EXT_VK_KHR_get_physical_device_properties2);
}

void
kr_properties2_prepare(struct kr_instance_driver *driver)
{
	struct kr_instance_table *table = &driver->table;

	driver->properties2 = may_ask(driver);
	if (MAY_USE(driver, get_physical_device_properties2, GetPhysicalDeviceProperties2))
		driver->second_forms |= KR_FORM_PROPERTIES2;
	if (MAY_USE(driver, external_memory_capabilities,
		    GetPhysicalDeviceExternalBufferProperties))
		driver->second_forms |= KR_FORM_EXTERNAL_MEMORY;
	if (MAY_USE(driver, external_semaphore_capabilities,
		    GetPhysicalDeviceExternalSemaphoreProperties))
		driver->second_forms |= KR_FORM_EXTERNAL_SEMAPHORE;
	if (MAY_USE(driver, external_fence_capabilities, GetPhysicalDeviceExternalFenceProperties))
		driver->second_forms |= KR_FORM_EXTERNAL_FENCE;
	SHARE(table, GetPhysicalDeviceFeatures2);
	SHARE(table, GetPhysicalDeviceProperties2);
	SHARE(table, GetPhysicalDeviceFormatProperties2);
	SHARE(table, GetPhysicalDeviceImageFormatProperties2);
	SHARE(table, GetPhysicalDeviceQueueFamilyProperties2);
	SHARE(table, GetPhysicalDeviceMemoryProperties2);
	SHARE(table, GetPhysicalDeviceSparseImageFormatProperties2);
	SHARE(table, GetPhysicalDeviceExternalBufferProperties);
	SHARE(table, GetPhysicalDeviceExternalSemaphoreProperties);
	SHARE(table, GetPhysicalDeviceExternalFenceProperties);
}

void
kr_emulation_say(const struct kr_instance_driver *driver, const char *function, const char *means)
{
	/* "Emulating call in ICD" is what people search for. */
	kr_instance_log(driver->instance, KR_LOG_INFO | KR_LOG_DRIVER,
		"%s: Emulating call in ICD \"%s\"%s%s", function, driver->driver->driver->name,
		means ? " with " : ", which has nothing of it", means ? means : "");
}

void
kr_emulation_say_ignored(const struct kr_instance_driver *driver, const char *function,
	const char *member, const void *chain)
{
	for (const VkBaseInStructure *s = chain; s; s = s->pNext)
		kr_instance_log(driver->instance, KR_LOG_WARN | KR_LOG_DRIVER,
			"%s: the driver lacks this function; the structure of type %d in %s can't be taken into account",
			function, (int)s->sType, member);
}

/* Whether this call goes to the driver; else what follows is an emulation. */
static bool
passes(const struct kr_physical_device *device, const char *function, const char *means)
{
	if (device->owner->second_forms & KR_FORM_PROPERTIES2)
		return true;
	kr_emulation_say(device->owner, function, means);
	return false;
}

#define PASSES(device, name) passes(device, "vk" #name "2", "vk" #name)

static void
emulate_features(const struct kr_physical_device *device, VkPhysicalDeviceFeatures2 *features)
{
	device->driver->GetPhysicalDeviceFeatures(device->handle, &features->features);
	for (VkBaseOutStructure *s = features->pNext; s; s = s->pNext) {
		VkPhysicalDeviceMultiviewFeatures *multiview = (void *)s;

		if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES)
			multiview->multiview = multiview->multiviewGeometryShader =
				multiview->multiviewTessellationShader = VK_FALSE;
		else
			kr_instance_log(device->owner->instance, KR_LOG_WARN | KR_LOG_DRIVER,
				"vkGetPhysicalDeviceFeatures2: the driver lacks this function; the structure of type %d in pFeatures->pNext can't be filled",
				(int)s->sType);
	}
}

void
kr_emulation_get_features2(
	const struct kr_physical_device *device, VkPhysicalDeviceFeatures2 *features)
{
	if (PASSES(device, GetPhysicalDeviceFeatures))
		device->driver->GetPhysicalDeviceFeatures2(device->handle, features);
	else
		emulate_features(device, features);
}

/* A driver without this query has no ids either, which is told as ids of zero. */
static void
emulate_properties(const struct kr_physical_device *device, VkPhysicalDeviceProperties2 *properties)
{
	static const char function[] = "vkGetPhysicalDeviceProperties2";

	device->driver->GetPhysicalDeviceProperties(device->handle, &properties->properties);
	for (VkBaseOutStructure *s = properties->pNext; s; s = s->pNext) {
		VkPhysicalDeviceIDProperties *ids = (void *)s;

		if (s->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES) {
			kr_instance_log(device->owner->instance, KR_LOG_WARN | KR_LOG_DRIVER,
				"%s: the driver lacks this function; the structure of type %d in pProperties->pNext can't be filled",
				function, (int)s->sType);
			continue;
		}
		kr_instance_log(device->owner->instance, KR_LOG_WARN | KR_LOG_DRIVER,
			"%s: the driver can't tell the ids of a device, they are zero", function);
		memset(ids->deviceUUID, 0, sizeof(ids->deviceUUID));
		memset(ids->driverUUID, 0, sizeof(ids->driverUUID));
		ids->deviceLUIDValid = VK_FALSE;
	}
}

static VKAPI_ATTR void VKAPI_CALL
terminator_GetPhysicalDeviceProperties2(
	VkPhysicalDevice handle, VkPhysicalDeviceProperties2 *properties)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (PASSES(device, GetPhysicalDeviceProperties))
		device->driver->GetPhysicalDeviceProperties2(device->handle, properties);
	else
		emulate_properties(device, properties);
}

static VKAPI_ATTR void VKAPI_CALL
terminator_GetPhysicalDeviceFormatProperties2(
	VkPhysicalDevice handle, VkFormat format, VkFormatProperties2 *properties)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (PASSES(device, GetPhysicalDeviceFormatProperties)) {
		device->driver->GetPhysicalDeviceFormatProperties2(
			device->handle, format, properties);
		return;
	}
	device->driver->GetPhysicalDeviceFormatProperties(
		device->handle, format, &properties->formatProperties);
	kr_emulation_say_ignored(device->owner, "vkGetPhysicalDeviceFormatProperties2",
		"pFormatProperties->pNext", properties->pNext);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPhysicalDeviceImageFormatProperties2(VkPhysicalDevice handle,
	const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *properties)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (PASSES(device, GetPhysicalDeviceImageFormatProperties))
		return device->driver->GetPhysicalDeviceImageFormatProperties2(
			device->handle, info, properties);
	/* The question goes beyond what the driver can be asked: no answer of its would fit. */
	if (info->pNext || properties->pNext)
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	return device->driver->GetPhysicalDeviceImageFormatProperties(device->handle, info->format,
		info->type, info->tiling, info->usage, info->flags,
		&properties->imageFormatProperties);
}

static VKAPI_ATTR void VKAPI_CALL
terminator_GetPhysicalDeviceQueueFamilyProperties2(
	VkPhysicalDevice handle, uint32_t *count, VkQueueFamilyProperties2 *properties)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);
	const VkAllocationCallbacks *allocator = device->owner->instance->allocator;
	VkQueueFamilyProperties *found;
	uint32_t room;

	if (PASSES(device, GetPhysicalDeviceQueueFamilyProperties)) {
		device->driver->GetPhysicalDeviceQueueFamilyProperties2(
			device->handle, count, properties);
		return;
	}
	if (!properties) {
		device->driver->GetPhysicalDeviceQueueFamilyProperties(device->handle, count, NULL);
		return;
	}
	found = kr_zalloc_array(
		allocator, KR_MAX(*count, 1u), sizeof(*found), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!found) {
		kr_instance_log(device->owner->instance, KR_LOG_ERROR,
			"vkGetPhysicalDeviceQueueFamilyProperties2: no memory");
		*count = 0;
		return;
	}
	room = *count;
	device->driver->GetPhysicalDeviceQueueFamilyProperties(device->handle, count, found);
	kr_enumeration_fit(found, room, count);
	for (uint32_t i = 0; i < *count; i++) {
		properties[i].queueFamilyProperties = found[i];
		kr_emulation_say_ignored(device->owner, "vkGetPhysicalDeviceQueueFamilyProperties2",
			"pQueueFamilyProperties[].pNext", properties[i].pNext);
	}
	kr_free(allocator, found);
}

static VKAPI_ATTR void VKAPI_CALL
terminator_GetPhysicalDeviceMemoryProperties2(
	VkPhysicalDevice handle, VkPhysicalDeviceMemoryProperties2 *properties)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (PASSES(device, GetPhysicalDeviceMemoryProperties)) {
		device->driver->GetPhysicalDeviceMemoryProperties2(device->handle, properties);
		return;
	}
	device->driver->GetPhysicalDeviceMemoryProperties(
		device->handle, &properties->memoryProperties);
	kr_emulation_say_ignored(device->owner, "vkGetPhysicalDeviceMemoryProperties2",
		"pMemoryProperties->pNext", properties->pNext);
}

static void
emulate_sparse(const struct kr_physical_device *device,
	const VkPhysicalDeviceSparseImageFormatInfo2 *info, uint32_t *count,
	VkSparseImageFormatProperties2 *properties)
{
	static const char function[] = "vkGetPhysicalDeviceSparseImageFormatProperties2";
	const VkAllocationCallbacks *allocator = device->owner->instance->allocator;
	VkSparseImageFormatProperties *found = NULL;
	uint32_t room;

	kr_emulation_say_ignored(device->owner, function, "pFormatInfo->pNext", info->pNext);
	if (properties) {
		found = kr_zalloc_array(allocator, KR_MAX(*count, 1u), sizeof(*found),
			VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
		if (!found) {
			kr_instance_log(
				device->owner->instance, KR_LOG_ERROR, "%s: no memory", function);
			*count = 0;
			return;
		}
	}
	room = kr_enumeration_room(found, count);
	device->driver->GetPhysicalDeviceSparseImageFormatProperties(device->handle, info->format,
		info->type, info->samples, info->usage, info->tiling, count, found);
	kr_enumeration_fit(found, room, count);
	for (uint32_t i = 0; properties && i < *count; i++) {
		properties[i].properties = found[i];
		kr_emulation_say_ignored(
			device->owner, function, "pProperties[].pNext", properties[i].pNext);
	}
	kr_free(allocator, found);
}

static VKAPI_ATTR void VKAPI_CALL
terminator_GetPhysicalDeviceSparseImageFormatProperties2(VkPhysicalDevice handle,
	const VkPhysicalDeviceSparseImageFormatInfo2 *info, uint32_t *count,
	VkSparseImageFormatProperties2 *properties)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (PASSES(device, GetPhysicalDeviceSparseImageFormatProperties))
		device->driver->GetPhysicalDeviceSparseImageFormatProperties2(
			device->handle, info, count, properties);
	else
		emulate_sparse(device, info, count, properties);
}

static const struct kr_terminator terminators[] = {
	KR_TERMINATOR_TWICE(GetPhysicalDeviceProperties2),
	KR_TERMINATOR_TWICE(GetPhysicalDeviceFormatProperties2),
	KR_TERMINATOR_TWICE(GetPhysicalDeviceImageFormatProperties2),
	KR_TERMINATOR_TWICE(GetPhysicalDeviceQueueFamilyProperties2),
	KR_TERMINATOR_TWICE(GetPhysicalDeviceMemoryProperties2),
	KR_TERMINATOR_TWICE(GetPhysicalDeviceSparseImageFormatProperties2),
};
const struct kr_terminators kr_terminators_properties2 = {terminators, KR_ARRAY_LEN(terminators)};
