/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Present ids of a swapchain, and who waits for them (VK_KHR_present_wait, present_wait2).
 *
 * An id stands for a frame of the window's queue, whose numbers only grow, as ids do. So the ids
 * that may still be waited for are a queue of (id, frame): whoever waits takes the first that is
 * large enough and asks the window for its frame; what was shown goes from the front.
 *
 *   push -> [ 7:31 | 8:32 | 12:33 ] -> shown: 6
 *
 * Bounded: when it is full, the last one makes place for the new one, which stands for both then. A
 * wait for the former ends with the latter's frame: later, never too early.
 *
 * A window of another platform can't tell what it has shown. There a frame counts once its
 * fence has signalled, the driver's work on it being done: each entry holds a duplicate.
 *
 * Thread-safety: waits are allowed from any threads while the swapchain is used by another
 * (VK_KHR_present_wait), except that it is not destroyed. `lock` is taken last of all and held
 * across no call of a window.
 */
#ifndef KR_WSI_PRESENT_IDS_H
#define KR_WSI_PRESENT_IDS_H

#include <krafla/native_window.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"
#include "util/mutex.h"

#define KR_WSI_PRESENT_IDS_MAX 64u

struct kr_wsi_present_id {
	uint64_t id;
	uint64_t frame;
	int fence; /* windows that can't tell; else -1 */
};

struct kr_wsi_present_ids {
	ANativeWindow *window; /* the swapchain's */
	bool tells;            /* it knows what was shown */
	struct kr_mutex lock;
	struct kr_cond pushed; /* an id was added */
	uint64_t shown KR_GUARDED_BY(lock);
	uint64_t last KR_GUARDED_BY(lock); /* the largest that was presented */
	uint32_t first KR_GUARDED_BY(lock);
	uint32_t count KR_GUARDED_BY(lock);
	struct kr_wsi_present_id ring[KR_WSI_PRESENT_IDS_MAX] KR_GUARDED_BY(lock);
};

void kr_wsi_present_ids_init(struct kr_wsi_present_ids *ids, ANativeWindow *window);
void kr_wsi_present_ids_finish(struct kr_wsi_present_ids *ids);

/*
 * A frame was queued with this id. One that doesn't grow is none (logged): Vulkan forbids it. Of
 * `fence`, borrowed, a window that can't tell gets a duplicate.
 */
void kr_wsi_present_ids_push(
	struct kr_wsi_present_ids *ids, uint64_t id, uint64_t frame, int fence);

/*
 * Waits until the frame of `id`, or of a later one, was shown, replaced or dropped. 0; -ETIMEDOUT;
 * -ENODEV: the far end is gone. *presented: whether there was such a frame by then.
 */
int kr_wsi_present_ids_wait(struct kr_wsi_present_ids *ids, uint64_t id, int64_t deadline_ns,
	bool *presented) KR_MUST_CHECK;

#endif
