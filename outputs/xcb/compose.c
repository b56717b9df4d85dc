/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames that aren't shown as their buffer is: turned, scaled, or opaque in a window whose pixels
 * have alpha. X has no way to say that with a picture, so it is drawn into one of our own, which is
 * shown in the buffer's place.
 *
 * Pixman asks for each point of the picture where it comes from. That is: from the rectangle in
 * which the frame is shown to the turned image, by scaling; from there to the buffer, by turning
 * back what NATIVE_WINDOW_TRANSFORM_* says (flips first, then a quarter clockwise).
 */
#include "outputs/xcb/x_window.h"

#include <errno.h>
#include <krafla/native_window.h>
#include <pixman.h>
#include <stdlib.h>

/* Where a frame lies in the picture. */
struct place {
	uint32_t picture_width, picture_height;
	uint32_t turned_width, turned_height; /* of the image */
	int32_t x, y;
	uint32_t width, height;
};

static int32_t
aligned(uint8_t gravity, uint32_t room, uint32_t size)
{
	int32_t rest = (int32_t)room - (int32_t)size;

	switch (gravity) {
	case KR_GRAVITY_MAX:
		return rest;
	case KR_GRAVITY_CENTRED:
		return rest / 2;
	default:
		return 0;
	}
}

/* The largest size of the image's shape that fits. */
static void
fit(struct place *p)
{
	uint64_t across = (uint64_t)p->picture_width * p->turned_height;
	uint64_t down = (uint64_t)p->picture_height * p->turned_width;

	p->width = p->picture_width;
	p->height = p->picture_height;
	if (across < down)
		p->height = (uint32_t)KR_MAX(across / p->turned_width, UINT64_C(1));
	else
		p->width = (uint32_t)KR_MAX(down / p->turned_height, UINT64_C(1));
}

static struct place
place_of(const struct x_window *x, const struct x_pixels *pixels, const struct kr_frame *frame)
{
	const struct kr_presentation *how = &frame->presentation;
	bool side = frame->transform & NATIVE_WINDOW_TRANSFORM_ROT_90;
	struct place p = {
		.turned_width = side ? pixels->info.desc.height : pixels->info.desc.width,
		.turned_height = side ? pixels->info.desc.width : pixels->info.desc.height,
	};

	p.width = p.picture_width = p.turned_width;
	p.height = p.picture_height = p.turned_height;
	/* Nobody said how large: as it is, and what lies beside it is left alone. */
	if (how->scaling == KR_SCALING_WINDOW || !x->width || !x->height)
		return p;
	p.picture_width = x->width;
	p.picture_height = x->height;
	if (how->scaling == KR_SCALING_STRETCH) {
		p.width = x->width;
		p.height = x->height;
	} else if (how->scaling == KR_SCALING_ASPECT) {
		fit(&p);
	}
	p.x = aligned(how->gravity_x, p.picture_width, p.width);
	p.y = aligned(how->gravity_y, p.picture_height, p.height);
	return p;
}

bool
x_is_plain(const struct x_window *x, const struct x_pixels *pixels, const struct kr_frame *frame)
{
	const struct kr_presentation *how = &frame->presentation;

	if (frame->transform & 7 || (x->depth == 32 && how->alpha == KR_ALPHA_OPAQUE))
		return false;
	return how->scaling == KR_SCALING_WINDOW ||
		(x->width == pixels->info.desc.width && x->height == pixels->info.desc.height);
}

static pixman_transform_t
way_back(const struct place *p, const struct kr_frame *frame, double width, double height)
{
	double across = (double)p->turned_width / p->width;
	double down = (double)p->turned_height / p->height;
	struct pixman_f_transform t = {{{across, 0, 0}, {0, down, 0}, {0, 0, 1}}};
	pixman_transform_t fixed;

	if (frame->transform & NATIVE_WINDOW_TRANSFORM_ROT_90)
		t = (struct pixman_f_transform){{{0, down, 0}, {-across, 0, height}, {0, 0, 1}}};
	if (frame->transform & NATIVE_WINDOW_TRANSFORM_FLIP_H) {
		for (int i = 0; i < 3; i++)
			t.m[0][i] = -t.m[0][i];
		t.m[0][2] += width;
	}
	if (frame->transform & NATIVE_WINDOW_TRANSFORM_FLIP_V) {
		for (int i = 0; i < 3; i++)
			t.m[1][i] = -t.m[1][i];
		t.m[1][2] += height;
	}
	pixman_transform_from_pixman_f_transform(&fixed, &t);
	return fixed;
}

static void
draw(struct x_window *x, const struct x_pixels *pixels, const struct kr_frame *frame,
	const struct place *p, struct x_pixels *picture)
{
	const struct kr_buffer_desc *desc = &pixels->info.desc;
	bool blended = x->depth == 32 && frame->presentation.alpha != KR_ALPHA_OPAQUE;
	bool scaled = p->width != p->turned_width || p->height != p->turned_height;
	bool covered = p->width >= p->picture_width && p->height >= p->picture_height;
	const void *from = pixels->converted ? pixels->converted : pixels->source;
	pixman_transform_t back = way_back(p, frame, desc->width, desc->height);
	pixman_color_t black = {.alpha = 0xffff};
	pixman_rectangle16_t all = {0, 0, (uint16_t)p->picture_width, (uint16_t)p->picture_height};
	pixman_image_t *source = pixman_image_create_bits_no_clear(
		blended ? PIXMAN_a8r8g8b8 : PIXMAN_x8r8g8b8, (int)desc->width, (int)desc->height,
		(uint32_t *)(uintptr_t)from, (int)pixels->row_bytes);
	pixman_image_t *target =
		pixman_image_create_bits_no_clear(PIXMAN_a8r8g8b8, (int)p->picture_width,
			(int)p->picture_height, picture->converted, (int)picture->row_bytes);

	if (source && target) {
		pixman_image_set_transform(source, &back);
		pixman_image_set_repeat(source, PIXMAN_REPEAT_PAD);
		pixman_image_set_filter(
			source, scaled ? PIXMAN_FILTER_BILINEAR : PIXMAN_FILTER_NEAREST, NULL, 0);
		if (!covered)
			pixman_image_fill_rectangles(PIXMAN_OP_SRC, target, &black, 1, &all);
		pixman_image_composite32(PIXMAN_OP_SRC, source, NULL, target, 0, 0, 0, 0, p->x,
			p->y, (int32_t)p->width, (int32_t)p->height);
	}
	if (source)
		pixman_image_unref(source);
	if (target)
		pixman_image_unref(target);
}

/* The picture of a slot, of this size. 0 or -errno. */
static int
make_picture(struct x_window *x, struct x_pixels *pixels, const struct place *p)
{
	struct x_pixels *picture = pixels->picture;

	if (picture && picture->info.desc.width == p->picture_width &&
		picture->info.desc.height == p->picture_height)
		return 0;
	if (!picture)
		picture = calloc(1, sizeof(*picture));
	else
		x_pixels_finish(x, picture);
	pixels->picture = picture;
	return picture ? x_pixels_init_picture(x, picture, p->picture_width, p->picture_height)
		       : -ENOMEM;
}

int
x_compose(struct x_window *x, struct x_pixels *pixels, const struct kr_frame *frame,
	struct x_pixels **picture)
{
	struct place p = place_of(x, pixels, frame);
	int ret = x_pixels_map(pixels);

	if (!ret)
		ret = make_picture(x, pixels, &p);
	if (ret)
		return ret;
	draw(x, pixels, frame, &p, pixels->picture);
	*picture = pixels->picture;
	return 0;
}
