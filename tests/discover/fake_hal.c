/* SPDX-License-Identifier: Apache-2.0 */
/* HAL modules with one thing wrong each: FAKE says which (meson.build). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/vulkan.h" /* first: it decides what the Vulkan headers declare */
#include <krafla/hal.h>
#include "util/macros.h"

#define GOOD          1
#define WRONG_ID      2
#define NO_OPEN       3
#define OPEN_FAILS    4 /* -ENODEV */
#define OPEN_POSITIVE 5 /* a positive errno, as some drivers return */
#define OPEN_NOTHING  6 /* success without a device */
#define NO_CREATE     7
#define OPEN_CRASHES  9
#define ODD_VERSIONS  8 /* tags and versions that no shipping loader looks at */

static int opened, closed;

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_extensions(const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	*count = (uint32_t)(opened + 100 * closed);
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
	return VK_ERROR_INITIALIZATION_FAILED;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_instance_proc_addr(VkInstance instance, const char *name)
{
	return NULL;
}

static int
close_device(struct hw_device_t *device)
{
	closed++;
	return 0;
}

static struct hwvulkan_device_t device = {
	.common =
		{
			.tag = FAKE == ODD_VERSIONS ? 1 : HARDWARE_DEVICE_TAG,
			.version = FAKE == ODD_VERSIONS ? 2 : HWVULKAN_DEVICE_API_VERSION_0_1,
			.close = close_device,
		},
	.EnumerateInstanceExtensionProperties = enumerate_extensions,
	.CreateInstance = FAKE == NO_CREATE ? NULL : create_instance,
	.GetInstanceProcAddr = get_instance_proc_addr,
};

static int
open_device(const struct hw_module_t *module, const char *id, struct hw_device_t **out)
{
	opened++;
	if (FAKE == OPEN_CRASHES)
		abort();
	if (strcmp(id, "vk0"))
		return -ENOENT;
	if (FAKE == OPEN_FAILS)
		return -ENODEV;
	if (FAKE == OPEN_POSITIVE)
		return ENODEV;
	if (FAKE != OPEN_NOTHING)
		*out = &device.common;
	return 0;
}

static struct hw_module_methods_t methods = {.open = FAKE == NO_OPEN ? NULL : open_device};

extern struct hwvulkan_module_t HAL_MODULE_INFO_SYM;
KR_EXPORT struct hwvulkan_module_t HAL_MODULE_INFO_SYM = {
	.common =
		{
			.tag = FAKE == ODD_VERSIONS ? 3 : HARDWARE_MODULE_TAG,
			.module_api_version =
				FAKE == ODD_VERSIONS ? 4 : HWVULKAN_MODULE_API_VERSION_0_1,
			.hal_api_version = FAKE == ODD_VERSIONS ? 5 : HARDWARE_HAL_API_VERSION,
			.id = FAKE == WRONG_ID ? "gralloc" : HWVULKAN_HARDWARE_MODULE_ID,
			.name = "fake",
			.author = "Krafla",
			.methods = &methods,
		},
};
