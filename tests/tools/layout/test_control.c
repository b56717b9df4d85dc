/* SPDX-License-Identifier: Apache-2.0 */
/* The control socket of a run from a client's side: its rules, its bounds, and bad clients. */
#include "harness.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/run/control.h"
#include "util/fd.h"
#include "wire/packet.h"

/* A run of two programs and windows 3 and 7. */
struct host {
	enum kr_layout layout;
	int32_t transform;
	struct kr_layout_place place;
	uint32_t program;
	uint64_t window;
};

static enum kr_layout
get_layout(void *data)
{
	return ((struct host *)data)->layout;
}

static void
set_layout(void *data, enum kr_layout layout)
{
	((struct host *)data)->layout = layout;
}

static void
get_screen(void *data, uint32_t *width, uint32_t *height, uint32_t *refresh_mhz, int32_t *transform)
{
	*width = 64;
	*height = 48;
	*refresh_mhz = 23976;
	*transform = ((struct host *)data)->transform;
}

static int
set_turn(void *data, int32_t transform)
{
	((struct host *)data)->transform = transform;
	return 0;
}

static int
set_size(void *data, uint32_t width, uint32_t height)
{
	return width == 5 && height == 6 ? -EBUSY : 0;
}

static bool
get_program(void *data, uint32_t number, struct kr_cp_program *program)
{
	program->program = number;
	return number == 1 || number == 2;
}

static bool
get_window(void *data, uint64_t after, struct kr_cp_window2 *window)
{
	window->window.window = after < 3 ? 3 : 7;
	window->wish_mhz = 24000;
	window->wish_always = true;
	return after < 7;
}

static int
place_program(void *data, uint32_t number, const struct kr_layout_place *place)
{
	struct host *host = data;

	if (number != 1 && number != 2)
		return -ENOENT;
	host->program = number;
	host->place = *place;
	return 0;
}

static int
place_window(void *data, uint64_t id, const struct kr_layout_place *place)
{
	struct host *host = data;

	if (id != 3 && id != 7)
		return -ENOENT;
	host->window = id;
	host->place = *place;
	return 0;
}

static const struct kr_control_host ops = {get_layout, set_layout, get_screen, set_turn, set_size,
	get_program, get_window, place_program, place_window};

static void
serve(struct kr_control *control)
{
	struct pollfd fds[KR_CONTROL_POLL];

	kr_control_poll(control, fds);
	assert_true(poll(fds, KR_CONTROL_POLL, 0) >= 0);
	kr_control_dispatch(control, fds);
}

static int
connect_to(struct kr_control *control)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	kr_control_add(control, pair[1]);
	return pair[0];
}

static int
ask(struct kr_control *control, int fd, const struct kr_cp_message *question,
	struct kr_cp_message *answer)
{
	assert_int_equal(kr_control_send(fd, question), 0);
	serve(control);
	return kr_control_receive(fd, answer);
}

static int
greet(struct kr_control *control, int fd)
{
	const struct kr_cp_message hello = {.type = KR_CP_HELLO, .hello = {.version = 1}};
	struct kr_cp_message answer;

	return ask(control, fd, &hello, &answer);
}

static void
questions_are_answered(void **state)
{
	struct host host = {.layout = KR_LAYOUT_FIT};
	struct kr_control control;
	struct kr_cp_message hello = {.type = KR_CP_HELLO, .hello = {.version = 9}};
	struct kr_cp_message get = {.type = KR_CP_GET_WINDOW}, answer;
	struct kr_cp_message place = {
		.type = KR_CP_PLACE,
		.place = {.window = 7,
			.set = KR_PLACE_ALPHA | KR_PLACE_POSITION,
			.x = -4,
			.alpha = KR_CONTROL_OPAQUE / 2},
	};
	struct kr_cp_message layout = {.type = KR_CP_SET_LAYOUT, .set_layout = {.layout = "grid"}};
	int fd;

	kr_control_init(&control, &ops, &host);
	fd = connect_to(&control);
	/* A newer client is told the version that is spoken. */
	assert_int_equal(ask(&control, fd, &hello, &answer), 0);
	assert_int_equal(answer.type, KR_CP_WELCOME);
	assert_int_equal(answer.welcome.version, KR_CP_VERSION);
	assert_string_equal(answer.welcome.layout, "fit");
	assert_int_equal(ask(&control, fd, &get, &answer), 0);
	assert_int_equal(answer.window2.window.window, 3);
	get.get_window.after = 7;
	assert_int_equal(ask(&control, fd, &get, &answer), 0);
	assert_int_equal(answer.type, KR_CP_DONE);
	assert_int_equal(answer.done.error, ENOENT);
	assert_int_equal(ask(&control, fd, &place, &answer), 0);
	assert_int_equal(answer.done.error, 0);
	assert_int_equal(host.window, 7);
	assert_int_equal(host.place.x, -4);
	assert_true(host.place.alpha == 0.5f);
	assert_int_equal(ask(&control, fd, &layout, &answer), 0);
	assert_int_equal(host.layout, KR_LAYOUT_GRID);
	close(fd);
	kr_control_finish(&control);
}

