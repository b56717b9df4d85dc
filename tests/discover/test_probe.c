/* SPDX-License-Identifier: Apache-2.0 */
/* The probe of unknown drivers (K-41): a driver that crashes or hangs takes nobody down. */
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "discover/probe.h"
#include "util/text.h"

static struct kr_probe_result
probe(const char *file, unsigned timeout_ms)
{
	struct kr_probe_result result = {0};

	assert_int_equal(kr_probe_run(TEST_PROBE_PROGRAM, built(file), KR_PROBE_AS_DRIVER,
				 timeout_ms, &result),
		0);
	return result;
}

static void
expect(const char *file, enum kr_probe_outcome outcome, const char *text)
{
	struct kr_probe_result result = probe(file, 400);

	assert_int_equal(result.outcome, outcome);
	assert_string_equal(result.text, text);
	free_support();
}

static void
crash_while_opened(void **state)
{
	struct kr_probe_result result = probe("icd_crashes.so", 5000);

	assert_int_equal(result.outcome, KR_PROBE_CRASHED);
	/* Which signal a trap is, the machine decides. */
	assert_non_null(strstr(result.text, "signal "));
	assert_non_null(strstr(result.text, " while it was opened"));
	free_support();
}

static void
hang_while_opened(void **state)
{
	expect("probed_hangs.so", KR_PROBE_HUNG, "nothing for 400 ms while it was opened");
}

static void
exit_while_opened(void **state)
{
	expect("probed_exits.so", KR_PROBE_CRASHED, "exit code 3 while it was opened");
}

static void
crash_when_an_instance_is_made(void **state)
{
	expect("probed_crash_create.so", KR_PROBE_CRASHED,
		"signal 6 (Aborted) in vkCreateInstance");
}

static void
crash_when_devices_are_counted(void **state)
{
	expect("probed_crash_count.so", KR_PROBE_CRASHED,
		"signal 6 (Aborted) in vkEnumeratePhysicalDevices");
}

static void
crash_at_the_end(void **state)
{
	expect("probed_crash_at_end.so", KR_PROBE_CRASHED,
		"signal 6 (Aborted) in vkDestroyInstance");
}

/* What it prints is not taken for the answer. */
static void
chatty_driver_works(void **state)
{
	struct kr_probe_result result = probe("probed_chatty.so", 5000);

	assert_int_equal(result.outcome, KR_PROBE_WORKS);
	assert_int_equal(result.devices, 2);
	free_support();
}

static void
driver_without_instances_is_no_bad_one(void **state)
{
	struct kr_probe_result result = probe("probed_no_instance.so", 5000);

	assert_int_equal(result.outcome, KR_PROBE_WORKS);
	assert_int_equal(result.devices, -1);
	assert_int_equal(probe("icd_no_gipa.so", 5000).outcome, KR_PROBE_WORKS);
	free_support();
}

/* For layers, whose functions a driver's test would call wrongly. */
static void
opening_calls_nothing(void **state)
{
	struct kr_probe_result result;

	assert_int_equal(kr_probe_run(TEST_PROBE_PROGRAM, built("probed_crash_create.so"),
				 KR_PROBE_OPEN, 5000, &result),
		0);
	assert_int_equal(result.outcome, KR_PROBE_WORKS);
	assert_int_equal(kr_probe_run(TEST_PROBE_PROGRAM, built("probed_exits.so"), KR_PROBE_OPEN,
				 5000, &result),
		0);
	assert_string_equal(result.text, "exit code 3 while it was opened");
	free_support();
}

static void
program_that_is_no_probe(void **state)
{
	struct kr_probe_result result;

	assert_int_equal(kr_probe_run("/no/such", "/x", KR_PROBE_AS_DRIVER, 100, &result), -ENOENT);
	assert_int_equal(
		kr_probe_run("/bin/true", "/x", KR_PROBE_AS_DRIVER, 100, &result), -EPROTO);
	assert_int_equal(waitpid(-1, NULL, 0), -1);
	assert_int_equal(errno, ECHILD);
}

