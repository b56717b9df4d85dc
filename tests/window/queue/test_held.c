/* SPDX-License-Identifier: Apache-2.0 */
/* Frames for a time that their far end doesn't honour: the queue holds them back. */
#include "help.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/mutex.h"

#define FRAMES 64
#define MS     KR_NSEC_PER_MSEC
#define SOON   (10 * KR_NSEC_PER_SEC)

/* Notes what it gets, and when; gives it back at once with its own fence. */
static struct {
	struct kr_sink base;
	struct kr_queue *queue;
	struct kr_mutex lock;
	struct kr_cond came;
	uint32_t count KR_GUARDED_BY(lock);
	struct kr_frame frames[FRAMES] KR_GUARDED_BY(lock);
	int64_t times[FRAMES] KR_GUARDED_BY(lock);
} shower;

static void
attach(struct kr_sink *sink, struct kr_queue *queue)
{
	shower.queue = queue;
}

static int
submit(struct kr_sink *sink, const struct kr_frame *frame)
{
	int64_t now = kr_clock_now();

	kr_mutex_lock(&shower.lock);
	shower.frames[shower.count] = *frame;
	shower.times[shower.count++] = now;
	kr_cond_broadcast(&shower.came);
	kr_mutex_unlock(&shower.lock);
	(void)kr_queue_release(shower.queue, frame->slot, frame->number, frame->acquire_fence);
	return 0;
}

static void
destroy(struct kr_sink *sink)
{
}

static const struct kr_sink_impl impl = {
	.name = "shower", .attach = attach, .submit = submit, .destroy = destroy};
static const struct kr_sink_impl ready_impl = {.name = "shower",
	.attach = attach,
	.submit = submit,
	.ready_frames = true,
	.destroy = destroy};

static struct kr_queue *
open_with(const struct kr_sink_impl *with)
{
	struct kr_queue *queue;

	memset(&shower, 0, sizeof(shower));
	shower.base.impl = with;
	kr_mutex_init(&shower.lock);
	kr_cond_init(&shower.came);
	help_input.presentation.tell_events = true;
	queue = help_queue(&shower.base);
	assert_int_equal(kr_queue_set_buffer_count(queue, 9), 0);
	return queue;
}

static struct kr_queue *
open_queue(void)
{
	return open_with(&impl);
}

