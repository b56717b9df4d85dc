/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shader, and what it reads: picture.comp's numbers and structures. Thread-safety: one thread.
 */
#ifndef KR_TOOLS_PAINTER_PIPELINE_H
#define KR_TOOLS_PAINTER_PIPELINE_H

#include "tools/painter/memory.h"

#define KR_PAINT_SLOTS       8 /* buffers of CPUs' memory, and as many images, of a pass */
#define KR_PAINT_STORAGE     (4 + KR_PAINT_SLOTS)
#define KR_PAINT_GROUP_SIZE  128
#define KR_PAINT_TILE_WIDTH  128
#define KR_PAINT_TILE_HEIGHT 64
#define KR_PAINT_TILE_GROUPS (KR_PAINT_TILE_WIDTH * KR_PAINT_TILE_HEIGHT / KR_PAINT_GROUP_SIZE)
#define KR_PAINT_SUM_SIZE    (KR_PAINT_TILE_WIDTH * KR_PAINT_TILE_HEIGHT * 4 * sizeof(float))
#define KR_PAINT_SUM_TILES   256 /* whose sums are kept at a time */

enum kr_paint_pass_bits {
	KR_PAINT_PASS_BGR = 1 << 0,
	KR_PAINT_PASS_ALPHA = 1 << 1,
	KR_PAINT_PASS_FIRST = 1 << 2,
	KR_PAINT_PASS_LAST = 1 << 3,
	KR_PAINT_PASS_TURN = 1 << 4, /* the canvas's pixels into the other order */
};

enum kr_paint_layer_bits {
	KR_PAINT_LAYER_OPAQUE = 1 << 0,
	KR_PAINT_LAYER_HOLE = 1 << 1,
	KR_PAINT_LAYER_BUFFER = 1 << 2,
	KR_PAINT_LAYER_IMAGE = 1 << 3,
	KR_PAINT_LAYER_SCALED = 1 << 4,
	KR_PAINT_LAYER_TURNED = 1 << 5,
	KR_PAINT_LAYER_FULL = 1 << 6,
	KR_PAINT_LAYER_COVERAGE = 1 << 7,
};

enum kr_paint_decoding {
	KR_PAINT_RGBA8,
	KR_PAINT_BGRA8,
	KR_PAINT_RGB565,
	KR_PAINT_RGB10A2,
	KR_PAINT_HALF,
	KR_PAINT_RGB8,
	KR_PAINT_SRGB,
};

struct kr_paint_layer {
	int32_t box[4];
	uint32_t along[4];
	uint32_t down[4];
	int32_t edges[4];
	uint32_t flags;
	uint32_t decoding;
	uint32_t slot;
	uint32_t row_bytes;
	float color[4];
	float plane[4];
};

struct kr_paint_tile {
	uint32_t left, top, width, height;
	uint32_t mask[4];
};

struct kr_paint_push {
	uint32_t first_tile;
	uint32_t first_sum;
	uint32_t stride;
	uint32_t flags;
	uint32_t low;
	uint32_t high;
	uint32_t count;
};

/* What a pass reads and writes; unused ones are zero. */
struct kr_paint_bindings {
	VkBuffer storage[KR_PAINT_STORAGE]; /* layers, tiles, canvas, sums, slots */
	VkImageView images[KR_PAINT_SLOTS];
};

/* What the code for a pass has to do: slots that it uses, and whether all have 8 bits a channel. */
struct kr_paint_variant {
	uint32_t words, images;
	bool plain;
};
#define KR_PAINT_STEPS 5 /* of slots: 0, 1, 2, 4, 8 */

struct kr_paint_pipeline {
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkShaderModule code;
	VkPipeline made[KR_PAINT_STEPS][KR_PAINT_STEPS][2]; /* words, images, plain */
	struct kr_paint_memory nothing; /* stands for unused slots, as does this image: */
	VkImage no_image;
	VkDeviceMemory no_memory;
	VkImageView no_view;
};

/* Zeroed before. 0; -EIO. */
int kr_paint_pipeline_init(const struct kr_paint_device *device, struct kr_paint_pipeline *pipeline)
	KR_MUST_CHECK;
/* Code for such a pass, made when it is first needed; VK_NULL_HANDLE: the driver can't. */
VkPipeline kr_paint_pipeline_get(const struct kr_paint_device *device,
	struct kr_paint_pipeline *pipeline, const struct kr_paint_variant *variant);
/* Writes a set; `last` is what it had, or zeroed. */
void kr_paint_pipeline_bind(const struct kr_paint_device *device,
	const struct kr_paint_pipeline *pipeline, VkDescriptorSet set,
	const struct kr_paint_bindings *bindings, struct kr_paint_bindings *last);
/* `count` sets from a pool of their own, which lives as long as the process. */
int kr_paint_pipeline_sets(const struct kr_paint_device *device,
	const struct kr_paint_pipeline *pipeline, VkDescriptorSet *sets, uint32_t count)
	KR_MUST_CHECK;

#endif
