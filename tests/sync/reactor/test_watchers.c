/* SPDX-License-Identifier: Apache-2.0 */
/* The reactor's watchers: what calls them, what removes them, and that nothing of them stays. */
#include "support.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sync/reactor/watchers.h"

#define NEVER (-1)
#define LONG  kr_deadline_in(60 * KR_NSEC_PER_SEC)

/* A watcher that tells by an eventfd that it was called. */
struct spy {
	struct kr_sync_watcher watcher;
	atomic_int reason;
	atomic_int calls;
	int64_t when;
	int order;
	int called; /* an eventfd */
	void (*then)(struct spy *spy);
};

static atomic_int order;

static void
handle_spy(struct kr_sync_watcher *watcher, enum kr_sync_watcher_reason reason)
{
	struct spy *spy = kr_container_of(watcher, struct spy, watcher);
	int called = spy->called;

	spy->when = kr_clock_now();
	spy->order = atomic_fetch_add(&order, 1);
	atomic_store(&spy->reason, (int)reason);
	atomic_fetch_add(&spy->calls, 1);
	if (spy->then)
		spy->then(spy);
	eventfd_write(called, 1);
}

static void
init_spy(struct spy *spy, int fd, int64_t deadline_ns)
{
	memset(spy, 0, sizeof(*spy));
	spy->watcher.fd = fd;
	spy->watcher.events = EPOLLIN;
	spy->watcher.deadline_ns = deadline_ns;
	spy->watcher.handle = handle_spy;
	atomic_store(&spy->reason, NEVER);
	spy->called = eventfd(0, EFD_CLOEXEC);
}

static void
add_spy(struct spy *spy, int fd, int64_t deadline_ns)
{
	init_spy(spy, fd, deadline_ns);
	assert_int_equal(kr_sync_watcher_add(&spy->watcher), 0);
}

/* Whether it was called within five seconds. */
static bool
was_called(struct spy *spy)
{
	eventfd_t count;

	return poll_events(spy->called, 5000) && !eventfd_read(spy->called, &count);
}

static void
ready_calls(void **state)
{
	int fd = eventfd(0, EFD_CLOEXEC), fds = kr_test_count_fds();
	struct spy spy;

	add_spy(&spy, fd, KR_FOREVER);
	assert_int_equal(poll_events(spy.called, 20), 0);
	assert_int_equal(count_reactors(), 1);
	eventfd_write(fd, 1);
	assert_true(was_called(&spy));
	assert_int_equal(spy.reason, KR_SYNC_WATCHER_READY);
	assert_false(kr_sync_watcher_remove(&spy.watcher));
	/* Once: it is still readable. */
	assert_int_equal(poll_events(spy.called, 20), 0);
	close(spy.called);
	assert_true(fds_settle(fds));
	close(fd);
	settle();
}

/* Asking for nothing still tells that the other side is gone. */
static void
hangup_calls(void **state)
{
	struct spy spy;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	init_spy(&spy, ends[0], KR_FOREVER);
	spy.watcher.events = 0;
	assert_int_equal(kr_sync_watcher_add(&spy.watcher), 0);
	assert_int_equal(send(ends[1], "x", 1, 0), 1);
	assert_int_equal(poll_events(spy.called, 20), 0);
	close(ends[1]);
	assert_true(was_called(&spy));
	assert_int_equal(spy.reason, KR_SYNC_WATCHER_READY);
	close(ends[0]);
	close(spy.called);
	settle();
}

static void
deadline_calls(void **state)
{
	int64_t deadline = kr_clock_now() + 30 * KR_NSEC_PER_MSEC;
	int fds = kr_test_count_fds();
	struct spy spy;

	add_spy(&spy, -1, deadline);
	assert_true(was_called(&spy));
	assert_int_equal(spy.reason, KR_SYNC_WATCHER_DEADLINE);
	assert_true(spy.when >= deadline);
	close(spy.called);
	assert_true(fds_settle(fds));
	settle();
}

/* Also 0, which turns a timer off. */
static void
deadline_that_has_passed(void **state)
{
	int64_t past[] = {0, -1, 1, kr_clock_now() - 1};
	struct spy spy;

	for (unsigned i = 0; i < KR_ARRAY_LEN(past); i++) {
		add_spy(&spy, -1, past[i]);
		assert_true(was_called(&spy));
		close(spy.called);
	}
	settle();
}

