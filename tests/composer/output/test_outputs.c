/* SPDX-License-Identifier: Apache-2.0 */
/* A display and outputs that fail, are closed, and say when a picture is on screen. */
#include "rig.h"

#include <errno.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "composer/display.h"
#include "sync/fence/fence.h"
#include "util/fd.h"

/* An output that does what the test says. */
struct fake {
	struct kr_display_output base; /* first */
	unsigned shown;
	int show_error;
	int fd;
	int dispatch_error;
	bool closes;
	int fence; /* given out once */
	/* Of all pictures: what shown_time answers. */
	int time_error;
	int64_t time_ns;
	int64_t refresh_ns; /* with which a blank was, of 1 s */
};

static int
fake_show(struct kr_display_output *output, const struct kr_composed_frame *frame)
{
	struct fake *fake = (struct fake *)output;

	fake->shown++;
	return fake->show_error;
}

static unsigned
fake_poll(struct kr_display_output *output, struct pollfd *fds)
{
	fds[0] = (struct pollfd){.fd = ((struct fake *)output)->fd, .events = POLLIN};
	return 1;
}

static int
fake_dispatch(struct kr_display_output *output, struct kr_display_output_events *events)
{
	struct fake *fake = (struct fake *)output;
	uint64_t value;

	if (read(fake->fd, &value, sizeof(value)) < 0)
		return 0;
	events->closed = fake->closes;
	return fake->dispatch_error;
}

static int
fake_shown_fence(struct kr_display_output *output, uint64_t number)
{
	struct fake *fake = (struct fake *)output;
	int fence = fake->fence;

	fake->fence = -1;
	return fence;
}

static int
fake_shown_time(struct kr_display_output *output, uint64_t number, int64_t *time_ns)
{
	const struct fake *fake = (struct fake *)output;

	*time_ns = fake->time_ns;
	return fake->time_error;
}

static void
fake_timing(struct kr_display_output *output, struct kr_display_output_timing *timing)
{
	timing->refresh_ns = ((struct fake *)output)->refresh_ns;
	timing->period_ns = KR_NSEC_PER_SEC;
}

static const struct kr_display_output_impl strict_impl = {.name = "strict", .show = fake_show};
static const struct kr_display_output_impl slow_impl = {
	.name = "slow",
	.slow_ok = true,
	.show = fake_show,
	.poll_fds = fake_poll,
	.dispatch = fake_dispatch,
	.shown_fence = fake_shown_fence,
};

static const struct kr_display_output_impl telling_impl = {
	.name = "telling",
	.show = fake_show,
	.shown_fence = fake_shown_fence,
};

static const struct kr_display_output_impl timed_impl = {
	.name = "timed",
	.slow_ok = true,
	.show = fake_show,
	.timing = fake_timing,
	.shown_time = fake_shown_time,
};

static struct fake
make_fake(const struct kr_display_output_impl *impl, uint64_t every)
{
	return (struct fake){
		.base = {.impl = impl, .wanted = {.from = 1, .every = every}},
		.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.fence = -1,
	};
}

static void
poke(const struct fake *fake)
{
	uint64_t one = 1;

	assert_int_equal(write(fake->fd, &one, sizeof(one)), sizeof(one));
}

