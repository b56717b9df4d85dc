/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `krafla run --output`: watching while capturing, windows that are closed, servers that go. The
 * program is tests/composer/producer.c, whose pixel x, y of frame n is red x, green y, blue n.
 */
#include "rig.h"

#include "weston.h"
#include "x11_user.h"
#include "xvfb.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define WIDTH  64
#define HEIGHT 48
#define PIXELS (WIDTH * HEIGHT)
#define FRAMES 12

static struct kr_xvfb server;
static struct x11_user user;
static uint32_t seen[PIXELS];

static void
begin(void)
{
	kr_xvfb_start(&server, "400x300x24", NULL, NULL);
	x11_user_begin(&user, server.display);
	setenv("DISPLAY", server.display, 1);
}

static void
end(void)
{
	x11_user_end(&user);
	kr_xvfb_stop(&server);
}

static bool
has_ended(pid_t pid)
{
	siginfo_t info = {0};

	return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == pid;
}

static void
wait_for_window(pid_t pid)
{
	while (!x11_user_read(&user, WIDTH, HEIGHT, seen) || !seen[PIXELS - 1])
		assert_false(has_ended(pid));
}

/* Pixel for pixel what a capture says of the picture that has this blue. */
static void
expect_captured(FILE *capture)
{
	uint32_t number = seen[0] & 0xff;
	uint8_t pixels[PIXELS * 4];

	assert_int_equal(fseek(capture, (long)(number * sizeof(pixels)), SEEK_SET), 0);
	assert_int_equal(fread(pixels, 1, sizeof(pixels), capture), sizeof(pixels));
	for (unsigned i = 0; i < PIXELS; i++)
		assert_int_equal(
			seen[i], pixels[4 * i] << 16 | pixels[4 * i + 1] << 8 | pixels[4 * i + 2]);
}

/* What is watched is what is captured. Each picture is there for 100 ms, and looked at often. */
static void
what_is_seen_is_captured(void **state)
{
	const char *const arguments[MAX_ARGUMENTS] = {"krafla", "run", "--display", "64x48@10",
		"--output", "x11", "--capture", kr_test_path("all.raw"), "--summary",
		kr_test_path("summary"), "--", PRODUCER, "-", "12", NULL};
	const char *output = kr_test_file("output", "");
	static uint32_t kept[FRAMES][PIXELS];
	bool found[FRAMES] = {false};
	struct outcome outcome;
	unsigned count = 0;
	json_t *summary, *screen;
	json_int_t shown;
	FILE *capture;
	pid_t pid;

	begin();
	pid = start(arguments, output);
	while (!has_ended(pid)) {
		uint32_t blue;

		if (!x11_user_read(&user, WIDTH, HEIGHT, seen))
			continue;
		blue = seen[PIXELS - 1] & 0xff;
		/* Before the first picture the window is black. */
		if (blue >= FRAMES || (blue == 0 && seen[PIXELS - 1] == 0))
			continue;
		memcpy(kept[blue], seen, sizeof(seen));
		found[blue] = true;
	}
	finish(pid, output, &outcome);
	assert_int_equal(outcome.code, 0);
	assert_said(&outcome, "  outputs    x11: ");
	capture = fopen(kr_test_path("all.raw"), "re");
	assert_non_null(capture);
	for (unsigned i = 0; i < FRAMES; i++) {
		count += found[i];
		memcpy(seen, kept[i], sizeof(seen));
		if (found[i])
			expect_captured(capture);
	}
	fclose(capture);
	/* The last one goes with its window. */
	assert_true(count >= FRAMES / 2);
	summary = read_summary(kr_test_path("summary"));
	screen = json_array_get(json_object_get(summary, "outputs"), 0);
	assert_string_equal(json_string_value(json_object_get(screen, "output")), "x11");
	shown = json_integer_value(json_object_get(screen, "shown"));
	assert_in_range(shown, FRAMES / 2, FRAMES);
	assert_int_equal(shown + json_integer_value(json_object_get(screen, "dropped")), FRAMES);
	assert_true(json_is_false(json_object_get(screen, "lost")));
	assert_int_equal(number(summary, "frames", "captured"), FRAMES);
	json_decref(summary);
	end();
}

static void
a_closed_window_ends_the_run(void **state)
{
	const char *const arguments[MAX_ARGUMENTS] = {"krafla", "run", "--display", "64x48",
		"--output", "x11", "--summary", kr_test_path("summary"), "--", PRODUCER, "-",
		"1000000", NULL};
	const char *output = kr_test_file("output", "");
	struct outcome outcome;
	json_t *summary;
	pid_t pid;

	begin();
	pid = start(arguments, output);
	wait_for_window(pid);
	x11_user_close_window(&user);
	finish(pid, output, &outcome);
	assert_int_equal(outcome.code, 0);
	summary = read_summary(kr_test_path("summary"));
	assert_string_equal(json_string_value(json_object_get(summary, "ended_by")), "closed");
	json_decref(summary);
	end();
}

