/* SPDX-License-Identifier: Apache-2.0 */
/* Frames from queue to release: docs/buffer-queue.md. */
#include "contract/contract.h"

#include <errno.h>
#include <krafla/sync.h>

#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"

#define SECOND KR_NSEC_PER_SEC

static void
by_app(struct krafla_reader_config *config)
{
	config->flags = KRAFLA_READER_BY_APP;
	config->max_images = 4;
}

static void
in_p3(struct krafla_reader_config *config)
{
	config->dataspace = HAL_DATASPACE_DISPLAY_P3;
}

/* B-21: round and round, and only as it may. */
static void
a_buffer_goes_round(void **state)
{
	ANativeWindowBuffer *buffer;
	struct krafla_image image;
	struct contract c;

	contract_open(&c, NULL);
	for (int i = 0; i < 3; i++) {
		buffer = contract_dequeue(&c);
		assert_int_equal(krafla_reader_acquire_next(c.rig.reader, &image), -EAGAIN);
		contract_queue(&c, buffer);
		assert_int_equal(ANativeWindow_queueBuffer(c.window, buffer, -1), -EINVAL);
		assert_int_equal(ANativeWindow_cancelBuffer(c.window, buffer, -1), -EINVAL);
		contract_acquire(&c, &image);
		assert_true(contract_id(image.buffer) == contract_window_id(buffer));
		contract_release(&c, &image);
		assert_int_equal(krafla_reader_release(c.rig.reader, &image, -1), -ESTALE);
		contract_settle(&c);
	}
	contract_close(&c);
}

/* B-51, B-82: buffers are known by their addresses: none that isn't the window's is taken. */
static void
strangers_are_refused(void **state)
{
	ANativeWindowBuffer copy, *buffer;
	struct contract c;

	contract_open(&c, NULL);
	buffer = contract_dequeue(&c);
	copy = *buffer;
	copy.handle = NULL;
	assert_int_equal(ANativeWindow_queueBuffer(c.window, &copy, -1), -EINVAL);
	assert_int_equal(ANativeWindow_cancelBuffer(c.window, &copy, -1), -EINVAL);
	assert_int_equal(ANativeWindow_queueBuffer(c.window, NULL, -1), -EINVAL);
	/* Also one that has the same memory. */
	copy = *buffer;
	assert_int_equal(ANativeWindow_queueBuffer(c.window, &copy, -1), -EINVAL);
	assert_int_equal(ANativeWindow_queueBuffer(c.window, buffer, -1), 0);
	contract_close(&c);
}

/* B-07, B-52 */
static void
scaling_and_crop_are_checked(void **state)
{
	const android_native_rect_t bad[] = {
		{-1, 0, 8, 8}, {0, -1, 8, 8}, {0, 0, 65, 8}, {0, 0, 8, 33}, {9, 0, 8, 8}};
	const android_native_rect_t good = {1, 2, 64, 32};
	struct krafla_image image;
	struct contract c;

	contract_open(&c, NULL);
	for (int i = 0; i < 5; i++) {
		ANativeWindowBuffer *buffer = contract_dequeue(&c);
		/* What no buffer has is refused at once, or when this one hasn't. */
		int err = c.window->perform(c.window, NATIVE_WINDOW_SET_CROP, &bad[i]);

		assert_int_equal(
			err ? err : ANativeWindow_queueBuffer(c.window, buffer, -1), -EINVAL);
		assert_int_equal(c.window->perform(c.window, NATIVE_WINDOW_SET_CROP, NULL), 0);
		assert_int_equal(ANativeWindow_cancelBuffer(c.window, buffer, -1), 0);
	}
	assert_int_equal(c.window->perform(c.window, NATIVE_WINDOW_SET_SCALING_MODE, 4), -EINVAL);
	assert_int_equal(c.window->perform(c.window, NATIVE_WINDOW_SET_SCALING_MODE, -1), -EINVAL);
	for (int mode = 0; mode <= 3; mode++) {
		assert_int_equal(
			c.window->perform(c.window, NATIVE_WINDOW_SET_SCALING_MODE, mode), 0);
		assert_int_equal(c.window->perform(c.window, NATIVE_WINDOW_SET_CROP, &good), 0);
		contract_frame(&c);
		contract_acquire(&c, &image);
		assert_int_equal(image.scaling_mode, mode);
		assert_int_equal(image.crop.left, 1);
		assert_int_equal(image.crop.bottom, 32);
		contract_release(&c, &image);
	}
	contract_close(&c);
}

