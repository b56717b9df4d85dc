/* SPDX-License-Identifier: Apache-2.0 */
/* What packages import from outside, by the allow list: each fault, and what is only told. */
#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "rig.h"
#include "util/macros.h"

#define METADATA(ours)                                                                             \
	"{\"version\": 1, \"file_path\": \"libvulkan_t.so\", \"manifest_path\": \"t.json\", "      \
	"\"krafla\": {" ours "}}"

static void
make(const char *driver, const char *metadata)
{
	rig_package(metadata, RIG_MANIFEST);
	rig_add("libvulkan_t.so", driver);
}

/* A platform whose lists are these; NULL: none of that version. */
static void
make_platform(const char *one, const char *two)
{
	mkdir(kr_test_path("platform"), 0755);
	if (one)
		kr_test_file("platform/1.txt", one);
	if (two)
		kr_test_file("platform/2.txt", two);
	setenv("KRAFLA_PLATFORM", kr_test_path("platform"), 1);
}

static bool
warns(const char *words)
{
	json_t *warnings = json_array();
	bool found;

	kr_package_destroy(rig_check(warnings));
	found = rig_warned(warnings, words);
	if (!found)
		json_dumpf(warnings, stderr, JSON_INDENT(2));
	json_decref(warnings);
	return found;
}

/* I-03, I-04: one of each family, refused with how to do without, and taken when declared. */
static void
families_are_declared(void **state)
{
	static const struct {
		const char *part, *family, *words;
	} cases[] = {
		{"uses_popen.so", "process",
			"libvulkan_t.so imports popen, which the package must declare (it starts programs or waits for them): \"imports\": [\"process\"] in \"krafla\" of metadata.json; instead: do in the driver what"},
		{"uses_socket.so", "network",
			"libvulkan_t.so imports socket, which the package must declare (it opens sockets or asks for names of hosts): \"imports\": [\"network\"]"},
		{"uses_getpwuid_r.so", "users",
			"imports getpwuid_r, which the package must declare (it asks for users and groups, for which the C library loads modules of the system): \"imports\": [\"users\"] in \"krafla\" of metadata.json; instead: secure_getenv(\"HOME\")"},
		{"uses_sigaction.so", "signals",
			"imports sigaction, which the package must declare (it sends or handles signals"},
		{"uses_setenv.so", "process-state",
			"imports setenv, which the package must declare (it changes what the whole process shares"},
		{"uses_tcsetattr.so", "terminal",
			"imports tcsetattr, which the package must declare (it works with terminals)"},
		{"uses_ptrace.so", "inspection",
			"imports ptrace, which the package must declare (it looks into other processes)"},
		{"uses_iopl.so", "hardware",
			"imports iopl, which the package must declare (it asks for the processor's I/O ports): \"imports\": [\"hardware\"] in \"krafla\" of metadata.json; instead: the device nodes"},
	};
	char metadata[300], told[80];

	make("good.so", RIG_METADATA);
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		rig_metadata(RIG_METADATA);
		rig_add("libvulkan_t.so", cases[i].part);
		rig_check_fails(cases[i].words);
		snprintf(metadata, sizeof(metadata), METADATA("\"imports\": [\"%s\"]"),
			cases[i].family);
		rig_metadata(metadata);
		snprintf(told, sizeof(told), "imports of %s (", cases[i].family);
		assert_true(warns(told));
		rig_metadata(METADATA("\"imports\": [\"nothing\"]"));
		rig_check_fails(
			"\"nothing\" is no family of imports of platform version 1: there are "
			"process, network, users, signals, process-state, terminal, inspection, hardware");
	}
}

/* I-03: each library that is loaded needs the C library of the process, not the driver alone. */
static void
libraries_of_the_driver_too(void **state)
{
	make("chain.so", RIG_METADATA);
	rig_add("libpart_a.so.1", "part_a.so");
	rig_add("libpart_b.so.1", "part_b_socket.so");
	rig_check_fails("libpart_b.so.1 imports socket, which the package must declare");
	rig_metadata(METADATA("\"imports\": [\"users\", \"network\"]"));
	assert_true(warns("imports of network (opens sockets or asks for names of hosts): "
			  "libpart_b.so.1 socket"));
}

