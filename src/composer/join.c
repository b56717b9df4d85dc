/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a window takes part in the virtual clock.
 *
 * Problem: a program shows k frames in its first window and then opens a second one. Which picture
 * has the second one's first frame? If it took part as soon as its hello was read, that would
 * depend on how many of the k had been shown by then, and fences that signal late make that many
 * less.
 *
 * Idea: the hello says k. The window takes part from the picture on that follows the k-th frame;
 * till then nobody waits for it, and it isn't shown. The picture of frame k + 1 can't have been
 * made before: a program goes on when it was welcomed, so the frame comes after the hello. From
 * then on the window is waited for as any other, so its first frame is in that very picture.
 *
 *   first window    1  2 .. k | k+1  k+2
 *   hello (k)            ^    |
 *   second window             |  1    2
 *
 * k counts the frames of all windows that the process had, also those that are closed. Here they
 * are counted as they leave their queues, whatever becomes of them, of the windows before the new
 * one in the list; a window that goes leaves its count to one that stays. If there is none, the
 * next window of the process begins with what its hello says.
 *
 * k is a producer's word. No window can have more frames out than it has slots, so one that says
 * more is taken at that; and who waits for windows that go or have fallen idle waits no longer than
 * the clock does, all of them together.
 */
#include "composer/display.h"

#include "util/clock.h"
#include "window/remote/remote.h"

/* Nobody gets there, and sums of it are none too large. */
#define MOST_FRAMES (UINT64_MAX / 256)

static bool
same_process(const struct kr_producer *a, const struct kr_producer *b)
{
	int pid = kr_consumer_pid(a->consumer);

	/* 0: one that the kernel can't name here. */
	return pid && pid == kr_consumer_pid(b->consumer);
}

/* Windows of its process that were there before, and the frames of all that ever were. */
static unsigned
count_earlier(const struct kr_producer *producer, uint64_t *frames)
{
	const struct kr_producer *other;
	unsigned windows = 0;

	*frames = producer->left_before;
	kr_list_for_each (other, &producer->display->producers, link) {
		if (other == producer)
			break;
		if (!same_process(other, producer))
			continue;
		windows++;
		*frames += other->left_before + other->done + other->left_after;
	}
	return windows;
}

/* Until when frames of another window may be waited for; a time that has passed: no longer. */
static int64_t
comes_until(const struct kr_producer *other)
{
	if (other->head != KR_HEAD_NONE)
		return other->stuck ? 0 : KR_FOREVER;
	if (other->gone)
		return 0;
	return other->idle_since_ns + other->display->config.idle_ns;
}

int64_t
kr_producer_joins_by(const struct kr_producer *producer)
{
	const struct kr_producer *other;
	int64_t until = 0;

	kr_list_for_each (other, &producer->display->producers, link) {
		if (other == producer)
			break;
		if (same_process(other, producer))
			until = KR_MAX(until, comes_until(other));
	}
	return until;
}

/* What it waits for, once its hello was read. */
static void
read_hello(struct kr_producer *producer, uint64_t queued)
{
	uint64_t frames;
	unsigned windows = count_earlier(producer, &frames);

	/* All were of windows that are gone, and nobody was left to keep the count. */
	if (!windows)
		frames = producer->left_before = KR_MAX(frames, KR_MIN(queued, MOST_FRAMES));
	producer->joins_after = KR_MIN(queued, frames + (uint64_t)windows * KR_QUEUE_SLOTS);
	producer->heard_hello = true;
}

/* *in_turn: not only because nobody waits any longer for the frames before it. */
static bool
may_join(struct kr_producer *producer, int64_t now, bool *in_turn)
{
	uint64_t queued, frames;

	*in_turn = true;
	if (producer->display->config.clock != KR_CLOCK_VIRTUAL)
		return true;
	if (!kr_consumer_remote_greeted(producer->consumer, &queued))
		return false;
	if (!producer->heard_hello)
		read_hello(producer, queued);
	*in_turn = !count_earlier(producer, &frames) || frames >= producer->joins_after;
	return *in_turn || kr_producer_joins_by(producer) <= now;
}

void
kr_display_join(struct kr_display *display, int64_t now)
{
	struct kr_producer *producer;
	bool in_turn;

	kr_list_for_each (producer, &display->producers, link) {
		if (producer->joined || !may_join(producer, now, &in_turn))
			continue;
		producer->joined = true;
		/*
		 * It had nothing to do till now. Out of turn it has the time that it would have had
		 * without a count: many that wait for each other make it no longer.
		 */
		if (in_turn)
			producer->idle_since_ns = KR_MAX(producer->idle_since_ns, now);
	}
}

void
kr_producer_leave_count(const struct kr_producer *producer)
{
	uint64_t frames = producer->left_before + producer->done + producer->left_after;
	struct kr_producer *other, *before = NULL, *after = NULL;
	bool passed = false;

	kr_list_for_each (other, &producer->display->producers, link) {
		passed |= other == producer;
		if (other == producer || !same_process(other, producer))
			continue;
		if (!passed)
			before = other;
		else if (!after)
			after = other;
	}
	/* A window after it counts them as before itself, one before it as after itself. */
	if (after)
		after->left_before += frames;
	else if (before)
		before->left_after += frames;
}
