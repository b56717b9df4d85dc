/* SPDX-License-Identifier: Apache-2.0 */
/* What a window's far end says of its time, in the words of VK_EXT_present_timing. */
#ifndef KR_WSI_SURFACE_TIMING_H
#define KR_WSI_SURFACE_TIMING_H

#include <krafla/native_window.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/vulkan.h"
#include "window/queue/timing.h"

struct kr_wsi_stage {
	VkPresentStageFlagsEXT stage;
	enum kr_frame_event event;
	bool of_virtual_clocks; /* alone: when a screen's pixels light up nobody says */
};

/* In the order in which they are reported. */
#define KR_WSI_STAGES 4
extern const struct kr_wsi_stage kr_wsi_stages[KR_WSI_STAGES];

/* What can be asked of a frame of a window with such a far end. */
VkPresentStageFlagsEXT kr_wsi_present_stages(const struct kr_timing *timing);
/* False when the window doesn't know the question; then all is 0. */
bool kr_wsi_window_timing(ANativeWindow *window, struct kr_timing *timing, int64_t *refresh_ns);

#endif
