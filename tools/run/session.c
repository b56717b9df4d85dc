/* SPDX-License-Identifier: Apache-2.0 */
/* The display side of `krafla run`: see session.h. */
#include "hwc/drawing.h"
#include "tools/run/session.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tools/command/command.h"
#include "tools/run/place.h"
#include "tools/run/say.h"
#include "util/clock.h"
#include "util/env.h"
#include "util/fd.h"
#include "util/text.h"

static int
make_socket_path(struct kr_session *session)
{
	if (!kr_socket_dir_make(&session->dir, kr_env_get_directory("XDG_RUNTIME_DIR")) &&
		!kr_socket_dir_make(&session->dir, kr_env_get_directory("TMPDIR")) &&
		!kr_socket_dir_make(&session->dir, "/tmp")) {
		kr_complain("run", "can't make a directory for the display's socket in /tmp: %s",
			strerror(errno));
		return KR_EXIT_FAILURE;
	}
	session->socket = kr_asprintf("%s/" KR_SOCKET_DIR_NAME, session->dir.path);
	if (session->socket)
		return 0;
	kr_complain("run", "out of memory");
	return KR_EXIT_FAILURE;
}

/* What a killed run has left: a link to a socket of its directory, where nothing is any more. */
static bool
is_dead_link(const char *path)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n < 0)
		return false;
	target[n] = '\0';
	return strstr(target, "/" KR_SOCKET_DIR_PREFIX) && access(path, F_OK) && errno == ENOENT;
}

/* --socket: a link, so that what lies beside the socket is found by it, too. */
static int
make_link(const struct kr_session *session)
{
	const char *path = session->options->socket;
	int err;

	if (!path)
		return 0;
	if (is_dead_link(path))
		unlink(path);
	if (!symlink(session->socket, path))
		return 0;
	err = errno;
	kr_complain("run", "--socket: %s can't be made: %s", path,
		err == EEXIST ? "something is there already" : strerror(err));
	return KR_EXIT_FAILURE;
}

/* Only if it is this run's. */
static void
remove_link(const struct kr_session *session)
{
	const char *path = session->options->socket;
	char target[PATH_MAX];
	ssize_t n = path && session->socket ? readlink(path, target, sizeof(target) - 1) : -1;

	if (n < 0)
		return;
	target[n] = '\0';
	if (!strcmp(target, session->socket))
		unlink(path);
}

