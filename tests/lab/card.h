/* SPDX-License-Identifier: Apache-2.0 */
/* DRM devices of the lab, by libdrm: opened by driver, and a screen of theirs. */
#ifndef KR_LAB_CARD_H
#define KR_LAB_CARD_H

#include <stdint.h>

/* The card of that driver, opened anew; the case fails when there is none. */
int card_open(const char *driver);

/* A connector with a mode, what drives it, and two pictures to flip between. */
struct card_screen {
	int drm;
	uint32_t connector, crtc, plane;
	uint32_t mode; /* a blob */
	uint32_t width, height;
	uint32_t picture[2]; /* framebuffers */
	uint32_t handle[2];  /* their memory */
};

/* Opens the card and shows the first picture. */
void card_screen_open(struct card_screen *screen, const char *driver);
void card_screen_close(struct card_screen *screen);
/*
 * Shows that picture, without waiting: the flip waits for `acquire` (-1 nothing). *out: signalled
 * when it is on the screen. 0 or -errno, as the kernel answers.
 */
int card_flip(const struct card_screen *screen, int picture, int acquire, int *out);

#endif
