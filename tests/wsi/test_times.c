/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of presents: VK_EXT_present_timing and VK_GOOGLE_display_timing, with a far end that the
 * test plays. What Khronos's tests ask of both is among the cases: the queue of results and its
 * sizes, stages, order, partial results, swapchains that are retired, targets, domains.
 */
#include "harness.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "present_rig.h"
#include "util/clock.h"

#define ALL_STAGES                                                                                 \
	(VK_PRESENT_STAGE_QUEUE_OPERATIONS_END_BIT_EXT |                                           \
		VK_PRESENT_STAGE_REQUEST_DEQUEUED_BIT_EXT |                                        \
		VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_OUT_BIT_EXT)
#define PARTIAL      VK_PAST_PRESENTATION_TIMING_ALLOW_PARTIAL_RESULTS_BIT_EXT
#define OUT_OF_ORDER VK_PAST_PRESENTATION_TIMING_ALLOW_OUT_OF_ORDER_RESULTS_BIT_EXT
#define REFRESH_NS   16666667

static VkSwapchainKHR
open_rig(struct rig *rig)
{
	rig_timing = (struct kr_timing){
		.targets = KR_TIMING_TARGETS,
		.events = KR_TIMING_EVENTS,
	};
	rig_refresh_ns = REFRESH_NS;
	rig_init(rig, true);
	return rig_swapchain(rig, VK_PRESENT_MODE_FIFO_KHR);
}

static void
close_rig(struct rig *rig, VkSwapchainKHR swapchain)
{
	rig_destroy(rig, swapchain);
	rig_finish(rig);
	rig_timing = (struct kr_timing){0};
	rig_refresh_ns = 0;
}

static VkResult
present(struct rig *rig, VkSwapchainKHR s, uint32_t index, uint64_t id,
	const VkPresentTimingInfoEXT *timing, const VkPresentTimeGOOGLE *google)
{
	const VkPresentTimesInfoGOOGLE times = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE,
		.swapchainCount = 1,
		.pTimes = google,
	};
	const VkPresentTimingsInfoEXT timings = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_TIMINGS_INFO_EXT,
		.pNext = &times,
		.swapchainCount = 1,
		.pTimingInfos = timing,
	};
	const VkPresentId2KHR ids = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_ID_2_KHR,
		.pNext = &timings,
		.swapchainCount = 1,
		.pPresentIds = &id,
	};
	const VkPresentInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.pNext = &ids,
		.swapchainCount = 1,
		.pSwapchains = &s,
		.pImageIndices = &index,
	};

	return kr_wsi_queue_present(rig->device, QUEUE, &info);
}

/* A frame that asks for these stages is with the far end, which has given it back. */
static uint64_t
show(struct rig *rig, VkSwapchainKHR s, uint64_t id, VkPresentStageFlagsEXT stages)
{
	const VkPresentTimingInfoEXT timing = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_TIMING_INFO_EXT,
		.timeDomainId = 1,
		.presentStageQueries = stages,
	};
	struct kr_frame frame;

	assert_int_equal(present(rig, s, acquired(rig, s), id, &timing, NULL), VK_SUCCESS);
	assert_int_equal(kr_consumer_acquire(rig->consumer, &frame), 0);
	assert_true(frame.presentation.tell_events == (stages != 0));
	assert_int_equal(kr_consumer_release(rig->consumer, &frame, -1), 0);
	return frame.number;
}

/* The far end tells of a frame: its events begin there, a unit apart. */
static void
tell(struct rig *rig, uint64_t frame, uint32_t known, int64_t first)
{
	struct kr_frame_events events = {.number = frame, .known = known};

	for (unsigned i = 0; i < KR_EVENT_COUNT; i++)
		events.time_ns[i] = first + (int64_t)i;
	kr_consumer_tell_events(rig->consumer, &events);
}

struct past {
	VkPastPresentationTimingEXT timings[16];
	VkPresentStageTimeEXT stages[16][4];
	VkPastPresentationTimingPropertiesEXT properties;
};

