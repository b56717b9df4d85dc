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

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"

/* A display has no more. */
#define KR_DISPLAY_MAX_OUTPUTS 8
/* Descriptors that an output may want to be polled. */
#define KR_DISPLAY_OUTPUT_POLL 2

struct ARect;
struct kr_buffer_info;
struct kr_display_output;
struct kr_hdr_metadata;
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
	/* Where it may differ from the picture with the number before; 0: anywhere. */
	uint32_t damage_count;
	const struct ARect *damage;
	/*
	 * The buffer that the pixels lie in, `offset` bytes behind its beginning, with nothing of
	 * the display's own in it: who can show a buffer needs no copy, if he gets the hold. NULL:
	 * there is none, the picture was drawn.
	 */
	const struct kr_buffer_info *buffer;
	uint64_t offset;
	int32_t dataspace; /* HAL_DATASPACE_*: the display's, never UNKNOWN */
	/* What the windows in it say of their light (colour/hdr.h); NULL: nothing, or each else. */
	const struct kr_hdr_metadata *hdr;
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

/* What has become of an output besides the pictures that it was shown. */
struct kr_display_output_events {
	bool closed;  /* somebody has closed it: its user wants no more of all this */
	bool resized; /* what it shows pictures on has another size now */
	uint32_t width;
	uint32_t height;
};

/* When the screen behind an output shows pictures. 0: not known. */
struct kr_display_output_timing {
	int64_t refresh_ns; /* the last time that it began to show one, CLOCK_MONOTONIC */
	int64_t period_ns;  /* between two such times */
};

struct kr_display_output_impl {
	const char *name;
	/*
	 * It shows what it can and never waits: pictures that come too fast are left out, and
	 * counted in `dropped`. When it fails it is lost, and the display goes on without it.
	 */
	bool slow_ok;
	/*
	 * Required; on the thread that runs the display. A picture that is wanted; its pixels are
	 * valid during the call, and longer for who takes its hold. May wait for room: then the
	 * display waits with it, and no picture is lost. 0; -errno (told): the display stops, or
	 * with slow_ok has lost the output.
	 */
	int (*show)(struct kr_display_output *output, const struct kr_composed_frame *frame);
	/*
	 * Required; any thread, once the display has stopped. Waits until all pictures are where
	 * they go. 0, or the first error (told); *shown counts those that are there.
	 */
	int (*finish)(struct kr_display_output *output, uint64_t *shown);
	/* Required; as finish, and also without it. */
	void (*destroy)(struct kr_display_output *output);
	/*
	 * The rest is optional, and on the display's thread. Which descriptors have something for
	 * `dispatch`, and how many there are.
	 */
	unsigned (*poll_fds)(struct kr_display_output *output, struct pollfd *fds);
	/*
	 * Takes in what has come, without waiting. *events is all zero before. 0; -errno (told):
	 * the output is lost, the display goes on without it.
	 */
	int (*dispatch)(struct kr_display_output *output, struct kr_display_output_events *events);
	/*
	 * Right after a picture was shown to it: a fence, the caller's, that signals when that
	 * picture is on screen, or it is certain that it won't be. -1: so it is already.
	 */
	int (*shown_fence)(struct kr_display_output *output, uint64_t number);
	void (*timing)(struct kr_display_output *output, struct kr_display_output_timing *timing);
	/*
	 * When a picture that was shown to it was on screen, by CLOCK_MONOTONIC: of the last
	 * KR_DISPLAY_OUTPUT_SHOWN. 0; -EAGAIN: it isn't yet; -ENOENT: it never will be, or it isn't
	 * known when.
	 */
	int (*shown_time)(struct kr_display_output *output, uint64_t number, int64_t *time_ns);
};
#define KR_DISPLAY_OUTPUT_SHOWN 16

/* First member of every output. */
struct kr_display_output {
	const struct kr_display_output_impl *impl;
	/* The others aren't shown to it. Constant from before kr_display_add_output on. */
	struct kr_pictures wanted;
	/* Of the display's thread; others read it when the display has stopped. */
	bool lost;        /* nothing is shown to it any more */
	uint64_t dropped; /* pictures of those that were shown to it */
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
/* Shows a picture to each that wants it, until one fails that may not be lost. */
int kr_display_outputs_show(
	const struct kr_display_outputs *outputs, const struct kr_composed_frame *frame);

/* What outputs have polled: room for so many. */
#define KR_DISPLAY_OUTPUTS_POLL (KR_DISPLAY_MAX_OUTPUTS * KR_DISPLAY_OUTPUT_POLL)
/* Fills in what is to be polled, and answers how many that are. */
unsigned kr_display_outputs_poll(
	const struct kr_display_outputs *outputs, struct pollfd fds[KR_DISPLAY_OUTPUTS_POLL]);
/*
 * Lets all take in what has come, and loses those that fail: before each poll, because showing
 * may have read more than its own answers. The first that was closed meanwhile; NULL: none.
 */
struct kr_display_output *kr_display_outputs_dispatch(const struct kr_display_outputs *outputs);
/*
 * Right after a picture was shown: a fence, the caller's, that signals when it is on screen
 * everywhere. -1: it is, or nobody says when. Outputs that may be slow aren't asked: whoever waits
 * for the fence would wait for a server that stands still.
 */
int kr_display_outputs_shown_fence(const struct kr_display_outputs *outputs, uint64_t number);

/*
 * When a picture that was shown was on the first screen, of outputs that say. 0; -EAGAIN: they say
 * so later; -ENOENT: they don't, and no other output was shown it; -EOPNOTSUPP: none says such.
 */
int kr_display_outputs_shown_time(
	const struct kr_display_outputs *outputs, uint64_t number, int64_t *time_ns);

#endif
