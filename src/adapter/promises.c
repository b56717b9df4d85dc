/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of promised semaphores, and of those that can't be. */
#include "adapter/promises.h"

#include <string.h>

#include "util/alloc.h"

void
kr_promises_init(struct kr_promises *promises, const VkAllocationCallbacks *allocator)
{
	kr_mutex_init(&promises->lock);
	promises->allocator = allocator;
}

void
kr_promises_finish(struct kr_promises *promises)
{
	kr_free(promises->allocator, promises->shared);
	kr_mutex_finish(&promises->lock);
}

static uint32_t
find_shared_locked(const struct kr_promises *promises, VkSemaphore semaphore)
	KR_REQUIRES(promises->lock)
{
	uint32_t i = 0;

	while (i < promises->shared_count && promises->shared[i] != semaphore)
		i++;
	return i;
}

static bool
is_shared_locked(const struct kr_promises *promises, VkSemaphore semaphore)
	KR_REQUIRES(promises->lock)
{
	return promises->all_shared ||
		find_shared_locked(promises, semaphore) < promises->shared_count;
}

static void
forget_image_locked(struct kr_promises *promises, const struct kr_adapter_image *image)
	KR_REQUIRES(promises->lock)
{
	uint32_t count = atomic_load(&promises->count);

	for (uint32_t i = 0; image && i < count; i++) {
		if (promises->promises[i].image == image)
			promises->promises[i].image = NULL;
	}
}

bool
kr_promises_make(struct kr_promises *promises, const struct kr_promise *promise)
{
	uint32_t count;
	bool made;

	kr_mutex_lock(&promises->lock);
	count = atomic_load(&promises->count);
	made = count < KR_PROMISES_MAX && !is_shared_locked(promises, promise->semaphore);
	if (made) {
		forget_image_locked(promises, promise->image);
		promises->promises[count] = *promise;
		atomic_store(&promises->count, count + 1);
	}
	kr_mutex_unlock(&promises->lock);
	return made;
}

bool
kr_promises_take(struct kr_promises *promises, VkSemaphore semaphore, struct kr_promise *taken)
{
	uint32_t count, i = 0;

	if (!kr_promises_any(promises))
		return false;
	kr_mutex_lock(&promises->lock);
	count = atomic_load(&promises->count);
	while (i < count && promises->promises[i].semaphore != semaphore)
		i++;
	if (i < count) {
		if (taken)
			*taken = promises->promises[i];
		promises->promises[i] = promises->promises[count - 1];
		atomic_store(&promises->count, count - 1);
	}
	kr_mutex_unlock(&promises->lock);
	return i < count;
}

void
kr_promises_forget_image(struct kr_promises *promises, const struct kr_adapter_image *image)
{
	if (!kr_promises_any(promises))
		return;
	kr_mutex_lock(&promises->lock);
	forget_image_locked(promises, image);
	kr_mutex_unlock(&promises->lock);
}

static bool
make_room_locked(struct kr_promises *promises) KR_REQUIRES(promises->lock)
{
	uint32_t room = promises->shared_room ? 2 * promises->shared_room : 16;
	VkSemaphore *larger;

	if (promises->shared_count < promises->shared_room)
		return true;
	larger = kr_zalloc_array(
		promises->allocator, room, sizeof(*larger), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
	if (!larger)
		return false;
	if (promises->shared_count)
		memcpy(larger, promises->shared, promises->shared_count * sizeof(*larger));
	kr_free(promises->allocator, promises->shared);
	promises->shared = larger;
	promises->shared_room = room;
	return true;
}

void
kr_promises_share(struct kr_promises *promises, VkSemaphore semaphore)
{
	kr_mutex_lock(&promises->lock);
	atomic_store(&promises->any_shared, true);
	if (!is_shared_locked(promises, semaphore)) {
		if (make_room_locked(promises))
			promises->shared[promises->shared_count++] = semaphore;
		else
			promises->all_shared = true;
	}
	kr_mutex_unlock(&promises->lock);
}

void
kr_promises_forget(struct kr_promises *promises, VkSemaphore semaphore)
{
	uint32_t i;

	kr_promises_take(promises, semaphore, NULL);
	if (!atomic_load_explicit(&promises->any_shared, memory_order_relaxed))
		return;
	kr_mutex_lock(&promises->lock);
	i = find_shared_locked(promises, semaphore);
	if (i < promises->shared_count)
		promises->shared[i] = promises->shared[--promises->shared_count];
	kr_mutex_unlock(&promises->lock);
}
