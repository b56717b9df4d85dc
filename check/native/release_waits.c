/* SPDX-License-Identifier: Apache-2.0 */
/* What a release waits for (W-08). */
#include "check/native/native.h"

#define MANY 3

static const float green[4] = {0.0f, 1.0f, 0.0f, 1.0f};

/* Nothing else is on the queue: the semaphore is the acquire's own. */
static void
waits_for_its_semaphore(struct check *c)
{
	struct native_scene scene;
	struct native_fence given;
	VkSemaphore semaphore;

	native_scene_make(c, &scene);
	semaphore = native_semaphore(c, &scene.device);
	given = native_fence_later(c, NATIVE_LATE_MS);
	native_acquire(c, &scene, given.fd, semaphore, VK_NULL_HANDLE);
	native_released(c, native_release(c, &scene.device, &scene.image, 1, &semaphore), &given);
}

static void
waits_for_earlier_work(struct check *c)
{
	struct native_scene scene;
	struct native_fence given;
	VkSemaphore semaphore;

	native_scene_make(c, &scene);
	semaphore = native_semaphore(c, &scene.device);
	given = native_fence_later(c, NATIVE_LATE_MS);
	native_acquire(c, &scene, given.fd, semaphore, VK_NULL_HANDLE);
	check_clear(c, &scene.device, &scene.image, 0, green, semaphore, VK_NULL_HANDLE);
	native_released(c, native_release(c, &scene.device, &scene.image, 0, NULL), &given);
	check_pixels(c, &scene.image, green);
}

static void
waits_for_all_semaphores(struct check *c)
{
	struct native_scene scene;
	struct check_image others[MANY];
	struct native_fence given[MANY];
	VkSemaphore semaphores[MANY];

	native_scene_make(c, &scene);
	others[0] = scene.image;
	for (int i = 0; i < MANY; i++) {
		if (i)
			check_make_image(c, &scene.device, NULL, &others[i]);
		semaphores[i] = native_semaphore(c, &scene.device);
	}
	for (int i = 0; i < MANY; i++)
		given[i] = native_fence_later(c, NATIVE_LATE_MS * (i + 1));
	for (int i = 0; i < MANY; i++)
		CHECK_SUCCESS(c, vkAcquireImageANDROID, scene.device.device, others[i].image,
			given[i].fd, semaphores[i], VK_NULL_HANDLE);
	native_released(c, native_release(c, &scene.device, &scene.image, MANY, semaphores),
		&given[MANY - 1]);
}

/* Else the second release finds the first one's signal. */
static void
consumes_its_semaphores(struct check *c)
{
	struct native_scene scene;
	struct native_fence given;
	VkSemaphore semaphore;

	native_scene_make(c, &scene);
	semaphore = native_semaphore(c, &scene.device);
	native_acquire(c, &scene, -1, semaphore, VK_NULL_HANDLE);
	native_released(c, native_release(c, &scene.device, &scene.image, 1, &semaphore), NULL);
	given = native_fence_later(c, NATIVE_LATE_MS);
	native_acquire(c, &scene, given.fd, semaphore, VK_NULL_HANDLE);
	native_released(c, native_release(c, &scene.device, &scene.image, 1, &semaphore), &given);
}

/* The semaphore that a program draws with, as vkQueuePresentKHR has it. */
static void
waits_for_drawing(struct check *c)
{
	struct native_scene scene;
	struct native_fence given;
	VkSemaphore acquired, drawn;

	native_scene_make(c, &scene);
	acquired = native_semaphore(c, &scene.device);
	drawn = native_semaphore(c, &scene.device);
	for (int i = 0; i < 3; i++) {
		given = native_fence_later(c, NATIVE_LATE_MS);
		native_acquire(c, &scene, given.fd, acquired, VK_NULL_HANDLE);
		check_clear(c, &scene.device, &scene.image, 0, green, acquired, drawn);
		native_released(
			c, native_release(c, &scene.device, &scene.image, 1, &drawn), &given);
		check_pixels(c, &scene.image, green);
	}
}

#define HALF_DRAWN "frames are shown before they are drawn"

static const struct check_case rows[] = {
	{
		.name = "release.waits_for_its_semaphore",
		.requirement = "W-08",
		.expected = "the fence of a release signals after its wait semaphore",
		.consequence = HALF_DRAWN,
		.run = waits_for_its_semaphore,
	},
	{
		.name = "release.waits_for_earlier_work",
		.requirement = "W-08",
		.expected = "the fence of a release signals after the work on the queue before it",
		.consequence = HALF_DRAWN,
		.run = waits_for_earlier_work,
	},
	{
		.name = "release.waits_for_all_semaphores",
		.requirement = "W-08",
		.expected = "the fence of a release signals after the last of its wait semaphores",
		.consequence = HALF_DRAWN,
		.run = waits_for_all_semaphores,
	},
	{
		.name = "release.consumes_its_semaphores",
		.requirement = "W-08",
		.expected = "a release uses the signal of its wait semaphores up",
		.consequence = "every frame after the first is shown before it is drawn",
		.run = consumes_its_semaphores,
	},
	{
		.name = "release.waits_for_drawing",
		.requirement = "W-08",
		.expected =
			"frames are whole, one after the other, where the release waits for what drawing signals",
		.consequence = HALF_DRAWN,
		.run = waits_for_drawing,
	},
};

const struct check_rows check_native_release_waits = CHECK_ROWS(rows);
