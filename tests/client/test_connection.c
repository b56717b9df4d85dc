/* SPDX-License-Identifier: Apache-2.0 */
/* One connection: the handshake, answers, and all that may be wrong with them. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "client/connection.h"
#include "delivery/delivery.h"
#include "support.h"
#include "util/fd.h"
#include "wire/service.h"

static struct kr_connection *connection;
static struct kr_answer answer;
static char *reason;

static void
shorten_limits(void)
{
	kr_client_limits.answer_ns = 300 * KR_NSEC_PER_MSEC;
	kr_client_limits.parked_ns = 300 * KR_NSEC_PER_MSEC;
}

static int
open_connection(const struct fake_service *service)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/service", service->dir);
	return kr_connection_open(
		path, kr_clock_now() + kr_client_limits.answer_ns, &connection, &reason);
}

static int
ask(enum kr_ls_type type, enum kr_ls_type expected, bool parked)
{
	struct kr_ls_message request = {.type = type};

	free(reason);
	reason = NULL;
	if (type == KR_LS_MANIFEST_FS && parked)
		request.manifest_fs.options = KR_SERVICE_WAIT_FOR_IDLE;
	if (type == KR_LS_GET)
		strcpy(request.get.name, "0-a.so");
	return kr_connection_ask(connection, &request, expected, parked, &answer, &reason);
}

static void
assert_works(void)
{
	assert_int_equal(ask(KR_LS_GET_FEATURES, KR_LS_FEATURES, false), 0);
	assert_int_equal(answer.message.features.features, 7);
	assert_int_equal(answer.fd_count, 0);
}

static void
assert_reason(const char *part)
{
	assert_non_null(reason);
	if (!strstr(reason, part))
		fail_msg("\"%s\" doesn't say \"%s\"", reason, part);
	free(reason);
	reason = NULL;
}

static void
end(void)
{
	kr_connection_close(connection);
	connection = NULL;
	free(reason);
	reason = NULL;
}

/* F-01 */
static void
answers_come(void **state)
{
	struct fake_service *service = fake_start();

	assert_int_equal(open_connection(service), 0);
	assert_int_equal(kr_connection_features(connection),
		KR_SERVICE_GET | KR_SERVICE_DEVICE_FS | KR_SERVICE_MANIFEST_FS);
	for (int i = 0; i < 3; i++)
		assert_works();
	assert_int_equal(ask(KR_LS_MANIFEST_FS, KR_LS_MANIFESTS, true), 0);
	assert_int_equal(answer.message.manifests.kind, KR_DELIVERY_MOUNT);
	assert_int_equal(answer.fd_count, 1);
	kr_answer_finish(&answer);
	assert_int_equal(atomic_load(&service->connections), 1);
	assert_false(kr_connection_has_ended(connection));
	end();
	fake_kill(service);
}

static int
make_socket(const char *path, int type)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	unlink(path);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* Each is told at once and in a sentence, also what would wait for another process (a FIFO). */
static void
sockets_that_are_no_service(void **state)
{
	const char *file = kr_test_file("file", "");
	char path[PATH_MAX];
	int other;

	snprintf(path, sizeof(path), "%s/fifo", kr_test_dir());
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(kr_connection_open(path, KR_FOREVER, &connection, &reason), -ECONNREFUSED);
	assert_reason("it is no socket");
	assert_int_equal(
		kr_connection_open(kr_test_dir(), KR_FOREVER, &connection, &reason), -ECONNREFUSED);
	assert_reason("it is no socket");
	snprintf(path, sizeof(path), "%s/socket", kr_test_dir());
	other = make_socket(path, SOCK_SEQPACKET);
	kr_fd_close(&other);
	assert_int_equal(kr_connection_open(path, KR_FOREVER, &connection, &reason), -ECONNREFUSED);
	assert_reason("no service is running there");
	other = make_socket(path, SOCK_STREAM);
	assert_int_equal(listen(other, 1), 0);
	assert_int_equal(kr_connection_open(path, KR_FOREVER, &connection, &reason), -EPROTOTYPE);
	assert_reason("another program's socket");
	kr_fd_close(&other);

	snprintf(path, sizeof(path), "%s/nothing", kr_test_dir());
	assert_int_equal(kr_connection_open(path, KR_FOREVER, &connection, &reason), -ENOENT);
	assert_reason("start kraflad");
	assert_int_equal(kr_connection_open(file, KR_FOREVER, &connection, &reason), -ECONNREFUSED);
	assert_reason("can't be reached");
	memset(path, 'x', 200);
	path[200] = '\0';
	assert_int_equal(kr_connection_open(path, KR_FOREVER, &connection, &reason), -ENAMETOOLONG);
	assert_reason("at most 107 bytes");
	assert_null(connection);
}

