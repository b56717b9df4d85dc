/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kraflad as a program: options, sockets, systemd's protocols, signals. Its packages and devices
 * are fakes.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/service/rig.h"
#include "harness.h"
#include "service/server/server.h"
#include "util/text.h"
#include "wire/loader_service.h"
#include "wire/packet.h"

static struct daemon_run run;

#define ARGV(...) ((const char *const[]){FAKE_KRAFLAD, __VA_ARGS__, NULL})

static struct kr_ls_welcome
welcome(const char *path)
{
	const struct kr_ls_message hello = {.type = KR_LS_HELLO, .hello = {KR_LS_VERSION}};
	uint8_t bytes[KR_LS_MAX_SIZE];
	struct kr_ls_message answer;
	int fd = daemon_connect(path);
	ssize_t size;

	assert_int_equal(kr_packet_send(fd, bytes, kr_ls_encode(&hello, bytes), NULL, 0), 0);
	size = recv(fd, bytes, sizeof(bytes), 0);
	assert_true(size > 0);
	assert_int_equal(kr_ls_decode(bytes, (size_t)size, 0, &answer), 0);
	assert_int_equal(answer.type, KR_LS_WELCOME);
	close(fd);
	return answer.welcome;
}

static void
expect_welcome(const char *path)
{
	(void)welcome(path);
}

static void
serves_and_ends(void **state)
{
	const int signals[] = {SIGTERM, SIGINT, SIGQUIT};
	static const char *const names[] = {"SIGTERM", "SIGINT", "SIGQUIT"};
	const char *path = kr_test_path("service");

	for (size_t i = 0; i < KR_ARRAY_LEN(signals); i++) {
		daemon_start(&run, ARGV("--socket", path), -1);
		daemon_expect(&run, "listens at ");
		daemon_expect(&run, path);
		daemon_expect(&run,
			"1 driver offered, of 0 packages, for 1 device node; delivery: mount");
		expect_welcome(path);
		kill(run.pid, signals[i]);
		assert_int_equal(daemon_wait(&run), 0);
		assert_non_null(strstr(run.said, names[i]));
		/* Nothing stays. */
		assert_int_equal(access(path, F_OK), -1);
	}
}

/*
 * What a client is told that connects now: of its configuration, that it may have so many
 * unanswered requests.
 */
static void
expect_requests(const char *path, uint32_t max_requests)
{
	assert_int_equal(welcome(path).max_requests, max_requests);
}

static void
configure(const char *text)
{
	run.length = 0;
	run.said[0] = '\0';
	kr_test_file("kraflad.json", text);
	kill(run.pid, SIGHUP);
}

/*
 * By SIGHUP the configuration is read anew: what can't be changed, and what is wrong, is told, and
 * stays as it was.
 */
static void
reads_its_configuration_anew(void **state)
{
	const char *path = kr_test_path("service");
	const char *config = kr_test_file("kraflad.json", "{\"max_requests\": 3}");

	daemon_start(&run, ARGV("--config", config, "--socket", path), -1);
	daemon_expect(&run, "driver offered");
	expect_requests(path, 3);
	configure("{\"max_requests\": 5, \"max_clients\": 17}");
	daemon_expect(&run, "takes over from ");
	daemon_expect(&run, "kraflad.json: max_clients, max_requests");
	daemon_expect(&run, "driver offered");
	expect_requests(path, 5);
	configure("{\"max_requests\": 6, \"max_client\": 17}");
	daemon_expect(&run, "the configuration stays as it was: ");
	daemon_expect(&run, "\"max_client\"");
	expect_requests(path, 5);
	configure("{\"max_requests\": 7, \"max_clients\": 17, \"socket\": \"/nonexistent/s\", "
		  "\"dev\": "
		  "\"/nonexistent\"}");
	daemon_expect(&run, "says of socket, dev counts only when the service is started anew");
	assert_non_null(strstr(run.said, ": max_requests\n"));
	expect_requests(path, 7);
	configure("{\"max_requests\": 7, \"max_clients\": 17}");
	daemon_expect(&run, "nothing to be taken over has changed");
	assert_int_equal(unlink(config), 0);
	run.length = 0;
	kill(run.pid, SIGHUP);
	daemon_expect(&run, "stays as it was: ");
	expect_requests(path, 7);
	daemon_stop(&run);
	assert_int_equal(access(path, F_OK), -1);
}

/* Nor does it end when nobody reads what it says. */
static void
nobody_reads_what_it_says(void **state)
{
	const char *path = kr_test_path("service");
	int status;

	daemon_start(&run, ARGV("--socket", path), -1);
	daemon_expect(&run, "driver offered");
	close(run.output);
	for (int i = 0; i < 3; i++) {
		kill(run.pid, SIGHUP);
		expect_welcome(path);
	}
	kill(run.pid, SIGTERM);
	assert_int_equal(waitpid(run.pid, &status, 0), run.pid);
	assert_int_equal(status, 0);
	assert_int_equal(access(path, F_OK), -1);
}

