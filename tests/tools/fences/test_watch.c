/* SPDX-License-Identifier: Apache-2.0 */
/* `krafla fences`: leaks, by one look and by several; `--watch` on a terminal and off. */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define FRAMES 60

/* Of a child that leaks sixty times and no more, looked at until the leak is named. */
static void
assert_named(const char *mode, const char *expected)
{
	struct rig_child child = rig_start(mode, FRAMES, 0);
	int code = rig_fences(
		NULL, "--watch --budget 86400000 --interval 50 --samples 60 %d", child.pid);

	rig_end(&child);
	if (code != 1 || !strstr(rig_said, expected))
		fail_msg("exit code %d, and '%s' isn't in:\n%s", code, expected, rig_said);
}

/* One descriptor a frame is named within 60 frames: a fence, */
static void
leaked_fences_are_named(void **state)
{
	assert_named("leak", " descriptors of signalled fences of timeline ring");
	rig_assert_said(" s: leak: process ");
}

/* an end that should signal, */
static void
leaked_ends_are_named(void **state)
{
	assert_named("leak-ends", " ends that should signal fences of timeline ring");
}

/* and what is no fence, which only its growth tells. */
static void
leaked_eventfds_are_named(void **state)
{
	struct rig_child child = rig_start("leak-eventfds", 0, 0);
	int code = rig_fences(
		NULL, "--watch --budget 86400000 --interval 100 --samples 30 %d", child.pid);

	rig_end(&child);
	assert_int_equal(code, 1);
	rig_assert_said(" eventfds, ");
	rig_assert_said(" more than ");
	/* It is told once, however often it is seen. */
	assert_null(strstr(strstr(rig_said, " eventfds, ") + 1, " eventfds, "));
}

/* One look is enough once they have piled up. */
static void
one_look_sees_a_pile(void **state)
{
	struct rig_child child = rig_start("leak", FRAMES, 0);
	const json_t *finding;
	json_t *all = NULL;
	size_t count = 0;

	for (int i = 0; i < 400 && count < FRAMES + 1; i++) {
		json_decref(all);
		usleep(20000);
		rig_fences(NULL, "--json --budget 86400000 %d", child.pid);
		all = json_loads(rig_said, 0, NULL);
		count = rig_count(all, "fences");
	}
	assert_int_equal(count, FRAMES + 1);
	finding = rig_item(all, "findings", 0);
	assert_string_equal(rig_text(finding, "kind"), "leak");
	assert_int_equal(rig_number(finding, "pid"), child.pid);
	assert_string_equal(rig_text(finding, "timeline"), "ring");
	assert_int_equal(rig_number(finding, "descriptors"), FRAMES);
	assert_int_equal(rig_number(finding, "grown"), 0);
	json_decref(all);
	rig_end(&child);
}

/* A few that have signalled long ago are one too; a few young ones are what every program has. */
static void
old_fences_are_a_leak_sooner(void **state)
{
	struct rig_child child = rig_start("leak", 10, 0);
	json_t *all = NULL;
	size_t count = 0;

	for (int i = 0; i < 400 && count < 11; i++) {
		json_decref(all);
		usleep(20000);
		rig_fences(NULL, "--json --budget 86400000 %d", child.pid);
		all = json_loads(rig_said, 0, NULL);
		count = rig_count(all, "fences");
	}
	assert_int_equal(count, 11);
	assert_int_equal(rig_count(all, "findings"), 0);
	json_decref(all);
	usleep(20000);
	all = rig_json(NULL, "--budget 10 %d", child.pid, 1);
	assert_string_equal(rig_text(rig_item(all, "findings", 0), "kind"), "leak");
	json_decref(all);
	rig_end(&child);
}

