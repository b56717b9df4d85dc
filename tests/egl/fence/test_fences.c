/* SPDX-License-Identifier: Apache-2.0 */
/* Syncs become fences: at which flush, for whom, until when, and whose the descriptors are. */
#include <errno.h>
#include <fcntl.h>
#include <krafla/fault.h>
#include <krafla/sync.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "egl/fence/flight.h"
#include "fence/rig.h"
#include "harness.h"
#include "sync/fence/fence.h"
#include "sync/wait/describe.h"
#include "util/macros.h"

static void
not_yet(EGLSync sync)
{
	assert_int_equal(kr_egl_sync_dup(&fake_display, sync), -1);
	assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
}

/* E-01: a fence of commands is there from the next flush of their context on, and of no other. */
static void
the_next_flush_makes_it(void **state)
{
	EGLSync sync, late;
	int fd;

	rig_start();
	sync = rig_make();
	not_yet(sync);
	fake_make_current(1); /* flushes */
	late = rig_make();
	fd = rig_dup(sync);
	not_yet(late);
	assert_int_equal(kr_fence_status(fd), KR_FENCE_ACTIVE);
	close(fd);

	fake_make_current(2);
	close(rig_dup(late));
	rig_destroy(late);
	late = rig_make();
	fake_make_current(1);
	close(rig_dup(late));
	rig_destroy(late);
	rig_destroy(sync);
	rig_stop();
}

static void
flush_of_other_contexts_does_not(void **state)
{
	struct kr_egl_thread other = {.display = &fake_display, .context = (EGLContext)2};
	struct kr_egl_thread foreign = {.display = &fake_other_display, .context = (EGLContext)1};
	EGLSync sync;

	rig_start();
	sync = rig_make();
	kr_egl_fences_flushed(&other);
	kr_egl_fences_flushed(&foreign);
	not_yet(sync);
	fake_flush();
	close(rig_dup(sync));
	rig_destroy(sync);
	rig_stop();
}

/* A client wait that flushes, and commands that are known to have ended, were flushed. */
static void
what_else_flushes(void **state)
{
	EGLAttrib status = 0;
	EGLSync sync, plain;
	int producer;

	rig_start();
	sync = rig_make();
	kr_egl_sync_client_wait(&fake_display, sync, 0, 1000);
	not_yet(sync);
	assert_int_equal(
		kr_egl_sync_client_wait(&fake_display, sync, EGL_SYNC_FLUSH_COMMANDS_BIT, 0),
		EGL_TIMEOUT_EXPIRED);
	assert_int_equal(fake_vendor.flushes, 1);
	close(rig_dup(sync));
	rig_destroy(sync);

	/* Of a sync of the vendor's, too; but not when that has signalled. */
	sync = rig_make();
	plain = kr_egl_sync_create(&fake_display, KR_EGL_SYNC_KHR, EGL_SYNC_FENCE, NULL);
	fake_end_newest();
	assert_int_equal(
		kr_egl_sync_client_wait(&fake_display, plain, EGL_SYNC_FLUSH_COMMANDS_BIT, 0),
		EGL_CONDITION_SATISFIED);
	not_yet(sync);
	assert_true(kr_egl_sync_destroy(&fake_display, plain));
	plain = kr_egl_sync_create(&fake_display, KR_EGL_SYNC_KHR, EGL_SYNC_FENCE, NULL);
	assert_int_equal(
		kr_egl_sync_client_wait(&fake_display, plain, EGL_SYNC_FLUSH_COMMANDS_BIT, 0),
		EGL_TIMEOUT_EXPIRED);
	close(rig_dup(sync));
	assert_true(kr_egl_sync_destroy(&fake_display, plain));
	rig_destroy(sync);

	sync = rig_make();
	fake_end_all();
	assert_true(
		kr_egl_sync_get(&fake_display, KR_EGL_SYNC_CORE, sync, EGL_SYNC_STATUS, &status));
	assert_int_equal(status, EGL_SIGNALED);
	close(rig_dup(sync));
	rig_destroy(sync);

	/* And those before it were. */
	sync = rig_make();
	{
		EGLSync later = rig_make();

		fake_end_all();
		assert_int_equal(kr_egl_sync_client_wait(&fake_display, later, 0, 0),
			EGL_CONDITION_SATISFIED);
		rig_destroy(later);
	}
	close(rig_dup(sync));
	rig_destroy(sync);

	/* The wait for another one's fence flushes this context's commands, too. */
	sync = rig_make();
	{
		EGLSync given = rig_give(&producer);

		assert_int_equal(kr_egl_sync_client_wait(
					 &fake_display, given, EGL_SYNC_FLUSH_COMMANDS_BIT, 0),
			EGL_TIMEOUT_EXPIRED);
		rig_destroy(given);
	}
	kr_fence_signal(producer, 1);
	close(rig_dup(sync));
	rig_destroy(sync);
	rig_stop();
}

