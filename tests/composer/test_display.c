/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks, statistics, fences and the ends of a display (DESIGN 5.6). */
#include "rig.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "composer/output/output.h"
#include "sync/fence/fence.h"
#include "util/log.h"

#define PERIOD_NS (KR_NSEC_PER_SEC * 1000 / 60000)

static void
virtual_clock_shows_every_frame(void **state)
{
	struct rig rig = {0};
	struct kr_display_stats stats;
	struct kr_queue *queue;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	queue = rig_window(&rig, "frames");
	for (unsigned i = 0; i < 50; i++)
		rig_show_plain(queue, i);
	rig_close(queue);
	rig_drain(&rig);
	assert_int_equal(rig.frames, 50);
	for (unsigned i = 0; i < 50; i++) {
		assert_int_equal(rig.times[i], i * PERIOD_NS);
		assert_int_equal(rig.layers[i], 1);
		for (unsigned j = 0; j < i; j++)
			assert_true(rig.hashes[i] != rig.hashes[j]);
	}
	rig_stop(&rig, &stats);
	assert_int_equal(stats.queued, 50);
	assert_int_equal(stats.shown, 50);
	assert_int_equal(stats.composed, 50);
	assert_int_equal(stats.dropped, 0);
	assert_int_equal(stats.producers, 1);
	assert_int_equal(stats.latency_count, 50);
	assert_true(stats.latency_min >= 0 && stats.latency_min <= stats.latency_max);
	assert_true(stats.backends != 0);
}

struct painter {
	struct kr_queue *queue;
	unsigned seed;
	unsigned pause_us; /* at every third frame */
	unsigned frames;
};

static void *
paint(void *data)
{
	struct painter *painter = data;
	/* A window in a corner: both can be seen. */
	struct rig_frame frame = {.width = 32, .height = 24 + painter->seed, .fence = -1};

	for (unsigned i = 0; i < painter->frames; i++) {
		if (painter->pause_us && i % 3 == 0)
			usleep(painter->pause_us);
		rig_show(painter->queue, &frame, rig_gradient, painter->seed + 3 * i);
	}
	rig_close(painter->queue);
	return NULL;
}