static void
handshakes_that_fail(void **state)
{
	static const struct {
		enum fake_fault fault;
		int error;
		const char *reason;
	} cases[] = {
		{FAKE_SAYS_NOTHING, -ETIMEDOUT, "says nothing"},
		{FAKE_CLOSES, -EPIPE, "closes the connection"},
		{FAKE_WRONG_VERSION, -EPROTO, "another version"},
		{FAKE_NO_REQUESTS, -EPROTO, "no requests"},
	};
	struct fake_service *service = fake_start();

	shorten_limits();
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		atomic_store(&service->fault, cases[i].fault);
		assert_int_equal(open_connection(service), cases[i].error);
		assert_reason(cases[i].reason);
		assert_null(connection);
	}
	fake_kill(service);
}

/* Nobody accepts, and there is no more room for who waits. */
static void
a_full_backlog_has_a_limit(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), filler[4];

	shorten_limits();
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/service", kr_test_dir());
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(listener, 0), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(filler); i++) {
		filler[i] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		(void)connect(filler[i], (struct sockaddr *)&address, sizeof(address));
	}
	assert_int_equal(kr_connection_open(address.sun_path,
				 kr_clock_now() + kr_client_limits.answer_ns, &connection, &reason),
		-ETIMEDOUT);
	assert_reason("can't be reached");
	for (size_t i = 0; i < KR_ARRAY_LEN(filler); i++)
		close(filler[i]);
	close(listener);
}

/* after any of these nothing more is believed, and nothing is left open. */
static void
answers_that_end_the_connection(void **state)
{
	static const struct {
		enum fake_fault fault;
		int error;
		const char *reason;
	} cases[] = {
		{FAKE_GARBAGE, -EPROTO, "can't be read"},
		{FAKE_LONG, -EPROTO, "can't be read"},
		{FAKE_WRONG_SERIAL, -EPROTO, "nobody has asked for"},
		{FAKE_WRONG_TYPE, -EPROTO, "broke the protocol"},
		{FAKE_REFUSES_OK, -EPROTO, "without an error number"},
		{FAKE_ANSWERS_NOTHING, -ETIMEDOUT, "doesn't answer"},
		{FAKE_DIES_ON_GET, -EPIPE, "closed the connection"},
	};
	struct fake_service *service = fake_start();
	int fds;

	shorten_limits();
	fake_offer(service, "0-a.so", "/bin/true");
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		atomic_store(&service->fault, FAKE_WORKS);
		assert_int_equal(open_connection(service), 0);
		fds = kr_test_count_fds();
		atomic_store(&service->fault, cases[i].fault);
		assert_int_equal(ask(KR_LS_GET, KR_LS_PACKAGE, false), cases[i].error);
		assert_reason(cases[i].reason);
		assert_true(kr_connection_has_ended(connection));
		assert_int_equal(kr_test_count_fds(), fds - 1);
		atomic_store(&service->fault, FAKE_WORKS);
		assert_int_equal(ask(KR_LS_GET_FEATURES, KR_LS_FEATURES, false), -ENOTCONN);
		assert_reason(cases[i].reason);
		end();
	}
	fake_kill(service);
}

