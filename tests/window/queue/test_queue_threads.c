/* SPDX-License-Identifier: Apache-2.0 */
/* The queue with several producer threads: who waits is woken, frames keep their order. */
#include "help.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "window/queue/far_end.h"

#define LONG (15 * KR_NSEC_PER_SEC)
#define SOON (5 * KR_NSEC_PER_SEC)

struct waiter {
	pthread_t thread;
	struct kr_queue *queue;
	int64_t timeout_ns;
	int64_t ended_ns;
	int err;
};

static void *
wait_for_buffer(void *data)
{
	struct waiter *waiter = data;

	waiter->err = help_try_dequeue(waiter->queue, waiter->timeout_ns);
	waiter->ended_ns = kr_clock_now();
	return NULL;
}

static void
start_waiter(struct waiter *waiter, struct kr_queue *queue)
{
	waiter->queue = queue;
	waiter->timeout_ns = LONG;
	assert_int_equal(pthread_create(&waiter->thread, NULL, wait_for_buffer, waiter), 0);
}

static int
join_waiter(struct waiter *waiter)
{
	int64_t start = kr_clock_now();

	assert_int_equal(pthread_join(waiter->thread, NULL), 0);
	assert_true(waiter->ended_ns - start < SOON);
	return waiter->err;
}

/* A queue of three, two of them with the sink, one dequeued: nothing is free. */
static struct kr_queue *
make_busy_queue(struct fake_sink *sink, bool polls, uint32_t *dequeued)
{
	struct kr_queue *queue;
	uint32_t slots[4];

	/* Only what is tested may wake anybody, not a look at whether the sink lives. */
	kr_sink_set_answer_ns(10 * LONG);
	fake_sink_init(sink, polls);
	queue = help_queue(&sink->base);
	assert_int_equal(kr_queue_set_buffer_count(queue, 4), 0);
	for (int i = 0; i < 4; i++)
		slots[i] = help_dequeue(queue);
	for (int i = 0; i < 3; i++)
		help_queue_frame(queue, slots[i]);
	*dequeued = slots[3];
	return queue;
}

/*
 * Lets the waiters come to rest; what is tested holds for any order, this makes the hard one
 * likely.
 */
static void
settle(void)
{
	poll(NULL, 0, 30);
}

static void
a_cancel_wakes_a_waiter(void **state)
{
	for (int polls = 0; polls < 2; polls++) {
		struct fake_sink sink;
		struct waiter waiter;
		uint32_t slot;
		struct kr_queue *queue = make_busy_queue(&sink, polls, &slot);

		start_waiter(&waiter, queue);
		settle();
		assert_int_equal(kr_queue_cancel(queue, slot, -1), 0);
		assert_int_equal(join_waiter(&waiter), 0);
		fake_sink_finish(&sink, queue);
	}
}

/* B-44 */
static void
a_release_from_another_thread_wakes_a_waiter(void **state)
{
	for (int polls = 0; polls < 2; polls++) {
		struct fake_sink sink;
		struct waiter waiter;
		uint32_t slot;
		struct kr_queue *queue = make_busy_queue(&sink, polls, &slot);

		start_waiter(&waiter, queue);
		settle();
		fake_sink_release(&sink, -1);
		assert_int_equal(join_waiter(&waiter), 0);
		fake_sink_finish(&sink, queue);
	}
}

static void
two_waiters_get_two_buffers(void **state)
{
	for (int polls = 0; polls < 2; polls++) {
		struct fake_sink sink;
		struct waiter waiters[2];
		uint32_t slot;
		struct kr_queue *queue = make_busy_queue(&sink, polls, &slot);

		start_waiter(&waiters[0], queue);
		start_waiter(&waiters[1], queue);
		settle();
		if (polls)
			assert_int_equal(write(sink.wake[1], "r", 1), 1);
		else
			fake_sink_release(&sink, -1);
		settle();
		/* One has it; the other must still be served by whoever polls now. */
		if (polls)
			assert_int_equal(write(sink.wake[1], "r", 1), 1);
		else
			fake_sink_release(&sink, -1);
		assert_int_equal(join_waiter(&waiters[0]), 0);
		assert_int_equal(join_waiter(&waiters[1]), 0);
		fake_sink_finish(&sink, queue);
	}
}

