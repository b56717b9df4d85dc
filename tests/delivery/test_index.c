/* SPDX-License-Identifier: Apache-2.0 */
/* The index of a package: what is read of a right one, and each way to be wrong. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "delivery/index.h"
#include "failing_alloc.h"
#include "harness.h"
#include "util/text.h"

#define HEAD   "{\"version\": 1, \"name\": \"0-d.so\", \"driver\": \"d.so\", "
#define DRIVER "{\"path\": \"d.so\", \"role\": \"driver\"}"

static const char right[] = HEAD
	"\"later\": {\"x\": [1]}, \"files\": ["
	"{\"path\": \"lib/liba.so.1\", \"role\": \"library\", \"soname\": \"liba.so.1\", \"more\": "
	"1},"
	"{\"path\": \"d.so\", \"role\": \"driver\", \"soname\": null},"
	"{\"path\": \"libr.so\", \"role\": \"runtime\", \"soname\": \"libr.so\"},"
	"{\"path\": \"share/..x/d.conf\", \"role\": \"data\"}],"
	"\"needs\": [{\"library\": \"libc.so.6\", \"versions\": [\"GLIBC_2.2.5\", \"GLIBC_2.34\"]},"
	"{\"library\": \"libxcb.so.1\"}]}";

static void
test_reads_all(void **state)
{
	struct kr_index index;
	char *reason;

	assert_int_equal(kr_index_parse(right, strlen(right), &index, &reason), 0);
	assert_null(reason);
	assert_string_equal(index.name, "0-d.so");
	assert_string_equal(index.driver, "d.so");
	assert_int_equal(index.file_count, 4);
	assert_string_equal(index.files[0].path, "lib/liba.so.1");
	assert_string_equal(index.files[0].soname, "liba.so.1");
	assert_int_equal(index.files[0].role, KR_INDEX_LIBRARY);
	assert_int_equal(index.files[1].role, KR_INDEX_DRIVER);
	assert_null(index.files[1].soname);
	assert_int_equal(index.files[2].role, KR_INDEX_RUNTIME);
	assert_int_equal(index.files[3].role, KR_INDEX_DATA);
	assert_null(index.files[3].soname);
	assert_int_equal(index.need_count, 2);
	assert_string_equal(index.needs[0].library, "libc.so.6");
	assert_int_equal(index.needs[0].version_count, 2);
	assert_string_equal(index.needs[0].versions[1], "GLIBC_2.34");
	assert_int_equal(index.needs[1].version_count, 0);
	kr_index_finish(&index);
}

/* Refused, with a sentence that holds `says`; the index is untouched. */
static void
refused(const char *text, const char *says)
{
	struct kr_index index = {.file_count = 4711};
	char *reason = NULL;

	if (kr_index_parse(text, strlen(text), &index, &reason) != -EINVAL)
		fail_msg("taken: %s", text);
	assert_int_equal(index.file_count, 4711);
	assert_non_null(reason);
	if (!strstr(reason, says))
		fail_msg("\"%s\" doesn't say \"%s\"", reason, says);
	free(reason);
}

static void
refused_files(const char *files, const char *says)
{
	char *text = kr_asprintf(HEAD "\"files\": %s, \"needs\": []}", files);

	refused(text, says);
	free(text);
}

static void
refused_needs(const char *needs, const char *says)
{
	char *text = kr_asprintf(HEAD "\"files\": [" DRIVER "], \"needs\": %s}", needs);

	refused(text, says);
	free(text);
}

static void
test_head(void **state)
{
	refused("", "no JSON");
	refused("{", "no JSON: line 1");
	refused("[]", "\"version\"");
	refused("{\"version\": 2}", "\"version\" isn't 1");
	refused("{\"version\": \"1\"}", "\"version\" isn't 1");
	refused("{\"version\": 1.5}", "\"version\" isn't 1");
	refused("{\"version\": 1}", "\"name\"");
	refused("{\"version\": 1, \"name\": \"a/b\"}", "\"name\"");
	refused("{\"version\": 1, \"name\": \"a\\nb\"}", "\"name\"");
	refused("{\"version\": 1, \"name\": \"a\"}", "\"driver\"");
	refused("{\"version\": 1, \"name\": \"a\", \"driver\": \"/d.so\"}", "\"driver\"");
}

/* */
static void
test_paths(void **state)
{
	static const char *const bad[] = {"", "/d", "d/", "a//b", ".", "..", "./a", "a/.", "../a",
		"a/..", "a/../b", "a\\u001bb", "a\\u007f", ".krafla-index.json"};

	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++) {
		char *files = kr_asprintf("[{\"path\": \"%s\", \"role\": \"driver\"}]", bad[i]);

		refused_files(files, "files[0]: \"path\"");
		free(files);
	}
	refused_files("[{\"role\": \"driver\"}]", "files[0]: \"path\"");
	refused_files("[{\"path\": 1, \"role\": \"driver\"}]", "files[0]: \"path\"");
	refused_files("[1]", "files[0]: \"path\"");
}

