/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The example of OpenGL ES in a window of Krafla: on a vendor's driver that knows no such windows,
 * from its draw calls to the files that krafla run captures; and against pictures of the same scene
 * in a pbuffer, of the vendor's own and without Krafla.
 */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdio.h>
#include <string.h>

#include "gles_scene.h"
#include "harness.h"
#include "programs.h"
#include "tests/integration/programs/capture.h"

#define FRAMES 20
/* Frames that a window has buffers for. */
#define ON_THEIR_WAY 4
#define WIDTH        320
#define HEIGHT       240
#define SIZE         "320x240"

#define GLES prefix_path("bin/krafla-gles")

static void
capture_gles(const char *name)
{
	capture(name, SIZE, "20", ARGV(GLES, "30"), NULL);
}

static void
two_runs_give_the_same_bytes(void **state)
{
	skip_without_egl();
	capture_gles("a");
	capture_gles("b");
	for (unsigned i = 1; i <= FRAMES; i++) {
		char a[1024], b[1024];

		snprintf(a, sizeof(a), capture_pattern("a"), i);
		snprintf(b, sizeof(b), capture_pattern("b"), i);
		if (!files_equal(a, b))
			fail_msg("frame %u differs from one run to the next", i);
	}
	assert_int_equal(image_count_different(capture_pattern("a"), FRAMES), FRAMES);
}

struct pbuffer {
	EGLDisplay display;
	EGLSurface surface;
	EGLContext context;
	struct gles_scene scene;
};

static void
pbuffer_open(struct pbuffer *p)
{
	static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
		EGL_OPENGL_ES2_BIT, EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8,
		EGL_ALPHA_SIZE, 8, EGL_NONE};
	static const EGLint size[] = {EGL_WIDTH, WIDTH, EGL_HEIGHT, HEIGHT, EGL_NONE};
	static const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
	EGLConfig config;
	EGLint count = 0;

	p->display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
	if (p->display == EGL_NO_DISPLAY || !eglInitialize(p->display, NULL, NULL))
		kr_test_skip("no-egl", "it has no surfaceless platform");
	assert_true(eglChooseConfig(p->display, wanted, &config, 1, &count));
	assert_int_equal(count, 1);
	p->surface = eglCreatePbufferSurface(p->display, config, size);
	p->context = eglCreateContext(p->display, config, EGL_NO_CONTEXT, version);
	assert_true(eglMakeCurrent(p->display, p->surface, p->surface, p->context));
	assert_int_equal(gles_scene_init(&p->scene), 0);
}

/* GL's first row is the one at the bottom. */
static void
pbuffer_draw(struct pbuffer *p, unsigned frame, struct image *picture)
{
	static uint8_t pixels[HEIGHT][WIDTH][4];

	gles_scene_draw(&p->scene, WIDTH, HEIGHT, frame);
	glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	assert_int_equal(glGetError(), GL_NO_ERROR);
	for (size_t y = 0; y < HEIGHT; y++) {
		for (size_t x = 0; x < WIDTH; x++)
			memcpy(picture->rgb + (y * WIDTH + x) * 3, pixels[HEIGHT - 1 - y][x], 3);
	}
}

static void
frames_are_what_a_pbuffer_holds(void **state)
{
	static uint8_t rgb[WIDTH * HEIGHT * 3];
	struct image drawn = {WIDTH, HEIGHT, rgb}, shown;
	struct pbuffer pbuffer;

	skip_without_egl();
	capture_gles("window");
	pbuffer_open(&pbuffer);
	for (unsigned i = 0; i < FRAMES; i++) {
		pbuffer_draw(&pbuffer, i, &drawn);
		capture_load(&shown, "window", i + 1);
		if (image_difference(&drawn, &shown))
			fail_msg("frame %u isn't what was drawn", i);
		image_free(&shown);
	}
	assert_true(image_drawn_pixels(&drawn) > 5000);
}

/* A program that ends with its last frame: it is shown. */
static void
the_last_frame_is_shown(void **state)
{
	struct spawn child;

	skip_without_egl();
	for (int i = 0; i < 5; i++) {
		spawn_run(&child, LIMIT_S,
			KRAFLA_RUN("--clock", "virtual", "--display", SIZE, "--capture",
				capture_pattern("all"), "--", GLES, "7"),
			NULL);
		expect_code(&child, 0);
		expect_text(&child, "7 queued, 7 shown");
		expect_text(&child, "with a fence of user space");
		expect_text(&child, "  egl        7 frames, 7 copied (2.2 MB)\n");
		expect_text(&child, "krafla-gles: 7 frames, 7 native fences");
		spawn_finish(&child);
		assert_true(capture_exists("all", 7));
	}
}

/* The display has ended the program: it has told of each frame that the display got. */
static void
expect_counts(const json_t *summary)
{
	json_int_t queued = summary_number(summary, "frames", "queued");
	json_int_t frames = summary_number(summary, "egl", "frames");
	json_int_t copies = summary_number(summary, "egl", "copies");

	assert_true(queued >= FRAMES);
	assert_true(frames >= queued && frames <= queued + ON_THEIR_WAY);
	assert_true(copies >= FRAMES && copies <= frames);
	assert_int_equal(
		summary_number(summary, "egl", "copied_bytes"), copies * WIDTH * HEIGHT * 4);
}

/* What nobody looks at isn't copied. */
static void
copies_are_counted(void **state)
{
	json_t *summary;
	struct spawn child;

	skip_without_egl();
	capture_gles("counted");
	summary = capture_summary("counted");
	expect_counts(summary);
	assert_int_equal(summary_number(summary, "egl", "cpu_waits"), 0);
	json_decref(summary);
	spawn_run(&child, LIMIT_S,
		KRAFLA_RUN("--clock", "virtual", "--display", SIZE, "--", GLES, "9"), NULL);
	expect_code(&child, 0);
	expect_text(&child, "  egl        9 frames, 0 copied (0.0 MB)\n");
	expect_text(&child, "9 with a fence of user space");
	spawn_finish(&child);
}

static void
there_are_no_windows_without_krafla(void **state)
{
	struct spawn child;

	skip_without_egl();
	spawn_run(&child, LIMIT_S, ARGV(GLES), NULL);
	expect_code(&child, 1);
	expect_text(&child, "start this with krafla run");
	spawn_finish(&child);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(two_runs_give_the_same_bytes, KR_TEST_KEEPS_MEMORY, 120),
	KR_TEST_SLOW(
		frames_are_what_a_pbuffer_holds, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS, 120),
	KR_TEST_SLOW(the_last_frame_is_shown, KR_TEST_KEEPS_MEMORY, 120),
	KR_TEST_SLOW(copies_are_counted, KR_TEST_KEEPS_MEMORY, 120),
	KR_TEST_SLOW(there_are_no_windows_without_krafla, KR_TEST_KEEPS_MEMORY, 60),
};
KR_TEST_MAIN(tests)
