/* SPDX-License-Identifier: Apache-2.0 */
/*
 * T-03: programs of others on the platform's own windows, on X and on Wayland, without a display
 * and under krafla run: Debian's cubes in each present mode, also with damage, mpv, and windows of
 * SDL and of GLFW.
 */
#include <stdio.h>
#include <string.h>

#include "capture.h"
#include "harness.h"
#include "mpv.h"
#include "spawn.h"
#include "weston.h"
#include "xvfb.h"

#define LIMIT_S 60
#define SCREEN  "640x640x24"
#define FRAMES  "40"

struct servers {
	struct kr_xvfb x;
	struct kr_weston w;
};

static void
start_servers(struct servers *s)
{
	skip_without_lavapipe();
	kr_xvfb_start(&s->x, SCREEN, NULL, NULL);
	kr_weston_start_drawing(&s->w);
}

static void
stop_servers(struct servers *s)
{
	kr_weston_stop(&s->w);
	kr_xvfb_stop(&s->x);
}

static const char *const *
x_env(const struct servers *s)
{
	static const char *env[5];

	env[0] = library_env();
	env[1] = lavapipe_env();
	env[2] = env_text("DISPLAY", s->x.display);
	env[3] = "KRAFLA_WSI=platform";
	return env;
}

static const char *const *
wayland_env(const struct servers *s)
{
	static const char *env[6];

	env[0] = library_env();
	env[1] = lavapipe_env();
	env[2] = s->w.runtime_dir;
	env[3] = s->w.display;
	env[4] = "KRAFLA_WSI=platform";
	return env;
}

/* It ends by itself, content, and says nothing of errors. */
static void
expect_content(const char *const *program, const char *const *env)
{
	struct spawn child;

	spawn_run(&child, LIMIT_S, program, env);
	expect_code(&child, 0);
	expect_no_text(&child, "error");
	expect_no_text(&child, "ERROR");
	spawn_finish(&child);
}

/* All modes of vkcube's: IMMEDIATE, MAILBOX, FIFO, FIFO_RELAXED. */
static void
cubes_run_in_each_mode(void **state)
{
	static const char *const modes[] = {"0", "1", "2", "3"};
	struct servers s;

	start_servers(&s);
	for (int m = 0; m < 4; m++) {
		expect_content(
			ARGV("vkcube", "--c", FRAMES, "--present_mode", modes[m]), x_env(&s));
		expect_content(ARGV("vkcube", "--c", FRAMES, "--present_mode", modes[m],
				       "--incremental_present"),
			x_env(&s));
		expect_content(
			ARGV("vkcubepp", "--c", FRAMES, "--present_mode", modes[m]), x_env(&s));
		/* Weston has no tearing-control, which RELAXED needs. */
		if (m == 3)
			continue;
		expect_content(ARGV("vkcube-wayland", "--c", FRAMES, "--present_mode", modes[m],
				       "--incremental_present"),
			wayland_env(&s));
	}
	stop_servers(&s);
}

static void
expect_same(const char *name, const char *other)
{
	struct image a, b;

	for (unsigned i = 5; i <= 20; i += 5) {
		capture_load(&a, name, i);
		capture_load(&b, other, i);
		assert_true(image_drawn_pixels(&a) > 50000);
		assert_in_range(image_difference(&a, &b), 0, 1);
		image_free(&a);
		image_free(&b);
	}
}

/* On a display the same pictures come of it, picture for picture. */
static void
cubes_are_the_same_in_each_mode(void **state)
{
	static const char *const modes[] = {"0", "1", "2", "3"};
	struct servers s;

	start_servers(&s);
	capture("first", "500x500", "20", ARGV("vkcube"),
		ENV(lavapipe_env(), env_text("DISPLAY", s.x.display)));
	capture("pp-first", "500x500", "20", ARGV("vkcubepp"),
		ENV(lavapipe_env(), env_text("DISPLAY", s.x.display)));
	for (int m = 0; m < 4; m++) {
		capture("x", "500x500", "20",
			ARGV("vkcube", "--present_mode", modes[m], "--incremental_present"),
			ENV(lavapipe_env(), env_text("DISPLAY", s.x.display)));
		expect_same("x", "first");
		capture("wayland", "500x500", "20",
			ARGV("vkcube-wayland", "--present_mode", modes[m]),
			ENV(lavapipe_env(), s.w.runtime_dir, s.w.display));
		expect_same("wayland", "first");
		/* The other cube turns in its own way. */
		capture("pp", "500x500", "20", ARGV("vkcubepp", "--present_mode", modes[m]),
			ENV(lavapipe_env(), env_text("DISPLAY", s.x.display)));
		expect_same("pp", "pp-first");
	}
	stop_servers(&s);
}

static void
mpv_plays(void **state)
{
	const char *device;
	struct servers s;

	skip_without_mpv();
	start_servers(&s);
	device = mpv_device();
	expect_content(ARGV("mpv", "--no-config", "--vo=gpu", "--gpu-api=vulkan", device,
			       "--gpu-context=x11vk", "--no-audio", "--no-osc", "--really-quiet",
			       "--frames=40", "av://lavfi:testsrc=size=320x240:rate=30"),
		x_env(&s));
	expect_content(
		ARGV("mpv", "--no-config", "--vo=gpu", "--gpu-api=vulkan", device,
			"--gpu-context=waylandvk", "--no-audio", "--no-osc", "--really-quiet",
			"--frames=40", "av://lavfi:testsrc=size=320x240:rate=30"),
		wayland_env(&s));
	stop_servers(&s);
}

/* A kit's window natively, and what is captured of it: frame n is of its colour. */
static void
show_kit(const char *program)
{
	struct image image;
	struct servers s;

	start_servers(&s);
	expect_content(ARGV(program, FRAMES), x_env(&s));
	capture("kit", "320x240", "30", ARGV(program, "40"),
		ENV(lavapipe_env(), env_text("DISPLAY", s.x.display)));
	for (unsigned i = 1; i <= 30; i += 7) {
		capture_load(&image, "kit", i);
		assert_int_equal(image.rgb[0], i - 1);
		assert_int_equal(image.rgb[1], 256 - i);
		assert_int_equal(image_drawn_pixels(&image), 0);
		image_free(&image);
	}
	stop_servers(&s);
}

/* What isn't built on this machine, or in this build, is NULL. */
#ifndef TEST_SDL_WINDOW
#define TEST_SDL_WINDOW NULL
#endif
#ifndef TEST_GLFW_WINDOW
#define TEST_GLFW_WINDOW NULL
#endif

static void
sdl_shows_frames(void **state)
{
	const char *program = TEST_SDL_WINDOW;

	if (!program)
		kr_test_skip("no-sdl", NULL);
	show_kit(program);
}

static void
glfw_shows_frames(void **state)
{
	const char *program = TEST_GLFW_WINDOW;

	if (!program)
		kr_test_skip("no-glfw", NULL);
	show_kit(program);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(cubes_run_in_each_mode, 0, 240),
	KR_TEST_SLOW(cubes_are_the_same_in_each_mode, KR_TEST_KEEPS_MEMORY, 240),
	KR_TEST_SLOW(mpv_plays, 0, 120),
	KR_TEST_SLOW(sdl_shows_frames, 0, 120),
	KR_TEST_SLOW(glfw_shows_frames, 0, 120),
};

KR_TEST_MAIN(tests)
