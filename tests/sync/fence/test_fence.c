/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One user-space fence: made, signalled, asked, waited for, passed on; the death of its producer.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "sync/fence/name.h"

/* S-02: active, then signalled, once. */
static void
signals_once(void **state)
{
	struct pair pair = make_pair("once");
	int64_t before = kr_clock_now(), time;

	assert_int_equal(kr_fence_status(pair.fence), KR_FENCE_ACTIVE);
	assert_int_equal(kr_fence_signal_time(pair.fence), 0);
	assert_int_equal(poll_events(pair.fence, 0), 0);
	signal_pair(&pair, KR_FENCE_SIGNALLED);
	for (int i = 0; i < 3; i++)
		assert_int_equal(kr_fence_status(pair.fence), KR_FENCE_SIGNALLED);
	time = kr_fence_signal_time(pair.fence);
	assert_true(time >= before && time <= kr_clock_now());
	assert_int_equal(kr_fence_wait(pair.fence, 0), 0);
	assert_true(poll_events(pair.fence, 0) & POLLIN);
	close_pair(&pair);
}

/* Who hears of an event late says when it was. */
static void
signals_of_another_time(void **state)
{
	struct pair pair = make_pair("flip");

	kr_fence_signal_at(pair.producer, KR_FENCE_SIGNALLED, 12345);
	assert_int_equal(kr_fence_status(pair.fence), KR_FENCE_SIGNALLED);
	assert_int_equal(kr_fence_signal_time(pair.fence), 12345);
	close(pair.fence);
}

static void
fails_with_its_status(void **state)
{
	static const int statuses[] = {-EIO, -ENOENT, -EINVAL, -ENOTSOCK, -4095};

	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		struct pair pair = make_pair("fails");

		signal_pair(&pair, statuses[i]);
		assert_int_equal(kr_fence_status(pair.fence), statuses[i]);
		assert_int_equal(kr_fence_wait(pair.fence, KR_FOREVER), statuses[i]);
		close_pair(&pair);
	}
}

/* A status that is none never reads as success. */
static void
nonsense_status_is_an_error(void **state)
{
	static const int statuses[] = {0, 2, INT32_MAX, -4096, INT32_MIN};

	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		struct pair pair = make_pair("nonsense");

		signal_pair(&pair, statuses[i]);
		assert_int_equal(kr_fence_status(pair.fence), -EINVAL);
		close_pair(&pair);
	}
}

/* B-84 */
static void
minus_one_is_signalled(void **state)
{
	int fd = 77;

	assert_int_equal(kr_fence_status(-1), KR_FENCE_SIGNALLED);
	assert_int_equal(kr_fence_wait(-1, 0), 0);
	assert_int_equal(kr_fence_signal_time(-1), 0);
	assert_int_equal(kr_fence_merge("m", -1, -1, &fd), 0);
	assert_int_equal(fd, -1);
	assert_int_equal(kr_fence_rename("m", -1, &fd), 0);
	assert_int_equal(fd, -1);
	assert_int_equal(kr_fence_status(-2), -EINVAL);
	assert_int_equal(kr_fence_wait(-2, 0), -EINVAL);
	kr_fence_signal(-1, 1);
}

static void
done_at_birth(void **state)
{
	struct kr_fence_label label = {.timeline = "t", .seqno = 1, .name = "born"};
	int fd;

	assert_int_equal(kr_fence_create_done(&label, 1, &fd), 0);
	assert_int_equal(kr_fence_status(fd), 1);
	assert_true(kr_fence_signal_time(fd) > 0);
	close(fd);
	assert_int_equal(kr_fence_create_done(NULL, -EIO, &fd), 0);
	assert_int_equal(kr_fence_status(fd), -EIO);
	close(fd);
}

/* Recognised by what it is: no other fd is a fence, whatever its state. */
static void
other_fds_are_no_fences(void **state)
{
	int unix_pair[2], stream[2], pipes[2];
	int fds[8];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, unix_pair), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream), 0);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	fds[0] = unix_pair[0];
	fds[1] = stream[0];
	fds[2] = pipes[0];
	fds[3] = eventfd(1, EFD_CLOEXEC);
	fds[4] = open("/dev/null", O_RDWR | O_CLOEXEC);
	fds[5] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	fds[6] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	fds[7] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 8; i++) {
			int out = 99;

			assert_int_equal(kr_fence_status(fds[i]), -EINVAL);
			assert_int_equal(kr_fence_wait(fds[i], 0), -EINVAL);
			assert_int_equal(kr_fence_merge("m", fds[i], -1, &out), -EINVAL);
			assert_int_equal(kr_fence_rename("m", fds[i], &out), -EINVAL);
			assert_int_equal(out, 99);
		}
		close(unix_pair[1]); /* now at end-of-file */
		close(stream[1]);
		close(pipes[1]);
		unix_pair[1] = stream[1] = pipes[1] = -1;
	}
	for (int i = 0; i < 8; i++)
		close(fds[i]);
	assert_int_equal(kr_fence_status(fds[0]), -EINVAL);
}