static void
wrong_usage(void **state)
{
	assert_int_equal(daemon_run_once(&run, ARGV("--nonsense")), 2);
	assert_non_null(strstr(run.said, "--nonsense"));
	assert_int_equal(daemon_run_once(&run, ARGV("--socket")), 2);
	assert_non_null(strstr(run.said, "needs a value"));
	assert_int_equal(daemon_run_once(&run, ARGV("word")), 2);
	assert_non_null(strstr(run.said, "'word'"));
	assert_int_equal(daemon_run_once(&run, ARGV("--user=1")), 2);
	assert_int_equal(daemon_run_once(&run, ARGV("--help")), 0);
	assert_non_null(strstr(run.said, "--config FILE"));
}

static void
a_socket_that_is_served(void **state)
{
	const char *path = kr_test_path("service");
	static struct daemon_run second;

	daemon_start(&run, ARGV("--socket", path), -1);
	daemon_expect(&run, "listens");
	assert_int_equal(daemon_run_once(&second, ARGV("--socket", path)), 125);
	assert_non_null(strstr(second.said, path));
	assert_non_null(strstr(second.said, "served already"));
	expect_welcome(path);
	/* One that died leaves its socket, which isn't served. */
	kill(run.pid, SIGKILL);
	assert_int_equal(waitpid(run.pid, NULL, 0), run.pid);
	close(run.output);
	assert_int_equal(access(path, F_OK), 0);
	daemon_start(&run, ARGV("--socket", path), -1);
	daemon_expect(&run, "listens");
	expect_welcome(path);
	daemon_stop(&run);
}

/* What another service has put there meanwhile stays. */
static void
only_its_own_socket_is_removed(void **state)
{
	const char *path = kr_test_path("service");
	char *reason;
	int other;

	daemon_start(&run, ARGV("--socket", path), -1);
	daemon_expect(&run, "listens");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(kr_server_listen(path, &other, &reason), 0);
	daemon_stop(&run);
	assert_int_equal(access(path, F_OK), 0);
	close(other);
}

/* The places where a user's service listens, and where its configuration is. */
static void
a_users_service(void **state)
{
	const char *path = kr_test_path("krafla/service");
	struct stat st;
	char config[200];

	setenv("XDG_RUNTIME_DIR", kr_test_dir(), 1);
	setenv("XDG_CONFIG_HOME", kr_test_dir(), 1);
	daemon_start(&run, ARGV("--user"), -1);
	daemon_expect(&run, path);
	expect_welcome(path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0660);
	daemon_stop(&run);
	kr_test_file("krafla/kraflad.json", "{\"socket_mode\": \"0600\"}");
	snprintf(config, sizeof(config), "configured by %s/krafla/kraflad.json", kr_test_dir());
	daemon_start(&run, ARGV("--user"), -1);
	daemon_expect(&run, config);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	daemon_stop(&run);
	unsetenv("XDG_RUNTIME_DIR");
	assert_int_equal(daemon_run_once(&run, ARGV("--user")), 125);
	assert_non_null(strstr(run.said, "XDG_RUNTIME_DIR"));
	unsetenv("XDG_CONFIG_HOME");
}

static void
configuration_files(void **state)
{
	const char *path = kr_test_path("configured");
	char *text = kr_asprintf("{\"socket\": \"%s\"}", path);
	const char *good = kr_test_file("good.json", text);
	const char *bad = kr_test_file("bad.json", "{\"sockets\": 1}");

	daemon_start(&run, ARGV("--config", good), -1);
	daemon_expect(&run, path);
	expect_welcome(path);
	daemon_stop(&run);
	assert_int_equal(daemon_run_once(&run, ARGV("--config", bad)), 125);
	assert_non_null(strstr(run.said, "\"sockets\""));
	assert_non_null(strstr(run.said, bad));
	assert_int_equal(daemon_run_once(&run, ARGV("--config", "/nonexistent")), 125);
	assert_non_null(strstr(run.said, "/nonexistent"));
	assert_int_equal(daemon_run_once(&run, ARGV("--check", "--config", good)), 0);
	assert_non_null(strstr(run.said, "is good"));
	assert_int_equal(daemon_run_once(&run, ARGV("--check", "--config", bad)), 125);
	free(text);
}

