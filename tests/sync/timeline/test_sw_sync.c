/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sw_sync names: a timeline that is a descriptor. KRAFLA_SYNC_TIMELINE says over what; the
 * devices in the lab. What they are for, the platform's own cases, is in tests/parity.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <krafla/sync.h>
#include <krafla/timeline.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sync/timeline/impl.h"

#define WITHIN kr_deadline_in(5 * KR_NSEC_PER_SEC)

/* "user", "krafla_sync", "sw_sync" */
static bool
over(const char *backend)
{
	const char *word = getenv("KRAFLA_SYNC_TIMELINE");

	return !strcmp(word ? word : "user", backend);
}

/* What open points fail with when their timeline is closed. */
static int
closed_error(void)
{
	return over("krafla_sync") ? -EOWNERDEAD : -ENOENT;
}

static int
make(void)
{
	int timeline = sw_sync_timeline_create();

	assert_true(timeline >= 0);
	assert_int_equal(fcntl(timeline, F_GETFD), FD_CLOEXEC);
	return timeline;
}

static int
fence_at(int timeline, unsigned value)
{
	int fence = sw_sync_fence_create(timeline, "point", value);

	assert_true(fence >= 0);
	return fence;
}

static void
moves_by_counts(void **state)
{
	int timeline = make(), one = fence_at(timeline, 1), five = fence_at(timeline, 5);

	assert_int_equal(sw_sync_timeline_inc(timeline, 0), 0);
	assert_int_equal(kr_fence_status(one), 0);
	assert_int_equal(sw_sync_timeline_inc(timeline, 1), 0);
	assert_int_equal(kr_fence_status(one), 1);
	assert_int_equal(sw_sync_timeline_inc(timeline, 3), 0);
	assert_int_equal(kr_fence_status(five), 0);
	assert_int_equal(sw_sync_timeline_inc(timeline, 1), 0);
	assert_int_equal(kr_fence_status(five), 1);
	close(one);
	close(five);
	close(timeline);
	settle();
}

/* Named after the thread; the fence has the name that it was given. */
static void
names(void **state)
{
	int timeline = make(), fence = sw_sync_fence_create(timeline, "SurfaceView:0", 1);
	struct sync_file_info *info = sync_file_info(fence);
	char comm[32] = "";
	FILE *file = fopen("/proc/thread-self/comm", "re");

	need_names();
	assert_non_null(fgets(comm, sizeof(comm), file));
	comm[strcspn(comm, "\n")] = '\0';
	fclose(file);
	assert_string_equal(sync_get_fence_info(info)->obj_name, comm);
	assert_string_equal(info->name, "SurfaceView:0");
	sync_file_info_free(info);
	close(fence);
	close(timeline);
	settle();
}

/* 32 bits, as they wrap: up to 2^31 behind is over, all else is to come. */
static void
values_wrap(void **state)
{
	int timeline = make(), before, after, far;

	assert_int_equal(sw_sync_timeline_inc(timeline, 0xfffffffe), 0);
	before = fence_at(timeline, 0xffffffff);
	after = fence_at(timeline, 2);
	far = fence_at(timeline, 0x7ffffffd); /* 2^31 - 1 ahead */
	assert_int_equal(kr_fence_status(before), 0);
	assert_int_equal(kr_fence_status(after), 0);
	assert_int_equal(kr_fence_status(far), 0);
	close(far);
	far = fence_at(timeline, 0x7ffffffe); /* 2^31 ahead, or behind */
	assert_int_equal(kr_fence_status(far), 1);
	assert_int_equal(sw_sync_timeline_inc(timeline, 3), 0);
	assert_int_equal(kr_fence_status(before), 1);
	assert_int_equal(kr_fence_status(after), 0);
	assert_int_equal(sw_sync_timeline_inc(timeline, 1), 0);
	assert_int_equal(kr_fence_status(after), 1);
	close(after);
	after = fence_at(timeline, 0xfffffffd); /* long over */
	assert_int_equal(kr_fence_status(after), 1);
	close(before);
	close(after);
	close(far);
	close(timeline);
	settle();
}