static VkResult
ask(struct rig *rig, VkSwapchainKHR s, VkPastPresentationTimingFlagsEXT flags, uint32_t room,
	struct past *past)
{
	const VkPastPresentationTimingInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_PAST_PRESENTATION_TIMING_INFO_EXT,
		.flags = flags,
		.swapchain = s,
	};

	memset(past, 0, sizeof(*past));
	for (unsigned i = 0; i < KR_ARRAY_LEN(past->timings); i++)
		past->timings[i].pPresentStages = past->stages[i];
	past->properties.presentationTimingCount = room;
	past->properties.pPresentationTimings = past->timings;
	return kr_wsi_get_past_timing(rig->device, &info, &past->properties);
}

static void
expect_count(struct rig *rig, VkSwapchainKHR s, VkPastPresentationTimingFlagsEXT flags,
	uint32_t count, struct past *past)
{
	assert_int_equal(ask(rig, s, flags, 16, past), VK_SUCCESS);
	assert_int_equal(past->properties.presentationTimingCount, count);
}

static void
results_come_once_in_order_with_all_stages(void **state)
{
	struct past past;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig);
	uint64_t first, second;

	assert_int_equal(kr_wsi_set_timing_queue_size(s, 8), VK_SUCCESS);
	first = show(&rig, s, 5, ALL_STAGES);
	second = show(&rig, s, 9, VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_OUT_BIT_EXT);
	expect_count(&rig, s, 0, 0, &past);
	/* The later one alone is known: it waits for the first. */
	tell(&rig, second, KR_TIMING_EVENTS, 2000);
	expect_count(&rig, s, 0, 0, &past);
	tell(&rig, first, KR_TIMING_EVENTS, 1000);
	expect_count(&rig, s, 0, 2, &past);
	assert_int_equal(past.timings[0].presentId, 5);
	assert_true(past.timings[0].reportComplete);
	assert_int_equal(past.timings[0].presentStageCount, 3);
	assert_int_equal(past.stages[0][0].stage, VK_PRESENT_STAGE_QUEUE_OPERATIONS_END_BIT_EXT);
	assert_int_equal(past.stages[0][0].time, 1000 + KR_EVENT_READY);
	assert_int_equal(past.stages[0][1].time, 1000 + KR_EVENT_LATCH);
	assert_int_equal(past.stages[0][2].time, 1000 + KR_EVENT_SHOWN);
	assert_int_equal(past.timings[0].timeDomain, VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT);
	assert_int_equal(past.timings[1].presentId, 9);
	assert_int_equal(past.timings[1].presentStageCount, 1);
	assert_int_equal(past.stages[1][0].time, 2000 + KR_EVENT_SHOWN);
	expect_count(&rig, s, 0, 0, &past);
	close_rig(&rig, s);
}

static void
results_may_be_partial_or_out_of_order(void **state)
{
	struct past past;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig);
	uint64_t first, second;

	assert_int_equal(kr_wsi_set_timing_queue_size(s, 8), VK_SUCCESS);
	first = show(&rig, s, 1, ALL_STAGES);
	second = show(&rig, s, 2, ALL_STAGES);
	tell(&rig, first, 1u << KR_EVENT_READY, 1000);
	tell(&rig, second, KR_TIMING_EVENTS, 2000);
	expect_count(&rig, s, 0, 0, &past);
	expect_count(&rig, s, PARTIAL, 2, &past);
	assert_int_equal(past.timings[0].presentId, 1);
	assert_false(past.timings[0].reportComplete);
	assert_int_equal(past.timings[0].presentStageCount, 1);
	assert_true(past.timings[1].reportComplete);
	/* Nothing is told twice, and what was told in part stays until it is whole. */
	expect_count(&rig, s, PARTIAL, 0, &past);
	second = show(&rig, s, 3, ALL_STAGES);
	tell(&rig, second, KR_TIMING_EVENTS, 3000);
	expect_count(&rig, s, 0, 0, &past);
	expect_count(&rig, s, OUT_OF_ORDER, 1, &past);
	assert_int_equal(past.timings[0].presentId, 3);
	tell(&rig, first, KR_TIMING_EVENTS, 1000);
	expect_count(&rig, s, 0, 1, &past);
	assert_int_equal(past.timings[0].presentStageCount, 3);
	close_rig(&rig, s);
}

