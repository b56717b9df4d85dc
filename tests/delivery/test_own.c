/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that the application has to share with the driver (libxcb, here libkrdbase and
 * libkrdmid): the process's file if it has one, whether or not it has loaded it, and the package's
 * where it has none. What only the package's copy needs isn't loaded beside the process's.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "harness.h"
#include "util/text.h"

#define OWN_BASE(source)                                                                           \
	{                                                                                          \
		"libkrdbase.so.1", "library", "libkrdbase.so.1", source, true                      \
	}
#define OWN_MID(source)                                                                            \
	{                                                                                          \
		"libkrdmid.so.1", "library", "libkrdmid.so.1", source, true                        \
	}

static const struct rig_file base_is_own[] = {
	OWN_BASE("krd_base_v1.so"), RIG_MID("krd_mid.so"), RIG_DRIVER("krd_driver.so"), {0}};
static const struct rig_file newer_base_is_own[] = {
	OWN_BASE("krd_base_v2.so"), RIG_DRIVER("krd_driver_two.so"), {0}};
static const struct rig_file mid_is_own[] = {
	RIG_BASE("krd_base_v1.so"), OWN_MID("krd_mid.so"), RIG_DRIVER("krd_driver.so"), {0}};

/* A library of the process's, below the directory that its dynamic linker searches. */
static void
give(const char *below, const char *soname, const char *source)
{
	char *directory = kr_asprintf("%s/own%s", kr_test_dir(), below);
	char *link = kr_asprintf("%s/%s", directory, soname);

	mkdir(kr_test_path("own"), 0755);
	for (char *slash = directory + strlen(kr_test_path("own")); (slash = strchr(slash, '/'));
		slash++) {
		*slash = '\0';
		mkdir(directory, 0755);
		*slash = '/';
	}
	mkdir(directory, 0755);
	unlink(link);
	assert_int_equal(symlink(rig_source(source), link), 0);
	free(link);
	free(directory);
}

static void
says(const char *what, const struct rig_file *files, const char *needs, const char *expected)
{
	for (size_t i = 0; i < rig_kind_count(); i++) {
		const char *said =
			rig_child_run(what, kr_test_path("own"), rig_kinds[i], files, needs);

		if (!strstr(said, expected))
			fail_msg("\"%s\" doesn't say \"%s\"", said, expected);
	}
}

static void
test_none_in_the_process(void **state)
{
	says("load", base_is_own, "[]", "base 1\nok 0\n");
}

static void
test_one_in_the_process(void **state)
{
	static const struct rig_file package[] = {RIG_BASE("krd_base_v1.so"), RIG_MID("krd_mid.so"),
		RIG_DRIVER("krd_driver.so"), {0}};

	give("", "libkrdbase.so.1", "krd_base_v2_too.so");
	says("load", base_is_own, "[]", "base 3\nok 0\n");
	/* Of others the package's is taken. */
	says("load", package, "[]", "base 1\nok 0\n");
}

/* In a place that the dynamic linker alone knows. */
static void
test_one_that_the_linker_finds(void **state)
{
#ifndef __x86_64__
	kr_test_skip("no-x86-64", "the name of the place is the processor's");
#endif
	give("/glibc-hwcaps/x86-64-v2", "libkrdbase.so.1", "krd_base_v2_too.so");
	says("load", base_is_own, "[]", "base 3\nok 0\n");
}

static void
test_one_that_is_too_old(void **state)
{
	give("", "libkrdbase.so.1", "krd_base_v1.so");
	says("check", newer_base_is_own, "[]",
		"needs KRD_2.0 of libkrdbase.so.1 (this process has KRD_1.0");
	give("", "libkrdbase.so.1", "krd_base_v2_too.so");
	says("load", newer_base_is_own, "[]", "base 3\nok 0\n");
}

/* The process's copy of mid finds the process's base, which the package's doesn't get ahead of. */
static void
test_what_its_own_needs_is_its_own(void **state)
{
	give("", "libkrdbase.so.1", "krd_base_v2_too.so");
	says("load", mid_is_own, "[]", "base 1\nok 0\n");
	give("", "libkrdmid.so.1", "krd_mid.so");
	says("load", mid_is_own, "[]", "base 3\nok 0\n");
}

/* What the package's copy wants of the process, where that isn't taken. */
static void
test_needs_of_unused_copies(void **state)
{
	static const struct rig_file modest[] = {
		OWN_MID("krd_mid.so"), RIG_DRIVER("krd_driver.so"), {0}};
	static const struct rig_file wanting[] = {
		OWN_MID("krd_mid_two.so"), RIG_DRIVER("krd_driver.so"), {0}};
	static const char version[] =
		"[{\"library\": \"libkrdbase.so.1\", \"versions\": [\"KRD_2.0\"]}]";

	says("load", modest, "[{\"library\": \"libkrdbase.so.1\"}]",
		"needs libkrdbase.so.1, which this process doesn't have");
	give("", "libkrdmid.so.1", "krd_mid_alone.so");
	says("load", modest, "[{\"library\": \"libkrdbase.so.1\"}]", "base 11\nok 0\n");
	give("", "libkrdbase.so.1", "krd_base_v1.so");
	give("", "libkrdmid.so.1", "krd_mid.so");
	says("load", wanting, version, "base 1\nok 0\n");
	assert_int_equal(unlink(kr_test_path("own/libkrdmid.so.1")), 0);
	says("load", wanting, version, "needs KRD_2.0 of libkrdbase.so.1");
}

static const struct kr_test tests[] = {
	KR_TEST(test_none_in_the_process),
	KR_TEST(test_one_in_the_process),
	KR_TEST(test_one_that_the_linker_finds),
	KR_TEST(test_one_that_is_too_old),
	KR_TEST(test_what_its_own_needs_is_its_own),
	KR_TEST(test_needs_of_unused_copies),
};

KR_TEST_MAIN(tests)
