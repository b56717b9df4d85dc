/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pacing example: a program that holds its own rate on a display of another one, by the times
 * that it gives its frames and is told of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "harness.h"
#include "spawn.h"

#define LIMIT_S 60
#define PACING  prefix_path("bin/krafla-pacing")

static void
run(struct spawn *child, const char *display, const char *clock, const char *frames,
	const char *rate)
{
	char *end;

	spawn_run(child, LIMIT_S,
		ARGV(prefix_path("bin/krafla"), "run", "--display", display, "--clock", clock, "--",
			PACING, frames, rate),
		NULL);
	expect_code(child, 0);
	/* What krafla says behind it has process ids and times of its own. */
	end = strstr(child->output, "\nkrafla: ");
	if (end)
		*end = '\0';
}

/* Each is at its refresh, which is the nearest, and another run is told the very same. */
static void
a_virtual_display_has_each_frame_at_its_refresh(void **state)
{
	static const struct {
		const char *display, *rate, *nearest;
	} rows[] = {
		{"64x64@144", "30", "60 of 60 frames shown, 60 at the refresh that was nearest"},
		{"64x64@60", "24", "60 of 60 frames shown, 60 at the refresh that was nearest"},
		{"64x64@60", "60", "60 of 60 frames shown, 60 at the refresh that was nearest"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct spawn first, second;

		run(&first, rows[i].display, "virtual", "60", rows[i].rate);
		expect_text(&first, rows[i].nearest);
		run(&second, rows[i].display, "virtual", "60", rows[i].rate);
		assert_string_equal(first.output, second.output);
		spawn_finish(&first);
		spawn_finish(&second);
	}
}

/* More frames than refreshes: those whose time has passed when there is one are left out. */
static void
a_faster_program_keeps_its_time(void **state)
{
	struct spawn child;

	/* 31 in half a second. */
	run(&child, "64x64@60", "virtual", "61", "120");
	expect_text(&child, "31 of 61 frames shown");
	spawn_finish(&child);
}

/* What is drawn depends on the time that is meant alone, and pictures between are made. */
static void
captures_have_all_refreshes(void **state)
{
	capture("pacing", "64x64", "30", ARGV(PACING, "20", "30"), NULL);
	for (unsigned i = 1; i <= 30; i++)
		assert_true(capture_exists("pacing", i));
	assert_int_equal(image_count_different(capture_pattern("pacing"), 30), 15);
}

/* Of a real clock: no frame before its time, which is half a refresh before it is meant. */
static void
a_real_display_shows_none_early(void **state)
{
	const double refresh_ms = 1000.0 / 144;
	unsigned lines = 0;
	struct spawn child;

	run(&child, "64x64@144", "real", "45", "30");
	expect_text(&child, "45 of 45 frames shown");
	for (char *line = strtok(child.output, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned number;
		double meant, shown;

		if (sscanf(line, "%u %lf %lf", &number, &meant, &shown) != 3)
			continue;
		/* Printed to a thousandth. */
		assert_true(shown >= meant - refresh_ms / 2 - 0.002);
		lines++;
	}
	assert_int_equal(lines, 45);
	spawn_finish(&child);
}

/* A display of several rates has the smallest multiple of the program's, from its first frame. */
static void
a_display_is_asked_for_a_multiple(void **state)
{
	static const struct {
		const char *display, *rate, *said, *rates;
	} rows[] = {
		{"64x64@144,120,60", "30", "30 frames a second, 60.000 refreshes",
			"rates      144 Hz: pictures 0, 120 Hz 0, 60 Hz 119"},
		{"64x64@144,60,120", "24", "24 frames a second, 120.000 refreshes",
			"rates      144 Hz: pictures 0, 60 Hz 0, 120 Hz 296"},
		/* Without one the least judder. */
		{"64x64@60,50", "24", "24 frames a second, 50.000 refreshes",
			"rates      60 Hz: pictures 0, 50 Hz 124"},
		{"64x64@144", "30", "30 frames a second, 144.000 refreshes", "@144, virtual"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct spawn first, second;

		for (int again = 0; again < 2; again++)
			spawn_run(again ? &second : &first, LIMIT_S,
				ARGV(prefix_path("bin/krafla"), "run", "--display", rows[i].display,
					"--clock", "virtual", "--", PACING, "60", rows[i].rate),
				NULL);
		expect_code(&first, 0);
		expect_text(&first, rows[i].said);
		expect_text(&first, "60 of 60 frames shown, 60 at the refresh that was nearest");
		expect_text(&first, rows[i].rates);
		*strstr(first.output, "\nkrafla: ") = '\0';
		*strstr(second.output, "\nkrafla: ") = '\0';
		assert_string_equal(first.output, second.output);
		spawn_finish(&first);
		spawn_finish(&second);
	}
}

static void
a_real_display_is_asked_as_well(void **state)
{
	struct spawn child;

	spawn_run(&child, LIMIT_S,
		ARGV(prefix_path("bin/krafla"), "run", "--display", "64x64@144,120,60", "--",
			PACING, "45", "30"),
		NULL);
	expect_code(&child, 0);
	expect_text(&child, "30 frames a second, 60.000 refreshes");
	expect_text(&child, "45 of 45 frames shown");
	expect_text(&child, "rates      144 Hz: pictures 0, 120 Hz 0, 60 Hz 45");
	expect_text(&child, "wished for a multiple of 30 Hz");
	spawn_finish(&child);
}

static const struct kr_test tests[] = {
	KR_TEST(a_virtual_display_has_each_frame_at_its_refresh),
	KR_TEST(a_faster_program_keeps_its_time),
	KR_TEST(captures_have_all_refreshes),
	KR_TEST(a_real_display_shows_none_early),
	KR_TEST(a_display_is_asked_for_a_multiple),
	KR_TEST(a_real_display_is_asked_as_well),
};
KR_TEST_MAIN(tests)
