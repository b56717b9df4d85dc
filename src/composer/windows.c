/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows as others see them: a list that any thread reads, places that any thread asks for, and
 * the programs that windows belong to. The loop takes in what was asked for before its next
 * picture, and the stack is in order then: by z, by group, by connection.
 */
#include "composer/display.h"

#include <errno.h>
#include <stdio.h>

#define ALL_TRANSFORMS 7 /* bits */

static bool
lies_above(const struct kr_producer *a, const struct kr_producer *b)
{
	if (a->z != b->z)
		return a->z > b->z;
	if (a->group != b->group)
		return kr_display_group_rank(a->group) > kr_display_group_rank(b->group);
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
	*stats = display->groups[kr_display_group_rank(group)].closed;
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
	add_window(&producer->display->groups[kr_display_group_rank(producer->group)].closed,
		&producer->entry->window);
	producer->entry->used = false;
	kr_mutex_unlock(&producer->display->lock);
}

void
kr_display_find_screen(const struct kr_display *display, uint32_t *width, uint32_t *height)
{
	bool turned = display->config.transform & NATIVE_WINDOW_TRANSFORM_ROT_90;

	*width = turned ? display->config.height : display->config.width;
	*height = turned ? display->config.width : display->config.height;
}

void
kr_display_tell_screen(struct kr_display *display)
{
	struct kr_producer *producer;
	uint32_t width, height;

	kr_display_find_screen(display, &width, &height);
	kr_list_for_each (producer, &display->producers, link)
		kr_consumer_configure(
			producer->consumer, width, height, (uint32_t)display->config.transform);
}

void
kr_display_take_places(struct kr_display *display)
{
	struct kr_producer *producer;
	bool turned;

	if (!atomic_exchange(&display->places_changed, false))
		return;
	kr_mutex_lock(&display->lock);
	turned = display->config.transform != display->transform_asked;
	display->rearrange |= turned || display->config.layout != display->layout_asked;
	display->config.layout = display->layout_asked;
	display->config.transform = display->transform_asked;
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
	if (turned)
		kr_display_tell_screen(display);
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
kr_display_set_transform(struct kr_display *display, int32_t transform)
{
	if (transform & ~ALL_TRANSFORMS)
		return -EINVAL;
	kr_mutex_lock(&display->lock);
	display->transform_asked = transform;
	kr_mutex_unlock(&display->lock);
	change_places(display);
	return 0;
}

int32_t
kr_display_get_transform(struct kr_display *display)
{
	int32_t transform;

	kr_mutex_lock(&display->lock);
	transform = display->transform_asked;
	kr_mutex_unlock(&display->lock);
	return transform;
}

int
kr_display_set_size(struct kr_display *display, uint32_t width, uint32_t height)
{
	if (!width || !height || width > KR_DISPLAY_MAX_SIZE || height > KR_DISPLAY_MAX_SIZE)
		return -EINVAL;
	if (display->has_queue)
		return -EBUSY;
	kr_mutex_lock(&display->lock);
	display->width_asked = width;
	display->height_asked = height;
	kr_mutex_unlock(&display->lock);
	atomic_store(&display->size_changed, true);
	kr_display_wake(display);
	return 0;
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
