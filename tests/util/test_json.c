/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON reader: what it takes, what it refuses and where, and that nothing is lost on the way.
 */
#include "harness.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "util/json.h"
#include "util/macros.h"

/* Allocation failures: the allocators are wrapped at link time (-Wl,--wrap). */
static long allocations_left = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static bool
must_fail(void)
{
	return allocations_left >= 0 && allocations_left-- == 0;
}

void *
__wrap_malloc(size_t size)
{
	return must_fail() ? NULL : __real_malloc(size);
}

void *
__wrap_calloc(size_t count, size_t size)
{
	return must_fail() ? NULL : __real_calloc(count, size);
}

void *
__wrap_realloc(void *memory, size_t size)
{
	return must_fail() ? NULL : __real_realloc(memory, size);
}

static struct kr_json *
parse(const char *text)
{
	struct kr_json_error error = {0};
	struct kr_json *root = NULL;
	int ret = kr_json_parse(text, strlen(text), &root, &error);

	if (ret)
		fail_msg("%s: %d, %s", text, ret, error.text);
	return root;
}

static void
takes_documents(void **state)
{
	static const char *const texts[] = {
		"{}",
		"[]",
		" \t\r\n[ ]\n",
		"null",
		"true",
		"false",
		"0",
		"-0",
		"1.5e-3",
		"\"\"",
		"[1,2,3]",
		"{\"a\":{\"b\":[{}]}}",
		"\xef\xbb\xbf{}",
		"\"\\u00e9\\ud83d\\ude00\"",
		"\"\xc3\xa9\xf0\x9f\x98\x80\x7f\"",
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(texts); i++)
		kr_json_free(parse(texts[i]));
}

static void
takes_no_garbage(void **state)
{
	static const char *const texts[] = {
		"",
		" ",
		"{",
		"}",
		"[",
		"]",
		"[1,]",
		"[,1]",
		"{\"a\"}",
		"{\"a\":}",
		"{\"a\":1,}",
		"{a:1}",
		"{1:1}",
		"nul",
		"tru",
		"True",
		"01",
		"-",
		"1.",
		".5",
		"1e",
		"1e+",
		"+1",
		"0x10",
		"NaN",
		"Infinity",
		"1e999",
		"'a'",
		"\"a",
		"\"\\x\"",
		"\"\\u12\"",
		"\"\\u0000\"",
		"\"\\ud800\"",
		"\"\\ud800\\u0041\"",
		"\"\\udc00\"",
		"\"\n\"",
		"\"\x01\"",
		"\"\x80\"",
		"\"\xc0\xaf\"",
		"\"\xc3\"",
		"\"\xe0\x80\x80\"",
		"\"\xed\xa0\x80\"",
		"\"\xf4\x90\x80\x80\"",
		"\"\xf8\x88\x80\x80\x80\"",
		"{} {}",
		"[1] x",
		"// no\n{}",
		"[1 2]",
		"{\"a\" 1}",
		"\"\\",
		"\"\\\"",
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(texts); i++) {
		struct kr_json_error error = {0};
		struct kr_json *root = (struct kr_json *)&error;

		if (kr_json_parse(texts[i], strlen(texts[i]), &root, &error) != -EINVAL)
			fail_msg("taken: %s", texts[i]);
		assert_ptr_equal(root, &error);
		assert_true(error.line > 0 && error.column > 0 && error.text[0]);
	}
}

static void
refuses_a_zero_byte(void **state)
{
	struct kr_json *root;

	assert_int_equal(kr_json_parse("[1]\0", 4, &root, NULL), -EINVAL);
	assert_int_equal(kr_json_parse("\"a\0b\"", 5, &root, NULL), -EINVAL);
}

