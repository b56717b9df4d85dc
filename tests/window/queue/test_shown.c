/* SPDX-License-Identifier: Apache-2.0 */
/* What was shown and when the screen begins anew: who tells it, who waits for it. */
#include "help.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"
#include "window/consumer/consumer.h"

#define SHORT (20 * KR_NSEC_PER_MSEC)
#define LONG  (10 * KR_NSEC_PER_SEC)

static struct fake_sink sink;

static struct kr_queue *
open_telling(bool polls)
{
	struct kr_queue *queue;

	help_config.abilities = (struct kr_abilities){
		.modes = KR_ABILITY(KR_PRESENT_FIFO),
		.counters = KR_ABILITY_VBLANK,
		.tells_shown = true,
	};
	queue = fake_sink_queue(&sink, polls);
	assert_int_equal(kr_queue_set_buffer_count(queue, 4), 0);
	help_input.presentation.tell_shown = true;
	return queue;
}

static int
wait_shown(struct kr_queue *queue, uint64_t number, int64_t for_ns)
{
	return kr_queue_wait_shown(queue, number, kr_clock_now() + for_ns);
}

static void
a_sink_that_tells_nothing_has_shown_what_it_took(void **state)
{
	struct kr_queue *queue = fake_sink_queue(&sink, false);

	assert_int_equal(kr_queue_last_shown(queue), 0);
	assert_int_equal(wait_shown(queue, 0, 0), 0);
	assert_int_equal(wait_shown(queue, 1, 0), -ETIMEDOUT);
	help_frame(queue);
	assert_int_equal(wait_shown(queue, 1, 0), 0);
	assert_int_equal(kr_queue_last_shown(queue), 1);
	assert_int_equal(wait_shown(queue, 2, SHORT), -ETIMEDOUT);
	sink.submit_err = -ENOMEM;
	assert_int_equal(kr_queue_set_buffer_count(queue, 4), 0);
	assert_int_equal(
		kr_queue_queue(queue, help_dequeue(queue), &help_input, -1, NULL), -ENOMEM);
	/* One that it didn't take nobody need wait for. */
	assert_int_equal(kr_queue_last_shown(queue), 2);
	fake_sink_finish(&sink, queue);
}

/* Of the frames that the sink tells of, one by one. */
static void
frames_have_their_own_times(void **state)
{
	struct kr_queue *queue = open_telling(false);
	int64_t time_ns = -7;

	help_frame(queue);
	assert_int_equal(kr_queue_shown_time(queue, 1, &time_ns), -EAGAIN);
	assert_int_equal(kr_queue_shown_time(queue, 0, &time_ns), -ENOENT);
	kr_queue_shown(queue, 1, 1000);
	assert_int_equal(kr_queue_shown_time(queue, 1, &time_ns), 0);
	assert_int_equal(time_ns, 1000);
	help_frame(queue);
	help_frame(queue);
	kr_queue_shown(queue, 3, 3000);
	assert_int_equal(kr_queue_shown_time(queue, 2, &time_ns), -ENOENT);
	assert_int_equal(kr_queue_shown_time(queue, 3, &time_ns), 0);
	assert_int_equal(time_ns, 3000);
	kr_queue_shown(queue, 1000, 9000);
	assert_int_equal(kr_queue_shown_time(queue, 1000, &time_ns), -EAGAIN);
	for (unsigned number = 4; number < 68; number++) {
		fake_sink_release(&sink, -1);
		help_frame(queue);
		kr_queue_shown(queue, number, number * 1000);
	}
	assert_int_equal(kr_queue_shown_time(queue, 3, &time_ns), -ENOENT);
	assert_int_equal(kr_queue_shown_time(queue, 4, &time_ns), 0);
	assert_int_equal(time_ns, 4000);
	fake_sink_finish(&sink, queue);
	help_config.abilities.tells_shown = false;
	queue = fake_sink_queue(&sink, false);
	assert_int_equal(kr_queue_shown_time(queue, 1, &time_ns), -EOPNOTSUPP);
	fake_sink_finish(&sink, queue);
}

