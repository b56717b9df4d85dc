/* SPDX-License-Identifier: Apache-2.0 */
/* Answers the features of extensions about swapchains, and takes them out of chains. */
#include "loader/devices/features.h"

#include "adapter/hidden_features.h"
#include "loader/devices/offers.h"
#include "loader/devices/window.h"
#include "loader/emulation/properties2.h"
#include "loader/handles/terminators.h"
#include "util/log.h"

/* The common form of these structures. */
struct bool_features {
	VkStructureType type;
	void *next;
	VkBool32 values[];
};

/* How many there are; two extensions that share a structure have as many. */
static uint32_t
count_features(uint32_t offers)
{
	for (size_t i = 0; i < KR_OFFER_COUNT; i++) {
		if (offers & 1u << i)
			return 1 + kr_vk_offers[i].more_features;
	}
	return 0;
}

static bool
enables_any(const struct bool_features *features, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (features->values[i])
			return true;
	}
	return false;
}

static bool
is_for_us(const struct kr_chain_filter *filter, VkStructureType type)
{
	const struct kr_device_window *window = filter->data;

	return kr_adapter_is_swapchain_feature(type) &&
		!(window->passed & kr_vk_offers_with_feature(type));
}

struct kr_chain_filter
kr_features_filter(const struct kr_device_window *window)
{
	return (struct kr_chain_filter){is_for_us, window};
}

static void
answer(const struct kr_device_window *window, VkBaseOutStructure *node)
{
	uint32_t offers = kr_vk_offers_with_feature(node->sType);
	struct bool_features *features = (void *)node;

	if (!offers)
		kr_adapter_clear_hidden_feature(node);
	for (uint32_t i = 0; i < count_features(offers); i++)
		features->values[i] = window->offered & offers ? VK_TRUE : VK_FALSE;
}

static VKAPI_ATTR void VKAPI_CALL
terminator_GetPhysicalDeviceFeatures2(VkPhysicalDevice handle, VkPhysicalDeviceFeatures2 *features)
{
	static const struct kr_device_window unknown;
	struct kr_physical_device *device = kr_physical_device_from_handle(handle);
	const struct kr_device_window *window;
	struct kr_chain_filter filter;
	struct kr_chain_unlinked ours;

	if (!features->pNext || !device->owner->native_buffer) {
		kr_emulation_get_features2(device, features);
		return;
	}
	if (kr_physical_device_get_window(device, &window) != VK_SUCCESS)
		window = &unknown;
	else if (!window->native_buffer) {
		kr_emulation_get_features2(device, features);
		return;
	}
	filter = kr_features_filter(window);
	kr_chain_unlink_by(features, &filter, &ours);
	kr_emulation_get_features2(device, features);
	for (size_t i = 0; i < ours.count; i++)
		answer(window, ours.items[i].node);
	kr_chain_relink(&ours);
}

VkResult
kr_features_check(const struct kr_device_window *window, const void *chain)
{
	for (const VkBaseInStructure *node = chain; node; node = node->pNext) {
		uint32_t offers = kr_vk_offers_with_feature(node->sType);

		if (!offers || window->offered & offers ||
			!enables_any((const void *)node, count_features(offers)))
			continue;
		for (size_t i = 0; i < KR_OFFER_COUNT; i++) {
			if (offers & 1u << i)
				kr_error(
					"vkCreateDevice: the feature of %s is asked for, which the device doesn't offer",
					kr_vk_offers[i].name);
		}
		return VK_ERROR_FEATURE_NOT_PRESENT;
	}
	return kr_adapter_check_hidden_features(chain, kr_adapter_is_hidden_feature);
}

bool
kr_features_enable(const void *chain, VkStructureType type)
{
	const struct bool_features *found = kr_chain_find(chain, type);

	return found && found->values[0];
}

static const struct kr_terminator terminators[] = {
	KR_TERMINATOR_TWICE(GetPhysicalDeviceFeatures2),
};
const struct kr_terminators kr_terminators_features = {terminators, KR_ARRAY_LEN(terminators)};
