/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VK_EXT_surface_maintenance1 (KHR in newer headers) where the driver of a device hasn't it, though
 * another's has: each present mode is compatible with itself, images are presented unscaled.
 */
#ifndef KR_LOADER_SURFACE_MAINTENANCE_H
#define KR_LOADER_SURFACE_MAINTENANCE_H

#include <stdbool.h>
#include "loader/handles/handles.h"
#include "util/vulkan.h"

/* Whether the driver answers for itself, with what is enabled on it. */
bool kr_surface_maintenance_of_driver(const struct kr_driver_instance *driver);
/* Fills the extension's structures in the chain of `caps`, whose surfaceCapabilities are known. */
void kr_surface_maintenance_fill(
	const VkPhysicalDeviceSurfaceInfo2KHR *info, VkSurfaceCapabilities2KHR *caps);

#endif
