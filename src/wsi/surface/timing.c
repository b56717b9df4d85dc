/* SPDX-License-Identifier: Apache-2.0 */
/* See timing.h. */
#include "wsi/surface/timing.h"

#include "window/window.h"

const struct kr_wsi_stage kr_wsi_stages[KR_WSI_STAGES] = {
	{VK_PRESENT_STAGE_QUEUE_OPERATIONS_END_BIT_EXT, KR_EVENT_READY, false},
	{VK_PRESENT_STAGE_REQUEST_DEQUEUED_BIT_EXT, KR_EVENT_LATCH, false},
	{VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_OUT_BIT_EXT, KR_EVENT_SHOWN, false},
	{VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_VISIBLE_BIT_EXT, KR_EVENT_SHOWN, true},
};

VkPresentStageFlagsEXT
kr_wsi_present_stages(const struct kr_timing *timing)
{
	VkPresentStageFlagsEXT there = 0;

	for (size_t i = 0; i < KR_WSI_STAGES; i++) {
		if (timing->events >> kr_wsi_stages[i].event & 1 &&
			(timing->virtual_clock || !kr_wsi_stages[i].of_virtual_clocks))
			there |= kr_wsi_stages[i].stage;
	}
	return there;
}

bool
kr_wsi_window_timing(ANativeWindow *window, struct kr_timing *timing, int64_t *refresh_ns)
{
	struct kr_window_timing told = {0};
	bool knows = window->perform(window, KR_WINDOW_GET_TIMING, &told) == 0;

	*timing = told.timing;
	*refresh_ns = told.refresh_ns;
	return knows;
}
