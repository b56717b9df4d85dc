/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of docs/fences.md for processes, threads and signals: what exec, stopping, a
 * thread's end and cancellation do to fences, and what a signal handler may call. Forks:
 * test_fence.c, test_reactor.c.
 */
#include "support.h"

#include <errno.h>
#include <krafla/sync.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sync/fence/user_fence.h"

extern char **environ;

static char shell[] = "/bin/sh", dash_c[] = "-c";

/* A child that makes a fence and passes it on, then does as it is told. */
static pid_t
start_owner(void (*then)(void), int *fence)
{
	int channel[2];
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel), 0);
	child = fork();
	if (child == 0) {
		struct pair pair = make_pair("owned");

		send_fd(channel[1], pair.fence);
		then();
		_exit(0);
	}
	*fence = receive_fd(channel[0]);
	assert_true(*fence >= 0);
	close(channel[0]);
	close(channel[1]);
	return child;
}

static void
end_owner(pid_t child, int fence)
{
	kill(child, SIGKILL);
	wait_for(child);
	close(fence);
}

static void
become_sleep(void)
{
	char sleep[] = "sleep 60";
	char *argv[] = {shell, dash_c, sleep, NULL};

	execv(shell, argv);
}

/* S-05: at exec a process's fences go, and what it was to signal fails, though it lives on. */
static void
exec_fails_fences(void **state)
{
	int fence;
	pid_t child = start_owner(become_sleep, &fence);

	assert_int_equal(kr_fence_wait(fence, SOON), -EOWNERDEAD);
	assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
	end_owner(child, fence);
}

static void
spawn_and_die(void)
{
	char sleep[] = "sleep 60";
	char *argv[] = {shell, dash_c, sleep, NULL};
	pid_t pid;

	if (posix_spawn(&pid, shell, NULL, NULL, argv, environ) == 0)
		kill(getpid(), SIGKILL);
}

/* A spawned program that outlives its parent holds none of its fences. */
static void
spawned_programs_hold_nothing(void **state)
{
	int fence;
	pid_t child = start_owner(spawn_and_die, &fence);

	assert_int_equal(kr_fence_wait(fence, SOON), -EOWNERDEAD);
	end_owner(child, fence);
}

static void
list_descriptors(void)
{
	char list[] = "for f in /proc/self/fd/*; do readlink $f; done | grep -c socket; kill $$";
	char *argv[] = {shell, dash_c, list, NULL};

	execv(shell, argv);
}

/* Neither does one that was exec'ed: no end of any pair, and no merge. */
static void
no_descriptor_survives_exec(void **state)
{
	struct pair a = make_pair("a"), b = make_pair("b");
	int merged, out[2];
	char count[16] = "";
	pid_t child;

	assert_int_equal(kr_fence_merge("m", a.fence, b.fence, &merged), 0);
	assert_int_equal(pipe(out), 0);
	child = fork();
	if (child == 0) {
		/* Those that aren't ours; whatever runs the tests may have sockets too. */
		dup2(out[1], STDOUT_FILENO);
		close(STDIN_FILENO);
		close(STDERR_FILENO);
		for (int fd = 3; fd < 1024; fd++) {
			int32_t status;

			if (kr_sync_user_status(fd, &status))
				close(fd);
		}
		list_descriptors();
		_exit(1);
	}
	close(out[1]);
	assert_true(read(out[0], count, sizeof(count) - 1) > 0);
	assert_string_equal(count, "0\n");
	wait_for(child);
	close(out[0]);
	close(merged);
	close_pair(&a);
	close_pair(&b);
	settle();
}

static void
pause_for_ever(void)
{
	poll_events(-1, 60000);
}

/* An owner that is stopped is alive: the deadline tells. Its death is told also then. */
static void
stopped_owner(void **state)
{
	int fence, status;
	pid_t child = start_owner(pause_for_ever, &fence);

	kill(child, SIGSTOP);
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	assert_int_equal(kr_fence_wait(fence, kr_deadline_in(50 * KR_NSEC_PER_MSEC)), -ETIME);
	assert_int_equal(kr_fence_status(fence), KR_FENCE_ACTIVE);
	kill(child, SIGKILL);
	assert_int_equal(kr_fence_wait(fence, SOON), -EOWNERDEAD);
	end_owner(child, fence);
}

/* --- threads --- */

struct made {
	struct pair a, b;
	int merged;
};

static void *
make_and_end(void *data)
{
	struct made *made = data;

	made->a = make_pair("a");
	made->b = make_pair("b");
	assert_int_equal(kr_fence_merge("m", made->a.fence, made->b.fence, &made->merged), 0);
	pthread_exit(NULL);
}

