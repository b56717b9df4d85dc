/* SPDX-License-Identifier: Apache-2.0 */
/* Loader services for tests: see service.h. */
#include "service.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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
			"\"$3/metadata/metadata.json\"",
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

#define SERVE(socket)                                                                              \
	prefix_path("bin/krafla"), "serve", "--config", prepare(socket), "--socket", socket

/* It says so once it can serve; then any user may connect. */
static void
wait_for_offer(struct spawn *daemon, const char *socket)
{
	if (!spawn_wait_for(daemon, "1 driver offered", LIMIT_S))
		fail_msg("it offers nothing:\n%s", daemon->output);
	assert_int_equal(chmod(socket, 0666), 0);
}

void
service_start(struct spawn *daemon, const char *socket)
{
	spawn_start(daemon, ARGV(SERVE(socket)), NULL);
	wait_for_offer(daemon, socket);
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
	wait_for_offer(daemon, socket);
}

void
service_stop(struct spawn *daemon)
{
	kill(daemon->pid, SIGTERM);
	spawn_wait(daemon, LIMIT_S);
	expect_code(daemon, 0);
	spawn_finish(daemon);
}
