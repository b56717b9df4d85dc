/* SPDX-License-Identifier: Apache-2.0 */
/*
 * V-03: `krafla check`, and `krafla features`, beside drivers that mean harm (bad_hal.c), and files
 * that aren't what they are taken for.
 */
#include "answer.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ONE   "--filter opening.vk0 "
#define NULL_ " " NULL_MODULE

/* Those whose numbers are in the file are ended, and reaped. */
static void
expect_nobody(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned count = 0;
	int pid;

	assert_non_null(file);
	while (fscanf(file, "%d", &pid) == 1) {
		count++;
		if (!kill(pid, 0))
			fail_msg("process %d lives on", pid);
	}
	fclose(file);
	assert_true(count > 0);
	unlink(path);
}

/* Each in a session of its own, so that no group of the case's ends it. */
static void
daemons_end(void **state)
{
	const char *pids = kr_test_path("pids");

	setenv("BAD_HAL_PID", pids, 1);
	setenv("BAD_HAL", "daemon", 1);
	assert_int_equal(shell(KRAFLA " check --jobs 3 --filter 'opening.*' " BAD_HAL_MODULE), 1);
	expect_nobody(pids);
	unsetenv("BAD_HAL");
	setenv("BAD_HAL_LOAD", "daemon", 1);
	assert_int_equal(shell(KRAFLA " check " ONE BAD_HAL_MODULE), 1);
	expect("open(\"vk0\") gave -19");
	expect_nobody(pids);
}

/* Children of the shell that became krafla are its own affair. */
static void
others_children_stay(void **state)
{
	assert_int_equal(shell("sleep 60 > /dev/null 2>&1 & echo $! > %s/sleep; exec " KRAFLA
			       " check --filter module.is_vulkan" NULL_,
				 kr_test_dir()),
		0);
	assert_int_equal(shell("kill $(cat %s/sleep)", kr_test_dir()), 0);
}

static void
a_group_is_the_cases(void **state)
{
	setenv("BAD_HAL", "group", 1);
	assert_int_equal(
		shell(KRAFLA " check " ONE "--filter module.is_vulkan " BAD_HAL_MODULE), 1);
	expect("it crashed: signal 9 (Killed), in or after open");
	expect("1 held, 1 failed");
}

/* What a case shares with the runner is the driver's to write, and nothing of it is believed. */
static void
shared_memory_is_not_believed(void **state)
{
	static const char *const ways[] = {"ones", "escapes", "high"};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		setenv("BAD_HAL", ways[i], 1);
		assert_int_equal(shell(KRAFLA " check " ONE BAD_HAL_MODULE), 1);
		expect("what it is can't be known");
		expect("the process ended by itself with exit code 0, in or after ?\?\?");
		expect("0 held, 1 failed");
		assert_null(strchr(answer, 0x1b));
		assert_null(strchr(answer, 1));
		assert_null(strchr(answer, '\xfe'));
	}
}

/* It has no terminal, though krafla has one; and who eats all memory goes first. */
static void
cases_have_their_place(void **state)
{
	setenv("BAD_HAL", "place", 1);
	assert_int_equal(shell(PYTHON " -c 'import pty; pty.spawn([\"" KRAFLA
				      "\", \"check\", \"--filter\", \"opening.vk0\", "
				      "\"" BAD_HAL_MODULE "\"])' < /dev/null"),
		0);
	expect("terminal unseen, oom_score_adj 1000");
}

static void
loading_is_not_believed(void **state)
{
	static const struct {
		const char *way, *said;
	} ways[] = {
		{"one", "can't be used: it ended the process with exit code 1"},
		{"exit", "can't be used: it ended the process with exit code 7"},
		{"abort", "can't be used: it crashed (signal 6, Aborted)"},
		{"group", "can't be used: it crashed (signal 9, Killed)"},
		{"close_and_hang", "can't be used: it took more than 10 s"},
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		setenv("BAD_HAL_LOAD", ways[i].way, 1);
		assert_int_equal(shell(KRAFLA " check " ONE BAD_HAL_MODULE " 2>&1"), 3);
		expect(ways[i].said);
	}
}

