/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Semaphores that an acquire has promised to signal, without a submit for it; and images that are
 * to be taken back from whoever looks at their memory (exported.h) before anybody goes on who waits
 * for such a semaphore.
 *
 * When an acquire returns, nothing stands between the application and its image any more: the
 * buffer's fence has been waited for. What is left of the semaphore is a form, and the form is
 * dear: a submit for each frame, and where it goes to another queue than the frame, the hand-over
 * between the two (on an NVIDIA H100 some 350 us, where the frame's own submits take 54). So the
 * semaphore is written down here, and the submission that waits for it is handed to the ICD without
 * that wait. Where that can't be (an array beside the waits that would have to be cut, too;
 * sparse binding; the driver's own swapchains; an export), the signal is submitted after all, just
 * before, on the queue that waits for it.
 *
 * An image is taken back by what is put in front of the submission that waits, in the same call:
 * not by a submit of its own, for the same reason. With SYNC_FD the semaphore is the driver's to
 * wait for (`imported`), and what takes the image back waits in the submission's place.
 *
 * A semaphore that another device, process or API may wait for is never promised: its waits don't
 * all come past here. Such are those that can be exported, and those that were imported.
 *
 * Thread-safety: any thread. That a waiter sees what an acquire has written down is the
 * application's to see to: it has to know of the acquire before it may wait.
 */
#ifndef KR_ADAPTER_PROMISES_H
#define KR_ADAPTER_PROMISES_H

#include <stdatomic.h>
#include <stdbool.h>
#include "util/mutex.h"
#include "util/vulkan.h"

/* At a time; an acquire beyond them submits its signal. */
#define KR_PROMISES_MAX 64u

struct kr_adapter_image;

struct kr_promise {
	VkSemaphore semaphore;
	bool imported;                  /* its signal comes from the driver */
	struct kr_adapter_image *image; /* to be taken back; NULL: none */
};

struct kr_promises {
	_Atomic(uint32_t) count; /* a zero keeps everybody away from the lock */
	struct kr_mutex lock;
	struct kr_promise promises[KR_PROMISES_MAX] KR_GUARDED_BY(lock);
	/* Others may wait for these; `all_shared`: no memory was left to say for which. */
	_Atomic(bool) any_shared;
	bool all_shared KR_GUARDED_BY(lock);
	VkSemaphore *shared KR_GUARDED_BY(lock);
	uint32_t shared_count KR_GUARDED_BY(lock);
	uint32_t shared_room KR_GUARDED_BY(lock);
	const VkAllocationCallbacks *allocator;
};

void kr_promises_init(struct kr_promises *promises, const VkAllocationCallbacks *allocator);
void kr_promises_finish(struct kr_promises *promises);
/*
 * False: there are as many as there can be, or others may wait for it. An image that an earlier
 * promise has is this one's from now on.
 */
bool kr_promises_make(struct kr_promises *promises, const struct kr_promise *promise) KR_MUST_CHECK;
/* Whether it was promised; it isn't any more. `taken`, or NULL: what was. */
bool kr_promises_take(
	struct kr_promises *promises, VkSemaphore semaphore, struct kr_promise *taken);
/* The image goes: nobody takes it back. */
void kr_promises_forget_image(struct kr_promises *promises, const struct kr_adapter_image *image);
/* Others may wait for it from now on, until it is forgotten. */
void kr_promises_share(struct kr_promises *promises, VkSemaphore semaphore);
/* It is destroyed: promised it isn't any more, nor shared. */
void kr_promises_forget(struct kr_promises *promises, VkSemaphore semaphore);

static inline bool
kr_promises_any(const struct kr_promises *promises)
{
	return atomic_load_explicit(&promises->count, memory_order_relaxed);
}

#endif
