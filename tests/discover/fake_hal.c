/* SPDX-License-Identifier: Apache-2.0 */
/* HAL modules with one thing wrong each: FAKE says which (meson.build). */
#include "hal_face.h"

#include <errno.h>
#include <stdlib.h>

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

int
hal_face_open(struct hwvulkan_device_t *device)
{
	opened++;
	if (FAKE == OPEN_CRASHES)
		abort();
	if (FAKE == OPEN_FAILS)
		return -ENODEV;
	if (FAKE == OPEN_POSITIVE)
		return ENODEV;
	if (FAKE == ODD_VERSIONS) {
		device->common.tag = 1;
		device->common.version = 2;
	}
	device->common.close = close_device;
	device->EnumerateInstanceExtensionProperties = enumerate_extensions;
	device->CreateInstance = FAKE == NO_CREATE ? NULL : create_instance;
	device->GetInstanceProcAddr = get_instance_proc_addr;
	return 0;
}

static int
open_nothing(const struct hw_module_t *module, const char *id, struct hw_device_t **out)
{
	return 0;
}

__attribute__((constructor)) static void
spoil_module(void)
{
	struct hw_module_t *module = &HAL_MODULE_INFO_SYM.common;

	if (FAKE == WRONG_ID)
		module->id = "gralloc";
	if (FAKE == NO_OPEN)
		module->methods->open = NULL;
	if (FAKE == OPEN_NOTHING)
		module->methods->open = open_nothing;
	if (FAKE == ODD_VERSIONS) {
		module->tag = 3;
		module->module_api_version = 4;
		module->hal_api_version = 5;
	}
}
