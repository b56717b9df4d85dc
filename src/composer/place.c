/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where what is on screen of a producer lies, and whether it is a layer: its frame, or what was
 * prepared of it.
 */
#include "composer/display.h"

#include "gralloc/buffer.h"
#include "util/log.h"

struct kr_layout_shape
kr_display_shape(const struct kr_display *display, const struct kr_frame *frame)
{
	const struct kr_buffer_desc *desc = &kr_buffer_get_info(frame->buffer)->desc;

	return (struct kr_layout_shape){
		.buffer_width = desc->width,
		.buffer_height = desc->height,
		.crop = frame->crop,
		.transform =
			kr_layout_content_transform(frame->transform, display->config.transform),
		.scaling_mode = frame->scaling_mode,
		.window_width = frame->window_width,
		.window_height = frame->window_height,
		.scaling = frame->presentation.scaling,
		.gravity_x = frame->presentation.gravity_x,
		.gravity_y = frame->presentation.gravity_y,
	};
}

/* Which cell of a grid it has: those have one that are on screen and weren't hidden. */
static void
find_cell(const struct kr_producer *producer, struct kr_layout_room *room)
{
	const struct kr_producer *other;

	room->index = room->count = 0;
	kr_list_for_each (other, &producer->display->producers, link) {
		if (other == producer || !other->on_screen || !other->visible)
			continue;
		room->count++;
		room->index += kr_display_group_rank(other->group) <
				kr_display_group_rank(producer->group) ||
			(other->group == producer->group &&
				other->own_number < producer->own_number);
	}
	room->count++;
}

void
kr_producer_find_spot(const struct kr_producer *producer, const struct kr_layout_shape *shape,
	uint32_t width, uint32_t height, struct kr_layout_spot *spot)
{
	int32_t transform = producer->display->config.transform;
	bool turned = transform & NATIVE_WINDOW_TRANSFORM_ROT_90;
	struct kr_layout_room room = {
		.layout = producer->display->config.layout,
		.width = turned ? height : width,
		.height = turned ? width : height,
		.place = &producer->place,
		.count = 1,
	};

	if (room.layout == KR_LAYOUT_GRID)
		find_cell(producer, &room);
	kr_layout_find(&room, shape, spot);
	if (transform)
		kr_layout_turn(spot, transform, room.width, room.height);
}

/* Where it is, for the list. */
static void
note_spot(struct kr_producer *producer)
{
	struct kr_display_window *window = &producer->entry->window;
	const struct kr_layout_spot *spot = &producer->spot;
	uint32_t width, height;

	kr_layout_shape_size(&producer->shape, &width, &height);
	kr_mutex_lock(&producer->display->lock);
	window->x = spot->window.left;
	window->y = spot->window.top;
	window->width = (uint32_t)(spot->window.right - spot->window.left);
	window->height = (uint32_t)(spot->window.bottom - spot->window.top);
	window->buffer_width = width;
	window->buffer_height = height;
	kr_mutex_unlock(&producer->display->lock);
}

static bool
same_shape(const struct kr_layout_shape *a, const struct kr_layout_shape *b)
{
	return a->buffer_width == b->buffer_width && a->buffer_height == b->buffer_height &&
		a->crop.left == b->crop.left && a->crop.top == b->crop.top &&
		a->crop.right == b->crop.right && a->crop.bottom == b->crop.bottom &&
		a->transform == b->transform && a->scaling_mode == b->scaling_mode &&
		a->window_width == b->window_width && a->window_height == b->window_height &&
		a->scaling == b->scaling && a->gravity_x == b->gravity_x &&
		a->gravity_y == b->gravity_y;
}

static int
check(const struct kr_producer *producer)
{
	const struct kr_render_layer layer = {
		.buffer = producer->current.buffer,
		.transform = producer->current.transform & 7,
		.blend = KR_RENDER_BLEND_NONE,
		.alpha = 1,
	};

	return kr_render_layer_check(&layer);
}

