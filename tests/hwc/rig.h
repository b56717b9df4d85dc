/* SPDX-License-Identifier: Apache-2.0 */
/* A composer with a screen, layers, buffers and fences, for tests. */
#ifndef KR_TESTS_HWC_RIG_H
#define KR_TESTS_HWC_RIG_H

#include "harness.h"

#include <krafla/composer.h>
#include <stdbool.h>
#include <stdint.h>

#define RIG_RGBA AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM
#define RIG_BGRA AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM

#define RIG_MAX_HOLDS 8
#define RIG_CORNERS   64

/* A screen that keeps what it was shown last. */
struct rig_screen {
	unsigned shown;
	struct krafla_picture last;    /* its pointers aren't to be used */
	ARect damage;                  /* its first rectangle */
	uint32_t *pixels;              /* 0xRRGGBB; NULL: none came with the last one */
	uint32_t corners[RIG_CORNERS]; /* the top left pixel of each that came with pixels */
	bool unwanted;                 /* wants none */
	bool hold;                     /* holds what it can */
	struct krafla_picture_hold *holds[RIG_MAX_HOLDS];
	unsigned held;
	int error; /* what show answers */
	int fence; /* what it says of when the next one is shown; -1 */
};

struct rig {
	struct krafla_composer *composer;
	krafla_display_t display;
	uint32_t width;
	uint32_t height;
	struct rig_screen screen;
};

/* Opens a device and makes a screen of that size. */
void rig_begin(struct rig *rig, const char *device, uint32_t width, uint32_t height);
void rig_end(struct rig *rig);
/* A screen that shows in `screen`. */
struct krafla_screen rig_screen(struct rig_screen *screen, uint32_t width, uint32_t height);

/* A buffer all of one colour, 0xAARRGGBB as it is encoded, if it has 8 bits a channel. */
AHardwareBuffer *rig_buffer(uint32_t width, uint32_t height, uint32_t format, uint32_t argb);
void rig_fill(AHardwareBuffer *buffer, uint32_t argb);
/* 0xAARRGGBB. */
uint32_t rig_pixel(AHardwareBuffer *buffer, uint32_t x, uint32_t y);

/* A DEVICE layer with that frame, and that buffer unless it is NULL. */
krafla_layer_t rig_layer(struct rig *rig, AHardwareBuffer *buffer, ARect frame, uint32_t z);
/* Validates, expects no changes, presents: the present fence. */
int rig_present(struct rig *rig);
/* The same for a picture that is shown at once. */
void rig_show(struct rig *rig);
/* Dispatches until so many pictures have been shown. */
void rig_wait_shown(struct rig *rig, unsigned shown);
/* The release fence of a layer after the last present; -1: it isn't listed. */
int rig_release(struct rig *rig, krafla_layer_t layer);
/* A fence, and what signals it in *producer. */
int rig_fence(int *producer);
/* Waits until it is done: its status. Closes it. */
int rig_wait_fence(int fence);

#endif
