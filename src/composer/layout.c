/* SPDX-License-Identifier: Apache-2.0 */
/* See layout.h. */
#include "composer/layout.h"

#include <math.h>
#include <string.h>

#define ALL_TRANSFORMS 7 /* bits */

static const char *const names[] = {
	[KR_LAYOUT_NATIVE] = "native",
	[KR_LAYOUT_FIT] = "fit",
	[KR_LAYOUT_STRETCH] = "stretch",
	[KR_LAYOUT_GRID] = "grid",
};

bool
kr_layout_from_name(const char *name, enum kr_layout *layout)
{
	for (unsigned i = 0; i < KR_ARRAY_LEN(names); i++) {
		if (strcmp(name, names[i]) != 0)
			continue;
		*layout = (enum kr_layout)i;
		return true;
	}
	return false;
}

const char *
kr_layout_name(enum kr_layout layout)
{
	return names[layout];
}

/* By transform. */
static const char *const turns[ALL_TRANSFORMS + 1] = {
	[0] = "0",
	[NATIVE_WINDOW_TRANSFORM_FLIP_H] = "mirror",
	[NATIVE_WINDOW_TRANSFORM_FLIP_V] = "mirror-180",
	[NATIVE_WINDOW_TRANSFORM_ROT_180] = "180",
	[NATIVE_WINDOW_TRANSFORM_ROT_90] = "90",
	[NATIVE_WINDOW_TRANSFORM_FLIP_H | NATIVE_WINDOW_TRANSFORM_ROT_90] = "mirror-90",
	[NATIVE_WINDOW_TRANSFORM_FLIP_V | NATIVE_WINDOW_TRANSFORM_ROT_90] = "mirror-270",
	[NATIVE_WINDOW_TRANSFORM_ROT_270] = "270",
};

bool
kr_layout_turn_from_name(const char *name, int32_t *transform)
{
	for (int32_t i = 0; i <= ALL_TRANSFORMS; i++) {
		if (strcmp(name, turns[i]) != 0)
			continue;
		*transform = i;
		return true;
	}
	return false;
}

const char *
kr_layout_turn_name(int32_t transform)
{
	return turns[transform & ALL_TRANSFORMS];
}

bool
kr_layout_place_is_valid(const struct kr_layout_place *place)
{
	const uint32_t all =
		KR_PLACE_POSITION | KR_PLACE_SIZE | KR_PLACE_Z | KR_PLACE_ALPHA | KR_PLACE_VISIBLE;

	if (place->set & ~all)
		return false;
	if (place->set & KR_PLACE_POSITION &&
		(place->x < -KR_PLACE_MAX || place->x > KR_PLACE_MAX || place->y < -KR_PLACE_MAX ||
			place->y > KR_PLACE_MAX))
		return false;
	if (place->set & KR_PLACE_SIZE &&
		(!place->width || !place->height || place->width > KR_PLACE_MAX ||
			place->height > KR_PLACE_MAX))
		return false;
	/* Written so that it isn't true of what is no number. */
	return !(place->set & KR_PLACE_ALPHA) || (place->alpha >= 0 && place->alpha <= 1);
}

void
kr_layout_place_merge(struct kr_layout_place *place, const struct kr_layout_place *over)
{
	if (over->set & KR_PLACE_POSITION) {
		place->x = over->x;
		place->y = over->y;
	}
	if (over->set & KR_PLACE_SIZE) {
		place->width = over->width;
		place->height = over->height;
	}
	if (over->set & KR_PLACE_Z)
		place->z = over->z;
	if (over->set & KR_PLACE_ALPHA)
		place->alpha = over->alpha;
	if (over->set & KR_PLACE_VISIBLE)
		place->visible = over->visible;
	place->set |= over->set;
}

/* The crop within the buffer; all of it when the crop is empty or lies outside. */
static android_native_rect_t
source_of(const struct kr_layout_shape *shape)
{
	const android_native_rect_t all = {
		0, 0, (int32_t)shape->buffer_width, (int32_t)shape->buffer_height};
	android_native_rect_t r = shape->crop;

	r.left = KR_MAX(r.left, 0);
	r.top = KR_MAX(r.top, 0);
	r.right = KR_MIN(r.right, all.right);
	r.bottom = KR_MIN(r.bottom, all.bottom);
	return r.left < r.right && r.top < r.bottom ? r : all;
}

