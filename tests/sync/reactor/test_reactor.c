/* SPDX-License-Identifier: Apache-2.0 */
/* The reactor: its thread, its descriptors, its memory, its end; fork; exhaustion; many at once. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sync/merge/pending.h"
#include "sync/fence/user_fence.h"

static int
merge_of(const struct pair *a, const struct pair *b)
{
	int merged;

	assert_int_equal(kr_fence_merge("merged", a->fence, b->fence, &merged), 0);
	return merged;
}

static void
no_thread_without_a_merge(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b");
	int merged;

	assert_int_equal(kr_fence_wait(a.fence, 0), -ETIME);
	signal_pair(&b, -EIO);
	assert_int_equal(kr_fence_merge("m", a.fence, b.fence, &merged), 0);
	close(merged);
	assert_int_equal(count_reactors(), 0);
	close_pair(&a);
	close_pair(&b);
}

/*
 * Starts with the first, ends with the last; again and again. The epoll set goes before the signal.
 */
static void
thread_lives_with_merges(void **state)
{
	int fds = kr_test_count_fds();

	for (int i = 0; i < 3; i++) {
		struct pair a = make_pair("a"), b = make_pair("b"), c = make_pair("c");
		int first = merge_of(&a, &b), second = merge_of(&b, &c);

		assert_int_equal(count_reactors(), 1);
		signal_pair(&a, 1);
		signal_pair(&b, 1);
		assert_int_equal(kr_fence_wait(first, SOON), 0);
		assert_int_equal(kr_fence_wait(second, 0), -ETIME);
		signal_pair(&c, 1);
		assert_int_equal(kr_fence_wait(second, SOON), 0);
		close(first);
		close(second);
		close_pair(&a);
		close_pair(&b);
		close_pair(&c);
		assert_true(fds_settle(fds));
		settle();
	}
	settle();
}

/* A merged fence that nobody holds any more ends its merge, though its inputs never signal. */
static void
forgotten_merge_ends(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b");
	int fds = kr_test_count_fds();

	for (int i = 0; i < 20; i++)
		close(merge_of(&a, &b));
	assert_true(fds_settle(fds));
	settle();
	close_pair(&a);
	close_pair(&b);
	settle();
}

/* When it is over the thread has run. */
static void
one_round(void)
{
	struct pair a = make_pair("round");
	int merged = merge_of(&a, &a);

	signal_pair(&a, 1);
	assert_int_equal(kr_fence_wait(merged, SOON), 0);
	close(merged);
	close_pair(&a);
}

static unsigned long long
blocked_signals(int thread)
{
	unsigned long long mask = 0;
	char line[256];
	FILE *status;

	snprintf(line, sizeof(line), "/proc/self/task/%d/status", thread);
	status = fopen(line, "re");
	while (status && fgets(line, sizeof(line), status)) {
		if (sscanf(line, "SigBlk: %llx", &mask) == 1)
			break;
	}
	if (status)
		fclose(status);
	return mask;
}

static void
signals_are_blocked(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b");
	int merged = merge_of(&a, &b), id = 0;
	char path[64], name[32] = "";

	one_round();
	for (int i = 1; i < 100 && !id; i++) {
		FILE *comm;

		snprintf(path, sizeof(path), "/proc/self/task/%d/comm", getpid() + i);
		comm = fopen(path, "re");
		if (comm && fgets(name, sizeof(name), comm) && !strcmp(name, "krafla-fences\n"))
			id = getpid() + i;
		if (comm)
			fclose(comm);
	}
	assert_true(id > 0);
	/* All but SIGKILL, SIGSTOP and the two that libc keeps to itself. */
	assert_true((blocked_signals(id) & 0x7ffbfeff) == 0x7ffbfeff);
	close(merged);
	close_pair(&a);
	close_pair(&b);
	settle();
}

static size_t
heap_in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static void
merges_leave_no_memory(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b");
	size_t heap;

	one_round(); /* libc caches a stack: what follows can be counted */
	settle();
	heap = heap_in_use();
	for (int i = 0; i < 200; i++)
		close(merge_of(&a, &b));
	settle();
	close(merge_of(&a, &b)); /* joins the thread that has ended */
	settle();
	assert_true(heap_in_use() <= heap);
	close_pair(&a);
	close_pair(&b);
	settle();
}