/* One that may be lost is, and nobody asks it again; the others get what they want. */
static void
what_may_be_lost_ends_nothing(void **state)
{
	struct fake slow = make_fake(&slow_impl, 1), strict = make_fake(&strict_impl, 4);
	struct kr_display_outputs outputs = {{&slow.base, &strict.base}, 2};
	struct kr_composed_frame frame = {.number = 1};
	struct pollfd fds[KR_DISPLAY_OUTPUTS_POLL];

	assert_int_equal(kr_display_outputs_wanted(&outputs).every, 1);
	assert_int_equal(kr_display_outputs_poll(&outputs, fds), 1);
	assert_int_equal(fds[0].fd, slow.fd);
	slow.show_error = -EPIPE;
	assert_int_equal(kr_display_outputs_show(&outputs, &frame), 0);
	assert_true(slow.base.lost);
	assert_int_equal(strict.shown, 1);
	assert_int_equal(kr_display_outputs_wanted(&outputs).every, 4);
	assert_int_equal(kr_display_outputs_poll(&outputs, fds), 0);
	frame.number = 5;
	assert_int_equal(kr_display_outputs_show(&outputs, &frame), 0);
	assert_int_equal(slow.shown, 1);
	/* A capture's error is the display's. */
	strict.show_error = -EIO;
	frame.number = 9;
	assert_int_equal(kr_display_outputs_show(&outputs, &frame), -EIO);
	assert_false(strict.base.lost);
	kr_fd_close(&slow.fd);
	kr_fd_close(&strict.fd);
}

/* The fence of a picture signals when it is on every screen that says so. */
static void
a_picture_is_shown_when_all_show_it(void **state)
{
	const struct kr_fence_label label = {"screen", 1, "shown"};
	struct fake a = make_fake(&telling_impl, 1), b = make_fake(&telling_impl, 1);
	struct fake slow = make_fake(&slow_impl, 1);
	struct kr_display_outputs outputs = {{&a.base, &slow.base, &b.base}, 3};
	int signal_a, signal_b, both;

	assert_int_equal(kr_display_outputs_shown_fence(&outputs, 1), -1);
	/* Nobody waits for one that may be slow. */
	assert_int_equal(kr_fence_create(&label, &signal_b, &slow.fence), 0);
	assert_int_equal(kr_display_outputs_shown_fence(&outputs, 1), -1);
	kr_fence_signal(signal_b, KR_FENCE_SIGNALLED);
	kr_fd_close(&slow.fence);
	assert_int_equal(kr_fence_create(&label, &signal_a, &a.fence), 0);
	both = kr_display_outputs_shown_fence(&outputs, 1);
	assert_int_equal(kr_fence_status(both), KR_FENCE_ACTIVE);
	kr_fence_signal(signal_a, KR_FENCE_SIGNALLED);
	assert_int_equal(kr_fence_status(both), KR_FENCE_SIGNALLED);
	kr_fd_close(&both);

	assert_int_equal(kr_fence_create(&label, &signal_a, &a.fence), 0);
	assert_int_equal(kr_fence_create(&label, &signal_b, &b.fence), 0);
	both = kr_display_outputs_shown_fence(&outputs, 2);
	kr_fence_signal(signal_b, KR_FENCE_SIGNALLED);
	assert_int_equal(kr_fence_status(both), KR_FENCE_ACTIVE);
	kr_fence_signal(signal_a, KR_FENCE_SIGNALLED);
	/* A thread of the platform merges them. */
	assert_int_equal(poll(&(struct pollfd){.fd = both, .events = POLLIN}, 1, 10000), 1);
	assert_int_equal(kr_fence_status(both), KR_FENCE_SIGNALLED);
	kr_fd_close(&both);
	kr_fd_close(&a.fd);
	kr_fd_close(&slow.fd);
	kr_fd_close(&b.fd);
}

