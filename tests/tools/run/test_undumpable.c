/* SPDX-License-Identifier: Apache-2.0 */
/* Y-06: programs of `krafla run --not-debuggable`, and who may look into them. */
#include "rig.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deny.h"

#define NOBODY 65534

/* Of lines "WHO FIRST NOW" how many are there, and that each is of one that isn't dumpable. */
static unsigned
count_covered(const struct outcome *out, const char *who)
{
	unsigned count = 0;

	for (const char *at = out->text; (at = strstr(at, who)); at += strlen(who)) {
		int first = -1, now = -1;

		if (sscanf(at + strlen(who), " %d %d", &first, &now) != 2)
			continue;
		assert_int_equal(first, who[0] == 'f' ? first : 0);
		assert_int_equal(now, 0);
		count++;
	}
	return count;
}

/* Y-06 A debugger, a core dump: nobody may look, from the first constructor on. */
static void
programs_are_covered_from_the_first_instruction(void **state)
{
	static const char *const programs[] = {DUMPABLE, DUMPABLE_STATIC};
	struct outcome out;

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		krafla(&out, "run", "--", programs[i], "leaf");
		assert_said(&out, "main 1 1"); /* as ever */
		krafla(&out, "run", "--not-debuggable", "--", programs[i]);
		assert_int_equal(out.code, 7);
		/* itself, by fork and exec, by a thread's exec, by vfork, by a shell */
		assert_int_equal(count_covered(&out, "main"), 5);
		assert_int_equal(count_covered(&out, "fork"), 2);
		assert_null(strstr(out.text, "ended 1"));
	}
	krafla(&out, "run", "--not-debuggable", "--program", DUMPABLE " leaf", "--program",
		DUMPABLE " leaf");
	assert_int_equal(count_covered(&out, "main"), 2);
}

/* Scripts are run by what they name. */
static void
scripts_are_covered(void **state)
{
	const char *script = kr_test_file("script", "#!/bin/sh\nexec " DUMPABLE " leaf\n");
	struct outcome out;

	assert_int_equal(chmod(script, 0700), 0);
	krafla(&out, "run", "--not-debuggable", script);
	assert_int_equal(out.code, 5);
	assert_int_equal(count_covered(&out, "main"), 1);
}

static void
ends_are_those_of_the_programs(void **state)
{
	struct outcome out;

	krafla(&out, "run", "--not-debuggable", "--", "/nonexistent/program");
	assert_int_equal(out.code, 127);
	assert_said(&out, "can't run '/nonexistent/program'");
	krafla(&out, "run", "--not-debuggable", "--", kr_test_dir());
	assert_int_equal(out.code, 126);
	krafla(&out, "run", "--not-debuggable", "--", "sh", "-c", "kill -KILL $$");
	assert_int_equal(out.code, 128 + SIGKILL);
	krafla(&out, "run", "--not-debuggable", "--", "sh", "-c",
		"trap 'exit 9' USR1; kill -USR1 $$; exit 1");
	assert_int_equal(out.code, 9);
	assert_nothing_left();
}

static void
there_are_no_core_dumps(void **state)
{
	struct outcome out;

	krafla(&out, "run", "--not-debuggable", "--", DUMPABLE, "crash");
	assert_said(&out, "core 0");
}

static void
frames_are_shown(void **state)
{
	struct outcome out;

	krafla(&out, "run", "--not-debuggable", "--clock", "virtual", "--frames", "5", "--display",
		"64x48", "--", PRODUCER, "-", "9");
	assert_int_equal(out.code, 0);
	assert_said(&out, "5 shown");
}

/* --- while it runs --- */

static pid_t
wait_for_pid(const char *path)
{
	pid_t pid = 0;

	for (int i = 0; i < 1000 && pid <= 0; i++) {
		FILE *file = fopen(path, "re");

		if (!file || fscanf(file, "%d", &pid) != 1)
			pid = 0;
		if (file)
			fclose(file);
		usleep(10000);
	}
	assert_true(pid > 0);
	return pid;
}

static pid_t
start_waiting(pid_t *program)
{
	const char *path = kr_test_path("pid");
	const char *const arguments[] = {
		"krafla", "run", "--not-debuggable", "--", DUMPABLE, "wait", path, NULL};
	pid_t pid = start(arguments, kr_test_file("output", ""));

	*program = wait_for_pid(path);
	return pid;
}

static char
state_of(pid_t pid)
{
	char path[64], text[512] = "", *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	end = strrchr(text, ')');
	return end ? end[2] : '\0';
}

