/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that does nothing and remembers what it was called with. */
#include "icd.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vulkan/vk_icd.h>

#include "util/alloc.h"
#include "util/macros.h"

struct fake_control fake_control = {
	.interface_version = 5,
	.api_version = VK_API_VERSION_1_1,
	.device_count = 1,
	.native_buffer_version = 8,
};
static struct fake_control *const c = &fake_control;
/* For cases with threads: of what these may reach, no two threads write at once. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct object {
	uintptr_t word;
};

static struct object physical_devices[4];
static struct object queue;
static VkDebugUtilsMessengerCreateInfoEXT messenger;

static VkResult
enumerate(const char *const *names, uint32_t *count, VkExtensionProperties *out)
{
	uint32_t total = 0, room = *count;

	for (; total < FAKE_MAX_NAMES && names[total]; total++) {
		if (!out || total >= room)
			continue;
		snprintf(out[total].extensionName, sizeof(out[total].extensionName), "%s",
			names[total]);
		out[total].specVersion = !strcmp(names[total], "VK_ANDROID_native_buffer")
			? c->native_buffer_version
			: 1;
	}
	*count = out && room < total ? room : total;
	return out && room < total ? VK_INCOMPLETE : VK_SUCCESS;
}

static uint32_t
copy_names(char (*out)[64], uint32_t count, const char *const *names)
{
	for (uint32_t i = 0; i < count && i < FAKE_MAX_NAMES; i++)
		snprintf(out[i], sizeof(out[i]), "%s", names[i]);
	return count;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_instance_version(uint32_t *version)
{
	*version = c->api_version;
	return VK_SUCCESS;
}

/* What a driver needs to present to surfaces of the loader's own. */
static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_instance_extensions(const char *layer, uint32_t *count, VkExtensionProperties *out)
{
	const char *names[FAKE_MAX_NAMES + 1] = {NULL};
	bool shares = c->shares_no_memory;
	int i = 0;

	for (; i < FAKE_MAX_NAMES && c->instance_extensions[i]; i++) {
		names[i] = c->instance_extensions[i];
		shares |= !strcmp(names[i], "VK_KHR_external_memory_capabilities");
	}
	if (!shares && i < FAKE_MAX_NAMES)
		names[i] = "VK_KHR_external_memory_capabilities";
	return enumerate(names, count, out);
}

static VkResult
create_instance_locked(
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
	struct object *instance;

	c->seen_api_version = info->pApplicationInfo ? info->pApplicationInfo->apiVersion : 0;
	c->seen_flags = info->flags;
	for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
		if (s->sType == VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT)
			messenger = *(const VkDebugUtilsMessengerCreateInfoEXT *)(const void *)s;
	}
	c->seen_layer_count = info->enabledLayerCount;
	c->seen_instance_extension_count = copy_names(c->seen_instance_extensions,
		info->enabledExtensionCount, info->ppEnabledExtensionNames);
	if (c->create_instance_result)
		return c->create_instance_result;
	instance = kr_zalloc(allocator, sizeof(*instance), VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
	if (!instance)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	instance->word = ICD_LOADER_MAGIC;
	c->instances++;
	c->instances_created++;
	c->instance = (VkInstance)instance;
	for (int i = 0; i < 4; i++) {
		physical_devices[i].word = ICD_LOADER_MAGIC;
		c->physical_devices[i] = (VkPhysicalDevice)&physical_devices[i];
	}
	*out = c->instance;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
	VkResult result;

	if (c->create_instance_us)
		usleep(c->create_instance_us);
	pthread_mutex_lock(&lock);
	result = create_instance_locked(info, allocator, out);
	pthread_mutex_unlock(&lock);
	return result;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_instance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
	pthread_mutex_lock(&lock);
	c->instances--;
	pthread_mutex_unlock(&lock);
	kr_free(allocator, instance);
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_physical_devices(VkInstance instance, uint32_t *count, VkPhysicalDevice *out)
{
	uint32_t room = *count;

	if (c->enumerate_result)
		return c->enumerate_result;
	*count = out ? KR_MIN(room, c->device_count) : c->device_count;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; out && i < *count; i++)
		out[i] = c->physical_devices[i];
	pthread_mutex_unlock(&lock);
	return out && room < c->device_count ? VK_INCOMPLETE : VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_groups(VkInstance instance, uint32_t *count, VkPhysicalDeviceGroupProperties *out)
{
	if (!out || !*count) {
		*count = 1;
		return out ? VK_INCOMPLETE : VK_SUCCESS;
	}
	*count = 1;
	c->seen_group_chain = out->pNext;
	out->physicalDeviceCount = c->device_count;
	for (uint32_t i = 0; i < c->device_count; i++)
		out->physicalDevices[i] = c->physical_devices[i];
	return VK_SUCCESS;
}

static const struct fake_device *
about(VkPhysicalDevice device)
{
	return &c->about[(const struct object *)device - physical_devices];
}

static VKAPI_ATTR void VKAPI_CALL
get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties *properties)
{
	const struct fake_device *fake = about(device);

	pthread_mutex_lock(&lock);
	c->seen_physical_device = device;
	pthread_mutex_unlock(&lock);
	memset(properties, 0, sizeof(*properties));
	properties->apiVersion = c->api_version;
	properties->deviceType = fake->type;
	properties->vendorID = fake->vendor_id;
	properties->deviceID = fake->device_id;
	snprintf(properties->deviceName, sizeof(properties->deviceName), "%s",
		fake->name ? fake->name : FAKE_NAME);
}