static int64_t
cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * KR_NSEC_PER_SEC + ts.tv_nsec;
}

/*
 * An input that is done before the other, and one that outlives its merge: neither makes it spin.
 */
static void
waits_without_spinning(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b"), c = make_pair("c"), d = make_pair("d");
	int half = merge_of(&a, &b), failed = merge_of(&c, &d);
	int64_t before;

	signal_pair(&a, 1);
	signal_pair(&d, -EIO);
	assert_int_equal(kr_fence_wait(failed, SOON), -EIO);
	signal_pair(&c, 1);
	one_round();
	before = cpu_time();
	poll(NULL, 0, 300);
	assert_true(cpu_time() - before < 50 * KR_NSEC_PER_MSEC);
	close(half);
	close(failed);
	close_pair(&a);
	close_pair(&b);
	close_pair(&c);
	close_pair(&d);
	settle();
}

/* The thread, the epoll set, a place in it can't be had: an error, and nothing is left behind. */
static void
expect_failure(int error)
{
	struct pair a = make_pair("a"), b = make_pair("b");
	int fds = kr_test_count_fds(), merged = 1234;

	assert_int_equal(kr_fence_merge("m", a.fence, b.fence, &merged), error);
	assert_int_equal(merged, 1234);
	assert_true(fds_settle(fds));
	close_pair(&a);
	close_pair(&b);
	settle();
}

static void
without_a_thread(void **state)
{
	deny(SYS_clone3, EAGAIN); /* what libc makes threads with; leak checkers use clone */
	expect_failure(-EAGAIN);
}

static void
without_an_epoll_set(void **state)
{
	deny(SYS_epoll_create1, ENOMEM);
	expect_failure(-ENOMEM);
}

static void
without_a_place_for_the_producer(void **state)
{
	deny(SYS_epoll_ctl, ENOSPC);
	expect_failure(-ENOSPC);
}

/* The merge has begun by then: the thread is there and lets it go. */
static void
without_a_place_for_an_input(void **state)
{
	int next = dup(0);

	close(next);
	deny_with(SYS_epoll_ctl, (unsigned)next + 8,
		ENOSPC); /* behind three pairs and the set: the second input */
	expect_failure(-ENOSPC);
}

/* As closefrom() does to a library. The merges fail, nothing spins, later ones work. */
static void
epoll_set_closed_by_the_program(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b");
	int merged = merge_of(&a, &b), other = merge_of(&b, &b);
	char path[64], target[64] = "";

	for (int fd = 3; fd < 100 && strcmp(target, "anon_inode:[eventpoll]"); fd++) {
		memset(target, 0, sizeof(target));
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (readlink(path, target, sizeof(target) - 1) > 0 &&
			!strcmp(target, "anon_inode:[eventpoll]"))
			syscall(SYS_close,
				fd); /* unseen by a sanitizer, which would call it a race */
	}
	signal_pair(&a, 1); /* ends the wait that has the set open */
	assert_int_equal(kr_fence_wait(merged, SOON), -EOWNERDEAD);
	assert_int_equal(kr_fence_wait(other, SOON), -EOWNERDEAD);
	close(merged);
	close(other);
	one_round();
	close_pair(&a);
	close_pair(&b);
	settle();
}

/* Each descriptor that a merge needs in turn can't be had: nothing is left behind. */
static void
without_fds_nothing_is_left(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b");
	int fds = kr_test_count_fds(), err = -EMFILE;
	int merged = 1234, more;

	for (more = 0; err; more++) {
		assert_int_equal(merged, 1234);
		kr_test_limit_fds(more);
		err = kr_fence_merge("m", a.fence, b.fence, &merged);
		assert_true(err == 0 || err == -EMFILE);
		kr_test_end_fd_limit();
		if (err)
			assert_true(fds_settle(fds));
	}
	assert_true(more > 5); /* two duplicates, a pair, the epoll set */
	close(merged);
	assert_true(fds_settle(fds));
	settle();
	close_pair(&a);
	close_pair(&b);
	settle();
}

/* The same while the thread serves another merge, which goes on unharmed. */
static void
without_fds_others_go_on(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b");
	int first = merge_of(&a, &b), fds = kr_test_count_fds(), merged = 1234;

	for (int more = 0; more < 4; more++) {
		kr_test_limit_fds(more);
		assert_int_equal(kr_fence_merge("m", a.fence, b.fence, &merged), -EMFILE);
		kr_test_end_fd_limit();
		assert_true(fds_settle(fds));
	}
	signal_pair(&a, 1);
	signal_pair(&b, 1);
	assert_int_equal(kr_fence_wait(first, SOON), 0);
	close(first);
	close_pair(&a);
	close_pair(&b);
	settle();
}

