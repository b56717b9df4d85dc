/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See prepare.h.
 *
 * How much a pixel costs is up to its producer (format, scale, turns), and a tick can't take all of
 * it. The work of a tick is a number of bytes for each pixel of the picture; no time is measured,
 * so that the same frames are drawn at the same tick whatever else a machine does. A frame whose
 * pixels take more than that isn't put on screen at once: what is seen of it is drawn beside, a
 * piece a tick, and comes on screen when it is whole; until then the frame before it stays. One
 * frame at a time, however many producers there are, and in turns, so that each gets its own: in
 * the order of the list, beginning after the last one. All that they take of a tick together is a
 * part of its work.
 *
 * A frame waits out of its queue here, because a later one may not take its place any more: a
 * producer that always has a newer one would never be shown. One that nobody sees is shown as it
 * is, because that costs nothing; when it is uncovered it is prepared, and shown then.
 */
#include "composer/prepare.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>

#include "colour/space.h"
#include "composer/display.h"
#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/fd.h"

void
kr_preparation_init(struct kr_preparation *preparation)
{
	preparation->into.fence = -1;
	kr_render_plan_init(&preparation->plan);
	pixman_region32_init(&preparation->stale);
}

void
kr_preparation_finish(struct kr_preparation *preparation)
{
	kr_prepared_finish(&preparation->into);
	kr_render_canvas_finish(&preparation->canvas);
	kr_render_plan_finish(&preparation->plan);
	pixman_region32_fini(&preparation->stale);
}

void
kr_preparation_set_size(struct kr_preparation *preparation, uint32_t width, uint32_t height)
{
	preparation->least = preparation->work =
		KR_MAX((uint64_t)width * height * KR_PREPARE_PIXEL_BYTES, KR_PREPARE_LEAST_BYTES);
}

/* Whether there is one producer at most. */
static bool
is_alone(const struct kr_display *display)
{
	const struct kr_list *producers = &display->producers;

	return producers->next == producers->prev;
}

void
kr_preparation_begin_tick(struct kr_display *display)
{
	struct kr_preparation *preparation = &display->preparation;

	preparation->spent = 0;
	preparation->work = preparation->least * (is_alone(display) ? KR_PREPARE_ALONE : 1);
}

static struct kr_render_layer
layer_of(const struct kr_frame *frame, const struct kr_layout_spot *spot)
{
	return (struct kr_render_layer){
		.buffer = frame->buffer,
		.crop = {spot->left, spot->top, spot->right, spot->bottom},
		.frame = {spot->frame.left, spot->frame.top, spot->frame.right, spot->frame.bottom},
		.transform = spot->transform,
		.blend = (int32_t)kr_producer_frame_blend(frame),
		.alpha = 1,
		.dataspace = kr_colour_is_known(frame->dataspace) ? frame->dataspace : 0,
	};
}

static bool
is_covered(const android_native_rect_t *box, pixman_region32_t *covered)
{
	pixman_box32_t at = {box->left, box->top, box->right, box->bottom};

	return box->left >= box->right ||
		pixman_region32_contains_rectangle(covered, &at) == PIXMAN_REGION_IN;
}

static bool
spares(const struct kr_producer *producer, const struct kr_frame *frame,
	const struct kr_layout_spot *spot, pixman_region32_t *covered)
{
	const struct kr_display *display = producer->display;
	struct kr_render_layer layer;
	uint64_t pixels = (uint64_t)display->width * display->height;

	if (display->config.clock == KR_CLOCK_VIRTUAL || frame->no_pixels || !producer->visible ||
		kr_display_draws_by_gpu(display, frame) || is_covered(&spot->frame, covered) ||
		!kr_display_wants(display).every)
		return true;
	layer = layer_of(frame, spot);
	/* What can't be drawn at all is told by who tries. */
	return kr_render_layer_check(&layer) ||
		kr_render_layer_cost(&layer) <= display->preparation.work / pixels;
}

bool
kr_preparation_spares(const struct kr_producer *producer, const struct kr_frame *frame,
	pixman_region32_t *covered)
{
	const struct kr_display *display = producer->display;
	const struct kr_layout_shape shape = kr_display_shape(display, frame);
	struct kr_layout_spot spot;

	kr_producer_find_spot(producer, &shape, display->width, display->height, &spot);
	return spares(producer, frame, &spot, covered);
}

/* Of the frames on screen those that are seen now, or elsewhere, and can't be shown as they are. */
static void
find_uncovered(struct kr_display *display)
{
	struct kr_producer *producer;
	pixman_region32_t covered;

	pixman_region32_init(&covered);
	kr_list_for_each_back (producer, &display->stack, in_stack) {
		if (producer->on_screen && producer->placed && !producer->failed) {
			bool ready =
				spares(producer, &producer->current, &producer->spot, &covered);
			bool prepared = kr_producer_is_prepared(producer) &&
				kr_producer_prepared_fits(producer);

			producer->unready = !ready && !prepared;
		}
		kr_producer_add_cover(producer, &covered);
	}
	pixman_region32_fini(&covered);
}

/* The next producer, in turn, of whom a frame has to be prepared. */
static struct kr_producer *
next_in_turn(struct kr_display *display)
{
	struct kr_producer *producer, *next = NULL;

	kr_list_for_each (producer, &display->producers, link) {
		bool current = producer->unready || producer->again;

		if ((producer->costly || (current && !producer->staging)) &&
			(!next || producer->staged_at < next->staged_at))
			next = producer;
	}
	return next;
}

