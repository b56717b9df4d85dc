/* SPDX-License-Identifier: Apache-2.0 */
/* What a `krafla run` that was killed leaves behind, and where its directory is made. */
#include "rig.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DIRECTORY "krafla-run-"

/* A krafla whose program waits; its directory is there. */
static pid_t
start_waiting(void)
{
	const char *const arguments[] = {"krafla", "run", "--", "sh", "-c",
		"echo $KRAFLA_DISPLAY >\"$0.new\"; mv \"$0.new\" \"$0\"; sleep 20",
		kr_test_path("display"), NULL};
	pid_t pid;

	unlink(kr_test_path("display"));
	pid = start(arguments, kr_test_file("output", ""));
	for (int i = 0; i < 1000 && access(kr_test_path("display"), F_OK); i++)
		poll(NULL, 0, 10);
	return pid;
}

static void
end(pid_t pid, int signal)
{
	kill(pid, signal);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void
a_killed_runs_directory_goes_with_the_next(void **state)
{
	struct outcome out;

	end(start_waiting(), SIGKILL);
	end(start_waiting(), SIGKILL);
	assert_int_equal(count_files(kr_test_dir(), DIRECTORY), 1);
	krafla(&out, "run", "--", "true");
	assert_int_equal(out.code, 0);
	assert_nothing_left();
}

static void
a_running_ones_stays(void **state)
{
	pid_t pid = start_waiting();
	struct outcome out;

	krafla(&out, "run", "--", "true");
	krafla(&out, "run", "--", "true");
	assert_int_equal(count_files(kr_test_dir(), DIRECTORY), 1);
	end(pid, SIGTERM);
	assert_nothing_left();
}

/* What isn't certainly a dead krafla's is left alone. */
static void
others_directories_stay(void **state)
{
	struct outcome out;

	mkdir(kr_test_path("aim"), 0700);
	assert_int_equal(symlink("aim", kr_test_path(DIRECTORY "aaaaaa")), 0);
	mkdir(kr_test_path(DIRECTORY "bbbbbb"), 0700);
	kr_test_file(DIRECTORY "bbbbbb/file", "");
	mkdir(kr_test_path(DIRECTORY "cccccc"), 0755);
	mkdir(kr_test_path(DIRECTORY "longer-name"), 0700);
	mkfifo(kr_test_path(DIRECTORY "dddddd"), 0700);
	if (!geteuid()) {
		mkdir(kr_test_path(DIRECTORY "eeeeee"), 0700);
		assert_int_equal(chown(kr_test_path(DIRECTORY "eeeeee"), 12345, 12345), 0);
	}
	krafla(&out, "run", "--", "true");
	assert_int_equal(out.code, 0);
	assert_int_equal(count_files(kr_test_dir(), DIRECTORY), geteuid() ? 5 : 6);
	assert_int_equal(access(kr_test_path(DIRECTORY "bbbbbb/file"), F_OK), 0);
}

static void
leave_the_directory(void)
{
	(void)!chdir(kr_test_dir());
	setenv("XDG_RUNTIME_DIR", "relative", 1);
	setenv("TMPDIR", "relative", 1);
}

/* A program that changes its directory would not find the display. */
static void
relative_directories_are_ignored(void **state)
{
	struct outcome out;

	mkdir(kr_test_path("relative"), 0700);
	before_exec = leave_the_directory;
	krafla(&out, "run", "--", "sh", "-c", "echo \"at $KRAFLA_DISPLAY\"");
	assert_int_equal(out.code, 0);
	assert_said(&out, "at /tmp/" DIRECTORY);
	krafla(&out, "serve", "--user");
	assert_int_equal(out.code, 125);
	assert_said(&out, "XDG_RUNTIME_DIR isn't set to an absolute path");
	assert_int_equal(count_files(kr_test_path("relative"), "krafla"), 0);
}

static const struct kr_test tests[] = {
	KR_TEST(a_killed_runs_directory_goes_with_the_next),
	KR_TEST(a_running_ones_stays),
	KR_TEST(others_directories_stay),
	KR_TEST(relative_directories_are_ignored),
};
KR_TEST_MAIN(tests)
