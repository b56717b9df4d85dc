/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YUV4MPEG2: a header in letters, then for each picture "FRAME" and three planes, Y, Cb, Cr, here
 * all of the picture's size (C444). The colours are BT.709's in the limited range, Y 16 to 235, Cb
 * and Cr 16 to 240, each the nearest value (kr_ycbcr_from_rgbx); of 10 bits two bytes each, the
 * lower first (C444p10), and BT.2020's matrix where the display has its primaries. The header can
 * say the range, and neither matrix nor colour space.
 */
#include "tools/run/capture/format.h"

#include <inttypes.h>
#include <stdio.h>

#include "colour/space.h"
#include "tools/run/capture/rows.h"

#define MHZ_PER_HZ 1000

static bool
is_bt2020(const struct kr_capture_picture *picture)
{
	struct kr_colour_space space;

	return kr_colour_space_of(picture->dataspace, &space) &&
		space.primaries == KR_PRIMARIES_BT2020;
}

static void
add_planes(const struct kr_capture_picture *picture, struct kr_capture_buffer *out)
{
	size_t plane = (size_t)picture->width * picture->height;
	bool bt2020 = is_bt2020(picture);
	uint8_t *to = out->data + out->size;
	uint16_t *deep = (uint16_t *)(void *)to;

	for (uint32_t y = 0; y < picture->height; y++) {
		const void *from = kr_capture_picture_row(picture, y);

		if (picture->depth == KR_CAPTURE_8)
			kr_ycbcr_from_rgbx(from, to, to + plane, to + 2 * plane, picture->width);
		else
			kr_ycbcr_from_10(
				from, deep, deep + plane, deep + 2 * plane, picture->width, bt2020);
		to += picture->width;
		deep += picture->width;
	}
}

static int
encode(const struct kr_capture_settings *settings, const struct kr_capture_picture *picture,
	bool first, struct kr_capture_buffer *out)
{
	bool deep = picture->depth != KR_CAPTURE_8;
	size_t planes = (size_t)picture->width * picture->height * (deep ? 2 : 1) * 3;
	char head[192];
	int len = !first
		? 0
		: snprintf(head, sizeof(head),
			  "YUV4MPEG2 W%u H%u F%u:%" PRIu64 " Ip A1:1 C444%s XCOLORRANGE=LIMITED\n",
			  picture->width, picture->height, settings->refresh_mhz,
			  (uint64_t)MHZ_PER_HZ * settings->every, deep ? "p10 XYSCSS=444P10" : "");
	int err;

	len += snprintf(head + len, sizeof(head) - (size_t)len, "FRAME\n");
	err = kr_capture_buffer_reserve(out, (size_t)len + planes);
	if (err == 0)
		err = kr_capture_buffer_add(out, head, (size_t)len);
	if (err < 0)
		return err;
	add_planes(picture, out);
	out->size += planes;
	return 0;
}

const struct kr_capture_format kr_capture_y4m = {
	.name = "y4m",
	.stream = true,
	.encode = encode,
	.refuses = kr_capture_refuses_floats,
};
