/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking a device for a structure by its name, whether this build's headers have it or not
 * (gen/capabilities.h). What the device doesn't bring, by version or extension, isn't asked for:
 * such an answer would mean nothing.
 */
#ifndef KR_TOOLS_FEATURES_PROFILE_ASK_H
#define KR_TOOLS_FEATURES_PROFILE_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "features/system.h"
#include "gen/capabilities.h"
#include "util/macros.h"

struct kr_flags_view {
	const struct kr_feature_device *device;
	VkExtensionProperties *instance_extensions;
	uint32_t instance_extension_count;
	uint32_t family_count;
	PFN_vkGetPhysicalDeviceFeatures2 get_features;
	PFN_vkGetPhysicalDeviceProperties2 get_properties;
	PFN_vkGetPhysicalDeviceFormatProperties get_format;
	PFN_vkGetPhysicalDeviceFormatProperties2 get_format2;
	PFN_vkGetPhysicalDeviceQueueFamilyProperties get_families;
	PFN_vkGetPhysicalDeviceQueueFamilyProperties2 get_families2;
};

/* 0 or -ENOMEM; kr_flags_view_finish in either case. */
int kr_flags_view_init(struct kr_flags_view *view, const struct kr_feature_device *device)
	KR_MUST_CHECK;
void kr_flags_view_finish(struct kr_flags_view *view);

/* The version of an extension that the device or the instance has, 0 when neither has it. */
uint32_t kr_flags_view_extension(const struct kr_flags_view *view, const char *name);
/* Whether the device brings the structure. */
bool kr_flags_view_brings(
	const struct kr_flags_view *view, const struct kr_capability_struct *structure);
/*
 * The structure as the device fills it, in new memory (free); of a format, or a queue family, where
 * it is one of those. NULL without memory, or when there is no function to ask with.
 */
void *kr_flags_view_ask(const struct kr_flags_view *view,
	const struct kr_capability_struct *structure, VkFormat format, uint32_t family);

#endif
