/* SPDX-License-Identifier: Apache-2.0 */
/* Loader services for tests: see service.h. */
#include "service.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

#define LIMIT_S 60

static void
make_package(void)
{
	struct spawn child;

	assert_int_equal(mkdir(temp_path("packages"), 0755), 0);
	spawn_run(&child, LIMIT_S,
		ARGV(prefix_path("bin/krafla"), "package", lavapipe_manifest(), "-o",
			temp_path("packages/lvp")),
		NULL);
	expect_code(&child, 0);
	spawn_finish(&child);
}

static const char *
write_config(void)
{
	char text[2048];

	assert_int_equal(mkdir(temp_path("dev"), 0755), 0);
	snprintf(text, sizeof(text),
		"{\"packages\": [\"%s\"], \"software\": \"lvp\", \"dev\": \"%s\", "
		"\"events\": \"inotify\"}",
		temp_path("packages"), temp_path("dev"));
	return kr_test_file("kraflad.json", text);
}

void
service_start(struct spawn *daemon, const char *socket)
{
	const char *config;
	struct spawn child;
	char folder[1024];

	make_package();
	config = write_config();
	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(socket, '/') - socket), socket);
	mkdir(folder, 0755);
	spawn_start(daemon,
		ARGV(prefix_path("bin/krafla"), "serve", "--config", config, "--socket", socket),
		NULL);
	/* It answers this once its socket is there. */
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

void
service_stop(struct spawn *daemon)
{
	kill(daemon->pid, SIGTERM);
	spawn_wait(daemon, LIMIT_S);
	expect_code(daemon, 0);
	spawn_finish(daemon);
}
