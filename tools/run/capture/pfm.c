/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PFM: "PF", the size, and -1.0 for the lower byte first; then red, green and blue of each pixel as
 * floats, the lowest row first. The file can't say its colour space: readers take it for linear
 * light of BT.709, and no other is written.
 */
#include "tools/run/capture/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <krafla/native_window.h>

#include "tools/run/capture/light.h"

#define CHANNELS 3

static int
encode(const struct kr_capture_settings *settings, const struct kr_capture_picture *picture,
	bool first, struct kr_capture_buffer *out)
{
	size_t row = (size_t)picture->width * CHANNELS * sizeof(float);
	float *pixels = malloc((size_t)picture->width * KR_COLOUR_CHANNELS * sizeof(*pixels));
	struct kr_capture_light light;
	char head[64];
	int len =
		snprintf(head, sizeof(head), "PF\n%u %u\n-1.0\n", picture->width, picture->height);
	int err = pixels ? kr_capture_buffer_reserve(out, (size_t)len + row * picture->height)
			 : -ENOMEM;

	if (err == 0)
		err = kr_capture_buffer_add(out, head, (size_t)len);
	kr_capture_light_init(&light, picture);
	for (uint32_t y = picture->height; err == 0 && y--;) {
		uint8_t *to = out->data + out->size;

		kr_capture_light_row(&light, y, pixels);
		for (uint32_t x = 0; x < picture->width; x++, to += CHANNELS * sizeof(float))
			memcpy(to, pixels + (size_t)x * KR_COLOUR_CHANNELS,
				CHANNELS * sizeof(float));
		out->size += row;
	}
	free(pixels);
	return err;
}

static const char *
refuses(int32_t dataspace)
{
	return dataspace == HAL_DATASPACE_SRGB || dataspace == HAL_DATASPACE_SCRGB_LINEAR
		? NULL
		: "can't say its colour space: .exr can, and .png";
}

const struct kr_capture_format kr_capture_pfm = {
	.name = "pfm",
	.encode = encode,
	.refuses = refuses,
};
