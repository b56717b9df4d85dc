/* SPDX-License-Identifier: Apache-2.0 */
/* See app.h. */
#include "app.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/mutex.h"
#include "window/queue/queue.h"
#include "window/queue/sink.h"
#include "window/remote/remote.h"

#define FRAMES_MAX 24
#define OPEN_MAX   4

struct app {
	struct kill_actor *actor;
	const struct kill_app *how;
	struct kr_queue *queue;
	pthread_t gpu;
	struct kill_random gpu_random;
	struct kr_mutex lock;
	struct kr_cond changed;
	int work[OPEN_MAX] KR_GUARDED_BY(lock); /* producer ends of acquire fences, oldest first */
	unsigned count KR_GUARDED_BY(lock);
	bool ending KR_GUARDED_BY(lock);
};

static void
end_oldest_locked(struct app *app) KR_REQUIRES(app->lock)
{
	unsigned lot = kill_below(&app->gpu_random, 12);
	int producer = app->work[0];

	memmove(app->work, app->work + 1, --app->count * sizeof(app->work[0]));
	kr_mutex_unlock(&app->lock);
	poll(NULL, 0, (int)kill_below(&app->gpu_random, 4));
	if (lot == 0)
		close(producer);
	else
		kr_fence_signal(producer, lot == 1 ? -EIO : 1);
	kr_mutex_lock(&app->lock);
}

/* Ends the work that was given to it a little later, in order. */
static void *
run_gpu(void *data)
{
	struct app *app = data;

	kr_mutex_lock(&app->lock);
	while (app->count || !app->ending) {
		if (app->count)
			end_oldest_locked(app);
		else
			kr_cond_wait_until(&app->changed, &app->lock, KR_FOREVER);
	}
	kr_mutex_unlock(&app->lock);
	return NULL;
}

static void
give_work(struct app *app, int take_producer)
{
	bool full;

	kr_mutex_lock(&app->lock);
	full = app->count == OPEN_MAX;
	if (!full)
		app->work[app->count++] = take_producer;
	kr_cond_broadcast(&app->changed);
	kr_mutex_unlock(&app->lock);
	if (full)
		kr_fence_signal(take_producer, 1);
}

static void
start_gpu(struct app *app)
{
	app->gpu_random.state = kill_next(&app->actor->random);
	kr_mutex_init(&app->lock);
	kr_cond_init(&app->changed);
	if (pthread_create(&app->gpu, NULL, run_gpu, app))
		kill_complain(app->actor, "no thread");
}

static void
stop_gpu(struct app *app)
{
	kr_mutex_lock(&app->lock);
	app->ending = true;
	kr_cond_broadcast(&app->changed);
	kr_mutex_unlock(&app->lock);
	pthread_join(app->gpu, NULL);
	kr_cond_finish(&app->changed);
	kr_mutex_finish(&app->lock);
}

static void
excuse(struct app *app, const char *what, int err)
{
	if (!app->how->may_fail(app->actor))
		kill_complain(app->actor, "%s: %s", what, strerror(-err));
	if (err == -ETIMEDOUT)
		kill_complain(app->actor, "%s: no answer, no error", what);
}

static bool
open_window(struct app *app)
{
	struct kill_actor *actor = app->actor;
	struct kr_remote_display info;
	struct kr_queue_config config = {0};
	struct kr_sink *sink;
	int err;

	kill_step(actor, "connecting");
	err = kr_sink_remote_connect(
		app->how->socket, "app", kr_clock_now() + KILL_PATIENCE_NS, &sink, &info);
	/*
	 * A forked child of a display that died may hold its listening socket: nobody
	 * answers there.
	 */
	if (err == -ETIMEDOUT && atomic_load(&actor->board->deaths))
		return false;
	if (err) {
		excuse(app, "connect", err);
		return false;
	}
	config.default_width = info.width;
	config.default_height = info.height;
	config.default_format = info.format;
	config.consumer_usage = info.consumer_usage;
	config.max_acquired = info.max_acquired;
	err = kr_queue_create(&config, sink, &app->queue);
	if (!err)
		err = kr_queue_connect(app->queue, NATIVE_WINDOW_API_CPU);
	if (!err)
		err = kr_queue_set_buffer_count(app->queue, 3);
	if (err)
		excuse(app, "queue", err);
	return !err;
}

static int
dequeue(struct app *app, uint32_t *slot)
{
	const struct kr_queue_request request = {
		.width = app->how->width,
		.height = app->how->height,
		.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
		.deadline_ns = kr_clock_now() + KILL_PATIENCE_NS,
	};
	struct kr_buffer *buffer;
	int fence, err;

	kill_step(app->actor, "dequeueing");
	err = kr_queue_dequeue(app->queue, &request, slot, &buffer, &fence);
	if (err)
		return err;
	if (kr_fence_wait(fence, kr_clock_now() + KILL_PATIENCE_NS) == -ETIME)
		kill_complain(app->actor, "a release fence doesn't end");
	if (fence >= 0)
		close(fence);
	return 0;
}

static bool
show_frame(struct app *app)
{
	const struct kr_queue_input input = {.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO,
		.scaling_mode = NATIVE_WINDOW_SCALING_MODE_FREEZE};
	struct kill_actor *actor = app->actor;
	struct kr_fence_label label = {"app", 1, "frame"};
	int fence = -1, producer, err;
	uint32_t slot;

	err = dequeue(app, &slot);
	if (err) {
		excuse(app, "dequeue", err);
		return kill_is_exhausted(actor);
	}
	if (kill_chance(&actor->random, 70) && !kr_fence_create(&label, &producer, &fence)) {
		kill_count(actor->board, app->how->fences);
		give_work(app, producer);
	}
	kill_step(actor, "queueing");
	err = kr_queue_queue(app->queue, slot, &input, fence, NULL);
	if (!err)
		kill_count(actor->board, app->how->frames);
	if (err)
		excuse(app, "queue a frame", err);
	return !err || kill_is_exhausted(actor);
}

static void
draw(struct app *app)
{
	unsigned frames = 4 + kill_below(&app->actor->random, FRAMES_MAX - 4);

	for (unsigned i = 0; i < frames; i++) {
		if (!show_frame(app))
			break;
	}
}

void
kill_app_play(struct kill_actor *actor, const struct kill_app *how)
{
	struct app app = {.actor = actor, .how = how};

	start_gpu(&app);
	if (open_window(&app))
		draw(&app);
	stop_gpu(&app);
	kill_step(actor, "closing its window");
	if (app.queue) {
		kr_queue_disconnect(app.queue, NATIVE_WINDOW_API_CPU);
		kr_queue_unref(app.queue);
	}
}
