/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one device says of itself, as far as features that a system declares depend on it. All is
 * asked of the device, through the functions that a program would call; what can't be asked (a
 * version too low, an extension that isn't there) is told as such and never taken for granted.
 *
 * Thread-safety: no state; vkGet* calls that any thread may make.
 */
#ifndef KR_FEATURES_FACTS_H
#define KR_FEATURES_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/macros.h"
#include "util/vulkan.h"

/* A device, and whom to ask. All borrowed. */
struct kr_feature_source {
	PFN_vkGetInstanceProcAddr get_instance_proc_addr;
	VkInstance instance;
	VkPhysicalDevice device;
};

/* Members of structures that are chained to VkPhysicalDeviceFeatures2. */
enum kr_feature_member {
	KR_FEATURE_SAMPLER_YCBCR_CONVERSION,
	KR_FEATURE_VARIABLE_POINTERS,
	KR_FEATURE_STORAGE_BUFFER_8BIT_ACCESS,
	KR_FEATURE_DYNAMIC_RENDERING,
	KR_FEATURE_SHADER_TERMINATE_INVOCATION,
	KR_FEATURE_PIPELINE_CREATION_CACHE_CONTROL,
	KR_FEATURE_MEMBERS,
};

/* How such a member is asked for; `core` is the version that has its structure. */
struct kr_feature_member_info {
	const char *name;
	const char *structure;
	const char *extension;
	uint32_t core;
	VkStructureType type;
	size_t offset;
};
const struct kr_feature_member_info *kr_feature_describe_member(enum kr_feature_member member);

enum kr_feature_asked {
	KR_FEATURE_HAS_NO_SUCH,  /* the device has neither the version nor the extension for it */
	KR_FEATURE_HAS_NO_QUERY, /* nor the instance a function to ask by */
	KR_FEATURE_ASKED,
};

struct kr_feature_fact {
	enum kr_feature_asked asked;
	bool value;
};

/* Handles of one type: bits of VkExternal*FeatureFlagBits. */
struct kr_feature_external {
	bool asked;
	bool exports;
	bool imports;
};

struct kr_feature_facts {
	VkPhysicalDeviceProperties properties; /* deviceName ends */
	VkPhysicalDeviceFeatures features;
	struct kr_feature_fact members[KR_FEATURE_MEMBERS];
	struct kr_feature_external sync_fd_semaphore;
	struct kr_feature_external sync_fd_fence;
	VkExtensionProperties *extensions;
	uint32_t extension_count;
};

/*
 * Asks the device. VK_ERROR_INITIALIZATION_FAILED when a function of Vulkan 1.0 is missing, else
 * what vkEnumerateDeviceExtensionProperties answered. kr_feature_facts_finish frees what they hold,
 * also of those that are all zero.
 */
VkResult kr_feature_ask(const struct kr_feature_source *source, struct kr_feature_facts *facts)
	KR_MUST_CHECK;
void kr_feature_facts_finish(struct kr_feature_facts *facts);

bool kr_feature_facts_have_extension(const struct kr_feature_facts *facts, const char *name);

#endif
