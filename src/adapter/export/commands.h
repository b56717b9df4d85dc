/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an image's content changes hands (T1): barriers that are recorded once and submitted as often
 * as the image goes and comes.
 *
 *   PRESENT_SRC, ours --give--> GENERAL, VK_QUEUE_FAMILY_EXTERNAL's --take--> PRESENT_SRC, ours
 *
 * The layout changes beside the hand-over, not in it: each half of that says GENERAL, at this end
 * and at the other. Who submits is one family, or the image is shared between families: then it is
 * given by all, since nobody knows which of them will use it next.
 */
#ifndef KR_ADAPTER_EXPORT_COMMANDS_H
#define KR_ADAPTER_EXPORT_COMMANDS_H

#include "gen/tables.h"
#include "util/macros.h"
#include "util/vulkan.h"

/* What a family submits. */
struct kr_export_commands {
	VkCommandBuffer give;
	VkCommandBuffer give_copied; /* copied into a buffer before */
	VkCommandBuffer take;
};

struct kr_export_recording {
	const struct kr_device_table *vk;
	VkImage image;
	uint32_t family; /* VK_QUEUE_FAMILY_IGNORED: several share the image */
	/* Of the copy. */
	VkBuffer buffer;
	VkBufferImageCopy whole;
};

/* Into command buffers that are there already. */
VkResult kr_export_record(const struct kr_export_recording *recording,
	const struct kr_export_commands *commands) KR_MUST_CHECK;

#endif
