/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor that vkAcquireImageANDROID is given is the driver's, on every path (W-07). */
#include "check/native/native.h"

/* The descriptor is closed when the fence is over and nothing that got its signal is left. */
static void
is_closed(struct check *c, bool with_semaphore, bool with_fence, bool signalled)
{
	struct native_scene scene;
	struct native_fence given;
	VkSemaphore semaphore = VK_NULL_HANDLE;
	VkFence fence = VK_NULL_HANDLE;

	native_scene_make(c, &scene);
	if (with_semaphore)
		semaphore = native_semaphore(c, &scene.device);
	if (with_fence)
		fence = native_vk_fence(c, &scene.device);
	given = signalled ? native_fence_make(c) : native_fence_later(c, NATIVE_LATE_MS);
	if (signalled)
		check_signal(c, given.timeline, 1);
	native_acquire(c, &scene, given.fd, semaphore, fence);
	if (semaphore)
		native_consume(c, &scene.device, semaphore, "what waits for the semaphore");
	if (fence)
		native_wait(c, &scene.device, fence, "the VkFence");
	CHECK(c, check_wait_fence(c, given.watch, NATIVE_LIMIT_MS),
		"a fence of krafla check didn't signal");
	native_give_back(c, &scene.device, &scene.image);
	CHECK_SUCCESS(c, vkDeviceWaitIdle, scene.device.device);
	CHECK_CALL(c, vkDestroySemaphore, scene.device.device, semaphore, NULL);
	CHECK_CALL(c, vkDestroyFence, scene.device.device, fence, NULL);
	native_fence_expect_closed(c, &given);
}

static void
with_nothing(struct check *c)
{
	is_closed(c, false, false, false);
}

static void
with_a_semaphore(struct check *c)
{
	is_closed(c, true, false, false);
}

static void
with_a_fence(struct check *c)
{
	is_closed(c, false, true, false);
}

static void
with_both(struct check *c)
{
	is_closed(c, true, true, false);
}

static void
signalled(struct check *c)
{
	is_closed(c, true, true, true);
}

static void
signalled_with_nothing(struct check *c)
{
	is_closed(c, false, false, true);
}

#define CONSEQUENCE "programs run out of descriptors after a thousand frames, and crash"

static const struct check_case rows[] = {
	{
		.name = "acquire.fd_is_closed_with_nothing",
		.requirement = "W-07",
		.expected = "the descriptor of a fence is closed with neither semaphore nor fence",
		.consequence = CONSEQUENCE,
		.run = with_nothing,
	},
	{
		.name = "acquire.fd_is_closed_with_a_semaphore",
		.requirement = "W-07",
		.expected = "the descriptor of a fence is closed with a semaphore",
		.consequence = CONSEQUENCE,
		.run = with_a_semaphore,
	},
	{
		.name = "acquire.fd_is_closed_with_a_fence",
		.requirement = "W-07",
		.expected = "the descriptor of a fence is closed with a VkFence",
		.consequence = CONSEQUENCE,
		.run = with_a_fence,
	},
	{
		.name = "acquire.fd_is_closed_with_both",
		.requirement = "W-07",
		.expected = "the descriptor of a fence is closed with a semaphore and a VkFence",
		.consequence = CONSEQUENCE,
		.run = with_both,
	},
	{
		.name = "acquire.signalled_fd_is_closed",
		.requirement = "W-07",
		.expected = "the descriptor of a fence that is signalled already is closed",
		.consequence = CONSEQUENCE,
		.run = signalled,
	},
	{
		.name = "acquire.signalled_fd_is_closed_with_nothing",
		.requirement = "W-07",
		.expected =
			"the descriptor of a fence that is signalled already is closed with neither semaphore nor fence",
		.consequence = CONSEQUENCE,
		.run = signalled_with_nothing,
	},
};

const struct check_rows check_native_acquire_fd = CHECK_ROWS(rows);
