/* SPDX-License-Identifier: Apache-2.0 */
/* Client waits and server waits: who waits, for how long, and what goes on meanwhile. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "fence/rig.h"
#include "harness.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/macros.h"

#define MS KR_NSEC_PER_MSEC

struct waiter {
	pthread_t thread;
	EGLSync sync;
	EGLTime timeout;
	bool server;
	EGLint answer, error;
	atomic_bool returned;
	int64_t returned_ns;
};

static void *
wait_in_thread(void *data)
{
	struct waiter *waiter = data;

	if (waiter->server)
		fake_make_current(5);
	waiter->answer = waiter->server
		? (EGLint)kr_egl_sync_wait(&fake_display, waiter->sync, 0)
		: kr_egl_sync_client_wait(&fake_display, waiter->sync, 0, waiter->timeout);
	waiter->error = fake_error();
	waiter->returned_ns = kr_clock_now();
	atomic_store(&waiter->returned, true);
	if (waiter->server)
		fake_make_current(0);
	return NULL;
}

static void
start_wait(struct waiter *waiter, EGLSync sync, EGLTime timeout)
{
	waiter->sync = sync;
	waiter->timeout = timeout;
	assert_int_equal(pthread_create(&waiter->thread, NULL, wait_in_thread, waiter), 0);
	rig_sleep_ms(30);
	assert_false(atomic_load(&waiter->returned));
}

static void
expect_answer(struct waiter *waiter, EGLint answer, EGLint error)
{
	pthread_join(waiter->thread, NULL);
	assert_int_equal(waiter->answer, answer);
	assert_int_equal(waiter->error, error);
}

/* Zero, a time, and for ever; for both kinds of syncs. */
static void
client_waits_know_their_time(void **state)
{
	for (int given = 0; given < 2; given++) {
		struct waiter waiter = {0};
		int64_t before, took;
		int producer = -1;
		EGLSync sync;

		rig_start();
		sync = given ? rig_give(&producer) : rig_make();
		fake_flush();
		before = kr_clock_now();
		assert_int_equal(
			kr_egl_sync_client_wait(&fake_display, sync, 0, 0), EGL_TIMEOUT_EXPIRED);
		assert_int_equal(kr_egl_sync_client_wait(&fake_display, sync, 0, 120 * MS),
			EGL_TIMEOUT_EXPIRED);
		took = kr_clock_now() - before;
		assert_in_range(took, 120 * MS, 1000 * MS);
		start_wait(&waiter, sync, EGL_FOREVER);
		rig_sleep_ms(100);
		assert_false(atomic_load(&waiter.returned));
		if (given)
			kr_fence_signal(producer, 1);
		else
			fake_end_all();
		expect_answer(&waiter, EGL_CONDITION_SATISFIED, EGL_SUCCESS);
		assert_int_equal(kr_egl_sync_client_wait(&fake_display, sync, 0, 0),
			EGL_CONDITION_SATISFIED);
		rig_destroy(sync);
		rig_stop();
	}
}

/* A fence that fails is done: EGL knows no other end. */
static void
client_waits_end_with_failures(void **state)
{
	struct waiter waiter = {0};
	EGLSync sync;
	int producer;

	rig_start();
	sync = rig_give(&producer);
	start_wait(&waiter, sync, EGL_FOREVER);
	close(producer);
	expect_answer(&waiter, EGL_CONDITION_SATISFIED, EGL_SUCCESS);
	rig_destroy(sync);
	rig_stop();
}

/* The flag flushes once, and only what isn't done; without a context there is nothing to flush. */
static void
the_flag_flushes(void **state)
{
	const EGLint flag = EGL_SYNC_FLUSH_COMMANDS_BIT;
	int producer;
	EGLSync sync;

	rig_start();
	sync = rig_give(&producer);
	kr_egl_sync_client_wait(&fake_display, sync, flag, MS);
	assert_int_equal(fake_vendor.flushes, 1);
	kr_egl_sync_client_wait(&fake_display, sync, 0, MS);
	assert_int_equal(fake_vendor.flushes, 1);
	fake_make_current(0);
	kr_egl_sync_client_wait(&fake_display, sync, flag, MS);
	assert_int_equal(fake_vendor.flushes, 1);
	fake_make_current(1);
	kr_fence_signal(producer, 1);
	assert_int_equal(
		kr_egl_sync_client_wait(&fake_display, sync, flag, MS), EGL_CONDITION_SATISFIED);
	assert_int_equal(fake_vendor.flushes, 1);
	rig_destroy(sync);
	rig_stop();
}

