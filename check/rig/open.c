/* SPDX-License-Identifier: Apache-2.0 */
/* The driver as a platform opens it: its module, its device, an instance, functions. */
#include "check/rig/state.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/library.h"

#define ADAPTER_ICD "KRAFLA_PROP_ro_krafla_adapter_icd"

struct hw_module_t *
check_module(struct check *c)
{
	const char *error = NULL;

	if (c->module)
		return c->module;
	if (c->job->driver->icd && setenv(ADAPTER_ICD, c->job->driver->icd, 1))
		check_skip(c, "no memory");
	check_step(c, "dlopen");
	c->dso = kr_library_load(c->job->driver->module, RTLD_NOW | RTLD_LOCAL, &error);
	CHECK(c, c->dso, "%s can't be loaded: %s", c->job->driver->module, error);
	c->module = dlsym(c->dso, HAL_MODULE_INFO_SYM_AS_STR);
	CHECK(c, c->module, "%s has no symbol HMI", c->job->driver->module);
	c->module->dso = c->dso;
	return c->module;
}

hwvulkan_device_t *
check_open(struct check *c)
{
	struct hw_device_t *device = NULL;
	struct hw_module_t *module;
	int ret;

	if (c->hal)
		return c->hal;
	module = check_module(c);
	CHECK(c, module->methods && module->methods->open, "the module has no open()");
	check_step(c, "open");
	ret = module->methods->open(module, HWVULKAN_DEVICE_0, &device);
	CHECK(c, !ret, "open(\"%s\") gave %d (%s)", HWVULKAN_DEVICE_0, ret, strerror(abs(ret)));
	CHECK(c, device, "open(\"%s\") gave neither an error nor a device", HWVULKAN_DEVICE_0);
	c->hal = (hwvulkan_device_t *)device;
	CHECK(c,
		c->hal->EnumerateInstanceExtensionProperties && c->hal->CreateInstance &&
			c->hal->GetInstanceProcAddr,
		"the device lacks one of its three functions");
	return c->hal;
}

void
check_load_globals(struct check *c)
{
	PFN_vkGetInstanceProcAddr get;

	if (c->vk.vkGetInstanceProcAddr)
		return;
	get = check_open(c)->GetInstanceProcAddr;
	check_step(c, "vkGetInstanceProcAddr");
	c->vk.vkGetInstanceProcAddr = get;
	c->vk.vkCreateInstance = c->hal->CreateInstance;
	c->vk.vkEnumerateInstanceExtensionProperties = c->hal->EnumerateInstanceExtensionProperties;
	c->vk.vkEnumerateInstanceVersion =
		(PFN_vkEnumerateInstanceVersion)get(NULL, "vkEnumerateInstanceVersion");
}

void
check_load_instance(struct check *c, VkInstance instance)
{
	PFN_vkGetInstanceProcAddr get = c->vk.vkGetInstanceProcAddr;

	check_step(c, "vkGetInstanceProcAddr");
#define LOAD(name) c->vk.name = (PFN_##name)get(instance, #name);
	CHECK_INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
}

void
check_load_device(struct check *c, VkDevice device)
{
	PFN_vkGetDeviceProcAddr get = c->vk.vkGetDeviceProcAddr;
	PFN_vkVoidFunction function;

	check_trace(c, "vkGetDeviceProcAddr", (PFN_vkVoidFunction)get);
#define LOAD(name)                                                                                 \
	function = get(device, #name);                                                             \
	if (function)                                                                              \
		c->vk.name = (PFN_##name)function;
	CHECK_DEVICE_FUNCTIONS(LOAD)
#undef LOAD
}

/* As the platform does: the newest that it knows, where the driver says that it may. */
static uint32_t
instance_version(struct check *c)
{
	uint32_t version = VK_API_VERSION_1_0;

	if (!c->vk.vkEnumerateInstanceVersion)
		return version;
	CHECK_SUCCESS(c, vkEnumerateInstanceVersion, &version);
	return version >= VK_API_VERSION_1_1 ? CHECK_INSTANCE_VERSION : VK_API_VERSION_1_0;
}

VkResult
check_try_instance(struct check *c, const VkAllocationCallbacks *allocator, VkInstance *instance)
{
	VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "krafla check"};
	const VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};

	check_load_globals(c);
	application.apiVersion = instance_version(c);
	*instance = VK_NULL_HANDLE;
	return CHECK_CALL(c, vkCreateInstance, &info, allocator, instance);
}

VkInstance
check_make_instance(struct check *c, const VkAllocationCallbacks *allocator)
{
	VkInstance instance;

	check_success(c, "vkCreateInstance", check_try_instance(c, allocator, &instance));
	CHECK(c, instance, "vkCreateInstance gave VK_SUCCESS and no instance");
	check_load_instance(c, instance);
	return instance;
}

uint32_t
check_physical_devices(
	struct check *c, VkInstance instance, VkPhysicalDevice devices[CHECK_MAX_PHYSICAL])
{
	uint32_t count = CHECK_MAX_PHYSICAL;
	VkResult result = CHECK_CALL(c, vkEnumeratePhysicalDevices, instance, &count, devices);

	if (result != VK_INCOMPLETE)
		check_success(c, "vkEnumeratePhysicalDevices", result);
	if (!count)
		check_skip(c, "the driver has no device on this machine");
	CHECK(c, count <= CHECK_MAX_PHYSICAL,
		"vkEnumeratePhysicalDevices gave %u devices where there was room for %u", count,
		CHECK_MAX_PHYSICAL);
	return count;
}

uint32_t
check_device_extension(struct check *c, VkPhysicalDevice physical, const char *name)
{
	VkExtensionProperties *list;
	uint32_t count = 0, version = 0;

	CHECK_SUCCESS(c, vkEnumerateDeviceExtensionProperties, physical, NULL, &count, NULL);
	list = calloc(count + 1, sizeof(*list));
	if (!list)
		check_skip(c, "no memory");
	CHECK_SUCCESS(c, vkEnumerateDeviceExtensionProperties, physical, NULL, &count, list);
	for (uint32_t i = 0; i < count; i++) {
		if (!strncmp(list[i].extensionName, name, sizeof(list[i].extensionName)))
			version = list[i].specVersion;
	}
	free(list);
	return version;
}

static void
inspect(struct check *c)
{
	VkPhysicalDevice devices[CHECK_MAX_PHYSICAL];
	struct check_facts *facts = &c->shared->facts;
	VkInstance instance = check_make_instance(c, NULL);
	uint32_t count = check_physical_devices(c, instance, devices);
	uint32_t chosen = c->job->driver->device;
	VkPhysicalDeviceProperties properties = {0};

	facts->device_count = count;
	if (chosen >= count)
		check_skip(c, "the driver has %u devices, and none of number %u", count, chosen);
	CHECK_CALL(c, vkGetPhysicalDeviceProperties, devices[chosen], &properties);
	memcpy(facts->device_name, properties.deviceName, sizeof(facts->device_name));
	facts->api_version = properties.apiVersion;
	facts->version =
		check_device_extension(c, devices[chosen], VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME);
	facts->known = 1;
}

const struct check_case check_inspect = {
	.name = "inspect",
	.expected = "the driver tells what it is",
	.consequence = "",
	.requirement = "D-03",
	.run = inspect,
};