/* The first screen counts; of those that don't say nothing is waited for. */
static void
the_first_screen_s_time_counts(void **state)
{
	struct fake a = make_fake(&timed_impl, 1), b = make_fake(&timed_impl, 1);
	struct fake capture = make_fake(&strict_impl, 1);
	struct kr_display_outputs one = {{&a.base}, 1}, none = {{&capture.base}, 1};
	struct kr_display_outputs all = {{&a.base, &capture.base, &b.base}, 3};
	int64_t at = 0;

	assert_int_equal(kr_display_outputs_shown_time(&none, 1, &at), -EOPNOTSUPP);
	a.time_ns = 70;
	b.time_ns = 60;
	assert_int_equal(kr_display_outputs_shown_time(&all, 1, &at), 0);
	assert_int_equal(at, 60);
	b.time_error = -EAGAIN;
	assert_int_equal(kr_display_outputs_shown_time(&all, 1, &at), 0);
	assert_int_equal(at, 70);
	a.time_error = -ENOENT;
	assert_int_equal(kr_display_outputs_shown_time(&all, 1, &at), -EAGAIN);
	b.time_error = -ENOENT;
	assert_int_equal(kr_display_outputs_shown_time(&all, 1, &at), -EOPNOTSUPP);
	assert_int_equal(kr_display_outputs_shown_time(&one, 1, &at), -ENOENT);
	b.base.lost = true;
	a.time_error = 0;
	assert_int_equal(kr_display_outputs_shown_time(&all, 1, &at), 0);
	kr_fd_close(&a.fd);
	kr_fd_close(&b.fd);
	kr_fd_close(&capture.fd);
}

/* When a frame was shown, as its window hears it. */
static int64_t
show_timed(struct kr_queue *queue)
{
	int64_t until = kr_clock_now() + 10 * KR_NSEC_PER_SEC;
	struct rig_frame frame = RIG_FRAME;
	struct kr_frame_times times;
	uint64_t number;

	frame.presentation.tell_events = true;
	frame.number = &number;
	rig_show(queue, &frame, rig_plain, 1);
	do {
		assert_true(kr_clock_now() < until);
		poll(NULL, 0, 1);
		assert_int_equal(kr_queue_frame_times(queue, number, &times), 0);
	} while (times.time_ns[KR_EVENT_SHOWN] == KR_TIME_PENDING);
	return times.time_ns[KR_EVENT_SHOWN];
}

/* One that says nothing is waited for, but not for ever. */
static void
frames_are_shown_when_the_screen_says(void **state)
{
	static const struct {
		int error;
		int64_t time_ns, shown_ns;
	} rows[] = {
		{0, 12345, 12345},
		{-ENOENT, 12345, KR_TIME_INVALID},
		{-EAGAIN, 12345, KR_TIME_INVALID},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		struct fake screen = make_fake(&timed_impl, 1);
		struct rig rig = {.outputs = {&screen.base}};
		struct kr_queue_config config;
		struct kr_queue *queue;
		int64_t begun;

		screen.time_ns = rows[i].time_ns;
		screen.time_error = rows[i].error;
		rig_start(&rig, KR_CLOCK_REAL);
		queue = rig_window(&rig, "timed");
		kr_queue_get_config(queue, &config);
		assert_int_equal(config.timing.latency_ns, config.refresh_ns);
		begun = kr_clock_now();
		assert_int_equal(show_timed(queue), rows[i].shown_ns);
		assert_true(rows[i].error != -EAGAIN || kr_clock_now() - begun >= KR_NSEC_PER_SEC);
		rig_close(queue);
		rig_stop(&rig, NULL);
		kr_fd_close(&screen.fd);
	}
}

static int64_t
due(struct kr_display *display, int64_t target_ns, bool nearest)
{
	const struct kr_producer producer = {
		.display = display,
		.head_target = {KR_TARGET_ABSOLUTE, nearest, target_ns},
	};

	return kr_producer_due_ns(&producer, 0);
}

