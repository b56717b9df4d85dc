/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where windows lie on a picture.
 *
 * A window keeps its size and shape unless somebody asked for another. Three things say where it
 * is, the later ones more: the display's layout, the place of its program (a group of windows), and
 * its own. Each member of a place counts if its bit is set.
 *
 *   frame's crop, turned -> its window -> the screen as windows see it -> turned: the picture
 *
 * A frame that says NATIVE_WINDOW_TRANSFORM_INVERSE_DISPLAY is turned back against the screen
 * first, so that on the picture it is turned as it says itself, as on a screen that isn't.
 *
 * A window is as large as its frame says that it is; without that (0x0) as what the frame shows.
 * How the frame lies in it is said in one of two ways:
 *
 *   the native window's scaling mode   FREEZE: the window is as large as what the frame shows.
 *       SCALE_TO_WINDOW, SCALE_CROP: it fills the window, whole or cut; a window without a size of
 *       its own has the place that it gets, and where nobody gave it one the whole screen, as on
 *       Android. NO_SCALE_CROP: it is cut
 *   a swapchain's scaling (kr_present_scaling) with a gravity in each direction: 1:1, as large as
 *       it can be in its own shape, or over all of the window; the gravity says at which side what
 *       is left lies, and of a larger frame which side is seen
 *
 * A window that is put into a place of another size is scaled as a whole, but for NO_SCALE_CROP,
 * which is cut.
 *
 * Thread-safety: the calls on a display, any thread, while it runs; the others have no state.
 */
#ifndef KR_COMPOSER_LAYOUT_H
#define KR_COMPOSER_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <krafla/native_window.h>
#include "util/macros.h"
#include "window/queue/notice.h"
#include "window/queue/presentation.h"

struct kr_display;

enum kr_layout {
	KR_LAYOUT_NATIVE,  /* own size, in the middle; of larger ones the middle is seen */
	KR_LAYOUT_FIT,     /* whole, as large as it can be in its own shape */
	KR_LAYOUT_STRETCH, /* over the whole picture */
	KR_LAYOUT_GRID,    /* side by side, each as with FIT in a cell of its own */
};

/* "native", "fit", "stretch", "grid". */
bool kr_layout_from_name(const char *name, enum kr_layout *layout) KR_MUST_CHECK;
const char *kr_layout_name(enum kr_layout layout);

/* Bits of kr_layout_place.set. */
enum kr_layout_set {
	KR_PLACE_POSITION = 1,
	KR_PLACE_SIZE = 2,
	KR_PLACE_Z = 4,
	KR_PLACE_ALPHA = 8,
	KR_PLACE_VISIBLE = 16,
};

/* Where a window was asked to be. */
struct kr_layout_place {
	uint32_t set; /* KR_PLACE_* of the members that count */
	int32_t x;    /* of the top left corner, in pixels of the picture */
	int32_t y;
	uint32_t width; /* from 1 to KR_PLACE_MAX */
	uint32_t height;
	int32_t z;   /* more is further up; 0 where nobody asked */
	float alpha; /* from 0 to 1 */
	bool visible;
};

/* Of a place: sizes, and positions to either side of 0. */
#define KR_PLACE_MAX 16384

/* Whether all that is set is within its bounds. */
bool kr_layout_place_is_valid(const struct kr_layout_place *place);
/* What `over` has set instead of what `place` has. */
void kr_layout_place_merge(struct kr_layout_place *place, const struct kr_layout_place *over);

/* --- windows of a display --- */

/* Programs. Their order is that of their numbers; windows without a group lie above them all. */
#define KR_DISPLAY_MAX_GROUPS 64
#define KR_DISPLAY_NO_GROUP   (-1)

/* The layout of the next picture and those after it. */
void kr_display_set_layout(struct kr_display *display, enum kr_layout layout);
enum kr_layout kr_display_get_layout(struct kr_display *display);
/*
 * How the screen is turned from the next picture on, by the bits of NATIVE_WINDOW_TRANSFORM_*:
 * pictures keep their size, and what windows see as the screen is turned on its way there. Windows
 * hear it, so that those that can draw turned, with the inverse as their frames' transform, are
 * shown as they are. -EINVAL: other bits.
 */
int kr_display_set_transform(struct kr_display *display, int32_t transform) KR_MUST_CHECK;
int32_t kr_display_get_transform(struct kr_display *display);
/*
 * How large pictures are from the next one on: windows hear it, and are laid out anew. Screens of
 * devices keep their own sizes. -EINVAL: 0, or above KR_DISPLAY_MAX_SIZE; -EBUSY: a program gets
 * the pictures as buffers of their size (kr_display_add_queue).
 */
int kr_display_set_size(struct kr_display *display, uint32_t width, uint32_t height) KR_MUST_CHECK;
/*
 * Where the windows of a group lie from the next picture on. A bit that isn't set is the layout's.
 * -EINVAL: no such group number, or a value out of bounds.
 */
int kr_display_set_group(struct kr_display *display, int group, const struct kr_layout_place *place)
	KR_MUST_CHECK;