/* RLIMIT_NOFILE of 64: as many as fit, then an error, then all of them work. */
static void
sixty_four_fds(void **state)
{
	struct rlimit limit = {64, 64};
	struct pair a = make_pair("a"), b = make_pair("b");
	int merged[64], count = 0, err;

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	while (!(err = kr_fence_merge("m", a.fence, b.fence, &merged[count])))
		count++;
	assert_int_equal(err, -EMFILE);
	assert_true(count >= 10);
	signal_pair(&a, 1);
	signal_pair(&b, 1);
	for (int i = 0; i < count; i++) {
		assert_int_equal(kr_fence_wait(merged[i], SOON), 0);
		close(merged[i]);
	}
	close_pair(&a);
	close_pair(&b);
	settle();
}

/*
 * The child has neither thread nor descriptors of it; its parent's merge goes on and
 * is seen by both.
 */
static void
fork_with_a_pending_merge(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b");
	int before = kr_test_count_fds(), merged = merge_of(&a, &b);
	pid_t child = fork();

	if (child == 0) {
		/* without the two producer ends, and with the merged fence */
		bool ok = kr_test_count_fds() == before - 2 + 1;

		ok = ok && kr_fence_wait(merged, SOON) == 0;
		_exit(ok ? 0 : 1);
	}
	signal_pair(&a, 1);
	signal_pair(&b, 1);
	assert_int_equal(wait_for(child), 0);
	assert_int_equal(kr_fence_wait(merged, SOON), 0);
	close(merged);
	close_pair(&a);
	close_pair(&b);
	settle();
}

#if !THREAD_SANITIZER /* it forbids threads in the child of a process that has some */
/* A child merges with a reactor of its own, and leaves its parent's alone. */
static void
fork_and_merge_in_the_child(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b"), x = make_pair("x"), y = make_pair("y");
	int merged = merge_of(&a, &b), first = merge_of(&x, &y);
	pid_t child;

	/*
	 * The thread has begun once it has ended a merge. AddressSanitizer of clang 14 takes
	 * its allocator's lock when a thread begins, and a child that is forked meanwhile
	 * finds it taken for ever.
	 */
	signal_pair(&x, 1);
	signal_pair(&y, 1);
	assert_int_equal(kr_fence_wait(first, SOON), 0);
	close(first);
	close_pair(&x);
	close_pair(&y);
	child = fork();
	if (child == 0) {
		struct pair c = make_pair("c");
		int own = merge_of(&c, &a), ok;

		signal_pair(&c, 1);
		ok = kr_fence_wait(own, SOON) == 0;
		exit(ok ? 0 : 1);
	}
	assert_int_equal(kr_fence_wait(merged, kr_clock_now() + 20 * KR_NSEC_PER_MSEC), -ETIME);
	signal_pair(&a, 1);
	assert_int_equal(wait_for(child), 0);
	assert_int_equal(kr_fence_status(merged), 0);
	signal_pair(&b, 1);
	assert_int_equal(kr_fence_wait(merged, SOON), 0);
	close(merged);
	close_pair(&a);
	close_pair(&b);
	settle();
}
#endif

/* A process that ends, by exit or by force, fails the merges that it owes to others. */
static void
end_of_the_process_fails_merges(void **state)
{
	for (int i = 0; i < 2; i++) {
		struct pair a = make_pair("a"), b = make_pair("b");
		int channel[2], merged;
		pid_t child;

		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel), 0);
		child = fork();
		if (child == 0) {
			alarm(20);
			merged = merge_of(&a, &b);
			send_fd(channel[1], merged);
			close(receive_fd(channel[1]));
			if (i)
				raise(SIGKILL);
			exit(3); /* with the destructor that ends the thread */
		}
		merged = receive_fd(channel[0]);
		assert_int_equal(kr_fence_status(merged), 0);
		send_fd(channel[0], 0);
		assert_int_equal(kr_fence_wait(merged, SOON), -EOWNERDEAD);
		assert_int_equal(wait_for(child), i ? 128 + SIGKILL : 3);
		close(merged);
		close(channel[0]);
		close(channel[1]);
		close_pair(&a);
		close_pair(&b);
	}
	settle();
}

