/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of physical devices and of devices that no registry of ours knows (L-05): names that a
 * driver or a layer newer than this loader answers to. What vkGetInstanceProcAddr gives for them is
 * a slot of assembly (unknown_slots.S), since their parameters aren't known. A slot belongs to a
 * name for the life of an instance; the function behind it is looked for at the first call:
 *
 *   slot        object -> table of its instance or device -> function before the table
 *                 for a physical device: the first layer's, or a terminator
 *                 for a device, queue or command buffer: what vkGetDeviceProcAddr answers
 *   terminator  physical device -> table of its driver -> function before the table, called with
 *                 the driver's handle
 *
 * On machines without slots (all but x86-64 and AArch64) these functions aren't found
 * by an instance.
 */
#ifndef KR_LOADER_NAMES_UNKNOWN_FUNCTIONS_H
#define KR_LOADER_NAMES_UNKNOWN_FUNCTIONS_H

#include "loader/handles/handles.h"
#include "util/vulkan.h"

/* What an application gets: a slot, or NULL when nobody has a function of this name. */
PFN_vkVoidFunction kr_unknown_find(struct kr_instance *instance, const char *name);
/* What a layer gets below the last of them; of physical devices alone, or of devices. */
PFN_vkVoidFunction kr_unknown_find_below(struct kr_instance *instance, const char *name);
PFN_vkVoidFunction kr_unknown_find_physical_device_below(
	struct kr_instance *instance, const char *name);

/* Forgets the names. */
void kr_unknown_finish(struct kr_instance *instance);

#endif
