/* SPDX-License-Identifier: Apache-2.0 */
/* Fault injection: fences that are held back, late, for ever or out of order. */
#include "rig.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <krafla/fault.h>
#include <krafla/timeline.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "sync/fault/fault.h"
#include "util/fd.h"

#define LATEST  kr_deadline_in(5 * KR_NSEC_PER_SEC)
#define THREADS 4

static void
expect_signal_between(int fence, int64_t earliest, int status)
{
	assert_int_equal(kr_fence_wait(fence, LATEST), status == 1 ? 0 : status);
	assert_true(kr_clock_now() >= earliest);
	assert_int_equal(kr_fence_status(fence), status);
}

static void
late_in_place_of_signalled(void **state)
{
	struct krafla_fault fault = fault_of(KRAFLA_FAULT_LATE);
	int64_t start = kr_clock_now();
	int fence;

	fault.delay_ns = 60 * KR_NSEC_PER_MSEC;
	fault_set(&fault);
	fence = pass_none();
	assert_true(fence >= 0);
	assert_int_equal(kr_fence_status(fence), 0);
	expect_signal_between(fence, start + 60 * KR_NSEC_PER_MSEC, 1);
	close(fence);
	settle();
}

/* So much later than it would have, and as it would have. */
static void
late_counts_from_its_own_time(void **state)
{
	struct krafla_fault fault = fault_of(KRAFLA_FAULT_LATE);
	static const int statuses[] = {1, -EIO};

	fault.delay_ns = 50 * KR_NSEC_PER_MSEC;
	fault_set(&fault);
	for (int i = 0; i < 2; i++) {
		struct pair pair = make_pair("slow");
		int fence = kr_fault_fence(FAULT_SITE, pair.fence);
		int64_t start;

		pair.fence = -1;
		poll(NULL, 0, 80);
		assert_int_equal(kr_fence_status(fence), 0);
		start = kr_clock_now();
		signal_pair(&pair, statuses[i]);
		expect_signal_between(fence, start + 50 * KR_NSEC_PER_MSEC, statuses[i]);
		close(fence);
	}
	settle();
}

/* The death of its producer comes through as well. */
static void
late_and_dead(void **state)
{
	struct krafla_fault fault = fault_of(KRAFLA_FAULT_LATE);
	struct pair pair = make_pair("dead");
	int fence;

	fault.delay_ns = 1;
	fault_set(&fault);
	fence = kr_fault_fence(FAULT_SITE, pair.fence);
	pair.fence = -1;
	close_pair(&pair);
	assert_int_equal(kr_fence_wait(fence, LATEST), -EOWNERDEAD);
	close(fence);
	settle();
}

static void
late_by_passes(void **state)
{
	struct krafla_fault fault = fault_of(KRAFLA_FAULT_LATE);
	int fence;

	fault.later = 3;
	fault.count = 1;
	fault_set(&fault);
	fence = pass_none();
	for (int i = 0; i < 3; i++) {
		assert_int_equal(kr_fence_status(fence), 0);
		assert_int_equal(pass_none(), -1);
		assert_int_equal(kr_fault_fence(KRAFLA_FAULT_AT_DEQUEUE, -1), -1);
	}
	assert_int_equal(kr_fence_status(fence), 1);
	close(fence);
	settle();
}

/* Enough have passed before it is done itself: then it signals with its own time. */
static void
late_by_passes_and_not_done(void **state)
{
	struct krafla_fault fault = fault_of(KRAFLA_FAULT_LATE);
	struct pair pair = make_pair("slow");
	int fence;

	fault.later = 1;
	fault.count = 1;
	fault_set(&fault);
	fence = kr_fault_fence(FAULT_SITE, pair.fence);
	pair.fence = -1;
	assert_int_equal(pass_none(), -1);
	assert_int_equal(poll_events(fence, 50), 0);
	signal_pair(&pair, 1);
	assert_int_equal(kr_fence_wait(fence, LATEST), 0);
	close(fence);
	settle();
}

static void
never_until_cleared(void **state)
{
	struct pair pair = make_pair("patient"), slow = make_pair("slow");
	int fences[3];

	fault_set_kind(KRAFLA_FAULT_NEVER);
	fences[0] = pass_none();
	fences[1] = kr_fault_fence(FAULT_SITE, pair.fence);
	fences[2] = kr_fault_fence(FAULT_SITE, slow.fence);
	pair.fence = slow.fence = -1;
	signal_pair(&pair, -EIO);
	assert_int_equal(poll_events(fences[0], 100), 0);
	assert_int_equal(kr_fence_status(fences[1]), 0);
	krafla_fault_clear(FAULT_SITE);
	assert_int_equal(kr_fence_status(fences[0]), 1);
	assert_int_equal(kr_fence_status(fences[1]), -EIO);
	assert_int_equal(kr_fence_status(fences[2]), 0);
	signal_pair(&slow, 1);
	assert_int_equal(kr_fence_wait(fences[2], LATEST), 0);
	assert_int_equal(krafla_fault_count(FAULT_SITE), 3);
	for (int i = 0; i < 3; i++)
		close(fences[i]);
	settle();
}

