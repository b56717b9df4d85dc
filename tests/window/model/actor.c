/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "actor.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <krafla/hardware_buffer.h>

#include "end.h"
#include "util/clock.h"
#include "util/fd.h"
#include "wire/packet.h"
#include "window/queue/sink.h"
#include "window/remote/remote.h"

#define PATIENCE_MS 20000
#define ALL_NOTICES ((UINT32_C(1) << KR_NOTICE_KINDS) - 1)

struct actors {
	enum actor_way way;
	struct end ends[2]; /* ACTOR_PROCESSES: none is here */
	pid_t pids[2];
	int commands[2]; /* -1: that end is gone */
};

/* What is sent to an end's process, and what it answers. */
struct command {
	enum { DO, LISTEN, HEAR } what;
	struct op op;
};
struct answer {
	struct outcome outcome;
	struct actor_notices notices;
	bool gone;
};

static const struct kr_consumer_events events = {.noticed = end_notice};

static struct kr_abilities
all_abilities(void)
{
	return (struct kr_abilities){.modes = KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT),
		.transforms = KR_ABILITY_TRANSFORMS,
		.alphas = KR_ABILITY_ALL(KR_ALPHA_COUNT),
		.scalings = 1,
		.colours = 1};
}

static struct kr_queue_config
config_of(bool by_app)
{
	return (struct kr_queue_config){
		.default_width = 64,
		.default_height = 32,
		.consumer_usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
		.max_acquired = 1,
		.by_app = by_app,
		.abilities = all_abilities(),
	};
}

static void
start_producer(struct end *end, const struct kr_queue_config *config, struct kr_sink *take_sink)
{
	int fd;

	assert_int_equal(kr_queue_create(config, take_sink, &end->queue), 0);
	kr_queue_keep_last(end->queue);
	assert_int_equal(kr_queue_watch(end->queue, ALL_NOTICES, &fd), 0);
}

static void
start_ring(struct end *end)
{
	assert_int_equal(kr_notice_ring_create(ALL_NOTICES, &end->ring), 0);
}

static void
start_local(struct actors *actors, bool by_app)
{
	const struct kr_queue_config config = config_of(by_app);
	struct kr_sink *sink;

	start_ring(&actors->ends[1]);
	assert_int_equal(kr_consumer_local_create(
				 &events, &actors->ends[1], &sink, &actors->ends[1].consumer),
		0);
	kr_consumer_set_activity(actors->ends[1].consumer, true);
	start_producer(&actors->ends[0], &config, sink);
}

static void
start_display(struct end *end, int take_socket, bool by_app)
{
	const struct kr_remote_display info = {
		.width = 64,
		.height = 32,
		.consumer_usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
		.max_acquired = 1,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.by_app = by_app,
		.hears_rates = true,
		.hears_activity = true,
		.abilities = all_abilities(),
	};

	end->remote = true;
	start_ring(end);
	assert_int_equal(
		kr_consumer_remote_create(take_socket, &info, false, &events, end, &end->consumer),
		0);
	kr_consumer_remote_keep_handles(end->consumer);
}

static void
connect_producer(struct end *end, int take_socket)
{
	struct kr_remote_display info;
	struct kr_queue_config config;
	struct kr_sink *sink;

	assert_int_equal(kr_sink_remote_attach(take_socket, "a model's",
				 kr_clock_now() + 10 * KR_NSEC_PER_SEC, &sink, &info),
		0);
	config = config_of(info.by_app);
	config.abilities = info.abilities;
	config.max_buffers = info.max_buffers;
	end->remote = true;
	start_producer(end, &config, sink);
}

struct greeting {
	struct end *end;
	int socket;
};

static void *
connect_main(void *data)
{
	struct greeting *greeting = data;

	connect_producer(greeting->end, greeting->socket);
	return NULL;
}

