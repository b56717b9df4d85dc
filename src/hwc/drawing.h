/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who draws a composer's pictures, for whoever has its layers and makes their content: Krafla's
 * display. Beside the public API: a buffer whose picture is for GPUs alone, and what has become of
 * those that draw.
 *
 * Thread-safety: as the public API.
 */
#ifndef KR_HWC_DRAWING_H
#define KR_HWC_DRAWING_H

#include <krafla/composer.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"

#define KR_HWC_DRAWING_TEXT 256

/* The device `gpu` that draws all by a GPU, or can't be opened. */
#define KR_HWC_GPU_FORCED "gpu:forced"

struct kr_hwc_drawing {
	bool possible; /* by a GPU: it is, or may be for a picture that comes */
	/*
	 * The last picture that was wanted was drawn by one, for which no layer needs pixels for
	 * CPUs; nor would they have spared anything.
	 */
	bool now;
	bool lost; /* no GPU draws any more, and one did, or was to; `why` says the reason */
	uint64_t pictures;                /* that were drawn by it */
	char device[KR_HWC_DRAWING_TEXT]; /* the last that drew; empty: none did */
	char why[KR_HWC_DRAWING_TEXT];
	/*
	 * Since this was asked last: a layer whose buffer cost the process its life that drew;
	 * or one whose buffers it can't take. 0 none; ask again.
	 */
	krafla_layer_t guilty;
	krafla_layer_t refused;
};

/* Of a display; of the composer as a whole, as far as there is something to say, for 0. */
int kr_hwc_get_drawing(
	struct krafla_composer *composer, krafla_display_t display, struct kr_hwc_drawing *drawing);
/*
 * Right after krafla_layer_set_buffer: the buffer's picture is in its memory of a GPU alone, what
 * CPUs would see of it is old. It ends with the next buffer.
 */
int kr_hwc_set_no_pixels(
	struct krafla_composer *composer, krafla_display_t display, krafla_layer_t layer);

#endif
