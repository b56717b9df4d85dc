/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A display whose ticks the test calls, so that no time is in it, and clients that are no more than
 * what they send. One thread.
 */
#ifndef KR_TESTS_COMPOSER_BY_HAND_H
#define KR_TESTS_COMPOSER_BY_HAND_H

#include "rig.h"

#include "composer/display.h"
#include "window/remote/message.h"

/* Buffers that a client announces; one of them is on screen, so that two frames may wait. */
#define HAND_SLOTS 3

/* How a picture came about. */
enum hand_way {
	HAND_UNTOUCHED,
	HAND_BUFFER, /* a window's, as it is */
	HAND_DRAWN,
};

struct hand {
	struct kr_display *display;
	int64_t now;
	unsigned pictures;
	enum hand_way way; /* of the last one */
	uint32_t layers;   /* likewise */
	uint32_t format;
	uint64_t buffers; /* pictures that were one */
	uint64_t drawn;
	uint32_t *seen; /* XRGB */
};

struct hand_client {
	int socket;
	struct kr_buffer *buffer; /* in all of its slots; nothing is written into it */
	uint32_t slots;
	struct kr_dp_frame frame; /* the last; the next is like it */
	uint64_t released;        /* the last number that came back */
	int release_fence;        /* of that one; -1 none */
	uint32_t version;         /* of the protocol */
	bool no_pixels;           /* version 2: what the next frame says */
	uint32_t liked_format;    /* version 2: by the welcome */
	struct kr_wants wants;    /* version 2: what it heard last */
	unsigned wants_changed;   /* after the welcome */
	bool lags;                /* it sends frames without reading what it was sent before */
	bool cut_off;
	char why[128];
};

void hand_begin(struct hand *hand, enum kr_display_clock clock, uint32_t width, uint32_t height);
void hand_end(struct hand *hand);

/* A window that has said hello and has announced so many slots of a buffer; HAND_SLOTS. */
void hand_join_with(struct hand *hand, struct hand_client *client, uint32_t width, uint32_t height,
	uint32_t format, uint32_t slots);
void hand_join(struct hand *hand, struct hand_client *client, uint32_t width, uint32_t height,
	uint32_t format);
/* A window of version 2, 16x16, whose process has shown so many frames before. */
void hand_join_second(struct hand *hand, struct hand_client *client, uint64_t queued);
/* A window of version 3, 16x16. */
void hand_join_third(struct hand *hand, struct hand_client *client);
void hand_leave(struct hand_client *client);
/* Every 32 bits of its buffer. */
void hand_fill(struct hand_client *client, uint32_t value);
/* Sends; whether the display was there. `fd` is borrowed. */
bool hand_say(struct hand_client *client, const struct kr_dp_message *message, int fd);
/* Reads a message; false when there is none. */
bool hand_hear_one(struct hand_client *client);
/* Reads what was sent to it. */
void hand_hear(struct hand_client *client);
/* The next frame; false when it has none, because those before it weren't released. */
bool hand_send_frame(struct hand_client *client);
/* Likewise with a fence, which is borrowed. */
bool hand_send_fenced(struct hand_client *client, int fence);
/* Version 3: the next frame, whatever may be said against it; the fence is borrowed. */
void hand_send_third(
	struct hand_client *client, uint32_t slot, enum kr_present_mode mode, int fence);
/* Takes in what has arrived. */
void hand_dispatch(struct hand *hand);
/* The same, and the next tick; fails the test when none is due. */
void hand_tick(struct hand *hand);
/* Waits for pictures that are on their way. */
void hand_settle(struct hand *hand);
/* 0xRRGGBB of the last picture. */
uint32_t hand_seen(const struct hand *hand, uint32_t x, uint32_t y);
/* Frames that came on screen, seen or not. */
uint64_t hand_shown(const struct hand *hand);

#endif
