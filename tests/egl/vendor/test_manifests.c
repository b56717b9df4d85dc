/* SPDX-License-Identifier: Apache-2.0 */
/* Which files name vendors, in which order, and what is no manifest. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "egl/vendor/manifests.h"
#include "harness.h"

static void
write_manifest(const char *name, const char *library)
{
	char text[512];

	snprintf(text, sizeof(text),
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"%s\"}}",
		library);
	kr_test_file(name, text);
}

/* In the environment, where they are changed: setenv would leave memory behind. */
enum variable {
	VENDORS,
	FILENAMES,
	DIRS,
	VARIABLES,
};
#define LIST_SIZE 8192
static char variables[VARIABLES][LIST_SIZE];
static const char *const variable_names[VARIABLES] = {
	"KRAFLA_EGL_VENDORS=",
	"__EGL_VENDOR_LIBRARY_FILENAMES=",
	"__EGL_VENDOR_LIBRARY_DIRS=",
};

/* By other names they are unset. */
static void
clear(void)
{
	for (int i = 0; i < VARIABLES; i++)
		snprintf(variables[i], LIST_SIZE, "NO_%s", variable_names[i]);
}

/* Names below the test's directory, as a list of paths. */
static void
set_list(enum variable variable, const char *const *names)
{
	char *list = variables[variable] + strlen(variable_names[variable]);
	size_t len = 0, room = (size_t)(variables[variable] + LIST_SIZE - list);

	strcpy(variables[variable], variable_names[variable]);
	for (; *names; names++)
		len += (size_t)snprintf(
			list + len, room - len, "%s%s/%s", len ? ":" : "", kr_test_dir(), *names);
}
#define SET_LIST(variable, ...) set_list(variable, (const char *const[]){__VA_ARGS__, NULL})

static void
expect_libraries(const char *const *libraries)
{
	struct kr_egl_manifests found;
	size_t count = 0;

	assert_int_equal(kr_egl_manifests_find(&found), 0);
	for (; libraries[count]; count++) {
		assert_true(count < found.count);
		assert_string_equal(found.items[count].library, libraries[count]);
	}
	assert_int_equal(found.count, count);
	kr_egl_manifests_finish(&found);
}
#define EXPECT(...) expect_libraries((const char *const[]){__VA_ARGS__, NULL})

static void
directories_go_in_order_and_files_by_bytes(void **state)
{
	clear();
	mkdir(kr_test_path("a"), 0700);
	mkdir(kr_test_path("b"), 0700);
	write_manifest("b/10.json", "b10.so");
	write_manifest("a/9.json", "a9.so");
	write_manifest("a/10.json", "a10.so");
	write_manifest("a/Z.json", "aZ.so");
	write_manifest("a/a.json", "aa.so");
	write_manifest("a/5.json.bak", "no.so");
	SET_LIST(DIRS, "a", "gone", "b");
	EXPECT("a10.so", "a9.so", "aZ.so", "aa.so", "b10.so");
}

static void
the_list_stands_before_directories(void **state)
{
	clear();
	mkdir(kr_test_path("a"), 0700);
	write_manifest("a/1.json", "a1.so");
	write_manifest("2.json", "two.so");
	write_manifest("1.json", "one.so");
	SET_LIST(DIRS, "a");
	SET_LIST(VENDORS, "2.json", "1.json");
	EXPECT("two.so", "one.so");
}

/* Names without a slash are dlopen's to find; others lie beside the manifest, or are absolute. */
static void
libraries_lie_beside_their_manifest(void **state)
{
	char beside[1024];

	clear();
	write_manifest("1.json", "bare.so.0");
	write_manifest("2.json", "/abs/olute.so");
	write_manifest("3.json", "../lib/beside.so");
	SET_LIST(VENDORS, "1.json", "2.json", "3.json");
	snprintf(beside, sizeof(beside), "%s/../lib/beside.so", kr_test_dir());
	EXPECT("bare.so.0", "/abs/olute.so", beside);
}

static void
krafla_itself_is_passed_over(void **state)
{
	clear();
	write_manifest("1.json", "libEGL_krafla.so.0");
	write_manifest("2.json", "../../../lib/libEGL_krafla.so.0");
	write_manifest("3.json", "libEGL_other.so.0");
	SET_LIST(VENDORS, "1.json", "2.json", "3.json");
	EXPECT("libEGL_other.so.0");
}

static void
expect_none_of(const char *text)
{
	clear();
	kr_test_file("bad.json", text);
	write_manifest("good.json", "good.so");
	SET_LIST(VENDORS, "bad.json", "good.json");
	EXPECT("good.so");
}

#define ICD "\"ICD\": {\"library_path\": \"x.so\"}"

static void
what_is_no_manifest_is_passed_over(void **state)
{
	expect_none_of("");
	expect_none_of("library_path = x.so");
	expect_none_of("[]");
	expect_none_of("{\"file_format_version\": \"1.0.0\", " ICD);
	expect_none_of("{\"file_format_version\": \"1.0.0\"}");
	expect_none_of("{\"file_format_version\": \"1.0.0\", \"ICD\": \"x.so\"}");
	expect_none_of("{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": 7}}");
	expect_none_of("{\"file_format_version\": \"1.0.0\", \"library_path\": \"x.so\"}");
}

