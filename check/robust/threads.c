/* SPDX-License-Identifier: Apache-2.0 */
/* Threads: what the specification lets them do at once (D-03, W-07). */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "check/robust/robust.h"

#define THREADS 8
#define FRAMES  60
#define ROUNDS  40

struct shared {
	struct check *c;
	struct check_device device;
	pthread_mutex_t queue; /* a queue is for one thread at a time */
	pthread_barrier_t start;
};

struct worker {
	struct shared *shared;
	unsigned number;
	pthread_t thread;
	struct check_image image;
	VkSemaphore semaphore;
};

static void
run_all(struct shared *shared, struct worker *workers, void *(*run)(void *))
{
	int ret;

	pthread_mutex_init(&shared->queue, NULL);
	pthread_barrier_init(&shared->start, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++) {
		workers[i].shared = shared;
		workers[i].number = i;
		ret = pthread_create(&workers[i].thread, NULL, run, &workers[i]);
		if (ret)
			check_skip(shared->c, "no thread can be started: %s", strerror(ret));
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
}

/* vkAcquireImageANDROID needs no lock; submitting and releasing need the queue's. */
static void *
draw(void *data)
{
	struct worker *worker = data;
	struct shared *shared = worker->shared;
	struct check_device *device = &shared->device;
	struct check *c = shared->c;
	float rgba[4];

	pthread_barrier_wait(&shared->start);
	for (unsigned i = 0; i < FRAMES; i++) {
		int fence = -1;

		robust_colour(worker->number + i, rgba);
		CHECK_SUCCESS(c, vkAcquireImageANDROID, device->device, worker->image.image, -1,
			worker->semaphore, VK_NULL_HANDLE);
		pthread_mutex_lock(&shared->queue);
		check_clear(c, device, &worker->image, 0, rgba, worker->semaphore, VK_NULL_HANDLE);
		CHECK_SUCCESS(c, vkQueueSignalReleaseImageANDROID, device->queues[0], 0, NULL,
			worker->image.image, &fence);
		pthread_mutex_unlock(&shared->queue);
		robust_end(c, fence);
	}
	return NULL;
}

static void
draw_frames(struct check *c)
{
	struct shared shared = {.c = c};
	struct worker workers[THREADS];
	float rgba[4];

	check_make_device(c, NULL, &shared.device);
	for (unsigned i = 0; i < THREADS; i++) {
		check_make_image(c, &shared.device, NULL, &workers[i].image);
		workers[i].semaphore = robust_semaphore(c, &shared.device);
	}
	run_all(&shared, workers, draw);
	for (unsigned i = 0; i < THREADS; i++) {
		robust_colour(i + FRAMES - 1, rgba);
		check_pixels(c, &workers[i].image, rgba);
	}
}

static void *
make_images(void *data)
{
	const struct worker *worker = data;
	struct shared *shared = worker->shared;
	struct check_image image;

	pthread_barrier_wait(&shared->start);
	for (unsigned i = 0; i < ROUNDS; i++) {
		const struct check_image_request request = {
			.width = 16 + worker->number, .height = 8 + i};

		check_make_image(shared->c, &shared->device, &request, &image);
		check_destroy_image(shared->c, &shared->device, &image);
	}
	return NULL;
}

static void
make_and_destroy_images(struct check *c)
{
	struct shared shared = {.c = c};
	struct worker workers[THREADS];
	unsigned before;

	check_make_device(c, NULL, &shared.device);
	run_all(&shared, workers, make_images);
	before = check_descriptors(c);
	run_all(&shared, workers, make_images);
	CHECK(c, check_descriptors(c) <= before, "%u descriptors were open before, and %u after",
		before, check_descriptors(c));
}

static void *
make_instances(void *data)
{
	const struct worker *worker = data;
	struct shared *shared = worker->shared;
	struct check *c = shared->c;

	pthread_barrier_wait(&shared->start);
	for (unsigned i = 0; i < ROUNDS / 4; i++) {
		VkInstance instance = VK_NULL_HANDLE;
		VkResult result = check_try_instance(c, NULL, &instance);
		uint32_t count = 0;

		CHECK(c, result == VK_SUCCESS, "vkCreateInstance gave %s beside others",
			check_result_name(result));
		CHECK_SUCCESS(c, vkEnumeratePhysicalDevices, instance, &count, NULL);
		CHECK(c, count, "an instance that was made beside others has no devices");
		CHECK_CALL(c, vkDestroyInstance, instance, NULL);
	}
	return NULL;
}

static void
make_and_destroy_instances(struct check *c)
{
	struct shared shared = {.c = c};
	struct worker workers[THREADS];

	check_make_instance(c, NULL); /* its functions are those of the others */
	run_all(&shared, workers, make_instances);
}

static const struct check_case rows[] = {
	{
		.name = "threads.draw_frames",
		.requirement = "W-07 W-08",
		.expected =
			"eight threads acquire images at once, and submit and release in turns; each frame is exact",
		.consequence =
			"programs with several windows, or that acquire on a thread of their own, show wrong frames or crash",
		.run = draw_frames,
		.timeout_s = 60,
	},
	{
		.name = "threads.make_and_destroy_images",
		.requirement = "W-03",
		.expected =
			"eight threads make and destroy images of buffers at once, and nothing is left of them",
		.consequence = "windows that are resized at once crash the program, or leak",
		.run = make_and_destroy_images,
		.timeout_s = 60,
	},
	{
		.name = "threads.make_and_destroy_instances",
		.requirement = "D-03",
		.expected =
			"eight threads make instances, ask for devices and destroy them at once",
		.consequence = "programs whose libraries each use Vulkan crash when they start",
		.run = make_and_destroy_instances,
		.timeout_s = 60,
	},
};

const struct check_rows check_robust_threads = CHECK_ROWS(rows);