static void
a_poller_that_gives_up_is_succeeded(void **state)
{
	struct waiter poller = {.timeout_ns = 100 * KR_NSEC_PER_MSEC}, other;
	struct fake_sink sink;
	uint32_t slot;
	struct kr_queue *queue = make_busy_queue(&sink, true, &slot);

	poller.queue = queue;
	assert_int_equal(pthread_create(&poller.thread, NULL, wait_for_buffer, &poller), 0);
	settle();
	start_waiter(&other, queue);
	assert_int_equal(join_waiter(&poller), -ETIMEDOUT);
	/* Only who polls the pipe can see this. */
	assert_int_equal(write(sink.wake[1], "r", 1), 1);
	assert_int_equal(join_waiter(&other), 0);
	fake_sink_finish(&sink, queue);
}

static sem_t allocating;

/*
 * Inside the allocation from before the disconnect, which resets what async asks for,
 * until after that.
 */
static void
linger(struct fake_sink *sink)
{
	int64_t latest = kr_clock_now() + LONG;

	sem_post(&allocating);
	while (kr_queue_min_undequeued(sink->queue) == 2 && kr_clock_now() < latest)
		poll(NULL, 0, 1);
}

/* B-47 */
static void
a_disconnect_during_an_allocation_wins(void **state)
{
	struct waiter waiter;
	struct fake_sink sink;
	struct kr_queue *queue;

	assert_int_equal(sem_init(&allocating, 0, 0), 0);
	fake_sink_init(&sink, false);
	sink.adding = linger;
	queue = help_queue(&sink.base);
	assert_int_equal(kr_queue_set_async(queue, true), 0);
	assert_int_equal(kr_queue_min_undequeued(queue), 2);
	start_waiter(&waiter, queue);
	assert_int_equal(sem_wait(&allocating), 0);
	assert_int_equal(kr_queue_disconnect(queue, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(join_waiter(&waiter), -ENODEV);
	sink.adding = NULL;
	assert_int_equal(kr_queue_connect(queue, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(help_frame(queue), 0); /* the slot isn't lost */
	assert_int_equal(help_frame(queue), 1);
	assert_int_equal(sink.removed, 1);
	fake_sink_finish(&sink, queue);
}

struct attacher {
	pthread_t thread;
	struct kr_queue *queue;
	struct kr_buffer *buffer;
	uint32_t slot;
	int err;
};

static void *
attach_main(void *data)
{
	struct attacher *attacher = data;

	attacher->err = kr_queue_attach(
		attacher->queue, attacher->buffer, kr_clock_now() + LONG, &attacher->slot);
	return NULL;
}

static void
start_attacher(struct attacher *attacher, struct kr_queue *queue, struct kr_buffer *buffer)
{
	*attacher = (struct attacher){.queue = queue, .buffer = buffer};
	assert_int_equal(pthread_create(&attacher->thread, NULL, attach_main, attacher), 0);
}

static sem_t done;

static void
wait_inside(struct fake_sink *sink)
{
	sink->adding = NULL;
	sem_post(&allocating);
	assert_int_equal(sem_wait(&done), 0);
}

/* A queue of three: buffers 0 and 1 are free. The first to be added next waits for `done`. */
static struct kr_queue *
make_lingering_queue(struct fake_sink *sink, struct kr_buffer *buffers[3])
{
	struct kr_queue *queue;

	assert_int_equal(sem_init(&allocating, 0, 0), 0);
	assert_int_equal(sem_init(&done, 0, 0), 0);
	fake_sink_init(sink, false);
	queue = help_queue(&sink->base);
	assert_int_equal(kr_queue_set_buffer_count(queue, 3), 0);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(help_dequeue(queue), i);
		assert_int_equal(kr_queue_request_buffer(queue, i, &buffers[i]), 0);
	}
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(kr_queue_cancel(queue, i, -1), 0);
	sink->adding = wait_inside;
	return queue;
}

/* The one that comes second finds it there. */
static void
a_buffer_that_two_attach_is_in_one_slot(void **state)
{
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, 3};
	struct kr_buffer *own[3], *buffer;
	struct attacher first, second;
	struct fake_sink sink;
	struct kr_queue *queue = make_lingering_queue(&sink, own);

	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	start_attacher(&first, queue, buffer);
	assert_int_equal(sem_wait(&allocating), 0);
	start_attacher(&second, queue, buffer);
	settle();
	sem_post(&done);
	assert_int_equal(pthread_join(first.thread, NULL), 0);
	assert_int_equal(pthread_join(second.thread, NULL), 0);
	assert_int_equal(first.err, 0);
	assert_int_equal(second.err, -EINVAL);
	assert_int_equal(kr_queue_cancel(queue, first.slot, -1), 0);
	kr_buffer_unref(buffer);
	fake_sink_finish(&sink, queue);
}

/* Who gave a buffer back can't have it queued, nor given back, while another takes its place. */
static void
a_buffer_that_is_replaced_is_nobodys(void **state)
{
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, 3};
	struct kr_buffer *own[3], *buffers[2];
	struct attacher attachers[2];
	struct fake_sink sink;
	struct kr_queue *queue = make_lingering_queue(&sink, own);
	uint32_t slot;

	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(kr_buffer_allocate(&desc, &buffers[i]), 0);
	start_attacher(&attachers[0], queue, buffers[0]);
	assert_int_equal(sem_wait(&allocating), 0);
	start_attacher(&attachers[1], queue, buffers[1]);
	settle();
	assert_int_equal(kr_queue_slot_of(queue, own[1], &slot), -EINVAL);
	assert_int_equal(kr_queue_cancel(queue, 1, -1), -EINVAL);
	sem_post(&done);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(attachers[i].thread, NULL), 0);
		assert_int_equal(attachers[i].err, 0);
		assert_int_equal(attachers[i].slot, i);
		assert_int_equal(kr_queue_cancel(queue, i, -1), 0);
		kr_buffer_unref(buffers[i]);
	}
	fake_sink_finish(&sink, queue);
}