/* 1.0.x is what there is; a newer one has what glvnd would have to know. */
static void
formats_are_as_glvnd_reads_them(void **state)
{
	static const char *const good[] = {"1.0.0", "1.0.9", "1.0", "1"};
	static const char *const bad[] = {
		"\"2.0.0\"", "\"1.1.0\"", "\"0.9\"", "\"one\"", "\"\"", "1.0"};
	char text[256];

	expect_none_of("{" ICD "}");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "{\"file_format_version\": %s, " ICD "}", bad[i]);
		expect_none_of(text);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		snprintf(text, sizeof(text), "{\"file_format_version\": \"%s\", " ICD "}", good[i]);
		kr_test_file("1.json", text);
		SET_LIST(VENDORS, "1.json");
		EXPECT("x.so");
	}
}

/* To open a FIFO would be to wait; and a file may be of any size. */
static void
what_is_no_file_is_passed_over(void **state)
{
	int fd;

	clear();
	mkdir(kr_test_path("d"), 0700);
	mkdir(kr_test_path("d/1.json"), 0700);
	assert_int_equal(mkfifo(kr_test_path("d/2.json"), 0600), 0);
	assert_int_equal(symlink("nowhere", kr_test_path("d/3.json")), 0);
	assert_int_equal(symlink("2.json", kr_test_path("d/4.json")), 0);
	assert_int_equal(symlink("/dev/zero", kr_test_path("d/5.json")), 0);
	fd = open(kr_test_path("d/6.json"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_int_equal(ftruncate(fd, INT64_C(1) << 40), 0);
	close(fd);
	write_manifest("d/7.json", "good.so");
	SET_LIST(DIRS, "d");
	EXPECT("good.so");
	SET_LIST(VENDORS, "d/1.json", "d/2.json", "d/3.json", "d/4.json", "d/5.json", "d/6.json",
		"d/7.json");
	EXPECT("good.so");
}

static void
there_is_an_end_to_manifests(void **state)
{
	struct kr_egl_manifests found;
	char name[64];

	clear();
	mkdir(kr_test_path("d"), 0700);
	for (int i = 0; i < KR_EGL_MAX_MANIFESTS + 6; i++) {
		snprintf(name, sizeof(name), "d/%03d.json", i);
		write_manifest(name, name + 2);
	}
	SET_LIST(DIRS, "d");
	assert_int_equal(kr_egl_manifests_find(&found), 0);
	assert_int_equal(found.count, KR_EGL_MAX_MANIFESTS);
	assert_string_equal(found.items[KR_EGL_MAX_MANIFESTS - 1].library, "063.json");
	kr_egl_manifests_finish(&found);
}

/* As glvnd has it: what is set to nothing names none, and not what is there without it. */
static void
what_is_set_to_nothing_names_none(void **state)
{
	clear();
	write_manifest("1.json", "one.so");
	SET_LIST(DIRS, "");
	EXPECT("one.so");
	set_list(VENDORS, (const char *const[]){NULL});
	EXPECT(NULL);
	clear();
	set_list(DIRS, (const char *const[]){NULL});
	EXPECT(NULL);
	strcat(variables[DIRS], ":");
	EXPECT(NULL);
}

/* What glvnd was told of beside us. */
static void
glvnds_own_are_known(void **state)
{
	struct kr_egl_manifests found;

	clear();
	assert_false(kr_egl_is_told_of_vendors());
	assert_int_equal(kr_egl_manifests_of_glvnd(&found), 0);
	assert_int_equal(found.count, 0);
	write_manifest("1.json", "libEGL_krafla.so.0");
	write_manifest("2.json", "two.so");
	SET_LIST(FILENAMES, "1.json", "gone.json", "2.json");
	assert_true(kr_egl_is_told_of_vendors());
	assert_int_equal(kr_egl_manifests_of_glvnd(&found), 0);
	assert_int_equal(found.count, 1);
	assert_string_equal(found.items[0].library, "two.so");
	kr_egl_manifests_finish(&found);
}

static const struct kr_test tests[] = {
	KR_TEST(directories_go_in_order_and_files_by_bytes),
	KR_TEST(the_list_stands_before_directories),
	KR_TEST(libraries_lie_beside_their_manifest),
	KR_TEST(krafla_itself_is_passed_over),
	KR_TEST(what_is_no_manifest_is_passed_over),
	KR_TEST(formats_are_as_glvnd_reads_them),
	KR_TEST(what_is_no_file_is_passed_over),
	KR_TEST(there_is_an_end_to_manifests),
	KR_TEST(what_is_set_to_nothing_names_none),
	KR_TEST(glvnds_own_are_known),
};

int
main(int argc, char **argv)
{
	clear();
	for (int i = 0; i < VARIABLES; i++)
		putenv(variables[i]);
	return kr_test_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
