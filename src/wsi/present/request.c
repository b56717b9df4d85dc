/* SPDX-License-Identifier: Apache-2.0 */
/* What is chained to a present, for one of its swapchains. */
#include "wsi/present/request.h"

#include <stddef.h>

_Static_assert(sizeof(VkPresentId2KHR) == sizeof(VkPresentIdKHR) &&
		offsetof(VkPresentId2KHR, pPresentIds) == offsetof(VkPresentIdKHR, pPresentIds),
	"both are read alike");

static void
read_regions(struct kr_wsi_present_request *request, const VkPresentRegionsKHR *s, uint32_t place)
{
	if (s->pRegions && place < s->swapchainCount)
		request->region = &s->pRegions[place];
}

static void
read_ids(struct kr_wsi_present_request *request, const VkPresentIdKHR *s, uint32_t place)
{
	if (s->pPresentIds && place < s->swapchainCount && s->pPresentIds[place])
		request->id = s->pPresentIds[place];
}

static void
read_fences(struct kr_wsi_present_request *request, const VkSwapchainPresentFenceInfoEXT *s,
	uint32_t place)
{
	if (s->pFences && place < s->swapchainCount)
		request->fence = s->pFences[place];
}

static void
read_modes(struct kr_wsi_present_request *request, const VkSwapchainPresentModeInfoEXT *s,
	uint32_t place)
{
	if (!s->pPresentModes || place >= s->swapchainCount)
		return;
	request->has_mode = true;
	request->mode = s->pPresentModes[place];
}

static void
read_google(
	struct kr_wsi_present_request *request, const VkPresentTimesInfoGOOGLE *s, uint32_t place)
{
	if (s->pTimes && place < s->swapchainCount)
		request->google = &s->pTimes[place];
}

static void
read_timings(
	struct kr_wsi_present_request *request, const VkPresentTimingsInfoEXT *s, uint32_t place)
{
	if (s->pTimingInfos && place < s->swapchainCount)
		request->timing = &s->pTimingInfos[place];
}

static void
read_group(struct kr_wsi_present_request *request, const VkDeviceGroupPresentInfoKHR *s,
	uint32_t place)
{
	if (!s->pDeviceMasks || place >= s->swapchainCount)
		return;
	request->device_mask = s->pDeviceMasks[place];
	request->group_mode = s->mode;
}

void
kr_wsi_present_request_read(
	struct kr_wsi_present_request *request, const VkPresentInfoKHR *info, uint32_t place)
{
	const VkBaseInStructure *s;

	*request = (struct kr_wsi_present_request){
		.device_mask = 1,
		.group_mode = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR,
	};
	for (s = info->pNext; s; s = s->pNext) {
		switch ((int)s->sType) {
		case VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR:
			read_regions(request, (const void *)s, place);
			break;
		case VK_STRUCTURE_TYPE_PRESENT_ID_KHR:
		case VK_STRUCTURE_TYPE_PRESENT_ID_2_KHR:
			read_ids(request, (const void *)s, place);
			break;
		case VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT:
			read_fences(request, (const void *)s, place);
			break;
		case VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODE_INFO_EXT:
			read_modes(request, (const void *)s, place);
			break;
		case VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE:
			read_google(request, (const void *)s, place);
			break;
		case VK_STRUCTURE_TYPE_PRESENT_TIMINGS_INFO_EXT:
			read_timings(request, (const void *)s, place);
			break;
		case VK_STRUCTURE_TYPE_DEVICE_GROUP_PRESENT_INFO_KHR:
			read_group(request, (const void *)s, place);
			break;
		default:
			break;
		}
	}
}
