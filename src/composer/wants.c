/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is wanted of a producer's frames: pictures, by their numbers, become frames by theirs.
 *
 * With a virtual clock each picture has the next frame of each window, so a window's frame n is in
 * picture n + `ahead`, and what nobody will look at is known beforehand. That holds from the first
 * frame that is shown on; of the first window alone it is known before. It ends when a picture is
 * made without a new frame of the window: because its fence failed or got stuck, or it was idle.
 * Then all its frames are wanted, for good.
 *
 * A producer hears of a change late. So that the same frames have pixels on every run, a change
 * holds from a frame on that it can't have made before: one more than the frame at hand for each of
 * its buffers, because that one needs a release that comes after the message.
 *
 * With a real clock nobody knows which picture a frame will be in: somebody who looks wants all.
 * But while a GPU draws the pictures nobody reads pixels of windows by the CPU: producers whose
 * frames have memory of a GPU are told that none are wanted, until the CPU draws again, or would
 * hand one of them over as it is. With a virtual clock frames have both, so that the same ones have
 * pixels on every run.
 */
#include "composer/display.h"

#include <string.h>
#include <krafla/native_window.h>

#include "colour/space.h"
#include "gralloc/buffer.h"
#include "util/log.h"
#include "window/remote/remote.h"

static const struct kr_pictures all = {.from = 1, .every = 1};

struct kr_pictures
kr_display_wants_on_screen(const struct kr_display *display)
{
	struct kr_pictures wanted = kr_display_outputs_wanted(&display->outputs);

	if (display->hooks.frame && display->hooks.frame_pixels)
		wanted = kr_pictures_join(&wanted, &all);
	return wanted;
}

/* Other targets, also those that are plugged in later, show each of them. */
struct kr_pictures
kr_display_wants(const struct kr_display *display)
{
	return display->target_count || display->device_count ? all
							      : kr_display_wants_on_screen(display);
}

/* Frame `from`, or the first one after it that a wanted picture has, and so on. */
static struct kr_wants
frames_of(const struct kr_pictures *pictures, uint64_t ahead, uint64_t from)
{
	uint64_t picture = from + ahead, over;

	if (!pictures->every)
		return (struct kr_wants){0};
	if (picture < pictures->from)
		return (struct kr_wants){from + (pictures->from - picture), pictures->every};
	over = (picture - pictures->from) % pictures->every;
	return (struct kr_wants){from + (over ? pictures->every - over : 0), pictures->every};
}

static bool
is_series(const struct kr_pictures *pictures)
{
	return pictures->every && (pictures->every > 1 || pictures->from > 1);
}

/* A producer that is gone needs to hear nothing. */
static void
say(struct kr_producer *producer, const struct kr_wants *wants)
{
	(void)kr_consumer_set_wants(producer->consumer, wants);
}

void
kr_producer_begin_wants(struct kr_producer *producer)
{
	const struct kr_display *display = producer->display;
	const struct kr_pictures pictures = kr_display_wants(display);
	bool alone = kr_list_empty(&display->producers);
	struct kr_wants wants = {0};

	producer->following = KR_FOLLOWS_NEVER;
	if (!pictures.every)
		say(producer, &wants);
	if (!is_series(&pictures) || display->config.clock != KR_CLOCK_VIRTUAL)
		return;
	producer->following = alone ? KR_FOLLOWS : KR_FOLLOWS_NOT_YET;
	if (!alone)
		return;
	producer->ahead = display->ticks;
	wants = frames_of(&pictures, producer->ahead, 1);
	say(producer, &wants);
}

/* Of a number that is no producer's of ours nothing more is said. */
static bool
first_to_hear(const struct kr_producer *producer, uint64_t number, uint64_t *first)
{
	unsigned buffers = kr_consumer_remote_buffers(producer->consumer);

	*first = number + buffers;
	return *first > number;
}