/* I-03, I-04: nothing declares these. */
static void
what_no_package_may_import(void **state)
{
	make("uses_setuid.so",
		METADATA("\"imports\": [\"process\", \"users\", \"process-state\"]"));
	rig_check_fails(
		"libvulkan_t.so imports setuid, which no package may (privileges: it changes who the process is, or the system); instead: nothing: a driver");
	rig_add("libvulkan_t.so", "uses_mktemp.so");
	rig_check_fails(
		"imports mktemp, which no package may (unsafe: it can't be used safely); instead: mkostemp");
	rig_add("libvulkan_t.so", "uses_malloc_hook.so");
	rig_check_fails(
		"imports __malloc_hook, which no package may (allocator: it changes the allocator of the process); instead: the VkAllocationCallbacks");
	rig_add("libvulkan_t.so", "uses_getspnam.so");
	rig_check_fails(
		"imports getspnam of libc.so.6, which isn't on the list of what packages may import (");
	rig_check_fails("platform/1.txt): use a function that is, or a library in the package");
	rig_add("libvulkan_t.so", "needs_resolv.so");
	rig_check_fails(
		"libvulkan_t.so needs libresolv.so.2, which isn't on the list of what packages may need of the system (");
}

/* I-03: told, and no fault. */
static void
what_is_only_told(void **state)
{
	make("uses_dlsym.so", RIG_METADATA);
	assert_true(warns(
		"imports of loading (opens libraries or finds functions by name, which no list sees): libvulkan_t.so dlsym"));
	rig_add("libvulkan_t.so", "weak_popen.so");
	assert_true(warns(
		"weak imports of process (starts programs or waits for them): libvulkan_t.so popen"));
	rig_add("libvulkan_t.so", "uses_readdir_r.so");
	assert_true(warns(
		"libvulkan_t.so imports readdir_r, which platform version 2 doesn't take any more; instead: readdir"));
}

/* I-03: a library of the package that has a function of that name is nearer than the C library. */
static void
symbols_without_a_version(void **state)
{
	json_t *warnings = json_array();

	make("uses_own_popen.so", RIG_METADATA);
	rig_add("libpart_p.so.1", "part_popen.so");
	kr_package_destroy(rig_check(warnings));
	assert_int_equal(json_array_size(warnings), 0);
	json_decref(warnings);
}

#define FIRST                                                                                      \
	"platform 1\nlibraries libc.so.6\nplain\nnames getpid getpwuid_r\ninstead fopen\n"         \
	"names popen\n"

/* I-04: a newer list is smaller, and a package stays with the one that it was made for. */
static void
newer_platform_takes_less(void **state)
{
	json_t *warnings;

	make_platform(FIRST,
		"platform 2\nlibraries libc.so.6\nplain\nnames getpwuid_r\n"
		"refused process\ndoes starts programs\ninstead nothing\nnames popen\n");
	make("uses_popen.so", RIG_METADATA);
	rig_check_fails("imports popen, which no package may (process: it starts programs)");
	rig_metadata(METADATA("\"platform\": 1"));
	assert_true(warns(
		"libvulkan_t.so imports popen, which platform version 2 doesn't take any more; instead: fopen"));
	rig_add("libvulkan_t.so", "uses_libc.so");
	assert_true(warns("imports getpid, which platform version 2 doesn't take any more"));
	rig_add("libvulkan_t.so", "uses_getpwuid_r.so");
	warnings = json_array();
	kr_package_destroy(rig_check(warnings));
	assert_false(rig_warned(warnings, "doesn't take any more"));
	json_decref(warnings);
}

static void
check_fails(int code, const char *words)
{
	struct kr_package *package = rig_open();
	char *reason;
	int ret = kr_package_check(package, NULL, &reason);

	if (ret != code || !strstr(reason, words))
		fail_msg("%d: %s\nand not %d for: %s", ret, reason, code, words);
	free(reason);
	kr_package_destroy(package);
}

/* I-04: without a list nothing is taken, and the file is named. */
static void
list_that_is_broken_or_missing(void **state)
{
	make("uses_libc.so", METADATA("\"platform\": 3"));
	make_platform(FIRST, NULL);
	check_fails(-ENOENT, "platform version 3 isn't known here: ");
	check_fails(-ENOENT, "/platform/3.txt is missing; there are versions 1 to 1");
	rig_metadata(RIG_METADATA);
	make_platform("platform 1\nlibraries libc.so.6\nplain\nname getpid\n", NULL);
	check_fails(-EINVAL, "/platform/1.txt, line 4: name: this word isn't known");
	setenv("KRAFLA_PLATFORM", kr_test_path("nowhere"), 1);
	check_fails(-ENOENT, "/nowhere can't be read: No such file or directory");
}

/* setenv keeps what it is told. */
static const struct kr_test tests[] = {
	KR_TEST(families_are_declared),
	KR_TEST(libraries_of_the_driver_too),
	KR_TEST(what_no_package_may_import),
	KR_TEST(what_is_only_told),
	KR_TEST(symbols_without_a_version),
	KR_TEST_FLAGS(newer_platform_takes_less, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(list_that_is_broken_or_missing, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
