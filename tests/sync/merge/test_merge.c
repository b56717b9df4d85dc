/* SPDX-License-Identifier: Apache-2.0 */
/* Merging: each pair of states and kinds, errors that come later, times, points, descriptions. */
#include "support.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <krafla/sync.h>
#include "sync/fence/points.h"
#include "sync/fence/user_fence.h"

enum kind { USER, KERNEL };

/* A fence of either kind, with how to signal it. */
struct any {
	enum kind kind;
	struct pair pair;
	int point;
	int fd;
};

static struct any
make_any(enum kind kind, const char *timeline)
{
	struct any any = {.kind = kind, .pair = {-1, -1}};
	struct kr_fence_label label = {.timeline = timeline, .seqno = 1, .name = "in"};

	if (kind == KERNEL) {
		any.fd = fake_fence(timeline, &any.point);
		return any;
	}
	assert_int_equal(kr_fence_create(&label, &any.pair.producer, &any.pair.fence), 0);
	any.fd = any.pair.fence;
	return any;
}

static void
signal_any(struct any *any, int status)
{
	if (any->kind == KERNEL)
		fake_signal(any->point, status);
	else
		signal_pair(&any->pair, status);
}

static void
close_any(struct any *any)
{
	if (any->kind == USER)
		close_pair(&any->pair);
	else
		close(any->fd);
}

static bool
is_user(int fd)
{
	int32_t status;

	return kr_sync_user_status(fd, &status) == 0;
}

