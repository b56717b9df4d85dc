/* SPDX-License-Identifier: Apache-2.0 */
#include "egl/window/copy.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "egl/window/drawn.h"
#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "sync/fence/fork.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"

/* How long exit() waits for what is under way. */
#define EXIT_LIMIT_NS (2 * KR_NSEC_PER_SEC)

/* Frames of this process that are under way. */
static struct {
	struct kr_mutex lock;
	struct kr_cond less;
	unsigned count KR_GUARDED_BY(lock);
} under_way = {.lock = KR_MUTEX_INITIALIZER};

/* How many forks lie between this process and the first: copiers of parents have no thread here. */
static atomic_uint generation;

bool
kr_egl_copier_is_parents(const struct kr_egl_copier *copier)
{
	return copier->initialised && copier->generation != atomic_load(&generation);
}

/* A program may end with its last swap: that frame is shown. Drivers go later than this. */
static void
at_exit(void)
{
	int64_t deadline_ns = kr_deadline_in(EXIT_LIMIT_NS);

	kr_mutex_lock(&under_way.lock);
	while (under_way.count &&
		!kr_cond_wait_until(&under_way.less, &under_way.lock, deadline_ns))
		;
	kr_mutex_unlock(&under_way.lock);
}

static void
register_exit(void)
{
	kr_cond_init(&under_way.less);
	if (atexit(at_exit))
		kr_debug("EGL: exit() won't wait for frames that are copied");
}

static void
count_under_way(int more)
{
	kr_mutex_lock(&under_way.lock);
	under_way.count += (unsigned)more;
	kr_cond_broadcast(&under_way.less);
	kr_mutex_unlock(&under_way.lock);
}

static EGLint
take_error(struct kr_egl_vendor *vendor)
{
	EGLint error = vendor->egl.GetError();

	return error == EGL_SUCCESS ? EGL_BAD_ALLOC : error;
}

/* Our own context: OpenGL ES 3 where it can be had, which reads more. */
static EGLint
make_context(struct kr_egl_copier *copier)
{
	struct kr_egl_vendor *vendor = copier->display->vendor;

	if (!vendor->egl.BindAPI(EGL_OPENGL_ES_API))
		return take_error(vendor);
	for (EGLint version = 3; version >= 2; version--) {
		const EGLint attributes[] = {EGL_CONTEXT_CLIENT_VERSION, version, EGL_NONE};

		copier->context = vendor->egl.CreateContext(
			copier->display->handle, copier->config, EGL_NO_CONTEXT, attributes);
		if (copier->context != EGL_NO_CONTEXT)
			return EGL_SUCCESS;
	}
	return take_error(vendor);
}

static EGLint
make_current(struct kr_egl_copier *copier, EGLSurface pbuffer)
{
	struct kr_egl_vendor *vendor = copier->display->vendor;
	EGLContext context = pbuffer == EGL_NO_SURFACE ? EGL_NO_CONTEXT : copier->context;

	return vendor->egl.MakeCurrent(copier->display->handle, pbuffer, pbuffer, context)
		? EGL_SUCCESS
		: take_error(vendor);
}

/* What the thread begins with. The error is for who started it. */
static EGLint
set_up(struct kr_egl_copier *copier, const struct kr_egl_format *format, EGLSurface pbuffer)
{
	EGLint error = make_context(copier);

	if (error != EGL_SUCCESS)
		return error;
	error = make_current(copier, pbuffer);
	if (error == EGL_SUCCESS)
		error = kr_egl_transfer_init(
			&copier->transfer, copier->display, copier->config, format);
	if (error == EGL_SUCCESS)
		snprintf(copier->renderer, sizeof(copier->renderer), "%s",
			kr_egl_pixels_renderer(&copier->transfer.pixels));
	make_current(copier, EGL_NO_SURFACE);
	return error;
}