static void
close_queue(struct kr_queue *take_queue)
{
	kr_queue_unref(take_queue);
	kr_cond_finish(&shower.came);
	kr_mutex_finish(&shower.lock);
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

/* When the sink got its frame of that index, after waiting for it; and which one it was. */
static int64_t
await(uint32_t index, uint64_t number)
{
	int64_t deadline = kr_deadline_in(SOON), time_ns;

	kr_mutex_lock(&shower.lock);
	while (shower.count <= index)
		assert_int_equal(kr_cond_wait_until(&shower.came, &shower.lock, deadline), 0);
	assert_int_equal(shower.frames[index].number, number);
	time_ns = shower.times[index];
	kr_mutex_unlock(&shower.lock);
	return time_ns;
}

static uint32_t
queue_fenced(struct kr_queue *queue, enum kr_frame_target_kind kind, int64_t time_ns, int fence)
{
	struct kr_queue_input input = help_input;
	uint32_t slot = help_dequeue(queue);

	input.target = (struct kr_frame_target){.kind = kind, .time_ns = time_ns};
	assert_int_equal(kr_queue_queue(queue, slot, &input, fence, NULL), 0);
	return slot;
}

static void
queue_for(struct kr_queue *queue, enum kr_frame_target_kind kind, int64_t time_ns)
{
	(void)queue_fenced(queue, kind, time_ns, -1);
}

static void
no_frame_is_shown_before_its_time(void **state)
{
	static const enum kr_frame_target_kind kinds[] = {KR_TARGET_TIMESTAMP, KR_TARGET_ABSOLUTE};
	struct kr_queue *queue = open_queue();

	for (uint32_t i = 0; i < 6; i++) {
		int64_t time_ns = kr_deadline_in(10 * MS);

		queue_for(queue, kinds[i % 2], time_ns);
		assert_true(await(i, i + 1) >= time_ns);
		/* One that is due needs no thread. */
		queue_for(queue, kinds[i % 2], i % 3 ? time_ns : 0);
		assert_int_equal(shown(), ++i + 1);
	}
	close_queue(queue);
}

static void
who_honours_a_time_gets_the_frame_at_once(void **state)
{
	struct kr_queue *queue;

	help_config.timing.targets = 1 << KR_TARGET_ABSOLUTE;
	queue = open_queue();
	queue_for(queue, KR_TARGET_ABSOLUTE, kr_deadline_in(3600 * KR_NSEC_PER_SEC));
	assert_int_equal(shown(), 1);
	assert_int_equal(shower.frames[0].target.kind, KR_TARGET_ABSOLUTE);
	close_queue(queue);
	/* Of a virtual clock nobody here knows the time. */
	help_config.timing = (struct kr_timing){.virtual_clock = true};
	queue = open_queue();
	queue_for(queue, KR_TARGET_ABSOLUTE, kr_deadline_in(3600 * KR_NSEC_PER_SEC));
	assert_int_equal(shown(), 1);
	close_queue(queue);
}

/* Android: more than a second ahead is nonsense. Vulkan's times may be as far as they like. */
static void
nonsense_is_not_waited_for(void **state)
{
	struct kr_queue *queue = open_queue();

	queue_for(queue, KR_TARGET_TIMESTAMP, kr_deadline_in(1100 * MS));
	assert_int_equal(shown(), 1);
	queue_for(queue, KR_TARGET_TIMESTAMP, INT64_MAX);
	assert_int_equal(shown(), 2);
	queue_for(queue, KR_TARGET_RELATIVE, 0);
	assert_int_equal(shown(), 3);
	queue_for(queue, KR_TARGET_ABSOLUTE, kr_deadline_in(1100 * MS));
	poll(NULL, 0, 20);
	assert_int_equal(shown(), 3);
	close_queue(queue);
}

/* It goes out as early as it can: a latch takes a while, and half a refresh before will do. */
static void
the_nearest_refresh_will_do(void **state)
{
	struct kr_queue_input input = help_input;
	int64_t time_ns = kr_deadline_in(5000 * MS);
	struct kr_queue *queue;

	help_config.refresh_ns = 8000 * MS;
	help_config.timing.latency_ns = 2000 * MS;
	queue = open_queue();
	input.target = (struct kr_frame_target){KR_TARGET_ABSOLUTE, true, time_ns};
	assert_int_equal(kr_queue_queue(queue, help_dequeue(queue), &input, -1, NULL), 0);
	assert_int_equal(shown(), 1);
	queue_for(queue, KR_TARGET_ABSOLUTE, kr_deadline_in(2030 * MS));
	assert_int_equal(shown(), 1);
	assert_true(await(1, 2) < time_ns);
	close_queue(queue);
}

static void
relative_times_count_from_the_frame_before(void **state)
{
	struct kr_queue *queue = open_queue();
	int64_t before;

	/* The first has none before it. */
	queue_for(queue, KR_TARGET_RELATIVE, 3600 * KR_NSEC_PER_SEC);
	before = await(0, 1);
	for (uint32_t i = 1; i < 4; i++) {
		int64_t time_ns;

		queue_for(queue, KR_TARGET_RELATIVE, 10 * MS);
		time_ns = await(i, i + 1);
		/* The queue notes a frame before it hands it over. */
		assert_true(time_ns - before >= 9 * MS);
		before = time_ns;
	}
	close_queue(queue);
}

/* Where it is told when a frame was shown, that counts, and nothing goes before it is known. */
static void
relative_times_count_from_when_it_was_shown(void **state)
{
	struct kr_frame_events events = {.number = 1, .known = 1 << KR_EVENT_SHOWN};
	struct kr_queue *queue;
	int64_t now;

	help_config.timing.events = 1 << KR_EVENT_SHOWN;
	queue = open_queue();
	queue_for(queue, KR_TARGET_NONE, 0);
	queue_for(queue, KR_TARGET_RELATIVE, 10 * MS);
	poll(NULL, 0, 50);
	assert_int_equal(shown(), 1);
	now = kr_clock_now();
	events.time_ns[KR_EVENT_SHOWN] = now;
	kr_queue_events(queue, &events);
	assert_true(await(1, 2) >= now + 10 * MS);
	/* A display that says tomorrow keeps nobody until then. */
	events.number = 2;
	events.time_ns[KR_EVENT_SHOWN] = kr_deadline_in(3600 * KR_NSEC_PER_SEC);
	kr_queue_events(queue, &events);
	queue_for(queue, KR_TARGET_RELATIVE, 10 * MS);
	(void)await(2, 3);
	/* Nor does one that says nothing. */
	queue_for(queue, KR_TARGET_RELATIVE, 0);
	(void)await(3, 4);
	close_queue(queue);
}

/*
 * B-73: two are due: the later one is shown, and the other's buffer comes back with its own fence.
 */
static void
what_a_later_frame_overtakes_is_left_out(void **state)
{
	const struct kr_queue_request request = {.deadline_ns = 0};
	int64_t first = kr_deadline_in(600 * MS), second = kr_deadline_in(30 * MS);
	struct kr_queue *queue;
	struct kr_frame_times times;
	struct kr_buffer *buffer;
	int producer, fence;
	uint32_t slot, found;

	help_config.timing.events = 1 << KR_EVENT_SHOWN;
	queue = open_queue();
	assert_int_equal(kr_queue_set_buffer_count(queue, 3), 0);
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	slot = queue_fenced(queue, KR_TARGET_TIMESTAMP, first, fence);
	queue_for(queue, KR_TARGET_TIMESTAMP, second);
	assert_true(await(0, 2) >= second);
	assert_true(kr_clock_now() < first);
	assert_int_equal(kr_queue_frame_times(queue, 1, &times), 0);
	assert_int_equal(times.time_ns[KR_EVENT_SHOWN], KR_TIME_INVALID);
	assert_true(times.complete);
	assert_int_equal(times.requested_ns, first);
	assert_int_equal(kr_queue_last_shown(queue), 2);
	do
		assert_int_equal(kr_queue_dequeue(queue, &request, &found, &buffer, &fence), 0);
	while (found != slot);
	assert_int_equal(kr_fence_status(fence), KR_FENCE_ACTIVE);
	kr_fd_close(&fence);
	kr_fence_signal(producer, 1);
	close_queue(queue);
}

/* Others are never left out, and one without a time overtakes nobody. */
static void
other_frames_keep_their_order(void **state)
{
	int64_t time_ns = kr_deadline_in(30 * MS);
	struct kr_queue *queue = open_queue();

	queue_for(queue, KR_TARGET_TIMESTAMP, time_ns);
	queue_for(queue, KR_TARGET_NONE, 0);
	queue_for(queue, KR_TARGET_ABSOLUTE, time_ns);
	queue_for(queue, KR_TARGET_ABSOLUTE, time_ns - 5 * MS);
	queue_for(queue, KR_TARGET_NONE, 0);
	assert_int_equal(shown(), 0);
	for (uint32_t i = 0; i < 5; i++)
		assert_true(await(i, i + 1) >= time_ns);
	close_queue(queue);
}

/* A far end that waits for fences itself gets them at the frame's time, signalled or not. */
static void
fences_go_along(void **state)
{
	struct kr_queue *queue = open_queue();
	int producer, fence, held;

	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	held = fence;
	(void)queue_fenced(queue, KR_TARGET_ABSOLUTE, kr_deadline_in(20 * MS), fence);
	(void)await(0, 1);
	assert_int_equal(shower.frames[0].acquire_fence, held);
	kr_fence_signal(producer, 1);
	close_queue(queue);
	/* One that can't gets the frame when both have come. */
	queue = open_with(&ready_impl);
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	(void)queue_fenced(queue, KR_TARGET_ABSOLUTE, kr_deadline_in(10 * MS), fence);
	poll(NULL, 0, 40);
	assert_int_equal(shown(), 0);
	kr_fence_signal(producer, 1);
	(void)await(0, 1);
	assert_int_equal(shower.frames[0].acquire_fence, -1);
	close_queue(queue);
}

/* What is left of a window that goes isn't waited for, nor shown early. */
static void
the_end_waits_for_no_time(void **state)
{
	struct kr_queue *queue = open_queue();
	int64_t start = kr_clock_now();

	queue_for(queue, KR_TARGET_ABSOLUTE, kr_deadline_in(3600 * KR_NSEC_PER_SEC));
	queue_for(queue, KR_TARGET_ABSOLUTE, kr_deadline_in(3600 * KR_NSEC_PER_SEC));
	assert_int_equal(kr_queue_disconnect(queue, NATIVE_WINDOW_API_EGL), 0);
	close_queue(queue);
	assert_int_equal(shower.count, 0);
	assert_true(kr_clock_now() - start < SOON);
	/* Also one whose time hangs on a frame that is never said to be shown. */
	help_config.timing.events = 1 << KR_EVENT_SHOWN;
	queue = open_queue();
	queue_for(queue, KR_TARGET_NONE, 0);
	queue_for(queue, KR_TARGET_RELATIVE, 3600 * KR_NSEC_PER_SEC);
	poll(NULL, 0, 5);
	close_queue(queue);
	assert_int_equal(shower.count, 1);
	assert_true(kr_clock_now() - start < 2 * SOON);
}

static void
a_lost_end_waits_for_no_time(void **state)
{
	struct kr_frame_times times;
	struct kr_queue *queue;

	help_config.timing.events = 1 << KR_EVENT_SHOWN;
	queue = open_queue();
	queue_for(queue, KR_TARGET_ABSOLUTE, kr_deadline_in(3600 * KR_NSEC_PER_SEC));
	kr_queue_abandon(queue);
	/* Nobody will tell anything any more. */
	assert_int_equal(kr_queue_frame_times(queue, 1, &times), 0);
	assert_true(times.complete);
	assert_int_equal(times.time_ns[KR_EVENT_SHOWN], KR_TIME_INVALID);
	close_queue(queue);
	assert_int_equal(shower.count, 0);
}

static void
a_forked_child_ends(void **state)
{
	struct kr_queue *queue = open_queue();
	int status;
	pid_t child;

	queue_for(queue, KR_TARGET_ABSOLUTE, kr_deadline_in(300 * MS));
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		kr_queue_unref(queue);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	(void)await(0, 1);
	close_queue(queue);
}

static const struct kr_test tests[] = {
	KR_TEST(no_frame_is_shown_before_its_time),
	KR_TEST(who_honours_a_time_gets_the_frame_at_once),
	KR_TEST(nonsense_is_not_waited_for),
	KR_TEST(the_nearest_refresh_will_do),
	KR_TEST(relative_times_count_from_the_frame_before),
	KR_TEST(relative_times_count_from_when_it_was_shown),
	KR_TEST(what_a_later_frame_overtakes_is_left_out),
	KR_TEST(other_frames_keep_their_order),
	KR_TEST(fences_go_along),
	KR_TEST(the_end_waits_for_no_time),
	KR_TEST(a_lost_end_waits_for_no_time),
	KR_TEST(a_forked_child_ends),
};

KR_TEST_MAIN(tests)
