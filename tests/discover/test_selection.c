/* SPDX-License-Identifier: Apache-2.0 */
/* Which manifests become drivers: variables, filters, the settings file, portability. */
#include "support.h"

#include <string.h>
#include <sys/stat.h>

#include "manifest/settings.h"
#include "util/text.h"

static char *files;

/* a.json (interface 5) and B.json (interface 7), named by `variable`. */
static void
put_two(const char *variable)
{
	files = kr_asprintf("%s:%s", put_manifest("a.json", built("icd_v5.so"), "1.1"),
		put_manifest("B.json", built("icd_v7_by_gipa.so"), "1.1"));
	set_variable(variable, files);
}

static void
end(struct kr_driver_list *list)
{
	end_discovery(list);
	free_support();
	free(files);
	files = NULL;
}

static void
expect_candidate(struct kr_driver_list *list, size_t index, enum kr_candidate_verdict verdict,
	const char *variable)
{
	const struct kr_driver_candidate *candidate = candidate_at(list, index);

	assert_int_equal(candidate->verdict, verdict);
	assert_int_equal(candidate->used, verdict == KR_CANDIDATE_USED);
	if (variable)
		assert_string_equal(candidate->variable, variable);
	else
		assert_null(candidate->variable);
}

/* K-06 */
static void
disabled_by_variable(void **state)
{
	struct kr_driver_list list;

	put_two("VK_DRIVER_FILES");
	set_variable("VK_LOADER_DRIVERS_DISABLE", "nothing*,A*");
	discover(&list);
	assert_int_equal(driver_at(&list, 0)->source, KR_DRIVER_MANIFEST);
	assert_string_equal(driver_at(&list, 0)->name, "icd_v7_by_gipa.so");
	expect_candidate(&list, 0, KR_CANDIDATE_DISABLED, "VK_LOADER_DRIVERS_DISABLE");
	expect_candidate(&list, 1, KR_CANDIDATE_USED, "VK_DRIVER_FILES");
	assert_non_null(strstr(heard,
		"Driver \"a.json\" ignored because it was disabled by env var 'VK_LOADER_DRIVERS_DISABLE'"));
	/* What isn't wanted isn't opened. */
	assert_null(strstr(heard, "icd_v5.so (manifest"));
	end(&list);
}

/* K-06 */
static void
selected_by_variable(void **state)
{
	struct kr_driver_list list;

	put_two("VK_DRIVER_FILES");
	set_variable("VK_LOADER_DRIVERS_SELECT", "B.JSON");
	discover(&list);
	assert_int_equal(count_drivers(&list), 1);
	assert_string_equal(driver_at(&list, 0)->name, "icd_v7_by_gipa.so");
	expect_candidate(&list, 0, KR_CANDIDATE_NOT_SELECTED, "VK_LOADER_DRIVERS_SELECT");
	assert_non_null(strstr(heard,
		"Driver \"a.json\" ignored because not selected by env var 'VK_LOADER_DRIVERS_SELECT'"));
	end(&list);
}

/* K-06: a driver that both match is kept. */
static void
select_beats_disable(void **state)
{
	struct kr_driver_list list;

	put_two("VK_DRIVER_FILES");
	set_variable("VK_LOADER_DRIVERS_SELECT", "a.*");
	set_variable("VK_LOADER_DRIVERS_DISABLE", "*");
	discover(&list);
	assert_int_equal(count_drivers(&list), 1);
	assert_string_equal(driver_at(&list, 0)->name, "icd_v5.so");
	expect_candidate(&list, 1, KR_CANDIDATE_DISABLED, "VK_LOADER_DRIVERS_DISABLE");
	end(&list);
}

/* K-02: the newer name wins. */
static void
driver_files_before_icd_filenames(void **state)
{
	struct kr_driver_list list;

	put_two("VK_ICD_FILENAMES");
	set_variable("VK_DRIVER_FILES", kr_test_path("a.json"));
	discover(&list);
	assert_int_equal(count_drivers(&list), 1);
	expect_candidate(&list, 0, KR_CANDIDATE_USED, "VK_DRIVER_FILES");
	end(&list);
}

