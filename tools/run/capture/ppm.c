/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PPM (P6): the header in letters, then R, G, B; of 10 bits two bytes each, up to 1023. The file
 * can't say its colour space: the numbers are the display's.
 */
#include "tools/run/capture/format.h"

#include <stdio.h>

#include "tools/run/capture/rows.h"

static int
encode(const struct kr_capture_settings *settings, const struct kr_capture_picture *picture,
	bool first, struct kr_capture_buffer *out)
{
	bool deep = picture->depth != KR_CAPTURE_8;
	size_t row = (size_t)picture->width * (deep ? KR_RGB16_BYTES : KR_RGB_BYTES);
	char head[48];
	int len = snprintf(head, sizeof(head), "P6\n%u %u\n%d\n", picture->width, picture->height,
		deep ? 1023 : 255);
	int err = kr_capture_buffer_reserve(out, (size_t)len + row * picture->height);

	if (err == 0)
		err = kr_capture_buffer_add(out, head, (size_t)len);
	for (uint32_t y = 0; err == 0 && y < picture->height; y++) {
		const void *from = kr_capture_picture_row(picture, y);

		if (deep)
			kr_rgb_from_10(from, out->data + out->size, picture->width);
		else
			kr_rgb_from_rgbx(from, out->data + out->size, picture->width);
		out->size += row;
	}
	return err;
}

const struct kr_capture_format kr_capture_ppm = {
	.name = "ppm",
	.encode = encode,
	.refuses = kr_capture_refuses_floats,
};
