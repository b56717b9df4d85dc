/* SPDX-License-Identifier: Apache-2.0 */
/* Clients that are many, slow, wrong or hostile: none of them keeps others from being served. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "rig.h"
#include "service/users/users.h"
#include "util/clock.h"
#include "wire/packet.h"
#include "wire/service.h"

#define MANY 1000

static struct rig rig;

static void
start(void)
{
	rig_init(&rig);
	rig_start(&rig);
	fake_offer("0-a.so", "a");
	fake_set_idle(true);
}

/* Somebody else is served. */
static void
expect_service(void)
{
	const struct kr_ls_message get = rig_get(1, "0-a.so");
	struct kr_ls_message answer;
	int fd = rig_client(&rig);

	rig_ask(&rig, fd, &get, &answer, NULL, NULL);
	assert_int_equal(answer.type, KR_LS_PACKAGE);
	close(fd);
	rig_settle(&rig);
}

static void
expect_clients(unsigned count)
{
	json_t *state;

	rig_settle(&rig);
	state = kr_server_inspect(rig.server);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(state, "clients"), "connected")),
		count);
	json_decref(state);
}

static void
raise_limit(void)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	if (limit.rlim_max < 2 * MANY + 100)
		kr_test_skip("few-fds", NULL);
}

static void
a_thousand_clients(void **state)
{
	const struct kr_ls_message parked = rig_get(1, "1-b.so");
	static int clients[MANY];
	struct kr_ls_message answer;

	raise_limit();
	start();
	fake_set_idle(false);
	for (int i = 0; i < MANY; i++) {
		clients[i] = rig_client(&rig);
		rig_send(clients[i], &parked);
	}
	expect_clients(MANY);
	fake_offer("1-b.so", "b");
	for (int i = 0; i < MANY; i++) {
		rig_receive(&rig, clients[i], &answer, NULL, NULL);
		assert_int_equal(answer.type, KR_LS_PACKAGE);
		assert_int_equal(answer.package.kind, KR_DELIVERY_MOUNT);
		close(clients[i]);
	}
	while (fake.given < MANY)
		rig_settle(&rig);
	for (int i = 0; i < 20; i++)
		rig_settle(&rig);
	expect_clients(0);
	rig_finish(&rig);
}

/*
 * one that asks and never reads: few answers go out for it, and no descriptor waits for it
 * in the service.
 */
static void
a_client_that_does_not_read(void **state)
{
	const struct kr_ls_message get = rig_get(1, "0-a.so");
	uint8_t bytes[KR_LS_MAX_SIZE];
	const size_t size = kr_ls_encode(&get, bytes);
	unsigned asked = 0, answered = 0;
	struct kr_ls_message answer;
	int fd, before;

	start();
	fd = rig_client(&rig);
	before = kr_test_count_fds();
	for (int i = 0; i < 100; i++) {
		asked += !kr_packet_send(fd, bytes, size, NULL, 0);
		rig_settle(&rig);
	}
	assert_true(fake.given < 16);
	assert_int_equal(kr_test_count_fds(), before);
	expect_service();
	/* It reads at last, and gets all. */
	for (; answered < asked; answered++) {
		rig_receive(&rig, fd, &answer, NULL, NULL);
		assert_int_equal(answer.type, KR_LS_PACKAGE);
	}
	close(fd);
	rig_finish(&rig);
}

/* beyond max_requests unanswered ones: EBUSY; the others are answered in time. */
static void
too_many_requests(void **state)
{
	struct kr_ls_message get = rig_get(0, "1-b.so"), answer;
	int fd;

	rig_init(&rig);
	rig.config.max_requests = 3;
	rig_start(&rig);
	fd = rig_client(&rig);
	for (get.get.serial = 1; get.get.serial <= 3; get.get.serial++)
		rig_send(fd, &get);
	rig_ask(&rig, fd, &get, &answer, NULL, NULL);
	assert_int_equal(answer.type, KR_LS_REFUSED);
	assert_int_equal(answer.refused.serial, 4);
	assert_int_equal(answer.refused.error, EBUSY);
	fake_set_idle(true);
	for (unsigned i = 1; i <= 3; i++) {
		rig_receive(&rig, fd, &answer, NULL, NULL);
		assert_int_equal(answer.type, KR_LS_PACKAGE);
		assert_int_equal(answer.package.serial, i);
	}
	rig_ask(&rig, fd, &get, &answer, NULL, NULL);
	assert_int_equal(answer.type, KR_LS_PACKAGE);
	close(fd);
	rig_finish(&rig);
}

