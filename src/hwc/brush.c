/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pictures of device `gpu` a painter draws, and having them drawn.
 *
 *   something that is seen is for GPUs alone          the painter, if there is one
 *   device gpu:forced                                 the painter
 *   no layer that is seen has memory of a GPU         the CPU: the painter would have to be given
 *                                                     all pixels first
 *   the CPU would read and write less than            the CPU: to ask another process takes as long
 *   KR_BRUSH_LEAST_BYTES
 *   one layer, pixel for pixel                        the CPU: its producer's own copy is enough
 *   else                                              the painter
 *
 * Pictures that nobody draws (nothing is wanted, or it is one buffer as it is) never come here.
 */
#include "hwc/brush.h"

#include <errno.h>
#include <krafla/native_window.h>
#include <string.h>
#include <sys/epoll.h>

#include "colour/space.h"
#include "gralloc/buffer.h"
#include "hwc/easel/easel.h"
#include "hwc/soft_device.h"
#include "hwc/way.h"
#include "render/place.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"

/* Bytes that the CPU would read and write for a picture. */
#define KR_BRUSH_LEAST_BYTES (UINT64_C(2) << 20)

static bool
is_patient(const struct kr_soft_display *display)
{
	return display->device->forced || display->device->fixed;
}

/* --- displays --- */

static int
begin(struct kr_soft_display *display)
{
	struct kr_soft *soft = display->device;
	struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = display}};
	int err = 0;

	display->easel = soft->first;
	soft->first = NULL;
	if (!display->easel)
		err = kr_easel_create(soft->forced, &display->easel);
	if (err)
		return err;
	if (!epoll_ctl(soft->epoll, EPOLL_CTL_ADD, kr_easel_get_fd(display->easel), &event))
		return 0;
	err = -errno;
	kr_easel_destroy(display->easel);
	display->easel = NULL;
	return err;
}

static void
end(struct kr_soft_display *display)
{
	kr_easel_destroy(display->easel);
	display->easel = NULL;
}

/* Whoever waits for what is new is told: he may look, or make a picture. */
static void
tell(struct kr_soft_display *display)
{
	const struct kr_hwc_host *host = display->device->host;

	host->wake(host);
	if (kr_easel_get_state(display->easel) == KR_EASEL_READY &&
		atomic_exchange(&display->lacks, false))
		host->refresh(host, display->state->handle);
}

static void
work(struct kr_soft_display *display)
{
	kr_easel_look(display->easel);
	tell(display);
}

/* --- which pictures --- */

static bool
serves(struct kr_soft_display *display, bool at_once)
{
	if (!display->device->possible || display->decision == KR_SOFT_BY_CPU)
		return false;
	if (!at_once && kr_easel_get_state(display->easel) != KR_EASEL_EMPTY)
		kr_easel_look(display->easel);
	switch (kr_easel_get_state(display->easel)) {
	case KR_EASEL_EMPTY:
	case KR_EASEL_READY:
		return true;
	case KR_EASEL_STARTING:
		return is_patient(display);
	case KR_EASEL_GIVEN_UP:
		break;
	}
	return false;
}

static bool
has_buffer(const struct kr_render_layer *layer)
{
	return layer->buffer && !layer->no_content && !layer->hole;
}

static bool
needs_gpu(const struct kr_render_layer *layer)
{
	const struct kr_soft_layer *owner = layer->owner;

	return has_buffer(layer) && owner && owner->no_pixels;
}

static bool
has_gpu_memory(const struct kr_render_layer *layer)
{
	return has_buffer(layer) && kr_buffer_get_info(layer->buffer)->gpu;
}

static bool
is_plain(const struct kr_render_part *part)
{
	struct kr_render_place place;

	if (!part->opaque)
		return false;
	kr_render_place_find(&part->layer, &place);
	return kr_render_place_is_plain(&place);
}

/* By the table above, but for what is for GPUs alone. */
static bool
is_cheaper(const struct kr_soft_display *display)
{
	const struct kr_render_plan *plan = &display->plan;
	unsigned buffers = 0, plain = 0, of_gpu = 0;

	if (display->device->forced)
		return true;
	for (unsigned i = 0; i < plan->count; i++) {
		const struct kr_render_part *part = &plan->parts[i];

		if (!has_buffer(&part->layer))
			continue;
		buffers++;
		plain += is_plain(part);
		of_gpu += has_gpu_memory(&part->layer);
	}
	return of_gpu && plan->cost >= KR_BRUSH_LEAST_BYTES && (buffers > 1 || !plain);
}

/* The painter knows sRGB alone so far. */
static bool
has_other_colours(const struct kr_soft_display *display)
{
	const struct kr_render_plan *plan = &display->plan;

	for (unsigned i = 0; i < plan->count; i++) {
		if (kr_colour_resolve(plan->parts[i].layer.dataspace, plan->dataspace) !=
			HAL_DATASPACE_SRGB)
			return true;
	}
	return plan->dataspace != HAL_DATASPACE_SRGB;
}

static bool
takes(struct kr_soft_display *display, bool at_once)
{
	bool taken;

	if (has_other_colours(display))
		return false;
	display->chosen = is_cheaper(display);
	taken = display->chosen;
	for (unsigned i = 0; i < display->plan.count; i++)
		taken |= needs_gpu(&display->plan.parts[i].layer);
	if (!taken && display->device->fixed && display->decision == KR_SOFT_UNDECIDED)
		display->decision = KR_SOFT_BY_CPU;
	return taken;
}

/* --- drawing --- */