/* What a library prints when it is loaded, and reads, is neither krafla's answer nor its input. */
static void
loading_prints_nothing(void **state)
{
	json_t *root;

	setenv("BAD_HAL_LOAD", "print", 1);
	assert_int_equal(
		shell("{ echo word | " KRAFLA " check --json " ONE BAD_HAL_MODULE "; } 2>&1"), 1);
	root = json_loads(answer, 0, NULL);
	assert_non_null(root);
	json_decref(root);
	expect("read 0 bytes\\nloaded");
}

static void
names_are_any_bytes(void **state)
{
	static const char name[] = "new\nline \xff\x1b<&>\".so";
	json_t *root;

	assert_int_equal(symlink(NULL_MODULE, kr_test_path(name)), 0);
	setenv("DRIVER", kr_test_path(name), 1);
	setenv("DIR", kr_test_dir(), 1);
	assert_int_equal(
		shell(KRAFLA
			" check --filter module.is_vulkan --junit $DIR/a.xml \"$DRIVER\"; " PYTHON
			" -c 'import xml.dom.minidom as m, os; "
			"print(m.parse(os.environ[\"DIR\"] + \"/a.xml\")."
			"getElementsByTagName(\"testsuite\")[0].attributes[\"name\"].value)'"),
		0);
	expect("new line ?\?<&>\".so, HAL module\n");
	expect("new line ?\?<&>\".so\n");
	assert_int_equal(shell(KRAFLA " check --filter module.is_vulkan --tap \"$DRIVER\""), 0);
	expect("new line ?\?<&>\".so, HAL module\n");
	assert_int_equal(shell(KRAFLA " check --filter module.is_vulkan --json \"$DRIVER\""), 0);
	root = json_loads(answer, 0, NULL);
	assert_non_null(root);
	json_decref(root);
	expect("new line ?\?<&>");
}

/* FILE was forgotten, or is in no place where a file can be. */
static void
reports_replace_no_drivers(void **state)
{
	static const struct {
		const char *file, *said;
	} files[] = {
		{"driver.so", "is a library or JSON and no report"},
		{"driver.json", "is a library or JSON and no report"},
		{".", "Is a directory"},
		{"loop", "Too many levels of symbolic links"},
		{"dangling", "No such file or directory"},
		{"none/report.xml", "No such file or directory"},
	};

	assert_int_equal(shell("cp " NULL_MODULE " %s/driver.so", kr_test_dir()), 0);
	kr_test_file("driver.json", "{}");
	assert_int_equal(symlink("loop", kr_test_path("loop")), 0);
	assert_int_equal(symlink("nowhere", kr_test_path("dangling")), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		assert_int_equal(
			shell(KRAFLA " check --filter module.is_vulkan --junit %s/%s" NULL_ " 2>&1",
				kr_test_dir(), files[i].file),
			125);
		expect(files[i].said);
		assert_null(strstr(answer, "held"));
	}
	assert_int_equal(
		shell("cmp " NULL_MODULE " %s/driver.so; ls -A %s", kr_test_dir(), kr_test_dir()),
		0);
	assert_string_equal(answer, "dangling\ndriver.json\ndriver.so\nloop\n");
}

/* Where files mayn't be so large nothing half is left. */
static void
reports_are_whole(void **state)
{
	const char *dir = kr_test_dir();

	assert_int_equal(shell("ulimit -f 1; " KRAFLA
			       " check --filter 'm*' --filter 'o*' --junit %s/a.xml" NULL_ " 2>&1",
				 dir),
		125);
	expect("a.xml can't be written: File too large");
	assert_int_equal(shell("ls -A %s", dir), 0);
	assert_string_equal(answer, "");
}

/* As the loader finds it, beside a driver that does well. */
static void
be_found(const char *way)
{
	setenv("BAD_HAL", way, 1);
	setenv("BAD_HAL_PID", kr_test_path("pids"), 1);
	setenv("KRAFLA_HAL_PATH", BAD_HAL_DIR, 1);
	setenv("KRAFLA_PROP_ro_hardware_vulkan", "bad", 1);
	setenv("VK_DRIVER_FILES", NULL_MANIFEST, 1);
	setenv("VK_IMPLICIT_LAYER_PATH", "/nonexistent", 1);
	unsetenv("KRAFLA_NULL_DRIVER");
}

