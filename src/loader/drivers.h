/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The drivers of this process: found and opened once, at the first call that needs them, and kept
 * (HAL modules want to be opened once). With each is kept what it says of itself without an instance.
 *
 * Thread-safety: any thread; what is returned never changes.
 */
#ifndef KR_LOADER_DRIVERS_H
#define KR_LOADER_DRIVERS_H

#include <stdbool.h>
#include "discover/driver.h"
#include "gen/extensions.h"
#include "util/macros.h"
#include "util/vulkan.h"

struct kr_loaded_driver {
	const struct kr_driver *driver;
	uint32_t api_version; /* of vkEnumerateInstanceVersion; 1.0 without */
	/* Instance extensions. */
	VkExtensionProperties *extensions;
	uint32_t extension_count;
	struct kr_extension_set extension_set; /* those of them that we know */
};

struct kr_loaded_drivers {
	struct kr_loaded_driver *items;
	uint32_t count;
	struct kr_driver_list list;
};

/* VK_ERROR_OUT_OF_HOST_MEMORY; then the next call tries again. */
VkResult kr_loaded_drivers_get(const struct kr_loaded_drivers **drivers) KR_MUST_CHECK;

/* Counts instances: drivers are not closed while there are any. */
void kr_loaded_drivers_ref(void);
void kr_loaded_drivers_unref(void);

/* KRAFLA_WSI=platform, or a display that everything presents to (DESIGN 5.1, 5.8). */
bool kr_platform_wsi_chosen(void);

#endif