/* Fences are the process's: they live on, and anybody may end them. */
static void
fences_outlive_their_thread(void **state)
{
	struct made made;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, make_and_end, &made), 0);
	pthread_join(thread, NULL);
	assert_int_equal(kr_fence_status(made.a.fence), KR_FENCE_ACTIVE);
	assert_int_equal(kr_fence_status(made.merged), KR_FENCE_ACTIVE);
	signal_pair(&made.a, 1);
	signal_pair(&made.b, 1);
	assert_int_equal(kr_fence_wait(made.merged, SOON), 0);
	close(made.merged);
	close_pair(&made.a);
	close_pair(&made.b);
	settle();
}

static void *
wait_for_ever(void *data)
{
	sync_wait(*(int *)data, -1);
	return NULL;
}

/* sync_wait is a cancellation point that holds nothing. */
static void
a_wait_can_be_cancelled(void **state)
{
	struct pair pair = make_pair("p");
	pthread_t thread;
	void *result;

	assert_int_equal(pthread_create(&thread, NULL, wait_for_ever, &pair.fence), 0);
	pthread_cancel(thread);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	signal_pair(&pair, 1);
	assert_int_equal(sync_wait(pair.fence, 0), 0);
	close_pair(&pair);
}

static void *
signal_when_cancelled(void *data)
{
	struct pair *pair = data;

	pthread_cancel(pthread_self());
	signal_pair(pair, 1);
	pthread_testcancel();
	return NULL;
}

/* Signalling isn't one: a fence is never left between its signal and its end. */
static void
signalling_is_not_cancelled(void **state)
{
	struct pair pair = make_pair("p");
	pthread_t thread;
	void *result;

	assert_int_equal(pthread_create(&thread, NULL, signal_when_cancelled, &pair), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_int_equal(pair.producer, -1);
	assert_int_equal(kr_fence_wait(pair.fence, 0), 0);
	close_pair(&pair);
}

/* --- signals --- */

#define INTERRUPTIONS 3000
#define FULL_TIME_NS  (5 * KR_NSEC_PER_SEC)

static struct pair handed; /* made by the thread, ended by the handler */
static atomic_bool handed_over;
static int active;
static atomic_uint handled, wrong;

/* What docs/fences.md lets a handler call, wherever the thread was: in malloc, in our locks. */
static void
handle_alarm(int number)
{
	int saved = errno;

	atomic_fetch_add(&handled, 1);
	atomic_fetch_add(&wrong, kr_fence_status(active) != KR_FENCE_ACTIVE);
	atomic_fetch_add(&wrong, sync_wait(active, 0) != -1 || errno != ETIME);
	if (atomic_load(&handed_over)) {
		kr_fence_signal(handed.producer, 1);
		atomic_fetch_add(&wrong, sync_wait(handed.fence, 0) != 0);
		atomic_fetch_add(&wrong, kr_fence_wait(handed.fence, KR_FOREVER) != 0);
		atomic_store(&handed_over, false);
	}
	errno = saved;
}

static void
be_interrupted(void)
{
	struct pair a = make_pair("a");
	void *block = malloc(1 + atomic_load(&handled) % 5000);
	int merged;

	assert_int_equal(kr_fence_merge("m", a.fence, active, &merged), 0);
	sync_file_info_free(sync_file_info(merged));
	if (!atomic_load(&handed_over)) {
		close_pair(&(struct pair){-1, handed.fence});
		handed = make_pair("handed");
		atomic_store(&handed_over, true);
	}
	free(block);
	close(merged);
	signal_pair(&a, 1);
	close_pair(&a);
}

static void
a_signal_handler_may_ask_wait_and_signal(void **state)
{
	struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = handle_alarm, .sa_flags = SA_RESTART};
	struct pair pair = make_pair("active");
	int64_t end = kr_clock_now() + FULL_TIME_NS;

	active = pair.fence;
	handed = (struct pair){-1, -1};
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (atomic_load(&handled) < INTERRUPTIONS && kr_clock_now() < end)
		be_interrupted();
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
	assert_true(atomic_load(&handled) > 0);
	assert_int_equal(atomic_load(&wrong), 0);
	if (!atomic_load(&handed_over))
		handed.producer = -1;
	close_pair(&handed);
	close_pair(&pair);
	settle();
}

static const struct kr_test tests[] = {
	KR_TEST(exec_fails_fences),
	KR_TEST(spawned_programs_hold_nothing),
	KR_TEST_FLAGS(no_descriptor_survives_exec, KR_TEST_KEEPS_MEMORY),
	KR_TEST(stopped_owner),
	KR_TEST_FLAGS(fences_outlive_their_thread, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(a_wait_can_be_cancelled, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(signalling_is_not_cancelled, KR_TEST_KEEPS_MEMORY),
	KR_TEST_SLOW(a_signal_handler_may_ask_wait_and_signal, KR_TEST_KEEPS_MEMORY, 40),
};

KR_TEST_MAIN(tests)