/* What other loaders take in installed files; the first of it is told, with its place. */
static void
lenient_takes_what_is_installed(void **state)
{
	static const struct {
		const char *text, *value, *problem;
	} cases[] = {
		{"{\"a\":\"x\"}", "x", ""},
		{"{\"a\":\"x\"} }", "x", "something follows behind the document"},
		{"{\"a\":\"x\"}{\"a\":", "x", "something follows behind the document"},
		{"{\"a\":\"x\ty\"}", "x\ty", "a control character stands in a string"},
		{"{\"a\":\"\x01\n\x1f\"}", "\x01\n\x1f", "a control character stands in a string"},
		{"{\f\"a\"\v:\"x\"}", "x", "a control character stands between values"},
		{"{\"a\":\"\xfc\"}", "\xfc", "this is not UTF-8"},
		{"{\"a\":\"\xc3\xbc\xe2\x82\"}", "\xc3\xbc\xe2\x82", "this is not UTF-8"},
		{"{\"a\":\"\xf0\x9f\"}", "\xf0\x9f", "this is not UTF-8"},
		{"{\"\xe4\":1,\"a\":\"x\"}", "x", "this is not UTF-8"},
		{"{\"a\":\"C:\\drivers\\\tx\"}", "C:drivers\tx", "unknown escape"},
		{"{\"a\":\"1\\u00002\"}", "12", "U+0000 can't be in a string here"},
		{"{\"a\":\"1\\udc002\"}", "12", "a low surrogate stands alone"},
		{"{\"a\":\"1\\ud8002\"}", "12", "a high surrogate stands alone"},
		{"{\"a\":\"1\\ud800\\u00412\"}", "12", "a high surrogate stands alone"},
		{"{\"b\":007,\"a\":\"x\"}", "x", "a number begins with 0"},
		{"{\"b\":1e999,\"a\":\"x\"}", "x", "a number is out of range"},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		struct kr_json_error error = {.line = 99};
		size_t size = strlen(cases[i].text);
		struct kr_json *root;

		if (kr_json_parse_lenient(cases[i].text, size, &root, &error))
			fail_msg("refused: %s: %s", cases[i].text, error.text);
		assert_string_equal(kr_json_string(kr_json_get(root, "a")), cases[i].value);
		assert_string_equal(error.text, cases[i].problem);
		assert_int_equal(error.line != 0, cases[i].problem[0] != 0);
		kr_json_free(root);
		if (cases[i].problem[0])
			assert_int_equal(
				kr_json_parse(cases[i].text, size, &root, &error), -EINVAL);
	}
}

/* Where no loader guesses, a lenient reader doesn't either. */
static void
lenient_takes_no_garbage(void **state)
{
	static const char *const texts[] = {"", " ", "x", "{", "{\"a\":1", "{\"a\":1,}", "[1,]",
		"{'a':1}", "{\"a\" 1}", "[1 2]", "// no\n{}", "{\"a\":\"x}", "[1.]", "[.5]", "[+1]",
		"[\"\\", "[\"\\u12\"]"};
	struct kr_json_error error;
	struct kr_json *root;

	for (size_t i = 0; i < KR_ARRAY_LEN(texts); i++) {
		if (kr_json_parse_lenient(texts[i], strlen(texts[i]), &root, &error) != -EINVAL)
			fail_msg("taken: %s", texts[i]);
		assert_true(error.line && error.text[0]);
	}
	/* A byte of zero ends no document and can't be in a string. */
	assert_int_equal(kr_json_parse_lenient("[1]\0\0", 5, &root, NULL), 0);
	kr_json_free(root);
	assert_int_equal(kr_json_parse_lenient("[\"a\0b\"]", 7, &root, &error), -EINVAL);
	assert_int_equal(kr_json_parse_lenient("[\"a\\\0\"]", 7, &root, &error), -EINVAL);
}

static void
lenient_says_where(void **state)
{
	struct kr_json_error error;
	struct kr_json *root;

	assert_int_equal(kr_json_parse_lenient("[\n\"a\tb\", \"\xe9\"]", 13, &root, &error), 0);
	assert_int_equal(error.line, 2);
	assert_int_equal(error.column, 3);
	kr_json_free(root);
}

static void
says_where(void **state)
{
	struct kr_json_error error;
	struct kr_json *root;

	assert_int_equal(kr_json_parse("{\n  \"a\": 1\n  \"b\"\n}", 18, &root, &error), -EINVAL);
	assert_int_equal(error.line, 3);
	assert_int_equal(error.column, 3);
	assert_string_equal(error.text, "a comma or the closing bracket was expected");
}

