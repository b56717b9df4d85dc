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

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"

/* A display has no more. */
#define KR_DISPLAY_MAX_OUTPUTS 8

struct kr_display_output;
struct kr_picture_hold;

/* One composed frame. Its pixels are valid during the call, and longer for who holds them. */
struct kr_composed_frame {
	uint64_t number; /* from 1 */
	uint32_t width;
	uint32_t height;
	/*
	 * AHARDWAREBUFFER_FORMAT_* of the pixels, any that buffers can have; what is drawn here has
	 * 8 bits a channel. Alpha, where it has some, means nothing: pictures are opaque.
	 */
	uint32_t format;
	uint32_t row_bytes;
	const void *pixels; /* NULL for who wants none */
	/* NULL: the pixels can't be kept, only be copied. */
	struct kr_picture_hold *hold;
	int64_t time_ns; /* of the tick: real, or virtual from 0 */
	uint32_t layers; /* how many windows are in it */
	bool changed;    /* a new frame of a producer is in it */
};

/*
 * During the call that shows a picture: keeps its pixels as they are until kr_picture_hold_drop.
 * False: the display has none to spare now, or there is no hold (NULL), and who wants them later
 * copies.
 */
bool kr_picture_hold_take(struct kr_picture_hold *hold) KR_MUST_CHECK;
/* Once for each that was taken, from any thread, before the display is destroyed. */
void kr_picture_hold_drop(struct kr_picture_hold *hold);

/* Pictures by their numbers: `from`, from + every, from + 2 * every... An `every` of 0: none. */
struct kr_pictures {
	uint64_t from;
	uint64_t every;
};

bool kr_pictures_have(const struct kr_pictures *pictures, uint64_t number);
/* The smallest such series that has all of both. */
struct kr_pictures kr_pictures_join(const struct kr_pictures *a, const struct kr_pictures *b);

struct kr_display_output_impl {
	const char *name;
	/*
	 * Required; on the thread that runs the display. A picture that is wanted; its pixels are
	 * valid during the call, and longer for who takes its hold. May wait for room: then the
	 * display waits with it, and no picture is lost. 0; -errno: the display stops.
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
	/* The others aren't shown to it. Constant from before kr_display_add_output on. */
	struct kr_pictures wanted;
};

/* The outputs of a display, borrowed. */
struct kr_display_outputs {
	struct kr_display_output *items[KR_DISPLAY_MAX_OUTPUTS];
	unsigned count;
};

/* -ENOSPC. */
int kr_display_outputs_add(struct kr_display_outputs *outputs, struct kr_display_output *output)
	KR_MUST_CHECK;
/* What they want together. */
struct kr_pictures kr_display_outputs_wanted(const struct kr_display_outputs *outputs);
/* Shows a picture to each that wants it, until one fails. */
int kr_display_outputs_show(
	const struct kr_display_outputs *outputs, const struct kr_composed_frame *frame);

#endif
