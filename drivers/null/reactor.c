/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that waits for what comes from outside: native fences that were acquired and haven't
 * signalled (W-07), release fences that are to be late, and work that takes its time. It sleeps in
 * poll without any lock; the eventfd wakes it when there is more to wait for, or an end.
 */
#include "null/null.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "null/mutants.h"
#include "null/native_image.h"
#include "null/queue.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"

struct poll_list {
	struct pollfd *fds;
	size_t capacity;
	size_t count;
};

/*
 * Makes room for `count`; without memory the list stays as long as it is, and the others wait for
 * the next round.
 */
static void
reserve(struct poll_list *list, size_t count)
{
	struct pollfd *fds;

	if (count <= list->capacity)
		return;
	fds = realloc(list->fds, count * sizeof(*fds));
	if (!fds)
		return;
	list->fds = fds;
	list->capacity = count;
}

static void
add_fd(struct poll_list *list, int fd)
{
	reserve(list, list->count + 1);
	if (list->count < list->capacity)
		list->fds[list->count++] = (struct pollfd){.fd = fd, .events = POLLIN};
}

static int64_t
collect(struct null_device *device, struct poll_list *list) KR_REQUIRES(device->lock)
{
	int64_t deadline = KR_FOREVER;
	struct null_acquire *acquire;
	struct null_release *release;

	list->count = 0;
	add_fd(list, device->wake_fd);
	kr_list_for_each (acquire, &device->acquires, link) {
		add_fd(list, acquire->fd);
		deadline = KR_MIN(deadline, acquire->deadline);
	}
	kr_list_for_each (release, &device->held, link)
		deadline = KR_MIN(deadline, release->deadline);
	for (size_t i = 0; i < NULL_QUEUE_COUNT; i++)
		deadline = KR_MIN(deadline, null_queue_work_end(&device->queues[i]));
	return deadline;
}

/* Whether a wrong driver signals nothing though the fence is over. */
static bool
misses(const struct null_acquire *acquire, int status)
{
	if (null_has_fault(failing_fence_signals_nothing) && status == -EIO)
		return true;
	if (null_has_fault(dead_consumer_signals_nothing) && status == -EOWNERDEAD)
		return true;
	return null_has_fault(quick_fence_is_missed) &&
		kr_clock_now() - acquire->since < KR_NSEC_PER_MSEC / 10;
}

/* Whether a wrong driver leaves the descriptor open: one for what it was given beside it. */
static bool
keeps_fd(const struct null_acquire *acquire)
{
	if (acquire->semaphore && acquire->fence)
		return null_has_fault(keeps_fd_with_both);
	if (acquire->semaphore)
		return null_has_fault(keeps_fd_with_a_semaphore);
	if (acquire->fence)
		return null_has_fault(keeps_fd_with_a_fence);
	return null_has_fault(keeps_fd_with_nothing);
}

static void
finish_acquire(struct null_device *device, struct null_acquire *acquire, int status)
	KR_REQUIRES(device->lock)
{
	static uint32_t count;

	if (acquire->image)
		null_native_image_acquired(device, acquire->image);
	if (acquire->semaphore && !misses(acquire, status))
		acquire->semaphore->value = 1;
	if (acquire->fence && !misses(acquire, status))
		acquire->fence->signalled = true;
	kr_list_remove(&acquire->link);
	if ((!null_has_fault(twentieth_fence_stays_open) || ++count % 20) && !keeps_fd(acquire))
		close(acquire->fd);
	free(acquire);
}

/* A fence that failed is over too: what was in the buffer is then anybody's guess, but no hang. */
static void
finish_acquires(struct null_device *device) KR_REQUIRES(device->lock)
{
	struct null_acquire *acquire, *next;
	int64_t now = kr_clock_now();
	bool all = false;

	if (null_has_fault(any_fence_is_all_fences)) {
		kr_list_for_each (acquire, &device->acquires, link)
			all |= kr_fence_status(acquire->fd) != KR_FENCE_ACTIVE;
	}
	kr_list_for_each_safe (acquire, next, &device->acquires, link) {
		int status = kr_fence_status(acquire->fd);

		if (status != KR_FENCE_ACTIVE || now >= acquire->deadline || all)
			finish_acquire(device, acquire, status);
		else if (null_has_fault(fences_are_waited_for_in_turn))
			break;
	}
}

static void
finish_late_releases(struct null_device *device) KR_REQUIRES(device->lock)
{
	struct null_release *release, *next;
	int64_t now = kr_clock_now();

	kr_list_for_each_safe (release, next, &device->held, link) {
		if (release->deadline > now)
			continue;
		kr_fence_signal(release->producer, KR_FENCE_SIGNALLED);
		release->producer = -1;
		null_release_destroy(release);
	}
}

static void *
reactor_main(void *data)
{
	struct null_device *device = data;
	struct poll_list list = {0};

	kr_mutex_lock(&device->lock);
	while (!device->reactor_stops) {
		int64_t deadline = collect(device, &list);
		uint64_t count;

		kr_mutex_unlock(&device->lock);
		/* Fences are asked below: without poll they are only found a little later. */
		if (kr_fd_poll(list.fds, list.count, deadline) < 0)
			nanosleep(&(struct timespec){.tv_nsec = 10 * KR_NSEC_PER_MSEC}, NULL);
		kr_mutex_lock(&device->lock);
		while (read(device->wake_fd, &count, sizeof(count)) > 0)
			;
		finish_acquires(device);
		finish_late_releases(device);
		null_device_progress(device);
	}
	kr_mutex_unlock(&device->lock);
	free(list.fds);
	return NULL;
}

/* Signals are the application's: the thread takes none. */
static int
start_thread(struct null_device *device)
{
	sigset_t all, before;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&device->reactor, NULL, reactor_main, device);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -ret;
}

int
null_reactor_wake(struct null_device *device)
{
	uint64_t one = 1;
	int ret;

	if (!device->reactor_runs) {
		device->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (device->wake_fd < 0)
			return -errno;
		ret = start_thread(device);
		if (ret) {
			kr_fd_close(&device->wake_fd);
			return ret;
		}
		device->reactor_runs = true;
	}
	return write(device->wake_fd, &one, sizeof(one)) == sizeof(one) ? 0 : -errno;
}

void
null_reactor_stop(struct null_device *device)
{
	struct null_acquire *acquire, *next;
	bool runs;

	kr_mutex_lock(&device->lock);
	device->reactor_stops = true;
	runs = device->reactor_runs && !null_reactor_wake(device);
	kr_mutex_unlock(&device->lock);
	if (runs)
		pthread_join(device->reactor, NULL);
	kr_fd_close(&device->wake_fd);
	kr_list_for_each_safe (acquire, next, &device->acquires, link) {
		kr_list_remove(&acquire->link);
		if (!null_has_fault(lost_acquire_stays_open) || !device->lost)
			close(acquire->fd);
		free(acquire);
	}
}
