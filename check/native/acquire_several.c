/* SPDX-License-Identifier: Apache-2.0 */
/* Several acquires: each has its own fence, and each its own signal (W-07). */
#include "check/native/native.h"

#define MANY 3

static void
each_waits_for_its_own(struct check *c)
{
	struct native_scene scenes[MANY];
	struct native_fence given[MANY];
	VkFence fences[MANY];

	check_make_device(c, NULL, &scenes[0].device);
	for (int i = 0; i < MANY; i++) {
		scenes[i].device = scenes[0].device;
		check_make_image(c, &scenes[0].device, NULL, &scenes[i].image);
		fences[i] = native_vk_fence(c, &scenes[0].device);
	}
	/* In the order of the acquires, for drivers that wait inside them. */
	for (int i = 0; i < MANY; i++)
		given[i] = native_fence_later(c, NATIVE_LATE_MS * (i + 1));
	for (int i = 0; i < MANY; i++)
		native_acquire(c, &scenes[i], given[i].fd, VK_NULL_HANDLE, fences[i]);
	for (int i = MANY; i-- > 0;)
		native_wait_after(c, &scenes[0].device, fences[i], &given[i], "the VkFence");
}

/* The first signal is used up; only the second acquire brings another. */
static void
semaphore_signals_once(struct check *c)
{
	struct native_scene scene;
	struct native_fence given;
	VkSemaphore semaphore;
	VkFence done;

	native_scene_make(c, &scene);
	semaphore = native_semaphore(c, &scene.device);
	done = native_vk_fence(c, &scene.device);
	native_acquire(c, &scene, -1, semaphore, VK_NULL_HANDLE);
	native_consume(c, &scene.device, semaphore, "what waits for the semaphore");
	native_give_back(c, &scene.device, &scene.image);
	given = native_fence_later(c, NATIVE_LATE_MS);
	native_acquire(c, &scene, given.fd, semaphore, VK_NULL_HANDLE);
	native_submit(c, &scene.device, semaphore, VK_NULL_HANDLE, done);
	native_wait_after(c, &scene.device, done, &given, "work that waits for the semaphore");
}

/* As swapchains do, each frame with the fence of the release before; the first one comes late. */
static void
fence_of_a_release(struct check *c)
{
	static const float colours[2][4] = {{1.0f, 0.0f, 0.0f, 1.0f}, {0.0f, 1.0f, 0.0f, 1.0f}};
	struct native_scene scene;
	VkSemaphore semaphore;
	int fence;

	native_scene_make(c, &scene);
	semaphore = native_semaphore(c, &scene.device);
	fence = native_fence_later(c, NATIVE_LATE_MS).fd;
	for (int i = 0; i < 16; i++) {
		native_acquire(c, &scene, fence, semaphore, VK_NULL_HANDLE);
		check_clear(c, &scene.device, &scene.image, 0, colours[i % 2], semaphore,
			VK_NULL_HANDLE);
		fence = native_release(c, &scene.device, &scene.image, 0, NULL);
	}
	native_released(c, fence, NULL);
	check_pixels(c, &scene.image, colours[1]);
}

static const struct check_case rows[] = {
	{
		.name = "acquire.each_waits_for_its_own",
		.requirement = "W-07",
		.expected = "of several acquired images each waits for its own fence",
		.consequence = "windows tear as soon as a swapchain has three images",
		.run = each_waits_for_its_own,
	},
	{
		.name = "acquire.semaphore_signals_once",
		.requirement = "W-07",
		.expected = "an acquire signals its semaphore for one wait",
		.consequence = "windows tear from the second frame on",
		.run = semaphore_signals_once,
	},
	{
		.name = "acquire.takes_the_fence_of_a_release",
		.requirement = "W-07 W-08",
		.expected = "frames go on where each acquire gets the fence of the last release",
		.consequence = "programs hang after some frames",
		.run = fence_of_a_release,
	},
};

const struct check_rows check_native_acquire_several = CHECK_ROWS(rows);
