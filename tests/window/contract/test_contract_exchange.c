/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that come and go by themselves, from either end to the other: docs/buffer-queue.md. */
#include "contract/contract.h"

#include <errno.h>

#include "sync/fence/fence.h"
#include "util/fd.h"

static uint64_t producer;

/* The number of the window, which its first frame says. */
static void
learn_producer(struct contract *c)
{
	struct krafla_image image;

	contract_frame(c);
	contract_acquire(c, &image);
	producer = image.producer;
	contract_release(c, &image);
	contract_settle(c);
}

static void
paint(AHardwareBuffer *buffer, uint32_t colour)
{
	void *pixels;

	assert_int_equal(AHardwareBuffer_lock(
				 buffer, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, NULL, &pixels),
		0);
	*(uint32_t *)pixels = colour;
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
}

static uint32_t
colour_of(AHardwareBuffer *buffer)
{
	uint32_t colour;
	void *pixels;

	assert_int_equal(AHardwareBuffer_lock(
				 buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN, -1, NULL, &pixels),
		0);
	colour = *(uint32_t *)pixels;
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
	return colour;
}

/* B-24: attached it is dequeued, and goes the way of all buffers. */
static void
a_producer_attaches_a_buffer(void **state)
{
	AHardwareBuffer *own = contract_buffer();
	ANativeWindowBuffer *attached;
	struct krafla_image image;
	struct contract c;

	contract_open(&c, NULL);
	contract_ahead(&c, 2);
	paint(own, 0x123456);
	assert_int_equal(krafla_window_attach(c.window, own, &attached), 0);
	assert_ptr_equal(ANativeWindowBuffer_getHardwareBuffer(attached), own);
	assert_int_equal(krafla_window_attach(c.window, own, &attached), -EINVAL);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_BUFFER_AGE), 0);
	contract_queue(&c, attached);
	contract_acquire(&c, &image);
	assert_true(contract_id(image.buffer) == contract_id(own));
	assert_int_equal(rig_colour(&image), 0x123456);
	contract_release(&c, &image);
	contract_settle(&c);
	assert_ptr_equal(contract_dequeue(&c), attached);
	contract_close(&c);
	/* It was the caller's, and is. */
	assert_int_equal(colour_of(own), 0x123456);
	AHardwareBuffer_release(own);
}

/* B-22: detached it is its taker's, and the slot is empty. */
static void
a_producer_detaches_a_buffer(void **state)
{
	ANativeWindowBuffer *buffer;
	AHardwareBuffer *taken = NULL;
	struct krafla_event event;
	struct contract c;
	uint64_t id;

	contract_open(&c, NULL);
	assert_int_equal(
		krafla_reader_watch(c.rig.reader, KRAFLA_EVENT_BIT(KRAFLA_EVENT_DETACHED)), 0);
	contract_ahead(&c, 1);
	buffer = contract_dequeue(&c);
	id = contract_window_id(buffer);
	paint(ANativeWindowBuffer_getHardwareBuffer(buffer), 0x77);
	assert_int_equal(krafla_window_detach(c.window, buffer, &taken), 0);
	assert_true(contract_id(taken) == id);
	contract_read(&c, KRAFLA_EVENT_DETACHED, &event);
	assert_true(event.buffer_id == id);
	contract_read_all(&c);
	/* The window has it no more. */
	assert_int_equal(ANativeWindow_queueBuffer(c.window, buffer, -1), -EINVAL);
	assert_int_equal(krafla_window_detach(c.window, buffer, &taken), -EINVAL);
	assert_true(contract_window_id(contract_dequeue(&c)) != id);
	contract_close(&c);
	assert_int_equal(colour_of(taken), 0x77);
	AHardwareBuffer_release(taken);
}

/* B-22: the free one that came back first, with its fence. */
static void
the_next_free_buffer_can_be_detached(void **state)
{
	AHardwareBuffer *taken = NULL;
	ANativeWindowBuffer *buffer;
	struct contract c;
	int signal, fence, got;
	uint64_t id;

	contract_open(&c, NULL);
	assert_int_equal(krafla_window_detach_next(c.window, &taken, &got), -ENOMEM);
	buffer = contract_dequeue(&c);
	id = contract_window_id(buffer);
	assert_int_equal(kr_fence_create(NULL, &signal, &fence), 0);
	assert_int_equal(ANativeWindow_cancelBuffer(c.window, buffer, fence), 0);
	assert_int_equal(krafla_window_detach_next(c.window, &taken, &got), 0);
	assert_true(contract_id(taken) == id);
	assert_int_equal(kr_fence_status(got), KR_FENCE_ACTIVE);
	kr_fence_signal(signal, KR_FENCE_SIGNALLED);
	kr_fd_close(&got);
	assert_int_equal(krafla_window_detach_next(c.window, &taken, &got), -ENOMEM);
	contract_close(&c);
	AHardwareBuffer_release(taken);
}

