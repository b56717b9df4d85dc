/* SPDX-License-Identifier: Apache-2.0 */
/* What each end hears of the other: docs/buffer-queue.md. */
#include "contract/contract.h"

#include <errno.h>
#include <poll.h>

static bool
readable(int fd)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	return poll(&ready, 1, 0) == 1;
}

static void
skip_events(struct contract *c)
{
	struct krafla_event event;

	while (!krafla_reader_next_event(c->rig.reader, &event))
		continue;
}

/* B-80: a frame, what was drawn and wasn't, a buffer that was taken, a rate, and the end. */
static void
a_reader_hears_of_its_producer(void **state)
{
	ANativeWindowBuffer *buffer;
	AHardwareBuffer *taken;
	struct krafla_event event;
	struct krafla_image image;
	struct contract c;
	uint64_t id;

	contract_open(&c, NULL);
	assert_int_equal(krafla_reader_watch(c.rig.reader, KRAFLA_EVENTS_ALL), 0);
	skip_events(&c);
	/* Over a socket its producer has to hear that somebody wants to know. */
	(void)contract_query(&c, NATIVE_WINDOW_IS_VALID);
	buffer = contract_dequeue(&c);
	id = contract_window_id(buffer);
	contract_read(&c, KRAFLA_EVENT_DEQUEUED, &event);
	assert_int_equal(event.slot, 0);
	assert_true(event.buffer_id == id);
	assert_int_equal(ANativeWindow_cancelBuffer(c.window, buffer, -1), 0);
	contract_read(&c, KRAFLA_EVENT_CANCELLED, &event);
	assert_true(event.buffer_id == id);
	contract_frame(&c);
	contract_read(&c, KRAFLA_EVENT_DEQUEUED, &event);
	contract_read(&c, KRAFLA_EVENT_AVAILABLE, &event);
	assert_int_equal(event.number, 1);
	assert_true(event.buffer_id == id);
	contract_acquire(&c, &image);
	assert_true(event.producer == image.producer);
	contract_release(&c, &image);
	contract_settle(&c);
	assert_int_equal(ANativeWindow_setFrameRateWithChangeStrategy(c.window, 23.5f,
				 NATIVE_WINDOW_FRAME_RATE_COMPATIBILITY_FIXED_SOURCE,
				 NATIVE_WINDOW_CHANGE_FRAME_RATE_ALWAYS),
		0);
	contract_read(&c, KRAFLA_EVENT_FRAME_RATE, &event);
	assert_true(event.frame_rate == 23.5f);
	assert_int_equal(event.compatibility, 1);
	assert_int_equal(event.strategy, 1);
	assert_int_equal(ANativeWindow_clearFrameRate(c.window), 0);
	contract_read(&c, KRAFLA_EVENT_FRAME_RATE, &event);
	assert_true(event.frame_rate == 0);
	buffer = contract_dequeue(&c);
	contract_read(&c, KRAFLA_EVENT_DEQUEUED, &event);
	assert_int_equal(krafla_window_detach(c.window, buffer, &taken), 0);
	contract_read(&c, KRAFLA_EVENT_DETACHED, &event);
	assert_true(event.buffer_id == contract_id(taken));
	AHardwareBuffer_release(taken);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_API_DISCONNECT, NATIVE_WINDOW_API_CPU),
		0);
	contract_read(&c, KRAFLA_EVENT_DISCONNECTED, &event);
	contract_read_all(&c);
	contract_close(&c);
}

/* B-35, B-80: told once, however it goes. */
static void
a_window_that_is_closed_is_heard(void **state)
{
	struct krafla_event event;
	struct contract c;

	contract_open(&c, NULL);
	assert_int_equal(
		krafla_reader_watch(c.rig.reader, KRAFLA_EVENT_BIT(KRAFLA_EVENT_DISCONNECTED)), 0);
	contract_frame(&c);
	ANativeWindow_release(c.window);
	contract_read(&c, KRAFLA_EVENT_DISCONNECTED, &event);
	contract_read_all(&c);
	rig_close(&c.rig);
}

