/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debian's unmodified vkcube under Xvfb: through Krafla's own X output, through the driver's window
 * system, and captured; the three show the same cube.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"
#include "harness.h"
#include "spawn.h"
#include "xvfb.h"

#define LIMIT_S     60
#define SIZE        500  /* of vkcube's window */
#define PLACE       100  /* x and y that it puts it at */
#define PERIOD      90   /* frames until it has turned around */
#define EMPTY_LIMIT 5000 /* pixels; the cube covers some 60000 */
#define SCREEN      "640x640x24"

static void
start_server(struct kr_xvfb *x)
{
	skip_without_lavapipe();
	kr_xvfb_start(x, SCREEN, NULL, NULL);
}

static void
every_mode_runs(void **state)
{
	static const char *const owners[] = {"KRAFLA_WSI=platform", "KRAFLA_WSI=driver"};
	static const char *const modes[] = {"0", "1", "2"};
	struct spawn child;
	struct kr_xvfb x;

	start_server(&x);
	for (int i = 0; i < 6; i++) {
		spawn_run(&child, LIMIT_S,
			ARGV("vkcube", "--c", "120", "--present_mode", modes[i % 3]),
			ENV(library_env(), lavapipe_env(), env_text("DISPLAY", x.display),
				owners[i / 3], "VK_LOADER_DEBUG=error,warn"));
		expect_code(&child, 0);
		expect_text(&child, "llvmpipe");
		expect_no_text(&child, "error");
		expect_no_text(&child, "warn");
		spawn_finish(&child);
	}
	kr_xvfb_stop(&x);
}

static void
incremental_present_runs(void **state)
{
	static const char *const owners[] = {"KRAFLA_WSI=platform", "KRAFLA_WSI=driver"};
	struct spawn child;
	struct kr_xvfb x;

	start_server(&x);
	for (int i = 0; i < 2; i++) {
		spawn_run(&child, LIMIT_S, ARGV("vkcube", "--c", "120", "--incremental_present"),
			ENV(library_env(), lavapipe_env(), env_text("DISPLAY", x.display),
				owners[i]));
		expect_code(&child, 0);
		expect_text(&child, "VK_KHR_incremental_present extension enabled");
		expect_no_text(&child, "error");
		spawn_finish(&child);
	}
	kr_xvfb_stop(&x);
}

/* Whose library it is that was loaded, and whose output. */
static void
it_is_krafla(void **state)
{
	struct spawn child;
	struct kr_xvfb x;

	start_server(&x);
	spawn_run(&child, LIMIT_S, ARGV("vkcube", "--c", "3"),
		ENV(library_env(), lavapipe_env(), env_text("DISPLAY", x.display),
			"KRAFLA_WSI=platform", "VK_LOADER_DEBUG=all"));
	expect_code(&child, 0);
	expect_text(&child, "Krafla ");
	spawn_finish(&child);
	/*
	 * Without its output module Krafla can't, and the driver's own way isn't taken in silence.
	 */
	spawn_run(&child, LIMIT_S, ARGV("vkcube", "--c", "3"),
		ENV(library_env(), lavapipe_env(), env_text("DISPLAY", x.display),
			"KRAFLA_WSI=platform", env_text("KRAFLA_OUTPUT_PATH", kr_test_dir()),
			"VK_LOADER_DEBUG=all"));
	expect_text(&child, "krafla-output-xcb");
	spawn_finish(&child);
	kr_xvfb_stop(&x);
}

static void
captured_frames_differ(void **state)
{
	struct kr_xvfb x;

	start_server(&x);
	capture("vkcube", "500x500", "90", ARGV("vkcube"),
		ENV(lavapipe_env(), env_text("DISPLAY", x.display)));
	assert_int_equal(image_count_different(capture_pattern("vkcube"), PERIOD), PERIOD);
	kr_xvfb_stop(&x);
}

/* Its sister is written against the C++ headers, and another layer draws into the pictures. */
static void
vkcubepp_and_an_overlay_run(void **state)
{
	static const char *const owners[] = {"KRAFLA_WSI=platform", "KRAFLA_WSI=driver"};
	struct spawn child;
	struct kr_xvfb x;

	start_server(&x);
	for (int i = 0; i < 2; i++) {
		const char *display = env_text("DISPLAY", x.display);

		spawn_run(&child, LIMIT_S, ARGV("vkcubepp", "--c", "60"),
			ENV(library_env(), lavapipe_env(), display, owners[i]));
		expect_code(&child, 0);
		expect_no_text(&child, "error");
		spawn_finish(&child);
		spawn_run(&child, LIMIT_S, ARGV("vkcube", "--c", "60"),
			ENV(library_env(), lavapipe_env(), display, owners[i],
				"VK_INSTANCE_LAYERS=VK_LAYER_MESA_overlay"));
		expect_code(&child, 0);
		expect_no_text(&child, "error");
		spawn_finish(&child);
	}
	kr_xvfb_stop(&x);
}

