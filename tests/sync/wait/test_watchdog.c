/* SPDX-License-Identifier: Apache-2.0 */
/* Fences that keep somebody waiting are named (DESIGN rule 7), once and then rarely; waits end. */
#include "support.h"

#include <errno.h>
#include <krafla/sync.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sync/wait/watchdog.h"
#include "util/log.h"

#define BUDGET KR_FENCE_BUDGET_NS

static pthread_mutex_t messages_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned messages;
static char last[1024];

static void
hear(void *data, uint32_t bits, const char *message)
{
	pthread_mutex_lock(&messages_lock);
	messages++;
	snprintf(last, sizeof(last), "%s", message);
	pthread_mutex_unlock(&messages_lock);
}

static unsigned
heard(void)
{
	unsigned count;

	pthread_mutex_lock(&messages_lock);
	count = messages;
	pthread_mutex_unlock(&messages_lock);
	return count;
}

static void
expect_named(const char *what, const char *name)
{
	char pid[24];

	snprintf(pid, sizeof(pid), "process %d", getpid());
	pthread_mutex_lock(&messages_lock);
	if (!strstr(last, what) || !strstr(last, name) || !strstr(last, "test") ||
		!strstr(last, "point 7") || !strstr(last, pid))
		fail_msg("the fence isn't named by '%s'", last);
	pthread_mutex_unlock(&messages_lock);
}

/* Not before the budget; then at ten times the wait, and so on. */
static void
named_once_and_then_rarely(void **state)
{
	struct pair pair = make_pair("late");
	struct kr_fence_watchdog watchdog;
	int64_t start = kr_clock_now();

	need_names();
	kr_log_set_sink(hear, NULL);
	kr_fence_watchdog_start(&watchdog, start);
	kr_fence_watchdog_look(&watchdog, pair.fence, "a test", start + BUDGET - 1);
	assert_int_equal(heard(), 0);
	kr_fence_watchdog_look(&watchdog, pair.fence, "a test", start + BUDGET);
	assert_int_equal(heard(), 1);
	expect_named("a test", "'late'");
	kr_fence_watchdog_look(&watchdog, pair.fence, "a test", start + 10 * BUDGET - 1);
	assert_int_equal(heard(), 1);
	kr_fence_watchdog_look(&watchdog, pair.fence, "a test", start + 10 * BUDGET);
	assert_int_equal(heard(), 2);
	kr_fence_watchdog_look(&watchdog, pair.fence, "a test", start + 100 * BUDGET - 1);
	assert_int_equal(heard(), 2);
	kr_log_set_sink(NULL, NULL);
	close_pair(&pair);
}

/* A wait of one's own names it while it goes on, and ends at its deadline all the same. */
static void
a_wait_names_its_fence(void **state)
{
	struct pair pair = make_pair("waited for");

	need_names();
	kr_log_set_sink(hear, NULL);
	assert_int_equal(
		kr_fence_wait(pair.fence, kr_deadline_in(BUDGET + 50 * KR_NSEC_PER_MSEC)), -ETIME);
	assert_int_equal(heard(), 1);
	expect_named("kr_fence_wait", "'waited for'");
	kr_log_set_sink(NULL, NULL);
	close_pair(&pair);
}

static void *
signal_late(void *data)
{
	struct pair *pair = data;

	for (int i = 0; i < 2000 && !heard(); i++)
		poll_events(-1, 5);
	signal_pair(pair, 1);
	return NULL;
}

/* S-08: without a limit it is the caller's choice to wait; he is told for what, and goes on. */
static void
sync_wait_without_limit_names_its_fence(void **state)
{
	struct pair pair = make_pair("for ever");
	pthread_t thread;

	need_names();
	kr_log_set_sink(hear, NULL);
	assert_int_equal(pthread_create(&thread, NULL, signal_late, &pair), 0);
	assert_int_equal(sync_wait(pair.fence, -1), 0);
	pthread_join(thread, NULL);
	assert_int_equal(heard(), 1);
	expect_named("sync_wait", "'for ever'");
	kr_log_set_sink(NULL, NULL);
	close_pair(&pair);
}

/* Who comes back again and again with short timeouts has waited all that time. */
static void
short_waits_add_up(void **state)
{
	struct pair pair = make_pair("again");
	struct kr_fence_watchdog watchdog = {0};

	need_names();
	kr_log_set_sink(hear, NULL);
	assert_int_equal(kr_fence_wait_watched(pair.fence, 0, &watchdog, "a poll"), -ETIME);
	assert_true(watchdog.since_ns > 0);
	assert_int_equal(heard(), 0);
	watchdog.since_ns -= BUDGET;
	watchdog.next_ns -= BUDGET;
	for (int i = 0; i < 3; i++)
		assert_int_equal(
			kr_fence_wait_watched(pair.fence, kr_clock_now(), &watchdog, "a poll"),
			-ETIME);
	assert_int_equal(heard(), 1);
	expect_named("a poll", "'again'");
	signal_pair(&pair, 1);
	assert_int_equal(kr_fence_wait_watched(pair.fence, 0, &watchdog, "a poll"), 0);
	assert_int_equal(watchdog.since_ns, 0);
	kr_log_set_sink(NULL, NULL);
	close_pair(&pair);
}

/* The maker's death ends a wait that has no limit, with an error and without a word. */
static void
death_ends_a_wait_without_limit(void **state)
{
	int channel[2], fence;
	pid_t child;

	kr_log_set_sink(hear, NULL);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel), 0);
	child = fork();
	if (child == 0) {
		struct pair pair = make_pair("mortal");

		send_fd(channel[1], pair.fence);
		poll_events(-1, 60000);
		_exit(0);
	}
	fence = receive_fd(channel[0]);
	assert_int_equal(kr_fence_wait(fence, 0), -ETIME);
	kill(child, SIGKILL);
	assert_int_equal(kr_fence_wait(fence, KR_FOREVER), -EOWNERDEAD);
	assert_int_equal(heard(), 0);
	assert_int_equal(wait_for(child), 128 + SIGKILL);
	kr_log_set_sink(NULL, NULL);
	close(fence);
	close(channel[0]);
	close(channel[1]);
}

/* What is no fence isn't waited for, nor what has signalled. */
static void
nothing_to_wait_for(void **state)
{
	struct pair pair = make_pair("done");

	signal_pair(&pair, -EIO);
	assert_int_equal(kr_fence_wait(-1, KR_FOREVER), 0);
	assert_int_equal(kr_fence_wait(pair.fence, KR_FOREVER), -EIO);
	assert_int_equal(kr_fence_wait(STDIN_FILENO, KR_FOREVER), -EINVAL);
	assert_int_equal(kr_fence_wait(-2, KR_FOREVER), -EINVAL);
	close_pair(&pair);
}

static const struct kr_test tests[] = {
	KR_TEST(named_once_and_then_rarely),
	KR_TEST(a_wait_names_its_fence),
	KR_TEST(sync_wait_without_limit_names_its_fence),
	KR_TEST(short_waits_add_up),
	KR_TEST(death_ends_a_wait_without_limit),
	KR_TEST(nothing_to_wait_for),
};

KR_TEST_MAIN(tests)
