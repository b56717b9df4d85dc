/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every consumer promises of how frames are shown, and of what it tells their producer;
 * KRAFLA_TEST_CONSUMER says which one this is.
 */
#include "consumer/stage.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "util/clock.h"

static int
wait_shown(const struct stage *s, uint64_t number, int64_t for_ns)
{
	return kr_queue_wait_shown(s->queue, number, kr_clock_now() + for_ns);
}

#define LONG (10 * KR_NSEC_PER_SEC)

static void
how_a_frame_is_shown_comes_with_it(void **state)
{
	struct kr_frame f;
	struct stage s;

	stage_start(&s);
	for (uint8_t i = 0; i < KR_PRESENT_SHARED_DEMAND; i++) {
		help_input.presentation = (struct kr_presentation){
			.mode = i,
			.alpha = i % KR_ALPHA_COUNT,
			.scaling = i % KR_SCALING_COUNT,
			.gravity_x = i % KR_GRAVITY_COUNT,
			.gravity_y = (i + 1) % KR_GRAVITY_COUNT,
			.tell_shown = i % 2,
		};
		help_input.window_width = help_input.window_height = i * 100;
		stage_frame(&s);
		stage_take(&s, &f);
		assert_memory_equal(
			&f.presentation, &help_input.presentation, sizeof(f.presentation));
		assert_int_equal(f.window_width, i * 100);
		assert_int_equal(f.window_height, i * 100);
		assert_int_equal(f.droppable, kr_present_mode_drops(i));
		assert_int_equal(kr_consumer_release(s.consumer, &f, -1), 0);
	}
	stage_stop(&s);
}

static void
what_was_shown_is_told(void **state)
{
	struct kr_frame f;
	struct stage s;

	stage_start(&s);
	help_input.presentation.tell_shown = true;
	assert_int_equal(kr_queue_set_buffer_count(s.queue, 4), 0);
	stage_frame(&s);
	stage_frame(&s);
	stage_take(&s, &f);
	assert_int_equal(wait_shown(&s, 1, 0), -ETIMEDOUT);
	kr_consumer_shown(s.consumer, f.number, kr_clock_now());
	assert_int_equal(wait_shown(&s, 1, LONG), 0);
	assert_int_equal(wait_shown(&s, 2, 0), -ETIMEDOUT);
	/* It doesn't go back, and not beyond what there is. */
	kr_consumer_shown(s.consumer, f.number, kr_clock_now());
	kr_consumer_shown(s.consumer, 1000, kr_clock_now());
	assert_int_equal(wait_shown(&s, 2, LONG), 0);
	assert_int_equal(kr_queue_last_shown(s.queue), 2);
	assert_true(kr_queue_alive(s.queue));
	stage_stop(&s);
}

/* Who waits for a frame that another took the place of hears of that one. */
static void
a_replaced_frames_question_goes_on(void **state)
{
	struct kr_frame f;
	struct stage s;

	stage_start(&s);
	assert_int_equal(kr_queue_set_async(s.queue, true), 0);
	help_input.presentation =
		(struct kr_presentation){.mode = KR_PRESENT_MAILBOX, .tell_shown = true};
	stage_frame(&s);
	help_input.presentation.tell_shown = false;
	stage_frame(&s);
	assert_int_equal(s.seen.replaced, 1);
	stage_take(&s, &f);
	assert_int_equal(f.number, 2);
	assert_true(f.presentation.tell_shown);
	kr_consumer_shown(s.consumer, f.number, kr_clock_now());
	assert_int_equal(wait_shown(&s, 1, LONG), 0);
	stage_stop(&s);
}

static void
a_consumer_that_goes_leaves_nobody_waiting(void **state)
{
	struct stage s;

	stage_start(&s);
	help_input.presentation.tell_shown = true;
	stage_frame(&s);
	kr_consumer_destroy(s.consumer);
	assert_int_equal(wait_shown(&s, 1, LONG), -ENODEV);
	kr_queue_unref(s.queue);
}

/* However often it changes: the newest is what counts, and nobody's socket fills. */
static void
a_window_that_changes_is_told(void **state)
{
	struct kr_queue_config config;
	struct stage s;

	stage_start(&s);
	for (uint32_t i = 1; i <= 5000; i++)
		kr_consumer_configure(s.consumer, i, 2 * i, i % KR_TRANSFORMS);
	kr_consumer_configure(s.consumer, 0, 0, KR_HINT_SAME);
	for (int i = 0; i < 3; i++) {
		assert_true(kr_queue_alive(s.queue));
		assert_int_equal(stage_pump(&s), 0);
	}
	assert_true(kr_queue_alive(s.queue));
	kr_queue_get_config(s.queue, &config);
	assert_int_equal(config.default_width, 5000);
	assert_int_equal(config.default_height, 10000);
	assert_int_equal(config.transform_hint, 5000 % KR_TRANSFORMS);
	stage_stop(&s);
}