void
kr_layout_shape_size(const struct kr_layout_shape *shape, uint32_t *width, uint32_t *height)
{
	const android_native_rect_t source = source_of(shape);
	bool turned = shape->transform & NATIVE_WINDOW_TRANSFORM_ROT_90;
	uint32_t w = (uint32_t)(source.right - source.left);
	uint32_t h = (uint32_t)(source.bottom - source.top);

	*width = turned ? h : w;
	*height = turned ? w : h;
}

bool
kr_layout_window_size(const struct kr_layout_shape *shape, uint32_t *width, uint32_t *height)
{
	bool sized = shape->window_width && shape->window_height;
	bool plain = shape->scaling == KR_SCALING_WINDOW;

	kr_layout_shape_size(shape, width, height);
	if (plain && shape->scaling_mode == NATIVE_WINDOW_SCALING_MODE_FREEZE)
		return true;
	if (sized) {
		*width = KR_MIN(shape->window_width, (uint32_t)KR_PLACE_MAX);
		*height = KR_MIN(shape->window_height, (uint32_t)KR_PLACE_MAX);
	}
	return sized || !plain || shape->scaling_mode == NATIVE_WINDOW_SCALING_MODE_NO_SCALE_CROP;
}

/* What the layout gives a window to lie in. */
static android_native_rect_t
cell_of(const struct kr_layout_room *room)
{
	int32_t width = (int32_t)room->width, height = (int32_t)room->height;
	int32_t columns, rows, column, row;

	if (room->layout != KR_LAYOUT_GRID)
		return (android_native_rect_t){0, 0, width, height};
	columns = (int32_t)ceil(sqrt(room->count));
	rows = ((int32_t)room->count + columns - 1) / columns;
	column = (int32_t)room->index % columns;
	row = (int32_t)room->index / columns;
	return (android_native_rect_t){
		.left = width * column / columns,
		.top = height * row / rows,
		.right = width * (column + 1) / columns,
		.bottom = height * (row + 1) / rows,
	};
}

/* The size of the window, 1 at least. */
static void
find_size(const struct kr_layout_room *room, const struct kr_layout_shape *shape,
	const android_native_rect_t *cell, int32_t *width, int32_t *height)
{
	int32_t across = cell->right - cell->left, down = cell->bottom - cell->top;
	uint32_t w, h;
	double scale;
	bool sized = kr_layout_window_size(shape, &w, &h);

	*width = (int32_t)w;
	*height = (int32_t)h;
	if (room->place->set & KR_PLACE_SIZE) {
		*width = (int32_t)room->place->width;
		*height = (int32_t)room->place->height;
	} else if (room->layout == KR_LAYOUT_FIT || room->layout == KR_LAYOUT_GRID) {
		scale = fmin((double)across / w, (double)down / h);
		*width = KR_MAX((int32_t)lround(w * scale), 1);
		*height = KR_MAX((int32_t)lround(h * scale), 1);
	} else if (room->layout == KR_LAYOUT_STRETCH || !sized) {
		*width = KR_MAX(across, 1);
		*height = KR_MAX(down, 1);
	}
}

/* The middle of what is left, or of what is too much: rounded down in both cases. */
static int32_t
middle(int32_t from, int32_t to, int32_t size)
{
	int32_t left = to - from - size;

	return from + (left >= 0 ? left / 2 : -(-left / 2));
}

/* A direction of the window: where `size` pixels of what the frame shows begin and end in it. */
struct stretch {
	double at;
	double length;
};

/* By the native window's scaling mode. */
static void
find_content(const struct kr_layout_shape *shape, int32_t width, int32_t height, struct stretch *x,
	struct stretch *y)
{
	uint32_t w, h;
	double fill;

