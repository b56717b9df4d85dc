/* SPDX-License-Identifier: Apache-2.0 */
/* What is wanted of frames, by their numbers (window/queue/wants.h). */
#include "help.h"

#include "window/queue/wants.h"

/* The frames from `first` to `last` that are wanted, one bit each. */
static unsigned
wanted_of(const struct kr_wanted *wanted, uint64_t first, uint64_t last)
{
	unsigned bits = 0;

	for (uint64_t n = first; n <= last; n++)
		bits = bits << 1 | kr_wanted_frame(wanted, n);
	return bits;
}

static void
all_is_wanted_until_somebody_says_otherwise(void **state)
{
	struct kr_wanted wanted;

	kr_wanted_init(&wanted);
	assert_int_equal(wanted_of(&wanted, 1, 4), 0xf);
	assert_true(kr_wanted_frame(&wanted, UINT64_MAX));
}

static void
a_change_holds_from_its_number_on(void **state)
{
	struct kr_wanted wanted;

	kr_wanted_init(&wanted);
	kr_wanted_set(&wanted, &(struct kr_wants){.from = 3}, 0);
	assert_int_equal(wanted_of(&wanted, 1, 4), 0xc);
	kr_wanted_set(&wanted, &(struct kr_wants){.from = 6, .every = 2}, 3);
	assert_int_equal(wanted_of(&wanted, 4, 9), 0x0a);
	/* The frames before 10 are as they were, every second one. */
	kr_wanted_set(&wanted, &(struct kr_wants){.from = 10, .every = 1}, 7);
	assert_int_equal(wanted_of(&wanted, 7, 12), 0x17);
}

/* What was to hold from 10 on never came to hold: up to 20 it stays as it was. */
static void
a_change_before_the_last_one_holds_replaces_it(void **state)
{
	struct kr_wanted wanted;

	kr_wanted_init(&wanted);
	kr_wanted_set(&wanted, &(struct kr_wants){.from = 10}, 5);
	kr_wanted_set(&wanted, &(struct kr_wants){.from = 20}, 7);
	assert_true(kr_wanted_frame(&wanted, 15));
	assert_false(kr_wanted_frame(&wanted, 20));
}

/* Numbers that a peer makes up wrap nowhere. */
static void
large_numbers_are_numbers(void **state)
{
	struct kr_wanted wanted;

	kr_wanted_init(&wanted);
	kr_wanted_set(&wanted, &(struct kr_wants){.from = UINT64_MAX, .every = UINT64_MAX}, 0);
	assert_true(kr_wanted_frame(&wanted, UINT64_MAX));
	kr_wanted_set(&wanted, &(struct kr_wants){.from = 5, .every = UINT64_MAX}, UINT64_MAX);
	assert_true(kr_wanted_frame(&wanted, 5));
	assert_false(kr_wanted_frame(&wanted, 4) || kr_wanted_frame(&wanted, UINT64_MAX));
}

/* Frames to nowhere are looked at by nobody. */
static void
the_null_sink_wants_nothing(void **state)
{
	struct kr_queue *queue;
	struct kr_sink *sink;

	assert_int_equal(kr_sink_null_create(&sink), 0);
	queue = help_queue(sink);
	assert_false(kr_queue_next_wanted(queue));
	help_frame(queue);
	assert_false(kr_queue_next_wanted(queue));
	kr_queue_unref(queue);
}

/* A far end that shows every fourth picture doesn't know which frame a time puts into it. */
static void
times_make_all_frames_wanted(void **state)
{
	struct kr_queue_input input = help_input;
	struct kr_queue *queue;
	struct kr_sink *sink;
	uint64_t number;

	assert_int_equal(kr_sink_null_create(&sink), 0);
	queue = help_queue(sink);
	kr_queue_set_wants(queue, &(struct kr_wants){.from = 1, .every = 4});
	help_frame(queue);
	assert_false(kr_queue_next_wanted(queue));
	input.target = (struct kr_frame_target){.kind = KR_TARGET_ABSOLUTE, .time_ns = 1};
	assert_int_equal(kr_queue_queue(queue, help_dequeue(queue), &input, -1, &number), 0);
	assert_true(kr_queue_next_wanted(queue));
	kr_queue_set_wants(queue, &(struct kr_wants){.every = 0});
	assert_false(kr_queue_next_wanted(queue));
	kr_queue_unref(queue);
}

static const struct kr_test tests[] = {
	KR_TEST(all_is_wanted_until_somebody_says_otherwise),
	KR_TEST(a_change_holds_from_its_number_on),
	KR_TEST(a_change_before_the_last_one_holds_replaces_it),
	KR_TEST(large_numbers_are_numbers),
	KR_TEST(the_null_sink_wants_nothing),
	KR_TEST(times_make_all_frames_wanted),
};

KR_TEST_MAIN(tests)
