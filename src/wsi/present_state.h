/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a swapchain's presents say to its window beside the frame: mode, alpha, scaling, gravity.
 * Windows keep what they are told, so it is said again only when it changes.
 */
#ifndef KR_WSI_PRESENT_STATE_H
#define KR_WSI_PRESENT_STATE_H

#include <krafla/native_window.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"
#include "util/vulkan.h"
#include "window/queue/presentation.h"

struct kr_wsi_present_state {
	struct kr_presentation said; /* as the window has it */
	uint32_t modes;              /* 1 << enum kr_present_mode: what presents may switch among */
	bool droppable;              /* one of them lets frames be replaced */
	bool shared;                 /* they are those of one shared image */
	bool scaled;                 /* the program said how what doesn't fit is shown */
	bool foreign;                /* the window doesn't know presentations */
};

/*
 * From a swapchain's info and what is chained to it: modes, scaling, device groups. Says nothing
 * to the window. VK_ERROR_INITIALIZATION_FAILED for what no swapchain can do (logged).
 */
VkResult kr_wsi_present_state_init(
	struct kr_wsi_present_state *state, const VkSwapchainCreateInfoKHR *info) KR_MUST_CHECK;

/*
 * Tells a window that was set up for the swapchain all of it. VK_ERROR_INITIALIZATION_FAILED when
 * its far end can't do that (logged).
 */
VkResult kr_wsi_present_state_begin(struct kr_wsi_present_state *state, ANativeWindow *window)
	KR_MUST_CHECK;

/*
 * Tells the window what is different for the next frame. A window that knows no presentations is
 * told what Android's windows know: whether frames may be dropped, and auto refresh.
 */
void kr_wsi_present_state_say(struct kr_wsi_present_state *state, ANativeWindow *window,
	enum kr_present_mode mode, bool tell_shown, bool tell_events);

#endif