/* B-53 */
static void
pixels_that_say_nothing_are_the_readers(void **state)
{
	struct krafla_image image;
	struct contract c;

	contract_open(&c, in_p3);
	contract_frame(&c);
	contract_acquire(&c, &image);
	assert_int_equal(image.dataspace, HAL_DATASPACE_DISPLAY_P3);
	contract_release(&c, &image);
	assert_int_equal(ANativeWindow_setBuffersDataSpace(c.window, HAL_DATASPACE_V0_SRGB), 0);
	contract_frame(&c);
	contract_acquire(&c, &image);
	assert_int_equal(image.dataspace, HAL_DATASPACE_V0_SRGB);
	contract_release(&c, &image);
	contract_close(&c);
}

/* B-60: whatever API it is, and however many fences are open. */
static void
queueing_waits_for_no_fence(void **state)
{
	int signals[3], fence;
	struct contract c;

	contract_open(&c, NULL);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_API_DISCONNECT, NATIVE_WINDOW_API_CPU),
		0);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_EGL), 0);
	contract_ahead(&c, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(kr_fence_create(NULL, &signals[i], &fence), 0);
		assert_int_equal(
			ANativeWindow_queueBuffer(c.window, contract_dequeue(&c), fence), 0);
	}
	for (int i = 0; i < 3; i++)
		kr_fence_signal(signals[i], KR_FENCE_SIGNALLED);
	for (int i = 0; i < 3; i++)
		contract_consume(&c);
	contract_close(&c);
}

/* B-08, B-54 */
static void
frames_are_counted_and_timed(void **state)
{
	int64_t before = kr_clock_now();
	struct krafla_image image;
	struct contract c;

	contract_open(&c, NULL);
	assert_int_equal(
		ANativeWindow_setBuffersTimestamp(c.window, NATIVE_WINDOW_TIMESTAMP_AUTO), 0);
	assert_int_equal(contract_frame(&c), 1);
	contract_acquire(&c, &image);
	assert_int_equal(image.number, 1);
	assert_true(image.timestamp_ns >= before && image.timestamp_ns <= kr_clock_now());
	contract_release(&c, &image);
	assert_int_equal(ANativeWindow_setBuffersTimestamp(c.window, 77), 0);
	assert_int_equal(contract_frame(&c), 2);
	contract_acquire(&c, &image);
	assert_int_equal(image.number, 2);
	assert_int_equal(image.timestamp_ns, 77);
	contract_release(&c, &image);
	contract_close(&c);
}

static void
say_damage(struct contract *c, int left, int top, int right, int bottom)
{
	const android_native_rect_t damage = {left, top, right, bottom};

	assert_int_equal(
		c->window->perform(c->window, NATIVE_WINDOW_SET_SURFACE_DAMAGE, &damage, (size_t)1),
		0);
}

#define ARRIVALS                                                                                   \
	(KRAFLA_EVENT_BIT(KRAFLA_EVENT_AVAILABLE) | KRAFLA_EVENT_BIT(KRAFLA_EVENT_REPLACED))

/*
 * B-23, B-55, B-56, B-57: two FIFO frames are two; of those that may be dropped the last is left.
 */
