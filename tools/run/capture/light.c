/* SPDX-License-Identifier: Apache-2.0 */
/* See light.h. */
#include "tools/run/capture/light.h"

#include <krafla/native_window.h>

#include "colour/space.h"

static int32_t
linear_of(int32_t dataspace)
{
	struct kr_colour_space space;

	if (!kr_colour_space_of(dataspace, &space))
		return HAL_DATASPACE_SCRGB_LINEAR;
	switch (space.primaries) {
	case KR_PRIMARIES_P3:
		return HAL_DATASPACE_DCI_P3_LINEAR;
	case KR_PRIMARIES_BT2020:
		return HAL_DATASPACE_BT2020_LINEAR_EXTENDED;
	default:
		return HAL_DATASPACE_SCRGB_LINEAR;
	}
}

void
kr_capture_light_init(struct kr_capture_light *light, const struct kr_capture_picture *picture)
{
	light->picture = picture;
	kr_colour_conversion_init(&light->conversion, kr_capture_pixel_format(picture->depth),
		picture->dataspace, linear_of(picture->dataspace), false);
}

void
kr_capture_light_row(const struct kr_capture_light *light, uint32_t y, float *to)
{
	kr_colour_to_floats(&light->conversion, kr_capture_picture_row(light->picture, y), to,
		light->picture->width);
}
