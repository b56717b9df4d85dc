/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which queues a device gets, and which of them helps the adapter.
 *
 * Acquiring an image has no queue, but without SYNC_FD the only way to signal the application's
 * semaphore is to submit something. So the adapter asks for one queue more than the application did
 * when a family has one to spare: how many there are is counted for the family, over all of the
 * application's infos, and the extra one joins an info without flags and without a chain, since
 * protected queues and those with a priority are meant for something. Otherwise queue 0 of the
 * application is shared, and submitting to it is locked.
 *
 * The helper also copies for families that can't. Should no family of the application be able to
 * copy, one that can is added.
 */
#ifndef KR_ADAPTER_QUEUE_PLAN_H
#define KR_ADAPTER_QUEUE_PLAN_H

#include <stdbool.h>
#include "adapter/instance.h"

struct kr_adapter_queue_plan {
	VkDeviceQueueCreateInfo *infos;
	uint32_t count;
	VkQueueFamilyProperties *families; /* all of the physical device */
	uint32_t family_count;
	/* The helper: infos[helper_info], the helper_index-th of its queues. */
	uint32_t helper_info; /* UINT32_MAX: there is none */
	uint32_t helper_index;
	bool helper_private;
	float *priorities; /* of the info that has one more */
	const VkAllocationCallbacks *allocator;
};

/*
 * `helper`: acquires need one; otherwise it is only had for families that can't copy. Not
 * `engaged`: the queues are the application's and nothing else.
 */
VkResult kr_adapter_queue_plan_init(struct kr_adapter_queue_plan *plan,
	const struct kr_adapter_gpu *gpu, const VkDeviceCreateInfo *info, bool engaged, bool helper,
	const VkAllocationCallbacks *allocator) KR_MUST_CHECK;
void kr_adapter_queue_plan_finish(struct kr_adapter_queue_plan *plan);

/* Takes the extra queue back, when the ICD didn't want to give it. */
void kr_adapter_queue_plan_share(struct kr_adapter_queue_plan *plan);

/* Families of the physical device; freed with kr_free. */
VkResult kr_adapter_get_families(const struct kr_adapter_gpu *gpu,
	const VkAllocationCallbacks *allocator, uint32_t *count, VkQueueFamilyProperties **families)
	KR_MUST_CHECK;
/* Graphics and compute imply transfer, whether the bit is set or not. */
static inline bool
kr_family_can_transfer(const VkQueueFamilyProperties *family)
{
	return family->queueFlags &
		(VK_QUEUE_TRANSFER_BIT | VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT);
}

#endif