static void
widening(void **state)
{
	assert_int_equal(kr_timeline_widen(0, 0), 0);
	assert_int_equal(kr_timeline_widen(0, 7), 7);
	assert_int_equal(kr_timeline_widen(0, UINT32_MAX), 0);
	assert_int_equal(kr_timeline_widen(0, 1u << 31), 0);
	assert_int_equal(kr_timeline_widen(0, INT32_MAX), INT32_MAX);
	assert_int_equal(kr_timeline_widen(10, 3), 3);
	assert_int_equal(kr_timeline_widen(0xffffffff, 1), 0x100000001);
	assert_int_equal(kr_timeline_widen(0x500000001, 0xffffffff), 0x4ffffffff);
}

/* Plain close() destroys it. */
static void
closing_fails_open_points(void **state)
{
	int fds = kr_test_count_fds(), timeline = make(), done = fence_at(timeline, 1);
	int open[2] = {fence_at(timeline, 2), fence_at(timeline, 3)};

	assert_int_equal(sw_sync_timeline_inc(timeline, 1), 0);
	close(timeline);
	assert_int_equal(kr_fence_wait(open[0], WITHIN), closed_error());
	assert_int_equal(kr_fence_wait(open[1], WITHIN), closed_error());
	assert_int_equal(kr_fence_status(done), 1);
	close(done);
	close(open[0]);
	close(open[1]);
	assert_true(fds_settle(fds));
	settle();
}

static void
duplicates_are_the_same_timeline(void **state)
{
	int timeline = make(), copy = fcntl(timeline, F_DUPFD_CLOEXEC, 0);
	int fence = fence_at(timeline, 1), other = fence_at(copy, 2);

	close(timeline);
	assert_int_equal(kr_fence_wait(fence, kr_clock_now() + 30 * KR_NSEC_PER_MSEC), -ETIME);
	assert_int_equal(sw_sync_timeline_inc(copy, 1), 0);
	assert_int_equal(kr_fence_status(fence), 1);
	close(copy);
	assert_int_equal(kr_fence_wait(other, WITHIN), closed_error());
	close(fence);
	close(other);
	settle();
}

static void
expect_error(int result, int error)
{
	assert_int_equal(errno, error);
	assert_int_equal(result, -1);
	errno = 0;
}

/* The kernel's errors. */
static void
no_timelines(void **state)
{
	struct pair pair = make_pair("a");
	int others[] = {eventfd(0, EFD_CLOEXEC), dup(pair.fence), dup(pair.producer),
		open("/dev/null", O_RDWR | O_CLOEXEC), 0, 0};
	int timeline = make(), fence = fence_at(timeline, 1);

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, &others[4]), 0);
	errno = 0;
	expect_error(sw_sync_timeline_inc(-1, 1), EBADF);
	expect_error(sw_sync_fence_create(-1, "f", 1), EBADF);
	expect_error(sw_sync_timeline_inc(999, 1), EBADF);
	expect_error(sw_sync_fence_create(999, "f", 1), EBADF);
	expect_error(sw_sync_fence_create(fence, "f", 1), ENOTTY);
	for (size_t i = 0; i < KR_ARRAY_LEN(others); i++) {
		expect_error(sw_sync_timeline_inc(others[i], 1), ENOTTY);
		expect_error(sw_sync_fence_create(others[i], "f", 1), ENOTTY);
		close(others[i]);
	}
	close(fence);
	close(timeline);
	close_pair(&pair);
	settle();
}

/*
 * A child that has the descriptor keeps the timeline alive, as with the kernel. It can signal
 * there, but not here (S-05).
 */