static void
test_own(void **state)
{
	static const char text[] = HEAD
		"\"files\": [{\"path\": \"a\", \"role\": \"library\", \"own\": true}, {\"path\": "
		"\"b\", \"role\": \"library\", \"own\": false}, " DRIVER "], \"needs\": []}";
	struct kr_index index;
	char *reason;

	assert_int_equal(kr_index_parse(text, strlen(text), &index, &reason), 0);
	assert_true(index.files[0].own);
	assert_false(index.files[1].own);
	assert_false(index.files[2].own);
	kr_index_finish(&index);
	refused_files("[{\"path\": \"d.so\", \"role\": \"driver\", \"own\": 1}]",
		"d.so: \"own\" is neither true nor false");
	refused_files("[{\"path\": \"d.so\", \"role\": \"driver\", \"own\": null}]",
		"d.so: \"own\" is neither true nor false");
}

static void
test_roles(void **state)
{
	refused_files("[{\"path\": \"d.so\"}]", "\"role\"");
	refused_files("[{\"path\": \"d.so\", \"role\": \"Driver\"}]", "\"role\"");
	refused_files("[{\"path\": \"e.so\", \"role\": \"driver\"}]", "not exactly one");
	refused_files("[{\"path\": \"d.so\", \"role\": \"library\"}]", "not exactly one");
	refused_files(
		"[" DRIVER ", {\"path\": \"e.so\", \"role\": \"driver\"}]", "not exactly one");
	refused_files("[" DRIVER ", {\"path\": \"e.so\", \"role\": \"library\"}]", "the order is");
	refused_files("[" DRIVER ", {\"path\": \"e\", \"role\": \"data\"},"
		      "{\"path\": \"f\", \"role\": \"runtime\"}]",
		"the order is");
}

static void
test_files(void **state)
{
	refused_files("{}", "\"files\"");
	refused_files("[]", "\"files\"");
	refused("{\"version\": 1, \"name\": \"a\", \"driver\": \"b\"}", "\"files\"");
	refused_files("[" DRIVER ", " DRIVER "]", "d.so is there twice");
	refused_files("[{\"path\": \"a\", \"role\": \"library\", \"soname\": \"s\"},"
		      "{\"path\": \"b\", \"role\": \"library\", \"soname\": \"s\"}, " DRIVER "]",
		"the same SONAME s");
	refused_files(
		"[{\"path\": \"d.so\", \"role\": \"driver\", \"soname\": \"a/b\"}]", "\"soname\"");
	refused_files(
		"[{\"path\": \"d.so\", \"role\": \"driver\", \"soname\": \"\"}]", "\"soname\"");
	refused_files("[{\"path\": \"d.so\", \"role\": \"driver\", \"soname\": 1}]", "\"soname\"");
}

static void
refused_outside(const char *members, const char *says)
{
	char *text = kr_asprintf(
		HEAD "\"files\": [" DRIVER "], \"needs\": [], \"unknown\": 1, %s}", members);

	refused(text, says);
	free(text);
}

/* What launchers read. Where it is missing, there is none. */
static void
test_outside(void **state)
{
	static const char text[] =
		HEAD "\"files\": [" DRIVER ", {\"path\": \"etc/v.json\", \"role\": \"data\"}], "
		     "\"needs\": [], \"nodes\": [\"dri/card*\", \"x\"], \"system_paths\": "
		     "[\"/sys\", \"/usr/share/x\"], \"environment\": [{\"name\": \"__X_FILE\", "
		     "\"path\": \"etc/v.json\"}]}";
	const int fds[] = {7, 8, 9};
	struct kr_index index;
	char *reason, *value;

	assert_int_equal(kr_index_parse(text, strlen(text), &index, &reason), 0);
	assert_string_equal(index.nodes[1], "x");
	assert_null(index.nodes[2]);
	assert_string_equal(index.system_paths[0], "/sys");
	assert_null(index.system_paths[2]);
	assert_int_equal(index.variable_count, 1);
	assert_string_equal(index.variables[0].name, "__X_FILE");
	value = kr_index_variable_value(&index, 0, true, fds);
	assert_string_equal(value, "/proc/self/fd/7/etc/v.json");
	free(value);
	value = kr_index_variable_value(&index, 0, false, fds);
	assert_string_equal(value, "/proc/self/fd/9");
	free(value);
	kr_index_finish(&index);
	assert_int_equal(kr_index_parse(right, strlen(right), &index, &reason), 0);
	assert_null(index.nodes);
	assert_null(index.system_paths);
	assert_int_equal(index.variable_count, 0);
	kr_index_finish(&index);
}