/* Two producers at odd speeds; what meets in a picture must not depend on them. */
static void
run_two(struct rig *rig, unsigned pause_first, unsigned pause_second)
{
	struct painter painters[2] = {{.seed = 9, .pause_us = pause_first, .frames = 40},
		{.seed = 2, .pause_us = pause_second, .frames = 40}};
	pthread_t threads[2];

	rig_start(rig, KR_CLOCK_VIRTUAL);
	for (int i = 0; i < 2; i++)
		painters[i].queue = rig_window(rig, "painter");
	rig_wait_stat(rig, producers, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, paint, &painters[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	rig_drain(rig);
}

static void
virtual_clock_gives_equal_pictures(void **state)
{
	struct rig first = {0}, second = {0};

	run_two(&first, 0, 3000);
	run_two(&second, 2000, 0);
	assert_int_equal(first.frames, 40);
	assert_int_equal(second.frames, 40);
	assert_memory_equal(first.hashes, second.hashes, 40 * sizeof(first.hashes[0]));
	assert_int_equal(first.layers[39], 2);
	rig_stop(&first, NULL);
	rig_stop(&second, NULL);
}

static void
virtual_clock_skips_an_idle_producer(void **state)
{
	struct rig rig = {0};
	struct kr_display_config config = rig_config(KR_CLOCK_VIRTUAL);
	struct kr_queue *idle, *busy;
	struct kr_display_stats stats;
	int64_t before;

	config.idle_ns = 50 * KR_NSEC_PER_MSEC;
	rig_start_with(&rig, &config);
	/* The idle one is waited for from its connection on. */
	before = kr_clock_now();
	idle = rig_window(&rig, "idle");
	busy = rig_window(&rig, "busy");
	rig_wait_stat(&rig, producers, 2);
	for (unsigned i = 0; i < 5; i++)
		rig_show_plain(busy, i);
	rig_wait_frames(&rig, 5);
	assert_true(kr_clock_now() - before >= config.idle_ns);
	rig_close(idle);
	rig_close(busy);
	rig_drain(&rig);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.composed, 5);
	assert_int_equal(stats.idle_skips, 5);
}

static void
virtual_clock_waits_for_both(void **state)
{
	struct rig rig = {0};
	struct kr_queue *first, *second;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	first = rig_window(&rig, "first");
	second = rig_window(&rig, "second");
	rig_wait_stat(&rig, producers, 2);
	rig_show_plain(first, 1);
	rig_wait_stat(&rig, queued, 1);
	poll(NULL, 0, 20);
	assert_int_equal(rig_stats(&rig).composed, 0);
	rig_show_plain(second, 2);
	rig_wait_frames(&rig, 1);
	assert_int_equal(rig.layers[0], 2);
	rig_close(first);
	rig_close(second);
	rig_stop(&rig, NULL);
}

/* Frames that were queued before the producer ended are shown, whatever it left unread. */
static void
frames_outlive_their_producer(void **state)
{
	struct rig rig = {0};
	struct kr_queue *queue;

	rig_start(&rig, KR_CLOCK_REAL);
	queue = rig_window(&rig, "brief");
	for (unsigned i = 0; i < 4; i++)
		rig_show_plain(queue, i);
	rig_close(queue);
	rig_drain(&rig);
	assert_int_equal(rig.frames, 4);
	rig_stop(&rig, NULL);
}

static void
real_clock_ticks_on_its_grid(void **state)
{
	struct rig rig = {0};
	struct kr_queue *queue;

	rig_start(&rig, KR_CLOCK_REAL);
	queue = rig_window(&rig, "frames");
	for (unsigned i = 0; i < 8; i++)
		rig_show_plain(queue, i);
	rig_wait_frames(&rig, 8);
	for (unsigned i = 1; i < 8; i++) {
		int64_t step = rig.times[i] - rig.times[i - 1];

		assert_true(step >= PERIOD_NS);
		assert_int_equal(step % PERIOD_NS, 0);
	}
	rig_close(queue);
	rig_stop(&rig, NULL);
}

static const struct rig_frame mailbox = {.fence = -1, .presentation.mode = KR_PRESENT_MAILBOX};

/* Async mode on the real clock: the newest frame wins, the others are counted. */
static void
droppable_frames_are_counted(void **state)
{
	struct rig rig = {0};
	struct kr_display_config config = rig_config(KR_CLOCK_REAL);
	struct kr_display_stats stats;
	struct kr_queue *queue;

	config.refresh_mhz = 5000;
	rig_start_with(&rig, &config);
	queue = rig_window(&rig, "mailbox");
	assert_int_equal(kr_queue_set_buffer_count(queue, 5), 0);
	assert_int_equal(kr_queue_set_async(queue, true), 0);
	for (unsigned i = 0; i < 30; i++)
		rig_show(queue, &mailbox, rig_plain, i);
	rig_close(queue);
	rig_drain(&rig);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.queued, 30);
	assert_true(stats.dropped > 0);
	assert_int_equal(stats.shown + stats.dropped, 30);
	assert_int_equal(rig.last[0] & 0xffffff, rig_plain(0, 0, 29));
}

/* On the virtual clock none is dropped: how many would be depends on time. */
static void
virtual_clock_drops_nothing(void **state)
{
	struct rig rig = {0};
	struct kr_queue *other, *queue;
	struct kr_display_stats stats;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	other = rig_window(&rig, "other");
	queue = rig_window(&rig, "mailbox");
	rig_wait_stat(&rig, producers, 2);
	assert_int_equal(kr_queue_set_buffer_count(queue, 5), 0);
	assert_int_equal(kr_queue_set_async(queue, true), 0);
	for (unsigned i = 0; i < 3; i++)
		rig_show(queue, &mailbox, rig_plain, i);
	rig_wait_stat(&rig, queued, 3);
	rig_close(other); /* until now it was waited for */
	rig_wait_frames(&rig, 3);
	rig_close(queue);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.dropped, 0);
}

/* H-01 */
static void
frames_wait_for_their_fence(void **state)
{
	struct rig rig = {0};
	struct rig_frame frame = RIG_FRAME;
	struct kr_queue *queue;
	int signaller;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	queue = rig_window(&rig, "late");
	assert_int_equal(kr_fence_create(NULL, &signaller, &frame.fence), 0);
	rig_show(queue, &frame, rig_plain, 1);
	rig_show_plain(queue, 2); /* ready, and still after the first */
	rig_wait_stat(&rig, queued, 2);
	poll(NULL, 0, 20);
	assert_int_equal(rig_stats(&rig).composed, 0);
	kr_fence_signal(signaller, 1);
	rig_wait_frames(&rig, 2);
	assert_int_equal(rig_pixel(&rig, 5, 5), rig_plain(0, 0, 2));
	rig_close(queue);
	rig_stop(&rig, NULL);
}