/*
 * Nothing of a fence stays once nobody has it: whoever asks for `never` needs no end
 * of descriptors.
 */
static void
never_costs_nothing_once_dropped(void **state)
{
	int before = kr_test_count_fds();

	fault_set_kind(KRAFLA_FAULT_NEVER);
	for (int i = 0; i < 2000; i++) {
		int fence = pass_none();

		assert_true(fence >= 0);
		close(fence);
		if (i % 100 == 99)
			assert_true(fds_settle(before) || kr_test_count_fds() < before + 8);
	}
	assert_int_equal(krafla_fault_count(FAULT_SITE), 2000);
	settle();
	assert_int_equal(kr_test_count_fds(), before);
}

static void
clearing_ends_delays(void **state)
{
	struct krafla_fault fault = fault_of(KRAFLA_FAULT_LATE);
	int late, passes, swapped;

	fault.delay_ns = 3600 * KR_NSEC_PER_SEC;
	fault_set(&fault);
	late = pass_none();
	krafla_fault_clear(FAULT_SITE);
	assert_int_equal(kr_fence_status(late), 1);
	fault.delay_ns = 0;
	fault.later = 1000;
	fault_set(&fault);
	passes = pass_none();
	fault_set_kind(KRAFLA_FAULT_SWAPPED); /* another fault clears the one before */
	assert_int_equal(kr_fence_status(passes), 1);
	swapped = pass_none();
	krafla_fault_clear(KRAFLA_FAULT_SITES);
	assert_int_equal(kr_fence_status(swapped), 1);
	close(late);
	close(passes);
	close(swapped);
	settle();
}

static void
swapped_pairs(void **state)
{
	struct pair first = make_pair("first"), second = make_pair("second");
	int fence, next;

	fault_set_kind(KRAFLA_FAULT_SWAPPED);
	fence = kr_fault_fence(FAULT_SITE, first.fence);
	next = kr_fault_fence(FAULT_SITE, second.fence);
	assert_int_equal(next, second.fence);
	assert_int_equal(krafla_fault_count(FAULT_SITE), 1);
	first.fence = -1;
	signal_pair(&first, 1);
	assert_int_equal(poll_events(fence, 100), 0);
	signal_pair(&second, 1);
	assert_int_equal(kr_fence_wait(fence, LATEST), 0);
	close(fence);
	/* A pair that is done: the first is so once the second has passed. */
	fence = pass_none();
	assert_int_equal(kr_fence_status(fence), 0);
	assert_int_equal(pass_none(), -1);
	assert_int_equal(kr_fence_status(fence), 1);
	assert_int_equal(krafla_fault_count(FAULT_SITE), 2);
	close(fence);
	close_pair(&second);
	settle();
}

/* The order is what differs, not the end: it waits no longer than its limit. */
static void
swapped_has_a_limit(void **state)
{
	struct krafla_fault fault = fault_of(KRAFLA_FAULT_SWAPPED);
	struct pair second = make_pair("second");
	int64_t start;
	int fence;

	fault.delay_ns = 40 * KR_NSEC_PER_MSEC;
	fault_set(&fault);
	start = kr_clock_now();
	fence = pass_none();
	expect_signal_between(fence, start + 40 * KR_NSEC_PER_MSEC, 1);
	close(fence);
	start = kr_clock_now();
	fence = pass_none();
	assert_int_equal(kr_fault_fence(FAULT_SITE, second.fence), second.fence);
	expect_signal_between(fence, start + 40 * KR_NSEC_PER_MSEC, 1);
	close(fence);
	close_pair(&second);
	settle();
}

/* A kind that needs a fence leaves alone what is none. */
static void
holding_what_is_no_fence(void **state)
{
	fault_set_kind(KRAFLA_FAULT_NEVER);
	assert_int_equal(kr_fault_fence(FAULT_SITE, STDERR_FILENO), STDERR_FILENO);
	assert_int_equal(krafla_fault_count(FAULT_SITE), 0);
}

/*
 * Fences that are held back fail with their process, and a child's copy of it keeps nothing alive.
 */