/* Nothing of it leads a launcher to other places, or makes it set what loaders and linkers obey. */
static void
test_outside_is_checked(void **state)
{
	static const char *const names[] = {"", "LD_PRELOAD", "VK_ICD_FILENAMES", "KRAFLA_SERVICE",
		"PATH", "1X", "A=B", "A B", "A-B"};

	refused_outside("\"nodes\": {}", "\"nodes\"");
	refused_outside("\"nodes\": [1]", "nodes[0]");
	refused_outside("\"nodes\": [\"x\", \"../x\"]", "nodes[1]");
	refused_outside("\"nodes\": [\"/dev/x\"]", "nodes[0]");
	refused_outside("\"system_paths\": 1", "\"system_paths\"");
	refused_outside("\"system_paths\": [\"/etc\"]", "system_paths[0]");
	refused_outside("\"system_paths\": [\"/usr/share/../lib\"]", "system_paths[0]");
	refused_outside("\"system_paths\": [\"sys\"]", "system_paths[0]");
	refused_outside("\"environment\": {}", "\"environment\"");
	refused_outside("\"environment\": [{\"name\": \"X\"}]", "none of the files");
	refused_outside("\"environment\": [{\"name\": \"X\", \"path\": \"y\"}]",
		"environment[0]: \"path\" is none of the files");
	refused_outside("\"compiles_at_run_time\": 1", "\"compiles_at_run_time\"");
	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		char *members = kr_asprintf(
			"\"environment\": [{\"name\": \"%s\", \"path\": \"d.so\"}]", names[i]);

		refused_outside(members, "no variable that may be set");
		free(members);
	}
}

static void
test_needs(void **state)
{
	refused_needs("{}", "\"needs\"");
	refused("{\"version\": 1, \"name\": \"a\", \"driver\": \"d.so\", \"files\": [" DRIVER "]}",
		"\"needs\"");
	refused_needs("[1]", "needs[0]");
	refused_needs("[{\"library\": \"a\"}, {\"library\": \"a/b\"}]", "needs[1]");
	refused_needs("[{\"library\": \"a\", \"versions\": 1}]", "a: \"versions\"");
	refused_needs("[{\"library\": \"a\", \"versions\": [\"V\", 1]}]", "versions[1]");
	refused_needs("[{\"library\": \"a\", \"versions\": [\"\"]}]", "versions[0]");
}

/* `count` times one element, its number in it. */
static char *
repeat(const char *format, size_t count, const char *last)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	fputc('[', file);
	for (size_t i = 0; i < count; i++)
		fprintf(file, format, i); /* NOLINT: formats of this file */
	fprintf(file, "%s]", last);
	fclose(file);
	return text;
}

/* as many as a message can carry, and not one more. */
static void
test_limits(void **state)
{
	static const char file[] = "{\"path\": \"%zu\", \"role\": \"library\"},";
	struct kr_index index;
	char *list, *text, *reason;

	list = repeat(file, KR_INDEX_MAX_FILES - 1, DRIVER);
	text = kr_asprintf(HEAD "\"files\": %s, \"needs\": []}", list);
	assert_int_equal(kr_index_parse(text, strlen(text), &index, &reason), 0);
	assert_int_equal(index.file_count, KR_INDEX_MAX_FILES);
	kr_index_finish(&index);
	free(text);
	free(list);
	list = repeat(file, KR_INDEX_MAX_FILES, DRIVER);
	refused_files(list, "1 to 252");
	free(list);
	list = repeat("{\"library\": \"%zu\"},", 1024, "{\"library\": \"a\"}");
	refused_needs(list, "at most 1024");
	free(list);
	list = repeat("\"%zu\",", 1024, "\"a\"");
	text = kr_asprintf("[{\"library\": \"a\", \"versions\": %s}]", list);
	refused_needs(text, "at most 1024");
	free(text);
	free(list);
	text = kr_asprintf("[{\"library\": \"%0256d\"}]", 1);
	refused_needs(text, "needs[0]");
	free(text);
}

static void
test_allocation(void **state)
{
	struct kr_index index;
	char *reason;
	int ret = -ENOMEM;

	for (long i = 0; ret; i++) {
		assert_true(i < 1000);
		failing_alloc_left = i;
		ret = kr_index_parse(right, strlen(right), &index, &reason);
		failing_alloc_left = -1;
		assert_true(!ret || ret == -ENOMEM);
		free(ret ? reason : NULL);
	}
	kr_index_finish(&index);
}

static const struct kr_test tests[] = {
	KR_TEST(test_reads_all),
	KR_TEST(test_head),
	KR_TEST(test_paths),
	KR_TEST(test_own),
	KR_TEST(test_roles),
	KR_TEST(test_files),
	KR_TEST(test_needs),
	KR_TEST(test_outside),
	KR_TEST(test_outside_is_checked),
	KR_TEST(test_limits),
	KR_TEST(test_allocation),
};

KR_TEST_MAIN(tests)
