/* SPDX-License-Identifier: Apache-2.0 */
/* The ring of flights, and waiting for them. One lock for all: it is held for moments. */
#include "adapter/flights.h"

#include "adapter/image.h"
#include "sync/fence/fork.h"
#include "util/clock.h"

struct kr_mutex kr_flights_lock = KR_MUTEX_INITIALIZER;
static struct kr_cond landed; /* for those that `waiting` counts */
static unsigned waiting KR_GUARDED_BY(kr_flights_lock);
static unsigned generation KR_GUARDED_BY(kr_flights_lock); /* how many forks ago it all began */

unsigned
kr_flights_generation(void)
{
	unsigned now;

	kr_mutex_lock(&kr_flights_lock);
	now = generation;
	kr_mutex_unlock(&kr_flights_lock);
	return now;
}

bool
kr_flights_are_ours_locked(const struct kr_adapter_device *device)
{
	return device->generation == generation;
}

bool
kr_flights_wait_any_locked(int64_t deadline)
{
	bool in_time;

	waiting++;
	in_time = !kr_cond_wait_until(&landed, &kr_flights_lock, deadline);
	waiting--;
	return in_time;
}

static VkResult
take_locked(struct kr_flights *flights, struct kr_adapter_image *image, struct kr_flight **out)
	KR_REQUIRES(kr_flights_lock)
{
	const struct kr_adapter_device *device = flights->queue->device;
	struct kr_flight *flight;

	while (kr_flights_are_ours_locked(device) && !atomic_load(&flights->stop) &&
		flights->next - flights->first == KR_FLIGHTS_MAX)
		(void)kr_flights_wait_any_locked(KR_FOREVER);
	if (!kr_flights_are_ours_locked(device) || atomic_load(&device->lost))
		return VK_ERROR_DEVICE_LOST;
	if (atomic_load(&flights->stop) || flights->next == UINT64_MAX)
		return VK_ERROR_TOO_MANY_OBJECTS;
	flight = &flights->ring[flights->next % KR_FLIGHTS_MAX];
	flight->value = flights->next++;
	flight->state = KR_FLIGHT_TAKEN;
	flight->image = image;
	image->flights++;
	*out = flight;
	return VK_SUCCESS;
}

VkResult
kr_flights_take(struct kr_flights *flights, struct kr_adapter_image *image, bool cpu_copies,
	struct kr_flight **flight)
{
	const struct kr_adapter_device *device = flights->queue->device;
	const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkResult result;

	kr_mutex_lock(&kr_flights_lock);
	result = take_locked(flights, image, flight);
	kr_mutex_unlock(&kr_flights_lock);
	if (result != VK_SUCCESS)
		return result;
	(*flight)->cpu_copies = cpu_copies;
	if ((*flight)->done)
		return VK_SUCCESS;
	result = device->vk.CreateFence(device->handle, &info, device->allocator, &(*flight)->done);
	if (result != VK_SUCCESS)
		kr_flights_launch(flights, *flight, KR_FLIGHT_REFUSED);
	return result;
}

void
kr_flights_launch(struct kr_flights *flights, struct kr_flight *flight, enum kr_flight_state state)
{
	bool first;

	kr_mutex_lock(&kr_flights_lock);
	flight->state = state;
	first = flight->value == flights->first;
	kr_mutex_unlock(&kr_flights_lock);
	/* Unlocked: it would wake only to wait for us. */
	if (first)
		kr_cond_broadcast(&flights->flying);
}

struct kr_flight *
kr_flights_first_locked(struct kr_flights *flights)
{
	for (;;) {
		struct kr_flight *flight = &flights->ring[flights->first % KR_FLIGHTS_MAX];

		if (atomic_load(&flights->stop))
			return NULL;
		if (flights->first == flights->next || flight->state == KR_FLIGHT_TAKEN)
			(void)kr_cond_wait_until(&flights->flying, &kr_flights_lock, KR_FOREVER);
		else if (flight->state == KR_FLIGHT_REFUSED)
			kr_flights_land_locked(flights);
		else
			return flight;
	}
}

void
kr_flights_land_locked(struct kr_flights *flights)
{
	struct kr_flight *flight = &flights->ring[flights->first++ % KR_FLIGHTS_MAX];

	flight->image->flights--;
	flight->image = NULL;
	if (waiting)
		kr_cond_broadcast(&landed);
}

void
kr_flights_stop_locked(struct kr_flights *flights)
{
	atomic_store(&flights->stop, true);
	/* A parent's may have been in the middle of something when it was forked. */
	if (kr_flights_are_ours_locked(flights->queue->device))
		kr_cond_broadcast(&flights->flying);
	kr_cond_broadcast(&landed);
}

bool
kr_flights_wait(struct kr_flights *flights, uint64_t value, int64_t deadline)
{
	bool ours, done, in_time = true;

	kr_mutex_lock(&kr_flights_lock);
	ours = kr_flights_are_ours_locked(flights->queue->device);
	while (ours && flights->first <= value && in_time)
		in_time = kr_flights_wait_any_locked(deadline);
	done = !ours || flights->first > value;
	kr_mutex_unlock(&kr_flights_lock);
	return done;
}

bool
kr_flights_wait_image(const struct kr_adapter_device *device, const struct kr_adapter_image *image,
	int64_t deadline)
{
	bool ours, done, in_time = true;

	kr_mutex_lock(&kr_flights_lock);
	ours = kr_flights_are_ours_locked(device);
	while (ours && image->flights && in_time)
		in_time = kr_flights_wait_any_locked(deadline);
	done = !ours || !image->flights;
	kr_mutex_unlock(&kr_flights_lock);
	return done;
}

static void
before_fork(void) KR_NO_THREAD_SAFETY
{
	kr_mutex_lock(&kr_flights_lock);
}

/* What waits there is no more: conditions of devices are left alone. */
static void
after_fork(bool child) KR_NO_THREAD_SAFETY
{
	if (child) {
		generation++;
		waiting = 0;
		kr_cond_init(&landed);
	}
	kr_mutex_unlock(&kr_flights_lock);
}

__attribute__((constructor)) static void
start(void)
{
	static const struct kr_sync_fork_hook hook = {before_fork, after_fork};

	kr_cond_init(&landed);
	kr_sync_fork_register(KR_SYNC_FORK_FLIGHTS, &hook);
}
