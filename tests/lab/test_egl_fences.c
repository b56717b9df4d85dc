/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vendor of EGL with native fences of its own, Mesa 25's llvmpipe, with Krafla in between: it
 * makes and takes sync_files by itself, and user-space fences alone are Krafla's.
 */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <krafla/kernel_sync.h>
#include <krafla/timeline.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "rig.h"
#include "tests/integration/egl/rules.h"
#include "tests/integration/egl/slow_work.h"
#include "util/clock.h"

#define MS     KR_NSEC_PER_MSEC
#define NATIVE EGL_SYNC_NATIVE_FENCE_ANDROID

/* egl/vendor/report.h: frames, copies, their bytes, and this. */
#define CPU_WAITS_AT 3

static EGLDisplay display;
static EGLConfig config;
static EGLContext context;
static int reports; /* the socket of KRAFLA_REPORT */
static PFNEGLDUPNATIVEFENCEFDANDROIDPROC dup_fence;

static void
open_reports(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", kr_test_path("report"));
	reports = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(reports, (struct sockaddr *)&address, sizeof(address)), 0);
	setenv("KRAFLA_REPORT", address.sun_path, 1);
}

static void
begin(void)
{
	skip_without_egl();
	choose(EGL_KRAFLA, MESA_MANIFEST);
	open_reports();
	open_mesa(&display, &config);
	context = begin_work(display, config);
	dup_fence =
		(PFNEGLDUPNATIVEFENCEFDANDROIDPROC)eglGetProcAddress("eglDupNativeFenceFDANDROID");
}

/*
 * How often Krafla had a processor wait in the GPU's place: in memory that it tells of with the
 * first count.
 */
static uint64_t
cpu_waits(void)
{
	struct pollfd told = {.fd = reports, .events = POLLIN};
	static int memory = -1;
	uint64_t waits = 0;

	if (memory < 0 && poll(&told, 1, 0) == 1)
		memory = rig_receive(reports);
	if (memory >= 0)
		assert_int_equal(pread(memory, &waits, sizeof(waits), CPU_WAITS_AT * sizeof(waits)),
			sizeof(waits));
	return waits;
}

static EGLSync
give(int take_fd)
{
	const EGLAttrib list[] = {EGL_SYNC_NATIVE_FENCE_FD_ANDROID, take_fd, EGL_NONE};
	EGLSync sync = eglCreateSync(display, NATIVE, list);

	assert_int_equal(eglGetError(), EGL_SUCCESS);
	assert_non_null(sync);
	return sync;
}

static bool
is_signalled(EGLSync sync)
{
	EGLAttrib status = 0;

	assert_true(eglGetSyncAttrib(display, sync, EGL_SYNC_STATUS, &status));
	return status == EGL_SIGNALED;
}

struct signaller {
	pthread_t thread;
	int timeline;                 /* the kernel's, to 1; -1: */
	struct krafla_timeline *user; /* this one's point */
	uint64_t point;
	int64_t at_ns; /* when it was signalled */
};

static void *
signal_late(void *data)
{
	struct signaller *signaller = data;

	sleep(1); /* the wait has begun by then */
	signaller->at_ns = kr_clock_now();
	if (signaller->user)
		krafla_timeline_signal(signaller->user, signaller->point);
	else
		rig_move(signaller->timeline, 1, 0);
	return NULL;
}

/* Commands behind a server wait end after the fence, whoever waits. */
static void
expect_server_wait(EGLSync sync, struct signaller *signaller)
{
	assert_int_equal(pthread_create(&signaller->thread, NULL, signal_late, signaller), 0);
	assert_true(eglWaitSync(display, sync, 0));
	work_for_ms(0);
	gl_finish();
	assert_true(kr_clock_now() >= signaller->at_ns);
	assert_int_equal(pthread_join(signaller->thread, NULL), 0);
	assert_true(is_signalled(sync));
}

/* What comes of its commands is a sync_file of the kernel's: Krafla's would be none. */
static void
its_own_are_used(void **state)
{
	EGLSync sync;
	int fence;

	begin();
	for (int i = 0; i < 5; i++) {
		work_for_ms(20);
		sync = eglCreateSync(display, NATIVE, NULL);
		assert_non_null(sync);
		gl_flush();
		fence = dup_fence(display, sync);
		assert_true(fence >= 0);
		assert_int_equal(krafla_fence_check_kernel(fence), 0);
		assert_true(rig_ends(fence, RIG_SOON_MS));
		assert_int_equal(rig_status(fence), 1);
		assert_true(eglDestroySync(display, sync));
		close(fence);
	}
	assert_true(eglTerminate(display));
	assert_int_equal(cpu_waits(), 0);
}

/* As the vendor alone takes it: its copy is the same fence, and nothing of Krafla's waits. */
static void
kernel_fences_go_as_they_are(void **state)
{
	struct signaller signaller = {.timeline = rig_timeline()};
	struct sync_fence_info was, is;
	int fence, copy;
	EGLSync sync;

	begin();
	fence = rig_fence(signaller.timeline, 1);
	assert_int_equal(rig_point(fence, &was), 1);
	sync = give(fence);
	assert_int_equal(eglClientWaitSync(display, sync, 0, 50 * MS), EGL_TIMEOUT_EXPIRED);
	assert_false(is_signalled(sync));
	copy = dup_fence(display, sync);
	assert_int_equal(rig_point(copy, &is), 1);
	assert_string_equal(is.driver_name, was.driver_name);
	assert_string_equal(is.obj_name, was.obj_name);
	assert_int_equal(rig_status(copy), 0);
	expect_server_wait(sync, &signaller);
	assert_int_equal(eglClientWaitSync(display, sync, 0, EGL_FOREVER), EGL_CONDITION_SATISFIED);
	assert_int_equal(rig_ended(copy), 1);
	assert_true(eglDestroySync(display, sync));
	close(copy);
	close(signaller.timeline);
	assert_true(eglTerminate(display));
	assert_int_equal(cpu_waits(), 0);
}

/* Its copy is a user-space fence again, and a processor waits, once. */
static void
user_fences_are_translated(void **state)
{
	struct signaller signaller = {.timeline = -1};
	EGLSync sync;
	int fence, copy;

	begin();
	assert_int_equal(krafla_timeline_create("test", NULL, NULL, &signaller.user), 0);
	assert_int_equal(
		krafla_timeline_submit(signaller.user, "given", &signaller.point, &fence), 0);
	sync = give(fence);
	assert_int_equal(eglClientWaitSync(display, sync, 0, 50 * MS), EGL_TIMEOUT_EXPIRED);
	copy = dup_fence(display, sync);
	assert_true(copy >= 0);
	assert_int_not_equal(krafla_fence_check_kernel(copy), 0);
	expect_server_wait(sync, &signaller);
	assert_true(eglDestroySync(display, sync));
	close(copy);
	krafla_timeline_destroy(signaller.user);
	assert_true(eglTerminate(display));
	assert_int_equal(cpu_waits(), 1);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(its_own_are_used, RULE_FLAGS, 60),
	KR_TEST_SLOW(kernel_fences_go_as_they_are, RULE_FLAGS, 60),
	KR_TEST_SLOW(user_fences_are_translated, RULE_FLAGS, 60),
};

KR_TEST_MAIN(tests)
