/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The drivers of an instance: which search its create info asks for, and drivers that join it later.
 *
 * A driver that came after vkCreateInstance gets an instance made with what reached the bottom of the chain
 * then: application info, extensions, flags. Structs of that call's pNext are not repeated, since the
 * application need not keep them.
 */
#ifndef KR_LOADER_INSTANCE_DRIVERS_H
#define KR_LOADER_INSTANCE_DRIVERS_H

#include "loader/drivers/drivers.h"
#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

/*
 * The drivers that this vkCreateInstance may use, as a set to be unref'd; its instance->settings are read.
 * VK_ERROR_INCOMPATIBLE_DRIVER, with the advice there is, when there are none.
 */
VkResult kr_instance_find_drivers(const struct kr_instance *instance,
	const VkInstanceCreateInfo *info, struct kr_loaded_drivers **drivers) KR_MUST_CHECK;

/* Makes the objects of the set's drivers, none of which has an instance yet. */
VkResult kr_instance_add_drivers(struct kr_instance *instance, struct kr_loaded_drivers *drivers)
	KR_MUST_CHECK;
void kr_instance_free_drivers(struct kr_instance *instance);

/* Keeps what drivers that come later are created with: `info` is what reached the bottom. */
VkResult kr_instance_keep_origin(struct kr_instance *instance, const VkInstanceCreateInfo *info)
	KR_MUST_CHECK;

/* Whether others than the application's own drivers may take part in the instance. */
bool kr_instance_may_look_again(const struct kr_instance *instance);
/*
 * Hotplug. Searches again, as vkCreateInstance of this instance did, with the settings as they are now; the
 * application's direct drivers are left out. Any thread, no lock held. A set to be unref'd.
 */
VkResult kr_instance_look_again(struct kr_instance *instance, struct kr_loaded_drivers **drivers)
	KR_MUST_CHECK;
/* The instance's driver that is the same as this one, taking part or not; NULL when there is none. */
struct kr_driver_instance *kr_instance_find_driver(
	const struct kr_instance *instance, const struct kr_driver *driver);
/*
 * Creates an instance in drivers->items[index] and appends it to the instance's drivers, *out, unless another
 * thread has done that, whose it then is. No lock may be held. The driver's error when it can't: it is in
 * the list all the same, without a handle, and isn't tried again; VK_ERROR_OUT_OF_HOST_MEMORY,
 * VK_ERROR_TOO_MANY_OBJECTS (KR_MAX_DRIVERS): it isn't.
 */
VkResult kr_instance_adopt_driver(struct kr_instance *instance, struct kr_loaded_drivers *drivers,
	uint32_t index, struct kr_driver_instance **out) KR_MUST_CHECK;

#endif
