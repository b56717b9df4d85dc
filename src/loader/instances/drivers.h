/* SPDX-License-Identifier: Apache-2.0 */
/* The drivers of an instance: those of its first search, and those that join it later. */
#ifndef KR_LOADER_INSTANCES_DRIVERS_H
#define KR_LOADER_INSTANCES_DRIVERS_H

#include "loader/drivers/drivers.h"
#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

/* Makes the objects of the set's drivers, none of which has an instance yet. */
VkResult kr_instance_add_drivers(struct kr_instance *instance, struct kr_loaded_drivers *drivers)
	KR_MUST_CHECK;
void kr_instance_free_drivers(struct kr_instance *instance);

/*
 * The instance's driver that is the same as this one, taking part or not; NULL when there is none.
 */
struct kr_instance_driver *kr_instance_find_driver(
	const struct kr_instance *instance, const struct kr_driver *driver);
/*
 * Creates an instance in drivers->items[index] and appends it to the instance's drivers, *out,
 * unless another thread has done that, whose it then is. No lock may be held. The driver's error
 * when it can't: it is in the list all the same, without a handle, and isn't tried again;
 * VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_TOO_MANY_OBJECTS (KR_MAX_DRIVERS): it isn't.
 */
VkResult kr_instance_adopt_driver(struct kr_instance *instance, struct kr_loaded_drivers *drivers,
	uint32_t index, struct kr_instance_driver **out) KR_MUST_CHECK;

#endif