static void
tear_down(struct kr_egl_copier *copier)
{
	struct kr_egl_vendor *vendor = copier->display->vendor;

	if (copier->context != EGL_NO_CONTEXT)
		vendor->egl.DestroyContext(copier->display->handle, copier->context);
	kr_egl_transfer_finish(&copier->transfer);
	vendor->egl.ReleaseThread();
}

static EGLint
transfer(struct kr_egl_copier *copier, const struct kr_egl_copy *copy)
{
	EGLint error = make_current(copier, copy->pbuffer);

	if (error == EGL_SUCCESS)
		error = kr_egl_transfer_run(&copier->transfer, copy->take_buffer, copy->width,
			copy->height, copy->rows);
	make_current(copier, EGL_NO_SURFACE);
	return error;
}

/* Both ends are waited for. Who has failed to let go of the buffer has let go. */
static EGLint
do_copy(struct kr_egl_copier *copier, const struct kr_egl_copy *copy)
{
	struct kr_fence_watchdog late = {0};
	EGLint error = kr_egl_drawn_wait(copier->display, copy->take_drawn);

	if (error != EGL_SUCCESS || copy->unseen)
		return error;
	/* Nothing has changed since the buffer was shown: nobody has to be waited for. */
	if (copy->rows.top >= copy->rows.bottom)
		return EGL_SUCCESS;
	if (kr_fence_wait_watched(copy->take_acquire, kr_deadline_in(KR_EGL_RELEASE_LIMIT_NS),
		    &late, "eglSwapBuffers: a window's buffer") == -ETIME)
		return EGL_BAD_NATIVE_WINDOW;
	return transfer(copier, copy);
}

static void
end_copy(struct kr_egl_copy *copy, EGLint error)
{
	int64_t done_ns = error == EGL_SUCCESS ? kr_clock_now() : EGL_TIMESTAMP_INVALID_ANDROID;

	*copy->copied = error == EGL_SUCCESS && !copy->unseen;
	if (copy->drawn_ns)
		atomic_store_explicit(copy->drawn_ns, done_ns, memory_order_relaxed);
	kr_fd_close(&copy->take_acquire);
	if (copy->take_producer >= 0)
		kr_fence_signal(copy->take_producer, error == EGL_SUCCESS ? 1 : -EIO);
	kr_buffer_any_unref(copy->take_buffer);
}

static void
run_locked(struct kr_egl_copier *copier) KR_REQUIRES(copier->lock)
{
	for (;;) {
		struct kr_egl_copy copy = copier->copy;
		EGLint error;

		if (!copier->busy && !copier->running)
			return;
		if (!copier->busy) {
			kr_cond_wait_until(&copier->changed, &copier->lock, KR_FOREVER);
			continue;
		}
		kr_mutex_unlock(&copier->lock);
		error = do_copy(copier, &copy);
		end_copy(&copy, error);
		count_under_way(-1);
		kr_mutex_lock(&copier->lock);
		copier->busy = false;
		if (error != EGL_SUCCESS)
			copier->error = error;
		kr_cond_broadcast(&copier->changed);
	}
}

/* The first thing it has isn't a frame but the pbuffer to try with. */
static void *
copier_main(void *data)
{
	struct kr_egl_copier *copier = data;
	EGLSurface pbuffer;
	EGLint error;

	kr_mutex_lock(&copier->lock);
	pbuffer = copier->copy.pbuffer;
	kr_mutex_unlock(&copier->lock);
	error = set_up(copier, copier->transfer.pixels.format, pbuffer);
	kr_mutex_lock(&copier->lock);
	copier->error = error;
	copier->busy = false;
	kr_cond_broadcast(&copier->changed);
	if (error == EGL_SUCCESS)
		run_locked(copier);
	kr_mutex_unlock(&copier->lock);
	tear_down(copier);
	return NULL;
}

static int
start_thread(struct kr_egl_copier *copier)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&copier->thread, NULL, copier_main, copier);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		pthread_setname_np(copier->thread, "krafla-egl");
	return -err;
}

