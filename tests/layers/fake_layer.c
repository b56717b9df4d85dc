/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A layer that passes calls on and writes its letter into a log that the test reads. The test finds
 * `fake_layer_log` in each copy and gives them one buffer.
 *
 *   a   negotiates                     b   interface 0: exports with its name before them
 *   c   negotiates down to version 1   d   refuses to negotiate
 *
 * All export pre-instance functions.
 */
#include <string.h>

#include "layer_link.h"
#include "util/macros.h"

KR_EXPORT extern char *fake_layer_log;
char *fake_layer_log;
/*
 * Makes vkCreateDevice fail after the chain below has succeeded; 2: vkCreateInstance
 * miss an extension.
 */
KR_EXPORT extern int fake_layer_fails;
int fake_layer_fails;
/* What the layer asked for below it in vkCreateInstance. */
KR_EXPORT extern PFN_GetPhysicalDeviceProcAddr fake_layer_below;
PFN_GetPhysicalDeviceProcAddr fake_layer_below;
KR_EXPORT extern uint32_t fake_layer_features;
uint32_t fake_layer_features = ~0u;

static PFN_vkGetInstanceProcAddr next_gipa;
static PFN_vkGetDeviceProcAddr next_gdpa;

static void
note(const char *what)
{
	if (fake_layer_log) {
		strcat(fake_layer_log, LAYER_LETTER);
		strcat(fake_layer_log, what);
	}
}

static void
note_features(const VkInstanceCreateInfo *info)
{
	for (const VkLayerInstanceCreateInfo *s = info->pNext; s; s = s->pNext) {
		if (s->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO &&
			s->function == VK_LOADER_FEATURES)
			fake_layer_features = s->u.loaderFeatures;
	}
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
	VkLayerInstanceCreateInfo *link = instance_link(info);

	note("i");
	if (fake_layer_fails == 2)
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	if (!link)
		return VK_ERROR_INITIALIZATION_FAILED;
	next_gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	fake_layer_below = link->u.pLayerInfo->pfnNextGetPhysicalDeviceProcAddr;
	note_features(info);
	if (!next_gipa(VK_NULL_HANDLE, "vkEnumerateInstanceVersion") ||
		!next_gipa(VK_NULL_HANDLE, "vkEnumerateInstanceExtensionProperties") ||
		!next_gipa(VK_NULL_HANDLE, "vkEnumerateInstanceLayerProperties"))
		note("?");
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	return ((PFN_vkCreateInstance)next_gipa(VK_NULL_HANDLE, "vkCreateInstance"))(
		info, allocator, out);
}

static VKAPI_ATTR void VKAPI_CALL
destroy_instance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
	note("x");
	((PFN_vkDestroyInstance)next_gipa(instance, "vkDestroyInstance"))(instance, allocator);
}