static void
close_merged(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* One row of the table: the states before the merge, 0 active. */
static void
check_row(enum kind kind1, enum kind kind2, int state1, int state2, bool libsync)
{
	struct any a = make_any(kind1, "one"), b = make_any(kind2, "two");
	int expect = state1 < 0 ? state1 : state2 < 0 ? state2 : state1 && state2;
	int merged = 1234;

	if (state1)
		signal_any(&a, state1);
	if (state2)
		signal_any(&b, state2);
	if (libsync)
		merged = sync_merge("merged", a.fd, b.fd);
	else
		assert_int_equal(kr_fence_merge("merged", a.fd, b.fd, &merged), 0);
	if (expect == 1 && !libsync)
		assert_int_equal(merged, -1);
	else
		assert_true(merged >= 0 && merged != a.fd && merged != b.fd);
	assert_int_equal(kr_fence_status(merged), expect);
	if (!state1 && expect == 0) {
		signal_any(&a, 1);
		if (!state2)
			assert_int_equal(kr_fence_wait(merged, kr_clock_now()), -ETIME);
	}
	if (!state2 && expect == 0)
		signal_any(&b, 1);
	assert_int_equal(kr_fence_wait(merged, SOON), expect < 0 ? expect : 0);
	close_merged(merged);
	close_any(&a);
	close_any(&b);
}

static void
check_table(enum kind kind1, enum kind kind2)
{
	static const int states[] = {0, 1, -EIO};
	int fds = kr_test_count_fds();

	for (int i = 0; i < 18; i++) {
		fake_kernel_install();
		check_row(kind1, kind2, states[i % 3], states[i / 3 % 3], i >= 9);
		fake_kernel_remove();
	}
	assert_true(fds_settle(fds));
}

/* S-03 */
static void
table_user_user(void **state)
{
	check_table(USER, USER);
	settle();
}

/* S-03 */
static void
table_user_kernel(void **state)
{
	check_table(USER, KERNEL);
	settle();
}

/* S-03 */
static void
table_kernel_user(void **state)
{
	check_table(KERNEL, USER);
	settle();
}

/* S-03 */
static void
table_kernel_kernel(void **state)
{
	check_table(KERNEL, KERNEL);
	settle();
}

/*
 * S-03: in error as soon as one is, while the other is still active; whichever, of whichever kind.
 * That wakes who waits, unless both are the kernel's (two_kernel_fences_that_fail_later).
 */
static void
error_ends_a_merge_at_once(void **state)
{
	int fds = kr_test_count_fds();

	for (int i = 0; i < 8; i++) {
		struct any a, b;
		int merged;

		if ((i & 3) == 3)
			continue;
		fake_kernel_install();
		a = make_any(i & 1 ? KERNEL : USER, "one");
		b = make_any(i & 2 ? KERNEL : USER, "two");
		assert_int_equal(kr_fence_merge("merged", a.fd, b.fd, &merged), 0);
		assert_int_equal(kr_fence_status(merged), 0);
		signal_any(i & 4 ? &b : &a, -EIO);
		assert_int_equal(kr_fence_wait(merged, SOON), -EIO);
		assert_int_equal(kr_fence_status(i & 4 ? a.fd : b.fd), 0);
		close(merged);
		close_any(&a);
		close_any(&b);
		fake_kernel_remove();
	}
	assert_true(fds_settle(fds));
	settle();
}

/* S-03 */
static void
death_of_an_input_fails_the_merge(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b");
	int merged;

	assert_int_equal(kr_fence_merge("m", a.fence, b.fence, &merged), 0);
	close(a.producer);
	a.producer = -1;
	assert_int_equal(kr_fence_wait(merged, SOON), -EOWNERDEAD);
	close(merged);
	close_pair(&a);
	close_pair(&b);
	settle();
}

/*
 * The inputs may be closed at once: the merge keeps what it needs, and they stay as
 * they are (S-06).
 */
static void
inputs_are_borrowed(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b");
	int fds = kr_test_count_fds(), merged;

	assert_int_equal(kr_fence_merge("m", a.fence, b.fence, &merged), 0);
	assert_int_equal(kr_fence_status(a.fence), 0);
	close(a.fence);
	close(b.fence);
	a.fence = b.fence = -1;
	signal_pair(&b, 1);
	assert_int_equal(kr_fence_wait(merged, kr_clock_now()), -ETIME);
	signal_pair(&a, 1);
	assert_int_equal(kr_fence_wait(merged, SOON), 0);
	close(merged);
	assert_true(fds_settle(fds - 4));
	settle();
}

/* B-85: a merge's time is the latest of its points, for libsync also when all was over before. */
static void
time_is_the_latest(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b");
	int64_t latest;
	int early, late;

	assert_int_equal(kr_fence_merge("m", a.fence, b.fence, &early), 0);
	signal_pair(&b, 1);
	signal_pair(&a, 1);
	latest = kr_fence_signal_time(a.fence);
	assert_true(latest >= kr_fence_signal_time(b.fence));
	assert_int_equal(kr_fence_wait(early, SOON), 0);
	assert_true(kr_fence_signal_time(early) == latest);
	late = sync_merge("m", a.fence, b.fence);
	assert_true(late >= 0 && kr_fence_signal_time(late) == latest);
	close(early);
	close(late);
	close_pair(&a);
	close_pair(&b);
	settle();
}

static const struct sync_fence_info *
find_point(const struct sync_file_info *info, const char *timeline)
{
	for (uint32_t i = 0; i < info->num_fences; i++) {
		if (!strcmp(sync_get_fence_info(info)[i].obj_name, timeline))
			return &sync_get_fence_info(info)[i];
	}
	return NULL;
}

static void
check_points(int fd, int status, int status1, int status2)
{
	struct sync_file_info *info = sync_file_info(fd);

	assert_non_null(info);
	assert_string_equal(info->name, "merged");
	assert_int_equal(info->status, status);
	assert_int_equal(info->num_fences, 2);
	assert_non_null(find_point(info, "one"));
	assert_int_equal(find_point(info, "one")->status, status1);
	assert_int_equal(find_point(info, "two")->status, status2);
	assert_true(!find_point(info, "one")->timestamp_ns == !status1);
	sync_file_info_free(info);
}

/* What it consists of is told while it waits and when it is over. */
static void
merge_tells_its_points(void **state)
{
	struct any a, b;
	int merged;

	need_names();
	fake_kernel_install();
	a = make_any(USER, "one");
	b = make_any(KERNEL, "two");
	merged = sync_merge("merged", a.fd, b.fd);
	check_points(merged, 0, 0, 0);
	signal_any(&a, 1);
	check_points(merged, 0, 1, 0);
	signal_any(&b, -EIO);
	assert_int_equal(kr_fence_wait(merged, SOON), -EIO);
	check_points(merged, -EIO, 1, -EIO);
	close(merged);
	close_any(&a);
	close_any(&b);
	fake_kernel_remove();
	settle();
}

static void
merge_of_merges_tells_all_points(void **state)
{
	struct pair fences[80];
	int merged, next;

	for (int i = 0; i < 80; i++)
		fences[i] = make_pair("leaf");
	merged = dup(fences[0].fence);
	for (int i = 1; i < 80; i++) {
		struct sync_file_info *info;

		next = sync_merge("chain", merged, fences[i].fence);
		assert_true(next >= 0);
		close(merged);
		merged = next;
		info = sync_file_info(merged);
		assert_int_equal(info->num_fences, KR_MIN(i + 1, KR_SYNC_MAX_POINTS));
		sync_file_info_free(info);
	}
	for (int i = 0; i < 80; i++) {
		assert_int_equal(kr_fence_status(merged), 0);
		signal_pair(&fences[i], 1);
	}
	assert_int_equal(kr_fence_wait(merged, SOON), 0);
	close(merged);
	for (int i = 0; i < 80; i++)
		close_pair(&fences[i]);
	settle();
}

/* S-03: past the limit the rest is folded, and a failure among the rest still shows. */
static void
many_points_are_folded(void **state)
{
	struct sync_file_info *info;
	struct pair last = make_pair("last");
	int merged, next;

	assert_int_equal(kr_fence_create_done(NULL, 1, &merged), 0);
	for (int i = 0; i < 100; i++) {
		int one;

		assert_int_equal(kr_fence_create_done(NULL, 1, &one), 0);
		next = sync_merge("many", merged, one);
		close(one);
		close(merged);
		merged = next;
	}
	signal_pair(&last, -EIO);
	next = sync_merge("many", merged, last.fence);
	info = sync_file_info(next);
	assert_int_equal(info->num_fences, KR_SYNC_MAX_POINTS);
	assert_int_equal(info->status, -EIO);
	assert_int_equal(sync_get_fence_info(info)[KR_SYNC_MAX_POINTS - 1].status, -EIO);
	sync_file_info_free(info);
	close(next);
	close(merged);
	close_pair(&last);
}

/* S-03: re-issue: what one holder does to his description does not reach the other's. */
static void
self_merge_is_a_new_description(void **state)
{
	struct pair pair = make_pair("shared");
	int mine, theirs;

	assert_int_equal(kr_fence_merge("mine", pair.fence, pair.fence, &mine), 0);
	theirs = sync_merge("theirs", pair.fence, pair.fence);
	assert_int_equal(shutdown(theirs, SHUT_RDWR), 0);
	assert_int_equal(kr_fence_wait(theirs, SOON), -EOWNERDEAD);
	assert_int_equal(kr_fence_status(mine), 0);
	assert_int_equal(kr_fence_status(pair.fence), 0);
	signal_pair(&pair, 1);
	assert_int_equal(kr_fence_wait(mine, SOON), 0);
	close(mine);
	close(theirs);
	close_pair(&pair);
	settle();
}

/* B-86: libsync's merge never shares a description, nor does it rename its inputs. */
static void
libsync_merge_with_one_left(void **state)
{
	struct pair a = make_pair("a"), done = make_pair("done");
	struct sync_file_info *info;
	int merged;

	need_names();
	signal_pair(&done, 1);
	merged = sync_merge("one-left", done.fence, a.fence);
	assert_true(kr_sync_user_cookie(merged) != kr_sync_user_cookie(a.fence));
	info = sync_file_info(merged);
	assert_string_equal(info->name, "one-left");
	assert_int_equal(info->num_fences, 1);
	sync_file_info_free(info);
	info = sync_file_info(a.fence);
	assert_string_equal(info->name, "a");
	sync_file_info_free(info);
	close(merged);
	close_pair(&a);
	close_pair(&done);
	settle();
}

/* B-86: the platform's own merge spares the thread where one is left. */
static void
merge_with_one_left_is_a_duplicate(void **state)
{
	struct pair a = make_pair("a");
	int merged;

	assert_int_equal(kr_fence_merge("Window:4", -1, a.fence, &merged), 0);
	assert_true(kr_sync_user_cookie(merged) == kr_sync_user_cookie(a.fence));
	assert_int_equal(count_reactors(), 0);
	signal_pair(&a, 1);
	assert_int_equal(kr_fence_status(merged), 1);
	close(merged);
	close_pair(&a);
}

/*
 * S-05: kernel fences stay kernel fences, alone, with what has signalled, and two:
 * for kernel interfaces.
 */
static void
kernel_fences_stay_kernel_fences(void **state)
{
	struct pair done = make_pair("done");
	int point[2], fd[2];

	fake_kernel_install();
	signal_pair(&done, 1);
	for (int i = 0; i < 2; i++)
		fd[i] = fake_fence(i ? "k2" : "k1", &point[i]);
	const int pairs[][2] = {{fd[0], -1}, {-1, fd[0]}, {fd[0], fd[0]}, {fd[0], done.fence},
		{done.fence, fd[0]}, {fd[0], fd[1]}};

	for (size_t i = 0; i < KR_ARRAY_LEN(pairs); i++) {
		const int *p = pairs[i];
		int merged;

		assert_int_equal(kr_fence_merge("m", p[0], p[1], &merged), 0);
		assert_false(is_user(merged));
		assert_int_equal(kr_fence_status(merged), 0);
		close(merged);
		merged = sync_merge("m", p[0], p[1]);
		assert_true(p[0] < 0 || p[1] < 0 ? merged < 0 : !is_user(merged));
		close_merged(merged);
	}
	assert_int_equal(fake_merges(), 10);
	assert_int_equal(count_reactors(), 0);
	close(fd[0]);
	close(fd[1]);
	fake_kernel_remove();
	close_pair(&done);
}

/*
 * S-03: the kernel's merge drops a failure (the fake's too); whichever has failed, it
 * is a kernel fence.
 */
static void
two_kernel_fences_that_have_failed(void **state)
{
	static const int states[][2] = {
		{-EIO, 0}, {0, -EIO}, {-EIO, 1}, {1, -EIO}, {-EIO, -ENODEV}, {-EIO, -EIO}};

	for (size_t i = 0; i < 2 * KR_ARRAY_LEN(states); i++) {
		const int *wanted = states[i / 2];
		int point[2], fd[2], merged;

		fake_kernel_install();
		for (int k = 0; k < 2; k++) {
			fd[k] = fake_fence("k", &point[k]);
			if (wanted[k])
				fake_signal(point[k], wanted[k]);
		}
		if (i % 2)
			merged = sync_merge("m", fd[0], fd[1]);
		else
			assert_int_equal(kr_fence_merge("m", fd[0], fd[1], &merged), 0);
		assert_false(is_user(merged));
		assert_true(merged != fd[0] && merged != fd[1]);
		assert_int_equal(kr_fence_status(merged), -EIO);
		assert_int_equal(kr_fence_wait(merged, SOON), -EIO);
		close(merged);
		close(fd[0]);
		close(fd[1]);
		fake_kernel_remove();
	}
}

/* S-03: also one that fails between the question and the kernel's merge, alone or of two. */
static void
kernel_fence_that_fails_during_the_merge(void **state)
{
	for (int i = 0; i < 6; i++) {
		int point[2], fd[2], merged;

		fake_kernel_install();
		fd[0] = fake_fence("k1", &point[0]);
		fd[1] = fake_fence("k2", &point[1]);
		fake_ends_while_merging(point[i & 1], -EIO);
		if (i < 2)
			assert_int_equal(kr_fence_merge("m", fd[0], fd[1], &merged), 0);
		else if (i < 4)
			assert_int_equal(kr_fence_rename("m", fd[i & 1], &merged), 0);
		else
			merged = sync_merge("m", fd[1], fd[0]);
		assert_int_equal(kr_fence_status(merged), -EIO);
		close(merged);
		close(fd[0]);
		close(fd[1]);
		fake_kernel_remove();
	}
}

/* S-03: the kernel would make a success of it. */
static void
renamed_failure_stays_a_failure(void **state)
{
	int point, fd, renamed;

	fake_kernel_install();
	fd = fake_fence("k", &point);
	fake_signal(point, -EIO);
	assert_int_equal(kr_fence_rename("new", fd, &renamed), 0);
	assert_true(renamed != fd && !is_user(renamed));
	assert_int_equal(kr_fence_status(renamed), -EIO);
	close(renamed);
	close(fd);
	fake_kernel_remove();
}

/*
 * S-03: told at once, whichever place the kernel gave it; who waits hears of it when all are done.
 */
static void
two_kernel_fences_that_fail_later(void **state)
{
	for (int failing = 0; failing < 2; failing++) {
		int point[2], fd[2], merged, again;

		fake_kernel_install();
		fd[0] = fake_fence("k1", &point[0]);
		fd[1] = fake_fence("k2", &point[1]);
		assert_int_equal(kr_fence_merge("m", fd[0], fd[1], &merged), 0);
		fake_signal(point[failing], -EIO);
		assert_int_equal(kr_fence_status(merged), -EIO);
		assert_int_equal(kr_fence_wait(merged, kr_clock_now()), -EIO);
		assert_int_equal(poll_events(merged, 0), 0);
		again = sync_merge("again", merged, fd[!failing]);
		assert_int_equal(kr_fence_status(again), -EIO);
		fake_signal(point[!failing], 1);
		assert_true(poll_events(merged, 0) != 0);
		assert_int_equal(kr_fence_wait(merged, SOON), -EIO);
		close(again);
		close(merged);
		close(fd[0]);
		close(fd[1]);
		fake_kernel_remove();
	}
}

/*
 * S-03: a sync_file of a syncobj's point says "signalled" of itself; its member says how it ended.
 */
static void
kernel_fence_that_forgets_its_failure(void **state)
{
	int point, fd;

	fake_kernel_install();
	fd = fake_fence("k", &point);
	fake_forgets(fd);
	fake_signal(point, -EIO);
	assert_int_equal(kr_fence_status(fd), -EIO);
	close(fd);
	fake_kernel_remove();
}

/* S-03: nine points are more than are asked for at first; the last is the one that has failed. */
static void
kernel_fence_of_many_points(void **state)
{
	int point[9], fd[9], merged = -1;

	fake_kernel_install();
	for (int i = 0; i < 9; i++) {
		int next;

		fd[i] = fake_fence("k", &point[i]);
		assert_int_equal(kr_fence_merge("m", merged, fd[i], &next), 0);
		close_merged(merged);
		merged = next;
		assert_int_equal(kr_fence_status(merged), 0);
	}
	fake_signal(point[8], -EIO);
	assert_int_equal(kr_fence_status(merged), -EIO);
	for (int i = 0; i < 9; i++)
		close(fd[i]);
	close(merged);
	fake_kernel_remove();
}

/* S-05: for those who take nothing but a kernel fence that hasn't failed. */
static void
kernel_merge_on_request(void **state)
{
	struct pair user = make_pair("user");
	int point[2], fd[2], merged = 55;

	fake_kernel_install();
	fd[0] = fake_fence("k1", &point[0]);
	fd[1] = fake_fence("k2", &point[1]);
	assert_int_equal(kr_fence_merge_kernel("m", fd[0], user.fence, &merged), -EOPNOTSUPP);
	assert_int_equal(kr_fence_merge_kernel("m", user.fence, fd[0], &merged), -EOPNOTSUPP);
	assert_int_equal(kr_fence_merge_kernel("m", fd[0], -1, &merged), -EINVAL);
	assert_int_equal(kr_fence_merge_kernel("m", STDIN_FILENO, fd[0], &merged), -EINVAL);
	fake_ends_while_merging(point[1], -EIO);
	assert_int_equal(kr_fence_merge_kernel("m", fd[0], fd[1], &merged), -EIO);
	assert_int_equal(kr_fence_merge_kernel("m", fd[1], fd[0], &merged), -EIO);
	assert_int_equal(merged, 55);
	assert_int_equal(kr_fence_merge_kernel("m", fd[0], fd[0], &merged), 0);
	assert_int_equal(kr_fence_status(merged), 0);
	close(merged);
	close(fd[0]);
	close(fd[1]);
	fake_kernel_remove();
	close_pair(&user);
}

static void
interrupted_questions_are_asked_again(void **state)
{
	int point, fd;

	fake_kernel_install();
	fd = fake_fence("k", &point);
	fake_interrupts(3);
	assert_int_equal(kr_fence_status(fd), 0);
	close(fd);
	fake_kernel_remove();
}

static void
kernel_errors_come_back(void **state)
{
	int point, fd, merged = 55;

	fake_kernel_install();
	fd = fake_fence("k", &point);
	fake_merge_fails(-ENOMEM);
	assert_int_equal(kr_fence_rename("m", fd, &merged), -ENOMEM);
	assert_int_equal(kr_fence_merge("m", fd, fd, &merged), -ENOMEM);
	assert_int_equal(sync_merge("m", fd, fd), -1);
	assert_int_equal(errno, ENOMEM);
	assert_int_equal(merged, 55);
	close(fd);
	fake_kernel_remove();
}

/* A kernel fence that is ready and active at once would make a waiter spin: it is an error. */
static void
contradicting_kernel_fence(void **state)
{
	struct pair user = make_pair("user");
	int point, fd, merged;

	fake_kernel_install();
	fd = fake_fence("k", &point);
	assert_int_equal(kr_fence_merge("m", fd, user.fence, &merged), 0);
	fake_signal(point, 1);
	fake_signal(point, 0);
	assert_int_equal(kr_fence_wait(fd, SOON), -EOWNERDEAD);
	close(merged);
	close(fd);
	fake_kernel_remove();
	close_pair(&user);
	settle();
}

#define THREAD_TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

/*
 * The thread that a merge starts leaves libc's record of it behind; test_reactor checks the heap.
 */
static const struct kr_test tests[] = {
	THREAD_TEST(table_user_user),
	THREAD_TEST(table_user_kernel),
	THREAD_TEST(table_kernel_user),
	THREAD_TEST(table_kernel_kernel),
	THREAD_TEST(error_ends_a_merge_at_once),
	THREAD_TEST(death_of_an_input_fails_the_merge),
	THREAD_TEST(inputs_are_borrowed),
	THREAD_TEST(time_is_the_latest),
	THREAD_TEST(merge_tells_its_points),
	THREAD_TEST(merge_of_merges_tells_all_points),
	KR_TEST(many_points_are_folded),
	THREAD_TEST(self_merge_is_a_new_description),
	THREAD_TEST(libsync_merge_with_one_left),
	KR_TEST(merge_with_one_left_is_a_duplicate),
	KR_TEST(kernel_fences_stay_kernel_fences),
	KR_TEST(two_kernel_fences_that_have_failed),
	KR_TEST(kernel_fence_that_fails_during_the_merge),
	KR_TEST(renamed_failure_stays_a_failure),
	KR_TEST(two_kernel_fences_that_fail_later),
	KR_TEST(kernel_fence_that_forgets_its_failure),
	KR_TEST(kernel_fence_of_many_points),
	KR_TEST(interrupted_questions_are_asked_again),
	KR_TEST(kernel_merge_on_request),
	KR_TEST(kernel_errors_come_back),
	THREAD_TEST(contradicting_kernel_fence),
};

KR_TEST_MAIN(tests)
