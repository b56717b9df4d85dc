/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a sampler with a Y'CbCr conversion has to give, in double precision: chapter "Sampler Y'CbCr
 * Conversion" of the Vulkan specification, for pictures of 4:2:0.
 */
#ifndef KR_TESTS_FORMATS_REFERENCE_H
#define KR_TESTS_FORMATS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

/* Values of `bits` bits; chroma is half as wide and half as high. */
struct reference_picture {
	uint32_t width;
	uint32_t height;
	unsigned bits;
	uint16_t *y;
	uint16_t *cb;
	uint16_t *cr;
};

struct reference_conversion {
	VkSamplerYcbcrModelConversion model;
	VkSamplerYcbcrRange range;
	VkChromaLocation x, y;
	VkComponentMapping components;
	bool linear; /* all filters; else nearest */
	/* Nearest chroma looks at x, and at y; else that is MIDPOINT, as drivers may have it. */
	bool located[2];
	bool explicit_first; /* chroma is brought to the size of luma before anything is filtered */
};

/* At pixel (x, y) of a picture of that size which shows all of it: R, G, B, A. */
void reference_sample(const struct reference_picture *picture,
	const struct reference_conversion *conversion, uint32_t width, uint32_t height, uint32_t x,
	uint32_t y, double rgba[4]);

#endif
