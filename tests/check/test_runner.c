/* SPDX-License-Identifier: Apache-2.0 */
/* V-03: `krafla check` on drivers that crash, hang, print and leave things behind (bad_hal.c). */
#include "answer.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ONE     "--filter opening.vk0 "
#define TIMEOUT "--timeout 1 "

static void
be_bad(const char *way)
{
	setenv("BAD_HAL", way, 1);
}

static void
a_crash_is_a_failed_case(void **state)
{
	be_bad("crash");
	assert_int_equal(shell(KRAFLA " check " ONE BAD_HAL_MODULE), 1);
	expect("FAILED         opening.vk0");
	expect("requirement  D-02");
	expect("expected     open(\"vk0\") gives 0 and a device");
	expect("it crashed: signal 11 (Segmentation fault), in or after open");
	expect("a user sees  no Vulkan");
	expect("last calls   dlopen");
	expect("SIGSEGV at address 0x8");
	expect("vulkan.bad.so");
	expect("0 held, 1 failed, 0 not applicable, 0 skipped");
}

/* Each in a process of its own: the next goes on. */
static void
the_next_case_goes_on(void **state)
{
	be_bad("crash");
	assert_int_equal(
		shell(KRAFLA " check --filter 'opening.device_c*' --filter module.is_vulkan "
			     "--filter opening.vk0 " BAD_HAL_MODULE),
		1);
	expect("held           module.is_vulkan");
	expect("FAILED         opening.vk0");
	expect("FAILED         opening.device_closes");
	expect("1 held, 2 failed, 0 not applicable, 0 skipped");
}

static void
crashes_of_each_kind(void **state)
{
	static const struct {
		const char *way, *said, *trace;
	} ways[] = {
		{"thread", "signal 11", "vulkan.bad.so"},
		{"overflow", "signal 11", "vulkan.bad.so"},
		{"nothing", "signal 11", "vulkan.bad.so"},
		{"abort", "signal 6 (Aborted)", "signal 6, in thread"},
		{"exit", "ended by itself with exit code 7, in or after open", ""},
		{"fail", "open(\"vk0\") gave -19 (No such device)", ""},
		{"close", "signal 11", ""},
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		be_bad(ways[i].way);
		assert_int_equal(shell(KRAFLA " check " ONE BAD_HAL_MODULE), 1);
		expect(ways[i].said);
		expect(ways[i].trace);
	}
}

static void
hangs_of_each_kind(void **state)
{
	static const char *const ways[] = {"hang", "spin", "deaf", "stop"};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		be_bad(ways[i]);
		assert_int_equal(shell(KRAFLA " check " ONE TIMEOUT BAD_HAL_MODULE), 1);
		expect("it hung: not done after 1 s, in or after open");
		if (i < 2)
			expect("vulkan.bad.so");
	}
}

static json_t *
only_case(json_t *root)
{
	json_t *cases =
		json_object_get(json_array_get(json_object_get(root, "drivers"), 0), "cases");

	assert_int_equal(json_array_size(cases), 1);
	return json_array_get(cases, 0);
}

static const char *
text_of(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	assert_non_null(text);
	return text;
}

static void
output_is_bounded(void **state)
{
	json_t *root, *row;

	be_bad("noise");
	assert_int_equal(shell(KRAFLA " check --json " ONE BAD_HAL_MODULE), 1);
	root = json_loads(answer, 0, NULL);
	assert_non_null(root);
	row = only_case(root);
	assert_string_equal(text_of(row, "verdict"), "failed");
	assert_int_equal(json_integer_value(json_object_get(row, "signal")), 11);
	assert_true(strlen(text_of(row, "output")) <= 16384);
	assert_non_null(strstr(text_of(row, "output"), "standard output 0\n"));
	assert_true(json_integer_value(json_object_get(row, "output_lost")) > 1000000);
	assert_int_equal(json_integer_value(json_object_get(root, "failed")), 1);
	json_decref(root);
}