/* E-01: it signals when the commands have ended, and not before. */
static void
it_signals_with_the_commands(void **state)
{
	EGLSync sync;
	int fd;

	rig_start();
	sync = rig_make_flushed(&fd);
	rig_sleep_ms(30);
	assert_int_equal(kr_fence_status(fd), KR_FENCE_ACTIVE);
	fake_end_all();
	rig_expect_status(fd, KR_FENCE_SIGNALLED, 2000);
	close(fd);
	rig_destroy(sync);

	/* What has ended by then needs no thread, and is a fence all the same. */
	sync = rig_make();
	fake_flush();
	fake_end_all();
	fd = rig_dup(sync);
	assert_int_equal(kr_fence_status(fd), KR_FENCE_SIGNALLED);
	close(fd);
	rig_destroy(sync);
	rig_stop();
}

/*
 * E-02: each copy is the receiver's; the sync's own goes with the sync, and neither needs the
 * other. A fence lives on without its sync.
 */
static void
copies_are_the_receivers(void **state)
{
	EGLSync sync;
	int first, second, producer, given, fds;

	rig_start();
	sync = rig_make_flushed(&first);
	second = rig_dup(sync);
	assert_true(first != second);
	assert_true(fcntl(first, F_GETFD) & FD_CLOEXEC);
	close(first);
	rig_destroy(sync);
	assert_int_equal(kr_fence_status(second), KR_FENCE_ACTIVE);
	fake_end_all();
	rig_expect_status(second, KR_FENCE_SIGNALLED, 2000);
	close(second);

	fds = kr_test_count_fds();
	assert_int_equal(kr_fence_create(NULL, &producer, &given), 0);
	sync = rig_give_fd(given);
	first = rig_dup(sync);
	rig_destroy(sync);
	assert_int_equal(fcntl(given, F_GETFD), -1);
	assert_int_equal(kr_fence_status(first), KR_FENCE_ACTIVE);
	kr_fence_signal(producer, -EPERM);
	assert_int_equal(kr_fence_status(first), -EPERM);
	close(first);
	assert_int_equal(kr_test_count_fds(), fds);
	rig_stop();
}

/* Contexts don't wait for one another, though there are more of them than threads. */
static void
contexts_are_apart(void **state)
{
	enum { CONTEXTS = 9 };
	EGLSync sync[CONTEXTS];
	int fd[CONTEXTS];

	rig_start();
	for (int i = 0; i < CONTEXTS; i++) {
		fake_make_current(i + 1);
		sync[i] = rig_make_flushed(&fd[i]);
	}
	for (int i = CONTEXTS - 1; i >= 0; i--) {
		fake_end_context(i + 1);
		rig_expect_status(fd[i], KR_FENCE_SIGNALLED, 2000);
		if (i)
			assert_int_equal(kr_fence_status(fd[i - 1]), KR_FENCE_ACTIVE);
	}
	for (int i = 0; i < CONTEXTS; i++) {
		close(fd[i]);
		rig_destroy(sync[i]);
	}
	rig_stop();
}

/* S-07: whoever looks at it sees which context of which display it is of. */
static void
it_says_whose_it_is(void **state)
{
	struct kr_fence_description description;
	EGLSync sync;
	int fd;

	rig_start();
	fake_make_current(7);
	sync = rig_make_flushed(&fd);
	assert_int_equal(kr_fence_describe(fd, &description), 0);
	if (!description.timeline[0])
		kr_test_skip("no-abstract-sockets", NULL);
	assert_string_equal(description.timeline, "egl display 1");
	assert_string_equal(description.name, "context 1");
	assert_int_equal(description.point, 1);
	assert_int_equal(description.owner, getpid());
	close(fd);
	rig_destroy(sync);
	rig_stop();
}