/* K-03: in front of what the search finds, and ignored with an override. */
static void
added_drivers(void **state)
{
	struct kr_driver_list list;

	put_two("unused");
	put_link("found", "vulkan", "vulkan_dir");
	put_text("found/vulkan_dir", "unused", "");
	put_text("found/vulkan_dir/icd.d", "unused", "");
	put_link("found/vulkan_dir/icd.d", "b.json", kr_test_path("B.json"));
	set_variable("XDG_DATA_HOME", kr_test_path("found"));
	set_variable("VK_ADD_DRIVER_FILES", kr_test_path("a.json"));
	discover(&list);
	assert_int_equal(count_drivers(&list), 2);
	assert_string_equal(driver_at(&list, 0)->name, "icd_v5.so");
	expect_candidate(&list, 0, KR_CANDIDATE_USED, "VK_ADD_DRIVER_FILES");
	expect_candidate(&list, 1, KR_CANDIDATE_USED, NULL);
	end_discovery(&list);
	set_variable("VK_DRIVER_FILES", kr_test_path("B.json"));
	discover(&list);
	assert_int_equal(count_drivers(&list), 1);
	assert_string_equal(driver_at(&list, 0)->name, "icd_v7_by_gipa.so");
	end(&list);
}

/* K-20: before the search, or in place of it. */
static void
drivers_of_the_settings_file(void **state)
{
	char *paths[] = {NULL};
	struct kr_settings settings = {.driver_paths = paths, .driver_count = 1};
	struct kr_driver_list list;

	put_two("unused");
	paths[0] = (char *)kr_test_path("B.json");
	set_variable("VK_DRIVER_FILES", kr_test_path("a.json"));
	options.settings = &settings;
	discover(&list);
	assert_int_equal(count_drivers(&list), 2);
	assert_string_equal(driver_at(&list, 0)->name, "icd_v7_by_gipa.so");
	expect_candidate(&list, 0, KR_CANDIDATE_USED, "settings");
	end_discovery(&list);
	settings.drivers_exclusive = true;
	discover(&list);
	assert_int_equal(count_drivers(&list), 1);
	assert_string_equal(driver_at(&list, 0)->name, "icd_v7_by_gipa.so");
	end(&list);
}

/* K-02, K-20: device_configurations are looked for among all drivers. */
static void
override_is_ignored_with_device_configurations(void **state)
{
	struct kr_settings settings = {.device_count = 1};
	struct kr_driver_list list;

	mkdir(kr_test_path("data"), 0700);
	mkdir(kr_test_path("data/vulkan"), 0700);
	mkdir(kr_test_path("data/vulkan/icd.d"), 0700);
	put_manifest("data/vulkan/icd.d/found.json", built("icd_v7_by_gipa.so"), "1.1");
	put_two("unused");
	set_variable("VK_DRIVER_FILES", kr_test_path("a.json"));
	set_variable("VK_ADD_DRIVER_FILES", kr_test_path("a.json"));
	set_variable("VK_LOADER_DRIVERS_DISABLE", "*");
	set_variable("XDG_DATA_HOME", kr_test_path("data"));
	options.settings = &settings;
	discover(&list);
	assert_int_equal(count_drivers(&list), 1);
	assert_string_equal(driver_at(&list, 0)->name, "icd_v7_by_gipa.so");
	end(&list);
}

/* K-02: a variable that is set to nothing leaves no driver, and says so. */
static void
set_to_nothing_is_told(void **state)
{
	struct kr_driver_list list;

	set_variable("VK_DRIVER_FILES", "");
	options.sources = KR_DISCOVER_MANIFESTS;
	discover(&list);
	assert_int_equal(count_drivers(&list), 0);
	assert_non_null(strstr(heard, "VK_DRIVER_FILES is set to nothing"));
	end(&list);
}

