/* SPDX-License-Identifier: Apache-2.0 */
/* Filters by name and by number. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#include "manifest/filters.h"
#include "util/log.h"

static const char *value;
static int warnings;
static char last_warning[256];

static const char *
get(const char *name)
{
	assert_string_equal(name, "VK_LOADER_SOME");
	return value;
}

static void
count_warning(void *data, uint32_t bits, const char *message)
{
	warnings += (bits & KR_LOG_WARN) != 0;
	snprintf(last_warning, sizeof(last_warning), "%s", message);
}

static struct kr_filters
filters_of(const char *text)
{
	struct kr_filters filters;

	value = text;
	kr_log_set_sink(count_warning, NULL);
	kr_filters_read(&filters, "VK_LOADER_SOME", get);
	kr_log_set_sink(NULL, NULL);
	assert_string_equal(filters.variable, "VK_LOADER_SOME");
	return filters;
}

static bool
match(const char *filter, const char *name)
{
	struct kr_filters filters = filters_of(filter);

	return kr_filters_match(&filters, name);
}

/* K-06 K-07 */
static void
forms(void **state)
{
	assert_true(match("VK_LAYER_a", "VK_LAYER_a"));
	assert_false(match("VK_LAYER_a", "VK_LAYER_ab"));
	assert_false(match("VK_LAYER_ab", "VK_LAYER_a"));
	assert_true(match("VK_LAYER*", "VK_LAYER_a"));
	assert_true(match("VK_LAYER*", "VK_LAYER"));
	assert_false(match("LAYER*", "VK_LAYER_a"));
	assert_true(match("a*", "ab"));
	assert_true(match("*_a", "VK_LAYER_a"));
	assert_false(match("*_a", "VK_LAYER_ab"));
	assert_false(match("*VK_LAYER_a", "_a"));
	assert_true(match("*LAYER*", "VK_LAYER_a"));
	assert_true(match("*VK*", "VK_LAYER_a"));
	assert_true(match("*_a*", "VK_LAYER_a"));
	assert_false(match("*other*", "VK_LAYER_a"));
	assert_true(match("*", "anything"));
	assert_true(match("**", ""));
}

/* K-06 K-07: neither side's case matters. */
static void
case_is_ignored(void **state)
{
	assert_true(match("vk_layer_A", "VK_LAYER_a"));
	assert_true(match("*LaYeR*", "VK_lAyEr_a"));
	assert_true(match("INTEL*", "intel_icd.x86_64.json"));
}

/* K-06 K-07 */
static void
several(void **state)
{
	struct kr_filters filters = filters_of("one,,*two,three*");

	assert_true(filters.set);
	assert_int_equal(filters.count, 3);
	assert_true(kr_filters_match(&filters, "One"));
	assert_true(kr_filters_match(&filters, "twenty-two"));
	assert_true(kr_filters_match(&filters, "threefold"));
	assert_false(kr_filters_match(&filters, "four"));
	filters = filters_of(NULL);
	assert_false(filters.set);
	assert_false(kr_filters_match(&filters, "one"));
	filters = filters_of(",");
	assert_true(filters.set);
	assert_int_equal(filters.count, 0);
}

/* K-07 */
static void
special_words(void **state)
{
	struct kr_filters filters = filters_of("~implicit~");

	assert_true(filters.set && filters.implicit && !filters.explicit);
	assert_false(kr_filters_match(&filters, "VK_LAYER_a"));
	filters = filters_of("~EXPLICIT~,VK_LAYER_b");
	assert_true(filters.explicit && !filters.implicit);
	assert_false(kr_filters_match(&filters, "VK_LAYER_a"));
	assert_true(kr_filters_match(&filters, "VK_LAYER_b"));
	filters = filters_of("~all~");
	assert_true(filters.implicit && filters.explicit);
	assert_true(kr_filters_match(&filters, "VK_LAYER_a"));
	filters = filters_of("*");
	assert_true(filters.implicit && filters.explicit);
}

/* K-06 K-07: sixteen count, and a word about the rest. */
static void
too_many(void **state)
{
	struct kr_filters filters =
		filters_of("f1,f2,f3,f4,f5,f6,f7,f8,f9,f10,f11,f12,f13,f14,f15,f16");

	assert_int_equal(filters.count, KR_MAX_FILTERS);
	assert_int_equal(warnings, 0);
	filters = filters_of("f1,f2,f3,f4,f5,f6,f7,f8,f9,f10,f11,f12,f13,f14,f15,f16,f17,f18");
	assert_true(kr_filters_match(&filters, "f16"));
	assert_false(kr_filters_match(&filters, "f17"));
	assert_int_equal(warnings, 1);
	assert_non_null(strstr(last_warning, "VK_LOADER_SOME"));
}

static void
too_long(void **state)
{
	char text[400];
	struct kr_filters filters;

	memset(text, 'x', sizeof(text));
	memcpy(text + 300, ",good", 6);
	filters = filters_of(text);
	assert_int_equal(filters.count, 1);
	assert_true(kr_filters_match(&filters, "good"));
	assert_int_equal(warnings, 1);
}

static bool
passes(const char *text, uint32_t id)
{
	struct kr_id_filter filter;

	value = text;
	kr_log_set_sink(count_warning, NULL);
	kr_id_filter_read(&filter, "VK_LOADER_SOME", get);
	kr_log_set_sink(NULL, NULL);
	return kr_id_filter_passes(&filter, id);
}

/* K-13 */
static void
ids(void **state)
{
	assert_true(passes(NULL, 5));
	assert_true(passes("5", 5));
	assert_false(passes("5", 6));
	assert_true(passes("0x10de", 0x10de));
	assert_true(passes("010", 8));
	assert_true(passes("1-3", 1) && passes("1-3", 3));
	assert_false(passes("1-3", 0) || passes("1-3", 4));
	assert_true(passes("7,0x10-0x20,4294967295", 0x18));
	assert_true(passes("7,0x10-0x20,4294967295", UINT32_MAX));
	assert_false(passes("7,0x10-0x20", 8));
	assert_int_equal(warnings, 0);
}

/* K-13: what can't be read is told and hides nothing. */
static void
bad_ids(void **state)
{
	static const char *const bad[] = {
		"x", "-1", "3-1", "1-", "1-2-3", "1x", " 1", "4294967296", "1-x"};

	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++) {
		warnings = 0;
		assert_true(passes(bad[i], 77));
		assert_int_equal(warnings, 1);
	}
	assert_true(passes("x,5", 5));
	assert_false(passes("x,5", 6));
}

/* K-13 */
static void
too_many_ids(void **state)
{
	const char *text = "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17";

	assert_true(passes(text, 16));
	assert_int_equal(warnings, 1);
	assert_false(passes(text, 17));
}

static const struct kr_test tests[] = {
	KR_TEST(forms),
	KR_TEST(case_is_ignored),
	KR_TEST(several),
	KR_TEST(special_words),
	KR_TEST(too_many),
	KR_TEST(too_long),
	KR_TEST(ids),
	KR_TEST(bad_ids),
	KR_TEST(too_many_ids),
};

KR_TEST_MAIN(tests)
