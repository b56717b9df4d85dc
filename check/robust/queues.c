/* SPDX-License-Identifier: Apache-2.0 */
/* Several queues of a device (W-08: a release is of its queue). */
#include <fcntl.h>
#include <unistd.h>

#include "check/robust/robust.h"

struct rig {
	struct check_device device;
	struct check_image images[CHECK_MAX_QUEUES];
	VkSemaphore semaphores[CHECK_MAX_QUEUES];
};

static void
make_rig(struct check *c, struct rig *rig)
{
	const struct check_device_request request = {.queues = CHECK_MAX_QUEUES};

	check_make_device(c, &request, &rig->device);
	if (rig->device.queue_count < 2)
		check_not_applicable(c, "the device has one queue with graphics");
	for (uint32_t i = 0; i < rig->device.queue_count; i++) {
		check_make_image(c, &rig->device, NULL, &rig->images[i]);
		rig->semaphores[i] = robust_semaphore(c, &rig->device);
	}
}

static void
each_draws(struct check *c)
{
	struct rig rig;

	make_rig(c, &rig);
	for (unsigned round = 0; round < 4; round++) {
		for (uint32_t i = 0; i < rig.device.queue_count; i++)
			robust_whole_frame(
				c, &rig.device, &rig.images[i], i, rig.semaphores[i], i + round);
	}
}

/* Its frame waits for a fence; `watch` is another descriptor of that. */
static int
late_frame(struct check *c, struct rig *rig, uint32_t queue, int *watch)
{
	struct check_timeline *timeline;
	int fence = check_fence(c, &timeline);

	*watch = fcntl(fence, F_DUPFD_CLOEXEC, 3);
	check_signal_later(c, timeline, 1, 300);
	return robust_frame(
		c, &rig->device, &rig->images[queue], queue, rig->semaphores[queue], 5, fence);
}

static void
release_is_of_its_queue(struct check *c)
{
	struct rig rig;

	make_rig(c, &rig);
	for (uint32_t i = 0; i < rig.device.queue_count; i++) {
		int watch = -1, fence = late_frame(c, &rig, i, &watch);
		bool early;

		early = !check_fence_status(c, watch) && check_fence_status(c, fence) &&
			!check_fence_status(c, watch);
		CHECK(c, !early,
			"a release on queue %u is over while the frame that was submitted there still waits",
			i);
		robust_end(c, fence);
		close(watch);
	}
}

static void
dont_wait_for_each_other(struct check *c)
{
	struct rig rig;
	int watch = -1, fence;

	make_rig(c, &rig);
	if (robust_waits_inside(c, &rig.device, &rig.images[0]))
		check_not_applicable(c, "acquires wait for their fences themselves");
	fence = late_frame(c, &rig, 0, &watch);
	robust_whole_frame(c, &rig.device, &rig.images[1], 1, rig.semaphores[1], 3);
	CHECK(c, !check_fence_status(c, watch),
		"a frame on queue 1 was only over when that on queue 0 was, which waited for a fence");
	robust_end(c, fence);
	close(watch);
}

static const struct check_case rows[] = {
	{
		.name = "queues.each_draws",
		.requirement = "W-08",
		.expected =
			"frames that are drawn and released on any queue of the family are exact",
		.consequence = "programs that present on another queue than the first show nothing",
		.run = each_draws,
	},
	{
		.name = "queues.release_is_of_its_queue",
		.requirement = "W-08",
		.expected =
			"a release waits for what was submitted to its queue before, on whichever queue",
		.consequence =
			"a program that presents on its second queue shows half-drawn frames",
		.run = release_is_of_its_queue,
	},
	{
		.name = "queues.dont_wait_for_each_other",
		.requirement = "W-07 W-08",
		.expected =
			"a frame that waits for its fence on one queue holds up no frame on another",
		.consequence = "a window that isn't shown holds up the others of its program",
		.run = dont_wait_for_each_other,
	},
};

const struct check_rows check_robust_queues = CHECK_ROWS(rows);