static void
too_little_room_is_incomplete(void **state)
{
	struct past past;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig);

	assert_int_equal(kr_wsi_set_timing_queue_size(s, 8), VK_SUCCESS);
	for (uint64_t id = 1; id <= 3; id++)
		tell(&rig, show(&rig, s, id, ALL_STAGES), KR_TIMING_EVENTS, 1000);
	assert_int_equal(ask(&rig, s, 0, 2, &past), VK_INCOMPLETE);
	assert_int_equal(past.properties.presentationTimingCount, 2);
	assert_int_equal(past.timings[1].presentId, 2);
	assert_int_equal(ask(&rig, s, 0, 0, &past), VK_INCOMPLETE);
	assert_int_equal(ask(&rig, s, 0, 16, &past), VK_SUCCESS);
	assert_int_equal(past.timings[0].presentId, 3);
	close_rig(&rig, s);
}

/* The image stays the application's, which may present it without asking for times. */
static void
a_full_queue_refuses_the_present(void **state)
{
	VkPresentTimingInfoEXT timing = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_TIMING_INFO_EXT,
		.presentStageQueries = VK_PRESENT_STAGE_QUEUE_OPERATIONS_END_BIT_EXT,
	};
	struct kr_frame frame;
	struct past past;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig);
	uint64_t first;
	uint32_t index;

	index = acquired(&rig, s);
	assert_int_equal(
		present(&rig, s, index, 0, &timing, NULL), VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT);
	assert_int_equal(kr_wsi_set_timing_queue_size(s, 2), VK_SUCCESS);
	assert_int_equal(present(&rig, s, index, 0, &timing, NULL), VK_SUCCESS);
	assert_int_equal(kr_consumer_acquire(rig.consumer, &frame), 0);
	first = frame.number;
	kr_consumer_release(rig.consumer, &frame, -1);
	show(&rig, s, 0, timing.presentStageQueries);
	index = acquired(&rig, s);
	assert_int_equal(
		present(&rig, s, index, 0, &timing, NULL), VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT);
	assert_int_equal(kr_consumer_acquire(rig.consumer, &frame), -EAGAIN);
	timing.presentStageQueries = 0;
	assert_int_equal(present(&rig, s, index, 0, &timing, NULL), VK_SUCCESS);
	assert_int_equal(kr_consumer_acquire(rig.consumer, &frame), 0);
	kr_consumer_release(rig.consumer, &frame, -1);
	assert_int_equal(kr_wsi_set_timing_queue_size(s, 1), VK_NOT_READY);
	assert_int_equal(kr_wsi_set_timing_queue_size(s, 0), VK_NOT_READY);
	assert_int_equal(kr_wsi_set_timing_queue_size(s, UINT32_MAX), VK_ERROR_OUT_OF_HOST_MEMORY);
	assert_int_equal(kr_wsi_set_timing_queue_size(s, 3), VK_SUCCESS);
	tell(&rig, first, KR_TIMING_EVENTS, 1);
	expect_count(&rig, s, 0, 1, &past);
	assert_int_equal(past.timings[0].presentId, 0);
	assert_int_equal(kr_wsi_set_timing_queue_size(s, 1), VK_SUCCESS);
	close_rig(&rig, s);
}