/* K-19: not opened unless asked for. */
static void
portability_drivers(void **state)
{
	struct kr_driver_list list;

	files = kr_asprintf("{\"file_format_version\":\"1.0.1\",\"ICD\":{\"library_path\":\"%s\","
			    "\"api_version\":\"1.1\",\"is_portability_driver\":true}}",
		built("icd_v5.so"));
	set_variable("VK_DRIVER_FILES", kr_test_file("x.json", files));
	discover(&list);
	assert_true(driver_at(&list, 0)->portability);
	assert_false(list.portability_skipped);
	end_discovery(&list);
	options.no_portability = true;
	options.sources = KR_DISCOVER_MANIFESTS;
	discover(&list);
	assert_int_equal(count_drivers(&list), 0);
	assert_true(list.portability_skipped);
	expect_candidate(&list, 0, KR_CANDIDATE_PORTABILITY, "VK_DRIVER_FILES");
	assert_null(strstr(heard, "Opening driver"));
	end(&list);
}

/* The verdicts that `krafla explain` builds on. */
static void
verdicts(void **state)
{
	struct kr_driver_list list;

	kr_test_file("text.so", "hello");
	files = kr_asprintf("%s:%s:%s:%s:%s:%s:%s", kr_test_path("missing.json"),
		kr_test_file("bad.json", "{}"), put_manifest("gone.json", "./gone.so", "1.0"),
		put_manifest("text.json", "./text.so", "1.0"),
		put_manifest("no_driver.json", built("icd_no_exports.so"), "1.0"),
		put_manifest("good.json", built("icd_v5.so"), "1.1"),
		put_manifest("again.json", built("icd_v5.so"), "1.1"));
	set_variable("VK_DRIVER_FILES", files);
	discover(&list);
	expect_candidate(&list, 0, KR_CANDIDATE_UNREADABLE, "VK_DRIVER_FILES");
	expect_candidate(&list, 1, KR_CANDIDATE_BAD_MANIFEST, "VK_DRIVER_FILES");
	expect_candidate(&list, 2, KR_CANDIDATE_MISSING, "VK_DRIVER_FILES");
	expect_candidate(&list, 3, KR_CANDIDATE_UNLOADABLE, "VK_DRIVER_FILES");
	expect_candidate(&list, 4, KR_CANDIDATE_NO_DRIVER, "VK_DRIVER_FILES");
	expect_candidate(&list, 5, KR_CANDIDATE_USED, "VK_DRIVER_FILES");
	expect_candidate(&list, 6, KR_CANDIDATE_DUPLICATE, "VK_DRIVER_FILES");
	end(&list);
}

/* K-16, D-06 */
static void
manifest_of_another_word_size(void **state)
{
	struct kr_driver_list list;

	files = kr_asprintf("{\"file_format_version\":\"1.0.1\",\"ICD\":{\"library_path\":\"%s\","
			    "\"api_version\":\"1.1\",\"library_arch\":\"%s\"}}",
		built("icd_v5.so"), sizeof(void *) == 8 ? "32" : "64");
	set_variable("VK_DRIVER_FILES", kr_test_file("x.json", files));
	discover(&list);
	expect_candidate(&list, 0, KR_CANDIDATE_WRONG_ARCH, "VK_DRIVER_FILES");
	assert_null(strstr(heard, "Opening driver"));
	end(&list);
}

#define CASE(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	CASE(disabled_by_variable),
	CASE(selected_by_variable),
	CASE(select_beats_disable),
	CASE(driver_files_before_icd_filenames),
	CASE(added_drivers),
	CASE(drivers_of_the_settings_file),
	CASE(override_is_ignored_with_device_configurations),
	CASE(set_to_nothing_is_told),
	CASE(portability_drivers),
	CASE(verdicts),
	CASE(manifest_of_another_word_size),
};

KR_TEST_MAIN(tests)