static void *
detach_next(void *data)
{
	struct waiter *waiter = data;
	struct kr_buffer *buffer;
	int fence = -1;

	waiter->err = kr_queue_detach_next(waiter->queue, &buffer, &fence);
	if (!waiter->err) {
		kr_buffer_unref(buffer);
		kr_fd_close(&fence);
	}
	return NULL;
}

static void *
cancel_first(void *data)
{
	struct waiter *waiter = data;

	waiter->err = kr_queue_cancel(waiter->queue, 0, -1);
	return NULL;
}

/*
 * While a cancel waits to be told, another thread may take the buffer away, which is told first:
 * who hears of a slot that it knows no buffer of ends the connection.
 */
static void
nobody_hears_of_a_buffer_that_is_gone(void **state)
{
	assert_int_equal(sem_init(&allocating, 0, 0), 0);
	assert_int_equal(sem_init(&done, 0, 0), 0);
	for (int i = 0; i < 40; i++) {
		struct waiter waiters[3];
		struct fake_sink sink;
		struct kr_queue *queue = fake_sink_queue(&sink, false);

		assert_int_equal(kr_queue_set_max_dequeued(queue, 3), 0);
		kr_queue_set_activity(queue, true);
		assert_int_equal(help_dequeue(queue), 0);
		sink.adding = wait_inside;
		start_waiter(&waiters[0], queue);
		assert_int_equal(sem_wait(&allocating), 0);
		/* Both wait until that one is out of the sink, and either may be first. */
		waiters[1].queue = waiters[2].queue = queue;
		assert_int_equal(
			pthread_create(&waiters[1].thread, NULL, detach_next, &waiters[1]), 0);
		poll(NULL, 0, 2);
		assert_int_equal(
			pthread_create(&waiters[2].thread, NULL, cancel_first, &waiters[2]), 0);
		poll(NULL, 0, 2);
		sem_post(&done);
		assert_int_equal(join_waiter(&waiters[0]), 0);
		for (int j = 1; j < 3; j++)
			assert_int_equal(pthread_join(waiters[j].thread, NULL), 0);
		assert_int_equal(waiters[2].err, 0);
		assert_int_equal(sink.astray, 0);
		fake_sink_finish(&sink, queue);
	}
}