/* B-35: nor is the queue taken then; of a window that locks connects by itself, too. */
static void
the_last_reference_ends_a_connection_for_the_cpu(void **state)
{
	ANativeWindow_Buffer pixels;
	ANativeWindow *next;
	struct contract c;

	if (contract_is_remote())
		return;
	contract_open(&c, NULL);
	for (int i = 0; i < 2; i++) {
		ANativeWindow_release(c.window);
		assert_int_equal(krafla_reader_get_window(c.rig.reader, &c.window), 0);
		assert_int_equal(ANativeWindow_lock(c.window, &pixels, NULL), 0);
	}
	/* Another window's connection isn't its own. */
	assert_int_equal(krafla_reader_get_window(c.rig.reader, &next), 0);
	ANativeWindow_release(next);
	assert_int_equal(ANativeWindow_unlockAndPost(c.window), 0);
	contract_consume(&c);
	ANativeWindow_release(c.window);
	assert_int_equal(krafla_reader_get_window(c.rig.reader, &c.window), 0);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_EGL), 0);
	contract_close(&c);
}

/* B-81 */
static void
a_producer_hears_of_its_reader(void **state)
{
	ANativeWindowBuffer *buffer;
	struct krafla_event event;
	struct krafla_image image;
	struct contract c;
	uint64_t id;
	int fd = -1;

	contract_open(&c, NULL);
	assert_int_equal(krafla_window_watch(c.window, KRAFLA_EVENTS_ALL, &fd), 0);
	assert_true(fd >= 0);
	contract_heard_all(&c);
	contract_frame(&c);
	contract_acquire(&c, &image);
	id = contract_id(image.buffer);
	assert_false(readable(fd));
	contract_release(&c, &image);
	assert_true(readable(fd));
	contract_hear(&c, KRAFLA_EVENT_RELEASED, &event);
	assert_int_equal(event.number, 1);
	assert_true(event.buffer_id == id);
	contract_heard_all(&c);
	assert_false(readable(fd));
	assert_int_equal(krafla_reader_discard_free(c.rig.reader), 0);
	contract_hear(&c, KRAFLA_EVENT_DISCARDED, &event);
	assert_true(event.buffer_id == id);
	contract_heard_all(&c);
	buffer = contract_dequeue(&c);
	assert_true(contract_window_id(buffer) != id);
	rig_close(&c.rig);
	contract_hear(&c, KRAFLA_EVENT_DISCONNECTED, &event);
	contract_heard_all(&c);
	ANativeWindow_release(c.window);
}

/* B-32, B-81: those of a connection that is over are given back to nobody. */
static void
a_connection_that_is_over_hears_nothing(void **state)
{
	struct contract c;
	int fd;

	contract_open(&c, NULL);
	assert_int_equal(krafla_window_watch(c.window, KRAFLA_EVENTS_ALL, &fd), 0);
	contract_frame(&c);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_API_DISCONNECT, NATIVE_WINDOW_API_CPU),
		0);
	contract_consume(&c);
	contract_settle(&c);
	contract_heard_all(&c);
	contract_close(&c);
}

static void
only_what_is_wanted_is_kept(void **state)
{
	struct krafla_event event;
	struct contract c;
	int fd, again;

	contract_open(&c, NULL);
	contract_ahead(&c, 3);
	assert_int_equal(krafla_window_watch(c.window, 0, &fd), 0);
	contract_frame(&c);
	contract_consume(&c);
	contract_heard_all(&c);
	assert_int_equal(
		krafla_window_watch(c.window, KRAFLA_EVENT_BIT(KRAFLA_EVENT_RELEASED), &again), 0);
	assert_int_equal(fd, again);
	contract_frame(&c);
	contract_consume(&c);
	contract_hear(&c, KRAFLA_EVENT_RELEASED, &event);
	/* What is kept already stays when no more is wanted. */
	contract_frame(&c);
	contract_consume(&c);
	(void)contract_query(&c, NATIVE_WINDOW_IS_VALID);
	assert_int_equal(krafla_window_watch(c.window, 0, &fd), 0);
	contract_frame(&c);
	contract_consume(&c);
	contract_hear(&c, KRAFLA_EVENT_RELEASED, &event);
	assert_int_equal(event.number, 3);
	contract_heard_all(&c);
	contract_close(&c);
}

