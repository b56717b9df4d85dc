/* SPDX-License-Identifier: Apache-2.0 */
/*
 * T-03: programs of others on windows of X and of Wayland under krafla run: Debian's vkcube-wayland
 * and mpv, and one of Qt's. What they show is captured and looked at.
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

struct servers {
	struct kr_xvfb x;
	struct kr_weston w;
};

static void
start_servers(struct servers *s)
{
	skip_without_lavapipe();
	kr_xvfb_start(&s->x, SCREEN, NULL, NULL);
	kr_weston_start(&s->w);
}

static void
stop_servers(struct servers *s)
{
	kr_weston_stop(&s->w);
	kr_xvfb_stop(&s->x);
}

/* The same cube, whoever gives it a window. */
static void
cubes_are_the_same_on_wayland_and_x(void **state)
{
	struct image on_x, on_wayland;
	struct servers s;

	start_servers(&s);
	capture("x", "500x500", "40", ARGV("vkcube"),
		ENV(lavapipe_env(), env_text("DISPLAY", s.x.display)));
	capture("wayland", "500x500", "40", ARGV("vkcube-wayland"),
		ENV(lavapipe_env(), s.w.runtime_dir, s.w.display));
	stop_servers(&s);
	assert_int_equal(image_count_different(capture_pattern("wayland"), 40), 40);
	for (unsigned i = 1; i <= 40; i += 13) {
		capture_load(&on_x, "x", i);
		capture_load(&on_wayland, "wayland", i);
		assert_true(image_drawn_pixels(&on_wayland) > 50000);
		assert_in_range(image_difference(&on_x, &on_wayland), 0, 1);
		image_free(&on_x);
		image_free(&on_wayland);
	}
}

static void
expect_pixel(const struct image *image, uint32_t x, uint32_t y, const int rgb[3], int tolerance)
{
	const uint8_t *pixel = image->rgb + ((size_t)y * image->width + x) * 3;

	for (int i = 0; i < 3; i++) {
		if (pixel[i] < rgb[i] - tolerance || pixel[i] > rgb[i] + tolerance)
			fail_msg("the pixel at %u, %u is %d %d %d, not %d %d %d", x, y, pixel[0],
				pixel[1], pixel[2], rgb[0], rgb[1], rgb[2]);
	}
}

/* ---- mpv ---- */

/* lavfi's test picture: these points of its bars stand still. */
static void
expect_test_picture(const char *name)
{
	static const struct {
		uint32_t x;
		int rgb[3];
	} bars[] = {
		{200, {255, 0, 255}}, {280, {0, 0, 255}}, {360, {255, 255, 0}}, {440, {0, 255, 0}}};
	struct image image;

	capture_load(&image, name, 20);
	for (size_t i = 0; i < sizeof(bars) / sizeof(bars[0]); i++)
		expect_pixel(&image, bars[i].x, 180, bars[i].rgb, 16);
	image_free(&image);
}

static void
mpv_plays(void **state)
{
	struct servers s;
	const char *device;

	skip_without_mpv();
	start_servers(&s);
	device = mpv_device();
	capture("x", "640x360", "20",
		ARGV("mpv", "--no-config", "--vo=gpu", "--gpu-api=vulkan", device,
			"--gpu-context=x11vk", "--no-audio", "--no-osc", "--really-quiet",
			"av://lavfi:testsrc=size=640x360:rate=30"),
		ENV(lavapipe_env(), env_text("DISPLAY", s.x.display),
			env_text("HOME", kr_test_dir())));
	capture("wayland", "640x360", "20",
		ARGV("mpv", "--no-config", "--vo=gpu", "--gpu-api=vulkan", device,
			"--gpu-context=waylandvk", "--no-audio", "--no-osc", "--really-quiet",
			"av://lavfi:testsrc=size=640x360:rate=30"),
		ENV(lavapipe_env(), s.w.runtime_dir, s.w.display, env_text("HOME", kr_test_dir())));
	stop_servers(&s);
	/* The display of the run itself, without any server. */
	capture("display", "640x360", "20",
		ARGV("mpv", "--no-config", "--vo=gpu", "--gpu-api=vulkan", device,
			"--gpu-context=displayvk", "--no-audio", "--no-osc", "--really-quiet",
			"av://lavfi:testsrc=size=640x360:rate=30"),
		ENV(lavapipe_env(), env_text("HOME", kr_test_dir())));
	expect_test_picture("x");
	expect_test_picture("wayland");
	expect_test_picture("display");
}

/* ---- Qt ---- */

#ifdef TEST_QT_WINDOW
/* Each frame has the colour of a later one than the one before. */
static void
expect_colours(const char *name)
{
	int last = -1;

	for (unsigned i = 1; i <= 40; i++) {
		struct image image;
		int red;

		capture_load(&image, name, i);
		red = image.rgb[0];
		assert_true(red > last && red < 128);
		expect_pixel(&image, 0, 0, (const int[]){red, 255 - red, 128}, 1);
		assert_int_equal(image_drawn_pixels(&image), 0);
		assert_int_equal(image.width, 320);
		image_free(&image);
		last = red;
	}
}
#endif

/*
 * On Wayland Qt 5 takes a window for hidden when a frame callback takes 100 ms, as it may
 * where other tests run, and a QVulkanWindow asks for no further frame when it comes after
 * all: so that limit is off.
 */
static void
qt_draws(void **state)
{
#ifdef TEST_QT_WINDOW
	struct servers s;

	start_servers(&s);
	capture("x", "320x200", "40", ARGV(TEST_QT_WINDOW),
		ENV(lavapipe_env(), env_text("DISPLAY", s.x.display), "QT_QPA_PLATFORM=xcb",
			env_text("HOME", kr_test_dir())));
	capture("wayland", "320x200", "40", ARGV(TEST_QT_WINDOW),
		ENV(lavapipe_env(), s.w.runtime_dir, s.w.display, "QT_QPA_PLATFORM=wayland",
			"QT_WAYLAND_FRAME_CALLBACK_TIMEOUT=0", env_text("HOME", kr_test_dir())));
	stop_servers(&s);
	expect_colours("x");
	expect_colours("wayland");
#else
	kr_test_skip("no-qt", NULL);
#endif
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(cubes_are_the_same_on_wayland_and_x, 0, 120),
	KR_TEST_SLOW(mpv_plays, 0, 120),
	KR_TEST_SLOW(qt_draws, 0, 120),
};

KR_TEST_MAIN(tests)
