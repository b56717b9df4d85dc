/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Out-fences of krafla_display.ko end in bounded time, in order and truthfully: in-fences that fail
 * or never end, buffers that stay on the screen, modes that change, owners that die.
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

/*
 * KMS would show it (docs/kernel-fences.md, the last row of "Merging"); Krafla doesn't show what
 * was never drawn.
 */
static void
a_failed_fence_fails_the_frame(void **state)
{
	struct scene s = scene_open();
	struct krafla_display_record record;
	uint64_t first, second;

	(void)state;
	s.left_a = screen_show(s.screen, &s.a, -1, &first);
	screen_record(s.screen, first, KRAFLA_DISPLAY_SHOWN);
	s.left_b = screen_show(s.screen, &s.b, s.fence, &second);
	assert_int_equal(rig_move(s.timeline, 1, -EIO), 0);
	assert_int_equal(rig_ended(s.left_b), -EIO);
	record = screen_record(s.screen, second, KRAFLA_DISPLAY_FAILED);
	assert_int_equal(record.error, -EIO);
	assert_false(screen_has_record(s.screen, second, KRAFLA_DISPLAY_SHOWN));
	/* In order: the buffer before it was let go, its picture stays. */
	assert_int_equal(rig_status(s.left_a), 1);
	assert_true(end_time(s.left_a) < end_time(s.left_b));
	memset(s.a.memory, 0, s.a.size);
	screen_wait_vsyncs(s.screen, 3);
	picture_fill(&s.a, 1);
	assert_true(screen_shows(s.screen, &s.a));
	assert_int_equal(screen_info(s.screen).frame, first);
	/* A fence that had failed before it was handed in. */
	close(s.left_b);
	s.left_b = screen_show(s.screen, &s.b, s.fence, NULL);
	assert_int_equal(rig_ended(s.left_b), -EIO);
	scene_close(&s);
}

/* S-03: the kernel's own merge would tell only when all its parts have ended. */
static void
a_merged_fence_fails_with_its_first_part(void **state)
{
	struct scene s = scene_open();
	int there = rig_timeline(), other = rig_fence(there, 1);
	int merged = rig_merge(s.fence, other);

	(void)state;
	s.left_a = screen_show(s.screen, &s.a, merged, NULL);
	assert_int_equal(rig_move(there, 1, -EIO), 0);
	assert_int_equal(rig_ended(s.left_a), -EIO);
	assert_int_equal(rig_status(s.fence), 0);
	assert_false(rig_ends(merged, 0));
	close(merged);
	close(other);
	close(there);
	scene_close(&s);
}

/*
 * The first frame, behind `in_fence` or what its buffer carries, is given up; the
 * next isn't hindered.
 */
static uint64_t
give_up_a_frame(struct scene *s, int in_fence)
{
	uint64_t first, second;

	rig_write_file(SCREEN_READY_MS, SCREEN_SHORT_MS);
	assert_int_equal(screen_info(s->screen).ready_ms, 200);
	s->left_a = screen_show(s->screen, &s->a, in_fence, &first);
	rig_write_file(SCREEN_READY_MS, SCREEN_LONG_MS); /* for those that follow */
	s->left_b = screen_show(s->screen, &s->b, -1, &second);
	assert_int_equal(rig_ended(s->left_a), -ETIMEDOUT);
	assert_int_equal(screen_record(s->screen, first, KRAFLA_DISPLAY_FAILED).error, -ETIMEDOUT);
	screen_record(s->screen, second, KRAFLA_DISPLAY_SHOWN);
	assert_int_equal(rig_status(s->fence), 0);
	return first;
}

static void
a_fence_that_never_ends_costs_one_frame(void **state)
{
	struct scene s = scene_open();
	uint64_t lost = give_up_a_frame(&s, s.fence);

	(void)state;
	assert_int_equal(rig_move(s.timeline, 1, 0), 0);
	screen_wait_vsyncs(s.screen, 2);
	assert_false(screen_has_record(s.screen, lost, KRAFLA_DISPLAY_SHOWN));
	scene_close(&s);
}

/* The buffer itself is never let go by who writes to it. */
static void
a_buffer_that_is_never_written_costs_one_frame(void **state)
{
	struct scene s = scene_open();

	(void)state;
	picture_carry(&s.a, s.fence);
	give_up_a_frame(&s, -1);
	scene_close(&s);
}