/* V-01: an answer goes where answers go, once, or it is none. */
static void
features_are_answered_once(void **state)
{
	json_t *root;

	be_found("unplug");
	assert_int_equal(shell("{ " KRAFLA " features --json 2>&3 | cat; } 3>&1"), 0);
	expect("a driver ended the process while it was asked");
	assert_null(strstr(answer, "devices"));
	be_found("twice");
	assert_int_equal(shell(KRAFLA " features --json"), 0);
	root = json_loads(answer, 0, NULL);
	assert_non_null(root);
	json_decref(root);
}

/* V-01: nor does whoever reads an answer wait for daemons. */
static void
features_wait_for_no_daemon(void **state)
{
	be_found("daemon");
	assert_int_equal(shell(KRAFLA " features --json"), 0);
	expect("devices");
	expect_nobody(kr_test_path("pids"));
}

/* V-02: Bytes of files steer no terminal. */
static void
bytes_of_files_are_cleaned(void **state)
{
	kr_test_file("vk-main-2025-03-01.txt", "dEQP-VK.a.b\n");
	kr_test_file("vk-main-2025-03-02.txt", "\x1b[31m\n");
	kr_test_file("a.qpa",
		"#beginSession\n#sessionInfo releaseName \x1b[31mred\n"
		"#beginTestCaseResult dEQP-VK.a.b\n<Result StatusCode=\"Pass\">x</Result>\n"
		"#endTestCaseResult\n#endSession\n");
	kr_test_file("profile.json",
		"{\"profiles\": {\"\\u001bX\": {\"version\": 1, \"api-version\": \"1.0.0\","
		" \"capabilities\": [\"\\u001bc\"]}}, \"capabilities\": {\"\\u001bc\":"
		" {\"extensions\": {\"VK_\\u001b\": 1}}}}");
	be_found("fail");
	assert_int_equal(
		shell("cd %s; " KRAFLA
		      " features --deqp a.qpa --caselist vk-main-2025-03-01.txt; " KRAFLA
		      " features --deqp a.qpa --caselist vk-main-2025-03-02.txt 2>&1; " KRAFLA
		      " features --profile profile.json; true",
			kr_test_dir()),
		0);
	assert_null(strchr(answer, 0x1b));
	expect("of ?[31mred");
	expect("line 1: '?[31m' is no case");
	expect("profile ?X on device 0");
	expect("extensions.VK_?: wanted 1");
}

/* A name without a folder is one of this folder. */
static void
names_are_of_this_folder(void **state)
{
	assert_int_equal(shell("cd %s; ln -s " NULL_MODULE " vulkan.a.so; ln -s " NULL_MANIFEST
			       " a.json; for i in vulkan.a.so a.json; do " KRAFLA
			       " check --filter module.is_vulkan --filter opening.vk0 $i; done",
				 kr_test_dir()),
		0);
	expect("./vulkan.a.so, HAL module");
	expect("./a.json, through Krafla's adapter");
	assert_null(strstr(answer, "FAILED"));
}

/* What setenv replaces is kept. */
static const struct kr_test tests[] = {
	KR_TEST_SLOW(daemons_end, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_FLAGS(others_children_stay, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(a_group_is_the_cases, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(shared_memory_is_not_believed, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(cases_have_their_place, KR_TEST_KEEPS_MEMORY),
	KR_TEST_SLOW(loading_is_not_believed, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_FLAGS(loading_prints_nothing, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(names_are_any_bytes, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(reports_replace_no_drivers, KR_TEST_KEEPS_MEMORY),
	KR_TEST_SLOW(reports_are_whole, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_FLAGS(features_are_answered_once, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(features_wait_for_no_daemon, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(bytes_of_files_are_cleaned, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(names_are_of_this_folder, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