static void
whichever_comes_first(void **state)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	struct spy spy;

	add_spy(&spy, fd, kr_clock_now() + 20 * KR_NSEC_PER_MSEC);
	assert_true(was_called(&spy));
	assert_int_equal(spy.reason, KR_SYNC_WATCHER_DEADLINE);
	eventfd_write(fd, 1);
	assert_int_equal(poll_events(spy.called, 20), 0);
	close(spy.called);
	add_spy(&spy, fd, LONG);
	assert_true(was_called(&spy));
	assert_int_equal(spy.reason, KR_SYNC_WATCHER_READY);
	close(spy.called);
	close(fd);
	settle();
}

/* By their time, whatever order they were added in; an earlier one shortens the wait. */
static void
deadlines_in_order(void **state)
{
	static const int delays[] = {60, 20, 100, 40, 20, 80};
	static const int expected[] = {3, 0, 5, 2, 1, 4};
	int64_t now = kr_clock_now() + 50 * KR_NSEC_PER_MSEC;
	struct spy spies[KR_ARRAY_LEN(delays)], last;

	atomic_store(&order, 0);
	add_spy(&last, -1, LONG);
	for (unsigned i = 0; i < KR_ARRAY_LEN(delays); i++)
		add_spy(&spies[i], -1, now + delays[i] * KR_NSEC_PER_MSEC);
	for (unsigned i = 0; i < KR_ARRAY_LEN(delays); i++) {
		assert_true(was_called(&spies[i]));
		assert_int_equal(spies[i].order, expected[i]);
		close(spies[i].called);
	}
	assert_true(kr_sync_watcher_remove(&last.watcher));
	assert_int_equal(last.calls, 0);
	close(last.called);
	settle();
}

static void
removed_is_not_called(void **state)
{
	int fd = eventfd(0, EFD_CLOEXEC), fds = kr_test_count_fds();
	struct spy spies[200];

	for (unsigned i = 0; i < KR_ARRAY_LEN(spies); i++) {
		add_spy(&spies[i], i ? -1 : fd, LONG);
		if (i)
			assert_true(kr_sync_watcher_remove(&spies[i].watcher));
		if (i)
			close(spies[i].called);
	}
	assert_true(kr_sync_watcher_remove(&spies[0].watcher));
	assert_false(kr_sync_watcher_remove(&spies[0].watcher));
	eventfd_write(fd, 1);
	assert_int_equal(poll_events(spies[0].called, 20), 0);
	close(spies[0].called);
	assert_true(fds_settle(fds));
	close(fd);
	settle();
}

/* Removing the last one ends the wait of a thread that nothing else would wake. */
static void
last_one_removed_frees_the_thread(void **state)
{
	struct pair a = make_pair("a");
	int fds = kr_test_count_fds();
	struct spy spy;

	for (int i = 0; i < 3; i++) {
		add_spy(&spy, a.fence, KR_FOREVER);
		poll(NULL, 0, i * 10);
		assert_true(kr_sync_watcher_remove(&spy.watcher));
		close(spy.called);
		assert_true(fds_settle(fds));
		settle();
	}
	close_pair(&a);
}

static void
add_again(struct spy *spy)
{
	spy->watcher.deadline_ns = kr_clock_now() + KR_NSEC_PER_MSEC;
	if (atomic_load(&spy->calls) < 5)
		assert_int_equal(kr_sync_watcher_add(&spy->watcher), 0);
	else
		spy->then = NULL;
}

static void
added_again_when_called(void **state)
{
	struct spy spy;

	init_spy(&spy, -1, kr_clock_now());
	spy.then = add_again;
	assert_int_equal(kr_sync_watcher_add(&spy.watcher), 0);
	while (atomic_load(&spy.calls) < 5)
		assert_true(was_called(&spy));
	settle();
	assert_int_equal(spy.calls, 5);
	close(spy.called);
}

static void
free_spy(struct spy *spy)
{
	free(spy);
}

static void
freed_when_called(void **state)
{
	struct spy *spy = malloc(sizeof(*spy));
	eventfd_t count;
	int called;

	init_spy(spy, -1, kr_clock_now() + KR_NSEC_PER_MSEC);
	called = spy->called;
	spy->then = free_spy;
	assert_int_equal(kr_sync_watcher_add(&spy->watcher), 0);
	assert_true(poll_events(called, 5000));
	assert_int_equal(eventfd_read(called, &count), 0);
	close(called);
	settle();
}

