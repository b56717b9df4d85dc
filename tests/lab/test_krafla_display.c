/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The case study: krafla_display.ko shows frames behind their fences, and tells by out-fences when
 * it has let go of them (kernel/uapi/krafla_display.h). What happens to frames that never get
 * ready, and to dead owners, is in test_krafla_display_ends.c, wrong arguments are in
 * test_krafla_display_hostile.c.
 */
#include "screen.h"

#include <errno.h>
#include <linux/sync_file.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* S-09 */
static void
a_frame_is_shown_until_the_next(void **state)
{
	struct scene s = scene_open();
	struct krafla_display_record record;
	uint64_t first, second;

	(void)state;
	s.left_a = screen_show(s.screen, &s.a, -1, &first);
	assert_int_equal(fcntl(s.left_a, F_GETFD), FD_CLOEXEC);
	record = screen_record(s.screen, first, KRAFLA_DISPLAY_SHOWN);
	assert_int_equal(record.checksum, picture_checksum(s.a.memory, SCREEN_SIZE));
	assert_true(screen_shows(s.screen, &s.a));
	assert_int_equal(screen_info(s.screen).frame, first);
	assert_int_equal(screen_info(s.screen).format, KRAFLA_DISPLAY_XRGB8888);
	screen_wait_vsyncs(s.screen, 3);
	assert_int_equal(rig_status(s.left_a), 0);
	s.left_b = screen_show(s.screen, &s.b, -1, &second);
	assert_int_equal(second, first + 1);
	assert_int_equal(rig_ended(s.left_a), 1);
	assert_true(screen_shows(s.screen, &s.b));
	record = screen_record(s.screen, second, KRAFLA_DISPLAY_SHOWN);
	assert_int_equal(
		screen_record(s.screen, first, KRAFLA_DISPLAY_RELEASED).vsync, record.vsync);
	assert_int_equal(rig_status(s.left_b), 0);
	scene_drop(&s.screen);
	assert_int_equal(rig_status(s.left_b), 1);
	scene_close(&s);
}

/* S-09: queued behind the fence, and the call returns while that is open. */
static void
a_frame_waits_for_its_fence(void **state)
{
	struct scene s = scene_open();
	uint64_t first, second;

	(void)state;
	s.left_a = screen_show(s.screen, &s.a, -1, &first);
	screen_record(s.screen, first, KRAFLA_DISPLAY_SHOWN);
	s.left_b = screen_show(s.screen, &s.b, s.fence, &second);
	scene_drop(&s.fence); /* S-06: ours to close, at any time */
	screen_wait_vsyncs(s.screen, 3);
	assert_true(screen_shows(s.screen, &s.a));
	assert_int_equal(screen_info(s.screen).queued, 1);
	assert_int_equal(rig_status(s.left_a), 0);
	assert_int_equal(rig_move(s.timeline, 1, 0), 0);
	assert_int_equal(rig_ended(s.left_a), 1);
	assert_true(screen_shows(s.screen, &s.b));
	assert_int_equal(screen_info(s.screen).queued, 0);
	scene_close(&s);
}

/* At one vsync a second three frames meet before the first. */
static void
the_newest_ready_frame_overtakes(void **state)
{
	struct picture pictures[3] = {picture_of(1), picture_of(2), picture_of(3)};
	int screen = screen_open(1), left[3];
	struct sync_fence_info points[2];
	uint64_t frames[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		left[i] = screen_show(screen, &pictures[i], -1, &frames[i]);
	screen_record(screen, frames[2], KRAFLA_DISPLAY_SHOWN);
	for (int i = 0; i < 2; i++) {
		screen_record(screen, frames[i], KRAFLA_DISPLAY_SKIPPED);
		assert_false(screen_has_record(screen, frames[i], KRAFLA_DISPLAY_SHOWN));
		assert_int_equal(rig_status(left[i]), 1);
		rig_point(left[i], &points[i]);
	}
	assert_true(points[0].timestamp_ns < points[1].timestamp_ns);
	assert_true(screen_shows(screen, &pictures[2]));
	close(screen);
	for (int i = 0; i < 3; i++) {
		close(left[i]);
		picture_destroy(&pictures[i]);
	}
}

/* Ready later frames stay behind one that waits: the screen never goes back. */
static void
frames_stay_in_order(void **state)
{
	struct scene s = scene_open();
	uint64_t first, second;

	(void)state;
	s.left_a = screen_show(s.screen, &s.a, s.fence, &first);
	s.left_b = screen_show(s.screen, &s.b, -1, &second);
	screen_wait_vsyncs(s.screen, 4);
	assert_int_equal(screen_info(s.screen).frame, 0);
	assert_int_equal(screen_info(s.screen).queued, 2);
	assert_int_equal(rig_status(s.left_b), 0);
	assert_int_equal(rig_move(s.timeline, 1, 0), 0);
	screen_record(s.screen, second, KRAFLA_DISPLAY_SHOWN);
	assert_int_equal(rig_ended(s.left_a), 1);
	scene_close(&s);
}

/* S-01: out-fences are points of one timeline. */
static void
out_fences_are_one_timeline(void **state)
{
	struct picture a = picture_of(1);
	int screen = screen_open(1), first = screen_show(screen, &a, -1, NULL);
	int second = screen_show(screen, &a, -1, NULL), merged = rig_merge(first, second);
	struct sync_fence_info point;

	(void)state;
	assert_int_equal(rig_point(merged, &point), 1);
	assert_string_equal(point.driver_name, "krafla_display");
	assert_string_equal(point.obj_name, "screen");
	close(screen);
	assert_int_equal(rig_status(merged), rig_status(second));
	close(first);
	close(second);
	close(merged);
	picture_destroy(&a);
}

/* Rows with gaps, somewhere in the buffer, by each format. */
static void
rows_are_found_by_offset_and_stride(void **state)
{
	static const uint32_t formats[] = {KRAFLA_DISPLAY_XRGB8888, KRAFLA_DISPLAY_ARGB8888,
		KRAFLA_DISPLAY_XBGR8888, KRAFLA_DISPLAY_ABGR8888};
	const size_t offset = 12, stride = SCREEN_WIDTH * 4 + 20;
	struct picture a = picture_create(65536);
	uint8_t pixels[SCREEN_SIZE];
	int screen = screen_open(SCREEN_HZ);

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct krafla_display_buffer args = screen_args(&a, -1);

		picture_fill(&a, i);
		args.offset = offset;
		args.stride = stride;
		args.format = formats[i];
		assert_int_equal(rig_ioctl(screen, KRAFLA_DISPLAY_IOC_DISPLAY, &args), 0);
		screen_record(screen, args.frame, KRAFLA_DISPLAY_SHOWN);
		assert_int_equal(screen_info(screen).format, formats[i]);
		assert_int_equal(pread(screen, pixels, SCREEN_SIZE, 0), SCREEN_SIZE);
		for (size_t y = 0; y < SCREEN_HEIGHT; y++)
			assert_memory_equal(pixels + y * SCREEN_WIDTH * 4,
				a.memory + offset + y * stride, SCREEN_WIDTH * 4);
		close(args.out_fence);
	}
	close(screen);
	picture_destroy(&a);
}

