#version 450
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture: a workgroup for each piece of a tile, an invocation for each pixel. What lies in a
 * tile is laid over each other from the bottom up in 32-bit floats, from 0 to 255, and rounded
 * once. Pixels of buffers are rounded to 8 bits first; filtering is done here, between those.
 *
 * A pass has 8 buffers with memory of CPUs and 8 images at most. More than that take several, which
 * leave what they have in `sums`. What the numbers mean: picture.h.
 */
#extension GL_EXT_samplerless_texture_functions : require

layout(local_size_x = 16, local_size_y = 8) in;

/* What a pass needs of all this: code for no more is made. */
layout(constant_id = 0) const uint WORDS = 8;  /* slots of CPUs' memory that are used */
layout(constant_id = 1) const uint IMAGES = 8; /* slots of images */
layout(constant_id = 2) const bool PLAIN = false; /* 8 bits a channel in all of them */

struct Layer {
	ivec4 box;     /* on the canvas: left, top, right, bottom */
	uvec4 along;   /* place in the buffer of the box's left edge, step of a pixel: 32.32 each */
	uvec4 down;    /* the same of the top edge */
	ivec4 edges;   /* pixels of the buffer that may be read: along first, last, down first, last */
	uvec4 what;    /* flags, decoding, slot, bytes of a row */
	vec4 color;    /* of one without a buffer */
	vec4 plane;    /* alpha */
};

struct Tile {
	uvec4 place; /* left, top, width, height */
	uvec4 mask;  /* layers that are in it, a bit each */
};

layout(std430, set = 0, binding = 0) readonly buffer Layers { Layer layers[]; };
layout(std430, set = 0, binding = 1) readonly buffer Tiles { Tile tiles[]; };
layout(std430, set = 0, binding = 2) buffer Canvas { uint canvas[]; };
layout(std430, set = 0, binding = 3) buffer Sums { vec4 sums[]; };

layout(std430, set = 0, binding = 4) readonly buffer Words0 { uint words0[]; };
layout(std430, set = 0, binding = 5) readonly buffer Words1 { uint words1[]; };
layout(std430, set = 0, binding = 6) readonly buffer Words2 { uint words2[]; };
layout(std430, set = 0, binding = 7) readonly buffer Words3 { uint words3[]; };
layout(std430, set = 0, binding = 8) readonly buffer Words4 { uint words4[]; };
layout(std430, set = 0, binding = 9) readonly buffer Words5 { uint words5[]; };
layout(std430, set = 0, binding = 10) readonly buffer Words6 { uint words6[]; };
layout(std430, set = 0, binding = 11) readonly buffer Words7 { uint words7[]; };

layout(set = 0, binding = 12) uniform texture2D image0;
layout(set = 0, binding = 13) uniform texture2D image1;
layout(set = 0, binding = 14) uniform texture2D image2;
layout(set = 0, binding = 15) uniform texture2D image3;
layout(set = 0, binding = 16) uniform texture2D image4;
layout(set = 0, binding = 17) uniform texture2D image5;
layout(set = 0, binding = 18) uniform texture2D image6;
layout(set = 0, binding = 19) uniform texture2D image7;

layout(push_constant) uniform Push {
	uint first_tile;
	uint first_sum; /* the tile whose sums stand first */
	uint stride;    /* of the canvas, in pixels */
	uint flags;
	uint low; /* layers of this pass: from here on */
	uint high;
	uint count;
};

const uint TILE_WIDTH = 128;
const uint TILE_HEIGHT = 64;

const uint PASS_BGR = 1;
const uint PASS_ALPHA = 2;
const uint PASS_FIRST = 4;
const uint PASS_LAST = 8;
const uint PASS_TURN = 16;

const uint LAYER_OPAQUE = 1;
const uint LAYER_HOLE = 2;
const uint LAYER_BUFFER = 4;
const uint LAYER_IMAGE = 8;
const uint LAYER_SCALED = 16;
const uint LAYER_TURNED = 32;
const uint LAYER_FULL = 64;     /* alpha of its pixels means nothing */
const uint LAYER_COVERAGE = 128;

const uint DECODE_RGBA8 = 0;
const uint DECODE_BGRA8 = 1;
const uint DECODE_RGB565 = 2;
const uint DECODE_RGB10A2 = 3;
const uint DECODE_HALF = 4;
const uint DECODE_RGB8 = 5;
const uint DECODE_SRGB = 6;

uint
word_of(uint slot, uint at)
{
	if (WORDS < 2u || slot == 0u)
		return words0[at];
	if (WORDS < 3u || slot == 1u)
		return words1[at];
	if (WORDS < 4u || slot == 2u)
		return words2[at];
	if (WORDS < 5u || slot == 3u)
		return words3[at];
	if (WORDS < 6u || slot == 4u)
		return words4[at];
	if (WORDS < 7u || slot == 5u)
		return words5[at];
	if (WORDS < 8u || slot == 6u)
		return words6[at];
	return words7[at];
}