/* B-79 */
static void
abandoning_wakes_everybody(void **state)
{
	for (int polls = 0; polls < 2; polls++) {
		struct fake_sink sink;
		struct waiter waiters[3];
		uint32_t slot;
		struct kr_queue *queue = make_busy_queue(&sink, polls, &slot);

		for (int i = 0; i < 3; i++)
			start_waiter(&waiters[i], queue);
		settle();
		kr_queue_abandon(queue);
		for (int i = 0; i < 3; i++)
			assert_int_equal(join_waiter(&waiters[i]), -ENODEV);
		fake_sink_finish(&sink, queue);
	}
}

static void
disconnecting_wakes_everybody(void **state)
{
	for (int polls = 0; polls < 2; polls++) {
		struct fake_sink sink;
		struct waiter waiters[2];
		uint32_t slot;
		struct kr_queue *queue = make_busy_queue(&sink, polls, &slot);

		start_waiter(&waiters[0], queue);
		start_waiter(&waiters[1], queue);
		settle();
		assert_int_equal(kr_queue_disconnect(queue, NATIVE_WINDOW_API_EGL), 0);
		assert_int_equal(join_waiter(&waiters[0]), -ENODEV);
		assert_int_equal(join_waiter(&waiters[1]), -ENODEV);
		fake_sink_finish(&sink, queue);
	}
}

#define STRESS_FRAMES 400

struct stress {
	struct kr_queue *queue;
	struct kr_consumer *consumer;
	pthread_mutex_t lock;
	pthread_cond_t frame;
	unsigned available; /* frames that were announced */
	unsigned replaced;
	bool gone;
};

static void
handle_available(void *data)
{
	struct stress *stress = data;

	pthread_mutex_lock(&stress->lock);
	stress->available++;
	pthread_cond_signal(&stress->frame);
	pthread_mutex_unlock(&stress->lock);
}

static void
handle_replaced(void *data, uint64_t number)
{
	struct stress *stress = data;

	pthread_mutex_lock(&stress->lock);
	stress->replaced++;
	pthread_mutex_unlock(&stress->lock);
}

static void
handle_gone(void *data)
{
	struct stress *stress = data;

	pthread_mutex_lock(&stress->lock);
	stress->gone = true;
	pthread_cond_signal(&stress->frame);
	pthread_mutex_unlock(&stress->lock);
}

static void *
produce(void *data)
{
	struct stress *stress = data;

	for (int i = 0; i < STRESS_FRAMES; i++) {
		struct kr_queue_request request = {.deadline_ns = kr_clock_now() + LONG};
		struct kr_buffer *buffer;
		uint32_t slot;
		int fence, err;

		/* Two threads share what one may have dequeued: one of them may be refused. */
		while ((err = kr_queue_dequeue(stress->queue, &request, &slot, &buffer, &fence)) ==
			-ENOSYS)
			sched_yield();
		assert_int_equal(err, 0);
		if (fence >= 0)
			close(fence);
		if (i % 7 == 0)
			assert_int_equal(kr_queue_cancel(stress->queue, slot, -1), 0);
		else
			help_queue_frame(stress->queue, slot);
	}
	return NULL;
}

