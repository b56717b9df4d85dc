/* SPDX-License-Identifier: Apache-2.0 */
/* When a commit was shown, by wp_presentation: for who waits for it. */
#include "outputs/wayland/window.h"

#include <presentation-time-client.h>
#include <time.h>

#include "util/clock.h"

static void
handle_sync_output(void *data, struct wp_presentation_feedback *feedback, struct wl_output *output)
{
}

/* Once each: the object is done then. */
static void
tell(struct wayland_feedback *feedback, int64_t time_ns)
{
	struct wayland_window *w = feedback->window;

	wp_presentation_feedback_destroy(feedback->object);
	feedback->object = NULL;
	w->came++;
	w->link.host->queue_shown(w->queue, feedback->number, time_ns);
}

/* A time of the compositor's clock in ours; of one that we haven't got it is now. */
static int64_t
time_of(const struct wayland_window *w, uint64_t seconds, uint32_t nanoseconds)
{
	int64_t now = kr_clock_now(), then;
	struct timespec clock;

	if (seconds > INT64_MAX / (2 * KR_NSEC_PER_SEC) ||
		clock_gettime((clockid_t)w->clock, &clock))
		return now;
	then = (int64_t)seconds * KR_NSEC_PER_SEC + nanoseconds;
	if (w->clock == CLOCK_MONOTONIC)
		return then;
	return now - (clock.tv_sec * KR_NSEC_PER_SEC + clock.tv_nsec - then);
}

static void
handle_presented(void *data, struct wp_presentation_feedback *feedback, uint32_t seconds_high,
	uint32_t seconds_low, uint32_t nanoseconds, uint32_t refresh, uint32_t count_high,
	uint32_t count_low, uint32_t flags)
{
	struct wayland_feedback *f = data;

	tell(f, time_of(f->window, (uint64_t)seconds_high << 32 | seconds_low, nanoseconds));
}

/* Another took its place: it is over with it. */
static void
handle_discarded(void *data, struct wp_presentation_feedback *feedback)
{
	tell(data, kr_clock_now());
}

static const struct wp_presentation_feedback_listener feedback_listener = {
	.sync_output = handle_sync_output,
	.presented = handle_presented,
	.discarded = handle_discarded,
};

bool
wayland_feedback_ask(struct wayland_window *w, uint64_t number)
{
	for (size_t i = 0; w->presentation && i < WAYLAND_FEEDBACKS; i++) {
		struct wayland_feedback *feedback = &w->feedbacks[i];

		if (feedback->object)
			continue;
		feedback->window = w;
		feedback->number = number;
		feedback->object = wp_presentation_feedback(w->presentation, w->link.surface);
		if (feedback->object)
			wp_presentation_feedback_add_listener(
				feedback->object, &feedback_listener, feedback);
		return feedback->object != NULL;
	}
	return false;
}

void
wayland_feedback_forget(struct wayland_window *w)
{
	for (size_t i = 0; i < WAYLAND_FEEDBACKS; i++) {
		if (w->feedbacks[i].object)
			wp_presentation_feedback_destroy(w->feedbacks[i].object);
	}
}
