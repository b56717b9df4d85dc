/* SPDX-License-Identifier: Apache-2.0 */
/* Times of presents: VK_EXT_present_timing. */
#include "wsi/timings.h"

#include <string.h>

#include "util/alloc.h"
#include "window/window.h"
#include "wsi/surface/timing.h"

/* Before the window forgets a frame, what it knows of it is kept. */
#define KEEP_AFTER (KR_FRAME_HISTORY / 2)
/* Some minutes of frames: who wants to keep more has mistaken something. */
#define MAX_RESULTS (1u << 16)

void
kr_wsi_timings_init(struct kr_wsi_timings *timings, ANativeWindow *window,
	const VkAllocationCallbacks *allocator)
{
	timings->window = window;
	timings->allocator = allocator;
	kr_mutex_init(&timings->lock);
}

void
kr_wsi_timings_finish(struct kr_wsi_timings *timings)
{
	if (!timings->window)
		return;
	kr_mutex_lock(&timings->lock);
	kr_free(timings->allocator, timings->slots);
	timings->slots = NULL;
	kr_mutex_unlock(&timings->lock);
	kr_mutex_finish(&timings->lock);
}

bool
kr_wsi_timings_has_room(struct kr_wsi_timings *timings)
{
	bool room;

	kr_mutex_lock(&timings->lock);
	room = timings->count < timings->size;
	kr_mutex_unlock(&timings->lock);
	return room;
}

/* A frame that the window knows nothing of, or no more, has no times that are to come. */
static void
ask_locked(struct kr_wsi_timings *timings, struct kr_wsi_timing *slot) KR_REQUIRES(timings->lock)
{
	struct kr_frame_times times;

	if (slot->times.complete)
		return;
	if (!timings->window->perform(
		    timings->window, KR_WINDOW_FRAME_TIMES, slot->times.number, &times)) {
		slot->times = times;
		return;
	}
	for (unsigned i = 0; i < KR_EVENT_COUNT; i++) {
		if (slot->times.time_ns[i] == KR_TIME_PENDING)
			slot->times.time_ns[i] = KR_TIME_INVALID;
	}
	slot->times.complete = true;
}

void
kr_wsi_timings_push(struct kr_wsi_timings *timings, uint64_t frame, uint64_t id,
	const VkPresentTimingInfoEXT *info, int64_t behind_ns)
{
	kr_mutex_lock(&timings->lock);
	for (uint32_t i = 0; i < timings->count; i++) {
		if (timings->slots[i].times.number + KEEP_AFTER > frame)
			break;
		ask_locked(timings, &timings->slots[i]);
	}
	if (timings->count < timings->size) {
		struct kr_wsi_timing *slot = &timings->slots[timings->count++];

		*slot = (struct kr_wsi_timing){
			.id = id,
			.target = info->targetTime,
			.domain = info->timeDomainId,
			.behind_ns = behind_ns,
			.stages = info->presentStageQueries,
			.times.number = frame,
		};
		for (unsigned i = 0; i < KR_EVENT_COUNT; i++)
			slot->times.time_ns[i] = KR_TIME_PENDING;
	}
	kr_mutex_unlock(&timings->lock);
}

