/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The example of two processes: what one draws into an AHardwareBuffer by Vulkan, and the other
 * samples, is the same in a window and without one, and frame by frame another picture.
 */
#include <stdio.h>

#include "capture.h"
#include "harness.h"
#include "spawn.h"

#define LIMIT_S   60
#define SIZE      "640x480" /* that it draws without a window */
#define MAX_COLOR 1         /* a channel: drivers may round a colour either way */

#define SHARE prefix_path("bin/krafla-share")
#define CUBE  prefix_path("bin/krafla-cube")

static void
run(const char *const *program)
{
	struct spawn child;

	spawn_run(&child, LIMIT_S, program, ENV(lavapipe_env()));
	expect_code(&child, 0);
	spawn_finish(&child);
}

/* Whether each of the window's frames is the picture that is drawn without one. */
static void
expect_frame(unsigned number)
{
	const char *path = kr_test_path("share.ppm");
	struct image captured, drawn;
	char frames[16];

	snprintf(frames, sizeof(frames), "%u", number);
	run(ARGV(SHARE, frames, path));
	image_load_ppm(&drawn, path);
	capture_load(&captured, "share", number);
	assert_in_range(image_difference(&captured, &drawn), 0, MAX_COLOR);
	image_free(&captured);
	image_free(&drawn);
}

/* W-11 */
static void
picture_of_another_process_is_sampled(void **state)
{
	struct image share, cube;

	skip_without_lavapipe();
	capture("share", SIZE, "20", ARGV(SHARE), ENV(lavapipe_env()));
	expect_frame(1);
	expect_frame(20);
	assert_int_equal(image_count_different(capture_pattern("share"), 20), 20);
	/* The same cube with a picture of its own. */
	capture("cube", SIZE, "20", ARGV(CUBE), ENV(lavapipe_env()));
	capture_load(&share, "share", 20);
	capture_load(&cube, "cube", 20);
	assert_true(image_difference(&share, &cube) > 50);
	image_free(&share);
	image_free(&cube);
}

static void
wrong_usage_is_told(void **state)
{
	static const char *const wrong[] = {
		"0", "-1", "x", "", "1000000001", "99999999999999999999999"};
	struct spawn child;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		spawn_run(&child, LIMIT_S, ARGV(SHARE, wrong[i]), NULL);
		expect_code(&child, 2);
		expect_text(&child, "usage: krafla-share");
		spawn_finish(&child);
	}
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(picture_of_another_process_is_sampled, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(wrong_usage_is_told, 0, LIMIT_S),
};

KR_TEST_MAIN(tests)
