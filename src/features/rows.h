/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules by which a device has a feature that a system may declare: data alone (V-01, V-07). A
 * row is a name in one version; it holds when all its rules do. Where a feature has several
 * versions each row builds on the one before by a rule of its own.
 */
#ifndef KR_FEATURES_ROWS_H
#define KR_FEATURES_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "features/facts.h"

#define KR_FEATURE_NAME_LEVEL   "android.hardware.vulkan.level"
#define KR_FEATURE_NAME_COMPUTE "android.hardware.vulkan.compute"
#define KR_FEATURE_NAME_VERSION "android.hardware.vulkan.version"
/* No row has it: it comes from results of Khronos's tests (V-02), not from the device. */
#define KR_FEATURE_NAME_DEQP "android.software.vulkan.deqp.level"

enum kr_feature_row_id {
	KR_FEATURE_ROW_LEVEL_0,
	KR_FEATURE_ROW_LEVEL_1,
	KR_FEATURE_ROW_COMPUTE_0,
	KR_FEATURE_ROW_VERSION_1_0,
	KR_FEATURE_ROW_VERSION_1_1,
	KR_FEATURE_ROW_VERSION_1_3,
	KR_FEATURE_ROW_SAMPLER_YCBCR_CONVERSION,
	KR_FEATURE_ROW_STORAGE_BUFFER_8BIT_ACCESS,
	KR_FEATURE_ROW_DYNAMIC_RENDERING,
	KR_FEATURE_ROW_SHADER_TERMINATE_INVOCATION,
	KR_FEATURE_ROW_PIPELINE_CREATION_CACHE_CONTROL,
	KR_FEATURE_ROWS,
};

enum kr_feature_rule_kind {
	KR_FEATURE_RULE_API_VERSION, /* apiVersion is `limit` or higher */
	KR_FEATURE_RULE_FEATURE,     /* the VkBool32 at `offset` of VkPhysicalDeviceFeatures */
	KR_FEATURE_RULE_LIMIT,       /* the uint32_t at `offset` of VkPhysicalDeviceLimits */
	KR_FEATURE_RULE_MEMBER,      /* kr_feature_member `limit` */
	KR_FEATURE_RULE_EXTENSION,   /* the device extension `name` */
	KR_FEATURE_RULE_SYNC_FD_SEMAPHORE, /* exports and imports */
	KR_FEATURE_RULE_SYNC_FD_FENCE,     /* the same */
	KR_FEATURE_RULE_ROW,               /* the row `limit`, which stands above, holds */
};

struct kr_feature_rule {
	enum kr_feature_row_id row;
	enum kr_feature_rule_kind kind;
	const char *name;
	size_t offset;
	uint32_t limit;
	bool spares_cpus; /* holds by itself where all devices are CPUs */
};

struct kr_feature_row_info {
	const char *name;
	uint32_t version;
};

extern const struct kr_feature_row_info kr_feature_row_info[KR_FEATURE_ROWS];
/* Those of one row stand together, and rows in their order. */
extern const struct kr_feature_rule kr_feature_rules[];
extern const size_t kr_feature_rule_count;

#endif