/* --- wrong ones --- */

static void
expect_thrown_out(const void *data, size_t size, const int *fds, size_t fd_count, bool greeted)
{
	int fd = greeted ? rig_client(&rig) : rig_connect(&rig);

	assert_int_equal(kr_packet_send(fd, data, size, fds, fd_count), 0);
	rig_expect_end(&rig, fd);
	close(fd);
	expect_clients(0);
	expect_service();
}

/* */
static void
wrong_messages(void **state)
{
	const uint8_t hello[] = {1, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0};
	const uint8_t version_0[] = {1, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0};
	const uint8_t features[] = {2, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0};
	const uint8_t short_size[] = {2, 0, 0, 0, 11, 0, 0, 0, 1, 0, 0, 0};
	const uint8_t long_size[] = {2, 0, 0, 0, 255, 255, 255, 255, 1, 0, 0, 0};
	const uint8_t half[] = {2, 0, 0, 0, 12};
	const uint8_t no_serial[] = {2, 0, 0, 0, 8, 0, 0, 0};
	const uint8_t ours[] = {71, 0, 0, 0, 18, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0};
	const uint8_t name_nul[] = {3, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 'a', 0};
	const uint8_t name_beyond[] = {
		3, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 'a', 0};
	uint8_t name_long[18 + 65] = {3, 0, 0, 0, 18 + 65, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 65, 0};
	uint8_t big[4096], bigger[4097] = {200};

	start();
	memset(name_long + 18, 'a', 65);
	memset(big, 0xa5, sizeof(big));
	expect_thrown_out(features, sizeof(features), NULL, 0, false);
	expect_thrown_out(version_0, sizeof(version_0), NULL, 0, false);
	expect_thrown_out(hello, sizeof(hello), NULL, 0, true);
	expect_thrown_out(short_size, sizeof(short_size), NULL, 0, true);
	expect_thrown_out(long_size, sizeof(long_size), NULL, 0, true);
	expect_thrown_out(half, sizeof(half), NULL, 0, true);
	expect_thrown_out(no_serial, sizeof(no_serial), NULL, 0, true);
	expect_thrown_out(ours, sizeof(ours), NULL, 0, true);
	expect_thrown_out(name_nul, sizeof(name_nul), NULL, 0, true);
	expect_thrown_out(name_beyond, sizeof(name_beyond), NULL, 0, true);
	expect_thrown_out(name_long, sizeof(name_long), NULL, 0, true);
	expect_thrown_out(big, sizeof(big), NULL, 0, true);
	expect_thrown_out(bigger, sizeof(bigger), NULL, 0, true);
	rig_finish(&rig);
}

/* none of them stays open here. */
static void
floods_of_descriptors(void **state)
{
	const uint8_t features[] = {2, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0};
	int flood[253], before;

	start();
	before = kr_test_count_fds();
	for (size_t i = 0; i < KR_ARRAY_LEN(flood); i++)
		flood[i] = STDERR_FILENO;
	expect_thrown_out(features, sizeof(features), flood, 1, true);
	for (int i = 0; i < 20; i++)
		expect_thrown_out(features, sizeof(features), flood, KR_ARRAY_LEN(flood), true);
	assert_int_equal(kr_test_count_fds(), before);
	rig_finish(&rig);
}