static void
forked_child_holds_it(void **state)
{
	int timeline = make(), fence = fence_at(timeline, 1), held[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe2(held, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		int result = sw_sync_timeline_inc(timeline, 0), own;
		bool ok = over("user") ? result == -1 && errno == EPERM : result == 0;

		ok = ok && (over("user") == (sw_sync_fence_create(timeline, "f", 1) == -1));
		own = THREAD_SANITIZER ? timeline : sw_sync_timeline_create();
		ok = ok && (THREAD_SANITIZER || sw_sync_timeline_inc(own, 1) == 0);
		close(held[1]);
		_exit(read(held[0], &byte, 1) == 0 && ok ? 0 : 1);
	}
	close(timeline);
	assert_int_equal(kr_fence_wait(fence, kr_clock_now() + 30 * KR_NSEC_PER_MSEC), -ETIME);
	close(held[1]);
	assert_int_equal(wait_for(child), 0);
	assert_int_equal(kr_fence_wait(fence, WITHIN), closed_error());
	close(held[0]);
	close(fence);
	settle();
}

/* One that is never closed ends with its process. */
static void
process_ends(void **state)
{
	static const bool killed[] = {false, true};

	for (unsigned i = 0; i < 2; i++) {
		int channel[2], fence;
		pid_t child;

		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel), 0);
		child = fork();
		if (child == 0) {
			alarm(20);
			send_fd(channel[1], fence_at(make(), 1));
			close(receive_fd(channel[1]));
			if (killed[i])
				raise(SIGKILL);
			exit(3);
		}
		fence = receive_fd(channel[0]);
		assert_int_equal(kr_fence_status(fence), 0);
		send_fd(channel[0], 0);
		assert_int_equal(kr_fence_wait(fence, WITHIN),
			over("user") && killed[i] ? -EOWNERDEAD : closed_error());
		assert_int_equal(wait_for(child), killed[i] ? 128 + SIGKILL : 3);
		close(fence);
		close(channel[0]);
		close(channel[1]);
	}
	settle();
}

/* Each descriptor that it needs in turn can't be had: nothing is left behind. */
static void
without_descriptors(void **state)
{
	int fds = kr_test_count_fds(), timeline = -1;

	for (int more = 0; timeline < 0; more++) {
		int error;

		assert_true(more < 10);
		kr_test_limit_fds(more);
		timeline = sw_sync_timeline_create();
		error = errno;
		kr_test_end_fd_limit();
		if (timeline < 0) {
			assert_int_equal(error, EMFILE);
			assert_true(fds_settle(fds));
		}
	}
	close(timeline);
	assert_true(fds_settle(fds));
	settle();
}

static void
many_timelines(void **state)
{
	enum { COUNT = 200 };

	int fds = kr_test_count_fds(), timelines[COUNT], fences[COUNT];

	for (unsigned i = 0; i < COUNT; i++) {
		timelines[i] = make();
		fences[i] = fence_at(timelines[i], i + 1);
	}
	for (unsigned i = 0; i < COUNT; i++) {
		assert_int_equal(sw_sync_timeline_inc(timelines[i], i), 0);
		assert_int_equal(kr_fence_status(fences[i]), 0);
	}
	for (unsigned i = 0; i < COUNT; i += 2)
		assert_int_equal(sw_sync_timeline_inc(timelines[i], 1), 0);
	for (unsigned i = 0; i < COUNT; i++)
		close(timelines[i]);
	for (unsigned i = 0; i < COUNT; i++) {
		assert_int_equal(kr_fence_wait(fences[i], WITHIN), i % 2 ? closed_error() : 0);
		close(fences[i]);
	}
	assert_true(fds_settle(fds));
	settle();
}

/* Closed by one thread while others use it: an error, never another's timeline. */
static void *
use(void *data)
{
	int timeline = *(int *)data;

	for (unsigned i = 0; i < 200; i++) {
		int fence = sw_sync_fence_create(timeline, "f", 100000);

		if (fence < 0)
			return (void *)(uintptr_t)(errno != EBADF && errno != ENOTTY);
		sw_sync_timeline_inc(timeline, 1);
		close(fence);
	}
	return NULL;
}

