/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several unmodified programs of lavapipe on one display: where their windows lie, who is above,
 * and that one of sixteen cubes which is killed at any moment costs the others no frame.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture.h"
#include "harness.h"
#include "spawn.h"
#include "xvfb.h"

#define LIMIT_S  100
#define LOOK_S   60
#define LAYOUT_S 20
#define PICTURES 12
#define SIZE     160
#define PLACE    40
#define MANY     16
#define FRAMES   25
#define ENDLESS  1000000

static const char *
text_of(const char *format, const char *word, unsigned number)
{
	static char texts[4][1024];
	static unsigned next;
	char *text = texts[next++ % 4];

	snprintf(text, sizeof(texts[0]), format, word, number);
	return text;
}

/* What a cube of its own display looks like, picture by picture. */
static void
capture_alone(void)
{
	capture("alone", "160x160", "12", ARGV(prefix_path("bin/krafla-cube"), "--size", "160x160"),
		ENV(lavapipe_env()));
}

/* vkcube, in the middle, and above it a cube at a place, both with their nth frame in picture n. */
static void
capture_both(const struct kr_xvfb *x, const char *name)
{
	char file[64];
	struct spawn child;

	snprintf(file, sizeof(file), "%s.json", name);
	spawn_run(&child, LIMIT_S,
		KRAFLA_RUN("--clock", "virtual", "--idle", "60000", "--display", "640x640",
			"--frames", "12", "--capture", capture_pattern(name), "--summary",
			kr_test_path(file), "--program", "vkcube --c 100", "--program",
			text_of("%s --size %ux160", prefix_path("bin/krafla-cube"), SIZE),
			"--place", "160x160+40+40"),
		ENV(lavapipe_env(), env_text("DISPLAY", x->display)));
	expect_code(&child, 0);
	expect_no_text(&child, "error");
	spawn_finish(&child);
}

static void
a_cube_lies_on_vkcube_where_it_was_put(void **state)
{
	struct image whole, part, alone, vkcube[2];
	struct kr_xvfb x;
	json_t *summary;

	skip_without_lavapipe();
	kr_xvfb_start(&x, "640x640x24", NULL, NULL);
	capture_alone();
	capture_both(&x, "both");
	capture_both(&x, "again");
	for (unsigned i = 1; i <= PICTURES; i++) {
		capture_load(&whole, "both", i);
		capture_load(&alone, "alone", i);
		image_crop(&part, &whole, PLACE, SIZE);
		assert_int_equal(image_difference(&part, &alone), 0);
		if (i == 1 || i == PICTURES)
			image_crop(&vkcube[i == PICTURES], &whole, PLACE + SIZE, SIZE);
		image_free(&part);
		image_free(&alone);
		/* Another run gives the same pictures. */
		capture_load(&part, "again", i);
		assert_int_equal(image_difference(&whole, &part), 0);
		image_free(&part);
		image_free(&whole);
	}
	assert_true(image_difference(&vkcube[0], &vkcube[1]) > 0);
	image_free(&vkcube[0]);
	image_free(&vkcube[1]);
	summary = capture_summary("both");
	assert_int_equal(summary_number(summary, "skipped", "programs"), 0);
	assert_int_equal(summary_number(summary, "frames", "shown"), 2 * PICTURES);
	json_decref(summary);
	kr_xvfb_stop(&x);
}

/* Process and frames of a program, as krafla layout tells them; false: it has no window yet. */
static bool
look(const char *socket, unsigned program, json_int_t *pid, json_int_t *queued)
{
	struct spawn child;
	json_t *all, *window;
	bool found = false;
	size_t i;

	spawn_run(&child, LAYOUT_S, ARGV(prefix_path("bin/krafla"), "layout", "--json", socket),
		NULL);
	all = child.code == 0 ? json_loads(child.output, 0, NULL) : NULL;
	json_array_foreach(json_object_get(all, "windows"), i, window)
	{
		if (json_integer_value(json_object_get(window, "program")) != program)
			continue;
		*pid = json_integer_value(json_object_get(window, "pid"));
		*queued = json_integer_value(json_object_get(window, "queued"));
		found = true;
	}
	json_decref(all);
	spawn_finish(&child);
	return found;
}