static void
wait_for_state(pid_t pid, const char *states)
{
	bool seen = false;

	for (int i = 0; i < 1000 && !seen; i++) {
		seen = strchr(states, state_of(pid)) != NULL;
		usleep(10000);
	}
	assert_true(seen);
}

static pid_t
tracer_of(pid_t pid)
{
	char path[64], line[256];
	pid_t tracer = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		(void)!sscanf(line, "TracerPid: %d", &tracer);
	fclose(file);
	return tracer;
}

static void
end_waiting(pid_t krafla_pid, pid_t program, struct outcome *out)
{
	kill(program, SIGTERM);
	finish(krafla_pid, kr_test_path("output"), out);
}

static void
programs_stop_and_go_on(void **state)
{
	struct outcome out;
	pid_t program, pid = start_waiting(&program);

	kill(program, SIGSTOP);
	wait_for_state(program, "Tt");
	kill(program, SIGCONT);
	wait_for_state(program, "SR");
	end_waiting(pid, program, &out);
	assert_int_equal(out.code, 128 + SIGTERM);
}

/* Anybody of the user may stop who traces; krafla ends all the same. */
static void
a_stopped_tracer_holds_up_nobody(void **state)
{
	struct outcome out;
	pid_t program, pid = start_waiting(&program), tracer = tracer_of(program);

	kill(tracer, SIGSTOP);
	wait_for_state(tracer, "T");
	kill(program, SIGKILL);
	finish(pid, kr_test_path("output"), &out);
	assert_int_equal(out.code, 128 + SIGKILL);
	assert_int_equal(unlink(kr_test_path("pid")), 0);
	pid = start_waiting(&program);
	tracer = tracer_of(program);
	kill(tracer, SIGSTOP);
	wait_for_state(tracer, "T");
	kill(pid, SIGTERM);
	finish(pid, kr_test_path("output"), &out);
	assert_int_not_equal(out.code, 0);
	assert_nothing_left();
}

/* Nobody is left who could be looked into: with krafla, or who traces for it, the program ends. */
static void
no_end_of_krafla_uncovers_a_program(void **state)
{
	struct outcome out;
	pid_t program, pid = start_waiting(&program), tracer = tracer_of(program);

	assert_int_not_equal(tracer, 0);
	assert_int_not_equal(tracer, pid);
	kill(tracer, SIGKILL);
	finish(pid, kr_test_path("output"), &out);
	assert_int_equal(out.code, 128 + SIGKILL);
	assert_int_equal(unlink(kr_test_path("pid")), 0);
	pid = start_waiting(&program);
	kill(pid, SIGKILL);
	finish(pid, kr_test_path("output"), &out);
	for (int i = 0; i < 1000 && state_of(program) != 0 && state_of(program) != 'Z'; i++)
		usleep(10000);
	assert_true(state_of(program) == 0 || state_of(program) == 'Z');
}

/* As the program's own user, who isn't root. */
static void
look_into(pid_t program, int report)
{
	char path[64], byte = 0;
	int seen = 0;

	snprintf(path, sizeof(path), "/proc/%d/environ", program);
	seen |= access(path, R_OK) == 0;
	snprintf(path, sizeof(path), "/proc/%d/mem", program);
	seen |= (access(path, R_OK) == 0) << 1;
	seen |= (ptrace(PTRACE_SEIZE, program, NULL, NULL) == 0) << 2;
	seen |= (ptrace(PTRACE_SEIZE, tracer_of(program), NULL, NULL) == 0) << 3;
	byte = (char)seen;
	(void)!write(report, &byte, 1);
}

static void
be_nobody(void)
{
	if (geteuid() == 0 &&
		(setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY)))
		_exit(1);
}

static bool
nobody_reaches(const char *path)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		be_nobody();
		_exit(access(path, X_OK) != 0);
	}
	waitpid(pid, &status, 0);
	return status == 0;
}