/* A fence's number may be another thing's the next moment: nothing is remembered. */
static void
reused_numbers(void **state)
{
	struct pair pair = make_pair("reuse");
	int number = pair.fence, pipes[2];

	assert_int_equal(kr_fence_status(number), 0);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	assert_int_equal(dup3(pipes[0], number, O_CLOEXEC), number);
	assert_int_equal(kr_fence_status(number), -EINVAL);
	close(pipes[0]);
	close(pipes[1]);
	close_pair(&pair);
}

/* B-87 */
static void
wait_times_out(void **state)
{
	struct pair pair = make_pair("late");
	int64_t start = kr_clock_now();

	assert_int_equal(kr_fence_wait(pair.fence, 0), -ETIME);
	assert_int_equal(kr_fence_wait(pair.fence, start + 20 * KR_NSEC_PER_MSEC), -ETIME);
	assert_true(kr_clock_now() >= start + 20 * KR_NSEC_PER_MSEC);
	close_pair(&pair);
}

static void
handle_alarm(int number)
{
	(void)number;
}

/* Signals neither end a wait nor stretch it. */
static void
wait_survives_signals(void **state)
{
	struct sigaction action = {.sa_handler = handle_alarm};
	struct itimerval timer = {.it_interval.tv_usec = 2000, .it_value.tv_usec = 2000};
	struct itimerval none = {0};
	struct pair pair = make_pair("interrupted");
	int64_t start = kr_clock_now(), spent;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	assert_int_equal(kr_fence_wait(pair.fence, start + 60 * KR_NSEC_PER_MSEC), -ETIME);
	setitimer(ITIMER_REAL, &none, NULL);
	spent = kr_clock_now() - start;
	assert_true(spent >= 60 * KR_NSEC_PER_MSEC && spent < 5 * KR_NSEC_PER_SEC);
	close_pair(&pair);
}

/* S-04, and S-05 of a producer that is killed: an error for whoever waits, never a hang. */
static void
killed_producer_fails_the_fence(void **state)
{
	int channel[2], fence;
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel), 0);
	child = fork();
	if (child == 0) {
		struct pair pair = make_pair("mortal");

		send_fd(channel[1], pair.fence);
		for (;;)
			pause();
	}
	fence = receive_fd(channel[0]);
	assert_int_equal(kr_fence_status(fence), KR_FENCE_ACTIVE);
	kill(child, SIGKILL);
	assert_int_equal(kr_fence_wait(fence, SOON), -EOWNERDEAD);
	assert_int_equal(kr_fence_status(fence), -EOWNERDEAD);
	assert_int_equal(wait_for(child), 128 + SIGKILL);
	close(fence);
	close(channel[0]);
	close(channel[1]);
}

static void
closed_producer_fails_the_fence(void **state)
{
	struct pair pair = make_pair("closed");

	close(pair.producer);
	pair.producer = -1;
	assert_int_equal(kr_fence_status(pair.fence), -EOWNERDEAD);
	assert_int_equal(kr_fence_wait(pair.fence, KR_FOREVER), -EOWNERDEAD);
	close_pair(&pair);
}

/* S-04: it crosses processes and is waited for there. */
static void
crosses_processes(void **state)
{
	struct pair pair = make_pair("crossing");
	int channel[2];
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel), 0);
	child = fork();
	if (child == 0) {
		int fence = receive_fd(channel[1]);
		bool ok = kr_fence_status(fence) == KR_FENCE_ACTIVE;

		send_fd(channel[1], fence); /* asked */
		ok = ok && kr_fence_wait(fence, SOON) == 0 && kr_fence_status(fence) == 1;
		_exit(ok ? 0 : 1);
	}
	send_fd(channel[0], pair.fence);
	close(receive_fd(channel[0]));
	signal_pair(&pair, KR_FENCE_SIGNALLED);
	assert_int_equal(wait_for(child), 0);
	close_pair(&pair);
	close(channel[0]);
	close(channel[1]);
}