static void
frames_with_a_failed_fence_are_dropped(void **state)
{
	struct rig rig = {0};
	struct rig_frame frame = RIG_FRAME;
	struct kr_display_stats stats;
	struct kr_queue *queue;
	int signaller;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	queue = rig_window(&rig, "failing");
	rig_show_plain(queue, 1);
	assert_int_equal(kr_fence_create_done(NULL, -EIO, &frame.fence), 0);
	rig_show(queue, &frame, rig_plain, 2);
	assert_int_equal(kr_fence_create(NULL, &signaller, &frame.fence), 0);
	rig_show(queue, &frame, rig_plain, 3);
	rig_show_plain(queue, 4);
	close(signaller); /* its maker died */
	rig_wait_frames(&rig, 2);
	assert_int_equal(rig_pixel(&rig, 0, 0), rig_plain(0, 0, 4));
	rig_close(queue);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.failed, 2);
	assert_int_equal(stats.shown, 2);
	assert_int_equal(stats.queued, 4);
}

static unsigned stuck_messages, late_messages;

/* Who waits, for which fence, on which timeline, at which point. */
static void
count_stuck(void *data, uint32_t bits, const char *message)
{
	bool named = strstr(message, "hanging") && strstr(message, ":1' (point 42 of gpu");

	stuck_messages += named && strstr(message, "has not signalled for 5 s");
	late_messages += named && strstr(message, "has waited 3.");
}

/*
 * S-05: DESIGN rule 7: named after 3 s, after 5 s its layer hidden, the others go on; and back
 * when it signals.
 */
static void
watchdog_names_a_stuck_fence(void **state)
{
	struct rig rig = {0};
	struct kr_display_config config = rig_config(KR_CLOCK_VIRTUAL);
	struct kr_fence_label culprit = {"gpu", 42, "culprit"};
	struct rig_frame frame = RIG_FRAME;
	struct kr_queue *stuck, *other;
	struct kr_display_stats stats;
	int signaller;

	kr_log_set_sink(count_stuck, NULL);
	config.idle_ns = 20 * KR_NSEC_PER_SEC;
	rig_start_with(&rig, &config);
	stuck = rig_window(&rig, "hanging");
	rig_show_plain(stuck, 1);
	rig_wait_frames(&rig, 1);
	other = rig_window(&rig, "other");
	rig_wait_stat(&rig, producers, 2);
	assert_int_equal(kr_fence_create(&culprit, &signaller, &frame.fence), 0);
	rig_show(stuck, &frame, rig_plain, 2);
	rig_show_plain(other, 3);
	rig_wait_frames(&rig, 2);
	assert_int_equal(rig.layers[1], 1);
	assert_int_equal(rig_pixel(&rig, 0, 0), rig_plain(0, 0, 3));
	assert_int_equal(late_messages, 1);
	assert_int_equal(stuck_messages, 1);
	kr_fence_signal(signaller, 1);
	rig_show_plain(other, 4);
	rig_wait_frames(&rig, 3);
	rig_close(other);
	rig_close(stuck);
	rig_stop(&rig, &stats);
	kr_log_set_sink(NULL, NULL);
	assert_int_equal(stats.stuck, 1);
	assert_int_equal(stats.failed, 0);
}

/* After the limit frames go back at once, and are counted as what they are. */
static void
frame_limit_ends_the_pictures(void **state)
{
	struct rig rig = {0};
	struct kr_display_config config = rig_config(KR_CLOCK_VIRTUAL);
	struct kr_display_stats stats;
	struct kr_queue *queue;

	config.frame_limit = 7;
	rig_start_with(&rig, &config);
	queue = rig_window(&rig, "more");
	for (unsigned i = 0; i < 30; i++)
		rig_show_plain(queue, i);
	rig_close(queue);
	rig_drain(&rig);
	rig_stop(&rig, &stats);
	assert_int_equal(rig.frames, 7);
	assert_int_equal(stats.composed, 7);
	assert_int_equal(stats.shown, 7);
	assert_int_equal(stats.queued, 30);
	assert_int_equal(stats.late, 23);
}

/* Whoever reached its frames is told to end, and takes with it the fences of those that follow. */
static void
failures_after_the_limit_are_no_news(void **state)
{
	struct rig rig = {0};
	struct kr_display_config config = rig_config(KR_CLOCK_VIRTUAL);
	struct rig_frame frame = RIG_FRAME;
	struct kr_display_stats stats;
	struct kr_queue *queue;

	config.frame_limit = 1;
	rig_start_with(&rig, &config);
	queue = rig_window(&rig, "more");
	rig_show_plain(queue, 1);
	assert_int_equal(kr_fence_create_done(NULL, -EOWNERDEAD, &frame.fence), 0);
	rig_show(queue, &frame, rig_plain, 2);
	rig_close(queue);
	rig_drain(&rig);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.shown, 1);
	assert_int_equal(stats.failed, 0);
}

