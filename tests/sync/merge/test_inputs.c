/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What merges of merges wait for (sync/merge/inputs.c), and that points of one timeline of this
 * process count as one, by what is certain of them (sync/fence/own_points.h).
 */
#include "support.h"

#include <errno.h>
#include <krafla/sync.h>
#include <krafla/timeline.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sync/fence/own_points.h"
#include "sync/fence/points.h"
#include "sync/merge/pending.h"
#include "sync/fence/user_fence.h"
#include "util/macros.h"

#define WITHIN kr_deadline_in(5 * KR_NSEC_PER_SEC)

static int
merge_of(int a, int b)
{
	int merged;

	assert_int_equal(kr_fence_merge("merged", a, b, &merged), 0);
	return merged;
}

static unsigned
count_points(int fence)
{
	struct kr_sync_points points;

	assert_int_equal(kr_sync_pending_points(fence, false, &points), 0);
	return points.count;
}

/* A merge that is let go of leaves nothing behind, though what was merged from it goes on. */
static void
chains_cost_their_points(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b");
	int fence = merge_of(a.fence, b.fence), fds = kr_test_count_fds();

	for (int i = 0; i < 500; i++) {
		int longer = merge_of(fence, i % 2 ? a.fence : b.fence);

		close(fence);
		fence = longer;
	}
	assert_int_equal(kr_fence_status(fence), 0);
	assert_true(fds_settle(fds));
	assert_int_equal(count_points(fence), 2);
	signal_pair(&a, 1);
	signal_pair(&b, 1);
	assert_int_equal(kr_fence_wait(fence, WITHIN), 0);
	close(fence);
	close_pair(&a);
	close_pair(&b);
	settle();
}

/* Whoever shares the inner merge's description and shuts it hurts nobody who has merged from it. */
static void
inner_merge_is_shut(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b"), c = make_pair("c");
	int inner = merge_of(a.fence, b.fence), outer = merge_of(inner, c.fence);

	shutdown(inner, SHUT_RDWR);
	assert_int_equal(kr_fence_wait(inner, WITHIN), -EOWNERDEAD);
	assert_int_equal(kr_fence_status(outer), 0);
	signal_pair(&a, 1);
	signal_pair(&b, 1);
	signal_pair(&c, 1);
	assert_int_equal(kr_fence_wait(outer, WITHIN), 0);
	close(inner);
	close(outer);
	close_pair(&a);
	close_pair(&b);
	close_pair(&c);
	settle();
}

/* One input of several merges: each of them ends by it, also those that are given up first. */
static void
inputs_are_shared(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b"), c = make_pair("c"), d = make_pair("d");
	int ab = merge_of(a.fence, b.fence), abc = merge_of(ab, c.fence),
	    abd = merge_of(ab, d.fence);
	int all = merge_of(abc, abd);

	assert_int_equal(count_points(all), 4);
	close(abc);
	signal_pair(&a, 1);
	assert_int_equal(kr_fence_wait(ab, kr_clock_now()), -ETIME);
	signal_pair(&d, -EIO);
	assert_int_equal(kr_fence_wait(abd, WITHIN), -EIO);
	assert_int_equal(kr_fence_wait(all, WITHIN), -EIO);
	assert_int_equal(kr_fence_status(ab), 0);
	signal_pair(&b, 1);
	assert_int_equal(kr_fence_wait(ab, WITHIN), 0);
	close(ab);
	close(abd);
	close(all);
	signal_pair(&c, 1);
	close_pair(&a);
	close_pair(&b);
	close_pair(&c);
	close_pair(&d);
	settle();
}