static void
a_frame_shown_is_all_before_it(void **state)
{
	struct kr_queue *queue = open_telling(false);

	for (int i = 0; i < 3; i++)
		help_frame(queue);
	assert_true(sink.frames[2].presentation.tell_shown);
	assert_int_equal(wait_shown(queue, 1, 0), -ETIMEDOUT);
	kr_queue_shown(queue, 2, kr_clock_now());
	assert_int_equal(wait_shown(queue, 1, 0), 0);
	assert_int_equal(wait_shown(queue, 2, 0), 0);
	assert_int_equal(wait_shown(queue, 3, 0), -ETIMEDOUT);
	/* It never goes back, and not beyond what was queued. */
	kr_queue_shown(queue, 1, kr_clock_now());
	assert_int_equal(kr_queue_last_shown(queue), 2);
	kr_queue_shown(queue, UINT64_MAX, kr_clock_now());
	assert_int_equal(kr_queue_last_shown(queue), 3);
	fake_sink_finish(&sink, queue);
}

struct waiter {
	pthread_t thread;
	struct kr_queue *queue;
	uint64_t number; /* 0: a vertical blank */
	int64_t woken_ns;
};

static void *
wait_main(void *data)
{
	struct waiter *waiter = data;
	uint64_t count;
	int64_t time_ns, deadline = kr_clock_now() + 3 * LONG;
	int err = waiter->number ? kr_queue_wait_shown(waiter->queue, waiter->number, deadline)
				 : kr_queue_wait_vblank(waiter->queue, &count, &time_ns, deadline);

	waiter->woken_ns = kr_clock_now();
	return (void *)(intptr_t)err;
}

static void
start(struct waiter *waiter, struct kr_queue *queue, uint64_t number)
{
	waiter->queue = queue;
	waiter->number = number;
	assert_int_equal(pthread_create(&waiter->thread, NULL, wait_main, waiter), 0);
}

static int
join(struct waiter *waiter)
{
	void *result;

	assert_int_equal(pthread_join(waiter->thread, &result), 0);
	return (int)(intptr_t)result;
}

static void
it_wakes_who_waits(void **state)
{
	for (int polls = 0; polls < 2; polls++) {
		struct kr_queue *queue = open_telling(polls);
		struct waiter waiters[3];

		help_frame(queue);
		for (int i = 0; i < 3; i++)
			start(&waiters[i], queue, i == 2 ? 2 : 1);
		usleep(20000);
		kr_queue_shown(queue, 1, kr_clock_now());
		assert_int_equal(join(&waiters[0]), 0);
		assert_int_equal(join(&waiters[1]), 0);
		/* One that wasn't queued yet. */
		help_frame(queue);
		kr_queue_shown(queue, 2, kr_clock_now());
		assert_int_equal(join(&waiters[2]), 0);
		fake_sink_finish(&sink, queue);
	}
}

static void
a_far_end_that_goes_wakes_who_waits(void **state)
{
	for (int polls = 0; polls < 2; polls++) {
		struct kr_queue *queue = open_telling(polls);
		struct waiter waiters[3];

		help_frame(queue);
		kr_queue_shown(queue, 1, kr_clock_now());
		for (int i = 0; i < 3; i++)
			start(&waiters[i], queue, i < 2 ? 2 : 0);
		usleep(20000);
		kr_queue_abandon(queue);
		for (int i = 0; i < 3; i++)
			assert_int_equal(join(&waiters[i]), -ENODEV);
		assert_int_equal(wait_shown(queue, 1, 0), 0); /* that was so before */
		assert_int_equal(wait_shown(queue, 2, 0), -ENODEV);
		fake_sink_finish(&sink, queue);
	}
}

static void *
dequeue_main(void *data)
{
	return (void *)(intptr_t)help_try_dequeue(data, LONG);
}

/* Who waits for a frame polls, but a virtual clock is told of who waits for a buffer alone. */
static void
the_sink_is_told_who_starves(void **state)
{
	/* No ping comes meanwhile, which would look into the sink as well. */
	kr_sink_set_answer_ns(100 * LONG);
	for (int polls = 0; polls < 2; polls++) {
		struct kr_queue *queue = open_telling(polls);
		int64_t end = kr_clock_now() + LONG;
		struct waiter waiter;
		pthread_t thread;
		void *result;

		assert_int_equal(kr_queue_set_buffer_count(queue, 2), 0);
		help_frame(queue);
		help_frame(queue);
		start(&waiter, queue, 2);
		usleep(20000);
		assert_int_equal(sink.waits, 0);
		assert_int_equal(pthread_create(&thread, NULL, dequeue_main, queue), 0);
		while (!sink.waits && kr_clock_now() < end)
			usleep(1000);
		assert_int_equal(sink.waits, 1);
		fake_sink_release(&sink, -1);
		assert_int_equal(pthread_join(thread, &result), 0);
		assert_int_equal((intptr_t)result, 0);
		kr_queue_shown(queue, 2, kr_clock_now());
		assert_int_equal(join(&waiter), 0);
		fake_sink_finish(&sink, queue);
	}
}

