/* SPDX-License-Identifier: Apache-2.0 */
/* Where a display's windows lie, which of them are seen, and who may change that. */
#include "rig.h"

#include <errno.h>
#include <string.h>

/* Squares of 4x4, black or of the seed's colour; the corners can be told from each other. */
static uint32_t
squares(unsigned x, unsigned y, unsigned seed)
{
	return (x / 4 + y / 4) % 2 ? rig_plain(x, y, seed) : x << 16 | y << 8 | 0x40;
}

static void
expect_squares(struct rig *rig, unsigned width, int left, int top, unsigned seed, unsigned right,
	unsigned bottom)
{
	for (unsigned y = (unsigned)KR_MAX(top, 0); y < bottom; y++) {
		for (unsigned x = (unsigned)KR_MAX(left, 0); x < right; x++)
			assert_int_equal(rig->last[y * width + x] & 0xffffff,
				squares((unsigned)((int)x - left), (unsigned)((int)y - top), seed));
	}
}

static void
start(struct rig *rig, enum kr_layout layout)
{
	struct kr_display_config config = rig_config(KR_CLOCK_VIRTUAL);

	config.layout = layout;
	rig->laid_out = true;
	rig_start_with(rig, &config);
}

static void
windows_keep_their_size_and_shape(void **state)
{
	struct rig rig = {0};
	const struct rig_frame small = {.width = 40, .height = 30, .fence = -1};
	const struct rig_frame large = {.width = 80, .height = 60, .fence = -1};
	struct kr_queue *queue;

	start(&rig, KR_LAYOUT_NATIVE);
	queue = rig_window(&rig, "small");
	rig_show(queue, &small, squares, 3);
	rig_wait_frames(&rig, 1);
	expect_squares(&rig, RIG_WIDTH, 12, 9, 3, 52, 39);
	for (unsigned y = 0; y < RIG_HEIGHT; y++) {
		for (unsigned x = 0; x < RIG_WIDTH; x++) {
			if (x < 12 || x >= 52 || y < 9 || y >= 39)
				assert_int_equal(rig_pixel(&rig, x, y), 0);
		}
	}
	rig_show(queue, &large, squares, 4);
	rig_wait_frames(&rig, 2);
	expect_squares(&rig, RIG_WIDTH, -8, -6, 4, RIG_WIDTH, RIG_HEIGHT);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

static void
the_first_frame_fixes_the_size(void **state)
{
	struct rig rig = {.laid_out = true};
	struct kr_display_config config = rig_config(KR_CLOCK_VIRTUAL);
	const struct rig_frame first = {.width = 40, .height = 30, .fence = -1};
	const struct rig_frame second = {.width = 20, .height = 40, .fence = -1};
	struct kr_queue *queue;

	config.size_given = false;
	rig_start_with(&rig, &config);
	queue = rig_window(&rig, "first");
	rig_show(queue, &first, squares, 3);
	rig_wait_frames(&rig, 1);
	assert_int_equal(rig.width, 40);
	assert_int_equal(rig.height, 30);
	expect_squares(&rig, 40, 0, 0, 3, 40, 30);
	rig_show(queue, &second, squares, 4);
	rig_wait_frames(&rig, 2);
	assert_int_equal(rig.width, 40);
	assert_int_equal(rig.height, 30);
	expect_squares(&rig, 40, 10, -5, 4, 30, 30);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

/* A window that is scaled is as large as the screen that it was told of. */
static void
a_scaled_first_frame_has_the_size_that_it_was_told(void **state)
{
	struct rig rig = {.laid_out = true};
	struct kr_display_config config = rig_config(KR_CLOCK_VIRTUAL);
	const struct rig_frame half = {.width = RIG_WIDTH / 2,
		.height = RIG_HEIGHT / 2,
		.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW,
		.fence = -1};
	struct kr_queue *queue;

	config.size_given = false;
	rig_start_with(&rig, &config);
	queue = rig_window(&rig, "scaled");
	rig_show(queue, &half, rig_plain, 3);
	rig_wait_frames(&rig, 1);
	assert_int_equal(rig.width, RIG_WIDTH);
	assert_int_equal(rig.height, RIG_HEIGHT);
	assert_int_equal(rig_pixel(&rig, 0, 0), rig_plain(0, 0, 3));
	assert_int_equal(rig_pixel(&rig, RIG_WIDTH - 1, RIG_HEIGHT - 1), rig_plain(0, 0, 3));
	rig_close(queue);
	rig_stop(&rig, NULL);
}

static void
show_two(struct rig *rig, struct kr_queue **queues, const struct rig_frame *below,
	const struct rig_frame *above)
{
	queues[0] = rig_window(rig, "below");
	rig_wait_stat(rig, producers, 1);
	queues[1] = rig_window(rig, "above");
	rig_wait_stat(rig, producers, 2);
	rig_show(queues[0], below, rig_plain, 1);
	rig_show(queues[1], above, rig_plain, 2);
	rig_wait_frames(rig, 1);
}

static void
end_two(struct rig *rig, struct kr_queue **queues, struct kr_display_stats *stats)
{
	rig_close(queues[0]);
	rig_close(queues[1]);
	rig_stop(rig, stats);
}

static void
layouts_put_windows_where_they_say(void **state)
{
	/* 64x48; a window of 16x16 and one of 32x16 over it. */
	static const struct {
		enum kr_layout layout;
		unsigned x, y;
		uint32_t seed; /* 0: black */
	} points[] = {
		{KR_LAYOUT_NATIVE, 16, 16, 2},
		{KR_LAYOUT_NATIVE, 47, 31, 2},
		{KR_LAYOUT_NATIVE, 15, 16, 0},
		{KR_LAYOUT_NATIVE, 24, 32, 0},
		/* 64x32 from row 8 on, over 48x48 from column 8 on. */
		{KR_LAYOUT_FIT, 0, 8, 2},
		{KR_LAYOUT_FIT, 63, 39, 2},
		{KR_LAYOUT_FIT, 8, 7, 1},
		{KR_LAYOUT_FIT, 55, 40, 1},
		{KR_LAYOUT_FIT, 7, 7, 0},
		{KR_LAYOUT_STRETCH, 0, 0, 2},
		{KR_LAYOUT_STRETCH, 63, 47, 2},
		/* Two cells of 32x48: 32x32, and 32x16. */
		{KR_LAYOUT_GRID, 0, 8, 1},
		{KR_LAYOUT_GRID, 31, 39, 1},
		{KR_LAYOUT_GRID, 31, 7, 0},
		{KR_LAYOUT_GRID, 32, 16, 2},
		{KR_LAYOUT_GRID, 63, 31, 2},
		{KR_LAYOUT_GRID, 63, 32, 0},
	};
	const struct rig_frame below = {.width = 16, .height = 16, .fence = -1};
	const struct rig_frame above = {.width = 32, .height = 16, .fence = -1};

	for (int layout = KR_LAYOUT_NATIVE; layout <= KR_LAYOUT_GRID; layout++) {
		struct rig rig = {0};
		struct kr_queue *queues[2];
		struct kr_display_stats stats;

		start(&rig, (enum kr_layout)layout);
		show_two(&rig, queues, &below, &above);
		for (size_t i = 0; i < KR_ARRAY_LEN(points); i++) {
			uint32_t seed = points[i].seed;

			if ((int)points[i].layout == layout)
				assert_int_equal(rig_pixel(&rig, points[i].x, points[i].y),
					seed ? rig_plain(0, 0, seed) : 0);
		}
		end_two(&rig, queues, &stats);
		/* 16x16 lies under 32x16; everything under what is stretched. */
		assert_int_equal(
			stats.hidden, layout == KR_LAYOUT_NATIVE || layout == KR_LAYOUT_STRETCH);
		assert_int_equal(stats.shown + stats.hidden, 2);
	}
}

static void
of_two_windows_both_are_shown_if_both_are_seen(void **state)
{
	const struct rig_frame tall = {.width = 10, .height = 40, .fence = -1};
	const struct rig_frame wide = {.width = 40, .height = 10, .fence = -1};
	struct kr_display_window windows[3];
	struct rig rig = {0};
	struct kr_queue *queues[2];
	struct kr_display_stats stats;

	start(&rig, KR_LAYOUT_NATIVE);
	show_two(&rig, queues, &tall, &wide);
	/* Now one that covers the other. */
	rig_show(queues[0], &tall, rig_plain, 3);
	rig_show(queues[1], &RIG_FRAME, rig_plain, 4);
	rig_wait_frames(&rig, 2);
	assert_int_equal(kr_display_list_windows(rig.display, windows, 3), 2);
	assert_int_equal(kr_display_list_windows(rig.display, NULL, 0), 2);
	assert_string_equal(windows[0].label, "below");
	assert_int_equal(windows[0].shown, 1);
	assert_int_equal(windows[0].hidden, 1);
	assert_int_equal(windows[0].frames_queued, 2);
	assert_int_equal(windows[0].x, (RIG_WIDTH - 10) / 2);
	assert_int_equal(windows[0].y, (RIG_HEIGHT - 40) / 2);
	assert_int_equal(windows[0].width, 10);
	assert_int_equal(windows[0].buffer_height, 40);
	assert_int_equal(windows[1].shown, 2);
	assert_int_equal(windows[1].hidden, 0);
	assert_true(windows[0].id < windows[1].id);
	end_two(&rig, queues, &stats);
	assert_int_equal(stats.shown, 3);
	assert_int_equal(stats.hidden, 1);
	assert_int_equal(stats.queued, 4);
}

/* What is asked for while it runs is in the next picture, and hidden windows keep their pace. */
static void
places_change_while_it_runs(void **state)
{
	const struct rig_frame frame = {.width = 16, .height = 16, .fence = -1};
	const struct kr_layout_place aside = {.set = KR_PLACE_POSITION, .x = 40, .y = 30};
	const struct kr_layout_place hidden = {.set = KR_PLACE_VISIBLE};
	const struct kr_layout_place top = {.set = KR_PLACE_Z | KR_PLACE_VISIBLE | KR_PLACE_SIZE,
		.z = 1,
		.visible = true,
		.width = 8,
		.height = 8};
	struct kr_display_window windows[2];
	struct rig rig = {0};
	struct kr_queue *queues[2];
	struct kr_display_stats stats;

	start(&rig, KR_LAYOUT_NATIVE);
	show_two(&rig, queues, &frame, &frame);
	assert_int_equal(rig_pixel(&rig, 32, 24), rig_plain(0, 0, 2));
	assert_int_equal(kr_display_list_windows(rig.display, windows, 2), 2);
	assert_int_equal(kr_display_place_window(rig.display, windows[1].id, &aside), 0);
	rig_show(queues[0], &frame, rig_plain, 3);
	rig_show(queues[1], &frame, rig_plain, 4);
	rig_wait_frames(&rig, 2);
	assert_int_equal(rig_pixel(&rig, 32, 24), rig_plain(0, 0, 3));
	assert_int_equal(rig_pixel(&rig, 40, 30), rig_plain(0, 0, 4));
	assert_int_equal(rig_pixel(&rig, 55, 45), rig_plain(0, 0, 4));
	assert_int_equal(kr_display_place_window(rig.display, windows[0].id, &hidden), 0);
	for (unsigned i = 0; i < 10; i++) {
		rig_show(queues[0], &frame, rig_plain, 5);
		rig_show(queues[1], &frame, rig_plain, 6);
	}
	rig_wait_frames(&rig, 12);
	assert_int_equal(rig_pixel(&rig, 32, 24), 0);
	assert_int_equal(kr_display_place_window(rig.display, windows[0].id, &top), 0);
	assert_int_equal(kr_display_place_window(rig.display, windows[0].id, &aside), 0);
	rig_show(queues[0], &frame, rig_plain, 7);
	rig_show(queues[1], &frame, rig_plain, 8);
	rig_wait_frames(&rig, 13);
	assert_int_equal(rig_pixel(&rig, 40, 30), rig_plain(0, 0, 7));
	assert_int_equal(rig_pixel(&rig, 47, 37), rig_plain(0, 0, 7));
	assert_int_equal(rig_pixel(&rig, 48, 38), rig_plain(0, 0, 8));
	end_two(&rig, queues, &stats);
	assert_int_equal(stats.hidden, 11); /* and the very first of `below` */
	assert_int_equal(stats.shown, 26 - 11);
}

/* What a window's own alpha says means nothing; what was asked for does. */
static void
windows_are_as_opaque_as_asked(void **state)
{
	const struct kr_layout_place half = {.set = KR_PLACE_ALPHA, .alpha = 0.5f};
	const struct kr_layout_place none = {.set = KR_PLACE_ALPHA, .alpha = 0};
	struct kr_display_window windows[2];
	struct rig rig = {0};
	struct kr_queue *queues[2];
	struct kr_display_stats stats;

	start(&rig, KR_LAYOUT_NATIVE);
	show_two(&rig, queues, &RIG_FRAME, &RIG_FRAME);
	assert_int_equal(kr_display_list_windows(rig.display, windows, 2), 2);
	assert_int_equal(kr_display_place_window(rig.display, windows[1].id, &half), 0);
	rig_show(queues[0], &RIG_FRAME, rig_plain, 3);
	rig_show(queues[1], &RIG_FRAME, rig_plain, 4);
	rig_wait_frames(&rig, 2);
	for (unsigned shift = 0; shift < 24; shift += 8) {
		unsigned below = rig_plain(0, 0, 3) >> shift & 0xff;
		unsigned above = rig_plain(0, 0, 4) >> shift & 0xff;
		unsigned middle = (below + above) / 2;

		assert_in_range(
			rig_pixel(&rig, 5, 5) >> shift & 0xff, middle ? middle - 1 : 0, middle + 1);
	}
	assert_int_equal(kr_display_place_window(rig.display, windows[1].id, &none), 0);
	rig_show(queues[0], &RIG_FRAME, rig_plain, 5);
	rig_show(queues[1], &RIG_FRAME, rig_plain, 6);
	rig_wait_frames(&rig, 3);
	assert_int_equal(rig_pixel(&rig, 5, 5), rig_plain(0, 0, 5));
	end_two(&rig, queues, &stats);
	/* The first below was covered, and the last above was nothing to see. */
	assert_int_equal(stats.hidden, 2);
	assert_int_equal(stats.shown, 4);
}

static void
what_cant_be_is_refused(void **state)
{
	const struct kr_layout_place fine = {.set = KR_PLACE_POSITION};
	const struct kr_layout_place wrong = {.set = KR_PLACE_SIZE};
	struct rig rig = {0};

	start(&rig, KR_LAYOUT_NATIVE);
	assert_int_equal(kr_display_place_window(rig.display, 1, &fine), -ENOENT);
	assert_int_equal(kr_display_place_window(rig.display, 1, &wrong), -EINVAL);
	assert_int_equal(kr_display_set_group(rig.display, -1, &fine), -EINVAL);
	assert_int_equal(kr_display_set_group(rig.display, KR_DISPLAY_MAX_GROUPS, &fine), -EINVAL);
	assert_int_equal(kr_display_set_group(rig.display, 0, &wrong), -EINVAL);
	kr_display_group_ended(rig.display, -1);
	kr_display_group_ended(rig.display, KR_DISPLAY_MAX_GROUPS);
	rig_stop(&rig, NULL);
}

/* A real clock makes a picture for it, though nobody has a new frame. */
static void
a_place_alone_makes_a_picture(void **state)
{
	struct kr_display_config config = rig_config(KR_CLOCK_REAL);
	const struct rig_frame frame = {.width = 16, .height = 16, .fence = -1};
	const struct kr_layout_place aside = {.set = KR_PLACE_POSITION, .x = 1, .y = 2};
	struct rig rig = {.laid_out = true};
	struct kr_queue *queue;

	rig_start_with(&rig, &config);
	queue = rig_window(&rig, "alone");
	rig_show(queue, &frame, rig_plain, 1);
	rig_wait_frames(&rig, 1);
	assert_int_equal(rig_pixel(&rig, 1, 2), 0);
	assert_int_equal(kr_display_set_group(rig.display, 0, &aside), 0);
	rig_wait_frames(&rig, 2);
	assert_int_equal(rig_pixel(&rig, 1, 2), rig_plain(0, 0, 1));
	assert_int_equal(rig_pixel(&rig, 32, 24), 0);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

/* --- programs --- */

struct programs {
	struct rig rig;
	int next; /* group of the next connection */
};

static int
next_group(void *data, int pid)
{
	/* The rig is the first member. */
	return ((struct programs *)data)->next;
}

static struct kr_queue *
open_in(struct programs *programs, int group, const char *label)
{
	uint64_t before = rig_stats(&programs->rig).producers;
	struct kr_queue *queue;

	programs->next = group;
	queue = rig_window(&programs->rig, label);
	rig_wait_stat(&programs->rig, producers, before + 1);
	return queue;
}

static void
start_programs(struct programs *programs, int64_t idle_ns, unsigned expected)
{
	struct kr_display_config config = rig_config(KR_CLOCK_VIRTUAL);

	config.idle_ns = idle_ns;
	programs->rig.laid_out = true;
	programs->rig.group_of = next_group;
	programs->rig.expected_groups = expected;
	rig_start_with(&programs->rig, &config);
}

/* The order of the programs counts, and not who was first. */
static void
later_programs_lie_above(void **state)
{
	struct programs programs = {0};
	struct kr_queue *late, *early;

	start_programs(&programs, 10 * KR_NSEC_PER_SEC, 2);
	late = open_in(&programs, 1, "late");
	early = open_in(&programs, 0, "early");
	rig_show_plain(late, 1);
	rig_wait_stat(&programs.rig, queued, 1);
	assert_int_equal(rig_stats(&programs.rig).composed, 0);
	rig_show_plain(early, 2);
	rig_wait_frames(&programs.rig, 1);
	assert_int_equal(rig_pixel(&programs.rig, 0, 0), rig_plain(0, 0, 1));
	assert_int_equal(programs.rig.layers[0], 2);
	rig_close(early);
	rig_close(late);
	assert_int_equal(rig_stats(&programs.rig).groups_missed, 0);
	rig_stop(&programs.rig, NULL);
}

static void
a_program_that_ended_is_not_waited_for(void **state)
{
	struct programs programs = {0};
	struct kr_queue *queue;

	start_programs(&programs, 10 * KR_NSEC_PER_SEC, 2);
	queue = open_in(&programs, 0, "first");
	rig_show_plain(queue, 1);
	rig_wait_stat(&programs.rig, queued, 1);
	assert_int_equal(rig_stats(&programs.rig).composed, 0);
	kr_display_group_ended(programs.rig.display, 1);
	rig_wait_frames(&programs.rig, 1);
	assert_int_equal(rig_stats(&programs.rig).groups_missed, 0);
	rig_close(queue);
	rig_stop(&programs.rig, NULL);
}

static void
a_program_that_is_idle_is_told_of(void **state)
{
	struct programs programs = {0};
	struct kr_queue *queue;

	start_programs(&programs, 50 * KR_NSEC_PER_MSEC, 3);
	queue = open_in(&programs, 1, "second");
	rig_show_plain(queue, 1);
	rig_wait_frames(&programs.rig, 1);
	assert_int_equal(rig_stats(&programs.rig).groups_missed, 2);
	rig_close(queue);
	rig_stop(&programs.rig, NULL);
}

/* A program's figures outlive its windows. */
static void
a_program_has_figures_of_its_own(void **state)
{
	struct programs programs = {0};
	struct kr_display_group_stats stats;
	struct kr_queue *queue;

	start_programs(&programs, 10 * KR_NSEC_PER_SEC, 0);
	for (unsigned i = 0; i < 2; i++) {
		queue = open_in(&programs, 1, "of the second");
		rig_show_plain(queue, i);
		rig_wait_stat(&programs.rig, shown, i + 1);
		kr_display_get_group_stats(programs.rig.display, 1, &stats);
		assert_int_equal(stats.windows, i + 1);
		assert_int_equal(stats.shown, i + 1);
		rig_close(queue);
	}
	kr_display_get_group_stats(programs.rig.display, 1, &stats);
	assert_int_equal(stats.frames_queued, 2);
	assert_int_equal(stats.hidden + stats.dropped, 0);
	kr_display_get_group_stats(programs.rig.display, 0, &stats);
	assert_int_equal(stats.windows, 0);
	kr_display_get_group_stats(programs.rig.display, KR_DISPLAY_NO_GROUP, &stats);
	assert_int_equal(stats.windows, 0);
	rig_stop(&programs.rig, NULL);
}

static void
a_layout_changes_while_it_runs(void **state)
{
	struct rig rig = {0};
	const struct rig_frame small = {.width = 40, .height = 30, .fence = -1};
	struct kr_queue *queue;

	start(&rig, KR_LAYOUT_NATIVE);
	queue = rig_window(&rig, "small");
	rig_show(queue, &small, squares, 3);
	rig_wait_frames(&rig, 1);
	assert_int_equal(rig_pixel(&rig, 0, 0), 0);
	kr_display_set_layout(rig.display, KR_LAYOUT_STRETCH);
	assert_int_equal(kr_display_get_layout(rig.display), KR_LAYOUT_STRETCH);
	rig_show(queue, &small, squares, 4);
	rig_wait_frames(&rig, 2);
	assert_int_not_equal(rig_pixel(&rig, 0, 0), 0);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

static const struct kr_test tests[] = {
	KR_TEST(windows_keep_their_size_and_shape),
	KR_TEST(the_first_frame_fixes_the_size),
	KR_TEST(a_scaled_first_frame_has_the_size_that_it_was_told),
	KR_TEST(layouts_put_windows_where_they_say),
	KR_TEST(of_two_windows_both_are_shown_if_both_are_seen),
	KR_TEST(places_change_while_it_runs),
	KR_TEST(windows_are_as_opaque_as_asked),
	KR_TEST(what_cant_be_is_refused),
	KR_TEST(a_place_alone_makes_a_picture),
	KR_TEST(later_programs_lie_above),
	KR_TEST(a_program_that_ended_is_not_waited_for),
	KR_TEST(a_program_that_is_idle_is_told_of),
	KR_TEST(a_program_has_figures_of_its_own),
	KR_TEST(a_layout_changes_while_it_runs),
};
KR_TEST_MAIN(tests)
