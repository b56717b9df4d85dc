/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The swapchain suite on each kind of surface by each driver, with and without a Krafla display
 * where both exist. Each cell is a process of its own; what was skipped stands below the matrix.
 *
 * Without KRAFLA_TEST_ALL it is a sample: lavapipe everywhere, and of the others each row a fifth,
 * so that each driver and each row come up.
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
#define LIMIT_S     120 /* of a cell */
#define CELLS_S     600 /* of a row */

enum server {
	SERVER_NONE,
	SERVER_X,
	SERVER_WAYLAND,
};

/* A HAL module, or a driver with a manifest, which the adapter stands before. */
struct driver {
	const char *name;
	const char *null;     /* settings of the null driver; NULL: it isn't that */
	const char *manifest; /* NULL: lavapipe's */
};

#define NULL_DRIVER(text) "KRAFLA_NULL_DRIVER=" text

static const struct driver drivers[] = {
	{"null 5", NULL_DRIVER("version=5"), NULL},
	{"null 6", NULL_DRIVER("version=6"), NULL},
	{"null 7", NULL_DRIVER("version=7"), NULL},
	{"null 8", NULL_DRIVER("version=8"), NULL},
	{"null 9", NULL_DRIVER("version=9,compression=yes"), NULL},
	{"null 10", NULL_DRIVER("version=10,refuse=1"), NULL},
	{"null 11", NULL_DRIVER("version=11,layout=own,msrtss=yes,usage=0xf000000010000000"), NULL},
	{"lavapipe", NULL, NULL},
	{"swiftshader", NULL, SWIFTSHADER},
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

	if (driver->null)
		return "/nonexistent";
	return manifest && !access(manifest, R_OK) ? manifest : NULL;
}

/* Rows take turns with the drivers. */
static bool
in_sample(size_t driver)
{
	static size_t row, last = DRIVERS;

	row += driver <= last;
	last = driver;
	return getenv("KRAFLA_TEST_ALL") || !strcmp(drivers[driver].name, "lavapipe") ||
		(driver + row) % 5 == 0;
}

static void
run_suite(struct spawn *child, const struct servers *servers, const struct driver *driver,
	const char *kind, bool display)
{
	const char *const *env = ENV(env_text("VK_DRIVER_FILES", manifest_of(driver)),
		"KRAFLA_WSI=platform", driver->null ? driver->null : "KRAFLA_TEST_N=0",
		driver->null ? "KRAFLA_HAL_PATH=" TEST_HAL_DIR : "KRAFLA_HAL_PATH=/nonexistent",
		driver->null ? "KRAFLA_PROP_ro_hardware_vulkan=null" : "KRAFLA_TEST_P=0",
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

/* What stands behind `word` in each line of a case in which it stands. */
static void
tell_cases(const char *output, const char *word)
{
	const char *line = output;

	while (line && *line) {
		const char *end = strchrnul(line, '\n'), *found = strstr(line, word);

		if (!strncmp(line, "case ", 5) && found && found < end)
			print_message("            %.*s\n", (int)(end - line - 5), line + 5);
		line = *end ? end + 1 : NULL;
	}
}

/* One row of the matrix. A server is started for each cell, so that nothing is left of the last. */
static void
run_kind(const char *kind, enum server server, bool display)
{
	unsigned failed = 0;

	for (size_t i = 0; i < DRIVERS; i++) {
		const struct driver *driver = &drivers[i];
		struct servers servers;
		const char *total, *none;
		struct spawn child;

		if (!in_sample(i))
			continue;
		if (!manifest_of(driver)) {
			print_message("%-8s %-8s %-11s not installed\n", kind,
				display ? "display" : "", driver->name);
			continue;
		}
		start_servers(&servers, server);
		run_suite(&child, &servers, driver, kind, display);
		total = strstr(child.output, "\ntotal ");
		none = strstr(child.output, "open skip:");
		print_message("%-8s %-8s %-11s %.*s\n", kind, display ? "display" : "",
			driver->name,
			total || none ? (int)strcspn((total ? total : none) + 1, "\n") : 4,
			total          ? total + 1
				: none ? none + 1
				       : "died");
		tell_cases(child.output, " skip:");
		tell_cases(child.output, " FAIL:");
		if (!total && !none)
			print_message("%s\n", child.output);
		failed += strstr(child.output, " FAIL:") || (!total && !none);
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
	KR_TEST_SLOW(headless, 0, CELLS_S),
	KR_TEST_SLOW(headless_on_a_display, 0, CELLS_S),
	KR_TEST_SLOW(xcb, 0, CELLS_S),
	KR_TEST_SLOW(xcb_on_a_display, 0, CELLS_S),
	KR_TEST_SLOW(xlib, 0, CELLS_S),
	KR_TEST_SLOW(xlib_on_a_display, 0, CELLS_S),
	KR_TEST_SLOW(wayland, 0, CELLS_S),
	KR_TEST_SLOW(wayland_on_a_display, 0, CELLS_S),
	KR_TEST_SLOW(android_on_a_display, 0, CELLS_S),
	KR_TEST_SLOW(display_on_a_display, 0, CELLS_S),
};

KR_TEST_MAIN(tests)