/* Each kind of end frees what was there for it. */
static void
clients_that_vanish(void **state)
{
	const struct kr_ls_message parked = rig_get(1, "1-b.so"), known = rig_get(2, "0-a.so");
	int fd;

	start();
	fake_set_idle(false);
	fd = rig_connect(&rig);
	close(fd);
	fd = rig_client(&rig);
	rig_send(fd, &parked);
	rig_settle(&rig);
	expect_clients(1);
	close(fd);
	expect_clients(0);
	fd = rig_client(&rig);
	rig_send(fd, &parked);
	shutdown(fd, SHUT_WR);
	rig_expect_end(&rig, fd);
	close(fd);
	fd = rig_client(&rig);
	for (int i = 0; i < 20; i++)
		rig_send(fd, &known);
	close(fd);
	expect_clients(0);
	rig_finish(&rig);
}

/* Who says nothing is let go after a while; who has said hello may be silent. */
static void
silent_clients(void **state)
{
	const struct kr_ls_message ask = {.type = KR_LS_GET_FEATURES, .get_features = {5}};
	const int64_t deadline = kr_deadline_in(60 * KR_NSEC_PER_SEC);
	struct kr_ls_message answer;
	int silent, greeted;
	char byte;

	start();
	greeted = rig_client(&rig);
	silent = rig_connect(&rig);
	while (recv(silent, &byte, 1, MSG_DONTWAIT) < 0) {
		assert_true(kr_clock_now() < deadline);
		assert_int_equal(
			kr_loop_step(rig.loop, kr_clock_now() + 100 * KR_NSEC_PER_MSEC), 0);
	}
	rig_ask(&rig, greeted, &ask, &answer, NULL, NULL);
	assert_int_equal(answer.type, KR_LS_FEATURES);
	close(silent);
	close(greeted);
	rig_finish(&rig);
}

/*
 * Without descriptors for more clients those that are there are served, and nobody spins; then more
 * come in.
 */
static void
without_descriptors(void **state)
{
	const struct kr_ls_message ask = {.type = KR_LS_GET_FEATURES, .get_features = {5}};
	const struct kr_ls_message hello = {.type = KR_LS_HELLO, .hello = {1}};
	struct kr_ls_message answer;
	struct rlimit limit, none;
	int early, late, steps = 0;
	int64_t until;

	start();
	early = rig_client(&rig);
	late = rig_connect(&rig);
	rig_send(late, &hello);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = (rlim_t)late + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	until = kr_deadline_in(100 * KR_NSEC_PER_MSEC);
	for (; kr_clock_now() < until; steps++)
		assert_int_equal(kr_loop_step(rig.loop, until), 0);
	assert_in_range(steps, 1, 20);
	rig_ask(&rig, early, &ask, &answer, NULL, NULL);
	assert_int_equal(answer.type, KR_LS_FEATURES);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	rig_receive(&rig, late, &answer, NULL, NULL);
	assert_int_equal(answer.type, KR_LS_WELCOME);
	close(early);
	close(late);
	rig_finish(&rig);
}

/* --- limits --- */

static void
too_many_clients(void **state)
{
	struct kr_ls_message answer;
	int clients[4];

	rig_init(&rig);
	rig.config.max_clients = 3;
	rig_start(&rig);
	for (int i = 0; i < 3; i++)
		clients[i] = rig_client(&rig);
	clients[3] = rig_connect(&rig);
	rig_receive(&rig, clients[3], &answer, NULL, NULL);
	assert_int_equal(answer.type, KR_LS_REFUSED);
	assert_int_equal(answer.refused.serial, 0);
	assert_int_equal(answer.refused.error, EUSERS);
	rig_expect_end(&rig, clients[3]);
	close(clients[3]);
	close(clients[0]);
	rig_settle(&rig);
	clients[0] = rig_client(&rig);
	for (int i = 0; i < 3; i++)
		close(clients[i]);
	rig_finish(&rig);
}

/*
 * Another process, of this user, that connects `count` times, tells how many were welcomed, and
 * stays.
 */
