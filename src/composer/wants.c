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
 */
#include "composer/display.h"

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
