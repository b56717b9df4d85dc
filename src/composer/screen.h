/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our own screen: a physical display of a composer whose pictures go to the display's outputs and
 * its frame hook. Thread-safety: the display's thread.
 */
#ifndef KR_COMPOSER_SCREEN_H
#define KR_COMPOSER_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include <krafla/composer.h>
#include "colour/hdr.h"
#include "composer/output/output.h"
#include "composer/target.h"
#include "util/macros.h"

struct kr_display;

#define KR_DISPLAY_SCREEN_ON_THE_WAY 4 /* more than pictures that can be; a power of 2 */

struct kr_display_screen {
	struct krafla_composer *composer; /* its own */
	struct kr_target target;
	bool open;
	/* What is said of pictures, by the composer's number. */
	struct kr_composed_frame frames[KR_DISPLAY_SCREEN_ON_THE_WAY];
	/* What the windows in them say of their light: `has` 0, nothing, or each else. */
	struct kr_hdr_metadata hdrs[KR_DISPLAY_SCREEN_ON_THE_WAY];
	uint64_t next; /* number that the next picture has there */
	bool shown;    /* show was called for `next` */
	bool muted;    /* nobody hears of that one */
	bool unsaid;   /* nor did anybody of the last one */
	int err;       /* what an output or the hook answered */
};

/* Opens the device; no display yet. 0 or -errno. */
int kr_display_screen_init(struct kr_display_screen *screen, const char *device) KR_MUST_CHECK;
/* Hears what it has to tell, from dispatch on; asks whether a GPU may draw. */
int kr_display_screen_listen(struct kr_display_screen *screen, struct kr_display *display)
	KR_MUST_CHECK;
/* Once the size of pictures is known. */
int kr_display_screen_open(struct kr_display_screen *screen, struct kr_display *display,
	uint32_t width, uint32_t height) KR_MUST_CHECK;
/* Its pictures are so far apart from now on. */
void kr_display_screen_set_period(struct kr_display_screen *screen, int64_t period_ns);
/* Safe on a zeroed screen. */
void kr_display_screen_finish(struct kr_display_screen *screen);
/* Presents; the frame is what outputs hear of it. 0; -errno, or what an output answered. */
int kr_display_screen_present(
	struct kr_display_screen *screen, const struct kr_composed_frame *frame) KR_MUST_CHECK;

/* Likewise, with no pixels, and nobody hears of it: what has left the screen goes back by that. */
int kr_display_screen_withdraw(struct kr_display_screen *screen) KR_MUST_CHECK;

#endif