static void
gives_values(void **state)
{
	struct kr_json *root = parse("{\"s\":\"a\\n\\u00e9\",\"n\":-12.5,\"t\":true,\"z\":null,"
				     "\"a\":[1,\"x\",[]],\"s\":\"second\"}");
	const struct kr_json *array = kr_json_get(root, "a");

	assert_int_equal(kr_json_type_of(root), KR_JSON_OBJECT);
	assert_int_equal(kr_json_count(root), 6);
	assert_string_equal(kr_json_string(kr_json_get(root, "s")), "a\n\xc3\xa9");
	assert_true(kr_json_number(kr_json_get(root, "n")) == -12.5);
	assert_true(kr_json_bool(kr_json_get(root, "t")));
	assert_int_equal(kr_json_type_of(kr_json_get(root, "z")), KR_JSON_NULL);
	assert_int_equal(kr_json_count(array), 3);
	assert_string_equal(kr_json_string(kr_json_at(array, 1)), "x");
	assert_int_equal(kr_json_type_of(kr_json_at(array, 2)), KR_JSON_ARRAY);
	assert_string_equal(kr_json_key_at(root, 4), "a");
	kr_json_free(root);
}

static void
accessors_take_anything(void **state)
{
	struct kr_json *root = parse("[true]");
	const struct kr_json *value = kr_json_at(root, 0);

	assert_null(kr_json_get(root, "a"));
	assert_null(kr_json_get(NULL, "a"));
	assert_null(kr_json_at(root, 1));
	assert_null(kr_json_at(value, 0));
	assert_null(kr_json_key_at(root, 0));
	assert_null(kr_json_string(value));
	assert_null(kr_json_string(NULL));
	assert_true(kr_json_number(value) == 0);
	assert_false(kr_json_bool(root));
	assert_int_equal(kr_json_count(value), 0);
	assert_int_equal(kr_json_type_of(NULL), KR_JSON_NULL);
	kr_json_free(root);
	kr_json_free(NULL);
}

/* Whether the machine has such a locale or not, a number has a point. */
static void
numbers_ignore_the_locale(void **state)
{
	struct kr_json *root;

	(void)(setlocale(LC_NUMERIC, "de_DE.UTF-8") || setlocale(LC_NUMERIC, "de_DE"));
	root = parse("[1.5, 1e2]");
	assert_true(kr_json_number(kr_json_at(root, 0)) == 1.5);
	assert_true(kr_json_number(kr_json_at(root, 1)) == 100);
	kr_json_free(root);
}

static void
depth_is_limited(void **state)
{
	char text[2 * KR_JSON_MAX_DEPTH + 3];
	struct kr_json_error error;
	struct kr_json *root;
	int depth = KR_JSON_MAX_DEPTH;

	memset(text, '[', depth);
	memset(text + depth, ']', depth);
	assert_int_equal(kr_json_parse(text, 2 * depth, &root, NULL), 0);
	kr_json_free(root);
	memset(text, '[', depth + 1);
	memset(text + depth + 1, ']', depth + 1);
	assert_int_equal(kr_json_parse(text, 2 * depth + 2, &root, &error), -EINVAL);
	assert_string_equal(error.text, "nested too deeply");
}

static void
size_is_limited(void **state)
{
	char *text = malloc(KR_JSON_MAX_SIZE + 2);
	struct kr_json *root;

	memset(text, ' ', KR_JSON_MAX_SIZE + 1);
	text[0] = '1';
	text[KR_JSON_MAX_SIZE + 1] = '\0';
	assert_int_equal(kr_json_parse(text, KR_JSON_MAX_SIZE, &root, NULL), 0);
	kr_json_free(root);
	assert_int_equal(kr_json_parse(text, KR_JSON_MAX_SIZE + 1, &root, NULL), -EFBIG);
	free(text);
}

/*
 * Long texts are read, and no more values than a small document has: each costs more than its text.
 */
static void
files_are_limited(void **state)
{
	char *text = malloc(KR_JSON_MAX_FILE + 2);
	struct kr_json_error error;
	struct kr_json *root;

	memset(text, ' ', KR_JSON_MAX_FILE + 1);
	text[0] = '1';
	text[KR_JSON_MAX_FILE] = '\0';
	assert_int_equal(kr_json_read_file(kr_test_file("large.json", text), &root, NULL), 0);
	kr_json_free(root);
	text[KR_JSON_MAX_FILE] = ' ';
	text[KR_JSON_MAX_FILE + 1] = '\0';
	assert_int_equal(
		kr_json_read_file(kr_test_file("large.json", text), &root, &error), -EFBIG);
	assert_string_equal(error.text, "larger than 16 megabytes");
	text[0] = '[';
	for (size_t i = 1; i < 2 * KR_JSON_MAX_VALUES + 4; i++)
		text[i] = i % 2 ? '1' : ',';
	text[2 * KR_JSON_MAX_VALUES] = ']';
	assert_int_equal(kr_json_parse_lenient(text, KR_JSON_MAX_FILE, &root, NULL), 0);
	assert_int_equal(kr_json_count(root), KR_JSON_MAX_VALUES);
	kr_json_free(root);
	text[2 * KR_JSON_MAX_VALUES] = ',';
	text[2 * KR_JSON_MAX_VALUES + 2] = ']';
	assert_int_equal(kr_json_parse_lenient(text, KR_JSON_MAX_FILE, &root, &error), -EINVAL);
	assert_string_equal(error.text, "there are too many values");
	free(text);
}

