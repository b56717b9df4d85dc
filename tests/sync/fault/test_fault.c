/* SPDX-License-Identifier: Apache-2.0 */
/* Fault injection (krafla/fault.h): which fences are meant, and what becomes of them. */
#include "rig.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <krafla/fault.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sync/fault/fault.h"
#include "sync/fault/text.h"
#include "util/fd.h"
#include "util/guard.h"
#include "util/log.h"

#define SETS_ENV KR_TEST_KEEPS_MEMORY /* setenv does */

/* Which of the first 32 that pass are meant. */
static uint32_t
pattern(const struct krafla_fault *fault)
{
	uint32_t bits = 0;

	fault_set(fault);
	for (int i = 0; i < 32; i++) {
		int fence = pass_none();

		if (fence >= 0)
			bits |= 1u << i;
		kr_fd_close(&fence);
	}
	assert_int_equal(krafla_fault_count(FAULT_SITE), __builtin_popcount(bits));
	return bits;
}

static void
nothing_happens_unasked(void **state)
{
	struct pair pair = make_pair("plain");

	assert_int_equal(kr_fault_fence(FAULT_SITE, -1), -1);
	assert_int_equal(kr_fault_fence(FAULT_SITE, pair.fence), pair.fence);
	assert_int_equal(atomic_load(&kr_fault_sites), 0);
	assert_int_equal(krafla_fault_count(FAULT_SITE), 0);
	close_pair(&pair);
}

static void
error_kind(void **state)
{
	struct krafla_fault fault = fault_of(KRAFLA_FAULT_ERROR);
	struct pair pair = make_pair("good");
	int fence;

	fault_set(&fault);
	fence = kr_fault_fence(FAULT_SITE, pair.fence);
	pair.fence = -1;
	assert_int_equal(kr_fence_status(fence), -EIO);
	kr_fd_close(&fence);
	fault.error = -ENODEV;
	fault_set(&fault);
	fence = pass_none();
	assert_int_equal(kr_fence_status(fence), -ENODEV);
	kr_fd_close(&fence);
	assert_int_equal(krafla_fault_count(FAULT_SITE), 1);
	/* Other sites are other sites. */
	assert_int_equal(kr_fault_fence(KRAFLA_FAULT_AT_DEQUEUE, -1), -1);
	krafla_fault_clear(FAULT_SITE);
	assert_int_equal(pass_none(), -1);
	assert_int_equal(krafla_fault_count(FAULT_SITE), 1);
	close_pair(&pair);
}

/* The fence that was there is closed: its producer notices. */
static void
absent_kind(void **state)
{
	struct pair pair = make_pair("good");

	fault_set_kind(KRAFLA_FAULT_ABSENT);
	assert_int_equal(kr_fault_fence(FAULT_SITE, pair.fence), -1);
	assert_int_equal(fcntl(pair.fence, F_GETFD), -1);
	pair.fence = -1;
	assert_int_equal(krafla_fault_count(FAULT_SITE), 1);
	close_pair(&pair);
}

