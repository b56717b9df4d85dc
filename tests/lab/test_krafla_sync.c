/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla_sync.ko keeps what kernel/uapi/krafla_sync.h says: values, order, errors, time limits,
 * death, and hostile arguments. test_krafla_sync_module.c has what is about the module itself.
 */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SHORT_MS 100
#define SHORT_NS (SHORT_MS * UINT64_C(1000000))

static uint64_t
end_time(int fence)
{
	struct sync_fence_info point;

	assert_int_equal(rig_point(fence, &point), 1);
	return point.timestamp_ns;
}

static uint64_t
now(void)
{
	struct timespec t;

	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &t), 0);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* S-05 */
static void
only_root_may_open_it(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(stat("/dev/krafla_sync", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_uid, 0);
}

/* S-01 S-02 S-11 */
static void
points_end_in_order(void **state)
{
	int timeline = rig_timeline();
	int three = rig_fence(timeline, 3), one = rig_fence(timeline, 1),
	    two = rig_fence(timeline, 2);

	(void)state;
	assert_int_equal(fcntl(one, F_GETFD), FD_CLOEXEC);
	assert_int_equal(rig_info(timeline).open, 3);
	assert_int_equal(rig_move(timeline, 1, 0), 0);
	assert_int_equal(rig_status(one), 1);
	assert_int_equal(rig_status(two), 0);
	assert_int_equal(rig_move(timeline, 5, 0), 0);
	assert_int_equal(rig_status(two), 1);
	assert_int_equal(rig_status(three), 1);
	assert_true(end_time(one) < end_time(two));
	assert_true(end_time(two) < end_time(three));
	assert_int_equal(rig_info(timeline).value, 5);
	assert_int_equal(rig_info(timeline).last, 3);
	assert_int_equal(rig_info(timeline).open, 0);
	close(one);
	close(two);
	close(three);
	one = rig_fence(timeline, 5);
	assert_int_equal(rig_status(one), 1);
	close(one);
	close(timeline);
}

/* S-02 */
static void
an_error_is_for_its_value_alone(void **state)
{
	int timeline = rig_timeline(), fences[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		fences[i] = rig_fence(timeline, i == 3 ? 2 : (uint64_t)i + 1);
	assert_int_equal(rig_move(timeline, 2, -EIO), 0);
	assert_int_equal(rig_status(fences[0]), 1);
	assert_int_equal(rig_status(fences[1]), -EIO);
	assert_int_equal(rig_status(fences[3]), -EIO);
	assert_int_equal(rig_status(fences[2]), 0);
	/* Once: what has failed stays so. */
	assert_int_equal(rig_move(timeline, 2, 0), 0);
	assert_int_equal(rig_move(timeline, 3, 0), 0);
	assert_int_equal(rig_status(fences[1]), -EIO);
	assert_int_equal(rig_status(fences[2]), 1);
	for (int i = 0; i < 4; i++)
		close(fences[i]);
	/* A fence made for the value later fails too, those beside it don't. */
	for (uint64_t value = 1; value <= 3; value++) {
		fences[0] = rig_fence(timeline, value);
		assert_int_equal(rig_status(fences[0]), value == 2 ? -EIO : 1);
		close(fences[0]);
	}
	close(timeline);
}

static void
a_timeline_does_not_go_back(void **state)
{
	int timeline = rig_timeline();

	(void)state;
	assert_int_equal(rig_move(timeline, 7, 0), 0);
	assert_int_equal(rig_move(timeline, 7, 0), 0);
	assert_int_equal(rig_move(timeline, 6, 0), -EINVAL);
	assert_int_equal(rig_move(timeline, 6, -EIO), -EINVAL);
	assert_int_equal(rig_info(timeline).value, 7);
	close(timeline);
}

/* The time limit: S-05 */
static void
a_point_out_of_time_fails_with_those_before_it(void **state)
{
	uint64_t started = now();
	int timeline = rig_timeline();
	int one = rig_fence(timeline, 1), three = rig_fence(timeline, 3);
	int two = rig_try_fence(timeline, 2, SHORT_MS), late;

	(void)state;
	assert_true(two >= 0);
	assert_int_equal(rig_ended(two), -ETIMEDOUT);
	assert_true(end_time(two) >= started + SHORT_NS);
	assert_int_equal(rig_status(one), -ETIMEDOUT);
	assert_true(end_time(one) < end_time(two));
	assert_int_equal(rig_status(three), 0);
	/* The timeline went on without its owner, who is told when he comes late. */
	assert_int_equal(rig_info(timeline).value, 2);
	assert_int_equal(rig_move(timeline, 1, 0), -EINVAL);
	assert_int_equal(rig_move(timeline, 2, 0), 0);
	late = rig_fence(timeline, 1);
	assert_int_equal(rig_status(late), -ETIMEDOUT);
	assert_int_equal(rig_move(timeline, 3, 0), 0);
	assert_int_equal(rig_status(three), 1);
	close(late);
	close(one);
	close(two);
	close(three);
	close(timeline);
}

/*
 * A limit ends what is before it, whose own may be later, and nothing behind it. How late limits
 * pass is the machine's load; never early.
 */
static void
time_limits_pass_in_their_own_order(void **state)
{
	static const uint32_t limits[] = {3, 1, 5, 4}, at_least[] = {1, 1, 4, 4};
	uint64_t started = now();
	int timeline = rig_timeline(), fences[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		fences[i] = rig_try_fence(timeline, (uint64_t)i + 1, limits[i] * SHORT_MS);
	for (int i = 0; i < 4; i++)
		assert_int_equal(rig_ended(fences[i]), -ETIMEDOUT);
	for (int i = 0; i < 4; i++) {
		assert_true(end_time(fences[i]) >= started + at_least[i] * SHORT_NS);
		if (i > 0)
			assert_true(end_time(fences[i - 1]) <= end_time(fences[i]));
	}
	for (int i = 0; i < 4; i++)
		close(fences[i]);
	close(timeline);
}

/* S-05: a dead owner. */
static void
closing_the_timeline_fails_its_points(void **state)
{
	int timeline = rig_timeline();
	int one = rig_fence(timeline, 1), two = rig_fence(timeline, 2);

	(void)state;
	assert_int_equal(rig_move(timeline, 1, 0), 0);
	close(timeline);
	assert_int_equal(rig_status(one), 1);
	assert_int_equal(rig_status(two), -EOWNERDEAD);
	close(one);
	close(two);
}

static void
own_a_timeline(int socket)
{
	int timeline = rig_timeline();

	rig_send(socket, rig_fence(timeline, 1));
	for (;;)
		pause();
}

static void
killing_the_owner_fails_its_points(void **state)
{
	int socket, fence;
	pid_t pid = rig_child(own_a_timeline, &socket);

	(void)state;
	fence = rig_receive(socket);
	assert_false(rig_ends(fence, SHORT_MS));
	rig_kill(pid);
	assert_int_equal(rig_ended(fence), -EOWNERDEAD);
	close(fence);
	close(socket);
}

static void
sleep_on(int socket)
{
	(void)socket;
	for (;;)
		pause();
}

/* A child of fork has the timeline as its parent has: it lives until both are gone. */
static void
a_forked_child_delays_death(void **state)
{
	int timeline = rig_timeline(), fence = rig_fence(timeline, 1), socket;
	pid_t pid = rig_child(sleep_on, &socket);

	(void)state;
	close(timeline);
	assert_false(rig_ends(fence, 2 * SHORT_MS));
	rig_kill(pid);
	assert_int_equal(rig_ended(fence), -EOWNERDEAD);
	close(fence);
	close(socket);
}

/* S-01: without 64-bit sequence numbers a merge keeps the wrong one of these. */
static void
merges_compare_values_of_64_bits(void **state)
{
	int timeline = rig_timeline();
	int early = rig_fence(timeline, 2), late = rig_fence(timeline, (1ULL << 32) + 1);
	int merged = rig_merge(early, late);
	struct sync_fence_info point;

	(void)state;
	assert_int_equal(rig_point(merged, &point), 1);
	assert_int_equal(rig_move(timeline, 2, 0), 0);
	assert_int_equal(rig_status(early), 1);
	assert_int_equal(rig_status(merged), 0);
	assert_int_equal(rig_move(timeline, (1ULL << 32) + 1, 0), 0);
	assert_int_equal(rig_status(merged), 1);
	close(merged);
	close(early);
	close(late);
	close(timeline);
}

static void
set_name(int timeline, const char *name, size_t size, int expected)
{
	struct krafla_sync_name in;

	memset(&in, 'x', sizeof(in));
	memcpy(in.name, name, size);
	assert_int_equal(rig_ioctl(timeline, KRAFLA_SYNC_IOC_SET_NAME, &in), expected);
}

/* S-01: names. */
static void
names_are_seen(void **state)
{
	int timeline = rig_timeline(), fence;
	struct sync_fence_info point;
	char *listed;

	(void)state;
	prctl(PR_SET_NAME, "owner of it");
	fence = rig_timeline();
	assert_string_equal(rig_info(fence).name, "owner of it");
	close(fence);
	set_name(timeline, "", 1, -EINVAL);
	set_name(timeline, "", 0, -EINVAL);
	set_name(timeline, "first", 6, 0);
	set_name(timeline, "line\nfeed", 10, 0);
	fence = rig_fence(timeline, 9);
	set_name(timeline, "third", 6, -EBUSY);
	rig_point(fence, &point);
	assert_string_equal(point.obj_name, "line\nfeed");
	assert_string_equal(point.driver_name, "krafla_sync");
	assert_int_equal(rig_move(timeline, 4, 0), 0);
	listed = rig_read_file("/sys/kernel/debug/krafla_sync/timelines");
	assert_non_null(strstr(listed, "timeline line\\012feed owner "));
	assert_non_null(strstr(listed, " value 4 last 9 open 1\n\tpoint 9 at 4 age_ms "));
	assert_non_null(strstr(listed, " left_ms 59"));
	free(listed);
	close(fence);
	close(timeline);
}

static void
wrong_arguments_are_refused(void **state)
{
	int timeline = rig_timeline(), fds = kr_test_count_fds();
	struct krafla_sync_signal padded = {.value = 1, .pad = 1};

	(void)state;
	assert_int_equal(rig_try_fence(timeline, 1, 0), -EINVAL);
	assert_int_equal(rig_try_fence(timeline, 1, KRAFLA_SYNC_MAX_TIMEOUT_MS + 1), -EINVAL);
	assert_int_equal(rig_try_fence(timeline, 1, UINT32_MAX), -EINVAL);
	assert_int_equal(rig_move(timeline, 1, 1), -EINVAL);
	assert_int_equal(rig_move(timeline, 1, -4096), -EINVAL);
	assert_int_equal(rig_move(timeline, 1, INT32_MIN), -EINVAL);
	assert_int_equal(rig_ioctl(timeline, KRAFLA_SYNC_IOC_SIGNAL, &padded), -EINVAL);
	assert_int_equal(rig_ioctl(timeline, KRAFLA_SYNC_IOC_SIGNAL, NULL), -EFAULT);
	assert_int_equal(rig_ioctl(timeline, KRAFLA_SYNC_IOC_SET_NAME, NULL), -EFAULT);
	assert_int_equal(rig_ioctl(timeline, KRAFLA_SYNC_IOC_CREATE, NULL), -EFAULT);
	assert_int_equal(rig_ioctl(timeline, KRAFLA_SYNC_IOC_INFO, NULL), -EFAULT);
	assert_int_equal(rig_ioctl(timeline, _IO('K', 99), NULL), -ENOTTY);
	assert_int_equal(rig_info(timeline).value, 0);
	assert_int_equal(rig_info(timeline).open, 0);
	assert_int_equal(kr_test_count_fds(), fds);
	close(timeline);
}

/* Reading the arguments works, writing the answer doesn't. */
static void
a_fence_that_cannot_be_handed_over_is_given_up(void **state)
{
	int timeline = rig_timeline(), fds = kr_test_count_fds();
	struct krafla_sync_create *args =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rlimit before, none = {(rlim_t)fds, (rlim_t)fds};
	int next = rig_next_fd();

	(void)state;
	args->value = 1;
	args->timeout_ms = RIG_LONG_MS;
	mprotect(args, 4096, PROT_READ);
	assert_int_equal(rig_ioctl(timeline, KRAFLA_SYNC_IOC_CREATE, args), -EFAULT);
	assert_int_equal(kr_test_count_fds(), fds);
	assert_int_equal(rig_next_fd(), next);
	getrlimit(RLIMIT_NOFILE, &before);
	none.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(rig_try_fence(timeline, 1, RIG_LONG_MS), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(rig_info(timeline).open, 0);
	assert_int_equal(rig_info(timeline).last, 0);
	set_name(timeline, "unused", 7, 0);
	munmap(args, 4096);
	close(timeline);
}

static void
points_that_nobody_holds_are_given_up(void **state)
{
	int timeline = rig_timeline();

	(void)state;
	for (uint64_t i = 1; i <= 1000; i++)
		close(rig_fence(timeline, i));
	for (int i = 0; i < 1000 && rig_info(timeline).open; i++)
		usleep(1000);
	assert_int_equal(rig_info(timeline).open, 0);
	assert_int_equal(rig_info(timeline).last, 1000);
	close(timeline);
}

struct race {
	int timeline;
	uint64_t next;
	int status_of_last;
};

/* Moves the timeline on while the other thread makes fences for values just ahead. */
static void *
keep_moving(void *data)
{
	struct race *race = data;

	for (uint64_t value = 1; value <= 4000; value++)
		race->status_of_last |= rig_move(race->timeline, value, value % 7 ? 0 : -EIO);
	return NULL;
}

/* S-11: two points of a timeline, seen by another thread, never end in the wrong order. */
static void
order_holds_while_threads_race(void **state)
{
	struct race race = {.timeline = rig_timeline()};
	pthread_t thread;

	(void)state;
	pthread_create(&thread, NULL, keep_moving, &race);
	for (int i = 0; i < 4000; i++) {
		uint64_t value = rig_info(race.timeline).value;
		int early = rig_fence(race.timeline, value + 2);
		int late = rig_fence(race.timeline, value + 3);
		int merged = rig_merge(late, early);
		bool late_ended = rig_status(late) != 0;

		if (late_ended)
			assert_int_not_equal(rig_status(early), 0);
		close(early);
		close(late);
		close(merged);
	}
	pthread_join(thread, NULL);
	assert_int_equal(race.status_of_last, 0);
	close(race.timeline);
}

static const struct kr_test tests[] = {
	KR_TEST(only_root_may_open_it),
	KR_TEST(points_end_in_order),
	KR_TEST(an_error_is_for_its_value_alone),
	KR_TEST(a_timeline_does_not_go_back),
	KR_TEST(a_point_out_of_time_fails_with_those_before_it),
	KR_TEST(time_limits_pass_in_their_own_order),
	KR_TEST(closing_the_timeline_fails_its_points),
	KR_TEST(killing_the_owner_fails_its_points),
	KR_TEST(a_forked_child_delays_death),
	KR_TEST(merges_compare_values_of_64_bits),
	KR_TEST(names_are_seen),
	KR_TEST(wrong_arguments_are_refused),
	KR_TEST(a_fence_that_cannot_be_handed_over_is_given_up),
	KR_TEST(points_that_nobody_holds_are_given_up),
	KR_TEST_FLAGS(order_holds_while_threads_race, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
