/* SPDX-License-Identifier: Apache-2.0 */
/*
 * K-47 The table of profiles: which row is on, what a row says, and that nobody else
 * asks for its name.
 */
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "manifest/profile.h"
#include "util/guard.h"
#include "util/log.h"

static unsigned warnings;

static void
count_warnings(void *data, uint32_t bits, const char *message)
{
	warnings += strstr(message, "profile") != NULL;
}

static const struct kr_profile *
get(const char *variable)
{
	hide_system();
	set_variable("KRAFLA_PROFILE", variable);
	kr_log_set_sink(count_warnings, NULL);
	(void)kr_profile_get();
	return kr_profile_get();
}

static void
linux_is_the_default(void **state)
{
	const struct kr_profile *profile = get("");

	assert_string_equal(profile->name, "linux");
	assert_int_equal(
		profile->drivers, KR_PROFILE_HAL | KR_PROFILE_MANIFESTS | KR_PROFILE_SERVICE);
	assert_int_equal(profile->layers, KR_LAYERS_BY_MANIFEST);
	assert_true(profile->settings);
	assert_false(profile->platform_wsi);
	assert_false(profile->guard);
	assert_false(profile->permission_files);
	assert_null(profile->config_dirs);
	assert_false(profile->service_by_default);
	assert_int_equal(warnings, 0);
}

static void
android_by_variable(void **state)
{
	const struct kr_profile *profile = get("android");

	assert_string_equal(profile->name, "android");
	assert_int_equal(profile->drivers, KR_PROFILE_HAL | KR_PROFILE_STUB);
	assert_int_equal(profile->layers, KR_LAYERS_BY_LIBRARY);
	assert_false(profile->settings);
	assert_true(profile->platform_wsi);
	assert_true(profile->guard);
	assert_true(profile->permission_files);
	assert_int_equal(warnings, 0);
}

static void
fuchsia_by_variable(void **state)
{
	const struct kr_profile *profile = get("fuchsia");

	assert_string_equal(profile->name, "fuchsia");
	assert_int_equal(profile->drivers, KR_PROFILE_SERVICE | KR_PROFILE_NAMED);
	assert_true(profile->service_by_default);
	assert_int_equal(profile->layers, KR_LAYERS_BY_MANIFEST);
	/* Not /vulkan-loader-configuration: no package here chose it. */
	assert_string_equal(profile->config_dirs[0], "/pkg/data");
	assert_null(profile->config_dirs[1]);
}

static void
fuchsia_below_another_root(void **state)
{
	const struct kr_profile *profile;
	char expected[PATH_MAX];

	hide_system();
	assert_int_equal(mkdir(kr_test_path("pkg"), 0755), 0);
	assert_int_equal(mkdir(kr_test_path("pkg/meta"), 0755), 0);
	kr_test_file("pkg/meta/vulkan-loader-configuration", "");
	set_variable("KRAFLA_CONFIG_ROOT", kr_test_dir());
	set_variable("KRAFLA_PROFILE", "fuchsia");
	profile = kr_profile_get();
	snprintf(expected, sizeof(expected), "%s/vulkan-loader-configuration", kr_test_dir());
	assert_string_equal(profile->config_dirs[0], expected);
	snprintf(expected, sizeof(expected), "%s/pkg/data", kr_test_dir());
	assert_string_equal(profile->config_dirs[1], expected);
	assert_null(profile->config_dirs[2]);
}

static void
unknown_names_are_said_once(void **state)
{
	assert_string_equal(get("plan9")->name, "linux");
	assert_int_equal(warnings, 1);
}

static void
the_system_goes_first(void **state)
{
	set_system_properties("ro.krafla.profile=fuchsia\n");
	assert_string_equal(get("linux")->name, "fuchsia");
	assert_int_equal(warnings, 1);
}

static bool
is_source(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && (!strcmp(dot, ".c") || !strcmp(dot, ".h"));
}

/* EGL has a platform of a profile's name: EGL_PLATFORM=android. */
static bool
is_meant(const char *path, const char *word)
{
	return strcmp(word, "\"android\"") != 0 || !strstr(path, "/src/egl/");
}

static void
check_file(const char *path)
{
	static const char *const words[] = {"KRAFLA_PROFILE", "ro.krafla.profile", "\"linux\"",
		"\"android\"", "\"fuchsia\"", "profile_get()->name", "profile->name"};
	char line[4096];
	FILE *file = fopen(path, "re");

	if (!file)
		fail_msg("%s can't be read", path);
	while (fgets(line, sizeof(line), file)) {
		for (size_t i = 0; i < KR_ARRAY_LEN(words); i++) {
			if (strstr(line, words[i]) && is_meant(path, words[i]))
				fail_msg("%s asks which profile is on: %s", path, line);
		}
	}
	fclose(file);
}

/* The number of sources below. */
static unsigned
check_tree(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	unsigned count = 0;

	if (!dir)
		fail_msg("%s can't be read", path);
	while ((entry = readdir(dir))) {
		char below[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);
		if (entry->d_type == DT_DIR) {
			count += check_tree(below);
		} else if (is_source(below) && !strstr(below, "manifest/profile.")) {
			check_file(below);
			count++;
		}
	}
	closedir(dir);
	return count;
}

static void
nobody_else_asks(void **state)
{
	assert_true(check_tree(TEST_SOURCE_ROOT "/src") > 100);
	check_tree(TEST_SOURCE_ROOT "/lib");
	check_tree(TEST_SOURCE_ROOT "/drivers");
}

/* putenv keeps what it made of the environment. */
#define TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	TEST(linux_is_the_default),
	TEST(android_by_variable),
	TEST(fuchsia_by_variable),
	TEST(fuchsia_below_another_root),
	TEST(unknown_names_are_said_once),
	TEST(the_system_goes_first),
	TEST(nobody_else_asks),
};
KR_TEST_MAIN(tests)
