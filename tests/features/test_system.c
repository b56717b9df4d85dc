/* SPDX-License-Identifier: Apache-2.0 */
/* V-01 What a system of several devices declares, and (L-06) what permission files make of it. */
#include "harness.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "features/installed.h"
#include "features/system.h"
#include "util/log.h"
#include "util/macros.h"

static struct kr_feature_device devices[3];
static struct kr_feature_system system_of = {.devices = devices};

/* A device whose table says that these rows hold. */
static void
add_device(uint32_t rows)
{
	struct kr_feature_table *table = &devices[system_of.count++].table;

	for (unsigned i = 0; i < KR_FEATURE_ROWS; i++) {
		table->rows[i].name = kr_feature_row_info[i].name;
		table->rows[i].version = kr_feature_row_info[i].version;
		table->rows[i].holds = rows & 1u << i;
	}
}

#define BIT(row) (1u << KR_FEATURE_ROW_##row)

static void
expect(const char *name, long version)
{
	const struct kr_feature_declaration *declaration =
		kr_feature_find(system_of.declarations, name);

	assert_non_null(declaration);
	if (declaration->declared != (version >= 0) ||
		(version >= 0 && declaration->version != version))
		fail_msg("%s: declared %d in %#x, expected %ld", name, declaration->declared,
			declaration->version, version);
}

static void
level_decides_of_whom_the_rest_is(void **state)
{
	/* A GPU with level 1, and a newer one with level 0. */
	add_device(BIT(LEVEL_0) | BIT(LEVEL_1) | BIT(VERSION_1_0) | BIT(DYNAMIC_RENDERING));
	add_device(BIT(LEVEL_0) | BIT(VERSION_1_0) | BIT(VERSION_1_1) | BIT(VERSION_1_3) |
		BIT(COMPUTE_0) | BIT(SAMPLER_YCBCR_CONVERSION));
	kr_feature_system_declare(&system_of);
	expect(KR_FEATURE_NAME_LEVEL, 1);
	expect(KR_FEATURE_NAME_VERSION, 0x400003);
	expect(KR_FEATURE_NAME_COMPUTE, -1);
	expect(KR_FEATURE_NAME_DEQP, -1);
	expect("dynamicRendering", 0);
	expect("samplerYcbcrConversion", -1);
	/* A third one, as good as the first: the best of both. */
	add_device(
		BIT(LEVEL_0) | BIT(LEVEL_1) | BIT(VERSION_1_0) | BIT(VERSION_1_1) | BIT(COMPUTE_0));
	kr_feature_system_declare(&system_of);
	expect(KR_FEATURE_NAME_LEVEL, 1);
	expect(KR_FEATURE_NAME_VERSION, 0x401000);
	expect(KR_FEATURE_NAME_COMPUTE, 0);
	expect("dynamicRendering", 0);
}

static void
without_a_level_all_count(void **state)
{
	add_device(BIT(COMPUTE_0));
	add_device(BIT(DYNAMIC_RENDERING));
	kr_feature_system_declare(&system_of);
	expect(KR_FEATURE_NAME_LEVEL, -1);
	expect(KR_FEATURE_NAME_VERSION, -1);
	expect(KR_FEATURE_NAME_COMPUTE, 0);
	expect("dynamicRendering", 0);
}

static void
versions_are_compared(void **state)
{
	add_device(BIT(LEVEL_0) | BIT(VERSION_1_0) | BIT(VERSION_1_1));
	kr_feature_system_declare(&system_of);
	assert_true(kr_feature_has(system_of.declarations, KR_FEATURE_NAME_VERSION, 0));
	assert_true(kr_feature_has(system_of.declarations, KR_FEATURE_NAME_VERSION, 0x401000));
	assert_false(kr_feature_has(system_of.declarations, KR_FEATURE_NAME_VERSION, 0x401001));
	assert_true(kr_feature_has(system_of.declarations, KR_FEATURE_NAME_LEVEL, 0));
	assert_false(kr_feature_has(system_of.declarations, KR_FEATURE_NAME_LEVEL, 1));
	assert_false(kr_feature_has(system_of.declarations, "", 0));
	assert_false(kr_feature_has(system_of.declarations, "android.hardware.camera", 0));
}

