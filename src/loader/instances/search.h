/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches for an instance's drivers: which its create info asks for, and the same
 * again while it lives.
 *
 * A driver that came after vkCreateInstance gets an instance made with what reached the bottom of
 * the chain then: application info, extensions, flags. Structs of that call's pNext are not
 * repeated, since the application need not keep them.
 */
#ifndef KR_LOADER_INSTANCES_SEARCH_H
#define KR_LOADER_INSTANCES_SEARCH_H

#include "loader/drivers/drivers.h"
#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

/* One allocation: this, the names, their text. */
struct kr_instance_origin {
	VkInstanceCreateInfo info; /* without pNext and layers */
	VkApplicationInfo application;
	bool portability;
	bool exclusive; /* the application wants no drivers but its own */
	const char *names[];
};

/*
 * The drivers that this vkCreateInstance may use, as a set to be unref'd; its instance->settings
 * are read. VK_ERROR_INCOMPATIBLE_DRIVER, with the advice there is, when there are none.
 */
VkResult kr_instance_find_drivers(const struct kr_instance *instance,
	const VkInstanceCreateInfo *info, struct kr_loaded_drivers **drivers) KR_MUST_CHECK;

/* Keeps what drivers that come later are created with: `info` is what reached the bottom. */
VkResult kr_instance_keep_origin(struct kr_instance *instance, const VkInstanceCreateInfo *info)
	KR_MUST_CHECK;

/* Whether others than the application's own drivers may take part in the instance. */
bool kr_instance_may_look_again(const struct kr_instance *instance);
/*
 * Hotplug. Searches again, as vkCreateInstance of this instance did, with the settings
 * as they are now; the application's direct drivers are left out. Any thread, no lock
 * held. A set to be unref'd.
 */
VkResult kr_instance_look_again(struct kr_instance *instance, struct kr_loaded_drivers **drivers)
	KR_MUST_CHECK;
#endif
