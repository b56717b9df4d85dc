/* SPDX-License-Identifier: Apache-2.0 */
/* Counting what came to the driver, and knowing what never may (W-02). */
#include "null/counts.h"

#include "null/null.h"

struct kr_null_counts null_counts;

KR_EXPORT void
kr_null_get_counts(struct kr_null_counts *counts)
{
	uint32_t *to = (uint32_t *)counts;
	const uint32_t *from = (const uint32_t *)&null_counts;

	for (size_t i = 0; i < sizeof(*counts) / sizeof(*to); i++)
		to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

/* The extension that a structure type belongs to; 0: none. */
static uint32_t
extension_of(VkStructureType type)
{
	return (uint32_t)type < 1000000000 ? 0 : ((uint32_t)type - 1000000000) / 1000 + 1;
}

/* By their numbers, so that those of newer headers are known, too. */
static bool
is_of_windows(VkStructureType type)
{
	static const uint16_t extensions[] = {
		1,   /* VK_KHR_surface */
		2,   /* VK_KHR_swapchain */
		3,   /* VK_KHR_display */
		4,   /* VK_KHR_display_swapchain */
		85,  /* VK_KHR_incremental_present */
		91,  /* VK_EXT_display_surface_counter */
		92,  /* VK_EXT_display_control */
		93,  /* VK_GOOGLE_display_timing */
		106, /* VK_EXT_hdr_metadata */
		112, /* VK_KHR_shared_presentable_image */
		120, /* VK_KHR_get_surface_capabilities2 */
		209, /* VK_EXT_present_timing */
		240, /* VK_KHR_surface_protected_capabilities */
		249, /* VK_KHR_present_wait */
		256, /* VK_EXT_full_screen_exclusive */
		275, /* VK_EXT_surface_maintenance1 */
		276, /* VK_EXT_swapchain_maintenance1, and KHR's */
		293, /* VK_NV_present_barrier */
		295, /* VK_KHR_present_id */
		362, /* VK_KHR_present_mode_fifo_latest_ready */
		438, /* VK_EXT_image_compression_control_swapchain */
		480, /* VK_KHR_present_id2 */
		481, /* VK_KHR_present_wait2 */
		617, /* VK_EXT_multisampled_render_to_swapchain */
	};
	uint32_t extension = extension_of(type);

	switch ((int)type) {
	case VK_STRUCTURE_TYPE_DEVICE_GROUP_PRESENT_CAPABILITIES_KHR:
	case VK_STRUCTURE_TYPE_ACQUIRE_NEXT_IMAGE_INFO_KHR:
	case VK_STRUCTURE_TYPE_DEVICE_GROUP_PRESENT_INFO_KHR:
	case VK_STRUCTURE_TYPE_DEVICE_GROUP_SWAPCHAIN_CREATE_INFO_KHR:
		return true;
	default:
		break;
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(extensions); i++) {
		if (extensions[i] == extension)
			return true;
	}
	return false;
}

void
null_count_chain(const void *chain)
{
	for (const VkBaseInStructure *in = chain; in; in = in->pNext) {
		if (in->sType == VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR &&
			((const VkImageSwapchainCreateInfoKHR *)in)->swapchain)
			null_count(swapchains);
		if (in->sType == VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR &&
			((const VkBindImageMemorySwapchainInfoKHR *)in)->swapchain)
			null_count(swapchains);
		if (is_of_windows(in->sType))
			null_count(foreign_structures);
	}
}

void
null_count_object(VkObjectType type)
{
	if (type == VK_OBJECT_TYPE_SWAPCHAIN_KHR || type == VK_OBJECT_TYPE_SURFACE_KHR)
		null_count(swapchains);
}
