/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library with two layers that describe themselves: VK_LAYER_KR_<LETTER>, which takes part in
 * devices' chains, and VK_LAYER_KR_<LETTER>_instance, which doesn't. What happens is written, in
 * letters, into the buffer whose address is in KR_LAYER_LOG: L the library is opened, i
 * vkCreateInstance, d vkCreateDevice.
 *
 *   PREFIXED   the ProcAddr functions bear the layer's name, and plain ones would be wrong
 *   BARE       there are none of the functions by which a layer describes itself
 *   WILD       the functions answer nonsense
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer_link.h"
#include "util/macros.h"

#define NAME          "VK_LAYER_KR_" LETTER
#define INSTANCE_NAME NAME "_instance"

static void
note(const char *what)
{
	const char *address = getenv("KR_LAYER_LOG");
	void *log = NULL;

	if (!address || sscanf(address, "%p", &log) != 1 || !log)
		return;
	strcat(log, LETTER);
	strcat(log, what);
}

__attribute__((constructor)) static void
opened(void)
{
	note("L ");
}

/* What follows each of the two layers. */
static PFN_vkGetInstanceProcAddr next_gipa[2];
static PFN_vkGetDeviceProcAddr next_gdpa[2];
static VkInstance last_instance;

static VkResult
create_instance(int which, const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
	VkInstance *instance)
{
	VkLayerInstanceCreateInfo *link = instance_link(info);
	VkResult result;

	note(which ? "I " : "i ");
	next_gipa[which] = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	result = ((PFN_vkCreateInstance)next_gipa[which](NULL, "vkCreateInstance"))(
		info, allocator, instance);
	last_instance = *instance;
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance_0(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
	VkInstance *instance)
{
	return create_instance(0, info, allocator, instance);
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_device(VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *device)
{
	VkLayerDeviceCreateInfo *link = device_link(info);
	PFN_vkGetInstanceProcAddr gipa;

	note("d ");
	gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	next_gdpa[0] = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	return ((PFN_vkCreateDevice)gipa(last_instance, "vkCreateDevice"))(
		physical_device, info, allocator, device);
}

static PFN_vkVoidFunction VKAPI_CALL
gipa_0(VkInstance instance, const char *name)
{
	if (!strcmp(name, "vkCreateInstance"))
		return (PFN_vkVoidFunction)create_instance_0;
	if (!strcmp(name, "vkCreateDevice"))
		return (PFN_vkVoidFunction)create_device;
	return instance ? next_gipa[0](instance, name) : NULL;
}

#ifdef PREFIXED
static VKAPI_ATTR VkResult VKAPI_CALL
create_instance_1(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
	VkInstance *instance)
{
	return create_instance(1, info, allocator, instance);
}

static PFN_vkVoidFunction VKAPI_CALL
gipa_1(VkInstance instance, const char *name)
{
	if (!strcmp(name, "vkCreateInstance"))
		return (PFN_vkVoidFunction)create_instance_1;
	return instance ? next_gipa[1](instance, name) : NULL;
}
#endif

static PFN_vkVoidFunction VKAPI_CALL
gdpa_0(VkDevice device, const char *name)
{
	return next_gdpa[0](device, name);
}

#define EXPORTED(type, name, ...)                                                                  \
	KR_EXPORT type VKAPI_CALL name(__VA_ARGS__);                                               \
	type VKAPI_CALL name(__VA_ARGS__)

#ifdef PREFIXED
EXPORTED(
	PFN_vkVoidFunction, VK_LAYER_KR_aGetInstanceProcAddr, VkInstance instance, const char *name)
{
	return gipa_0(instance, name);
}

EXPORTED(PFN_vkVoidFunction, VK_LAYER_KR_aGetDeviceProcAddr, VkDevice device, const char *name)
{
	return gdpa_0(device, name);
}

EXPORTED(PFN_vkVoidFunction, VK_LAYER_KR_a_instanceGetInstanceProcAddr, VkInstance instance,
	const char *name)
{
	return gipa_1(instance, name);
}

/* These would end in the wrong layer. */
EXPORTED(PFN_vkVoidFunction, vkGetInstanceProcAddr, VkInstance instance, const char *name)
{
	abort();
}

EXPORTED(PFN_vkVoidFunction, vkGetDeviceProcAddr, VkDevice device, const char *name)
{
	abort();
}
#else
EXPORTED(PFN_vkVoidFunction, vkGetInstanceProcAddr, VkInstance instance, const char *name)
{
	return gipa_0(instance, name);
}

EXPORTED(PFN_vkVoidFunction, vkGetDeviceProcAddr, VkDevice device, const char *name)
{
	return gdpa_0(device, name);
}
#endif

/* A layer without manifest is asked for functions by name, never by this. */
EXPORTED(VkResult, vkNegotiateLoaderLayerInterfaceVersion, VkNegotiateLayerInterface *interface)
{
	abort();
}

#ifndef BARE
static VkResult
give_layers(uint32_t most, uint32_t *count, VkLayerProperties *properties)
{
#ifdef WILD
	*count = UINT32_MAX;
	if (properties)
		abort();
	return VK_SUCCESS;
#else
	static const char *const names[] = {NAME, INSTANCE_NAME};

	for (uint32_t i = 0; properties && i < most && i < *count; i++) {
		memset(&properties[i], 0, sizeof(properties[i]));
		strcpy(properties[i].layerName, names[i]);
		strcpy(properties[i].description, "a layer of library " LETTER);
		properties[i].specVersion = VK_API_VERSION_1_1;
		properties[i].implementationVersion = 7;
	}
	*count = properties ? KR_MIN(most, *count) : most;
	return VK_SUCCESS;
#endif
}

EXPORTED(VkResult, vkEnumerateInstanceLayerProperties, uint32_t *count,
	VkLayerProperties *properties)
{
	return give_layers(2, count, properties);
}

EXPORTED(VkResult, vkEnumerateDeviceLayerProperties, VkPhysicalDevice device, uint32_t *count,
	VkLayerProperties *properties)
{
	return give_layers(1, count, properties);
}

static VkResult
give_extension(
	const char *name, uint32_t version, uint32_t *count, VkExtensionProperties *properties)
{
	if (properties && *count) {
		memset(properties, 0, sizeof(*properties));
		strcpy(properties->extensionName, name);
		properties->specVersion = version;
	}
	*count = properties ? KR_MIN(1u, *count) : 1;
	return VK_SUCCESS;
}

EXPORTED(VkResult, vkEnumerateInstanceExtensionProperties, const char *layer, uint32_t *count,
	VkExtensionProperties *properties)
{
	if (layer && !strcmp(layer, NAME))
		return give_extension("VK_KR_instance_" LETTER, 3, count, properties);
	*count = 0;
	return VK_SUCCESS;
}

EXPORTED(VkResult, vkEnumerateDeviceExtensionProperties, VkPhysicalDevice device, const char *layer,
	uint32_t *count, VkExtensionProperties *properties)
{
	if (layer && !strcmp(layer, NAME))
		return give_extension("VK_KR_device_" LETTER, 4, count, properties);
	*count = 0;
	return VK_SUCCESS;
}
#endif
