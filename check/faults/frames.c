/* SPDX-License-Identifier: Apache-2.0 */
/* Many frames, with any of the faults, by chance. */
#include "check/faults/frame.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "util/clock.h"

#define FRAMES 150

enum fault { NOTHING, SIGNALLED, LATE, FAILED, FAILS, ABANDONED, NO_FENCE, FAULT_COUNT };

/* The fence of a frame; whatever is to become of it is on its way. */
static int
make_fence(struct check *c, enum fault fault)
{
	struct check_timeline *timeline;
	int fd = -1;

	if (fault == NO_FENCE) {
		fd = eventfd(0, EFD_CLOEXEC);
		if (fd < 0)
			check_skip(c, "no eventfd: %s", strerror(errno));
	}
	if (fault == NOTHING || fault == NO_FENCE)
		return fd;
	fd = check_fence(c, &timeline);
	if (fault == SIGNALLED || fault == FAILED)
		check_signal(c, timeline, fault == SIGNALLED ? 1 : -EIO);
	else if (fault == ABANDONED)
		check_abandon(c, timeline);
	else
		check_signal_later(
			c, timeline, fault == LATE ? 1 : -EIO, (int)(check_random(c) % 4));
	return fd;
}

static void
run_frame(struct check *c, struct faults_rig *rig, unsigned image, enum fault fault)
{
	struct faults_fence fence = faults_fence_of(c, make_fence(c, fault));
	VkResult result = faults_acquire(c, rig, image, &fence);

	CHECK(c,
		result == VK_SUCCESS || fault == NO_FENCE || fault == FAILED ||
			fault == ABANDONED || fault == FAILS,
		"vkAcquireImageANDROID gave %s", check_result_name(result));
	if (result == VK_SUCCESS)
		faults_end(c, faults_draw(c, rig, image, faults_red), "its acquire fence");
	faults_fence_is_closed(c, &fence);
}

/* Threads of the driver may need a moment. */
static void
expect_descriptors(struct check *c, unsigned before)
{
	int64_t deadline = kr_clock_now() + FAULTS_PATIENCE_MS * KR_NSEC_PER_MSEC;
	unsigned now;

	while ((now = check_descriptors(c)) > before) {
		CHECK(c, kr_clock_now() < deadline,
			"%u more descriptors are open after %u frames: %s", now - before, FRAMES,
			check_newest_descriptors(c, now - before));
		usleep(10000);
	}
}

static void
run_frames(struct check *c, struct faults_rig *rig)
{
	for (unsigned i = 0; i < FRAMES; i++)
		run_frame(c, rig, i % FAULTS_IMAGES, (enum fault)(check_random(c) % FAULT_COUNT));
}

static void
any_fault(struct check *c)
{
	struct faults_rig rig;
	unsigned before;

	faults_rig_make(c, &rig);
	for (unsigned fault = 0; fault < FAULT_COUNT; fault++)
		run_frame(c, &rig, 0, (enum fault)fault);
	run_frames(c, &rig); /* what a driver keeps for later frames it has then */
	before = check_descriptors(c);
	run_frames(c, &rig);
	expect_descriptors(c, before);
	for (unsigned i = 0; i < FAULTS_IMAGES; i++)
		faults_clean_frame(c, &rig, i);
}

static const struct check_case rows[] = {
	{
		.name = "faults.frames_with_any_fault",
		.requirement = "W-07 W-08",
		.expected =
			"frames end whatever their acquire fences do, by chance, and nothing is left of them",
		.consequence =
			"an application on a bad display ends after hours: no descriptors are left",
		.run = any_fault,
		.timeout_s = 30,
	},
};

const struct check_rows check_faults_frames = CHECK_ROWS(rows);