/* Applications that ignore SIGCHLD have children reaped behind our back. */
static void
application_that_ignores_children(void **state)
{
	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(probe("icd_crashes.so", 5000).outcome, KR_PROBE_CRASHED);
	assert_int_equal(probe("icd_v5.so", 5000).outcome, KR_PROBE_WORKS);
	free_support();
}

static void
application_that_blocks_signals(void **state)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	expect("probed_terms.so", KR_PROBE_CRASHED, "signal 15 (Terminated) while it was opened");
}

static void
application_that_ignores_signals(void **state)
{
	signal(SIGTERM, SIG_IGN);
	expect("probed_terms.so", KR_PROBE_CRASHED, "signal 15 (Terminated) while it was opened");
}

/* A manifest of a copy of the library, which the case may change; KRAFLA_PROBE on. */
static void
make_system(const char *file)
{
	char *command = kr_asprintf("cp %s %s", built(file), kr_test_path("driver.so"));

	assert_int_equal(system(command), 0);
	free(command);
	set_variable("VK_DRIVER_FILES", put_manifest("x.json", kr_test_path("driver.so"), "1.1.0"));
	set_variable("KRAFLA_PROBE", TEST_PROBE_PROGRAM);
	set_variable("XDG_CACHE_HOME", kr_test_path("cache"));
	setenv("FAKE_PROBED_LOG", kr_test_path("opened"), 1);
	options.probe.timeout_ms = 400;
}

static void
expect_verdict(enum kr_candidate_verdict verdict, const char *text)
{
	const struct kr_driver_candidate *candidate;
	struct kr_driver_list list;

	discover(&list);
	candidate = candidate_at(&list, 0);
	assert_int_equal(candidate->verdict, verdict);
	if (!strstr(candidate->reason, text))
		fail_msg("\"%s\" lacks \"%s\"", candidate->reason, text);
	kr_driver_list_finish(&list);
}

/* How often the library was opened, in whatever process. */
static int
count_opened(void)
{
	FILE *file = fopen(kr_test_path("opened"), "re");
	int lines = 0, c;

	while (file && (c = getc(file)) != EOF)
		lines += c == '\n';
	if (file)
		fclose(file);
	return lines;
}

static void
crashing_driver_is_quarantined(void **state)
{
	make_system("icd_crashes.so");
	expect_verdict(
		KR_CANDIDATE_QUARANTINED, "driver.so isn't opened: its probe ended with signal ");
	assert_non_null(strstr(heard, "ERROR "));
	assert_non_null(strstr(heard, " while it was opened (remembered in "));
	free_support();
}

static void
hanging_driver_is_probed_once(void **state)
{
	make_system("probed_hangs.so");
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for 400 ms while it was opened");
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for 400 ms while it was opened");
	assert_int_equal(count_opened(), 1);
	free_support();
}

static void
fine_driver_is_used(void **state)
{
	make_system("probed_chatty.so");
	expect_verdict(KR_CANDIDATE_USED, "interface version");
	assert_int_equal(count_opened(), 2);
	/* The verdict is remembered; only this process opens it. */
	expect_verdict(KR_CANDIDATE_USED, "interface version");
	assert_int_equal(count_opened(), 3);
	free_support();
}

static void
other_file_is_another_verdict(void **state)
{
	const struct timespec times[2] = {{1000000000, 1}, {1000000000, 1}};
	char *command;

	make_system("probed_hangs.so");
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
	/* The same file with another time is probed again. */
	utimensat(0, kr_test_path("driver.so"), times, 0);
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
	assert_int_equal(count_opened(), 2);
	command = kr_asprintf("cp --remove-destination %s %s", built("probed_chatty.so"),
		kr_test_path("driver.so"));
	assert_int_equal(system(command), 0);
	free(command);
	expect_verdict(KR_CANDIDATE_USED, "interface version");
	free_support();
}

/* Off unless asked for; and a driver of the device map is no unknown one. */
static void
off_by_default(void **state)
{
	set_variable("KRAFLA_PROBE", NULL);
	make_system("probed_chatty.so");
	expect_verdict(KR_CANDIDATE_USED, "interface version");
	assert_int_equal(count_opened(), 1);
	free_support();
}

