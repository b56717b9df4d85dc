/* SPDX-License-Identifier: Apache-2.0 */
/* What a process lacks is named before anything is loaded; so is what is wrong with a package. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "harness.h"
#include "rig.h"
#include "util/text.h"

static const struct rig_file whole[] = {
	RIG_BASE("krd_base_v1.so"), RIG_MID("krd_mid.so"), RIG_DRIVER("krd_driver.so"), {0}};
static const struct rig_file two[] = {
	RIG_BASE("krd_base_v2.so"), RIG_DRIVER("krd_driver_two.so"), {0}};

/* Refused with this error by check and by load, with the same sentence; nothing is loaded. */
static void
refused(const struct rig_file *files, const char *needs, int error, const char *says)
{
	struct kr_delivery *delivery = rig_deliver(KR_DELIVERY_MEMORY, files, needs);
	char *reason = NULL, *again = NULL;
	int ret = kr_delivery_check(delivery, &reason);
	void *dso = NULL;

	if (ret != error)
		fail_msg("%d, not %d: %s", ret, error, reason ? reason : "nothing is lacking");
	assert_non_null(reason);
	if (!strstr(reason, says))
		fail_msg("\"%s\" doesn't say \"%s\"", reason, says);
	assert_int_equal(kr_delivery_load(delivery, &dso, &again), error);
	assert_string_equal(reason, again);
	assert_null(dso);
	assert_int_equal(rig_mapped("memfd:"), 0);
	free(reason);
	free(again);
	kr_delivery_destroy(delivery);
}

static void
accepted(const struct rig_file *files, const char *needs)
{
	struct kr_delivery *delivery = rig_deliver(KR_DELIVERY_MEMORY, files, needs);
	char *reason;

	if (kr_delivery_check(delivery, &reason))
		fail_msg("%s", reason);
	assert_null(reason);
	assert_int_equal(rig_mapped("memfd:"), 0);
	kr_delivery_destroy(delivery);
}

static void
test_what_the_process_has(void **state)
{
	accepted(whole, "[]");
	accepted(whole,
		"[{\"library\": \"libc.so.6\", \"versions\": [\"GLIBC_2.2.5\", \"GLIBC_2.4\"]}]");
}

/* The newest version that is lacking, and what is there, in people's words. */
static void
test_newer_glibc(void **state)
{
	refused(whole,
		"[{\"library\": \"libc.so.6\", \"versions\": [\"GLIBC_2.4\", \"GLIBC_97.9\", "
		"\"GLIBC_97.10\", \"GLIBC_97.2\"]}]",
		-ENOEXEC,
		"the driver driver.so needs glibc 97.10 (GLIBC_97.10 of libc.so.6; this process has 2.");
	refused(whole, "[{\"library\": \"libc.so.6\", \"versions\": [\"OTHER_1\"]}]", -ENOEXEC,
		"needs OTHER_1 of libc.so.6 (this process has no OTHER_ of any number, in /");
}

static void
test_missing_libraries(void **state)
{
	refused(whole,
		"[{\"library\": \"libnowhere.so.1\"}, {\"library\": \"libc.so.6\"}, "
		"{\"library\": \"libneither.so.2\", \"versions\": [\"A\"]}]",
		-ENOENT,
		"the driver driver.so needs libnowhere.so.1, libneither.so.2, which this process doesn't have: add them to its runtime");
	refused(whole,
		"[{\"library\": \"libnowhere.so.1\"}, {\"library\": \"libc.so.6\", \"versions\": "
		"[\"GLIBC_98\"]}]",
		-ENOEXEC, "it also needs libnowhere.so.1, which this process doesn't have: add it");
}

/* A library that nobody has loaded yet is found where the dynamic linker would, and read there. */
static void
test_files_of_the_process(void **state)
{
	char *own = kr_asprintf("%s/own", kr_test_dir()), *link, *target;
	static const char needs[] =
		"[{\"library\": \"libkrdbase.so.1\", \"versions\": [\"KRD_1.0\", \"KRD_2.0\"]}]";
	static const struct rig_file files[] = {RIG_DRIVER("krd_driver_two.so"), {0}};
	const char *said;

	assert_int_equal(mkdir(own, 0755), 0);
	link = kr_asprintf("%s/libkrdbase.so.1", own);
	said = rig_child_run("check", own, KR_DELIVERY_MEMORY, files, needs);
	assert_non_null(strstr(said, "needs libkrdbase.so.1, which this process doesn't have"));
	target = strdup(rig_source("krd_base_v1.so"));
	assert_int_equal(symlink(target, link), 0);
	said = rig_child_run("check", own, KR_DELIVERY_MEMORY, files, needs);
	if (!strstr(said, "needs KRD_2.0 of libkrdbase.so.1 (this process has KRD_1.0, in ") ||
		!strstr(said, link))
		fail_msg("%s", said);
	free(target);
	assert_int_equal(unlink(link), 0);
	target = strdup(rig_source("krd_base_v2.so"));
	assert_int_equal(symlink(target, link), 0);
	assert_string_equal(
		rig_child_run("check", own, KR_DELIVERY_MEMORY, files, needs), "ok 0\n");
	assert_string_equal(
		rig_child_run("load", own, KR_DELIVERY_MEMORY, files, needs), "base 2\nok 0\n");
	free(target);
	free(link);
	free(own);
}