/* What will never be known is told as 0, and holds up nobody. */
static void
times_that_never_come_are_zero(void **state)
{
	struct kr_frame_events dropped = {.known = KR_TIMING_EVENTS};
	struct past past;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig);

	assert_int_equal(kr_wsi_set_timing_queue_size(s, 100), VK_SUCCESS);
	dropped.number = show(&rig, s, 1, ALL_STAGES | 0xf0u);
	for (unsigned i = 0; i < KR_EVENT_COUNT; i++)
		dropped.time_ns[i] = KR_TIME_INVALID;
	kr_consumer_tell_events(rig.consumer, &dropped);
	expect_count(&rig, s, 0, 1, &past);
	assert_int_equal(past.timings[0].presentStageCount, 3);
	assert_int_equal(past.stages[0][2].time, 0);
	/* The window forgets frames; of one that was told of before it is known all the same. */
	tell(&rig, show(&rig, s, 2, ALL_STAGES), KR_TIMING_EVENTS, 2000);
	show(&rig, s, 3, ALL_STAGES);
	for (unsigned i = 0; i < 2 * KR_FRAME_HISTORY; i++)
		show(&rig, s, 0, 0);
	tell(&rig, show(&rig, s, 4, ALL_STAGES), KR_TIMING_EVENTS, 4000);
	expect_count(&rig, s, 0, 3, &past);
	assert_int_equal(past.stages[0][0].time, 0);
	assert_int_equal(past.stages[1][0].time, 0);
	assert_int_equal(past.stages[2][2].time, 4000 + KR_EVENT_SHOWN);
	close_rig(&rig, s);
}

static void
targets_are_of_one_frame(void **state)
{
	static const struct {
		VkPresentTimingInfoFlagsEXT flags;
		uint64_t time;
		struct kr_frame_target target;
	} cases[] = {
		{0, 1000, {KR_TARGET_ABSOLUTE, false, 1000}},
		{0, 0, {KR_TARGET_NONE, false, 0}},
		{VK_PRESENT_TIMING_INFO_PRESENT_AT_RELATIVE_TIME_BIT_EXT, 5,
			{KR_TARGET_RELATIVE, false, 5}},
		{VK_PRESENT_TIMING_INFO_PRESENT_AT_NEAREST_REFRESH_CYCLE_BIT_EXT, 7,
			{KR_TARGET_ABSOLUTE, true, 7}},
		{0, UINT64_MAX, {KR_TARGET_ABSOLUTE, false, INT64_MAX}},
	};
	struct kr_frame frame;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig);

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		const VkPresentTimingInfoEXT timing = {
			.sType = VK_STRUCTURE_TYPE_PRESENT_TIMING_INFO_EXT,
			.flags = cases[i].flags,
			.targetTime = cases[i].time,
		};

		assert_int_equal(present(&rig, s, acquired(&rig, s), 0, &timing, NULL), VK_SUCCESS);
		assert_int_equal(kr_consumer_acquire(rig.consumer, &frame), 0);
		assert_int_equal(frame.target.kind, cases[i].target.kind);
		assert_int_equal(frame.target.nearest, cases[i].target.nearest);
		assert_true(frame.target.time_ns == cases[i].target.time_ns);
		kr_consumer_release(rig.consumer, &frame, -1);
		assert_int_equal(rig_present(&rig, s, acquired(&rig, s)), VK_SUCCESS);
		assert_int_equal(kr_consumer_acquire(rig.consumer, &frame), 0);
		assert_int_equal(frame.target.kind, KR_TARGET_NONE);
		kr_consumer_release(rig.consumer, &frame, -1);
	}
	close_rig(&rig, s);
}

static void
a_retired_swapchain_still_tells(void **state)
{
	VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
	VkPastPresentationTimingGOOGLE google;
	uint32_t count = 1;
	struct past past;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig), none;
	uint64_t frame;

	assert_int_equal(kr_wsi_set_timing_queue_size(s, 2), VK_SUCCESS);
	frame = show(&rig, s, 1, ALL_STAGES);
	/* It fails, and retires the old one all the same. */
	info.oldSwapchain = s;
	assert_true(kr_wsi_create_swapchain(rig.device, rig.surface, &info, NULL, &none) < 0);
	tell(&rig, frame, KR_TIMING_EVENTS, 1000);
	expect_count(&rig, s, 0, 1, &past);
	assert_int_equal(
		kr_wsi_get_past_timing_google(s, &count, &google), VK_ERROR_OUT_OF_DATE_KHR);
	kr_wsi_device_lost(rig.device);
	assert_int_equal(ask(&rig, s, 0, 16, &past), VK_ERROR_DEVICE_LOST);
	close_rig(&rig, s);
}

