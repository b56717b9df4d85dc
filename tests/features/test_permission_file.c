/* SPDX-License-Identifier: Apache-2.0 */
/* Permission files: what they may hold, and what makes them count for nothing. */
#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "features/permission_file.h"
#include "util/macros.h"

static char told[4096];

static void
note(void *data, const struct kr_feature_permission *permission)
{
	size_t length = strlen(told);

	snprintf(told + length, sizeof(told) - length, "%s%s=%u ",
		permission->unavailable ? "!" : "", permission->name, permission->version);
}

static int
parse(const char *text)
{
	char why[KR_FEATURE_FILE_WHY] = "";
	int err;

	told[0] = '\0';
	err = kr_feature_parse_permissions(text, strlen(text), note, NULL, why);
	assert_int_equal(err < 0, *why != '\0');
	return err;
}

static void
expect(const char *text, const char *all)
{
	assert_int_equal(parse(text), 0);
	assert_string_equal(told, all);
}

static void
features_are_told(void **state)
{
	expect("<?xml version=\"1.0\"?><!-- <feature name='x'/> -->\n<permissions>\n"
	       "\t<feature name=\"a.b\" version=\"4206592\" />\n"
	       "<feature version='1' name='c'></feature ><group gid=\"x\"/>"
	       "<unavailable-feature name=\"d\"/></permissions>\n",
		"a.b=4206592 c=1 !d=0 ");
	expect("<config><feature name='a'/></config>", "a=0 ");
	expect("\xef\xbb\xbf<permissions/>", "");
	expect("<permissions><![CDATA[<feature name='x'/>]]></permissions>", "");
}

/* Android reads numbers in decimal, and what is none as none. */
static void
versions_are_decimal(void **state)
{
	expect("<permissions><feature name='a' version='0x10'/><feature name='b' version='-1'/>"
	       "<feature name='c' version='2147483647'/><feature name='d' version='2147483648'/>"
	       "<feature name='e' version='99999999999999999999999'/><feature name='f' version=''/>"
	       "</permissions>",
		"a=0 b=0 c=2147483647 d=0 e=0 f=0 ");
}

static void
features_stand_in_the_root(void **state)
{
	expect("<permissions><other><feature name='a'/></other><feature/><feature name=''/>"
	       "<features name='b'/><feature nam='c' xname='d'/></permissions>",
		"");
}

static void
names_have_a_limit(void **state)
{
	char text[512], name[300];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(text, sizeof(text), "<permissions><feature name='%s'/></permissions>", name);
	expect(text, "");
	name[KR_FEATURE_NAME_MAX - 1] = '\0';
	snprintf(text, sizeof(text), "<permissions><feature name='%s'/></permissions>", name);
	assert_int_equal(parse(text), 0);
	assert_int_equal(strlen(told), KR_FEATURE_NAME_MAX - 1 + strlen("=0 "));
	expect("<permissions><feature name='a&amp;b'/></permissions>", "");
}

static void
what_is_malformed_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"text",
		"<",
		"<permissions",
		"<permissions>",
		"<permissions></permission>",
		"<permissions></permissions",
		"</permissions>",
		"<permissions/><permissions/>",
		"<manifest/>",
		"<permissions><a></permissions></a>",
		"<permissions><feature name=\"a/></permissions>",
		"<permissions><feature name=a/></permissions>",
		"<permissions><feature name/></permissions>",
		"<permissions><feature name='a'version='1'/></permissions>",
		"<permissions><feature name='a<b'/></permissions>",
		"<permissions><feature name='a' / ></permissions>",
		"<permissions><!-- </permissions>",
		"<permissions><![CDATA[ </permissions>",
		"<? <permissions/>",
		"<!DOCTYPE permissions [<!ENTITY a 'b'>]><permissions/>",
		"< permissions/>",
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(wrong); i++) {
		if (parse(wrong[i]) != -EINVAL)
			fail_msg("taken: %s", wrong[i]);
	}
}

static void
depth_has_a_limit(void **state)
{
	char text[KR_FEATURE_FILE_DEEP * 8 + 64] = "<permissions>";

	for (unsigned i = 1; i < KR_FEATURE_FILE_DEEP; i++)
		strcat(text, "<a>");
	for (unsigned i = 1; i < KR_FEATURE_FILE_DEEP; i++)
		strcat(text, "</a>");
	strcat(text, "</permissions>");
	assert_int_equal(parse(text), 0);
	memset(text, 0, sizeof(text));
	strcpy(text, "<permissions>");
	for (unsigned i = 0; i < KR_FEATURE_FILE_DEEP; i++)
		strcat(text, "<a>");
	assert_int_equal(parse(text), -EINVAL);
}

static int
read_path(const char *path)
{
	char why[KR_FEATURE_FILE_WHY] = "";
	int err;

	told[0] = '\0';
	err = kr_feature_read_permissions(path, note, NULL, why);
	assert_int_equal(err < 0, *why != '\0');
	return err;
}

static void
files_may_be_anything(void **state)
{
	char *large = malloc(KR_FEATURE_FILE_MAX + 2);
	const char *path;

	assert_int_equal(
		read_path(kr_test_file("a.xml", "<config><feature name='a'/></config>")), 0);
	assert_string_equal(told, "a=0 ");
	assert_int_equal(read_path(kr_test_path("nothing.xml")), -ENOENT);
	assert_int_equal(mkfifo(kr_test_path("fifo.xml"), 0600), 0);
	assert_int_equal(read_path(kr_test_path("fifo.xml")), -ENODEV);
	assert_int_equal(symlink("/dev/zero", kr_test_path("zero.xml")), 0);
	assert_int_equal(read_path(kr_test_path("zero.xml")), -ENODEV);
	assert_int_equal(mkdir(kr_test_path("dir.xml"), 0700), 0);
	assert_int_equal(read_path(kr_test_path("dir.xml")), -EISDIR);
	assert_int_equal(symlink("loop.xml", kr_test_path("loop.xml")), 0);
	assert_int_equal(read_path(kr_test_path("loop.xml")), -ELOOP);
	assert_non_null(large);
	memset(large, ' ', KR_FEATURE_FILE_MAX + 1);
	large[KR_FEATURE_FILE_MAX + 1] = '\0';
	memcpy(large, "<permissions/>", strlen("<permissions/>"));
	path = kr_test_file("large.xml", large);
	assert_int_equal(read_path(path), -EFBIG);
	large[KR_FEATURE_FILE_MAX] = '\0';
	path = kr_test_file("large.xml", large);
	assert_int_equal(read_path(path), 0);
	free(large);
}

static const struct kr_test tests[] = {
	KR_TEST(features_are_told),
	KR_TEST(versions_are_decimal),
	KR_TEST(features_stand_in_the_root),
	KR_TEST(names_have_a_limit),
	KR_TEST(what_is_malformed_is_refused),
	KR_TEST(depth_has_a_limit),
	KR_TEST(files_may_be_anything),
};
KR_TEST_MAIN(tests)