static pid_t
fork_client(uid_t uid, unsigned count, int report)
{
	const struct kr_ls_message hello = {.type = KR_LS_HELLO, .hello = {KR_LS_VERSION}};
	uint8_t bytes[KR_LS_MAX_SIZE];
	const size_t size = kr_ls_encode(&hello, bytes);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	unsigned welcomed = 0;
	pid_t pid = fork();

	if (pid)
		return pid;
	memcpy(address.sun_path, rig.path, strlen(rig.path));
	if (uid != getuid() && (setgid(uid) || setuid(uid)))
		_exit(1);
	for (unsigned i = 0; i < count; i++) {
		int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
		struct kr_ls_message answer;
		uint8_t got[KR_LS_MAX_SIZE];

		if (connect(fd, (struct sockaddr *)&address, sizeof(address)) ||
			kr_packet_send(fd, bytes, size, NULL, 0))
			continue;
		if (recv(fd, got, sizeof(got), 0) > 0 && !kr_ls_decode(got, got[4], 0, &answer))
			welcomed += answer.type == KR_LS_WELCOME &&
				(uid != 12345 || !(answer.welcome.features & KR_SERVICE_INSPECT));
	}
	if (write(report, &welcomed, sizeof(welcomed)) != sizeof(welcomed))
		_exit(1);
	for (;;)
		pause();
}

/* One user can't take all; root can. */
static void
too_many_clients_of_a_user(void **state)
{
	unsigned welcomed = 0;
	int report[2], own[4], status;
	pid_t pid;

	if (getuid())
		kr_test_skip("no-root", NULL);
	rig_init(&rig);
	rig.config.max_clients_of_a_user = 2;
	rig_start(&rig);
	assert_int_equal(chmod(rig.path, 0666), 0);
	assert_int_equal(chmod(kr_test_dir(), 0755), 0);
	assert_int_equal(pipe2(report, O_CLOEXEC | O_NONBLOCK), 0);
	for (int i = 0; i < 4; i++)
		own[i] = rig_client(&rig);
	pid = fork_client(12345, 5, report[1]);
	for (int i = 0; i < 1000 && read(report[0], &welcomed, sizeof(welcomed)) < 0; i++)
		assert_int_equal(kr_loop_step(rig.loop, kr_clock_now() + 10 * KR_NSEC_PER_MSEC), 0);
	assert_int_equal(welcomed, 2);
	expect_clients(6);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	expect_clients(4);
	for (int i = 0; i < 4; i++)
		close(own[i]);
	close(report[0]);
	close(report[1]);
	rig_finish(&rig);
}

/* Of one user's processes none takes all: also of the service's own user. */
static void
too_many_clients_of_a_process(void **state)
{
	struct kr_ls_message answer;
	unsigned welcomed = 0;
	int clients[3], report[2], status;
	pid_t pid;

	rig_init(&rig);
	rig.config.max_clients_of_a_process = 2;
	rig_start(&rig);
	assert_int_equal(pipe2(report, O_CLOEXEC | O_NONBLOCK), 0);
	for (int i = 0; i < 2; i++)
		clients[i] = rig_client(&rig);
	clients[2] = rig_connect(&rig);
	rig_receive(&rig, clients[2], &answer, NULL, NULL);
	assert_int_equal(answer.type, KR_LS_REFUSED);
	assert_int_equal(answer.refused.error, EUSERS);
	assert_string_equal(
		answer.refused.text, "this process has as many connections as it may have");
	rig_expect_end(&rig, clients[2]);
	close(clients[2]);
	pid = fork_client(getuid(), 3, report[1]);
	for (int i = 0; i < 1000 && read(report[0], &welcomed, sizeof(welcomed)) < 0; i++)
		assert_int_equal(kr_loop_step(rig.loop, kr_clock_now() + 10 * KR_NSEC_PER_MSEC), 0);
	assert_int_equal(welcomed, 2);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(clients[0]);
	rig_settle(&rig);
	clients[0] = rig_client(&rig);
	for (int i = 0; i < 2; i++)
		close(clients[i]);
	close(report[0]);
	close(report[1]);
	rig_finish(&rig);
}

