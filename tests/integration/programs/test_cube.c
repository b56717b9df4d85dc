/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The example cube on lavapipe, from its draw calls to the files that krafla run captures, on each
 * kind of surface; and against pictures of the same scene that no window system ever saw.
 */
#include <stdio.h>
#include <string.h>

#include "capture.h"
#include "harness.h"
#include "spawn.h"
#include "xvfb.h"

#define LIMIT_S   60
#define FRAMES    90
#define SIZE      "320x240"
#define SCREEN    "640x480x24"
#define MAX_COLOR 1 /* a channel: drivers may round a colour either way */

#define CUBE prefix_path("bin/krafla-cube")

static void
capture_cube(const char *name)
{
	capture(name, SIZE, "90", ARGV(CUBE), ENV(lavapipe_env()));
}

static void
two_runs_give_the_same_bytes(void **state)
{
	skip_without_lavapipe();
	capture_cube("a");
	capture_cube("b");
	for (unsigned i = 1; i <= FRAMES; i++) {
		char a[1024], b[1024];

		snprintf(a, sizeof(a), capture_pattern("a"), i);
		snprintf(b, sizeof(b), capture_pattern("b"), i);
		if (!files_equal(a, b))
			fail_msg("frame %u differs from one run to the next", i);
	}
	assert_false(capture_exists("a", FRAMES + 1));
}

/* Those that nobody wants aren't even read back, and the others are what they are without. */
static void
every_second_frame_is_the_same(void **state)
{
	struct spawn child;

	skip_without_lavapipe();
	capture_cube("all");
	spawn_run(&child, LIMIT_S,
		KRAFLA_RUN("--clock", "virtual", "--display", SIZE, "--frames", "30",
			"--capture-from", "4", "--capture-every", "2", "--capture",
			capture_pattern("some"), "--", CUBE),
		ENV(lavapipe_env()));
	expect_code(&child, 0);
	spawn_finish(&child);
	for (unsigned i = 1; i <= 30; i++) {
		char all[1024], some[1024];

		assert_int_equal(capture_exists("some", i), i >= 4 && i % 2 == 0);
		snprintf(all, sizeof(all), capture_pattern("all"), i);
		snprintf(some, sizeof(some), capture_pattern("some"), i);
		if (i >= 4 && i % 2 == 0 && !files_equal(all, some))
			fail_msg("frame %u differs when only some are captured", i);
	}
}

static void
frames_differ(void **state)
{
	skip_without_lavapipe();
	capture_cube("a");
	assert_true(image_count_different(capture_pattern("a"), FRAMES) >= 80);
}

/* The usual loader's folder, so that no line of Krafla is in the process. */
static const char *
system_library_env(void)
{
	char folder[512];

	snprintf(folder, sizeof(folder), "%s", system_loader());
	*strrchr(folder, '/') = '\0';
	return env_text("LD_LIBRARY_PATH", folder);
}

static void
draw_reference(struct image *image, unsigned frame, const char *size)
{
	const char *path = kr_test_path("reference.ppm");
	struct spawn child;
	char number[16];

	snprintf(number, sizeof(number), "%u", frame);
	spawn_run(&child, LIMIT_S,
		ARGV(CUBE, "--offscreen", number, "--output", path, "--size", size),
		ENV(system_library_env(), lavapipe_env(), "VK_LOADER_DEBUG=all"));
	expect_code(&child, 0);
	expect_no_text(&child, "Krafla ");
	spawn_finish(&child);
	image_load_ppm(image, path);
}

static void
frames_are_what_was_drawn(void **state)
{
	static const unsigned frames[] = {0, 30, 75};
	struct image captured, reference;

	skip_without_lavapipe();
	capture_cube("a");
	for (int i = 0; i < 3; i++) {
		draw_reference(&reference, frames[i], SIZE);
		capture_load(&captured, "a", frames[i] + 1);
		assert_true(image_drawn_pixels(&reference) > 320 * 240 / 10);
		assert_in_range(image_difference(&captured, &reference), 0, MAX_COLOR);
		image_free(&captured);
		/* Which the next frame isn't. */
		capture_load(&captured, "a", frames[i] + 2);
		assert_true(image_difference(&captured, &reference) > MAX_COLOR);
		image_free(&captured);
		image_free(&reference);
	}
}

