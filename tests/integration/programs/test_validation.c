/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debian's validation layer between the program and Krafla: it has nothing to say about right
 * programs, and does speak up about a wrong one. That layer knows no Android surfaces on Linux:
 * those are run without it.
 */
#include <stdio.h>
#include <unistd.h>

#include "capture.h"
#include "harness.h"
#include "spawn.h"
#include "xvfb.h"

#define LIMIT_S  100
#define MANIFEST "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"
#define LAYER    "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation"
#define SYNCHRONIZATION                                                                            \
	"VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"
#define CUBE prefix_path("bin/krafla-cube")

static void
skip_without_layer(void)
{
	skip_without_lavapipe();
	if (access(MANIFEST, R_OK))
		kr_test_skip("no-validation-layer", MANIFEST " isn't there");
}

/* The layer writes what it finds to stdout when nobody else listens. */
static void
expect_silence(const struct spawn *child)
{
	expect_code(child, 0);
	expect_no_text(child, "validation");
	expect_no_text(child, "VUID");
	expect_no_text(child, "UNASSIGNED");
	expect_no_text(child, "SYNC-HAZARD");
}

/* Without this one the others prove nothing: the layer is in the chain and its words are seen. */
static void
wrong_use_is_reported(void **state)
{
	struct spawn child;

	skip_without_layer();
	spawn_run(&child, LIMIT_S, ARGV(TEST_PROBE, "headless", "wrong"),
		ENV(library_env(), lavapipe_env(), LAYER));
	expect_code(&child, 0);
	expect_text(&child, "VUID-VkBufferCreateInfo-size-00912");
	expect_text(&child, "VUID-vkDestroyDevice-device-00378");
	spawn_finish(&child);
}

static void
headless_is_silent(void **state)
{
	struct spawn child;

	skip_without_layer();
	spawn_run(&child, LIMIT_S, ARGV(CUBE, "--surface", "headless", "--frames", "60"),
		ENV(library_env(), lavapipe_env(), LAYER));
	expect_silence(&child);
	spawn_finish(&child);
	spawn_run(&child, LIMIT_S, ARGV(TEST_PROBE, "headless"),
		ENV(library_env(), lavapipe_env(), LAYER));
	expect_silence(&child);
	spawn_finish(&child);
}

static void
xcb_is_silent(void **state)
{
	static const char *const owners[] = {"KRAFLA_WSI=platform", "KRAFLA_WSI=driver"};
	struct spawn child;
	struct kr_xvfb x;

	skip_without_layer();
	kr_xvfb_start(&x, "640x480x24", NULL, NULL);
	for (int i = 0; i < 2; i++) {
		const char *const *env = ENV(library_env(), lavapipe_env(), LAYER, owners[i],
			env_text("DISPLAY", x.display));

		spawn_run(&child, LIMIT_S, ARGV(CUBE, "--surface", "xcb", "--frames", "60"), env);
		expect_silence(&child);
		spawn_finish(&child);
		spawn_run(&child, LIMIT_S, ARGV(TEST_PROBE, "xcb"), env);
		expect_silence(&child);
		spawn_finish(&child);
	}
	kr_xvfb_stop(&x);
}

/* On a display, from X and from nothing, captured as without the layer. */
static void
displays_are_silent(void **state)
{
	static const char *const kinds[] = {"headless", "xcb"};
	struct image with, without;
	struct spawn child;
	struct kr_xvfb x;

	skip_without_layer();
	kr_xvfb_start(&x, "640x480x24", NULL, NULL);
	for (int i = 0; i < 2; i++) {
		spawn_run(&child, LIMIT_S,
			KRAFLA_RUN("--display", "320x240", "--clock", "virtual", "--frames", "20",
				"--capture", capture_pattern(kinds[i]), "--", CUBE, "--surface",
				kinds[i], "--size", "320x240"),
			ENV(lavapipe_env(), LAYER, env_text("DISPLAY", x.display)));
		expect_silence(&child);
		spawn_finish(&child);
	}
	kr_xvfb_stop(&x);
	capture("android", "320x240", "20", ARGV(CUBE), ENV(lavapipe_env()));
	capture_load(&with, "headless", 20);
	capture_load(&without, "android", 20);
	assert_int_equal(image_difference(&with, &without), 0);
	image_free(&with);
	image_free(&without);
}

/* vkcube brings its own messenger, and says itself what it got. */
static void
vkcube_is_silent(void **state)
{
	struct spawn child;
	struct kr_xvfb x;

	skip_without_layer();
	kr_xvfb_start(&x, "640x640x24", NULL, NULL);
	spawn_run(&child, LIMIT_S, ARGV("vkcube", "--c", "60", "--validate"),
		ENV(library_env(), lavapipe_env(), "KRAFLA_WSI=platform",
			env_text("DISPLAY", x.display)));
	expect_code(&child, 0);
	expect_no_text(&child, "ERROR");
	expect_no_text(&child, "WARNING");
	expect_no_text(&child, "VUID");
	spawn_finish(&child);
	kr_xvfb_stop(&x);
}

/* Acquire and present order what a program draws: it needs no more than Vulkan says. */
static void
synchronization_is_silent(void **state)
{
	static const char *const modes[] = {"0", "1", "2", "3"}; /* VkPresentModeKHR */
	struct spawn child;
	struct kr_xvfb x;

	skip_without_layer();
	kr_xvfb_start(&x, "640x640x24", NULL, NULL);
	spawn_run(&child, LIMIT_S, ARGV(TEST_PROBE, "headless", "hasty"),
		ENV(library_env(), lavapipe_env(), LAYER, SYNCHRONIZATION));
	expect_text(&child, "SYNC-HAZARD-WRITE-AFTER-WRITE");
	spawn_finish(&child);
	spawn_run(&child, LIMIT_S, ARGV(TEST_PROBE, "xcb"),
		ENV(library_env(), lavapipe_env(), LAYER, SYNCHRONIZATION, "KRAFLA_WSI=platform",
			env_text("DISPLAY", x.display)));
	expect_silence(&child);
	spawn_finish(&child);
	for (int i = 0; i < 4; i++) {
		spawn_run(&child, LIMIT_S,
			ARGV("vkcube", "--c", "40", "--present_mode", modes[i],
				"--incremental_present"),
			ENV(library_env(), lavapipe_env(), LAYER, SYNCHRONIZATION,
				"KRAFLA_WSI=platform", env_text("DISPLAY", x.display)));
		expect_silence(&child);
		spawn_finish(&child);
		spawn_run(&child, LIMIT_S,
			KRAFLA_RUN("--clock", "virtual", "--", "vkcube", "--c", "40",
				"--present_mode", modes[i]),
			ENV(lavapipe_env(), LAYER, SYNCHRONIZATION,
				env_text("DISPLAY", x.display)));
		expect_silence(&child);
		spawn_finish(&child);
	}
	kr_xvfb_stop(&x);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(wrong_use_is_reported, 0, 60),
	KR_TEST_SLOW(headless_is_silent, 0, 120),
	KR_TEST_SLOW(xcb_is_silent, 0, 120),
	KR_TEST_SLOW(displays_are_silent, 0, 120),
	KR_TEST_SLOW(vkcube_is_silent, 0, 60),
	KR_TEST_SLOW(synchronization_is_silent, 0, 200),
};

KR_TEST_MAIN(tests)
