/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YUV4MPEG2: a header in letters, then for each picture "FRAME" and three planes, Y, Cb, Cr, here
 * all of the picture's size (C444). The colours are BT.709's in the limited range, Y 16 to 235, Cb
 * and Cr 16 to 240, each the nearest value (kr_ycbcr_from_rgbx). The header can say the range, and
 * not the matrix.
 */
#include "tools/run/capture/format.h"

#include <inttypes.h>
#include <stdio.h>

#include "tools/run/capture/rows.h"

#define MHZ_PER_HZ 1000

static int
encode(const struct kr_capture_settings *settings, const struct kr_capture_picture *picture,
	bool first, struct kr_capture_buffer *out)
{
	size_t plane = (size_t)picture->width * picture->height;
	char head[160];
	int len = !first
		? 0
		: snprintf(head, sizeof(head),
			  "YUV4MPEG2 W%u H%u F%u:%" PRIu64 " Ip A1:1 C444 XCOLORRANGE=LIMITED\n",
			  picture->width, picture->height, settings->refresh_mhz,
			  (uint64_t)MHZ_PER_HZ * settings->every);
	int err;
	uint8_t *to;

	len += snprintf(head + len, sizeof(head) - (size_t)len, "FRAME\n");
	err = kr_capture_buffer_reserve(out, (size_t)len + 3 * plane);
	if (err == 0)
		err = kr_capture_buffer_add(out, head, (size_t)len);
	if (err < 0)
		return err;
	to = out->data + out->size;
	for (uint32_t y = 0; y < picture->height; y++, to += picture->width)
		kr_ycbcr_from_rgbx(picture->pixels + (size_t)y * picture->width, to, to + plane,
			to + 2 * plane, picture->width);
	out->size += 3 * plane;
	return 0;
}

const struct kr_capture_format kr_capture_y4m = {
	.name = "y4m",
	.stream = true,
	.encode = encode,
};
