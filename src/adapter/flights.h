/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Releases in flight: what a queue was given to do and hasn't done yet, first come first.
 *
 *   taken --submitted--> flying --done, copied, signalled--> landed
 *     '-----refused------------------------------------------^
 *
 * A queue has a timeline of fences and a thread that waits for its flights, both from its first
 * release on. A thread of its own, not one for the device that waits for any of its queues: such a
 * wait keeps a processor busy where the driver knows none (lavapipe 22.3, with two timeline
 * semaphores or two fences: 0.49 s of 0.50 s, measured), and something would have to wake it. So a
 * fast queue's fence can't wait for a slow one. Each flight has a VkFence, used again when it has
 * landed, so that any driver will do.
 *
 * Fork: the flights stay the parent's. A child neither waits for them nor ends them
 * (sync/fence/fork.h).
 */
#ifndef KR_ADAPTER_FLIGHTS_H
#define KR_ADAPTER_FLIGHTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "adapter/device.h"
#include "util/list.h"

struct kr_timeline;

/* Flights of one queue at a time. Beyond, a release waits for the oldest to land. */
#define KR_FLIGHTS_MAX 64

enum kr_flight_state {
	KR_FLIGHT_TAKEN,   /* about to be submitted */
	KR_FLIGHT_FLYING,  /* `done` was submitted */
	KR_FLIGHT_REFUSED, /* nothing was submitted: it lands by itself */
};

struct kr_flight {
	uint64_t value; /* on the timeline */
	enum kr_flight_state state;
	struct kr_adapter_image *image; /* kept until it has landed */
	bool cpu_copies;                /* when the GPU is done: kr_adapter_image_give_pixels */
	VkFence done;                   /* unsignalled and not pending between flights */
};

struct kr_flights {
	struct kr_adapter_queue *queue;
	struct kr_timeline *timeline;
	/* The rest is guarded by kr_flights_lock, but `stop`, which the thread reads in between. */
	struct kr_flight ring[KR_FLIGHTS_MAX]; /* by value; [first, next) are not landed */
	uint64_t first;
	uint64_t next;
	struct kr_cond flying; /* the first flight flies or was refused, or `stop` */
	atomic_bool stop;
	/* flights_thread.c */
	struct kr_list link;
	pthread_t thread;
	enum kr_flights_thread {
		KR_FLIGHTS_THREAD_NONE,
		KR_FLIGHTS_THREAD_RUNNING,
		KR_FLIGHTS_THREAD_ENDED, /* to be joined, which takes no time */
	} state;
};

extern struct kr_mutex kr_flights_lock;

/* For a device's `generation`: how often its process has come from a fork. */
unsigned kr_flights_generation(void);
/* False in a child of the process that made the device. */
bool kr_flights_are_ours_locked(const struct kr_adapter_device *device)
	KR_REQUIRES(kr_flights_lock);

/*
 * The next flight; waits while there are as many as can be. VK_ERROR_DEVICE_LOST: also for a child
 * of the process that made the device. VK_ERROR_TOO_MANY_OBJECTS: values have run out.
 */
VkResult kr_flights_take(struct kr_flights *flights, struct kr_adapter_image *image,
	bool cpu_copies, struct kr_flight **flight) KR_MUST_CHECK;
/* It was submitted, or not: the thread goes on. */
void kr_flights_launch(
	struct kr_flights *flights, struct kr_flight *flight, enum kr_flight_state state);

/* For the thread: the first flight, waited for; NULL when it shall stop. */
struct kr_flight *kr_flights_first_locked(struct kr_flights *flights) KR_REQUIRES(kr_flights_lock);
/* It has landed. */
void kr_flights_land_locked(struct kr_flights *flights) KR_REQUIRES(kr_flights_lock);

/* Tells the thread to stop, and those who wait that it will. */
void kr_flights_stop_locked(struct kr_flights *flights) KR_REQUIRES(kr_flights_lock);

/* Waits until one may have landed, anywhere. False when the deadline came first. */
bool kr_flights_wait_any_locked(int64_t deadline) KR_REQUIRES(kr_flights_lock);
/*
 * Waits until the flights up to `value`, or those that use the image, have landed. False when the
 * deadline came first. In a child of the process that made them they count as landed.
 */
bool kr_flights_wait(struct kr_flights *flights, uint64_t value, int64_t deadline);
bool kr_flights_wait_image(const struct kr_adapter_device *device,
	const struct kr_adapter_image *image, int64_t deadline);

#endif
