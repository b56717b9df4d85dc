/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vkWaitForPresentKHR and vkWaitForPresent2KHR. The wait itself is present_ids.c's; from time to
 * time it is looked whether there is anything left to wait for.
 */
#include "wsi/swapchain.h"

#include <errno.h>

#include "util/clock.h"

/* What nobody wakes a waiter for is noticed after so long: a lost device, a retired swapchain. */
#define LOOK_NS (100 * KR_NSEC_PER_MSEC)

/* Why an id will never be shown, VK_TIMEOUT when it still may. */
static VkResult
end_of_wait(const struct kr_wsi_swapchain *s, bool presented)
{
	uint32_t valid = 1;

	if (atomic_load(&s->device->lost))
		return VK_ERROR_DEVICE_LOST;
	if (presented)
		return VK_TIMEOUT;
	/* Windows that don't know this question are valid. */
	if (kr_wsi_window_query(s->window, NATIVE_WINDOW_IS_VALID, &valid) && !valid)
		return VK_ERROR_SURFACE_LOST_KHR;
	return atomic_load(&s->retired) ? VK_ERROR_OUT_OF_DATE_KHR : VK_TIMEOUT;
}

VkResult
kr_wsi_wait_for_present(
	struct kr_wsi_device *device, VkSwapchainKHR swapchain, uint64_t id, uint64_t timeout)
{
	struct kr_wsi_swapchain *s = kr_wsi_swapchain_from_handle(swapchain);
	int64_t deadline = kr_deadline_in(timeout), until;
	bool presented;
	VkResult result;
	int err;

	if (atomic_load(&device->lost))
		return VK_ERROR_DEVICE_LOST;
	do {
		until = KR_MIN(deadline, kr_deadline_in(LOOK_NS));
		err = kr_wsi_present_ids_wait(&s->ids, id, until, &presented);
		if (!err)
			return VK_SUCCESS;
		if (err != -ETIMEDOUT)
			return kr_wsi_result_from_window(err);
		result = end_of_wait(s, presented);
	} while (result == VK_TIMEOUT && until < deadline);
	return result;
}