/* What has signalled is told no more by a merge that is made later. */
static void
signalled_inputs_are_left_out(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b"), c = make_pair("c");
	int ab = merge_of(a.fence, b.fence), abc;

	signal_pair(&a, 1);
	abc = merge_of(ab, c.fence);
	assert_int_equal(count_points(abc), 2);
	assert_int_equal(count_points(ab), 2);
	signal_pair(&b, 1);
	signal_pair(&c, 1);
	assert_int_equal(kr_fence_wait(abc, WITHIN), 0);
	assert_int_equal(kr_fence_wait(ab, WITHIN), 0);
	close(ab);
	close(abc);
	close_pair(&a);
	close_pair(&b);
	close_pair(&c);
	settle();
}

static int
merge_closing(int take_a, int take_b)
{
	int merged = merge_of(take_a, take_b);

	close(take_a);
	close(take_b);
	return merged;
}

/* S-03: a point that fails alone is in the merge, though a later one of its timeline is, too. */
static void
an_earlier_point_fails(void **state)
{
	struct krafla_timeline *timeline = make_timeline("shared name");
	int merged = merge_closing(point_at(timeline, 1), point_at(timeline, 5));

	assert_int_equal(count_points(merged), 1);
	assert_int_equal(krafla_timeline_fail(timeline, 1, -EIO), 0);
	assert_int_equal(kr_fence_wait(merged, WITHIN), -EIO);
	assert_int_equal(count_points(merged), 1);
	close(merged);
	krafla_timeline_destroy(timeline);
	settle();
}

/* A fence counts once, however it came in. */
static void
the_same_fence_again(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b");
	int ab = merge_of(a.fence, b.fence), copy = dup(b.fence);
	int before = merge_of(copy, ab), after = merge_of(ab, copy);

	assert_int_equal(count_points(before), 2);
	assert_int_equal(count_points(after), 2);
	signal_pair(&a, 1);
	assert_int_equal(kr_fence_wait(before, kr_clock_now() + 10 * KR_NSEC_PER_MSEC), -ETIME);
	signal_pair(&b, 1);
	assert_int_equal(kr_fence_wait(before, WITHIN), 0);
	assert_int_equal(kr_fence_wait(after, WITHIN), 0);
	close(copy);
	close(ab);
	close(before);
	close(after);
	close_pair(&a);
	close_pair(&b);
	settle();
}

/* Two timelines of one name, or a fence of somebody who says that it is on one, are kept apart. */
static void
a_name_is_no_timeline(void **state)
{
	struct krafla_timeline *timeline = make_timeline("shared name"),
			       *other = make_timeline("shared name");
	struct kr_fence_label label = {"shared name", 1, "point"};
	struct pair forged[2];
	int merged;

	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(kr_fence_create(&label, &forged[i].producer, &forged[i].fence), 0);
	merged = merge_closing(point_at(timeline, 5), point_at(other, 5));
	merged = merge_closing(merged, merge_of(forged[0].fence, forged[1].fence));
	for (int i = 0; i < 200; i++) /* past the limit, where points collapse */
		merged = merge_closing(point_at(timeline, 6 + (unsigned)i), merged);
	assert_int_equal(count_points(merged), 4);
	assert_int_equal(krafla_timeline_signal(timeline, 1000), 0);
	assert_int_equal(kr_fence_wait(merged, kr_clock_now() + 10 * KR_NSEC_PER_MSEC), -ETIME);
	assert_int_equal(krafla_timeline_signal(other, 1000), 0);
	signal_pair(&forged[0], 1);
	assert_int_equal(kr_fence_wait(merged, kr_clock_now() + 10 * KR_NSEC_PER_MSEC), -ETIME);
	signal_pair(&forged[1], 1);
	assert_int_equal(kr_fence_wait(merged, WITHIN), 0);
	close_pair(&forged[0]);
	close_pair(&forged[1]);
	close(merged);
	krafla_timeline_destroy(timeline);
	krafla_timeline_destroy(other);
	settle();
}

