/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Out-fences of krafla_display.ko end in bounded time, in order and truthfully: in-fences that fail or
 * never end, buffers that stay on the screen, modes that change, owners that die.
 */
#include "screen.h"

#include <errno.h>
#include <linux/sync_file.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static uint64_t
end_time(int fence)
{
	struct sync_fence_info point;

	rig_point(fence, &point);
	return point.timestamp_ns;
}

/* KMS would show it (measured: explicit-sync.md 1.6); Krafla doesn't show what was never drawn. */
static void
a_failed_fence_fails_the_frame(void **state)
{
	struct picture a = picture_of(1), b = picture_of(2);
	int timeline = rig_timeline(), ready = rig_fence(timeline, 1);
	int screen = screen_open(SCREEN_HZ), left_a, left_b;
	struct krafla_display_record record;
	uint64_t first, second;

	(void)state;
	left_a = screen_show(screen, &a, -1, &first);
	screen_record(screen, first, KRAFLA_DISPLAY_SHOWN);
	left_b = screen_show(screen, &b, ready, &second);
	assert_int_equal(rig_move(timeline, 1, -EIO), 0);
	assert_int_equal(rig_ended(left_b), -EIO);
	record = screen_record(screen, second, KRAFLA_DISPLAY_FAILED);
	assert_int_equal(record.error, -EIO);
	assert_false(screen_has_record(screen, second, KRAFLA_DISPLAY_SHOWN));
	/* In order: the buffer before it was let go, its picture stays. */
	assert_int_equal(rig_status(left_a), 1);
	assert_true(end_time(left_a) < end_time(left_b));
	memset(a.memory, 0, a.size);
	screen_wait_vsyncs(screen, 3);
	picture_fill(&a, 1);
	assert_true(screen_shows(screen, &a));
	assert_int_equal(screen_info(screen).frame, first);
	/* A fence that had failed before it was handed in. */
	close(left_b);
	left_b = screen_show(screen, &b, ready, NULL);
	assert_int_equal(rig_ended(left_b), -EIO);
	close(ready);
	close(timeline);
	close(screen);
	close(left_a);
	close(left_b);
	picture_destroy(&a);
	picture_destroy(&b);
}

/* S-03: the kernel's own merge would tell only when all its parts have ended. */
static void
a_merged_fence_fails_with_its_first_part(void **state)
{
	struct picture a = picture_of(1);
	int here = rig_timeline(), there = rig_timeline();
	int one = rig_fence(here, 1), other = rig_fence(there, 1), merged = rig_merge(one, other);
	int screen = screen_open(SCREEN_HZ), left = screen_show(screen, &a, merged, NULL);

	(void)state;
	assert_int_equal(rig_move(there, 1, -EIO), 0);
	assert_int_equal(rig_ended(left), -EIO);
	assert_int_equal(rig_status(one), 0);
	assert_false(rig_ends(merged, 0));
	close(merged);
	close(one);
	close(other);
	close(here);
	close(there);
	close(screen);
	close(left);
	picture_destroy(&a);
}

static void
a_fence_that_never_ends_costs_one_frame(void **state)
{
	struct picture a = picture_of(1), b = picture_of(2);
	int timeline = rig_timeline(), never = rig_fence(timeline, 1), screen, left_a, left_b;
	uint64_t first, second;

	(void)state;
	screen = screen_open(SCREEN_HZ);
	rig_write_file(SCREEN_READY_MS, SCREEN_SHORT_MS);
	assert_int_equal(screen_info(screen).ready_ms, 200);
	left_a = screen_show(screen, &a, never, &first);
	rig_write_file(SCREEN_READY_MS, SCREEN_LONG_MS); /* for those that follow */
	left_b = screen_show(screen, &b, -1, &second);
	assert_int_equal(rig_ended(left_a), -ETIMEDOUT);
	assert_int_equal(screen_record(screen, first, KRAFLA_DISPLAY_FAILED).error, -ETIMEDOUT);
	screen_record(screen, second, KRAFLA_DISPLAY_SHOWN);
	assert_int_equal(rig_status(never), 0);
	assert_int_equal(rig_move(timeline, 1, 0), 0);
	screen_wait_vsyncs(screen, 2);
	assert_false(screen_has_record(screen, first, KRAFLA_DISPLAY_SHOWN));
	close(never);
	close(timeline);
	close(screen);
	close(left_a);
	close(left_b);
	picture_destroy(&a);
	picture_destroy(&b);
}