#define STRESS_THREADS 4
#define STRESS_ROUNDS  (THREAD_SANITIZER ? 100 : 400)

/* Merges of random shape with random ends, from several threads at once. */
static void *
stress(void *data)
{
	unsigned seed = *(unsigned *)data;
	uintptr_t wrong = 0;

	for (int i = 0; i < STRESS_ROUNDS; i++) {
		struct pair a = make_pair("a"), b = make_pair("b"), c = make_pair("c");
		int ab = merge_of(&a, &b), abc, end = rand_r(&seed) % 3 ? 1 : -EIO;

		assert_int_equal(kr_fence_merge("abc", ab, c.fence, &abc), 0);
		if (rand_r(&seed) % 4 == 0) {
			close(ab);
			ab = -1;
		}
		signal_pair(&c, 1);
		signal_pair(rand_r(&seed) % 2 ? &a : &b, 1);
		if (a.producer >= 0)
			signal_pair(&a, end);
		if (b.producer >= 0)
			signal_pair(&b, end);
		wrong += kr_fence_wait(abc, kr_deadline_in(10 * KR_NSEC_PER_SEC)) !=
			(end == 1 ? 0 : end);
		close(abc);
		if (ab >= 0)
			close(ab);
		close_pair(&a);
		close_pair(&b);
		close_pair(&c);
	}
	return (void *)wrong;
}

static void
merges_from_many_threads(void **state)
{
	pthread_t threads[STRESS_THREADS];
	unsigned seeds[STRESS_THREADS];
	int fds = kr_test_count_fds();

	for (unsigned i = 0; i < STRESS_THREADS; i++) {
		seeds[i] = i + 1;
		assert_int_equal(pthread_create(&threads[i], NULL, stress, &seeds[i]), 0);
	}
	for (unsigned i = 0; i < STRESS_THREADS; i++) {
		void *wrong;

		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
	assert_true(fds_settle(fds));
	settle();
}

static void *
ask_points(void *data)
{
	struct kr_sync_points points;
	int fd = *(int *)data;

	do {
		if (kr_sync_pending_points(fd, false, &points) || points.count != 2)
			return NULL;
	} while (points.status == 0);
	return (void *)(uintptr_t)(points.status == 1);
}

/* Asking what a merge consists of while it ends. */
static void
asked_while_it_ends(void **state)
{
	for (int i = 0; i < 20; i++) {
		struct pair a = make_pair("a"), b = make_pair("b");
		int merged = merge_of(&a, &b);
		pthread_t thread;
		void *ok;

		assert_int_equal(pthread_create(&thread, NULL, ask_points, &merged), 0);
		signal_pair(&a, 1);
		signal_pair(&b, 1);
		assert_int_equal(pthread_join(thread, &ok), 0);
		assert_non_null(ok);
		close(merged);
		close_pair(&a);
		close_pair(&b);
	}
	settle();
}

#define THREAD_TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	KR_TEST(no_thread_without_a_merge),
	THREAD_TEST(thread_lives_with_merges),
	THREAD_TEST(forgotten_merge_ends),
	THREAD_TEST(signals_are_blocked),
	THREAD_TEST(merges_leave_no_memory),
	THREAD_TEST(waits_without_spinning),
	KR_TEST_FLAGS(epoll_set_closed_by_the_program, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS),
	THREAD_TEST(without_a_thread),
	THREAD_TEST(without_an_epoll_set),
	THREAD_TEST(without_a_place_for_the_producer),
	THREAD_TEST(without_a_place_for_an_input),
	THREAD_TEST(without_fds_nothing_is_left),
	THREAD_TEST(without_fds_others_go_on),
	THREAD_TEST(sixty_four_fds),
	THREAD_TEST(fork_with_a_pending_merge),
#if !THREAD_SANITIZER /* it forbids threads in the child of a process that has some */
	THREAD_TEST(fork_and_merge_in_the_child),
#endif
	THREAD_TEST(end_of_the_process_fails_merges),
	KR_TEST_SLOW(merges_from_many_threads, KR_TEST_KEEPS_MEMORY, 60),
	THREAD_TEST(asked_while_it_ends),
};

KR_TEST_MAIN(tests)