/* The run goes on without it, to its last frame. */
static void
a_server_that_goes_ends_nothing(void **state)
{
	const char *const arguments[MAX_ARGUMENTS] = {"krafla", "run", "--display", "64x48",
		"--output", "x11", "--frames", "60", "--summary", kr_test_path("summary"), "--",
		PRODUCER, "-", "1000000", NULL};
	const char *output = kr_test_file("output", "");
	struct outcome outcome;
	json_t *summary;
	pid_t pid;

	begin();
	pid = start(arguments, output);
	wait_for_window(pid);
	kr_xvfb_stop(&server);
	finish(pid, output, &outcome);
	assert_int_equal(outcome.code, 0);
	assert_said(&outcome, "the run goes on without this output");
	assert_said(&outcome, "it was lost");
	summary = read_summary(kr_test_path("summary"));
	assert_int_equal(number(summary, "frames", "composed"), 60);
	json_decref(summary);
	end();
}

/* A server that stands still holds nobody up: neither the display nor the end. */
static void
a_server_that_stands_still_holds_nobody_up(void **state)
{
	const char *const arguments[MAX_ARGUMENTS] = {"krafla", "run", "--display", "64x48",
		"--output", "x11", "--frames", "90", "--summary", kr_test_path("summary"), "--",
		PRODUCER, "-", "1000000", NULL};
	const char *output = kr_test_file("output", "");
	struct outcome outcome;
	json_t *summary, *screen;
	pid_t pid;

	begin();
	pid = start(arguments, output);
	wait_for_window(pid);
	kill(server.pid, SIGSTOP);
	finish(pid, output, &outcome);
	kill(server.pid, SIGCONT);
	assert_int_equal(outcome.code, 0);
	summary = read_summary(kr_test_path("summary"));
	assert_int_equal(number(summary, "frames", "composed"), 90);
	screen = json_array_get(json_object_get(summary, "outputs"), 0);
	assert_true(json_integer_value(json_object_get(screen, "dropped")) > 0);
	assert_true(json_is_false(json_object_get(screen, "lost")));
	json_decref(summary);
	end();
}

/* Two windows, on two servers. */
static void
several_outputs_are_each_their_own(void **state)
{
	struct kr_xvfb second;
	struct outcome outcome;
	char there[40];

	begin();
	kr_xvfb_start(&second, "400x300x24", NULL, NULL);
	snprintf(there, sizeof(there), "x11:%s", second.display);
	krafla(&outcome, "run", "--display", "64x48@10", "--output", "x11", "--output", there, "--",
		PRODUCER, "-", "9");
	assert_int_equal(outcome.code, 0);
	assert_said(&outcome, "  outputs    x11: ");
	assert_said(&outcome, there);
	assert_said(&outcome, " left out");
	kr_xvfb_stop(&second);
	end();
}

/* On Weston, and headless there: nobody but Weston sees it, and what is captured is complete. */
static void
wayland_is_watched(void **state)
{
	struct kr_weston weston;
	struct outcome outcome;
	char there[200];
	json_t *summary, *screen;

	kr_weston_start(&weston);
	snprintf(there, sizeof(there), "wayland:%s", strchr(weston.display, '=') + 1);
	krafla(&outcome, "run", "--display", "64x48", "--output", there, "--capture",
		kr_test_path("all.raw"), "--summary", kr_test_path("summary"), "--", PRODUCER, "-",
		"30");
	assert_int_equal(outcome.code, 0);
	assert_said(&outcome, "30 written to");
	summary = read_summary(kr_test_path("summary"));
	screen = json_array_get(json_object_get(summary, "outputs"), 0);
	assert_in_range(json_integer_value(json_object_get(screen, "shown")), 1, 30);
	assert_int_equal(json_integer_value(json_object_get(screen, "shown")) +
			json_integer_value(json_object_get(screen, "dropped")),
		30);
	json_decref(summary);
	kr_weston_stop(&weston);
}

/* A compositor that hangs up on everybody. */
static void
a_server_that_goes_at_once_ends_the_run(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct outcome outcome;
	char there[200];
	pid_t pid;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", kr_test_path("gone"));
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(listener, 1), 0);
	pid = fork();
	if (pid == 0) {
		close(accept(listener, NULL, NULL));
		_exit(0);
	}
	snprintf(there, sizeof(there), "wayland:%s", address.sun_path);
	krafla(&outcome, "run", "--output", there, "--", PRODUCER, "-", "30");
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(listener);
	assert_int_equal(outcome.code, 125);
	assert_said(&outcome, "the connection to the compositor broke\n");
}