/* Bounds are told as errors, and what is beyond them leaves nothing behind. */
static void
there_is_a_bound(void **state)
{
	static EGLSync syncs[KR_EGL_MAX_SYNCS];
	static int fds[KR_EGL_MAX_FLIGHTS];
	int before;

	rig_start();
	for (int i = 0; i < KR_EGL_MAX_SYNCS; i++)
		syncs[i] = rig_make();
	assert_null(kr_egl_sync_create(&fake_display, KR_EGL_SYNC_CORE, NATIVE, NULL));
	assert_int_equal(fake_error(), EGL_BAD_ALLOC);
	assert_int_equal(fake_vendor.alive, KR_EGL_MAX_SYNCS);
	rig_destroy(syncs[0]);
	syncs[0] = rig_make();
	fake_flush();
	for (int i = 0; i < KR_EGL_MAX_FLIGHTS; i++)
		fds[i] = rig_dup(syncs[i]);
	before = kr_test_count_fds();
	assert_int_equal(kr_egl_sync_dup(&fake_display, syncs[KR_EGL_MAX_FLIGHTS]), -1);
	assert_int_equal(fake_error(), EGL_BAD_ALLOC);
	assert_int_equal(kr_test_count_fds(), before);
	fake_end_all();
	for (int i = 0; i < KR_EGL_MAX_FLIGHTS; i++) {
		rig_expect_status(fds[i], KR_FENCE_SIGNALLED, 5000);
		close(fds[i]);
	}
	close(rig_dup(syncs[KR_EGL_MAX_FLIGHTS]));
	for (int i = 0; i < KR_EGL_MAX_SYNCS; i++)
		rig_destroy(syncs[i]);
	rig_stop();
}

static void
without_descriptors(void **state)
{
	EGLSync sync;
	int fd;

	rig_start();
	sync = rig_make();
	fake_flush();
	for (int more = 0; more < 3; more++) {
		kr_test_limit_fds(more);
		assert_int_equal(kr_egl_sync_dup(&fake_display, sync), -1);
		assert_int_equal(fake_error(), EGL_BAD_ALLOC);
		kr_test_end_fd_limit();
	}
	fd = rig_dup(sync);
	fake_end_all();
	rig_expect_status(fd, KR_FENCE_SIGNALLED, 2000);
	close(fd);
	rig_destroy(sync);
	rig_stop();
}

/* No handle is valid again, or another's, soon. */
static void
handles_are_not_given_again(void **state)
{
	EGLSync first, sync;

	rig_start();
	first = rig_make();
	rig_destroy(first);
	for (int i = 0; i < 3 * KR_EGL_MAX_SYNCS; i++) {
		sync = rig_make();
		assert_ptr_not_equal(sync, first);
		rig_destroy(sync);
		assert_false(kr_egl_sync_destroy(&fake_display, sync));
	}
	assert_false(kr_egl_sync_destroy(&fake_display, first));
	assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
	rig_stop();
}

static void
fault(enum krafla_fault_site site, enum krafla_fault_kind kind)
{
	const struct krafla_fault fault = {.size = sizeof(fault), .kind = kind};

	assert_int_equal(krafla_fault_set(site, &fault), 0);
}

/* Faults at both boundaries: what the program sees is what docs/fences.md says. */
static void
faults_at_the_export(void **state)
{
	EGLSync sync;
	int fd;

	rig_start();
	sync = rig_make();
	fake_flush();
	fault(KRAFLA_FAULT_AT_EGL_EXPORT, KRAFLA_FAULT_ERROR);
	fd = rig_dup(sync);
	assert_int_equal(kr_fence_status(fd), -EIO);
	close(fd);
	fault(KRAFLA_FAULT_AT_EGL_EXPORT, KRAFLA_FAULT_ABSENT);
	assert_int_equal(kr_egl_sync_dup(&fake_display, sync), -1);
	assert_int_equal(fake_error(), EGL_SUCCESS);
	fault(KRAFLA_FAULT_AT_EGL_EXPORT, KRAFLA_FAULT_NEVER);
	fd = rig_dup(sync);
	fake_end_all();
	rig_sleep_ms(50);
	assert_int_equal(kr_fence_status(fd), KR_FENCE_ACTIVE);
	krafla_fault_clear(KRAFLA_FAULT_AT_EGL_EXPORT);
	rig_expect_status(fd, KR_FENCE_SIGNALLED, 2000);
	close(fd);
	rig_destroy(sync);
	rig_stop();
}

