/* SPDX-License-Identifier: Apache-2.0 */
/* The loader's physical devices: one object for each of a driver's, for as long as the instance. */
#ifndef KR_LOADER_HANDLES_PHYSICAL_DEVICE_H
#define KR_LOADER_HANDLES_PHYSICAL_DEVICE_H

#include "loader/handles/handles.h"
#include "util/vulkan.h"

/* The object of a driver's handle, or NULL when it was not seen yet. */
struct kr_physical_device *kr_physical_device_find(
	struct kr_instance *instance, VkPhysicalDevice handle);
/*
 * The object that a handle from above is, or NULL when it is none of ours: layers may call with
 * devices of their own, which nothing can be read of.
 */
const struct kr_physical_device *kr_physical_device_look_up(
	struct kr_instance *instance, const void *handle);
/* The object of a driver's handle, made when it is new; VK_NULL_HANDLE without memory. */
VkPhysicalDevice kr_physical_device_wrap(struct kr_instance_driver *owner, VkPhysicalDevice handle);
void kr_physical_devices_finish(struct kr_instance *instance);

#endif
