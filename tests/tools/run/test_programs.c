/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several programs on one display, as a user types it: words, order, places, exit codes, ends; and
 * that one which is killed, stuck or silent costs the others nothing.
 */
#include "rig.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANY   16
#define FRAMES 12

/* A --program of tests/composer/producer.c. */
static const char *
producing(unsigned frames, const char *action)
{
	static char texts[8 * MANY][512];
	static unsigned next;
	char *text = texts[next++ % (8 * MANY)];

	snprintf(text, sizeof(texts[0]), "%s - %u %s", PRODUCER, frames, action);
	return text;
}

/* Another one, that makes a file when its frames are queued, and sleeps. */
static const char *
waiting(unsigned frames, const char *path)
{
	char action[256];

	snprintf(action, sizeof(action), "wait=%s", path);
	return producing(frames, action);
}

static const char *
summary_file(void)
{
	return kr_test_path("s.json");
}

static const json_t *
program_of(const json_t *summary, size_t number)
{
	const json_t *program = json_array_get(json_object_get(summary, "programs"), number);

	assert_non_null(program);
	return program;
}

static json_int_t
count_of(const json_t *summary, size_t number, const char *key)
{
	return json_integer_value(json_object_get(program_of(summary, number), key));
}

/* Waits, as a user does, until the socket is there. */
static void
wait_for(const char *path)
{
	struct stat st;

	for (int i = 0; i < 1000 && stat(path, &st); i++)
		usleep(10000);
	assert_int_equal(stat(path, &st), 0);
}

/* --- the command line --- */

static void
wrong_programs_are_named(void **state)
{
	static const struct {
		const char *arguments[6];
		const char *said;
	} rows[] = {
		{{"--program", "true 'x"}, "each quote closed"},
		{{"--program", "true \"x"}, "each quote closed"},
		{{"--program", "true \\"}, "each quote closed"},
		{{"--program", ""}, "wants a program"},
		{{"--program", "  \t"}, "wants a program"},
		{{"--program"}, "'--program' needs a value"},
		{{"--program", "true", "--place", "0x5"}, "--place wants"},
		{{"--program", "true", "--place", "5x5+1"}, "--place wants"},
		{{"--program", "true", "--place", "20000x5"}, "--place wants"},
		{{"--program", "true", "--z", "1.5"}, "--z wants a whole number"},
		{{"--program", "true", "--z", "x"}, "--z wants a whole number"},
		{{"--program", "true", "--alpha", "1.1"}, "--alpha wants a number from 0 to 1"},
		{{"--program", "true", "--alpha", "nan"}, "--alpha wants a number from 0 to 1"},
		{{"--place", "5x5"}, "no program is named"},
		{{"--place", "5x5", "--program", "true"}, "a place stands before every --program"},
		{{"--join", "/nonexistent", "--frames", "3", "true"}, "--frames can't work"},
		{{"--join", "/nonexistent", "--display", "3x3", "true"}, "--display can't work"},
		{{"--join", "/nonexistent", "--idle", "3", "true"}, "--idle can't work"},
		{{"--join", "/nonexistent", "--rotate", "90", "true"}, "--rotate can't work"},
		{{"--rotate", "left", "true"}, "--rotate is"},
		{{"--join", "/nonexistent", "--display-colour", "p3", "true"},
			"--display-colour can't work"},
		{{"--display-colour", "P3", "true"}, "--display-colour is 'srgb', 'p3'"},
		{{"--display-colour", "scrgb-nonlinear", "true"}, "not 'scrgb-nonlinear'"},
		{{"--display-colour", "", "true"}, "--display-colour is"},
		{{"--join", "/nonexistent", "--capture", "-", "true"}, "--capture can't work"},
		{{"--join", "/nonexistent", "--socket", "x", "true"}, "--socket can't work"},
		{{"--join", "/nonexistent", "--hidden", "true"}, "krafla layout"},
		{{"--wsi", "driver", "--socket", "x", "true"}, "--socket can't work"},
		{{"--wsi", "driver", "--compose", "gpu", "true"}, "--compose can't work"},
		{{"--wsi", "driver", "--display-colour", "srgb", "true"},
			"--display-colour can't work"},
	};
	struct outcome out;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const *a = rows[i].arguments;

		krafla(&out, "run", a[0], a[1], a[2], a[3], a[4], a[5]);
		assert_said(&out, rows[i].said);
		assert_int_equal(out.code, 2);
	}
	assert_nothing_left();
}

