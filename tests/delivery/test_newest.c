/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libstdc++ of the process and of the package, where the process hasn't loaded it yet but may: the
 * newer one serves both. The stand-ins define GLIBCXX_9.0 (5 and 9), or that and GLIBCXX_9.1 (6),
 * or no version (7).
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "harness.h"
#include "util/text.h"

#define CXX(source)                                                                                \
	{                                                                                          \
		"libstdc++.so.6", "library", "libstdc++.so.6", source                              \
	}

static const struct rig_file old_package[] = {
	CXX("krd_cxx_old.so"), RIG_DRIVER("krd_driver_cxx.so"), {0}};
static const struct rig_file new_package[] = {
	CXX("krd_cxx_new.so"), RIG_DRIVER("krd_driver_cxx_two.so"), {0}};

/* What a process says that has this library in its search path. */
static void
says(const char *what, const char *own, const struct rig_file *files, const char *expected)
{
	char *directory = kr_asprintf("%s/%s", kr_test_dir(), own ? own : "none");
	char *link = kr_asprintf("%s/libstdc++.so.6", directory);

	mkdir(directory, 0755);
	if (own)
		assert_int_equal(symlink(rig_source(own), link), 0);
	for (size_t i = 0; i < rig_kind_count(); i++)
		assert_string_equal(
			rig_child_run(what, directory, rig_kinds[i], files, "[]"), expected);
	if (own)
		assert_int_equal(unlink(link), 0);
	free(link);
	free(directory);
}

static void
test_newer_in_the_package(void **state)
{
	says("load", "krd_cxx_old.so", new_package, "base 6\nok 0\n");
	/* And the process gets it too, when it asks. */
	says("own", "krd_cxx_old.so", new_package, "base 6\nown 6\nok 0\n");
}

static void
test_newer_in_the_process(void **state)
{
	says("load", "krd_cxx_new.so", old_package, "base 6\nok 0\n");
	says("own", "krd_cxx_new.so", old_package, "base 6\nown 6\nok 0\n");
}

/* No reason for another copy than the one that the process would have. */
static void
test_equal(void **state)
{
	says("own", "krd_cxx_old_too.so", old_package, "base 9\nown 9\nok 0\n");
}

/* One that says nothing of its versions isn't known to do. */
static void
test_unknown_in_the_process(void **state)
{
	says("load", "krd_cxx_plain.so", new_package, "base 6\nok 0\n");
}

/* Neither has all that the other has: the process's own, if the package can do with it. */
static void
test_neither_is_newer(void **state)
{
	static const struct rig_file modest[] = {
		CXX("krd_cxx_new.so"), RIG_DRIVER("krd_driver_cxx.so"), {0}};

	says("load", "krd_cxx_side.so", modest, "base 10\nok 0\n");
	says("load", "krd_cxx_side.so", new_package, "base 6\nok 0\n");
}

static const struct kr_test tests[] = {
	KR_TEST(test_newer_in_the_package),
	KR_TEST(test_newer_in_the_process),
	KR_TEST(test_equal),
	KR_TEST(test_neither_is_newer),
	KR_TEST(test_unknown_in_the_process),
};

KR_TEST_MAIN(tests)
