/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leaving with frames in flight: neither the program's own end nor the driver's is disturbed by
 * whoever waits for them (leaver.c). KRAFLA_TEST_RUNS: how often [50, and 10 with a sanitizer,
 * where each takes a second].
 */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"
#include "rig.h"
#include "sanitizer.h"
#include "stack.h"
#include "tests/integration/programs/spawn.h"

/* Nothing is destroyed, so that a sanitizer has much to find. */
#define NO_LEAKS "ASAN_OPTIONS=detect_leaks=0:detect_odr_violation=0"

static int
runs(void)
{
	const char *text = getenv("KRAFLA_TEST_RUNS");
	int count = text ? atoi(text) : 0;

	return count > 0 ? count : SANITIZED ? 10 : 50;
}

static void
check_ends(const char *how, int count)
{
	const char *lavapipe;
	char frames[4];

	skip_without_lavapipe();
	lavapipe = lavapipe_env();
	for (int i = 0; i < count; i++) {
		struct spawn child;

		snprintf(frames, sizeof(frames), "%d", i % 7);
		spawn_run(&child, 60, ARGV(TEST_LEAVER, how, frames), ENV(lavapipe, NO_LEAKS));
		expect_code(&child, 0);
		spawn_finish(&child);
	}
}

static void
check_end(const char *how)
{
	check_ends(how, runs());
}

static void
main_returns(void **state)
{
	check_end("return");
}

static void
main_exits(void **state)
{
	check_end("exit");
}

static void
another_thread_exits(void **state)
{
	check_end("thread");
}

/* All their threads end, as a sanitizer sees. */
static void
main_returns_with_many_devices(void **state)
{
	check_ends("many", 2);
}

/* The last frames of a program that destroys nothing are shown. */
static void
frames_in_flight_are_shown(void **state)
{
	struct rig rig = {0};
	struct spawn child;

	skip_without_lavapipe();
	rig_start(&rig, KR_CLOCK_REAL);
	spawn_run(&child, 60, ARGV(TEST_LEAVER, "return", "3"),
		ENV(lavapipe_env(), env_text("KRAFLA_DISPLAY", rig.socket), NO_LEAKS));
	expect_code(&child, 0);
	spawn_finish(&child);
	rig_wait_stat(&rig, shown, 3);
	assert_int_equal(rig_stats(&rig).failed, 0);
	rig_stop(&rig, NULL);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(main_returns, 0, 3600),
	KR_TEST_SLOW(main_exits, 0, 3600),
	KR_TEST_SLOW(another_thread_exits, 0, 3600),
	KR_TEST_SLOW(main_returns_with_many_devices, 0, 600),
	KR_TEST_SLOW(frames_in_flight_are_shown, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS, 100),
};
KR_TEST_MAIN(tests)