static void
the_last_frame_gives_its_place_up(void **state)
{
	struct krafla_event event;
	struct krafla_image image;
	struct contract c;
	uint64_t ids[4];
	int fd;

	contract_open(&c, NULL);
	contract_ahead(&c, 3);
	assert_int_equal(krafla_reader_watch(c.rig.reader, ARRIVALS), 0);
	assert_int_equal(
		krafla_window_watch(c.window, KRAFLA_EVENT_BIT(KRAFLA_EVENT_RELEASED), &fd), 0);
	assert_int_equal(ANativeWindow_setSwapInterval(c.window, 0), 0);
	for (int i = 0; i < 3; i++) {
		ANativeWindowBuffer *buffer = contract_dequeue(&c);

		ids[i] = contract_window_id(buffer);
		say_damage(&c, 10 * i, 0, 10 * i + 5, 5);
		contract_queue(&c, buffer);
	}
	contract_read(&c, KRAFLA_EVENT_AVAILABLE, &event);
	assert_int_equal(event.number, 1);
	assert_true(event.buffer_id == ids[0]);
	contract_read(&c, KRAFLA_EVENT_REPLACED, &event);
	assert_int_equal(event.number, 2);
	assert_int_equal(event.other, 1);
	contract_read(&c, KRAFLA_EVENT_REPLACED, &event);
	assert_int_equal(event.other, 2);
	contract_read_all(&c);
	/* Nobody saw the first two: they are back. */
	contract_hear(&c, KRAFLA_EVENT_RELEASED, &event);
	assert_int_equal(event.number, 1);
	assert_true(event.buffer_id == ids[0]);
	contract_hear(&c, KRAFLA_EVENT_RELEASED, &event);
	assert_int_equal(event.number, 2);
	contract_heard_all(&c);
	/* And what changed in them has changed. */
	contract_acquire(&c, &image);
	assert_int_equal(image.number, 3);
	assert_int_equal(image.damage_count, 3);
	contract_release(&c, &image);
	contract_close(&c);
}

/* B-57: one that says nothing may have changed everywhere. */
static void
whole_damage_stays_whole(void **state)
{
	struct krafla_image image;
	struct contract c;

	contract_open(&c, NULL);
	contract_ahead(&c, 3);
	assert_int_equal(ANativeWindow_setSwapInterval(c.window, 0), 0);
	contract_frame(&c);
	say_damage(&c, 1, 1, 2, 2);
	contract_frame(&c);
	contract_acquire(&c, &image);
	assert_int_equal(image.number, 2);
	assert_int_equal(image.damage_count, 0);
	contract_release(&c, &image);
	contract_close(&c);
}

/* B-55, B-67: where both ends are one program's, until it is told to wait, or not to drop. */
static void
frames_of_one_program_may_be_dropped(void **state)
{
	struct krafla_image image;
	ANativeWindowBuffer *buffer;
	struct contract c;
	int fence;

	contract_open(&c, by_app);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ANativeWindow_dequeueBuffer(c.window, &buffer, &fence), 0);
		contract_queue(&c, buffer);
	}
	contract_acquire(&c, &image);
	assert_int_equal(image.number, 2);
	contract_release(&c, &image);
	assert_int_equal(krafla_window_set_legacy_drop(c.window, false), 0);
	contract_settle(&c);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ANativeWindow_dequeueBuffer(c.window, &buffer, &fence), 0);
		contract_queue(&c, buffer);
	}
	for (uint64_t i = 3; i <= 4; i++) {
		contract_acquire(&c, &image);
		assert_int_equal(image.number, i);
		contract_release(&c, &image);
	}
	contract_settle(&c);
	assert_int_equal(krafla_window_set_legacy_drop(c.window, true), 0);
	contract_timeout(&c, SECOND);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ANativeWindow_dequeueBuffer(c.window, &buffer, &fence), 0);
		contract_queue(&c, buffer);
	}
	contract_acquire(&c, &image);
	assert_int_equal(image.number, 5);
	contract_release(&c, &image);
	contract_close(&c);
}

/* B-59: whatever threads things happen on. */
static void
events_have_tickets_in_order(void **state)
{
	struct krafla_event event;
	struct contract c;
	uint64_t last = 0;
	int count = 0, fd;

	contract_open(&c, NULL);
	contract_ahead(&c, 2);
	assert_int_equal(krafla_reader_watch(c.rig.reader, KRAFLA_EVENTS_ALL), 0);
	assert_int_equal(krafla_window_watch(c.window, KRAFLA_EVENTS_ALL, &fd), 0);
	contract_settle(&c);
	for (int i = 0; i < 5; i++) {
		contract_frame(&c);
		contract_consume(&c);
	}
	while (!krafla_reader_next_event(c.rig.reader, &event)) {
		assert_true(event.ticket == ++last);
		count++;
	}
	assert_true(count >= 5);
	last = 0;
	for (int i = 1; i <= 5; i++) {
		contract_hear(&c, KRAFLA_EVENT_RELEASED, &event);
		assert_int_equal(event.number, i);
		assert_true(event.ticket == ++last);
	}
	contract_close(&c);
}

