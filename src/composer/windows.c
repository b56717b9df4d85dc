/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows as others see them: a list that any thread reads, places that any thread asks for, and
 * the programs that windows belong to. The loop takes in what was asked for before its next
 * picture, and the stack is in order then: by z, by group, by connection.
 */
#include "composer/display.h"

#include <errno.h>
#include <stdio.h>

#include "gralloc/buffer.h"
#include "util/clock.h"
#include "util/log.h"

static int
rank_of(int group)
{
	return group == KR_DISPLAY_NO_GROUP ? KR_DISPLAY_MAX_GROUPS : group;
}

static bool
lies_above(const struct kr_producer *a, const struct kr_producer *b)
{
	if (a->z != b->z)
		return a->z > b->z;
	if (a->group != b->group)
		return rank_of(a->group) > rank_of(b->group);
	return a->own_number > b->own_number;
}

static void
put_into_stack(struct kr_producer *producer)
{
	struct kr_list *below = producer->display->stack.prev;
	struct kr_producer *other;

	kr_list_for_each_back (other, &producer->display->stack, in_stack) {
		if (lies_above(producer, other))
			break;
		below = other->in_stack.prev;
	}
	kr_list_insert(below, &producer->in_stack);
}

/* Where nothing is set: what holds then. */
static const struct kr_layout_place unset = {.alpha = 1, .visible = true};

/* Looks at what was asked for of its group and of itself. */
static void
take_place_locked(struct kr_display *display, struct kr_producer *producer)
	KR_REQUIRES(display->lock)
{
	struct kr_layout_place *place = &producer->place;

	*place = unset;
	if (producer->group != KR_DISPLAY_NO_GROUP)
		kr_layout_place_merge(place, &display->groups[producer->group].place);
	kr_layout_place_merge(place, &producer->entry->place);
	producer->z = place->z;
	producer->visible = place->visible && place->alpha > 0;
}

struct kr_layout_shape
kr_producer_shape(const struct kr_frame *frame)
{
	const struct kr_buffer_desc *desc = &kr_buffer_get_info(frame->buffer)->desc;

	return (struct kr_layout_shape){
		.buffer_width = desc->width,
		.buffer_height = desc->height,
		.crop = frame->crop,
		.transform = frame->transform,
		.scaling_mode = frame->scaling_mode,
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
		room->index += rank_of(other->group) < rank_of(producer->group) ||
			(other->group == producer->group &&
				other->own_number < producer->own_number);
	}
	room->count++;
}