/* Strides, rows and tiles that don't come out even (docs/buffers.md, "Rows"). */
static void
odd_sizes_are_what_was_drawn(void **state)
{
	static const char *const sizes[] = {"333x217", "17x5", "1x1", "1x300", "300x1", "1025x61"};
	struct image captured, reference;

	skip_without_lavapipe();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		capture(sizes[i], sizes[i], "3", ARGV(CUBE), ENV(lavapipe_env()));
		draw_reference(&reference, 2, sizes[i]);
		capture_load(&captured, sizes[i], 3);
		assert_in_range(image_difference(&captured, &reference), 0, MAX_COLOR);
		image_free(&captured);
		image_free(&reference);
	}
}

/*
 * W-04. Pixels of 10 bits and of floating point numbers, of which captures keep 10 bits a channel.
 */
static void
wider_pixels_show_the_same_picture(void **state)
{
	static const char *const depths[] = {"10", "float"};
	static const char *const sizes[] = {"320x240", "333x217", "17x5", "1x1"};
	struct image captured, reference;
	char name[32];

	skip_without_lavapipe();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		draw_reference(&reference, 2, sizes[i]);
		for (int depth = 0; depth < 2; depth++) {
			snprintf(name, sizeof(name), "%s-%s", depths[depth], sizes[i]);
			capture(name, sizes[i], "3", ARGV(CUBE, "--depth", depths[depth]),
				ENV(lavapipe_env()));
			capture_load(&captured, name, 3);
			assert_in_range(image_difference(&captured, &reference), 0, MAX_COLOR);
			image_free(&captured);
		}
		image_free(&reference);
	}
}

/*
 * Two processes in one picture, each at its own frame of the same cube. The first goes on
 * from before the second begins until after it has ended, so both are there at once
 * however slowly either gets on.
 */
static const char two_programs[] =
	"\"$0\" --surface headless & first=$!\n"
	"while kill -0 $first && ! ls \"$1\"/two-*.png >/dev/null 2>&1; do sleep 0.01; done\n"
	"\"$0\" --frames 60; code=$?\n"
	"kill $first; wait $first; exit $code";

static void
two_programs_share_a_display(void **state)
{
	json_int_t both; /* pictures with a new frame of each */
	json_t *summary;
	struct spawn child;

	skip_without_lavapipe();
	/*
	 * Neither counts as idle while it computes: no picture is made without a new frame of each.
	 */
	spawn_run(&child, LIMIT_S,
		KRAFLA_RUN("--clock", "virtual", "--idle", "100000", "--display", SIZE, "--layout",
			"grid", "--capture", capture_pattern("two"), "--summary",
			kr_test_path("two.json"), "--", "sh", "-c", two_programs, CUBE,
			kr_test_dir()),
		ENV(lavapipe_env()));
	expect_code(&child, 0);
	expect_no_text(&child, "error");
	spawn_finish(&child);
	summary = capture_summary("two");
	assert_int_equal(json_array_size(json_object_get(summary, "windows")), 2);
	assert_int_equal(summary_number(summary, "frames", "dropped"), 0);
	/*
	 * Save of the few that the second had queued when it ended, which may come after the first.
	 */
	both = summary_number(summary, "frames", "shown") -
		summary_number(summary, "frames", "composed");
	assert_in_range(both, 50, 60);
	json_decref(summary);
}