VkResult
kr_wsi_timings_resize(struct kr_wsi_timings *timings, uint32_t size)
{
	struct kr_wsi_timing *slots = NULL, *before;
	VkResult result = VK_SUCCESS;

	if (size > MAX_RESULTS)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	if (size)
		slots = kr_zalloc_array(timings->allocator, size, sizeof(*slots),
			VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (size && !slots)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	kr_mutex_lock(&timings->lock);
	before = slots;
	if (timings->count > size) {
		result = VK_NOT_READY;
	} else {
		if (timings->count)
			memcpy(slots, timings->slots, timings->count * sizeof(*slots));
		before = timings->slots;
		timings->slots = slots;
		timings->size = size;
	}
	kr_mutex_unlock(&timings->lock);
	kr_free(timings->allocator, before);
	return result;
}

/* The refresh duration, and how often it has changed. */
static uint64_t
look_at_refresh_locked(struct kr_wsi_timings *timings, uint64_t *duration)
	KR_REQUIRES(timings->lock)
{
	struct kr_timing timing;
	int64_t refresh_ns;

	(void)kr_wsi_window_timing(timings->window, &timing, &refresh_ns);
	if (!timings->refresh_changes || refresh_ns != timings->refresh_ns)
		timings->refresh_changes++;
	timings->refresh_ns = refresh_ns;
	*duration = (uint64_t)KR_MAX(refresh_ns, 0);
	return timings->refresh_changes;
}

/* A screen has one rate at a time: between two durations there is as much as one. */
VkResult
kr_wsi_timings_properties(struct kr_wsi_timings *timings,
	VkSwapchainTimingPropertiesEXT *properties, uint64_t *counter)
{
	uint64_t changes, duration;

	kr_mutex_lock(&timings->lock);
	changes = look_at_refresh_locked(timings, &duration);
	kr_mutex_unlock(&timings->lock);
	properties->refreshDuration = properties->refreshInterval = duration;
	if (counter)
		*counter = changes;
	return VK_SUCCESS;
}

/* The stages that are known by now, one way or another. */
static VkPresentStageFlagsEXT
known_stages(const struct kr_wsi_timing *slot)
{
	VkPresentStageFlagsEXT known = 0;

	for (size_t i = 0; i < KR_WSI_STAGES; i++) {
		if (slot->stages & kr_wsi_stages[i].stage &&
			slot->times.time_ns[kr_wsi_stages[i].event] != KR_TIME_PENDING)
			known |= kr_wsi_stages[i].stage;
	}
	return known;
}

/* In the present's domain; a time that there isn't is 0. */
static uint64_t
time_of(const struct kr_wsi_timing *slot, enum kr_frame_event event)
{
	int64_t time_ns = slot->times.time_ns[event], there;

	if (time_ns < 0)
		return 0;
	/* A far end may say anything. */
	if (__builtin_sub_overflow(time_ns, slot->behind_ns, &there))
		there = INT64_MAX;
	return (uint64_t)KR_MAX(there, 0);
}

static void
report(const struct kr_wsi_timing *slot, VkPresentStageFlagsEXT known,
	VkPastPresentationTimingEXT *out)
{
	out->presentId = slot->id;
	out->targetTime = slot->target;
	out->timeDomain = kr_wsi_domain_of(slot->domain, &out->timeDomainId);
	out->reportComplete = known == slot->stages;
	out->presentStageCount = 0;
	for (size_t i = 0; i < KR_WSI_STAGES; i++) {
		if (known & kr_wsi_stages[i].stage && out->pPresentStages)
			out->pPresentStages[out->presentStageCount++] = (VkPresentStageTimeEXT){
				kr_wsi_stages[i].stage, time_of(slot, kr_wsi_stages[i].event)};
	}
}

/* Asks for stages that no window has, which will never be known. */
static void
drop_unknown_stages(struct kr_wsi_timing *slot)
{
	VkPresentStageFlagsEXT all = 0;

	for (size_t i = 0; i < KR_WSI_STAGES; i++)
		all |= kr_wsi_stages[i].stage;
	slot->stages &= all;
}

struct query {
	VkPastPresentationTimingFlagsEXT flags;
	VkPastPresentationTimingEXT *out; /* NULL: only how many */
	uint32_t room;
	uint32_t available;
	uint32_t written;
};

/* Whether the slot is used up. Sets *blocked when nothing behind it may be reported. */
static bool
query_slot_locked(struct kr_wsi_timings *timings, struct kr_wsi_timing *slot, struct query *query,
	bool *blocked) KR_REQUIRES(timings->lock)
{
	VkPresentStageFlagsEXT known;
	bool complete;

	ask_locked(timings, slot);
	drop_unknown_stages(slot);
	known = known_stages(slot);
	complete = known == slot->stages;
	if (!complete &&
		!(query->flags & VK_PAST_PRESENTATION_TIMING_ALLOW_PARTIAL_RESULTS_BIT_EXT)) {
		*blocked = !(query->flags &
			VK_PAST_PRESENTATION_TIMING_ALLOW_OUT_OF_ORDER_RESULTS_BIT_EXT);
		return false;
	}
	if (!complete && !(known & ~slot->told))
		return false;
	query->available++;
	if (!query->out || query->written == query->room)
		return false;
	report(slot, known, &query->out[query->written++]);
	slot->told = known;
	return complete;
}

VkResult
kr_wsi_timings_past(struct kr_wsi_timings *timings, VkPastPresentationTimingFlagsEXT flags,
	VkPastPresentationTimingPropertiesEXT *properties)
{
	struct query query = {.flags = flags,
		.out = properties->pPresentationTimings,
		.room = properties->presentationTimingCount};
	uint32_t kept = 0, i;
	uint64_t duration;
	bool blocked = false;

	kr_mutex_lock(&timings->lock);
	properties->timingPropertiesCounter = look_at_refresh_locked(timings, &duration);
	properties->timeDomainsCounter = KR_WSI_DOMAINS_COUNTER;
	for (i = 0; i < timings->count; i++) {
		if (blocked || !query_slot_locked(timings, &timings->slots[i], &query, &blocked))
			timings->slots[kept++] = timings->slots[i];
	}
	timings->count = kept;
	kr_mutex_unlock(&timings->lock);
	properties->presentationTimingCount = query.out ? query.written : query.available;
	return query.out && query.written < query.available ? VK_INCOMPLETE : VK_SUCCESS;
}