vec4
texel_of(uint slot, ivec2 at)
{
	if (IMAGES < 2u || slot == 0u)
		return texelFetch(image0, at, 0);
	if (IMAGES < 3u || slot == 1u)
		return texelFetch(image1, at, 0);
	if (IMAGES < 4u || slot == 2u)
		return texelFetch(image2, at, 0);
	if (IMAGES < 5u || slot == 3u)
		return texelFetch(image3, at, 0);
	if (IMAGES < 6u || slot == 4u)
		return texelFetch(image4, at, 0);
	if (IMAGES < 7u || slot == 5u)
		return texelFetch(image5, at, 0);
	if (IMAGES < 8u || slot == 6u)
		return texelFetch(image6, at, 0);
	return texelFetch(image7, at, 0);
}

vec4
bytes_of(uint word)
{
	return vec4(word & 255u, word >> 8 & 255u, word >> 16 & 255u, word >> 24);
}

/* The upper bits once more below. */
vec4
widen565(uvec3 parts)
{
	return vec4(parts.r << 3 | parts.r >> 2, parts.g << 2 | parts.g >> 4,
		parts.b << 3 | parts.b >> 2, 255);
}

/* The nearest of 255, halves upwards, in integers. */
vec4
narrow10(uvec4 parts)
{
	return vec4((parts.rgb * 510u + 1023u) / 2046u, parts.a * 85u);
}

/* What is no number or below 0 is 0, what is above 1 is 1. */
float
narrow_one(float value)
{
	bool none = (floatBitsToUint(value) & 0x7fffffffu) > 0x7f800000u;

	return none ? 0 : floor(clamp(value, 0, 1) * 255 + 0.5);
}

vec4
narrow(vec4 pixel)
{
	return vec4(narrow_one(pixel.r), narrow_one(pixel.g), narrow_one(pixel.b),
		narrow_one(pixel.a));
}

/* What an sRGB image had before the device made it linear. */
float
encode_srgb(float value)
{
	return value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1.0 / 2.4) - 0.055;
}

vec4
decode_words(uvec4 what, ivec2 at)
{
	uint slot = what.z, row = uint(at.y) * what.w, x = uint(at.x), word, byte;
	vec4 pixel;

	if (PLAIN || what.y < DECODE_RGB565) {
		pixel = bytes_of(word_of(slot, (row >> 2) + x));
		return what.y == DECODE_BGRA8 ? pixel.bgra : pixel;
	}
	switch (what.y) {
	case DECODE_RGB565:
		word = word_of(slot, (row >> 2) + (x >> 1)) >> 16 * (x & 1u);
		return widen565(uvec3(word >> 11 & 31u, word >> 5 & 63u, word & 31u));
	case DECODE_RGB10A2:
		word = word_of(slot, (row >> 2) + x);
		return narrow10(uvec4(
			word & 1023u, word >> 10 & 1023u, word >> 20 & 1023u, word >> 30));
	case DECODE_RGB8:
		byte = row + 3u * x;
		word = word_of(slot, byte >> 2) >> 8 * (byte & 3u);
		if ((byte & 3u) > 1u)
			word |= word_of(slot, (byte >> 2) + 1u) << 8 * (4u - (byte & 3u));
		return vec4(bytes_of(word).rgb, 255);
	default:
		byte = (row >> 2) + 2u * x;
		return narrow(vec4(unpackHalf2x16(word_of(slot, byte)),
			unpackHalf2x16(word_of(slot, byte + 1u))));
	}
}

vec4
decode_texel(uvec4 what, ivec2 at)
{
	vec4 texel = texel_of(what.z, at);

	if (PLAIN)
		return floor(texel * 255 + 0.5);
	switch (what.y) {
	case DECODE_RGB565:
		return widen565(uvec3(round(texel.rgb * vec3(31, 63, 31))));
	case DECODE_RGB10A2:
		return narrow10(uvec4(round(texel * vec4(1023, 1023, 1023, 3))));
	case DECODE_SRGB:
		return narrow(vec4(encode_srgb(texel.r), encode_srgb(texel.g),
			encode_srgb(texel.b), texel.a));
	default:
		return narrow(texel);
	}
}

vec4
pixel_at(uvec4 what, int along, int down)
{
	ivec2 at = (what.x & LAYER_TURNED) != 0u ? ivec2(down, along) : ivec2(along, down);

	if (IMAGES > 0u && (WORDS == 0u || (what.x & LAYER_IMAGE) != 0u))
		return decode_texel(what, at);
	return decode_words(what, at);
}

