/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that are lost (W-12). Only a driver that can be told to lose one is looked at. */
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include "check/robust/robust.h"
#include "util/clock.h"

/* Of drivers that are made for tests: all devices of the process are lost. */
#define LOSE_DEVICES "kr_null_lose_devices"

struct rig {
	struct check_device device;
	struct check_image image;
	VkSemaphore semaphore;
	void (*lose)(void);
};

static void
make_rig(struct check *c, struct rig *rig)
{
	void *module = dlopen(check_module_path(c), RTLD_NOW | RTLD_NOLOAD);
	void *function;

	check_make_device(c, NULL, &rig->device);
	if (!module)
		module = dlopen(check_module_path(c), RTLD_NOW | RTLD_NOLOAD);
	function = module ? dlsym(module, LOSE_DEVICES) : NULL;
	if (!function)
		check_not_applicable(c,
			"nobody can make this driver lose a device (it exports no " LOSE_DEVICES
			")");
	*(void **)&rig->lose = function;
	check_make_image(c, &rig->device, NULL, &rig->image);
	rig->semaphore = robust_semaphore(c, &rig->device);
}

static void
expect_lost(struct check *c, const char *what, VkResult result)
{
	CHECK(c, result == VK_ERROR_DEVICE_LOST, "%s gave %s", what, check_result_name(result));
}

static void
is_answered(struct check *c)
{
	struct rig rig;
	int fence = -2;

	make_rig(c, &rig);
	check_step(c, "the device is lost");
	rig.lose();
	expect_lost(c, "vkAcquireImageANDROID",
		CHECK_CALL(c, vkAcquireImageANDROID, rig.device.device, rig.image.image, -1,
			rig.semaphore, VK_NULL_HANDLE));
	expect_lost(c, "vkQueueSubmit",
		CHECK_CALL(c, vkQueueSubmit, rig.device.queues[0], 0, NULL, VK_NULL_HANDLE));
	expect_lost(c, "vkQueueSignalReleaseImageANDROID",
		CHECK_CALL(c, vkQueueSignalReleaseImageANDROID, rig.device.queues[0], 0, NULL,
			rig.image.image, &fence));
	CHECK(c, fence < 0, "... and a fence, %d", fence);
	expect_lost(c, "vkDeviceWaitIdle", CHECK_CALL(c, vkDeviceWaitIdle, rig.device.device));
	expect_lost(c, "vkQueueWaitIdle", CHECK_CALL(c, vkQueueWaitIdle, rig.device.queues[0]));
}

/* A frame that was on its way: whoever waits for it must hear of the end. */
static void
ends_pending_releases(struct check *c)
{
	struct check_timeline *timeline;
	struct rig rig;
	int64_t deadline;
	int fence;

	make_rig(c, &rig);
	if (robust_waits_inside(c, &rig.device, &rig.image))
		check_not_applicable(c, "acquires wait for their fences themselves");
	fence = check_fence(c, &timeline);
	fence = robust_frame(c, &rig.device, &rig.image, 0, rig.semaphore, 1, fence);
	check_step(c, "the device is lost");
	rig.lose();
	deadline = kr_deadline_in(2 * KR_NSEC_PER_SEC);
	while (!check_fence_status(c, fence)) {
		CHECK(c, kr_clock_now() < deadline,
			"a release fence is still active 2 s after its device was lost");
		usleep(1000);
	}
	close(fence);
	check_signal(c, timeline, 1);
}

static void
leaves_nothing(struct check *c)
{
	struct check_timeline *timeline;
	struct rig rig;
	int64_t deadline;
	unsigned before;
	int fence;

	make_rig(c, &rig);
	check_destroy_image(c, &rig.device, &rig.image);
	check_destroy_device(c, &rig.device);
	before = check_descriptors(c);
	for (unsigned i = 0; i < 3; i++) {
		make_rig(c, &rig);
		fence = check_fence(c, &timeline);
		check_signal_later(c, timeline, 1, 50);
		fence = robust_frame(c, &rig.device, &rig.image, 0, rig.semaphore, 1, fence);
		rig.lose();
		check_destroy_image(c, &rig.device, &rig.image);
		CHECK_CALL(c, vkDestroySemaphore, rig.device.device, rig.semaphore, NULL);
		check_destroy_device(c, &rig.device);
		if (fence >= 0)
			close(fence);
	}
	/* Makers of fences need their time. */
	deadline = kr_deadline_in(2 * KR_NSEC_PER_SEC);
	while (check_descriptors(c) > before && kr_clock_now() < deadline)
		usleep(1000);
	CHECK(c, check_descriptors(c) <= before,
		"%u descriptors were open before three devices were lost and destroyed, and %u after",
		before, check_descriptors(c));
}

static void
is_one_devices_affair(struct check *c)
{
	struct rig rig;

	make_rig(c, &rig);
	rig.lose();
	check_destroy_image(c, &rig.device, &rig.image);
	CHECK_CALL(c, vkDestroySemaphore, rig.device.device, rig.semaphore, NULL);
	check_destroy_device(c, &rig.device);
	make_rig(c, &rig);
	robust_whole_frame(c, &rig.device, &rig.image, 0, rig.semaphore, 6);
}

static const struct check_case rows[] = {
	{
		.name = "loss.is_answered",
		.requirement = "W-12",
		.expected =
			"all that may say so gives VK_ERROR_DEVICE_LOST, and a release gives no fence",
		.consequence = "a program goes on with frames that are never shown",
		.run = is_answered,
	},
	{
		.name = "loss.ends_pending_releases",
		.requirement = "W-12",
		.expected = "release fences that were pending are over soon after the loss",
		.consequence = "the display waits for a frame that never comes",
		.run = ends_pending_releases,
	},
	{
		.name = "loss.leaves_nothing",
		.requirement = "W-12",
		.expected =
			"lost devices are destroyed with all their descriptors, also those of pending acquires",
		.consequence = "a program that recovers from each loss runs out of descriptors",
		.run = leaves_nothing,
	},
	{
		.name = "loss.is_one_devices_affair",
		.requirement = "W-12",
		.expected = "a device that is made after a loss draws frames",
		.consequence = "a program can't recover from a loss without a restart",
		.run = is_one_devices_affair,
	},
};

const struct check_rows check_robust_loss = CHECK_ROWS(rows);
