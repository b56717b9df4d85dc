/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenes of random layers, a seed each, and what becomes of them against the reference: for who
 * draws, on whatever. RENDER_SEED runs one seed alone.
 */
#ifndef KR_TESTS_RENDER_SCENES_H
#define KR_TESTS_RENDER_SCENES_H

#include "rig.h"

#define SCENES_WIDTH   83
#define SCENES_HEIGHT  59
#define SCENES_PADDING 5 /* pixels between rows of the canvas */
#define SCENES_STRIDE  (SCENES_WIDTH + SCENES_PADDING)
#define SCENES_BEFORE  0x5a5a5a5au /* each pixel before it is drawn */

struct scenes_picture {
	struct rig_random random;
	uint64_t seed;
	struct kr_render_scene scene;
	pixman_region32_t stale; /* the scene's */
	uint32_t pixels[SCENES_STRIDE * SCENES_HEIGHT];
	double worst;
};

/* A scene of at most so many layers, on a canvas where nothing is drawn yet. */
void scenes_begin(struct scenes_picture *picture, uint64_t seed, unsigned most);
void scenes_end(struct scenes_picture *picture);
/*
 * As the reference has it where it was stale, elsewhere as it was. How many bytes are no longer
 * stale.
 */
uint64_t scenes_compare(struct scenes_picture *picture, pixman_region32_t *was_stale);
/* Seeds one after the other, by a function that says how far off it was; tells the worst. */
void scenes_run(uint64_t first, uint64_t count, unsigned most,
	double (*run)(void *data, uint64_t seed, unsigned most), void *data);

#endif
