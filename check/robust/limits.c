/* SPDX-License-Identifier: Apache-2.0 */
/* As many, as small and as large as windows may be (W-03). */
#include <unistd.h>

#include "check/robust/robust.h"

/* Of a BufferQueue. */
#define SLOTS 64
/* Of a buffer of the allocator's. */
#define MAX_EXTENT 32768u
/* So much a case takes of a machine's memory. */
#define MAX_BYTES (UINT64_C(256) << 20)

static void
have_64_slots(struct check *c)
{
	static struct check_image images[SLOTS];
	static VkSemaphore semaphores[SLOTS];
	struct check_device device;
	int fences[SLOTS];
	float rgba[4];

	check_make_device(c, NULL, &device);
	for (unsigned i = 0; i < SLOTS; i++) {
		check_make_image(c, &device, NULL, &images[i]);
		semaphores[i] = robust_semaphore(c, &device);
	}
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < SLOTS; i++) /* all at once */
			CHECK_SUCCESS(c, vkAcquireImageANDROID, device.device, images[i].image, -1,
				semaphores[i], VK_NULL_HANDLE);
		for (unsigned i = 0; i < SLOTS; i++) {
			robust_colour(i + round, rgba);
			check_clear(c, &device, &images[i], 0, rgba, semaphores[i], VK_NULL_HANDLE);
			CHECK_SUCCESS(c, vkQueueSignalReleaseImageANDROID, device.queues[0], 0,
				NULL, images[i].image, &fences[i]);
		}
		for (unsigned i = 0; i < SLOTS; i++)
			robust_end(c, fences[i]);
		for (unsigned i = 0; i < SLOTS; i++) {
			robust_colour(i + round, rgba);
			check_pixels(c, &images[i], rgba);
		}
	}
}

static void
draw_size(struct check *c, struct check_device *device, uint32_t width, uint32_t height)
{
	const struct check_image_request request = {.width = width, .height = height};
	VkSemaphore semaphore = robust_semaphore(c, device);
	struct check_image image;
	VkResult result = check_try_image(c, device, &request, &image);

	CHECK(c, result == VK_SUCCESS, "an image of %ux%u gave %s", width, height,
		check_result_name(result));
	robust_whole_frame(c, device, &image, 0, semaphore, width % 7 + 1);
	check_destroy_image(c, device, &image);
}

static void
are_small(struct check *c)
{
	static const uint32_t sizes[][2] = {{1, 1}, {1, 7}, {7, 1}, {2, 2}, {3, 5}, {17, 1}};
	struct check_device device;

	check_make_device(c, NULL, &device);
	for (size_t i = 0; i < KR_ARRAY_LEN(sizes); i++)
		draw_size(c, &device, sizes[i][0], sizes[i][1]);
}

static uint32_t
largest(struct check *c, const struct check_device *device)
{
	VkPhysicalDeviceProperties properties;

	CHECK_CALL(c, vkGetPhysicalDeviceProperties, device->physical, &properties);
	return properties.limits.maxImageDimension2D;
}

/* As wide, and as high, as the device says, and as the memory is large. */
static void
are_large(struct check *c)
{
	struct check_device device;
	uint32_t most, square = 1;

	check_make_device(c, NULL, &device);
	most = largest(c, &device);
	while (UINT64_C(4) * square * 2 * square * 2 <= MAX_BYTES / 4 && square * 2 <= most)
		square *= 2;
	draw_size(c, &device, most, 8);
	draw_size(c, &device, 8, most);
	draw_size(c, &device, square, square);
}

/* The platform asks with the window's size, which may be beyond the device's. */
static void
are_refused_beyond(struct check *c)
{
	struct check_image_request request = {.height = 1};
	struct check_device device;
	struct check_image image;
	VkResult result;

	check_make_device(c, NULL, &device);
	request.width = largest(c, &device);
	if (request.width >= MAX_EXTENT)
		check_not_applicable(
			c, "images may be %u wide, and buffers %u", request.width, MAX_EXTENT);
	request.width++;
	result = check_try_image(c, &device, &request, &image);
	if (result == VK_SUCCESS) /* it may do better than it says, and then it has to */
		robust_whole_frame(c, &device, &image, 0, robust_semaphore(c, &device), 5);
}

static const struct check_case rows[] = {
	{
		.name = "limits.have_64_slots",
		.requirement = "W-07 W-08",
		.expected =
			"64 images, as many as a window has slots, are acquired, drawn and released at once; each is exact",
		.consequence = "windows with many buffers show wrong frames, or none",
		.run = have_64_slots,
		.timeout_s = 30,
	},
	{
		.name = "limits.are_small",
		.requirement = "W-03",
		.expected =
			"images of 1x1 and a few more pixels, and of odd strides, are drawn exactly",
		.consequence = "small windows are wrong",
		.run = are_small,
	},
	{
		.name = "limits.are_large",
		.requirement = "W-03",
		.expected =
			"images as wide or as high as maxImageDimension2D, and squares of 64 MiB, are drawn exactly",
		.consequence = "large windows are wrong at their edges, or can't be had",
		.run = are_large,
		.timeout_s = 60,
	},
	{
		.name = "limits.are_refused_beyond",
		.requirement = "W-03",
		.expected =
			"an image wider than maxImageDimension2D is refused, or works as others do",
		.consequence = "a window that is too large crashes its program",
		.run = are_refused_beyond,
	},
};

const struct check_rows check_robust_limits = CHECK_ROWS(rows);
