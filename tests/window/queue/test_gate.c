/* SPDX-License-Identifier: Apache-2.0 */
/* Sinks that can't wait for fences: nobody waits in queueBuffer, and frames keep their order. */
#include "help.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/macros.h"
#include "util/mutex.h"
#include "window/queue/gate.h"

#define FRAMES 8
#define SOON   (10 * KR_NSEC_PER_SEC)

/* Notes the frames it gets, and whether two calls met in it. */
struct shower {
	struct kr_sink base;
	struct kr_queue *queue;
	struct kr_mutex lock;
	struct kr_cond came;
	uint64_t shown[FRAMES * 8] KR_GUARDED_BY(lock);
	uint32_t count KR_GUARDED_BY(lock);
	uint32_t fences KR_GUARDED_BY(lock); /* frames that came with one */
	bool inside KR_GUARDED_BY(lock);
	bool met KR_GUARDED_BY(lock);
	bool destroyed KR_GUARDED_BY(lock);
	bool keeps; /* frames don't come back by themselves */
	int submit_err;
};

static struct shower shower;

static void
attach(struct kr_sink *sink, struct kr_queue *queue)
{
	shower.queue = queue;
}

static void
enter(void)
{
	kr_mutex_lock(&shower.lock);
	shower.met |= shower.inside;
	shower.inside = true;
	kr_mutex_unlock(&shower.lock);
}

static void
leave(void)
{
	kr_mutex_lock(&shower.lock);
	shower.inside = false;
	kr_cond_broadcast(&shower.came);
	kr_mutex_unlock(&shower.lock);
}

static int
submit(struct kr_sink *sink, const struct kr_frame *frame)
{
	enter();
	kr_mutex_lock(&shower.lock);
	shower.shown[shower.count++] = frame->number;
	shower.fences += frame->acquire_fence >= 0;
	kr_mutex_unlock(&shower.lock);
	if (!shower.submit_err && !shower.keeps)
		(void)kr_queue_release(shower.queue, frame->slot, frame->number, -1);
	leave();
	return shower.submit_err;
}

static void
destroy(struct kr_sink *sink)
{
	enter();
	shower.destroyed = true;
	leave();
}

static const struct kr_sink_impl shower_impl = {
	.name = "shower",
	.attach = attach,
	.submit = submit,
	.ready_frames = true,
	.destroy = destroy,
};

static struct kr_queue *
open_queue(void)
{
	struct kr_queue *queue;

	memset(&shower, 0, sizeof(shower));
	shower.base.impl = &shower_impl;
	kr_mutex_init(&shower.lock);
	kr_cond_init(&shower.came);
	queue = help_queue(&shower.base);
	assert_int_equal(kr_queue_set_buffer_count(queue, FRAMES + 1), 0);
	return queue;
}

static void
close_queue(struct kr_queue *take_queue)
{
	kr_queue_unref(take_queue);
	kr_mutex_lock(&shower.lock);
	assert_true(shower.destroyed);
	assert_false(shower.met);
	assert_int_equal(shower.fences, 0);
	kr_mutex_unlock(&shower.lock);
	kr_cond_finish(&shower.came);
	kr_mutex_finish(&shower.lock);
}

static void
wait_shown(uint32_t count)
{
	int64_t deadline = kr_deadline_in(SOON);

	kr_mutex_lock(&shower.lock);
	while (shower.count < count)
		assert_int_equal(kr_cond_wait_until(&shower.came, &shower.lock, deadline), 0);
	kr_mutex_unlock(&shower.lock);
}

static uint32_t
shown(void)
{
	uint32_t count;

	kr_mutex_lock(&shower.lock);
	count = shower.count;
	kr_mutex_unlock(&shower.lock);
	return count;
}

static int
queue_with(struct kr_queue *queue, int fence)
{
	const struct kr_queue_request request = {.deadline_ns = kr_deadline_in(SOON)};
	struct kr_buffer *buffer;
	uint32_t slot;
	int release;

	assert_int_equal(kr_queue_dequeue(queue, &request, &slot, &buffer, &release), 0);
	kr_fd_close(&release);
	return kr_queue_queue(queue, slot, &help_input, fence, NULL);
}