EGLint
kr_egl_copier_start(struct kr_egl_copier *copier, struct kr_egl_display *display, EGLConfig config,
	const struct kr_egl_format *format, EGLSurface pbuffer)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	EGLint error;

	*copier = (struct kr_egl_copier){
		.display = display,
		.config = config,
		.transfer.pixels.format = format,
		.initialised = true,
		.generation = atomic_load(&generation),
		.busy = true,
		.running = true, /* before there is a thread that would end without it */
		.error = EGL_SUCCESS,
		.copy.pbuffer = pbuffer,
	};
	kr_mutex_init(&copier->lock);
	kr_cond_init(&copier->changed);
	if (start_thread(copier)) {
		kr_mutex_lock(&copier->lock);
		copier->running = false;
		copier->gone = true;
		kr_mutex_unlock(&copier->lock);
		return EGL_BAD_ALLOC;
	}
	/* Behind the vendor's own, so that it comes before them. */
	pthread_once(&once, register_exit);
	error = kr_egl_copier_wait(copier);
	if (error != EGL_SUCCESS)
		kr_egl_copier_stop(copier);
	return error;
}

void
kr_egl_copier_stop(struct kr_egl_copier *copier)
{
	bool first;

	if (!copier->initialised)
		return;
	kr_mutex_lock(&copier->lock);
	first = copier->running;
	copier->running = false;
	kr_cond_broadcast(&copier->changed);
	while (!first && !copier->gone)
		kr_cond_wait_until(&copier->changed, &copier->lock, KR_FOREVER);
	kr_mutex_unlock(&copier->lock);
	if (!first)
		return;
	pthread_join(copier->thread, NULL);
	kr_mutex_lock(&copier->lock);
	copier->gone = true;
	kr_cond_broadcast(&copier->changed);
	kr_mutex_unlock(&copier->lock);
}

void
kr_egl_copier_finish(struct kr_egl_copier *copier)
{
	if (!copier->initialised)
		return;
	kr_cond_finish(&copier->changed);
	kr_mutex_finish(&copier->lock);
	copier->initialised = false;
}

void
kr_egl_copier_give(struct kr_egl_copier *copier, const struct kr_egl_copy *take_copy)
{
	struct kr_egl_copy copy = *take_copy;
	bool running;

	kr_mutex_lock(&copier->lock);
	running = copier->running;
	if (running) {
		count_under_way(1);
		copier->copy = copy;
		copier->busy = true;
		kr_cond_broadcast(&copier->changed);
	} else {
		copier->error = EGL_BAD_SURFACE;
	}
	kr_mutex_unlock(&copier->lock);
	if (running)
		return;
	if (copy.take_drawn != EGL_NO_SYNC)
		copier->display->vendor->egl.DestroySync(copier->display->handle, copy.take_drawn);
	end_copy(&copy, EGL_BAD_SURFACE);
}

EGLint
kr_egl_copier_wait(struct kr_egl_copier *copier)
{
	EGLint error;

	kr_mutex_lock(&copier->lock);
	while (copier->busy)
		kr_cond_wait_until(&copier->changed, &copier->lock, KR_FOREVER);
	error = copier->error;
	copier->error = EGL_SUCCESS;
	kr_mutex_unlock(&copier->lock);
	return error;
}

/* Frames that are under way are the parent's; nobody here waits for them. */
static void
after_fork(bool child) KR_NO_THREAD_SAFETY
{
	if (!child)
		return;
	atomic_fetch_add(&generation, 1);
	kr_mutex_init(&under_way.lock);
	kr_cond_init(&under_way.less);
	under_way.count = 0;
}

static void __attribute__((constructor)) register_fork(void)
{
	static const struct kr_sync_fork_hook hook = {NULL, after_fork};

	kr_sync_fork_register(KR_SYNC_FORK_EGL_COPIES, &hook);
}
