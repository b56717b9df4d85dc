/* SPDX-License-Identifier: Apache-2.0 */
/* Loader services for tests: see service.h. */
#include "service.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "sandbox.h"

#define LIMIT_S 60

static void
make_package(void)
{
	struct spawn child;

	assert_int_equal(mkdir(kr_test_path("packages"), 0755), 0);
	spawn_run(&child, LIMIT_S,
		ARGV("sh", "-c",
			"\"$1\" package \"$2\" -o \"$3\" --node null --environment "
			"TEST_FILE=\"$4\" && "
			"sed -i 's:\"system_paths\".*:\"system_paths\"\\: [\"/usr/share/doc\"],:' "
			"\"$3/metadata.json\"",
			"sh", prefix_path("bin/krafla"), lavapipe_manifest(),
			kr_test_path("packages/lvp"), kr_test_file("data.txt", "what it reads")),
		NULL);
	expect_code(&child, 0);
	spawn_finish(&child);
}

static const char *
write_config(void)
{
	char text[2048];

	assert_int_equal(mkdir(kr_test_path("dev"), 0755), 0);
	snprintf(text, sizeof(text),
		"{\"packages\": [\"%s\"], \"software\": \"lvp\", \"dev\": \"%s\", "
		"\"events\": \"inotify\"}",
		kr_test_path("packages"), kr_test_path("dev"));
	return kr_test_file("kraflad.json", text);
}

/* Its configuration. */
static const char *
prepare(const char *socket)
{
	char folder[1024];

	make_package();
	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(socket, '/') - socket), socket);
	mkdir(folder, 0755);
	return write_config();
}

/* It answers once its socket is there. */
static void
wait_for_answer(const char *socket)
{
	struct spawn child;

	for (int i = 0; i < LIMIT_S * 10; i++) {
		spawn_run(&child, LIMIT_S,
			ARGV(prefix_path("bin/krafla"), "service", "status", "--socket", socket),
			NULL);
		if (!child.code)
			break;
		spawn_finish(&child);
		usleep(100 * 1000);
	}
	expect_code(&child, 0);
	spawn_finish(&child);
	assert_int_equal(chmod(socket, 0666), 0);
}

#define SERVE(socket)                                                                              \
	prefix_path("bin/krafla"), "serve", "--config", prepare(socket), "--socket", socket

void
service_start(struct spawn *daemon, const char *socket)
{
	spawn_start(daemon, ARGV(SERVE(socket)), NULL);
	wait_for_answer(socket);
}

void
service_start_without_namespaces(struct spawn *daemon, const char *socket)
{
	struct spawn child;

	spawn_run(&child, LIMIT_S, ARGV(WITHOUT_NAMESPACES, "true"), NULL);
	if (child.code)
		kr_test_skip("no-namespaces", child.output);
	spawn_finish(&child);
	spawn_start(daemon, ARGV(WITHOUT_NAMESPACES, SERVE(socket)), NULL);
	wait_for_answer(socket);
}

void
service_stop(struct spawn *daemon)
{
	kill(daemon->pid, SIGTERM);
	spawn_wait(daemon, LIMIT_S);
	expect_code(daemon, 0);
	spawn_finish(daemon);
}
