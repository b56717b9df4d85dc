/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla-output-xcb.so and the screen: which frames wait for it, which are skipped,
 * and in what order.
 */
#include "harness.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <unistd.h>
#include <xcb/present.h>

#include "gralloc/buffer.h"
#include "util/clock.h"
#include "util/macros.h"
#include "x_rig.h"

#define SCREEN "640x480x24"
#define BGRA   AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM

/* Sixty a second, none skipped. */
static void
fifo_waits_for_the_screen(void **state)
{
	struct x_rig rig;
	int64_t start;

	x_rig_start(&rig, SCREEN, NULL, NULL, 64, 64);
	x_rig_open(&rig, KR_PRESENT_FIFO);
	start = kr_clock_now();
	for (uint32_t i = 0; i < 30; i++)
		assert_int_equal(x_rig_frame(&rig, BGRA, i), 0);
	x_rig_settle(&rig);
	assert_true(kr_clock_now() - start > 400 * KR_NSEC_PER_MSEC);
	x_rig_expect(&rig, 29);
	x_rig_stop(&rig);
}

/* After a pause the next frames have blanks of their own, too. */
static void
fifo_resumes_after_a_pause(void **state)
{
	struct x_rig rig;
	int64_t start;

	x_rig_start(&rig, SCREEN, NULL, NULL, 64, 64);
	x_rig_open(&rig, KR_PRESENT_FIFO);
	for (uint32_t round = 0; round < 3; round++) {
		usleep(100000);
		start = kr_clock_now();
		for (uint32_t i = 0; i < 6; i++)
			assert_int_equal(x_rig_frame(&rig, BGRA, round * 6 + i), 0);
		/* Four of them had to be shown before there was room for the last two. */
		assert_true(kr_clock_now() - start > 35 * KR_NSEC_PER_MSEC);
		assert_true(kr_clock_now() - start < 2 * KR_NSEC_PER_SEC);
	}
	x_rig_stop(&rig);
}

/* Frames that wait for the screen don't come after the first one of another mode. */
static void
a_new_mode_begins_after_the_old_ones_frames(void **state)
{
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 64, 64);
	x_rig_open(&rig, KR_PRESENT_FIFO);
	for (uint32_t i = 0; i < 10; i++) {
		rig.input.presentation.mode = KR_PRESENT_FIFO;
		for (uint32_t k = 0; k < 3; k++)
			assert_int_equal(x_rig_frame(&rig, BGRA, i * 4 + k), 0);
		rig.input.presentation.mode = i % 2 ? KR_PRESENT_IMMEDIATE : KR_PRESENT_MAILBOX;
		assert_int_equal(x_rig_frame(&rig, BGRA, i * 4 + 3), 0);
		x_rig_expect(&rig, i * 4 + 3);
		usleep(60000);
		assert_true(x_rig_shows(&rig, i * 4 + 3));
	}
	x_rig_stop(&rig);
}

/*
 * Two MAILBOX frames for the same blank: the later one stays, also where rows are longer than the
 * image. (Each frame's write gives the server's timers some part of a millisecond to be rounded.)
 */
static void
the_newest_mailbox_frame_stays(void **state)
{
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 301, 77);
	x_rig_open(&rig, KR_PRESENT_MAILBOX);
	for (uint32_t i = 0; i < 60; i += 2) {
		assert_int_equal(x_rig_frame(&rig, BGRA, i), 0);
		assert_int_equal(x_rig_frame(&rig, BGRA, i + 1), 0);
		x_rig_expect(&rig, i + 1);
	}
	x_rig_stop(&rig);
}

/* A burst of twelve, in ns; the pixels don't matter. */
static int64_t
burst(struct x_rig *rig)
{
	int64_t start = kr_clock_now();
	struct x_buffer buffer;

	for (uint32_t i = 0; i < 12; i++) {
		assert_int_equal(x_rig_dequeue(rig, rig->width, rig->height, BGRA,
					 5 * KR_NSEC_PER_SEC, &buffer),
			0);
		assert_int_equal(x_rig_queue(rig, &buffer, -1), 0);
	}
	return kr_clock_now() - start;
}

