/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Composing one picture. A screen's is drawn onto a canvas that stays, where it is stale; a virtual
 * display's into its output buffer, all of it, since nobody knows what is in that.
 *
 * What can't be read drops out of the picture, and a new plan is made without it. Where a layer was
 * left out is stale for the next picture.
 *
 * Where the device has a brush (gpu.c), it may take what is to be drawn; of a picture that it
 * serves layers have content which have none for the CPU. What it drew stays stale here.
 */
#include "hwc/picture.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "hwc/changes.h"
#include "util/clock.h"
#include "util/log.h"

/* Between pieces of so many bytes the display's thread looks whether it is to end. */
#define PIECE (UINT64_C(16) << 20)

static bool
is_virtual(const struct kr_soft_display *display)
{
	return display->state->type == KRAFLA_DISPLAY_VIRTUAL;
}

/* What the canvas doesn't have as it should be. */
static void
begin_stale(struct kr_soft_display *display, struct kr_soft_picture *picture)
{
	pixman_region32_t *stale = &display->stale;

	pixman_region32_union(&picture->changed, &picture->changed, &display->left_out);
	pixman_region32_union(&picture->damage, &picture->damage, &picture->changed);
	pixman_region32_union(stale, stale, &picture->changed);
	pixman_region32_union(&display->unpainted, &display->unpainted, &picture->changed);
	pixman_region32_clear(&picture->changed);
	pixman_region32_clear(&display->left_out);
	if (is_virtual(display))
		pixman_region32_union_rect(
			stale, stale, 0, 0, display->state->width, display->state->height);
}

static void
leave_out(struct kr_soft_display *display, struct kr_soft_picture *picture,
	struct kr_soft_layer *layer)
{
	kr_soft_add_frame(display, &layer->layer, &display->left_out);
	kr_soft_add_frame(display, &layer->layer, &picture->damage);
	kr_soft_add_frame(display, &layer->layer, &display->stale);
	kr_soft_add_frame(display, &layer->layer, &display->unpainted);
}

/* A buffer that is the picture as it is, but for who shows it. */
static bool
is_for_gpus_alone(const struct kr_render_plan *plan)
{
	const struct kr_soft_layer *layer = plan->source.owner;

	return plan->way == KR_RENDER_HAND_OVER && layer->no_pixels;
}

static void
plan(struct kr_soft_display *display, struct kr_soft_picture *picture, bool by_brush)
{
	struct kr_render_scene *scene = &display->scene;

	scene->width = display->state->width;
	scene->height = display->state->height;
	scene->order = display->canvas.order;
	scene->fixed_order = scene->must_draw = is_virtual(display);
	scene->has_alpha = display->canvas.has_alpha;
	scene->dataspace = display->canvas.dataspace;
	scene->wanted = picture->wanted;
	scene->stale = &display->stale;
	scene->count = 0;
	for (unsigned i = picture->count; i-- > 0;) {
		struct kr_soft_layer *layer = &picture->layers[i];

		if (layer->left_out)
			continue;
		scene->layers[scene->count] = layer->layer;
		scene->layers[scene->count].no_content |= layer->no_pixels && !by_brush;
		scene->layers[scene->count++].owner = layer;
	}
	if (scene->has_alpha)
		scene->layers[scene->count++] = (struct kr_render_layer){
			.frame = {0, 0, (int32_t)scene->width, (int32_t)scene->height},
			.blend = KR_RENDER_BLEND_NONE,
			.alpha = 1,
			.color = {0, 0, 0, 255},
		};
	kr_render_plan_make(&display->plan, scene);
	display->is_one_buffer = is_for_gpus_alone(&display->plan);
	if (!display->is_one_buffer)
		return;
	scene->must_draw = true;
	kr_render_plan_make(&display->plan, scene);
	scene->must_draw = is_virtual(display);
}

/* Where a lent buffer's pixels are, in use by the CPU from now on. */
static int
lend(struct kr_soft_picture *picture, const struct kr_render_plan *made)
{
	const struct kr_soft_layer *layer = made->source.owner;
	const struct kr_buffer_info *info = kr_buffer_get_info(made->source.buffer);
	void *data;
	int err = kr_buffer_map(made->source.buffer, &data);

	if (!err)
		err = kr_buffer_begin_cpu(info, KR_DMA_BUF_READ, 0);
	if (err)
		return err;
	picture->lent = made->source.buffer;
	picture->lent_layer = layer->handle;
	picture->format = info->desc.format;
	picture->row_bytes = info->row_bytes;
	picture->offset = (size_t)made->y * info->row_bytes +
		(size_t)made->x * kr_format_bytes(info->desc.format);
	picture->pixels = (const uint8_t *)data + picture->offset;
	return 0;
}

static int
draw(struct kr_soft_display *display, struct kr_soft_picture *picture,
	struct kr_soft_layer **failed)
{
	const struct kr_render_layer *which = NULL;
	struct kr_render_canvas *canvas = &display->canvas;
	int ret = kr_render_canvas_reserve(canvas);

