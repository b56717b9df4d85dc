/* SPDX-License-Identifier: Apache-2.0 */
/* `krafla info` on the installed prefix, in words and as JSON. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "spawn.h"

#define LIMIT_S 30

static const char *
both_drivers(void)
{
	char list[2048];

	snprintf(list, sizeof(list), "%s:%s:/nonexistent/icd.json", lavapipe_manifest(),
		prefix_path("share/krafla/null_icd.json"));
	return env_text("VK_DRIVER_FILES", list);
}

static void
names_what_there_is(void **state)
{
	struct spawn child;

	skip_without_lavapipe();
	spawn_run(&child, LIMIT_S, ARGV(prefix_path("bin/krafla"), "info"), ENV(both_drivers()));
	expect_code(&child, 0);
	expect_text(&child, "llvmpipe");
	expect_text(&child, "Krafla null driver");
	expect_text(&child, "/nonexistent/icd.json");
	expect_text(&child, "T0");
	expect_text(&child, prefix_path("lib/libvulkan.so.1"));
	spawn_finish(&child);
}

static void
json_is_json(void **state)
{
	static const char *const keys[] = {
		"krafla", "loader", "drivers", "devices", "layers", "displays"};
	struct spawn child;
	json_t *info;

	skip_without_lavapipe();
	spawn_run(&child, LIMIT_S, ARGV(prefix_path("bin/krafla"), "info", "--json"),
		ENV(both_drivers()));
	expect_code(&child, 0);
	info = json_loads(child.output, 0, NULL);
	if (!info)
		fail_msg("this is no JSON:\n%s", child.output);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!json_object_get(info, keys[i]))
			fail_msg("there is no key '%s'", keys[i]);
	}
	assert_int_equal(json_array_size(json_object_get(info, "devices")), 2);
	json_decref(info);
	spawn_finish(&child);
}

static void
no_driver_is_no_error(void **state)
{
	struct spawn child;

	spawn_run(&child, LIMIT_S, ARGV(prefix_path("bin/krafla"), "info"),
		ENV("VK_DRIVER_FILES=/nonexistent/icd.json"));
	expect_code(&child, 0);
	expect_text(&child, "/nonexistent/icd.json");
	expect_no_text(&child, "llvmpipe");
	spawn_finish(&child);
}

/* K-47 And what follows from it: HAL modules alone. */
static void
the_profile_is_shown(void **state)
{
	struct spawn child;

	spawn_run(&child, LIMIT_S, ARGV(prefix_path("bin/krafla"), "info"),
		ENV("KRAFLA_PROFILE=android", "VK_DRIVER_FILES=/nonexistent/icd.json"));
	expect_code(&child, 0);
	expect_text(&child, "profile android");
	expect_no_text(&child, "/nonexistent/icd.json");
	spawn_finish(&child);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(names_what_there_is, 0, 40),
	KR_TEST_SLOW(json_is_json, 0, 40),
	KR_TEST(no_driver_is_no_error),
	KR_TEST(the_profile_is_shown),
};

KR_TEST_MAIN(tests)