/* B-65: an empty slot before the place of another buffer; else the one that came back first. */
static void
an_attached_buffer_takes_an_empty_slot(void **state)
{
	AHardwareBuffer *own[3] = {contract_buffer(), contract_buffer(), contract_buffer()};
	ANativeWindowBuffer *free_one, *attached;
	struct contract c;
	int fd;

	contract_open(&c, NULL);
	contract_ahead(&c, 2);
	free_one = contract_dequeue(&c);
	assert_int_equal(ANativeWindow_cancelBuffer(c.window, free_one, -1), 0);
	assert_int_equal(
		krafla_window_watch(c.window, KRAFLA_EVENT_BIT(KRAFLA_EVENT_DISCARDED), &fd), 0);
	contract_timeout(&c, 0);
	assert_int_equal(krafla_window_attach(c.window, own[0], &attached), 0);
	assert_ptr_equal(contract_dequeue(&c), free_one);
	assert_int_equal(ANativeWindow_cancelBuffer(c.window, free_one, -1), 0);
	assert_int_equal(krafla_window_attach(c.window, own[1], &attached), 0);
	contract_heard_all(&c);
	assert_int_equal(krafla_window_attach(c.window, own[2], &attached), 0);
	/* All three are drawn into, and there may be no more. */
	assert_int_equal(contract_try(&c, &free_one), -ETIMEDOUT);
	contract_close(&c);
	for (int i = 0; i < 3; i++)
		AHardwareBuffer_release(own[i]);
}

/* B-24: attached by a reader it is held, and goes to the producer when it is released. */
static void
a_reader_attaches_a_buffer(void **state)
{
	AHardwareBuffer *own = contract_buffer();
	ANativeWindowBuffer *buffer;
	struct krafla_event event;
	struct krafla_image image;
	struct contract c;
	int fd;

	contract_open(&c, contract_two_images);
	contract_ahead(&c, 3);
	learn_producer(&c);
	assert_int_equal(krafla_window_watch(c.window,
				 KRAFLA_EVENT_BIT(KRAFLA_EVENT_ATTACHED) |
					 KRAFLA_EVENT_BIT(KRAFLA_EVENT_RELEASED),
				 &fd),
		0);
	paint(own, 0xabc);
	assert_int_equal(krafla_reader_attach(c.rig.reader, producer, own, &image), 0);
	assert_ptr_equal(image.buffer, own);
	assert_true(image.number == KRAFLA_IMAGE_ATTACHED);
	assert_int_equal(image.acquire_fence, -1);
	contract_hear(&c, KRAFLA_EVENT_ATTACHED, &event);
	assert_true(event.buffer_id == contract_id(own));
	assert_int_equal(krafla_reader_attach(c.rig.reader, producer, own, &image), -EINVAL);
	contract_release(&c, &image);
	contract_hear(&c, KRAFLA_EVENT_RELEASED, &event);
	/* Behind the one that was free before. */
	krafla_window_allow_allocation(c.window, false);
	contract_dequeue(&c);
	buffer = contract_dequeue(&c);
	assert_true(contract_window_id(buffer) == contract_id(own));
	assert_int_equal(colour_of(ANativeWindowBuffer_getHardwareBuffer(buffer)), 0xabc);
	contract_close(&c);
	AHardwareBuffer_release(own);
}

