/* SPDX-License-Identifier: Apache-2.0 */
/* PPM (P6): the header in letters, then R, G, B. */
#include "tools/run/capture/format.h"

#include <stdio.h>

#include "tools/run/capture/rows.h"

static int
encode(const struct kr_capture_settings *settings, const struct kr_capture_picture *picture,
	bool first, struct kr_capture_buffer *out)
{
	size_t row = (size_t)picture->width * KR_RGB_BYTES;
	char head[48];
	int len = snprintf(head, sizeof(head), "P6\n%u %u\n255\n", picture->width, picture->height);
	int err = kr_capture_buffer_reserve(out, (size_t)len + row * picture->height);

	if (err == 0)
		err = kr_capture_buffer_add(out, head, (size_t)len);
	for (uint32_t y = 0; err == 0 && y < picture->height; y++) {
		kr_rgb_from_rgbx(picture->pixels + (size_t)y * picture->width,
			out->data + out->size, picture->width);
		out->size += row;
	}
	return err;
}

const struct kr_capture_format kr_capture_ppm = {
	.name = "ppm",
	.encode = encode,
};
