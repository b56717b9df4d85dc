/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The drivers of this process, in sets: what one search has found, with what each driver says of
 * itself without an instance. Every global call searches anew, since the environment, manifests and
 * settings may have changed; that is cheap, because the libraries of the last set stay open. A set
 * never changes; an instance holds the one it was created with.
 *
 * Thread-safety: any thread.
 */
#ifndef KR_LOADER_DRIVERS_DRIVERS_H
#define KR_LOADER_DRIVERS_DRIVERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include "discover/driver.h"
#include "gen/extensions.h"
#include "util/macros.h"
#include "util/vulkan.h"

struct kr_settings;

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
	atomic_uint refs;
};

/* What to search for; zero: all. */
struct kr_loaded_drivers_request {
	const struct kr_settings *settings;            /* NULL: none */
	bool no_portability;                           /* portability drivers stay closed */
	const VkDirectDriverLoadingListLUNARG *direct; /* NULL: none */
};

/* A new set, to be unref'd. VK_ERROR_OUT_OF_HOST_MEMORY. */
VkResult kr_loaded_drivers_find(const struct kr_loaded_drivers_request *request,
	struct kr_loaded_drivers **drivers) KR_MUST_CHECK;
struct kr_loaded_drivers *kr_loaded_drivers_ref(struct kr_loaded_drivers *drivers);
/* NULL is no set. */
void kr_loaded_drivers_unref(struct kr_loaded_drivers *drivers);

/* KRAFLA_WSI=platform, or a display that everything presents to (DESIGN 5.1, 5.8). */
bool kr_platform_wsi_chosen(void);

#endif
