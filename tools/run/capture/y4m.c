/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YUV4MPEG2: a header in letters, then for each picture "FRAME" and three planes, Y, Cb, Cr, here
 * all of the picture's size (C444). The colours are BT.709's in the limited range, Y 16 to 235, Cb
 * and Cr 16 to 240, each the nearest value (kr_ycbcr_from_rgbx); of 10 bits two bytes each, the
 * lower first (C444p10), and BT.2020's matrix where the display has its primaries. The header can
 * say the range, and neither matrix nor colour space.
 */
#include "tools/run/capture/format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "colour/space.h"
#include "tools/run/capture/rows.h"

#define MHZ_PER_HZ 1000
#define PLANES     3

static bool
is_bt2020(const struct kr_capture_picture *picture)
{
	struct kr_colour_space space;

	return kr_colour_space_of(picture->dataspace, &space) &&
		space.primaries == KR_PRIMARIES_BT2020;
}

static void
add_8(const struct kr_capture_picture *picture, uint8_t *to)
{
	size_t plane = (size_t)picture->width * picture->height;

	for (uint32_t y = 0; y < picture->height; y++, to += picture->width)
		kr_ycbcr_from_rgbx(kr_capture_picture_row(picture, y), to, to + plane,
			to + 2 * plane, picture->width);
}

/* `row` has room for a row of all planes: where the bytes go numbers may not begin. */
static void
add_10(const struct kr_capture_picture *picture, uint16_t *row, uint8_t *to)
{
	size_t bytes = (size_t)picture->width * sizeof(*row), plane = bytes * picture->height;
	bool bt2020 = is_bt2020(picture);

	for (uint32_t y = 0; y < picture->height; y++, to += bytes) {
		kr_ycbcr_from_10(kr_capture_picture_row(picture, y), row, row + picture->width,
			row + 2 * (size_t)picture->width, picture->width, bt2020);
		for (unsigned i = 0; i < PLANES; i++)
			memcpy(to + i * plane, row + (size_t)i * picture->width, bytes);
	}
}

static int
add_planes(const struct kr_capture_picture *picture, struct kr_capture_buffer *out)
{
	size_t samples = (size_t)picture->width * picture->height * PLANES;
	uint16_t *row;

	if (picture->depth == KR_CAPTURE_8) {
		add_8(picture, out->data + out->size);
		out->size += samples;
		return 0;
	}
	row = malloc((size_t)picture->width * PLANES * sizeof(*row));
	if (!row)
		return -ENOMEM;
	add_10(picture, row, out->data + out->size);
	free(row);
	out->size += samples * sizeof(*row);
	return 0;
}

static int
encode(const struct kr_capture_settings *settings, const struct kr_capture_picture *picture,
	bool first, struct kr_capture_buffer *out)
{
	bool deep = picture->depth != KR_CAPTURE_8;
	size_t planes = (size_t)picture->width * picture->height * (deep ? 2 : 1) * PLANES;
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
	return err < 0 ? err : add_planes(picture, out);
}

const struct kr_capture_format kr_capture_y4m = {
	.name = "y4m",
	.stream = true,
	.one_rate = true,
	.encode = encode,
	.refuses = kr_capture_refuses_floats,
};