	kr_layout_shape_size(shape, &w, &h);
	*x = (struct stretch){0, width};
	*y = (struct stretch){0, height};
	if (shape->scaling_mode == NATIVE_WINDOW_SCALING_MODE_NO_SCALE_CROP) {
		x->length = w;
		y->length = h;
	} else if (shape->scaling_mode == NATIVE_WINDOW_SCALING_MODE_SCALE_CROP) {
		fill = fmax((double)width / w, (double)height / h);
		*x = (struct stretch){(width - w * fill) / 2, w * fill};
		*y = (struct stretch){(height - h * fill) / 2, h * fill};
	}
}

/* Where `size` pixels of a window of `own` lie, and then in its place, between whole pixels. */
static struct stretch
pull(uint8_t gravity, int32_t size, int32_t own, int32_t place)
{
	int32_t at = 0;
	double times = (double)place / own;
	struct stretch content;

	if (gravity == KR_GRAVITY_MAX)
		at = own - size;
	else if (gravity == KR_GRAVITY_CENTRED)
		at = middle(0, own, size);
	content.at = round(at * times);
	content.length = fmax(round((at + size) * times) - content.at, 1);
	return content;
}

/* By a swapchain's scaling and gravity. */
static void
find_scaled(const struct kr_layout_shape *shape, int32_t width, int32_t height, struct stretch *x,
	struct stretch *y)
{
	uint32_t w, h, across, down;
	double scale;

	kr_layout_shape_size(shape, &w, &h);
	(void)kr_layout_window_size(shape, &across, &down);
	if (shape->scaling == KR_SCALING_STRETCH) {
		w = across;
		h = down;
	} else if (shape->scaling == KR_SCALING_ASPECT) {
		scale = fmin((double)across / w, (double)down / h);
		w = (uint32_t)KR_MAX(lround(w * scale), 1);
		h = (uint32_t)KR_MAX(lround(h * scale), 1);
	}
	*x = pull(shape->gravity_x, (int32_t)w, (int32_t)across, width);
	*y = pull(shape->gravity_y, (int32_t)h, (int32_t)down, height);
}

/* What of 0..1 of the content lies between two pixels of the picture. */
static void
share(const struct stretch *content, int32_t window, int32_t from, int32_t to, double *a, double *b)
{
	*a = (from - window - content->at) / content->length;
	*b = (to - window - content->at) / content->length;
}

static void
flip(double *a, double *b)
{
	double kept = *a;

	*a = 1 - *b;
	*b = 1 - kept;
}

/* From the window back to the buffer: flips come before the turn, clockwise. */
static void
find_source(const struct kr_layout_shape *shape, double u0, double u1, double v0, double v1,
	struct kr_layout_spot *spot)
{
	const android_native_rect_t source = source_of(shape);
	double width = source.right - source.left, height = source.bottom - source.top;
	double s0 = u0, s1 = u1, t0 = v0, t1 = v1;

	if (shape->transform & NATIVE_WINDOW_TRANSFORM_ROT_90) {
		s0 = v0;
		s1 = v1;
		t0 = u0;
		t1 = u1;
		flip(&t0, &t1);
	}
	if (shape->transform & NATIVE_WINDOW_TRANSFORM_FLIP_H)
		flip(&s0, &s1);
	if (shape->transform & NATIVE_WINDOW_TRANSFORM_FLIP_V)
		flip(&t0, &t1);
	spot->left = (float)(source.left + s0 * width);
	spot->right = (float)(source.left + s1 * width);
	spot->top = (float)(source.top + t0 * height);
	spot->bottom = (float)(source.top + t1 * height);
}

static void
cut_empty(android_native_rect_t *rect)
{
	if (rect->left >= rect->right || rect->top >= rect->bottom)
		*rect = (android_native_rect_t){0};
}

void
kr_layout_find(const struct kr_layout_room *room, const struct kr_layout_shape *shape,
	struct kr_layout_spot *spot)
{
	const android_native_rect_t cell = cell_of(room);
	android_native_rect_t *window = &spot->window, *frame = &spot->frame;
	struct stretch x, y;
	int32_t width, height;
	double u0, u1, v0, v1;

