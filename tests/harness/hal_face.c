/* SPDX-License-Identifier: Apache-2.0 */
#include "hal_face.h"

#include <errno.h>
#include <string.h>

#include "util/macros.h"

static int
close_device(struct hw_device_t *device)
{
	return 0;
}

static struct hwvulkan_device_t device = {
	.common =
		{
			.tag = HARDWARE_DEVICE_TAG,
			.version = HWVULKAN_DEVICE_API_VERSION_0_1,
			.close = close_device,
		},
};

static int
open_device(const struct hw_module_t *module, const char *id, struct hw_device_t **out)
{
	int ret = strcmp(id, HWVULKAN_DEVICE_0) ? -ENOENT : hal_face_open(&device);

	if (!ret)
		*out = &device.common;
	return ret;
}

static struct hw_module_methods_t methods = {.open = open_device};

KR_EXPORT struct hwvulkan_module_t HAL_MODULE_INFO_SYM = {
	.common =
		{
			.tag = HARDWARE_MODULE_TAG,
			.module_api_version = HWVULKAN_MODULE_API_VERSION_0_1,
			.hal_api_version = HARDWARE_HAL_API_VERSION,
			.id = HWVULKAN_HARDWARE_MODULE_ID,
			.name = "fake",
			.author = "Krafla",
			.methods = &methods,
		},
};
