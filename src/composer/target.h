/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A target: one display of a hardware composer (<krafla/composer.h>) that the windows of our
 * display are shown on. Our own screen is one, on the device "soft"; what a module drives are
 * others, and virtual displays whose pictures other programs get. Each has its windows laid out in
 * its own size.
 *
 *   push     tells the composer what has changed of the stack since the last picture
 *   present  validates, draws what is handed back (client.c), accepts, presents
 *   collect  release fences go to the frames that they are of
 *
 * Thread-safety: the display's thread.
 */
#ifndef KR_COMPOSER_TARGET_H
#define KR_COMPOSER_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <krafla/composer.h>
#include <poll.h>
#include "colour/hdr.h"
#include "composer/layout.h"
#include "render/render.h"
#include "util/macros.h"

struct kr_display;
struct kr_producer;
struct kr_display_queue;

#define KR_TARGET_MAX 8
/* Of a composer's display. */
#define KR_TARGET_LAYERS 64
/* Of a producer: its own, and the black one behind that (target_layers.c). */
#define KR_TARGET_EACH 2
/* Pictures on their way that a target may have: with that many it gets no other. */
#define KR_TARGET_PENDING 2

/* What a window shows, numbered: no other content of the display has had the serial. */
struct kr_content {
	struct kr_buffer *buffer;
	bool no_pixels;
	int32_t dataspace; /* one that is known; UNKNOWN: sRGB */
	struct kr_hdr_metadata hdr;
	uint64_t serial;
};

struct kr_target_layer {
	krafla_layer_t handle; /* 0: none */
	struct kr_producer *producer;
	/* As they were set; serials of 0 are never. */
	uint64_t spot_serial;
	uint64_t content;   /* that is set */
	uint64_t presented; /* that the last picture had */
	uint64_t previous;  /* and the one before */
	ARect frame;
	ARect seen; /* of the window, where the frame may not reach */
	krafla_frect crop;
	int32_t transform;
	enum krafla_blend blend;
	float alpha;
	int32_t dataspace;
	uint32_t z;
	bool pushed;      /* it is in the picture that is made */
	bool by_client;   /* the device has handed it back */
	int32_t requests; /* of the device, for it */
	uint64_t drawn;   /* the content that the client target has */
};

/* A buffer that is drawn into for the device. */
struct kr_target_buffer {
	struct kr_buffer *buffer;
	int fence; /* it may be written when this has signalled; -1 */
};

#define KR_TARGET_CLIENT_BUFFERS 3

struct kr_target_client {
	struct kr_target_buffer buffers[KR_TARGET_CLIENT_BUFFERS];
	unsigned last; /* that was set, when `set` */
	bool set;
	unsigned shown; /* that the last picture had, when `was_shown` */
	bool was_shown;
	bool stale; /* what it has isn't what the layers are any more */
	struct kr_render_canvas canvas;
	struct kr_render_plan plan;
};

struct kr_target {
	struct kr_display *display;
	struct krafla_composer *composer; /* borrowed */
	krafla_display_t handle;
	uint32_t width;
	uint32_t height;
	int32_t dataspace;              /* of its pictures, never UNKNOWN */
	struct kr_hdr_metadata hdr;     /* of the last one; `has` 0: nothing is known */
	bool is_screen;                 /* our own: its size is the picture's */
	struct kr_display_queue *queue; /* a virtual display's; borrowed */
	bool lost;
	/* kr_target_layer_of, and behind it kr_target_bare_of */
	struct kr_target_layer layers[KR_TARGET_EACH * KR_TARGET_LAYERS];
	unsigned used;    /* so many of them at most: the others never had a handle */
	bool crowded;     /* there was no room for a window's layer: no others have any */
	bool changed;     /* something but buffers has changed since it was validated */
	int32_t requests; /* of the device, for the display */
	int pending[KR_TARGET_PENDING]; /* present fences, the older first; -1 none */
	int64_t pending_since[KR_TARGET_PENDING];
	uint64_t pending_number[KR_TARGET_PENDING]; /* of the display's pictures */
	/* Of a screen: when it began to show a picture last, 0: not known; and its period. */
	int64_t shown_ns;
	int64_t period_ns;
	bool stuck; /* pictures don't get shown: none is waited for until one of them is */
	struct kr_target_client client;
};

/* A target of a display that the composer has. Its size is asked for. 0 or -errno. */
int kr_target_open(struct kr_target *target, struct kr_display *display,
	struct krafla_composer *composer, krafla_display_t handle) KR_MUST_CHECK;
/* Layers go; the composer's display stays. */
void kr_target_finish(struct kr_target *target);

/* How many pictures are waited for: none once one wasn't shown within 5 s, until one is again. */
unsigned kr_target_pending(struct kr_target *target);
/*
 * One picture: 0; -EAGAIN: it isn't made there, for want of a buffer to put it into; -errno (told).
 * What it replaces has its fences then.
 */
int kr_target_present(struct kr_target *target, int64_t time_ns) KR_MUST_CHECK;
/* A producer goes for good. */
void kr_target_forget(struct kr_target *target, const struct kr_producer *producer);
/* Adds what is to be polled; how many. */
unsigned kr_target_poll(const struct kr_target *target, struct pollfd *fds);

/* --- target_layers.c --- */

/* The layer of a producer's window, and the one behind it. */
struct kr_target_layer *kr_target_layer_of(
	struct kr_target *target, const struct kr_producer *producer);
struct kr_target_layer *kr_target_bare_of(
	struct kr_target *target, const struct kr_producer *producer);
/* Safe on one that isn't open. */
void kr_target_close_layer(struct kr_target *target, struct kr_target_layer *layer);

/* Tells the composer what has changed of the stack since the last picture. Its error. */
int kr_target_push(struct kr_target *target) KR_MUST_CHECK;

/* --- client.c --- */

void kr_target_client_init(struct kr_target_client *client);
void kr_target_client_finish(struct kr_target_client *client);
/*
 * Draws the layers that are the client's, if they or what they show have changed, and sets the
 * client target. `wanted`: by anybody; else nothing is drawn. 0 or -errno.
 */
int kr_target_client_draw(struct kr_target *target, bool wanted) KR_MUST_CHECK;
/* The target that is set may be written when this fence has signalled, which is borrowed. */
void kr_target_client_presented(struct kr_target *target, int present_fence);
/* Draws the whole picture into a buffer of a virtual display, which may be written. */
int kr_target_client_draw_into(struct kr_target *target, struct kr_buffer *buffer) KR_MUST_CHECK;

#endif