static VkInstance last_instance;

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_devices(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices)
{
	note("e");
	last_instance = instance;
	return ((PFN_vkEnumeratePhysicalDevices)next_gipa(instance, "vkEnumeratePhysicalDevices"))(
		instance, count, devices);
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_device(VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *out)
{
	VkLayerDeviceCreateInfo *link = device_link(info);
	PFN_vkGetInstanceProcAddr gipa;
	VkResult result;

	note("d");
	if (!link)
		return VK_ERROR_INITIALIZATION_FAILED;
	gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	next_gdpa = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	result = ((PFN_vkCreateDevice)gipa(last_instance, "vkCreateDevice"))(
		physical_device, info, allocator, out);
	if (result == VK_SUCCESS && fake_layer_fails) {
		((PFN_vkDestroyDevice)next_gdpa(*out, "vkDestroyDevice"))(*out, allocator);
		return VK_ERROR_FEATURE_NOT_PRESENT;
	}
	return result;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_device(VkDevice device, const VkAllocationCallbacks *allocator)
{
	note("y");
	((PFN_vkDestroyDevice)next_gdpa(device, "vkDestroyDevice"))(device, allocator);
}

static VKAPI_ATTR void VKAPI_CALL
get_queue(VkDevice device, uint32_t family, uint32_t index, VkQueue *queue)
{
	note("q");
	((PFN_vkGetDeviceQueue)next_gdpa(device, "vkGetDeviceQueue"))(device, family, index, queue);
}

static VKAPI_ATTR void VKAPI_CALL
future_function(VkInstance instance)
{
}

/* For layers above that ask below; nothing else calls them. */
static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_version(uint32_t *version)
{
	return VK_ERROR_INITIALIZATION_FAILED;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_extensions(const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	return VK_ERROR_INITIALIZATION_FAILED;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_layers(uint32_t *count, VkLayerProperties *properties)
{
	return VK_ERROR_INITIALIZATION_FAILED;
}

struct function {
	const char *name;
	PFN_vkVoidFunction function;
};

static PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance, const char *name);
static PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char *name);

static const struct function functions[] = {
	{"vkGetInstanceProcAddr", (PFN_vkVoidFunction)get_instance_proc_addr},
	{"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
	{"vkEnumerateInstanceVersion", (PFN_vkVoidFunction)enumerate_version},
	{"vkEnumerateInstanceExtensionProperties", (PFN_vkVoidFunction)enumerate_extensions},
	{"vkEnumerateInstanceLayerProperties", (PFN_vkVoidFunction)enumerate_layers},
	{"vkDestroyInstance", (PFN_vkVoidFunction)destroy_instance},
	{"vkEnumeratePhysicalDevices", (PFN_vkVoidFunction)enumerate_devices},
	{"vkCreateDevice", (PFN_vkVoidFunction)create_device},
	{"vkFuture" LAYER_LETTER, (PFN_vkVoidFunction)future_function},
};

static const struct function device_functions[] = {
	{"vkGetDeviceProcAddr", (PFN_vkVoidFunction)get_device_proc_addr},
	{"vkDestroyDevice", (PFN_vkVoidFunction)destroy_device},
	{"vkGetDeviceQueue", (PFN_vkVoidFunction)get_queue},
};

static PFN_vkVoidFunction
find(const struct function *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(list[i].name, name))
			return list[i].function;
	}
	return NULL;
}

static PFN_vkVoidFunction VKAPI_CALL
get_device_proc_addr(VkDevice device, const char *name)
{
	PFN_vkVoidFunction function = find(device_functions, KR_ARRAY_LEN(device_functions), name);

	return function || !device ? function : next_gdpa(device, name);
}

static PFN_vkVoidFunction VKAPI_CALL
get_instance_proc_addr(VkInstance instance, const char *name)
{
	PFN_vkVoidFunction function = find(functions, KR_ARRAY_LEN(functions), name);

	if (!function)
		function = find(device_functions, KR_ARRAY_LEN(device_functions), name);
	return function || !instance ? function : next_gipa(instance, name);
}

static PFN_vkVoidFunction VKAPI_CALL
get_physical_device_proc_addr(VkInstance instance, const char *name)
{
	return NULL;
}

KR_EXPORT PFN_GetPhysicalDeviceProcAddr fake_layer_query(void);
PFN_GetPhysicalDeviceProcAddr
fake_layer_query(void)
{
	return get_physical_device_proc_addr;
}

#ifdef LAYER_NEGOTIATES
KR_EXPORT VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(
	VkNegotiateLayerInterface *interface);
VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
	if (LAYER_NEGOTIATES != 2)
		note("n");
	interface->loaderLayerInterfaceVersion = LAYER_NEGOTIATES;
	if (LAYER_NEGOTIATES == 0)
		return VK_ERROR_INITIALIZATION_FAILED;
	/* Nothing of these counts in version 1. */
	interface->pfnGetInstanceProcAddr = LAYER_NEGOTIATES > 1 ? get_instance_proc_addr : NULL;
	interface->pfnGetDeviceProcAddr = LAYER_NEGOTIATES > 1 ? get_device_proc_addr : NULL;
	interface->pfnGetPhysicalDeviceProcAddr = get_physical_device_proc_addr;
	return VK_SUCCESS;
}
#endif

/* The same functions under two names: with that of layer b, and as a manifest may rename them. */
KR_EXPORT PFN_vkVoidFunction VKAPI_CALL VK_LAYER_KR_bGetInstanceProcAddr(
	VkInstance instance, const char *name);
PFN_vkVoidFunction VKAPI_CALL
VK_LAYER_KR_bGetInstanceProcAddr(VkInstance instance, const char *name)
{
	return get_instance_proc_addr(instance, name);
}

KR_EXPORT PFN_vkVoidFunction VKAPI_CALL VK_LAYER_KR_bGetDeviceProcAddr(
	VkDevice device, const char *name);
PFN_vkVoidFunction VKAPI_CALL
VK_LAYER_KR_bGetDeviceProcAddr(VkDevice device, const char *name)
{
	return get_device_proc_addr(device, name);
}

KR_EXPORT PFN_vkVoidFunction VKAPI_CALL renamed_gipa(VkInstance instance, const char *name);
PFN_vkVoidFunction VKAPI_CALL
renamed_gipa(VkInstance instance, const char *name)
{
	if (!strcmp(name, "vkCreateInstance"))
		note("r");
	return get_instance_proc_addr(instance, name);
}

KR_EXPORT VkResult VKAPI_CALL pre_version(
	const VkEnumerateInstanceVersionChain *chain, uint32_t *version);
VkResult VKAPI_CALL
pre_version(const VkEnumerateInstanceVersionChain *chain, uint32_t *version)
{
	VkResult result;

	note("V");
	result = chain->pfnNextLayer(chain->pNextLink, version);
	*version += 1;
	return result;
}

KR_EXPORT VkResult VKAPI_CALL pre_extensions(
	const VkEnumerateInstanceExtensionPropertiesChain *chain, const char *layer,
	uint32_t *count, VkExtensionProperties *properties);
VkResult VKAPI_CALL
pre_extensions(const VkEnumerateInstanceExtensionPropertiesChain *chain, const char *layer,
	uint32_t *count, VkExtensionProperties *properties)
{
	note("E");
	/* Asks for those of another layer whatever the application asks for. */
	if (fake_layer_fails)
		layer = "VK_LAYER_KR_c";
	return chain->pfnNextLayer(chain->pNextLink, layer, count, properties);
}

KR_EXPORT VkResult VKAPI_CALL pre_layers(const VkEnumerateInstanceLayerPropertiesChain *chain,
	uint32_t *count, VkLayerProperties *properties);
VkResult VKAPI_CALL
pre_layers(const VkEnumerateInstanceLayerPropertiesChain *chain, uint32_t *count,
	VkLayerProperties *properties)
{
	note("L");
	return chain->pfnNextLayer(chain->pNextLink, count, properties);
}
