/* SPDX-License-Identifier: Apache-2.0 */
/* Which of EGL's devices is which of Vulkan's. */
#ifndef KR_TOOLS_FEATURES_LAUNCH_MATCH_H
#define KR_TOOLS_FEATURES_LAUNCH_MATCH_H

#include "features/system.h"
#include "tools/features/launch/gles.h"

enum kr_flags_likeness {
	KR_FLAGS_DIFFERENT,
	KR_FLAGS_UNCOMPARED, /* neither says what the other says */
	KR_FLAGS_SAME,
};

/* What a device of Vulkan says of which one it is. */
struct kr_flags_identity {
	VkPhysicalDeviceType type;
	bool has_uuid;
	uint8_t uuid[VK_UUID_SIZE];
	bool has_nodes;
	uint64_t nodes[2]; /* as kr_flags_gles_device has them */
};

void kr_flags_identify(const struct kr_feature_device *device, struct kr_flags_identity *identity);
/* `by` says by what they were compared. */
enum kr_flags_likeness kr_flags_match(const struct kr_flags_identity *vulkan,
	const struct kr_flags_gles_device *gles, const char **by);

#endif