/* The words of a program, a line each. */
static void
words_are_cut_as_a_shell_does_it(void **state)
{
	const char *file = kr_test_path("words");
	char script[4096], text[512];
	struct outcome out;
	FILE *read;

	snprintf(script, sizeof(script),
		"sh -c 'printf \"[%%s]\" \"$@\" >%s' - a  'b  c' \"d'$HOME\" e\\ f '' \"g\\\"h\" "
		"*\ti",
		file);
	krafla(&out, "run", "--program", script);
	assert_int_equal(out.code, 0);
	read = fopen(file, "re");
	assert_non_null(read);
	text[fread(text, 1, sizeof(text) - 1, read)] = '\0';
	fclose(read);
	assert_string_equal(text, "[a][b  c][d'$HOME][e f][][g\"h][*][i]");
}

/* --- ends --- */

static void
the_first_code_in_order_is_the_runs(void **state)
{
	struct outcome out;

	krafla(&out, "run", "--program", "true", "--program", "sh -c 'sleep 0.2; exit 5'",
		"--program", "sh -c 'exit 6'", "true");
	assert_int_equal(out.code, 5);
	krafla(&out, "run", "--program", "true", "--", "sh", "-c", "exit 7");
	assert_int_equal(out.code, 7);
	krafla(&out, "run", "--program", "sh -c 'kill -KILL $$'", "--program", "true");
	assert_int_equal(out.code, 137);
	assert_said(&out, "killed by signal 9");
	assert_nothing_left();
}

/* One that can't be started takes those with it that were. */
static void
one_that_is_missing_ends_all(void **state)
{
	struct outcome out;

	krafla(&out, "run", "--program", "sleep 600", "--program", "/nonexistent/program");
	assert_int_equal(out.code, 127);
	assert_said(&out, "can't run '/nonexistent/program'");
	assert_nothing_left();
}

static void
the_run_ends_with_the_last(void **state)
{
	const char *file = summary_file();
	json_t *summary;
	struct outcome out;

	krafla(&out, "run", "--summary", file, "--clock", "virtual", "--program", producing(2, ""),
		"--program", producing(30, "exit=3"));
	assert_int_equal(out.code, 3);
	summary = read_summary(file);
	assert_int_equal(
		number(summary, "frames", "shown") + number(summary, "frames", "hidden"), 32);
	assert_int_equal(count_of(summary, 0, "queued"), 2);
	assert_int_equal(count_of(summary, 1, "queued"), 30);
	assert_int_equal(count_of(summary, 1, "shown"), 30);
	assert_int_equal(count_of(summary, 0, "windows"), 1);
	assert_int_equal(count_of(summary, 1, "exit_code"), 3);
	/* What was there for one program is the first's. */
	assert_int_equal(number(summary, "program", "queued"), 2);
	assert_int_equal(number(summary, "skipped", "programs"), 0);
	json_decref(summary);
	assert_said(&out, "programs   1 ");
	assert_nothing_left();
}

/* Told to, and then killed, with a sentence for who didn't listen. */
static void
frames_end_all_programs(void **state)
{
	const char *file = summary_file();
	json_t *summary;
	struct outcome out;

	krafla(&out, "run", "--summary", file, "--clock", "virtual", "--frames", "5", "--program",
		producing(100, "deaf"), "--program", producing(3, "deaf"));
	assert_int_equal(out.code, 0);
	assert_said(&out, "was told to end and hasn't: it is killed");
	summary = read_summary(file);
	assert_int_equal(number(summary, "frames", "composed"), 5);
	assert_int_equal(count_of(summary, 1, "signal"), SIGKILL);
	/* All that was queued is somewhere. */
	assert_true(number(summary, "frames", "late") > 0);
	json_decref(summary);
	assert_said(&out, "frames after the last picture that was asked for");
	assert_nothing_left();
}

/* --- places --- */

/* Later ones lie above, unless their z says otherwise. */
static void
order_and_z_say_who_is_seen(void **state)
{
	const char *file = summary_file();
	static const struct {
		const char *z;
		unsigned seen;
	} rows[] = {{"0", 1}, {"-1", 0}};
	struct outcome out;

	for (size_t i = 0; i < 2; i++) {
		json_t *summary;

		krafla(&out, "run", "--summary", file, "--clock", "virtual", "--program",
			producing(4, ""), "--program", producing(4, ""), "--z", rows[i].z);
		assert_int_equal(out.code, 0);
		summary = read_summary(file);
		assert_int_equal(count_of(summary, rows[i].seen, "shown"), 4);
		assert_int_equal(count_of(summary, 1 - rows[i].seen, "hidden"), 4);
		json_decref(summary);
	}
}

static void
hidden_programs_keep_their_pace(void **state)
{
	const char *file = summary_file();
	json_t *summary;
	struct outcome out;

	krafla(&out, "run", "--summary", file, "--clock", "virtual", "--program", producing(9, ""),
		"--hidden", "--program", producing(9, ""), "--place", "100x80+10+20");
	assert_int_equal(out.code, 0);
	summary = read_summary(file);
	assert_int_equal(count_of(summary, 0, "hidden"), 9);
	assert_int_equal(count_of(summary, 1, "shown"), 9);
	json_decref(summary);
}