/* Past the limit the latest of the timeline stands for all, which are then let go of. */
static void
many_points_of_one_timeline(void **state)
{
	struct krafla_timeline *timeline = make_timeline("shared name");
	int fds = kr_test_count_fds(), merged = point_at(timeline, 300);

	for (unsigned value = 1; value < 300; value++)
		merged = merge_closing(point_at(timeline, value), merged);
	assert_int_equal(count_points(merged), 1);
	/* Inputs, and points: half of them may be dropped ones that are not swept yet. */
	kr_test_expect_fds(fds + KR_SYNC_MAX_POINTS + 256 + 10);
	assert_int_equal(krafla_timeline_signal(timeline, 299), 0);
	assert_int_equal(kr_fence_wait(merged, kr_clock_now() + 10 * KR_NSEC_PER_MSEC), -ETIME);
	assert_int_equal(krafla_timeline_signal(timeline, 300), 0);
	assert_int_equal(kr_fence_wait(merged, WITHIN), 0);
	close(merged);
	assert_true(fds_settle(fds));
	krafla_timeline_destroy(timeline);
	settle();
}

/* The thread is kept from dropping what nobody holds: descriptors are found all the same. */
static void
without_descriptors(void **state)
{
	struct rlimit limit = {64, 20000};
	struct pair a = make_pair("a"), b = make_pair("b");
	int merged;

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	merged = merge_of(a.fence, b.fence);
	for (int i = 0; i < 3000; i++)
		close(merge_of(merged, merged));
	close(merged);
	settle(); /* though nothing has signalled */
	close_pair(&a);
	close_pair(&b);
	settle();
}

/* The table of points, against an array. */
static void
own_points(void **state)
{
	enum { COUNT = 600 };

	int fences[COUNT], producers[COUNT];
	bool in[COUNT] = {false};
	unsigned seed = 3;

	for (unsigned i = 0; i < COUNT; i++)
		assert_int_equal(kr_fence_create(NULL, &producers[i], &fences[i]), 0);
	for (unsigned round = 0; round < 20000; round++) {
		unsigned at = (unsigned)rand_r(&seed) % COUNT;
		struct kr_own_point point = {kr_sync_user_cookie(fences[at]), 7, at}, found;

		assert_int_equal(kr_own_points_find(point.cookie, &found), in[at]);
		if (in[at])
			assert_int_equal(found.value, at);
		if (in[at])
			kr_own_points_remove(point.cookie);
		else
			assert_int_equal(kr_own_points_add(&point), 0);
		in[at] = !in[at];
	}
	for (unsigned i = 0; i < COUNT; i++) {
		kr_own_points_remove(kr_sync_user_cookie(fences[i]));
		close(fences[i]);
		close(producers[i]);
	}
}

/* They are their process's. */
static void
own_points_of_a_child(void **state)
{
	struct krafla_timeline *timeline = make_timeline("shared name");
	int fence = point_at(timeline, 1);
	struct kr_own_point point;
	pid_t child = fork();

	if (child == 0)
		_exit(kr_own_points_find(kr_sync_user_cookie(fence), &point));
	assert_int_equal(wait_for(child), 0);
	assert_true(kr_own_points_find(kr_sync_user_cookie(fence), &point));
	assert_int_equal(krafla_timeline_signal(timeline, 1), 0);
	assert_false(kr_own_points_find(kr_sync_user_cookie(fence), &point));
	close(fence);
	krafla_timeline_destroy(timeline);
}

#define THREAD_TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	THREAD_TEST(chains_cost_their_points),
	THREAD_TEST(inner_merge_is_shut),
	THREAD_TEST(inputs_are_shared),
	THREAD_TEST(signalled_inputs_are_left_out),
	THREAD_TEST(an_earlier_point_fails),
	THREAD_TEST(the_same_fence_again),
	THREAD_TEST(a_name_is_no_timeline),
	THREAD_TEST(many_points_of_one_timeline),
	THREAD_TEST(without_descriptors),
	KR_TEST(own_points),
	KR_TEST(own_points_of_a_child),
};

KR_TEST_MAIN(tests)