/* The buffer itself is never let go by who writes to it: the same, and other buffers aren't hindered. */
static void
a_buffer_that_is_never_written_costs_one_frame(void **state)
{
	struct picture a = picture_of(1), b = picture_of(2);
	int timeline = rig_timeline(), never = rig_fence(timeline, 1), screen, left_a, left_b;
	uint64_t second;

	(void)state;
	picture_carry(&a, never);
	screen = screen_open(SCREEN_HZ);
	rig_write_file(SCREEN_READY_MS, SCREEN_SHORT_MS);
	left_a = screen_show(screen, &a, -1, NULL);
	rig_write_file(SCREEN_READY_MS, SCREEN_LONG_MS); /* for those that follow */
	left_b = screen_show(screen, &b, -1, &second);
	assert_int_equal(rig_ended(left_a), -ETIMEDOUT);
	screen_record(screen, second, KRAFLA_DISPLAY_SHOWN);
	assert_int_equal(rig_status(never), 0);
	close(never);
	close(timeline);
	close(screen);
	close(left_a);
	close(left_b);
	picture_destroy(&a);
	picture_destroy(&b);
}

/* A fence may not wait for the next frame, which may never come: S-05 */
static void
a_buffer_is_held_for_a_limited_time(void **state)
{
	struct picture a = picture_of(1);
	int screen, left;
	uint64_t frame;

	(void)state;
	screen = screen_open(SCREEN_HZ);
	rig_write_file(SCREEN_HOLD_MS, SCREEN_SHORT_MS);
	assert_int_equal(screen_info(screen).hold_ms, 200);
	left = screen_show(screen, &a, -1, &frame);
	assert_int_equal(rig_ended(left), 1);
	assert_true(screen_record(screen, frame, KRAFLA_DISPLAY_RELEASED).vsync_ns -
			screen_record(screen, frame, KRAFLA_DISPLAY_SHOWN).vsync_ns >
		100000000);
	/* It isn't read any more, and what was read stays. */
	memset(a.memory, 0, a.size);
	screen_wait_vsyncs(screen, 3);
	picture_fill(&a, 1);
	assert_true(screen_shows(screen, &a));
	close(screen);
	close(left);
	picture_destroy(&a);
}

/* Who writes before the out-fence has ended is seen. */
static void
a_buffer_on_the_screen_is_read_again(void **state)
{
	struct picture a = picture_of(1);
	int screen = screen_open(SCREEN_HZ), left;
	uint64_t frame;

	(void)state;
	left = screen_show(screen, &a, -1, &frame);
	screen_record(screen, frame, KRAFLA_DISPLAY_SHOWN);
	picture_fill(&a, 9);
	for (int i = 0; i < 1000 && !screen_shows(screen, &a); i++)
		usleep(2000);
	assert_true(screen_shows(screen, &a));
	assert_int_equal(rig_status(left), 0);
	close(screen);
	close(left);
	picture_destroy(&a);
}

/* The second waits for the first to leave, and the first would stay for the second. */
static void
a_circle_of_fences_is_broken(void **state)
{
	struct picture a = picture_of(1), b = picture_of(2);
	int screen, left_a, left_b;
	uint64_t second;

	(void)state;
	screen = screen_open(SCREEN_HZ);
	rig_write_file(SCREEN_HOLD_MS, SCREEN_SHORT_MS);
	left_a = screen_show(screen, &a, -1, NULL);
	left_b = screen_show(screen, &b, left_a, &second);
	screen_record(screen, second, KRAFLA_DISPLAY_SHOWN);
	assert_int_equal(rig_status(left_a), 1);
	close(screen);
	close(left_a);
	close(left_b);
	picture_destroy(&a);
	picture_destroy(&b);
}

