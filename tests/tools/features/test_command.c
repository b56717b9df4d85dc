/* SPDX-License-Identifier: Apache-2.0 */
/* `krafla features`: questions, exit codes, wrong words, several devices, drivers that crash. */
#include "rig.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/macros.h"

#define LAVAPIPE    "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
#define SWIFTSHADER "/usr/lib/chromium/vk_swiftshader_icd.json"

static void
expect_code(const char *words, int code)
{
	int was = null_features(EVERYTHING ",api=1.2.0,feature.geometryShader=no", words);

	if (was != code)
		fail_msg("krafla features %s: exit code %d, expected %d: %s", words, was, code,
			output);
}

/* V-06: as hasSystemFeature answers. */
static void
has_answers_by_its_exit_code(void **state)
{
	expect_code("--has android.hardware.vulkan.version", 0);
	assert_string_equal(output, "android.hardware.vulkan.version: 1.1.0\n");
	expect_code("--has android.hardware.vulkan.version 0x401000", 0);
	expect_code("--has android.hardware.vulkan.version 4198400", 0);
	expect_code("--has android.hardware.vulkan.version 4198401", 1);
	expect_code("--has android.hardware.vulkan.version 1.1", 0);
	expect_code("--has android.hardware.vulkan.version 1.0.3", 0);
	expect_code("--has android.hardware.vulkan.version 1.1.1", 1);
	expect_code("--has android.hardware.vulkan.version 1.3", 1);
	expect_code("--has android.hardware.vulkan.level 0", 0);
	expect_code("--has android.hardware.vulkan.level 1", 1);
	expect_code("--has=android.hardware.vulkan.compute", 0);
	expect_code("--has android.software.vulkan.deqp.level 2019-03-01", 1);
	expect_code("--has storageBuffer8BitAccess", 0);
	assert_string_equal(output, "storageBuffer8BitAccess: yes\n");
	expect_code("--has dynamicRendering", 1);
	assert_string_equal(output, "dynamicRendering: no\n");
	expect_code("--has dynamicRendering --device 0", 1);
	expect_code("--has android.hardware.vulkan", 1);
	assert_non_null(strstr(output, "no feature 'android.hardware.vulkan' is known"));
	expect_code("--has ''", 1);
}

static void
has_answers_as_json(void **state)
{
	json_t *answer;

	expect_code("--json --has android.hardware.vulkan.version 1.3", 1);
	answer = json_loads(output, 0, NULL);
	assert_non_null(answer);
	assert_true(json_is_false(json_object_get(answer, "has")));
	assert_int_equal(json_integer_value(json_object_get(answer, "declared_version")), 0x401000);
	json_decref(answer);
}

static void
wrong_words_are_told(void **state)
{
	static const struct {
		const char *words, *said;
	} wrong[] = {
		{"--nonsense", "unknown or ambiguous option"},
		{"nonsense", "one argument too many"},
		{"--has", "needs a value"},
		{"--has a b c", "'c' is one argument too many"},
		{"--has a b", "'b' is no version"},
		{"--has a -1", "unknown option '-1'"},
		{"--has a 4294967296", "is no version"},
		{"--has a 1.", "is no version"},
		{"--has a 1.2.3.4", "is no version"},
		{"--has a 200.0", "is no version"},
		{"--has a 2022-13-01", "is no version"},
		{"--has a 2022-01", "is no version"},
		{"--device x", "'x' is no number of a device"},
		{"--device ''", "is no number of a device"},
		{"--device -1", "is no number of a device"},
		{"--device 99999999999999999999", "is no number of a device"},
		{"--has a --write-permissions .", "two questions"},
		{"--write-permissions", "needs a value"},
		{"--write-permissions . x", "'x' is one argument too many"},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(wrong); i++) {
		expect_code(wrong[i].words, 2);
		if (!strstr(output, wrong[i].said))
			fail_msg("%s: %s", wrong[i].words, output);
	}
	expect_code("--help", 0);
}

static void
no_device_has_a_code_of_its_own(void **state)
{
	assert_int_equal(features("VK_DRIVER_FILES=/nonexistent.json", ""), 5);
	assert_non_null(strstr(output, "no Vulkan device"));
	assert_int_equal(features("VK_DRIVER_FILES=/nonexistent.json", "--has a"), 5);
	expect_code("--device 1", 5);
	assert_non_null(strstr(output, "no device 1: there are 1"));
	expect_code("--device 0 --has android.hardware.vulkan.level", 0);
}

