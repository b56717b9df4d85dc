/* SPDX-License-Identifier: Apache-2.0 */
/* VkDeviceCreateInfo as the driver shall see it. */
#ifndef KR_LOADER_DEVICES_CREATE_INFO_H
#define KR_LOADER_DEVICES_CREATE_INFO_H

#include "chain/arena.h"
#include "chain/chain.h"
#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

struct kr_device_create_info {
	VkDeviceCreateInfo info;
	const char **names;
	struct kr_arena arena; /* what is copied of the chain */
	VkDeviceGroupDeviceCreateInfo group;
	VkPhysicalDevice *group_devices;
	/*
	 * The application's group where it can't be copied: has ours until finish,
	 * then its own again.
	 */
	VkDeviceGroupDeviceCreateInfo *borrowed_group;
	const VkPhysicalDevice *borrowed_devices;
	struct kr_chain_unlinked borrowed_features; /* the same: are out of its chain until then */
	const VkAllocationCallbacks *allocator;
};

/*
 * Makes it, and notes in `device` what the application enables. Finish it once the driver
 * has seen it. VK_ERROR_EXTENSION_NOT_PRESENT and VK_ERROR_FEATURE_NOT_PRESENT for what
 * the platform doesn't offer.
 */
VkResult kr_device_create_info_init(struct kr_device_create_info *out, struct kr_device *device,
	const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator) KR_MUST_CHECK;
void kr_device_create_info_finish(struct kr_device_create_info *info);

#endif