static void
greet_as(struct kr_control *control, int fd, uint32_t version)
{
	const struct kr_cp_message hello = {.type = KR_CP_HELLO, .hello = {.version = version}};
	struct kr_cp_message answer;

	assert_int_equal(ask(control, fd, &hello, &answer), 0);
	assert_int_equal(answer.welcome.version, KR_MIN(version, (uint32_t)KR_CP_VERSION));
}

static void
screens_are_turned_since_version_2(void **state)
{
	static const char *const turns[] = {
		"0", "90", "180", "270", "mirror", "mirror-90", "mirror-180", "mirror-270"};
	const struct kr_cp_message get = {.type = KR_CP_GET_SCREEN};
	struct kr_cp_message turn = {.type = KR_CP_SET_TURN, .set_turn = {.turn = "45"}}, answer;
	const struct kr_cp_message size = {
		.type = KR_CP_SET_SIZE, .set_size = {.width = 5, .height = 6}};
	struct host host = {0};
	struct kr_control control;
	unsigned seen = 0;
	int fd;

	kr_control_init(&control, &ops, &host);
	fd = connect_to(&control);
	greet_as(&control, fd, 2);
	assert_int_equal(ask(&control, fd, &turn, &answer), 0);
	assert_int_equal(answer.done.error, EINVAL);
	for (size_t i = 0; i < KR_ARRAY_LEN(turns); i++) {
		strcpy(turn.set_turn.turn, turns[i]);
		assert_int_equal(ask(&control, fd, &turn, &answer), 0);
		assert_int_equal(answer.done.error, 0);
		seen |= 1u << host.transform;
		assert_int_equal(ask(&control, fd, &get, &answer), 0);
		assert_int_equal(answer.type, KR_CP_SCREEN);
		assert_int_equal(answer.screen.width, 64);
		assert_int_equal(answer.screen.height, 48);
		assert_string_equal(answer.screen.turn, turns[i]);
	}
	assert_int_equal(seen, 0xff);
	assert_int_equal(ask(&control, fd, &size, &answer), 0);
	assert_int_equal(answer.done.error, EBUSY);
	close(fd);
	for (unsigned i = 0; i < 3; i++) {
		fd = connect_to(&control);
		greet_as(&control, fd, 1);
		assert_int_equal(ask(&control, fd,
					 i == 2      ? &size
						 : i ? &turn
						     : &get,
					 &answer),
			-EPIPE);
		close(fd);
	}
	kr_control_finish(&control);
}

/* What there is of rates is told from version 3 on; older clients have the older messages. */
static void
rates_are_told_to_who_knows_them(void **state)
{
	for (uint32_t version = 1; version <= 3; version++) {
		const struct kr_cp_message screen = {.type = KR_CP_GET_SCREEN};
		const struct kr_cp_message window = {.type = KR_CP_GET_WINDOW};
		struct kr_cp_message answer;
		struct kr_control control;
		struct host host = {0};
		int fd;

		kr_control_init(&control, &ops, &host);
		fd = connect_to(&control);
		greet_as(&control, fd, version);
		assert_int_equal(ask(&control, fd, &window, &answer), 0);
		if (version < 3) {
			assert_int_equal(answer.type, KR_CP_WINDOW);
			assert_int_equal(answer.window.window, 3);
		} else {
			assert_int_equal(answer.type, KR_CP_WINDOW2);
			assert_int_equal(answer.window2.window.window, 3);
			assert_int_equal(answer.window2.wish_mhz, 24000);
			assert_false(answer.window2.wish_fixed);
			assert_true(answer.window2.wish_always);
		}
		if (version >= 2) {
			assert_int_equal(ask(&control, fd, &screen, &answer), 0);
			assert_int_equal(answer.type, version == 2 ? KR_CP_SCREEN : KR_CP_SCREEN2);
		}
		if (version == 2)
			assert_int_equal(answer.screen.width, 64);
		if (version == 3) {
			assert_int_equal(answer.screen2.screen.width, 64);
			assert_int_equal(answer.screen2.refresh_mhz, 23976);
		}
		close(fd);
		kr_control_finish(&control);
	}
}