static void
several_devices_are_listed(void **state)
{
	json_t *all = null_json(EVERYTHING ",devices=3");

	assert_int_equal(json_array_size(json_object_get(all, "devices")), 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(json_integer_value(json_object_get(
					 json_array_get(json_object_get(all, "devices"), (size_t)i),
					 "number")),
			i);
	json_decref(all);
	assert_int_equal(null_features(EVERYTHING ",devices=3", "--json --device 2"), 0);
	all = json_loads(output, 0, NULL);
	assert_int_equal(json_array_size(json_object_get(all, "devices")), 1);
	json_decref(all);
}

/* The drivers of this system, as docs/features.md has them. */
static void
lavapipe_is_as_the_page_says(void **state)
{
	json_t *all;

	if (access(LAVAPIPE, R_OK))
		kr_test_skip("no-lavapipe", NULL);
	all = features_json("VK_DRIVER_FILES=" LAVAPIPE);
	assert_null(declared(all, "android.hardware.vulkan.level"));
	assert_null(declared(all, "android.hardware.vulkan.version"));
	assert_string_equal(declared(all, "android.hardware.vulkan.compute"), "0");
	assert_string_equal(declared(all, "dynamicRendering"), "0");
	json_decref(all);
}

static void
swiftshader_is_as_the_page_says(void **state)
{
	json_t *all;

	if (access(SWIFTSHADER, R_OK))
		kr_test_skip("no-swiftshader", NULL);
	all = features_json("VK_DRIVER_FILES=" SWIFTSHADER);
	assert_string_equal(declared(all, "android.hardware.vulkan.level"), "0");
	assert_string_equal(declared(all, "android.hardware.vulkan.version"), "1.3.0");
	assert_null(declared(all, "android.hardware.vulkan.compute"));
	assert_null(declared(all, "storageBuffer8BitAccess"));
	json_decref(all);
}

/* What a driver offers and the platform hides isn't there: the adapter has buffers of its own. */
static void
what_programs_dont_get_is_not_held(void **state)
{
	json_t *all = features_json("VK_DRIVER_FILES=" NULL_ICD " KRAFLA_NULL_DRIVER=" EVERYTHING);

	assert_string_equal(declared(all, "android.hardware.vulkan.level"), "1");
	assert_string_equal(declared(all, "android.hardware.vulkan.version"), "1.0.3");
	json_decref(all);
}

/* Beside a GPU a CPU is spared nothing: what is declared is nobody's excuse. */
static void
cpus_are_spared_among_cpus_alone(void **state)
{
	json_t *all;

	if (access(SWIFTSHADER, R_OK))
		kr_test_skip("no-swiftshader", NULL);
	all = features_json(
		"KRAFLA_NULL_DRIVER=type=cpu VK_DRIVER_FILES=" SWIFTSHADER ":" NULL_ICD);
	assert_string_equal(declared(all, "android.hardware.vulkan.version"), "1.3.0");
	json_decref(all);
	all = features_json(
		"KRAFLA_NULL_DRIVER=type=discrete VK_DRIVER_FILES=" SWIFTSHADER ":" NULL_ICD);
	assert_string_equal(declared(all, "android.hardware.vulkan.level"), "0");
	assert_string_equal(declared(all, "android.hardware.vulkan.version"), "1.0.3");
	json_decref(all);
}

static int
ask_fake(const char *name, const char *words)
{
	char variables[1024], manifest[1024];

	snprintf(manifest, sizeof(manifest),
		"{\"file_format_version\": \"1.0.1\", \"ICD\": {\"library_path\": "
		"\"" FAKES "/%s.so\", \"api_version\": \"1.3.0\"}}",
		name);
	snprintf(variables, sizeof(variables), "VK_DRIVER_FILES=%s",
		kr_test_file("fake.json", manifest));
	return features(variables, words);
}

/* No code of a driver's is an answer, also where it ends the process as if all were well. */
static void
bad_drivers_are_told(void **state)
{
	assert_int_equal(ask_fake("probed_crash_create", "--has a"), 125);
	assert_non_null(strstr(output, "a driver crashed while it was asked"));
	assert_int_equal(ask_fake("probed_crash_at_end", ""), 125);
	assert_non_null(strstr(output, "a driver crashed while it was asked"));
	assert_int_equal(ask_fake("probed_exits", "--has android.hardware.vulkan.level"), 125);
	assert_non_null(strstr(output, "a driver ended the process while it was asked"));
	assert_int_equal(ask_fake("probed_terms", "--json"), 125);
	assert_int_equal(ask_fake("probed_no_instance", "--has a"), 5);
}

/* A driver may print; the answer is the answer all the same. */
static void
what_drivers_print_is_no_answer(void **state)
{
	char variables[1024], manifest[1024];
	json_t *all;

	snprintf(manifest, sizeof(manifest),
		"{\"file_format_version\": \"1.0.1\", \"ICD\": {\"library_path\": "
		"\"" FAKES "/probed_chatty.so\", \"api_version\": \"1.3.0\"}}");
	snprintf(variables, sizeof(variables), "VK_DRIVER_FILES=%s:" NULL_ICD,
		kr_test_file("chatty.json", manifest));
	assert_int_equal(features(variables, ""), 0);
	assert_non_null(strstr(output, "this is no answer"));
	assert_int_equal(features(variables, "--json 2>/dev/null; true"), 0);
	all = json_loads(output, 0, NULL);
	if (!all)
		fail_msg("no JSON: %s", output);
	json_decref(all);
}

static void
an_answer_that_nobody_gets_is_told(void **state)
{
	assert_int_equal(null_features("", ">/dev/full"), 125);
	assert_int_equal(null_features("", "--has dynamicRendering >/dev/full"), 125);
	assert_int_equal(null_features("", "--json >&- 2>/dev/null; exit $?"), 125);
}

/* The profile android: permission files decide, and what they say too much is told. */
static void
files_decide_in_profile_android(void **state)
{
	char variables[4096];

	kr_test_file("version.xml",
		"<permissions><feature name='android.hardware.vulkan.version' version='4206592'/>"
		"</permissions>");
	snprintf(variables, sizeof(variables),
		"KRAFLA_PROFILE=android KRAFLA_HAL_PATH=" NULL_DIR
		" KRAFLA_PROP_ro_hardware_vulkan=null KRAFLA_PROP_ro_krafla_permissions=%s "
		"KRAFLA_NULL_DRIVER=" EVERYTHING ",api=1.2.0",
		kr_test_dir());
	assert_int_equal(features(variables, "--has android.hardware.vulkan.version 1.1"), 0);
	assert_non_null(strstr(output, "declares android.hardware.vulkan.version 1.3.0, which"));
	assert_int_equal(features(variables, "--has android.hardware.vulkan.version 1.3"), 1);
	assert_int_equal(features(variables, "--has android.hardware.vulkan.level"), 1);
	assert_int_equal(features(variables, ""), 0);
	assert_non_null(strstr(output,
		"[-] android.hardware.vulkan.version: a permission file declares 1.3.0, the "
		"devices hold 1.1.0"));
	assert_non_null(strstr(output,
		"[-] android.hardware.vulkan.level: the devices hold 1, no permission file"));
	assert_int_equal(unlink(kr_test_path("version.xml")), 0);
	assert_int_equal(features(variables, "--has android.hardware.vulkan.level 1"), 0);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(has_answers_by_its_exit_code, 0, 60),
	KR_TEST(has_answers_as_json),
	KR_TEST_SLOW(wrong_words_are_told, 0, 60),
	KR_TEST(no_device_has_a_code_of_its_own),
	KR_TEST(several_devices_are_listed),
	KR_TEST(lavapipe_is_as_the_page_says),
	KR_TEST(swiftshader_is_as_the_page_says),
	KR_TEST(what_programs_dont_get_is_not_held),
	KR_TEST(cpus_are_spared_among_cpus_alone),
	KR_TEST(bad_drivers_are_told),
	KR_TEST(what_drivers_print_is_no_answer),
	KR_TEST(an_answer_that_nobody_gets_is_told),
	KR_TEST(files_decide_in_profile_android),
};
KR_TEST_MAIN(tests)
