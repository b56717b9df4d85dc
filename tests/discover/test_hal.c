/* SPDX-License-Identifier: Apache-2.0 */
/* Discovery through the HAL. */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/text.h"

static const char *dirs[3];

/* One or two directories of HAL modules. */
static void
use_dirs(const char *first, const char *second)
{
	dirs[0] = kr_test_path(first);
	dirs[1] = second ? kr_test_path(second) : NULL;
	options.hal_dirs = dirs;
}

static void
expect_broken(const char *module, int error, const char *cause)
{
	struct kr_driver_list list;
	struct kr_driver_candidate *candidate;

	discover(&list);
	assert_int_equal(count_drivers(&list), 0);
	assert_int_equal(list.hal_error, error);
	candidate = candidate_at(&list, 0);
	assert_false(candidate->used);
	if (!strstr(candidate->reason, cause) || !strstr(candidate->reason, module))
		fail_msg("\"%s\" lacks \"%s\"", candidate->reason, cause);
	assert_non_null(strstr(heard, cause));
	assert_non_null(strstr(heard, "ERROR "));
	end_discovery(&list);
	free_support();
}

/* D-01: each of the three properties names a module. */
static void
expect_named_by(const char *property)
{
	struct kr_driver_list list;
	struct kr_driver *driver;

	put_link("hw", "vulkan.x.so", built("hal_good.so"));
	use_dirs("hw", NULL);
	set_property(property, "x");
	discover(&list);
	assert_int_equal(count_drivers(&list), 1);
	assert_int_equal(list.hal_error, 0);
	driver = driver_at(&list, 0);
	assert_int_equal(driver->source, KR_DRIVER_HAL);
	assert_string_equal(driver->name, "vulkan.x.so");
	assert_null(driver->manifest_path);
	assert_int_equal(driver->interface_version, 0);
	assert_non_null(driver->hal);
	assert_non_null(driver->dso);
	assert_ptr_equal(driver->create_instance, driver->hal->CreateInstance);
	assert_null(driver->enumerate_instance_version);
	assert_true(candidate_at(&list, 0)->used);
	assert_non_null(strstr(candidate_at(&list, 0)->reason, property));
	end_discovery(&list);
	free_support();
}

static void
named_by_ro_hardware_vulkan(void **state)
{
	expect_named_by("ro.hardware.vulkan");
}

static void
named_by_ro_product_platform(void **state)
{
	expect_named_by("ro.product.platform");
}

static void
named_by_ro_board_platform(void **state)
{
	expect_named_by("ro.board.platform");
}

/* D-01 */
static void
properties_before_directories(void **state)
{
	struct kr_driver_list list;

	put_link("a", "vulkan.second.so", built("hal_good.so"));
	put_link("b", "vulkan.first.so", built("hal_good.so"));
	put_link("b", "vulkan.second.so", built("hal_good.so"));
	use_dirs("a", "b");
	set_property("ro.board.platform", "second");
	set_property("ro.hardware.vulkan", "first");
	discover(&list);
	assert_int_equal(count_drivers(&list), 1);
	assert_string_equal(driver_at(&list, 0)->library_path, kr_test_path("b/vulkan.first.so"));
	end_discovery(&list);
	free_support();
}

/* D-01 */
static void
directories_in_order(void **state)
{
	struct kr_driver_list list;

	put_link("a", "vulkan.x.so", built("hal_good.so"));
	put_link("b", "vulkan.x.so", built("hal_odd_versions.so"));
	use_dirs("b", "a");
	set_property("ro.hardware.vulkan", "x");
	discover(&list);
	assert_string_equal(driver_at(&list, 0)->library_path, kr_test_path("b/vulkan.x.so"));
	end_discovery(&list);
	free_support();
}

