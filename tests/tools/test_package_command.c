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
		"'KRAFLA_PROBE=" PROBE "' '" KRAFLA "' package t.json -o out >/dev/null",
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
	char command[512];

	kr_test_file("data.bin", "data");
	install("good.so");
	says(0, "t.json -o out --data data.bin --node 'dri/renderD*' --node 'x*'", "out: made\n");
	assert_non_null(strstr(output, "driver: good.so, Vulkan 1.2.3, with 0 libraries: "));
	assert_non_null(strstr(output, "needs: glibc of any version, libstdc++ not at all"));
	assert_non_null(strstr(output, "needs of the application: no libraries"));
	assert_non_null(strstr(output, "device nodes in /dev: dri/renderD*, x*\n"));
	assert_true(is_there("out/metadata/metadata.json"));
	assert_true(is_there("out/contents/good.so"));
	assert_true(is_there("out/contents/t.json"));
	assert_true(is_there("out/contents/data.bin"));
	says(0, "--check out", "out: a good package\n");
	assert_null(strstr(output, "devices that it serves"));
	snprintf(command, sizeof(command),
		"sed -i 's/\"nodes\"/\"devices\": [{\"kernel_driver\": \"xe\", \"pci\": "
		"\"8086:9a49\"}, {\"node\": \"mali*\"}], &/' %s",
		kr_test_path("out/metadata/metadata.json"));
	assert_int_equal(system(command), 0);
	says(0, "--check out", "devices that it serves: xe 8086:9a49, mali*\n");
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
	inner = json_array_get(json_object_get(root, "imports"), 0);
	assert_string_equal(json_string_value(json_object_get(inner, "name")), "popen");
	assert_string_equal(json_string_value(json_object_get(inner, "kind")), "declared");
	assert_string_equal(json_string_value(json_object_get(inner, "file")), "uses_popen.so");
	json_decref(root);
	says(0, "--check out",
		"warning: imports of process (starts programs or waits for them): uses_popen.so popen");
}

/* I-03: checked when it is built; what is imported is declared for a driver, or by who packs it. */
static void
imports_of_a_driver(void **state)
{
	install("uses_popen.so");
	says(0, "t.json -o out", "families of imports, which are declared: process\n");
	says(0, "--check out", "families of imports, which are declared: process\n");
	says(125, "t.json -o none --imports none",
		"krafla package: t.json: uses_popen.so imports popen, which the package must declare (it starts programs or waits for them): \"imports\": [\"process\"] in \"krafla\" of metadata.json; instead: do in the driver");
	says(125, "t.json -o none --imports users", "uses_popen.so imports popen, which");
	says(125, "t.json -o none --imports colour",
		"\"colour\" is no family of imports of platform version 1: there are process, ");
	assert_false(is_there("none"));
	says(0, "t.json -o both --imports users --imports process",
		"families of imports, which are declared: users, process\n");
	install("uses_setuid.so");
	says(125, "t.json -o none", "uses_setuid.so imports setuid, which no package may");
	kr_test_file("out/metadata/metadata.json",
		"{\"version\": 1, \"file_path\": \"uses_popen.so\", \"manifest_path\": \"t.json\"}");
	says(125, "--check out", "uses_popen.so imports popen, which the package must declare");
}