static void
summary_tells_what_happened(void **state)
{
	json_t *summary, *window;

	skip_without_lavapipe();
	capture_cube("a");
	summary = capture_summary("a");
	assert_int_equal(summary_number(summary, "frames", "requested"), FRAMES);
	assert_int_equal(summary_number(summary, "frames", "composed"), FRAMES);
	assert_int_equal(summary_number(summary, "frames", "captured"), FRAMES);
	assert_int_equal(summary_number(summary, "frames", "shown"), FRAMES);
	assert_int_equal(summary_number(summary, "frames", "dropped"), 0);
	assert_int_equal(summary_number(summary, "frames", "failed"), 0);
	assert_int_equal(summary_number(summary, "frames", "stuck"), 0);
	assert_in_range(summary_number(summary, "frames", "queued"), FRAMES, FRAMES + 64);
	assert_int_equal(summary_number(summary, "display", "width"), 320);
	assert_int_equal(summary_number(summary, "display", "height"), 240);
	assert_int_equal(summary_number(summary, "acquire_to_present_ns", "count"), FRAMES);
	assert_int_equal(summary_number(summary, "skipped", "rejected_connections"), 0);
	assert_string_equal(json_string_value(json_object_get(summary, "tier")), "T0");
	assert_string_equal(json_string_value(json_object_get(summary, "ended_by")), "frames");
	assert_string_equal(json_string_value(json_object_get(summary, "wsi")), "platform");
	assert_int_equal(json_integer_value(json_object_get(summary, "exit_code")), 0);
	assert_int_equal(json_array_size(json_object_get(summary, "windows")), 1);
	window = json_array_get(json_object_get(summary, "windows"), 0);
	assert_non_null(strstr(json_string_value(json_object_get(window, "device")), "llvmpipe"));
	json_decref(summary);
}

/* DESIGN 5.1: every surface presents to the display, whatever window it was made for. */
static void
every_surface_is_captured(void **state)
{
	static const char *const kinds[] = {"android", "headless", "xcb"};
	struct image first, other;
	struct kr_xvfb x;

	skip_without_lavapipe();
	kr_xvfb_start(&x, SCREEN, NULL, NULL);
	for (int i = 0; i < 3; i++)
		capture(kinds[i], SIZE, "12", ARGV(CUBE, "--surface", kinds[i], "--size", SIZE),
			ENV(lavapipe_env(), env_text("DISPLAY", x.display)));
	kr_xvfb_stop(&x);
	for (unsigned frame = 1; frame <= 12; frame++) {
		capture_load(&first, kinds[0], frame);
		for (int i = 1; i < 3; i++) {
			capture_load(&other, kinds[i], frame);
			assert_in_range(image_difference(&first, &other), 0, MAX_COLOR);
			image_free(&other);
		}
		image_free(&first);
	}
}

/* Without a display: nowhere, and on an X server through our output and through the driver's. */
static void
surfaces_without_a_display(void **state)
{
	static const char *const modes[] = {"fifo", "mailbox", "immediate"};
	static const char *const owners[] = {"KRAFLA_WSI=platform", "KRAFLA_WSI=driver"};
	struct spawn child;
	struct kr_xvfb x;

	skip_without_lavapipe();
	spawn_run(&child, LIMIT_S, ARGV(CUBE, "--surface", "headless", "--frames", "60"),
		ENV(lavapipe_env()));
	expect_code(&child, 0);
	spawn_finish(&child);
	kr_xvfb_start(&x, SCREEN, NULL, NULL);
	for (int i = 0; i < 6; i++) {
		spawn_run(&child, LIMIT_S,
			ARGV(CUBE, "--surface", "xcb", "--frames", "60", "--present-mode",
				modes[i % 3]),
			ENV(lavapipe_env(), env_text("DISPLAY", x.display), owners[i / 3]));
		expect_code(&child, 0);
		assert_string_equal(child.output, "");
		spawn_finish(&child);
	}
	kr_xvfb_stop(&x);
}

/* Each device that there is renders and presents; pixels come from lavapipe alone. */
static void
every_device_presents(void **state)
{
	static const char *const devices[] = {"0", "1"};
	struct spawn child;
	char drivers[2048];

	skip_without_lavapipe();
	snprintf(drivers, sizeof(drivers), "%s:%s", prefix_path("share/krafla/null_icd.json"),
		lavapipe_manifest());
	for (int i = 0; i < 2; i++) {
		spawn_run(&child, LIMIT_S,
			ARGV(CUBE, "--surface", "headless", "--frames", "60", "--device-index",
				devices[i]),
			ENV(env_text("VK_DRIVER_FILES", drivers)));
		expect_code(&child, 0);
		spawn_finish(&child);
		capture(devices[i], SIZE, "10", ARGV(CUBE, "--device-index", devices[i]),
			ENV(env_text("VK_DRIVER_FILES", drivers)));
	}
	assert_int_equal(image_count_different(capture_pattern("1"), 10), 10);
	assert_true(capture_exists("0", 10));
}

