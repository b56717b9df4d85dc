/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Physical devices that layers made: added ones, and objects in which they wrap ours. The loader
 * can't know what such a handle points at, if at anything, so the application gets an object of the
 * loader in its place, whose table unwraps it and goes on to the first layer:
 *
 *   application's handle -> table of foreign devices -> unwrap
 *     -> table of the instance, layer's handle
 *
 * Handles of the loader's own physical devices pass through layers and reach the
 * application as they are.
 */
#ifndef KR_LOADER_DEVICES_FOREIGN_H
#define KR_LOADER_DEVICES_FOREIGN_H

#include "chain/arena.h"
#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

/* Puts itself before the chain's functions that give physical devices away. */
void kr_foreign_intercept(struct kr_instance *instance);
/* The same for the functions of a device's chain that take any object. */
void kr_foreign_intercept_names(struct kr_device *device);
void kr_foreign_finish(struct kr_instance *instance);

/* What the chain knows a device by; other handles come back as they are. */
VkPhysicalDevice kr_foreign_unwrap(
	const struct kr_instance *instance, VkPhysicalDevice physical_device);

/* A copy of a chain for vkCreateDevice in which device groups hold the chain's handles. */
struct kr_foreign_group {
	const void *head;      /* to be used instead of the original */
	struct kr_arena arena; /* what is copied of the chain */
	VkDeviceGroupDeviceCreateInfo group;
	VkPhysicalDevice *devices;
};
VkResult kr_foreign_group_init(struct kr_foreign_group *out, const struct kr_instance *instance,
	const void *chain, const VkAllocationCallbacks *allocator) KR_MUST_CHECK;
void kr_foreign_group_finish(
	struct kr_foreign_group *group, const VkAllocationCallbacks *allocator);

#endif
