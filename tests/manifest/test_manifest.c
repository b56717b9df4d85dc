/* SPDX-License-Identifier: Apache-2.0 */
/* Driver manifests: what is read, and the sentence that tells why something isn't. */
#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failing_alloc.h"
#include "manifest/document.h"
#include "manifest/driver_manifest.h"
#include "util/json.h"
#include "util/log.h"
#include "util/text.h"
#include "util/vulkan.h"

static char heard[1200];
static uint32_t heard_bits;

static void
listen(void *data, uint32_t bits, const char *message)
{
	snprintf(heard, sizeof(heard), "%s", message);
	heard_bits = bits;
}

static void
listen_to_warnings(void *data, uint32_t bits, const char *message)
{
	if (bits & KR_LOG_WARN)
		snprintf(heard, sizeof(heard), "%s", message);
}

static void
versions(void **state)
{
	static const struct {
		const char *text;
		uint32_t version;
	} good[] = {
		{"1", VK_API_VERSION_1_0},
		{"1.3", VK_API_VERSION_1_3},
		{"1.2.131", VK_MAKE_API_VERSION(0, 1, 2, 131)},
		{"0.1.4.359", VK_MAKE_API_VERSION(0, 1, 4, 359)},
		{"1.1.2.3", VK_MAKE_API_VERSION(1, 1, 2, 3)},
		/* More than four parts: the first four count. */
		{"1.0.01.2.3.4", VK_MAKE_API_VERSION(1, 0, 1, 2)},
	};
	/* With what they are taken for. */
	static const struct {
		const char *text;
		uint32_t version;
	} bad[] = {{"", 0}, {".", 0}, {"1.", VK_API_VERSION_1_0},
		{".1", VK_MAKE_API_VERSION(0, 0, 1, 0)}, {"1..2", VK_MAKE_API_VERSION(0, 1, 0, 2)},
		{"a", 0}, {"1.3b", VK_API_VERSION_1_3},
		{"1.3.5-rc1", VK_MAKE_API_VERSION(0, 1, 3, 5)},
		{"1.x.5", VK_MAKE_API_VERSION(0, 1, 0, 5)},
		{"-1.2", VK_MAKE_API_VERSION(0, 0, 2, 0)},
		{"1.1024", VK_MAKE_API_VERSION(0, 1, 1023, 0)},
		{"128.0", VK_MAKE_API_VERSION(0, 127, 0, 0)},
		{"1.0.4096", VK_MAKE_API_VERSION(0, 1, 0, 4095)},
		{"8.1.0.0", VK_MAKE_API_VERSION(7, 1, 0, 0)},
		{"99999999999999999999", VK_MAKE_API_VERSION(0, 127, 0, 0)}};
	uint32_t version;

	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++) {
		if (kr_version_from_text(bad[i].text, &version) || version != bad[i].version)
			fail_msg("%s: %#x", bad[i].text, version);
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(good); i++) {
		assert_true(kr_version_from_text(good[i].text, &version));
		assert_int_equal(version, good[i].version);
	}
}

static void
library_paths(void **state)
{
	static const struct {
		const char *manifest, *library, *resolved;
	} cases[] = {
		{"/etc/vulkan/icd.d/x.json", "libx.so", "libx.so"},
		{"/etc/vulkan/icd.d/x.json", "/lib/libx.so", "/lib/libx.so"},
		{"/etc/vulkan/icd.d/x.json", "./libx.so", "/etc/vulkan/icd.d/./libx.so"},
		{"/etc/vulkan/icd.d/x.json", "../lib/libx.so", "/etc/vulkan/icd.d/../lib/libx.so"},
		{"x.json", "./libx.so", "././libx.so"},
		{"x.json", "libx.so", "libx.so"},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		char *path = kr_manifest_library_path_resolve(cases[i].manifest, cases[i].library);

		assert_string_equal(path, cases[i].resolved);
		free(path);
	}
}

static void
reads_a_driver(void **state)
{
	const char *path = kr_test_file("d.json",
		"{\"file_format_version\":\"1.0.1\",\"ICD\":{\"library_path\":\"./lib/x.so\","
		"\"api_version\":\"1.3.250\",\"is_portability_driver\":true,"
		"\"library_arch\":\"64\"}}");
	char *expected = kr_asprintf("%s/./lib/x.so", kr_test_dir()), *reason = NULL;
	struct kr_manifest_driver manifest;

	assert_int_equal(kr_manifest_driver_read(path, &manifest, &reason), 0);
	assert_null(reason);
	assert_string_equal(manifest.path, path);
	assert_string_equal(manifest.library_path, expected);
	assert_int_equal(manifest.api_version, VK_MAKE_API_VERSION(0, 1, 3, 250));
	assert_int_equal(manifest.library_arch, 64);
	assert_true(manifest.portability);
	kr_manifest_driver_finish(&manifest);
	free(expected);
}