/* D-01 */
static void
falls_to_the_next_property_when_missing(void **state)
{
	struct kr_driver_list list;

	put_link("hw", "vulkan.board.so", built("hal_good.so"));
	use_dirs("hw", NULL);
	set_property("ro.hardware.vulkan", "missing");
	set_property("ro.product.platform", "");
	set_property("ro.board.platform", "board");
	discover(&list);
	assert_int_equal(count_drivers(&list), 1);
	assert_string_equal(driver_at(&list, 0)->name, "vulkan.board.so");
	assert_false(candidate_at(&list, 0)->used);
	assert_non_null(
		strstr(candidate_at(&list, 0)->reason, "ro.hardware.vulkan is \"missing\""));
	end_discovery(&list);
	free_support();
}

/* D-01: the first that exists is final, also when it is broken. */
static void
first_that_exists_is_final(void **state)
{
	put_text("a", "vulkan.x.so", "not a library");
	put_link("b", "vulkan.x.so", built("hal_good.so"));
	put_link("b", "vulkan.y.so", built("hal_good.so"));
	use_dirs("a", "b");
	set_property("ro.hardware.vulkan", "x");
	set_property("ro.board.platform", "y");
	expect_broken("a/vulkan.x.so", -ENOEXEC, "not an ELF file");
}

static void
expect_broken_module(const char *file, int error, const char *cause)
{
	put_link("hw", "vulkan.x.so", built(file));
	use_dirs("hw", NULL);
	set_property("ro.hardware.vulkan", "x");
	expect_broken("hw/vulkan.x.so", error, cause);
}

/* D-02 */
static void
module_without_hmi(void **state)
{
	expect_broken_module("icd_v5.so", -EINVAL, "has no symbol HMI");
}

/* D-02 */
static void
module_with_another_id(void **state)
{
	expect_broken_module("hal_wrong_id.so", -EINVAL, "with id \"gralloc\", not \"vulkan\"");
}

static void
module_without_open(void **state)
{
	expect_broken_module("hal_no_open.so", -EINVAL, "has no open()");
}

/* D-04, D-02: the driver's own error comes through. */
static void
module_whose_open_fails(void **state)
{
	expect_broken_module(
		"hal_open_fails.so", -ENODEV, "open(\"vk0\") failed: No such device (-19)");
}

static void
module_whose_open_fails_positively(void **state)
{
	expect_broken_module("hal_open_positive.so", -ENODEV, "failed: No such device (19)");
}

static void
module_whose_open_gives_nothing(void **state)
{
	expect_broken_module("hal_open_nothing.so", -EINVAL, "no device and no error");
}

/* D-03 */
static void
module_without_create_instance(void **state)
{
	expect_broken_module("hal_no_create.so", -EINVAL, "lacks a function");
}

static void
module_outside_the_directories(void **state)
{
	struct kr_driver_list list;

	put_link("x", "vulkan.evil.so", built("hal_good.so"));
	put_link("hw", "vulkan.x", kr_test_path("x"));
	use_dirs("hw", NULL);
	set_property("ro.hardware.vulkan", "x/vulkan.evil");
	discover(&list);
	assert_int_equal(driver_at(&list, 0)->source, KR_DRIVER_STUB);
	assert_non_null(strstr(candidate_at(&list, 0)->reason, "has no slash"));
	end_discovery(&list);
	free_support();
}

/* Shipping loaders check the id alone: the rest is said, and used. */
static void
odd_versions_are_said(void **state)
{
	struct kr_driver_list list;

	put_link("hw", "vulkan.x.so", built("hal_odd_versions.so"));
	use_dirs("hw", NULL);
	set_property("ro.hardware.vulkan", "x");
	discover(&list);
	assert_int_equal(driver_at(&list, 0)->source, KR_DRIVER_HAL);
	assert_non_null(strstr(heard, "the module's tag is 0x00000003"));
	assert_non_null(strstr(heard, "module API version 0x0004, HAL API version 0x0005"));
	assert_non_null(strstr(heard, "device tag 0x00000001, version 0x00000002"));
	end_discovery(&list);
	free_support();
}

