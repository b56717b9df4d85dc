/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla service status: of a service with fake packages and devices, of none, of
 * ones that are no good.
 */
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/service/rig.h"
#include "harness.h"
#include "service/server/server.h"
#include "util/text.h"

static struct daemon_run service, run;
static char path[108];

#define STATUS(...) ((const char *const[]){KRAFLA, "service", __VA_ARGS__, NULL})

static void
start(void)
{
	snprintf(path, sizeof(path), "%s/service", kr_test_dir());
	daemon_start(&service, (const char *const[]){FAKE_KRAFLAD, "--socket", path, NULL}, -1);
	daemon_expect(&service, "listens");
}

static void
expect_said(const char *text)
{
	if (!strstr(run.said, text))
		fail_msg("no '%s' in: %s", text, run.said);
}

/* M-06 */
static void
healthy(void **state)
{
	char user[32];

	start();
	assert_int_equal(daemon_run_once(&run, STATUS("status", "--socket", path)), 0);
	expect_said(path);
	expect_said(": ok\n");
	expect_said("delivery   mount");
	expect_said("0-libvulkan_fake.so.json");
	snprintf(user, sizeof(user), "user %d: 1", (int)getuid());
	expect_said(user);
	daemon_stop(&service);
}

static void
as_json(void **state)
{
	json_t *shown;

	start();
	assert_int_equal(daemon_run_once(&run, STATUS("status", "--json", "--socket", path)), 0);
	shown = json_loads(run.said, 0, NULL);
	assert_non_null(shown);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(shown, "health"), "state")),
		"ok");
	assert_int_equal(json_integer_value(json_object_get(shown, "pid")), service.pid);
	assert_true(json_is_object(json_object_get(shown, "config")));
	json_decref(shown);
	daemon_stop(&service);
}

static void
without_a_driver(void **state)
{
	setenv("FAKE_HEALTH", "none", 1);
	start();
	unsetenv("FAKE_HEALTH");
	assert_int_equal(daemon_run_once(&run, STATUS("status", "--socket", path)), 1);
	expect_said(": no driver\n");
	expect_said("problems\n");
	expect_said("krafla package");
	daemon_stop(&service);
}

static void
no_service(void **state)
{
	const char *none = "/nonexistent/service";
	char *reason;
	int fd;

	assert_int_equal(daemon_run_once(&run, STATUS("status", "--socket", none)), 125);
	expect_said(none);
	expect_said("krafla serve");
	/* One that died. */
	snprintf(path, sizeof(path), "%s/dead", kr_test_dir());
	assert_int_equal(kr_server_listen(path, &fd, &reason), 0);
	close(fd);
	assert_int_equal(daemon_run_once(&run, STATUS("status", "--socket", path)), 125);
	expect_said("no service runs at");
}

/* The places where services listen are tried, behind what the environment names. */
static void
places(void **state)
{
	char *own = kr_asprintf("%s/krafla", kr_test_dir());

	assert_int_equal(mkdir(own, 0700), 0);
	setenv("XDG_RUNTIME_DIR", kr_test_dir(), 1);
	daemon_start(&service, (const char *const[]){FAKE_KRAFLAD, "--user", NULL}, -1);
	daemon_expect(&service, "listens");
	if (access("/run/krafla/service", F_OK)) {
		assert_int_equal(daemon_run_once(&run, STATUS("status")), 0);
		expect_said(own);
	}
	setenv("KRAFLA_SERVICE", "/nonexistent/service", 1);
	assert_int_equal(daemon_run_once(&run, STATUS("status")), 125);
	expect_said("/nonexistent/service");
	unsetenv("KRAFLA_SERVICE");
	unsetenv("XDG_RUNTIME_DIR");
	daemon_stop(&service);
	free(own);
}

static int
take_connection(int listening)
{
	struct pollfd pollfd = {.fd = listening, .events = POLLIN};
	int fd;

	assert_int_equal(poll(&pollfd, 1, 20000), 1);
	fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* Something else listens there, and answers wrongly. */
static void
not_a_service(void **state)
{
	char *reason;
	char bytes[64];
	int fd, peer;

	snprintf(path, sizeof(path), "%s/other", kr_test_dir());
	assert_int_equal(kr_server_listen(path, &fd, &reason), 0);
	daemon_start(&run, STATUS("status", "--socket", path), -1);
	peer = take_connection(fd);
	assert_true(recv(peer, bytes, sizeof(bytes), 0) > 0);
	assert_int_equal(send(peer, "nonsense", 8, 0), 8);
	assert_int_equal(daemon_wait(&run), 125);
	expect_said("doesn't understand");
	close(peer);
	daemon_start(&run, STATUS("status", "--socket", path), -1);
	peer = take_connection(fd);
	assert_true(recv(peer, bytes, sizeof(bytes), 0) > 0);
	close(peer);
	assert_int_equal(daemon_wait(&run), 125);
	expect_said("ended the connection");
	close(fd);
}

static void
wrong_usage(void **state)
{
	assert_int_equal(daemon_run_once(&run, (const char *const[]){KRAFLA, "service", NULL}), 2);
	expect_said("'status'");
	assert_int_equal(daemon_run_once(&run, STATUS("stat")), 2);
	expect_said("'stat'");
	assert_int_equal(daemon_run_once(&run, STATUS("status", "now")), 2);
	expect_said("'now'");
	assert_int_equal(daemon_run_once(&run, STATUS("status", "--socket")), 2);
	assert_int_equal(daemon_run_once(&run, STATUS("--help")), 0);
	expect_said("usage: krafla service status");
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(healthy, 0, 60),
	KR_TEST_SLOW(as_json, 0, 60),
	KR_TEST_SLOW(without_a_driver, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(no_service, 0, 60),
	KR_TEST_SLOW(places, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(not_a_service, 0, 60),
	KR_TEST_SLOW(wrong_usage, 0, 60),
};

KR_TEST_MAIN(tests)