/* A frame that is replaced is given back at once: three buffers never wait for three blanks. */
static void
mailbox_does_not_wait_for_the_screen(void **state)
{
	int64_t best = INT64_MAX;
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 301, 77);
	x_rig_open(&rig, KR_PRESENT_MAILBOX);
	/* Once is enough: a loaded machine may hold us up at times. */
	for (uint32_t i = 0; i < 10; i++)
		best = KR_MIN(best, burst(&rig));
	assert_true(best < 20 * KR_NSEC_PER_MSEC);
	x_rig_stop(&rig);
}

/* What the server says about presents in the window, said to the application. */
static xcb_special_event_t *
listen_to_presents(struct x_rig *rig, uint32_t id)
{
	xcb_special_event_t *events;

	events = xcb_register_for_special_xge(rig->app, &xcb_present_id, id, NULL);
	xcb_present_select_input(rig->app, id, rig->window, XCB_PRESENT_EVENT_MASK_COMPLETE_NOTIFY);
	free(xcb_get_input_focus_reply(rig->app, xcb_get_input_focus(rig->app), NULL));
	return events;
}

static uint32_t
count_presents(struct x_rig *rig, xcb_special_event_t *events, uint8_t mode)
{
	xcb_generic_event_t *event;
	uint32_t count = 0;

	free(xcb_get_input_focus_reply(rig->app, xcb_get_input_focus(rig->app), NULL));
	while ((event = xcb_poll_for_special_event(rig->app, events))) {
		const xcb_present_complete_notify_event_t *e = (const void *)event;

		count += e->event_type == XCB_PRESENT_EVENT_COMPLETE_NOTIFY &&
			e->kind == XCB_PRESENT_COMPLETE_KIND_PIXMAP && e->mode == mode;
		free(event);
	}
	return count;
}

/*
 * Two frames right after each other, drawn while the screen went on: each has a blank of its own.
 */
static void
fifo_shows_a_late_pair(void **state)
{
	struct x_buffer pair[2];
	xcb_special_event_t *events;
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 64, 64);
	x_rig_open(&rig, KR_PRESENT_FIFO);
	events = listen_to_presents(&rig, xcb_generate_id(rig.app));
	for (uint32_t i = 0; i < 6; i++) {
		assert_int_equal(x_rig_frame(&rig, BGRA, i * 3), 0);
		for (size_t k = 0; k < 2; k++)
			assert_int_equal(
				x_rig_dequeue(&rig, 64, 64, BGRA, 5 * KR_NSEC_PER_SEC, &pair[k]),
				0);
		usleep(60000);
		for (uint32_t k = 0; k < 2; k++) {
			x_fill(&pair[k], i * 3 + 1 + k);
			assert_int_equal(x_rig_queue(&rig, &pair[k], -1), 0);
		}
		x_rig_expect(&rig, i * 3 + 2);
	}
	assert_int_equal(count_presents(&rig, events, XCB_PRESENT_COMPLETE_MODE_COPY), 18);
	xcb_unregister_for_special_event(rig.app, events);
	x_rig_stop(&rig);
}

/* Where the screen is, by a question of the application's own. */
static uint64_t
ask_msc(struct x_rig *rig, xcb_special_event_t *events)
{
	uint64_t msc = 0;

	xcb_present_notify_msc(rig->app, rig->window, 0, 0, 0, 0);
	xcb_flush(rig->app);
	while (!msc) {
		const xcb_present_complete_notify_event_t *e;
		xcb_generic_event_t *event = xcb_wait_for_special_event(rig->app, events);

		assert_non_null(event);
		e = (const void *)event;
		if (e->kind == XCB_PRESENT_COMPLETE_KIND_NOTIFY_MSC)
			msc = e->msc;
		free(event);
	}
	return msc;
}

/* The blank at which the next pixmap is shown. */
static uint64_t
shown_at(struct x_rig *rig, xcb_special_event_t *events)
{
	uint64_t msc = 0;

	while (!msc) {
		const xcb_present_complete_notify_event_t *e;
		xcb_generic_event_t *event = xcb_wait_for_special_event(rig->app, events);

		assert_non_null(event);
		e = (const void *)event;
		if (e->kind == XCB_PRESENT_COMPLETE_KIND_PIXMAP)
			msc = e->msc;
		free(event);
	}
	return msc;
}