static void
its_own_user_may_not_look(void **state)
{
	struct outcome out;
	pid_t program, pid, looking;
	char seen = -1, number[16];
	int report[2];

	if (!nobody_reaches(KRAFLA) || !nobody_reaches(DUMPABLE))
		kr_test_skip("no-other-user", "nobody");
	assert_int_equal(chmod(kr_test_dir(), 0777), 0);
	kr_test_file("output", "");
	assert_int_equal(chmod(kr_test_path("output"), 0666), 0);
	before_exec = be_nobody;
	pid = start_waiting(&program);
	before_exec = NULL;
	assert_int_equal(pipe(report), 0);
	looking = fork();
	if (looking == 0) {
		be_nobody();
		look_into(program, report[1]);
		_exit(0);
	}
	assert_int_equal(read(report[0], &seen, 1), 1);
	waitpid(looking, NULL, 0);
	close(report[0]);
	close(report[1]);
	assert_int_equal(seen, 0);
	snprintf(number, sizeof(number), "%d", program);
	before_exec = be_nobody;
	{
		const char *const arguments[] = {"krafla", "fences", number, NULL};
		const char *output = kr_test_file("fences", "");

		finish(start(arguments, output), output, &out);
	}
	before_exec = NULL;
	assert_said(&out, "it isn't dumpable");
	assert_int_equal(out.code, 125);
	end_waiting(pid, program, &out);
}

/* --- variables --- */

static void
set_variables(void)
{
	setenv("KRAFLA_HAL_PATH", NULL_DIR, 1);
	setenv("KRAFLA_PROP_ro_hardware_vulkan", "null", 1);
	setenv("KRAFLA_PROP_ro_krafla_layers_debug", kr_test_dir(), 1);
	setenv("LD_PRELOAD", "libm.so.6", 1);
	setenv("LD_LIBRARY_PATH", "/outside", 1);
}

/* Y-05, Y-06 Drivers, layers and libraries of the environment are for debuggable ones alone. */
static void
variables_name_no_code(void **state)
{
	struct outcome out;

	kr_test_file("libVkLayer_outside.so", "no library");
	before_exec = set_variables;
	krafla(&out, "run", "--profile", "android", "--", KRAFLA, "explain");
	assert_said(&out, "profile android");
	assert_said(&out, "vulkan.null.so");
	assert_said(&out, "libVkLayer_outside.so");
	krafla(&out, "run", "--not-debuggable", "--", "sh", "-c",
		"echo preload:$LD_PRELOAD: path:$LD_LIBRARY_PATH:");
	assert_said(&out, "preload::");
	assert_null(strstr(out.text, "/outside"));
	krafla(&out, "run", "--profile", "android", "--not-debuggable", "--", KRAFLA, "explain");
	before_exec = NULL;
	assert_said(&out, "profile android");
	assert_null(strstr(out.text, "vulkan.null.so"));
	assert_null(strstr(out.text, "libVkLayer_outside.so"));
}

static void
wrong_profiles_are_named(void **state)
{
	struct outcome out;

	krafla(&out, "run", "--profile", "androids", "true");
	assert_int_equal(out.code, 2);
	assert_said(&out, "'androids'");
}

/* What can't be covered doesn't run, also where it is another program that starts it. */
static void
uncovered_children_are_killed(void **state)
{
	struct outcome out;

	krafla(&out, "run", "--not-debuggable", "--", DUMPABLE, "deny");
	assert_said(&out, "denied 9");
	assert_said(&out, "which a program has started, was killed before its first instruction");
	assert_int_equal(count_covered(&out, "main"), 1);
}

static void
deny_ptrace(void)
{
	kr_test_deny(SYS_ptrace, EPERM);
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* which it does by ptrace */
}

/* It isn't run at all. */
static void
without_ptrace_nothing_runs(void **state)
{
	struct outcome out;

	before_exec = deny_ptrace;
	krafla(&out, "run", "--not-debuggable", "--", DUMPABLE, "leaf");
	before_exec = NULL;
	assert_int_equal(out.code, 125);
	assert_said(&out, "isn't run: --not-debuggable has to trace it");
	assert_null(strstr(out.text, "main 1"));
	assert_null(strstr(out.text, "main 0"));
	assert_nothing_left();
}

static const struct kr_test tests[] = {
	KR_TEST(programs_are_covered_from_the_first_instruction),
	KR_TEST(scripts_are_covered),
	KR_TEST(ends_are_those_of_the_programs),
	KR_TEST(there_are_no_core_dumps),
	KR_TEST(frames_are_shown),
	KR_TEST(programs_stop_and_go_on),
	KR_TEST(a_stopped_tracer_holds_up_nobody),
	KR_TEST(no_end_of_krafla_uncovers_a_program),
	KR_TEST(its_own_user_may_not_look),
	KR_TEST(variables_name_no_code),
	KR_TEST(wrong_profiles_are_named),
	KR_TEST(uncovered_children_are_killed),
	KR_TEST(without_ptrace_nothing_runs),
};
KR_TEST_MAIN(tests)
