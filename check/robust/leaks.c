/* SPDX-License-Identifier: Apache-2.0 */
/* What is left after many frames, images and devices (S-06, W-08). */
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check/robust/robust.h"
#include "util/clock.h"

#define FRAMES  10000
#define WARM    500 /* frames that fill pools */
#define IMAGES  1000
#define DEVICES 100
/* Bytes a frame that can be noise of an allocator. */
#define FRAME_BYTES 24u
#define IMAGE_BYTES 256u
/* On a slow driver as many as there is time for. */
#define ENOUGH_NS (60 * KR_NSEC_PER_SEC)

static size_t
bytes_in_use(void)
{
	return mallinfo2().uordblks + mallinfo2().hblkhd;
}

/* As the kernel counts it; 0 where /proc isn't there. */
static size_t
private_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long size, resident = 0, shared = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%lu %lu %lu", &size, &resident, &shared) != 3)
		resident = shared = 0;
	fclose(file);
	return (resident - shared) * (size_t)sysconf(_SC_PAGESIZE);
}

struct rig {
	struct check_device device;
	struct check_image images[3];
	VkSemaphore semaphores[3];
};

static void
frame(struct check *c, struct rig *rig, unsigned i)
{
	struct check_timeline *timeline;
	unsigned image = i % 3;
	int fence = -1;

	if (i % 16 == 0) { /* as a window's frame at times: its buffer is still being read */
		fence = check_fence(c, &timeline);
		check_signal(c, timeline, 1);
	}
	robust_end(c,
		robust_frame(
			c, &rig->device, &rig->images[image], 0, rig->semaphores[image], i, fence));
}

static void
make_rig(struct check *c, struct rig *rig)
{
	check_make_device(c, NULL, &rig->device);
	for (unsigned i = 0; i < 3; i++) {
		check_make_image(c, &rig->device, NULL, &rig->images[i]);
		rig->semaphores[i] = robust_semaphore(c, &rig->device);
	}
}

static void
of_10000_frames(struct check *c)
{
	int64_t deadline = kr_deadline_in(ENOUGH_NS);
	size_t bytes, more, pages;
	unsigned count = 0, fds;
	struct rig rig;

	make_rig(c, &rig);
	for (unsigned i = 0; i < WARM; i++)
		frame(c, &rig, i);
	CHECK_SUCCESS(c, vkDeviceWaitIdle, rig.device.device);
	fds = check_descriptors(c);
	bytes = bytes_in_use();
	pages = private_bytes();
	while (count < FRAMES && (count % 64 || kr_clock_now() < deadline))
		frame(c, &rig, count++);
	CHECK_SUCCESS(c, vkDeviceWaitIdle, rig.device.device);
	if (count < FRAMES)
		check_say(c, "%u frames in a minute, no more", count);
	deadline = kr_deadline_in(2 * KR_NSEC_PER_SEC);
	while (check_descriptors(c) > fds && kr_clock_now() < deadline)
		usleep(1000); /* threads of the driver need their time */
	CHECK(c, check_descriptors(c) <= fds, "after %u frames there are %u descriptors, %u before",
		count, check_descriptors(c), fds);
	more = bytes_in_use() > bytes ? bytes_in_use() - bytes : 0;
	CHECK(c, more / FRAME_BYTES <= count,
		"after %u frames malloc has given %zu bytes more, %zu a frame", count, more,
		more / count);
	more = private_bytes() > pages ? private_bytes() - pages : 0;
	CHECK(c, more <= (size_t)count * 512 + (1u << 20),
		"after %u frames the process has %zu KiB more", count, more >> 10);
}

static void
of_1000_images(struct check *c)
{
	struct check_device device;
	struct check_image image;
	size_t bytes = 0, more;
	unsigned fds = 0;

	check_make_device(c, NULL, &device);
	for (unsigned i = 0; i < IMAGES + IMAGES / 10; i++) {
		if (i == IMAGES / 10) {
			fds = check_descriptors(c);
			bytes = bytes_in_use();
		}
		check_make_image(c, &device, NULL, &image);
		check_destroy_image(c, &device, &image);
	}
	CHECK(c, check_descriptors(c) <= fds, "after %u images there are %u descriptors, %u before",
		IMAGES, check_descriptors(c), fds);
	more = bytes_in_use() > bytes ? bytes_in_use() - bytes : 0;
	CHECK(c, more <= (size_t)IMAGES * IMAGE_BYTES,
		"after %u images malloc has given %zu bytes more, %zu an image", IMAGES, more,
		more / IMAGES);
}

static void
of_100_devices(struct check *c)
{
	struct check_device first, device;
	int64_t deadline = kr_deadline_in(ENOUGH_NS);
	struct check_image image;
	unsigned fds = 0, count = 0;
	size_t pages = 0, more;

	check_make_device(c, NULL, &first);
	while (count < DEVICES && kr_clock_now() < deadline) {
		const struct check_device_request request = {.of = &first};

		if (count == DEVICES / 10) {
			fds = check_descriptors(c);
			pages = private_bytes();
		}
		check_make_device(c, &request, &device);
		check_make_image(c, &device, NULL, &image);
		robust_whole_frame(c, &device, &image, 0, robust_semaphore(c, &device), count);
		check_destroy_image(c, &device, &image);
		check_destroy_device(c, &device);
		count++;
	}
	if (count <= DEVICES / 10)
		check_skip(c, "%u devices in a minute", count);
	CHECK(c, check_descriptors(c) <= fds,
		"after %u devices there are %u descriptors, %u before", count, check_descriptors(c),
		fds);
	more = private_bytes() > pages ? private_bytes() - pages : 0;
	CHECK(c, more <= (size_t)count * (256u << 10),
		"after %u devices the process has %zu KiB more", count, more >> 10);
}

static const struct check_case rows[] = {
	{
		.name = "leaks.of_10000_frames",
		.requirement = "S-06 W-08",
		.expected = "10,000 frames leave no descriptor and no memory",
		.consequence =
			"a program that runs for minutes ends for want of descriptors or memory",
		.run = of_10000_frames,
		.timeout_s = 90,
	},
	{
		.name = "leaks.of_1000_images",
		.requirement = "W-03",
		.expected = "1,000 images, made and destroyed, leave no descriptor and no memory",
		.consequence = "each resize of a window costs its program memory",
		.run = of_1000_images,
		.timeout_s = 90,
	},
	{
		.name = "leaks.of_100_devices",
		.requirement = "D-03",
		.expected = "100 devices with a frame each leave no descriptor and no memory",
		.consequence = "each change of a program's settings costs it memory",
		.run = of_100_devices,
		.timeout_s = 90,
	},
};

const struct check_rows check_robust_leaks = CHECK_ROWS(rows);
