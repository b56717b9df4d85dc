/* SPDX-License-Identifier: Apache-2.0 */
/* See device.h. */
#include "tools/painter/device.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/choose.h"
#include "tools/painter/pipeline.h"
#include "util/bare_instance.h"
#include "util/env.h"
#include "util/guard.h"

#define MOST_DEVICES 64
#define LAYER        "VK_LAYER_KHRONOS_validation"

static int
refuse(char reason[128], const char *what)
{
	snprintf(reason, 128, "%s", what);
	return -ENODEV;
}

/* --- loader and instance --- */

/* libvulkan.so.1 of the prefix that this program is in, or of its build folder. */
static void *
open_loader(void)
{
	static const char *const places[] = {"../libvulkan.so.1", "../lib/libvulkan.so.1"};
	char path[PATH_MAX], *slash;
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	void *loader = NULL;

	if (len <= 0)
		return NULL;
	path[len] = '\0';
	slash = strrchr(path, '/');
	for (size_t i = 0; !loader && slash && i < KR_ARRAY_LEN(places); i++) {
		if (strlen(places[i]) + 1 >= sizeof(path) - (size_t)(slash + 1 - path))
			return NULL;
		strcpy(slash + 1, places[i]);
		loader = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return loader;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
handle_finding(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
	VkDebugUtilsMessageTypeFlagsEXT types, const VkDebugUtilsMessengerCallbackDataEXT *data,
	void *user)
{
	fprintf(stderr, "krafla-painter: validation: %s\n", data->pMessage);
	_exit(99);
}

static const VkDebugUtilsMessengerCreateInfoEXT messenger_info = {
	.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
	.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
		VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
	.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
	.pfnUserCallback = handle_finding,
};

/* Tests alone: the validation layer, whose first finding ends the process. */
static VkResult
create_validated(struct kr_paint_device *device, PFN_vkGetInstanceProcAddr get,
	const VkInstanceCreateInfo *wanted)
{
	static const char *const layers[] = {LAYER};
	static const char *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
	const VkValidationFeatureEnableEXT enables[] = {
		VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
	const VkValidationFeaturesEXT features = {
		.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
		.enabledValidationFeatureCount = KR_ARRAY_LEN(enables),
		.pEnabledValidationFeatures = enables,
	};
	VkInstanceCreateInfo info = *wanted;
	PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
	PFN_vkCreateDebugUtilsMessengerEXT create_messenger;
	VkDebugUtilsMessengerEXT messenger;
	VkResult result;

	info.pNext = &features;
	info.enabledLayerCount = KR_ARRAY_LEN(layers);
	info.ppEnabledLayerNames = layers;
	info.enabledExtensionCount = KR_ARRAY_LEN(extensions);
	info.ppEnabledExtensionNames = extensions;
	result = create(&info, NULL, &device->instance);
	if (result != VK_SUCCESS)
		return result;
	create_messenger = (PFN_vkCreateDebugUtilsMessengerEXT)get(
		device->instance, "vkCreateDebugUtilsMessengerEXT");
	return create_messenger(device->instance, &messenger_info, NULL, &messenger);
}

static bool
is_testing(void)
{
	const char *testing = kr_env_get("KRAFLA_TESTING");

	return testing && !strcmp(testing, "1");
}

static bool
is_validated(void)
{
	return is_testing() && kr_env_get("KRAFLA_PAINTER_VALIDATION");
}

static int
create_instance(struct kr_paint_device *device, PFN_vkGetInstanceProcAddr get, char reason[128])
{
	const VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.pApplicationName = "krafla-painter",
		.apiVersion = VK_API_VERSION_1_1,
	};
	const VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
	};
	PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, KR_BARE_INSTANCE_FUNCTION);
	VkResult result;

	if (!create)
		return refuse(reason, "libvulkan.so.1 is of another version");
	if (is_validated())
		result = create_validated(device, get, &info);
	else
		result = create(&info, NULL, &device->instance);
	if (result != VK_SUCCESS)
		return refuse(reason, "no Vulkan driver was found");
	kr_instance_table_load(&device->i, get, device->instance);
	return 0;
}

/* --- which device --- */

static bool
is_zero(const uint8_t uuid[VK_UUID_SIZE])
{
	static const uint8_t zero[VK_UUID_SIZE];

	return !memcmp(uuid, zero, VK_UUID_SIZE);
}

/* The better, the higher; 0: not this one. */
static int
rank_of(const struct kr_paint_device *device, VkPhysicalDevice candidate, uint32_t index,
	const uint8_t device_uuid[VK_UUID_SIZE], const uint8_t driver_uuid[VK_UUID_SIZE])
{
	VkPhysicalDeviceIDProperties ids = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &ids};

	device->i.GetPhysicalDeviceProperties2(candidate, &properties);
	if (properties.properties.apiVersion < VK_API_VERSION_1_1)
		return 0;
	if (!is_zero(device_uuid) || !is_zero(driver_uuid))
		return !memcmp(ids.deviceUUID, device_uuid, VK_UUID_SIZE) &&
			!memcmp(ids.driverUUID, driver_uuid, VK_UUID_SIZE);
	return kr_gpu_rank(&properties.properties, ids.deviceUUID, index);
}

static int
choose_device(struct kr_paint_device *device, const uint8_t device_uuid[VK_UUID_SIZE],
	const uint8_t driver_uuid[VK_UUID_SIZE], char reason[128])
{
	VkPhysicalDevice all[MOST_DEVICES];
	uint32_t count = MOST_DEVICES;
	VkResult result = device->i.EnumeratePhysicalDevices(device->instance, &count, all);
	int best = 0;

	if (result != VK_SUCCESS && result != VK_INCOMPLETE)
		return refuse(reason, "devices can't be listed");
	for (uint32_t i = 0; i < count; i++) {
		int rank = rank_of(device, all[i], i, device_uuid, driver_uuid);

		if (rank > best) {
			best = rank;
			device->physical_device = all[i];
		}
	}
	return best ? 0 : refuse(reason, "there is no such device");
}

