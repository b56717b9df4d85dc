/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers the Android way, from a property to the display: the null driver, whose frames have no
 * pixels, and the adapter as a HAL module, whose frames must be those of the same ICD by its
 * manifest. And several drivers in one process.
 */
#include <stdio.h>
#include <string.h>

#include "capture.h"
#include "harness.h"
#include "spawn.h"

#define LIMIT_S  60
#define FRAMES   10
#define SIZE     "320x240"
#define CUBE     prefix_path("bin/krafla-cube")
#define NO_ICD   "VK_DRIVER_FILES=/nonexistent.json"
#define NULL_HAL "KRAFLA_PROP_ro_hardware_vulkan=null"
#define ADAPTER  "KRAFLA_PROP_ro_hardware_vulkan=adapter"

static void
assert_same_frames(const char *a, const char *b)
{
	for (unsigned i = 1; i <= FRAMES; i++) {
		struct image first, second;
		uint32_t difference;

		capture_load(&first, a, i);
		capture_load(&second, b, i);
		difference = image_difference(&first, &second);
		if (difference)
			fail_msg("frame %u of %s and %s differs by %u", i, a, b, difference);
		assert_true(image_drawn_pixels(&first) > 1000);
		image_free(&first);
		image_free(&second);
	}
}

static void
frames_of_the_null_driver_flow(void **state)
{
	json_t *summary;

	capture("null", SIZE, "30", ARGV(CUBE), ENV(NULL_HAL, NO_ICD));
	summary = capture_summary("null");
	assert_int_equal(summary_number(summary, "frames", "composed"), 30);
	assert_int_equal(summary_number(summary, "frames", "shown"), 30);
	assert_int_equal(summary_number(summary, "frames", "failed"), 0);
	json_decref(summary);
}

static void
adapter_module_draws_what_the_manifest_does(void **state)
{
	skip_without_lavapipe();
	capture("hal", SIZE, "10", ARGV(CUBE),
		ENV(NO_ICD, ADAPTER,
			env_text("KRAFLA_PROP_ro_krafla_adapter_icd", lavapipe_manifest())));
	capture("manifest", SIZE, "10", ARGV(CUBE), ENV(lavapipe_env()));
	assert_same_frames("hal", "manifest");
}

/* The same, told by a file; with a file that isn't there and a line of garbage before it. */
static void
property_file_names_the_module(void **state)
{
	char text[1024], list[1024];

	skip_without_lavapipe();
	snprintf(text, sizeof(text),
		"# a driver\nnonsense\nro.hardware.vulkan = adapter\nro.krafla.adapter.icd=%s\n",
		lavapipe_manifest());
	snprintf(list, sizeof(list), "/nonexistent:%s", kr_test_file("properties", text));
	capture("hal", SIZE, "10", ARGV(CUBE), ENV(NO_ICD, env_text("KRAFLA_PROPERTIES", list)));
	capture("manifest", SIZE, "10", ARGV(CUBE), ENV(lavapipe_env()));
	assert_same_frames("hal", "manifest");
}

static void
two_drivers_at_once(void **state)
{
	struct spawn child;

	skip_without_lavapipe();
	spawn_run(&child, LIMIT_S, ARGV("vulkaninfo", "--summary"),
		ENV(NULL_HAL, lavapipe_env(), library_env(), "XDG_RUNTIME_DIR=/tmp"));
	expect_code(&child, 0);
	expect_text(&child, "Krafla null driver");
	expect_text(&child, "llvmpipe");
	spawn_finish(&child);
	spawn_run(&child, LIMIT_S, ARGV(prefix_path("bin/krafla"), "info"),
		ENV(NULL_HAL, lavapipe_env()));
	expect_code(&child, 0);
	expect_text(&child, "Krafla null driver");
	expect_text(&child, "llvmpipe");
	spawn_finish(&child);
	/* The second device presents as if it were alone. */
	capture("second", SIZE, "10", ARGV(CUBE, "--device-index", "1"),
		ENV(NULL_HAL, lavapipe_env()));
	capture("alone", SIZE, "10", ARGV(CUBE), ENV(lavapipe_env()));
	assert_same_frames("second", "alone");
}

static void
adapter_without_an_icd_is_explained(void **state)
{
	static const char *const icds[] = {
		"KRAFLA_PROP_ro_krafla_adapter_icd=",
		"KRAFLA_PROP_ro_krafla_adapter_icd=/nonexistent.json",
	};
	static const char *const said[] = {
		"ro.krafla.adapter.icd names no driver",
		"Failed to open JSON file /nonexistent.json",
	};

	for (size_t i = 0; i < sizeof(icds) / sizeof(icds[0]); i++) {
		struct spawn child;

		spawn_run(&child, LIMIT_S, KRAFLA_RUN("--frames", "3", "--", CUBE),
			ENV(NO_ICD, ADAPTER, icds[i], "VK_LOADER_DEBUG=error,warn"));
		expect_code(&child, 1);
		expect_text(&child, said[i]);
		expect_text(&child, "open(\"vk0\") failed");
		spawn_finish(&child);
	}
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(frames_of_the_null_driver_flow, 0, 60),
	KR_TEST_SLOW(adapter_module_draws_what_the_manifest_does, 0, 60),
	KR_TEST_SLOW(property_file_names_the_module, 0, 60),
	KR_TEST_SLOW(two_drivers_at_once, 0, 60),
	KR_TEST_SLOW(adapter_without_an_icd_is_explained, 0, 60),
};
KR_TEST_MAIN(tests)
