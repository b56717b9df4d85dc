/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two fake drivers, of which the first alone has some extensions, and an instance
 * that enables them.
 */
#ifndef KR_TESTS_LOADER_RIG_H
#define KR_TESTS_LOADER_RIG_H

#include "support.h"

struct rig {
	struct fakes fakes;
	struct loader l;
};

/* `names` ends with NULL. */
void open_rig_without_instance(struct rig *r, const char *const *names);
void open_rig(struct rig *r, const char *const *names);
/* What vkGetPhysicalDeviceSurfaceSupportKHR says of the device of this number. */
VkBool32 surface_support(const struct rig *r, uint32_t device, VkSurfaceKHR surface);
void end_surface(struct rig *r, VkSurfaceKHR surface);
/* Fails the case when a surface of the first driver is left. */
void close_rig(struct rig *r);

#endif
