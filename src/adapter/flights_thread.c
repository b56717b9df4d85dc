/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for flights and ending their fences; starting and stopping who does so. */
#include "adapter/flights_thread.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "adapter/image.h"
#include "adapter/tuning.h"
#include "sync/fence/fork.h"
#include "sync/fence/name.h"
#include "sync/timeline/timeline.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/log.h"

/* How long a thread stays in the driver before it looks whether it shall stop. */
#define SLICE_NS (50 * KR_NSEC_PER_MSEC)
/* How long exit() waits for what is in flight. */
#define EXIT_LIMIT_NS (2 * KR_NSEC_PER_SEC)

/* Those that have a thread: kr_flights.link */
static struct kr_list running KR_GUARDED_BY(kr_flights_lock) = KR_LIST_INITIALIZER(running);
/* exit() has come past: no thread is started any more. */
static bool leaving KR_GUARDED_BY(kr_flights_lock);

static void
pause_ms(void)
{
	const struct timespec pause = {.tv_nsec = KR_NSEC_PER_MSEC};

	nanosleep(&pause, NULL);
}

/*
 * VK_TIMEOUT: told to stop. What a driver can't say now, for lack of memory or of patience, it is
 * asked again, after a pause: the flight is neither done nor lost.
 */
static VkResult
wait_done(const struct kr_flights *flights, const struct kr_flight *flight)
{
	const struct kr_adapter_device *device = flights->queue->device;
	VkResult result;
	int64_t until;

	do {
		until = kr_deadline_in(SLICE_NS);
		result = device->vk.WaitForFences(
			device->handle, 1, &flight->done, VK_TRUE, SLICE_NS);
		if (result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST)
			return result;
		if (kr_clock_now() < until)
			pause_ms();
	} while (!atomic_load(&flights->stop));
	return VK_TIMEOUT;
}

static void
reset(const struct kr_flights *flights, struct kr_flight *flight)
{
	const struct kr_adapter_device *device = flights->queue->device;

	if (device->vk.ResetFences(device->handle, 1, &flight->done) == VK_SUCCESS)
		return;
	device->vk.DestroyFence(device->handle, flight->done, device->allocator);
	flight->done = VK_NULL_HANDLE;
}

/*
 * Everything that the fence promises, then the fence. Of a lost device nothing is
 * known to be done, whatever it says (W-12).
 */
static void
finish(struct kr_flights *flights, struct kr_flight *flight, VkResult result)
{
	struct kr_adapter_device *device = flights->queue->device;
	int err;

	if (result == VK_SUCCESS)
		reset(flights, flight);
	else
		atomic_store(&device->lost, true);
	if (atomic_load(&device->lost)) {
		err = kr_timeline_fail(flights->timeline, flight->value, -EIO);
	} else {
		kr_adapter_image_give_pixels(flight->image, flight->cpu_copies);
		err = kr_timeline_signal(flights->timeline, flight->value);
	}
	/* Then it ends with the timeline, as a failure. */
	if (err)
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "a frame's fence can't be ended (%d)", err);
}

static void *
run(void *data)
{
	struct kr_flights *flights = data;
	struct kr_flight *flight;

	kr_mutex_lock(&kr_flights_lock);
	while ((flight = kr_flights_first_locked(flights))) {
		VkResult result;

		kr_mutex_unlock(&kr_flights_lock);
		result = wait_done(flights, flight);
		if (result != VK_TIMEOUT)
			finish(flights, flight, result);
		kr_mutex_lock(&kr_flights_lock);
		if (result != VK_TIMEOUT)
			kr_flights_land_locked(flights);
	}
	flights->state = KR_FLIGHTS_THREAD_ENDED;
	kr_flights_stop_locked(flights); /* tells who waits for this */
	kr_mutex_unlock(&kr_flights_lock);
	return NULL;
}

/* Not for ever: a signal handler may have called exit() where the lock is held. */
static bool
lock_until(int64_t deadline) KR_NO_THREAD_SAFETY
{
	while (pthread_mutex_trylock(&kr_flights_lock.m)) {
		if (kr_clock_now() >= deadline)
			return false;
		pause_ms();
	}
	return true;
}

/* Those of the parent, which a child finds here, have no thread. */
static bool
is_running_locked(const struct kr_flights *flights) KR_REQUIRES(kr_flights_lock)
{
	return flights->state == KR_FLIGHTS_THREAD_RUNNING &&
		kr_flights_are_ours_locked(flights->queue->device);
}

static bool
any_in_flight_locked(void) KR_REQUIRES(kr_flights_lock)
{
	struct kr_flights *flights;

	kr_list_for_each (flights, &running, link) {
		if (is_running_locked(flights) && flights->first != flights->next)
			return true;
	}
	return false;
}

static bool
any_runs_locked(void) KR_REQUIRES(kr_flights_lock)
{
	struct kr_flights *flights;

	kr_list_for_each (flights, &running, link) {
		if (is_running_locked(flights))
			return true;
	}
	return false;
}

/* One that has ended, and is to be joined; NULL: there is none. */
static struct kr_flights *
find_ended_locked(void) KR_REQUIRES(kr_flights_lock)
{
	struct kr_flights *flights;

	kr_list_for_each (flights, &running, link) {
		if (flights->state == KR_FLIGHTS_THREAD_ENDED &&
			kr_flights_are_ours_locked(flights->queue->device))
			return flights;
	}
	return NULL;
}

/* Joins those that have ended, which takes no time. */
static void
join_ended_locked(void) KR_REQUIRES(kr_flights_lock)
{
	struct kr_flights *flights;

	while ((flights = find_ended_locked())) {
		pthread_t thread = flights->thread;

		kr_list_remove(&flights->link);
		flights->state = KR_FLIGHTS_THREAD_NONE;
		kr_mutex_unlock(&kr_flights_lock);
		pthread_join(thread, NULL);
		kr_mutex_lock(&kr_flights_lock);
	}
}