/* Whoever may not inspect is told so. */
static void
only_root_and_the_own_user_inspect(void **state)
{
	const struct kr_ls_message ask = {.type = KR_LS_INSPECT, .inspect = {7}};
	struct kr_ls_message answer;
	int fd;

	if (getuid())
		kr_test_skip("no-root", NULL);
	rig_init(&rig);
	/* The service is root's; this client isn't, from its connection on. */
	rig_start(&rig);
	assert_int_equal(chmod(rig.path, 0666), 0);
	assert_int_equal(chmod(kr_test_dir(), 0755), 0);
	assert_int_equal(seteuid(12345), 0);
	fd = rig_connect(&rig);
	assert_int_equal(seteuid(0), 0);
	rig_send(fd, &(struct kr_ls_message){.type = KR_LS_HELLO, .hello = {1}});
	rig_receive(&rig, fd, &answer, NULL, NULL);
	assert_int_equal(answer.welcome.features, 7);
	rig_ask(&rig, fd, &ask, &answer, NULL, NULL);
	assert_int_equal(answer.type, KR_LS_REFUSED);
	assert_int_equal(answer.refused.serial, 7);
	assert_int_equal(answer.refused.error, EPERM);
	close(fd);
	rig_finish(&rig);
}

/* --- descriptors that nobody reads --- */

static json_int_t
count_unread(void)
{
	json_t *state = kr_server_inspect(rig.server), *user;
	json_int_t unread = 0;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(state, "clients"), "users"), i, user)
		unread += json_integer_value(json_object_get(user, "unread_descriptors"));
	json_decref(state);
	return unread;
}

static void
limit_descriptors(rlim_t count)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = KR_MIN(limit.rlim_max, count);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* Those of one user's clients are limited, whoever is thrown out in between. */
static void
unread_descriptors_of_a_user(void **state)
{
	struct kr_ls_message get = rig_get(1, "0-a.so"), answer;
	const uint8_t garbage[] = {1, 2, 3};
	int clients[40];

	limit_descriptors(2400);
	start();
	fake.files = 49;
	get.get.options = KR_SERVICE_GET_STRICT;
	for (int i = 0; i < 40; i++) {
		clients[i] = rig_client(&rig);
		rig_send(clients[i], &get);
		rig_settle(&rig);
		assert_int_equal(kr_packet_send(clients[i], garbage, sizeof(garbage), NULL, 0), 0);
		rig_settle(&rig);
	}
	/* Of 2400 a fourth for the user, a fourth of that for the process, in packages of 50. */
	assert_int_equal(count_unread(), 150);
	expect_clients(40);
	for (int i = 0; i < 40; i++)
		close(clients[i]);
	/* They are gone within a second or so; then there is room again. */
	clients[0] = rig_client(&rig);
	rig_ask(&rig, clients[0], &get, &answer, NULL, NULL);
	assert_int_equal(answer.type, KR_LS_PACKAGE);
	close(clients[0]);
	rig_finish(&rig);
}

/* A client that was sent three descriptors and hasn't read them. */
static int
unread_client(void)
{
	const struct kr_ls_message get = rig_get(1, "0-a.so");
	int fd = rig_client(&rig);

	for (int i = 0; i < 3; i++)
		rig_send(fd, &get);
	rig_settle(&rig);
	return fd;
}

static void
expect_unread(json_int_t count)
{
	const int64_t deadline = kr_deadline_in(30 * KR_NSEC_PER_SEC);

	while (count_unread() != count && kr_clock_now() < deadline)
		assert_int_equal(
			kr_loop_step(rig.loop, kr_clock_now() + 100 * KR_NSEC_PER_MSEC), 0);
	assert_int_equal(count_unread(), count);
}