void
kr_producer_find_spot(const struct kr_producer *producer, const struct kr_layout_shape *shape,
	uint32_t width, uint32_t height, struct kr_layout_spot *spot)
{
	struct kr_layout_room room = {
		.layout = producer->display->config.layout,
		.width = width,
		.height = height,
		.place = &producer->place,
		.count = 1,
	};

	if (room.layout == KR_LAYOUT_GRID)
		find_cell(producer, &room);
	kr_layout_find(&room, shape, spot);
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
		a->transform == b->transform && a->scaling_mode == b->scaling_mode;
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
	const struct kr_layout_shape shape = kr_producer_shape(&producer->current);
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

/* --- what is seen --- */

bool
kr_producer_is_prepared(const struct kr_producer *producer)
{
	return producer->prepared.buffer;
}

static bool
same_box(const android_native_rect_t *a, const android_native_rect_t *b)
{
	return a->left == b->left && a->top == b->top && a->right == b->right &&
		a->bottom == b->bottom;
}

bool
kr_producer_prepared_fits(const struct kr_producer *producer)
{
	return same_box(&producer->prepared.box, &producer->spot.frame);
}

void
kr_producer_prepared_spot(const struct kr_producer *producer, uint32_t width, uint32_t height,
	struct kr_layout_spot *spot)
{
	const struct kr_prepared *prepared = &producer->prepared;
	const struct kr_display *display = producer->display;
	double across = (double)width / display->width, down = (double)height / display->height;

	*spot = (struct kr_layout_spot){
		.frame = {(int32_t)(prepared->box.left * across),
			(int32_t)(prepared->box.top * down),
			(int32_t)(prepared->box.right * across),
			(int32_t)(prepared->box.bottom * down)},
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

static const android_native_rect_t *
box_of(const struct kr_producer *producer)
{
	return kr_producer_is_prepared(producer) ? &producer->prepared.box : &producer->spot.frame;
}

void
kr_producer_add_cover(const struct kr_producer *producer, pixman_region32_t *covered)
{
	const android_native_rect_t *box = box_of(producer);

	if (kr_producer_is_layer(producer) && producer->place.alpha >= 1 &&
		box->left < box->right && box->top < box->bottom)
		pixman_region32_union_rect(covered, covered, box->left, box->top,
			(unsigned)(box->right - box->left), (unsigned)(box->bottom - box->top));
}

static bool
is_seen(const struct kr_producer *producer, pixman_region32_t *covered)
{
	const android_native_rect_t *box = box_of(producer);
	pixman_box32_t at = {box->left, box->top, box->right, box->bottom};

	return kr_producer_is_layer(producer) && box->left < box->right && box->top < box->bottom &&
		pixman_region32_contains_rectangle(covered, &at) != PIXMAN_REGION_IN;
}

uint32_t
kr_display_count_seen(struct kr_display *display, int64_t now)
{
	struct kr_producer *producer;
	pixman_region32_t covered;
	uint32_t layers = 0;

	pixman_region32_init(&covered);
	kr_list_for_each_back (producer, &display->stack, in_stack) {
		if (producer->fresh)
			kr_producer_count_shown(producer, is_seen(producer, &covered), now);
		producer->fresh = false;
		layers += kr_producer_is_layer(producer);
		kr_producer_add_cover(producer, &covered);
	}
	pixman_region32_fini(&covered);
	return layers;
}

static int
ask_group(const struct kr_display *display, int pid)
{
	int group = display->hooks.group_of ? display->hooks.group_of(display->data, pid)
					    : KR_DISPLAY_NO_GROUP;

	return group >= 0 && group < KR_DISPLAY_MAX_GROUPS ? group : KR_DISPLAY_NO_GROUP;
}

/* There are as many entries as producers can be. */
static struct kr_display_entry *
take_entry_locked(struct kr_display *display) KR_REQUIRES(display->lock)
{
	struct kr_display_entry *entry = display->windows;

	while (entry->used)
		entry++;
	return entry;
}

void
kr_producer_enter(struct kr_producer *producer)
{
	struct kr_display *display = producer->display;
	int pid = kr_consumer_pid(producer->consumer);

	producer->group = ask_group(display, pid);
	kr_mutex_lock(&display->lock);
	producer->entry = take_entry_locked(display);
	*producer->entry = (struct kr_display_entry){
		.used = true,
		.window = {.id = producer->own_number, .group = producer->group, .pid = pid},
	};
	take_place_locked(display, producer);
	kr_mutex_unlock(&display->lock);
	put_into_stack(producer);
}

void
kr_producer_name(struct kr_producer *producer)
{
	kr_mutex_lock(&producer->display->lock);
	snprintf(producer->entry->window.label, sizeof(producer->entry->window.label), "%s",
		kr_consumer_label(producer->consumer));
	kr_mutex_unlock(&producer->display->lock);
}

static void
add_window(struct kr_display_group_stats *stats, const struct kr_display_window *window)
{
	stats->windows += window->label[0] != '\0';
	stats->frames_queued += window->frames_queued;
	stats->shown += window->shown;
	stats->hidden += window->hidden;
	stats->dropped += window->dropped;
}

void
kr_display_get_group_stats(
	struct kr_display *display, int group, struct kr_display_group_stats *stats)
{
	kr_mutex_lock(&display->lock);
	*stats = display->groups[rank_of(group)].closed;
	for (unsigned i = 0; i < KR_DISPLAY_MAX_PRODUCERS; i++) {
		const struct kr_display_entry *entry = &display->windows[i];

		if (entry->used && entry->window.group == group)
			add_window(stats, &entry->window);
	}
	kr_mutex_unlock(&display->lock);
}

void
kr_producer_leave(struct kr_producer *producer)
{
	kr_list_remove(&producer->in_stack);
	kr_mutex_lock(&producer->display->lock);
	add_window(&producer->display->groups[rank_of(producer->group)].closed,
		&producer->entry->window);
	producer->entry->used = false;
	kr_mutex_unlock(&producer->display->lock);
}

void
kr_display_take_places(struct kr_display *display)
{
	struct kr_producer *producer;

	if (!atomic_exchange(&display->places_changed, false))
		return;
	kr_mutex_lock(&display->lock);
	display->rearrange |= display->config.layout != display->layout_asked;
	display->config.layout = display->layout_asked;
	kr_mutex_unlock(&display->lock);
	kr_list_init(&display->stack);
	kr_list_for_each (producer, &display->producers, link) {
		kr_mutex_lock(&display->lock);
		take_place_locked(display, producer);
		kr_mutex_unlock(&display->lock);
		put_into_stack(producer);
		display->restacked |= producer->on_screen;
		display->rearrange |= producer->on_screen || producer->staging;
	}
}

static void
change_places(struct kr_display *display)
{
	atomic_store(&display->places_changed, true);
	kr_display_wake(display);
}

void
kr_display_set_layout(struct kr_display *display, enum kr_layout layout)
{
	kr_mutex_lock(&display->lock);
	display->layout_asked = layout;
	kr_mutex_unlock(&display->lock);
	change_places(display);
}

enum kr_layout
kr_display_get_layout(struct kr_display *display)
{
	enum kr_layout layout;

	kr_mutex_lock(&display->lock);
	layout = display->layout_asked;
	kr_mutex_unlock(&display->lock);
	return layout;
}

int
kr_display_set_group(struct kr_display *display, int group, const struct kr_layout_place *place)
{
	if (group < 0 || group >= KR_DISPLAY_MAX_GROUPS || !kr_layout_place_is_valid(place))
		return -EINVAL;
	kr_mutex_lock(&display->lock);
	display->groups[group].place = *place;
	kr_mutex_unlock(&display->lock);
	change_places(display);
	return 0;
}

int
kr_display_place_window(
	struct kr_display *display, uint64_t id, const struct kr_layout_place *place)
{
	int err = -ENOENT;

	if (!kr_layout_place_is_valid(place))
		return -EINVAL;
	kr_mutex_lock(&display->lock);
	for (unsigned i = 0; i < KR_DISPLAY_MAX_PRODUCERS; i++) {
		struct kr_display_entry *entry = &display->windows[i];

		if (!entry->used || entry->window.id != id || !entry->window.label[0])
			continue;
		kr_layout_place_merge(&entry->place, place);
		err = 0;
	}
	kr_mutex_unlock(&display->lock);
	if (err == 0)
		change_places(display);
	return err;
}

/* With the place that it was asked to have: that needn't be on a picture yet. */
static void
describe_locked(const struct kr_display *display, const struct kr_display_entry *entry,
	struct kr_display_window *window) KR_REQUIRES(display->lock)
{
	struct kr_layout_place place = unset;

	*window = entry->window;
	if (window->group != KR_DISPLAY_NO_GROUP)
		kr_layout_place_merge(&place, &display->groups[window->group].place);
	kr_layout_place_merge(&place, &entry->place);
	window->z = place.z;
	window->alpha = place.alpha;
	window->visible = place.visible;
}

unsigned
kr_display_list_windows(struct kr_display *display, struct kr_display_window *windows, unsigned max)
{
	unsigned count = 0;

	kr_mutex_lock(&display->lock);
	for (unsigned i = 0; i < KR_DISPLAY_MAX_PRODUCERS; i++) {
		const struct kr_display_entry *entry = &display->windows[i];
		struct kr_display_window window;
		unsigned at;

		/* One without a label hasn't said hello. */
		if (!entry->used || !entry->window.label[0])
			continue;
		describe_locked(display, entry, &window);
		for (at = KR_MIN(count, max); at > 0 && windows[at - 1].id > window.id; at--)
			if (at < max)
				windows[at] = windows[at - 1];
		if (at < max)
			windows[at] = window;
		count++;
	}
	kr_mutex_unlock(&display->lock);
	return count;
}

/* --- groups and the virtual clock --- */

void
kr_display_expect_groups(struct kr_display *display, unsigned count)
{
	display->expected_groups = KR_MIN(count, (unsigned)KR_DISPLAY_MAX_GROUPS);
}

void
kr_display_group_ended(struct kr_display *display, int group)
{
	if (group < 0 || group >= KR_DISPLAY_MAX_GROUPS)
		return;
	kr_mutex_lock(&display->lock);
	display->groups[group].ended = true;
	kr_mutex_unlock(&display->lock);
	kr_display_wake(display);
}

static bool
has_frame(const struct kr_display *display, int group)
{
	const struct kr_producer *producer;

	kr_list_for_each (producer, &display->producers, link) {
		if (producer->group == group && producer->head != KR_HEAD_NONE)
			return true;
	}
	return false;
}

static unsigned
count_missing(struct kr_display *display)
{
	unsigned missing = 0;

	for (unsigned i = 0; i < display->expected_groups; i++) {
		bool ended;

		kr_mutex_lock(&display->lock);
		ended = display->groups[i].ended;
		kr_mutex_unlock(&display->lock);
		missing += !ended && !has_frame(display, (int)i);
	}
	return missing;
}

int64_t
kr_display_groups_until(struct kr_display *display)
{
	return count_missing(display) ? display->begins_by : 0;
}

void
kr_display_begin_groups(struct kr_display *display)
{
	unsigned missing;

	if (display->begun)
		return;
	display->begun = true;
	missing = count_missing(display);
	kr_mutex_lock(&display->lock);
	display->stats.groups_missed += missing;
	kr_mutex_unlock(&display->lock);
}