static void
domains_and_properties(void **state)
{
	VkSwapchainTimeDomainPropertiesEXT domains = {0};
	VkSwapchainTimingPropertiesEXT properties = {0};
	VkRefreshCycleDurationGOOGLE refresh;
	VkTimeDomainKHR list[5] = {0};
	uint64_t ids[5] = {0}, counter = 0, again = 0, now;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig);

	assert_int_equal(kr_wsi_get_timing_properties(s, &properties, &counter), VK_SUCCESS);
	assert_int_equal(properties.refreshDuration, REFRESH_NS);
	assert_int_equal(properties.refreshInterval, REFRESH_NS);
	assert_int_equal(kr_wsi_get_timing_properties(s, &properties, &again), VK_SUCCESS);
	assert_int_equal(again, counter);
	assert_int_equal(kr_wsi_get_refresh_cycle(s, &refresh), VK_SUCCESS);
	assert_int_equal(refresh.refreshDuration, REFRESH_NS);
	assert_int_equal(kr_wsi_get_time_domains(s, &domains, NULL), VK_SUCCESS);
	assert_int_equal(domains.timeDomainCount, 4);
	domains.pTimeDomains = list;
	domains.pTimeDomainIds = ids;
	domains.timeDomainCount = 2;
	assert_int_equal(kr_wsi_get_time_domains(s, &domains, &counter), VK_INCOMPLETE);
	assert_int_equal(domains.timeDomainCount, 2);
	assert_int_equal(ids[2], 0);
	domains.timeDomainCount = 5;
	assert_int_equal(kr_wsi_get_time_domains(s, &domains, &counter), VK_SUCCESS);
	assert_int_equal(domains.timeDomainCount, 4);
	assert_int_equal(list[0], VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT);
	assert_int_equal(list[2], VK_TIME_DOMAIN_CLOCK_MONOTONIC_KHR);
	assert_int_equal(list[3], VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_KHR);
	assert_true(ids[0] != ids[1] && ids[1] != ids[2] && ids[2] != ids[3]);
	now = kr_wsi_swapchain_now(s);
	assert_true(now && now <= (uint64_t)kr_clock_now());
	close_rig(&rig, s);
}

static int64_t
raw_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * KR_NSEC_PER_SEC + now.tv_nsec;
}

/* A present in the domain whose id that is; its frame, as the far end has it. */
static struct kr_frame
show_in_domain(struct rig *rig, VkSwapchainKHR s, uint64_t domain,
	VkPresentTimingInfoFlagsEXT flags, uint64_t target)
{
	const VkPresentTimingInfoEXT timing = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_TIMING_INFO_EXT,
		.flags = flags,
		.targetTime = target,
		.timeDomainId = domain,
		.presentStageQueries = ALL_STAGES,
	};
	struct kr_frame frame;

	assert_int_equal(present(rig, s, acquired(rig, s), 1, &timing, NULL), VK_SUCCESS);
	assert_int_equal(kr_consumer_acquire(rig->consumer, &frame), 0);
	kr_consumer_release(rig->consumer, &frame, -1);
	return frame;
}

/*
 * A clock that runs at another rate, and began elsewhere: how far they are apart is between what
 * two looks at both of them say.
 */