/* I-04: any library, of a layer too, with all that is to be said of it. */
static void
report_on_a_library(void **state)
{
	json_t *root, *import;

	says(0, "--check " PART_DIR "/uses_libc.so",
		"uses_libc.so: 1 import of the C library, by ");
	assert_non_null(strstr(output, "/platform/1.txt\n"));
	assert_null(strstr(output, "fault"));
	says(125, "--check " PART_DIR "/uses_popen.so",
		"  fault: uses_popen.so imports popen, which the package must declare (it starts");
	assert_non_null(
		strstr(output, "uses_popen.so: 1 fault; a family is declared by --imports"));
	says(0, "--check " PART_DIR "/uses_popen.so --imports process",
		"  declared: popen (process)\n");
	says(125, "--check " PART_DIR "/uses_popen.so --imports colour",
		"'colour' is no family of imports: there are process, network, ");
	says(0, "--check " PART_DIR "/weak_popen.so",
		"  weak, and not declared: popen (process)\n");
	says(0, "--check " PART_DIR "/uses_dlsym.so",
		"  noted, since no list sees what is reached by them: dlsym (loading)\n");
	says(0, "--check " PART_DIR "/uses_readdir_r.so",
		"  later: uses_readdir_r.so imports readdir_r, which platform version 2 doesn't take any more; instead: readdir");
	says(0, "--check " PART_DIR "/uses_xcb.so", "  needs of the application: libxcb.so.1\n");
	says(0, "--check " PART_DIR "/chain.so", "  needs in its package: libpart_a.so.1\n");
	says(125, "--check " PART_DIR "/unversioned_popen.so",
		"fault: unversioned_popen.so imports popen, which the package must declare (it");
	assert_non_null(strstr(output, "  weak, and not declared: socket (network)\n"));
	says(125, "--check " PART_DIR "/unresolved.so",
		"unresolved.so imports part_missing, which isn't on the list of what packages may");
	says(125, "--check " PART_DIR "/needs_resolv.so",
		"needs_resolv.so needs libresolv.so.2, which");
	assert_non_null(strstr(output, "needs_resolv.so: 1 fault\n"));
	assert_int_equal(package("--check " PART_DIR "/uses_setuid.so --json"), 125);
	/* What is said on standard error comes behind it. */
	root = json_loads(output, JSON_DISABLE_EOF_CHECK, NULL);
	assert_true(json_is_false(json_object_get(root, "good")));
	assert_int_equal(json_integer_value(json_object_get(root, "platform")), 1);
	import = json_array_get(json_object_get(root, "imports"), 0);
	assert_string_equal(json_string_value(json_object_get(import, "name")), "setuid");
	assert_string_equal(json_string_value(json_object_get(import, "kind")), "refused");
	assert_string_equal(json_string_value(json_object_get(import, "word")), "privileges");
	assert_true(json_is_true(json_object_get(import, "fault")));
	json_decref(root);
}

