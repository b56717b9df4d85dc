/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submissions without the waits for what acquires have promised (promises.h).
 *
 * Memory is the caller's, on its stack: what doesn't fit is signalled by a submit instead.
 */
#ifndef KR_ADAPTER_PROMISED_WAITS_H
#define KR_ADAPTER_PROMISED_WAITS_H

#include <stdint.h>
#include "adapter/device.h"
#include "util/macros.h"

#define KR_FEW_SUBMITS 4
#define KR_FEW_WAITS   16
/* Images that are taken back in front of one submission; more are by submits of their own. */
#define KR_FEW_TAKES 4

/* What was taken out, in case that the ICD doesn't take the submission. */
struct kr_promised_waits {
	struct kr_promise taken[KR_FEW_WAITS];
	uint32_t count;
};

struct kr_shorter_submits {
	struct kr_promised_waits promised;
	VkSubmitInfo infos[KR_FEW_SUBMITS + KR_FEW_TAKES];
	VkSemaphore waits[KR_FEW_WAITS];
	VkPipelineStageFlags stages[KR_FEW_WAITS];
	/* In front of others: what takes images back. */
	VkCommandBuffer takes[KR_FEW_TAKES];
	VkSemaphore take_waits[KR_FEW_TAKES];
	uint32_t take_count;
};

struct kr_shorter_submits2 {
	struct kr_promised_waits promised;
	VkSubmitInfo2 infos[KR_FEW_SUBMITS + KR_FEW_TAKES];
	VkSemaphoreSubmitInfo waits[KR_FEW_WAITS];
	VkCommandBufferSubmitInfo takes[KR_FEW_TAKES];
	VkSemaphoreSubmitInfo take_waits[KR_FEW_TAKES];
	uint32_t take_count;
};

/*
 * *submits, *count of them, become what the ICD is to be given: as it is, or in `shorter`. Fails as
 * a submit does; then nothing has happened. The caller owns the queue as for vkQueueSubmit,
 * without its lock.
 */
VkResult kr_promised_waits_leave_out(struct kr_adapter_queue *queue, uint32_t *count,
	const VkSubmitInfo **submits, struct kr_shorter_submits *shorter) KR_MUST_CHECK;
VkResult kr_promised_waits_leave_out2(struct kr_adapter_queue *queue, uint32_t *count,
	const VkSubmitInfo2 **submits, struct kr_shorter_submits2 *shorter) KR_MUST_CHECK;
/*
 * After the submission, with its result: what it was without is promised again if it has failed, as
 * nothing has happened then. The result; VK_ERROR_DEVICE_LOST when there is no room any more.
 */
VkResult kr_promised_waits_done(struct kr_adapter_device *device,
	const struct kr_promised_waits *promised, VkResult result) KR_MUST_CHECK;

/*
 * Signals those of the semaphores that were promised, on this queue: for waits that can't be left
 * out, and for what isn't a wait.
 */
VkResult kr_promised_waits_signal(struct kr_adapter_queue *queue, uint32_t count,
	const VkSemaphore *semaphores) KR_MUST_CHECK;

#endif
