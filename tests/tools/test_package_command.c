/* SPDX-License-Identifier: Apache-2.0 */
/* `krafla package`: what it makes, what it says, and what it says to wrong input. */
#include "harness.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#define LAVAPIPE "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"

static char output[65536];

/* Runs `krafla package` with these words; the exit code. Both outputs land in `output`. */
static int
package(const char *words)
{
	char command[2048];

	snprintf(command, sizeof(command),
		"cd %s && env KRAFLA_PROBE=" PROBE " " KRAFLA " package %s 2>&1", kr_test_dir(),
		words);
	return kr_test_shell(command, output, sizeof(output));
}

static void
says(int code, const char *words, const char *text)
{
	int got = package(words);

	if (got != code || !strstr(output, text))
		fail_msg("package %s: exit code %d, and not %d with \"%s\":\n%s", words, got, code,
			text, output);
}

/* A driver that is there: t.json and the library of the build. */
static void
install(const char *part)
{
	char text[1024];

	snprintf(text, sizeof(text),
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"%s/%s\", "
		"\"api_version\": \"1.2.3\"}}",
		PART_DIR, part);
	kr_test_file("t.json", text);
}

/* In a container each run may have the same process id. */
static void
leftover_of_a_killed_one_stops_nobody(void **state)
{
	char command[2048];

	install("good.so");
	snprintf(command, sizeof(command),
		"cd %s && mkdir .out.new-$$ && ln -s aim .out.new-$$.2 && exec env "
		"KRAFLA_PROBE=" PROBE " " KRAFLA " package t.json -o out >/dev/null",
		kr_test_dir());
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "cd %s && test -d out && test ! -e aim", kr_test_dir());
	assert_int_equal(system(command), 0);
}

static bool
is_there(const char *name)
{
	return !access(kr_test_path(name), F_OK);
}

static void
package_of_a_driver(void **state)
{
	kr_test_file("data.bin", "data");
	install("good.so");
	says(0, "t.json -o out --data data.bin --node 'dri/renderD*' --node 'x*'", "out: made\n");
	assert_non_null(strstr(output, "driver: good.so, Vulkan 1.2.3, with 0 libraries: "));
	assert_non_null(strstr(output, "needs: glibc of any version, libstdc++ not at all"));
	assert_non_null(strstr(output, "needs of the application: no libraries"));
	assert_non_null(strstr(output, "device nodes in /dev: dri/renderD*, x*\n"));
	assert_true(is_there("out/metadata.json"));
	assert_true(is_there("out/contents/good.so"));
	assert_true(is_there("out/contents/t.json"));
	assert_true(is_there("out/contents/data.bin"));
	says(0, "--check out", "out: a good package\n");
	says(0, "t.json -o named --environment X_FILE=data.bin",
		"variables that name its files: X_FILE=data.bin\n");
	says(0, "--check named", "variables that name its files: X_FILE=data.bin\n");
	says(125, "t.json -o out", "krafla package: out is there already");
}

static void
what_is_said_as_json(void **state)
{
	json_t *root, *inner;

	install("uses_popen.so");
	assert_int_equal(package("t.json -o out --json"), 0);
	root = json_loads(output, 0, NULL);
	assert_non_null(root);
	inner = json_object_get(root, "package");
	assert_string_equal(json_string_value(json_object_get(root, "directory")), "out");
	assert_int_equal(json_array_size(json_object_get(root, "warnings")), 1);
	assert_string_equal(
		json_string_value(json_object_get(inner, "file_path")), "uses_popen.so");
	assert_true(json_is_true(json_object_get(inner, "checked")));
	assert_int_equal(json_array_size(json_object_get(inner, "files")), 2);
	json_decref(root);
	assert_int_equal(package("--check out --json"), 0);
	root = json_loads(output, 0, NULL);
	assert_non_null(root);
	json_decref(root);
	says(0, "--check out", "warning: uses_popen.so imports popen");
}

