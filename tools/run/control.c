/* SPDX-License-Identifier: Apache-2.0 */
/* See control.h. */
#include "tools/run/control.h"

#include <errno.h>
#include <stdio.h>

#include "util/fd.h"

/* Of one client, or new ones, before others have their turn. */
#define MAX_MESSAGES 16

void
kr_control_init(struct kr_control *control, const struct kr_control_host *host, void *data)
{
	*control = (struct kr_control){
		.host = host,
		.data = data,
		.listener = {.fd = -1, .spare_fd = -1},
	};
	for (unsigned i = 0; i < KR_CONTROL_CLIENTS; i++)
		control->clients[i].fd = -1;
}

int
kr_control_listen(struct kr_control *control, const char *path)
{
	return kr_listener_init(&control->listener, path);
}

void
kr_control_finish(struct kr_control *control)
{
	if (!control->host)
		return;
	for (unsigned i = 0; i < KR_CONTROL_CLIENTS; i++)
		kr_fd_close(&control->clients[i].fd);
	kr_listener_finish(&control->listener);
}

void
kr_control_add(struct kr_control *control, int take_socket)
{
	struct kr_control_client *place = &control->clients[0];

	for (unsigned i = 0; i < KR_CONTROL_CLIENTS && place->fd >= 0; i++) {
		struct kr_control_client *client = &control->clients[i];

		if (client->fd < 0 || client->heard < place->heard)
			place = client;
	}
	kr_fd_close(&place->fd);
	*place = (struct kr_control_client){.fd = take_socket, .heard = ++control->serial};
}

void
kr_control_poll(const struct kr_control *control, struct pollfd fds[KR_CONTROL_POLL])
{
	fds[0] = (struct pollfd){.fd = control->listener.fd, .events = POLLIN};
	for (unsigned i = 0; i < KR_CONTROL_CLIENTS; i++)
		fds[1 + i] = (struct pollfd){.fd = control->clients[i].fd, .events = POLLIN};
}

static struct kr_cp_message
done(int err)
{
	return (struct kr_cp_message){.type = KR_CP_DONE, .done = {.error = -err}};
}

static struct kr_cp_message
welcome(const struct kr_control *control, uint32_t version)
{
	struct kr_cp_message answer = {.type = KR_CP_WELCOME, .welcome = {.version = version}};

	snprintf(answer.welcome.layout, sizeof(answer.welcome.layout), "%s",
		kr_layout_name(control->host->get_layout(control->data)));
	return answer;
}

static struct kr_cp_message
describe_program(const struct kr_control *control, uint32_t number)
{
	struct kr_cp_message answer = {.type = KR_CP_PROGRAM};

	return control->host->get_program(control->data, number, &answer.program) ? answer
										  : done(-ENOENT);
}

static struct kr_cp_message
describe_window(const struct kr_control *control, uint32_t version, uint64_t after)
{
	struct kr_cp_message answer = {.type = KR_CP_WINDOW2}, older = {.type = KR_CP_WINDOW};

	if (!control->host->get_window(control->data, after, &answer.window2))
		return done(-ENOENT);
	older.window = answer.window2.window;
	return version < 3 ? older : answer;
}

static struct kr_cp_message
set_layout(const struct kr_control *control, const char *name)
{
	enum kr_layout layout;

	if (!kr_layout_from_name(name, &layout))
		return done(-EINVAL);
	control->host->set_layout(control->data, layout);
	return done(0);
}

static struct kr_cp_message
describe_screen(const struct kr_control *control, uint32_t version)
{
	struct kr_cp_message answer = {.type = KR_CP_SCREEN2}, older = {.type = KR_CP_SCREEN};
	struct kr_cp_screen *screen = &answer.screen2.screen;
	int32_t transform = 0;

	control->host->get_screen(control->data, &screen->width, &screen->height,
		&answer.screen2.refresh_mhz, &transform);
	snprintf(screen->turn, sizeof(screen->turn), "%s", kr_layout_turn_name(transform));
	older.screen = *screen;
	return version < 3 ? older : answer;
}

static struct kr_cp_message
set_turn(const struct kr_control *control, const char *name)
{
	int32_t transform;

	if (!kr_layout_turn_from_name(name, &transform))
		return done(-EINVAL);
	return done(control->host->set_turn(control->data, transform));
}

static struct kr_cp_message
place(const struct kr_control *control, const struct kr_cp_place *asked)
{
	struct kr_layout_place to;
	int err = kr_control_get_place(asked, &to);

	if (err < 0 || !asked->window == !asked->program)
		return done(-EINVAL);
	return done(asked->window
			? control->host->place_window(control->data, asked->window, &to)
			: control->host->place_program(control->data, asked->program, &to));
}

/* Whether the client may go on; *answer is for it then. */
static bool
handle(const struct kr_control *control, struct kr_control_client *client,
	const struct kr_cp_message *message, struct kr_cp_message *answer)
{
	if (!client->version != (message->type == KR_CP_HELLO))
		return false;
	switch (message->type) {
	case KR_CP_HELLO:
		client->version = KR_MIN(message->hello.version, (uint32_t)KR_CP_VERSION);
		*answer = welcome(control, client->version);
		return client->version > 0;
	case KR_CP_GET_PROGRAM:
		*answer = describe_program(control, message->get_program.program);
		return true;
	case KR_CP_GET_WINDOW:
		*answer = describe_window(control, client->version, message->get_window.after);
		return true;
	case KR_CP_SET_LAYOUT:
		*answer = set_layout(control, message->set_layout.layout);
		return true;
	case KR_CP_GET_SCREEN:
		*answer = describe_screen(control, client->version);
		return client->version >= 2;
	case KR_CP_SET_SIZE:
		if (client->version < 2)
			return false;
		*answer = done(control->host->set_size(
			control->data, message->set_size.width, message->set_size.height));
		return true;
	case KR_CP_SET_TURN:
		if (client->version < 2)
			return false;
		*answer = set_turn(control, message->set_turn.turn);
		return true;
	case KR_CP_PLACE:
		*answer = place(control, &message->place);
		return true;
	default:
		return false; /* what only a run says */
	}
}

static void
serve(struct kr_control *control, struct kr_control_client *client)
{
	for (int i = 0; i < MAX_MESSAGES; i++) {
		struct kr_cp_message message, answer;
		int err = kr_control_receive(client->fd, &message);

		if (err == -EAGAIN)
			return;
		if (err < 0 || !handle(control, client, &message, &answer) ||
			kr_control_send(client->fd, &answer) < 0) {
			kr_fd_close(&client->fd);
			return;
		}
		client->heard = ++control->serial;
	}
}

void
kr_control_dispatch(struct kr_control *control, const struct pollfd fds[KR_CONTROL_POLL])
{
	int fd;

	for (unsigned i = 0; i < KR_CONTROL_CLIENTS; i++) {
		if (fds[1 + i].revents)
			serve(control, &control->clients[i]);
	}
	for (int i = 0; i < MAX_MESSAGES && fds[0].revents; i++) {
		int err = kr_listener_accept(&control->listener, &fd);

		if (err == -EAGAIN)
			return;
		if (err == 0)
			kr_control_add(control, fd);
	}
}
