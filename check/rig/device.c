/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, with VK_ANDROID_native_buffer switched on as the platform does. */
#include "check/rig/state.h"

#include <stdlib.h>

#define MAX_FAMILIES 16u

static VkPhysicalDevice
choose_physical(struct check *c, const struct check_device_request *request, VkInstance instance)
{
	VkPhysicalDevice devices[CHECK_MAX_PHYSICAL];
	uint32_t count = check_physical_devices(c, instance, devices);
	uint32_t chosen = c->job->driver->device;

	if (request->second_device && count < 2)
		check_not_applicable(c, "the driver has one physical device");
	if (chosen >= count)
		check_skip(c, "the driver has %u devices, and none of number %u", count, chosen);
	return devices[request->second_device ? !chosen : chosen];
}

/* The first family that draws, else the first of all: one that only copies does to look. */
static void
choose_family(struct check *c, const struct check_device_request *request, struct check_device *out)
{
	VkQueueFamilyProperties families[MAX_FAMILIES] = {0};
	uint32_t count = MAX_FAMILIES, wanted = KR_MAX(request->queues, 1u);

	CHECK_CALL(c, vkGetPhysicalDeviceQueueFamilyProperties, out->physical, &count, families);
	CHECK(c, count, "the device has no queue family");
	out->family = 0;
	for (uint32_t i = KR_MIN(count, MAX_FAMILIES); i-- > 0;) {
		if (families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT)
			out->family = i;
	}
	CHECK(c, families[out->family].queueCount, "queue family %u has no queues", out->family);
	out->queue_count = KR_MIN(
		KR_MIN(wanted, families[out->family].queueCount), (uint32_t)CHECK_MAX_QUEUES);
}

static VkResult
create(struct check *c, const struct check_device_request *request, bool native,
	struct check_device *out)
{
	const float priorities[CHECK_MAX_QUEUES] = {0};
	const VkDeviceQueueCreateInfo queues = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueFamilyIndex = out->family,
		.queueCount = out->queue_count,
		.pQueuePriorities = priorities,
	};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.pNext = request->features,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queues,
	};
	const char **names = calloc(request->extension_count + 1, sizeof(*names));
	VkResult result;

	if (!names)
		check_skip(c, "no memory");
	if (native)
		names[info.enabledExtensionCount++] = VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME;
	for (uint32_t i = 0; i < request->extension_count; i++)
		names[info.enabledExtensionCount++] = request->extensions[i];
	info.ppEnabledExtensionNames = names;
	result = CHECK_CALL(
		c, vkCreateDevice, out->physical, &info, request->allocator, &out->device);
	free(names);
	return result;
}

static VkResult
try_device(struct check *c, const struct check_device_request *request, bool native,
	struct check_device *out)
{
	VkPhysicalDeviceProperties properties = {0};
	VkResult result;

	*out = (struct check_device){.allocator = request->allocator};
	if (request->of) {
		out->instance = request->of->instance;
		out->instance_is_lent = true;
	} else {
		out->instance = check_make_instance(c, request->allocator);
	}
	out->physical = request->of && !request->second_device
		? request->of->physical
		: choose_physical(c, request, out->instance);
	CHECK_CALL(c, vkGetPhysicalDeviceProperties, out->physical, &properties);
	out->api_version = properties.apiVersion;
	out->version =
		check_device_extension(c, out->physical, VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME);
	CHECK(c, out->version || !native,
		"the device doesn't list " VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME);
	choose_family(c, request, out);
	result = create(c, request, native, out);
	if (result != VK_SUCCESS) {
		out->device = VK_NULL_HANDLE;
		return result;
	}
	CHECK(c, out->device, "vkCreateDevice gave VK_SUCCESS and no device");
	check_load_device(c, out->device);
	for (uint32_t i = 0; i < out->queue_count; i++) {
		CHECK_CALL(c, vkGetDeviceQueue, out->device, out->family, i, &out->queues[i]);
		CHECK(c, out->queues[i], "vkGetDeviceQueue gave no queue %u", i);
	}
	return VK_SUCCESS;
}

static const struct check_device_request nothing_special;

VkResult
check_try_device(
	struct check *c, const struct check_device_request *request, struct check_device *out)
{
	return try_device(c, request ? request : &nothing_special, true, out);
}

void
check_make_plain_device(
	struct check *c, const struct check_device_request *request, struct check_device *out)
{
	check_success(c, "vkCreateDevice",
		try_device(c, request ? request : &nothing_special, false, out));
}

void
check_make_device(
	struct check *c, const struct check_device_request *request, struct check_device *out)
{
	check_success(c, "vkCreateDevice", check_try_device(c, request, out));
}

void
check_destroy_device(struct check *c, struct check_device *device)
{
	if (device->device) {
		check_draws_destroy(c, device);
		CHECK_CALL(c, vkDestroyDevice, device->device, device->allocator);
	}
	if (device->instance && !device->instance_is_lent)
		CHECK_CALL(c, vkDestroyInstance, device->instance, device->allocator);
	*device = (struct check_device){0};
}