static void
a_udmabuf_is_shown(void **state)
{
	int memory = memfd_create("picture", MFD_CLOEXEC | MFD_ALLOW_SEALING), left;
	struct udmabuf_create create = {
		.memfd = (uint32_t)memory, .flags = UDMABUF_FLAGS_CLOEXEC, .size = 4096};
	int maker = rig_open("/dev/udmabuf"), screen = screen_open(SCREEN_HZ);
	struct picture a = {.size = 4096};
	uint64_t frame;

	(void)state;
	assert_int_equal(ftruncate(memory, 4096), 0);
	assert_int_equal(fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	a.fd = rig_ioctl(maker, UDMABUF_CREATE, &create);
	assert_true(a.fd >= 0);
	a.memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	picture_fill(&a, 5);
	left = screen_show(screen, &a, -1, &frame);
	screen_record(screen, frame, KRAFLA_DISPLAY_SHOWN);
	assert_true(screen_shows(screen, &a));
	close(screen);
	assert_int_equal(rig_status(left), 1);
	close(left);
	close(maker);
	close(memory);
	picture_destroy(&a);
}

static void
show_carried(bool asked, int error)
{
	struct scene s = scene_open();
	struct krafla_display_buffer args = screen_args(&s.a, -1);

	picture_carry(&s.a, s.fence);
	args.flags = asked ? KRAFLA_DISPLAY_WAIT_FOR_BUFFER : 0;
	assert_int_equal(rig_ioctl(s.screen, KRAFLA_DISPLAY_IOC_DISPLAY, &args), 0);
	s.left_a = args.out_fence;
	screen_wait_vsyncs(s.screen, 3);
	assert_int_equal(screen_info(s.screen).frame, 0);
	assert_int_equal(rig_move(s.timeline, 1, error), 0);
	if (asked && error)
		assert_int_equal(rig_ended(s.left_a), error);
	else
		screen_record(s.screen, args.frame, KRAFLA_DISPLAY_SHOWN);
	scene_close(&s);
}

static void
fences_that_the_buffer_carries_are_waited_for(void **state)
{
	(void)state;
	show_carried(true, 0);
	show_carried(false, 0);
	show_carried(true, -EIO);
	show_carried(false, -EIO);
}

static void
others_may_look(void **state)
{
	struct picture a = picture_of(1);
	int screen = screen_open(SCREEN_HZ), other = rig_open("/dev/krafla_display");
	uint64_t frame;
	int left = screen_show(screen, &a, -1, &frame);
	uint8_t part[8];

	(void)state;
	screen_record(other, frame, KRAFLA_DISPLAY_SHOWN);
	assert_true(screen_shows(other, &a));
	assert_int_equal(pread(other, part, 8, SCREEN_SIZE - 4), 4);
	assert_memory_equal(part, a.memory + SCREEN_SIZE - 4, 4);
	assert_int_equal(pread(other, part, 8, SCREEN_SIZE), 0);
	assert_int_equal(pread(other, part, 8, INT64_MAX - 8), 0);
	close(screen);
	assert_int_equal(pread(other, part, 8, 0), 0);
	close(other);
	close(left);
	picture_destroy(&a);
}

static const struct kr_test tests[] = {
	KR_TEST(a_frame_is_shown_until_the_next),
	KR_TEST(a_frame_waits_for_its_fence),
	KR_TEST(the_newest_ready_frame_overtakes),
	KR_TEST(frames_stay_in_order),
	KR_TEST(out_fences_are_one_timeline),
	KR_TEST(rows_are_found_by_offset_and_stride),
	KR_TEST(a_udmabuf_is_shown),
	KR_TEST(fences_that_the_buffer_carries_are_waited_for),
	KR_TEST(others_may_look),
};

KR_TEST_MAIN(tests)
