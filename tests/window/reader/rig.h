/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of readers share: a reader, in this process or on a socket, and windows whose
 * frames it gets.
 */
#ifndef KR_TESTS_WINDOW_READER_RIG_H
#define KR_TESTS_WINDOW_READER_RIG_H

#include "../help.h"

#include <krafla/window.h>

struct rig {
	struct krafla_reader *reader;
	struct krafla_reader_config config;
	char socket[108]; /* empty: in this process */
};

/* 64x32, one image; `change` may have it otherwise, before it is opened. */
void rig_open(struct rig *rig, bool socket, void (*change)(struct krafla_reader_config *config));
void rig_close(struct rig *rig);
/*
 * A window of the reader, connected; with the error of krafla_window_open. While a program would
 * connect from elsewhere, the reader is served here.
 */
int rig_try_window(struct rig *rig, ANativeWindow **window);
ANativeWindow *rig_window(struct rig *rig);
/* One that may have so many buffers at a time beside those that the reader holds. */
ANativeWindow *rig_window_ahead(struct rig *rig, uint32_t ahead);

/* Dequeues; fails the test. The fence is closed. */
ANativeWindowBuffer *rig_dequeue(ANativeWindow *window);
/* Dequeues within so many ns: the error. */
int rig_try_dequeue(ANativeWindow *window, int64_t timeout_ns);
/* Fills a frame with a colour, and queues it with a fence, which is taken. */
void rig_frame_fenced(ANativeWindow *window, uint32_t colour, int take_fence);
void rig_frame(ANativeWindow *window, uint32_t colour);

/* Waits (bounded) until an acquire gives an image; fails the test. */
void rig_acquire(struct rig *rig, struct krafla_image *image);
/* Until an acquire answers this error. */
void rig_await(struct rig *rig, int error);
/* Whether its descriptor is readable. */
bool rig_readable(const struct rig *rig);
/* The first pixel, by a lock that waits for the image's fence, which is closed. */
uint32_t rig_colour(struct krafla_image *image);
void rig_release(struct rig *rig, const struct krafla_image *image, int take_fence);

#endif