static void
off_with_zero(void **state)
{
	set_variable("KRAFLA_PROBE", "0");
	make_system("probed_chatty.so");
	expect_verdict(KR_CANDIDATE_USED, "interface version");
	assert_int_equal(count_opened(), 1);
	free_support();
}

static void
known_driver_is_not_probed(void **state)
{
	make_system("probed_chatty.so");
	assert_int_equal(rename(kr_test_path("driver.so"), kr_test_path("libvulkan_lvp.so")), 0);
	put_manifest("x.json", kr_test_path("libvulkan_lvp.so"), "1.1.0");
	expect_verdict(KR_CANDIDATE_USED, "interface version");
	assert_int_equal(count_opened(), 1);
	free_support();
}

static void
missing_program_opens_as_it_is(void **state)
{
	set_variable("KRAFLA_PROBE", "/no/such/krafla-probe");
	make_system("probed_chatty.so");
	expect_verdict(KR_CANDIDATE_USED, "interface version");
	assert_non_null(strstr(heard, "can't be probed (/no/such/krafla-probe: No such file"));
	free_support();
}

/* Named without a directory: found again in LD_LIBRARY_PATH, as dlopen does. */
static void
bare_name_is_remembered_too(void **state)
{
	const struct timespec times[2] = {{1000000000, 1}, {1000000000, 1}};

	make_system("probed_hangs.so");
	put_manifest("x.json", "driver.so", "1.1.0");
	set_variable("LD_LIBRARY_PATH", kr_test_dir());
	setenv("LD_LIBRARY_PATH", kr_test_dir(), 1);
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
	assert_int_equal(count_opened(), 1);
	utimensat(0, kr_test_path("driver.so"), times, 0);
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
	assert_int_equal(count_opened(), 2);
	free_support();
}

/* A cache that can't be written costs a probe each time, and no verdict. */
static void
unwritable_memory_is_told(void **state)
{
	make_system("probed_hangs.so");
	kr_test_file("cache", "a file, not a directory");
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
	assert_non_null(strstr(heard, "can't be remembered in "));
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
	assert_int_equal(count_opened(), 2);
	free_support();
}

/* Whatever stands in the file, it is no verdict unless it is one on this library. */
static void
damaged_memory_is_none(void **state)
{
	char *command;

	make_system("probed_hangs.so");
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
	command = kr_asprintf("truncate -s 30 %s/krafla/probe/*", kr_test_path("cache"));
	assert_int_equal(system(command), 0);
	free(command);
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
	assert_int_equal(count_opened(), 2);
	command = kr_asprintf("sed -i 2s/driver/other/ %s/krafla/probe/*", kr_test_path("cache"));
	assert_int_equal(system(command), 0);
	free(command);
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
	assert_int_equal(count_opened(), 3);
	free_support();
}

/*
 * Another user's cache is neither believed nor written to; but only root can give a directory away.
 */
static void
memory_of_another_is_left_alone(void **state)
{
	/* Of a variable that is set twice the first value counts. */
	if (geteuid())
		set_variable("XDG_CACHE_HOME", "/");
	make_system("probed_hangs.so");
	if (geteuid()) {
		expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
		assert_non_null(strstr(heard, "/ belongs to another user"));
	} else {
		expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
		assert_int_equal(count_opened(), 1);
		assert_int_equal(chown(kr_test_path("cache"), 65534, 65534), 0);
		expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
		assert_int_equal(count_opened(), 2);
		assert_non_null(strstr(heard, "cache belongs to another user"));
	}
	free_support();
}

/* Nor a file that another has put where we would. */
static void
memory_by_another_is_not_believed(void **state)
{
	char *command;

	if (geteuid())
		kr_test_skip("no-root", "only root can give a file away");
	make_system("probed_hangs.so");
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
	command = kr_asprintf("chown 65534 %s/krafla/probe/*", kr_test_path("cache"));
	assert_int_equal(system(command), 0);
	free(command);
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
	assert_int_equal(count_opened(), 2);
	/* Neither is a device read. */
	command = kr_asprintf("cd %s/krafla/probe && f=$(ls) && rm $f && ln -s /dev/zero $f",
		kr_test_path("cache"));
	assert_int_equal(system(command), 0);
	free(command);
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
	assert_int_equal(count_opened(), 3);
	free_support();
}