/* A system's service needn't be root's: systemd gives it a user of its own. */
static void
whose_configuration(void **state)
{
	char directory[300];

	snprintf(directory, sizeof(directory), "%s/krafla", kr_test_dir());
	assert_int_equal(mkdir(directory, 0755), 0);
	kr_test_file("krafla/kraflad.json", "{\"a user's\": 1}");
	setenv("XDG_CONFIG_HOME", kr_test_dir(), 1);
	assert_int_equal(daemon_run_once(&run, ARGV("--check", "--user")), 125);
	assert_non_null(strstr(run.said, "a user's"));
	daemon_run_once(&run, ARGV("--check", "--system"));
	assert_null(strstr(run.said, "a user's"));
	assert_int_equal(daemon_run_once(&run, ARGV("--check", "--system", "--user")), 2);
	unsetenv("XDG_CONFIG_HOME");
}

static int
notify_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	memcpy(address.sun_path, path, strlen(path));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void
expect_notice(int fd, const char *wanted)
{
	char text[256];
	ssize_t got = recv(fd, text, sizeof(text) - 1, 0);

	assert_true(got > 0);
	text[got] = '\0';
	if (strncmp(text, wanted, strlen(wanted)) != 0)
		fail_msg("'%s' where '%s' was due", text, wanted);
}

/* systemd's socket is served, and stays; it is told of readiness and state. */
static void
socket_activation(void **state)
{
	const char *path = kr_test_path("handed-over"), *notices = kr_test_path("notices");
	const int notified = notify_socket(notices);
	struct stat before, after;
	char *reason;
	int fd;

	assert_int_equal(kr_server_listen(path, &fd, &reason), 0);
	assert_int_equal(stat(path, &before), 0);
	setenv("NOTIFY_SOCKET", notices, 1);
	daemon_start(&run, ARGV("--socket", "/nonexistent/service"), fd);
	unsetenv("NOTIFY_SOCKET");
	expect_notice(notified, "READY=1");
	expect_notice(notified, "STATUS=1 driver offered");
	expect_welcome(path);
	kill(run.pid, SIGHUP);
	expect_notice(notified, "RELOADING=1\nMONOTONIC_USEC=");
	expect_notice(notified, "READY=1");
	expect_notice(notified, "STATUS=1 driver offered");
	kill(run.pid, SIGTERM);
	expect_notice(notified, "STOPPING=1");
	assert_int_equal(daemon_wait(&run), 0);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	/* Who connects in between waits for the next one. */
	daemon_start(&run, ARGV("--socket", "/nonexistent/service"), fd);
	expect_welcome(path);
	daemon_stop(&run);
	close(notified);
	close(fd);
}

static void
sockets_that_are_none(void **state)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	daemon_start(&run, ARGV("--socket", "/nonexistent/service"), pair[0]);
	assert_int_equal(daemon_wait(&run), 125);
	assert_non_null(strstr(run.said, "no listening SEQPACKET socket"));
	close(pair[0]);
	close(pair[1]);
	/* Somebody else's. */
	setenv("LISTEN_FDS", "1", 1);
	setenv("LISTEN_PID", "1", 1);
	assert_int_equal(daemon_run_once(&run, ARGV("--socket", "/nonexistent/service")), 125);
	assert_non_null(strstr(run.said, "/nonexistent"));
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_PID");
}

/* other processes of its user can't get at what it has open. */
static void
is_out_of_reach(void **state)
{
	static const char *const names[] = {"fd", "mem", "root", "cwd", "ns/mnt", "environ"};
	const char *path = kr_test_path("service");
	const char *program = kr_test_program_for_others(FAKE_KRAFLAD);
	char name[64];

	assert_int_equal(chmod(kr_test_dir(), 0777), 0);
	if (!geteuid())
		assert_int_equal(setresuid(4242, 4242, 4242), 0);
	daemon_start(&run, (const char *const[]){program, "--socket", path, NULL}, -1);
	daemon_expect(&run, "listens");
	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		snprintf(name, sizeof(name), "/proc/%d/%s", (int)run.pid, names[i]);
		if (open(name, O_RDONLY | O_CLOEXEC) >= 0)
			fail_msg("%s can be opened", name);
	}
	assert_int_equal(ptrace(PTRACE_ATTACH, run.pid, NULL, NULL), -1);
	expect_welcome(path);
	daemon_stop(&run);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(serves_and_ends, 0, 60),
	KR_TEST_SLOW(reads_its_configuration_anew, 0, 60),
	KR_TEST_SLOW(nobody_reads_what_it_says, 0, 60),
	KR_TEST_SLOW(wrong_usage, 0, 60),
	KR_TEST_SLOW(a_socket_that_is_served, 0, 60),
	KR_TEST_SLOW(only_its_own_socket_is_removed, 0, 60),
	KR_TEST_SLOW(a_users_service, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(configuration_files, 0, 60),
	KR_TEST_SLOW(whose_configuration, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(socket_activation, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(sockets_that_are_none, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(is_out_of_reach, 0, 60),
};

KR_TEST_MAIN(tests)