/* B-22: a reader keeps a picture, and its producer gets another buffer. */
static void
a_reader_detaches_an_image(void **state)
{
	AHardwareBuffer *kept = NULL, *again = NULL;
	struct krafla_event event;
	struct krafla_image image;
	struct contract c;
	uint64_t id;
	int fd;

	contract_open(&c, NULL);
	assert_int_equal(
		krafla_window_watch(c.window, KRAFLA_EVENT_BIT(KRAFLA_EVENT_DETACHED), &fd), 0);
	rig_frame(c.window, 0x5a);
	contract_acquire(&c, &image);
	id = contract_id(image.buffer);
	assert_int_equal(krafla_reader_detach(c.rig.reader, &image, &kept), 0);
	assert_true(contract_id(kept) == id);
	assert_int_equal(krafla_reader_detach(c.rig.reader, &image, &again), -ESTALE);
	assert_int_equal(krafla_reader_release(c.rig.reader, &image, -1), -ESTALE);
	contract_hear(&c, KRAFLA_EVENT_DETACHED, &event);
	assert_true(event.buffer_id == id);
	assert_int_equal(event.number, 1);
	for (int i = 0; i < 4; i++) {
		rig_frame(c.window, 0x100 + i);
		contract_acquire(&c, &image);
		assert_true(contract_id(image.buffer) != id);
		contract_release(&c, &image);
		contract_settle(&c);
	}
	/* Nobody draws into what is kept. */
	assert_int_equal(colour_of(kept), 0x5a);
	contract_close(&c);
	AHardwareBuffer_release(kept);
}

/* A picture goes from one reader to the window of another, without a copy. */
static void
an_image_goes_on_to_another_window(void **state)
{
	ANativeWindowBuffer *attached;
	struct krafla_image image;
	AHardwareBuffer *passed;
	struct contract from, to;
	struct rig here;

	contract_open(&from, NULL);
	rig_open(&here, false, NULL);
	to = (struct contract){.rig = here};
	to.window = rig_window(&to.rig);
	for (uint32_t i = 0; i < 5; i++) {
		rig_frame(from.window, 0x1000 + i);
		contract_acquire(&from, &image);
		assert_int_equal(krafla_reader_detach(from.rig.reader, &image, &passed), 0);
		assert_int_equal(krafla_window_attach(to.window, passed, &attached), 0);
		contract_queue(&to, attached);
		rig_acquire(&to.rig, &image);
		assert_true(contract_id(image.buffer) == contract_id(passed));
		AHardwareBuffer_release(passed);
		assert_int_equal(rig_colour(&image), 0x1000 + i);
		/* And back to the producer it came from. */
		assert_int_equal(krafla_reader_detach(to.rig.reader, &image, &passed), 0);
		assert_int_equal(krafla_window_attach(from.window, passed, &attached), 0);
		assert_int_equal(ANativeWindow_cancelBuffer(from.window, attached, -1), 0);
		AHardwareBuffer_release(passed);
	}
	contract_close(&to);
	contract_close(&from);
}

/* Likewise of the other end: a reader gives what it got to another producer. */
static void
an_image_goes_on_to_another_producer(void **state)
{
	struct krafla_image image, attached;
	struct contract from, to;
	AHardwareBuffer *passed;
	struct rig here;
	uint64_t other;

	contract_open(&from, NULL);
	contract_ahead(&from, 3);
	learn_producer(&from);
	other = producer;
	rig_open(&here, false, contract_two_images);
	to = (struct contract){.rig = here};
	to.window = rig_window(&to.rig);
	rig_frame(to.window, 0x99);
	rig_acquire(&to.rig, &image);
	kr_fd_close(&image.acquire_fence);
	assert_int_equal(krafla_reader_detach(to.rig.reader, &image, &passed), 0);
	assert_int_equal(krafla_reader_attach(from.rig.reader, other, passed, &attached), 0);
	contract_settle(&from);
	contract_release(&from, &attached);
	contract_settle(&from);
	krafla_window_allow_allocation(from.window, false);
	contract_dequeue(&from);
	assert_true(contract_window_id(contract_dequeue(&from)) == contract_id(passed));
	AHardwareBuffer_release(passed);
	contract_close(&to);
	contract_close(&from);
}

/* B-64 */
static void
generations_must_agree(void **state)
{
	AHardwareBuffer *own = contract_buffer(), *taken = NULL, *theirs = contract_buffer();
	ANativeWindowBuffer *buffer, *attached;
	struct krafla_image image;
	struct contract c;

	contract_open(&c, NULL);
	contract_ahead(&c, 3);
	learn_producer(&c);
	assert_int_equal(krafla_window_set_generation(c.window, 7), 0);
	/* What a window is given becomes one of its own. */
	assert_int_equal(krafla_window_attach(c.window, own, &attached), 0);
	/* New buffers have it. */
	contract_dequeue(&c);
	buffer = contract_dequeue(&c);
	assert_int_equal(krafla_window_detach(c.window, buffer, &taken), 0);
	assert_int_equal(krafla_window_attach(c.window, taken, &attached), 0);
	contract_queue(&c, attached);
	contract_consume(&c);
	/* The other end's must be of it already. */
	assert_int_equal(krafla_reader_attach(c.rig.reader, producer, theirs, &image), -EINVAL);
	assert_int_equal(krafla_window_set_generation(c.window, 0), 0);
	contract_settle(&c);
	assert_int_equal(krafla_reader_attach(c.rig.reader, producer, theirs, &image), 0);
	contract_close(&c);
	AHardwareBuffer_release(own);
	AHardwareBuffer_release(theirs);
	AHardwareBuffer_release(taken);
}