static void
a_refusal_is_an_error_of_one_request(void **state)
{
	struct fake_service *service = fake_start();

	assert_int_equal(open_connection(service), 0);
	atomic_store(&service->fault, FAKE_REFUSES);
	assert_int_equal(ask(KR_LS_GET, KR_LS_PACKAGE, false), -EREMOTEIO);
	assert_null(strchr(reason, '\x1b'));
	assert_reason("no?[2J room");
	atomic_store(&service->fault, FAKE_WORKS);
	assert_works();
	end();
	fake_kill(service);
}

/* A parked answer that doesn't come: the service is asked whether it lives, and does. */
static void
what_is_parked_for_too_long_is_left(void **state)
{
	struct fake_service *service = fake_start();

	shorten_limits();
	assert_int_equal(open_connection(service), 0);
	atomic_store(&service->fault, FAKE_PARKS_IDLE);
	assert_int_equal(ask(KR_LS_MANIFEST_FS, KR_LS_MANIFESTS, true), -ETIMEDOUT);
	assert_reason("still looking at devices");
	assert_false(kr_connection_has_ended(connection));
	assert_works();
	/* Eight are remembered. */
	for (int i = 0; i < 7; i++) {
		assert_int_equal(ask(KR_LS_MANIFEST_FS, KR_LS_MANIFESTS, true), -ETIMEDOUT);
		assert_false(kr_connection_has_ended(connection));
	}
	assert_int_equal(ask(KR_LS_MANIFEST_FS, KR_LS_MANIFESTS, true), -ETIMEDOUT);
	assert_true(kr_connection_has_ended(connection));
	end();
	fake_kill(service);
}

/* F-02: a stopped process keeps its sockets, and answers nothing. */
static void
a_service_that_is_stopped_is_given_up(void **state)
{
	struct fake_service *service = fake_start();

	shorten_limits();
	assert_int_equal(open_connection(service), 0);
	assert_int_equal(kill(service->pid, SIGSTOP), 0);
	assert_int_equal(ask(KR_LS_GET, KR_LS_PACKAGE, true), -ETIMEDOUT);
	assert_true(kr_connection_has_ended(connection));
	assert_int_equal(ask(KR_LS_GET, KR_LS_PACKAGE, true), -ENOTCONN);
	assert_reason("doesn't answer");
	end();
	fake_kill(service);
}

/*
 * The peer of this connection: a late answer of a request that was left comes before the next
 * one's.
 */
static void
late_answers_are_passed_over(void **state)
{
	struct fake_service *service = fake_start();

	shorten_limits();
	assert_int_equal(open_connection(service), 0);
	assert_int_equal(kill(service->pid, SIGSTOP), 0);
	kr_client_limits.answer_ns = 20 * KR_NSEC_PER_SEC;
	/* It wakes while it is asked whether it lives: by then two answers are due. */
	if (!fork()) {
		poll(NULL, 0, 1500);
		kill(service->pid, SIGCONT);
		_exit(0);
	}
	assert_int_equal(ask(KR_LS_MANIFEST_FS, KR_LS_MANIFESTS, true), -ETIMEDOUT);
	assert_reason("still looking at devices");
	assert_works();
	assert_works();
	end();
	fake_kill(service);
}

static const struct kr_test tests[] = {
	KR_TEST(answers_come),
	KR_TEST(sockets_that_are_no_service),
	KR_TEST(handshakes_that_fail),
	KR_TEST(a_full_backlog_has_a_limit),
	KR_TEST(answers_that_end_the_connection),
	KR_TEST(a_refusal_is_an_error_of_one_request),
	KR_TEST(what_is_parked_for_too_long_is_left),
	KR_TEST(a_service_that_is_stopped_is_given_up),
	KR_TEST(late_answers_are_passed_over),
};
KR_TEST_MAIN(tests)