/* DESIGN 5.3, the rule for fork: children that live on don't keep a dead parent's fences alive. */
static void
fork_drops_producers(void **state)
{
	int channel[2], hold[2], fence;
	pid_t parent;
	char byte;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel), 0);
	assert_int_equal(pipe2(hold, O_CLOEXEC), 0);
	parent = fork();
	if (parent == 0) {
		struct pair pair = make_pair("inherited");
		pid_t child = fork();

		if (child == 0) {
			close(hold[1]);
			_exit(read(hold[0], &byte, 1) == 0 ? 0 : 1); /* until the test ends */
		}
		send_fd(channel[1], pair.fence);
		_exit(0);
	}
	fence = receive_fd(channel[0]);
	assert_int_equal(wait_for(parent), 0);
	assert_int_equal(kr_fence_wait(fence, SOON), -EOWNERDEAD);
	close(fence);
	close(hold[0]);
	close(hold[1]);
	close(channel[0]);
	close(channel[1]);
}

/* A producer end closed without us leaves a stale number, which a child must not close. */
static void
fork_spares_reused_numbers(void **state)
{
	struct pair pair = make_pair("stale"), other = make_pair("mine");
	int number = pair.producer;
	pid_t child;

	close(pair.producer);
	pair.producer = -1;
	assert_int_equal(fcntl(other.fence, F_DUPFD_CLOEXEC, number), number);
	child = fork();
	if (child == 0)
		_exit(fcntl(number, F_GETFD) >= 0 && fcntl(other.producer, F_GETFD) < 0 ? 0 : 1);
	assert_int_equal(wait_for(child), 0);
	close(number);
	close_pair(&pair);
	close_pair(&other);
}

/* The child makes its own fences, and sees what its parent signals. */
static void
fork_keeps_fences(void **state)
{
	struct pair pair = make_pair("before");
	pid_t child = fork();

	if (child == 0) {
		struct pair own = make_pair("after");
		bool ok = kr_fence_status(own.fence) == 0;

		kr_fence_signal(own.producer, 1);
		ok = ok && kr_fence_status(own.fence) == 1 && kr_fence_wait(pair.fence, SOON) == 0;
		_exit(ok ? 0 : 1);
	}
	signal_pair(&pair, 1);
	assert_int_equal(wait_for(child), 0);
	close_pair(&pair);
}

static void
carries_a_name(void **state)
{
	struct pair pair = make_pair("SurfaceView:0");
	char name[128], begin[32];

	need_names();
	snprintf(begin, sizeof(begin), "syncf/%d/", (int)getpid());
	bound_name(pair.fence, true, name);
	assert_memory_equal(name, begin, strlen(begin));
	assert_string_equal(strstr(name, "/test/"), "/test/7/SurfaceView:0");
	signal_pair(&pair, 1);
	bound_name(pair.fence, true, name); /* also after its producer is gone */
	assert_memory_equal(name, begin, strlen(begin));
	close_pair(&pair);
}

static void
default_label(void **state)
{
	struct kr_sync_name name;
	int producer, fence;

	need_names();
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	assert_true(kr_sync_name_peer(fence, KR_SYNC_NAME_FENCE, &name));
	assert_string_equal(name.timeline, "krafla");
	assert_string_equal(name.name, "");
	close(producer);
	close(fence);
}

static void
names_are_cut_and_cleaned(void **state)
{
	const char *longest = "0123456789012345678901234567890123456789";
	struct kr_fence_label label = {.timeline = longest, .seqno = UINT64_MAX, .name = longest};
	struct kr_sync_name parsed;
	int producer, fence;
	char name[128];

	need_names();
	assert_int_equal(kr_fence_create(&label, &producer, &fence), 0);
	bound_name(fence, true, name);
	assert_true(strlen(name) <= 107);
	assert_true(kr_sync_name_peer(fence, KR_SYNC_NAME_FENCE, &parsed));
	assert_memory_equal(parsed.timeline, longest, 31);
	assert_int_equal(strlen(parsed.timeline), 31);
	assert_true(parsed.seqno == UINT64_MAX);
	close(producer);
	close(fence);
	label = (struct kr_fence_label){.timeline = "a/b\n", .seqno = 1, .name = "c/d\x1b"};
	assert_int_equal(kr_fence_create(&label, &producer, &fence), 0);
	assert_true(kr_sync_name_peer(fence, KR_SYNC_NAME_FENCE, &parsed));
	assert_string_equal(parsed.timeline, "a_b_");
	assert_string_equal(parsed.name, "c/d_");
	close(producer);
	close(fence);
}

