/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Vulkan driver that logs by a service of its loader's, and draws nothing: it has no devices.
 *
 *   cc -shared -fPIC logging_driver.c -o libvulkan_logging.so $(pkg-config --cflags krafla)
 *
 * Packed (docs/packages.md) and offered by a loader service, with a program that is started so,
 * it says in the system's log when an instance is made, and when it goes:
 *
 *   KRAFLA_SERVICE=... KRAFLA_DRIVER_SERVICES=+log=/dev/log PROGRAM
 *
 * Without the service it works as well, and says nothing. The loader gives it the function before
 * any other call; what it opens by it is a socket of its own, which it keeps.
 */
#include <krafla/driver_services.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vulkan/vk_icd.h>

#define EXPORT __attribute__((visibility("default")))
#define TAG    "logging-driver"

/* A line is lost rather than waited for. -1: there is no service. */
static int log_service = -1;

#define say(priority, ...)                                                                         \
	do {                                                                                       \
		if (log_service >= 0)                                                              \
			(void)krafla_service_log(log_service, priority, TAG, __VA_ARGS__);         \
	} while (0)

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
	VkInstance *instance)
{
	const char *name = info->pApplicationInfo ? info->pApplicationInfo->pApplicationName : NULL;
	uintptr_t *object = calloc(1, sizeof(*object));

	(void)allocator;
	if (!object) {
		say(KRAFLA_LOG_ERROR, "no memory for an instance");
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	*object = ICD_LOADER_MAGIC;
	*instance = (VkInstance)object;
	say(KRAFLA_LOG_INFO, "an instance for %s", name ? name : "a program without a name");
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_instance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
	(void)allocator;
	say(KRAFLA_LOG_INFO, "the instance goes");
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

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(
	VkInstance instance, const char *name);
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdInitializeOpenInNamespaceCallback(
	PFN_krafla_open_in_namespace open_function);

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
		{"vkEnumeratePhysicalDevices", (PFN_vkVoidFunction)enumerate_devices},
		{"vkGetInstanceProcAddr", (PFN_vkVoidFunction)vk_icdGetInstanceProcAddr},
	};

	(void)instance;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (!strcmp(name, functions[i].name))
			return functions[i].function;
	}
	if (!strncmp(name, "vkGetPhysicalDevice", 19) || !strcmp(name, "vkGetDeviceProcAddr") ||
		!strcmp(name, "vkCreateDevice") || !strncmp(name, "vkEnumerateDevice", 17))
		return (PFN_vkVoidFunction)never_called;
	return NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
	*version = *version < 5 ? *version : 5;
	return VK_SUCCESS;
}

/* Once for each loader in the process: the newest one's log counts. */
VKAPI_ATTR VkResult VKAPI_CALL
vk_icdInitializeOpenInNamespaceCallback(PFN_krafla_open_in_namespace open_function)
{
	if (log_service >= 0)
		close(log_service);
	log_service = krafla_open_service(open_function, KRAFLA_SERVICE_LOG);
	say(KRAFLA_LOG_DEBUG, "loaded");
	return VK_SUCCESS;
}
