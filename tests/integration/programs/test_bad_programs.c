/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `krafla run` when the program or the command line isn't what it should be; and
 * scarce descriptors.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"
#include "harness.h"
#include "spawn.h"
#include "xvfb.h"

#define LIMIT_S 30
#define CUBE    prefix_path("bin/krafla-cube")

/* The exit codes that `krafla run --help` promises. */
#define EXIT_USAGE     2
#define EXIT_NO_FRAMES 3

#define expect_run(code, text, env, ...)                                                           \
	do {                                                                                       \
		struct spawn run_child;                                                            \
		spawn_run(&run_child, LIMIT_S, KRAFLA_RUN(__VA_ARGS__), env);                      \
		expect_code(&run_child, code);                                                     \
		expect_text(&run_child, text);                                                     \
		spawn_finish(&run_child);                                                          \
	} while (0)

static void
wrong_command_lines(void **state)
{
	expect_run(EXIT_USAGE, "no program", NULL, "--frames", "3");
	expect_run(EXIT_USAGE, "--frames", NULL, "--frames", "none", "--", CUBE);
	expect_run(EXIT_USAGE, "--display", NULL, "--display", "0x0", "--", CUBE);
	expect_run(EXIT_USAGE, "--clock", NULL, "--clock", "atomic", "--", CUBE);
	expect_run(EXIT_USAGE, "--wsi", NULL, "--wsi", "mine", "--", CUBE);
	expect_run(EXIT_USAGE, "--no-such-option", NULL, "--no-such-option", "--", CUBE);
	expect_run(EXIT_USAGE, "--capture", NULL, "--wsi", "driver", "--capture", "x-%d.png", "--",
		CUBE);
	expect_run(127, "no-such-program", NULL, "--", "./no-such-program");
	expect_run(126, "/etc/passwd", NULL, "--", "/etc/passwd");
}

/* Said before the program starts, which would have made a file. */
static void
missing_capture_directory(void **state)
{
	const char *pattern = kr_test_path("no/such/place/%05d.png"),
		   *started = kr_test_path("started");
	struct spawn child;

	spawn_run(&child, LIMIT_S, KRAFLA_RUN("--capture", pattern, "--", "touch", started), NULL);
	assert_in_range(child.code, 1, 125);
	expect_text(&child, "no/such/place");
	expect_text(&child, "make it first");
	assert_int_equal(access(started, F_OK), -1);
	spawn_finish(&child);
}

static void
programs_without_vulkan(void **state)
{
	expect_run(0, "without opening a window", NULL, "--", "/bin/true");
	expect_run(0, "meson.build", NULL, "--", "/bin/ls", TEST_SOURCE_DIR);
	expect_run(1, "without opening a window", NULL, "--", "/bin/false");
	expect_run(EXIT_NO_FRAMES, "without opening a window", NULL, "--frames", "5", "--",
		"/bin/true");
	expect_run(EXIT_NO_FRAMES, "without opening a window", NULL, "--capture",
		kr_test_path("%d.png"), "--", "/bin/true");
}

/* A program that brings its own Vulkan loader, here a copy of ours. */
static void
expect_other_loader_named(void)
{
	const char *copy = kr_test_path("libvulkan.so.1");
	struct spawn child;

	spawn_run(&child, LIMIT_S, ARGV("cp", "-L", prefix_path("lib/libvulkan.so.1"), copy), NULL);
	expect_code(&child, 0);
	spawn_finish(&child);
	spawn_run(&child, LIMIT_S,
		KRAFLA_RUN("-v", "--", "sh", "-c", "LD_PRELOAD=$1 sleep 3; :", "sh", copy), NULL);
	expect_code(&child, 0);
	expect_text(&child, "(sleep) has loaded another Vulkan loader, ");
	expect_text(&child, copy);
	expect_text(&child, "without opening a window on the display: its process ");
	spawn_finish(&child);
}

/* As far as krafla can know it. */
static void
the_cause_of_nothing_is_named(void **state)
{
	skip_without_lavapipe();
	expect_run(0, "it never made a Vulkan instance with this krafla's libvulkan.so.1", NULL,
		"--", "/bin/true");
	expect_run(0, "neither DISPLAY nor WAYLAND_DISPLAY is set", NULL, "--", "/bin/true");
	expect_run(1, "Vulkan found no driver for it; 'krafla explain'",
		ENV("VK_DRIVER_FILES=/nonexistent"), "--", CUBE, "--surface", "headless");
	expect_run(1, "opened a window and presented nothing: Vulkan found no driver for it",
		ENV("VK_DRIVER_FILES=/nonexistent"), "--", CUBE);
	expect_run(1, "it was refused the Vulkan extension VK_EXT_directfb_surface",
		ENV(lavapipe_env()), "--", TEST_PROBE, "directfb");
	expect_run(0, "it used Vulkan, but made no surface", ENV(lavapipe_env()), "--",
		"vulkaninfo", "--summary");
	expect_run(0, "none of its processes has loaded a Vulkan loader", NULL, "--", "sleep", "2");
	expect_other_loader_named();
}