static void
hook_errors_end_the_display(void **state)
{
	struct rig rig = {.fail_at = 3};
	struct kr_queue *queue;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	queue = rig_window(&rig, "frames");
	for (unsigned i = 0; i < 3; i++)
		rig_show_plain(queue, i);
	pthread_join(rig.thread, NULL);
	rig.thread = 0;
	assert_int_equal(rig.result, -EIO);
	assert_int_equal(rig.frames, 3);
	rig_stop(&rig, NULL);
	assert_false(kr_queue_alive(queue));
	rig_close(queue);
}

/* A display that ends is an error for its producers, not a hang (DESIGN rule 7). */
static void
producers_see_the_end(void **state)
{
	struct rig rig = {0};
	struct kr_queue *queue;
	int err = 0;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	queue = rig_window(&rig, "left behind");
	rig_show_plain(queue, 1);
	rig_wait_frames(&rig, 1);
	rig_stop(&rig, NULL);
	for (unsigned i = 0; i < 4 && err == 0; i++)
		err = rig_try_show(queue, &RIG_FRAME, rig_plain, i);
	assert_int_equal(err, -ENODEV);
	rig_close(queue);
}

static void
bad_configurations_are_refused(void **state)
{
	static const struct kr_display_hooks hooks;
	struct kr_display_config good = rig_config(KR_CLOCK_REAL), bad;
	struct kr_display *display;
	char path[256];

	good.socket_path = kr_test_file("taken", "");
	assert_int_equal(kr_display_create(&good, &hooks, NULL, &display), -EADDRINUSE);
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	bad = good;
	bad.socket_path = path;
	assert_int_equal(kr_display_create(&bad, &hooks, NULL, &display), -ENAMETOOLONG);
	bad = good;
	bad.width = 0;
	assert_int_equal(kr_display_create(&bad, &hooks, NULL, &display), -EINVAL);
	bad = good;
	bad.height = 16385;
	assert_int_equal(kr_display_create(&bad, &hooks, NULL, &display), -EINVAL);
	bad = good;
	bad.refresh_mhz = 0;
	assert_int_equal(kr_display_create(&bad, &hooks, NULL, &display), -EINVAL);
}

