/* SPDX-License-Identifier: Apache-2.0 */
/* Acquire fences that end in no good order, or never. */
#include "check/faults/frame.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"

#define FRAMES 5
#define RACES  100

static void
pending_fence(struct check *c)
{
	struct check_timeline *timeline;
	struct faults_fence fence;
	struct faults_rig rig;
	int fd;

	faults_rig_make(c, &rig);
	CHECK(c, !faults_waits_inside(c, &rig),
		"vkAcquireImageANDROID waits for its fence, so that its thread does nothing else");
	fence = faults_fence_of(c, check_fence(c, &timeline));
	CHECK(c, faults_acquire(c, &rig, 0, &fence) == VK_SUCCESS, "a fence isn't taken");
	for (unsigned i = 0; i < FRAMES; i++)
		faults_clean_frame(c, &rig, 1 + i % 2);
	CHECK(c, !check_fence_status(c, fence.watch), "the acquire fence is over by itself");
	check_signal(c, timeline, 1);
	fd = faults_draw(c, &rig, 0, faults_red);
	CHECK(c, check_wait_fence(c, fd, FAULTS_PATIENCE_MS), "the release fence doesn't signal");
	if (fd >= 0)
		close(fd);
	check_pixels(c, &rig.images[0], faults_red);
	faults_fence_is_closed(c, &fence);
}

/* The first ends last; what is behind the others is drawn before. */
static void
out_of_order(struct check *c)
{
	struct check_timeline *timelines[FAULTS_IMAGES];
	struct faults_fence fences[FAULTS_IMAGES];
	struct faults_rig rig;

	faults_rig_make(c, &rig);
	if (faults_waits_inside(c, &rig))
		check_not_applicable(
			c, "vkAcquireImageANDROID waits for its fence: no two are pending");
	for (unsigned i = 0; i < FAULTS_IMAGES; i++) {
		fences[i] = faults_fence_of(c, check_fence(c, &timelines[i]));
		CHECK(c, faults_acquire(c, &rig, i, &fences[i]) == VK_SUCCESS,
			"fence %u isn't taken", i);
	}
	for (unsigned i = FAULTS_IMAGES; i-- > 0;) {
		int fd;

		check_signal(c, timelines[i], 1);
		fd = faults_draw(c, &rig, i, faults_red);
		CHECK(c, check_wait_fence(c, fd, FAULTS_PATIENCE_MS),
			"the frame behind acquire fence %u isn't over, while others are pending",
			i + 1);
		if (fd >= 0)
			close(fd);
		check_pixels(c, &rig.images[i], faults_red);
		faults_fence_is_closed(c, &fences[i]);
	}
}

struct signaller {
	struct check *check;
	struct check_timeline *timeline;
	long delay_ns;
};

static void *
signal_soon(void *data)
{
	struct signaller *signaller = data;

	nanosleep(&(struct timespec){.tv_nsec = signaller->delay_ns}, NULL);
	check_signal(signaller->check, signaller->timeline, 1);
	return NULL;
}

static void
race(struct check *c)
{
	struct faults_rig rig;

	faults_rig_make(c, &rig);
	for (unsigned i = 0; i < RACES; i++) {
		struct signaller signaller = {c, NULL, (long)(check_random(c) % 200000)};
		struct faults_fence fence = faults_fence_of(c, check_fence(c, &signaller.timeline));
		pthread_t thread;

		if (pthread_create(&thread, NULL, signal_soon, &signaller))
			check_skip(c, "no thread could be started");
		/* So that either may be first. */
		nanosleep(&(struct timespec){.tv_nsec = (long)(check_random(c) % 200000)}, NULL);
		CHECK(c, faults_acquire(c, &rig, 0, &fence) == VK_SUCCESS, "a fence isn't taken");
		faults_end(c, faults_draw(c, &rig, 0, faults_red), "the acquire fence signalled");
		pthread_join(thread, NULL);
		faults_fence_is_closed(c, &fence);
	}
	faults_clean_frame(c, &rig, 0);
}

static const struct check_case rows[] = {
	{
		.name = "faults.pending_fence_holds_up_nothing_else",
		.requirement = "W-07",
		.expected =
			"acquire returns while its fence is pending, and frames of other images go on (a driver that can't wait on its device may wait in it: the window system has waited before)",
		.consequence = "one slow consumer stops all windows of the application",
		.run = pending_fence,
		.timeout_s = 20,
		.optional = true,
	},
	{
		.name = "faults.fences_end_out_of_order",
		.requirement = "W-07",
		.expected =
			"each image's work begins with its own fence, whatever is pending of others",
		.consequence = "frames wait for images that they don't need: it stutters, or hangs",
		.run = out_of_order,
		.timeout_s = 20,
	},
	{
		.name = "faults.fence_ends_while_it_is_taken",
		.requirement = "W-07",
		.expected =
			"a fence that ends in the very moment of the acquire is over for the driver, too",
		.consequence = "now and then the application hangs, without any reason to be found",
		.run = race,
		.timeout_s = 30,
	},
};

const struct check_rows check_faults_order = CHECK_ROWS(rows);