/* What -v tells, in the order in which it happens. */
static void
verbose_runs_tell_what_happens(void **state)
{
	static const char *const steps[] = {
		"krafla run: a display of 160x120 at 60 Hz, virtual clock, is at /",
		" is process ",
		" has made a Vulkan instance\n",
		" has opened a window, ",
		" has made a swapchain for ",
		" the first picture is there, ",
		" --frames are reached: SIGTERM for process ",
		" was ended by signal 15 (Terminated)\n",
	};
	struct spawn child;
	const char *at;

	skip_without_lavapipe();
	spawn_run(&child, LIMIT_S,
		KRAFLA_RUN("-v", "--display", "160x120", "--clock", "virtual", "--frames", "3",
			"--", CUBE, "--surface", "headless"),
		ENV(lavapipe_env()));
	expect_code(&child, 0);
	at = child.output;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		at = strstr(at, steps[i]);
		if (!at)
			fail_msg(
				"\"%s\" isn't told, or too early, in:\n%s", steps[i], child.output);
	}
	spawn_finish(&child);
}

static void
programs_that_end_early(void **state)
{
	skip_without_lavapipe();
	expect_run(EXIT_NO_FRAMES, "10 of 90 frames", ENV(lavapipe_env()), "--clock", "virtual",
		"--display", "160x120", "--frames", "90", "--", CUBE, "--frames", "10");
	expect_run(1, "no device 7", ENV(lavapipe_env()), "--frames", "90", "--", CUBE,
		"--device-index", "7");
}

/* Killed by itself, and while it renders. */
static void
programs_that_are_killed(void **state)
{
	const char *script = "\"$0\" & sleep 1; kill -KILL $!; wait $!";

	skip_without_lavapipe();
	expect_run(128 + SIGKILL, "killed by signal 9", NULL, "--", "sh", "-c", "kill -KILL $$");
	expect_run(128 + SIGSEGV, "killed by signal 11", NULL, "--", "sh", "-c", "kill -SEGV $$");
	expect_run(128 + SIGKILL, "krafla-cube", ENV(lavapipe_env()), "--display", "160x120", "--",
		"sh", "-c", script, CUBE);
}

/* RLIMIT_NOFILE of 64, on each kind of surface; the command line with the same limit. */
static void
few_file_descriptors(void **state)
{
	static const char *const kinds[] = {"headless", "xcb"};
	const char *limited = "ulimit -n 64; exec \"$0\" \"$@\"";
	struct spawn child;
	struct kr_xvfb x;

	skip_without_lavapipe();
	kr_xvfb_start(&x, "640x480x24", NULL, NULL);
	for (int i = 0; i < 2; i++) {
		spawn_run(&child, LIMIT_S,
			ARGV("sh", "-c", limited, CUBE, "--surface", kinds[i], "--frames", "60"),
			ENV(lavapipe_env(), env_text("DISPLAY", x.display), "KRAFLA_WSI=platform"));
		expect_code(&child, 0);
		spawn_finish(&child);
	}
	kr_xvfb_stop(&x);
	spawn_run(&child, LIMIT_S,
		ARGV("sh", "-c", limited, prefix_path("bin/krafla"), "run", "--clock", "virtual",
			"--display", "160x120", "--frames", "60", "--capture",
			capture_pattern("few"), "--", CUBE),
		ENV(lavapipe_env()));
	expect_code(&child, 0);
	spawn_finish(&child);
	assert_int_equal(image_count_different(capture_pattern("few"), 60), 60);
}

/* So few that nothing can work: an error with words, not a crash or a hang. */
static void
no_file_descriptors(void **state)
{
	static const char *const limits[] = {"4", "6", "8", "10", "12", "14", "16"};
	const char *limited = "ulimit -n $1; shift; exec \"$0\" \"$@\"";
	struct spawn child;

	skip_without_lavapipe();
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		spawn_run(&child, LIMIT_S,
			ARGV("sh", "-c", limited, CUBE, limits[i], "--surface", "headless",
				"--frames", "30"),
			ENV(lavapipe_env()));
		if (child.code < 0 || child.code > 127)
			fail_msg("with %s descriptors it ended with %d:\n%s", limits[i], child.code,
				child.output);
		if (child.code)
			assert_string_not_equal(child.output, "");
		spawn_finish(&child);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(wrong_command_lines),
	KR_TEST(missing_capture_directory),
	KR_TEST(programs_without_vulkan),
	KR_TEST_SLOW(the_cause_of_nothing_is_named, 0, 60),
	KR_TEST_SLOW(verbose_runs_tell_what_happens, 0, 60),
	KR_TEST_SLOW(programs_that_end_early, 0, 60),
	KR_TEST_SLOW(programs_that_are_killed, 0, 60),
	KR_TEST_SLOW(few_file_descriptors, 0, 120),
	KR_TEST_SLOW(no_file_descriptors, 0, 120),
};

KR_TEST_MAIN(tests)
