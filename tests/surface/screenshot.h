/* SPDX-License-Identifier: Apache-2.0 */
/* A window's picture (wayland_window.h) on the screen of a Weston that draws. */
#ifndef KR_TESTS_SURFACE_SCREENSHOT_H
#define KR_TESTS_SURFACE_SCREENSHOT_H

#include <stdbool.h>
#include <stdint.h>
#include "weston.h"

struct shot {
	uint32_t width, height; /* of the window; 0x0: there is none */
	unsigned quarters[4];   /* which colour is where; 4: none of ours */
};

/* Looks for frame `seed` on the screen; false when it isn't there, whole and alone. */
bool shot_take(const struct kr_weston *weston, uint32_t seed, struct shot *shot);
/* The same until it is there; fails the case after 15 s. */
void shot_wait(const struct kr_weston *weston, uint32_t seed, struct shot *shot);

/* Until that many pixels are of this colour. */
void shot_wait_colour(const struct kr_weston *weston, uint32_t colour, uint32_t pixels);

#endif
