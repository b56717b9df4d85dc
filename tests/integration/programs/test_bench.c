/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla-bench's rows of the loader service, of frames, commands and shared memory, in a short
 * run: each is there and has a value. How fast things are isn't judged; that nothing is copied for
 * a client is, and that goals are told and counted.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "spawn.h"

#define LIMIT_S 200

static json_t *
run_bench(const char *benchmark)
{
	const char *path = kr_test_file("report.json", "");
	struct spawn child;
	json_error_t error;
	json_t *report;

	spawn_run(&child, LIMIT_S,
		ARGV(prefix_path("bin/krafla-bench"), "--quick", "--repeat", "1", "--json", path,
			benchmark),
		NULL);
	printf("# %s\n", child.output);
	expect_code(&child, 0);
	spawn_finish(&child);
	report = json_load_file(path, 0, &error);
	if (!report)
		fail_msg("%s: %s", path, error.text);
	return report;
}

/* The row whose name begins so; NULL when there is none. */
static json_t *
find(json_t *report, const char *name)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(report, "rows"), i, row)
	{
		if (!strncmp(json_string_value(json_object_get(row, "name")), name, strlen(name)))
			return row;
	}
	return NULL;
}

static double
value_of(json_t *report, const char *name)
{
	json_t *row = find(report, name);

	if (!row)
		fail_msg("there is no row '%s'", name);
	if (!json_object_get(row, "value"))
		fail_msg("'%s' has no value: %s", name,
			json_string_value(json_object_get(row, "not_measured")));
	return json_number_value(json_object_get(row, "value"));
}

/* A row that says itself why it has no value. */
static bool
is_missing(json_t *report, const char *name, const char *because)
{
	const char *reason = json_string_value(json_object_get(find(report, name), "not_measured"));

	return reason && strstr(reason, because);
}

static void
expect_rows_by(json_t *report, const char *kind)
{
	static const char *const timed[] = {
		"service: first device, by %s", "service: last device of 10 starts at once, by %s"};
	static const char *const counted[] = {"service: memory (PSS) a client, of 120, by %s",
		"service: memory (PSS) a client, beyond, by %s",
		"service: private dirty memory a client, beyond, by %s",
		"service: kernel memory (slab) a client, both ends, by %s"};
	char name[96];

	for (size_t i = 0; i < sizeof(timed) / sizeof(timed[0]); i++) {
		snprintf(name, sizeof(name), timed[i], kind);
		assert_true(value_of(report, name) > 0);
		assert_non_null(json_object_get(find(report, name), "ratio"));
	}
	/*
	 * A client's record is some hundred bytes; what a page more or less means isn't known here.
	 */
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		snprintf(name, sizeof(name), counted[i], kind);
		assert_true(value_of(report, name) < 1 << 20);
	}
	/* It gives back what reading packages took: 2 MB, or 0.3. */
	snprintf(name, sizeof(name), "service: private dirty memory, no client, by %s", kind);
	assert_true(value_of(report, name) < 1200000);
	snprintf(name, sizeof(name), "service: clients with other files than the first, by %s",
		kind);
	assert_true(value_of(report, name) == 0);
}

static void
by_memory(void **state)
{
	json_t *report;

	skip_without_lavapipe();
	report = run_bench("service");
	expect_rows_by(report, "memory");
	json_decref(report);
}

static void
by_mount(void **state)
{
	const char *sandbox = "service: first device in a sandbox, by mount";
	json_t *report;
	bool no_bwrap;

	skip_without_lavapipe();
	report = run_bench("service");
	if (find(report, "service: by mount")) {
		json_decref(report);
		kr_test_skip("no-mounts", NULL);
	}
	expect_rows_by(report, "mount");
	assert_true(value_of(report, "service: device appears to manifest visible") > 0);
	no_bwrap = is_missing(report, sandbox, "/usr/bin/bwrap");
	if (!no_bwrap)
		assert_true(value_of(report, sandbox) > 0);
	json_decref(report);
	if (no_bwrap)
		kr_test_skip("no-bwrap", NULL);
}

/*
 * Acquire and present have a goal in microseconds, beside what their submits cost: what it was
 * without fences, and what fences cost in this run. Each miss is told and counted.
 */