static int
acquire_at(struct contract *c, int64_t time, uint64_t number, uint32_t flags,
	struct krafla_image *image)
{
	const struct krafla_acquire wish = {.size = sizeof(wish),
		.expected_present_ns = time,
		.max_number = number,
		.flags = flags};

	return krafla_reader_acquire_at(c->rig.reader, &wish, image);
}

static void
timed_frame(struct contract *c, int64_t time)
{
	assert_int_equal(ANativeWindow_setBuffersTimestamp(c->window, time), 0);
	contract_frame(c);
}

/* B-72 */
static void
no_frame_is_no_frame(void **state)
{
	struct krafla_image image;
	struct contract c;

	contract_open(&c, NULL);
	assert_int_equal(krafla_reader_acquire_next(c.rig.reader, &image), -EAGAIN);
	assert_int_equal(acquire_at(&c, SECOND, 0, 0, &image), -EAGAIN);
	assert_int_equal(acquire_at(&c, 0, 0, KRAFLA_ACQUIRE_AGAIN, &image), -EAGAIN);
	assert_int_equal(acquire_at(&c, 0, 0, 4, &image), -EINVAL);
	contract_close(&c);
}

/* B-23, B-73 */
static void
time_overtakes_frames(void **state)
{
	struct krafla_event event;
	struct krafla_image image;
	struct contract c;
	int fd;

	contract_open(&c, NULL);
	contract_ahead(&c, 6);
	assert_int_equal(
		krafla_window_watch(c.window, KRAFLA_EVENT_BIT(KRAFLA_EVENT_RELEASED), &fd), 0);
	timed_frame(&c, 10 * SECOND);
	timed_frame(&c, 10 * SECOND + 10);
	timed_frame(&c, 10 * SECOND + 20);
	contract_settle(&c);
	assert_int_equal(acquire_at(&c, 10 * SECOND + 15, 0, 0, &image), 0);
	assert_int_equal(image.number, 2);
	contract_hear(&c, KRAFLA_EVENT_RELEASED, &event);
	assert_int_equal(event.number, 1);
	contract_release(&c, &image);
	/* The next is of long before that time: it says nothing. */
	timed_frame(&c, 10 * SECOND + 30);
	contract_settle(&c);
	assert_int_equal(acquire_at(&c, 12 * SECOND, 0, 0, &image), 0);
	assert_int_equal(image.number, 3);
	contract_release(&c, &image);
	/* One that is for no time isn't overtaken; nor by one of too high a number. */
	timed_frame(&c, NATIVE_WINDOW_TIMESTAMP_AUTO);
	timed_frame(&c, 10 * SECOND + 40);
	contract_settle(&c);
	assert_int_equal(acquire_at(&c, 10 * SECOND + 50, 4, 0, &image), 0);
	assert_int_equal(image.number, 4);
	contract_release(&c, &image);
	assert_int_equal(acquire_at(&c, 10 * SECOND + 50, 0, 0, &image), 0);
	assert_int_equal(image.number, 5);
	contract_release(&c, &image);
	contract_close(&c);
}

/* B-74 */
static void
what_is_for_later_stays(void **state)
{
	struct krafla_image image;
	struct contract c;

	contract_open(&c, NULL);
	timed_frame(&c, 10 * SECOND);
	contract_settle(&c);
	assert_int_equal(acquire_at(&c, 10 * SECOND - 1, 0, 0, &image), -ETIME);
	assert_int_equal(acquire_at(&c, 9 * SECOND, 0, 0, &image), -ETIME);
	assert_true(rig_readable(&c.rig));
	assert_int_equal(acquire_at(&c, 10 * SECOND, 0, 0, &image), 0);
	contract_release(&c, &image);
	/* More than a second ahead is no time. */
	timed_frame(&c, 10 * SECOND);
	contract_settle(&c);
	assert_int_equal(acquire_at(&c, 9 * SECOND - 1, 1, 0, &image), -ETIME);
	assert_int_equal(acquire_at(&c, 9 * SECOND - 1, 2, 0, &image), 0);
	contract_release(&c, &image);
	/* Who doesn't say when he shows it has it at once. */
	timed_frame(&c, kr_clock_now() + 3600 * SECOND);
	contract_settle(&c);
	assert_int_equal(acquire_at(&c, 0, 0, 0, &image), 0);
	contract_release(&c, &image);
	contract_close(&c);
}