static void
socket_is_private_and_removed(void **state)
{
	struct rig rig = {0};
	struct stat st;

	rig_start(&rig, KR_CLOCK_REAL);
	assert_int_equal(stat(rig.socket, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 0777, 0600);
	rig_stop(&rig, NULL);
	assert_int_equal(access(rig.socket, F_OK), -1);
}

struct counting_output {
	struct kr_display_output base; /* first */
	uint64_t shown;
	uint64_t fail_at; /* answers -EIO to this picture; 0 never */
};

static int
count_picture(struct kr_display_output *output, const struct kr_composed_frame *frame)
{
	struct counting_output *counting = (struct counting_output *)output;

	assert_int_equal(frame->number, counting->shown + 1);
	assert_int_equal(frame->width, RIG_WIDTH);
	if (frame->number == counting->fail_at)
		return -EIO;
	counting->shown++;
	return 0;
}

static const struct kr_display_output_impl counting_impl = {
	.name = "counting", .show = count_picture};

static void
every_output_is_shown_every_picture(void **state)
{
	struct counting_output a = {.base = {&counting_impl, {1, 1}}}, b = a;
	struct rig rig = {.outputs = {&a.base, &b.base}};
	struct kr_queue *queue;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	queue = rig_window(&rig, "frames");
	for (unsigned i = 0; i < 20; i++)
		rig_show_plain(queue, i);
	rig_close(queue);
	rig_drain(&rig);
	assert_int_equal(rig.frames, 20);
	assert_int_equal(a.shown, 20);
	assert_int_equal(b.shown, 20);
	for (unsigned i = 2; i < KR_DISPLAY_MAX_OUTPUTS; i++)
		assert_int_equal(kr_display_add_output(rig.display, &a.base), 0);
	assert_int_equal(kr_display_add_output(rig.display, &a.base), -ENOSPC);
	rig_stop(&rig, NULL);
}

struct choosing_output {
	struct kr_display_output base; /* first */
	unsigned shown;
	uint64_t numbers[8];
};

static int
note_picture(struct kr_display_output *output, const struct kr_composed_frame *frame)
{
	struct choosing_output *choosing = (struct choosing_output *)output;

	assert_non_null(frame->pixels);
	assert_true(choosing->shown < KR_ARRAY_LEN(choosing->numbers));
	choosing->numbers[choosing->shown++] = frame->number;
	return 0;
}

static const struct kr_display_output_impl choosing_impl = {
	.name = "choosing", .show = note_picture};

static void
outputs_are_shown_what_they_want(void **state)
{
	struct choosing_output a = {.base = {&choosing_impl, {.from = 3, .every = 4}}};
	struct choosing_output b = {.base = {&choosing_impl, {.from = 13, .every = 6}}};
	struct rig rig = {.outputs = {&a.base, &b.base}};
	struct kr_queue *queue;
	struct kr_pictures wanted;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	wanted = kr_display_wants(rig.display);
	assert_int_equal(wanted.every, 1); /* by the rig */
	queue = rig_window(&rig, "frames");
	for (unsigned i = 0; i < 20; i++)
		rig_show_plain(queue, i);
	rig_close(queue);
	rig_drain(&rig);
	assert_int_equal(rig.frames, 20);
	assert_int_equal(a.shown, 5);
	for (unsigned i = 0; i < a.shown; i++)
		assert_int_equal(a.numbers[i], 3 + 4 * i);
	assert_int_equal(b.shown, 2);
	assert_int_equal(b.numbers[1], 19);
	rig_stop(&rig, NULL);
}

static void
wishes_are_joined(void **state)
{
	static const struct {
		struct kr_pictures a, b, both;
	} cases[] = {
		{{0, 0}, {5, 2}, {5, 2}},
		{{5, 2}, {9, 0}, {5, 2}},
		{{1, 1}, {7, 100}, {1, 1}},
		{{3, 4}, {13, 6}, {3, 2}},
		{{6, 10}, {1, 10}, {1, 5}},
		{{4, 3}, {4, 3}, {4, 3}},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		struct kr_pictures both = kr_pictures_join(&cases[i].a, &cases[i].b);

		assert_int_equal(both.from, cases[i].both.from);
		assert_int_equal(both.every, cases[i].both.every);
		for (uint64_t n = 0; n < 50; n++) {
			if (kr_pictures_have(&cases[i].a, n) || kr_pictures_have(&cases[i].b, n))
				assert_true(kr_pictures_have(&both, n));
		}
	}
}

static void
an_output_that_fails_ends_the_display(void **state)
{
	struct counting_output a = {.base = {&counting_impl, {1, 1}}};
	struct counting_output b = {.base = {&counting_impl, {1, 1}}, .fail_at = 3};
	struct rig rig = {.outputs = {&a.base, &b.base}};
	struct kr_queue *queue;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	queue = rig_window(&rig, "frames");
	for (unsigned i = 0; i < 3; i++)
		rig_show_plain(queue, i);
	pthread_join(rig.thread, NULL);
	rig.thread = 0;
	assert_int_equal(rig.result, -EIO);
	assert_int_equal(a.shown, 3);
	assert_int_equal(b.shown, 2);
	assert_int_equal(rig.frames, 2);
	rig_stop(&rig, NULL);
	rig_close(queue);
}

static const struct kr_test tests[] = {
	KR_TEST(virtual_clock_shows_every_frame),
	KR_TEST(every_output_is_shown_every_picture),
	KR_TEST(outputs_are_shown_what_they_want),
	KR_TEST(wishes_are_joined),
	KR_TEST(an_output_that_fails_ends_the_display),
	KR_TEST(virtual_clock_gives_equal_pictures),
	KR_TEST(virtual_clock_skips_an_idle_producer),
	KR_TEST(virtual_clock_waits_for_both),
	KR_TEST(frames_outlive_their_producer),
	KR_TEST(real_clock_ticks_on_its_grid),
	KR_TEST(droppable_frames_are_counted),
	KR_TEST(virtual_clock_drops_nothing),
	KR_TEST(frames_wait_for_their_fence),
	KR_TEST(frames_with_a_failed_fence_are_dropped),
	KR_TEST(watchdog_names_a_stuck_fence),
	KR_TEST(frame_limit_ends_the_pictures),
	KR_TEST(failures_after_the_limit_are_no_news),
	KR_TEST(hook_errors_end_the_display),
	KR_TEST(producers_see_the_end),
	KR_TEST(bad_configurations_are_refused),
	KR_TEST(socket_is_private_and_removed),
};
KR_TEST_MAIN(tests)