/* Somebody else has the name: another is found. */
static void
taken_name_gets_a_suffix(void **state)
{
	struct kr_fence_label label = {.timeline = "t", .seqno = 1, .name = "n"};
	bool seen = false;

	need_names();
	for (int i = 0; i < 1000 && !seen; i++) {
		int a = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
		int b = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
		char name[128];

		/* Within one millisecond these want the same name. */
		assert_int_equal(kr_sync_name_bind(a, KR_SYNC_NAME_FENCE, 5, &label), 0);
		assert_int_equal(kr_sync_name_bind(b, KR_SYNC_NAME_FENCE, 5, &label), 0);
		bound_name(b, false, name);
		seen = strchr(name, '~') != NULL;
		close(a);
		close(b);
	}
	assert_true(seen);
}

static void
check_unnamed(int error)
{
	struct pair pair;
	char name[128];
	int renamed;

	deny(SYS_bind, error);
	pair = make_pair("denied");
	bound_name(pair.fence, true, name);
	assert_string_equal(name, "");
	assert_int_equal(kr_fence_status(pair.fence), 0);
	assert_int_equal(kr_fence_rename("new", pair.fence, &renamed), 0);
	signal_pair(&pair, 1);
	assert_int_equal(kr_fence_wait(renamed, SOON), 0);
	close(renamed);
	close_pair(&pair);
}

/* Sandboxes deny abstract names; a squatter takes them all. Fences work without. */
static void
works_without_names(void **state)
{
	check_unnamed(EPERM);
}

static void
works_with_every_name_taken(void **state)
{
	check_unnamed(EADDRINUSE);
}

static void
forged_names_mean_nothing(void **state)
{
	struct kr_fence_label label = {.timeline = "t", .seqno = 1, .name = "forged"};
	int ends[2];

	need_names();
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(kr_sync_name_bind(ends[0], KR_SYNC_NAME_FENCE, 1, &label), 0);
	assert_int_equal(kr_fence_status(ends[1]), -EINVAL);
	close(ends[0]);
	close(ends[1]);
}

/* S-07 */
static void
rename_shows_on_the_fence(void **state)
{
	struct pair pair = make_pair("old");
	char name[128];
	int renamed, again;

	need_names();
	assert_int_equal(kr_fence_rename("SurfaceView:3", pair.fence, &renamed), 0);
	bound_name(pair.fence, false, name);
	assert_non_null(strstr(name, "/SurfaceView:3"));
	assert_int_equal(kr_fence_rename("second", renamed, &again), 0);
	assert_int_equal(kr_fence_status(again), 0);
	signal_pair(&pair, -EIO);
	assert_int_equal(kr_fence_status(again), -EIO);
	close(again);
	close(renamed);
	close_pair(&pair);
}

static void
without_fds_nothing_is_left(void **state)
{
	int count = kr_test_count_fds();

	for (int more = 0; more < 2; more++) {
		int producer = 1234, fence = 1234;

		kr_test_limit_fds(more);
		assert_int_equal(kr_fence_create(NULL, &producer, &fence), -EMFILE);
		assert_int_equal(kr_fence_create_done(NULL, 1, &fence), -EMFILE);
		assert_int_equal(producer, 1234);
		assert_int_equal(fence, 1234);
		kr_test_end_fd_limit();
		assert_int_equal(kr_test_count_fds(), count);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(signals_once),
	KR_TEST(signals_of_another_time),
	KR_TEST(fails_with_its_status),
	KR_TEST(nonsense_status_is_an_error),
	KR_TEST(minus_one_is_signalled),
	KR_TEST(done_at_birth),
	KR_TEST(other_fds_are_no_fences),
	KR_TEST(reused_numbers),
	KR_TEST(wait_times_out),
	KR_TEST(wait_survives_signals),
	KR_TEST(killed_producer_fails_the_fence),
	KR_TEST(closed_producer_fails_the_fence),
	KR_TEST(crosses_processes),
	KR_TEST(fork_drops_producers),
	KR_TEST(fork_spares_reused_numbers),
	KR_TEST(fork_keeps_fences),
	KR_TEST(carries_a_name),
	KR_TEST(default_label),
	KR_TEST(names_are_cut_and_cleaned),
	KR_TEST(taken_name_gets_a_suffix),
	KR_TEST(works_without_names),
	KR_TEST(works_with_every_name_taken),
	KR_TEST(forged_names_mean_nothing),
	KR_TEST(rename_shows_on_the_fence),
	KR_TEST(without_fds_nothing_is_left),
};

KR_TEST_MAIN(tests)