/* As the display's pictures are, but with alpha of more than two bits. */
static uint32_t
format_of(const struct kr_display *display, bool has_alpha)
{
	uint32_t wide = kr_render_wide_format(display->config.dataspace);

	if (wide)
		return has_alpha ? AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT : wide;
	return has_alpha ? AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM
			 : AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM;
}

/* A buffer of that size that nobody reads: the producer's last one, or a new one. */
static int
take_buffer(struct kr_producer *producer, uint32_t width, uint32_t height, bool has_alpha,
	struct kr_prepared *prepared)
{
	const struct kr_buffer_desc desc = {
		.width = width,
		.height = height,
		.layers = 1,
		.format = format_of(producer->display, has_alpha),
		.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
			AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN |
			AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY,
	};
	struct kr_prepared *spare = &producer->spare;

	if (spare->buffer && spare->width == width && spare->height == height &&
		spare->has_alpha == has_alpha && producer->spare_since < producer->display->ticks &&
		kr_fence_status(spare->fence) != KR_FENCE_ACTIVE) {
		*prepared = *spare;
		kr_fd_close(&prepared->fence);
		*spare = (struct kr_prepared){.fence = -1};
		return 0;
	}
	kr_prepared_finish(spare);
	prepared->width = width;
	prepared->height = height;
	prepared->has_alpha = has_alpha;
	prepared->dataspace =
		kr_colour_resolve(producer->display->config.dataspace, HAL_DATASPACE_SRGB);
	prepared->fence = -1;
	return kr_buffer_allocate(&desc, &prepared->buffer);
}

/* The scene is the frame alone, with the top left of what is seen of it in the buffer's corner. */
static int
start(struct kr_preparation *preparation, const struct kr_frame *frame,
	const struct kr_layout_spot *spot)
{
	struct kr_prepared *into = &preparation->into;
	const struct kr_buffer_info *info;
	struct kr_render_scene scene = {
		.order = KR_PIXELS_XBGR,
		.fixed_order = true,
		.wanted = true,
		.must_draw = true,
		.has_alpha = kr_producer_frame_blend(frame) != KRAFLA_BLEND_NONE,
		.stale = &preparation->stale,
		.count = 1,
	};
	void *data;
	int err;

	scene.width = (uint32_t)(spot->frame.right - spot->frame.left);
	scene.height = (uint32_t)(spot->frame.bottom - spot->frame.top);
	scene.dataspace = preparation->producer->display->config.dataspace;
	err = take_buffer(preparation->producer, scene.width, scene.height, scene.has_alpha, into);
	if (!err)
		err = kr_buffer_map(into->buffer, &data);
	if (err)
		return err;
	info = kr_buffer_get_info(into->buffer);
	into->spot = *spot;
	err = kr_render_canvas_wrap_colour(&preparation->canvas, data, scene.width, scene.height,
		info->row_bytes, info->desc.format, into->dataspace, scene.has_alpha);
	if (err)
		return err;
	scene.layers[0] = layer_of(frame, spot);
	scene.layers[0].frame = (ARect){0, 0, (int32_t)scene.width, (int32_t)scene.height};
	pixman_region32_fini(&preparation->stale);
	pixman_region32_init_rect(&preparation->stale, 0, 0, scene.width, scene.height);
	kr_render_plan_make(&preparation->plan, &scene);
	return 0;
}

/* Whether there is one to work on now. */
static bool
begin(struct kr_display *display)
{
	struct kr_preparation *preparation = &display->preparation;
	struct kr_producer *producer = next_in_turn(display);
	const struct kr_frame *frame;
	struct kr_layout_shape shape;
	struct kr_layout_spot spot;
	int err;

	if (!producer)
		return false;
	preparation->of_current = !producer->costly;
	if (!preparation->of_current && !kr_producer_stage(producer))
		return false;
	producer->costly = producer->unready = producer->again = false;
	producer->staged_at = ++preparation->turns;
	preparation->producer = producer;
	frame = preparation->of_current ? &producer->current : &producer->coming;
	shape = kr_display_shape(display, frame);
	kr_producer_find_spot(producer, &shape, display->width, display->height, &spot);
	err = start(preparation, frame, &spot);
	if (err) {
		kr_producer_refuse(producer, err);
		kr_prepared_finish(&preparation->into);
	}
	return true;
}

/* Whether it is as far as it can be: whole, or not to be had. */
static bool
work(struct kr_preparation *preparation, uint64_t *budget)
{
	const struct kr_render_layer *failed;
	uint64_t written = 0;
	int done;

	if (!preparation->into.buffer)
		return true;
	done = kr_render_draw(&preparation->plan, &preparation->canvas, budget, &written, &failed);
	if (done < 0) {
		kr_producer_refuse(preparation->producer, done);
		kr_prepared_finish(&preparation->into);
	}
	return done <= 0;
}

/* What was prepared is what the producer shows. */
static void
finish(struct kr_display *display)
{
	struct kr_preparation *preparation = &display->preparation;
	struct kr_producer *producer = preparation->producer;
	struct kr_prepared into = preparation->into;

	preparation->producer = NULL;
	preparation->into = (struct kr_prepared){.fence = -1};
	if (into.buffer)
		into.serial = ++display->serials;
	if (preparation->of_current)
		kr_producer_show_prepared(producer, &into);
	else
		kr_producer_show_staged(producer, &into);
}

bool
kr_preparation_run(struct kr_display *display)
{
	struct kr_preparation *preparation = &display->preparation;
	uint64_t whole = preparation->work / KR_PREPARE_PART, budget = whole;
	bool changed = false;

	find_uncovered(display);
	while (budget && (preparation->producer || begin(display)) && work(preparation, &budget)) {
		finish(display);
		changed = true;
	}
	preparation->spent += whole - budget;
	return changed;
}
