/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cases of section icd are found by their mutants, which are lavapipe with one fault each
 * (wrong_icd.c): the null driver does too little to be one.
 */
#include "harness.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define ANSWER (256 << 10)

static char answer[ANSWER];

/* The library of lavapipe's manifest, wherever that lies. */
static void
find_lavapipe(void)
{
	json_t *manifest = json_load_file(kr_test_lavapipe(), 0, NULL);
	const char *library;

	library = json_string_value(
		json_object_get(json_object_get(manifest, "ICD"), "library_path"));
	if (!library)
		kr_test_skip("no-lavapipe", NULL);
	setenv("WRONG_ICD_OF", library, 1);
	json_decref(manifest);
}

static const char *
write_manifest(const char *name, const char *version)
{
	char text[1024];

	snprintf(text, sizeof(text),
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"%s\", "
		"\"api_version\": \"%s\"}}",
		WRONG_ICD, version);
	return kr_test_file(name, text);
}

static int
check(const char *fault, const char *manifest)
{
	char line[1024];

	setenv("WRONG_ICD", fault, 1);
	snprintf(line, sizeof(line), KRAFLA " check --filter 'icd.*' %s", manifest);
	return kr_test_shell(line, answer, sizeof(answer));
}

static void
expect_found(const char *verdict, const char *name)
{
	char line[128];

	snprintf(line, sizeof(line), "  %-14s %s\n", verdict, name);
	if (!strstr(answer, line))
		fail_msg("\"%s\" isn't in: %s", line, answer);
}

/* W-04, W-07, W-08, I-03 */
static void
each_fault_is_found(void **state)
{
	static const struct {
		const char *fault, *name;
	} faults[] = {
		{"interface", "icd.agrees_on_an_interface"},
		{"commands", "icd.has_all_commands"},
		{"all", "icd.knows_physical_device_functions"},
		{"magic", "icd.handles_have_the_magic"},
		{"copy", "icd.maps_what_the_device_writes"},
		{"nothing", "icd.maps_what_the_cpu_writes"},
		{"beginning", "icd.maps_again"},
		{"own", "icd.imports_memory"},
		{"attachments", "icd.draws_the_platforms_format"},
		{"rows", "icd.linear_images_lie_as_it_says"},
		{"stride", "icd.copies_to_longer_rows"},
		{"unlisted", "icd.says_what_it_imports"},
		{"early", "icd.fences_follow_the_work"},
		{"export", "icd.exports_sync_fds"},
		{"import", "icd.imports_sync_fds"},
	};
	const char *manifest;

	find_lavapipe();
	manifest = write_manifest("wrong.json", "1.3.0");
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		assert_int_equal(check(faults[i].fault, manifest), 1);
		expect_found("FAILED", faults[i].name);
	}
}

static void
the_right_one_is_found_by_none(void **state)
{
	find_lavapipe();
	assert_int_equal(check("", write_manifest("right.json", "1.3.0")), 0);
	assert_non_null(strstr(answer, ", 0 failed, "));
	expect_found("held", "icd.manifest_says_its_version");
	expect_found("held", "icd.linear_images_lie_as_it_says");
	expect_found("held", "icd.imports_memory");
}

/* Which a driver may do. */
static void
a_manifest_that_lies_is_told(void **state)
{
	find_lavapipe();
	assert_int_equal(check("", write_manifest("lying.json", "1.0.0")), 0);
	expect_found("remark", "icd.manifest_says_its_version");
	assert_null(strstr(answer, "last calls"));
}

/* Nothing of this is asked of a HAL module. */
static void
modules_are_left_out(void **state)
{
	assert_int_equal(check("", NULL_MODULE), 0);
	assert_non_null(strstr(answer, "0 held, 0 failed, 17 not applicable, 0 skipped"));
}

/* What setenv replaces is kept. */
static const struct kr_test tests[] = {
	KR_TEST_SLOW(each_fault_is_found, KR_TEST_KEEPS_MEMORY, 120),
	KR_TEST_FLAGS(the_right_one_is_found_by_none, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(a_manifest_that_lies_is_told, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(modules_are_left_out, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
