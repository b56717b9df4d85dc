/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers whose hardware isn't here (K-40): who is passed over, who never. */
#include "deny.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/text.h"

/* A standard directory with a manifest of a known library (one of the test's, under that name). */
static void
make_system(const char *library)
{
	char *path = kr_asprintf("%s/%s", kr_test_path("lib"), library);

	put_link("lib", library, built("icd_v5.so"));
	mkdir(kr_test_path("data"), 0700);
	mkdir(kr_test_path("data/vulkan"), 0700);
	mkdir(kr_test_path("data/vulkan/icd.d"), 0700);
	put_manifest("data/vulkan/icd.d/known.json", path, "1.1.0");
	free(path);
	put_text("dev", "null", "");
	put_text("sys", "devices", "");
	set_variable("XDG_DATA_HOME", kr_test_path("data"));
	options.devices.dev = kr_test_path("dev");
	options.devices.sys = kr_test_path("sys");
}

static void
expect_absent(const char *why)
{
	const struct kr_driver_candidate *candidate;
	struct kr_driver_list list;

	discover(&list);
	candidate = candidate_at(&list, 0);
	assert_int_equal(candidate->verdict, KR_CANDIDATE_HARDWARE_ABSENT);
	assert_false(candidate->used);
	assert_non_null(strstr(candidate->reason, why));
	assert_non_null(strstr(heard, candidate->reason));
	assert_null(strstr(heard, "Opening driver"));
	assert_true(!count_drivers(&list) || driver_at(&list, 0)->source == KR_DRIVER_STUB);
	kr_driver_list_finish(&list);
}

static void
expect_opened(void)
{
	struct kr_driver_list list;

	discover(&list);
	assert_int_equal(candidate_at(&list, 0)->verdict, KR_CANDIDATE_USED);
	assert_int_equal(driver_at(&list, 0)->source, KR_DRIVER_MANIFEST);
	assert_null(strstr(heard, "hardware isn't here"));
	kr_driver_list_finish(&list);
}

/* M-04: also one that somebody has named; another driver is opened all the same. */
static void
driver_that_compiles_is_not_opened_where_that_is_forbidden(void **state)
{
	struct kr_driver_list list;

	make_system("libvulkan_lvp.so");
	expect_opened();
	kr_test_deny_code_by_filter();
	heard[0] = '\0';
	discover(&list);
	assert_int_equal(candidate_at(&list, 0)->verdict, KR_CANDIDATE_CODE_FORBIDDEN);
	assert_non_null(strstr(heard, candidate_at(&list, 0)->reason));
	assert_non_null(strstr(heard, "this process may not run what it writes: a seccomp filter"));
	kr_driver_list_finish(&list);
	set_variable("VK_DRIVER_FILES", kr_test_path("data/vulkan/icd.d/known.json"));
	discover(&list);
	assert_int_equal(candidate_at(&list, 0)->verdict, KR_CANDIDATE_CODE_FORBIDDEN);
	kr_driver_list_finish(&list);
	free_support();
}

static void
known_driver_without_hardware_is_not_opened(void **state)
{
	make_system("libvulkan_intel.so");
	expect_absent("libvulkan_intel.so isn't opened: its hardware isn't here (");
	free_support();
}

/* A device that appears between two calls is seen by the second: nothing is remembered. */
static void
device_that_appears_is_seen(void **state)
{
	make_system("libvulkan_dzn.so");
	expect_absent("has no dxg");
	put_text("dev", "dxg", "");
	expect_opened();
	remove(kr_test_path("dev/dxg"));
	expect_absent("has no dxg");
	free_support();
}

static void
unknown_driver_is_opened(void **state)
{
	make_system("libvulkan_somebody.so");
	expect_opened();
	free_support();
}

static void
software_driver_is_opened(void **state)
{
	make_system("libvulkan_lvp.so");
	expect_opened();
	free_support();
}

/* A sandbox with a /dev that isn't the real one. */
static void
no_proof_no_skip(void **state)
{
	make_system("libvulkan_intel.so");
	remove(kr_test_path("dev/null"));
	expect_opened();
	free_support();
}

static void
override_of_the_driver_opens_it(void **state)
{
	make_system("libvulkan_radeon.so");
	set_variable("RADV_FORCE_FAMILY", "gfx900");
	expect_opened();
	free_support();
}

static void
named_by(const char *variable)
{
	make_system("libvulkan_intel.so");
	rename(kr_test_path("data/vulkan/icd.d/known.json"), kr_test_path("named.json"));
	set_variable(variable, kr_test_path("named.json"));
	expect_opened();
	free_support();
}

static void
driver_files_always_win(void **state)
{
	named_by("VK_DRIVER_FILES");
}

static void
icd_filenames_always_win(void **state)
{
	named_by("VK_ICD_FILENAMES");
}

static void
add_driver_files_always_win(void **state)
{
	named_by("VK_ADD_DRIVER_FILES");
}

static void
switch_opens_all(void **state)
{
	make_system("libvulkan_intel.so");
	set_variable("KRAFLA_ABSENT_HARDWARE", "open");
	expect_opened();
	free_support();
}

static void
switch_says_skip(void **state)
{
	make_system("libvulkan_intel.so");
	set_variable("KRAFLA_ABSENT_HARDWARE", "skip");
	expect_absent("no render node of");
	free_support();
}

/* Once, however many drivers there are. */
static void
switch_with_another_value_is_told(void **state)
{
	static const char sentence[] = "KRAFLA_ABSENT_HARDWARE is \"maybe\"";
	const char *told;

	make_system("libvulkan_intel.so");
	put_manifest(
		"data/vulkan/icd.d/other.json", kr_test_path("lib/libvulkan_intel.so"), "1.1.0");
	set_variable("KRAFLA_ABSENT_HARDWARE", "maybe");
	expect_opened();
	told = strstr(heard, sentence);
	assert_non_null(told);
	assert_null(strstr(told + 1, sentence));
	free_support();
}

#define CASE(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	CASE(known_driver_without_hardware_is_not_opened),
	CASE(driver_that_compiles_is_not_opened_where_that_is_forbidden),
	CASE(device_that_appears_is_seen),
	CASE(unknown_driver_is_opened),
	CASE(software_driver_is_opened),
	CASE(no_proof_no_skip),
	CASE(override_of_the_driver_opens_it),
	CASE(driver_files_always_win),
	CASE(icd_filenames_always_win),
	CASE(add_driver_files_always_win),
	CASE(switch_opens_all),
	CASE(switch_says_skip),
	CASE(switch_with_another_value_is_told),
};

KR_TEST_MAIN(tests)
