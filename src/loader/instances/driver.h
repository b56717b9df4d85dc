/* SPDX-License-Identifier: Apache-2.0 */
/* An instance in one driver: created with what that driver has of what the application wants. */
#ifndef KR_LOADER_INSTANCES_DRIVER_H
#define KR_LOADER_INSTANCES_DRIVER_H

#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

/*
 * `info` is what reached the bottom of the chain. The driver's error when it can't: then
 * driver->handle stays VK_NULL_HANDLE and the driver takes no part.
 */
VkResult kr_instance_driver_create(struct kr_instance_driver *driver,
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator) KR_MUST_CHECK;
/* With what it was created with. Nothing for a driver that takes no part. */
void kr_instance_driver_destroy(struct kr_instance_driver *driver);

#endif