void
kr_producer_follow(struct kr_producer *producer, uint64_t number)
{
	const struct kr_display *display = producer->display;
	const struct kr_pictures pictures = kr_display_wants(display);
	uint64_t ahead = display->ticks + 1 - number, first;
	struct kr_wants wants;

	if (producer->following == KR_FOLLOWS_NEVER ||
		(producer->following == KR_FOLLOWS && ahead == producer->ahead))
		return;
	if (!first_to_hear(producer, number, &first)) {
		producer->following = KR_FOLLOWS_NEVER;
		return;
	}
	if (producer->following == KR_FOLLOWS_NOT_YET) {
		producer->following = KR_FOLLOWS;
		producer->ahead = ahead;
		wants = frames_of(&pictures, ahead, first);
	} else {
		producer->following = KR_FOLLOWS_NEVER;
		wants = (struct kr_wants){first, 1};
	}
	say(producer, &wants);
}

/* --- who draws --- */

/* The painter knows sRGB alone so far. */
static bool
is_srgb(int32_t dataspace)
{
	return !kr_colour_is_known(dataspace) ||
		kr_colour_resolve(dataspace, HAL_DATASPACE_SRGB) == HAL_DATASPACE_SRGB;
}

bool
kr_display_draws_by_gpu(const struct kr_display *display, const struct kr_frame *frame)
{
	if (!is_srgb(display->config.dataspace) || !is_srgb(frame->dataspace))
		return false;
	return display->drawing.possible && kr_buffer_get_info(frame->buffer)->gpu;
}

static void
tell(struct kr_producer *producer)
{
	const struct kr_display *display = producer->display;
	bool none = display->drawing.now && producer->on_screen && !producer->gpu_refused &&
		kr_display_draws_by_gpu(display, &producer->current);
	struct kr_wants wants = {.from = 1, .every = none ? 0 : 1};

	if (none == producer->told_no_wants)
		return;
	producer->told_no_wants = none;
	say(producer, &wants);
}

static struct kr_producer *
find_by_layer(const struct kr_display *display, krafla_layer_t layer)
{
	const struct kr_target *target = &display->screen.target;

	for (unsigned i = 0; i < target->used && layer; i++) {
		if (target->layers[i].handle == layer)
			return target->layers[i].producer;
	}
	return NULL;
}

static void
cut_off(struct kr_producer *producer)
{
	kr_error(
		"display: window '%s' (pid %d) is cut off: the process that draws pictures on the GPU has died of its buffer",
		kr_consumer_label(producer->consumer), kr_consumer_pid(producer->consumer));
	kr_display_count(producer->display, cut_off);
	kr_consumer_remote_refuse(
		producer->consumer, "the memory of a buffer has cost the display its GPU");
	producer->gone = true;
}

/* Once for each of whom there is something to say. */
static bool
hear_of_layers(struct kr_display *display)
{
	struct kr_producer *guilty = find_by_layer(display, display->drawing.guilty);
	struct kr_producer *refused = find_by_layer(display, display->drawing.refused);

	if (refused)
		refused->gpu_refused = true;
	if (guilty && !guilty->gone)
		cut_off(guilty);
	return display->drawing.guilty || display->drawing.refused;
}

static void
note_drawing(struct kr_display *display)
{
	const struct kr_hwc_drawing *drawing = &display->drawing;
	struct kr_display_stats *stats = &display->stats;

	kr_mutex_lock(&display->lock);
	stats->drawn_by_gpu = drawing->pictures;
	stats->gpu_lost = drawing->lost;
	memcpy(stats->gpu, drawing->device, sizeof(stats->gpu));
	memcpy(stats->gpu_why, drawing->why, sizeof(stats->gpu_why));
	kr_mutex_unlock(&display->lock);
}

void
kr_display_follow_drawing(struct kr_display *display)
{
	const struct kr_pictures pictures = kr_display_wants(display);
	bool others = display->target_count || display->device_count;
	bool drew = display->drawing.now;
	struct kr_producer *producer;

	if (!display->screen.open || !display->draws_by_gpu)
		return;
	do {
		if (kr_hwc_get_drawing(display->screen.composer, display->screen.target.handle,
			    &display->drawing))
			return;
	} while (hear_of_layers(display));
	note_drawing(display);
	kr_list_for_each (producer, &display->producers, link) {
		if (!drew && display->drawing.now)
			kr_producer_begin_tier(producer);
	}
	if (display->config.clock == KR_CLOCK_VIRTUAL || others || !pictures.every)
		return;
	kr_list_for_each (producer, &display->producers, link)
		tell(producer);
}