/* Layers see the surfaces and swapchains of ours, so what they draw is in the capture. */
static void
overlay_is_captured(void **state)
{
	struct image with, without;
	struct kr_xvfb x;

	start_server(&x);
	capture("with", "500x500", "8", ARGV("vkcube"),
		ENV(lavapipe_env(), env_text("DISPLAY", x.display),
			"VK_INSTANCE_LAYERS=VK_LAYER_MESA_overlay"));
	capture("without", "500x500", "8", ARGV("vkcube"),
		ENV(lavapipe_env(), env_text("DISPLAY", x.display)));
	kr_xvfb_stop(&x);
	capture_load(&with, "with", 8);
	capture_load(&without, "without", 8);
	assert_true(image_difference(&with, &without) > 50);
	/* The lower half is the cube's alone. */
	memset(with.rgb, 0, (size_t)SIZE * SIZE * 3 / 2);
	memset(without.rgb, 0, (size_t)SIZE * SIZE * 3 / 2);
	assert_in_range(image_difference(&with, &without), 0, 1);
	image_free(&with);
	image_free(&without);
}

/* A screenshot as soon as the cube is on it. */
static void
photograph(const struct kr_xvfb *x, const char *owner, struct image *shot)
{
	const char *path = kr_test_path("shot.png");
	struct spawn cube, shooter;
	struct image screen = {0};
	uint32_t drawn = 0;

	spawn_start(&cube, ARGV("vkcube", "--c", "100000"),
		ENV(library_env(), lavapipe_env(), env_text("DISPLAY", x->display), owner));
	for (int tries = 0; drawn < EMPTY_LIMIT && tries < 200; tries++) {
		image_free(&screen);
		spawn_run(&shooter, LIMIT_S, ARGV(TEST_XSHOT, path),
			ENV(env_text("DISPLAY", x->display)));
		expect_code(&shooter, 0);
		spawn_finish(&shooter);
		image_load_png(&screen, path);
		drawn = image_drawn_pixels(&screen);
	}
	spawn_finish(&cube);
	assert_true(drawn >= EMPTY_LIMIT);
	image_crop(shot, &screen, PLACE, SIZE);
	image_free(&screen);
}

/* The captured frame that is like the picture, or 0. */
static unsigned
find_captured(const struct image *shot)
{
	struct image frame;

	for (unsigned i = 1; i <= PERIOD; i++) {
		bool same;

		capture_load(&frame, "vkcube", i);
		same = image_difference(&frame, shot) <= 1;
		image_free(&frame);
		if (same)
			return i;
	}
	return 0;
}

/*
 * vkcube turns by multiplying matrices, and rounding errors add up: some edge pixels of a later
 * turn aren't those of the first. A picture of any early frame will do.
 */
static bool
shows_a_captured_frame(const struct kr_xvfb *x, const char *owner)
{
	unsigned found = 0;
	struct image shot;

	for (int tries = 0; !found && tries < 5; tries++) {
		photograph(x, owner, &shot);
		found = find_captured(&shot);
		image_free(&shot);
	}
	return found != 0;
}

/* T-03 */
static void
captures_show_what_x_shows(void **state)
{
	static const char *const owners[] = {"KRAFLA_WSI=driver", "KRAFLA_WSI=platform"};
	struct kr_xvfb x;

	start_server(&x);
	capture("vkcube", "500x500", "90", ARGV("vkcube"),
		ENV(lavapipe_env(), env_text("DISPLAY", x.display)));
	for (int i = 0; i < 2; i++) {
		if (!shows_a_captured_frame(&x, owners[i]))
			fail_msg("with %s the screen shows what was never captured", owners[i]);
	}
	kr_xvfb_stop(&x);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(every_mode_runs, 0, 120),
	KR_TEST_SLOW(incremental_present_runs, 0, 60),
	KR_TEST_SLOW(it_is_krafla, 0, 60),
	KR_TEST_SLOW(vkcubepp_and_an_overlay_run, 0, 60),
	KR_TEST_SLOW(overlay_is_captured, 0, 60),
	KR_TEST_SLOW(captured_frames_differ, 0, 60),
	KR_TEST_SLOW(captures_show_what_x_shows, 0, 120),
};

KR_TEST_MAIN(tests)