static void
notify(struct kr_session *session)
{
	uint64_t one = 1;

	while (write(session->event_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static double
since_start(const struct kr_session *session)
{
	return (double)(kr_clock_now() - session->started_ns) / (double)KR_NSEC_PER_SEC;
}

static int
handle_group_of(void *data, int pid)
{
	const struct kr_session *session = data;

	return kr_programs_find(session->programs, pid);
}

static int
handle_frame(void *data, const struct kr_composed_frame *frame)
{
	struct kr_session *session = data;

	if (session->options->verbose && frame->number == 1)
		kr_say("the first picture is there, %.2f s after the start", since_start(session));
	if (frame->number == session->options->frames) {
		atomic_store(&session->frames_reached, true);
		notify(session);
	}
	return 0;
}

static void
handle_connected(void *data, uint64_t id, const char *label, int pid)
{
	struct kr_session *session = data;

	atomic_store(&session->connected, true);
	if (session->options->verbose)
		kr_say("process %d has opened a window, '%s', %.2f s after the start", pid, label,
			since_start(session));
	kr_mutex_lock(&session->lock);
	if (session->window_count < KR_SESSION_WINDOWS) {
		struct kr_session_window *window = &session->windows[session->window_count++];

		window->label = strdup(label);
		window->id = id;
		window->pid = pid;
		window->program = kr_programs_find(session->programs, pid);
	}
	kr_mutex_unlock(&session->lock);
}

/* A window of this process that is not described yet; later swapchains describe it again. */
static struct kr_session_window *
find_window(struct kr_session *session, int pid)
{
	struct kr_session_window *last = NULL;

	for (unsigned i = 0; i < session->window_count; i++) {
		struct kr_session_window *window = &session->windows[i];

		if (window->pid != pid)
			continue;
		if (!window->device)
			return window;
		last = window;
	}
	return last;
}

static void
handle_described(void *data, const char *label, int pid, const char *device)
{
	struct kr_session *session = data;
	struct kr_session_window *window;

	if (session->options->verbose)
		kr_say("process %d has made a swapchain for '%s', which %s draws", pid, label,
			device);

	kr_mutex_lock(&session->lock);
	window = find_window(session, pid);
	if (window) {
		free(window->device);
		window->device = strdup(device);
	}
	kr_mutex_unlock(&session->lock);
}

static void
handle_wished(void *data, uint64_t id, const struct kr_frame_rate *wish)
{
	struct kr_session *session = data;

	kr_mutex_lock(&session->lock);
	for (unsigned i = 0; i < session->window_count; i++) {
		/* Who takes it back at the end has wished for it all the same. */
		if (session->windows[i].id == id && wish->rate > 0)
			session->windows[i].wish = *wish;
	}
	kr_mutex_unlock(&session->lock);
}

static void
handle_gone(void *data, const char *label, int pid)
{
	const struct kr_session *session = data;

	if (session->options->verbose)
		kr_say("process %d has closed its window '%s'", pid, label);
}

static void
handle_stuck(void *data, const char *label, int pid, uint64_t frame,
	const struct kr_fence_description *fence)
{
	struct kr_session *session = data;

	kr_mutex_lock(&session->lock);
	if (session->stuck_count < KR_SESSION_STUCK)
		session->stuck[session->stuck_count++] =
			(struct kr_session_stuck){strdup(label), pid, frame, *fence};
	kr_mutex_unlock(&session->lock);
}

static void
handle_closed(void *data, struct kr_display_output *output)
{
	struct kr_session *session = data;

	atomic_store(&session->closed, true);
	notify(session);
}

/* Whatever of it fails only makes krafla know less. */
static void
begin_witness(struct kr_session *session)
{
	const struct kr_run_options *options = session->options;
	char *report = kr_asprintf("%s/" KR_SOCKET_DIR_REPORT, session->dir.path);
	char *prefix = kr_find_prefix();
	char *ours = prefix ? kr_asprintf("%s/lib/libvulkan.so.1", prefix) : NULL;
	char rates[KR_RUN_RATES_TEXT];

	kr_witness_init(&session->witness, report, ours, options->verbose);
	if (options->verbose)
		kr_say("a display of %ux%u at %s Hz, %s clock, is at %s", options->width,
			options->height, kr_run_rates_text(options, rates),
			options->clock == KR_CLOCK_VIRTUAL ? "virtual" : "real", session->socket);
	free(report);
	free(prefix);
	free(ours);
}

/* What composes, as krafla_composer_open takes it. */
static const char *
find_device(const struct kr_run_options *options)
{
	if (options->device)
		return options->device;
	switch (options->compose) {
	case KR_RUN_COMPOSE_CPU:
		return "soft";
	case KR_RUN_COMPOSE_GPU:
		return KR_HWC_GPU_FORCED;
	case KR_RUN_COMPOSE_AUTO:
		break;
	}
	return options->clock == KR_CLOCK_VIRTUAL ? "gpu:fixed" : "gpu";
}

static int
create_display(struct kr_session *session)
{
	static const struct kr_display_hooks hooks = {
		.frame = handle_frame,
		.group_of = handle_group_of,
		.producer_connected = handle_connected,
		.producer_described = handle_described,
		.producer_wished = handle_wished,
		.producer_gone = handle_gone,
		.fence_stuck = handle_stuck,
		.output_closed = handle_closed,
	};
	const struct kr_run_options *options = session->options;
	struct kr_display_config config = {
		.width = options->width,
		.height = options->height,
		.refresh_mhz = options->refresh_mhz,
		.other_count = options->other_count,
		.clock = options->clock,
		.idle_ns = options->idle_ns,
		.frame_limit = options->frames,
		.layout = options->layout,
		.transform = options->transform,
		.size_given = options->size_given,
		.dataspace = options->dataspace,
		.device = find_device(options),
	};
	int code = make_socket_path(session), err;

	if (code)
		return code;
	config.socket_path = session->socket;
	memcpy(config.other_mhz, options->other_mhz, sizeof(config.other_mhz));
	err = kr_display_create(&config, &hooks, session, &session->display);
	if (err == 0) {
		begin_witness(session);
		return make_link(session);
	}
	if (err == -ENODEV && options->compose == KR_RUN_COMPOSE_GPU)
		kr_complain("run", "--compose gpu: no GPU can draw here");
	else
		kr_complain(
			"run", "can't make the display at %s: %s", session->socket, strerror(-err));
	return KR_EXIT_FAILURE;
}

/* The display is another's: programs connect to it by themselves. */
static int
join(struct kr_session *session)
{
	struct stat st;
	int err = stat(session->options->join, &st) ? errno : 0;

	if (err || !S_ISSOCK(st.st_mode)) {
		kr_complain("run",
			"can't join %s: %s; 'krafla run -v' tells the socket of its display",
			session->options->join, err ? strerror(err) : "it is no socket");
		return KR_EXIT_FAILURE;
	}
	session->socket = strdup(session->options->join);
	if (session->socket)
		return 0;
	kr_complain("run", "out of memory");
	return KR_EXIT_FAILURE;
}

int
kr_session_init(struct kr_session *session, const struct kr_run_options *options,
	const struct kr_programs *programs)
{
	int code;

	*session = (struct kr_session){
		.options = options,
		.programs = programs,
		.dir = {.lock = -1},
		.event_fd = -1,
		.witness = {.fd = -1, .next_ns = KR_FOREVER},
		.started_ns = kr_clock_now(),
	};
	kr_mutex_init(&session->lock);
	code = kr_run_outputs_open(&session->outputs, options);
	if (code == 0 && options->summary && strcmp(options->summary, "-") != 0)
		code = kr_place_check("--summary", options->summary, KR_PLACE_FOLLOW);
	if (code)
		return code;
	session->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (session->event_fd < 0) {
		kr_complain("run", "can't make an eventfd: %s", strerror(errno));
		return KR_EXIT_FAILURE;
	}
	if (options->join)
		return join(session);
	return options->driver_wsi ? 0 : create_display(session);
}

static void *
display_main(void *data)
{
	struct kr_session *session = data;

	session->result = kr_display_run(session->display);
	atomic_store(&session->ended, true);
	notify(session);
	return NULL;
}

int
kr_session_start(struct kr_session *session)
{
	int err;

	if (!session->display)
		return 0;
	err = kr_run_outputs_add_devices(session->options, session->display);
	if (err)
		return err;
	err = kr_run_outputs_add(&session->outputs, session->display);
	kr_display_expect_groups(session->display, session->options->program_count);
	for (unsigned i = 0; i < session->options->program_count && err == 0; i++)
		err = kr_display_set_group(
			session->display, (int)i, &session->options->programs[i].place);
	if (err == 0)
		err = -pthread_create(&session->thread, NULL, display_main, session);
	session->running = err == 0;
	if (err == 0)
		return 0;
	kr_complain("run", "can't start the display: %s", strerror(-err));
	return KR_EXIT_FAILURE;
}

static void
take_stats(struct kr_session *session)
{
	unsigned count = session->options->program_count;

	kr_display_get_stats(session->display, &session->stats);
	for (unsigned i = 0; i < count; i++)
		kr_display_get_group_stats(session->display, (int)i, &session->groups[i]);
	kr_display_get_group_stats(
		session->display, KR_DISPLAY_NO_GROUP, &session->groups[KR_DISPLAY_MAX_GROUPS]);
}

int
kr_session_stop(struct kr_session *session)
{
	int err = 0, output_err;

	if (session->running) {
		kr_display_stop(session->display);
		pthread_join(session->thread, NULL);
		session->running = false;
		err = session->result;
	}
	output_err = kr_run_outputs_finish(&session->outputs);
	session->outputs_failed = output_err < 0;
	if (session->display)
		take_stats(session);
	/* An output that failed ended the display, and has been told already. */
	if (err < 0 && output_err == 0)
		kr_complain("run", "the display failed: %s", strerror(-err));
	return output_err < 0 ? output_err : err;
}

static void
remove_control(const struct kr_session *session)
{
	char *control = kr_asprintf("%s/" KR_SOCKET_DIR_CONTROL, session->dir.path);

	if (control)
		unlink(control);
	free(control);
}

void
kr_session_remove(const struct kr_session *session)
{
	if (session->dir.path) {
		remove_link(session);
		unlink(session->socket);
		remove_control(session);
		kr_witness_remove(&session->witness);
		rmdir(session->dir.path);
	}
}

void
kr_session_finish(struct kr_session *session)
{
	if (session->options)
		remove_link(session);
	kr_display_destroy(session->display);
	kr_run_outputs_destroy(&session->outputs);
	kr_witness_finish(&session->witness);
	kr_socket_dir_finish(&session->dir);
	free(session->socket);
	kr_fd_close(&session->event_fd);
	for (unsigned i = 0; i < session->window_count; i++) {
		free(session->windows[i].label);
		free(session->windows[i].device);
	}
	for (unsigned i = 0; i < session->stuck_count; i++)
		free(session->stuck[i].label);
	kr_mutex_finish(&session->lock);
}