/* 60 frames at 60 Hz take 59 intervals at least; nothing is lost in FIFO. */
static void
real_clock_paces(void **state)
{
	struct spawn child;
	json_t *summary;

	skip_without_lavapipe();
	spawn_run(&child, LIMIT_S,
		KRAFLA_RUN("--display", SIZE "@60", "--frames", "60", "--summary",
			kr_test_path("real.json"), "--", CUBE),
		ENV(lavapipe_env()));
	expect_code(&child, 0);
	spawn_finish(&child);
	summary = capture_summary("real");
	assert_int_equal(summary_number(summary, "frames", "composed"), 60);
	assert_int_equal(summary_number(summary, "frames", "dropped"), 0);
	assert_true(json_real_value(json_object_get(summary, "wall_s")) >= 59 / 60.0);
	json_decref(summary);
}

/* MAILBOX keeps the newest: more is queued than shown, and all of it is accounted for. */
static void
mailbox_replaces_frames(void **state)
{
	struct spawn child;
	json_t *summary;

	skip_without_lavapipe();
	spawn_run(&child, LIMIT_S,
		KRAFLA_RUN("--display", SIZE "@20", "--summary", kr_test_path("mailbox.json"), "--",
			CUBE, "--present-mode", "mailbox", "--frames", "200"),
		ENV(lavapipe_env()));
	expect_code(&child, 0);
	spawn_finish(&child);
	summary = capture_summary("mailbox");
	assert_int_equal(summary_number(summary, "frames", "queued"), 200);
	assert_true(summary_number(summary, "frames", "dropped") > 0);
	assert_int_equal(summary_number(summary, "frames", "shown") +
			summary_number(summary, "frames", "dropped"),
		200);
	json_decref(summary);
}

static void
wrong_words_are_named(void **state)
{
	static const struct {
		const char *words[2];
		const char *said;
	} rows[] = {
		{{"--surface", "wall"}, "--surface is android, headless or xcb, not 'wall'"},
		{{"--present-mode", "fast"}, "--present-mode is immediate, mailbox or fifo"},
		{{"--depth", "16"}, "--depth is 8, 10 or float, not '16'"},
		{{"--size", "0x0"}, "--size wants"},
		{{"--frames", "-1"}, "--frames wants a number"},
		{{"--offscreen", "3"}, "--offscreen and --output belong together"},
		{{"--output", "x.ppm"}, "--offscreen and --output belong together"},
		{{"more", NULL}, "'more' is one argument too many"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct spawn child;

		spawn_run(&child, LIMIT_S, ARGV(CUBE, rows[i].words[0], rows[i].words[1]), NULL);
		expect_code(&child, 1);
		expect_text(&child, rows[i].said);
		spawn_finish(&child);
	}
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(two_runs_give_the_same_bytes, 0, 60),
	KR_TEST_SLOW(every_second_frame_is_the_same, 0, 60),
	KR_TEST_SLOW(frames_differ, 0, 60),
	KR_TEST_SLOW(frames_are_what_was_drawn, 0, 60),
	KR_TEST_SLOW(odd_sizes_are_what_was_drawn, 0, 60),
	KR_TEST_SLOW(wider_pixels_show_the_same_picture, 0, 60),
	KR_TEST_SLOW(two_programs_share_a_display, 0, 60),
	KR_TEST_SLOW(summary_tells_what_happened, 0, 60),
	KR_TEST_SLOW(every_surface_is_captured, 0, 60),
	KR_TEST_SLOW(surfaces_without_a_display, 0, 120),
	KR_TEST_SLOW(every_device_presents, 0, 60),
	KR_TEST_SLOW(real_clock_paces, 0, 60),
	KR_TEST_SLOW(mailbox_replaces_frames, 0, 60),
	KR_TEST_SLOW(wrong_words_are_named, 0, 60),
};

KR_TEST_MAIN(tests)