/*
 * Fence syncs that are destroyed while somebody waits are "flagged for deletion": the wait goes on
 * to its own end, the handle is invalid at once.
 */
static void
destroyed_while_others_wait(void **state)
{
	for (int given = 0; given < 2; given++) {
		struct waiter waiters[2] = {{0}};
		int producer = -1;
		EGLSync sync;

		rig_start();
		sync = given ? rig_give(&producer) : rig_make();
		fake_flush();
		start_wait(&waiters[0], sync, EGL_FOREVER);
		start_wait(&waiters[1], sync, 150 * MS);
		rig_destroy(sync);
		assert_int_equal(kr_egl_sync_client_wait(&fake_display, sync, 0, 0), EGL_FALSE);
		assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
		expect_answer(&waiters[1], EGL_TIMEOUT_EXPIRED, EGL_SUCCESS);
		assert_false(atomic_load(&waiters[0].returned));
		if (given)
			kr_fence_signal(producer, 1);
		else
			fake_end_all();
		expect_answer(&waiters[0], EGL_CONDITION_SATISFIED, EGL_SUCCESS);
		rig_stop();
	}
}

static struct kr_egl_cpu_waits
waits(void)
{
	struct kr_egl_cpu_waits waits;

	kr_egl_fences_cpu_waits(&waits);
	return waits;
}

/* E-03: the vendor's own server wait, wherever one of its syncs is behind it. */
static void
server_waits_are_the_vendors(void **state)
{
	EGLSync sync, copy;
	int fd;

	rig_start();
	sync = rig_make_flushed(&fd);
	assert_true(kr_egl_sync_wait(&fake_display, sync, 0));
	assert_int_equal(fake_vendor.server_waits, 0); /* its own commands come before, anyway */
	fake_make_current(2);
	assert_true(kr_egl_sync_wait(&fake_display, sync, 0));
	assert_int_equal(fake_vendor.server_waits, 1);

	/* Its descriptor, come back as another sync, is known by the socket. */
	copy = rig_give_fd(fd);
	assert_true(kr_egl_sync_wait(&fake_display, copy, 0));
	assert_int_equal(fake_vendor.server_waits, 2);
	rig_destroy(sync);
	assert_true(kr_egl_sync_wait(&fake_display, copy, 0));
	assert_int_equal(fake_vendor.server_waits, 3);
	fake_end_all();
	rig_sleep_ms(50);
	assert_true(kr_egl_sync_wait(&fake_display, copy, 0));
	assert_int_equal(fake_vendor.server_waits, 3);
	assert_int_equal(waits().waits, 0);
	rig_destroy(copy);
	rig_stop();
}

/* E-03: for a fence of others the CPU waits, before any later command, and it is counted. */
static void
others_are_waited_for_by_the_cpu(void **state)
{
	struct waiter waiter = {.server = true};
	EGLSync sync;
	int producer;

	rig_start();
	sync = rig_give(&producer);
	start_wait(&waiter, sync, 0);
	rig_sleep_ms(100);
	assert_false(atomic_load(&waiter.returned));
	kr_fence_signal(producer, 1);
	expect_answer(&waiter, EGL_TRUE, EGL_SUCCESS);
	assert_int_equal(fake_vendor.flushes, 1);
	assert_int_equal(fake_vendor.server_waits, 0);
	assert_int_equal(waits().waits, 1);
	assert_int_equal(waits().late, 0);
	assert_in_range(waits().ns, 100 * MS, 2000 * MS);
	assert_true(kr_egl_sync_wait(&fake_display, sync, 0));
	assert_int_equal(waits().waits, 1); /* done: nobody had to wait */
	rig_destroy(sync);
	rig_stop();
}

static atomic_uint named;

static void
hear(void *data, uint32_t bits, const char *message)
{
	if (bits & KR_LOG_WARN && strstr(message, "eglWaitSync has waited 3.") &&
		strstr(message, "held-up"))
		atomic_fetch_add(&named, 1);
}

