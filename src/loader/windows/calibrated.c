/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VK_KHR_calibrated_timestamps and VK_EXT_calibrated_timestamps: the driver's, and beside its time
 * domains those of our swapchains (VK_EXT_present_timing), of which no driver hears. A driver that
 * has the older one alone is asked by that; where one has neither, the host's clocks are told.
 */
#include <string.h>
#include <time.h>

#include "chain/chain.h"
#include "loader/devices/hooks.h"
#include "loader/devices/offers.h"
#include "loader/devices/window.h"
#include "loader/drivers/device_extensions.h"
#include "loader/handles/handles.h"
#include "loader/handles/terminators.h"
#include "loader/windows/swapchain.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/enumerate.h"

static bool
is_swapchains(VkTimeDomainKHR domain)
{
	return domain == VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT ||
		domain == VK_TIME_DOMAIN_SWAPCHAIN_LOCAL_EXT;
}

/* ---- which there are ---- */

typedef PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsKHR ask_fn;

/* NULL: the driver has neither extension. */
static ask_fn
find_ask(const struct kr_physical_device *device)
{
	ask_fn ask = NULL;

	if (kr_physical_device_has_extension(device, VK_KHR_CALIBRATED_TIMESTAMPS_EXTENSION_NAME))
		ask = device->driver->GetPhysicalDeviceCalibrateableTimeDomainsKHR;
	if (!ask &&
		kr_physical_device_has_extension(
			device, VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME))
		ask = device->driver->GetPhysicalDeviceCalibrateableTimeDomainsEXT;
	return ask;
}

/* More than any driver has. */
#define MAX_DOMAINS 16

static VkResult
list_domains(struct kr_physical_device *device, VkTimeDomainKHR list[MAX_DOMAINS], uint32_t *count)
{
	const struct kr_device_window *window;
	VkResult result = VK_SUCCESS;
	ask_fn ask = find_ask(device);

	*count = 0;
	if (ask) {
		*count = MAX_DOMAINS - 2;
		result = ask(device->handle, count, list);
		kr_enumeration_fit(list, MAX_DOMAINS - 2, count);
	} else {
		list[(*count)++] = VK_TIME_DOMAIN_CLOCK_MONOTONIC_KHR;
		list[(*count)++] = VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_KHR;
	}
	if (result >= VK_SUCCESS)
		result = kr_physical_device_get_window(device, &window);
	if (result == VK_SUCCESS &&
		window->offered & 1u << kr_vk_offer_find(VK_EXT_PRESENT_TIMING_EXTENSION_NAME)) {
		list[(*count)++] = VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT;
		list[(*count)++] = VK_TIME_DOMAIN_SWAPCHAIN_LOCAL_EXT;
	}
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPhysicalDeviceCalibrateableTimeDomainsKHR(
	VkPhysicalDevice handle, uint32_t *count, VkTimeDomainKHR *domains)
{
	VkTimeDomainKHR list[MAX_DOMAINS];
	uint32_t room = *count;
	VkResult result = list_domains(kr_physical_device_from_handle(handle), list, count);

	if (result != VK_SUCCESS || !domains)
		return result;
	if (room < *count)
		result = VK_INCOMPLETE;
	*count = KR_MIN(room, *count);
	memcpy(domains, list, *count * sizeof(*domains));
	return result;
}

/* ---- what they say ---- */

static uint64_t
read_clock(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * KR_NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

/* Of a swapchain that isn't ours the driver would have been asked. */
static uint64_t
read_swapchain(struct kr_device *device, const VkCalibratedTimestampInfoKHR *info)
{
	const VkSwapchainCalibratedTimestampInfoEXT *of = kr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_CALIBRATED_TIMESTAMP_INFO_EXT);

	if (info->timeDomain == VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_KHR)
		return read_clock(CLOCK_MONOTONIC_RAW);
	if (of && is_swapchains(info->timeDomain) && kr_swapchain_is_ours(device, of->swapchain))
		return kr_wsi_swapchain_now(of->swapchain);
	return read_clock(CLOCK_MONOTONIC);
}

static bool
is_for_us(struct kr_device *device, const VkCalibratedTimestampInfoKHR *info)
{
	const VkSwapchainCalibratedTimestampInfoEXT *of = kr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_CALIBRATED_TIMESTAMP_INFO_EXT);

	return of ? kr_swapchain_is_ours(device, of->swapchain) : is_swapchains(info->timeDomain);
}

static PFN_vkGetCalibratedTimestampsKHR
find_get(const struct kr_device *device)
{
	return device->driver.GetCalibratedTimestampsKHR
		? device->driver.GetCalibratedTimestampsKHR
		: device->driver.GetCalibratedTimestampsEXT;
}

/* The driver's, of those that aren't ours; how far they lie apart. */
static VkResult
get_theirs(struct kr_device *device, uint32_t count, const VkCalibratedTimestampInfoKHR *infos,
	uint64_t *timestamps, uint64_t *deviation)
{
	const VkAllocationCallbacks *allocator = device->instance->allocator;
	VkCalibratedTimestampInfoKHR *asked = kr_zalloc_array(
		allocator, count, sizeof(*asked), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	uint64_t *told = kr_zalloc_array(
		allocator, count, sizeof(*told), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
	uint32_t n = 0;

	if (!asked || !told)
		goto out;
	for (uint32_t i = 0; i < count; i++) {
		if (!is_for_us(device, &infos[i]))
			asked[n++] = infos[i];
	}
	result = n ? find_get(device)(device->handle, n, asked, told, deviation) : VK_SUCCESS;
	n = 0;
	for (uint32_t i = 0; result == VK_SUCCESS && i < count; i++) {
		if (!is_for_us(device, &infos[i]))
			timestamps[i] = told[n++];
	}
out:
	kr_free(allocator, asked);
	kr_free(allocator, told);
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetCalibratedTimestampsKHR(VkDevice handle, uint32_t count,
	const VkCalibratedTimestampInfoKHR *infos, uint64_t *timestamps, uint64_t *deviation)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);
	uint64_t begin = read_clock(CLOCK_MONOTONIC), theirs = 0;
	VkResult result = VK_SUCCESS;

	if (find_get(device))
		result = get_theirs(device, count, infos, timestamps, &theirs);
	for (uint32_t i = 0; result == VK_SUCCESS && i < count; i++) {
		if (is_for_us(device, &infos[i]))
			timestamps[i] = read_swapchain(device, &infos[i]);
		else if (!find_get(device))
			timestamps[i] = read_clock(
				infos[i].timeDomain == VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_KHR
					? CLOCK_MONOTONIC_RAW
					: CLOCK_MONOTONIC);
	}
	/* All of them were read between then and now. */
	*deviation = theirs + (read_clock(CLOCK_MONOTONIC) - begin);
	return result;
}

static const struct kr_hook hooks[] = {
	KR_HOOK(GetCalibratedTimestampsKHR, SWAPCHAIN),
	KR_HOOK_BY(terminator_GetCalibratedTimestampsKHR, GetCalibratedTimestampsEXT, SWAPCHAIN),
};
const struct kr_hooks kr_hooks_calibrated = {hooks, KR_ARRAY_LEN(hooks)};

static const struct kr_terminator terminators[] = {
	KR_TERMINATOR(GetPhysicalDeviceCalibrateableTimeDomainsKHR),
	KR_TERMINATOR_OF(GetPhysicalDeviceCalibrateableTimeDomainsEXT,
		GetPhysicalDeviceCalibrateableTimeDomainsKHR),
};
const struct kr_terminators kr_terminators_calibrated = {terminators, KR_ARRAY_LEN(terminators)};
