/* SPDX-License-Identifier: Apache-2.0 */
/* Where manifests are looked for, in a made-up environment and tree. */
#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "failing_alloc.h"
#include "manifest/paths.h"
#include "util/text.h"

static struct {
	const char *name;
	const char *value;
} environment[16];
static size_t environment_count;

static void
set(const char *name, const char *value)
{
	environment[environment_count].name = name;
	environment[environment_count++].value = value;
}

static const char *
get(const char *name)
{
	for (size_t i = 0; i < environment_count; i++) {
		if (!strcmp(environment[i].name, name))
			return environment[i].value;
	}
	return NULL;
}

static const struct kr_search_options options = {.env_get = get, .sysconfdir = "/sys"};

static void
expect_places(enum kr_manifest_kind kind, const char *const *expected)
{
	struct kr_search_list list;
	size_t i;

	assert_int_equal(kr_search_places(kind, &options, &list), 0);
	for (i = 0; i < list.count; i++) {
		assert_non_null(expected[i]);
		assert_string_equal(list.places[i].path, expected[i]);
	}
	assert_null(expected[i]);
	kr_search_list_finish(&list);
}

/* K-01 */
static void
order_with_everything_set(void **state)
{
	static const char *const expected[] = {"/ch/vulkan/icd.d", "/c1/vulkan/icd.d",
		"/c2/vulkan/icd.d", "/sys/vulkan/icd.d", "/dh/vulkan/icd.d", "/d1/vulkan/icd.d",
		"/d2/vulkan/icd.d", NULL};

	set("XDG_CONFIG_HOME", "/ch");
	set("XDG_CONFIG_DIRS", "/c1:/c2");
	set("XDG_DATA_HOME", "/dh");
	set("XDG_DATA_DIRS", "/d1::/d2:/c1");
	set("HOME", "/h");
	/* /c1 a second time is dropped. */
	expect_places(KR_MANIFEST_DRIVER, expected);
}

/* K-01: homes are lists as well, slashes at the end don't count, a manifest stays as it is. */
static void
odd_values(void **state)
{
	static const char *const expected[] = {"/a/vulkan/icd.d", "/b c/vulkan/icd.d", "/d.json",
		"/sys/vulkan/icd.d", "/vulkan/icd.d", "/e/vulkan/icd.d", NULL};

	set("XDG_CONFIG_HOME", "::/a:::/b c///:");
	set("XDG_CONFIG_DIRS", "/d.json:/a/");
	set("XDG_DATA_HOME", "/");
	set("XDG_DATA_DIRS", "::/e/");
	expect_places(KR_MANIFEST_DRIVER, expected);
}

/* K-24: override paths stand above everything that the environment says. */
static void
given_places_replace_all(void **state)
{
	char one[] = "/one", two[] = "/two";
	char *paths[] = {one, two};
	const struct kr_names names = {paths, 2};
	const struct kr_search_options given = {
		.env_get = get, .sysconfdir = "/sys", .instead = &names};
	struct kr_search_list list;

	set("VK_LAYER_PATH", "/other");
	set("VK_ADD_LAYER_PATH", "/more");
	assert_int_equal(kr_search_places(KR_MANIFEST_EXPLICIT_LAYER, &given, &list), 0);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.places[1].path, "/two");
	kr_search_list_finish(&list);
}

static void
order_by_default(void **state)
{
	static const char *const expected[] = {"/h/.config/vulkan/explicit_layer.d",
		"/etc/xdg/vulkan/explicit_layer.d", "/sys/vulkan/explicit_layer.d",
		"/h/.local/share/vulkan/explicit_layer.d",
		"/usr/local/share/vulkan/explicit_layer.d", "/usr/share/vulkan/explicit_layer.d",
		NULL};

	set("HOME", "/h");
	expect_places(KR_MANIFEST_EXPLICIT_LAYER, expected);
}

