/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child that waits for drawings: by an EGL fence sync, by a native fence of the same display,
 * and beside them what it takes to wake a thread. All take turns.
 */
#include "bench/bench.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/egl/child.h"
#include "bench/egl/rows.h"

#define MAX_TURNS 2000
#define LIMIT_MS  5000

typedef EGLSync (*create_fn)(EGLDisplay display, EGLenum type, const EGLint *attributes);
typedef EGLBoolean (*destroy_fn)(EGLDisplay display, EGLSync sync);
typedef EGLint (*dup_fn)(EGLDisplay display, EGLSync sync);

struct fences {
	struct egl_child child;
	create_fn create;
	destroy_fn destroy;
	dup_fn dup;
	unsigned loops;
};

static double
since(int64_t start)
{
	return (double)(kr_bench_now() - start) / 1000;
}

/* Drawn, a fence sync made, flushed, waited for, destroyed: microseconds; below 0 it failed. */
static double
wait_by_sync(struct fences *f, unsigned turn)
{
	struct egl_child *child = &f->child;
	int64_t start = kr_bench_now();
	EGLSync sync;

	egl_child_draw(child, f->loops, turn);
	sync = f->create(child->display, EGL_SYNC_FENCE_KHR, NULL);
	child->gl_Flush();
	if (child->egl_ClientWaitSync(child->display, sync, 0, EGL_FOREVER) !=
		EGL_CONDITION_SATISFIED)
		return -1;
	f->destroy(child->display, sync);
	return since(start);
}

/* The same with a native fence, whose duplicate is polled. */
static double
wait_by_native(struct fences *f, unsigned turn)
{
	struct egl_child *child = &f->child;
	struct pollfd p = {.events = POLLIN};
	int64_t start = kr_bench_now();
	EGLSync sync;

	egl_child_draw(child, f->loops, turn);
	sync = f->create(child->display, EGL_SYNC_NATIVE_FENCE_ANDROID, NULL);
	if (!sync)
		return -1;
	child->gl_Flush();
	p.fd = f->dup(child->display, sync);
	if (p.fd < 0 || poll(&p, 1, LIMIT_MS) != 1)
		return -1;
	close(p.fd);
	f->destroy(child->display, sync);
	return since(start);
}

/* --- waking a thread --- */

struct sleeper {
	sem_t go, awake;
	int64_t woke;
	bool end;
};

static void *
sleep_and_tell(void *data)
{
	struct sleeper *s = data;

	for (;;) {
		sem_wait(&s->go);
		s->woke = kr_bench_now();
		if (s->end)
			return NULL;
		sem_post(&s->awake);
	}
}

/* From sem_post to the sleeper's first instruction. */
static double
wake(struct sleeper *s)
{
	int64_t start;

	usleep(200); /* until it sleeps */
	start = kr_bench_now();
	sem_post(&s->go);
	sem_wait(&s->awake);
	return (double)(s->woke - start) / 1000;
}

static int
take_turns(struct fences *f, unsigned turns)
{
	static double syncs[MAX_TURNS], natives[MAX_TURNS], wakes[MAX_TURNS], more[MAX_TURNS];
	struct sleeper sleeper = {0};
	pthread_t thread;
	int failed = 0;

	sem_init(&sleeper.go, 0, 0);
	sem_init(&sleeper.awake, 0, 0);
	if (pthread_create(&thread, NULL, sleep_and_tell, &sleeper))
		return 1;
	for (unsigned i = 0; !failed && i < turns; i++) {
		syncs[i] = wait_by_sync(f, i);
		natives[i] = f->dup ? wait_by_native(f, i) : 0;
		wakes[i] = wake(&sleeper);
		more[i] = natives[i] - syncs[i];
		failed = syncs[i] < 0 || natives[i] < 0;
	}
	sleeper.end = true;
	sem_post(&sleeper.go);
	pthread_join(thread, NULL);
	if (failed)
		return 1;
	printf("%.3f %.3f %.3f %.3f", kr_bench_median(syncs, turns),
		kr_bench_median(natives, turns), kr_bench_median(wakes, turns),
		kr_bench_median(more, turns));
	return 0;
}

/*
 * egl-fences TURNS SIZE US [syncs]: prints us by a sync, by a native fence (0: there are none, or
 * syncs alone are asked for), of a wake, and how much more the native fence took than the sync
 * beside it.
 */
int
kr_bench_child_egl_fences(int argc, char **argv)
{
	struct egl_place place = {0};
	struct fences f = {0};
	const char *extensions;
	unsigned turns;
	int ret;

	if (argc < 3)
		return 2;
	turns = (unsigned)atoi(argv[0]);
	place.width = place.height = (unsigned)atoi(argv[1]);
	if (turns > MAX_TURNS || egl_child_open(&f.child, &place))
		return 1;
	f.create = (create_fn)f.child.egl_GetProcAddress("eglCreateSyncKHR");
	f.destroy = (destroy_fn)f.child.egl_GetProcAddress("eglDestroySyncKHR");
	extensions = f.child.egl_QueryString(f.child.display, EGL_EXTENSIONS);
	if (argc < 4 && strstr(extensions, "EGL_ANDROID_native_fence_sync"))
		f.dup = (dup_fn)f.child.egl_GetProcAddress("eglDupNativeFenceFDANDROID");
	f.loops = egl_child_loops_for(&f.child, atof(argv[2]));
	ret = take_turns(&f, turns);
	egl_child_close(&f.child);
	return ret;
}