/* What no device answers is held when it was found to be. */
static void
results_hold_a_level(void **state)
{
	add_device(BIT(LEVEL_0));
	kr_feature_system_declare(&system_of);
	expect(KR_FEATURE_NAME_DEQP, -1);
	kr_feature_hold(&system_of, KR_FEATURE_NAME_DEQP, true, 0x07E60301);
	expect(KR_FEATURE_NAME_DEQP, 0x07E60301);
	kr_feature_hold(&system_of, KR_FEATURE_NAME_DEQP, false, 0);
	expect(KR_FEATURE_NAME_DEQP, -1);
}

static unsigned warnings;

static void
count_warnings(void *data, uint32_t bits, const char *message)
{
	warnings += (bits & KR_LOG_WARN) && strstr(message, "permission file");
}

/* The profile android, with permission files in the case's directory. */
static void
begin_android(void)
{
	setenv("KRAFLA_PROFILE", "android", 1);
	setenv("KRAFLA_PROP_ro_krafla_permissions", kr_test_dir(), 1);
	kr_log_set_sink(count_warnings, NULL);
}

#define FILE_OF(features) "<permissions>" features "</permissions>"
#define VERSION_1_1_FILE                                                                           \
	FILE_OF("<feature name='android.hardware.vulkan.version' version='4198400'/>")

static void
files_say_what_is_declared(void **state)
{
	begin_android();
	add_device(BIT(LEVEL_0) | BIT(LEVEL_1) | BIT(COMPUTE_0) | BIT(VERSION_1_0) |
		BIT(VERSION_1_1) | BIT(VERSION_1_3) | BIT(DYNAMIC_RENDERING));
	kr_test_file("android.hardware.vulkan.version.xml", VERSION_1_1_FILE);
	kr_test_file("others.xml",
		FILE_OF("<feature name='android.hardware.vulkan.level' version='1'/>"
			"<feature name='android.hardware.camera'/>"
			"<feature name='samplerYcbcrConversion'/>"
			"<feature name='android.software.vulkan.deqp.level' version='132317953'/>"));
	kr_feature_system_declare(&system_of);
	assert_true(system_of.by_files);
	/* The lower one; what no file declares isn't; files have no say in names of Vulkan's. */
	expect(KR_FEATURE_NAME_VERSION, 0x401000);
	expect(KR_FEATURE_NAME_LEVEL, 1);
	expect(KR_FEATURE_NAME_COMPUTE, -1);
	expect("dynamicRendering", 0);
	expect("samplerYcbcrConversion", -1);
	/* Nobody can check that. */
	expect(KR_FEATURE_NAME_DEQP, 0x07E30301);
	for (unsigned i = 0; i < KR_FEATURE_NAMES; i++)
		assert_false(kr_feature_is_overstated(&system_of, &system_of.declarations[i]));
	/* Unless results are given. */
	kr_feature_hold(&system_of, KR_FEATURE_NAME_DEQP, true, 0x07E20301);
	expect(KR_FEATURE_NAME_DEQP, 0x07E20301);
	assert_true(kr_feature_is_overstated(
		&system_of, kr_feature_find(system_of.declarations, KR_FEATURE_NAME_DEQP)));
	assert_int_equal(warnings, 0);
}