static void
holding_and_fork(void **state)
{
	struct krafla_fault fault = fault_of(KRAFLA_FAULT_NEVER);
	int channel[2], fence;
	pid_t child;

	assert_int_equal(pipe2(channel, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		fault_set(&fault);
		fence = pass_none();
		child = fork();
		if (child == 0) { /* lives on for a while, with nothing of it */
			int status = kr_fence_status(fence);
			bool dead = status == 0 && kr_fence_wait(fence, LATEST) == -EOWNERDEAD;

			_exit(write(channel[1], dead ? "d" : "?", 1) != 1);
		}
		poll(NULL, 0, 100);
		_exit(0);
	}
	assert_int_equal(wait_for(child), 0);
	{
		char byte = 0;

		assert_int_equal(read(channel[0], &byte, 1), 1);
		assert_int_equal(byte, 'd');
	}
	close(channel[0]);
	close(channel[1]);
}

static void *
hold_many(void *data)
{
	unsigned seed = *(unsigned *)data;

	for (int i = 0; i < 500; i++) {
		int fence = pass_none();

		seed = seed * 1103515245 + 12345;
		if (seed >> 16 & 1)
			(void)kr_fence_wait(fence, kr_deadline_in(seed >> 20));
		kr_fd_close(&fence);
	}
	return NULL;
}

/* Passing, waiting, dropping and clearing from everywhere at once. */
static void
holding_from_threads(void **state)
{
	static const enum krafla_fault_kind kinds[] = {
		KRAFLA_FAULT_LATE, KRAFLA_FAULT_NEVER, KRAFLA_FAULT_SWAPPED};
	unsigned seeds[THREADS];
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < THREADS; i++) {
		seeds[i] = i + 1;
		assert_int_equal(pthread_create(&threads[i], NULL, hold_many, &seeds[i]), 0);
	}
	for (unsigned i = 0; i < 300; i++) {
		struct krafla_fault fault = fault_of(kinds[i % 3]);

		fault.delay_ns = i % 5 * 20000;
		fault.later = i % 7 == 0;
		fault_set(&fault);
		poll(NULL, 0, 1);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	krafla_fault_clear(FAULT_SITE);
	settle();
}

/* --- timelines --- */

static struct krafla_timeline *
open_timeline(enum krafla_fault_kind kind)
{
	struct krafla_fault fault = fault_of(kind);
	struct krafla_timeline *timeline;

	fault.count = 1;
	fault.delay_ns = KR_NSEC_PER_SEC * 5;
	assert_int_equal(krafla_fault_set(KRAFLA_FAULT_AT_TIMELINE, &fault), 0);
	assert_int_equal(krafla_timeline_create("tl", NULL, NULL, &timeline), 0);
	return timeline;
}

/* The first point is told to have failed, though it signals; the second is what it is. */
static void
timeline_with_errors(void **state)
{
	struct krafla_timeline *timeline = open_timeline(KRAFLA_FAULT_ERROR);
	int first, second;

	assert_int_equal(krafla_timeline_submit(timeline, "a", NULL, &first), 0);
	assert_int_equal(krafla_timeline_fence(timeline, "b", 1, &second), 0);
	assert_int_equal(krafla_fault_count(KRAFLA_FAULT_AT_TIMELINE), 1);
	assert_int_equal(kr_fence_status(first), -EIO);
	assert_int_equal(kr_fence_status(second), 0);
	assert_int_equal(krafla_timeline_signal(timeline, 1), 0);
	assert_int_equal(kr_fence_status(first), -EIO);
	assert_int_equal(kr_fence_status(second), 1);
	close(first);
	close(second);
	krafla_timeline_destroy(timeline);
}

/* A driver whose points end in the wrong order. */
static void
timeline_out_of_order(void **state)
{
	struct krafla_timeline *timeline = open_timeline(KRAFLA_FAULT_SWAPPED);
	int first, second;

	assert_int_equal(krafla_timeline_submit(timeline, "a", NULL, &first), 0);
	assert_int_equal(krafla_timeline_submit(timeline, "b", NULL, &second), 0);
	assert_int_equal(krafla_timeline_signal(timeline, 1), 0);
	assert_int_equal(poll_events(first, 100), 0);
	assert_int_equal(krafla_timeline_signal(timeline, 2), 0);
	assert_int_equal(kr_fence_status(second), 1);
	assert_int_equal(kr_fence_wait(first, LATEST), 0);
	close(first);
	close(second);
	krafla_timeline_destroy(timeline);
	settle();
}

/* The end of a timeline ends those that are held back, once nothing holds them. */
static void
timeline_that_ends(void **state)
{
	struct krafla_timeline *timeline = open_timeline(KRAFLA_FAULT_NEVER);
	int fence;

	assert_int_equal(krafla_timeline_submit(timeline, "a", NULL, &fence), 0);
	krafla_timeline_destroy(timeline);
	assert_int_equal(poll_events(fence, 100), 0);
	krafla_fault_clear(KRAFLA_FAULT_SITES);
	assert_int_equal(kr_fence_status(fence), -ENOENT);
	close(fence);
	settle();
}

/* glibc keeps the memory of a thread. */
#define THREAD_TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	THREAD_TEST(late_in_place_of_signalled),
	THREAD_TEST(late_counts_from_its_own_time),
	THREAD_TEST(late_and_dead),
	THREAD_TEST(late_by_passes),
	THREAD_TEST(late_by_passes_and_not_done),
	THREAD_TEST(never_until_cleared),
	THREAD_TEST(never_costs_nothing_once_dropped),
	THREAD_TEST(clearing_ends_delays),
	THREAD_TEST(swapped_pairs),
	THREAD_TEST(swapped_has_a_limit),
	KR_TEST(holding_what_is_no_fence),
	KR_TEST(holding_and_fork),
	THREAD_TEST(holding_from_threads),
	KR_TEST(timeline_with_errors),
	THREAD_TEST(timeline_out_of_order),
	THREAD_TEST(timeline_that_ends),
};

KR_TEST_MAIN(tests)
