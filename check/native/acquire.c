/* SPDX-License-Identifier: Apache-2.0 */
/* Semaphore and fence of an acquire: neither before the buffer's fence, nor never (W-07). */
#include "check/native/native.h"

/* Both signal, with a fence that is over already or none. */
static void
both_signal(struct check *c, const struct native_scene *scene, int take_fd)
{
	VkSemaphore semaphore = native_semaphore(c, &scene->device);
	VkFence fence = native_vk_fence(c, &scene->device);

	native_acquire(c, scene, take_fd, semaphore, fence);
	native_wait(c, &scene->device, fence, "the VkFence");
	native_consume(c, &scene->device, semaphore, "what waits for the semaphore");
}

static void
nothing_to_wait_for(struct check *c)
{
	struct native_scene scene;

	native_scene_make(c, &scene);
	both_signal(c, &scene, -1);
}

static void
signalled_fence(struct check *c)
{
	struct native_scene scene;
	struct native_fence given;

	native_scene_make(c, &scene);
	given = native_fence_make(c);
	check_signal(c, given.timeline, 1);
	both_signal(c, &scene, given.fd);
}

/* Work that waits for the semaphore, and its end. */
static void
semaphore_waits(struct check *c)
{
	struct native_scene scene;
	struct native_fence given;
	VkSemaphore semaphore;
	VkFence done;

	native_scene_make(c, &scene);
	semaphore = native_semaphore(c, &scene.device);
	done = native_vk_fence(c, &scene.device);
	given = native_fence_later(c, NATIVE_LATE_MS);
	native_acquire(c, &scene, given.fd, semaphore, VK_NULL_HANDLE);
	native_submit(c, &scene.device, semaphore, VK_NULL_HANDLE, done);
	native_wait_after(c, &scene.device, done, &given, "work that waits for the semaphore");
}

static void
fence_waits(struct check *c)
{
	struct native_scene scene;
	struct native_fence given;
	VkFence fence;

	native_scene_make(c, &scene);
	fence = native_vk_fence(c, &scene.device);
	given = native_fence_later(c, NATIVE_LATE_MS);
	native_acquire(c, &scene, given.fd, VK_NULL_HANDLE, fence);
	native_wait_after(c, &scene.device, fence, &given, "the VkFence");
}

static void
both_wait(struct check *c)
{
	struct native_scene scene;
	struct native_fence given;
	VkSemaphore semaphore;
	VkFence fence, done;

	native_scene_make(c, &scene);
	semaphore = native_semaphore(c, &scene.device);
	fence = native_vk_fence(c, &scene.device);
	done = native_vk_fence(c, &scene.device);
	given = native_fence_later(c, NATIVE_LATE_MS);
	native_acquire(c, &scene, given.fd, semaphore, fence);
	native_submit(c, &scene.device, semaphore, VK_NULL_HANDLE, done);
	native_wait_after(c, &scene.device, fence, &given, "the VkFence");
	native_wait_after(c, &scene.device, done, &given, "work that waits for the semaphore");
}

/* What has been drawn is there, and not a frame before. */
static void
drawing_waits(struct check *c)
{
	static const float before[4] = {1.0f, 1.0f, 1.0f, 1.0f};
	static const float after[4] = {0.0f, 0.0f, 1.0f, 1.0f};
	struct native_scene scene;
	struct native_fence given;
	VkSemaphore semaphore;
	uint32_t was, is;
	bool over;

	native_scene_make(c, &scene);
	semaphore = native_semaphore(c, &scene.device);
	native_draw(c, &scene.device, &scene.image, before);
	was = check_pixel(c, &scene.image, 1, 1);
	given = native_fence_later(c, NATIVE_LATE_MS);
	native_acquire(c, &scene, given.fd, semaphore, VK_NULL_HANDLE);
	check_clear(c, &scene.device, &scene.image, 0, after, semaphore, VK_NULL_HANDLE);
	do {
		is = check_pixel(c, &scene.image, 1, 1);
		over = native_fence_is_over(c, &given);
	} while (is == was && !over);
	CHECK(c, over, "the buffer was drawn to, and its fence is still active");
	native_give_back(c, &scene.device, &scene.image);
	check_pixels(c, &scene.image, after);
}

#define TEARS "windows tear: frames are drawn over while they are shown"
#define HANGS "programs hang at their first frame"

static const struct check_case rows[] = {
	{
		.name = "acquire.nothing_to_wait_for_signals",
		.requirement = "W-07",
		.expected = "with -1 semaphore and VkFence signal",
		.consequence = HANGS,
		.run = nothing_to_wait_for,
	},
	{
		.name = "acquire.signalled_fence_signals",
		.requirement = "W-07",
		.expected = "with a fence that is signalled already semaphore and VkFence signal",
		.consequence = HANGS,
		.run = signalled_fence,
	},
	{
		.name = "acquire.semaphore_waits",
		.requirement = "W-07",
		.expected = "work that waits for the semaphore is done after the buffer's fence",
		.consequence = TEARS,
		.run = semaphore_waits,
	},
	{
		.name = "acquire.fence_waits",
		.requirement = "W-07",
		.expected = "the VkFence is signalled after the buffer's fence",
		.consequence = TEARS,
		.run = fence_waits,
	},
	{
		.name = "acquire.both_wait",
		.requirement = "W-07",
		.expected = "semaphore and VkFence of one acquire signal, after the buffer's fence",
		.consequence = HANGS,
		.run = both_wait,
	},
	{
		.name = "acquire.drawing_waits",
		.requirement = "W-07",
		.expected = "what waits for the semaphore draws to the buffer after its fence",
		.consequence = TEARS,
		.run = drawing_waits,
	},
};

const struct check_rows check_native_acquire = CHECK_ROWS(rows);