/* Beside merges: one thread for both, and neither ends the other. */
static void
beside_a_merge(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b");
	int fd = eventfd(0, EFD_CLOEXEC), merged;
	struct spy spy;

	assert_int_equal(kr_fence_merge("m", a.fence, b.fence, &merged), 0);
	add_spy(&spy, fd, LONG);
	assert_int_equal(count_reactors(), 1);
	signal_pair(&a, 1);
	signal_pair(&b, 1);
	assert_int_equal(kr_fence_wait(merged, SOON), 0);
	close(merged);
	eventfd_write(fd, 1);
	assert_true(was_called(&spy));
	assert_int_equal(spy.reason, KR_SYNC_WATCHER_READY);
	close(spy.called);
	close(fd);
	close_pair(&a);
	close_pair(&b);
	settle();
}

static void
refused(void **state)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	struct spy spy, other;

	init_spy(&spy, -1, KR_FOREVER);
	assert_int_equal(kr_sync_watcher_add(&spy.watcher), -EINVAL);
	spy.watcher.fd = 999; /* nothing is open there */
	assert_int_equal(kr_sync_watcher_add(&spy.watcher), -EBADF);
	close(spy.called);
	add_spy(&spy, fd, KR_FOREVER);
	init_spy(&other, fd, KR_FOREVER);
	assert_int_equal(kr_sync_watcher_add(&other.watcher), -EEXIST);
	assert_false(kr_sync_watcher_remove(&other.watcher));
	assert_true(kr_sync_watcher_remove(&spy.watcher));
	assert_int_equal(kr_sync_watcher_add(&other.watcher), 0);
	assert_true(kr_sync_watcher_remove(&other.watcher));
	close(spy.called);
	close(other.called);
	close(fd);
	settle();
}

static void
expect_refusal(int error)
{
	int fds = kr_test_count_fds();
	struct spy spy;

	init_spy(&spy, -1, LONG);
	assert_int_equal(kr_sync_watcher_add(&spy.watcher), error);
	assert_false(kr_sync_watcher_remove(&spy.watcher));
	close(spy.called);
	assert_true(fds_settle(fds));
	settle();
}

static void
without_a_timer(void **state)
{
	deny(SYS_timerfd_create, EMFILE);
	expect_refusal(-EMFILE);
}

static void
without_a_place(void **state)
{
	deny(SYS_epoll_ctl, ENOSPC);
	expect_refusal(-ENOSPC);
}

static void
without_a_thread(void **state)
{
	deny(SYS_clone3, EAGAIN);
	expect_refusal(-EAGAIN);
}

/* The parent's is called, once; the child's is not, and the child has it back. */
static void
fork_with_a_watcher(void **state)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	struct spy timed, untimed;
	pid_t child;

	add_spy(&timed, -1, kr_clock_now() + 100 * KR_NSEC_PER_MSEC);
	add_spy(&untimed, fd, KR_FOREVER);
	child = fork();
	if (child == 0) {
		bool ok = kr_sync_watcher_remove(&timed.watcher) &&
			kr_sync_watcher_remove(&untimed.watcher) &&
			!kr_sync_watcher_remove(&untimed.watcher);

		poll(NULL, 0, 150);
		_exit(ok && !timed.calls && !untimed.calls ? 0 : 1);
	}
	assert_int_equal(wait_for(child), 0);
	assert_true(was_called(&timed));
	eventfd_write(fd, 1);
	assert_true(was_called(&untimed));
	assert_int_equal(timed.calls + untimed.calls, 2);
	close(timed.called);
	close(untimed.called);
	close(fd);
	settle();
}

static void
say_stopped(struct kr_sync_watcher *watcher, enum kr_sync_watcher_reason reason)
{
	struct spy *spy = kr_container_of(watcher, struct spy, watcher);

	if (reason == KR_SYNC_WATCHER_STOPPED && kr_sync_watcher_add(watcher) == -ESHUTDOWN)
		eventfd_write(spy->called, 1);
}