/* */
static void
wrong_values_are_refused(void **state)
{
	static const struct kr_cp_place rows[] = {
		{.set = KR_PLACE_Z},                            /* for nobody */
		{.window = 3, .program = 1, .set = KR_PLACE_Z}, /* for two */
		{.window = 3, .set = 32},
		{.window = 3, .set = KR_PLACE_SIZE},
		{.window = 3, .set = KR_PLACE_SIZE, .width = 16385, .height = 1},
		{.window = 3, .set = KR_PLACE_POSITION, .x = -16385},
		{.window = 3, .set = KR_PLACE_ALPHA, .alpha = KR_CONTROL_OPAQUE + 1000},
		{.window = 3, .set = KR_PLACE_ALPHA, .alpha = UINT32_MAX},
	};
	struct kr_cp_message layout = {.type = KR_CP_SET_LAYOUT, .set_layout = {.layout = "none"}};
	struct host host = {0};
	struct kr_control control;
	struct kr_cp_message answer;
	int fd;

	kr_control_init(&control, &ops, &host);
	fd = connect_to(&control);
	assert_int_equal(greet(&control, fd), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		const struct kr_cp_message place = {.type = KR_CP_PLACE, .place = rows[i]};

		assert_int_equal(ask(&control, fd, &place, &answer), 0);
		assert_int_equal(answer.done.error, EINVAL);
	}
	assert_int_equal(ask(&control, fd, &layout, &answer), 0);
	assert_int_equal(answer.done.error, EINVAL);
	assert_int_equal(host.window, 0);
	close(fd);
	kr_control_finish(&control);
}

/* its connection ends, and nobody else's. */
static void
who_breaks_the_rules_is_let_go(void **state)
{
	static const struct kr_cp_message wrong[] = {
		{.type = KR_CP_GET_WINDOW},                     /* before hello */
		{.type = KR_CP_HELLO, .hello = {.version = 0}}, /* no version */
		{.type = KR_CP_DONE},                           /* what a run says */
	};
	const struct kr_cp_message get = {.type = KR_CP_GET_WINDOW};
	struct host host = {0};
	struct kr_control control;
	struct kr_cp_message answer;
	int good, bad;

	kr_control_init(&control, &ops, &host);
	good = connect_to(&control);
	assert_int_equal(greet(&control, good), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(wrong); i++) {
		bad = connect_to(&control);
		assert_int_equal(ask(&control, bad, &wrong[i], &answer), -EPIPE);
		close(bad);
	}
	bad = connect_to(&control);
	assert_int_equal(greet(&control, bad), 0);
	assert_int_equal(greet(&control, bad), -EPIPE); /* twice */
	close(bad);
	bad = connect_to(&control);
	assert_int_equal(kr_packet_send(bad, "nonsense", 8, NULL, 0), 0);
	serve(&control);
	assert_int_equal(kr_control_receive(bad, &answer), -EPIPE);
	close(bad);
	/* A descriptor, which no message has. */
	bad = connect_to(&control);
	assert_int_equal(kr_packet_send(bad, "nonsense", 8, &good, 1), 0);
	serve(&control);
	assert_int_equal(kr_control_receive(bad, &answer), -EPIPE);
	close(bad);
	assert_int_equal(ask(&control, good, &get, &answer), 0);
	assert_int_equal(answer.window2.window.window, 3);
	close(good);
	kr_control_finish(&control);
}

/* of too many the one that was silent longest makes room, whoever it is. */
static void
more_clients_than_there_is_room_for(void **state)
{
	struct host host = {0};
	struct kr_control control;
	const struct kr_cp_message get = {.type = KR_CP_GET_WINDOW};
	struct kr_cp_message answer;
	int fds[KR_CONTROL_CLIENTS + 1];

	kr_control_init(&control, &ops, &host);
	for (unsigned i = 0; i < KR_CONTROL_CLIENTS; i++) {
		fds[i] = connect_to(&control);
		assert_int_equal(greet(&control, fds[i]), 0);
	}
	assert_int_equal(ask(&control, fds[0], &get, &answer), 0);
	fds[KR_CONTROL_CLIENTS] = connect_to(&control);
	assert_int_equal(greet(&control, fds[KR_CONTROL_CLIENTS]), 0);
	assert_int_equal(ask(&control, fds[0], &get, &answer), 0);
	assert_int_equal(kr_control_receive(fds[1], &answer), -EPIPE);
	for (unsigned i = 0; i <= KR_CONTROL_CLIENTS; i++)
		close(fds[i]);
	kr_control_finish(&control);
}

/* it asks and asks and reads nothing: it is let go as soon as an answer has no room. */
static void
who_doesnt_read_is_let_go(void **state)
{
	const struct kr_cp_message get = {.type = KR_CP_GET_WINDOW};
	struct host host = {0};
	struct kr_control control;
	unsigned sent = 0;
	int fd, err = 0;

	kr_control_init(&control, &ops, &host);
	fd = connect_to(&control);
	assert_int_equal(greet(&control, fd), 0);
	while (err == 0 && sent < 100000) {
		err = kr_control_send(fd, &get);
		sent++;
		serve(&control);
	}
	assert_int_equal(err, -EPIPE);
	assert_int_equal(control.clients[0].fd, -1);
	close(fd);
	kr_control_finish(&control);
}

static const struct kr_test tests[] = {
	KR_TEST(questions_are_answered),
	KR_TEST(screens_are_turned_since_version_2),
	KR_TEST(rates_are_told_to_who_knows_them),
	KR_TEST(wrong_values_are_refused),
	KR_TEST(who_breaks_the_rules_is_let_go),
	KR_TEST(more_clients_than_there_is_room_for),
	KR_TEST(who_doesnt_read_is_let_go),
};
KR_TEST_MAIN(tests)
