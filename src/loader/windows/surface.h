/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VkSurfaceKHR: always the loader's object, since the application doesn't say for which driver it
 * is (DESIGN 5.1). For each driver it is either a surface of ours, or the driver's own made at the
 * first use; a driver never gets our handle nor another driver's.
 *
 * It begins like the VkIcdSurface structures of vk_icd.h, for drivers of interface 2, which take
 * the loader's surface as it is.
 */
#ifndef KR_LOADER_WINDOWS_SURFACE_H
#define KR_LOADER_WINDOWS_SURFACE_H

#include <stdbool.h>
#include "loader/handles/handles.h"
#include "surface/kind.h"
#include "util/macros.h"
#include "util/vulkan.h"
#include "wsi/wsi.h"

struct kr_vk_surface {
	union kr_surface_icd icd; /* first */
	struct kr_surface_request made_by;
	struct kr_instance *instance;
	const VkAllocationCallbacks *allocator; /* kr_object_allocator */
	struct kr_mutex lock;
	struct kr_wsi_surface *ours KR_GUARDED_BY(lock); /* NULL: not opened yet */
	/* By number of the driver; VK_NULL_HANDLE: not made yet. */
	VkSurfaceKHR drivers[KR_MAX_DRIVERS] KR_GUARDED_BY(lock);
};

static inline struct kr_vk_surface *
kr_vk_surface_from_handle(VkSurfaceKHR handle)
{
	return (struct kr_vk_surface *)handle;
}

/* Whether a driver's devices present to it through our window system. */
bool kr_vk_surface_is_ours(
	const struct kr_vk_surface *surface, const struct kr_instance_driver *driver);
/* Opens it at the first use. */
VkResult kr_vk_surface_get_ours(struct kr_vk_surface *surface, struct kr_wsi_surface **ours)
	KR_MUST_CHECK;
/*
 * The driver's own surface, made at the first use. VK_ERROR_EXTENSION_NOT_PRESENT when the driver
 * has no surfaces of this kind.
 */
VkResult kr_vk_surface_get_drivers(struct kr_vk_surface *surface,
	const struct kr_instance_driver *driver, VkSurfaceKHR *drivers) KR_MUST_CHECK;
/* The same if it exists already, else VK_NULL_HANDLE. */
VkSurfaceKHR kr_vk_surface_peek_drivers(
	struct kr_vk_surface *surface, const struct kr_instance_driver *driver);

#endif
