/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native fences on Mesa's llvmpipe, which has none before Mesa 25: through the real libEGL.so.1, by
 * the functions that programs find. Where the vendor has its own these are used.
 */
#include <errno.h>
#include <krafla/sync.h>
#include <krafla/timeline.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "rules.h"
#include "slow_work.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/macros.h"

#define MS     KR_NSEC_PER_MSEC
#define NATIVE EGL_SYNC_NATIVE_FENCE_ANDROID

static EGLDisplay display;
static EGLConfig config;
static EGLContext context;
static PFNEGLDUPNATIVEFENCEFDANDROIDPROC dup_fence;
static PFNEGLCREATESYNCKHRPROC create_khr;

static void
begin(void)
{
	skip_without_egl();
	choose(EGL_KRAFLA, MESA_MANIFEST);
	open_mesa(&display, &config);
	context = begin_work(display, config);
	dup_fence =
		(PFNEGLDUPNATIVEFENCEFDANDROIDPROC)eglGetProcAddress("eglDupNativeFenceFDANDROID");
	create_khr = (PFNEGLCREATESYNCKHRPROC)eglGetProcAddress("eglCreateSyncKHR");
	assert_non_null(dup_fence);
	assert_non_null(create_khr);
}

/* Mesa 25's, which has native fences, gives descriptors before a flush. */
static bool
is_the_vendors(EGLSync sync)
{
	int fd = dup_fence(display, sync);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* NVIDIA's without a display waits where a fence sync is made until all is drawn. */
static int64_t making_took;

static EGLSync
make(void)
{
	int64_t before = kr_clock_now();
	EGLSync sync = eglCreateSync(display, NATIVE, NULL);

	making_took = kr_clock_now() - before;
	assert_non_null(sync);
	return sync;
}

/* For what is seen while commands of `ms` are under way. */
static void
skip_where_making_waits(int ms)
{
	if (making_took > ms * MS / 2)
		kr_test_skip("syncs-wait-for-the-gpu", eglQueryString(display, EGL_VENDOR));
}

/* Signalled within 5 s, with that status. */
static void
expect_end(int fd, int status)
{
	struct sync_file_info *info;

	assert_int_equal(sync_wait(fd, 5000), 0);
	info = sync_file_info(fd);
	assert_non_null(info);
	assert_int_equal(info->status, status);
	sync_file_info_free(info);
	close(fd);
}

/* E-01, E-03: what the display says that it has, and whether the functions are there. */
static void
they_are_offered(void **state)
{
	const char *extensions;

	begin();
	extensions = eglQueryString(display, EGL_EXTENSIONS);
	assert_non_null(strstr(extensions, "EGL_ANDROID_native_fence_sync"));
	assert_non_null(strstr(extensions, "EGL_KHR_wait_sync"));
	assert_non_null(strstr(extensions, "EGL_ANDROID_wait_sync"));
	assert_non_null(eglGetProcAddress("eglWaitSyncKHR"));
	assert_non_null(eglGetProcAddress("eglWaitSyncANDROID"));
	eglTerminate(display);
}

/* --- E-01: each flush that can be seen --- */

static void
by_flush(void)
{
	gl_flush();
}

static void
by_finish(void)
{
	gl_finish();
}

static void
by_swap(void)
{
	eglSwapBuffers(display, eglGetCurrentSurface(EGL_DRAW));
}

static void
by_leaving(void)
{
	EGLSurface surface = eglGetCurrentSurface(EGL_DRAW);

	assert_true(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	assert_true(eglMakeCurrent(display, surface, surface, context));
}

static void
by_release(void)
{
	EGLSurface surface = eglGetCurrentSurface(EGL_DRAW);

	assert_true(eglReleaseThread());
	assert_true(eglMakeCurrent(display, surface, surface, context));
}

static void
by_wait_client(void)
{
	assert_true(eglWaitClient());
}

static void
by_wait_gl(void)
{
	assert_true(eglWaitGL());
}

static void
by_client_wait(void)
{
	EGLSync sync = make();

	eglClientWaitSync(display, sync, EGL_SYNC_FLUSH_COMMANDS_BIT, 0);
	eglDestroySync(display, sync);
}

/* E-01: at the next flush, whichever way; not before. */
static void
at_the_next_flush(void **state)
{
	static const struct {
		const char *name;
		void (*flush)(void);
	} rows[] = {
		{"glFlush", by_flush},
		{"glFinish", by_finish},
		{"eglSwapBuffers", by_swap},
		{"eglMakeCurrent away", by_leaving},
		{"eglReleaseThread", by_release},
		{"eglWaitClient", by_wait_client},
		{"eglWaitGL", by_wait_gl},
		{"eglClientWaitSync", by_client_wait},
	};

	begin();
	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		EGLSync sync;
		int fd;

		work_for_ms(30);
		sync = make();
		if (is_the_vendors(sync))
			return;
		assert_int_equal(eglGetError(), EGL_BAD_PARAMETER);
		rows[i].flush();
		fd = dup_fence(display, sync);
		if (fd < 0)
			fail_msg("%s: 0x%x", rows[i].name, eglGetError());
		assert_int_equal(eglGetError(), EGL_SUCCESS);
		assert_true(eglDestroySync(display, sync));
		expect_end(fd, 1);
	}
	eglTerminate(display);
}

/* The old form, with a list of EGLint. */
static EGLSync
give(int fd)
{
	const EGLint list[] = {EGL_SYNC_NATIVE_FENCE_FD_ANDROID, fd, EGL_NONE};

	return create_khr(display, NATIVE, list);
}

/* E-01, E-02: a fence of somebody else's, which the CPU waits for where the GPU can't (E-03). */
static void
a_fence_of_others(void **state)
{
	struct krafla_timeline *timeline;
	uint64_t point;
	EGLSync sync;
	int fence;

	begin();
	assert_int_equal(krafla_timeline_create("test", NULL, NULL, &timeline), 0);
	assert_int_equal(krafla_timeline_submit(timeline, "given", &point, &fence), 0);
	sync = give(fence);
	assert_non_null(sync);
	assert_int_equal(eglClientWaitSync(display, sync, 0, 20 * MS), EGL_TIMEOUT_EXPIRED);
	assert_int_equal(krafla_timeline_signal(timeline, point), 0);
	assert_int_equal(eglClientWaitSync(display, sync, 0, EGL_FOREVER), EGL_CONDITION_SATISFIED);
	assert_true(eglWaitSync(display, sync, 0));
	expect_end(dup_fence(display, sync), 1);
	assert_true(eglDestroySync(display, sync));
	krafla_timeline_destroy(timeline);
	eglTerminate(display);
}

struct worker {
	pthread_t thread;
	EGLConfig config;
	atomic_bool stop;
	int64_t longest[4];
	unsigned rounds;
};

static void
note(int64_t *longest, int64_t before)
{
	*longest = KR_MAX(*longest, kr_clock_now() - before);
}

static void *
go_on(void *data)
{
	const EGLint size[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
	const EGLint es3[] = {EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE};
	struct worker *worker = data;
	EGLSurface surface = eglCreatePbufferSurface(display, config, size);
	EGLContext own = eglCreateContext(display, config, EGL_NO_CONTEXT, es3);

	for (; !atomic_load(&worker->stop); worker->rounds++) {
		int64_t before = kr_clock_now();

		eglMakeCurrent(display, surface, surface, own);
		note(&worker->longest[0], before);
		before = kr_clock_now();
		eglSwapBuffers(display, surface);
		note(&worker->longest[1], before);
		before = kr_clock_now();
		eglDestroySync(display, eglCreateSync(display, EGL_SYNC_FENCE, NULL));
		note(&worker->longest[2], before);
		before = kr_clock_now();
		eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
		note(&worker->longest[3], before);
		poll(NULL, 0, 1);
	}
	eglDestroyContext(display, own);
	eglDestroySurface(display, surface);
	return NULL;
}

/*
 * While a fence takes 2 s, other threads' eglMakeCurrent, swaps and syncs go on: none of them takes
 * as long, however slow the machine is.
 */
static void
others_go_on(void **state)
{
	struct worker worker = {0};
	int64_t before, taken;
	EGLSync sync;
	int fd;

	begin();
	work_for_ms(2000);
	sync = make();
	if (is_the_vendors(sync))
		return;
	skip_where_making_waits(2000);
	before = kr_clock_now();
	gl_flush();
	fd = dup_fence(display, sync);
	assert_int_equal(pthread_create(&worker.thread, NULL, go_on, &worker), 0);
	assert_int_equal(sync_wait(fd, 500), -1);
	assert_int_equal(errno, ETIME);
	assert_int_equal(sync_wait(fd, 40000), 0);
	taken = kr_clock_now() - before;
	atomic_store(&worker.stop, true);
	pthread_join(worker.thread, NULL);
	printf("# a fence of %lld ms, %u rounds; longest in ms: %lld %lld %lld %lld\n",
		(long long)(taken / MS), worker.rounds, (long long)(worker.longest[0] / MS),
		(long long)(worker.longest[1] / MS), (long long)(worker.longest[2] / MS),
		(long long)(worker.longest[3] / MS));
	assert_true(worker.rounds > 20);
	for (size_t i = 0; i < KR_ARRAY_LEN(worker.longest); i++)
		assert_in_range(worker.longest[i], 0, taken / 2);
	close(fd);
	eglTerminate(display);
}

/* Another context's commands: the vendor's own server wait; of the same context: none. */
static void
server_waits(void **state)
{
	EGLContext first, second;
	EGLSurface surface;
	int64_t before, waited;
	EGLSync sync;
	int fd;

	begin();
	first = context;
	surface = eglGetCurrentSurface(EGL_DRAW);
	work_for_ms(300);
	sync = make();
	if (is_the_vendors(sync))
		return;
	before = kr_clock_now();
	assert_true(eglWaitSync(display, sync, 0));
	waited = kr_clock_now() - before;
	gl_flush();
	fd = dup_fence(display, sync);
	second = begin_work(display, config);
	assert_true(eglWaitSync(display, sync, 0));
	gl_finish();
	/* Who signals it has the end told by a thread, which may get a processor late. */
	assert_int_equal(sync_wait(fd, 5000), 0);
	assert_in_range(waited, 0, (kr_clock_now() - before) / 2);
	close(fd);
	assert_true(eglDestroySync(display, sync));
	assert_true(eglMakeCurrent(display, surface, surface, first));
	eglDestroyContext(display, second);
	eglTerminate(display);
}

/* Contexts and displays may go first. */
static void
makers_go_first(void **state)
{
	EGLSync sync;
	int fd;

	begin();
	work_for_ms(300);
	sync = make();
	if (is_the_vendors(sync))
		return;
	skip_where_making_waits(300);
	assert_true(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	assert_true(eglDestroyContext(display, context));
	fd = dup_fence(display, sync);
	assert_true(fd >= 0);
	assert_true(eglDestroySync(display, sync));
	expect_end(fd, 1);

	context = begin_work(display, config);
	work_for_ms(1000);
	sync = make();
	gl_flush();
	fd = dup_fence(display, sync);
	assert_true(eglTerminate(display));
	assert_int_equal(eglClientWaitSync(display, sync, 0, 0), EGL_FALSE);
	assert_int_equal(eglGetError(), EGL_NOT_INITIALIZED);
	expect_end(fd, -ENOENT);
}

/* S-07: krafla fences says which context's of which display it is. */
static void
they_are_listed(void **state)
{
	char line[512], text[4096];
	EGLSync sync;
	int fd;

	begin();
	work_for_ms(1500);
	sync = make();
	if (is_the_vendors(sync))
		return;
	skip_where_making_waits(1500);
	gl_flush();
	fd = dup_fence(display, sync);
	snprintf(line, sizeof(line), "%s/bin/krafla fences %d 2>&1", getenv("KRAFLA_PREFIX"),
		getpid());
	assert_int_equal(kr_test_shell(line, text, sizeof(text)), 0);
	if (!strstr(text, "egl display 1") || !strstr(text, "context 1"))
		fail_msg("%s", text);
	assert_true(eglDestroySync(display, sync));
	expect_end(fd, 1);
	eglTerminate(display);
}

/* Faults of the environment, as of the platform's other libraries. */
static void
they_misbehave_on_request(void **state)
{
	EGLSync sync;
	int fd;

	setenv("KRAFLA_TESTING", "1", 1);
	setenv("KRAFLA_FAULTS", "egl-export:error,error=71,count=1;egl-import:never", 1);
	begin();
	work_for_ms(0);
	sync = make();
	if (is_the_vendors(sync))
		return;
	gl_flush();
	expect_end(dup_fence(display, sync), -71);
	fd = dup_fence(display, sync);
	assert_int_equal(sync_wait(fd, 5000), 0);
	assert_true(eglDestroySync(display, sync));
	sync = give(fd);
	assert_int_equal(eglClientWaitSync(display, sync, 0, 50 * MS), EGL_TIMEOUT_EXPIRED);
	assert_true(eglDestroySync(display, sync));
	eglTerminate(display);
}

/* The process that draws is killed after so long; what its fence says to another one. */
static int
status_of_the_killed(int ms)
{
	int status = 0;
	int result[2], fd;
	pid_t child;

	assert_int_equal(pipe(result), 0);
	child = fork();
	if (!child) {
		EGLSync sync;

		alarm(30);
		begin();
		work_for_ms(2000);
		sync = make();
		/* The kernel's: nobody's death fails them. And what is drawn is drawn. */
		if (is_the_vendors(sync) || making_took > 1000 * MS) {
			status = -EOWNERDEAD;
			_exit(write(result[1], &status, sizeof(status)) < 0);
		}
		gl_flush();
		fd = dup_fence(display, sync);
		if (!fork()) {
			alarm(20);
			status = sync_wait(fd, 10000) ? 7 : kr_fence_status(fd);
			_exit(write(result[1], &status, sizeof(status)) < 0);
		}
		poll(NULL, 0, ms);
		kill(getpid(), SIGKILL);
	}
	close(result[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(read(result[0], &status, sizeof(status)), sizeof(status));
	close(result[0]);
	return status;
}

static void
their_maker_is_killed(void **state)
{
	static const int after_ms[] = {0, 1, 30, 200};

	skip_without_egl();
	for (size_t i = 0; i < KR_ARRAY_LEN(after_ms); i++)
		assert_int_equal(status_of_the_killed(after_ms[i]), -EOWNERDEAD);
}

static int64_t
median(int64_t *values, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		for (size_t j = i; j && values[j - 1] > values[j]; j--) {
			int64_t value = values[j];

			values[j] = values[j - 1];
			values[j - 1] = value;
		}
	}
	return values[count / 2];
}

static int64_t
time_of(bool native, int ms)
{
	struct pollfd poll_fd = {.events = POLLIN};
	int64_t before;
	EGLSync sync;

	work_for_ms(ms);
	before = kr_clock_now();
	sync = eglCreateSync(display, native ? NATIVE : EGL_SYNC_FENCE, NULL);
	gl_flush();
	if (native) {
		poll_fd.fd = dup_fence(display, sync);
		poll(&poll_fd, 1, 5000);
		before = kr_clock_now() - before;
		close(poll_fd.fd);
	} else {
		eglClientWaitSync(display, sync, 0, EGL_FOREVER);
		before = kr_clock_now() - before;
	}
	eglDestroySync(display, sync);
	return before;
}

/*
 * Create, flush, copy and wait take no more than a thread's wake longer than a fence sync of the
 * vendor's. A wake is 30 to 100 us on an idle machine, and on a loaded one as long as all that a
 * fence sync takes; krafla-bench egl measures, this only sees that nobody waits in slices.
 */
static void
it_takes_one_wake_more(void **state)
{
	int64_t plain[41], native[41];

	begin();
	for (int ms = 0; ms < 4; ms += 3) {
		for (size_t i = 0; i < KR_ARRAY_LEN(plain); i++) {
			plain[i] = time_of(false, ms);
			native[i] = time_of(true, ms);
		}
		printf("# %d ms of work: %lld us, a native fence %lld us\n", ms,
			(long long)(median(plain, KR_ARRAY_LEN(plain)) / 1000),
			(long long)(median(native, KR_ARRAY_LEN(native)) / 1000));
		assert_true(median(native, KR_ARRAY_LEN(native)) <
			2 * median(plain, KR_ARRAY_LEN(plain)) + 3 * MS);
	}
	eglTerminate(display);
}

int
main(int argc, char **argv)
{
	static const struct kr_test tests[] = {
		KR_TEST_SLOW(they_are_offered, RULE_FLAGS, 60),
		KR_TEST_FLAGS(at_the_next_flush, RULE_FLAGS),
		KR_TEST_SLOW(a_fence_of_others, RULE_FLAGS, 60),
		KR_TEST_SLOW(others_go_on, RULE_FLAGS, 60),
		KR_TEST_FLAGS(server_waits, RULE_FLAGS),
		KR_TEST_FLAGS(makers_go_first, RULE_FLAGS),
		KR_TEST_FLAGS(they_are_listed, RULE_FLAGS),
		KR_TEST_FLAGS(they_misbehave_on_request, RULE_FLAGS),
		KR_TEST_SLOW(their_maker_is_killed, RULE_FLAGS, 120),
		KR_TEST_SLOW(it_takes_one_wake_more, RULE_FLAGS, 60),
	};

	return kr_test_main(argc, argv, tests, KR_ARRAY_LEN(tests));
}