static void
what_cant_be_had_is_said(void **state)
{
	static const struct {
		const char *output, *second;
		int code;
		const char *words;
	} rows[] = {
		{"x11", NULL, 125, "set DISPLAY"},
		{"x11:987", NULL, 125, "can't reach the X server ':987'"},
		{"wayland", NULL, 125, "set WAYLAND_DISPLAY"},
		{"wayland:/nowhere", NULL, 125, "can't reach the compositor '/nowhere'"},
		{"television", NULL, 2, "not 'television'"},
		{"", NULL, 2, "not ''"},
		{"headless:1", NULL, 2, "nothing behind a colon"},
		{"headless", "x11", 2, "shows nothing"},
		{"x11", "headless", 2, "shows nothing"},
	};
	struct outcome outcome;

	unsetenv("DISPLAY");
	unsetenv("WAYLAND_DISPLAY");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].second)
			krafla(&outcome, "run", "--output", rows[i].output, "--output",
				rows[i].second, "--", PRODUCER, "-", "1");
		else
			krafla(&outcome, "run", "--output", rows[i].output, "--", PRODUCER, "-",
				"1");
		assert_int_equal(outcome.code, rows[i].code);
		assert_said(&outcome, rows[i].words);
		assert_nothing_left();
	}
	krafla(&outcome, "run", "--output", "x11", "--output", "x11", "--output", "x11", "--output",
		"x11", "--output", "x11", "--", PRODUCER, "-", "1");
	assert_int_equal(outcome.code, 2);
	assert_said(&outcome, "4 times at most");
	krafla(&outcome, "run", "--output", "x11", "--wsi", "driver", "--", PRODUCER, "-", "1");
	assert_int_equal(outcome.code, 2);
	krafla(&outcome, "run", "--output", "headless", "--", PRODUCER, "-", "3");
	assert_int_equal(outcome.code, 0);
	assert_said(&outcome, "3 made of nothing, as nobody looked");
}

/* A module that isn't there, and one of another version. */
static void
modules_that_dont_fit_are_said(void **state)
{
	struct outcome outcome;

	setenv("KRAFLA_OUTPUT_PATH", kr_test_dir(), 1);
	krafla(&outcome, "run", "--output", "x11:1", "--", PRODUCER, "-", "1");
	assert_int_equal(outcome.code, 125);
	assert_said(&outcome, "no output module");
	setenv("KRAFLA_OUTPUT_PATH", MODULES, 1);
	krafla(&outcome, "run", "--output", "x11:1", "--", PRODUCER, "-", "1");
	assert_int_equal(outcome.code, 125);
	assert_said(&outcome, "it needs the module that was installed with it");
}

/* The producer's picture: red is x, green is y, both sRGB. */
static bool
is_as_drawn(unsigned tolerance)
{
	for (unsigned i = 0; i < PIXELS; i++) {
		int red = (int)(seen[i] >> 16 & 0xff) - (int)(i % WIDTH);
		int green = (int)(seen[i] >> 8 & 0xff) - (int)(i / WIDTH);

		if ((unsigned)abs(red) > tolerance || (unsigned)abs(green) > tolerance)
			return false;
	}
	return true;
}

/* Windows of X are sRGB, whatever the display is. */
static void
displays_of_any_colour_are_seen(void **state)
{
	static const struct {
		const char *name;
		unsigned tolerance; /* 8 bits of P3 lose more than 10 of PQ */
	} rows[] = {
		{"srgb", 0},
		{"p3", 3},
		{"bt2020-pq", 2},
		{"bt2020-hlg", 5},
		{"scrgb", 1},
	};

	begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const arguments[MAX_ARGUMENTS] = {"krafla", "run", "--display",
			"64x48@10", "--display-colour", rows[i].name, "--output", "x11",
			"--summary", kr_test_path("summary"), "--", PRODUCER, "-", "5", NULL};
		const char *output = kr_test_file("output", "");
		struct outcome outcome;
		bool found = false;
		json_t *summary;
		pid_t pid = start(arguments, output);

		while (!has_ended(pid))
			found |= x11_user_read(&user, WIDTH, HEIGHT, seen) && seen[PIXELS - 1] &&
				is_as_drawn(rows[i].tolerance);
		finish(pid, output, &outcome);
		assert_int_equal(outcome.code, 0);
		assert_said(&outcome, rows[i].name);
		assert_true(found);
		summary = read_summary(kr_test_path("summary"));
		assert_string_equal(json_string_value(json_object_get(
					    json_object_get(summary, "display"), "colour")),
			rows[i].name);
		json_decref(summary);
	}
	end();
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(displays_of_any_colour_are_seen, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(what_is_seen_is_captured, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(a_closed_window_ends_the_run, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(a_server_that_goes_ends_nothing, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(a_server_that_stands_still_holds_nobody_up, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(several_outputs_are_each_their_own, KR_TEST_KEEPS_MEMORY),
	KR_TEST(a_server_that_goes_at_once_ends_the_run),
	KR_TEST(wayland_is_watched),
	KR_TEST_FLAGS(what_cant_be_had_is_said, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(modules_that_dont_fit_are_said, KR_TEST_KEEPS_MEMORY),
};
KR_TEST_MAIN(tests)