static void
fill_properties(const struct fake_device *fake, VkBaseOutStructure *node)
{
	VkPhysicalDevicePCIBusInfoPropertiesEXT *pci = (void *)node;
	VkPhysicalDeviceDriverProperties *driver = (void *)node;
	VkPhysicalDeviceIDProperties *ids = (void *)node;

	switch (node->sType) {
	case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT:
		pci->pciBus = fake->pci_bus;
		break;
	case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES:
		driver->driverID = fake->driver_id;
		break;
	case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES:
		memset(ids->deviceUUID, fake->device_uuid, VK_UUID_SIZE);
		memset(ids->driverUUID, fake->driver_uuid, VK_UUID_SIZE);
		break;
	default:
		break;
	}
}

static VKAPI_ATTR void VKAPI_CALL
get_properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *properties)
{
	get_properties(device, &properties->properties);
	properties->properties.driverVersion = 2;
	for (VkBaseOutStructure *s = properties->pNext; s; s = s->pNext) {
		fill_properties(about(device), s);
		if ((int)s->sType ==
			(int)VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID)
			((VkPhysicalDevicePresentationPropertiesANDROID *)(void *)s)->sharedImage =
				c->shared_image;
	}
}

static VKAPI_ATTR void VKAPI_CALL
get_families(VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties *out)
{
	if (out && *count)
		*out = (VkQueueFamilyProperties){VK_QUEUE_GRAPHICS_BIT, 1, 0, {1, 1, 1}};
	*count = out ? KR_MIN(*count, 1u) : 1;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_device_extensions(
	VkPhysicalDevice device, const char *layer, uint32_t *count, VkExtensionProperties *out)
{
	return enumerate(c->device_extensions, count, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_device(VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *out)
{
	struct object *device;

	c->seen_physical_device = physical_device;
	c->seen_layer_count = info->enabledLayerCount;
	c->seen_device_extension_count = copy_names(c->seen_device_extensions,
		info->enabledExtensionCount, info->ppEnabledExtensionNames);
	c->seen_chain_count = c->seen_group_count = 0;
	for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
		const VkDeviceGroupDeviceCreateInfo *group = (const void *)s;

		if (c->seen_chain_count < 8)
			c->seen_chain[c->seen_chain_count++] = s->sType;
		if (s->sType != VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO)
			continue;
		c->seen_group_count = group->physicalDeviceCount;
		for (uint32_t i = 0; i < group->physicalDeviceCount && i < 4; i++)
			c->seen_group[i] = group->pPhysicalDevices[i];
	}
	if (c->create_device_result)
		return c->create_device_result;
	device = kr_zalloc(allocator, sizeof(*device), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
	if (!device)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	device->word = c->bad_device_word ? 1234 : ICD_LOADER_MAGIC;
	c->devices++;
	*out = (VkDevice)device;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_device(VkDevice device, const VkAllocationCallbacks *allocator)
{
	c->devices--;
	kr_free(allocator, device);
}

static VKAPI_ATTR void VKAPI_CALL
get_queue(VkDevice device, uint32_t family, uint32_t index, VkQueue *out)
{
	if (!queue.word)
		queue.word = ICD_LOADER_MAGIC;
	if (c->bad_queue_word)
		queue.word = 1234;
	*out = (VkQueue)&queue;
}

static VKAPI_ATTR void VKAPI_CALL
get_queue2(VkDevice device, const VkDeviceQueueInfo2 *info, VkQueue *out)
{
	get_queue(device, info->queueFamilyIndex, info->queueIndex, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL
allocate_command_buffers(
	VkDevice device, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *out)
{
	static struct object buffers[8];

	for (uint32_t i = 0; i < info->commandBufferCount; i++) {
		buffers[i].word = c->bad_command_buffer_word && i == 1 ? 1234 : ICD_LOADER_MAGIC;
		out[i] = (VkCommandBuffer)&buffers[i];
	}
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
cmd_draw(VkCommandBuffer buffer, uint32_t vertices, uint32_t instances, uint32_t first,
	uint32_t first_instance)
{
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_create_surface(VkInstance instance, const void *info, const VkAllocationCallbacks *allocator,
	VkSurfaceKHR *out)
{
	c->seen_surface_type = ((const VkBaseInStructure *)info)->sType;
	c->surface = (VkSurfaceKHR)kr_zalloc(allocator, 8, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!c->surface)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	c->surfaces++;
	c->surfaces_created++;
	*out = c->surface;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_surface(VkInstance instance, VkSurfaceKHR surface, const VkAllocationCallbacks *allocator)
{
	c->surfaces--;
	kr_free(allocator, (void *)surface);
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_surface_support(
	VkPhysicalDevice device, uint32_t family, VkSurfaceKHR surface, VkBool32 *supported)
{
	c->seen_surface = surface;
	*supported = VK_TRUE;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_surface_capabilities(
	VkPhysicalDevice device, VkSurfaceKHR surface, VkSurfaceCapabilitiesKHR *caps)
{
	c->seen_surface = surface;
	memset(caps, 0, sizeof(*caps));
	caps->minImageCount = 7;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_surface_formats(
	VkPhysicalDevice device, VkSurfaceKHR surface, uint32_t *count, VkSurfaceFormatKHR *out)
{
	uint32_t room = *count;

	c->seen_surface = surface;
	*count = out ? KR_MIN(room, 2u) : 2;
	for (uint32_t i = 0; out && i < *count; i++)
		out[i] = (VkSurfaceFormatKHR){VK_FORMAT_B8G8R8A8_UNORM + i, 0};
	return out && room < 2 ? VK_INCOMPLETE : VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
set_name(VkDevice device, const VkDebugUtilsObjectNameInfoEXT *info)
{
	c->seen_object_type = info->objectType;
	c->seen_object = info->objectHandle;
	c->names_set++;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_messenger(VkInstance instance, const VkDebugUtilsMessengerCreateInfoEXT *info,
	const VkAllocationCallbacks *allocator, VkDebugUtilsMessengerEXT *out)
{
	void *handle = kr_zalloc(allocator, 8, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

	if (!handle)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	messenger = *info;
	c->messengers++;
	*out = (VkDebugUtilsMessengerEXT)handle;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_messenger(VkInstance instance, VkDebugUtilsMessengerEXT handle,
	const VkAllocationCallbacks *allocator)
{
	c->messengers--;
	messenger.pfnUserCallback = NULL;
	kr_free(allocator, (void *)handle);
}

static void
say(VkObjectType type, uint64_t object, const char *text)
{
	VkDebugUtilsObjectNameInfoEXT named = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
		.objectType = type,
		.objectHandle = object,
	};
	VkDebugUtilsMessengerCallbackDataEXT data = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
		.pMessage = text,
		.objectCount = 1,
		.pObjects = &named,
	};

	if (messenger.pfnUserCallback)
		messenger.pfnUserCallback(VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
			VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &data, messenger.pUserData);
}

/* More arguments than there are registers, of both kinds: sums them up. */
static VKAPI_ATTR double VKAPI_CALL
future_sum(void *object, int64_t a, float b, const int64_t *pc, double d, int e, int f, int g,
	float h, double i, float j, double k, float l, double m, float n, int8_t o, int64_t p)
{
	c->seen_future = object;
	return (double)a + b + (double)*pc + d + e + f + g + h + i + j + k + l + m + n + o +
		(double)p;
}

/* Another one, so that a test sees which it got. */
static VKAPI_ATTR double VKAPI_CALL
future_odd_sum(void *object, int64_t a, float b, const int64_t *pc, double d, int e, int f, int g,
	float h, double i, float j, double k, float l, double m, float n, int8_t o, int64_t p)
{
	return future_sum(object, a, b, pc, d, e, f, g, h, i, j, k, l, m, n, o, p) + 0.5;
}

static PFN_vkVoidFunction
find_future(const char *name)
{
	char last = name[strlen(name) - 1];
	bool odd = last >= '0' && last <= '9' && last % 2;

	if (c->no_future)
		return NULL;
	return odd ? (PFN_vkVoidFunction)future_odd_sum : (PFN_vkVoidFunction)future_sum;
}

static VKAPI_ATTR void VKAPI_CALL
future_device(VkDevice device)
{
}

static PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char *name);
static PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance, const char *name);

struct function {
	const char *name;
	PFN_vkVoidFunction function;
};

#define FN(name, function)                                                                         \
	{                                                                                          \
		"vk" name, (PFN_vkVoidFunction)function                                            \
	}
static const struct function instance_functions[] = {
	FN("CreateInstance", create_instance),
	FN("EnumerateInstanceExtensionProperties", enumerate_instance_extensions),
	FN("GetInstanceProcAddr", get_instance_proc_addr),
	FN("DestroyInstance", destroy_instance),
	FN("EnumeratePhysicalDevices", enumerate_physical_devices),
	FN("GetPhysicalDeviceProperties", get_properties),
	FN("GetPhysicalDeviceQueueFamilyProperties", get_families),
	FN("EnumerateDeviceExtensionProperties", enumerate_device_extensions),
	FN("CreateDevice", create_device),
	FN("CreateXcbSurfaceKHR", fake_create_surface),
	FN("CreateHeadlessSurfaceEXT", fake_create_surface),
	FN("DestroySurfaceKHR", destroy_surface),
	FN("GetPhysicalDeviceSurfaceSupportKHR", get_surface_support),
	FN("GetPhysicalDeviceSurfaceCapabilitiesKHR", get_surface_capabilities),
	FN("GetPhysicalDeviceSurfaceFormatsKHR", get_surface_formats),
	FN("CreateDebugUtilsMessengerEXT", create_messenger),
	FN("DestroyDebugUtilsMessengerEXT", destroy_messenger),
};

static const struct function device_functions[] = {
	FN("GetDeviceProcAddr", get_device_proc_addr),
	FN("DestroyDevice", destroy_device),
	FN("GetDeviceQueue", get_queue),
	FN("GetDeviceQueue2", get_queue2),
	FN("AllocateCommandBuffers", allocate_command_buffers),
	FN("CmdDraw", cmd_draw),
	FN("SetDebugUtilsObjectNameEXT", set_name),
	FN("FutureDeviceFunctionKR", future_device),
};

static PFN_vkVoidFunction
find(const struct function *functions, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	}
	return NULL;
}

static PFN_vkVoidFunction VKAPI_CALL
get_device_proc_addr(VkDevice device, const char *name)
{
	if (c->lacks && !strcmp(name, c->lacks))
		return NULL;
	if (!strncmp(name, "vkFutureSumOfDevice", 19))
		return find_future(name);
	PFN_vkVoidFunction function = find(device_functions, KR_ARRAY_LEN(device_functions), name);

	if (!function)
		function = fake_swapchains_find(name);
	return function ? function : fake_windows_find(name);
}

static bool
lists(const char *extension)
{
	int i = 0;

	while (i < FAKE_MAX_NAMES && c->instance_extensions[i] &&
		strcmp(c->instance_extensions[i], extension))
		i++;
	return i < FAKE_MAX_NAMES && c->instance_extensions[i];
}

static PFN_vkVoidFunction VKAPI_CALL
get_instance_proc_addr(VkInstance instance, const char *name)
{
	PFN_vkVoidFunction function =
		find(instance_functions, KR_ARRAY_LEN(instance_functions), name);

	if (c->lacks && !strcmp(name, c->lacks))
		return NULL;
	if (function)
		return function;
	if (!strcmp(name, "vkEnumerateInstanceVersion"))
		return c->api_version ? (PFN_vkVoidFunction)enumerate_instance_version : NULL;
	if (!strcmp(name, "vkEnumeratePhysicalDeviceGroups"))
		return c->no_groups ? NULL : (PFN_vkVoidFunction)enumerate_groups;
	if (!strcmp(name, "vkGetPhysicalDeviceProperties2") ||
		(!strcmp(name, "vkGetPhysicalDeviceProperties2KHR") &&
			lists("VK_KHR_get_physical_device_properties2")))
		return c->no_properties2 ? NULL : (PFN_vkVoidFunction)get_properties2;
	function = fake_queries_find(name);
	return function ? function : get_device_proc_addr(NULL, name);
}

KR_EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(
	VkInstance instance, const char *name);
PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
	pthread_mutex_lock(&lock);
	c->say = say;
	c->cmd_draw = (PFN_vkVoidFunction)cmd_draw;
	c->future_device = (PFN_vkVoidFunction)future_device;
	c->layout_function = fake_swapchains_find("vkGetDeviceImageSubresourceLayout");
	pthread_mutex_unlock(&lock);
	return get_instance_proc_addr(instance, name);
}

KR_EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(
	VkInstance instance, const char *name);
PFN_vkVoidFunction VKAPI_CALL
vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name)
{
	if (!strncmp(name, "vkFutureSumOfPhysicalDevice", 27))
		return find_future(name);
	return NULL;
}

KR_EXPORT VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
	*version = KR_MIN(*version, c->interface_version);
	return VK_SUCCESS;
}
