/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The physical device queries that Vulkan 1.1 has in a second form, on drivers which don't give
 * that form to this instance (those of 1.0, and newer ones to an application of 1.0): answered from
 * the first form. A structure chained to such a call can't be asked for; a message says so. Layers
 * rely on these commands by the version of the device alone.
 */
#ifndef KR_LOADER_EMULATION_PROPERTIES2_H
#define KR_LOADER_EMULATION_PROPERTIES2_H

#include "loader/handles/handles.h"
#include "util/vulkan.h"

/*
 * The second forms that a caller may use of a driver: it has them, and the version or the
 * extension by which they are called was asked for (by the application, or by a layer below it).
 * The others are emulated.
 */
enum kr_second_form {
	KR_FORM_PROPERTIES2 = 1 << 0,
	KR_FORM_EXTERNAL_MEMORY = 1 << 1,
	KR_FORM_EXTERNAL_SEMAPHORE = 1 << 2,
	KR_FORM_EXTERNAL_FENCE = 1 << 3,
};

/* Fills the core names and the KHR names from each other, and notes which queries there are. */
void kr_properties2_prepare(struct kr_instance_driver *driver);

/* vkGetPhysicalDeviceFeatures2 of the driver, or what stands in for it. */
void kr_emulation_get_features2(
	const struct kr_physical_device *device, VkPhysicalDeviceFeatures2 *features);

/*
 * Says that the loader answers `function` for a driver without it, by `means` (NULL: by nothing).
 */
void kr_emulation_say(
	const struct kr_instance_driver *driver, const char *function, const char *means);
/* Says of each structure in `chain` that the emulation of `function` leaves it alone. */
void kr_emulation_say_ignored(const struct kr_instance_driver *driver, const char *function,
	const char *member, const void *chain);

#endif