/* A program that closes its fences, frame after frame, is left in peace. */
static void
sound_program_is_not_flagged(void **state)
{
	struct rig_child child = rig_start("fine", 0, 0);
	int code = rig_fences(
		NULL, "--watch --budget 86400000 --interval 20 --samples 60 %d", child.pid);

	rig_end(&child);
	assert_string_equal(rig_said, "nothing is late or leaks, in 60 looks\n");
	assert_int_equal(code, 0);
}

/*
 * An age that a fence doesn't tell is how long it was seen: so an unnamed one is late in the end.
 */
static void
unnamed_fence_is_late_by_watching(void **state)
{
	struct rig_child child = rig_start("unnamed", 0, 0);
	int code =
		rig_fences(NULL, "--watch --budget 100 --interval 20 --samples 50 %d", child.pid);

	rig_end(&child);
	assert_int_equal(code, 1);
	rig_assert_said(" s: late: without a name (made by process ");
}

/* A watch is over when those have ended whom it was for; each look is a line of JSON. */
static void
watch_ends_with_the_process(void **state)
{
	struct rig_child child = rig_start("orphan", 0, 0), ended = child;
	size_t lines = 0;
	pid_t closer = fork();

	if (!closer) {
		usleep(300000);
		kill(child.pid, SIGKILL);
		_exit(0);
	}
	rig_fences(NULL, "--watch --json --interval 20 %d", ended.pid);
	for (char *line = strtok(rig_said, "\n"); line; line = strtok(NULL, "\n")) {
		json_t *all = json_loads(line, 0, NULL);

		assert_non_null(all);
		json_decref(all);
		lines++;
	}
	assert_true(lines > 1);
	waitpid(closer, NULL, 0);
	rig_end(&child);
}

/*
 * S-07: a program on a display that leaks a fence a frame is named, and its fences by
 * window and slot.
 */
static void
leaky_window_is_named(void **state)
{
	char runtime[300], expected[64];
	const char *const arguments[] = {
		"/usr/bin/env", runtime, KRAFLA, "run", "--display", "64x64", "--", WINDOW, NULL};
	struct rig_child child;
	bool named = false;
	json_t *all;
	int code;

	snprintf(runtime, sizeof(runtime), "XDG_RUNTIME_DIR=%s", kr_test_dir());
	child = rig_start_program(arguments, 0);
	assert_true(child.pid > 0);
	code = rig_fences(
		NULL, "--watch --budget 86400000 --interval 50 --samples 60 %d", child.pid);
	assert_int_equal(code, 1);
	snprintf(expected, sizeof(expected), "leak: process %d (fences_window) has ", child.pid);
	rig_assert_said(expected);
	rig_assert_said(" descriptors of signalled fences of timeline app");
	all = rig_json(NULL, "--budget 86400000 %d", child.pid, 1);
	rig_end(&child);
	for (size_t i = 0; i < rig_count(all, "fences"); i++)
		named |=
			!strncmp(rig_text(rig_item(all, "fences", i), "name"), "Leaky window:", 13);
	assert_true(named);
	json_decref(all);
}

/* Whoever reads a watch may have seen enough before it has anything to say. */
static void
watch_ends_with_its_reader(void **state)
{
	struct rig_child child = rig_start("plain", 0, 0);
	char number[16];
	int ends[2], status;
	pid_t krafla;

	snprintf(number, sizeof(number), "%d", child.pid);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	krafla = fork();
	if (!krafla) {
		dup2(ends[1], 1);
		execl(KRAFLA, "krafla", "fences", "--watch", "--budget", "86400000", number,
			(char *)NULL);
		_exit(95);
	}
	close(ends[1]);
	usleep(50000);
	close(ends[0]);
	/* Else the case's time is up. */
	assert_int_equal(waitpid(krafla, &status, 0), krafla);
	assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 95);
	rig_end(&child);
}

