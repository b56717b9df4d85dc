/* SPDX-License-Identifier: Apache-2.0 */
/* Ends: of contexts that go or are lost, of displays, of forked children, and of the process. */
#include <errno.h>
#include <krafla/sync.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fence/rig.h"
#include "harness.h"
#include "sanitizer.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/macros.h"

/* Commands of a context that is destroyed end as others do; its handle may come again. */
static void
a_context_that_goes(void **state)
{
	EGLSync sync, other;
	int fd, other_fd;

	rig_start();
	sync = rig_make_flushed(&fd);
	fake_make_current(0);
	kr_egl_fences_context_gone(&fake_display, (EGLContext)1);
	fake_make_current(1);
	other = rig_make_flushed(&other_fd);
	fake_make_current(2);
	assert_true(kr_egl_sync_wait(&fake_display, sync, 0));
	assert_int_equal(fake_vendor.server_waits, 1);
	assert_int_equal(kr_fence_status(fd), KR_FENCE_ACTIVE);
	fake_end_all();
	rig_expect_status(fd, KR_FENCE_SIGNALLED, 2000);
	rig_expect_status(other_fd, KR_FENCE_SIGNALLED, 2000);
	close(fd);
	close(other_fd);
	rig_destroy(sync);
	rig_destroy(other);
	rig_stop();
}

/* Destroyed while it is current: what waits for its flush gets it when it is current no more. */
static void
a_context_that_is_current_still(void **state)
{
	EGLSync sync;

	rig_start();
	sync = rig_make();
	kr_egl_fences_context_gone(&fake_display, (EGLContext)1);
	assert_int_equal(kr_egl_sync_dup(&fake_display, sync), -1);
	fake_make_current(0);
	close(rig_dup(sync));
	rig_destroy(sync);
	rig_stop();
}

/* A lost context: what wasn't flushed has failed, and so has what the vendor can't wait for. */
static void
a_context_that_is_lost(void **state)
{
	EGLSync pending, flying;
	int fd, failed;

	rig_start();
	flying = rig_make_flushed(&fd);
	pending = rig_make();
	fake_lose_waits();
	kr_egl_fences_context_lost(&fake_display, (EGLContext)1);
	rig_expect_status(fd, -EIO, 2000);
	failed = rig_dup(pending);
	assert_int_equal(kr_fence_status(failed), -EIO);
	assert_int_equal(
		kr_egl_sync_client_wait(&fake_display, pending, 0, 0), EGL_CONDITION_SATISFIED);
	close(fd);
	close(failed);
	rig_destroy(flying);
	rig_destroy(pending);
	rig_stop();
}

struct waiter {
	pthread_t thread;
	EGLSync sync;
	EGLint answer, error;
};

static void *
wait_for_ever(void *data)
{
	struct waiter *waiter = data;

	waiter->answer = kr_egl_sync_client_wait(&fake_display, waiter->sync, 0, EGL_FOREVER);
	waiter->error = fake_error();
	return NULL;
}

/* All syncs end with their display; fences that are out fail, waits return, handles are stale. */
static void
a_display_that_is_terminated(void **state)
{
	struct waiter waiters[2] = {{0}};
	EGLSync pending, flying, given;
	int fd, producer, copy;
	EGLAttrib value;

	rig_start();
	flying = rig_make_flushed(&fd);
	pending = rig_make();
	given = rig_give(&producer);
	copy = rig_dup(given);
	waiters[0].sync = pending;
	waiters[1].sync = given;
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			pthread_create(&waiters[i].thread, NULL, wait_for_ever, &waiters[i]), 0);
	rig_sleep_ms(30);
	kr_egl_fences_stop(&fake_display);
	for (int i = 0; i < 2; i++) {
		pthread_join(waiters[i].thread, NULL);
		assert_int_equal(waiters[i].answer, EGL_FALSE);
		assert_int_equal(waiters[i].error, EGL_NOT_INITIALIZED);
	}
	assert_int_equal(fake_vendor.alive, 0);
	rig_expect_status(fd, -ENOENT, 0);
	assert_int_equal(kr_fence_status(copy), KR_FENCE_ACTIVE); /* another's: it lives on */
	kr_fence_signal(producer, 1);
	close(fd);
	close(copy);
	assert_string_equal(kr_egl_fences_extensions(&fake_display), "");
	assert_false(kr_egl_sync_destroy(&fake_display, flying));
	assert_int_equal(fake_error(), EGL_NOT_INITIALIZED);
	kr_egl_fences_stop(&fake_display);

	assert_true(kr_egl_fences_start(&fake_display));
	assert_false(
		kr_egl_sync_get(&fake_display, KR_EGL_SYNC_CORE, flying, EGL_SYNC_STATUS, &value));
	assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
	flying = rig_make_flushed(&fd);
	close(fd);
	rig_destroy(flying);
	rig_stop();
}

