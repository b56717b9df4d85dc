/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A display of any device behind the hardware composer's contract, and a client of it: small, and
 * complete. It draws what the device hands back into a client target, by room `render`, and keeps
 * what a plain reference needs to say how the picture has to look.
 *
 * A face says where the display comes from, and how its picture is looked at.
 */
#ifndef KR_TESTS_HWC_STAGE_H
#define KR_TESTS_HWC_STAGE_H

#include "rig.h"

#include "render/render.h"

#define STAGE_MAX_LAYERS 8

struct stage;

struct hwc_face {
	const char *device; /* for krafla_composer_open */
	/* Opens the composer, and makes or finds the display: width and height are set. */
	void (*begin)(struct stage *stage);
	/* Before each present. NULL: nothing to do. */
	void (*prepare)(struct stage *stage);
	/* The picture whose present fence has signalled, 0xRRGGBB. */
	void (*look)(struct stage *stage, uint32_t *pixels);
	/* Ends what begin began, but for the composer. NULL: nothing to do. */
	void (*end)(struct stage *stage);
	/* Layers come back at random: those with fences may be the client's to wait for. */
	bool hands_back;
	/* What comes back is so by what layers are, and their buffers come with them, at once. */
	bool by_layers;
};

/* The face that this program is built with. */
extern const struct hwc_face stage_face;

struct stage_layer {
	krafla_layer_t handle;
	struct kr_render_layer look; /* its buffer is that of `buffer` */
	AHardwareBuffer *buffer;
	int acquire; /* the client's own, for layers that come back; -1 */
	enum krafla_composition type;
	uint32_t z;
	bool hole; /* it is seen through the client target */
};

struct stage {
	struct rig rig;
	struct stage_layer layers[STAGE_MAX_LAYERS];
	unsigned count;
	AHardwareBuffer *targets[3];
	unsigned turn;
	AHardwareBuffer *output; /* of a virtual display */
	unsigned handed_back;    /* layers that were, in all */
	unsigned holes;          /* that the device asked for */
	bool blended_twice;      /* translucent layers came back for the last picture */
	/* A target that waits for fences of layers that came back: what is drawn then. */
	int target_signal;
	struct kr_render_scene late;
};

void stage_begin(struct stage *stage);
void stage_end(struct stage *stage);

/* A layer above all others; its buffer may be NULL. */
struct stage_layer *stage_add(struct stage *stage, AHardwareBuffer *buffer, ARect frame);
/* Its buffer, with a fence that is borrowed. */
void stage_set_buffer(
	struct stage *stage, struct stage_layer *layer, AHardwareBuffer *buffer, int acquire);
/* Tells the device all that `look` says but the buffer. */
void stage_set_look(struct stage *stage, struct stage_layer *layer);
void stage_remove(struct stage *stage, struct stage_layer *layer);
/* Validates, draws what came back, presents: the present fence. */
int stage_present(struct stage *stage);
/* Draws what came back and had to wait, after fences have signalled. */
void stage_finish(struct stage *stage);
/* Presents, and waits until that is shown. */
void stage_show(struct stage *stage);
/* Waits for a present fence, and dispatches meanwhile: its status. Closes it. */
int stage_wait(struct stage *stage, int fence);
/* The picture, 0xRRGGBB, to be freed. */
uint32_t *stage_look(struct stage *stage);
uint32_t stage_pixel(struct stage *stage, int32_t x, int32_t y);
/* Every pixel is as the reference says. */
void stage_expect_reference(struct stage *stage);

#endif
