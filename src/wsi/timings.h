/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a swapchain's presents want to know of their times (VK_EXT_present_timing,
 * VK_GOOGLE_display_timing), and what has become known of them.
 *
 * A present stands for a frame of the window's queue, which remembers the times of its last
 * KR_FRAME_HISTORY frames (window/queue/timing.h). What isn't asked for so long is kept here.
 *
 * Thread-safety: results may be asked from any threads while another one presents. `lock` is held
 * across no call of a window but that for times, which waits for nothing.
 */
#ifndef KR_WSI_TIMINGS_H
#define KR_WSI_TIMINGS_H

#include <krafla/native_window.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"
#include "util/mutex.h"
#include "util/vulkan.h"
#include "window/queue/timing.h"

/* As many as Android remembers. */
#define KR_WSI_GOOGLE_TIMINGS 10u

/* A present of VK_EXT_present_timing, in the order of presents. */
struct kr_wsi_timing {
	uint64_t id;
	uint64_t target;
	uint64_t domain;
	int64_t behind_ns; /* its clock, behind CLOCK_MONOTONIC */
	VkPresentStageFlagsEXT stages;
	VkPresentStageFlagsEXT told; /* in a partial report */
	struct kr_frame_times times; /* as they were asked last; its number is the frame's */
};

/* Of VK_GOOGLE_display_timing. */
struct kr_wsi_google_timing {
	VkPresentTimeGOOGLE wanted;
	uint64_t frame;
};

struct kr_wsi_timings {
	ANativeWindow *window; /* the swapchain's */
	const VkAllocationCallbacks *allocator;
	struct kr_mutex lock;
	struct kr_wsi_timing *slots KR_GUARDED_BY(lock); /* `size` of them */
	uint32_t size KR_GUARDED_BY(lock);
	uint32_t count KR_GUARDED_BY(lock);
	struct kr_wsi_google_timing google[KR_WSI_GOOGLE_TIMINGS] KR_GUARDED_BY(lock);
	uint32_t google_count KR_GUARDED_BY(lock);
	int64_t refresh_ns KR_GUARDED_BY(lock);       /* as it was told last */
	uint64_t refresh_changes KR_GUARDED_BY(lock); /* the counter that tells of it */
};

/* Of a time domain of swapchains, as vkGetSwapchainTimeDomainPropertiesEXT says them. */
enum kr_wsi_time_domain {
	KR_WSI_DOMAIN_STAGE_LOCAL = 1,
	KR_WSI_DOMAIN_SWAPCHAIN_LOCAL,
	KR_WSI_DOMAIN_MONOTONIC, /* of real clocks alone, as what follows */
	KR_WSI_DOMAIN_MONOTONIC_RAW,
	KR_WSI_DOMAIN_END,
};
/* Of the list of time domains, which stays what it is. */
#define KR_WSI_DOMAINS_COUNTER 1u

/* By its id, which *told is; STAGE_LOCAL for an id that is none. */
VkTimeDomainKHR kr_wsi_domain_of(uint64_t id, uint64_t *told);
/*
 * How far the clock of a time domain is behind CLOCK_MONOTONIC, in which windows have their times.
 * That is 0, but for CLOCK_MONOTONIC_RAW: no clock of the world's corrects that, so it drifts (by
 * 1/2000 at most). A present is converted by what held when it was made, with its target and all
 * its results: so none of these is before the target because the clocks have moved on.
 */
int64_t kr_wsi_timings_behind(struct kr_wsi_timings *timings, uint64_t domain);

/* `allocator` outlives it. */
void kr_wsi_timings_init(struct kr_wsi_timings *timings, ANativeWindow *window,
	const VkAllocationCallbacks *allocator);
void kr_wsi_timings_finish(struct kr_wsi_timings *timings);

/* Whether one more present of VK_EXT_present_timing that asks for stages can be remembered. */
bool kr_wsi_timings_has_room(struct kr_wsi_timings *timings);
/* Frame `frame` was queued with these. `behind_ns`: of its domain, as its target was converted. */
void kr_wsi_timings_push(struct kr_wsi_timings *timings, uint64_t frame, uint64_t id,
	const VkPresentTimingInfoEXT *info, int64_t behind_ns);
void kr_wsi_timings_push_google(
	struct kr_wsi_timings *timings, uint64_t frame, const VkPresentTimeGOOGLE *wanted);

/* The functions of the two extensions. VK_NOT_READY: there are more results than that. */
VkResult kr_wsi_timings_resize(struct kr_wsi_timings *timings, uint32_t size);
VkResult kr_wsi_timings_properties(struct kr_wsi_timings *timings,
	VkSwapchainTimingPropertiesEXT *properties, uint64_t *counter);
VkResult kr_wsi_timings_domains(struct kr_wsi_timings *timings,
	VkSwapchainTimeDomainPropertiesEXT *properties, uint64_t *counter);
VkResult kr_wsi_timings_past(struct kr_wsi_timings *timings, VkPastPresentationTimingFlagsEXT flags,
	VkPastPresentationTimingPropertiesEXT *properties);
VkResult kr_wsi_timings_past_google(
	struct kr_wsi_timings *timings, uint32_t *count, VkPastPresentationTimingGOOGLE *past);

#endif
