/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader that looks at memory of a GPU gets the frames of an unmodified Vulkan program so, and
 * another process, which imports that, sees what the buffer itself shows (W-11). On lavapipe, with
 * the installed libraries.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "harness.h"
#include "onlooker.h"
#include "spawn.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/native_memory.h"
#include "window/reader/reader.h"

#define LIMIT_S 60
#define WIDTH   333
#define HEIGHT  217
#define CUBE    prefix_path("bin/krafla-cube")

/* Who looks sees what the CPU does: *last, which changes from frame to frame. */
static void
check_frame(struct onlooker *onlooker, const struct kr_frame *frame, uint32_t *last)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(frame->buffer);
	const char *pixels;
	void *face;
	unsigned drawn = 0;
	uint32_t sum = 0;

	assert_int_equal(
		kr_fence_wait(frame->acquire_fence, kr_deadline_in(LIMIT_S * KR_NSEC_PER_SEC)), 0);
	assert_non_null(info->gpu);
	assert_int_equal(onlooker_look(onlooker, info->gpu, info->gpu_fd, (const void **)&pixels),
		VK_SUCCESS);
	assert_int_equal(kr_buffer_map(frame->buffer, &face), 0);
	for (uint32_t y = 0; y < HEIGHT; y++) {
		const uint32_t *row = (const uint32_t *)(const void *)(pixels + y * WIDTH * 4);

		if (!frame->no_pixels)
			assert_memory_equal(row, (char *)face + y * info->row_bytes, WIDTH * 4);
		for (uint32_t x = 0; x < WIDTH; x++) {
			drawn += row[x] != row[0];
			sum = sum * 31 + row[x];
		}
	}
	assert_true(drawn > WIDTH * HEIGHT / 10);
	assert_int_not_equal(sum, *last);
	*last = sum;
}

/* Frames of a program until it ends; how many, and how many of them the CPU can't see. */
static unsigned
read_frames(struct kr_reader *reader, struct onlooker *onlooker, unsigned *without)
{
	const struct kr_acquire any = {0};
	unsigned frames = 0;
	uint32_t last = 0;
	int err;

	do {
		struct pollfd ready = {.fd = kr_reader_fd(reader), .events = POLLIN};
		struct kr_frame frame;
		uint64_t producer;

		err = kr_reader_acquire(reader, false, &any, &frame, &producer);
		if (err == -EAGAIN)
			assert_int_equal(poll(&ready, 1, LIMIT_S * 1000), 1);
		if (err)
			continue;
		check_frame(onlooker, &frame, &last);
		*without += frame.no_pixels;
		kr_buffer_unref(frame.buffer);
		close(frame.acquire_fence);
		assert_int_equal(
			kr_reader_release(reader, producer, frame.slot, frame.number, -1), 0);
		frames++;
	} while (!err || err == -EAGAIN);
	assert_int_equal(err, -EPIPE);
	return frames;
}

/* With a reader of that usage beside memory of a GPU. */
static void
run(uint64_t usage, unsigned *without)
{
	const struct kr_reader_config config = {
		.socket = kr_test_path("reader"),
		.width = WIDTH,
		.height = HEIGHT,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = usage | KR_USAGE_GPU_MEMORY,
		.max_images = 1,
		.max_producers = 1,
	};
	struct onlooker onlooker;
	struct kr_reader *reader;
	struct spawn child;

	onlooker_start(&onlooker);
	assert_int_equal(kr_reader_open(&config, &reader), 0);
	spawn_start(&child, ARGV(CUBE, "--frames", "12"),
		ENV(library_env(), lavapipe_env(), env_text("KRAFLA_DISPLAY", config.socket)));
	assert_int_equal(read_frames(reader, &onlooker, without), 12);
	spawn_wait(&child, LIMIT_S);
	expect_code(&child, 0);
	expect_no_text(&child, "WARNING");
	spawn_finish(&child);
	kr_reader_close(reader);
	onlooker_finish(&onlooker);
}

static void
frames_are_seen_on_the_gpu(void **state)
{
	unsigned without = 0;

	run(AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN, &without);
	assert_int_equal(without, 0);
}

/* Who reads on the GPU alone has nothing copied for the CPU, but what was on its way by then. */
static void
nothing_is_copied_for_nobody(void **state)
{
	unsigned without = 0;

	run(AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE, &without);
	assert_in_range(without, 6, 11);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(frames_are_seen_on_the_gpu, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS, 100),
	KR_TEST_SLOW(nothing_is_copied_for_nobody, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS, 100),
};

KR_TEST_MAIN(tests)
