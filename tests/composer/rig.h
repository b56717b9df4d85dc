/* SPDX-License-Identifier: Apache-2.0 */
/* A display on a thread, and producers that draw into its windows with the CPU. */
#ifndef KR_TESTS_COMPOSER_RIG_H
#define KR_TESTS_COMPOSER_RIG_H

#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include "colour/hdr.h"
#include "composer/composer.h"
#include "harness.h"
#include "util/clock.h"
#include "util/mutex.h"
#include "window/queue/queue.h"

#define RIG_WIDTH      64
#define RIG_HEIGHT     48
#define RIG_MAX_FRAMES 256

struct rig {
	struct kr_display *display;
	pthread_t thread;
	int result;
	char socket[100];
	struct kr_mutex lock;
	struct kr_cond changed;
	unsigned frames KR_GUARDED_BY(lock);
	uint64_t hashes[RIG_MAX_FRAMES] KR_GUARDED_BY(lock);
	int64_t times[RIG_MAX_FRAMES] KR_GUARDED_BY(lock);
	uint32_t layers[RIG_MAX_FRAMES] KR_GUARDED_BY(lock);
	uint32_t last[RIG_WIDTH * RIG_HEIGHT] KR_GUARDED_BY(lock); /* XRGB, without gaps */
	/* Of the last picture: its first pixel as it is, and what it means. */
	uint64_t first KR_GUARDED_BY(lock);
	uint32_t format KR_GUARDED_BY(lock);
	int32_t dataspace KR_GUARDED_BY(lock);
	struct kr_hdr_metadata hdr KR_GUARDED_BY(lock);
	unsigned connected KR_GUARDED_BY(lock);
	unsigned gone KR_GUARDED_BY(lock);
	int fail_at;                          /* the hook answers -EIO to this frame; 0 never */
	struct kr_display_output *outputs[2]; /* that it is started with; NULL none */
	uint32_t width KR_GUARDED_BY(lock);   /* of the last picture */
	uint32_t height KR_GUARDED_BY(lock);
	int (*group_of)(void *data, int pid); /* NULL: everybody is in group 0 */
	unsigned expected_groups;
	bool laid_out; /* windows lie where the layout wants them; else in the top left corner */
};

/* Puts group 0 into the top left corner. */
void rig_corner(struct kr_display *display);

/* 60 Hz, RIG_WIDTH x RIG_HEIGHT, idle after 10 s. */
struct kr_display_config rig_config(enum kr_display_clock clock);
void rig_start(struct rig *rig, enum kr_display_clock clock);
void rig_start_with(struct rig *rig, const struct kr_display_config *config);
/* Shows what is queued, then ends the display. */
void rig_drain(struct rig *rig);
/* Ends the display; its statistics are kept in *stats (may be NULL). */
void rig_stop(struct rig *rig, struct kr_display_stats *stats);
/* Waits until so many frames were composed; fails the test after 10 s. */
void rig_wait_frames(struct rig *rig, unsigned count);
void rig_wait_gone(struct rig *rig, unsigned count);
struct kr_display_stats rig_stats(struct rig *rig);
/* Waits until a member of the statistics has reached a value; fails the test after 10 s. */
#define rig_wait_stat(rig, member, value)                                                          \
	do {                                                                                       \
		int64_t rig_until = kr_clock_now() + 10 * KR_NSEC_PER_SEC;                         \
		while (rig_stats(rig).member < (value)) {                                          \
			assert_true(kr_clock_now() < rig_until);                                   \
			poll(NULL, 0, 1);                                                          \
		}                                                                                  \
	} while (0)
/* All of a picture, as XRGB whose X is 0, whatever its pixels are. */
void rig_read_picture(const struct kr_composed_frame *frame, uint32_t *to);
uint32_t rig_pixel(struct rig *rig, unsigned x, unsigned y);

/* --- producers --- */

struct kr_queue *rig_window(const struct rig *rig, const char *label);
/* As above on a path, for a process that has no rig. */
struct kr_queue *rig_window_at(const char *socket, const char *label);
void rig_close(struct kr_queue *queue);

struct rig_frame {
	uint32_t width; /* 0: the display's */
	uint32_t height;
	uint32_t format; /* 0: RGBA */
	int32_t dataspace;
	struct kr_hdr_metadata hdr; /* `has` 0: none */
	int32_t transform;
	int32_t scaling_mode;
	android_native_rect_t crop;
	struct kr_presentation presentation;
	struct kr_frame_target target;
	uint32_t window_width; /* 0: as the buffer */
	uint32_t window_height;
	android_native_rect_t damage; /* empty: all */
	uint64_t *number;             /* that it gets; NULL */
	int fence;                    /* -1: ready; owned by rig_show from now on */
};

/* The frame that most tests want: the display's size, ready. */
#define RIG_FRAME ((struct rig_frame){.fence = -1})

/*
 * Draws a frame where pixel x,y is `colour(x, y)` (0xRRGGBB) and queues it. 0 or what
 * the queue said.
 */
int rig_try_show(struct kr_queue *queue, const struct rig_frame *frame,
	uint32_t (*colour)(unsigned x, unsigned y, unsigned seed), unsigned seed);
void rig_show(struct kr_queue *queue, const struct rig_frame *frame,
	uint32_t (*colour)(unsigned x, unsigned y, unsigned seed), unsigned seed);
/* A frame of the display's size in one colour that depends on the seed. */
void rig_show_plain(struct kr_queue *queue, unsigned seed);

uint32_t rig_plain(unsigned x, unsigned y, unsigned seed);
/* Every pixel different: red = x, green = y, blue = seed. */
uint32_t rig_gradient(unsigned x, unsigned y, unsigned seed);

#endif