static void
reads_a_driver_of_an_unknown_format(void **state)
{
	const char *path = kr_test_file("d.json",
		"{\"file_format_version\":\"9.0.0\",\"ICD\":{\"library_path\":\"x.so\","
		"\"api_version\":\"1.0\",\"library_arch\":128}}");
	struct kr_manifest_driver manifest;
	char *reason = NULL;

	assert_int_equal(kr_manifest_driver_read(path, &manifest, &reason), 0);
	assert_string_equal(manifest.library_path, "x.so");
	assert_false(manifest.portability);
	assert_int_equal(manifest.library_arch, 0);
	kr_manifest_driver_finish(&manifest);
}

#define V "\"file_format_version\":\"1.0.0\","

/* K-16: each bad manifest is refused with its file and its cause, which is logged as well. */
static void
refuses_bad_drivers(void **state)
{
	static const struct {
		const char *text, *cause;
		int code;
	} cases[] = {
		{"", "not JSON: the text ends where a value was expected (line 1, column 1)",
			-EINVAL},
		{"{\"ICD\":{\"library_path\":\"x.so\",", "not JSON: a string was expected",
			-EINVAL},
		{"\x7f"
		 "ELF",
			"not JSON", -EINVAL},
		{"[]", "isn't a JSON object", -EINVAL},
		{"{}", "does not have a 'file_format_version'", -EINVAL},
		{"{" V "\"layer\":{}}", "it is the manifest of a layer", -EINVAL},
		{"{" V "\"ICD\":1}", "it has no object ICD", -EINVAL},
		{"{" V "\"ICD\":[]}", "it has no object ICD", -EINVAL},
		{"{" V "\"ICD\":{\"api_version\":\"1.0\"}}", "no string library_path", -EINVAL},
		{"{" V "\"ICD\":{\"library_path\":\"\",\"api_version\":\"1.0\"}}",
			"no string library_path", -EINVAL},
		{"{" V "\"ICD\":{\"library_path\":1,\"api_version\":\"1.0\"}}",
			"no string library_path", -EINVAL},
		{"{" V "\"ICD\":{\"library_path\":\"x.so\"}}", "has no api_version", -EINVAL},
		{"{" V "\"ICD\":{\"library_path\":\"x.so\",\"api_version\":\"1.1.0.0\"}}",
			"non-zero variant value of 1.  Skipping ICD JSON.", -EINVAL},
		{"{" V
		 "\"ICD\":{\"library_path\":\"x.so\",\"api_version\":\"1.0\",\"library_arch\":"
		 "\"32\"}}",
			"doesn't match the current running architecture, skipping this driver: library_arch is 32-bit and this process is 64-bit",
			-ELIBBAD},
	};

	kr_log_set_sink(listen, NULL);
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		struct kr_manifest_driver manifest = {.path = heard};
		const char *path = kr_test_file("bad.json", cases[i].text);
		char *reason = NULL;

		assert_int_equal(kr_manifest_driver_read(path, &manifest, &reason), cases[i].code);
		assert_ptr_equal(manifest.path, heard);
		if (!strstr(reason, cases[i].cause) || strncmp(reason, path, strlen(path)))
			fail_msg("\"%s\" lacks \"%s\"", reason, cases[i].cause);
		assert_string_equal(heard, reason);
		/* No JSON is an error, what it lacks a warning. */
		if (strstr(reason, "not JSON") ? !(heard_bits & KR_LOG_ERROR)
					       : heard_bits & KR_LOG_ERROR)
			fail_msg("\"%s\": %#x", heard, heard_bits);
		free(reason);
	}
	kr_log_set_sink(NULL, NULL);
}

