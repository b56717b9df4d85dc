/* SPDX-License-Identifier: Apache-2.0 */
/* What a release gives (W-08). */
#include "check/native/native.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define TRIES 64

static const float green[4] = {0.0f, 1.0f, 0.0f, 1.0f};

/* A frame that waits for the fence; what its release gives. */
static int
late_frame(struct check *c, struct native_scene *scene, const struct native_fence *given)
{
	VkSemaphore semaphore = native_semaphore(c, &scene->device);

	native_acquire(c, scene, given->fd, semaphore, VK_NULL_HANDLE);
	check_clear(c, &scene->device, &scene->image, 0, green, semaphore, VK_NULL_HANDLE);
	return native_release(c, &scene->device, &scene->image, 0, NULL);
}

static void
says_what_it_gives(struct check *c)
{
	struct native_scene scene;
	struct native_fence given;
	int fence;

	native_scene_make(c, &scene);
	native_acquire(c, &scene, -1, VK_NULL_HANDLE, VK_NULL_HANDLE);
	native_give_back(c, &scene.device, &scene.image);
	given = native_fence_later(c, NATIVE_LATE_MS);
	fence = late_frame(c, &scene, &given);
	CHECK(c, fence >= -1, "*pNativeFenceFd is %d", fence);
	native_released(c, fence, &given);
}

static void
gives_a_fence(struct check *c)
{
	struct native_scene scene;
	struct native_fence given;
	int fence, status;

	native_scene_make(c, &scene);
	given = native_fence_later(c, NATIVE_LATE_MS);
	fence = late_frame(c, &scene, &given);
	if (fence < 0)
		check_say(c, "the release waited, and gave -1");
	CHECK(c, fence < 0 || check_fd_is_open(c, fence), "descriptor %d isn't open", fence);
	status = check_fence_status(c, fence);
	CHECK(c, status != -EINVAL, "descriptor %d is no fence", fence);
	native_released(c, fence, &given);
}

static void
occupy(struct check *c, int number)
{
	for (int i = 0; i < TRIES; i++) {
		int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			check_skip(c, "/dev/null can't be opened: %s", strerror(errno));
		if (fd == number)
			return;
	}
	check_skip(c, "descriptor %d is taken by another file", number);
}

/* The driver neither closes it, nor what has its number when the caller has closed it. */
static void
fd_is_the_callers(struct check *c)
{
	struct native_scene scene;
	struct native_fence given;
	struct check_mark mark;
	int fence;

	native_scene_make(c, &scene);
	given = native_fence_later(c, NATIVE_LATE_MS);
	fence = late_frame(c, &scene, &given);
	if (fence < 0)
		check_not_applicable(c, "releases wait and give -1");
	mark = check_mark_fd(c, fence);
	for (int i = 0; i < 2; i++) {
		CHECK(c, check_wait_fence(c, mark.copy, NATIVE_LIMIT_MS) || i,
			"the release fence isn't signalled within %d ms", NATIVE_LIMIT_MS);
		given = native_fence_later(c, NATIVE_LATE_MS);
		native_released(c, late_frame(c, &scene, &given), &given);
		CHECK_SUCCESS(c, vkDeviceWaitIdle, scene.device.device);
		CHECK(c, check_mark_is_open(c, &mark),
			i ? "descriptor %d, another file by now, was closed by the driver"
			  : "descriptor %d, which a release gave, was closed by the driver",
			fence);
		if (i)
			break;
		close(fence);
		check_unmark(c, &mark);
		occupy(c, fence);
		mark = check_mark_fd(c, fence);
	}
}

static void
without_work_is_over(struct check *c)
{
	struct native_scene scene;

	native_scene_make(c, &scene);
	for (int i = 0; i < 3; i++) {
		native_acquire(c, &scene, -1, VK_NULL_HANDLE, VK_NULL_HANDLE);
		native_give_back(c, &scene.device, &scene.image);
	}
}

/* As a program does that is quick: the display wants the first frame when the second is drawn. */
static void
doesnt_wait_for_later_work(struct check *c)
{
	struct native_scene first, second;
	struct native_fence early, late;
	int fence, other;

	native_scene_make(c, &first);
	second.device = first.device;
	check_make_image(c, &first.device, NULL, &second.image);
	early = native_fence_later(c, NATIVE_LATE_MS);
	late = native_fence_later(c, 1500);
	fence = late_frame(c, &first, &early);
	other = late_frame(c, &second, &late);
	if (native_fence_is_over(c, &late)) {
		check_say(c, "the driver waits for fences itself: order can't be looked at");
	} else {
		CHECK(c, check_wait_fence(c, fence, 1000),
			"the fence of a release is still active 1 s after all that it has to wait for; work that was submitted behind it is, too");
	}
	native_released(c, fence, &early);
	native_released(c, other, &late);
}

static const struct check_case rows[] = {
	{
		.name = "release.says_what_it_gives",
		.requirement = "W-08",
		.expected = "*pNativeFenceFd is a descriptor or -1 when the release succeeds",
		.consequence = "the display waits for a descriptor of something else, or forever",
		.run = says_what_it_gives,
	},
	{
		.name = "release.gives_a_fence",
		.requirement = "W-08",
		.expected = "the descriptor is a fence that a display can wait for",
		.consequence = "frames aren't shown, or are shown before they are drawn",
		.run = gives_a_fence,
	},
	{
		.name = "release.fd_is_the_callers",
		.requirement = "W-08",
		.expected =
			"the descriptor is the caller's: the driver leaves it and its number alone",
		.consequence = "files and sockets of the program are closed under its hands",
		.run = fd_is_the_callers,
	},
	{
		.name = "release.without_work_is_over",
		.requirement = "W-08",
		.expected = "a release with no semaphores and nothing on the queue is over",
		.consequence = "the first frame is never shown",
		.run = without_work_is_over,
	},
	{
		.name = "release.doesnt_wait_for_later_work",
		.requirement = "W-08",
		.expected = "a release is over without the work that was submitted after it",
		.consequence = "program and display wait for each other",
		.run = doesnt_wait_for_later_work,
	},
};

const struct check_rows check_native_release = CHECK_ROWS(rows);