/* S-05: not for ever; named after 3 s, and no success for it. */
static void
not_for_ever(void **state)
{
	const struct kr_fence_label label = {.name = "held-up"};
	int producer, fence;
	int64_t before;
	EGLSync sync;

	rig_start();
	kr_log_set_sink(hear, NULL);
	assert_int_equal(kr_fence_create(&label, &producer, &fence), 0);
	sync = rig_give_fd(fence);
	before = kr_clock_now();
	assert_false(kr_egl_sync_wait(&fake_display, sync, 0));
	assert_int_equal(fake_error(), EGL_BAD_ACCESS);
	assert_in_range(kr_clock_now() - before, 5000 * MS, 7000 * MS);
	assert_int_equal(waits().late, 1);
	assert_int_equal(atomic_load(&named), 1);
	kr_log_set_sink(NULL, NULL);
	rig_destroy(sync);
	close(producer);
	rig_stop();
}

/* Where the vendor has no server waits, the CPU waits for its syncs, too. */
static void
a_vendor_without_server_waits(void **state)
{
	EGLSync native, plain;

	fake_vendor_start("EGL_KHR_fence_sync");
	fake_make_current(1);
	native = rig_make();
	plain = kr_egl_sync_create(&fake_display, KR_EGL_SYNC_KHR, EGL_SYNC_FENCE, NULL);
	assert_false(kr_egl_sync_wait(&fake_display, plain, 1));
	assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
	fake_end_all();
	fake_make_current(2);
	assert_true(kr_egl_sync_wait(&fake_display, plain, 0));
	assert_true(kr_egl_sync_wait(&fake_display, native, 0));
	assert_int_equal(waits().waits, 1);
	fake_make_current(0);
	assert_false(kr_egl_sync_wait(&fake_display, plain, 0));
	assert_int_equal(fake_error(), EGL_BAD_MATCH);
	assert_true(kr_egl_sync_destroy(&fake_display, plain));
	rig_destroy(native);
	rig_stop();
}

/*
 * While a fence takes 2 s the other threads' calls go on, also of a vendor that holds its lock in
 * waits: none of them takes as long. (A slice and a bit on a machine without load.)
 */
static void
others_go_on(void **state)
{
	int64_t until, longest = 0;
	unsigned rounds = 0;
	EGLSync sync;
	int fd;

	fake_vendor.locks_waits = true;
	rig_start();
	sync = rig_make_flushed(&fd);
	until = kr_clock_now() + 2000 * MS;
	while (kr_clock_now() < until) {
		int64_t before = kr_clock_now(), took;

		fake_make_current((int)(rounds++ % 2) + 2);
		took = kr_clock_now() - before;
		longest = KR_MAX(longest, took);
	}
	assert_int_equal(kr_fence_status(fd), KR_FENCE_ACTIVE);
	assert_true(rounds > 100);
	assert_in_range(longest, 0, 500 * MS);
	fake_end_all();
	rig_expect_status(fd, KR_FENCE_SIGNALLED, 1000);
	close(fd);
	rig_destroy(sync);
	rig_stop();
}

int
main(int argc, char **argv)
{
	static const struct kr_test tests[] = {
		KR_TEST_FLAGS(client_waits_know_their_time, KR_TEST_KEEPS_MEMORY),
		KR_TEST_FLAGS(client_waits_end_with_failures, KR_TEST_KEEPS_MEMORY),
		KR_TEST(the_flag_flushes),
		KR_TEST_FLAGS(destroyed_while_others_wait, KR_TEST_KEEPS_MEMORY),
		KR_TEST_FLAGS(server_waits_are_the_vendors, KR_TEST_KEEPS_MEMORY),
		KR_TEST_FLAGS(others_are_waited_for_by_the_cpu, KR_TEST_KEEPS_MEMORY),
		KR_TEST_FLAGS(not_for_ever, KR_TEST_KEEPS_MEMORY),
		KR_TEST(a_vendor_without_server_waits),
		KR_TEST_FLAGS(others_go_on, KR_TEST_KEEPS_MEMORY),
	};

	return kr_test_main(argc, argv, tests, KR_ARRAY_LEN(tests));
}