/* The child of a fork: its parent's commands are its parent's, and it can't be held up by them. */
static void
in_the_child(EGLSync flying, EGLSync pending, EGLSync given, int fd)
{
	int copy;

	if (kr_egl_sync_client_wait(&fake_display, pending, 0, EGL_FOREVER) !=
		EGL_CONDITION_SATISFIED)
		_exit(1);
	if (kr_egl_sync_client_wait(&fake_display, given, 0, 0) != EGL_TIMEOUT_EXPIRED)
		_exit(2);
	copy = kr_egl_sync_dup(&fake_display, given);
	if (kr_fence_status(copy) != KR_FENCE_ACTIVE)
		_exit(3);
	if (kr_fence_status(fd) != KR_FENCE_ACTIVE)
		_exit(4);
	copy = kr_egl_sync_dup(&fake_display, pending);
	if (kr_fence_status(copy) != -EOWNERDEAD)
		_exit(5);
	if (!kr_egl_sync_destroy(&fake_display, flying) ||
		!kr_egl_sync_destroy(&fake_display, pending) ||
		!kr_egl_sync_destroy(&fake_display, given))
		_exit(6);
	if (THREAD_SANITIZER) /* which has no threads after a fork */
		_exit(0);
	/* What it makes itself is its own, with threads of its own. */
	flying = kr_egl_sync_create(&fake_display, KR_EGL_SYNC_CORE, NATIVE, NULL);
	fake_flush();
	copy = kr_egl_sync_dup(&fake_display, flying);
	fake_end_all();
	if (sync_wait(copy, 2000) || kr_fence_status(copy) != KR_FENCE_SIGNALLED)
		_exit(7);
	kr_egl_fences_stop(&fake_display);
	_exit(0);
}

