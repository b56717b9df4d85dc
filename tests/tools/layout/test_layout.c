/* SPDX-License-Identifier: Apache-2.0 */
/* `krafla layout` from outside: what it lists, what it changes, which run it means. */
#include "../run/rig.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct host {
	pid_t pid;
	const char *socket;
	const char *said;
};

/* Its pictures go there; NULL: nowhere. */
static void
begin_capturing(struct host *host, const char *name, const char *capture)
{
	static char program[2][512];
	char file[64];
	struct stat st;

	snprintf(file, sizeof(file), "said-%s", name);
	host->socket = kr_test_path(name);
	host->said = kr_test_file(file, "");
	snprintf(program[0], sizeof(program[0]), "%s - 3 wait", PRODUCER);
	snprintf(program[1], sizeof(program[1]), "%s - 2 wait", PRODUCER);
	{
		const char *const arguments[] = {"krafla", "run", "--display", "64x48", "--socket",
			host->socket, "--program", program[0], "--program", program[1],
			capture ? "--capture" : NULL, capture, NULL};

		host->pid = start(arguments, host->said);
	}
	for (int i = 0; i < 1000 && stat(host->socket, &st); i++)
		usleep(10000);
	assert_int_equal(stat(host->socket, &st), 0);
}

static void
begin(struct host *host, const char *name)
{
	begin_capturing(host, name, NULL);
}

static void
end(const struct host *host)
{
	struct outcome out;

	kill(host->pid, SIGTERM);
	finish(host->pid, host->said, &out);
	assert_int_equal(out.code, 143);
	assert_nothing_left();
}

static json_t *
list(const struct host *host)
{
	struct outcome out;
	json_t *all;

	krafla(&out, "layout", "--json", host->socket);
	assert_int_equal(out.code, 0);
	all = json_loads(out.text, 0, NULL);
	assert_non_null(all);
	return all;
}

/* Both windows, the first program's first, with all frames that they will queue. */
static json_t *
list_windows(const struct host *host)
{
	for (int i = 0; i < 1000; i++) {
		json_t *all = list(host), *windows = json_object_get(all, "windows");
		json_int_t frames = 0;

		for (size_t j = 0; j < json_array_size(windows); j++) {
			const json_t *window = json_array_get(windows, j);

			frames += json_integer_value(json_object_get(window, "shown")) +
				json_integer_value(json_object_get(window, "hidden")) +
				json_integer_value(json_object_get(window, "dropped"));
		}
		if (frames == 5)
			return all;
		json_decref(all);
		usleep(10000);
	}
	fail_msg("the windows never showed their frames");
	return NULL;
}

static const json_t *
window_of(const json_t *all, unsigned program)
{
	const json_t *windows = json_object_get(all, "windows");

	for (size_t i = 0; i < json_array_size(windows); i++) {
		const json_t *window = json_array_get(windows, i);

		if (json_integer_value(json_object_get(window, "program")) == program)
			return window;
	}
	fail_msg("program %u has no window", program);
	return NULL;
}