/* Libraries of the system's directories, by the cache or by themselves. */
static void
test_files_of_the_system(void **state)
{
	accepted(whole, "[{\"library\": \"libm.so.6\"}, {\"library\": \"libresolv.so.2\"}]");
	refused(whole, "[{\"library\": \"libresolv.so.2\", \"versions\": [\"GLIBC_99\"]}]",
		-ENOEXEC, "needs glibc 99 (GLIBC_99 of libresolv.so.2; this process has 2.");
}

/* The process's copy would be taken for everybody, and is too old. */
static void
test_older_copy_is_loaded(void **state)
{
	void *own = dlopen(rig_source("krd_base_v1.so"), RTLD_NOW | RTLD_LOCAL);
	char *says =
		kr_asprintf("needs KRD_2.0 of libkrdbase.so.1 (this process has KRD_1.0, in %s",
			rig_source("krd_base_v1.so"));

	assert_non_null(own);
	refused(two, "[]", -ENOEXEC, says);
	free(says);
	dlclose(own);
	accepted(two, "[]");
}

/* It has all that is wanted, or doesn't say what it has. */
static void
test_other_copy_is_loaded(void **state)
{
	static const char *const copies[] = {"krd_base_v2_too.so", "krd_base_plain.so"};

	for (size_t i = 0; i < KR_ARRAY_LEN(copies); i++) {
		void *own = dlopen(rig_source(copies[i]), RTLD_NOW | RTLD_LOCAL);

		assert_non_null(own);
		accepted(i ? whole : two, "[]");
		dlclose(own);
	}
}

/* What the package's own copy would want, if it were loaded, isn't asked for. */
static void
test_wants_of_unused_copies(void **state)
{
	static const struct rig_file files[] = {RIG_BASE("krd_base_v2.so"),
		{"libkrdmid.so.1", "library", "libkrdmid.so.1", "krd_mid_two.so"},
		RIG_DRIVER("krd_driver.so"), {0}};
	void *base = dlopen(rig_source("krd_base_v1.so"), RTLD_NOW | RTLD_LOCAL), *mid;

	assert_non_null(base);
	refused(files, "[]", -ENOEXEC, "KRD_2.0");
	mid = dlopen(rig_source("krd_mid.so"), RTLD_NOW | RTLD_LOCAL);
	assert_non_null(mid);
	accepted(files, "[]");
	dlclose(mid);
	dlclose(base);
}

/* The dynamic linker would search for these elsewhere, and mix the package with what it finds. */
static void
test_order(void **state)
{
	static const struct rig_file turned[] = {RIG_MID("krd_mid.so"), RIG_BASE("krd_base_v1.so"),
		RIG_DRIVER("krd_driver.so"), {0}};
	static const struct rig_file lacking[] = {
		RIG_MID("krd_mid.so"), RIG_DRIVER("krd_driver.so"), {0}};
	void *own;

	refused(turned, "[]", -EINVAL,
		"libkrdmid.so.1 of the package 0-driver.so needs libkrdbase.so.1, which stands behind");
	/* Comes before what the process lacks: no other process would do. */
	refused(turned, "[{\"library\": \"libnowhere.so.1\"}]", -EINVAL, "which stands behind");
	refused(lacking, "[]", -EINVAL,
		"needs libkrdbase.so.1, which is neither in the package nor among its needs");
	own = dlopen(rig_source("krd_base_v1.so"), RTLD_NOW | RTLD_LOCAL);
	accepted(lacking, "[]");
	dlclose(own);
}

static void
test_names(void **state)
{
	static const struct rig_file wrong[] = {
		{"liba.so.1", "library", "liba.so.1", "krd_base_v1.so"},
		RIG_DRIVER("krd_driver.so"), {0}};
	static const struct rig_file none[] = {
		{"driver.so", "driver", "other.so", "krd_driver.so"}, {0}};

	refused(wrong, "[]", -EINVAL,
		"liba.so.1 of the package 0-driver.so has the SONAME libkrdbase.so.1, and the index says liba.so.1");
	refused(none, "[]", -EINVAL, "has the SONAME driver.so");
}

/* The driver with one byte of its header changed. */
static const char *
changed_driver(size_t at, char byte)
{
	const char *path;
	FILE *file;
	char *bytes = NULL;
	size_t size;

	file = fopen(rig_source("krd_driver.so"), "re");
	assert_non_null(file);
	bytes = malloc(1 << 20);
	size = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	bytes[at] = byte;
	path = kr_test_file("changed.so", "");
	file = fopen(path, "we");
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
	free(bytes);
	return path;
}

static void
test_other_machines(void **state)
{
	struct rig_file files[] = {RIG_DRIVER(""), {0}};

	files[0].source = changed_driver(0, 'x');
	refused(files, "[]", -ENOEXEC, "not an ELF file");
	files[0].source = changed_driver(EI_CLASS, ELFCLASS32);
	refused(files, "[]", -ELIBBAD,
		"driver.so of the package 0-driver.so can't be loaded: it is a 32-bit library");
	files[0].source = changed_driver(18, EM_ARM);
	refused(files, "[]", -ELIBBAD, "it is made for arm");
}

/* The dynamic linker keeps the names by which it was asked. */
static const struct kr_test tests[] = {
	KR_TEST_FLAGS(test_what_the_process_has, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(test_newer_glibc, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(test_missing_libraries, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(test_files_of_the_process, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(test_files_of_the_system, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(test_older_copy_is_loaded, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(test_other_copy_is_loaded, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(test_wants_of_unused_copies, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(test_order, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(test_names, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(test_other_machines, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
