/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `krafla run` of the cube with fences that misbehave (KRAFLA_FAULTS): it ends, with the right exit
 * code and summary. What the program sees of it is test_faults.c.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "capture.h"
#include "harness.h"
#include "spawn.h"

#define LIMIT_S 60
#define CUBE    prefix_path("bin/krafla-cube")

static void
start(struct spawn *krafla, const char *faults, const char *clock)
{
	skip_without_lavapipe();
	spawn_start(krafla,
		KRAFLA_RUN("--clock", clock, "--display", "64x48", "--frames", "30", "--summary",
			kr_test_path("faulty.json"), "--", CUBE),
		ENV(lavapipe_env(), env_text("KRAFLA_FAULTS", faults), "KRAFLA_TESTING=1",
			env_text("XDG_RUNTIME_DIR", kr_test_dir())));
}

static void
run(const char *faults, const char *clock, int code)
{
	struct spawn krafla;

	start(&krafla, faults, clock);
	spawn_wait(&krafla, LIMIT_S);
	expect_code(&krafla, code);
	/* In the program and in the display alike. */
	expect_text(&krafla, "FAULT INJECTION is on");
	spawn_finish(&krafla);
}

static void
expect_frames(int shown, int failed, int stuck)
{
	json_t *summary = capture_summary("faulty");

	assert_in_range(summary_number(summary, "frames", "shown"), shown, shown + 4);
	assert_in_range(summary_number(summary, "frames", "failed"), failed, failed + 2);
	assert_int_equal(summary_number(summary, "frames", "stuck"), stuck);
	json_decref(summary);
}

static void
late_fences(void **state)
{
	run("driver-release:late,delay=15ms;display-release:late,delay=15ms,every=2", "virtual", 0);
	expect_frames(30, 0, 0);
}

static void
fences_out_of_order(void **state)
{
	run("driver-release:swapped;dequeue:swapped,delay=20ms", "real", 0);
	expect_frames(30, 0, 0);
}

static void
failed_fences(void **state)
{
	run("driver-release:error,every=4", "virtual", 0);
	expect_frames(30, 9, 0); /* 1, 5, ... 37 of 40 */
}

static void
absent_fences(void **state)
{
	run("driver-release:absent;display-release:absent;dequeue:absent", "virtual", 0);
	expect_frames(30, 0, 0);
}

/* Only one buffer is lost by it, whoever doesn't give it back. */
static void
buffers_that_never_come_back(void **state)
{
	run("display-release:never,from=3,count=1", "virtual", 0);
	expect_frames(30, 0, 0);
}

/* The program ends for it; krafla says that it did. */
static void
driver_without_fences(void **state)
{
	struct spawn krafla;

	start(&krafla, "driver-release:foreign,from=5,count=1", "virtual");
	spawn_wait(&krafla, LIMIT_S);
	assert_true(krafla.code > 0 && krafla.code < 128);
	spawn_finish(&krafla);
	expect_frames(4, 0, 0);
}

/* A program that waits for its own driver for ever is named, and can be ended as any other. */
static void
frame_that_never_gets_ready(void **state)
{
	struct spawn krafla;

	start(&krafla, "driver-release:never,from=5,count=1", "virtual");
	assert_true(spawn_wait_for(&krafla, "its layer is hidden", LIMIT_S));
	kill(krafla.pid, SIGTERM);
	spawn_wait(&krafla, LIMIT_S);
	assert_true(krafla.code >= 0);
	spawn_finish(&krafla);
	expect_frames(4, 0, 1);
}

/*
 * H-02, H-03: what the hardware composer below the display gives. A picture that is shown late, or
 * never, or whose fence is none, costs nobody a frame.
 */
static void
late_pictures(void **state)
{
	run("composer-present:late,delay=15ms,every=2;composer-release:late,delay=15ms,every=3",
		"virtual", 0);
	expect_frames(30, 0, 0);
}

static void
pictures_that_are_never_shown(void **state)
{
	run("composer-present:never", "real", 0);
	expect_frames(30, 0, 0);
}

static void
failed_pictures(void **state)
{
	run("composer-present:error;composer-release:error", "virtual", 0);
	expect_frames(30, 0, 0);
}

static void
pictures_without_a_fence(void **state)
{
	run("composer-present:foreign,every=2;composer-release:absent", "virtual", 0);
	expect_frames(30, 0, 0);
	run("composer-present:closed", "virtual", 0);
	expect_frames(30, 0, 0);
}

/* As one that the display itself keeps: the program has others. */
static void
buffer_that_the_composer_keeps(void **state)
{
	run("composer-release:never,from=3,count=1", "virtual", 0);
	expect_frames(30, 0, 0);
}

/* The display can't say when such a buffer may be written: it isn't written before it can. */
static void
buffers_that_come_back_with_no_fence(void **state)
{
	run("composer-release:foreign,from=3,count=1", "virtual", 0);
	expect_frames(30, 0, 0);
	run("composer-release:closed,from=3,count=1", "virtual", 0);
	expect_frames(30, 0, 0);
}

/* Without the second variable nothing happens, and that is said. */
static void
not_in_a_test(void **state)
{
	struct spawn krafla;

	skip_without_lavapipe();
	spawn_run(&krafla, LIMIT_S,
		KRAFLA_RUN("--clock", "virtual", "--display", "64x48", "--frames", "30",
			"--summary", kr_test_path("faulty.json"), "--", CUBE),
		ENV(lavapipe_env(), "KRAFLA_FAULTS=driver-release:error"));
	expect_code(&krafla, 0);
	expect_text(&krafla, "KRAFLA_FAULTS is ignored");
	expect_no_text(&krafla, "FAULT INJECTION is on");
	spawn_finish(&krafla);
	expect_frames(30, 0, 0);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(late_fences, 0, 90),
	KR_TEST_SLOW(fences_out_of_order, 0, 90),
	KR_TEST_SLOW(failed_fences, 0, 90),
	KR_TEST_SLOW(absent_fences, 0, 90),
	KR_TEST_SLOW(buffers_that_never_come_back, 0, 90),
	KR_TEST_SLOW(driver_without_fences, 0, 90),
	KR_TEST_SLOW(frame_that_never_gets_ready, 0, 90),
	KR_TEST_SLOW(late_pictures, 0, 90),
	KR_TEST_SLOW(pictures_that_are_never_shown, 0, 90),
	KR_TEST_SLOW(failed_pictures, 0, 90),
	KR_TEST_SLOW(pictures_without_a_fence, 0, 90),
	KR_TEST_SLOW(buffer_that_the_composer_keeps, 0, 90),
	KR_TEST_SLOW(buffers_that_come_back_with_no_fence, 0, 90),
	KR_TEST_SLOW(not_in_a_test, 0, 90),
};

KR_TEST_MAIN(tests)