/* What fails a check isn't written. */
static void
driver_that_is_refused(void **state)
{
	install("executable_stack.so");
	says(125, "t.json -o out",
		"krafla package: t.json: executable_stack.so asks for an executable stack");
	assert_false(is_there("out"));
	install("unresolved.so");
	says(125, "t.json -o out", "imports part_missing");
	install("nowhere.so");
	says(125, "t.json -o out", "nowhere.so can't be opened: No such file or directory");
	says(125, "nothing.json -o out", "nothing.json can't be opened: No such file");
	kr_test_file("t.json", "nonsense");
	says(125, "t.json -o out", "t.json: line 1");
	install("good.so");
	says(125, "t.json -o nowhere/out",
		"nowhere/out can't be made: the directory nowhere: No such file or directory");
	says(125, "t.json -o t.json/out",
		"t.json/out can't be made: the directory t.json: Not a directory");
	says(125, "t.json -o out --environment X", "'X' is no NAME=PATH of a variable");
	says(125, "t.json -o out --library libnowhere.so.1", "libnowhere.so.1, which was said");
	says(125, "t.json -o out --node /dev/x", "/dev/x is no pattern of device nodes");
	assert_false(is_there("out"));
}

static void
package_that_is_bad(void **state)
{
	install("good.so");
	assert_int_equal(package("t.json -o out"), 0);
	kr_test_file("out/metadata.json", "{\"version\": 2}");
	says(125, "--check out", "out/metadata.json: \"version\" must be the number 1");
	says(125, "--check nowhere", "nowhere can't be opened: No such file");
}

/* Libraries that are opened at run time, declared or seen. */
static void
libraries_at_run_time(void **state)
{
	install("good.so");
	says(0, "t.json -o out --library " PART_DIR "/fake_llvm.so --library " PART_DIR "/xcb.so",
		"libraries that it opens itself: fake_llvm.so, xcb.so\n");
	says(0, "t.json -o traced --trace", "libraries that it opens itself: none known\n");
}

/* A line is wrong; nothing was done. */
static void
wrong_lines(void **state)
{
	install("good.so");
	says(2, "", "which driver? Name its manifest");
	says(2, "t.json", "where to? -o DIR is missing");
	says(2, "t.json t.json -o out", "there is more than one manifest");
	says(2, "t.json -o", "option '-o' needs a value");
	says(2, "t.json -o out --nodes x", "unknown or ambiguous option '--nodes'");
	says(2, "t.json -o out --trace=yes", "option '--trace=yes' takes no value");
	says(2, "--check out -o out", "--check goes with --json alone");
	says(2, "--check out --trace", "--check goes with --json alone");
	says(2, "--check out t.json", "'t.json' is one argument too many");
	says(2, "-x", "unknown option '-x'");
	assert_false(is_there("out"));
	says(0, "--help", "usage: krafla package MANIFEST.json -o DIR");
	says(0, "t.json -h", "usage: krafla package");
}

/* Debian's lavapipe as a package: what it needs is said. */
static void
package_of_lavapipe(void **state)
{
	if (access(LAVAPIPE, R_OK))
		kr_test_skip("no-lavapipe", LAVAPIPE " isn't there");
	says(0, LAVAPIPE " -o out --trace", "driver: libvulkan_lvp.so");
	assert_non_null(strstr(output, "needs: glibc 2."));
	assert_non_null(strstr(output, "libxcb.so.1"));
	assert_true(is_there("out/contents/libvulkan_lvp.so"));
	assert_true(is_there("out/contents/libstdc++.so.6"));
	assert_false(is_there("out/contents/libxcb.so.1"));
	assert_false(is_there("out/contents/libc.so.6"));
}

/* A signal that waits since before it began: what was written is removed before it takes effect. */
static void
package_that_is_interrupted(void **state)
{
	char below[512];
	sigset_t signals;
	int status;
	pid_t pid;

	install("good.so");
	snprintf(below, sizeof(below), "%s/below", kr_test_dir());
	assert_int_equal(mkdir(below, 0755), 0);
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		sigprocmask(SIG_BLOCK, &signals, NULL);
		raise(SIGTERM);
		if (!chdir(kr_test_dir()))
			execl(KRAFLA, KRAFLA, "package", "t.json", "-o", "below/out", NULL);
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 125);
	/* Only an empty one can be removed. */
	assert_int_equal(rmdir(below), 0);
}

static const struct kr_test tests[] = {
	KR_TEST(package_of_a_driver),
	KR_TEST(leftover_of_a_killed_one_stops_nobody),
	KR_TEST(what_is_said_as_json),
	KR_TEST(driver_that_is_refused),
	KR_TEST(package_that_is_bad),
	KR_TEST(libraries_at_run_time),
	KR_TEST(wrong_lines),
	KR_TEST(package_that_is_interrupted),
	KR_TEST_SLOW(package_of_lavapipe, 0, 60),
};

KR_TEST_MAIN(tests)