static void
broken_module_hides_no_manifest(void **state)
{
	struct kr_driver_list list;

	put_text("hw", "vulkan.x.so", "");
	use_dirs("hw", NULL);
	set_property("ro.hardware.vulkan", "x");
	set_variable("VK_DRIVER_FILES", put_manifest("v5.json", built("icd_v5.so"), "1.1.0"));
	discover(&list);
	assert_int_equal(count_drivers(&list), 1);
	assert_int_equal(driver_at(&list, 0)->source, KR_DRIVER_MANIFEST);
	assert_int_equal(list.hal_error, -ENOEXEC);
	end_discovery(&list);
	free_support();
}

static void
module_comes_before_manifests(void **state)
{
	struct kr_driver_list list;

	put_link("hw", "vulkan.x.so", built("hal_good.so"));
	use_dirs("hw", NULL);
	set_property("ro.hardware.vulkan", "x");
	set_variable("VK_DRIVER_FILES", put_manifest("v5.json", built("icd_v5.so"), "1.1.0"));
	discover(&list);
	assert_int_equal(count_drivers(&list), 2);
	assert_int_equal(driver_at(&list, 0)->source, KR_DRIVER_HAL);
	assert_int_equal(driver_at(&list, 1)->source, KR_DRIVER_MANIFEST);
	end_discovery(&list);
	options.sources = KR_DISCOVER_MANIFESTS;
	discover(&list);
	assert_int_equal(count_drivers(&list), 1);
	assert_int_equal(driver_at(&list, 0)->source, KR_DRIVER_MANIFEST);
	end_discovery(&list);
	free_support();
}

/* D-01, D-06: KRAFLA_HAL_PATH is searched before the built-in directories. */
static void
hal_path_from_environment(void **state)
{
	struct kr_driver_list list;
	char *path;

	put_link("hw", "vulkan.krafla_test.so", built("hal_good.so"));
	path = kr_asprintf("/no/such:%s", kr_test_path("hw"));
	setenv("KRAFLA_HAL_PATH", path, 1);
	free(path);
	options.hal_dirs = NULL;
	set_property("ro.hardware.vulkan", "krafla_test");
	discover(&list);
	assert_string_equal(
		driver_at(&list, 0)->library_path, kr_test_path("hw/vulkan.krafla_test.so"));
	end_discovery(&list);
	assert_non_null(strstr(kr_hal_builtin_dirs[0], "krafla/hw"));
	assert_string_equal(kr_hal_builtin_dirs[2],
		sizeof(void *) == 8 ? "/vendor/lib64/hw" : "/vendor/lib/hw");
	free_support();
}

/* D-02: the null driver is a HAL module. */
static void
null_driver(void **state)
{
	struct kr_driver_list list;
	uint32_t version = 0;

	put_link("hw", "vulkan.null.so", TEST_NULL_DRIVER);
	use_dirs("hw", NULL);
	set_property("ro.hardware.vulkan", "null");
	discover(&list);
	assert_int_equal(driver_at(&list, 0)->source, KR_DRIVER_HAL);
	assert_ptr_equal(driver_at(&list, 0)->hal->common.module->dso, driver_at(&list, 0)->dso);
	assert_non_null(driver_at(&list, 0)->enumerate_instance_version);
	driver_at(&list, 0)->enumerate_instance_version(&version);
	assert_true(version >= VK_API_VERSION_1_3);
	end_discovery(&list);
	free_support();
}

/* dlopen keeps memory of its own. */
#define CASE(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	CASE(named_by_ro_hardware_vulkan),
	CASE(named_by_ro_product_platform),
	CASE(named_by_ro_board_platform),
	CASE(properties_before_directories),
	CASE(directories_in_order),
	CASE(falls_to_the_next_property_when_missing),
	CASE(first_that_exists_is_final),
	CASE(module_without_hmi),
	CASE(module_with_another_id),
	CASE(module_without_open),
	CASE(module_whose_open_fails),
	CASE(module_whose_open_fails_positively),
	CASE(module_whose_open_gives_nothing),
	CASE(module_without_create_instance),
	CASE(module_outside_the_directories),
	CASE(odd_versions_are_said),
	CASE(broken_module_hides_no_manifest),
	CASE(module_comes_before_manifests),
	CASE(hal_path_from_environment),
	CASE(null_driver),
};

KR_TEST_MAIN(tests)