/* --- what it is, and opening it --- */

static void
ask_identity(struct kr_paint_device *device)
{
	VkPhysicalDeviceIDProperties ids = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &ids};

	device->i.GetPhysicalDeviceProperties2(device->physical_device, &properties);
	device->i.GetPhysicalDeviceMemoryProperties(device->physical_device, &device->memory);
	device->properties = properties.properties;
	memcpy(device->device_uuid, ids.deviceUUID, VK_UUID_SIZE);
	memcpy(device->driver_uuid, ids.driverUUID, VK_UUID_SIZE);
	device->cpu = properties.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

static bool
choose_family(struct kr_paint_device *device)
{
	VkQueueFamilyProperties families[32];
	uint32_t count = KR_ARRAY_LEN(families);

	device->i.GetPhysicalDeviceQueueFamilyProperties(device->physical_device, &count, families);
	for (uint32_t i = 0; i < count; i++) {
		if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT))
			continue;
		device->family = i;
		device->timestamps = families[i].timestampValidBits;
		return true;
	}
	return false;
}

static bool
is_large_enough(const VkPhysicalDeviceLimits *limits)
{
	return limits->maxPerStageDescriptorStorageBuffers >= KR_PAINT_STORAGE &&
		limits->maxPerStageDescriptorSampledImages >= KR_PAINT_SLOTS &&
		limits->maxPerStageResources >= KR_PAINT_STORAGE + KR_PAINT_SLOTS &&
		limits->maxComputeWorkGroupInvocations >= KR_PAINT_GROUP_SIZE;
}

/* Those of a list that it has, behind `count`. */
static uint32_t
choose_extensions(const struct kr_paint_device *device, const char *const *wanted,
	const char **names, uint32_t count, uint32_t room)
{
	VkExtensionProperties *had;
	uint32_t all = 0;

	if (device->i.EnumerateDeviceExtensionProperties(device->physical_device, NULL, &all, NULL))
		return count;
	had = calloc(all, sizeof(*had));
	if (!had ||
		device->i.EnumerateDeviceExtensionProperties(
			device->physical_device, NULL, &all, had) < 0)
		all = 0;
	for (; *wanted && count + 1 < room; wanted++) {
		for (uint32_t i = 0; i < all; i++) {
			if (strcmp(had[i].extensionName, *wanted) != 0)
				continue;
			names[count++] = *wanted;
			break;
		}
	}
	free(had);
	names[count] = NULL;
	return count;
}

static void
ask_host_alignment(struct kr_paint_device *device, bool enabled)
{
	VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &host};

	if (!enabled || !device->d.GetMemoryHostPointerPropertiesEXT)
		return;
	device->i.GetPhysicalDeviceProperties2(device->physical_device, &properties);
	device->host_alignment = host.minImportedHostPointerAlignment;
	device->direct = device->cpu;
}

/* Tests alone: the ways of a device that isn't a processor. */
static void
bend_memory(struct kr_paint_device *device)
{
	const char *way = is_testing() ? kr_env_get("KRAFLA_PAINTER_MEMORY") : NULL;

	if (!way)
		return;
	device->direct = false;
	if (!strcmp(way, "staged"))
		device->host_alignment = 0;
}

static int
create_device(struct kr_paint_device *device, PFN_vkGetInstanceProcAddr get, char reason[128])
{
	static const char *const host[] = {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, NULL};
	const char *names[32] = {NULL};
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueFamilyIndex = device->family,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.ppEnabledExtensionNames = names,
	};
	PFN_vkGetDeviceProcAddr get_device =
		(PFN_vkGetDeviceProcAddr)get(device->instance, "vkGetDeviceProcAddr");
	uint32_t count = choose_extensions(device, host, names, 0, KR_ARRAY_LEN(names));

	info.enabledExtensionCount =
		choose_extensions(device, kr_gpu_extensions, names, count, KR_ARRAY_LEN(names));
	if (device->i.CreateDevice(device->physical_device, &info, NULL, &device->device))
		return refuse(reason, "the device can't be opened");
	kr_device_table_load(&device->d, get_device, device->device);
	device->d.GetDeviceQueue(device->device, device->family, 0, &device->queue);
	ask_host_alignment(device, count);
	bend_memory(device);
	if (kr_gpu_init(&device->gpu, device->instance, device->physical_device, device->device,
		    get, get_device, NULL, names))
		return refuse(reason, "the device lacks functions of Vulkan 1.1");
	return 0;
}

int
kr_paint_device_open(struct kr_paint_device *device, const uint8_t device_uuid[VK_UUID_SIZE],
	const uint8_t driver_uuid[VK_UUID_SIZE], char reason[128])
{
	void *loader = open_loader();
	PFN_vkGetInstanceProcAddr get = loader
		? (PFN_vkGetInstanceProcAddr)(uintptr_t)dlsym(loader, "vkGetInstanceProcAddr")
		: NULL;
	int err;

	if (!get)
		return refuse(reason, "there is no libvulkan.so.1 beside it");
	err = create_instance(device, get, reason);
	if (!err)
		err = choose_device(device, device_uuid, driver_uuid, reason);
	if (err)
		return err;
	ask_identity(device);
	if (!choose_family(device) || !is_large_enough(&device->properties.limits))
		return refuse(reason, "the device's limits are too low");
	return create_device(device, get, reason);
}