struct blank {
	struct kr_queue *queue;
	uint64_t count;
	int64_t time_ns;
};

static void *
wait_blank(void *data)
{
	struct blank *blank = data;

	return (void *)(intptr_t)kr_queue_wait_vblank(
		blank->queue, &blank->count, &blank->time_ns, kr_clock_now() + LONG);
}

static void
a_vertical_blank_is_told_to_who_waits(void **state)
{
	int64_t end = kr_clock_now() + LONG;
	struct blank blank;
	pthread_t thread;
	struct stage s;
	void *result;

	stage_start(&s);
	kr_consumer_vblank(s.consumer, 1, kr_clock_now());
	blank.queue = s.queue;
	assert_int_equal(pthread_create(&thread, NULL, wait_blank, &blank), 0);
	while (!__atomic_load_n(&s.seen.watched, __ATOMIC_ACQUIRE) && kr_clock_now() < end) {
		assert_int_equal(stage_pump(&s), 0);
		usleep(1000);
	}
	assert_int_equal(s.seen.watched, 1);
	kr_consumer_vblank(s.consumer, 258, kr_clock_now());
	assert_int_equal(s.seen.watched, 0);
	kr_consumer_vblank(s.consumer, 259, kr_clock_now());
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_int_equal((intptr_t)result, 0);
	assert_int_equal(blank.count, 258);
	stage_stop(&s);
}

static void
a_shared_buffer_comes_again_and_goes_back_once(void **state)
{
	struct kr_frame f, first;
	struct stage s;

	stage_start(&s);
	assert_int_equal(kr_queue_set_buffer_count(s.queue, 3), 0);
	assert_int_equal(kr_queue_set_shared(s.queue, true), 0);
	help_input.damage_count = 1;
	help_input.damage[0] = (android_native_rect_t){0, 0, 4, 4};
	stage_frame(&s);
	stage_take(&s, &first);
	assert_int_equal(first.presentation.mode, KR_PRESENT_SHARED_DEMAND);
	/* What is queued still gives way to the next, with its damage. */
	stage_frame(&s);
	help_input.damage[0] = (android_native_rect_t){8, 8, 12, 12};
	stage_frame(&s);
	assert_int_equal(s.seen.replaced, 0);
	for (int i = 0; i < 40; i++) {
		/* Beside the one that is held, and whatever else is. */
		stage_take(&s, &f);
		assert_int_equal(f.slot, first.slot);
		assert_int_equal(f.number, 3 + i);
		assert_int_equal(f.damage_count, i ? 1 : 2);
		assert_ptr_equal(f.buffer, first.buffer);
		/* The older one has gone on into this one. */
		assert_int_equal(kr_consumer_release(s.consumer, &first, -1), 0);
		stage_frame(&s);
	}
	assert_int_equal(kr_queue_set_shared(s.queue, false), 0);
	help_input.damage_count = 0;
	stage_frame(&s);
	stage_take(&s, &f);
	assert_int_equal(f.slot, first.slot);
	stage_take(&s, &first);
	assert_int_not_equal(first.slot, f.slot);
	assert_int_equal(first.presentation.mode, KR_PRESENT_FIFO);
	/* Both are out: one each of three buffers, and the third one's turn. */
	assert_int_equal(kr_consumer_release(s.consumer, &f, -1), 0);
	assert_int_equal(kr_consumer_release(s.consumer, &f, -1), -ESTALE);
	assert_true(kr_queue_alive(s.queue));
	stage_frame(&s);
	stage_frame(&s);
	assert_int_equal(kr_consumer_release(s.consumer, &first, -1), 0);
	stage_stop(&s);
}

#define KEEPS KR_TEST_KEEPS_MEMORY
static const struct kr_test tests[] = {
	KR_TEST_FLAGS(how_a_frame_is_shown_comes_with_it, KEEPS),
	KR_TEST_FLAGS(what_was_shown_is_told, KEEPS),
	KR_TEST_FLAGS(a_replaced_frames_question_goes_on, KEEPS),
	KR_TEST_FLAGS(a_consumer_that_goes_leaves_nobody_waiting, KEEPS),
	KR_TEST_FLAGS(a_window_that_changes_is_told, KEEPS),
	KR_TEST_FLAGS(a_vertical_blank_is_told_to_who_waits, KEEPS),
	KR_TEST_FLAGS(a_shared_buffer_comes_again_and_goes_back_once, KEEPS),
};

KR_TEST_MAIN(tests)
