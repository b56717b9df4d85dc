/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor of an acquire where it is easily forgotten: a lost device, number 0 (W-07). */
#include "check/native/native.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define TRIES 64

/* Of a driver that can lose its devices when it is told to: the null driver. */
static void
closed_when_lost(struct check *c)
{
	struct native_scene scene;
	struct native_fence given;
	VkResult result;
	void *symbol;
	void (*lose)(void);

	native_scene_make(c, &scene);
	symbol = dlsym(check_module(c)->dso, "kr_null_lose_devices");
	if (!symbol)
		check_skip(c, "no device of this driver can be lost on purpose");
	memcpy(&lose, &symbol, sizeof(lose));
	given = native_fence_make(c);
	check_signal(c, given.timeline, 1);
	lose();
	result = CHECK_CALL(c, vkAcquireImageANDROID, scene.device.device, scene.image.image,
		given.fd, native_semaphore(c, &scene.device), VK_NULL_HANDLE);
	CHECK(c, result == VK_ERROR_DEVICE_LOST || result == VK_SUCCESS,
		"on a lost device vkAcquireImageANDROID gives %s", check_result_name(result));
	native_fence_expect_closed(c, &given);
}

/* Opens files until one has the number. */
static bool
occupy(struct check *c, int number)
{
	for (int i = 0; i < TRIES; i++) {
		int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			check_skip(c, "/dev/null can't be opened: %s", strerror(errno));
		if (fd == number)
			return true;
	}
	return false;
}

/* With both objects, so that whoever got a duplicate of it closes that, too. */
static void
frame(struct check *c, const struct native_scene *scene, int take_fd)
{
	VkSemaphore semaphore = native_semaphore(c, &scene->device);
	VkFence fence = native_vk_fence(c, &scene->device);

	native_acquire(c, scene, take_fd, semaphore, fence);
	native_consume(c, &scene->device, semaphore, "what waits for the semaphore");
	native_wait(c, &scene->device, fence, "the VkFence");
	native_give_back(c, &scene->device, &scene->image);
	CHECK_SUCCESS(c, vkDeviceWaitIdle, scene->device.device);
	CHECK_CALL(c, vkDestroySemaphore, scene->device.device, semaphore, NULL);
	CHECK_CALL(c, vkDestroyFence, scene->device.device, fence, NULL);
}

static void
closed_once(struct check *c)
{
	struct native_scene scene;
	struct native_fence given;
	struct check_mark other;

	native_scene_make(c, &scene);
	given = native_fence_later(c, NATIVE_LATE_MS);
	frame(c, &scene, given.fd);
	native_fence_expect_closed(c, &given);
	if (!occupy(c, given.fd))
		check_skip(c, "descriptor %d is taken by another file", given.fd);
	other = check_mark_fd(c, given.fd);
	frame(c, &scene, native_fence_later(c, NATIVE_LATE_MS).fd);
	CHECK_CALL(c, vkDestroyImage, scene.device.device, scene.image.image, NULL);
	CHECK_CALL(c, vkDestroyDevice, scene.device.device, NULL);
	CHECK(c, check_mark_is_open(c, &other),
		"descriptor %d was closed twice: another file had the number by then", given.fd);
}

static void
fd_0(struct check *c)
{
	struct native_scene scene;
	struct native_fence given;
	VkFence fence;

	native_scene_make(c, &scene);
	fence = native_vk_fence(c, &scene.device);
	given = native_fence_later(c, NATIVE_LATE_MS);
	if (dup2(given.fd, 0) != 0)
		check_skip(c, "descriptor 0 can't be had: %s", strerror(errno));
	close(given.fd);
	given.fd = 0;
	native_acquire(c, &scene, 0, VK_NULL_HANDLE, fence);
	native_wait_after(c, &scene.device, fence, &given, "the VkFence");
	CHECK_CALL(c, vkDestroyFence, scene.device.device, fence, NULL);
	native_fence_expect_closed(c, &given);
}

static const struct check_case rows[] = {
	{
		.name = "acquire.fd_is_closed_when_lost",
		.requirement = "W-07",
		.expected = "the descriptor is closed when the device is lost, too",
		.consequence = "a program that recovers from a lost device runs out of descriptors",
		.run = closed_when_lost,
	},
	{
		.name = "acquire.fd_is_closed_once",
		.requirement = "W-07",
		.expected = "the descriptor is closed once, and then its number is others'",
		.consequence = "files and sockets of the program are closed under its hands",
		.run = closed_once,
	},
	{
		.name = "acquire.fd_0_is_a_fence",
		.requirement = "W-07",
		.expected = "descriptor 0 is a fence as any other; -1 alone is none",
		.consequence = "frames tear in programs that closed their standard input",
		.run = fd_0,
	},
};

const struct check_rows check_native_acquire_fd_odd = CHECK_ROWS(rows);
