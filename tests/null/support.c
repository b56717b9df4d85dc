/* SPDX-License-Identifier: Apache-2.0 */
/* The null driver without a loader. */
#include "support.h"

#include <dlfcn.h>

#include "vulkan.h"

void *
find_symbol(void *dso, const char *name)
{
	void *symbol = dlsym(dso, name);

	assert_non_null(symbol);
	return symbol;
}

VkDevice
create_device(struct null_driver *driver, const VkAllocationCallbacks *allocator,
	bool native_buffer, VkResult *result)
{
	const char *const extensions[] = {
		native_buffer ? VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME : NULL, NULL};
	const struct kr_vulkan_device_info info = {
		.extensions = extensions,
		.queue_count = 2,
		.allocator = allocator,
	};
	VkDevice device = NULL;

	*result = kr_vulkan_create_device(
		INSTANCE_FN(driver, vkCreateDevice), driver->physical_device, &info, &device);
	return device;
}

static void
open_rest(struct null_driver *driver, PFN_vkCreateInstance create, bool native_buffer)
{
	const struct kr_vulkan_instance_info info = {.api_version = VK_API_VERSION_1_3};
	uint32_t count = 1;
	VkResult result;

	assert_int_equal(kr_vulkan_create_instance(create, &info, &driver->instance), VK_SUCCESS);
	result = INSTANCE_FN(driver, vkEnumeratePhysicalDevices)(
		driver->instance, &count, &driver->physical_device);
	assert_true(result == VK_SUCCESS || result == VK_INCOMPLETE);
	driver->device = create_device(driver, NULL, native_buffer, &result);
	assert_int_equal(result, VK_SUCCESS);
	driver->gdpa = INSTANCE_FN(driver, vkGetDeviceProcAddr);
	DEVICE_FN(driver, vkGetDeviceQueue)(driver->device, 0, 0, &driver->queue);
	assert_non_null(driver->queue);
}

static void
open_library(struct null_driver *driver)
{
	*driver = (struct null_driver){.dso = dlopen(TEST_NULL_DRIVER, RTLD_NOW | RTLD_LOCAL)};
	if (!driver->dso)
		fail_msg("%s", dlerror());
}

void
open_hal(struct null_driver *driver)
{
	struct hwvulkan_module_t *module;
	struct hw_device_t *device = NULL;

	open_library(driver);
	module = find_symbol(driver->dso, HAL_MODULE_INFO_SYM_AS_STR);
	assert_int_equal(
		module->common.methods->open(&module->common, HWVULKAN_DEVICE_0, &device), 0);
	driver->hal = (struct hwvulkan_device_t *)device;
	driver->gipa = driver->hal->GetInstanceProcAddr;
	open_rest(driver, driver->hal->CreateInstance, true);
}

void
open_icd(struct null_driver *driver)
{
	open_library(driver);
	driver->gipa = find_symbol(driver->dso, "vk_icdGetInstanceProcAddr");
	open_rest(driver, (PFN_vkCreateInstance)driver->gipa(NULL, "vkCreateInstance"), false);
}

void
close_driver(struct null_driver *driver)
{
	DEVICE_FN(driver, vkDestroyDevice)(driver->device, NULL);
	INSTANCE_FN(driver, vkDestroyInstance)(driver->instance, NULL);
	if (driver->hal)
		assert_int_equal(driver->hal->common.close(&driver->hal->common), 0);
	dlclose(driver->dso);
}

VkSemaphore
create_semaphore(struct null_driver *driver, uint64_t initial)
{
	VkSemaphoreTypeCreateInfo type = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, NULL,
		VK_SEMAPHORE_TYPE_TIMELINE, initial};
	VkSemaphoreCreateInfo info = {
		VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, initial == UINT64_MAX ? NULL : &type};
	VkSemaphore semaphore;

	assert_int_equal(
		DEVICE_FN(driver, vkCreateSemaphore)(driver->device, &info, NULL, &semaphore),
		VK_SUCCESS);
	return semaphore;
}

void
signal_host(struct null_driver *driver, VkSemaphore semaphore, uint64_t value)
{
	VkSemaphoreSignalInfo info = {
		VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, NULL, semaphore, value};

	assert_int_equal(DEVICE_FN(driver, vkSignalSemaphore)(driver->device, &info), VK_SUCCESS);
}
