/* SPDX-License-Identifier: Apache-2.0 */
/* One device of one driver, for `krafla info`. */
#ifndef KR_TOOLS_INFO_DEVICE_H
#define KR_TOOLS_INFO_DEVICE_H

#include <jansson.h>
#include "discover/driver.h"

/* An instance of a driver: of the adapter over it when it is a Linux ICD. */
struct kr_info_source {
	const struct kr_driver *driver;
	VkInstance instance;
	PFN_vkGetInstanceProcAddr get_proc_addr;
};

/* A new value. */
json_t *kr_info_device(const struct kr_info_source *source, VkPhysicalDevice physical);

#endif