static void
the_raw_clock_is_a_domain(void **state)
{
	const VkPresentTimingInfoFlagsEXT relative =
		VK_PRESENT_TIMING_INFO_PRESENT_AT_RELATIVE_TIME_BIT_EXT;
	const int64_t drift = KR_NSEC_PER_MSEC; /* of two seconds */
	int64_t before, after, at = raw_now() + KR_NSEC_PER_SEC, behind;
	struct kr_frame frame;
	struct past past;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig);

	assert_int_equal(kr_wsi_set_timing_queue_size(s, 8), VK_SUCCESS);
	before = kr_clock_now() - raw_now();
	frame = show_in_domain(&rig, s, 4, 0, (uint64_t)at);
	after = -(raw_now() - kr_clock_now());
	behind = frame.target.time_ns - at;
	assert_int_equal(frame.target.kind, KR_TARGET_ABSOLUTE);
	assert_true(behind >= before - drift && behind <= after + drift);
	tell(&rig, frame.number, KR_TIMING_EVENTS, frame.target.time_ns);
	expect_count(&rig, s, 0, 1, &past);
	assert_int_equal(past.timings[0].timeDomain, VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_KHR);
	assert_int_equal(past.timings[0].timeDomainId, 4);
	assert_int_equal(past.timings[0].targetTime, at);
	assert_int_equal(past.stages[0][2].time, at + KR_EVENT_SHOWN);
	/* How long isn't a matter of where a clock began; and what there isn't stays 0. */
	frame = show_in_domain(&rig, s, 4, relative, 12345);
	assert_int_equal(frame.target.time_ns, 12345);
	tell(&rig, frame.number, KR_TIMING_EVENTS, -KR_EVENT_COUNT);
	expect_count(&rig, s, 0, 1, &past);
	assert_int_equal(past.stages[0][0].time, 0);
	assert_int_equal(past.stages[0][2].time, 0);
	assert_true(show_in_domain(&rig, s, 4, 0, UINT64_MAX).target.time_ns == INT64_MAX);
	assert_int_equal(show_in_domain(&rig, s, 4, 0, 0).target.kind, KR_TARGET_NONE);
	assert_int_equal(show_in_domain(&rig, s, 3, 0, 77).target.time_ns, 77);
	close_rig(&rig, s);
}

/* Its times are no host's, and stand still until a picture is shown. */
static void
a_virtual_clock_has_its_own_domains(void **state)
{
	VkSwapchainTimeDomainPropertiesEXT domains = {0};
	struct past past;
	struct rig rig;
	VkSwapchainKHR s;
	uint64_t frame;

	rig_timing = (struct kr_timing){
		.virtual_clock = true, .targets = KR_TIMING_TARGETS, .events = KR_TIMING_EVENTS};
	rig_init_able(&rig);
	s = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(kr_wsi_get_time_domains(s, &domains, NULL), VK_SUCCESS);
	assert_int_equal(domains.timeDomainCount, 2);
	assert_int_equal(kr_wsi_swapchain_now(s), 0);
	assert_int_equal(kr_wsi_set_timing_queue_size(s, 2), VK_SUCCESS);
	frame = show(&rig, s, 1, ALL_STAGES | VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_VISIBLE_BIT_EXT);
	tell(&rig, frame, KR_TIMING_EVENTS, 16666666);
	kr_consumer_shown(rig.consumer, frame, 1);
	expect_count(&rig, s, 0, 1, &past);
	assert_int_equal(past.timings[0].presentStageCount, 4);
	assert_int_equal(past.stages[0][3].time, 16666666 + KR_EVENT_SHOWN);
	assert_int_equal(kr_wsi_swapchain_now(s), 16666666 + KR_EVENT_SHOWN);
	close_rig(&rig, s);
}

/* ---- VK_GOOGLE_display_timing ---- */

static uint64_t
show_google(struct rig *rig, VkSwapchainKHR s, uint32_t id, uint64_t desired)
{
	const VkPresentTimeGOOGLE google = {id, desired};
	struct kr_frame frame;

	assert_int_equal(present(rig, s, acquired(rig, s), 0, NULL, &google), VK_SUCCESS);
	assert_int_equal(kr_consumer_acquire(rig->consumer, &frame), 0);
	assert_int_equal(frame.target.kind, desired ? KR_TARGET_TIMESTAMP : KR_TARGET_NONE);
	assert_true(frame.target.time_ns == (int64_t)desired);
	assert_true(frame.presentation.tell_events);
	kr_consumer_release(rig->consumer, &frame, -1);
	return frame.number;
}

