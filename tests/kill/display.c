/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `krafla run` is: a display in one process, two applications in others, each with a
 * queue of frames whose acquire fences end late, in error, or not by anybody's will.
 * Whatever happens to any of them:
 *
 *   a dequeue ends with a buffer, or with an error once the display is gone or stuck;
 *   a display without a reason of its own to end goes on, until its last application is gone;
 *   each release fence ends.
 */
#include "scenarios.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "composer/composer.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/mutex.h"
#include "window/remote/remote.h"
#include "window/queue/queue.h"
#include "window/queue/sink.h"

enum { DISPLAY, FIRST, SECOND };
enum { COUNT_FRAMES = KILL_COUNT_OWN, COUNT_FENCES };

#define WIDTH      32
#define HEIGHT     32
#define FRAMES_MAX 24
#define OPEN_MAX   4
#define IDLE_NS    (20 * KR_NSEC_PER_MSEC)

static void
name_socket(const struct kill_board *board, char path[128])
{
	snprintf(path, 128, "%s/display", board->dir);
}

/* --- display --- */

struct host {
	struct kill_actor *actor;
	struct kr_display *display;
	pthread_t thread; /* waits for the applications to go */
	int links[2];
};

static int
handle_frame(void *data, const struct kr_composed_frame *frame)
{
	struct host *host = data;

	kill_count(host->actor->board, COUNT_FRAMES);
	kill_step(host->actor, "showing a picture");
	return 0;
}

/* Their links close with them. Nothing else tells a display that there will be no more. */
static void *
wait_for_the_last(void *data)
{
	struct host *host = data;
	struct pollfd fds[2] = {{.fd = host->links[0]}, {.fd = host->links[1]}};

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		(void)poll(fds, 2, -1);
		for (int i = 0; i < 2; i++)
			fds[i].fd = fds[i].revents & POLLHUP ? -1 : fds[i].fd;
	}
	kr_display_stop(host->display);
	return NULL;
}

static void
run_display(struct host *host)
{
	struct kill_parcel ready = {0};
	int err;

	for (unsigned i = 0; i < 2; i++) {
		host->links[i] = host->actor->links[i];
		(void)kill_send(host->actor, i, &ready, -1);
	}
	if (pthread_create(&host->thread, NULL, wait_for_the_last, host))
		kill_complain(host->actor, "no thread");
	err = kr_display_run(host->display);
	if (err)
		kill_complain(host->actor, "the display ended: %s", strerror(-err));
	pthread_join(host->thread, NULL);
}

static void
display(struct kill_actor *actor)
{
	static const struct kr_display_hooks hooks = {.frame_pixels = true, .frame = handle_frame};
	struct host host = {.actor = actor};
	char path[128];
	struct kr_display_config config = {
		.width = WIDTH,
		.height = HEIGHT,
		.refresh_mhz = 500000,
		.clock = kill_chance(&actor->random, 50) ? KR_CLOCK_REAL : KR_CLOCK_VIRTUAL,
		.idle_ns = IDLE_NS,
		.socket_path = path,
	};
	int err;

	name_socket(actor->board, path);
	unlink(path); /* of a display that was killed */
	kill_step(actor, "making the display");
	err = kr_display_create(&config, &hooks, &host, &host.display);
	if (err) {
		if (err != -EMFILE || !kill_is_exhausted(actor))
			kill_complain(actor, "no display: %s", strerror(-err));
		return;
	}
	run_display(&host);
	kr_display_destroy(host.display);
}

/* --- application --- */

struct app {
	struct kill_actor *actor;
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

/* A connection may fail for want of descriptors on either side, or with the display. */
static void
excuse(struct kill_actor *actor, const char *what, int err)
{
	if (!atomic_load(&actor->board->troubles))
		kill_complain(actor, "%s: %s", what, strerror(-err));
	if (err == -ETIMEDOUT)
		kill_complain(actor, "%s: no answer, no error", what);
}

static bool
open_window(struct app *app)
{
	struct kill_actor *actor = app->actor;
	struct kr_remote_display info;
	struct kr_queue_config config = {0};
	struct kr_sink *sink;
	char path[128];
	int err;

	name_socket(actor->board, path);
	kill_step(actor, "connecting");
	err = kr_sink_remote_connect(path, "app", kr_clock_now() + KILL_PATIENCE_NS, &sink, &info);
	/*
	 * A forked child of a display that died may hold its listening socket: nobody
	 * answers there.
	 */
	if (err == -ETIMEDOUT && atomic_load(&actor->board->deaths))
		return false;
	if (err) {
		excuse(actor, "connect", err);
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
		excuse(actor, "queue", err);
	return !err;
}

static int
dequeue(struct app *app, uint32_t *slot)
{
	const struct kr_queue_request request = {
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
		excuse(actor, "dequeue", err);
		return kill_is_exhausted(actor);
	}
	if (kill_chance(&actor->random, 70) && !kr_fence_create(&label, &producer, &fence)) {
		kill_count(actor->board, COUNT_FENCES);
		give_work(app, producer);
	}
	kill_step(actor, "queueing");
	err = kr_queue_queue(app->queue, slot, &input, fence, NULL);
	if (err)
		excuse(actor, "queue a frame", err);
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

static void
play_app(struct kill_actor *actor, unsigned link)
{
	struct app app = {.actor = actor};
	struct kill_parcel ready;
	int fd, came;

	kill_step(actor, "waiting for the display");
	came = kill_receive(actor, link, &ready, &fd, KILL_PATIENCE_NS);
	if (came == 0)
		kill_complain(actor, "no display comes");
	if (came < 0)
		return;
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

static void
first(struct kill_actor *actor)
{
	play_app(actor, 0);
}

static void
second(struct kill_actor *actor)
{
	play_app(actor, 1);
}

const struct kill_scenario kill_display = {
	.name = "display",
	.roles = {{"display", display}, {"first app", first}, {"second app", second}},
	.role_count = 3,
	.links = {{{DISPLAY, FIRST}}, {{DISPLAY, SECOND}}},
	.link_count = 2,
	.counts = {"frames", "fences"},
};
