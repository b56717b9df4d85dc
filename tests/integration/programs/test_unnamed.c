/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where abstract names are denied (tests/sync/fence/unnamed.c), everything but a listing of fences
 * works: the same pictures, the same summary.
 */
#include <stdio.h>
#include <string.h>

#include "capture.h"
#include "harness.h"
#include "spawn.h"

#define LIMIT_S 60
#define FRAMES  40

static void
run_cube(const char *name, bool unnamed)
{
	const char *const words[] = {TEST_UNNAMED, prefix_path("bin/krafla"), "run", "--clock",
		"virtual", "--display", "160x120", "--frames", "40", "--capture",
		capture_pattern(name), "--summary", kr_test_path(name), "--",
		prefix_path("bin/krafla-cube"), NULL};
	struct spawn child;

	spawn_run(&child, LIMIT_S, unnamed ? words : words + 1, ENV(lavapipe_env()));
	expect_code(&child, 0);
	expect_no_text(&child, "error");
	spawn_finish(&child);
}

static void
cube_draws_the_same_pictures(void **state)
{
	json_t *summary;

	skip_without_lavapipe();
	run_cube("named", false);
	run_cube("unnamed", true);
	for (unsigned i = 1; i <= FRAMES; i++) {
		char a[1024], b[1024];

		snprintf(a, sizeof(a), capture_pattern("named"), i);
		snprintf(b, sizeof(b), capture_pattern("unnamed"), i);
		assert_true(files_equal(a, b));
	}
	summary = json_load_file(kr_test_path("unnamed"), 0, NULL);
	assert_non_null(summary);
	assert_int_equal(summary_number(summary, "frames", "shown"), FRAMES);
	assert_int_equal(summary_number(summary, "frames", "failed"), 0);
	assert_int_equal(summary_number(summary, "frames", "stuck"), 0);
	json_decref(summary);
}

/* The filter denies what it is for: or the case above would show nothing. */
static void
names_are_denied(void **state)
{
	struct spawn child;

	spawn_run(&child, LIMIT_S,
		ARGV(TEST_UNNAMED, TEST_SYNC_FENCE, "works_without_names", "carries_a_name"), NULL);
	expect_code(&child, 0);
	expect_text(&child, "- works_without_names");
	expect_text(&child, "carries_a_name # SKIP no-abstract-sockets");
	spawn_finish(&child);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(cube_draws_the_same_pictures, 0, 90),
	KR_TEST(names_are_denied),
};

KR_TEST_MAIN(tests)
