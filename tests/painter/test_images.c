/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of a GPU of other processes in pictures (W-11): to the pixel, and back to its owners as it
 * was.
 */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../gpu/rig.h"
#include "producer.h"
#include "util/fd.h"

#define WIDTH  40
#define HEIGHT 30

static struct kr_painter_result
draw_beside(struct kr_painter *painter, uint64_t number, const uint64_t ids[2])
{
	const struct kr_render_layer layers[] = {
		{.frame = {0, 0, WIDTH, HEIGHT}, .blend = 1, .alpha = 1},
		{.frame = {WIDTH, 0, 2 * WIDTH, HEIGHT}, .blend = 1, .alpha = 1},
	};
	const struct kr_painter_request request = {
		.number = number,
		.width = 2 * WIDTH,
		.height = HEIGHT,
		.order = KR_PIXELS_XBGR,
		.readback = true,
		.layers = layers,
		.ids = ids,
		.count = 2,
	};

	return rig_paint(painter, &request);
}

/* Each half as its producer has it. */
static void
expect_pixels(const struct kr_painter_result *result, const uint32_t seeds[2])
{
	assert_int_equal(result->error, 0);
	for (uint32_t y = 0; y < HEIGHT; y++) {
		const uint32_t *row =
			(const uint32_t *)(const void *)((const uint8_t *)result->pixels +
				(size_t)y * result->row_bytes);

		for (uint32_t x = 0; x < 2 * WIDTH; x++) {
			uint32_t want = rig_pixel(seeds[x / WIDTH], x % WIDTH, y);

			if ((row[x] ^ want) & 0xffffff)
				fail_msg("%u,%u is %08x, not %08x", x, y, row[x], want);
		}
	}
}

static void
two_processes_in_one_picture(void **state)
{
	const uint32_t seeds[] = {11, 22};
	const uint64_t ids[] = {1, 2};
	struct kr_buffer *buffers[2];
	struct producer producers[2];
	struct kr_painter *painter;

	rig_use(RIG_LAVAPIPE);
	for (int i = 0; i < 2; i++)
		buffers[i] = producer_start(&producers[i], WIDTH, HEIGHT, seeds[i]);
	painter = rig_start(NULL);
	for (int i = 0; i < 2; i++)
		assert_int_equal(rig_add(painter, ids[i], buffers[i]), KR_PAINTER_GOOD);
	/* Again and again: what was given back comes again. */
	for (uint64_t number = 1; number <= 9; number++) {
		struct kr_painter_result result = draw_beside(painter, number, ids);

		expect_pixels(&result, seeds);
		kr_painter_give_back(painter, result.ring);
	}
	kr_painter_stop(painter);
	for (int i = 0; i < 2; i++) {
		assert_true(producer_ends_well(&producers[i]));
		kr_buffer_unref(buffers[i]);
	}
}

/* A process that dies leaves memory that is there as long as somebody has it. */
static void
a_producer_that_is_killed(void **state)
{
	const uint32_t seeds[] = {11, 22};
	const uint64_t ids[] = {1, 2};
	struct kr_buffer *buffers[2];
	struct producer producers[2];
	struct kr_painter_result result;
	struct kr_painter *painter;

	rig_use(RIG_LAVAPIPE);
	for (int i = 0; i < 2; i++)
		buffers[i] = producer_start(&producers[i], WIDTH, HEIGHT, seeds[i]);
	painter = rig_start(NULL);
	assert_int_equal(rig_add(painter, ids[0], buffers[0]), KR_PAINTER_GOOD);
	kill(producers[0].pid, SIGKILL);
	kill(producers[1].pid, SIGKILL);
	assert_false(producer_ends_well(&producers[0]));
	assert_false(producer_ends_well(&producers[1]));
	assert_int_equal(rig_add(painter, ids[1], buffers[1]), KR_PAINTER_GOOD);
	result = draw_beside(painter, 1, ids);
	expect_pixels(&result, seeds);
	kr_painter_stop(painter);
	for (int i = 0; i < 2; i++)
		kr_buffer_unref(buffers[i]);
}

