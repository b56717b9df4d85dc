/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a frame is to be shown, and what a far end can show.
 *
 * A producer says it with each frame; the queue, its sinks and the display protocol carry it. A far
 * end says once what it can (struct kr_queue_config): nobody is given a frame beyond that.
 */
#ifndef KR_WINDOW_QUEUE_PRESENTATION_H
#define KR_WINDOW_QUEUE_PRESENTATION_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"

/* The numbers travel over the wire: new ones come last. */
enum kr_present_mode {
	KR_PRESENT_FIFO,
	KR_PRESENT_MAILBOX,
	KR_PRESENT_IMMEDIATE,
	KR_PRESENT_FIFO_RELAXED,      /* to the queue, FIFO: who shows it may tear when late */
	KR_PRESENT_FIFO_LATEST_READY, /* likewise: who shows it goes on to the last that is ready */
	KR_PRESENT_SHARED_DEMAND,     /* one buffer; read anew with each frame of it */
	KR_PRESENT_SHARED_CONTINUOUS, /* and at each refresh */
	KR_PRESENT_MODE_COUNT,
};

/* INHERIT: as was so far, which is opaque on Krafla's displays. */
enum kr_present_alpha {
	KR_ALPHA_INHERIT,
	KR_ALPHA_OPAQUE,
	KR_ALPHA_PREMULTIPLIED,
	KR_ALPHA_STRAIGHT,
	KR_ALPHA_COUNT,
};

/* Of the buffer, after its transform, in the window. */
enum kr_present_scaling {
	KR_SCALING_WINDOW, /* as kr_frame.scaling_mode says */
	KR_SCALING_ONE_TO_ONE,
	KR_SCALING_ASPECT,
	KR_SCALING_STRETCH,
	KR_SCALING_COUNT,
};

/* Where in the window, of an axis; nothing to SCALING_WINDOW. */
enum kr_present_gravity {
	KR_GRAVITY_MIN,
	KR_GRAVITY_MAX,
	KR_GRAVITY_CENTRED,
	KR_GRAVITY_COUNT,
};

/* Data spaces as numbers that travel over the wire: new ones come last. */
enum kr_present_colour {
	KR_COLOUR_SRGB,
	KR_COLOUR_DISPLAY_P3,
	KR_COLOUR_DCI_P3,
	KR_COLOUR_DCI_P3_LINEAR,
	KR_COLOUR_SRGB_LINEAR,
	KR_COLOUR_SCRGB,
	KR_COLOUR_SCRGB_LINEAR,
	KR_COLOUR_BT2020_LINEAR,
	KR_COLOUR_BT2020_LINEAR_EXTENDED,
	KR_COLOUR_BT2020_PQ,
	KR_COLOUR_BT2020_HLG,
	KR_COLOUR_ADOBE_RGB,
	KR_COLOUR_ADOBE_RGB_LINEAR,
	KR_COLOUR_COUNT,
};

/* All zero: FIFO, and as the frame's other fields say. */
struct kr_presentation {
	uint8_t mode; /* enum kr_present_mode */
	uint8_t alpha;
	uint8_t scaling;
	uint8_t gravity_x;
	uint8_t gravity_y;
	bool tell_shown;  /* somebody may wait for it (kr_queue_wait_shown) */
	bool tell_events; /* somebody may ask for its times (kr_queue_frame_times) */
};

/* What a far end can do. Bit n of each stands for value n. */
struct kr_abilities {
	uint32_t modes;      /* FIFO always */
	uint32_t transforms; /* 1 << NATIVE_WINDOW_TRANSFORM_* bits, 0 to 7 */
	uint32_t alphas;
	uint32_t scalings;
	uint32_t gravities; /* of both axes */
	uint32_t counters;  /* VkSurfaceCounterFlagsEXT's bits: 1 = vblank */
	uint32_t colours;   /* 1 << enum kr_present_colour: what it shows; sRGB always */
	bool tells_shown;   /* else a frame counts as shown when the sink has taken it */
};

#define KR_ABILITY(value) (UINT32_C(1) << (value))
/* Every value of an enumeration. */
#define KR_ABILITY_ALL(count) ((UINT32_C(1) << (count)) - 1)
#define KR_TRANSFORMS         8 /* combinations of NATIVE_WINDOW_TRANSFORM_* bits */
#define KR_ABILITY_TRANSFORMS KR_ABILITY_ALL(KR_TRANSFORMS)
#define KR_ABILITY_SHARED                                                                          \
	(KR_ABILITY(KR_PRESENT_SHARED_DEMAND) | KR_ABILITY(KR_PRESENT_SHARED_CONTINUOUS))
#define KR_ABILITY_VBLANK UINT32_C(1)
/* Windows are as large as that at most, like buffers. */
#define KR_WINDOW_MAX_EXTENT 32768

/*
 * Which of enum kr_present_colour a HAL_DATASPACE_* is, -1 for none. UNKNOWN and ARBITRARY, the
 * display's own, and the older name of sRGB count as sRGB: every far end shows them.
 */
int kr_present_colour_index(int32_t dataspace);
/* Frames of it may be replaced by later ones before they are shown. */
bool kr_present_mode_drops(unsigned mode);
bool kr_present_mode_is_shared(unsigned mode);
/*
 * Gives abilities that say nothing (no modes) what was understood before there were any: FIFO,
 * MAILBOX and IMMEDIATE, all transforms, opaque, scaled as the window says. And FIFO to all.
 */
void kr_abilities_complete(struct kr_abilities *abilities);
/* 0; -EINVAL a value that is none; -EOPNOTSUPP one that this far end hasn't. */
int kr_presentation_check(const struct kr_presentation *presentation,
	const struct kr_abilities *abilities) KR_MUST_CHECK;

#endif