/* What was remembered for KRAFLA_PROBE is no answer to who wants it tried now. */
static void
memory_is_only_for_the_variable(void **state)
{
	static char wish[400];

	set_variable("KRAFLA_PROBE", wish);
	make_system("probed_hangs.so");
	snprintf(wish, sizeof(wish), "%s", TEST_PROBE_PROGRAM);
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
	strcpy(wish, "0");
	options.probe.mode = KR_PROBE_EVERYTHING;
	options.probe.program = TEST_PROBE_PROGRAM;
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
	assert_int_equal(count_opened(), 2);
	free_support();
}

static void
hal_module_is_probed_too(void **state)
{
	static const char *dirs[2];
	struct kr_driver_list list;

	expect("hal_open_crashes.so", KR_PROBE_CRASHED,
		"signal 6 (Aborted) while its interface was agreed on");
	assert_int_equal(probe("hal_good.so", 5000).outcome, KR_PROBE_WORKS);
	set_variable("KRAFLA_PROBE", TEST_PROBE_PROGRAM);
	set_variable("XDG_CACHE_HOME", kr_test_path("cache"));
	put_link("hw", "vulkan.x.so", built("hal_open_crashes.so"));
	dirs[0] = kr_test_path("hw");
	options.hal_dirs = dirs;
	set_property("ro.hardware.vulkan", "x");
	expect_verdict(KR_CANDIDATE_QUARANTINED, "its probe ended with signal 6");
	discover(&list);
	assert_int_equal(list.hal_error, -EFAULT);
	assert_true(kr_list_empty(&list.drivers));
	end_discovery(&list);
	assert_int_equal(unlink(kr_test_path("hw/vulkan.x.so")), 0);
	put_link("hw", "vulkan.x.so", built("hal_good.so"));
	expect_verdict(KR_CANDIDATE_USED, "HAL module");
	free_support();
}

static void
everything_is_probed_for_explain(void **state)
{
	set_variable("KRAFLA_PROBE", "0");
	make_system("probed_hangs.so");
	options.probe.mode = KR_PROBE_EVERYTHING;
	options.probe.program = TEST_PROBE_PROGRAM;
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
	expect_verdict(KR_CANDIDATE_QUARANTINED, "nothing for");
	assert_int_equal(count_opened(), 2);
	assert_int_equal(access(kr_test_path("cache"), F_OK), -1);
	free_support();
}

#define CASE(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	CASE(crash_while_opened),
	CASE(hang_while_opened),
	CASE(exit_while_opened),
	CASE(crash_when_an_instance_is_made),
	CASE(crash_when_devices_are_counted),
	CASE(crash_at_the_end),
	CASE(chatty_driver_works),
	CASE(driver_without_instances_is_no_bad_one),
	CASE(opening_calls_nothing),
	CASE(program_that_is_no_probe),
	CASE(application_that_ignores_children),
	CASE(application_that_blocks_signals),
	CASE(application_that_ignores_signals),
	CASE(crashing_driver_is_quarantined),
	CASE(hanging_driver_is_probed_once),
	CASE(fine_driver_is_used),
	CASE(other_file_is_another_verdict),
	CASE(off_by_default),
	CASE(off_with_zero),
	CASE(known_driver_is_not_probed),
	CASE(missing_program_opens_as_it_is),
	CASE(bare_name_is_remembered_too),
	CASE(unwritable_memory_is_told),
	CASE(damaged_memory_is_none),
	CASE(memory_of_another_is_left_alone),
	CASE(memory_by_another_is_not_believed),
	CASE(memory_is_only_for_the_variable),
	CASE(hal_module_is_probed_too),
	CASE(everything_is_probed_for_explain),
};

KR_TEST_MAIN(tests)
