/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R, G, B, 255 for each pixel, row after row from the top, nothing else. The fourth byte is 255
 * whatever a program has left in its alpha: on the display its window is opaque.
 */
#include "tools/run/capture/format.h"

#include "tools/run/capture/rows.h"

static int
encode(const struct kr_capture_settings *settings, const struct kr_capture_picture *picture,
	bool first, struct kr_capture_work *work)
{
	size_t row = (size_t)picture->width * KR_RGBA_BYTES;
	int err = kr_capture_buffer_reserve(&work->out, row * picture->height);

	for (uint32_t y = 0; err == 0 && y < picture->height; y++) {
		kr_rgba_from_xrgb(kr_capture_picture_row(picture, y, work->row),
			work->out.data + work->out.size, picture->width);
		work->out.size += row;
	}
	return err;
}

const struct kr_capture_format kr_capture_raw = {
	.name = "raw",
	.stream = true,
	.encode = encode,
	.lies_there = kr_capture_picture_is_rgba,
};
