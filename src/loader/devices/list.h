/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The physical devices of an instance at one moment, in the order in which applications see them:
 * those of all drivers, without those that a filter or the settings file hides and those that two
 * drivers share, sorted as the user and the kind of device want it. Unsorted, the drivers that were
 * found last come first, as everybody is used to.
 *
 * Thread-safety: a list belongs to its caller. Calls drivers; takes no lock.
 */
#ifndef KR_LOADER_DEVICES_LIST_H
#define KR_LOADER_DEVICES_LIST_H

#include "loader/devices/facts.h"
#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

struct kr_device_entry {
	struct kr_instance_driver *driver;
	VkPhysicalDevice handle;               /* the driver's */
	struct kr_device_facts facts;          /* zero unless the list has them */
	uint32_t rank;                         /* equal for what the order leaves open */
	bool hidden;                           /* while the list is made */
	bool selected;                         /* VK_LOADER_DEVICE_SELECT */
	const struct kr_instance_driver *twin; /* the driver that has the same device once more */
};

struct kr_device_list {
	struct kr_instance *instance;
	uint32_t driver_count; /* that were asked: more may have come since */
	bool sorted;           /* as the user and the kind of device want it */
	struct kr_device_entry *items;
	uint32_t count;
	bool ordered; /* not in the order of the drivers any more */
	/* as the ids asked for, or a driver that stands for "no device", have it */
	bool empty_is_fine;
};

/* VK_ERROR_OUT_OF_HOST_MEMORY; a driver that fails otherwise is told and has no devices. */
VkResult kr_device_list_init(struct kr_instance *instance, struct kr_device_list *list)
	KR_MUST_CHECK;
void kr_device_list_finish(struct kr_device_list *list);

/* The place of a driver's device in the list, or list->count when it isn't there. */
uint32_t kr_device_list_find(const struct kr_device_list *list,
	const struct kr_instance_driver *driver, VkPhysicalDevice handle);

/* Whether a driver takes part, and didn't go. */
bool kr_device_list_is_asked(const struct kr_instance_driver *driver);
/* The drivers in the order in which they are asked, from 0 to driver_count. */
struct kr_instance_driver *kr_device_list_driver(
	const struct kr_device_list *list, uint32_t number);

/* Steps of kr_device_list_init, for a list with facts. */

/* Marks as hidden what VK_LOADER_{DEVICE,VENDOR,DRIVER}_ID_FILTER leave out. */
void kr_device_list_filter_ids(struct kr_device_list *list);
/* Marks as hidden a device that an earlier driver has too. */
void kr_device_list_hide_twins(struct kr_device_list *list);
void kr_device_list_sort(struct kr_device_list *list);
/* The order of the settings file, which hides what it doesn't list. */
void kr_device_list_configure(struct kr_device_list *list);

/* Not when VK_LOADER_DISABLE_SELECT is set, or no driver can be asked enough. */
bool kr_device_list_wants_sorting(const struct kr_device_list *list);
/* Whether a filter or the settings could have an effect on a single device. */
bool kr_device_list_is_filtered(const struct kr_instance *instance);

#endif