static void
wait_watched(unsigned times)
{
	int64_t end = kr_clock_now() + LONG;

	while (sink.watched < times && kr_clock_now() < end)
		usleep(1000);
	assert_int_equal(sink.watched, times);
}

static void
a_vertical_blank_is_asked_for_once(void **state)
{
	struct kr_queue *queue = open_telling(false);
	struct waiter waiter;
	uint64_t count = 0;
	int64_t time_ns = 0;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(
			kr_queue_wait_vblank(queue, &count, &time_ns, kr_clock_now()), -ETIMEDOUT);
		assert_int_equal(sink.watched, 1);
	}
	assert_int_equal(count, 0);
	kr_queue_vblank(queue, 7, kr_clock_now());
	start(&waiter, queue, 0);
	wait_watched(2);
	kr_queue_vblank(queue, 8, kr_clock_now());
	assert_int_equal(join(&waiter), 0);
	assert_int_equal(sink.watched, 2);
	fake_sink_finish(&sink, queue);
	help_config.abilities.counters = 0;
	queue = fake_sink_queue(&sink, false);
	assert_int_equal(kr_queue_wait_vblank(queue, &count, &time_ns, KR_FOREVER), -EOPNOTSUPP);
	fake_sink_finish(&sink, queue);
}

/* Of the blank that one asked for who gave up, another learns nothing: it is over. */
static void
an_old_blank_is_no_new_one(void **state)
{
	struct kr_queue *queue = open_telling(false);
	struct waiter waiter;
	int64_t before = kr_clock_now();

	start(&waiter, queue, 0);
	wait_watched(1);
	kr_queue_vblank(queue, 7, before - 1);
	wait_watched(2);
	kr_queue_vblank(queue, 8, kr_clock_now());
	assert_int_equal(join(&waiter), 0);
	fake_sink_finish(&sink, queue);
}

static void
what_is_said_of_a_frame_reaches_the_sink(void **state)
{
	struct kr_queue *queue;
	struct kr_frame *f = &sink.frames[0];

	help_config.abilities = (struct kr_abilities){
		.modes = KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT),
		.transforms = KR_ABILITY_TRANSFORMS,
		.alphas = KR_ABILITY_ALL(KR_ALPHA_COUNT),
		.scalings = KR_ABILITY_ALL(KR_SCALING_COUNT),
		.gravities = KR_ABILITY_ALL(KR_GRAVITY_COUNT),
	};
	queue = fake_sink_queue(&sink, false);
	help_input.presentation = (struct kr_presentation){
		.mode = KR_PRESENT_FIFO_LATEST_READY,
		.alpha = KR_ALPHA_STRAIGHT,
		.scaling = KR_SCALING_ASPECT,
		.gravity_x = KR_GRAVITY_MAX,
		.gravity_y = KR_GRAVITY_CENTRED,
		.tell_shown = true,
	};
	help_input.window_width = 320;
	help_input.window_height = 200;
	help_frame(queue);
	assert_memory_equal(&f->presentation, &help_input.presentation, sizeof(f->presentation));
	assert_int_equal(f->window_width, 320);
	assert_int_equal(f->window_height, 200);
	assert_false(f->droppable);
	fake_sink_finish(&sink, queue);
}

/* Without buffers in between: each frame is dropped or not as its own mode says. */
static void
modes_change_from_frame_to_frame(void **state)
{
	static const bool drops[KR_PRESENT_FIFO_LATEST_READY + 1] = {
		[KR_PRESENT_MAILBOX] = true, [KR_PRESENT_IMMEDIATE] = true};
	struct kr_queue *queue;

	help_config.abilities.modes = KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT);
	queue = fake_sink_queue(&sink, false);
	assert_int_equal(kr_queue_set_async(queue, true), 0);
	assert_int_equal(kr_queue_set_buffer_count(queue, 4), 0);
	for (unsigned i = 0; i < 50; i++) {
		help_input.presentation.mode = (uint8_t)(i % KR_ARRAY_LEN(drops));
		help_frame(queue);
		assert_int_equal(sink.frames[0].droppable, drops[i % KR_ARRAY_LEN(drops)]);
		fake_sink_release(&sink, -1);
	}
	assert_true(sink.added <= 4);
	fake_sink_finish(&sink, queue);
}