static void
shut_while_used(void **state)
{
	for (unsigned round = 0; round < 20; round++) {
		int fds = kr_test_count_fds(), timeline = make();
		pthread_t threads[2];
		void *wrong;

		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, use, &timeline), 0);
		poll(NULL, 0, 1);
		/* What close() does to the other end, without a number that is given again. */
		shutdown(timeline, SHUT_RDWR);
		for (unsigned i = 0; i < 2; i++) {
			assert_int_equal(pthread_join(threads[i], &wrong), 0);
			assert_null(wrong);
		}
		close(timeline);
		assert_true(fds_settle(fds));
	}
	settle();
}

#define RACE_ROUNDS 200
#define RACE_POINTS 64

struct closer {
	pthread_barrier_t start;
	int fences[RACE_POINTS];
};

static void *
close_all(void *data)
{
	struct closer *closer = data;

	pthread_barrier_wait(&closer->start);
	for (unsigned i = 0; i < RACE_POINTS; i++)
		close(closer->fences[i]);
	return NULL;
}

/*
 * The last descriptor of a point goes while its end comes. In the kernel that is a fence whose
 * last reference is gone already: one that the timeline takes up again is freed twice (the lab
 * looks at the kernel's log).
 */
static void
given_up_while_they_end(void **state)
{
	int timeline = make();

	for (unsigned round = 0; round < RACE_ROUNDS; round++) {
		struct closer closer;
		pthread_t thread;

		for (unsigned i = 0; i < RACE_POINTS; i++)
			closer.fences[i] = fence_at(timeline, round * RACE_POINTS + i + 1);
		pthread_barrier_init(&closer.start, NULL, 2);
		assert_int_equal(pthread_create(&thread, NULL, close_all, &closer), 0);
		pthread_barrier_wait(&closer.start);
		assert_int_equal(sw_sync_timeline_inc(timeline, RACE_POINTS), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
		pthread_barrier_destroy(&closer.start);
	}
	close(timeline);
	settle();
}

/* As closefrom() does to a library: what it holds fails, and what is made later works. */
static void
closed_by_the_program(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b");
	int first = dup(0), timeline, fence, merged;

	close(first);
	assert_int_equal(kr_fence_merge("m", a.fence, b.fence, &merged), 0);
	timeline = make();
	fence = fence_at(timeline, 1);
	assert_int_equal(kr_fence_status(fence), 0);
	for (int fd = first; fd < 40; fd++) {
		if (fd != fence)
			syscall(SYS_close, fd);
	}
	assert_true(kr_fence_wait(fence, WITHIN) < 0);
	signal_pair(&a, 1); /* ends the reactor's wait */
	poll(NULL, 0, 50);
	settle();
	assert_int_equal(sw_sync_timeline_inc(timeline, 1), -1);
	timeline = make();
	fence = fence_at(timeline, 1);
	assert_int_equal(sw_sync_timeline_inc(timeline, 1), 0);
	assert_int_equal(kr_fence_status(fence), 1);
}

#define THREAD_TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	THREAD_TEST(moves_by_counts),
	THREAD_TEST(names),
	THREAD_TEST(values_wrap),
	KR_TEST(widening),
	THREAD_TEST(closing_fails_open_points),
	THREAD_TEST(duplicates_are_the_same_timeline),
	THREAD_TEST(no_timelines),
	THREAD_TEST(forked_child_holds_it),
	THREAD_TEST(process_ends),
	THREAD_TEST(without_descriptors),
	THREAD_TEST(many_timelines),
	THREAD_TEST(shut_while_used),
	THREAD_TEST(given_up_while_they_end),
	KR_TEST_FLAGS(closed_by_the_program, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS),
};

KR_TEST_MAIN(tests)