static void
order_without_a_home(void **state)
{
	static const char *const expected[] = {"/etc/xdg/vulkan/implicit_layer.d",
		"/sys/vulkan/implicit_layer.d", "/usr/local/share/vulkan/implicit_layer.d",
		"/usr/share/vulkan/implicit_layer.d", NULL};

	expect_places(KR_MANIFEST_IMPLICIT_LAYER, expected);
}

static void
override_replaces(void **state)
{
	static const char *const expected[] = {"/a.json", "/dir", NULL};
	struct kr_search_list list;

	set("VK_DRIVER_FILES", "/a.json:/dir:/a.json");
	set("VK_ICD_FILENAMES", "/other.json");
	set("VK_ADD_DRIVER_FILES", "/added.json");
	expect_places(KR_MANIFEST_DRIVER, expected);
	assert_int_equal(kr_search_places(KR_MANIFEST_DRIVER, &options, &list), 0);
	assert_string_equal(list.places[0].variable, "VK_DRIVER_FILES");
	kr_search_list_finish(&list);
}

static void
old_name_counts_when_alone(void **state)
{
	static const char *const expected[] = {"/other.json", NULL};

	set("VK_ICD_FILENAMES", "/other.json");
	expect_places(KR_MANIFEST_DRIVER, expected);
}

static void
override_of_separators_alone_is_empty(void **state)
{
	static const char *const expected[] = {NULL};

	set("VK_DRIVER_FILES", "::");
	expect_places(KR_MANIFEST_DRIVER, expected);
}

/*
 * K-02, K-04, K-05: what is set to nothing replaces the search with nothing, and the
 * old name with it.
 */
static void
set_to_nothing_is_set(void **state)
{
	static const char *const expected[] = {NULL};
	static const char *const rest[] = {"/etc/xdg/vulkan/icd.d", "/sys/vulkan/icd.d",
		"/usr/local/share/vulkan/icd.d", "/usr/share/vulkan/icd.d", NULL};

	set("VK_ADD_DRIVER_FILES", "");
	set("HOME", "");
	set("XDG_CONFIG_HOME", "");
	set("XDG_DATA_DIRS", "");
	expect_places(KR_MANIFEST_DRIVER, rest);
	assert_false(kr_search_is_replaced(KR_MANIFEST_DRIVER, &options));
	set("VK_LAYER_PATH", "");
	set("VK_IMPLICIT_LAYER_PATH", "");
	set("VK_ICD_FILENAMES", "");
	expect_places(KR_MANIFEST_DRIVER, expected);
	expect_places(KR_MANIFEST_EXPLICIT_LAYER, expected);
	expect_places(KR_MANIFEST_IMPLICIT_LAYER, expected);
	assert_true(kr_search_is_replaced(KR_MANIFEST_DRIVER, &options));
	environment_count--;
	set("VK_ICD_FILENAMES", "/other.json");
	set("VK_DRIVER_FILES", "");
	expect_places(KR_MANIFEST_DRIVER, expected);
}

static void
added_places_come_first(void **state)
{
	static const char *const expected[] = {"/added.json", "/etc/xdg/vulkan/icd.d",
		"/sys/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/usr/share/vulkan/icd.d",
		NULL};

	set("VK_ADD_DRIVER_FILES", "/added.json");
	expect_places(KR_MANIFEST_DRIVER, expected);
}

/* K-04, K-05 */
static void
layers_have_their_own_variables(void **state)
{
	static const char *const expected[] = {"/layers", NULL};

	set("VK_DRIVER_FILES", "/a.json");
	set("VK_LAYER_PATH", "/layers");
	expect_places(KR_MANIFEST_EXPLICIT_LAYER, expected);
	set("VK_IMPLICIT_LAYER_PATH", "/layers");
	expect_places(KR_MANIFEST_IMPLICIT_LAYER, expected);
}

static bool
lists(const struct kr_search_list *files, const char *path)
{
	for (size_t i = 0; i < files->count; i++) {
		if (!strcmp(files->places[i].path, path))
			return true;
	}
	return false;
}