/* Waits until a window of the program has had so many frames; fails the case if none ever has. */
static pid_t
wait_for_frames(struct spawn *krafla, const char *socket, unsigned program, unsigned frames)
{
	time_t end = time(NULL) + LOOK_S;
	json_int_t pid = 0, queued = 0;
	siginfo_t ended = {0};
	bool seen;

	while (!(seen = look(socket, program, &pid, &queued)) || queued < (json_int_t)frames) {
		waitid(P_PID, (id_t)krafla->pid, &ended, WEXITED | WNOHANG | WNOWAIT);
		if (!ended.si_pid && time(NULL) < end) {
			usleep(5000);
			continue;
		}
		spawn_wait(krafla, 0);
		fail_msg("program %u %s, with %u of %u frames, %s; krafla run printed:\n%s",
			program, seen ? "has a window" : "has no window", (unsigned)queued, frames,
			ended.si_pid ? "and krafla run has ended" : "after the longest wait",
			krafla->output);
	}
	assert_true(pid > 1);
	return (pid_t)pid;
}

/* The victim draws until it is killed, however late that is: it was at its end before otherwise. */
static void
start_many(struct spawn *child, const char *socket, unsigned victim)
{
	const char *words[16 + 2 * MANY] = {prefix_path("bin/krafla"), "run", "--clock", "virtual",
		"--idle", "60000", "--layout", "grid", "--display", "256x256", "--summary",
		kr_test_path("many.json"), "--socket", socket};
	const char *cube =
		text_of("%s --size 64x64 --frames %u", prefix_path("bin/krafla-cube"), FRAMES);
	const char *endless =
		text_of("%s --size 64x64 --frames %u", prefix_path("bin/krafla-cube"), ENDLESS);
	size_t count = 14;

	for (unsigned i = 1; i <= MANY; i++) {
		words[count++] = "--program";
		words[count++] = i == victim ? endless : cube;
	}
	spawn_start(child, words, ENV(lavapipe_env()));
}

/* Which of them, and after how many frames, another each time; what they were is told. */
static void
one_of_sixteen_cubes_is_killed(void **state)
{
	unsigned seed = (unsigned)time(NULL) ^ (unsigned)getpid(), victim, after;
	const char *socket = kr_test_path("here");
	struct spawn child;
	json_t *summary, *program;
	size_t i;

	skip_without_lavapipe();
	srandom(seed);
	victim = (unsigned)random() % MANY + 1;
	after = (unsigned)random() % (FRAMES / 2);
	print_message("# program %u, after %u frames (seed %u)\n", victim, after, seed);
	start_many(&child, socket, victim);
	kill(wait_for_frames(&child, socket, victim, after), SIGKILL);
	spawn_wait(&child, LIMIT_S);
	expect_text(&child, "killed by signal 9");
	expect_code(&child, 137);
	spawn_finish(&child);
	summary = capture_summary("many");
	assert_int_equal(json_array_size(json_object_get(summary, "programs")), MANY);
	json_array_foreach(json_object_get(summary, "programs"), i, program)
	{
		if (i + 1 == victim)
			continue;
		assert_int_equal(json_integer_value(json_object_get(program, "queued")), FRAMES);
		assert_int_equal(json_integer_value(json_object_get(program, "shown")), FRAMES);
		assert_int_equal(json_integer_value(json_object_get(program, "exit_code")), 0);
	}
	assert_int_equal(summary_number(summary, "skipped", "programs"), 0);
	assert_int_equal(summary_number(summary, "skipped", "idle_ticks"), 0);
	json_decref(summary);
}

/* A cube joins vkcube's display with a krafla of its own. */
static void
a_cube_joins_vkcube(void **state)
{
	const char *socket = kr_test_path("here");
	struct spawn host, guest;
	struct kr_xvfb x;

	skip_without_lavapipe();
	kr_xvfb_start(&x, "640x640x24", NULL, NULL);
	spawn_start(&host,
		KRAFLA_RUN("--display", "640x640", "--socket", socket, "--summary",
			kr_test_path("host.json"), "vkcube"),
		ENV(lavapipe_env(), env_text("DISPLAY", x.display)));
	wait_for_frames(&host, socket, 1, 0);
	spawn_run(&guest, LIMIT_S,
		KRAFLA_RUN("--join", socket, "--", prefix_path("bin/krafla-cube"), "--size",
			"64x64", "--frames", "10"),
		ENV(lavapipe_env()));
	expect_code(&guest, 0);
	expect_no_text(&guest, "error");
	spawn_finish(&guest);
	kill(host.pid, SIGTERM);
	spawn_wait(&host, LIMIT_S);
	expect_text(&host, "joined by others: 1 window, frames 10 queued");
	spawn_finish(&host);
	kr_xvfb_stop(&x);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(a_cube_lies_on_vkcube_where_it_was_put, 0, 120),
	KR_TEST_SLOW(one_of_sixteen_cubes_is_killed, 0, 120),
	KR_TEST_SLOW(a_cube_joins_vkcube, 0, 120),
};
KR_TEST_MAIN(tests)