static json_int_t
of(const json_t *window, const char *key)
{
	const json_t *value = json_object_get(window, key);

	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

static void
windows_are_listed(void **state)
{
	struct host host;
	struct outcome out;
	json_t *all;

	begin(&host, "here");
	all = list_windows(&host);
	assert_int_equal(of(all, "pid"), host.pid);
	assert_string_equal(json_string_value(json_object_get(all, "layout")), "native");
	assert_int_equal(json_array_size(json_object_get(all, "programs")), 2);
	assert_int_equal(of(window_of(all, 1), "queued"), 3);
	assert_int_equal(of(window_of(all, 2), "queued"), 2);
	assert_int_equal(of(window_of(all, 2), "width"), 64);
	assert_true(json_is_true(json_object_get(window_of(all, 1), "visible")));
	json_decref(all);
	krafla(&out, "layout", host.socket);
	assert_int_equal(out.code, 0);
	assert_said(&out, "layout   native");
	assert_said(&out, "programs 1 ");
	assert_said(&out, " (pid ");
	assert_said(&out, "64x48+0+0");
	assert_said(&out, "producer");
	end(&host);
}

/* Each window's wish as it stands, and the rate that came of them. */
static void
rates_are_listed(void **state)
{
	struct host host = {.socket = kr_test_path("rates"), .said = kr_test_file("said", "")};
	const char *const run[] = {"krafla", "run", "--display", "64x48@60,23.976", "--socket",
		host.socket, "--", PRODUCER, "-", "3", "fixed=23.976,wait", NULL};
	struct outcome out;
	struct stat st;
	json_t *all = NULL;
	const json_t *wish;

	host.pid = start(run, host.said);
	for (int i = 0; i < 1000 && stat(host.socket, &st); i++)
		usleep(10000);
	for (int i = 0; i < 1000; i++) {
		all = list(&host);
		if (json_integer_value(json_object_get(all, "refresh_mhz")) == 23976)
			break;
		json_decref(all);
		usleep(10000);
	}
	assert_int_equal(of(all, "refresh_mhz"), 23976);
	wish = json_object_get(window_of(all, 1), "wish");
	assert_true(json_real_value(json_object_get(wish, "hz")) == 23.976);
	assert_string_equal(
		json_string_value(json_object_get(wish, "compatibility")), "fixed_source");
	assert_string_equal(json_string_value(json_object_get(wish, "strategy")), "always");
	json_decref(all);
	krafla(&out, "layout", host.socket);
	assert_said(&out, "screen   64x48, turned 0, 23.976 Hz\n");
	assert_said(&out, " n*23.976 ");
	end(&host);
}

static void
places_change_while_it_runs(void **state)
{
	struct host host;
	struct outcome out;
	char window[32];
	json_t *all;

	begin(&host, "here");
	all = list_windows(&host);
	snprintf(window, sizeof(window), "%d", (int)of(window_of(all, 2), "window"));
	json_decref(all);
	krafla(&out, "layout", "--layout", "grid", "--program", "1", "--place", "20x10-5+7",
		"--alpha", "0.25", "--z", "3", "--window", window, "--hide", host.socket);
	assert_int_equal(out.code, 0);
	assert_string_equal(out.text, "");
	/* The place that a window has on the picture comes with the next one. */
	for (int i = 0; i < 1000; i++) {
		all = list(&host);
		if (of(window_of(all, 1), "width") == 20)
			break;
		json_decref(all);
		usleep(10000);
	}
	assert_string_equal(json_string_value(json_object_get(all, "layout")), "grid");
	assert_int_equal(of(window_of(all, 1), "width"), 20);
	assert_int_equal(of(window_of(all, 1), "height"), 10);
	assert_int_equal(of(window_of(all, 1), "x"), -5);
	assert_int_equal(of(window_of(all, 1), "y"), 7);
	assert_int_equal(of(window_of(all, 1), "z"), 3);
	assert_true(json_real_value(json_object_get(window_of(all, 1), "alpha")) == 0.25);
	assert_true(json_is_false(json_object_get(window_of(all, 2), "visible")));
	json_decref(all);
	/* What isn't named stays. */
	krafla(&out, "layout", "--program", "1", "--z", "-2", "--window", window, "--show",
		host.socket);
	assert_int_equal(out.code, 0);
	all = list(&host);
	assert_int_equal(of(window_of(all, 1), "z"), -2);
	assert_int_equal(of(window_of(all, 1), "x"), -5);
	assert_true(json_is_true(json_object_get(window_of(all, 2), "visible")));
	json_decref(all);
	end(&host);
}

static void
screens_are_turned_while_they_run(void **state)
{
	struct host host;
	struct outcome out;
	json_t *all;

	begin(&host, "here");
	all = list_windows(&host);
	assert_string_equal(json_string_value(json_object_get(all, "rotate")), "0");
	json_decref(all);
	krafla(&out, "layout", "--rotate", "mirror-90", host.socket);
	assert_int_equal(out.code, 0);
	assert_string_equal(out.text, "");
	all = list(&host);
	assert_string_equal(json_string_value(json_object_get(all, "rotate")), "mirror-90");
	assert_int_equal(of(all, "width"), 64);
	assert_int_equal(of(all, "height"), 48);
	json_decref(all);
	krafla(&out, "layout", host.socket);
	assert_said(&out, "screen   64x48, turned mirror-90");
	krafla(&out, "layout", "--display", "40x90", host.socket);
	assert_int_equal(out.code, 0);
	for (int i = 0; i < 1000; i++) {
		all = list(&host);
		if (of(all, "width") == 40)
			break;
		json_decref(all);
		usleep(10000);
	}
	assert_int_equal(of(all, "height"), 90);
	json_decref(all);
	end(&host);
}

/* What is captured keeps its size, and that is said in words. */
static void
captured_pictures_keep_their_size(void **state)
{
	struct host host;
	struct outcome out;

	begin_capturing(&host, "here", kr_test_path("all.raw"));
	krafla(&out, "layout", "--display", "40x90", host.socket);
	assert_int_equal(out.code, 125);
	assert_said(&out, "keep their size while the run captures them");
	end(&host);
}

/* By its process, by its socket, or because there is no other. */
static void
runs_are_found(void **state)
{
	struct host one, two;
	struct outcome out;
	char pid[32];

	krafla(&out, "layout", "1");
	assert_int_equal(out.code, 125);
	assert_said(&out, "process 1 is no krafla run");
	begin(&one, "one");
	snprintf(pid, sizeof(pid), "%d", one.pid);
	krafla(&out, "layout", pid);
	assert_int_equal(out.code, 0);
	begin(&two, "two");
	krafla(&out, "layout");
	assert_int_equal(out.code, 125);
	assert_said(&out, "name one by its process or socket");
	assert_said(&out, pid);
	krafla(&out, "layout", pid);
	assert_int_equal(out.code, 0);
	kill(one.pid, SIGTERM);
	finish(one.pid, one.said, &out);
	end(&two);
}

static void
what_isnt_there_is_named(void **state)
{
	struct host host;
	struct outcome out;

	begin(&host, "here");
	krafla(&out, "layout", "--program", "3", "--hide", host.socket);
	assert_int_equal(out.code, 125);
	assert_said(&out, "no program 3");
	krafla(&out, "layout", "--window", "999", "--hide", host.socket);
	assert_int_equal(out.code, 125);
	assert_said(&out, "no window 999");
	krafla(&out, "layout", kr_test_path("missing"));
	assert_int_equal(out.code, 125);
	assert_said(&out, "No such file or directory");
	end(&host);
}

static void
wrong_options_are_named(void **state)
{
	static const struct {
		const char *arguments[4];
		const char *said;
	} rows[] = {
		{{"--layout", "tiled"}, "--layout is"},
		{{"--rotate", "45"}, "--rotate is"},
		{{"--display", "45"}, "--display wants"},
		{{"--display", "0x5"}, "--display wants"},
		{{"--display", "16385x5"}, "--display wants"},
		{{"--display", "5x5x"}, "--display wants"},
		{{"--program", "0", "--hide"}, "--program wants a number"},
		{{"--program", "-1", "--hide"}, "--program wants a number"},
		{{"--program", "4294967296", "--hide"}, "--program wants a number"},
		{{"--window", "x", "--hide"}, "--window wants a number"},
		{{"--window", "99999999999999999999", "--hide"}, "--window wants a number"},
		{{"--hide"}, "name the window first"},
		{{"--place", "3x3"}, "name the window first"},
		{{"--window", "2"}, "nothing is asked for window 2"},
		{{"--program", "2", "--alpha", "2"}, "--alpha wants"},
		{{"--json", "--layout", "grid"}, "--json is for the list"},
		{{"one", "two"}, "one argument too many"},
		{{"--nonsense"}, "option '--nonsense'"},
	};
	struct outcome out;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const *a = rows[i].arguments;

		krafla(&out, "layout", a[0], a[1], a[2], a[3]);
		assert_said(&out, rows[i].said);
		assert_int_equal(out.code, 2);
	}
	krafla(&out, "layout", "--help");
	assert_int_equal(out.code, 0);
	assert_said(&out, "usage: krafla layout");
}

static const struct kr_test tests[] = {
	KR_TEST(windows_are_listed),
	KR_TEST(rates_are_listed),
	KR_TEST(places_change_while_it_runs),
	KR_TEST(screens_are_turned_while_they_run),
	KR_TEST(captured_pictures_keep_their_size),
	KR_TEST(runs_are_found),
	KR_TEST(what_isnt_there_is_named),
	KR_TEST(wrong_options_are_named),
};
KR_TEST_MAIN(tests)