	*spot = (struct kr_layout_spot){0};
	find_size(room, shape, &cell, &width, &height);
	window->left = room->place->set & KR_PLACE_POSITION ? room->place->x
							    : middle(cell.left, cell.right, width);
	window->top = room->place->set & KR_PLACE_POSITION ? room->place->y
							   : middle(cell.top, cell.bottom, height);
	window->right = window->left + width;
	window->bottom = window->top + height;
	spot->transform = shape->transform & ALL_TRANSFORMS;
	spot->seen = (android_native_rect_t){
		.left = KR_MAX(window->left, 0),
		.top = KR_MAX(window->top, 0),
		.right = KR_MIN(window->right, (int32_t)room->width),
		.bottom = KR_MIN(window->bottom, (int32_t)room->height),
	};
	cut_empty(&spot->seen);
	if (shape->scaling == KR_SCALING_WINDOW)
		find_content(shape, width, height, &x, &y);
	else
		find_scaled(shape, width, height, &x, &y);
	*frame = (android_native_rect_t){
		.left = KR_MAX(spot->seen.left, window->left + (int32_t)floor(x.at)),
		.top = KR_MAX(spot->seen.top, window->top + (int32_t)floor(y.at)),
		.right = KR_MIN(spot->seen.right, window->left + (int32_t)ceil(x.at + x.length)),
		.bottom = KR_MIN(spot->seen.bottom, window->top + (int32_t)ceil(y.at + y.length)),
	};
	cut_empty(frame);
	if (frame->left == frame->right)
		return;
	share(&x, window->left, frame->left, frame->right, &u0, &u1);
	share(&y, window->top, frame->top, frame->bottom, &v0, &v1);
	find_source(shape, u0, u1, v0, v1, spot);
}

int32_t
kr_layout_join_transforms(int32_t first, int32_t then)
{
	const int32_t turn = NATIVE_WINDOW_TRANSFORM_ROT_90;
	const int32_t flip_h = NATIVE_WINDOW_TRANSFORM_FLIP_H;
	const int32_t flip_v = NATIVE_WINDOW_TRANSFORM_FLIP_V;
	int32_t flips = then & (flip_h | flip_v);

	/* A flip after a turn is the other flip before it; two turns are both flips. */
	if (first & turn && (flips == flip_h || flips == flip_v))
		flips ^= flip_h | flip_v;
	if (first & then & turn)
		flips ^= flip_h | flip_v;
	return (first & (flip_h | flip_v)) ^ flips ^ ((first ^ then) & turn);
}

int32_t
kr_layout_invert_transform(int32_t transform)
{
	/* Of the others each undoes itself. */
	if (transform == NATIVE_WINDOW_TRANSFORM_ROT_90 ||
		transform == NATIVE_WINDOW_TRANSFORM_ROT_270)
		return transform ^ NATIVE_WINDOW_TRANSFORM_ROT_180;
	return transform;
}

int32_t
kr_layout_content_transform(int32_t of_frame, int32_t of_screen)
{
	int32_t own = of_frame & ALL_TRANSFORMS;

	return of_frame & NATIVE_WINDOW_TRANSFORM_INVERSE_DISPLAY
		? kr_layout_join_transforms(own, kr_layout_invert_transform(of_screen))
		: own;
}

static void
turn_rect(android_native_rect_t *rect, int32_t transform, int32_t width, int32_t height)
{
	android_native_rect_t r = *rect;

	if (r.left == r.right)
		return;
	if (transform & NATIVE_WINDOW_TRANSFORM_FLIP_H) {
		r.left = width - rect->right;
		r.right = width - rect->left;
	}
	if (transform & NATIVE_WINDOW_TRANSFORM_FLIP_V) {
		r.top = height - rect->bottom;
		r.bottom = height - rect->top;
	}
	*rect = transform & NATIVE_WINDOW_TRANSFORM_ROT_90
		? (android_native_rect_t){height - r.bottom, r.left, height - r.top, r.right}
		: r;
}

void
kr_layout_turn(struct kr_layout_spot *spot, int32_t transform, uint32_t width, uint32_t height)
{
	turn_rect(&spot->frame, transform, (int32_t)width, (int32_t)height);
	turn_rect(&spot->seen, transform, (int32_t)width, (int32_t)height);
	spot->transform = kr_layout_join_transforms(spot->transform, transform);
}