/* A late frame waits for no blank any more, which FIFO's always do; others have one each. */
static void
relaxed_frames_wait_unless_they_are_late(void **state)
{
	static const uint8_t modes[] = {KR_PRESENT_FIFO, KR_PRESENT_FIFO_RELAXED};

	for (size_t m = 0; m < KR_ARRAY_LEN(modes); m++) {
		bool relaxed = modes[m] == KR_PRESENT_FIFO_RELAXED;
		xcb_special_event_t *events;
		unsigned at_once = 0;
		int64_t start;
		struct x_rig rig;

		x_rig_start(&rig, SCREEN, NULL, NULL, 64, 64);
		x_rig_open(&rig, modes[m]);
		events = listen_to_presents(&rig, xcb_generate_id(rig.app));
		/* On a busy machine a blank may pass before any frame is there. */
		for (uint32_t i = 0; i < 12 || (relaxed && !at_once && i < 300); i++) {
			uint64_t before;

			usleep(40000);
			before = ask_msc(&rig, events);
			assert_int_equal(x_rig_frame(&rig, BGRA, i), 0);
			at_once += shown_at(&rig, events) == before;
		}
		assert_int_equal(at_once > 0, relaxed);
		start = kr_clock_now();
		for (uint32_t i = 0; i < 30; i++)
			assert_int_equal(x_rig_frame(&rig, BGRA, i), 0);
		x_rig_settle(&rig);
		assert_true(kr_clock_now() - start > 400 * KR_NSEC_PER_MSEC);
		x_rig_expect(&rig, 29);
		xcb_unregister_for_special_event(rig.app, events);
		x_rig_stop(&rig);
	}
}

static void
the_latest_ready_frame_is_shown(void **state)
{
	int64_t best = INT64_MAX;
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 301, 77);
	x_rig_open(&rig, KR_PRESENT_FIFO_LATEST_READY);
	for (uint32_t i = 0; i < 10; i++)
		best = KR_MIN(best, burst(&rig));
	assert_true(best < 20 * KR_NSEC_PER_MSEC);
	for (uint32_t i = 0; i < 20; i += 2) {
		assert_int_equal(x_rig_frame(&rig, BGRA, i), 0);
		assert_int_equal(x_rig_frame(&rig, BGRA, i + 1), 0);
		x_rig_expect(&rig, i + 1);
	}
	x_rig_stop(&rig);
}

/* And then they stand in the window. */
static void
frames_are_told_when_they_are_shown(void **state)
{
	static const uint8_t modes[] = {KR_PRESENT_FIFO, KR_PRESENT_MAILBOX, KR_PRESENT_IMMEDIATE,
		KR_PRESENT_FIFO_RELAXED, KR_PRESENT_FIFO_LATEST_READY};
	uint64_t number = 0;
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 64, 64);
	x_rig_open(&rig, KR_PRESENT_FIFO);
	rig.input.presentation.tell_shown = true;
	for (uint32_t i = 0; i < 20; i++) {
		rig.input.presentation.mode = modes[i / 4];
		assert_int_equal(x_rig_frame(&rig, BGRA, i), 0);
		number++;
		assert_int_equal(
			kr_queue_wait_shown(rig.queue, number, kr_deadline_in(5 * KR_NSEC_PER_SEC)),
			0);
		assert_int_equal(kr_queue_last_shown(rig.queue), number);
		assert_true(x_rig_shows(&rig, i));
	}
	assert_int_equal(
		kr_queue_wait_shown(rig.queue, number + 1, kr_deadline_in(50 * KR_NSEC_PER_MSEC)),
		-ETIMEDOUT);
	x_rig_stop(&rig);
}

/* libxcb and libdl keep memory of their own. */
#define KEEPS KR_TEST_KEEPS_MEMORY
static const struct kr_test tests[] = {
	KR_TEST_FLAGS(fifo_waits_for_the_screen, KEEPS),
	KR_TEST_FLAGS(fifo_resumes_after_a_pause, KEEPS),
	KR_TEST_FLAGS(a_new_mode_begins_after_the_old_ones_frames, KEEPS),
	KR_TEST_FLAGS(the_newest_mailbox_frame_stays, KEEPS),
	KR_TEST_FLAGS(mailbox_does_not_wait_for_the_screen, KEEPS),
	KR_TEST_FLAGS(fifo_shows_a_late_pair, KEEPS),
	KR_TEST_SLOW(relaxed_frames_wait_unless_they_are_late, KEEPS, 60),
	KR_TEST_FLAGS(the_latest_ready_frame_is_shown, KEEPS),
	KR_TEST_FLAGS(frames_are_told_when_they_are_shown, KEEPS),
};

KR_TEST_MAIN(tests)