static void
leave(int fd, unsigned way)
{
	const struct kr_ls_message ask = {.type = KR_LS_GET_FEATURES, .get_features = {5}};
	const uint8_t garbage[] = {1, 2, 3};

	switch (way) {
	case 0:
		assert_int_equal(shutdown(fd, SHUT_RDWR), 0);
		break;
	case 1:
		assert_int_equal(shutdown(fd, SHUT_WR), 0);
		break;
	case 2: /* what is said to it next can't be sent */
		assert_int_equal(shutdown(fd, SHUT_RD), 0);
		rig_send(fd, &ask);
		break;
	case 3:
		assert_int_equal(kr_packet_send(fd, garbage, sizeof(garbage), NULL, 0), 0);
		break;
	case 4:
		assert_int_equal(kr_packet_send(fd, garbage, sizeof(garbage), &fd, 1), 0);
		break;
	}
}

/*
 * Whatever way a client ends its connection: what it was sent counts until it has read it, or
 * closed its end.
 */
static void
unread_descriptors_of_one_that_left(void **state)
{
	uint8_t bytes[KR_LS_MAX_SIZE];
	int fds[KR_LS_MAX_FDS], fd, copy, steps = 0;
	int64_t until;
	size_t size, count;

	start();
	for (unsigned way = 0; way < 5; way++) {
		fd = unread_client();
		assert_int_equal(count_unread(), 3);
		leave(fd, way);
		expect_clients(1);
		assert_int_equal(count_unread(), 3);
		/* Nobody spins for it. */
		until = kr_deadline_in(200 * KR_NSEC_PER_MSEC);
		for (steps = 0; kr_clock_now() < until; steps++)
			assert_int_equal(kr_loop_step(rig.loop, until), 0);
		assert_in_range(steps, 1, 20);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(count_unread(), 3);
			assert_int_equal(kr_packet_receive(fd, bytes, sizeof(bytes), &size, fds,
						 KR_LS_MAX_FDS, &count),
				0);
			assert_int_equal(count, 1);
			close(fds[0]);
		}
		expect_unread(0);
		expect_clients(0);
		close(fd);
		/* Who has two descriptors of it closes it with the second. */
		fd = unread_client();
		copy = dup(fd);
		leave(fd, way);
		close(fd);
		expect_clients(1);
		assert_int_equal(count_unread(), 3);
		close(copy);
		expect_unread(0);
		expect_clients(0);
	}
	rig_finish(&rig);
}

/* So a process that leaves again and again has no more connections than one that stays. */
static void
connections_of_those_that_left(void **state)
{
	struct kr_ls_message answer;
	int clients[4];

	rig_init(&rig);
	rig.config.max_clients_of_a_process = 3;
	rig_start(&rig);
	fake_offer("0-a.so", "a");
	fake_set_idle(true);
	for (int i = 0; i < 3; i++) {
		clients[i] = unread_client();
		leave(clients[i], 0);
		rig_settle(&rig);
	}
	clients[3] = rig_connect(&rig);
	rig_receive(&rig, clients[3], &answer, NULL, NULL);
	assert_int_equal(answer.type, KR_LS_REFUSED);
	close(clients[3]);
	close(clients[1]);
	expect_unread(6);
	clients[1] = rig_client(&rig);
	for (int i = 0; i < 3; i++)
		close(clients[i]);
	rig_finish(&rig);
}

static int
client_of(uid_t uid)
{
	const struct kr_ls_message hello = {.type = KR_LS_HELLO, .hello = {KR_LS_VERSION}};
	int fd;

	assert_int_equal(seteuid(0), 0);
	assert_int_equal(seteuid(uid), 0);
	fd = rig_connect(&rig);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(seteuid(getuid()), 0);
	rig_send(fd, &hello);
	rig_settle(&rig);
	return fd;
}

/*
 * One that does so as often as it can, with the kernel's limit in force: others are served, and can
 * ask how it is. The service is a user of its own here, so that nobody else's descriptors are
 * counted.
 */