static void
google_tells_how_much_earlier_it_could_have_been(void **state)
{
	const int64_t ready = 1000000000, latch = ready + 3 * REFRESH_NS - 1000;
	struct kr_frame_events events = {.known = KR_TIMING_EVENTS};
	VkPastPresentationTimingGOOGLE past[2];
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig);
	uint32_t count = 2;

	events.number = show_google(&rig, s, 7, 123);
	assert_int_equal(kr_wsi_get_past_timing_google(s, &count, past), VK_SUCCESS);
	assert_int_equal(count, 0);
	events.time_ns[KR_EVENT_READY] = ready;
	events.time_ns[KR_EVENT_LATCH] = latch;
	events.time_ns[KR_EVENT_SHOWN] = latch + 4 * REFRESH_NS;
	kr_consumer_tell_events(rig.consumer, &events);
	assert_int_equal(kr_wsi_get_past_timing_google(s, &count, NULL), VK_SUCCESS);
	assert_int_equal(count, 1);
	count = 2;
	assert_int_equal(kr_wsi_get_past_timing_google(s, &count, past), VK_SUCCESS);
	assert_int_equal(count, 1);
	assert_int_equal(past[0].presentID, 7);
	assert_int_equal(past[0].desiredPresentTime, 123);
	assert_int_equal(past[0].actualPresentTime, latch + 4 * REFRESH_NS);
	assert_int_equal(past[0].earliestPresentTime, latch + 2 * REFRESH_NS);
	assert_int_equal(past[0].presentMargin, REFRESH_NS - 1000);
	count = 2;
	assert_int_equal(kr_wsi_get_past_timing_google(s, &count, past), VK_SUCCESS);
	assert_int_equal(count, 0);
	close_rig(&rig, s);
}

/* A far end may say anything of its time: nobody counts that in refreshes, one by one. */
static void
google_takes_any_times(void **state)
{
	struct kr_frame_events events = {.known = KR_TIMING_EVENTS};
	VkPastPresentationTimingGOOGLE past;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig);
	uint32_t count = 1;

	events.number = show_google(&rig, s, 7, 123);
	events.time_ns[KR_EVENT_LATCH] = INT64_MAX / 2;
	events.time_ns[KR_EVENT_SHOWN] = INT64_MAX;
	kr_consumer_tell_events(rig.consumer, &events);
	assert_int_equal(kr_wsi_get_past_timing_google(s, &count, &past), VK_SUCCESS);
	assert_int_equal(count, 1);
	assert_in_range(past.presentMargin, 1, REFRESH_NS);
	assert_int_equal(past.actualPresentTime - past.earliestPresentTime,
		INT64_MAX / 2 - (int64_t)past.presentMargin);
	close_rig(&rig, s);
}

/* The last ten are remembered; one that was left out has no times. */
static void
google_remembers_ten(void **state)
{
	struct kr_frame_events dropped = {.known = KR_TIMING_EVENTS};
	VkPastPresentationTimingGOOGLE past[16];
	uint32_t count = 4;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig);

	for (unsigned i = 0; i < KR_EVENT_COUNT; i++)
		dropped.time_ns[i] = KR_TIME_INVALID;
	for (uint32_t id = 1; id <= 12; id++) {
		dropped.number = show_google(&rig, s, id, 0);
		kr_consumer_tell_events(rig.consumer, &dropped);
	}
	assert_int_equal(kr_wsi_get_past_timing_google(s, &count, past), VK_INCOMPLETE);
	assert_int_equal(count, 4);
	assert_int_equal(past[0].presentID, 3);
	assert_int_equal(past[0].actualPresentTime, 0);
	count = 16;
	assert_int_equal(kr_wsi_get_past_timing_google(s, &count, past), VK_SUCCESS);
	assert_int_equal(count, 6);
	assert_int_equal(past[5].presentID, 12);
	close_rig(&rig, s);
}