void
kr_producer_place(struct kr_producer *producer)
{
	struct kr_display *display = producer->display;
	const struct kr_layout_shape shape = kr_display_shape(display, &producer->current);
	uint64_t box = producer->prepared.serial;
	int err = check(producer);

	producer->placed = !err;
	if (err)
		kr_producer_refuse(producer, err);
	/* It lies where it did. */
	if (producer->spot_of == display->arranged && producer->spot_box == box &&
		same_shape(&shape, &producer->shape))
		return;
	producer->shape = shape;
	producer->spot_of = display->arranged;
	producer->spot_box = box;
	producer->spot_serial = ++display->serials;
	kr_producer_find_spot(producer, &shape, display->width, display->height, &producer->spot);
	note_spot(producer);
}

enum krafla_blend
kr_producer_frame_blend(const struct kr_frame *frame)
{
	if (!kr_render_has_alpha(kr_buffer_get_info(frame->buffer)->desc.format))
		return KRAFLA_BLEND_NONE;
	switch (frame->presentation.alpha) {
	case KR_ALPHA_PREMULTIPLIED:
		return KRAFLA_BLEND_PREMULTIPLIED;
	case KR_ALPHA_STRAIGHT:
		return KRAFLA_BLEND_COVERAGE;
	default:
		return KRAFLA_BLEND_NONE;
	}
}

enum krafla_blend
kr_producer_blend(const struct kr_producer *producer)
{
	enum krafla_blend blend = kr_producer_frame_blend(&producer->current);

	/* What was prepared is premultiplied. */
	return blend != KRAFLA_BLEND_NONE && kr_producer_is_prepared(producer)
		? KRAFLA_BLEND_PREMULTIPLIED
		: blend;
}

void
kr_producer_refuse(struct kr_producer *producer, int err)
{
	if (!producer->refused)
		kr_error("display: frames of %s (pid %d) can't be drawn (error %d)",
			kr_consumer_label(producer->consumer), kr_consumer_pid(producer->consumer),
			-err);
	producer->refused = true;
}

void
kr_display_arrange(struct kr_display *display)
{
	struct kr_producer *producer;

	display->arranged++;
	kr_list_for_each (producer, &display->producers, link) {
		if (producer->on_screen)
			kr_producer_place(producer);
	}
}

bool
kr_producer_is_prepared(const struct kr_producer *producer)
{
	return producer->prepared.buffer;
}

bool
kr_producer_prepared_fits(const struct kr_producer *producer)
{
	const struct kr_layout_spot *a = &producer->prepared.spot, *b = &producer->spot;

	return a->frame.left == b->frame.left && a->frame.top == b->frame.top &&
		a->frame.right == b->frame.right && a->frame.bottom == b->frame.bottom &&
		a->left == b->left && a->top == b->top && a->right == b->right &&
		a->bottom == b->bottom && a->transform == b->transform;
}

static android_native_rect_t
scaled(const android_native_rect_t *rect, double across, double down)
{
	return (android_native_rect_t){(int32_t)(rect->left * across), (int32_t)(rect->top * down),
		(int32_t)(rect->right * across), (int32_t)(rect->bottom * down)};
}

void
kr_producer_prepared_spot(const struct kr_producer *producer, uint32_t width, uint32_t height,
	struct kr_layout_spot *spot)
{
	const struct kr_prepared *prepared = &producer->prepared;
	const struct kr_display *display = producer->display;
	double across = (double)width / display->width, down = (double)height / display->height;

	*spot = (struct kr_layout_spot){
		.frame = scaled(&prepared->spot.frame, across, down),
		.seen = scaled(&prepared->spot.seen, across, down),
		.right = (float)prepared->width,
		.bottom = (float)prepared->height,
	};
}

bool
kr_producer_is_layer(const struct kr_producer *producer)
{
	return producer->on_screen && producer->placed && producer->visible && !producer->failed &&
		!producer->unready;
}

const android_native_rect_t *
kr_producer_box(const struct kr_producer *producer)
{
	const struct kr_layout_spot *spot =
		kr_producer_is_prepared(producer) ? &producer->prepared.spot : &producer->spot;

	return &spot->frame;
}

void
kr_producer_add_cover(const struct kr_producer *producer, pixman_region32_t *covered)
{
	const android_native_rect_t *box = kr_producer_box(producer);

	if (kr_producer_is_layer(producer) && producer->place.alpha >= 1 &&
		kr_producer_blend(producer) == KRAFLA_BLEND_NONE && box->left < box->right &&
		box->top < box->bottom)
		pixman_region32_union_rect(covered, covered, box->left, box->top,
			(unsigned)(box->right - box->left), (unsigned)(box->bottom - box->top));
}