/* A fence may not wait for the next frame, which may never come: S-05 */
static void
a_buffer_is_held_for_a_limited_time(void **state)
{
	struct scene s = scene_open();
	uint64_t frame;

	(void)state;
	rig_write_file(SCREEN_HOLD_MS, SCREEN_SHORT_MS);
	assert_int_equal(screen_info(s.screen).hold_ms, 200);
	s.left_a = screen_show(s.screen, &s.a, -1, &frame);
	assert_int_equal(rig_ended(s.left_a), 1);
	assert_true(screen_record(s.screen, frame, KRAFLA_DISPLAY_RELEASED).vsync_ns -
			screen_record(s.screen, frame, KRAFLA_DISPLAY_SHOWN).vsync_ns >
		100000000);
	/* It isn't read any more, and what was read stays. */
	memset(s.a.memory, 0, s.a.size);
	screen_wait_vsyncs(s.screen, 3);
	picture_fill(&s.a, 1);
	assert_true(screen_shows(s.screen, &s.a));
	scene_close(&s);
}

/* Who writes before the out-fence has ended is seen. */
static void
a_buffer_on_the_screen_is_read_again(void **state)
{
	struct scene s = scene_open();
	uint64_t frame;

	(void)state;
	s.left_a = screen_show(s.screen, &s.a, -1, &frame);
	screen_record(s.screen, frame, KRAFLA_DISPLAY_SHOWN);
	picture_fill(&s.a, 9);
	for (int i = 0; i < 1000 && !screen_shows(s.screen, &s.a); i++)
		usleep(2000);
	assert_true(screen_shows(s.screen, &s.a));
	assert_int_equal(rig_status(s.left_a), 0);
	scene_close(&s);
}

/* The second waits for the first to leave, and the first would stay for the second. */
static void
a_circle_of_fences_is_broken(void **state)
{
	struct scene s = scene_open();
	uint64_t second;

	(void)state;
	rig_write_file(SCREEN_HOLD_MS, SCREEN_SHORT_MS);
	s.left_a = screen_show(s.screen, &s.a, -1, NULL);
	s.left_b = screen_show(s.screen, &s.b, s.left_a, &second);
	screen_record(s.screen, second, KRAFLA_DISPLAY_SHOWN);
	assert_int_equal(rig_status(s.left_a), 1);
	scene_close(&s);
}

static void
a_new_mode_ends_what_is_queued(void **state)
{
	struct scene s = scene_open();
	uint8_t pixels[16] = {1}, zeros[16] = {0};
	uint64_t first;

	(void)state;
	s.left_a = screen_show(s.screen, &s.a, -1, &first);
	screen_record(s.screen, first, KRAFLA_DISPLAY_SHOWN);
	s.left_b = screen_show(s.screen, &s.a, s.fence, NULL);
	assert_int_equal(screen_mode(s.screen, 2, 2, SCREEN_HZ), 0);
	assert_int_equal(rig_status(s.left_a), 1);
	assert_int_equal(rig_status(s.left_b), -ECANCELED);
	assert_true(end_time(s.left_a) < end_time(s.left_b));
	assert_int_equal(pread(s.screen, pixels, sizeof(pixels), 0), 16);
	assert_memory_equal(pixels, zeros, 16);
	assert_int_equal(screen_info(s.screen).frame, 0);
	close(s.left_a);
	/* Off: anybody may have it. */
	s.left_a = screen_show(s.screen, &s.a, -1, NULL);
	assert_int_equal(screen_mode(s.screen, 0, 0, 0), 0);
	assert_true(rig_status(s.left_a) == 1 || rig_status(s.left_a) == -ECANCELED);
	assert_int_equal(screen_try(s.screen, &s.a, -1, NULL), -EPERM);
	close(screen_open(SCREEN_HZ));
	scene_close(&s);
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
	struct scene s = scene_open();
	int socket;
	pid_t pid;

	(void)state;
	s.left_a = screen_show(s.screen, &s.a, s.fence, NULL);
	pid = rig_child(sleep_on, &socket);
	scene_drop(&s.screen);
	assert_false(rig_ends(s.left_a, 200));
	rig_kill(pid);
	assert_int_equal(rig_ended(s.left_a), -EOWNERDEAD);
	close(socket);
	scene_close(&s);
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