/* Queues a frame whose fence is pending; what signals it. */
static int
queue_pending(struct kr_queue *queue)
{
	int producer, fence;

	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	assert_int_equal(queue_with(queue, fence), 0);
	return producer;
}

/* Fences that are done already, and none, need no thread: they are shown within the call. */
static void
ready_frames_go_straight_through(void **state)
{
	struct kr_queue *queue = open_queue();
	int fence;

	for (uint32_t i = 0; i < FRAMES; i += 2) {
		assert_int_equal(queue_with(queue, -1), 0);
		assert_int_equal(shown(), i + 1);
		assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
		assert_int_equal(queue_with(queue, fence), 0);
		assert_int_equal(shown(), i + 2);
	}
	close_queue(queue);
}

/* queueBuffer returns; what is ready keeps behind what came before and isn't. */
static void
order_is_kept(void **state)
{
	struct kr_queue *queue = open_queue();
	int producers[FRAMES];

	for (uint32_t i = 0; i < FRAMES; i++) {
		producers[i] = i % 3 == 2 ? -1 : queue_pending(queue);
		if (producers[i] < 0)
			assert_int_equal(queue_with(queue, -1), 0);
	}
	assert_int_equal(shown(), 0);
	for (uint32_t i = FRAMES; i-- > 1;) {
		if (producers[i] >= 0)
			kr_fence_signal(producers[i], 1);
	}
	assert_int_equal(shown(), 0);
	kr_fence_signal(producers[0], 1);
	wait_shown(FRAMES);
	kr_mutex_lock(&shower.lock);
	for (uint32_t i = 0; i < FRAMES; i++)
		assert_int_equal(shower.shown[i], i + 1);
	kr_mutex_unlock(&shower.lock);
	close_queue(queue);
}

/* Nobody sees a picture that wasn't drawn, and its buffer comes back; the next ones are shown. */
static void
failed_frames_are_not_shown(void **state)
{
	struct kr_queue *queue = open_queue();
	int fence, first, second;

	assert_int_equal(kr_fence_create_done(NULL, -EIO, &fence), 0);
	assert_int_equal(queue_with(queue, fence), 0);
	first = queue_pending(queue);
	second = queue_pending(queue);
	kr_fence_signal(second, 1);
	kr_fence_signal(first, -EIO);
	wait_shown(1);
	kr_mutex_lock(&shower.lock);
	assert_int_equal(shower.shown[0], 3);
	kr_mutex_unlock(&shower.lock);
	/* All are free: as many as the queue gives to one who keeps them. */
	for (uint32_t i = 0; i < 2 * FRAMES; i++)
		assert_int_equal(queue_with(queue, -1), 0);
	close_queue(queue);
}

/* Who waits for one that will never be shown hears when all before it are. */
static void
failed_frames_are_waited_for_by_nobody(void **state)
{
	struct kr_queue *queue;
	int producers[2];

	help_config.abilities = (struct kr_abilities){.modes = 1, .tells_shown = true};
	queue = open_queue();
	assert_int_equal(queue_with(queue, -1), 0);
	for (int i = 0; i < 2; i++)
		producers[i] = queue_pending(queue);
	kr_fence_signal(producers[1], -EIO);
	kr_fence_signal(producers[0], -EIO);
	assert_int_equal(kr_queue_wait_shown(queue, 3, kr_deadline_in(50000000)), -ETIMEDOUT);
	kr_queue_shown(queue, 1, 9);
	assert_int_equal(kr_queue_wait_shown(queue, 3, kr_deadline_in(SOON)), 0);
	producers[0] = queue_pending(queue);
	kr_fence_signal(producers[0], -EIO);
	assert_int_equal(kr_queue_wait_shown(queue, 4, kr_deadline_in(SOON)), 0);
	assert_int_equal(queue_with(queue, -1), 0);
	assert_int_equal(kr_queue_wait_shown(queue, 5, kr_clock_now()), -ETIMEDOUT);
	kr_queue_shown(queue, 5, 10);
	assert_int_equal(kr_queue_last_shown(queue), 5);
	close_queue(queue);
}