static void
one_that_leaves_denies_nobody(void **state)
{
	const struct kr_ls_message get = rig_get(1, "0-a.so");
	struct kr_ls_message answer;
	static int clients[250];
	int honest;

	if (getuid())
		kr_test_skip("no-root", NULL);
	limit_descriptors(600);
	start();
	assert_int_equal(chmod(rig.path, 0666), 0);
	assert_int_equal(chmod(kr_test_dir(), 0755), 0);
	assert_int_equal(setresuid(61001, 61001, 0), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(clients); i++) {
		clients[i] = client_of(61002);
		for (int request = 0; request < 8; request++)
			rig_send(clients[i], &get);
		rig_settle(&rig);
		assert_int_equal(shutdown(clients[i], SHUT_RDWR), 0);
		rig_settle(&rig);
	}
	assert_in_range(count_unread(), 1, 150);
	honest = client_of(61003);
	rig_receive(&rig, honest, &answer, NULL, NULL);
	assert_int_equal(answer.type, KR_LS_WELCOME);
	rig_ask(&rig, honest, &get, &answer, NULL, NULL);
	assert_int_equal(answer.type, KR_LS_PACKAGE);
	close(honest);
	honest = client_of(0);
	rig_receive(&rig, honest, &answer, NULL, NULL);
	json_decref(rig_inspect(&rig, honest));
	close(honest);
	for (size_t i = 0; i < KR_ARRAY_LEN(clients); i++)
		close(clients[i]);
	rig_finish(&rig);
	/* LeakSanitizer has to look into this process. */
	assert_int_equal(setresuid(0, 0, 0), 0);
	assert_int_equal(prctl(PR_SET_DUMPABLE, 1), 0);
}

/* Each user gets less than the one before him: all of them together never have everything. */
static void
many_users_leave_something(void **state)
{
	struct kr_credentials credentials = {.known = true};
	struct kr_user *held[50];
	struct kr_users users;

	limit_descriptors(1024);
	kr_users_init(&users);
	assert_int_equal(kr_users_process_share(&users, &(struct kr_user){0}, 0), 64);
	assert_int_equal(kr_users_process_share(&users, &(struct kr_user){0}, 64), 48);
	for (size_t i = 0; i < KR_ARRAY_LEN(held); i++) {
		credentials.uid = (uid_t)i + 1;
		held[i] = kr_users_get(&users, &credentials);
		assert_non_null(held[i]);
		kr_users_count(&users, held[i], (ssize_t)kr_users_share(&users, held[i]));
	}
	assert_int_equal(held[0]->unread, 256);
	assert_int_equal(held[1]->unread, 192);
	assert_in_range(users.unread, 1000, 1023);
	for (size_t i = 0; i < KR_ARRAY_LEN(held); i++) {
		kr_users_count(&users, held[i], -(ssize_t)held[i]->unread);
		kr_users_put(held[i]);
	}
	assert_int_equal(users.unread, 0);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(a_thousand_clients, 0, 120),
	KR_TEST_SLOW(a_client_that_does_not_read, 0, 60),
	KR_TEST(too_many_requests),
	KR_TEST_SLOW(wrong_messages, 0, 60),
	KR_TEST_SLOW(floods_of_descriptors, 0, 60),
	KR_TEST(clients_that_vanish),
	KR_TEST_SLOW(silent_clients, 0, 90),
	KR_TEST_SLOW(without_descriptors, 0, 60),
	KR_TEST(too_many_clients),
	KR_TEST(too_many_clients_of_a_user),
	KR_TEST(too_many_clients_of_a_process),
	KR_TEST(only_root_and_the_own_user_inspect),
	KR_TEST_SLOW(unread_descriptors_of_a_user, 0, 60),
	KR_TEST_SLOW(unread_descriptors_of_one_that_left, 0, 120),
	KR_TEST(connections_of_those_that_left),
	KR_TEST_SLOW(one_that_leaves_denies_nobody, 0, 60),
	KR_TEST(many_users_leave_something),
};

KR_TEST_MAIN(tests)
