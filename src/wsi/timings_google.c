/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of presents: VK_GOOGLE_display_timing, as Android's swapchains have it, but that they are
 * asked as soon as they can be known, since nobody has to be called for it.
 */
#include <string.h>

#include "window/window.h"
#include "wsi/surface/timing.h"
#include "wsi/timings.h"

void
kr_wsi_timings_push_google(
	struct kr_wsi_timings *timings, uint64_t frame, const VkPresentTimeGOOGLE *wanted)
{
	struct kr_wsi_google_timing *ring = timings->google;

	kr_mutex_lock(&timings->lock);
	if (timings->google_count == KR_WSI_GOOGLE_TIMINGS) {
		memmove(ring, ring + 1, (KR_WSI_GOOGLE_TIMINGS - 1) * sizeof(*ring));
		timings->google_count--;
	}
	ring[timings->google_count++] = (struct kr_wsi_google_timing){*wanted, frame};
	kr_mutex_unlock(&timings->lock);
}

/* False: something of it is still to come. */
static bool
look_locked(struct kr_wsi_timings *timings, const struct kr_wsi_google_timing *timing,
	struct kr_frame_times *times) KR_REQUIRES(timings->lock)
{
	static const enum kr_frame_event needed[] = {
		KR_EVENT_READY, KR_EVENT_LATCH, KR_EVENT_SHOWN};

	if (timings->window->perform(
		    timings->window, KR_WINDOW_FRAME_TIMES, timing->frame, times)) {
		for (unsigned i = 0; i < KR_EVENT_COUNT; i++)
			times->time_ns[i] = KR_TIME_INVALID;
		return true;
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(needed); i++) {
		if (times->time_ns[needed[i]] == KR_TIME_PENDING)
			return false;
	}
	return true;
}

/*
 * How much earlier it could have been shown: whole refreshes, that it was ready before. Each leaves
 * some of the margin, and of the time since the latch.
 */
static void
fill(const struct kr_wsi_google_timing *timing, const struct kr_frame_times *times,
	int64_t refresh_ns, VkPastPresentationTimingGOOGLE *out)
{
	int64_t ready = times->time_ns[KR_EVENT_READY], latch = times->time_ns[KR_EVENT_LATCH];
	int64_t actual = times->time_ns[KR_EVENT_SHOWN], margin, earlier = 0;

	*out = (VkPastPresentationTimingGOOGLE){
		.presentID = timing->wanted.presentID,
		.desiredPresentTime = timing->wanted.desiredPresentTime,
	};
	if (ready < 0 || latch < 0 || actual < 0)
		return;
	margin = KR_MAX(latch - ready, 0);
	if (refresh_ns > 0)
		earlier = KR_MAX(KR_MIN(margin, actual - latch) - 1, 0) / refresh_ns * refresh_ns;
	out->actualPresentTime = (uint64_t)actual;
	out->earliestPresentTime = (uint64_t)(actual - earlier);
	out->presentMargin = (uint64_t)(margin - earlier);
}

/* How many from the front are known, as `past` tells them; it may be NULL. */
static uint32_t
tell_locked(struct kr_wsi_timings *timings, uint32_t room, VkPastPresentationTimingGOOGLE *past)
	KR_REQUIRES(timings->lock)
{
	struct kr_frame_times times;
	struct kr_timing timing;
	int64_t refresh_ns;
	uint32_t known = 0;

	(void)kr_wsi_window_timing(timings->window, &timing, &refresh_ns);
	while (known < timings->google_count &&
		look_locked(timings, &timings->google[known], &times)) {
		if (past && known < room)
			fill(&timings->google[known], &times, refresh_ns, &past[known]);
		known++;
	}
	return known;
}

VkResult
kr_wsi_timings_past_google(
	struct kr_wsi_timings *timings, uint32_t *count, VkPastPresentationTimingGOOGLE *past)
{
	uint32_t room = *count, known;

	kr_mutex_lock(&timings->lock);
	known = tell_locked(timings, room, past);
	*count = known;
	if (past) {
		*count = KR_MIN(room, known);
		timings->google_count -= *count;
		memmove(timings->google, timings->google + *count,
			timings->google_count * sizeof(timings->google[0]));
	}
	kr_mutex_unlock(&timings->lock);
	return past && *count < known ? VK_INCOMPLETE : VK_SUCCESS;
}