/*
 * Virtual clock, before it runs: the first tick waits until each of the groups 0 to count - 1 has a
 * frame that is ready, has ended, or the display's idle time has passed since it runs.
 */
void kr_display_expect_groups(struct kr_display *display, unsigned count);
/* Nothing more comes of a group. A number that is none: nothing happens. */
void kr_display_group_ended(struct kr_display *display, int group);

/* What came of a group's windows, those that are closed included. */
struct kr_display_group_stats {
	uint64_t windows;
	uint64_t frames_queued;
	uint64_t shown; /* these three as of kr_display_window */
	uint64_t hidden;
	uint64_t dropped;
};

/* Of KR_DISPLAY_NO_GROUP: of those without one. */
void kr_display_get_group_stats(
	struct kr_display *display, int group, struct kr_display_group_stats *stats);

struct kr_display_window {
	uint64_t id; /* no other window of the display has had it */
	int group;   /* or KR_DISPLAY_NO_GROUP */
	int pid;     /* 0: one that the kernel can't name here */
	char label[64];
	/* On the picture, also beyond its edges; 0 until a frame was shown. */
	int32_t x;
	int32_t y;
	uint32_t width;
	uint32_t height;
	/* What is shown of its buffer. */
	uint32_t buffer_width;
	uint32_t buffer_height;
	int32_t z;
	float alpha;
	bool visible;              /* nobody has hidden it */
	struct kr_frame_rate wish; /* as it was said last; a rate of 0: none */
	uint64_t frames_queued;
	uint64_t shown;   /* frames of which something was seen */
	uint64_t hidden;  /* frames that were on the display with nothing of them seen */
	uint64_t dropped; /* replaced before they were shown */
};

/* Those that are connected, in order of connection. How many there are; `max` are written. */
unsigned kr_display_list_windows(
	struct kr_display *display, struct kr_display_window *windows, unsigned max);
/* What is set replaces what was asked for before. -ENOENT no such window, -EINVAL out of bounds. */
int kr_display_place_window(
	struct kr_display *display, uint64_t id, const struct kr_layout_place *place) KR_MUST_CHECK;

/* --- the rule itself --- */

/* What a window's frame is. */
struct kr_layout_shape {
	uint32_t buffer_width;
	uint32_t buffer_height;
	android_native_rect_t crop; /* empty, or outside of the buffer: all of it */
	int32_t transform;          /* kr_layout_content_transform */
	int32_t scaling_mode;       /* NATIVE_WINDOW_SCALING_MODE_* */
	uint32_t window_width;      /* 0x0: none of its own */
	uint32_t window_height;
	uint8_t scaling; /* enum kr_present_scaling */
	uint8_t gravity_x;
	uint8_t gravity_y;
};

/* What it lies on. */
struct kr_layout_room {
	enum kr_layout layout;
	uint32_t width; /* of the screen, as windows see it */
	uint32_t height;
	const struct kr_layout_place *place;
	unsigned index; /* grid: which cell */
	unsigned count; /* of how many; 1 at least */
};

struct kr_layout_spot {
	android_native_rect_t window; /* all of it, beyond the screen's edges too */
	android_native_rect_t frame;  /* what is on the picture; empty: nothing */
	/* The part of the window on the picture; larger than the frame where that doesn't reach. */
	android_native_rect_t seen;
	int32_t transform; /* NATIVE_WINDOW_TRANSFORM_*: from the buffer to the picture */
	/* The part of the buffer that goes there, turned by that. */
	float left;
	float top;
	float right;
	float bottom;
};

void kr_layout_find(const struct kr_layout_room *room, const struct kr_layout_shape *shape,
	struct kr_layout_spot *spot);
/*
 * Turns what was found on a screen of that size (as windows see it) with the screen: `frame`,
 * `seen` and `transform` are on the picture then, `window` stays as windows see it.
 */
void kr_layout_turn(
	struct kr_layout_spot *spot, int32_t transform, uint32_t width, uint32_t height);
/*
 * Names of turns, clockwise: "0", "90", "180", "270"; with the screen mirrored from left to right
 * before that "mirror", "mirror-90", "mirror-180", "mirror-270".
 */
bool kr_layout_turn_from_name(const char *name, int32_t *transform) KR_MUST_CHECK;
const char *kr_layout_turn_name(int32_t transform);
/* One transform, and another one after it; what undoes one. */
int32_t kr_layout_join_transforms(int32_t first, int32_t then);
int32_t kr_layout_invert_transform(int32_t transform);
/* How what a frame shows is turned on a screen, as windows see it, that is turned so itself. */
int32_t kr_layout_content_transform(int32_t of_frame, int32_t of_screen);
/* What a frame shows, in pixels, turned. */
void kr_layout_shape_size(const struct kr_layout_shape *shape, uint32_t *width, uint32_t *height);
/* How large its window is by itself; false: as large as the place that it gets. */
bool kr_layout_window_size(const struct kr_layout_shape *shape, uint32_t *width, uint32_t *height);

#endif