/* Of a shared buffer one frame is waited for, and one waits behind it, however many come. */
static void
a_shared_buffer_waits_once(void **state)
{
	struct kr_queue *queue;
	int producers[200], before;

	help_config.abilities.modes = KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT);
	queue = open_queue();
	shower.keeps = true;
	assert_int_equal(kr_queue_set_shared(queue, true), 0);
	producers[0] = queue_pending(queue);
	producers[1] = queue_pending(queue);
	before = kr_test_count_fds();
	for (size_t i = 2; i < KR_ARRAY_LEN(producers); i++) {
		producers[i] = queue_pending(queue);
		/* Its producer's end alone. */
		assert_int_equal(kr_test_count_fds(), before + (int)i - 1);
	}
	assert_int_equal(shown(), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(producers); i++)
		kr_fence_signal(producers[i], 1);
	wait_shown(2);
	kr_mutex_lock(&shower.lock);
	assert_int_equal(shower.shown[0], 1);
	assert_int_equal(shower.shown[1], 200);
	kr_mutex_unlock(&shower.lock);
	/* One that isn't drawn leaves what is shown. */
	producers[0] = queue_pending(queue);
	kr_fence_signal(producers[0], -EIO);
	assert_int_equal(queue_with(queue, -1), 0);
	wait_shown(3);
	kr_mutex_lock(&shower.lock);
	assert_int_equal(shower.shown[2], 202);
	kr_mutex_unlock(&shower.lock);
	assert_int_equal(kr_queue_release(queue, 0, 202, -1), 0);
	close_queue(queue);
}

/* A producer that starves is woken by what the thread gives back. */
static void
a_waiting_producer_gets_its_buffer(void **state)
{
	struct kr_queue *queue = open_queue();
	int producer;

	assert_int_equal(kr_queue_set_buffer_count(queue, 3), 0);
	for (uint32_t i = 0; i < 4 * FRAMES; i++) {
		producer = queue_pending(queue);
		kr_fence_signal(producer, 1);
	}
	wait_shown(4 * FRAMES);
	close_queue(queue);
}

/* The far end refuses a frame: nobody is there to hear it, and the slot is free. */
static void
what_the_sink_refuses_comes_back(void **state)
{
	struct kr_queue *queue = open_queue();

	shower.submit_err = -EIO;
	for (uint32_t i = 0; i < 3 * FRAMES; i++)
		kr_fence_signal(queue_pending(queue), 1);
	wait_shown(3 * FRAMES);
	close_queue(queue);
}

/* The far end goes while frames wait: whoever queues next is told, and nothing is shown. */
static void
a_lost_end_is_told(void **state)
{
	struct kr_queue *queue = open_queue();
	int producer;

	shower.submit_err = -EPIPE;
	producer = queue_pending(queue);
	kr_fence_signal(producer, 1);
	wait_shown(1);
	while (kr_queue_alive(queue))
		poll(NULL, 0, 1);
	assert_int_equal(help_try_dequeue(queue, 0), -ENODEV);
	close_queue(queue);
}

/* As soon as it is known: a fence that doesn't signal keeps nobody then. */
static void
a_lost_end_ends_the_wait(void **state)
{
	struct kr_queue *queue = open_queue();
	int producer = queue_pending(queue), other = queue_pending(queue);

	kr_queue_abandon(queue);
	close_queue(queue);
	assert_int_equal(shower.count, 0);
	kr_fence_signal(producer, 1);
	kr_fence_signal(other, 1);
}

static void *
signal_later(void *data)
{
	poll(NULL, 0, 20);
	kr_fence_signal(*(int *)data, 1);
	return NULL;
}