/*
 * A thread that doesn't end is left: it waits for a lock of whoever was interrupted by a
 * signal's handler that called exit().
 */
static void
at_exit(void) KR_NO_THREAD_SAFETY
{
	int64_t deadline = kr_clock_now() + EXIT_LIMIT_NS;
	struct kr_flights *flights;
	bool in_time = true;

	if (!lock_until(deadline))
		return;
	while (any_in_flight_locked() && in_time)
		in_time = kr_flights_wait_any_locked(deadline);
	leaving = true;
	kr_list_for_each (flights, &running, link)
		kr_flights_stop_locked(flights);
	deadline = kr_clock_now() + 2 * SLICE_NS;
	for (in_time = true; any_runs_locked() && in_time;)
		in_time = kr_flights_wait_any_locked(deadline);
	join_ended_locked();
	kr_mutex_unlock(&kr_flights_lock);
}

static void
register_exit(void)
{
	if (atexit(at_exit))
		kr_debug("adapter: exit() won't wait for frames in flight");
}

/* Signals are for the application's threads. */
static VkResult
start_locked(struct kr_flights *flights) KR_REQUIRES(kr_flights_lock)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	sigset_t all, before;
	int err;

	if (leaving || kr_adapter_tuning.no_flights)
		return VK_ERROR_TOO_MANY_OBJECTS;
	pthread_once(&once, register_exit);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&flights->thread, NULL, run, flights);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return VK_ERROR_TOO_MANY_OBJECTS;
	pthread_setname_np(flights->thread, "krafla-flights");
	flights->state = KR_FLIGHTS_THREAD_RUNNING;
	kr_list_append(&running, &flights->link);
	return VK_SUCCESS;
}

/* A label for people: the program, and which of its queues. */
static int
create_timeline(const struct kr_adapter_queue *queue, struct kr_timeline **timeline)
{
	char name[KR_SYNC_TEXT];

	snprintf(name, sizeof(name), "%.20s queue %u", program_invocation_short_name,
		(unsigned)(queue - queue->device->queues));
	return kr_timeline_create(name, NULL, NULL, timeline);
}

static VkResult
create(struct kr_adapter_queue *queue, struct kr_flights **out)
{
	const VkAllocationCallbacks *allocator = queue->device->allocator;
	struct kr_flights *flights =
		kr_zalloc(allocator, sizeof(*flights), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
	int err;

	if (!flights)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	err = kr_sync_fork_init();
	if (!err)
		err = create_timeline(queue, &flights->timeline);
	if (err) {
		kr_free(allocator, flights);
		return err == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_FEATURE_NOT_PRESENT;
	}
	flights->queue = queue;
	flights->first = flights->next = 1;
	kr_list_init(&flights->link);
	kr_cond_init(&flights->flying);
	*out = flights;
	return VK_SUCCESS;
}

static void
destroy(struct kr_flights *flights)
{
	const struct kr_adapter_device *device;
	bool ours;

	if (!flights)
		return;
	device = flights->queue->device;
	kr_mutex_lock(&kr_flights_lock);
	ours = kr_flights_are_ours_locked(flights->queue->device);
	kr_mutex_unlock(&kr_flights_lock);
	kr_timeline_destroy(flights->timeline);
	for (unsigned i = 0; i < KR_FLIGHTS_MAX; i++)
		device->vk.DestroyFence(device->handle, flights->ring[i].done, device->allocator);
	/* A thread of the parent may have waited for it. */
	if (ours)
		kr_cond_finish(&flights->flying);
	kr_free(device->allocator, flights);
}

VkResult
kr_flights_open(struct kr_adapter_queue *queue, struct kr_flights **out)
{
	struct kr_flights *flights = atomic_load(&queue->flights), *other = NULL;
	VkResult result;

	if (flights) {
		*out = flights;
		return VK_SUCCESS;
	}
	result = create(queue, &flights);
	if (result != VK_SUCCESS)
		return result;
	kr_mutex_lock(&kr_flights_lock);
	other = atomic_load(&queue->flights);
	if (!other)
		result = start_locked(flights);
	if (!other && result == VK_SUCCESS)
		atomic_store(&queue->flights, flights);
	kr_mutex_unlock(&kr_flights_lock);
	if (other || result != VK_SUCCESS)
		destroy(flights);
	if (result == VK_SUCCESS)
		*out = other ? other : flights;
	return result;
}

/* Whether there is a thread to join: what it has in flight has landed, or won't in time. */
static bool
end_locked(struct kr_flights *flights) KR_REQUIRES(kr_flights_lock)
{
	int64_t deadline = kr_deadline_in(kr_adapter_tuning.landing_limit_ns);
	bool in_time = true;

	while (is_running_locked(flights) && flights->first != flights->next && in_time)
		in_time = kr_flights_wait_any_locked(deadline);
	if (!in_time)
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"vkDestroyDevice: the driver doesn't end the frames it was given: their fences fail");
	kr_list_remove(&flights->link);
	kr_flights_stop_locked(flights);
	return kr_flights_are_ours_locked(flights->queue->device) &&
		flights->state != KR_FLIGHTS_THREAD_NONE;
}

void
kr_flights_close(struct kr_adapter_queue *queue)
{
	struct kr_flights *flights = atomic_load(&queue->flights);
	bool joins;

	if (!flights)
		return;
	kr_mutex_lock(&kr_flights_lock);
	joins = end_locked(flights);
	kr_mutex_unlock(&kr_flights_lock);
	if (joins)
		pthread_join(flights->thread, NULL);
	destroy(flights);
	atomic_store(&queue->flights, NULL);
}
