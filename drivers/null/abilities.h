/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the driver says of itself: version, features, limits, properties, extensions. All of it can
 * be set, so that rules over what devices say are tested on both sides of each limit; it is said,
 * no more: a feature or extension that is switched on brings nothing with it.
 */
#ifndef KR_NULL_ABILITIES_H
#define KR_NULL_ABILITIES_H

#include "util/vulkan.h"

#define NULL_API_VERSION    VK_MAKE_API_VERSION(0, 1, 3, VK_HEADER_VERSION)
#define NULL_ALIGNMENT      64
#define NULL_NAME           "Krafla null driver"
#define NULL_DEVICES_MAX    4
#define NULL_EXTENSIONS_SET 64 /* as many can be added or taken away */
#define NULL_EXTENSION_NAME 80
#define NULL_FORMATS_SET    16

struct null_abilities {
	uint32_t api_version;
	VkPhysicalDeviceType type;
	uint32_t devices;
	VkExternalSemaphoreFeatureFlags semaphores; /* by SYNC_FD */
	VkExternalFenceFeatureFlags fences;
	VkPhysicalDeviceFeatures features10;
	VkPhysicalDeviceVulkan11Features features11;
	VkPhysicalDeviceVulkan12Features features12;
	VkPhysicalDeviceVulkan13Features features13;
	VkPhysicalDeviceLimits limits;
	VkPhysicalDeviceVulkan11Properties properties11;
	VkPhysicalDeviceVulkan12Properties properties12;
	VkPhysicalDeviceVulkan13Properties properties13;
	uint32_t extension_count;
	struct null_extension {
		char name[NULL_EXTENSION_NAME];
		uint32_t version; /* 0: it isn't there */
	} extensions[NULL_EXTENSIONS_SET];
	uint32_t format_count;
	struct null_format_setting {
		VkFormat format;
		VkFormatFeatureFlags optimal;
	} formats[NULL_FORMATS_SET];
};

/* The least that Vulkan 1.3 allows. */
extern const struct null_abilities null_least_abilities __attribute__((visibility("hidden")));

/* Sets what has the name (null_control.h). 0, or -EINVAL and nothing changes. */
int null_abilities_set(struct null_abilities *abilities, const char *name, const char *value);

#endif
