/* SPDX-License-Identifier: Apache-2.0 */
/* The table of promised semaphores. */
#include "adapter/promises.h"

void
kr_promises_init(struct kr_promises *promises)
{
	kr_mutex_init(&promises->lock);
}

void
kr_promises_finish(struct kr_promises *promises)
{
	kr_mutex_finish(&promises->lock);
}

bool
kr_promises_make(struct kr_promises *promises, VkSemaphore semaphore)
{
	uint32_t count;

	kr_mutex_lock(&promises->lock);
	count = atomic_load(&promises->count);
	if (count < KR_PROMISES_MAX) {
		promises->semaphores[count] = semaphore;
		atomic_store(&promises->count, count + 1);
	}
	kr_mutex_unlock(&promises->lock);
	return count < KR_PROMISES_MAX;
}

bool
kr_promises_take(struct kr_promises *promises, VkSemaphore semaphore)
{
	uint32_t count, i = 0;

	if (!kr_promises_any(promises))
		return false;
	kr_mutex_lock(&promises->lock);
	count = atomic_load(&promises->count);
	while (i < count && promises->semaphores[i] != semaphore)
		i++;
	if (i < count) {
		promises->semaphores[i] = promises->semaphores[count - 1];
		atomic_store(&promises->count, count - 1);
	}
	kr_mutex_unlock(&promises->lock);
	return i < count;
}