/* Pictures are made for the blank that shows them, which comes after the tick. */
static void
ticks_are_before_the_blanks_that_they_are_for(void **state)
{
	const struct kr_display_hooks hooks = {0};
	const int64_t s = KR_NSEC_PER_SEC, base = 1000 * s, margin = s / 8;
	struct fake screen = make_fake(&timed_impl, 1), capture = make_fake(&strict_impl, 1);
	struct kr_display_config config = rig_config(KR_CLOCK_REAL);
	struct kr_display *display;
	char path[160];

	snprintf(path, sizeof(path), "%s/display", kr_test_dir());
	config.socket_path = path;
	config.refresh_mhz = 1000;
	assert_int_equal(kr_display_create(&config, &hooks, NULL, &display), 0);
	assert_int_equal(kr_display_add_output(display, &screen.base), 0);
	/* Nothing is known of its blanks: a picture is shown when it is made, or later. */
	assert_int_equal(kr_display_shown_at(display, base), base);
	assert_int_equal(due(display, base, false), base);
	screen.refresh_ns = base;
	assert_int_equal(kr_display_shown_at(display, base), base);
	assert_int_equal(kr_display_shown_at(display, base + 1), base + s);
	/* So much later that the blanks may be elsewhere by now. */
	assert_int_equal(kr_display_shown_at(display, base + s + 1), base + s + 1);
	assert_int_equal(due(display, base + s, false), base + margin);
	/* Blanks jitter. */
	assert_int_equal(due(display, base + s / 1000, false), base - s + margin);
	assert_int_equal(due(display, base + s / 100, false), base + margin);
	assert_int_equal(due(display, base + s / 2 + s / 1000, true), base - s + margin);
	assert_int_equal(due(display, base + s / 2 + s / 100, true), base + margin);
	/* What keeps pictures has them when they are made. */
	assert_int_equal(kr_display_add_output(display, &capture.base), 0);
	assert_int_equal(kr_display_shown_at(display, base + 1), base + 1);
	assert_int_equal(due(display, base + s, false), base + s);
	kr_display_destroy(display);
	kr_fd_close(&screen.fd);
	kr_fd_close(&capture.fd);
}

static struct kr_display_output *closed;
static int told = -1;

static void
handle_closed(void *data, struct kr_display_output *output)
{
	uint64_t one = 1;

	closed = output;
	assert_int_equal(write(told, &one, sizeof(one)), sizeof(one));
}

static void *
run_display(void *display)
{
	assert_int_equal(kr_display_run(display), 0);
	return NULL;
}

/* It tells its owner of one that was closed; one that is lost ends nothing. */
static void
a_display_hears_its_outputs(void **state)
{
	const struct kr_display_hooks hooks = {.output_closed = handle_closed};
	struct fake lost = make_fake(&slow_impl, 1), closes = make_fake(&slow_impl, 1);
	struct kr_display_config config = rig_config(KR_CLOCK_REAL);
	struct kr_display *display;
	char path[160];
	pthread_t thread;

	told = eventfd(0, EFD_CLOEXEC);
	closes.closes = true;
	lost.dispatch_error = -EPIPE;
	snprintf(path, sizeof(path), "%s/display", kr_test_dir());
	config.socket_path = path;
	assert_int_equal(kr_display_create(&config, &hooks, NULL, &display), 0);
	assert_int_equal(kr_display_add_output(display, &lost.base), 0);
	assert_int_equal(kr_display_add_output(display, &closes.base), 0);
	assert_int_equal(pthread_create(&thread, NULL, run_display, display), 0);
	poke(&lost);
	poke(&closes);
	assert_int_equal(poll(&(struct pollfd){.fd = told, .events = POLLIN}, 1, 10000), 1);
	kr_display_stop(display);
	pthread_join(thread, NULL);
	assert_ptr_equal(closed, &closes.base);
	assert_true(lost.base.lost);
	assert_false(closes.base.lost);
	kr_display_destroy(display);
	kr_fd_close(&lost.fd);
	kr_fd_close(&closes.fd);
	kr_fd_close(&told);
}

static const struct kr_test tests[] = {
	KR_TEST(what_may_be_lost_ends_nothing),
	/* The thread that a merge starts leaves libc's record of it behind. */
	KR_TEST_FLAGS(a_picture_is_shown_when_all_show_it, KR_TEST_KEEPS_MEMORY),
	KR_TEST(a_display_hears_its_outputs),
	KR_TEST(the_first_screen_s_time_counts),
	KR_TEST(frames_are_shown_when_the_screen_says),
	KR_TEST(ticks_are_before_the_blanks_that_they_are_for),
};
KR_TEST_MAIN(tests)