/* B-63 */
static void
nothing_is_exchanged_in_shared_mode(void **state)
{
	AHardwareBuffer *own = contract_buffer(), *taken;
	ANativeWindowBuffer *buffer, *attached;
	struct krafla_image image;
	struct contract c;
	int fence;

	contract_open(&c, contract_shared);
	assert_int_equal(ANativeWindow_setSharedBufferMode(c.window, true), 0);
	buffer = contract_dequeue(&c);
	assert_int_equal(krafla_window_attach(c.window, own, &attached), -EINVAL);
	assert_int_equal(krafla_window_detach(c.window, buffer, &taken), -EINVAL);
	assert_int_equal(krafla_window_detach_next(c.window, &taken, &fence), -EINVAL);
	contract_queue(&c, buffer);
	contract_acquire(&c, &image);
	assert_int_equal(krafla_reader_detach(c.rig.reader, &image, &taken), -EINVAL);
	contract_release(&c, &image);
	contract_close(&c);
	AHardwareBuffer_release(own);
}

/* What a reader attaches finds a slot, or the free one goes for it, or it has none. */
static void
a_reader_finds_a_slot_or_none(void **state)
{
	AHardwareBuffer *own[2] = {contract_buffer(), contract_buffer()};
	struct krafla_image images[2], image;
	ANativeWindowBuffer *buffer;
	struct krafla_event event;
	struct contract c;
	int err, fd;

	contract_open(&c, contract_two_images);
	contract_ahead(&c, 2);
	learn_producer(&c);
	assert_int_equal(
		krafla_reader_watch(c.rig.reader, KRAFLA_EVENT_BIT(KRAFLA_EVENT_REFUSED)), 0);
	assert_int_equal(krafla_window_watch(c.window,
				 KRAFLA_EVENT_BIT(KRAFLA_EVENT_DISCARDED) |
					 KRAFLA_EVENT_BIT(KRAFLA_EVENT_ATTACHED),
				 &fd),
		0);
	/* There may be four: this one, and three that are queued. */
	assert_int_equal(krafla_reader_attach(c.rig.reader, producer, own[0], &images[0]), 0);
	contract_hear(&c, KRAFLA_EVENT_ATTACHED, &event);
	for (int i = 0; i < 3; i++)
		contract_frame(&c);
	assert_int_equal(contract_try(&c, &buffer), -ETIMEDOUT);
	err = krafla_reader_attach(c.rig.reader, producer, own[1], &images[1]);
	if (contract_is_remote()) {
		/* Over a socket it shows later. */
		assert_int_equal(err, 0);
		while (krafla_reader_next_event(c.rig.reader, &event) == -EAGAIN)
			contract_heard_all(&c);
		assert_int_equal(event.kind, KRAFLA_EVENT_REFUSED);
		assert_true(event.buffer_id == contract_id(own[1]));
		contract_release(&c, &images[1]);
	} else {
		assert_int_equal(err, -ENOMEM);
	}
	/* And no more than may be held. */
	contract_release(&c, &images[0]);
	contract_settle(&c);
	assert_int_equal(krafla_reader_attach(c.rig.reader, producer + 1, own[1], &image), -ENOENT);
	assert_int_equal(krafla_reader_attach(c.rig.reader, producer, NULL, &image), -EINVAL);
	contract_close(&c);
	AHardwareBuffer_release(own[0]);
	AHardwareBuffer_release(own[1]);
}

/* B-75 */
static void
what_is_attached_counts_as_held(void **state)
{
	AHardwareBuffer *own[2] = {contract_buffer(), contract_buffer()};
	struct krafla_image attached, image;
	struct contract c;

	contract_open(&c, NULL);
	contract_ahead(&c, 3);
	learn_producer(&c);
	assert_int_equal(krafla_reader_attach(c.rig.reader, producer, own[0], &attached), 0);
	contract_settle(&c);
	assert_int_equal(krafla_reader_attach(c.rig.reader, producer, own[1], &image), -EBUSY);
	contract_frame(&c);
	rig_await(&c.rig, -EBUSY);
	contract_release(&c, &attached);
	contract_consume(&c);
	contract_close(&c);
	AHardwareBuffer_release(own[0]);
	AHardwareBuffer_release(own[1]);
}

