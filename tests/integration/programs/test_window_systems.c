/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver's own window systems by way of our loader, with Debian's programs: Wayland beside X,
 * and two drivers of which one knows no window system.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "spawn.h"
#include "weston.h"
#include "xvfb.h"

#define LIMIT_S 60
#define SCREEN  "640x640x24"

/* K-38 */
static void
cube_runs_on_wayland(void **state)
{
	static const char *const modes[] = {"1", "2"}; /* what Mesa has there */
	struct spawn child;
	struct kr_weston w;

	skip_without_lavapipe();
	kr_weston_start(&w);
	for (int i = 0; i < 2; i++) {
		spawn_run(&child, LIMIT_S,
			ARGV("vkcube-wayland", "--c", "60", "--present_mode", modes[i]),
			ENV(library_env(), lavapipe_env(), w.runtime_dir, w.display,
				"VK_LOADER_DEBUG=error,warn"));
		expect_code(&child, 0);
		expect_text(&child, "llvmpipe");
		expect_no_text(&child, "error");
		expect_no_text(&child, "ERROR");
		expect_no_text(&child, "WARNING");
		spawn_finish(&child);
	}
	kr_weston_stop(&w);
}

/* By the platform's window system, on the program's own compositor, in the modes it may ask for. */
static void
cube_runs_on_wayland_by_the_platform(void **state)
{
	static const char *const modes[] = {"0", "1", "2"};
	struct spawn child;
	struct kr_weston w;

	skip_without_lavapipe();
	kr_weston_start_drawing(&w);
	for (int i = 0; i < 3; i++) {
		spawn_run(&child, LIMIT_S,
			ARGV("vkcube-wayland", "--c", "60", "--present_mode", modes[i]),
			ENV(library_env(), lavapipe_env(), w.runtime_dir, w.display,
				"KRAFLA_WSI=platform", "VK_LOADER_DEBUG=error,warn"));
		expect_code(&child, 0);
		expect_text(&child, "llvmpipe");
		expect_no_text(&child, "error");
		expect_no_text(&child, "ERROR");
		expect_no_text(&child, "WARNING");
		spawn_finish(&child);
	}
	kr_weston_stop(&w);
}

/* From this heading to the next one. */
static char *
section_of(const char *text, const char *heading, const char *next)
{
	const char *begin = strstr(text, heading);
	const char *end = begin ? strstr(begin, next) : NULL;

	if (!end)
		fail_msg("there is no section \"%s\" in:\n%s", heading, text);
	return strndup(begin, (size_t)(end - begin));
}

/* Takes out each part of a text that begins with this line, up to the empty line after it. */
static void
take_out(char *text, const char *heading)
{
	char *begin;

	while ((begin = strstr(text, heading))) {
		char *end = strstr(begin, "\n\n");

		assert_non_null(end);
		while (begin > text && begin[-1] == '\t')
			begin--;
		memmove(begin, end + 2, strlen(end + 2) + 1);
	}
}

/* What vulkaninfo finds out about each window system, with our library or the system's. */
static char *
ask_surfaces(const struct kr_xvfb *x, const struct kr_weston *w, bool ours)
{
	struct spawn child;
	char *text;

	spawn_run(&child, LIMIT_S, ARGV("vulkaninfo"),
		ENV(lavapipe_env(), env_text("DISPLAY", x->display), w->runtime_dir, w->display,
			ours ? library_env() : "KRAFLA_UNUSED="));
	expect_code(&child, 0);
	text = section_of(
		child.output, "Presentable Surfaces:", "Device Properties and Extensions:");
	/* Of extensions that Debian's driver hasn't, nor Debian's loader without it. */
	take_out(text, "VkSurfacePresentModeCompatibilityEXT:");
	take_out(text, "VkSurfacePresentScalingCapabilitiesEXT:");
	spawn_finish(&child);
	return text;
}

/*
 * K-38: xcb, xlib and wayland surfaces, their formats, modes and capabilities as with
 * the usual loader.
 */
static void
surfaces_are_as_with_the_usual_loader(void **state)
{
	static const char *const kinds[] = {
		"VK_KHR_xcb_surface", "VK_KHR_xlib_surface", "VK_KHR_wayland_surface"};
	char *ours, *theirs;
	struct kr_xvfb x;
	struct kr_weston w;

	skip_without_lavapipe();
	kr_xvfb_start(&x, SCREEN, NULL, NULL);
	kr_weston_start(&w);
	ours = ask_surfaces(&x, &w, true);
	theirs = ask_surfaces(&x, &w, false);
	for (int i = 0; i < 3; i++)
		assert_non_null(strstr(ours, kinds[i]));
	assert_string_equal(ours, theirs);
	free(ours);
	free(theirs);
	kr_weston_stop(&w);
	kr_xvfb_stop(&x);
}

/* K-38: a driver without window systems beside one that has them takes no harm and does none. */
static void
a_driver_without_windows_is_no_obstacle(void **state)
{
	struct spawn child;
	const char *drivers;
	char list[1024];
	struct kr_xvfb x;

	skip_without_lavapipe();
	kr_xvfb_start(&x, SCREEN, NULL, NULL);
	snprintf(list, sizeof(list), "%s:%s", TEST_NULL_MANIFEST, lavapipe_manifest());
	drivers = env_text("VK_DRIVER_FILES", list);
	spawn_run(&child, LIMIT_S, ARGV("vulkaninfo"),
		ENV(library_env(), drivers, env_text("DISPLAY", x.display)));
	expect_code(&child, 0);
	expect_text(&child, "GPU0");
	expect_text(&child, "GPU1");
	expect_text(&child, "VK_KHR_xcb_surface");
	spawn_finish(&child);
	spawn_run(&child, LIMIT_S, ARGV("vkcube", "--c", "30", "--gpu_number", "1"),
		ENV(library_env(), drivers, env_text("DISPLAY", x.display)));
	expect_code(&child, 0);
	expect_text(&child, "Selected GPU 1: llvmpipe");
	spawn_finish(&child);
	kr_xvfb_stop(&x);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(cube_runs_on_wayland, 0, 120),
	KR_TEST_SLOW(cube_runs_on_wayland_by_the_platform, 0, 120),
	KR_TEST_SLOW(surfaces_are_as_with_the_usual_loader, KR_TEST_KEEPS_MEMORY, 120),
	KR_TEST_SLOW(a_driver_without_windows_is_no_obstacle, 0, 120),
};

KR_TEST_MAIN(tests)
