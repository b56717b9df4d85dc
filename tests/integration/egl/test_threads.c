/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that all begin with EGL at once, through the real libEGL.so.1 and with Mesa: each with a
 * context of its own, errors of its own, and a colour that it reads back; and a process that forks.
 */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "rules.h"

#define THREADS 8
#define ROUNDS  40

#define GL_COLOR_BUFFER_BIT 0x4000
#define GL_RGBA             0x1908
#define GL_UNSIGNED_BYTE    0x1401

typedef void (*clear_color_fn)(float red, float green, float blue, float alpha);
typedef void (*clear_fn)(unsigned mask);
typedef void (*read_pixels_fn)(
	int x, int y, int width, int height, unsigned format, unsigned type, void *pixels);

static pthread_barrier_t barrier;

/* Whether what is read is what was cleared to; 17 steps of a channel. */
static bool
draws(unsigned step)
{
	clear_color_fn clear_color = (clear_color_fn)eglGetProcAddress("glClearColor");
	clear_fn clear = (clear_fn)eglGetProcAddress("glClear");
	read_pixels_fn read_pixels = (read_pixels_fn)eglGetProcAddress("glReadPixels");
	unsigned char pixel[4] = {0};

	clear_color((float)(step % 16) / 15, 0, 1, 1);
	clear(GL_COLOR_BUFFER_BIT);
	read_pixels(3, 3, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
	return pixel[0] == step % 16 * 17 && pixel[1] == 0 && pixel[2] == 255;
}

/* 0, or the number of the step that went wrong. */
static int
work(unsigned number)
{
	const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
		EGL_OPENGL_ES2_BIT, EGL_RED_SIZE, 8, EGL_ALPHA_SIZE, 8, EGL_NONE};
	const EGLint es2[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
	const EGLint size[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
	EGLDisplay d = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
	EGLContext context;
	EGLSurface surface;
	EGLConfig config;
	EGLint count;

	if (!d || !eglInitialize(d, NULL, NULL))
		return 1;
	if (!eglChooseConfig(d, wanted, &config, 1, &count) || count != 1)
		return 2;
	for (unsigned round = 0; round < ROUNDS; round++) {
		context = eglCreateContext(d, config, EGL_NO_CONTEXT, es2);
		surface = eglCreatePbufferSurface(d, config, size);
		if (!eglMakeCurrent(d, surface, surface, context) ||
			eglGetCurrentContext() != context)
			return 3;
		if (!draws(number + round))
			return 4;
		/* Every second thread has an error that the others don't see. */
		if (number % 2 && eglQuerySurface(d, EGL_NO_SURFACE, EGL_WIDTH, &count))
			return 5;
		if (eglGetError() != (number % 2 ? EGL_BAD_SURFACE : EGL_SUCCESS))
			return 6;
		if (!eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT) ||
			!eglDestroySurface(d, surface) || !eglDestroyContext(d, context))
			return 7;
	}
	return eglReleaseThread() ? 0 : 8;
}

static void *
work_in_thread(void *data)
{
	pthread_barrier_wait(&barrier);
	return (void *)(intptr_t)work((unsigned)(uintptr_t)data);
}

static void
all_begin_at_once(enum egl_way way)
{
	pthread_t threads[THREADS];

	skip_without_egl();
	choose(way, NULL);
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work_in_thread, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		void *failed;

		pthread_join(threads[i], &failed);
		assert_int_equal((intptr_t)failed, 0);
	}
}

/*
 * A display whose threads stayed behind can't be used in a child, but EGL's state can: nothing is
 * current in it, its errors are its own, and no lock is held for ever.
 */
static void
a_child_has_nothing_current(enum egl_way way)
{
	int status;
	pid_t child;

	skip_without_egl();
	choose(way, NULL);
	assert_int_equal(work(1), 0);
	assert_false(eglQuerySurface(EGL_NO_DISPLAY, EGL_NO_SURFACE, EGL_WIDTH, NULL));
	child = fork();
	if (child == 0) {
		bool good = eglGetCurrentContext() == EGL_NO_CONTEXT &&
			!eglInitialize(EGL_NO_DISPLAY, NULL, NULL) &&
			eglGetError() == EGL_BAD_DISPLAY && eglReleaseThread() &&
			eglGetProcAddress("eglCreateSyncKHR");

		_exit(good ? 0 : 1);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(eglGetError(), EGL_BAD_DISPLAY);
}

BOTH_WAYS(all_begin_at_once)
BOTH_WAYS(a_child_has_nothing_current)

static const struct kr_test tests[] = {
	KR_TEST_SLOW(all_begin_at_once_plain, RULE_FLAGS, 120),
	KR_TEST_SLOW(all_begin_at_once_krafla, RULE_FLAGS, 120),
	KR_TEST_FLAGS(a_child_has_nothing_current_plain, RULE_FLAGS),
	KR_TEST_FLAGS(a_child_has_nothing_current_krafla, RULE_FLAGS),
};

KR_TEST_MAIN(tests)