static void
files_that_say_too_much_are_told(void **state)
{
	begin_android();
	add_device(BIT(LEVEL_0) | BIT(VERSION_1_0));
	kr_test_file("a.xml",
		FILE_OF("<feature name='android.hardware.vulkan.version' version='4206592'/>"
			"<feature name='android.hardware.vulkan.level' version='0'/>"
			"<feature name='android.hardware.vulkan.compute'/>"));
	kr_feature_system_declare(&system_of);
	expect(KR_FEATURE_NAME_VERSION, 0x400003);
	expect(KR_FEATURE_NAME_LEVEL, 0);
	expect(KR_FEATURE_NAME_COMPUTE, -1);
	for (unsigned i = 0; i < KR_FEATURE_NAMES; i++) {
		const struct kr_feature_declaration *d = &system_of.declarations[i];

		assert_int_equal(kr_feature_is_overstated(&system_of, d),
			!strcmp(d->name, KR_FEATURE_NAME_VERSION) ||
				!strcmp(d->name, KR_FEATURE_NAME_COMPUTE));
	}
}

static void
highest_version_counts_and_unavailable_takes_away(void **state)
{
	begin_android();
	add_device(BIT(LEVEL_0) | BIT(LEVEL_1) | BIT(COMPUTE_0) | BIT(VERSION_1_0) |
		BIT(VERSION_1_1) | BIT(VERSION_1_3));
	kr_test_file("a.xml",
		FILE_OF("<feature name='android.hardware.vulkan.level' version='1'/>"
			"<unavailable-feature name='android.hardware.vulkan.compute'/>"));
	kr_test_file("b.xml",
		FILE_OF("<feature name='android.hardware.vulkan.level' version='0'/>"
			"<feature name='android.hardware.vulkan.compute'/>"));
	/* None of these is read. */
	kr_test_file("c.txt", VERSION_1_1_FILE);
	kr_test_file(".d.xml", VERSION_1_1_FILE);
	kr_feature_system_declare(&system_of);
	expect(KR_FEATURE_NAME_LEVEL, 1);
	expect(KR_FEATURE_NAME_COMPUTE, -1);
	expect(KR_FEATURE_NAME_VERSION, -1);
}

static void
bad_files_are_told_and_hide_no_others(void **state)
{
	begin_android();
	add_device(BIT(LEVEL_0) | BIT(VERSION_1_0));
	kr_test_file("a.xml", "nonsense");
	assert_int_equal(symlink("/dev/zero", kr_test_path("b.xml")), 0);
	kr_test_file("c.xml", FILE_OF("<feature name='android.hardware.vulkan.level'/>"));
	kr_feature_system_declare(&system_of);
	expect(KR_FEATURE_NAME_LEVEL, 0);
	expect(KR_FEATURE_NAME_VERSION, -1);
	assert_int_equal(warnings, 2);
}

static void
without_files_devices_decide(void **state)
{
	begin_android();
	setenv("KRAFLA_PROP_ro_krafla_permissions", "/nonexistent:relative", 1);
	add_device(BIT(LEVEL_0) | BIT(VERSION_1_0));
	kr_feature_system_declare(&system_of);
	assert_false(system_of.by_files);
	expect(KR_FEATURE_NAME_LEVEL, 0);
	expect(KR_FEATURE_NAME_VERSION, 0x400003);
}

static void
other_profiles_ask_no_files(void **state)
{
	begin_android();
	setenv("KRAFLA_PROFILE", "linux", 1);
	kr_test_file("a.xml", FILE_OF("<feature name='android.hardware.vulkan.compute'/>"));
	add_device(BIT(LEVEL_0) | BIT(VERSION_1_0));
	kr_feature_system_declare(&system_of);
	assert_false(system_of.by_files);
	expect(KR_FEATURE_NAME_VERSION, 0x400003);
	expect(KR_FEATURE_NAME_COMPUTE, -1);
}

static const struct kr_test tests[] = {
	KR_TEST(level_decides_of_whom_the_rest_is),
	KR_TEST(without_a_level_all_count),
	KR_TEST(versions_are_compared),
	KR_TEST(results_hold_a_level),
	KR_TEST_FLAGS(files_say_what_is_declared, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(files_that_say_too_much_are_told, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(highest_version_counts_and_unavailable_takes_away, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(bad_files_are_told_and_hide_no_others, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(without_files_devices_decide, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(other_profiles_ask_no_files, KR_TEST_KEEPS_MEMORY),
};
KR_TEST_MAIN(tests)
