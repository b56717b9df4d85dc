/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the ICD is asked for when the application creates a device: its extensions without ours and
 * with those that sharing needs, its features without those of hidden extensions, its queues and
 * perhaps one more.
 */
#ifndef KR_ADAPTER_DEVICE_INFO_H
#define KR_ADAPTER_DEVICE_INFO_H

#include <stdbool.h>
#include "adapter/extensions.h"
#include "adapter/instance.h"
#include "adapter/queue_plan.h"
#include "chain/arena.h"

struct kr_adapter_device_info {
	VkDeviceCreateInfo info; /* for the ICD */
	bool engaged;
	bool presents;         /* images of native buffers */
	bool helper;           /* acquires need a queue */
	bool hardware_buffers; /* the extension for AHardwareBuffers is enabled */
	bool conversions;      /* the feature samplerYcbcrConversion is enabled */
	struct kr_enabled enabled;
	struct kr_arena arena; /* what is copied of the chain */
	struct kr_adapter_queue_plan queues;
};

VkResult kr_adapter_device_info_init(struct kr_adapter_device_info *device_info,
	const struct kr_adapter_gpu *gpu, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator) KR_MUST_CHECK;
void kr_adapter_device_info_finish(struct kr_adapter_device_info *device_info);

#endif