/* B-18, B-19, B-75 */
static void
no_more_are_held_than_may_be(void **state)
{
	struct krafla_image images[4], image;
	struct contract c;

	contract_open(&c, contract_two_images);
	contract_ahead(&c, 5);
	for (int i = 0; i < 5; i++)
		contract_frame(&c);
	for (int i = 0; i < 2; i++)
		contract_acquire(&c, &images[i]);
	rig_await(&c.rig, -EBUSY);
	assert_int_equal(acquire_at(&c, 0, 0, KRAFLA_ACQUIRE_AGAIN, &image), -EBUSY);
	/* One may be beside them for a moment, and one that would not be dropped. */
	for (int i = 2; i < 4; i++)
		assert_int_equal(acquire_at(&c, 0, 0, KRAFLA_ACQUIRE_EXTRA, &images[i]), 0);
	assert_int_equal(acquire_at(&c, 0, 0, KRAFLA_ACQUIRE_EXTRA, &image), -EBUSY);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(images[i].number, i + 1);
		contract_release(&c, &images[i]);
	}
	contract_consume(&c);
	contract_close(&c);
}

/* B-19 */
static void
what_would_be_dropped_isn_t_held_beside(void **state)
{
	struct krafla_image first, second, image;
	struct contract c;

	contract_open(&c, NULL);
	assert_int_equal(ANativeWindow_setSwapInterval(c.window, 0), 0);
	contract_ahead(&c, 3);
	contract_frame(&c);
	contract_acquire(&c, &first);
	contract_frame(&c);
	contract_settle(&c);
	assert_int_equal(acquire_at(&c, 0, 0, KRAFLA_ACQUIRE_EXTRA, &second), 0);
	contract_frame(&c);
	contract_settle(&c);
	assert_int_equal(acquire_at(&c, 0, 0, KRAFLA_ACQUIRE_EXTRA, &image), -EBUSY);
	contract_release(&c, &first);
	contract_release(&c, &second);
	contract_consume(&c);
	contract_close(&c);
}

/* B-70, B-71: what is shared with auto-refresh is there though nobody queues it. */
static void
what_is_refreshed_is_always_there(void **state)
{
	const android_native_rect_t crop = {3, 4, 40, 30};
	ANativeWindowBuffer *buffer;
	struct krafla_image image, again;
	struct contract c;

	contract_open(&c, contract_shared);
	assert_int_equal(ANativeWindow_setSharedBufferMode(c.window, true), 0);
	assert_int_equal(ANativeWindow_setAutoRefresh(c.window, true), 0);
	assert_int_equal(c.window->perform(c.window, NATIVE_WINDOW_SET_CROP, &crop), 0);
	assert_int_equal(ANativeWindow_setBuffersTransform(c.window, 1), 0);
	buffer = contract_dequeue(&c);
	contract_queue(&c, buffer);
	contract_acquire(&c, &image);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(acquire_at(&c, 0, 0, KRAFLA_ACQUIRE_AGAIN, &again), 0);
		assert_int_equal(again.number, image.number);
		assert_int_equal(again.crop.left, 3);
		assert_int_equal(again.transform, 1);
		assert_int_equal(again.acquire_fence, -1);
		assert_ptr_equal(again.buffer, image.buffer);
	}
	/* Who asks for new frames alone gets none. */
	assert_int_equal(krafla_reader_acquire_next(c.rig.reader, &again), -EAGAIN);
	contract_release(&c, &image);
	assert_int_equal(acquire_at(&c, 0, 0, KRAFLA_ACQUIRE_AGAIN, &again), -EAGAIN);
	contract_close(&c);
}

