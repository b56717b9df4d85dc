/* SPDX-License-Identifier: Apache-2.0 */
/* See place.h; and what a layer is by itself. */
#include "render/place.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "gralloc/buffer.h"

#define CACHE_LINE   64
#define CACHED_LINES 4096 /* so many lines of the cache stay while a column is walked */
#define ALL_TURNS    7    /* bits of transforms */

/* The crop in one direction; all of it where it is empty or lies outside. */
static void
cut_axis(struct kr_render_axis *axis, float from, float to, uint32_t size)
{
	double low = fmax((double)from, 0), high = fmin((double)to, size);

	axis->from = low;
	axis->size = high - low;
	axis->first = (int32_t)floor(low);
	axis->last = (int32_t)ceil(high) - 1;
}

static bool
is_cut(const struct kr_render_crop *crop, uint32_t width, uint32_t height)
{
	return fmaxf(crop->left, 0) < fminf(crop->right, (float)width) &&
		fmaxf(crop->top, 0) < fminf(crop->bottom, (float)height);
}

/* Whether each pixel of the canvas is one of the buffer. */
static bool
is_exact(const struct kr_render_axis *axis)
{
	return axis->size == axis->length && axis->from == axis->first;
}

void
kr_render_place_find(const struct kr_render_layer *layer, struct kr_render_place *place)
{
	const struct kr_buffer_desc *desc = &kr_buffer_get_info(layer->buffer)->desc;
	const struct kr_render_crop all = {0, 0, (float)desc->width, (float)desc->height};
	const struct kr_render_crop *crop =
		is_cut(&layer->crop, desc->width, desc->height) ? &layer->crop : &all;
	bool flip_h = layer->transform & NATIVE_WINDOW_TRANSFORM_FLIP_H;
	bool flip_v = layer->transform & NATIVE_WINDOW_TRANSFORM_FLIP_V;
	struct kr_render_axis across = {0}, upright = {0};

	cut_axis(&across, crop->left, crop->right, desc->width);
	cut_axis(&upright, crop->top, crop->bottom, desc->height);
	place->turned = layer->transform & NATIVE_WINDOW_TRANSFORM_ROT_90;
	place->along = place->turned ? upright : across;
	place->down = place->turned ? across : upright;
	place->along.reversed = place->turned ? !flip_v : flip_h;
	place->down.reversed = place->turned ? flip_h : flip_v;
	place->along.origin = layer->frame.left;
	place->along.length = layer->frame.right - layer->frame.left;
	place->down.origin = layer->frame.top;
	place->down.length = layer->frame.bottom - layer->frame.top;
	place->scaled = !is_exact(&place->along) || !is_exact(&place->down);
}

bool
kr_render_place_is_plain(const struct kr_render_place *place)
{
	return !place->scaled && !place->turned && !place->along.reversed && !place->down.reversed;
}

bool
kr_render_frame_box(
	const struct kr_render_layer *layer, uint32_t width, uint32_t height, pixman_box32_t *box)
{
	*box = (pixman_box32_t){
		.x1 = KR_MAX(layer->frame.left, 0),
		.y1 = KR_MAX(layer->frame.top, 0),
		.x2 = KR_MIN(layer->frame.right, (int32_t)width),
		.y2 = KR_MIN(layer->frame.bottom, (int32_t)height),
	};
	return box->x1 < box->x2 && box->y1 < box->y2;
}

bool
kr_render_has_alpha(uint32_t format)
{
	return format == AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM ||
		format == AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM ||
		format == AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM ||
		format == AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM ||
		format == AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT;
}

bool
kr_render_order_of(uint32_t format, enum kr_pixels_order *order)
{
	switch (format) {
	case AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM:
	case AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM:
		*order = KR_PIXELS_XBGR;
		return true;
	case AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM:
		*order = KR_PIXELS_XRGB;
		return true;
	default:
		return false;
	}
}

static int
check_buffer(const struct kr_buffer_info *info)
{
	uint32_t bytes = kr_format_bytes(info->desc.format);

	if (!bytes || !kr_pixels_to_xrgb(info->desc.format))
		return -EOPNOTSUPP;
	if (!info->desc.width || !info->desc.height || info->desc.width > KR_RENDER_MAX_SIZE ||
		info->desc.height > KR_RENDER_MAX_SIZE)
		return -EINVAL;
	if (info->row_bytes / bytes < info->desc.width ||
		(uint64_t)info->row_bytes * info->desc.height > info->size)
		return -EINVAL;
	return 0;
}

static bool
is_edge(int32_t at)
{
	return at >= -KR_RENDER_MAX_PLACE && at <= KR_RENDER_MAX_PLACE;
}

int
kr_render_layer_check(const struct kr_render_layer *layer)
{
	const struct kr_render_crop *crop = &layer->crop;
	const ARect *frame = &layer->frame;

	if (isnan(crop->left) || isnan(crop->top) || isnan(crop->right) || isnan(crop->bottom))
		return -EINVAL;
	if (!is_edge(frame->left) || !is_edge(frame->top) || !is_edge(frame->right) ||
		!is_edge(frame->bottom))
		return -EINVAL;
	if (layer->transform & ~ALL_TURNS || layer->blend < KR_RENDER_BLEND_NONE ||
		layer->blend > KR_RENDER_BLEND_COVERAGE)
		return -EINVAL;
	if (!(layer->alpha >= 0 && layer->alpha <= 1)) /* no number isn't either */
		return -EINVAL;
	if (!layer->buffer || layer->no_content || layer->hole)
		return 0;
	return check_buffer(kr_buffer_get_info(layer->buffer));
}

