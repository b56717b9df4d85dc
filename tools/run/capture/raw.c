/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pixels, row after row from the top, nothing else: what pictures are here (picture.h), R, G,
 * B, 255 on most displays. Their alpha says opaque, whatever a program has left in it: on the
 * display its window is opaque.
 */
#include "tools/run/capture/format.h"

const struct kr_capture_format kr_capture_raw = {
	.name = "raw",
	.stream = true,
};