/* A reader may detach what it attached itself. */
static void
what_was_attached_can_be_taken_back(void **state)
{
	AHardwareBuffer *own = contract_buffer(), *back = NULL;
	ANativeWindowBuffer *buffer;
	struct krafla_image image;
	struct contract c;

	contract_open(&c, NULL);
	contract_ahead(&c, 3);
	learn_producer(&c);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(krafla_reader_attach(c.rig.reader, producer, own, &image), 0);
		contract_settle(&c);
		assert_int_equal(krafla_reader_detach(c.rig.reader, &image, &back), 0);
		assert_ptr_equal(back, own);
		AHardwareBuffer_release(back);
		contract_settle(&c);
	}
	krafla_window_allow_allocation(c.window, false);
	contract_dequeue(&c);
	assert_int_equal(contract_try(&c, &buffer), -ETIMEDOUT);
	contract_close(&c);
	AHardwareBuffer_release(own);
}

/* Whoever's it is: what no window shows isn't attached. */
static void
what_no_window_shows_is_refused(void **state)
{
	AHardwareBuffer_Desc desc = {.width = 100,
		.height = 1,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_BLOB,
		.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN};
	ANativeWindowBuffer *attached;
	struct krafla_image image;
	AHardwareBuffer *blob;
	struct contract c;

	contract_open(&c, NULL);
	learn_producer(&c);
	assert_int_equal(AHardwareBuffer_allocate(&desc, &blob), 0);
	assert_int_equal(krafla_window_attach(c.window, blob, &attached), -ENOSYS);
	assert_int_equal(krafla_reader_attach(c.rig.reader, producer, blob, &image), -ENOSYS);
	assert_int_equal(krafla_window_attach(c.window, NULL, &attached), -EINVAL);
	assert_int_equal(krafla_window_attach(NULL, blob, &attached), -EINVAL);
	assert_int_equal(krafla_window_attach(c.window, blob, NULL), -EINVAL);
	AHardwareBuffer_release(blob);
	contract_close(&c);
}

/* Whatever comes and goes, no descriptor stays behind. */
static void
exchanges_keep_nothing(void **state)
{
	AHardwareBuffer *own = contract_buffer(), *passed;
	ANativeWindowBuffer *attached;
	struct krafla_image image;
	struct contract c;
	int fds = 0, fence;

	contract_open(&c, NULL);
	learn_producer(&c);
	for (int i = 0; i < 60; i++) {
		assert_int_equal(krafla_window_attach(c.window, own, &attached), 0);
		contract_queue(&c, attached);
		contract_acquire(&c, &image);
		assert_int_equal(krafla_reader_detach(c.rig.reader, &image, &passed), 0);
		contract_settle(&c);
		assert_int_equal(krafla_reader_attach(c.rig.reader, producer, passed, &image), 0);
		contract_settle(&c);
		contract_release(&c, &image);
		contract_settle(&c);
		AHardwareBuffer_release(passed);
		while (!krafla_window_detach_next(c.window, &passed, &fence)) {
			kr_fd_close(&fence);
			AHardwareBuffer_release(passed);
		}
		if (i == 5)
			fds = kr_test_count_fds();
		if (i > 5)
			kr_test_expect_fds(fds);
	}
	contract_close(&c);
	AHardwareBuffer_release(own);
}

static const struct kr_test tests[] = {
	KR_TEST(a_producer_attaches_a_buffer),
	KR_TEST(a_producer_detaches_a_buffer),
	KR_TEST(the_next_free_buffer_can_be_detached),
	KR_TEST(an_attached_buffer_takes_an_empty_slot),
	KR_TEST(a_reader_attaches_a_buffer),
	KR_TEST(a_reader_detaches_an_image),
	KR_TEST(an_image_goes_on_to_another_window),
	KR_TEST(an_image_goes_on_to_another_producer),
	KR_TEST(generations_must_agree),
	KR_TEST(nothing_is_exchanged_in_shared_mode),
	KR_TEST(a_reader_finds_a_slot_or_none),
	KR_TEST(what_is_attached_counts_as_held),
	KR_TEST(what_was_attached_can_be_taken_back),
	KR_TEST(what_no_window_shows_is_refused),
	KR_TEST(exchanges_keep_nothing),
};

KR_TEST_MAIN(tests)