/* Reads until `text` has come; false after 10 s. */
static bool
read_until(int fd, const char *text)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t len = 0;

	rig_said[0] = '\0';
	while (!strstr(rig_said, text)) {
		ssize_t got;

		if (poll(&p, 1, 10000) <= 0 || len + 1 >= sizeof(rig_said))
			return false;
		got = read(fd, rig_said + len, sizeof(rig_said) - 1 - len);
		if (got <= 0)
			return false;
		rig_said[len += (size_t)got] = '\0';
	}
	return true;
}

/* On a terminal the table is drawn again and again, until somebody has seen enough. */
static void
terminal_is_redrawn(void **state)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), status;
	struct rig_child child = rig_start("plain", 0, 0);
	char slave[64], number[16];
	pid_t krafla;

	if (terminal < 0)
		kr_test_skip("no-pty", strerror(errno));
	assert_int_equal(grantpt(terminal) || unlockpt(terminal), 0);
	assert_int_equal(ptsname_r(terminal, slave, sizeof(slave)), 0);
	snprintf(number, sizeof(number), "%d", child.pid);
	krafla = fork();
	if (!krafla) {
		dup2(open(slave, O_RDWR | O_NOCTTY), 1);
		execl(KRAFLA, "krafla", "fences", "--watch", "--budget", "86400000", "--interval",
			"20", number, (char *)NULL);
		_exit(95);
	}
	for (int i = 0; i < 3; i++) {
		assert_true(read_until(terminal, "1 process looked at"));
		rig_assert_said("SurfaceView:0  ring");
	}
	rig_assert_said("\033[H\033[J");
	kill(krafla, SIGINT);
	assert_int_equal(waitpid(krafla, &status, 0), krafla);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	close(terminal);
	rig_end(&child);
}

/* What is drawn anew must fit, or it scrolls away. */
static void
picture_fits_the_terminal(void **state)
{
	const struct winsize size = {.ws_row = 12, .ws_col = 60};
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave;
	struct rig_child child = rig_start("many", 100, 0);
	char name[64], number[16];
	unsigned lines = 0;
	pid_t krafla;

	if (terminal < 0)
		kr_test_skip("no-pty", strerror(errno));
	assert_int_equal(grantpt(terminal) || unlockpt(terminal), 0);
	assert_int_equal(ptsname_r(terminal, name, sizeof(name)), 0);
	slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
	snprintf(number, sizeof(number), "%d", child.pid);
	krafla = fork();
	if (!krafla) {
		dup2(slave, 1);
		execl(KRAFLA, "krafla", "fences", "--watch", "--samples", "1", number,
			(char *)NULL);
		_exit(95);
	}
	assert_int_equal(waitpid(krafla, NULL, 0), krafla);
	/*
	 * What was written comes in pieces; nobody has the terminal any more, so it
	 * ends behind the last.
	 */
	close(slave);
	assert_false(read_until(terminal, "no such text"));
	rig_assert_said("FENCE");
	for (const char *line = rig_said; (line = strchr(line, '\n')); line++)
		lines++;
	/* Each line of the table takes two of the terminal's. */
	assert_true(lines >= 3 && lines <= 6);
	close(terminal);
	rig_end(&child);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(leaked_fences_are_named, 0, 60),
	KR_TEST_SLOW(leaked_ends_are_named, 0, 60),
	KR_TEST_SLOW(leaked_eventfds_are_named, 0, 60),
	KR_TEST_SLOW(one_look_sees_a_pile, 0, 60),
	KR_TEST_SLOW(old_fences_are_a_leak_sooner, 0, 60),
	KR_TEST_SLOW(sound_program_is_not_flagged, 0, 60),
	KR_TEST(unnamed_fence_is_late_by_watching),
	KR_TEST(watch_ends_with_the_process),
	KR_TEST_SLOW(leaky_window_is_named, 0, 60),
	KR_TEST(watch_ends_with_its_reader),
	KR_TEST(terminal_is_redrawn),
	KR_TEST(picture_fits_the_terminal),
};
KR_TEST_MAIN(tests)
