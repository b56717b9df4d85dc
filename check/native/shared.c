/* SPDX-License-Identifier: Apache-2.0 */
/* Images with the shared bit: acquired once, released again and again (W-09). */
#include "check/native/native.h"

#define TIMES 4

static const float colours[TIMES][4] = {
	{1.0f, 0.0f, 0.0f, 1.0f},
	{0.0f, 1.0f, 0.0f, 1.0f},
	{0.0f, 0.0f, 1.0f, 1.0f},
	{1.0f, 1.0f, 0.0f, 1.0f},
};

static void
make_shared(struct check *c, struct native_scene *scene, bool deferred)
{
	const struct check_image_request request = {.shared = true, .deferred = deferred};

	check_make_device(c, NULL, &scene->device);
	native_need_shared(c, &scene->device);
	check_make_image(c, &scene->device, &request, &scene->image);
	native_acquire(c, scene, -1, VK_NULL_HANDLE, VK_NULL_HANDLE);
}

static void
releases_again(struct check *c)
{
	struct native_scene scene;

	make_shared(c, &scene, false);
	for (int i = 0; i < TIMES; i++) {
		int fence = -1;
		VkResult result = CHECK_CALL(c, vkQueueSignalReleaseImageANDROID,
			scene.device.queues[0], 0, NULL, scene.image.image, &fence);

		CHECK(c, result == VK_SUCCESS, "release %d after one acquire gives %s", i + 1,
			check_result_name(result));
		native_released(c, fence, NULL);
	}
}

static void
shows_each_release(struct check *c)
{
	struct native_scene scene;

	make_shared(c, &scene, false);
	for (int i = 0; i < TIMES; i++) {
		check_clear(c, &scene.device, &scene.image, 0, colours[i], VK_NULL_HANDLE,
			VK_NULL_HANDLE);
		native_give_back(c, &scene.device, &scene.image);
		check_pixels(c, &scene.image, colours[i]);
	}
}

static void
of_a_bind(struct check *c)
{
	struct native_scene scene;

	make_shared(c, &scene, true);
	for (int i = 0; i < TIMES; i++) {
		check_clear(c, &scene.device, &scene.image, 0, colours[i], VK_NULL_HANDLE,
			VK_NULL_HANDLE);
		native_give_back(c, &scene.device, &scene.image);
		check_pixels(c, &scene.image, colours[i]);
	}
}

static const struct check_case rows[] = {
	{
		.name = "shared.releases_again",
		.requirement = "W-09",
		.expected = "a shared image is released several times after one acquire",
		.consequence = "shared present modes show one frame and stop",
		.run = releases_again,
		.min_version = NATIVE_SINCE_PRESENTATION,
	},
	{
		.name = "shared.shows_each_release",
		.requirement = "W-09",
		.expected = "each release of a shared image shows what was drawn since",
		.consequence = "shared present modes show one frame for good",
		.run = shows_each_release,
		.min_version = NATIVE_SINCE_PRESENTATION,
	},
	{
		.name = "shared.of_a_bind",
		.requirement = "W-09 W-06",
		.expected = "images that the application binds can be shared as others are",
		.consequence = "programs that bind images of shared swapchains show nothing",
		.run = of_a_bind,
		.min_version = NATIVE_SINCE_BIND,
	},
};

const struct check_rows check_native_shared = CHECK_ROWS(rows);