/* exit() ends watchers of both kinds, so that they can let go of what they hold. */
static void
end_of_the_process_calls(void **state)
{
	int called = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), fd = eventfd(0, EFD_CLOEXEC);
	eventfd_t count = 0;
	pid_t child = fork();

	if (child == 0) {
		struct spy timed, untimed;

		alarm(20);
		init_spy(&timed, -1, LONG);
		init_spy(&untimed, fd, KR_FOREVER);
		timed.called = untimed.called = called;
		timed.watcher.handle = untimed.watcher.handle = say_stopped;
		if (kr_sync_watcher_add(&timed.watcher) || kr_sync_watcher_add(&untimed.watcher))
			_exit(1);
		exit(3);
	}
	assert_int_equal(wait_for(child), 3);
	assert_int_equal(eventfd_read(called, &count), 0);
	assert_int_equal(count, 2);
	close(called);
	close(fd);
}

/* As closefrom() does to a library. */
static void
closed_by_the_program(void **state)
{
	int kick = eventfd(0, EFD_CLOEXEC), last;
	struct spy timed, untimed, kicked;

	add_spy(&timed, -1, LONG);
	last = dup(0);
	close(last);
	add_spy(&untimed, eventfd(0, EFD_CLOEXEC), KR_FOREVER);
	add_spy(&kicked, kick, KR_FOREVER);
	for (int fd = kick + 1; fd < last; fd++) {
		if (fd != timed.called)
			syscall(SYS_close, fd); /* the set and its alarm */
	}
	eventfd_write(kick, 1); /* ends the wait that has the set open */
	assert_true(was_called(&kicked));
	assert_true(was_called(&timed) && was_called(&untimed));
	assert_int_equal(timed.reason, KR_SYNC_WATCHER_LOST);
	assert_int_equal(untimed.reason, KR_SYNC_WATCHER_LOST);
	close(timed.called);
	add_spy(&timed, -1, kr_clock_now());
	assert_true(was_called(&timed));
	assert_int_equal(timed.reason, KR_SYNC_WATCHER_DEADLINE);
	settle();
}

#define RACERS 4
#define RACES  300

/* Removal against the call: exactly one of them, and the memory is free to go after either. */
static void *
race(void *data)
{
	unsigned seed = *(unsigned *)data;
	uintptr_t wrong = 0;

	for (int i = 0; i < RACES; i++) {
		int fd = eventfd(0, EFD_CLOEXEC);
		struct spy *spy = malloc(sizeof(*spy));

		init_spy(spy, fd, kr_clock_now() + rand_r(&seed) % 400000);
		wrong += kr_sync_watcher_add(&spy->watcher) != 0;
		for (volatile int spin = rand_r(&seed) % 20000; spin > 0; spin--)
			;
		if (rand_r(&seed) % 2)
			eventfd_write(fd, 1);
		if (kr_sync_watcher_remove(&spy->watcher))
			wrong += atomic_load(&spy->calls) != 0;
		else
			wrong += !was_called(spy) || atomic_load(&spy->calls) != 1;
		close(spy->called);
		close(fd);
		free(spy);
	}
	return (void *)wrong;
}

static void
removed_while_called(void **state)
{
	pthread_t threads[RACERS];
	unsigned seeds[RACERS];

	for (unsigned i = 0; i < RACERS; i++) {
		seeds[i] = i + 1;
		assert_int_equal(pthread_create(&threads[i], NULL, race, &seeds[i]), 0);
	}
	for (unsigned i = 0; i < RACERS; i++) {
		void *wrong;

		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
	settle();
}

#define THREAD_TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	THREAD_TEST(ready_calls),
	THREAD_TEST(hangup_calls),
	THREAD_TEST(deadline_calls),
	THREAD_TEST(deadline_that_has_passed),
	THREAD_TEST(whichever_comes_first),
	THREAD_TEST(deadlines_in_order),
	THREAD_TEST(removed_is_not_called),
	THREAD_TEST(last_one_removed_frees_the_thread),
	THREAD_TEST(added_again_when_called),
	THREAD_TEST(freed_when_called),
	THREAD_TEST(beside_a_merge),
	THREAD_TEST(refused),
	THREAD_TEST(without_a_timer),
	THREAD_TEST(without_a_place),
	THREAD_TEST(without_a_thread),
	THREAD_TEST(fork_with_a_watcher),
	THREAD_TEST(end_of_the_process_calls),
	KR_TEST_FLAGS(closed_by_the_program, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS),
	KR_TEST_SLOW(removed_while_called, KR_TEST_KEEPS_MEMORY, 60),
};

KR_TEST_MAIN(tests)