static void
start_socket(struct actors *actors, bool by_app)
{
	struct greeting greeting = {.end = &actors->ends[0]};
	struct pollfd p = {.events = POLLIN};
	pthread_t thread;
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	greeting.socket = pair[0];
	start_display(&actors->ends[1], pair[1], by_app);
	assert_int_equal(pthread_create(&thread, NULL, connect_main, &greeting), 0);
	p.fd = pair[1];
	assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
	assert_int_equal(kr_consumer_dispatch(actors->ends[1].consumer), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

/* ---- an end in a process of its own ---- */

static bool
wait_for(int socket)
{
	struct pollfd p = {.fd = socket, .events = POLLIN};

	return poll(&p, 1, PATIENCE_MS) == 1;
}

/* Does what it is told until nobody is there any more. */
static void
serve(struct end *end, int commands)
{
	struct answer answer;
	struct command command;
	size_t size, count;
	int fence;

	for (;;) {
		struct pollfd p = {.fd = commands, .events = POLLIN};

		if (poll(&p, 1, -1) != 1)
			return;
		fence = -1;
		count = 0;
		if (kr_packet_receive(
			    commands, &command, sizeof(command), &size, &fence, 1, &count))
			return;
		memset(&answer, 0, sizeof(answer));
		if (command.what == DO)
			end_do(end, &command.op, count ? fence : -1, &answer.outcome);
		else if (command.what == LISTEN)
			end_listen(end);
		else
			end_hear(end, &answer.notices);
		answer.gone = end->gone;
		if (kr_packet_send(commands, &answer, sizeof(answer), NULL, 0))
			return;
	}
}

static void
close_others(struct actors *actors, int end, const int *pairs)
{
	for (int i = 0; i < 6; i++) {
		int fd = pairs[i];

		if (i != end && i != 2 + 2 * end + 1)
			kr_fd_close(&fd);
	}
}

static void
run_end(struct actors *actors, int end, const int *pairs, bool by_app)
{
	struct end mine = {0};
	struct pollfd p = {.fd = pairs[1], .events = POLLIN};
	int fds;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close_others(actors, end, pairs);
	fds = kr_test_count_fds() - 1; /* its socket ends with it */
	if (end == 0) {
		connect_producer(&mine, pairs[0]);
	} else {
		start_display(&mine, pairs[1], by_app);
		if (poll(&p, 1, PATIENCE_MS) != 1 || kr_consumer_dispatch(mine.consumer))
			_exit(3);
	}
	serve(&mine, pairs[2 + 2 * end + 1]);
	end_finish(&mine);
	kr_test_expect_fds(fds);
	_exit(0);
}

static void
start_processes(struct actors *actors, bool by_app)
{
	int pairs[6]; /* between the ends, and to each of them */

	for (int i = 0; i < 6; i += 2)
		assert_int_equal(
			socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pairs + i), 0);
	for (int end = 0; end < 2; end++) {
		actors->pids[end] = fork();
		assert_true(actors->pids[end] >= 0);
		if (!actors->pids[end])
			run_end(actors, end, pairs, by_app);
	}
	kr_fd_close(&pairs[0]);
	kr_fd_close(&pairs[1]);
	for (int end = 0; end < 2; end++) {
		actors->commands[end] = pairs[2 + 2 * end];
		kr_fd_close(&pairs[2 + 2 * end + 1]);
	}
}

struct actors *
actors_start(enum actor_way way, bool by_app)
{
	struct actors *actors = calloc(1, sizeof(*actors));

	assert_non_null(actors);
	actors->way = way;
	actors->commands[0] = actors->commands[1] = -1;
	if (way == ACTOR_LOCAL)
		start_local(actors, by_app);
	else if (way == ACTOR_SOCKET)
		start_socket(actors, by_app);
	else
		start_processes(actors, by_app);
	return actors;
}

void
actors_stop(struct actors *actors)
{
	int status;

	for (int end = 0; end < 2; end++) {
		if (actors->way != ACTOR_PROCESSES)
			end_finish(&actors->ends[end]);
		kr_fd_close(&actors->commands[end]);
		if (actors->pids[end] > 0) {
			assert_int_equal(waitpid(actors->pids[end], &status, 0), actors->pids[end]);
			assert_int_equal(status, 0);
		}
	}
	free(actors);
}

/* False: it was killed. */
static bool
ask(struct actors *actors, int end, const struct command *command, int take_fence,
	struct answer *answer)
{
	size_t size, count;
	int err = actors->commands[end] < 0
		? -EPIPE
		: kr_packet_send(actors->commands[end], command, sizeof(*command), &take_fence,
			  take_fence >= 0);

	kr_fd_close(&take_fence);
	if (err || !wait_for(actors->commands[end]))
		return false;
	return !kr_packet_receive(
		actors->commands[end], answer, sizeof(*answer), &size, NULL, 0, &count);
}

static void
listen_once(struct actors *actors, int end)
{
	const struct command command = {.what = LISTEN};
	struct answer answer;

	if (actors->way != ACTOR_PROCESSES)
		end_listen(&actors->ends[end]);
	else
		(void)ask(actors, end, &command, -1, &answer);
}

void
actors_kill(struct actors *actors, int end, const struct op *midway)
{
	int status;

	if (midway) {
		const struct command command = {.what = DO, .op = *midway};

		assert_int_equal(
			kr_packet_send(actors->commands[end], &command, sizeof(command), NULL, 0),
			0);
	}
	kill(actors->pids[end], SIGKILL);
	assert_int_equal(waitpid(actors->pids[end], &status, 0), actors->pids[end]);
	assert_true(WIFSIGNALED(status));
	actors->pids[end] = 0;
	kr_fd_close(&actors->commands[end]);
	/* What is left hears of it. */
	listen_once(actors, !end);
}

bool
actors_do(struct actors *actors, const struct op *op, int take_fence, struct outcome *outcome)
{
	const struct command command = {.what = DO, .op = *op};
	int end = op->kind >= FIRST_OF_CONSUMER;
	struct answer answer;
	bool done = true;

	if (actors->way != ACTOR_PROCESSES) {
		end_do(&actors->ends[end], op, take_fence, outcome);
	} else {
		done = ask(actors, end, &command, take_fence, &answer);
		*outcome = answer.outcome;
	}
	/* What one says the other answers, and that may be answered again. */
	for (int i = 0; i < 4; i++)
		listen_once(actors, !end ^ (i & 1));
	return done;
}

bool
actors_hear(struct actors *actors, int end, struct actor_notices *notices)
{
	const struct command command = {.what = HEAR};
	struct answer answer;

	if (actors->way != ACTOR_PROCESSES) {
		end_hear(&actors->ends[end], notices);
		return true;
	}
	if (!ask(actors, end, &command, -1, &answer))
		return false;
	*notices = answer.notices;
	notices->gone = answer.gone;
	return true;
}
