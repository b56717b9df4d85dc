/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers that come and go while an instance lives. Each vkEnumeratePhysicalDevices (and the same
 * of groups) looks for drivers again, as vkCreateInstance did. That costs what reading the
 * manifests costs, some 10 us for each directory and file; so it is left out of two calls, which
 * say what was true a moment before:
 *
 * - the one that fetches what the one before has counted;
 * - the first of an instance, unless more than 100 ms have gone since vkCreateInstance began to
 *   search. A driver that comes in between is one that came after the call, for a program that
 *   lists devices once; one that waits for drivers lists them again, and that looks.
 *
 * What a search finds:
 *
 * - one that is new gets an instance with what the first drivers got (search.h) and its devices
 *   are listed behind, or between, the others;
 * - one that isn't found any more (its manifest went, or its hardware) stays open, with all
 *   handles valid and answered by the driver itself, but its devices are listed no more;
 *   until it is found again.
 *
 * Whether a device of a driver comes or goes is the driver's answer to
 * vkEnumeratePhysicalDevices. Some (Mesa's) answer an old instance with what they found first:
 * what is new there, new instances see.
 *
 * The search must be the one that the instance began with: when the environment that it reads has
 * changed since, nobody means this instance, and nothing is looked for. Nor is it when the
 * application brought its drivers along and wanted no other.
 */
#ifndef KR_LOADER_INSTANCES_HOTPLUG_H
#define KR_LOADER_INSTANCES_HOTPLUG_H

#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

/* Notes the environment: when the instance begins to look for drivers. */
void kr_hotplug_begin(struct kr_instance *instance);
/*
 * Before devices are counted or fetched. Any thread, several at once too; no lock may be held.
 * VK_ERROR_OUT_OF_HOST_MEMORY.
 */
VkResult kr_hotplug_look(struct kr_instance *instance, bool fetches) KR_MUST_CHECK;

#endif