/* start + distance * step, all of them 32.32: the whole part, and what is left of it. */
int
move(uvec4 axis, uint distance, out float part)
{
	uint high, low, carry, fraction;

	umulExtended(distance, axis.w, high, low);
	fraction = uaddCarry(axis.y, low, carry);
	part = float(fraction >> 8) / 16777216.0;
	return int(axis.x + distance * axis.z + high + carry);
}

/* Beyond the pixels that the crop touches the edge goes on. */
vec4
sample_layer(uint i, ivec2 at)
{
	uvec4 what = layers[i].what;
	ivec4 edges = layers[i].edges;
	vec2 part;
	int along = move(layers[i].along, uint(at.x - layers[i].box.x), part.x);
	int down = move(layers[i].down, uint(at.y - layers[i].box.y), part.y);
	bool scaled = (what.x & LAYER_SCALED) != 0u;
	ivec2 first = clamp(ivec2(along, down), edges.xz, edges.yw);
	ivec2 last = clamp(ivec2(along, down) + 1, edges.xz, edges.yw);
	int corners = scaled ? 4 : 1;
	vec4 sum = vec4(0);

	part = scaled ? part : vec2(0);
	/* A loop, so that what reads a pixel is there once. */
	for (int corner = 0; corner < corners; corner++) {
		bool right = (corner & 1) != 0, lower = corner > 1;
		float weight = (right ? part.x : 1 - part.x) * (lower ? part.y : 1 - part.y);

		sum += weight *
			pixel_at(what, right ? last.x : first.x, lower ? last.y : first.y);
	}
	return sum;
}

bool
is_in(uint i, uvec4 mask, ivec2 at)
{
	ivec4 box = layers[i].box;

	return (mask[i >> 5] >> (i & 31u) & 1u) != 0u && all(greaterThanEqual(at, box.xy)) &&
		all(lessThan(at, box.zw));
}

vec4
lay_over(vec4 below, uint i, ivec2 at)
{
	uint flags = layers[i].what.x;
	float plane = layers[i].plane.x;
	vec4 pixel = layers[i].color;

	if ((flags & LAYER_HOLE) != 0u)
		return vec4(0);
	if ((flags & LAYER_BUFFER) != 0u)
		pixel = sample_layer(i, at);
	if ((flags & LAYER_FULL) != 0u)
		pixel.a = 255;
	if ((flags & LAYER_OPAQUE) != 0u)
		return vec4(pixel.rgb, 255);
	if ((flags & LAYER_COVERAGE) != 0u)
		pixel.rgb *= pixel.a / 255;
	return min(vec4(255), pixel * plane + below * (1 - pixel.a / 255 * plane));
}

/* The first layer that hides what is below; `count` for none. */
uint
find_bottom(uvec4 mask, ivec2 at)
{
	for (uint i = 0u; i < count; i++) {
		if (is_in(i, mask, at) && (layers[i].what.x & LAYER_OPAQUE) != 0u)
			return i;
	}
	return count;
}

void
turn(uint index)
{
	uint word = canvas[index];

	canvas[index] = (word & 0xff00ff00u) | (word >> 16 & 255u) | (word & 255u) << 16;
}

void
write(uint index, vec4 pixel)
{
	uvec4 bytes = uvec4(min(pixel + 0.5, vec4(255)));

	if ((flags & PASS_BGR) != 0u)
		bytes = bytes.bgra;
	canvas[index] = bytes.r | bytes.g << 8 | bytes.b << 16 | bytes.a << 24;
}

void
main()
{
	uint number = first_tile + gl_WorkGroupID.x;
	uint across = TILE_WIDTH / gl_WorkGroupSize.x;
	uvec2 group = uvec2(gl_WorkGroupID.y % across, gl_WorkGroupID.y / across);
	uvec2 in_tile = group * gl_WorkGroupSize.xy + gl_LocalInvocationID.xy;
	uvec4 place = tiles[number].place, mask = tiles[number].mask;
	uvec2 at = place.xy + in_tile;
	uint index = at.y * stride + at.x, bottom;
	uint sum_index = (number - first_sum) * (TILE_WIDTH * TILE_HEIGHT) +
		in_tile.y * TILE_WIDTH + in_tile.x;
	vec4 pixel = vec4(0, 0, 0, (flags & PASS_ALPHA) != 0u ? 0 : 255);

	if (any(greaterThanEqual(in_tile, place.zw)))
		return;
	if ((flags & PASS_TURN) != 0u) {
		turn(index);
		return;
	}
	if ((flags & PASS_FIRST) == 0u)
		pixel = sums[sum_index];
	bottom = find_bottom(mask, ivec2(at));
	for (uint i = high; i-- > low;) {
		if (i <= bottom && is_in(i, mask, ivec2(at)))
			pixel = lay_over(pixel, i, ivec2(at));
	}
	if ((flags & PASS_LAST) != 0u)
		write(index, pixel);
	else
		sums[sum_index] = pixel;
}
