/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client of the composer for the lab: layers on a display of the device kms, drawn by a plain
 * reference where the device hands them back, and the picture that there has to be.
 */
#ifndef KR_LAB_STAGE_H
#define KR_LAB_STAGE_H

#include <krafla/composer.h>
#include <stdbool.h>
#include <stdint.h>

#define STAGE_LAYERS  16
#define STAGE_SOON_MS 10000

struct stage_layer {
	krafla_layer_t layer;
	AHardwareBuffer *buffer;
	int32_t x, y;
	uint32_t width, height; /* of the buffer */
	int32_t transform;
	uint32_t format;
	enum krafla_blend blend;
	enum krafla_composition composition; /* as it was accepted */
	uint32_t seed;
};

struct stage {
	struct krafla_composer *composer;
	krafla_display_t display; /* the last that was connected; 0 */
	unsigned connected, disconnected, refreshed, vsyncs;
	int64_t vsync_ns, vsync_period_ns;
	uint32_t width, height;
	struct stage_layer layers[STAGE_LAYERS]; /* from the bottom to the top */
	unsigned count;
	AHardwareBuffer *target;
};

/* Opens the device, which has to have a display. */
void stage_open(struct stage *stage, const char *device);
void stage_close(struct stage *stage);
/* Calls dispatch until `fence` has signalled (and closes it), for some seconds; its status. */
int stage_wait(struct stage *stage, int take_fence);
/* Calls dispatch for so long, or until *number isn't `until` any more. */
void stage_dispatch(struct stage *stage, int ms, const unsigned *number, unsigned until);

/* A layer on top of the others, with a buffer whose pixels its seed chooses. */
struct stage_layer *stage_add(
	struct stage *stage, int32_t x, int32_t y, uint32_t width, uint32_t height);
/* Another buffer for it. The one before is the caller's to release. */
AHardwareBuffer *stage_renew(struct stage *stage, struct stage_layer *layer, int acquire_fence);
/* Sets what the layer's fields say. */
void stage_set(struct stage *stage, struct stage_layer *layer);
/* validate, accept, and what the client has to draw. How many layers are the device's. */
unsigned stage_validate(struct stage *stage);
/* present; its fence. */
int stage_present(struct stage *stage);
/* The release fence of a layer after that present; -2: it isn't listed. */
int stage_release_fence(struct stage *stage, const struct stage_layer *layer);
/* All three, and waits until it is on the screen. */
unsigned stage_show(struct stage *stage);
/* The picture, to be freed; channels of 16 bits. */
uint16_t (*stage_picture(const struct stage *stage))[3];

#endif