bool
kr_render_layer_is_opaque(const struct kr_render_layer *layer)
{
	if (layer->no_content || layer->hole)
		return true;
	if (layer->alpha < 1)
		return false;
	if (layer->blend == KR_RENDER_BLEND_NONE)
		return true;
	if (!layer->buffer)
		return layer->color.a == UINT8_MAX;
	return !kr_render_has_alpha(kr_buffer_get_info(layer->buffer)->desc.format);
}

bool
kr_render_layer_same_place(const struct kr_render_layer *a, const struct kr_render_layer *b)
{
	const struct kr_buffer_desc *one, *other;

	if (!a->buffer || !b->buffer || a->hole != b->hole || a->no_content != b->no_content)
		return false;
	one = &kr_buffer_get_info(a->buffer)->desc;
	other = &kr_buffer_get_info(b->buffer)->desc;
	return one->width == other->width && one->height == other->height &&
		one->format == other->format &&
		memcmp(&a->frame, &b->frame, sizeof(a->frame)) == 0 &&
		memcmp(&a->crop, &b->crop, sizeof(a->crop)) == 0 && a->transform == b->transform &&
		a->blend == b->blend && a->alpha == b->alpha;
}

static void
add_box(pixman_region32_t *region, const pixman_box32_t *box)
{
	if (box->x1 < box->x2 && box->y1 < box->y2)
		pixman_region32_union_rect(region, region, box->x1, box->y1,
			(unsigned)(box->x2 - box->x1), (unsigned)(box->y2 - box->y1));
}

void
kr_render_layer_add_frame(const struct kr_render_layer *layer, uint32_t width, uint32_t height,
	pixman_region32_t *region)
{
	pixman_box32_t box;

	if (kr_render_frame_box(layer, width, height, &box))
		add_box(region, &box);
}

/* The pixels of the canvas, from *low on and before *high, where those from `first` on count. */
static void
find_damage(const struct kr_render_axis *axis, bool scaled, int32_t first, int32_t end,
	int32_t *low, int32_t *high)
{
	double margin = scaled ? 1 : 0;
	double from = KR_MAX(first, axis->first) - margin - axis->from;
	double to = KR_MIN(end, axis->last + 1) + margin - axis->from;
	double times = axis->length / axis->size, swap;

	if (axis->reversed) {
		swap = axis->size - from;
		from = axis->size - to;
		to = swap;
	}
	*low = (int32_t)fmax(*low, floor(axis->origin + from * times));
	*high = (int32_t)fmin(*high, ceil(axis->origin + to * times));
}

void
kr_render_layer_add_damage(const struct kr_render_layer *layer, uint32_t width, uint32_t height,
	const ARect *damage, pixman_region32_t *region)
{
	struct kr_render_place place;
	ARect turned = *damage;
	pixman_box32_t box;

	if (damage->left >= damage->right || damage->top >= damage->bottom || !layer->buffer ||
		!kr_render_frame_box(layer, width, height, &box))
		return;
	kr_render_place_find(layer, &place);
	if (place.turned)
		turned = (ARect){damage->top, damage->left, damage->bottom, damage->right};
	find_damage(&place.along, place.scaled, turned.left, turned.right, &box.x1, &box.x2);
	find_damage(&place.down, place.scaled, turned.top, turned.bottom, &box.y1, &box.y2);
	add_box(region, &box);
}

/*
 * Bytes a pixel that converting it counts as, beside those that it has: what takes more than moving
 * them.
 */
static double
convert_cost(uint32_t format)
{
	return format == AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT ||
			format == AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM
		? 8
		: 0;
}

/*
 * Bytes that fetching a source line moves, for the whole frame. Between pixels that are far from
 * each other lie bytes that nobody asked for, and page faults for them, which count twice. Of a
 * column each pixel is another line of the processor's cache, and another page; neighbouring
 * columns share these as long as they fit and the columns are close. (Measured: tests take no time,
 * so that a change here is to be measured again.)
 */
static double
line_cost(uint32_t format, const struct kr_render_place *place)
{
	const struct kr_render_axis *along = &place->along, *down = &place->down;
	double bytes = kr_format_bytes(format), step = down->size / down->length;
	double pixels = fmin(along->size, 2.0 * along->length),
	       work = pixels * convert_cost(format);

	if (!place->turned)
		return along->size * bytes * (along->size > pixels ? 2 : 1) + work;
	if (step * bytes * 4 < CACHE_LINE && pixels < CACHED_LINES)
		return pixels * bytes * 4 + work;
	return pixels * CACHE_LINE * 3 + work;
}

uint64_t
kr_render_layer_cost(const struct kr_render_layer *layer)
{
	const double pixel = sizeof(uint32_t);
	double blend = kr_render_layer_is_opaque(layer) ? 0 : pixel, lines = 1, scaling = 0;
	struct kr_render_place place;

	if (layer->frame.left >= layer->frame.right || layer->frame.top >= layer->frame.bottom)
		return 1;
	if (!layer->buffer || layer->no_content || layer->hole)
		return (uint64_t)(pixel + blend);
	kr_render_place_find(layer, &place);
	if (place.scaled) {
		lines = fmin(2, (place.down.size + 1) / place.down.length);
		scaling = 2 * pixel;
	}
	lines *= line_cost(kr_buffer_get_info(layer->buffer)->desc.format, &place) /
			place.along.length +
		scaling;
	return (uint64_t)fmax(ceil(lines + (place.scaled ? scaling : pixel) + blend), 1);
}

bool
kr_render_has_pixels(const struct kr_render_layer *layer)
{
	return layer->buffer && !layer->hole;
}
