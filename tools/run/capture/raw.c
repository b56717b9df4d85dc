/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R, G, B, 255 for each pixel, row after row from the top, nothing else: what pictures are here
 * (picture.h). The fourth byte is 255 whatever a program has left in its alpha: on the display its
 * window is opaque.
 */
#include "tools/run/capture/format.h"

const struct kr_capture_format kr_capture_raw = {
	.name = "raw",
	.stream = true,
};