static void
what_nobody_fetches_is_lost_and_told(void **state)
{
	struct krafla_event event;
	struct contract c;
	int fd;

	contract_open(&c, NULL);
	contract_ahead(&c, 2);
	assert_int_equal(
		krafla_window_watch(c.window, KRAFLA_EVENT_BIT(KRAFLA_EVENT_RELEASED), &fd), 0);
	assert_int_equal(
		krafla_reader_watch(c.rig.reader, KRAFLA_EVENT_BIT(KRAFLA_EVENT_AVAILABLE)), 0);
	for (int i = 0; i < 300; i++) {
		contract_frame(&c);
		contract_consume(&c);
		(void)contract_query(&c, NATIVE_WINDOW_IS_VALID);
	}
	contract_hear(&c, KRAFLA_EVENT_LOST, &event);
	assert_true(event.other >= 44);
	for (uint64_t i = event.other + 1; i <= 300; i++) {
		contract_hear(&c, KRAFLA_EVENT_RELEASED, &event);
		assert_true(event.number == i);
		assert_true(event.ticket == i);
	}
	contract_heard_all(&c);
	contract_read(&c, KRAFLA_EVENT_LOST, &event);
	for (uint64_t i = event.other + 1; i <= 300; i++) {
		contract_read(&c, KRAFLA_EVENT_AVAILABLE, &event);
		assert_true(event.number == i);
	}
	contract_read_all(&c);
	contract_close(&c);
}

/* A reader's descriptor tells of events as of images. */
static void
events_make_a_reader_readable(void **state)
{
	struct krafla_event event;
	struct contract c;

	contract_open(&c, NULL);
	assert_int_equal(
		krafla_reader_watch(c.rig.reader, KRAFLA_EVENT_BIT(KRAFLA_EVENT_FRAME_RATE)), 0);
	contract_settle(&c);
	skip_events(&c);
	assert_false(rig_readable(&c.rig));
	assert_int_equal(ANativeWindow_setFrameRate(c.window, 30, 0), 0);
	assert_true(rig_readable(&c.rig));
	contract_read(&c, KRAFLA_EVENT_FRAME_RATE, &event);
	assert_false(rig_readable(&c.rig));
	contract_close(&c);
}

static void
wrong_arguments_are_answered(void **state)
{
	struct krafla_event event;
	struct contract c;
	int fd;

	contract_open(&c, NULL);
	assert_int_equal(krafla_window_watch(c.window, 1u << 13, &fd), -EINVAL);
	assert_int_equal(krafla_window_watch(c.window, 1, NULL), -EINVAL);
	assert_int_equal(krafla_window_watch(NULL, 1, &fd), -EINVAL);
	assert_int_equal(krafla_window_next_event(c.window, NULL), -EINVAL);
	assert_int_equal(krafla_window_next_event(NULL, &event), -EINVAL);
	assert_int_equal(krafla_window_next_event(c.window, &event), -EAGAIN);
	assert_int_equal(krafla_reader_watch(NULL, 1), -EINVAL);
	assert_int_equal(krafla_reader_watch(c.rig.reader, 1u << 13), -EINVAL);
	assert_int_equal(krafla_reader_next_event(c.rig.reader, NULL), -EINVAL);
	assert_int_equal(krafla_reader_next_event(NULL, &event), -EINVAL);
	assert_int_equal(krafla_reader_discard_free(NULL), -EINVAL);
	contract_close(&c);
}

static const struct kr_test tests[] = {
	KR_TEST(a_reader_hears_of_its_producer),
	KR_TEST(a_window_that_is_closed_is_heard),
	KR_TEST(the_last_reference_ends_a_connection_for_the_cpu),
	KR_TEST(a_producer_hears_of_its_reader),
	KR_TEST(a_connection_that_is_over_hears_nothing),
	KR_TEST(only_what_is_wanted_is_kept),
	KR_TEST(what_nobody_fetches_is_lost_and_told),
	KR_TEST(events_make_a_reader_readable),
	KR_TEST(wrong_arguments_are_answered),
};

KR_TEST_MAIN(tests)
