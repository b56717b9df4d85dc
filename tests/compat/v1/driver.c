/* SPDX-License-Identifier: Apache-2.0 */
/*
 * T-02: a driver as it was written for the first release of krafla/open_in_namespace.h,
 * whose copy lies beside this file. Neither changes any more; what is built of them must
 * work with every later loader.
 *
 * Its instances can only be created when the function was given before any other call, and when
 * /loader-gpu-devices/dri/renderD128 can be opened by it and begins with a 5.
 */
#include "open_in_namespace.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_icd.h>

#define EXPORT __attribute__((visibility("default")))

static PFN_krafla_open_in_namespace open_function;
static bool called_before;

static bool
device_answers(void)
{
	char answer = 0;
	int fd = krafla_open_in_namespace(open_function, KRAFLA_GPU_DEVICES "/dri/renderD128");

	if (fd < 0)
		return false;
	if (pread(fd, &answer, 1, 0) != 1)
		answer = 0;
	close(fd);
	return answer == '5';
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
	VkInstance *instance)
{
	uintptr_t *object;

	(void)info;
	(void)allocator;
	if (!open_function || called_before || !device_answers())
		return VK_ERROR_INITIALIZATION_FAILED;
	object = calloc(1, sizeof(*object));
	if (!object)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	*object = ICD_LOADER_MAGIC;
	*instance = (VkInstance)object;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_instance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
	(void)allocator;
	free(instance);
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_extensions(const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	(void)layer;
	(void)properties;
	*count = 0;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_devices(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices)
{
	(void)instance;
	(void)devices;
	*count = 0;
	return VK_SUCCESS;
}

/* Every driver has functions of physical devices; there are none to call these with. */
static VKAPI_ATTR void VKAPI_CALL
never_called(void)
{
	abort();
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_version(uint32_t *version)
{
	*version = VK_API_VERSION_1_1;
	return VK_SUCCESS;
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(
	VkInstance instance, const char *name);
EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(
	VkInstance instance, const char *name);
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdInitializeOpenInNamespaceCallback(
	PFN_krafla_open_in_namespace open);

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
	} functions[] = {
		{"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
		{"vkDestroyInstance", (PFN_vkVoidFunction)destroy_instance},
		{"vkEnumerateInstanceExtensionProperties",
			(PFN_vkVoidFunction)enumerate_extensions},
		{"vkEnumerateInstanceVersion", (PFN_vkVoidFunction)enumerate_version},
		{"vkEnumeratePhysicalDevices", (PFN_vkVoidFunction)enumerate_devices},
		{"vkGetInstanceProcAddr", (PFN_vkVoidFunction)vk_icdGetInstanceProcAddr},
	};

	(void)instance;
	called_before |= !open_function;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (!strcmp(name, functions[i].name))
			return functions[i].function;
	}
	if (!strncmp(name, "vkGetPhysicalDevice", 19) || !strcmp(name, "vkGetDeviceProcAddr") ||
		!strcmp(name, "vkCreateDevice") || !strncmp(name, "vkEnumerateDevice", 17))
		return (PFN_vkVoidFunction)never_called;
	return NULL;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name)
{
	(void)instance;
	(void)name;
	return NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
	called_before |= !open_function;
	if (*version > 5)
		*version = 5;
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
vk_icdInitializeOpenInNamespaceCallback(PFN_krafla_open_in_namespace open)
{
	open_function = open;
	return open ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED;
}