/* What a program has presented is seen, though it closes its window at once. */
static void
the_end_waits_for_the_last_frame(void **state)
{
	struct kr_queue *queue = open_queue();
	int producer = queue_pending(queue);
	pthread_t thread;

	assert_int_equal(kr_queue_disconnect(queue, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(pthread_create(&thread, NULL, signal_later, &producer), 0);
	close_queue(queue);
	assert_int_equal(shower.count, 1);
	pthread_join(thread, NULL);
}

/* DESIGN rule 7: a fence that never signals costs its frame; the buffer has that fence yet. */
static void
a_late_frame_comes_back_with_its_fence(void **state)
{
	const struct kr_queue_request request = {.deadline_ns = 0};
	struct kr_queue *queue = open_queue();
	struct kr_buffer *buffer;
	int producer, fence;
	uint32_t slot;

	assert_int_equal(kr_queue_set_buffer_count(queue, 3), 0);
	producer = queue_pending(queue);
	assert_int_equal(queue_with(queue, -1), 0);
	wait_shown(1);
	/* The other one, which is ready, comes first. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(kr_queue_dequeue(queue, &request, &slot, &buffer, &fence), 0);
		if (fence >= 0)
			break;
	}
	assert_int_equal(kr_fence_status(fence), KR_FENCE_ACTIVE);
	kr_fence_signal(producer, 1);
	assert_int_equal(kr_fence_status(fence), KR_FENCE_SIGNALLED);
	close(fence);
	close_queue(queue);
}

/* A child has no such thread: it can leave what it got from its parent all the same. */
static void
a_forked_child_ends(void **state)
{
	struct kr_queue *queue = open_queue();
	int producer = queue_pending(queue), status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		kr_queue_unref(queue);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	kr_fence_signal(producer, 1);
	wait_shown(1);
	close_queue(queue);
}

/* A sink that can tell when a frame was shown knows no fences: when it was ready the gate tells. */
static void
the_gate_tells_when_a_frame_was_ready(void **state)
{
	struct kr_frame_times times;
	struct kr_queue_config config;
	struct kr_queue *queue;
	int64_t before;
	int producer;

	help_config.abilities.modes = KR_ABILITY(KR_PRESENT_FIFO);
	help_config.abilities.tells_shown = true;
	help_input.presentation.tell_events = true;
	queue = open_queue();
	kr_queue_get_config(queue, &config);
	assert_int_equal(config.timing.events,
		1 << KR_EVENT_READY | 1 << KR_EVENT_LATCH | 1 << KR_EVENT_SHOWN);
	producer = queue_pending(queue);
	assert_int_equal(kr_queue_frame_times(queue, 1, &times), 0);
	assert_int_equal(times.time_ns[KR_EVENT_READY], KR_TIME_PENDING);
	before = kr_clock_now();
	kr_fence_signal(producer, 1);
	wait_shown(1);
	assert_int_equal(kr_queue_frame_times(queue, 1, &times), 0);
	assert_true(times.time_ns[KR_EVENT_READY] >= before);
	assert_true(times.time_ns[KR_EVENT_LATCH] >= times.time_ns[KR_EVENT_READY]);
	assert_int_equal(times.time_ns[KR_EVENT_SHOWN], KR_TIME_PENDING);
	kr_queue_shown(queue, 1, INT64_MAX);
	/* Without a fence it was ready when it was queued. */
	assert_int_equal(queue_with(queue, -1), 0);
	assert_int_equal(kr_queue_frame_times(queue, 2, &times), 0);
	assert_int_equal(times.time_ns[KR_EVENT_READY], times.queued_ns);
	close_queue(queue);
}

static const struct kr_test tests[] = {
	KR_TEST(the_gate_tells_when_a_frame_was_ready),
	KR_TEST(ready_frames_go_straight_through),
	KR_TEST(order_is_kept),
	KR_TEST(a_shared_buffer_waits_once),
	KR_TEST(failed_frames_are_waited_for_by_nobody),
	KR_TEST(failed_frames_are_not_shown),
	KR_TEST(a_waiting_producer_gets_its_buffer),
	KR_TEST(what_the_sink_refuses_comes_back),
	KR_TEST(a_lost_end_is_told),
	KR_TEST(a_lost_end_ends_the_wait),
	KR_TEST(the_end_waits_for_the_last_frame),
	KR_TEST(a_late_frame_comes_back_with_its_fence),
	KR_TEST(a_forked_child_ends),
};

KR_TEST_MAIN(tests)