/* Options before any --program are for PROGRAM. */
static void
places_before_are_programs(void **state)
{
	const char *file = summary_file();
	json_t *summary;
	struct outcome out;

	krafla(&out, "run", "--summary", file, "--clock", "virtual", "--hidden", "--", PRODUCER,
		"-", "3");
	assert_int_equal(out.code, 0);
	summary = read_summary(file);
	assert_int_equal(count_of(summary, 0, "hidden"), 3);
	json_decref(summary);
}

/* --- many --- */

/* Sixteen, side by side; `odd` does something else than present and end. */
static pid_t
start_many(const char *odd, unsigned number_of_odd, const char *socket, const char *output)
{
	const char *arguments[16 + 2 * MANY] = {"krafla", "run", "--clock", "virtual", "--layout",
		"grid", "--display", "320x200", "--idle", "60000", "--summary", summary_file(),
		"--socket", socket};
	unsigned at = 14;

	for (unsigned i = 0; i < MANY; i++) {
		arguments[at++] = "--program";
		arguments[at++] = i == number_of_odd ? odd : producing(FRAMES, "");
	}
	return start(arguments, output);
}

static void
run_many(const char *odd, unsigned number_of_odd, struct outcome *out)
{
	const char *output = kr_test_file("output", "");

	finish(start_many(odd, number_of_odd, kr_test_path("here"), output), output, out);
}

/* Each frame of all others is shown, and the first picture has waited for all. */
static void
check_many(unsigned number_of_odd)
{
	json_t *summary = read_summary(summary_file());

	for (unsigned i = 0; i < MANY; i++) {
		if (i == number_of_odd)
			continue;
		assert_int_equal(count_of(summary, i, "queued"), FRAMES);
		assert_int_equal(count_of(summary, i, "shown"), FRAMES);
		assert_int_equal(count_of(summary, i, "exit_code"), 0);
	}
	assert_int_equal(number(summary, "skipped", "programs"), 0);
	assert_int_equal(number(summary, "skipped", "idle_ticks"), 0);
	json_decref(summary);
	assert_nothing_left();
}

static void
sixteen_are_shown_side_by_side(void **state)
{
	struct outcome out;

	run_many(NULL, MANY, &out);
	assert_int_equal(out.code, 0);
	check_many(MANY);
}

/* With windows, without, before a frame, after some. */
static void
one_of_sixteen_that_is_killed_costs_nobody_a_frame(void **state)
{
	const struct {
		unsigned number;
		const char *program;
		int code;
	} rows[] = {
		{0, producing(0, "kill"), 137},
		{7, producing(5, "kill"), 137},
		{15, producing(FRAMES, "kill"), 137},
		{3, "sh -c 'kill -KILL $$'", 137},
		{9, producing(4, "exit=9"), 9},
	};
	struct outcome out;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		run_many(rows[i].program, rows[i].number, &out);
		assert_int_equal(out.code, rows[i].code);
		check_many(rows[i].number);
	}
}

/* How many programs of a run have ended, as krafla layout tells it. */
static unsigned
count_ended(const char *socket)
{
	const char *file = kr_test_file("list", "");
	const char *const arguments[] = {"krafla", "layout", "--json", socket, NULL};
	json_t *list, *programs;
	struct outcome out;
	unsigned ended = 0;

	finish(start(arguments, file), file, &out);
	assert_int_equal(out.code, 0);
	list = json_load_file(file, 0, NULL);
	assert_non_null(list);
	programs = json_object_get(list, "programs");
	for (size_t i = 0; i < json_array_size(programs); i++)
		ended += json_is_null(json_object_get(json_array_get(programs, i), "pid"));
	json_decref(list);
	return ended;
}

/* One whose fence never signals is hidden after a while; the others go on, and all they show. */
static void
one_of_sixteen_that_is_stuck_costs_nobody_a_frame(void **state)
{
	const char *socket = kr_test_path("here"), *output = kr_test_file("output", "");
	struct outcome out;
	pid_t pid = start_many(producing(2, "hang"), 5, socket, output);

	wait_for(socket);
	while (count_ended(socket) < MANY - 1)
		usleep(50000);
	kill(pid, SIGTERM);
	finish(pid, output, &out);
	assert_int_equal(out.code, 143);
	check_many(5);
}

/* --- the first picture --- */

