/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weston's own clients and es2gears_wayland on Weston, which draws by OpenGL ES itself: with Krafla
 * in between for all of them its screen shows what it shows without. (SDL's windows can't be among
 * them: SDL 2.26 crashes where a compositor has no seat, as Weston without a screen.)
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "programs.h"
#include "weston.h"

#define DRAWN 5000 /* pixels */

struct screen {
	struct kr_weston w;
	char line[512]; /* of the shell, for a picture */
};

static void
screen_start(struct screen *screen, enum egl_way way)
{
	kr_weston_start_gl(&screen->w, egl_env(way));
	snprintf(screen->line, sizeof(screen->line),
		"cd '%s' && rm -f *.png && %s weston-screenshooter 2>&1 && mv *.png shot.png",
		screen->w.runtime_dir + strlen("XDG_RUNTIME_DIR="), screen->w.display);
}

/* Its own program takes the picture, and gives it a name of the time. */
static void
shoot(struct image *picture, const void *data)
{
	const struct screen *screen = data;
	const char *dir = screen->w.runtime_dir + strlen("XDG_RUNTIME_DIR=");
	char output[1024], path[256];

	if (kr_test_shell(screen->line, output, sizeof(output)))
		fail_msg("%s: %s", screen->line, output);
	snprintf(path, sizeof(path), "%s/shot.png", dir);
	image_load_png(picture, path);
}

/* A compositor each, since the place of a window is the next of its random numbers. */
static void
take(struct image *picture, enum egl_way way, struct picture_wanted *wanted, const char *more_env)
{
	struct screen screen;

	screen_start(&screen, way);
	wanted->env = ENV(screen.w.runtime_dir, screen.w.display, more_env, egl_env(way));
	take_still_picture(picture, wanted, shoot, &screen);
	kr_weston_stop(&screen.w);
}

static void
expect_same_pictures(const char *const *program, bool says, const char *more_env)
{
	struct picture_wanted wanted = {.program = program, .says = says, .drawn = DRAWN};
	struct image plain, krafla;

	skip_without_egl();
	skip_without("weston-screenshooter", "no-weston");
	take(&plain, EGL_PLAIN, &wanted, more_env);
	wanted.same = &plain;
	take(&krafla, EGL_KRAFLA, &wanted, more_env);
	image_free(&plain);
	image_free(&krafla);
}

static void
simple_egl(void **state)
{
	expect_same_pictures(ARGV("weston-simple-egl"), true, still_clock_env());
}

/* Of its parts one is drawn by OpenGL ES; held fast to the others, all of them stand still. */
static void
subsurfaces(void **state)
{
	expect_same_pictures(ARGV("weston-subsurfaces", "-t1", "-r1"), false, still_clock_env());
}

static void
es2gears(void **state)
{
	expect_same_pictures(ARGV("es2gears_wayland"), true, still_clock_env());
}

static void
expect_weston_says(enum egl_way way, const char *text)
{
	struct spawn weston;

	spawn_start(&weston,
		ARGV("weston", "--backend=headless-backend.so", "--use-gl", "--no-config",
			"--socket=krafla-test", "--idle-time=0"),
		ENV(env_text("XDG_RUNTIME_DIR", kr_test_dir()), egl_env(way)));
	if (!spawn_wait_for(&weston, text, LIMIT_S))
		fail_msg("Weston doesn't say '%s':\n%s", text, weston.output);
	spawn_finish(&weston);
}

/* It makes two of them for each picture that it draws, and of its clients it takes them. */
static void
weston_uses_native_fences(void **state)
{
	skip_without_egl();
	skip_without("weston-screenshooter", "no-weston");
	expect_weston_says(EGL_PLAIN, "explicit sync: no");
	expect_weston_says(EGL_KRAFLA, "explicit sync: yes");
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(simple_egl, 0, 240),
	KR_TEST_SLOW(subsurfaces, 0, 240),
	KR_TEST_SLOW(es2gears, 0, 240),
	KR_TEST_SLOW(weston_uses_native_fences, 0, 240),
};

KR_TEST_MAIN(tests)
