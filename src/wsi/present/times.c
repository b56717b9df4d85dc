/* SPDX-License-Identifier: Apache-2.0 */
/* The functions about times of presents, each handed to its swapchain (timings.h). */
#include "util/clock.h"
#include "wsi/surface/timing.h"
#include "wsi/swapchain.h"
#include "wsi/wsi.h"

VkResult
kr_wsi_set_timing_queue_size(VkSwapchainKHR swapchain, uint32_t size)
{
	return kr_wsi_timings_resize(&kr_wsi_swapchain_from_handle(swapchain)->timings, size);
}

VkResult
kr_wsi_get_timing_properties(
	VkSwapchainKHR swapchain, VkSwapchainTimingPropertiesEXT *properties, uint64_t *counter)
{
	return kr_wsi_timings_properties(
		&kr_wsi_swapchain_from_handle(swapchain)->timings, properties, counter);
}

VkResult
kr_wsi_get_time_domains(
	VkSwapchainKHR swapchain, VkSwapchainTimeDomainPropertiesEXT *properties, uint64_t *counter)
{
	return kr_wsi_timings_domains(
		&kr_wsi_swapchain_from_handle(swapchain)->timings, properties, counter);
}

VkResult
kr_wsi_get_past_timing(struct kr_wsi_device *device, const VkPastPresentationTimingInfoEXT *info,
	VkPastPresentationTimingPropertiesEXT *properties)
{
	if (atomic_load(&device->lost))
		return VK_ERROR_DEVICE_LOST;
	return kr_wsi_timings_past(
		&kr_wsi_swapchain_from_handle(info->swapchain)->timings, info->flags, properties);
}

VkResult
kr_wsi_get_refresh_cycle(VkSwapchainKHR swapchain, VkRefreshCycleDurationGOOGLE *refresh)
{
	struct kr_wsi_swapchain *s = kr_wsi_swapchain_from_handle(swapchain);
	struct kr_timing timing;
	int64_t refresh_ns = 0;

	if (!kr_wsi_window_timing(s->window, &timing, &refresh_ns) &&
		s->window->perform(
			s->window, NATIVE_WINDOW_GET_REFRESH_CYCLE_DURATION, &refresh_ns))
		return VK_ERROR_SURFACE_LOST_KHR;
	/* A far end without a clock of its own has no refreshes. */
	refresh->refreshDuration = (uint64_t)KR_MAX(refresh_ns, 0);
	return VK_SUCCESS;
}

VkResult
kr_wsi_get_past_timing_google(
	VkSwapchainKHR swapchain, uint32_t *count, VkPastPresentationTimingGOOGLE *past)
{
	struct kr_wsi_swapchain *s = kr_wsi_swapchain_from_handle(swapchain);

	if (atomic_load(&s->device->lost))
		return VK_ERROR_DEVICE_LOST;
	if (atomic_load(&s->retired))
		return VK_ERROR_OUT_OF_DATE_KHR;
	return kr_wsi_timings_past_google(&s->timings, count, past);
}

uint64_t
kr_wsi_swapchain_now(VkSwapchainKHR swapchain)
{
	struct kr_wsi_swapchain *s = kr_wsi_swapchain_from_handle(swapchain);
	struct kr_frame_times times;
	struct kr_timing timing;
	int64_t refresh_ns;
	uint64_t frame;

	(void)kr_wsi_window_timing(s->window, &timing, &refresh_ns);
	if (!timing.virtual_clock)
		return (uint64_t)kr_clock_now();
	if (s->window->perform(s->window, KR_WINDOW_LAST_SHOWN, &frame) ||
		s->window->perform(s->window, KR_WINDOW_FRAME_TIMES, frame, &times))
		return 0;
	return (uint64_t)KR_MAX(times.time_ns[KR_EVENT_SHOWN], 0);
}