static void *
consume(void *data)
{
	struct stress *stress = data;
	uint64_t last = 0;

	for (;;) {
		struct kr_frame frame;
		int err = kr_consumer_acquire(stress->consumer, &frame);

		if (err == -EAGAIN) {
			pthread_mutex_lock(&stress->lock);
			while (!stress->available && !stress->gone)
				pthread_cond_wait(&stress->frame, &stress->lock);
			stress->available = 0;
			pthread_mutex_unlock(&stress->lock);
			continue;
		}
		if (err)
			return (void *)(intptr_t)err;
		/* Frames come in the order of their numbers, also from two threads. */
		assert_true(frame.number > last);
		last = frame.number;
		err = kr_consumer_release(stress->consumer, &frame, -1);
		/* The producers may have gone by now. */
		if (err)
			return (void *)(intptr_t)err;
	}
}

static void
run_stress(bool async)
{
	static const struct kr_consumer_events events = {
		.frame_available = handle_available,
		.frame_replaced = handle_replaced,
		.disconnected = handle_gone,
	};
	struct stress stress = {
		.lock = PTHREAD_MUTEX_INITIALIZER, .frame = PTHREAD_COND_INITIALIZER};
	pthread_t producers[2], consumer;
	struct kr_sink *sink;
	void *result;

	assert_int_equal(kr_consumer_local_create(&events, &stress, &sink, &stress.consumer), 0);
	stress.queue = help_queue(sink);
	assert_int_equal(kr_queue_set_buffer_count(stress.queue, 3), 0);
	assert_int_equal(kr_queue_set_async(stress.queue, async), 0);
	help_input.presentation.mode = async ? KR_PRESENT_MAILBOX : KR_PRESENT_FIFO;
	assert_int_equal(pthread_create(&consumer, NULL, consume, &stress), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&producers[i], NULL, produce, &stress), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_join(producers[i], NULL), 0);
	kr_queue_unref(stress.queue);
	assert_int_equal(pthread_join(consumer, &result), 0);
	assert_int_equal((intptr_t)result, -EPIPE);
	assert_true(async || stress.replaced == 0);
	kr_consumer_destroy(stress.consumer);
}

static void
two_producers_and_a_consumer_in_fifo(void **state)
{
	run_stress(false);
}

static void
two_producers_and_a_consumer_in_mailbox(void **state)
{
	run_stress(true);
}

static void *
destroy_consumer(void *data)
{
	kr_consumer_destroy(data);
	return NULL;
}

static void
a_consumer_may_go_while_frames_are_queued(void **state)
{
	for (int round = 0; round < 50; round++) {
		struct stress stress = {
			.lock = PTHREAD_MUTEX_INITIALIZER, .frame = PTHREAD_COND_INITIALIZER};
		static const struct kr_consumer_events events = {
			.frame_available = handle_available};
		struct kr_queue_request request = {.deadline_ns = kr_clock_now() + LONG};
		struct kr_consumer *consumer;
		struct kr_buffer *buffer;
		struct kr_sink *sink;
		struct kr_queue *queue;
		pthread_t thread;
		uint32_t slot;
		int fence, err;

		assert_int_equal(kr_consumer_local_create(&events, &stress, &sink, &consumer), 0);
		queue = help_queue(sink);
		assert_int_equal(pthread_create(&thread, NULL, destroy_consumer, consumer), 0);
		do {
			err = kr_queue_dequeue(queue, &request, &slot, &buffer, &fence);
			if (!err)
				err = kr_queue_queue(queue, slot, &help_input, -1, NULL);
		} while (!err);
		assert_int_equal(err, -ENODEV);
		assert_int_equal(pthread_join(thread, NULL), 0);
		kr_queue_unref(queue);
	}
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(a_cancel_wakes_a_waiter, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(a_release_from_another_thread_wakes_a_waiter, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(two_waiters_get_two_buffers, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(a_poller_that_gives_up_is_succeeded, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(a_disconnect_during_an_allocation_wins, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(a_buffer_that_two_attach_is_in_one_slot, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(a_buffer_that_is_replaced_is_nobodys, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(nobody_hears_of_a_buffer_that_is_gone, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(abandoning_wakes_everybody, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(disconnecting_wakes_everybody, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(two_producers_and_a_consumer_in_fifo, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(two_producers_and_a_consumer_in_mailbox, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(a_consumer_may_go_while_frames_are_queued, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