/* No byte of a driver's steers a terminal, or breaks a report. */
static void
bytes_are_cleaned(void **state)
{
	json_t *root;

	be_bad("bytes");
	assert_int_equal(shell(KRAFLA " check " ONE BAD_HAL_MODULE), 1);
	expect("?[2Jbell?\?\?<&>\"]]>\xc3\xa4");
	assert_null(strchr(answer, 0x1b));
	assert_int_equal(shell(KRAFLA " check --json " ONE BAD_HAL_MODULE), 1);
	root = json_loads(answer, 0, NULL);
	assert_non_null(root);
	json_decref(root);
	setenv("DIR", kr_test_dir(), 1);
	assert_int_equal(shell(KRAFLA " check --junit $DIR/a.xml " ONE BAD_HAL_MODULE "; " PYTHON
				      " -c 'import xml.dom.minidom as m, os; "
				      "print(m.parse(os.environ[\"DIR\"] + \"/a.xml\")."
				      "getElementsByTagName(\"system-out\")[0].firstChild.data)'"),
		0);
	expect("?[2Jbell?\?\?<&>\"]]>\xc3\xa4");
}

static bool
is_alive(pid_t pid)
{
	return !kill(pid, 0) || errno != ESRCH;
}

/* All whose numbers are in the file; an orphan may take a moment to be reaped. */
static void
expect_nobody(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned count = 0;
	int pid;

	assert_non_null(file);
	while (fscanf(file, "%d", &pid) == 1) {
		char stat[64], state = 'Z';

		count++;
		for (int i = 0; i < 200 && is_alive(pid); i++) {
			FILE *status;

			snprintf(stat, sizeof(stat), "/proc/%d/stat", pid);
			status = fopen(stat, "r");
			if (!status || fscanf(status, "%*d (%*[^)]) %c", &state) != 1)
				state = 'Z';
			if (status)
				fclose(status);
			if (state == 'Z')
				break;
			usleep(10000);
		}
		if (is_alive(pid) && state != 'Z')
			fail_msg("process %d lives on", pid);
	}
	fclose(file);
	assert_true(count > 0);
}

static void
nobody_is_left(void **state)
{
	static const char *const ways[] = {"somebody", "daemon"};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		be_bad(ways[i]);
		setenv("BAD_HAL_PID", kr_test_path(ways[i]), 1);
		assert_int_equal(shell(KRAFLA " check " ONE BAD_HAL_MODULE), 1);
		expect_nobody(kr_test_path(ways[i]));
	}
}

static pid_t
start_hanging(const char *junit)
{
	struct stat status;
	pid_t pid = fork();

	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, STDOUT_FILENO);
		execl(KRAFLA, "krafla", "check", "--junit", junit, "--filter", "opening.*",
			BAD_HAL_MODULE, NULL);
		_exit(96);
	}
	assert_true(pid > 0);
	for (int i = 0; i < 500 && (stat(kr_test_path("pids"), &status) || !status.st_size); i++)
		usleep(10000);
	return pid;
}

/* ^C, and its like: the cases end, what was written before stays as it was. */
static void
signals_end_it(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	const char *junit = kr_test_file("report.xml", "before");

	be_bad("hang_somebody");
	setenv("BAD_HAL_PID", kr_test_path("pids"), 1);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		pid_t pid = start_hanging(junit);
		int status;

		kill(pid, signals[i]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
		expect_nobody(kr_test_path("pids"));
		unlink(kr_test_path("pids"));
	}
	assert_int_equal(shell("cat %s; ls -A %s", junit, kr_test_dir()), 0);
	assert_string_equal(answer, "beforereport.xml\n");
}

static void
cases_see_no_display(void **state)
{
	be_bad("environment");
	setenv("DISPLAY", ":99", 1);
	setenv("KRAFLA_DISPLAY", "/tmp/none", 1);
	assert_int_equal(shell("echo word | " KRAFLA " check " ONE BAD_HAL_MODULE), 1);
	expect("DISPLAY is unset, KRAFLA_DISPLAY is unset, reads 0 bytes");
}

/* What setenv replaces is kept. */
static const struct kr_test tests[] = {
	KR_TEST_FLAGS(a_crash_is_a_failed_case, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(the_next_case_goes_on, KR_TEST_KEEPS_MEMORY),
	KR_TEST_SLOW(crashes_of_each_kind, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(hangs_of_each_kind, KR_TEST_KEEPS_MEMORY, 90),
	KR_TEST_FLAGS(output_is_bounded, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(bytes_are_cleaned, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(nobody_is_left, KR_TEST_KEEPS_MEMORY),
	KR_TEST_SLOW(signals_end_it, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_FLAGS(cases_see_no_display, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
