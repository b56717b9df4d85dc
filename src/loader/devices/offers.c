/* SPDX-License-Identifier: Apache-2.0 */
/* The table of what our swapchains have. */
#include "loader/devices/offers.h"

#include <string.h>

#define NAME(extension)    extension##_EXTENSION_NAME
#define VERSION(extension) extension##_SPEC_VERSION
#define OFFER(extension)   NAME(extension), VERSION(extension)

const struct kr_vk_offer kr_vk_offers[KR_OFFER_COUNT] = {
	{OFFER(VK_KHR_INCREMENTAL_PRESENT)},
	{OFFER(VK_KHR_SWAPCHAIN_MAINTENANCE_1),
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_KHR,
		.flags = VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT},
	{OFFER(VK_EXT_SWAPCHAIN_MAINTENANCE_1),
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT,
		.flags = VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT},
	{OFFER(VK_KHR_PRESENT_ID), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR},
	{OFFER(VK_KHR_PRESENT_WAIT), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR},
	{OFFER(VK_KHR_PRESENT_ID_2), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_2_FEATURES_KHR,
		.by_surface = true, .flags = VK_SWAPCHAIN_CREATE_PRESENT_ID_2_BIT_KHR},
	{OFFER(VK_KHR_PRESENT_WAIT_2),
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_2_FEATURES_KHR, .by_surface = true,
		.flags = VK_SWAPCHAIN_CREATE_PRESENT_WAIT_2_BIT_KHR},
	{OFFER(VK_KHR_CALIBRATED_TIMESTAMPS), .by_surface = true, .is_both = true},
	{OFFER(VK_EXT_PRESENT_TIMING),
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_TIMING_FEATURES_EXT, .more_features = 2,
		.by_surface = true, .flags = VK_SWAPCHAIN_CREATE_PRESENT_TIMING_BIT_EXT},
	{OFFER(VK_GOOGLE_DISPLAY_TIMING)},
	{OFFER(VK_KHR_PRESENT_MODE_FIFO_LATEST_READY),
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_MODE_FIFO_LATEST_READY_FEATURES_KHR,
		.by_surface = true},
	{OFFER(VK_EXT_PRESENT_MODE_FIFO_LATEST_READY),
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_MODE_FIFO_LATEST_READY_FEATURES_EXT,
		.by_surface = true},
	/* A driver's own swapchains do without, where it hasn't it: metadata promises nothing. */
	{OFFER(VK_EXT_HDR_METADATA), .by_surface = true},
	{OFFER(VK_KHR_SHARED_PRESENTABLE_IMAGE), .needs = KR_NEEDS_SHARED},
	{OFFER(VK_KHR_SWAPCHAIN_MUTABLE_FORMAT), .needs = KR_NEEDS_MUTABLE,
		.flags = VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR},
	{OFFER(VK_EXT_IMAGE_COMPRESSION_CONTROL_SWAPCHAIN),
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_SWAPCHAIN_FEATURES_EXT,
		KR_NEEDS_COMPRESSION},
	{OFFER(VK_EXT_MULTISAMPLED_RENDER_TO_SWAPCHAIN),
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SWAPCHAIN_FEATURES_EXT,
		KR_NEEDS_SINGLE_SAMPLED,
		.flags = VK_SWAPCHAIN_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT},
};

size_t
kr_vk_offer_find(const char *name)
{
	size_t i = 0;

	while (i < KR_OFFER_COUNT && strcmp(kr_vk_offers[i].name, name) != 0)
		i++;
	return i;
}

uint32_t
kr_vk_offers_with_feature(VkStructureType type)
{
	uint32_t found = 0;

	for (size_t i = 0; i < KR_OFFER_COUNT; i++) {
		if (kr_vk_offers[i].feature && kr_vk_offers[i].feature == (uint32_t)type)
			found |= 1u << i;
	}
	return found;
}

uint32_t
kr_vk_offers_choose(uint32_t abilities, bool own, const struct kr_device_extensions *of_driver,
	uint32_t *passed)
{
	uint32_t offered = 0;

	*passed = 0;
	for (size_t i = 0; i < KR_OFFER_COUNT; i++) {
		const struct kr_vk_offer *offer = &kr_vk_offers[i];
		bool theirs = (own || offer->is_both) &&
			kr_device_extensions_have(of_driver, offer->name);

		if (offer->needs && !(abilities & 1u << offer->needs))
			continue;
		if (own && !theirs && !offer->by_surface)
			continue;
		offered |= 1u << i;
		*passed |= theirs ? 1u << i : 0;
	}
	return offered;
}
