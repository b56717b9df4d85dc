/* SPDX-License-Identifier: Apache-2.0 */
/* See space.h. */
#include "colour/space.h"

#include <krafla/native_window.h>
#include <stddef.h>
#include <string.h>

#include "util/macros.h"

#define OLD_SRGB 513 /* Android's first name of it */

struct row {
	int32_t dataspace;
	const char *name;
	bool for_displays;
	struct kr_colour_space space;
};

static const struct row rows[] = {
	{HAL_DATASPACE_SRGB, "srgb", true, {KR_PRIMARIES_BT709, KR_TRANSFER_SRGB, false}},
	{HAL_DATASPACE_DISPLAY_P3, "p3", true, {KR_PRIMARIES_P3, KR_TRANSFER_SRGB, false}},
	{HAL_DATASPACE_BT2020_PQ, "bt2020-pq", true, {KR_PRIMARIES_BT2020, KR_TRANSFER_PQ, false}},
	{HAL_DATASPACE_BT2020_HLG, "bt2020-hlg", true,
		{KR_PRIMARIES_BT2020, KR_TRANSFER_HLG, false}},
	{HAL_DATASPACE_SCRGB_LINEAR, "scrgb", true, {KR_PRIMARIES_BT709, KR_TRANSFER_LINEAR, true}},
	{HAL_DATASPACE_SCRGB, "scrgb-nonlinear", true,
		{KR_PRIMARIES_BT709, KR_TRANSFER_SRGB, true}},
	{HAL_DATASPACE_SRGB_LINEAR, "srgb-linear", false,
		{KR_PRIMARIES_BT709, KR_TRANSFER_LINEAR, false}},
	{HAL_DATASPACE_DCI_P3, "dci-p3", false, {KR_PRIMARIES_P3, KR_TRANSFER_GAMMA_2_6, false}},
	{HAL_DATASPACE_DCI_P3_LINEAR, "p3-linear", false,
		{KR_PRIMARIES_P3, KR_TRANSFER_LINEAR, false}},
	{HAL_DATASPACE_BT2020_LINEAR, "bt2020-linear", false,
		{KR_PRIMARIES_BT2020, KR_TRANSFER_LINEAR, false}},
	{HAL_DATASPACE_BT2020_LINEAR_EXTENDED, "bt2020-linear-extended", false,
		{KR_PRIMARIES_BT2020, KR_TRANSFER_LINEAR, true}},
	{HAL_DATASPACE_ADOBE_RGB, "adobe-rgb", false,
		{KR_PRIMARIES_ADOBE, KR_TRANSFER_GAMMA_2_2, false}},
	{HAL_DATASPACE_ADOBE_RGB_LINEAR, "adobe-rgb-linear", false,
		{KR_PRIMARIES_ADOBE, KR_TRANSFER_LINEAR, false}},
};

static const struct row *
find(int32_t dataspace)
{
	int32_t meant = kr_colour_resolve(dataspace, HAL_DATASPACE_SRGB);

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		if (rows[i].dataspace == meant)
			return &rows[i];
	}
	return NULL;
}

bool
kr_colour_space_of(int32_t dataspace, struct kr_colour_space *space)
{
	const struct row *row = find(dataspace);

	if (row)
		*space = row->space;
	return row;
}

bool
kr_colour_is_known(int32_t dataspace)
{
	return find(dataspace);
}

int32_t
kr_colour_resolve(int32_t dataspace, int32_t display)
{
	if (dataspace == HAL_DATASPACE_ARBITRARY)
		dataspace = display;
	switch (dataspace) {
	case HAL_DATASPACE_UNKNOWN:
	case HAL_DATASPACE_ARBITRARY:
	case OLD_SRGB:
		return HAL_DATASPACE_SRGB;
	default:
		return dataspace;
	}
}

bool
kr_colour_is_for_displays(int32_t dataspace)
{
	const struct row *row = find(dataspace);

	return dataspace != HAL_DATASPACE_ARBITRARY && row && row->for_displays;
}

bool
kr_colour_has_hdr(int32_t dataspace)
{
	const struct row *row = find(dataspace);

	return row &&
		(row->space.extended || row->space.transfer == KR_TRANSFER_PQ ||
			row->space.transfer == KR_TRANSFER_HLG);
}

const char *
kr_colour_name(int32_t dataspace)
{
	const struct row *row = find(dataspace);

	return row ? row->name : "unknown";
}

bool
kr_colour_from_name(const char *name, int32_t *dataspace)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		if (rows[i].for_displays && rows[i].dataspace != HAL_DATASPACE_SCRGB &&
			strcmp(rows[i].name, name) == 0) {
			*dataspace = rows[i].dataspace;
			return true;
		}
	}
	return false;
}