/* Memory that says on which device the painter has to be. */
static const struct kr_gpu_memory *
find_memory(const struct kr_soft_display *display)
{
	for (unsigned i = 0; i < display->plan.count; i++) {
		const struct kr_render_layer *layer = &display->plan.parts[i].layer;

		if (has_gpu_memory(layer))
			return kr_buffer_get_info(layer->buffer)->gpu;
	}
	return NULL;
}

/* Whether there is a painter now. -ECANCELED. */
static int
get_ready(struct kr_soft_display *display)
{
	enum kr_easel_state state;

	kr_easel_start(display->easel, find_memory(display));
	if (is_patient(display) && kr_easel_wait(display->easel, display->stop))
		return -ECANCELED;
	state = kr_easel_get_state(display->easel);
	if (display->device->fixed && display->decision == KR_SOFT_UNDECIDED)
		display->decision = state == KR_EASEL_READY ? KR_SOFT_BY_BRUSH : KR_SOFT_BY_CPU;
	return state == KR_EASEL_READY ? 0 : KR_SOFT_NOT_TAKEN;
}

/* What its canvas lacks is what has no content. */
static void
note_painted(struct kr_soft_display *display, struct kr_soft_picture *picture, bool all)
{
	struct kr_render_scene *scene = &display->scene;
	struct kr_render_plan *plan = &display->plan;
	pixman_region32_t *left = &display->unpainted;

	if (all)
		pixman_region32_union_rect(left, left, 0, 0, scene->width, scene->height);
	scene->stale = left;
	scene->must_draw = true;
	kr_render_plan_make(plan, scene);
	picture->older |= plan->older;
	for (unsigned i = 0; i < plan->count; i++)
		pixman_region32_subtract(left, left, &plan->parts[i].visible);
	pixman_region32_subtract(left, left, &plan->bare);
}

/* A virtual display's picture goes into its output buffer, which the canvas is now. */
static void
copy_picture(struct kr_soft_display *display, const struct kr_easel_picture *drawn)
{
	struct kr_render_canvas *canvas = &display->canvas;

	for (uint32_t y = 0; y < canvas->height; y++)
		memcpy(canvas->pixels + (size_t)y * canvas->row_bytes,
			(const uint8_t *)drawn->pixels + (size_t)y * drawn->row_bytes,
			(size_t)canvas->width * sizeof(uint32_t));
	kr_easel_give_back(display->easel, drawn->ring, -1);
	kr_buffer_unref(drawn->buffer);
}

static void
take_picture(struct kr_soft_display *display, struct kr_soft_picture *picture,
	const struct kr_easel_request *request, const struct kr_easel_picture *drawn)
{
	if (picture->output) {
		copy_picture(display, drawn);
	} else {
		picture->drawn_in = drawn->buffer;
		picture->brushed_ns = kr_clock_now();
		picture->ring = drawn->ring;
		picture->pixels = drawn->pixels;
		picture->row_bytes = drawn->row_bytes;
		picture->format = kr_buffer_get_info(drawn->buffer)->desc.format;
	}
	picture->written = (uint64_t)request->width * request->height * sizeof(uint32_t);
	picture->older |= drawn->older;
	note_painted(display, picture, drawn->anew);
	display->by_brush = display->chosen && !display->is_one_buffer;
	display->brushed++;
}

static int
draw_once(struct kr_soft_display *display, struct kr_soft_picture *picture)
{
	const struct kr_render_scene *scene = &display->scene;
	struct kr_easel_layer about[KR_RENDER_MAX_LAYERS] = {0};
	struct kr_easel_request request = {
		.width = scene->width,
		.height = scene->height,
		.order = display->canvas.order,
		.has_alpha = scene->has_alpha,
		.layers = scene->layers,
		.about = about,
		.count = scene->count,
		.stale = &display->unpainted,
	};
	struct kr_easel_picture drawn;
	int err;

	for (unsigned i = 0; i < scene->count; i++) {
		const struct kr_soft_layer *layer = scene->layers[i].owner;

		if (layer)
			about[i] = (struct kr_easel_layer){
				.owner = layer->handle ? layer->handle : UINT64_MAX,
				.no_pixels = layer->no_pixels,
				.content = layer->serial,
			};
	}
	err = kr_easel_draw(display->easel, &request, display->stop, &drawn);
	if (!err)
		take_picture(display, picture, &request, &drawn);
	return err;
}

static int
draw(struct kr_soft_display *display, struct kr_soft_picture *picture)
{
	/* One that dies is followed by another one, until there is none any more. */
	for (unsigned i = 0; i < 2 * KR_EASEL_PAINTERS; i++) {
		int err = get_ready(display);

		if (!err)
			err = draw_once(display, picture);
		if (!err || err == -ECANCELED || err == KR_SOFT_NOT_TAKEN)
			return err;
		if (err == -EPIPE)
			work(display);
		else
			kr_warn("composer: a picture can't be drawn by the GPU (%s): the CPU draws it",
				strerror(-err));
		if (err != -EPIPE || !is_patient(display))
			break;
	}
	return KR_SOFT_NOT_TAKEN;
}

static void
give_back(struct kr_soft_display *display, struct kr_soft_picture *picture)
{
	int fence = kr_hwc_holds_give_back(
		display->device->holds, display->state->handle, picture->drawn_in);

	kr_easel_give_back(display->easel, picture->ring, fence);
	kr_buffer_unref(picture->drawn_in);
}

const struct kr_soft_brush kr_soft_painter = {
	.begin = begin,
	.end = end,
	.work = work,
	.serves = serves,
	.takes = takes,
	.draw = draw,
	.give_back = give_back,
};