static void
reads_files(void **state)
{
	struct kr_json_error error;
	struct kr_json *root;

	assert_int_equal(kr_json_read_file(kr_test_file("a.json", "{\"a\":1}"), &root, NULL), 0);
	assert_true(kr_json_number(kr_json_get(root, "a")) == 1);
	kr_json_free(root);
	assert_int_equal(kr_json_read_file("/no/such/file.json", &root, &error), -ENOENT);
	assert_int_equal(error.line, 0);
	assert_string_equal(error.text, "No such file or directory");
	assert_int_equal(kr_json_read_file(kr_test_dir(), &root, &error), -EISDIR);
	assert_int_equal(kr_json_read_file(kr_test_file("e.json", ""), &root, NULL), -EINVAL);
}

/* Files are read in blocks: of these, each ends at the edge of one or a byte beside it. */
static void
reads_files_of_any_size(void **state)
{
	static const size_t edges[] = {4096, 32768, 262144, 2097152};
	char *text = malloc(2097152 + 2);
	struct kr_json *root;

	for (size_t i = 0; i < 3 * KR_ARRAY_LEN(edges); i++) {
		size_t size = edges[i / 3] + i % 3 - 1;

		memset(text, ' ', size);
		text[0] = '[';
		memcpy(text + size - 2, "7]", 3);
		assert_int_equal(
			kr_json_read_file(kr_test_file("sized.json", text), &root, NULL), 0);
		assert_true(kr_json_number(kr_json_at(root, 0)) == 7);
		kr_json_free(root);
	}
	free(text);
}

static void
survives_without_memory(void **state)
{
	static const char text[] = "{\"a\":[1,\"x\",{\"b\":null}],\"c\":\"d\"}";
	struct kr_json_error error;
	struct kr_json *root = NULL;
	int failures = 0, ret;

	for (;; failures++) {
		allocations_left = failures;
		ret = kr_json_parse(text, strlen(text), &root, &error);
		allocations_left = -1;
		if (!ret)
			break;
		assert_int_equal(ret, -ENOMEM);
		assert_null(root);
	}
	assert_true(failures > 5);
	kr_json_free(root);
}

/* An array as large as the limit allows is read in linear time. */
static void
many_values(void **state)
{
	size_t size = KR_JSON_MAX_SIZE - 1, i;
	char *text = malloc(size);
	struct kr_json *root;

	for (i = 0; i < size; i++)
		text[i] = i % 2 ? '1' : ',';
	text[0] = '[';
	text[size - 1] = ']';
	assert_int_equal(kr_json_parse(text, size, &root, NULL), 0);
	assert_int_equal(kr_json_count(root), (size - 1) / 2);
	assert_true(kr_json_number(kr_json_at(root, kr_json_count(root) - 1)) == 1);
	kr_json_free(root);
	free(text);
}

static const struct kr_test tests[] = {
	KR_TEST(takes_documents),
	KR_TEST(takes_no_garbage),
	KR_TEST(refuses_a_zero_byte),
	KR_TEST(lenient_takes_what_is_installed),
	KR_TEST(lenient_takes_no_garbage),
	KR_TEST(lenient_says_where),
	KR_TEST(files_are_limited),
	KR_TEST(says_where),
	KR_TEST(gives_values),
	KR_TEST(accessors_take_anything),
	KR_TEST_FLAGS(numbers_ignore_the_locale, KR_TEST_KEEPS_MEMORY),
	KR_TEST(depth_is_limited),
	KR_TEST(size_is_limited),
	KR_TEST(reads_files),
	KR_TEST(reads_files_of_any_size),
	KR_TEST(survives_without_memory),
	KR_TEST(many_values),
};

KR_TEST_MAIN(tests)