/* What isn't to be reported on. */
static void
no_library_to_report_on(void **state)
{
	kr_test_file("text", "no library");
	says(125, "--check text", "text is no shared library for this machine");
	assert_int_equal(mkfifo(kr_test_path("pipe"), 0600), 0);
	says(125, "--check pipe", "pipe can't be opened: No such device");
	kr_test_file("cut.so", "\177ELF\2\1\1");
	says(125, "--check cut.so", "cut.so is no shared library for this machine");
	assert_int_equal(mkdir(kr_test_path("platform"), 0755), 0);
	assert_int_equal(setenv("KRAFLA_PLATFORM", kr_test_path("platform"), 1), 0);
	says(125, "--check " PART_DIR "/good.so", "there is no allow list in ");
	kr_test_file("platform/1.txt", "platform 1\nnonsense\n");
	says(125, "--check " PART_DIR "/good.so",
		"platform/1.txt, line 2: nonsense: this word isn't");
	install("good.so");
	says(125, "t.json -o out", "platform/1.txt, line 2: nonsense: this word isn't known");
	assert_false(is_there("out"));
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
	kr_test_file("out/metadata/metadata.json", "{\"version\": 2}");
	says(125, "--check out", "out/metadata/metadata.json: \"version\" must be the number 1");
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

/* A plain directory of Fuchsia's layout, and a driver in it. */
static void
make_plain(const char *part)
{
	char command[2048];

	snprintf(command, sizeof(command),
		"cd %s && rm -rf plain && mkdir -p plain/lib plain/meta/metadata plain/meta/icd.d && cp " PART_DIR
		"/%s plain/lib/d.so",
		kr_test_dir(), part);
	assert_int_equal(system(command), 0);
	kr_test_file("plain/meta/icd.d/d.json",
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": "
		"\"libvulkan_d.so\", \"api_version\": \"1.1.0\"}}");
	kr_test_file("plain/meta/metadata/metadata.json",
		"{\"version\": 1, \"file_path\": \"lib/d.so\", "
		"\"manifest_path\": \"meta/icd.d/d.json\"}");
}

/* I-02: a plain directory is a package by a file that names it, and nothing of it is copied. */
static void
component_of_a_directory(void **state)
{
	char text[1024];

	make_plain("good.so");
	says(0, "--runner plain -o out", "out: made\n");
	assert_non_null(strstr(output, "driver: lib/d.so, Vulkan 1.1.0, with 0 libraries: "));
	assert_true(is_there("out/component.json"));
	assert_false(is_there("out/contents"));
	says(0, "--check out", "out: a good package\n");
	make_plain("executable_stack.so");
	says(125, "--check out", "lib/d.so asks for an executable stack");
	says(125, "--runner plain -o other", "lib/d.so asks for an executable stack");
	says(125, "--runner nowhere -o other", "nowhere can't be opened: No such file");
	make_plain("good.so");
	says(125, "--runner plain --subdir meta -o other",
		"plain/meta/metadata.json: No such file");
	says(125, "--runner plain --subdir ../plain -o other",
		"the subdir '../plain': a path must");
	assert_false(is_there("other"));
	assert_int_equal(rename(kr_test_path("plain/meta/metadata/metadata.json"),
				 kr_test_path("plain/metadata.json")),
		0);
	says(0, "--runner plain --subdir . -o other", "other: made\n");
	snprintf(text, sizeof(text), "{\"program\": {\"runner\": \"elf\", \"directory\": \"%s\"}}",
		kr_test_dir());
	kr_test_file("out/component.json", text);
	says(125, "--check out", "there is no other runner than icd_runner");
}

static void
components_that_are_bad(void **state)
{
	static const struct {
		const char *text, *words;
	} bad[] = {
		{"", "out/component.json: line 1"},
		{"{}", "\"program\" must be an object"},
		{"{\"program\": []}", "\"program\" must be an object"},
		{"{\"program\": {\"directory\": \"/x\"}}", "\"program.runner\" is missing"},
		{"{\"program\": {\"runner\": \"icd_runner\"}}", "\"program.directory\" is missing"},
		{"{\"program\": {\"runner\": \"icd_runner\", \"directory\": \"x\"}}",
			"must be an absolute path"},
		{"{\"program\": {\"runner\": \"icd_runner\", \"directory\": 1}}",
			"\"program.directory\" must be a string"},
		{"{\"program\": {\"binary\": \"x\"}}", "\"program.binary\" isn't known"},
		{"{\"program\": {\"runner\": \"icd_runner\", \"directory\": \"/nowhere\"}}",
			"/nowhere can't be opened: No such file"},
	};

	make_plain("good.so");
	says(0, "--runner plain -o out", "out: made\n");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		kr_test_file("out/component.json", bad[i].text);
		says(125, "--check out", bad[i].words);
	}
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
	says(2, "--check out --imports users", "--imports goes with --check of a library alone");
	says(2, "--check out t.json", "'t.json' is one argument too many");
	says(2, "--runner p t.json -o out", "--runner goes with --subdir, -o and --json alone");
	says(2, "--runner p", "where to? -o DIR is missing");
	says(2, "t.json --subdir x -o out", "--subdir goes with --runner alone");
	says(2, "--check out --runner p", "--check goes with --json alone");
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
	assert_non_null(strstr(output, "imports of process (starts programs or waits for them): "));
	assert_non_null(strstr(output, "needs of the application: no libraries"));
	assert_non_null(strstr(output, "where the application has them, its own: "));
	assert_non_null(strstr(output, "libxcb.so.1"));
	assert_true(is_there("out/contents/libvulkan_lvp.so"));
	assert_true(is_there("out/contents/libstdc++.so.6"));
	assert_true(is_there("out/contents/libxcb.so.1"));
	assert_true(is_there("out/contents/libXau.so.6"));
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
	KR_TEST(imports_of_a_driver),
	KR_TEST(report_on_a_library),
	KR_TEST_FLAGS(no_library_to_report_on, KR_TEST_KEEPS_MEMORY),
	KR_TEST(driver_that_is_refused),
	KR_TEST(package_that_is_bad),
	KR_TEST(libraries_at_run_time),
	KR_TEST(component_of_a_directory),
	KR_TEST(components_that_are_bad),
	KR_TEST(wrong_lines),
	KR_TEST(package_that_is_interrupted),
	KR_TEST_SLOW(package_of_lavapipe, 0, 60),
};

KR_TEST_MAIN(tests)