static void
directories_give_their_json_files(void **state)
{
	const char *a = kr_test_file("a.json", ""), *b = kr_test_file("b.json", "");
	char *list = kr_asprintf("/no/such/directory:/no/such.json:%s:%s", kr_test_dir(), a);
	struct kr_search_list files;

	kr_test_file("c.jsn", "");
	kr_test_file("d.json.bak", "");
	kr_test_file("json", "");
	set("VK_DRIVER_FILES", list);
	assert_int_equal(kr_manifest_find(KR_MANIFEST_DRIVER, &options, &files), 0);
	assert_int_equal(files.count, 4);
	/* A file that is named is listed, there or not: reading it will tell. */
	assert_string_equal(files.places[0].path, "/no/such.json");
	assert_true(lists(&files, a) && lists(&files, b));
	assert_string_equal(files.places[3].path, a);
	kr_search_list_finish(&files);
	free(list);
}

/* fopen of a FIFO waits until somebody writes to it. */
static void
what_cannot_be_a_file_is_passed_over(void **state)
{
	const char *a = kr_test_file("a.json", "");
	char *fifo = kr_asprintf("%s/fifo.json", kr_test_dir());
	char *link = kr_asprintf("%s/link.json", kr_test_dir());
	struct kr_search_list files;

	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(symlink(a, link), 0);
	set("VK_DRIVER_FILES", kr_test_dir());
	assert_int_equal(kr_manifest_find(KR_MANIFEST_DRIVER, &options, &files), 0);
	assert_int_equal(files.count, 2);
	assert_true(lists(&files, a) && lists(&files, link));
	kr_search_list_finish(&files);
	free(fifo);
	free(link);
}

static void
survives_without_memory(void **state)
{
	const char *file = kr_test_file("a.json", "");
	char *list = kr_asprintf("%s:%s:/x", kr_test_dir(), file);
	struct kr_search_list files = {0};
	int failures = 0, ret;

	set("VK_ADD_DRIVER_FILES", list);
	set("HOME", "/h");
	for (;; failures++) {
		failing_alloc_left = failures;
		ret = kr_manifest_find(KR_MANIFEST_DRIVER, &options, &files);
		failing_alloc_left = -1;
		if (!ret)
			break;
		assert_int_equal(ret, -ENOMEM);
		assert_null(files.places);
	}
	assert_true(failures > 10);
	kr_search_list_finish(&files);
	free(list);
}

/*
 * K-02: a megabyte of places is no work for a minute, by the processor's clock:
 * others may have it meanwhile.
 */
static void
a_huge_variable_is_read_at_once(void **state)
{
	const size_t size = 1 << 20;
	struct timespec spent;
	char *value = malloc(size), *end = value;
	struct kr_search_list list;
	size_t count = 0;

	for (unsigned i = 0; (size_t)(end - value) < size - 16; i++, count++)
		end += sprintf(end, "%x:", i * 2654435761u);
	set("VK_DRIVER_FILES", value);
	assert_int_equal(kr_search_places(KR_MANIFEST_DRIVER, &options, &list), 0);
	assert_int_equal(list.count, count);
	kr_search_list_finish(&list);
	free(value);
	assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent), 0);
	assert_in_range(spent.tv_sec, 0, 19);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(a_huge_variable_is_read_at_once, 0, 60),
	KR_TEST(order_with_everything_set),
	KR_TEST(odd_values),
	KR_TEST(given_places_replace_all),
	KR_TEST(order_by_default),
	KR_TEST(order_without_a_home),
	KR_TEST(override_replaces),
	KR_TEST(old_name_counts_when_alone),
	KR_TEST(override_of_separators_alone_is_empty),
	KR_TEST(set_to_nothing_is_set),
	KR_TEST(added_places_come_first),
	KR_TEST(layers_have_their_own_variables),
	KR_TEST(directories_give_their_json_files),
	KR_TEST(what_cannot_be_a_file_is_passed_over),
	KR_TEST(survives_without_memory),
};

KR_TEST_MAIN(tests)
