/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rate windows wish for (struct kr_frame_rate); pace.c says what comes of it.
 *
 * Real clock: a wish holds from when it is heard. Virtual clock: which picture is the first after a
 * wish must be no matter of time. It holds from the next frame on that comes after it on the
 * connection, so it waits here until that frame has had its turn; that of a window that has none
 * waits until the window isn't waited for any more.
 */
#include "composer/display.h"

#include <string.h>

static void
apply(struct kr_producer *producer, const struct kr_frame_rate *wish)
{
	struct kr_display *display = producer->display;

	display->wishers -= producer->wish.rate > 0;
	display->wishers += wish->rate > 0;
	producer->wish = *wish;
	display->rate_stale = display->rate_count > 1;
}

/* Until the frames that were there before it have had their turn. */
static void
put_aside(struct kr_producer *producer, const struct kr_frame_rate *wish)
{
	unsigned count = producer->wish_count;

	if (!count ||
		(producer->wishes[count - 1].after != producer->newest &&
			count < KR_PRODUCER_WISHES)) {
		producer->wishes[producer->wish_count++].after = producer->newest;
		producer->display->wishes_ahead++;
	}
	producer->wishes[producer->wish_count - 1].rate = *wish;
}

void
kr_producer_wish(struct kr_producer *producer, const struct kr_frame_rate *wish)
{
	struct kr_display *display = producer->display;

	if (display->config.clock == KR_CLOCK_VIRTUAL && display->rate_count > 1)
		put_aside(producer, wish);
	else
		apply(producer, wish);
	kr_mutex_lock(&display->lock);
	producer->entry->window.wish = *wish;
	kr_mutex_unlock(&display->lock);
}

static void
take_wishes(struct kr_producer *producer)
{
	bool idle = producer->head == KR_HEAD_NONE && !producer->fresh;
	unsigned count = 0;

	while (count < producer->wish_count &&
		(idle || producer->wishes[count].after < producer->left))
		count++;
	if (!count)
		return;
	apply(producer, &producer->wishes[count - 1].rate);
	producer->wish_count -= count;
	producer->display->wishes_ahead -= count;
	memmove(producer->wishes, producer->wishes + count,
		producer->wish_count * sizeof(producer->wishes[0]));
}

void
kr_display_take_wishes(struct kr_display *display)
{
	struct kr_producer *producer;

	if (!display->wishes_ahead)
		return;
	kr_list_for_each (producer, &display->producers, link)
		take_wishes(producer);
}

void
kr_producer_end_wishes(struct kr_producer *producer)
{
	static const struct kr_frame_rate none;

	producer->display->wishes_ahead -= producer->wish_count;
	producer->wish_count = 0;
	if (producer->wish.rate > 0)
		apply(producer, &none);
}