	for (bool more = !ret; more;) {
		uint64_t budget = PIECE;

		ret = kr_render_draw(&display->plan, canvas, &budget, &picture->written, &which);
		more = ret > 0;
		if (more && display->ending)
			return -ECANCELED;
	}
	if (ret < 0) {
		*failed = which ? which->owner : NULL;
		return ret;
	}
	picture->pixels = canvas->pixels;
	picture->format = kr_render_canvas_format(canvas);
	picture->row_bytes = canvas->row_bytes;
	return 0;
}

static int
make(struct kr_soft_display *display, struct kr_soft_picture *picture,
	struct kr_soft_layer **failed)
{
	int err;

	*failed = NULL;
	switch (display->plan.way) {
	case KR_RENDER_NOTHING:
		return 0;
	case KR_RENDER_HAND_OVER:
		err = lend(picture, &display->plan);
		if (err)
			*failed = display->plan.source.owner;
		return err;
	case KR_RENDER_DRAW:
		return draw(display, picture, failed);
	}
	return -EINVAL;
}

static void
tell(const struct kr_soft_display *display, const struct kr_soft_layer *layer, int err)
{
	kr_error("composer: layer %" PRIu64 " of display %" PRIu64
		 " is left out: its buffer can't be read (%s)",
		layer->handle, display->state->handle, strerror(-err));
}

/* Whether the device's brush, if it has one, draws the picture; it is planned then. */
static bool
brush_takes(struct kr_soft_display *display, struct kr_soft_picture *picture, bool at_once)
{
	const struct kr_soft_brush *brush = display->device->brush;

	if (!brush || !picture->wanted || !brush->serves(display, at_once))
		return false;
	plan(display, picture, true);
	return display->plan.way == KR_RENDER_DRAW && brush->takes(display, at_once);
}

/* What has content for GPUs alone has none, and a brush that comes later may show it. */
static void
note_by_cpu(struct kr_soft_display *display, const struct kr_soft_picture *picture)
{
	bool lacks = false;

	if (!display->device->brush || !picture->wanted)
		return;
	for (unsigned i = 0; i < picture->count; i++)
		lacks |= picture->layers[i].no_pixels;
	display->lacks = lacks;
	display->by_brush = false;
}

static int
compose(struct kr_soft_display *display, struct kr_soft_picture *picture, bool at_once)
{
	const struct kr_soft_brush *brush = display->device->brush;

	begin_stale(display, picture);
	for (unsigned i = 0; i < picture->count; i++) {
		if (picture->layers[i].left_out)
			leave_out(display, picture, &picture->layers[i]);
	}
	if (brush_takes(display, picture, at_once)) {
		int err = at_once ? KR_SOFT_TOO_MUCH : brush->draw(display, picture);

		if (err != KR_SOFT_NOT_TAKEN || at_once)
			return err;
	}
	note_by_cpu(display, picture);
	/* Each turn but the last leaves one more out. */
	for (unsigned turn = 0; turn <= picture->count; turn++) {
		struct kr_soft_layer *failed;
		int err;

		plan(display, picture, false);
		if (at_once && display->plan.way == KR_RENDER_DRAW &&
			display->plan.cost > KR_SOFT_AT_ONCE_BYTES)
			return KR_SOFT_TOO_MUCH;
		picture->older |= display->plan.older;
		err = make(display, picture, &failed);
		if (!failed)
			return err;
		tell(display, failed, err);
		failed->left_out = true;
		leave_out(display, picture, failed);
	}
	return -EINVAL;
}

/* The canvas is the output buffer, for this picture. */
static int
open_output(struct kr_soft_display *display, struct kr_soft_picture *picture, bool at_once)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(picture->output);
	int64_t deadline = at_once ? 0 : kr_clock_now() + KR_SOFT_FENCE_NS;
	enum kr_pixels_order order;
	void *data;
	int err = kr_buffer_map(picture->output, &data);

	if (!err && !kr_render_order_of(info->desc.format, &order))
		err = -EOPNOTSUPP;
	if (!err)
		err = kr_render_canvas_wrap(&display->canvas, data, info->desc.width,
			info->desc.height, info->row_bytes, order,
			kr_render_has_alpha(info->desc.format));
	if (!err)
		err = kr_buffer_begin_cpu(info, KR_DMA_BUF_WRITE, deadline);
	return at_once && err == -ETIME ? KR_SOFT_TOO_MUCH : err;
}

int
kr_soft_compose(struct kr_soft_display *display, struct kr_soft_picture *picture, bool at_once)
{
	int err;

	if (!picture->output)
		return compose(display, picture, at_once);
	err = open_output(display, picture, at_once);
	if (err)
		return err;
	err = compose(display, picture, at_once);
	kr_buffer_end_cpu(kr_buffer_get_info(picture->output), KR_DMA_BUF_WRITE);
	return err;
}

void
kr_soft_picture_end(struct kr_soft_display *display, struct kr_soft_picture *picture)
{
	if (picture->lent)
		kr_buffer_end_cpu(kr_buffer_get_info(picture->lent), KR_DMA_BUF_READ);
	picture->lent = NULL;
	if (picture->drawn_in)
		display->device->brush->give_back(display, picture);
	picture->drawn_in = NULL;
}