static EGLAttrib
status_of(EGLSync sync)
{
	EGLAttrib status = 0;

	assert_true(
		kr_egl_sync_get(&fake_display, KR_EGL_SYNC_CORE, sync, EGL_SYNC_STATUS, &status));
	return status;
}

static void
faults_at_the_import(void **state)
{
	static const struct {
		enum krafla_fault_kind kind;
		EGLAttrib status;
		EGLint wait;
	} rows[] = {
		{KRAFLA_FAULT_NEVER, EGL_UNSIGNALED, EGL_TIMEOUT_EXPIRED},
		{KRAFLA_FAULT_ERROR, EGL_SIGNALED, EGL_CONDITION_SATISFIED},
		{KRAFLA_FAULT_ABSENT, EGL_SIGNALED, EGL_CONDITION_SATISFIED},
		{KRAFLA_FAULT_CLOSED, EGL_UNSIGNALED, EGL_FALSE},
		{KRAFLA_FAULT_FOREIGN, EGL_UNSIGNALED, EGL_FALSE},
	};

	rig_start();
	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		int fence;
		EGLSync sync;

		assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
		fault(KRAFLA_FAULT_AT_EGL_IMPORT, rows[i].kind);
		sync = rig_give_fd(fence);
		assert_int_equal(status_of(sync), rows[i].status);
		assert_int_equal(
			kr_egl_sync_client_wait(&fake_display, sync, 0, 1000000), rows[i].wait);
		krafla_fault_clear(KRAFLA_FAULT_AT_EGL_IMPORT);
		rig_destroy(sync);
	}
	rig_stop();
}

static void *
churn(void *data)
{
	int context = (int)(intptr_t)data;

	fake_make_current(context);
	for (int i = 0; i < 200; i++) {
		int fd;
		EGLSync sync = rig_make_flushed(&fd);

		if (i & 1)
			rig_destroy(sync);
		if (i % 3)
			fake_end_context(context);
		if (i % 5 == 0)
			kr_egl_sync_client_wait(&fake_display, sync, 0, 100000);
		if (i % 7 == 0)
			fake_end_all();
		fake_end_newest();
		/* What flies has a bound, and who ends it may be late on a busy machine. */
		if (i % 16 == 0) {
			fake_end_context(context);
			poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 5000);
		}
		if (!(i & 1))
			rig_destroy(sync);
		close(fd);
	}
	fake_make_current(0);
	return NULL;
}

/* Threads with contexts of their own make, end, wait and destroy at once. */
static void
many_threads(void **state)
{
	pthread_t threads[6];

	fake_vendor_start(NULL);
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, churn, (void *)(i + 1)), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
		pthread_join(threads[i], NULL);
	fake_end_all();
	fake_vendor_stop();
}

int
main(int argc, char **argv)
{
	static const struct kr_test tests[] = {
		KR_TEST_FLAGS(the_next_flush_makes_it, KR_TEST_KEEPS_MEMORY),
		KR_TEST_FLAGS(flush_of_other_contexts_does_not, KR_TEST_KEEPS_MEMORY),
		KR_TEST_FLAGS(what_else_flushes, KR_TEST_KEEPS_MEMORY),
		KR_TEST_FLAGS(it_signals_with_the_commands, KR_TEST_KEEPS_MEMORY),
		KR_TEST_FLAGS(copies_are_the_receivers, KR_TEST_KEEPS_MEMORY),
		KR_TEST_FLAGS(contexts_are_apart, KR_TEST_KEEPS_MEMORY),
		KR_TEST_FLAGS(it_says_whose_it_is, KR_TEST_KEEPS_MEMORY),
		KR_TEST_SLOW(there_is_a_bound, KR_TEST_KEEPS_MEMORY, 60),
		KR_TEST_FLAGS(without_descriptors, KR_TEST_KEEPS_MEMORY),
		KR_TEST(handles_are_not_given_again),
		KR_TEST_FLAGS(faults_at_the_export, KR_TEST_KEEPS_MEMORY),
		KR_TEST_FLAGS(faults_at_the_import, KR_TEST_KEEPS_MEMORY),
		KR_TEST_SLOW(many_threads, KR_TEST_KEEPS_MEMORY, 60),
	};

	return kr_test_main(argc, argv, tests, KR_ARRAY_LEN(tests));
}
