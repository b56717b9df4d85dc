/* SPDX-License-Identifier: Apache-2.0 */
/* vulkan.adapter.so as a platform opens it: by its HMI symbol, with the ICD named by a property. */
#include "util/vulkan.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include <krafla/hal.h>
#include <krafla/native_buffer.h>

#include "harness.h"
#include "vulkan.h"

#define PROPERTY "KRAFLA_PROP_ro_krafla_adapter_icd"

static hw_module_t *
load(void)
{
	void *library = dlopen(ADAPTER_MODULE, RTLD_NOW | RTLD_LOCAL);
	hw_module_t *module;

	if (!library)
		fail_msg("%s", dlerror());
	module = dlsym(library, HAL_MODULE_INFO_SYM_AS_STR);
	assert_non_null(module);
	return module;
}

static int
keep_lavapipe(struct dl_phdr_info *info, size_t size, void *data)
{
	if (strstr(info->dlpi_name, "libvulkan_lvp"))
		dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
	return 0;
}

static hwvulkan_device_t *
open_lavapipe(void)
{
	hw_module_t *module = load();
	hw_device_t *device = NULL;

	setenv(PROPERTY, kr_test_lavapipe(), 1);
	assert_int_equal(module->methods->open(module, HWVULKAN_DEVICE_0, &device), 0);
	/* What it leaks must still have its name when the leak checker looks. */
	dl_iterate_phdr(keep_lavapipe, NULL);
	return (hwvulkan_device_t *)device;
}

/* D-02, D-03 */
static void
module_is_a_hal_module(void **state)
{
	hw_module_t *module = load();
	hw_device_t *device = NULL;

	assert_int_equal(module->tag, HARDWARE_MODULE_TAG);
	assert_int_equal(module->module_api_version, HWVULKAN_MODULE_API_VERSION_0_1);
	assert_int_equal(module->hal_api_version, HARDWARE_HAL_API_VERSION);
	assert_string_equal(module->id, HWVULKAN_HARDWARE_MODULE_ID);
	assert_int_equal(module->methods->open(module, "vk1", &device), -ENOENT);
	assert_null(device);
}

/* No driver named, none there, none that is one: errors that say which, and nothing is kept. */
static void
bad_properties_are_errors(void **state)
{
	hw_module_t *module = load();
	hw_device_t *device = NULL;

	unsetenv(PROPERTY);
	setenv("KRAFLA_PROPERTIES", "/nonexistent", 1);
	assert_int_equal(module->methods->open(module, HWVULKAN_DEVICE_0, &device), -ENODEV);
	setenv(PROPERTY, "/nonexistent/libvulkan_none.so", 1);
	assert_int_equal(module->methods->open(module, HWVULKAN_DEVICE_0, &device), -ENOENT);
	setenv(PROPERTY, "/nonexistent/none.json", 1);
	assert_int_equal(module->methods->open(module, HWVULKAN_DEVICE_0, &device), -ENOENT);
	setenv(PROPERTY, kr_test_file("bad.json", "{"), 1);
	assert_int_equal(module->methods->open(module, HWVULKAN_DEVICE_0, &device), -EINVAL);
	setenv(PROPERTY, "libm.so.6", 1);
	assert_int_equal(module->methods->open(module, HWVULKAN_DEVICE_0, &device), -ELIBBAD);
	assert_null(device);
}

static void
no_surface_extension_is_offered(void **state)
{
	hwvulkan_device_t *device = open_lavapipe();
	VkExtensionProperties list[64];
	uint32_t count = 64, less;

	assert_int_equal(
		device->EnumerateInstanceExtensionProperties(NULL, &count, list), VK_SUCCESS);
	assert_true(count > 3);
	for (uint32_t i = 0; i < count; i++) {
		assert_null(strstr(list[i].extensionName, "surface"));
		assert_null(strstr(list[i].extensionName, "display"));
	}
	assert_int_equal(
		device->EnumerateInstanceExtensionProperties(NULL, &less, NULL), VK_SUCCESS);
	assert_int_equal(less, count);
	less = 2;
	assert_int_equal(
		device->EnumerateInstanceExtensionProperties(NULL, &less, list), VK_INCOMPLETE);
	assert_int_equal(less, 2);
	device->common.close(&device->common);
}

static void
lavapipe_becomes_a_hal_driver(void **state)
{
	static const char *const extensions[] = {VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME, NULL};
	const struct kr_vulkan_device_info info = {.extensions = extensions};
	hwvulkan_device_t *hal = open_lavapipe();
	struct kr_vulkan vk;

	assert_non_null(hal->GetInstanceProcAddr(NULL, "vkEnumerateInstanceVersion"));
	assert_ptr_equal(hal->GetInstanceProcAddr(NULL, "vkCreateInstance"), hal->CreateInstance);
	assert_null(hal->GetInstanceProcAddr(NULL, "vkCreateDevice"));
	kr_vulkan_open(&vk, hal->GetInstanceProcAddr, NULL);
	assert_int_equal(((hwvulkan_dispatch_t *)vk.instance)->magic, HWVULKAN_DISPATCH_MAGIC);
	kr_vulkan_open_device(&vk, &info);
	assert_non_null(
		KR_VULKAN_CALL(&vk, vkGetDeviceProcAddr)(vk.device, "vkAcquireImageANDROID"));
	kr_vulkan_close(&vk);
	hal->common.close(&hal->common);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(module_is_a_hal_module, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(bad_properties_are_errors, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(no_surface_extension_is_offered, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(lavapipe_becomes_a_hal_driver, KR_TEST_KEEPS_MEMORY),
};
KR_TEST_MAIN(tests)