/* A window of another platform knows nothing of it; nobody waits for it. */
static void
windows_of_others_tell_nothing(void **state)
{
	VkPastPresentationTimingGOOGLE google;
	VkRefreshCycleDurationGOOGLE refresh;
	uint32_t count = 1;
	struct past past;
	struct rig rig;
	VkSwapchainKHR s;

	rig_init(&rig, true);
	rig.window.android = true;
	s = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(kr_wsi_set_timing_queue_size(s, 2), VK_SUCCESS);
	{
		const VkPresentTimingInfoEXT timing = {
			.sType = VK_STRUCTURE_TYPE_PRESENT_TIMING_INFO_EXT,
			.targetTime = 5,
			.presentStageQueries = ALL_STAGES,
		};
		const VkPresentTimeGOOGLE time = {1, 0};

		assert_int_equal(
			present(&rig, s, acquired(&rig, s), 0, &timing, &time), VK_SUCCESS);
	}
	expect_count(&rig, s, 0, 1, &past);
	assert_int_equal(past.stages[0][0].time, 0);
	assert_int_equal(kr_wsi_get_past_timing_google(s, &count, &google), VK_SUCCESS);
	assert_int_equal(google.actualPresentTime, 0);
	assert_int_equal(kr_wsi_get_refresh_cycle(s, &refresh), VK_ERROR_SURFACE_LOST_KHR);
	rig_destroy(&rig, s);
	rig_finish(&rig);
}

/* ---- from many threads ---- */

static struct rig shared;
static VkSwapchainKHR shared_swapchain;
static atomic_uint got;
static atomic_bool done;

static void *
ask_on(void *data)
{
	struct past past;

	while (!atomic_load(&done)) {
		assert_true(ask(&shared, shared_swapchain, 0, 16, &past) >= 0);
		atomic_fetch_add(&got, past.properties.presentationTimingCount);
	}
	return NULL;
}

static void
results_are_asked_from_any_thread(void **state)
{
	pthread_t threads[4];
	struct past past;

	shared_swapchain = open_rig(&shared);
	assert_int_equal(kr_wsi_set_timing_queue_size(shared_swapchain, 200), VK_SUCCESS);
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_on, NULL), 0);
	for (uint64_t id = 1; id <= 200; id++)
		tell(&shared, show(&shared, shared_swapchain, id, ALL_STAGES), KR_TIMING_EVENTS, 1);
	atomic_store(&done, true);
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
		pthread_join(threads[i], NULL);
	while (ask(&shared, shared_swapchain, 0, 16, &past) == VK_INCOMPLETE)
		atomic_fetch_add(&got, past.properties.presentationTimingCount);
	atomic_fetch_add(&got, past.properties.presentationTimingCount);
	assert_int_equal(atomic_load(&got), 200);
	close_rig(&shared, shared_swapchain);
}

static const struct kr_test tests[] = {
	KR_TEST(results_come_once_in_order_with_all_stages),
	KR_TEST(results_may_be_partial_or_out_of_order),
	KR_TEST(too_little_room_is_incomplete),
	KR_TEST(a_full_queue_refuses_the_present),
	KR_TEST(times_that_never_come_are_zero),
	KR_TEST(targets_are_of_one_frame),
	KR_TEST(a_retired_swapchain_still_tells),
	KR_TEST(domains_and_properties),
	KR_TEST(the_raw_clock_is_a_domain),
	KR_TEST(a_virtual_clock_has_its_own_domains),
	KR_TEST(google_tells_how_much_earlier_it_could_have_been),
	KR_TEST(google_takes_any_times),
	KR_TEST(google_remembers_ten),
	KR_TEST(windows_of_others_tell_nothing),
	KR_TEST(results_are_asked_from_any_thread),
};

KR_TEST_MAIN(tests)
