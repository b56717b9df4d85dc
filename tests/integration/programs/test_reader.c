/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader on a socket gets the frames of an unmodified Vulkan program, on lavapipe, with the
 * installed libraries: each is what the same scene is that no window system ever saw.
 */
#include <errno.h>
#include <krafla/window.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "capture.h"
#include "harness.h"
#include "spawn.h"

#define LIMIT_S   60
#define MAX_COLOR 1
#define CUBE      prefix_path("bin/krafla-cube")

static void
draw_reference(struct image *image, unsigned frame)
{
	const char *path = kr_test_path("reference.ppm");
	struct spawn child;
	char number[16];

	snprintf(number, sizeof(number), "%u", frame);
	spawn_run(&child, LIMIT_S,
		ARGV(CUBE, "--offscreen", number, "--output", path, "--size", "333x217"),
		ENV(library_env(), lavapipe_env()));
	expect_code(&child, 0);
	spawn_finish(&child);
	image_load_ppm(image, path);
}

/* Waits for its fence, which is closed. */
static void
read_image(const struct krafla_image *from, struct image *image)
{
	AHardwareBuffer_Desc desc;
	const uint8_t *row;
	void *pixels;
	int red;

	assert_int_equal(AHardwareBuffer_lock(from->buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
				 from->acquire_fence, NULL, &pixels),
		0);
	AHardwareBuffer_describe(from->buffer, &desc);
	red = desc.format == AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM ? 2 : 0;
	*image = (struct image){
		desc.width, desc.height, malloc((size_t)desc.width * desc.height * 3)};
	for (uint32_t y = 0; y < desc.height; y++) {
		row = (const uint8_t *)pixels + (size_t)y * desc.stride * 4;
		for (uint32_t x = 0; x < desc.width; x++) {
			uint8_t *to = image->rgb + ((size_t)y * desc.width + x) * 3;

			to[0] = row[x * 4 + (uint32_t)red];
			to[1] = row[x * 4 + 1];
			to[2] = row[x * 4 + 2 - (uint32_t)red];
		}
	}
	assert_int_equal(AHardwareBuffer_unlock(from->buffer, NULL), 0);
}

static void
a_vulkan_programs_frames_are_what_was_drawn(void **state)
{
	struct krafla_reader_config config = {.size = sizeof(config),
		.socket = kr_test_path("reader"),
		.width = 333,
		.height = 217};
	struct krafla_reader *reader;
	struct spawn child;
	unsigned frames = 0;
	int err;

	skip_without_lavapipe();
	assert_int_equal(krafla_reader_open(&config, &reader), 0);
	spawn_start(&child, ARGV(CUBE, "--frames", "5"),
		ENV(library_env(), lavapipe_env(), env_text("KRAFLA_DISPLAY", config.socket)));
	do {
		struct pollfd ready = {.fd = krafla_reader_get_fd(reader), .events = POLLIN};
		struct image seen, reference;
		struct krafla_image image;

		err = krafla_reader_acquire_next(reader, &image);
		if (err == -EAGAIN)
			assert_int_equal(poll(&ready, 1, LIMIT_S * 1000), 1);
		if (err)
			continue;
		assert_int_equal(image.number, frames + 1);
		read_image(&image, &seen);
		assert_int_equal(krafla_reader_release(reader, &image, -1), 0);
		draw_reference(&reference, frames++);
		assert_true(image_drawn_pixels(&reference) > 333 * 217 / 10);
		assert_in_range(image_difference(&seen, &reference), 0, MAX_COLOR);
		image_free(&reference);
		image_free(&seen);
	} while (!err || err == -EAGAIN);
	assert_int_equal(err, -EPIPE);
	assert_int_equal(frames, 5);
	spawn_wait(&child, LIMIT_S);
	expect_code(&child, 0);
	spawn_finish(&child);
	krafla_reader_close(reader);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(a_vulkan_programs_frames_are_what_was_drawn, KR_TEST_KEEPS_MEMORY, 200),
};

KR_TEST_MAIN(tests)
