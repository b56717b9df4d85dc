/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The swapchain suite on each kind of surface by each driver, with and without a Krafla display
 * where both exist. Each cell is a process of its own; what was skipped stands below the matrix.
 */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/integration/programs/spawn.h"
#include "weston.h"
#include "xvfb.h"

#define SWIFTSHADER "/usr/lib/chromium/vk_swiftshader_icd.json"
#define LIMIT_S     120

enum server {
	SERVER_NONE,
	SERVER_X,
	SERVER_WAYLAND,
};

struct driver {
	const char *name;
	const char *manifest; /* NULL: lavapipe's */
	const char *settings; /* of the null driver */
};

static const struct driver drivers[] = {
	{"null 5", TEST_NULL_MANIFEST, "KRAFLA_NULL_DRIVER=version=5"},
	{"null 6", TEST_NULL_MANIFEST, "KRAFLA_NULL_DRIVER=version=6"},
	{"null 7", TEST_NULL_MANIFEST, "KRAFLA_NULL_DRIVER=version=7"},
	{"null 8", TEST_NULL_MANIFEST, "KRAFLA_NULL_DRIVER=version=8"},
	{"null 9", TEST_NULL_MANIFEST, "KRAFLA_NULL_DRIVER=version=9"},
	{"null 10", TEST_NULL_MANIFEST, "KRAFLA_NULL_DRIVER=version=10"},
	{"null 11", TEST_NULL_MANIFEST,
		"KRAFLA_NULL_DRIVER=version=11,layout=own,usage=0xf000000010000000"},
	{"lavapipe", NULL, "KRAFLA_TEST=1"},
	{"swiftshader", SWIFTSHADER, "KRAFLA_TEST=1"},
};
#define DRIVERS (sizeof(drivers) / sizeof(drivers[0]))

struct servers {
	struct kr_xvfb x;
	struct kr_weston weston;
	char display[32];
};

static void
start_servers(struct servers *servers, enum server server)
{
	*servers = (struct servers){0};
	if (server == SERVER_X)
		kr_xvfb_start(&servers->x, "320x240x24", NULL, NULL);
	if (server == SERVER_WAYLAND)
		kr_weston_start(&servers->weston);
	snprintf(servers->display, sizeof(servers->display), "DISPLAY=%s", servers->x.display);
}

static void
stop_servers(struct servers *servers)
{
	kr_xvfb_stop(&servers->x);
	kr_weston_stop(&servers->weston);
}

static const char *
manifest_of(const struct driver *driver)
{
	const char *manifest = driver->manifest ? driver->manifest : lavapipe_manifest();

	return manifest && !access(manifest, R_OK) ? manifest : NULL;
}

static void
run_suite(struct spawn *child, const struct servers *servers, const struct driver *driver,
	const char *kind, bool display)
{
	const char *const *env = ENV(env_text("VK_DRIVER_FILES", manifest_of(driver)),
		driver->settings, "KRAFLA_WSI=platform",
		servers->x.pid ? servers->display : "KRAFLA_TEST_X=0",
		servers->weston.pid ? servers->weston.runtime_dir : "KRAFLA_TEST_W=0",
		servers->weston.pid ? servers->weston.display : "KRAFLA_TEST_WD=0", library_env());

	if (display)
		spawn_run(child, LIMIT_S,
			ARGV(prefix_path("bin/krafla"), "run", "--display", "320x240@500", "--",
				TEST_SUITE, kind),
			env);
	else
		spawn_run(child, LIMIT_S, ARGV(TEST_SUITE, kind), env);
}

/* The lines of cases that didn't hold, less those of `but` (NULL none). */
static void
tell_lines(const char *driver, const char *output, const char *word)
{
	for (const char *line = output; line && *line; line = strchr(line, '\n')) {
		int len;

		line += *line == '\n';
		len = (int)strcspn(line, "\n");
		if (!strncmp(line, "case ", 5) || !strncmp(line, "open ", 5)) {
			const char *found = strstr(line, word);

			if (found && found < line + len)
				print_message("  %-11s %.*s\n", driver, len, line);
		}
		line += len;
		if (!*line)
			break;
	}
}

/* One row of the matrix. */
static void
run_kind(const char *kind, enum server server, bool display)
{
	unsigned failed = 0;

	for (size_t i = 0; i < DRIVERS; i++) {
		const struct driver *driver = &drivers[i];
		struct servers servers;
		const char *total;
		struct spawn child;

		if (!manifest_of(driver)) {
			print_message("%-8s %-8s %-11s not installed\n", kind,
				display ? "display" : "", driver->name);
			continue;
		}
		start_servers(&servers, server);
		run_suite(&child, &servers, driver, kind, display);
		total = strstr(child.output, "\ntotal ");
		print_message("%-8s %-8s %-11s %.*s\n", kind, display ? "display" : "",
			driver->name, total ? (int)strcspn(total + 1, "\n") : 24,
			total ? total + 1 : "(none could be run)");
		tell_lines(driver->name, child.output, "skip:");
		tell_lines(driver->name, child.output, "FAIL:");
		if (!total && !strstr(child.output, "open skip:"))
			print_message("%s\n", child.output);
		failed += strstr(child.output, "FAIL:") ||
			(!total && !strstr(child.output, "open skip:"));
		spawn_finish(&child);
		stop_servers(&servers);
	}
	assert_int_equal(failed, 0);
}

#define KIND(name, kind, server, display)                                                          \
	static void name(void **state)                                                             \
	{                                                                                          \
		run_kind(kind, server, display);                                                   \
	}

KIND(headless, "headless", SERVER_NONE, false)
KIND(headless_on_a_display, "headless", SERVER_NONE, true)
KIND(xcb, "xcb", SERVER_X, false)
KIND(xcb_on_a_display, "xcb", SERVER_X, true)
KIND(xlib, "xlib", SERVER_X, false)
KIND(xlib_on_a_display, "xlib", SERVER_X, true)
KIND(wayland, "wayland", SERVER_WAYLAND, false)
KIND(wayland_on_a_display, "wayland", SERVER_WAYLAND, true)
KIND(android_on_a_display, "android", SERVER_NONE, true)
KIND(display_on_a_display, "display", SERVER_NONE, true)

static const struct kr_test tests[] = {
	KR_TEST(headless),
	KR_TEST(headless_on_a_display),
	KR_TEST(xcb),
	KR_TEST(xcb_on_a_display),
	KR_TEST(xlib),
	KR_TEST(xlib_on_a_display),
	KR_TEST(wayland),
	KR_TEST(wayland_on_a_display),
	KR_TEST(android_on_a_display),
	KR_TEST(display_on_a_display),
};

KR_TEST_MAIN(tests)