static void
a_new_mode_ends_what_is_queued(void **state)
{
	struct picture a = picture_of(1);
	int timeline = rig_timeline(), never = rig_fence(timeline, 1);
	int screen = screen_open(SCREEN_HZ), left_a, left_b;
	uint8_t pixels[16] = {1}, zeros[16] = {0};
	uint64_t first;

	(void)state;
	left_a = screen_show(screen, &a, -1, &first);
	screen_record(screen, first, KRAFLA_DISPLAY_SHOWN);
	left_b = screen_show(screen, &a, never, NULL);
	assert_int_equal(screen_mode(screen, 2, 2, SCREEN_HZ), 0);
	assert_int_equal(rig_status(left_a), 1);
	assert_int_equal(rig_status(left_b), -ECANCELED);
	assert_true(end_time(left_a) < end_time(left_b));
	assert_int_equal(pread(screen, pixels, sizeof(pixels), 0), 16);
	assert_memory_equal(pixels, zeros, 16);
	assert_int_equal(screen_info(screen).frame, 0);
	close(left_a);
	/* Off: anybody may have it. */
	left_a = screen_show(screen, &a, -1, NULL);
	assert_int_equal(screen_mode(screen, 0, 0, 0), 0);
	assert_true(rig_status(left_a) == 1 || rig_status(left_a) == -ECANCELED);
	assert_int_equal(screen_try(screen, &a, -1, NULL), -EPERM);
	close(screen_open(SCREEN_HZ));
	close(never);
	close(timeline);
	close(screen);
	close(left_a);
	close(left_b);
	picture_destroy(&a);
}

static void
own_the_screen(int socket)
{
	struct picture a = picture_of(1);
	int timeline = rig_timeline(), screen = screen_open(SCREEN_HZ);
	uint64_t frame;

	rig_send(socket, screen_show(screen, &a, -1, &frame));
	screen_record(screen, frame, KRAFLA_DISPLAY_SHOWN);
	rig_send(socket, screen_show(screen, &a, rig_fence(timeline, 1), NULL));
	rig_send(socket, timeline);
	for (;;)
		pause();
}

static void
a_dead_owner_leaves_a_blank_screen(void **state)
{
	int socket, left_a, left_b, timeline, screen;
	pid_t pid;

	(void)state;
	pid = rig_child(own_the_screen, &socket);
	left_a = rig_receive(socket);
	left_b = rig_receive(socket);
	timeline = rig_receive(socket); /* lives on: it isn't what ends the frame */
	screen = rig_open("/dev/krafla_display");
	assert_int_equal(screen_mode(screen, 2, 2, 60), -EBUSY);
	rig_kill(pid);
	assert_int_equal(rig_ended(left_b), -EOWNERDEAD);
	assert_int_equal(rig_status(left_a), 1);
	assert_int_equal(screen_info(screen).width, 0);
	assert_int_equal(screen_info(screen).queued, 0);
	assert_int_equal(screen_mode(screen, 2, 2, 60), 0);
	close(screen);
	close(timeline);
	close(left_a);
	close(left_b);
	close(socket);
}

static void
sleep_on(int socket)
{
	(void)socket;
	for (;;)
		pause();
}

static void
a_forked_child_delays_death(void **state)
{
	struct picture a = picture_of(1);
	int timeline = rig_timeline(), never = rig_fence(timeline, 1);
	int screen = screen_open(SCREEN_HZ), left = screen_show(screen, &a, never, NULL), socket;
	pid_t pid = rig_child(sleep_on, &socket);

	(void)state;
	close(screen);
	assert_false(rig_ends(left, 200));
	rig_kill(pid);
	assert_int_equal(rig_ended(left), -EOWNERDEAD);
	close(socket);
	close(never);
	close(timeline);
	close(left);
	picture_destroy(&a);
}

static const struct kr_test tests[] = {
	KR_TEST(a_failed_fence_fails_the_frame),
	KR_TEST(a_merged_fence_fails_with_its_first_part),
	KR_TEST(a_fence_that_never_ends_costs_one_frame),
	KR_TEST(a_buffer_that_is_never_written_costs_one_frame),
	KR_TEST(a_buffer_is_held_for_a_limited_time),
	KR_TEST(a_buffer_on_the_screen_is_read_again),
	KR_TEST(a_circle_of_fences_is_broken),
	KR_TEST(a_new_mode_ends_what_is_queued),
	KR_TEST(a_dead_owner_leaves_a_blank_screen),
	KR_TEST(a_forked_child_delays_death),
};

KR_TEST_MAIN(tests)
