/* SPDX-License-Identifier: Apache-2.0 */
/* V-01, V-06: `krafla features --write-permissions`: which files, what is in them, how written. */
#include "rig.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/macros.h"

#define LEVEL   "android.hardware.vulkan.level.xml"
#define COMPUTE "android.hardware.vulkan.compute.xml"
#define VERSION "android.hardware.vulkan.version.xml"
#define DEQP    "android.software.vulkan.deqp.level.xml"

static char content[4096];

static int
write_to(const char *directory, const char *settings)
{
	char words[512];

	snprintf(words, sizeof(words), "--write-permissions '%s'", directory);
	return null_features(settings, words);
}

/* Its text; NULL when it isn't there. */
static const char *
read_file(const char *name)
{
	FILE *file = fopen(kr_test_path(name), "r");
	size_t length;

	if (!file)
		return NULL;
	length = fread(content, 1, sizeof(content) - 1, file);
	content[length] = '\0';
	fclose(file);
	return content;
}

static unsigned
count_files(void)
{
	DIR *dir = opendir(kr_test_dir());
	unsigned count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static void
expect_feature(const char *name, const char *line)
{
	const char *text = read_file(name);

	if (!text || !strstr(text, line))
		fail_msg("%s: %s", name, text ? text : "isn't there");
	assert_non_null(strstr(text, "<permissions>\n"));
	assert_non_null(strstr(text, "</permissions>\n"));
}

static void
what_is_held_is_written(void **state)
{
	struct stat status;

	assert_int_equal(write_to(kr_test_dir(), EVERYTHING), 0);
	expect_feature(LEVEL, "<feature name=\"android.hardware.vulkan.level\" version=\"1\" />");
	expect_feature(
		COMPUTE, "<feature name=\"android.hardware.vulkan.compute\" version=\"0\" />");
	/* 0x403000 */
	expect_feature(VERSION,
		"<feature name=\"android.hardware.vulkan.version\" version=\"4206592\" />");
	assert_int_equal(count_files(), 3);
	assert_int_equal(stat(kr_test_path(VERSION), &status), 0);
	assert_int_equal(status.st_mode & 07777, 0644);
	assert_non_null(strstr(output, VERSION ": version 1.3.0\n"));
}

static void
versions_of_the_guide_are_written(void **state)
{
	assert_int_equal(write_to(kr_test_dir(), EVERYTHING ",api=1.0.68"), 0);
	expect_feature(VERSION, "version=\"4194307\"");
	assert_null(read_file(COMPUTE));
	assert_int_equal(write_to(kr_test_dir(), EVERYTHING ",api=1.2.0"), 0);
	expect_feature(VERSION, "version=\"4198400\"");
}

static void
nothing_held_is_nothing_written(void **state)
{
	assert_int_equal(write_to(kr_test_dir(), ""), 0);
	assert_int_equal(count_files(), 0);
	assert_non_null(strstr(output, "none was written"));
}

/* What was written is what the profile android reads. */
static void
what_is_written_is_read_again(void **state)
{
	char variables[4096];

	assert_int_equal(write_to(kr_test_dir(), EVERYTHING ",api=1.2.0"), 0);
	snprintf(variables, sizeof(variables),
		"KRAFLA_PROFILE=android KRAFLA_HAL_PATH=" NULL_DIR
		" KRAFLA_PROP_ro_hardware_vulkan=null KRAFLA_PROP_ro_krafla_permissions=%s "
		"KRAFLA_NULL_DRIVER=" EVERYTHING,
		kr_test_dir());
	assert_int_equal(features(variables, "--has android.hardware.vulkan.version 1.1"), 0);
	/* The devices hold 1.3, and the file says 1.1. */
	assert_int_equal(features(variables, "--has android.hardware.vulkan.version 1.3"), 1);
	assert_int_equal(features(variables, "--has android.hardware.vulkan.level 1"), 0);
}

static void
what_is_no_longer_held_is_told(void **state)
{
	assert_int_equal(write_to(kr_test_dir(), EVERYTHING), 0);
	assert_int_equal(write_to(kr_test_dir(), EVERYTHING ",feature.variablePointers=no"), 1);
	assert_non_null(strstr(output,
		COMPUTE
		" declares android.hardware.vulkan.compute 0, which the devices don't hold"));
	/* It isn't ours to remove. */
	assert_non_null(read_file(COMPUTE));
	assert_int_equal(unlink(kr_test_path(COMPUTE)), 0);
	assert_int_equal(write_to(kr_test_dir(), EVERYTHING ",feature.variablePointers=no"), 0);
	/* Under whatever name, and when it says more than is held. */
	kr_test_file("android.hardware.vulkan.version-1_3.xml",
		"<permissions><feature name='android.hardware.vulkan.version' version='4206592'/>"
		"</permissions>");
	assert_int_equal(write_to(kr_test_dir(), EVERYTHING), 0);
	assert_int_equal(write_to(kr_test_dir(), EVERYTHING ",api=1.2.0"), 1);
	assert_non_null(strstr(output, "version-1_3.xml declares"));
}

/* Without results nobody knows whether that level holds. */
static void
deqp_level_is_left_alone(void **state)
{
	kr_test_file(DEQP,
		"<permissions><feature name='android.software.vulkan.deqp.level' "
		"version='132317953'/></permissions>");
	assert_int_equal(write_to(kr_test_dir(), EVERYTHING), 0);
	assert_non_null(strstr(output, "deqp.level 2019-03-01, which wasn't looked at"));
	assert_non_null(read_file(DEQP));
}

static void
links_are_replaced(void **state)
{
	kr_test_file("precious", "keep this");
	assert_int_equal(symlink("precious", kr_test_path(VERSION)), 0);
	assert_int_equal(symlink("/dev/null", kr_test_path(LEVEL)), 0);
	assert_int_equal(mkfifo(kr_test_path(COMPUTE), 0600), 0);
	assert_int_equal(write_to(kr_test_dir(), EVERYTHING), 0);
	assert_string_equal(read_file("precious"), "keep this");
	expect_feature(VERSION, "version=\"4206592\"");
	expect_feature(LEVEL, "version=\"1\"");
	expect_feature(COMPUTE, "version=\"0\"");
}

/* All or nothing: a place that can't be taken is known before the first is. */
static void
a_place_that_is_a_directory_stops_all(void **state)
{
	kr_test_file(LEVEL, "old");
	assert_int_equal(mkdir(kr_test_path(VERSION), 0700), 0);
	assert_int_equal(write_to(kr_test_dir(), EVERYTHING), 125);
	assert_non_null(strstr(output, VERSION " can't be written: Is a directory"));
	assert_string_equal(read_file(LEVEL), "old");
	assert_int_equal(count_files(), 2);
}

static void
directories_that_arent(void **state)
{
	assert_int_equal(write_to(kr_test_path("nothing"), EVERYTHING), 125);
	assert_non_null(strstr(output, "nothing: No such file or directory"));
	assert_int_equal(write_to(kr_test_file("file", ""), EVERYTHING), 125);
	assert_non_null(strstr(output, "Not a directory"));
	assert_int_equal(write_to("/proc/self", EVERYTHING), 125);
	assert_int_equal(write_to("", EVERYTHING), 125);
}

/* Files of others: FIFOs, devices, nonsense. None is waited for. */
static void
other_files_may_be_anything(void **state)
{
	assert_int_equal(mkfifo(kr_test_path("fifo.xml"), 0600), 0);
	assert_int_equal(symlink("/dev/zero", kr_test_path("zero.xml")), 0);
	kr_test_file("nonsense.xml", "<permissions");
	assert_int_equal(write_to(kr_test_dir(), EVERYTHING), 0);
	assert_non_null(strstr(output, "fifo.xml can't be looked at"));
	assert_non_null(strstr(output, "zero.xml can't be looked at"));
	assert_non_null(strstr(output, "nonsense.xml can't be looked at: line 1"));
}

static void
json_tells_the_same(void **state)
{
	char words[512];
	json_t *answer;

	kr_test_file("x.xml",
		"<permissions><feature name='android.hardware.vulkan.level' version='2'/>"
		"</permissions>");
	snprintf(words, sizeof(words), "--json --write-permissions %s", kr_test_dir());
	assert_int_equal(null_features(EVERYTHING, words), 1);
	/* Behind what was told on stderr. */
	assert_non_null(strchr(output, '{'));
	answer = json_loads(strchr(output, '{'), 0, NULL);
	assert_non_null(answer);
	assert_int_equal(json_array_size(json_object_get(answer, "written")), 3);
	assert_int_equal(json_array_size(json_object_get(answer, "declared_elsewhere")), 1);
	json_decref(answer);
}

static void
files_that_are_too_large(void **state)
{
	struct rlimit before, none;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(write_to(kr_test_dir(), EVERYTHING), 125);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_non_null(strstr(output, "can't be written: File too large"));
	assert_int_equal(count_files(), 0);
}

static const struct kr_test tests[] = {
	KR_TEST(what_is_held_is_written),
	KR_TEST(versions_of_the_guide_are_written),
	KR_TEST(nothing_held_is_nothing_written),
	KR_TEST(what_is_written_is_read_again),
	KR_TEST(what_is_no_longer_held_is_told),
	KR_TEST(deqp_level_is_left_alone),
	KR_TEST(links_are_replaced),
	KR_TEST(a_place_that_is_a_directory_stops_all),
	KR_TEST(directories_that_arent),
	KR_TEST(other_files_may_be_anything),
	KR_TEST(json_tells_the_same),
	KR_TEST(files_that_are_too_large),
};
KR_TEST_MAIN(tests)