static void
what_the_far_end_has_not_is_refused(void **state)
{
	static const struct kr_presentation none[] = {{.mode = KR_PRESENT_MODE_COUNT},
		{.alpha = KR_ALPHA_COUNT}, {.scaling = KR_SCALING_COUNT},
		{.gravity_x = KR_GRAVITY_COUNT}, {.gravity_y = 255}},
					    missing[] = {{.mode = KR_PRESENT_FIFO_RELAXED},
						    {.alpha = KR_ALPHA_PREMULTIPLIED},
						    {.scaling = KR_SCALING_ASPECT},
						    {.scaling = KR_SCALING_STRETCH,
							    .gravity_x = KR_GRAVITY_MAX}};
	struct kr_queue *queue;
	uint32_t slot;

	help_config.abilities = (struct kr_abilities){
		.modes = KR_ABILITY(KR_PRESENT_FIFO),
		.scalings = KR_ABILITY(KR_SCALING_STRETCH),
		.gravities = KR_ABILITY(KR_GRAVITY_MIN),
	};
	queue = fake_sink_queue(&sink, false);
	slot = help_dequeue(queue);
	for (size_t i = 0; i < KR_ARRAY_LEN(none); i++) {
		help_input.presentation = none[i];
		assert_int_equal(kr_queue_queue(queue, slot, &help_input, -1, NULL), -EINVAL);
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(missing); i++) {
		help_input.presentation = missing[i];
		assert_int_equal(kr_queue_queue(queue, slot, &help_input, -1, NULL), -EOPNOTSUPP);
	}
	help_input.presentation = (struct kr_presentation){.scaling = KR_SCALING_STRETCH};
	help_input.window_width = 1;
	assert_int_equal(kr_queue_queue(queue, slot, &help_input, -1, NULL), -EINVAL);
	help_input.window_height = KR_WINDOW_MAX_EXTENT + 1;
	assert_int_equal(kr_queue_queue(queue, slot, &help_input, -1, NULL), -EINVAL);
	help_input.window_height = KR_WINDOW_MAX_EXTENT;
	assert_int_equal(help_queue_frame(queue, slot), 1);
	fake_sink_finish(&sink, queue);
}

static void
a_window_that_changes_tells_it(void **state)
{
	struct kr_queue *queue = fake_sink_queue(&sink, false);
	struct kr_queue_config config;

	kr_queue_configure(queue, 320, 200, NATIVE_WINDOW_TRANSFORM_ROT_90);
	kr_queue_configure(queue, 0, 0, KR_HINT_SAME);
	kr_queue_get_config(queue, &config);
	assert_int_equal(config.default_width, 320);
	assert_int_equal(config.default_height, 200);
	assert_int_equal(config.transform_hint, NATIVE_WINDOW_TRANSFORM_ROT_90);
	kr_queue_configure(queue, 0, 0, 0);
	kr_queue_get_config(queue, &config);
	assert_int_equal(config.default_width, 320);
	assert_int_equal(config.transform_hint, 0);
	fake_sink_finish(&sink, queue);
}

/* Frames that a producer has left behind aren't told of: the last that is known is their return. */
static void
frames_of_an_ended_connection_are_over_when_they_return(void **state)
{
	struct kr_queue *queue = open_telling(false);

	help_frame(queue);
	help_frame(queue);
	fake_sink_release(&sink, -1);
	assert_int_equal(kr_queue_last_shown(queue), 0);
	assert_int_equal(kr_queue_disconnect(queue, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(wait_shown(queue, 2, 0), -ETIMEDOUT);
	fake_sink_release(&sink, -1);
	assert_int_equal(wait_shown(queue, 2, 0), 0);
	fake_sink_finish(&sink, queue);
}

static const struct kr_test tests[] = {
	KR_TEST(frames_of_an_ended_connection_are_over_when_they_return),
	KR_TEST(a_sink_that_tells_nothing_has_shown_what_it_took),
	KR_TEST(frames_have_their_own_times),
	KR_TEST(a_frame_shown_is_all_before_it),
	KR_TEST_FLAGS(it_wakes_who_waits, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(a_far_end_that_goes_wakes_who_waits, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(the_sink_is_told_who_starves, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(a_vertical_blank_is_asked_for_once, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(an_old_blank_is_no_new_one, KR_TEST_KEEPS_MEMORY),
	KR_TEST(what_is_said_of_a_frame_reaches_the_sink),
	KR_TEST(modes_change_from_frame_to_frame),
	KR_TEST(what_the_far_end_has_not_is_refused),
	KR_TEST(a_window_that_changes_tells_it),
};

int
main(int argc, char **argv)
{
	return kr_test_main(argc, argv, tests, KR_ARRAY_LEN(tests));
}
