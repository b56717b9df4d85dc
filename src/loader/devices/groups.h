/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device groups: each driver's own, of the devices that are listed, in the order of the
 * list: the devices of a group, and the groups by their first. A driver without groups
 * gets one for each device.
 */
#ifndef KR_LOADER_DEVICES_GROUPS_H
#define KR_LOADER_DEVICES_GROUPS_H

#include "loader/devices/list.h"
#include "util/macros.h"
#include "util/vulkan.h"

/*
 * vkEnumeratePhysicalDeviceGroups with the devices of `list`. What the application has chained to a
 * group reaches the driver whose group it becomes.
 */
VkResult kr_device_groups_list(const struct kr_device_list *list, uint32_t *count,
	VkPhysicalDeviceGroupProperties *groups) KR_MUST_CHECK;

#endif