/* B-25: queued, held and drawn at the same time, and never another's. */
static void
a_shared_buffer_is_in_many_states(void **state)
{
	ANativeWindowBuffer *buffer;
	struct krafla_image image, next;
	struct contract c;

	contract_open(&c, contract_shared);
	contract_ahead(&c, 3);
	assert_int_equal(ANativeWindow_setSharedBufferMode(c.window, true), 0);
	buffer = contract_dequeue(&c);
	contract_queue(&c, buffer);
	contract_acquire(&c, &image);
	assert_ptr_equal(contract_dequeue(&c), buffer);
	contract_queue(&c, buffer);
	assert_ptr_equal(contract_dequeue(&c), buffer);
	/* The older one needn't be released: the newer is in its place. */
	contract_acquire(&c, &next);
	assert_int_equal(next.number, 2);
	assert_int_equal(next.slot, image.slot);
	contract_release(&c, &image);
	contract_release(&c, &next);
	assert_int_equal(krafla_reader_release(c.rig.reader, &next, -1), -ESTALE);
	contract_settle(&c);
	/* It is its producer's still, who has it drawn into. */
	contract_queue(&c, buffer);
	contract_consume(&c);
	contract_close(&c);
}

/* B-69: mode on while a buffer is drawn: it is that one. */
static void
what_is_queued_first_may_be_the_shared_one(void **state)
{
	ANativeWindowBuffer *first, *second;
	struct contract c;

	contract_open(&c, contract_shared);
	contract_ahead(&c, 2);
	first = contract_dequeue(&c);
	second = contract_dequeue(&c);
	assert_int_equal(ANativeWindow_setSharedBufferMode(c.window, true), 0);
	contract_queue(&c, second);
	assert_ptr_equal(contract_dequeue(&c), second);
	contract_queue(&c, second);
	contract_queue(&c, first);
	contract_close(&c);
}

/* B-76: an image has its buffer each time, and it is the same. */
static void
the_same_buffer_is_the_same_each_time(void **state)
{
	AHardwareBuffer *buffers[2] = {NULL, NULL};
	struct krafla_image image;
	struct contract c;

	contract_open(&c, NULL);
	for (int i = 0; i < 6; i++) {
		contract_frame(&c);
		contract_acquire(&c, &image);
		assert_non_null(image.buffer);
		if (i < 2)
			buffers[image.slot] = image.buffer;
		else
			assert_ptr_equal(image.buffer, buffers[image.slot]);
		contract_release(&c, &image);
		contract_settle(&c);
	}
	contract_close(&c);
}

/* B-77 */
static void
what_isn_t_held_can_t_be_released(void **state)
{
	struct krafla_image image, wrong;
	struct contract c;
	int fence;

	contract_open(&c, NULL);
	contract_frame(&c);
	contract_acquire(&c, &image);
	wrong = image;
	wrong.number++;
	assert_int_equal(kr_fence_create_done(NULL, KR_FENCE_SIGNALLED, &fence), 0);
	/* The fence is taken all the same. */
	assert_int_equal(krafla_reader_release(c.rig.reader, &wrong, fence), -ESTALE);
	wrong = image;
	wrong.slot++;
	assert_int_equal(krafla_reader_release(c.rig.reader, &wrong, -1), -ESTALE);
	wrong = image;
	wrong.producer++;
	assert_int_equal(krafla_reader_release(c.rig.reader, &wrong, -1), -ESTALE);
	contract_release(&c, &image);
	contract_close(&c);
}

static const struct kr_test tests[] = {
	KR_TEST(a_buffer_goes_round),
	KR_TEST(strangers_are_refused),
	KR_TEST(scaling_and_crop_are_checked),
	KR_TEST(pixels_that_say_nothing_are_the_readers),
	KR_TEST(queueing_waits_for_no_fence),
	KR_TEST(frames_are_counted_and_timed),
	KR_TEST(the_last_frame_gives_its_place_up),
	KR_TEST(whole_damage_stays_whole),
	KR_TEST(frames_of_one_program_may_be_dropped),
	KR_TEST(events_have_tickets_in_order),
	KR_TEST(no_frame_is_no_frame),
	KR_TEST(time_overtakes_frames),
	KR_TEST(what_is_for_later_stays),
	KR_TEST(no_more_are_held_than_may_be),
	KR_TEST(what_would_be_dropped_isn_t_held_beside),
	KR_TEST(what_is_refreshed_is_always_there),
	KR_TEST(a_shared_buffer_is_in_many_states),
	KR_TEST(what_is_queued_first_may_be_the_shared_one),
	KR_TEST(the_same_buffer_is_the_same_each_time),
	KR_TEST(what_isn_t_held_can_t_be_released),
};

KR_TEST_MAIN(tests)
