/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debian's es2gears_x11, es2tri, mpv and glmark2-es2, and windows of SDL and of GLFW, under Xvfb:
 * with Krafla in between they show what they show without it, pixel for pixel.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "programs.h"
#include "xvfb.h"

#define SCREEN "640x640x24"
#define DRAWN  5000 /* pixels */

struct screen {
	struct kr_xvfb x;
	const char *display; /* DISPLAY=... */
	const char *path;
};

static void
screen_start(struct screen *screen)
{
	skip_without_egl();
	kr_xvfb_start(&screen->x, SCREEN, NULL, NULL);
	screen->display = env_text("DISPLAY", screen->x.display);
	screen->path = kr_test_path("shot.png");
}

static void
shoot(struct image *picture, const void *data)
{
	const struct screen *screen = data;
	struct spawn shooter;

	spawn_run(&shooter, LIMIT_S, ARGV(TEST_XSHOT, screen->path), ENV(screen->display));
	expect_code(&shooter, 0);
	spawn_finish(&shooter);
	image_load_png(picture, screen->path);
}

static void
expect_same_pictures(const char *const *program, bool says, const char *more_env)
{
	struct image plain, krafla;
	struct screen screen;
	struct picture_wanted wanted = {.program = program, .says = says, .drawn = DRAWN};

	screen_start(&screen);
	wanted.env = ENV(screen.display, more_env);
	take_still_picture(&plain, &wanted, shoot, &screen);
	wanted.env = ENV(screen.display, more_env, egl_env(EGL_KRAFLA));
	wanted.same = &plain;
	take_still_picture(&krafla, &wanted, shoot, &screen);
	image_free(&plain);
	image_free(&krafla);
	kr_xvfb_stop(&screen.x);
}

static void
es2gears(void **state)
{
	expect_same_pictures(ARGV("es2gears_x11"), true, still_clock_env());
}

static void
es2tri(void **state)
{
	/* It draws once. */
	expect_same_pictures(ARGV("es2tri"), false, still_clock_env());
}

/* What isn't built on this machine, or in this build, is NULL. */
#ifndef TEST_SDL_GLES
#define TEST_SDL_GLES NULL
#endif
#ifndef TEST_GLFW_GLES
#define TEST_GLFW_GLES NULL
#endif

static void
sdl(void **state)
{
	const char *program = TEST_SDL_GLES;

	if (!program)
		kr_test_skip("no-sdl", NULL);
	expect_same_pictures(ARGV(program, "100"), true, "SDL_VIDEODRIVER=x11");
}

static void
glfw(void **state)
{
	const char *program = TEST_GLFW_GLES;

	if (!program)
		kr_test_skip("no-glfw", NULL);
	expect_same_pictures(ARGV(program, "100"), true, "SDL_VIDEODRIVER=x11");
}

/* The first picture of its own test picture, with OpenGL ES by EGL. */
static void
mpv(void **state)
{
	skip_without("mpv", "no-mpv");
	expect_same_pictures(
		ARGV("mpv", "--no-config", "--vo=gpu", "--gpu-api=opengl", "--gpu-context=x11egl",
			"--gpu-sw=yes", "--opengl-es=yes", "--no-audio", "--no-osc", "--pause",
			"--really-quiet", "av://lavfi:testsrc=size=320x240:rate=30"),
		false, env_text("HOME", kr_test_dir()));
}

/* It reads back what it has drawn, and knows what that has to be; the same scenes pass. */
static void
glmark2(void **state)
{
	struct spawn children[EGL_WAYS];
	struct screen screen;

	skip_without("glmark2-es2", "no-glmark2");
	screen_start(&screen);
	for (enum egl_way way = EGL_PLAIN; way < EGL_WAYS; way++) {
		spawn_run(&children[way], 4 * LIMIT_S, ARGV("glmark2-es2", "--validate"),
			ENV(screen.display, egl_env(way)));
		expect_code(&children[way], 0);
		expect_text(&children[way], "Validation: Success");
		expect_no_text(&children[way], "Validation: Failure");
	}
	assert_string_equal(children[EGL_KRAFLA].output, children[EGL_PLAIN].output);
	for (enum egl_way way = EGL_PLAIN; way < EGL_WAYS; way++)
		spawn_finish(&children[way]);
	kr_xvfb_stop(&screen.x);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(es2gears, 0, 240),
	KR_TEST_SLOW(es2tri, 0, 240),
	KR_TEST_SLOW(sdl, 0, 240),
	KR_TEST_SLOW(glfw, 0, 240),
	KR_TEST_SLOW(mpv, 0, 240),
	KR_TEST_SLOW(glmark2, 0, 600),
};

KR_TEST_MAIN(tests)