/* One that is late is waited for; one that never comes only as long as --idle says. */
static void
the_first_picture_waits_for_all(void **state)
{
	const char *file = summary_file();
	char late[4096];
	json_t *summary;
	struct outcome out;

	snprintf(late, sizeof(late), "sh -c 'sleep 0.4; exec %s - 3'", PRODUCER);
	krafla(&out, "run", "--summary", file, "--clock", "virtual", "--idle", "60000", "--layout",
		"grid", "--program", producing(3, ""), "--program", late);
	assert_int_equal(out.code, 0);
	summary = read_summary(file);
	assert_int_equal(number(summary, "frames", "composed"), 3);
	assert_int_equal(number(summary, "skipped", "programs"), 0);
	json_decref(summary);

	krafla(&out, "run", "--summary", file, "--clock", "virtual", "--idle", "100", "--program",
		producing(3, ""), "--program", "sleep 1");
	assert_int_equal(out.code, 0);
	summary = read_summary(file);
	assert_int_equal(number(summary, "skipped", "programs"), 1);
	json_decref(summary);
	assert_said(&out, "another run may give other pictures");
}

/* --- joining --- */

static void
others_join(void **state)
{
	const char *file = summary_file(), *socket = kr_test_path("here"),
		   *said = kr_test_file("host", ""), *drawn = kr_test_path("drawn");
	const char *const host[] = {"krafla", "run", "--socket", socket, "--summary", file,
		"--clock", "virtual", "--idle", "50", "--layout", "grid", "--program",
		waiting(4, drawn), NULL};
	pid_t pid = start(host, said);
	json_t *summary, *windows;
	struct outcome out;

	wait_for(socket);
	wait_for(drawn);
	krafla(&out, "run", "--join", socket, "--program", producing(5, ""), "--program",
		producing(6, "exit=4"));
	assert_int_equal(out.code, 4);
	kill(pid, SIGTERM);
	finish(pid, said, &out);
	summary = read_summary(file);
	windows = json_object_get(summary, "windows");
	assert_int_equal(json_array_size(windows), 3);
	assert_int_equal(count_of(summary, 0, "windows"), 1);
	assert_int_equal(number(summary, "frames", "queued"), 15);
	json_decref(summary);
	/* Their last ones may come too late for a picture: the host was told to end. */
	assert_said(&out, "joined by others: 2 windows, frames 11 queued, 1");
	/* The link is gone with the run. */
	assert_int_equal(access(socket, F_OK), -1);
	assert_nothing_left();
}

static void
what_cant_be_joined_is_named(void **state)
{
	struct outcome out;

	krafla(&out, "run", "--join", "here", "--device", "random:3", "--", "true");
	assert_int_equal(out.code, 2);
	assert_said(&out, "--device can't work");
	krafla(&out, "run", "--join", "here", "--compress", "3", "--", "true");
	assert_int_equal(out.code, 2);
	assert_said(&out, "--compress means nothing without --capture");
	krafla(&out, "run", "--join", kr_test_path("missing"), "--", "true");
	assert_int_equal(out.code, 125);
	assert_said(&out, "No such file or directory");
	krafla(&out, "run", "--join", kr_test_file("file", ""), "--", "true");
	assert_int_equal(out.code, 125);
	assert_said(&out, "no socket");
	krafla(&out, "run", "--socket", kr_test_file("file", ""), "--", "true");
	assert_int_equal(out.code, 125);
	assert_said(&out, "something is there already");
	krafla(&out, "run", "--socket", kr_test_path("missing/here"), "--", "true");
	assert_int_equal(out.code, 125);
	assert_said(&out, "No such file or directory");
}

/* A link that a killed run has left behind is replaced. */
static void
a_dead_runs_link_is_replaced(void **state)
{
	const char *socket = kr_test_path("here");
	char gone[4096];
	struct outcome out;

	snprintf(gone, sizeof(gone), "%s/krafla-run-AAAAAA/display", kr_test_dir());
	assert_int_equal(symlink(gone, socket), 0);
	krafla(&out, "run", "--socket", socket, "--", PRODUCER, "-", "2");
	assert_int_equal(out.code, 0);
	assert_int_equal(access(socket, F_OK), -1);
}

static const struct kr_test tests[] = {
	KR_TEST(wrong_programs_are_named),
	KR_TEST(words_are_cut_as_a_shell_does_it),
	KR_TEST(the_first_code_in_order_is_the_runs),
	KR_TEST(one_that_is_missing_ends_all),
	KR_TEST(the_run_ends_with_the_last),
	KR_TEST(frames_end_all_programs),
	KR_TEST(order_and_z_say_who_is_seen),
	KR_TEST(hidden_programs_keep_their_pace),
	KR_TEST(places_before_are_programs),
	KR_TEST(sixteen_are_shown_side_by_side),
	KR_TEST(one_of_sixteen_that_is_killed_costs_nobody_a_frame),
	KR_TEST(one_of_sixteen_that_is_stuck_costs_nobody_a_frame),
	KR_TEST(the_first_picture_waits_for_all),
	KR_TEST(others_join),
	KR_TEST(what_cant_be_joined_is_named),
	KR_TEST(a_dead_runs_link_is_replaced),
};
KR_TEST_MAIN(tests)