static void
frames_have_their_goal(void **state)
{
	json_t *report, *row;
	json_int_t goals = 0, missed = 0;
	size_t i;

	skip_without_lavapipe();
	report = run_bench("frames");
	row = find(report, "acquire+present beyond submit, 64x64 headless");
	/*
	 * Medians of a loaded machine: what the submits cost may come out as nothing,
	 * and isn't a reference then.
	 */
	if (json_object_get(row, "reference"))
		assert_string_equal(
			json_string_value(json_object_get(row, "reference")), "its two submits");
	row = find(report, " ... beyond the three submits, 64x64 headless");
	assert_true(json_number_value(json_object_get(row, "reference_value")) > 6.4);
	json_array_foreach(json_object_get(report, "rows"), i, row)
	{
		const char *unit = json_string_value(json_object_get(row, "unit"));
		double goal = json_number_value(json_object_get(row, "goal_ratio"));
		double ratio = json_number_value(json_object_get(row, "ratio"));
		bool is_missed = json_is_true(json_object_get(row, "missed"));

		if (!json_object_get(row, "goal_ratio"))
			continue;
		goals++;
		missed += is_missed;
		assert_int_equal(is_missed,
			!strcmp(unit, "frames/s") ? ratio * 1.03 < goal : ratio > goal * 1.03);
	}
	assert_true(goals > 0);
	assert_int_equal(json_integer_value(json_object_get(report, "goals")), goals);
	assert_int_equal(json_integer_value(json_object_get(report, "missed")), missed);
	json_decref(report);
}

/* Of each command a frame's time, and that of the same frame without it; nothing is judged. */
static void
run_has_its_rows(void **state)
{
	static const char *const wanted[] = {"krafla run 1280x720, nothing captured",
		"krafla run 1920x1080, nothing captured", "krafla run 3840x2160, nothing captured",
		"krafla run 1280x720, one frame at a time", "krafla run 1280x720, 16 at once"};
	json_t *report;

	skip_without_lavapipe();
	report = run_bench("run");
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		assert_true(value_of(report, wanted[i]) > 0);
		assert_true(
			json_number_value(json_object_get(find(report, wanted[i]), "ratio")) > 0);
	}
	json_decref(report);
}

/* Ticks and memory of a display: their goals are told; nobody judges them here. */
static void
composer_has_its_rows(void **state)
{
	static const char *const wanted[] = {"frames ready 2 ms before a tick, not in it",
		"lateness of ticks, 99 of 100", "private memory of a display",
		"1920x1080, 16 opaque layers, by the composer",
		"1920x1080, 16 translucent layers, by the composer"};
	json_t *report;

	skip_without_lavapipe();
	report = run_bench("composer");

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		assert_true(value_of(report, wanted[i]) >= 0);
		assert_non_null(json_object_get(find(report, wanted[i]), "missed"));
	}
	/* No figure of a loaded machine's: a display that keeps its canvas for nothing has more. */
	assert_true(value_of(report, "private memory of a display") < 8 * 1024);
	/* Without Xvfb or vkcube it says so. */
	assert_non_null(find(report, "vkcube 1280x720 in an X window, processor time"));
	json_decref(report);
}

/* Whose pictures are right, and who has left nothing, is judged; how fast they are isn't. */
static void
shared_has_its_rows(void **state)
{
	static const char *const wanted[] = {"shared 1280x720, 1 source, a frame",
		"shared 1920x1080, 1 source, a frame", "shared 3840x2160, 1 source, a frame",
		"shared 1920x1080, 16 sources, a frame"};
	json_t *report, *row;
	size_t i;

	skip_without_lavapipe();
	report = run_bench("shared");
	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		assert_true(value_of(report, wanted[i]) > 0);
		assert_true(
			json_number_value(json_object_get(find(report, wanted[i]), "ratio")) > 0);
	}
	json_array_foreach(json_object_get(report, "rows"), i, row)
	{
		const char *name = json_string_value(json_object_get(row, "name"));

		if (strstr(name, "wrong pictures"))
			assert_true(json_number_value(json_object_get(row, "value")) == 0);
	}
	row = find(report, "descriptors of a consumer after 10 kills");
	assert_true(json_number_value(json_object_get(row, "ratio")) == 1);
	json_decref(report);
}

/* Whatever can't be had here says so; how fast the rest is isn't judged. */
static void
egl_has_its_rows(void **state)
{
	static const char *const wanted[] = {"call eglQuerySurface",
		"call eglGetSyncAttribKHR (an extension's)", "call glGetError",
		"native fence of a small draw, drawn to polled", " ... beyond the EGL fence sync"};
	json_t *report;

	skip_without_lavapipe();
	report = run_bench("egl");
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_non_null(json_object_get(find(report, wanted[i]), "ratio"));
	assert_non_null(find(report, "frame in an Android window, 1280x720"));
	assert_non_null(find(report, "frame in a window of X, 1920x1080"));
	assert_non_null(find(report, "es2gears_x11"));
	json_decref(report);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(by_memory, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(by_mount, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(frames_have_their_goal, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(run_has_its_rows, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(composer_has_its_rows, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(shared_has_its_rows, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(egl_has_its_rows, KR_TEST_KEEPS_MEMORY, LIMIT_S),
};

KR_TEST_MAIN(tests)
