/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a display's pictures go: into files, onto a screen, into a window of another window system.
 * A display shows each picture to any number of outputs, none at all when it is headless.
 *
 * A kind of output is an implementation of this interface, and a row of the table of who runs
 * displays (tools/run/outputs.c).
 */
#ifndef KR_COMPOSER_OUTPUT_OUTPUT_H
#define KR_COMPOSER_OUTPUT_OUTPUT_H

#include <stdint.h>
#include "util/macros.h"

/* A display has no more. */
#define KR_DISPLAY_MAX_OUTPUTS 8

struct kr_composed_frame;
struct kr_display_output;

struct kr_display_output_impl {
	const char *name;
	/*
	 * Required; on the thread that runs the display. A picture, whose pixels are valid during
	 * the call. May wait for room: then the display waits with it, and no picture is lost. 0;
	 * -errno: the display stops.
	 */
	int (*show)(struct kr_display_output *output, const struct kr_composed_frame *frame);
	/*
	 * Required; any thread, once the display has stopped. Waits until all pictures are where
	 * they go. 0, or the first error (told); *shown counts those that are there.
	 */
	int (*finish)(struct kr_display_output *output, uint64_t *shown);
	/* Required; as finish, and also without it. */
	void (*destroy)(struct kr_display_output *output);
};

/* First member of every output. */
struct kr_display_output {
	const struct kr_display_output_impl *impl;
};

/* The outputs of a display, borrowed. */
struct kr_display_outputs {
	struct kr_display_output *items[KR_DISPLAY_MAX_OUTPUTS];
	unsigned count;
};

/* -ENOSPC. */
int kr_display_outputs_add(struct kr_display_outputs *outputs, struct kr_display_output *output)
	KR_MUST_CHECK;
/* Shows a picture to each, until one fails. */
int kr_display_outputs_show(
	const struct kr_display_outputs *outputs, const struct kr_composed_frame *frame);

#endif