static void
a_fork(void **state)
{
	EGLSync flying, pending, given;
	int fd, producer, status = 0;
	pid_t child;

	rig_start();
	flying = rig_make_flushed(&fd);
	rig_sleep_ms(20);
	pending = rig_make();
	given = rig_give(&producer);
	child = fork();
	if (!child) {
		alarm(10);
		in_the_child(flying, pending, given, fd);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	fake_end_all();
	rig_expect_status(fd, KR_FENCE_SIGNALLED, 2000);
	close(fd);
	close(producer);
	rig_destroy(flying);
	rig_destroy(pending);
	rig_destroy(given);
	rig_stop();
}

/* Also where nothing of it has had a fence so far. */
static void
a_fork_before_the_first_fence(void **state)
{
	EGLSync sync;
	int status = 0;
	pid_t child;

	rig_start();
	sync = rig_make();
	child = fork();
	if (!child) {
		alarm(10);
		_exit(kr_egl_sync_client_wait(&fake_display, sync, 0, EGL_FOREVER) !=
			EGL_CONDITION_SATISFIED);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	rig_destroy(sync);
	rig_stop();
}

/* What a process that isn't here any more would have ended has failed. */
static void
a_process_that_dies(void **state)
{
	int pair[2], fd, status;
	char byte;
	pid_t child;

	rig_start();
	rig_stop();
	assert_int_equal(pipe(pair), 0);
	fd = -1;
	child = fork();
	if (!child) {
		EGLSync sync;

		alarm(10);
		assert_true(kr_egl_fences_start(&fake_display));
		fake_make_current(1);
		sync = rig_make_flushed(&fd);
		(void)sync;
		child = fork();
		if (!child) { /* the grandchild has the fence, and sees its maker die */
			alarm(10);
			close(pair[0]);
			byte = sync_wait(fd, 5000) || kr_fence_status(fd) != -EOWNERDEAD;
			_exit(write(pair[1], &byte, 1) != 1);
		}
		rig_sleep_ms(50);
		kill(getpid(), SIGKILL);
	}
	close(pair[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(read(pair[0], &byte, 1), 1);
	assert_int_equal(byte, 0);
	close(pair[0]);
}

static void *
end_soon(void *data)
{
	rig_sleep_ms(200);
	fake_end_all();
	return NULL;
}

/* exit() lets what is under way end, for 2 s at most. */
static void
a_process_that_exits(void **state)
{
	for (int ends = 0; ends < 2; ends++) {
		int pair[2];
		char byte = 7;
		pid_t child, watcher;
		int status;

		assert_int_equal(pipe(pair), 0);
		child = fork();
		if (!child) {
			pthread_t thread;
			int fd;

			alarm(10);
			rig_start();
			rig_make_flushed(&fd);
			watcher = fork();
			if (!watcher) {
				alarm(10);
				sync_wait(fd, 5000);
				byte = (char)kr_fence_status(fd);
				_exit(write(pair[1], &byte, 1) != 1);
			}
			if (ends) {
				pthread_create(&thread, NULL, end_soon, NULL);
				pthread_detach(thread);
			}
			exit(0);
		}
		close(pair[1]);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(read(pair[0], &byte, 1), 1);
		assert_int_equal(byte, ends ? KR_FENCE_SIGNALLED : (char)-EOWNERDEAD);
		close(pair[0]);
	}
}

static atomic_uint named;

static void
hear(void *data, uint32_t bits, const char *message)
{
	if (bits & KR_LOG_WARN && strstr(message, "krafla-egl-sync has waited 3.") &&
		strstr(message, "egl display"))
		atomic_fetch_add(&named, 1);
}

/* DESIGN rule 7: commands that don't end are named. */
static void
commands_that_hang_are_named(void **state)
{
	EGLSync sync;
	int fd;

	rig_start();
	kr_log_set_sink(hear, NULL);
	sync = rig_make_flushed(&fd);
	rig_sleep_ms(3400);
	kr_log_set_sink(NULL, NULL);
	assert_int_equal(atomic_load(&named), 1);
	close(fd);
	rig_destroy(sync);
	rig_stop();
}

int
main(int argc, char **argv)
{
	static const struct kr_test tests[] = {
		KR_TEST_FLAGS(a_context_that_goes, KR_TEST_KEEPS_MEMORY),
		KR_TEST_FLAGS(a_context_that_is_current_still, KR_TEST_KEEPS_MEMORY),
		KR_TEST_FLAGS(a_context_that_is_lost, KR_TEST_KEEPS_MEMORY),
		KR_TEST_FLAGS(a_display_that_is_terminated, KR_TEST_KEEPS_MEMORY),
		KR_TEST_FLAGS(a_fork, KR_TEST_KEEPS_MEMORY),
		KR_TEST(a_fork_before_the_first_fence),
		KR_TEST_FLAGS(a_process_that_dies, KR_TEST_KEEPS_MEMORY),
		KR_TEST_FLAGS(a_process_that_exits, KR_TEST_KEEPS_MEMORY),
		KR_TEST_FLAGS(commands_that_hang_are_named, KR_TEST_KEEPS_MEMORY),
	};

	return kr_test_main(argc, argv, tests, KR_ARRAY_LEN(tests));
}