/* Memory of another description, of something else, of nothing: no is said, and nothing lost. */
static void
memory_that_lies(void **state)
{
	const uint32_t seeds[] = {11, 22};
	const uint64_t ids[] = {1, 2};
	struct kr_buffer *buffers[2];
	struct producer producers[2];
	struct kr_painter_result result;
	struct kr_painter *painter;

	rig_use(RIG_LAVAPIPE);
	for (int i = 0; i < 2; i++)
		buffers[i] = producer_start(&producers[i], WIDTH, HEIGHT, seeds[i]);
	painter = rig_start(NULL);
	for (int i = 0; i < 4; i++) {
		const struct kr_buffer_info *info = kr_buffer_get_info(buffers[0]);
		struct kr_buffer_desc desc = info->desc;
		struct kr_gpu_memory memory = *info->gpu;
		struct kr_buffer *lie;
		int fd;

		if (i == 0) {
			assert_int_equal(kr_memfd_create("lie", 4096, &fd), 0);
		} else if (i == 1) {
			fd = open("/dev/null", O_RDWR | O_CLOEXEC);
		} else {
			assert_int_equal(kr_fd_dup(info->gpu_fd, &fd), 0);
		}
		if (i == 2)
			memory.driver_uuid[3] ^= 1;
		if (i == 3) {
			desc.width = memory.width = 4 * WIDTH;
			desc.height = memory.height = 4 * HEIGHT;
			memory.allocation_size *= 16;
		}
		if (kr_buffer_from_gpu(&desc, &memory, fd, &lie))
			continue; /* seen before it gets there */
		assert_int_equal(rig_add(painter, 100 + (uint64_t)i, lie), KR_PAINTER_REFUSED);
		kr_buffer_unref(lie);
	}
	for (int i = 0; i < 2; i++)
		assert_int_equal(rig_add(painter, ids[i], buffers[i]), KR_PAINTER_GOOD);
	result = draw_beside(painter, 1, ids);
	expect_pixels(&result, seeds);
	kr_painter_stop(painter);
	for (int i = 0; i < 2; i++) {
		assert_true(producer_ends_well(&producers[i]));
		kr_buffer_unref(buffers[i]);
	}
}

/* Of a picture that it dies in, those are named that have memory of a GPU in it. */
static void
suspects_of_a_picture(void **state)
{
	const uint64_t ids[] = {1, 3};
	struct kr_buffer *buffers[2];
	struct producer producers[2];
	struct kr_painter *painter;
	uint64_t suspects[4];
	pid_t pid = 0;
	FILE *file;
	char path[64];

	rig_use(RIG_LAVAPIPE);
	for (int i = 0; i < 2; i++)
		buffers[i] = producer_start(&producers[i], WIDTH, HEIGHT, 5);
	painter = rig_start(NULL);
	for (uint64_t i = 0; i < 3; i++)
		assert_int_equal(rig_add(painter, i + 1, buffers[i % 2]), KR_PAINTER_GOOD);
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "r");
	while (fscanf(file, "%d", &pid) == 1)
		continue; /* the last one */
	fclose(file);
	kill(pid, SIGSTOP);
	{
		const struct kr_render_layer layers[2] = {
			{.frame = {0, 0, WIDTH, HEIGHT}, .blend = 1, .alpha = 1},
			{.frame = {0, 0, WIDTH, HEIGHT}, .blend = 1, .alpha = 1},
		};
		const struct kr_painter_request request = {
			.number = 1,
			.width = WIDTH,
			.height = HEIGHT,
			.layers = layers,
			.ids = ids,
			.count = 2,
		};

		assert_int_equal(kr_painter_draw(painter, &request), 0);
	}
	kill(pid, SIGKILL);
	assert_int_equal(rig_dispatch(painter, 10000, NULL), -EPIPE);
	assert_int_equal(kr_painter_suspects(painter, suspects, 4), 2);
	assert_int_equal(suspects[0], 1);
	assert_int_equal(suspects[1], 3);
	kr_painter_stop(painter);
	for (int i = 0; i < 2; i++) {
		assert_true(producer_ends_well(&producers[i]));
		kr_buffer_unref(buffers[i]);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(two_processes_in_one_picture),
	KR_TEST(a_producer_that_is_killed),
	KR_TEST(memory_that_lies),
	KR_TEST(suspects_of_a_picture),
};
KR_TEST_MAIN(tests)
