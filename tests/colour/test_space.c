/* SPDX-License-Identifier: Apache-2.0 */
/* Dataspaces by their numbers and names; what counts as HDR metadata. */
#include "harness.h"

#include <krafla/native_window.h>
#include <math.h>

#include "colour/hdr.h"
#include "colour/space.h"
#include "util/macros.h"

/* In decimal, as Android's own sources have them. */
static void
spaces_have_androids_numbers(void **state)
{
	static const struct {
		int32_t dataspace;
		struct kr_colour_space space;
		const char *name;
	} all[] = {
		{142671872, {KR_PRIMARIES_BT709, KR_TRANSFER_SRGB, false}, "srgb"},
		{143261696, {KR_PRIMARIES_P3, KR_TRANSFER_SRGB, false}, "p3"},
		{406913024, {KR_PRIMARIES_BT709, KR_TRANSFER_LINEAR, true}, "scrgb"},
		{139067392, {KR_PRIMARIES_P3, KR_TRANSFER_LINEAR, false}, "p3-linear"},
		{155844608, {KR_PRIMARIES_P3, KR_TRANSFER_GAMMA_2_6, false}, "dci-p3"},
		{138477568, {KR_PRIMARIES_BT709, KR_TRANSFER_LINEAR, false}, "srgb-linear"},
		{138805248, {KR_PRIMARIES_BT2020, KR_TRANSFER_LINEAR, false}, "bt2020-linear"},
		{407240704, {KR_PRIMARIES_BT2020, KR_TRANSFER_LINEAR, true},
			"bt2020-linear-extended"},
		{163971072, {KR_PRIMARIES_BT2020, KR_TRANSFER_PQ, false}, "bt2020-pq"},
		{168165376, {KR_PRIMARIES_BT2020, KR_TRANSFER_HLG, false}, "bt2020-hlg"},
		{139132928, {KR_PRIMARIES_ADOBE, KR_TRANSFER_LINEAR, false}, "adobe-rgb-linear"},
		{151715840, {KR_PRIMARIES_ADOBE, KR_TRANSFER_GAMMA_2_2, false}, "adobe-rgb"},
		{411107328, {KR_PRIMARIES_BT709, KR_TRANSFER_SRGB, true}, "scrgb-nonlinear"},
		{513, {KR_PRIMARIES_BT709, KR_TRANSFER_SRGB, false}, "srgb"},
		{0, {KR_PRIMARIES_BT709, KR_TRANSFER_SRGB, false}, "srgb"},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(all); i++) {
		struct kr_colour_space space;

		assert_true(kr_colour_space_of(all[i].dataspace, &space));
		assert_int_equal(space.primaries, all[i].space.primaries);
		assert_int_equal(space.transfer, all[i].space.transfer);
		assert_int_equal(space.extended, all[i].space.extended);
		assert_string_equal(kr_colour_name(all[i].dataspace), all[i].name);
	}
}

static void
others_are_not_known(void **state)
{
	struct kr_colour_space space;

	assert_false(kr_colour_space_of(2, &space));
	assert_false(kr_colour_space_of(-1, &space));
	assert_false(kr_colour_is_known(HAL_DATASPACE_BT2020_PQ + 1));
	assert_false(kr_colour_is_for_displays(HAL_DATASPACE_ADOBE_RGB));
	assert_false(kr_colour_is_for_displays(HAL_DATASPACE_ARBITRARY));
	assert_string_equal(kr_colour_name(-1), "unknown");
}

static void
displays_have_names(void **state)
{
	static const char *const names[] = {"srgb", "p3", "bt2020-pq", "bt2020-hlg", "scrgb"};
	int32_t dataspace;

	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		assert_true(kr_colour_from_name(names[i], &dataspace));
		assert_string_equal(kr_colour_name(dataspace), names[i]);
		assert_true(kr_colour_is_for_displays(dataspace));
	}
	assert_false(kr_colour_from_name("adobe-rgb", &dataspace));
	assert_false(kr_colour_from_name("", &dataspace));
}

static void
arbitrary_is_what_the_display_is(void **state)
{
	assert_int_equal(kr_colour_resolve(HAL_DATASPACE_ARBITRARY, HAL_DATASPACE_BT2020_PQ),
		HAL_DATASPACE_BT2020_PQ);
	assert_int_equal(kr_colour_resolve(HAL_DATASPACE_ARBITRARY, 0), HAL_DATASPACE_SRGB);
	assert_int_equal(kr_colour_resolve(HAL_DATASPACE_UNKNOWN, HAL_DATASPACE_BT2020_PQ),
		HAL_DATASPACE_SRGB);
	assert_int_equal(kr_colour_resolve(513, HAL_DATASPACE_BT2020_PQ), HAL_DATASPACE_SRGB);
	assert_int_equal(kr_colour_resolve(HAL_DATASPACE_ADOBE_RGB, HAL_DATASPACE_BT2020_PQ),
		HAL_DATASPACE_ADOBE_RGB);
}

static void
metadata_is_finite_and_not_negative(void **state)
{
	struct kr_hdr_metadata good = {
		.has = KR_HDR_MASTERING | KR_HDR_CONTENT,
		.red = {0.708f, 0.292f},
		.max_luminance = 1000,
		.max_cll = 600,
	};
	struct kr_hdr_metadata bad = good;

	assert_true(kr_hdr_metadata_valid(&good));
	assert_true(kr_hdr_metadata_equal(&good, &bad));
	bad.has = 4;
	assert_false(kr_hdr_metadata_valid(&bad));
	bad = good;
	bad.red[0] = -0.1f;
	assert_false(kr_hdr_metadata_valid(&bad));
	bad.red[0] = NAN;
	assert_false(kr_hdr_metadata_valid(&bad));
	bad = good;
	bad.max_fall = INFINITY;
	assert_false(kr_hdr_metadata_valid(&bad));
	assert_false(kr_hdr_metadata_equal(&good, &bad));
	assert_false(kr_hdr_metadata_equal(&good, NULL));
	assert_true(kr_hdr_metadata_equal(NULL, NULL));
}

static const struct kr_test tests[] = {
	KR_TEST(spaces_have_androids_numbers),
	KR_TEST(others_are_not_known),
	KR_TEST(displays_have_names),
	KR_TEST(arbitrary_is_what_the_display_is),
	KR_TEST(metadata_is_finite_and_not_negative),
};
KR_TEST_MAIN(tests)
