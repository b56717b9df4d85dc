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
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "composer/composer.h"

enum { DISPLAY, FIRST, SECOND };
enum { COUNT_FRAMES = KILL_COUNT_OWN, COUNT_FENCES, COUNT_QUEUED };

#define WIDTH   32
#define HEIGHT  32
#define IDLE_NS (20 * KR_NSEC_PER_MSEC)

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
		.size_given = true,
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

/* A connection may fail for want of descriptors on either side, or with the display. */
static bool
may_fail(const struct kill_actor *actor)
{
	return atomic_load(&actor->board->troubles) != 0;
}

static void
play_app(struct kill_actor *actor, unsigned link)
{
	char path[128];
	const struct kill_app app = {.socket = path,
		.may_fail = may_fail,
		.frames = COUNT_QUEUED,
		.fences = COUNT_FENCES};
	struct kill_parcel ready;
	int fd, came;

	name_socket(actor->board, path);
	kill_step(actor, "waiting for the display");
	came = kill_receive(actor, link, &ready, &fd, KILL_PATIENCE_NS);
	if (came == 0)
		kill_complain(actor, "no display comes");
	if (came > 0)
		kill_app_play(actor, &app);
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
	.counts = {"pictures", "fences", "frames"},
};