/* K-16: other loaders use these; each is told of, once. */
static void
takes_drivers_with_mistakes(void **state)
{
	static const struct {
		const char *text, *warning;
		uint32_t version;
	} cases[] = {
#define ICD(version) "\"ICD\":{\"library_path\":\"x.so\",\"api_version\":" version "}}"
		{"{" V ICD("\"1.3.0\"") "}}",
			"something follows behind the document (line 1, column 84)",
			VK_API_VERSION_1_3},
		{"{\"who\":\"a\tb\"," V ICD("\"1.3.0\""), "a control character",
			VK_API_VERSION_1_3},
		{"{\"who\":\"J\xfcrgen\"," V ICD("\"1.3.0\""), "not UTF-8", VK_API_VERSION_1_3},
		{"{" V ICD("\"new\""), "api_version \"new\" is no version", 0},
		{"{" V ICD("\"1.3.x\""), "api_version \"1.3.x\" is no version", VK_API_VERSION_1_3},
		{"{" V ICD("1.3"), "api_version isn't a string, as in \"1.3.0\": taken as 1.3.0",
			VK_API_VERSION_1_3},
		{"{" V ICD("1"), "taken as 1.0.0", VK_API_VERSION_1_0},
		{"{" V ICD("-1e300"), "taken as 0.0.0", 0},
		{"{" V ICD("{}"), "isn't a string, as in \"1.3.0\": taken as 0.0.0", 0},
		{"{\"file_format_version\":1.0," ICD("\"1.3.0\""), NULL, VK_API_VERSION_1_3},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		const char *path = kr_test_file("x.json", cases[i].text);
		struct kr_manifest_driver manifest;
		char *reason = NULL;

		heard[0] = '\0';
		kr_log_set_sink(listen_to_warnings, NULL);
		if (kr_manifest_driver_read(path, &manifest, &reason))
			fail_msg("refused: %s", reason);
		kr_log_set_sink(NULL, NULL);
		assert_int_equal(manifest.api_version, cases[i].version);
		assert_string_equal(manifest.library_path, "x.so");
		if (cases[i].warning &&
			(!strstr(heard, cases[i].warning) || strncmp(heard, path, strlen(path))))
			fail_msg("\"%s\" lacks \"%s\"", heard, cases[i].warning);
		kr_manifest_driver_finish(&manifest);
	}
}

static void
refuses_what_is_no_file(void **state)
{
	struct kr_manifest_driver manifest;
	char *reason = NULL;

	assert_int_equal(kr_manifest_driver_read("/no/such.json", &manifest, &reason), -ENOENT);
	assert_string_equal(reason, "/no/such.json: can't be read: No such file or directory");
	free(reason);
	assert_int_equal(kr_manifest_driver_read(kr_test_dir(), &manifest, &reason), -EISDIR);
	free(reason);
}

static void
refuses_a_huge_driver(void **state)
{
	char *text = malloc(KR_JSON_MAX_FILE + 2), *reason = NULL;
	struct kr_manifest_driver manifest;

	memset(text, ' ', KR_JSON_MAX_FILE + 1);
	text[KR_JSON_MAX_FILE + 1] = '\0';
	assert_int_equal(
		kr_manifest_driver_read(kr_test_file("huge.json", text), &manifest, &reason),
		-EFBIG);
	assert_non_null(strstr(reason, "can't be read: larger than 16 megabytes"));
	free(reason);
	free(text);
}

static void
survives_without_memory(void **state)
{
	const char *path = kr_test_file(
		"d.json", "{" V "\"ICD\":{\"library_path\":\"./x.so\",\"api_version\":\"1.0\"}}");
	struct kr_manifest_driver manifest;
	int failures = 0, ret;

	for (;; failures++) {
		char *reason = NULL;

		failing_alloc_left = failures;
		ret = kr_manifest_driver_read(path, &manifest, &reason);
		failing_alloc_left = -1;
		free(reason);
		if (!ret)
			break;
		assert_int_equal(ret, -ENOMEM);
	}
	assert_true(failures > 5);
	kr_manifest_driver_finish(&manifest);
}

/* Some have no end. */
static void
refuses_devices(void **state)
{
	static const char *const targets[] = {"/dev/null", "/dev/zero"};
	char *path = kr_asprintf("%s/x.json", kr_test_dir());

	for (size_t i = 0; i < KR_ARRAY_LEN(targets); i++) {
		struct kr_manifest_driver manifest;
		char *reason = NULL;

		assert_int_equal(symlink(targets[i], path), 0);
		assert_int_equal(kr_manifest_driver_read(path, &manifest, &reason), -EINVAL);
		assert_non_null(strstr(reason, "x.json: can't be read: it is no regular file"));
		free(reason);
		assert_int_equal(unlink(path), 0);
	}
	free(path);
}

static const struct kr_test tests[] = {
	KR_TEST(versions),
	KR_TEST(library_paths),
	KR_TEST(reads_a_driver),
	KR_TEST(reads_a_driver_of_an_unknown_format),
	KR_TEST(refuses_bad_drivers),
	KR_TEST(takes_drivers_with_mistakes),
	KR_TEST(refuses_what_is_no_file),
	KR_TEST(refuses_devices),
	KR_TEST(refuses_a_huge_driver),
	KR_TEST(survives_without_memory),
};

KR_TEST_MAIN(tests)