static void
closed_kind(void **state)
{
	int fence, copy;

	fault_set_kind(KRAFLA_FAULT_CLOSED);
	fence = pass_none();
	assert_true(fence > 1 << 30);
	assert_int_equal(fcntl(fence, F_GETFD), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(kr_fence_status(fence), -EINVAL);
	assert_int_equal(kr_fence_wait(fence, KR_FOREVER), -EINVAL);
	assert_int_equal(kr_fd_dup(fence, &copy), -EBADF);
	assert_int_equal(kr_fence_merge("m", fence, -1, &copy), -EINVAL);
	assert_int_equal(kr_fence_rename("m", fence, &copy), -EINVAL);
}

static void
foreign_kind(void **state)
{
	int fence, copy;

	fault_set_kind(KRAFLA_FAULT_FOREIGN);
	fence = pass_none();
	assert_int_equal(fcntl(fence, F_GETFD), FD_CLOEXEC);
	assert_int_equal(poll_events(fence, 0), 0);
	assert_int_equal(kr_fence_status(fence), -EINVAL);
	assert_int_equal(kr_fence_wait(fence, KR_FOREVER), -EINVAL);
	assert_int_equal(kr_fence_merge("m", fence, -1, &copy), -EINVAL);
	kr_fd_close(&fence);
}

static void
selection(void **state)
{
	struct krafla_fault fault = fault_of(KRAFLA_FAULT_ERROR);

	assert_int_equal(pattern(&fault), 0xffffffff);
	fault.every = 4;
	assert_int_equal(pattern(&fault), 0x11111111);
	fault.from = 3;
	assert_int_equal(pattern(&fault), 0x44444444);
	fault.count = 3;
	assert_int_equal(pattern(&fault), 0x00000444);
	fault.every = 0;
	assert_int_equal(pattern(&fault), 0x0000001c);
	fault.from = 33;
	assert_int_equal(pattern(&fault), 0);
}

/* Drawn, but the same each time; another seed draws others. */
static void
selection_by_chance(void **state)
{
	struct krafla_fault fault = fault_of(KRAFLA_FAULT_ERROR);
	uint32_t first, second;

	fault.permille = 500;
	first = pattern(&fault);
	assert_in_range(__builtin_popcount(first), 4, 28);
	assert_int_equal(pattern(&fault), first);
	fault.seed = 77;
	second = pattern(&fault);
	assert_true(second != first);
	fault.permille = 1000;
	assert_int_equal(pattern(&fault), 0xffffffff);
	fault.permille = 100;
	assert_in_range(__builtin_popcount(pattern(&fault)), 0, 12);
}

static void
wrong_faults(void **state)
{
	struct krafla_fault fault = fault_of(KRAFLA_FAULT_ERROR);

	assert_int_equal(krafla_fault_set(KRAFLA_FAULT_SITES, &fault), -EINVAL);
	assert_int_equal(krafla_fault_set((enum krafla_fault_site) - 1, &fault), -EINVAL);
	assert_int_equal(krafla_fault_set(FAULT_SITE, NULL), -EINVAL);
	fault.error = 5;
	assert_int_equal(krafla_fault_set(FAULT_SITE, &fault), -EINVAL);
	fault.error = -4096;
	assert_int_equal(krafla_fault_set(FAULT_SITE, &fault), -EINVAL);
	fault = fault_of(KRAFLA_FAULT_KINDS);
	assert_int_equal(krafla_fault_set(FAULT_SITE, &fault), -EINVAL);
	fault = fault_of(KRAFLA_FAULT_ERROR);
	fault.permille = 1001;
	assert_int_equal(krafla_fault_set(FAULT_SITE, &fault), -EINVAL);
	fault = fault_of(KRAFLA_FAULT_ERROR);
	fault.size = 8;
	assert_int_equal(krafla_fault_set(FAULT_SITE, &fault), -EINVAL);
	krafla_fault_clear((enum krafla_fault_site)99);
	assert_int_equal(krafla_fault_count((enum krafla_fault_site)99), 0);
	assert_null(krafla_fault_site_name(KRAFLA_FAULT_SITES));
	assert_null(krafla_fault_kind_name(KRAFLA_FAULT_KINDS));
	assert_int_equal(pass_none(), -1);
}

/* Then the fence passes as it is, which isn't counted. */
static void
fds_run_out(void **state)
{
	struct rlimit few = {64, 64};
	struct pair pair = make_pair("kept");
	int fds[64], count = 0;

	fault_set_kind(KRAFLA_FAULT_ERROR);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	while (count < 64 && (fds[count] = fcntl(pair.fence, F_DUPFD_CLOEXEC, 0)) >= 0)
		count++;
	assert_int_equal(kr_fault_fence(FAULT_SITE, pair.fence), pair.fence);
	assert_int_equal(krafla_fault_count(FAULT_SITE), 0);
	while (count)
		close(fds[--count]);
	assert_int_equal(kr_fence_status(pair.fence), 0);
	close_pair(&pair);
}

/* --- text --- */

static void
expect_text(const char *text, int result)
{
	int got = krafla_fault_set_text(text);

	if (got != result)
		fail_msg("'%s' gives %d", text ? text : "NULL", got);
}

static void
right_texts(void **state)
{
	struct krafla_fault faults[KRAFLA_FAULT_SITES];
	const struct krafla_fault *queue = &faults[KRAFLA_FAULT_AT_QUEUE];
	const struct krafla_fault *late = &faults[KRAFLA_FAULT_AT_DRIVER_RELEASE];

	assert_int_equal(
		kr_fault_parse(
			"queue:error,error=19,from=2,every=3,count=4;;driver-release:late,delay=50ms,later=7,permille=9,seed=18446744073709551615;",
			faults),
		0);
	assert_int_equal(queue->kind, KRAFLA_FAULT_ERROR);
	assert_int_equal(queue->error, -19);
	assert_int_equal(queue->from, 2);
	assert_int_equal(queue->every, 3);
	assert_int_equal(queue->count, 4);
	assert_int_equal(late->kind, KRAFLA_FAULT_LATE);
	assert_int_equal(late->delay_ns, 50000000);
	assert_int_equal(late->later, 7);
	assert_int_equal(late->permille, 9);
	assert_true(late->seed == UINT64_MAX);
	assert_int_equal(faults[KRAFLA_FAULT_AT_DEQUEUE].size, 0);
	assert_int_equal(kr_fault_parse("queue:late,delay=1s", faults), 0);
	assert_int_equal(queue->delay_ns, 1000000000);
	assert_int_equal(kr_fault_parse("queue:late,delay=3us", faults), 0);
	assert_int_equal(queue->delay_ns, 3000);
	assert_int_equal(kr_fault_parse("queue:late,delay=3ns", faults), 0);
	assert_int_equal(queue->delay_ns, 3);
	for (unsigned i = 0; i < KRAFLA_FAULT_SITES; i++) {
		for (unsigned k = 0; k < KRAFLA_FAULT_KINDS; k++) {
			char text[64];

			snprintf(text, sizeof(text), "%s:%s", krafla_fault_site_name(i),
				krafla_fault_kind_name(k));
			assert_int_equal(kr_fault_parse(text, faults), 0);
			assert_int_equal(faults[i].kind, k);
		}
	}
}

static void
wrong_texts(void **state)
{
	static const char *const wrong[] = {NULL, "x", "queue", "queue:", "queue:x", ":late",
		"Queue:late", "queue:late,", "queue:late,delay",
		"queue:late,delay=", "queue:late,delay=5", "queue:late,delay=ms",
		"queue:late,delay=-1ms", "queue:late,delay=10000000000s",
		"queue:late,delay=99999999999999999999ns", "queue:error,error=x",
		"queue:error,error=4096", "queue:error,error=-5", "queue:error,errno=5",
		"queue:error,error=5=5", "queue:error,error=5 ", "queue:error,permille=1001",
		"queue:error, every=2", "queue:error,=2", "dequeue:error;queue:x"};

	expect_text("", 0);
	expect_text(";", 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		expect_text(wrong[i], -EINVAL);
	assert_int_equal(atomic_load(&kr_fault_sites) & ~KR_FAULT_UNREAD, 0);
	expect_text("queue:error;dequeue:absent", 0);
	assert_int_equal(atomic_load(&kr_fault_sites),
		1u << KRAFLA_FAULT_AT_QUEUE | 1u << KRAFLA_FAULT_AT_DEQUEUE);
	expect_text("queue:none", 0);
	assert_int_equal(atomic_load(&kr_fault_sites), 1u << KRAFLA_FAULT_AT_DEQUEUE);
	krafla_fault_clear(KRAFLA_FAULT_SITES);
	assert_int_equal(atomic_load(&kr_fault_sites), 0);
}

/* --- environment --- */

static char said[4096];

static void
listen_to(void *data, uint32_t bits, const char *message)
{
	size_t len = strlen(said);

	snprintf(said + len, sizeof(said) - len, "%s%s\n", bits & KR_LOG_LOUD ? "LOUD " : "",
		message);
}

/* What a process does with those two variables: the status of what passes the site. */
static int
status_with(const char *faults, const char *testing)
{
	int fence, status;

	setenv("KRAFLA_FAULTS", faults, 1);
	if (testing)
		setenv("KRAFLA_TESTING", testing, 1);
	else
		unsetenv("KRAFLA_TESTING");
	kr_log_set_sink(listen_to, NULL);
	fence = pass_none();
	status = kr_fence_status(fence);
	kr_fd_close(&fence);
	return status;
}

static void
environment_sets_faults(void **state)
{
	assert_int_equal(status_with("queue:error,error=71", "1"), -71);
	assert_non_null(strstr(said, "LOUD FAULT INJECTION is on: fences at 'queue' get 'error'"));
	assert_non_null(strstr(said, "fault: 'error' at 'queue'"));
}

static void
environment_needs_the_second_variable(void **state)
{
	assert_int_equal(status_with("queue:error,error=71", NULL), 1);
	assert_non_null(strstr(said, "LOUD KRAFLA_FAULTS is ignored"));
}

static void
environment_needs_the_second_variable_to_be_one(void **state)
{
	assert_int_equal(status_with("queue:error,error=71", "0"), 1);
	assert_non_null(strstr(said, "LOUD KRAFLA_FAULTS is ignored"));
}

static void
environment_is_ignored_in_guarded_processes(void **state)
{
	kr_guard_set(true);
	assert_int_equal(prctl(PR_SET_DUMPABLE, 0), 0);
	assert_int_equal(status_with("queue:error,error=71", "1"), 1);
	assert_non_null(strstr(said, "debuggable"));
	assert_int_equal(prctl(PR_SET_DUMPABLE, 1), 0);
}

static void
environment_that_is_wrong_sets_nothing(void **state)
{
	assert_int_equal(status_with("queue:error,error=71;dequeue:sometimes", "1"), 1);
	assert_non_null(strstr(said, "LOUD fault: 'sometimes' is no kind of fault"));
	assert_int_equal(atomic_load(&kr_fault_sites), 0);
}

static void
calls_come_after_the_environment(void **state)
{
	setenv("KRAFLA_FAULTS", "queue:error,error=71;dequeue:error", 1);
	setenv("KRAFLA_TESTING", "1", 1);
	krafla_fault_clear(FAULT_SITE);
	assert_int_equal(pass_none(), -1);
	assert_int_equal(atomic_load(&kr_fault_sites), 1u << KRAFLA_FAULT_AT_DEQUEUE);
}

/* --- threads, fork --- */

#define THREADS 4
#define ROUNDS  2000

static void *
pass_many(void *data)
{
	(void)data;
	for (int i = 0; i < ROUNDS; i++) {
		int fence = pass_none();

		kr_fd_close(&fence);
	}
	return NULL;
}

static void
threads_count_right(void **state)
{
	struct krafla_fault fault = fault_of(KRAFLA_FAULT_ERROR);
	pthread_t threads[THREADS];

	fault.every = 10;
	fault_set(&fault);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, pass_many, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(krafla_fault_count(FAULT_SITE), THREADS * ROUNDS / 10);
}

static void
child_has_none(void **state)
{
	pid_t child;

	fault_set_kind(KRAFLA_FAULT_ERROR);
	child = fork();
	if (child == 0)
		_exit(pass_none() == -1 && krafla_fault_count(FAULT_SITE) == 0 ? 0 : 1);
	assert_int_equal(wait_for(child), 0);
	assert_true((child = pass_none()) >= 0);
	close(child);
}

static const struct kr_test tests[] = {
	KR_TEST(nothing_happens_unasked),
	KR_TEST(error_kind),
	KR_TEST(absent_kind),
	KR_TEST(closed_kind),
	KR_TEST(foreign_kind),
	KR_TEST(selection),
	KR_TEST(selection_by_chance),
	KR_TEST(wrong_faults),
	KR_TEST(fds_run_out),
	KR_TEST(right_texts),
	KR_TEST(wrong_texts),
	KR_TEST_FLAGS(environment_sets_faults, SETS_ENV),
	KR_TEST_FLAGS(environment_needs_the_second_variable, SETS_ENV),
	KR_TEST_FLAGS(environment_needs_the_second_variable_to_be_one, SETS_ENV),
	KR_TEST_FLAGS(environment_is_ignored_in_guarded_processes, SETS_ENV),
	KR_TEST_FLAGS(environment_that_is_wrong_sets_nothing, SETS_ENV),
	KR_TEST_FLAGS(calls_come_after_the_environment, SETS_ENV),
	KR_TEST(threads_count_right),
	KR_TEST(child_has_none),
};

KR_TEST_MAIN(tests)
