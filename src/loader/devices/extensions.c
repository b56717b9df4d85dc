/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a physical device offers. Where swapchains of ours can exist, VK_ANDROID_native_buffer is
 * what the platform makes VK_KHR_swapchain of and never named, and extensions about swapchains that
 * ours don't implement are hidden (D-05, W-02).
 */
#include <stdio.h>
#include <string.h>

#include "gen/handle_reach.h"
#include <krafla/native_buffer.h>
#include "layers/queries.h"
#include "loader/devices/offers.h"
#include "loader/devices/window.h"
#include "loader/drivers/device_extensions.h"
#include "loader/handles/terminators.h"
#include "util/alloc.h"
#include "wsi/wsi.h"

/* VK_KHR_swapchain 70 asks for images bound to swapchain images by the application (W-06). */
#define SWAPCHAIN_WITH_BIND 70
#define SWAPCHAIN_WITHOUT   68

static VkResult
ask_extensions(const struct kr_physical_device *device, struct kr_device_extensions *extensions)
{
	return kr_device_extensions_of_driver(
		device->owner, device->handle, device->owner->instance->allocator, extensions);
}

struct output {
	VkExtensionProperties *items; /* NULL: count only */
	uint32_t room;
	uint32_t count;
};

static void
put(struct output *out, const char *name, uint32_t version)
{
	if (out->items && out->count < out->room) {
		VkExtensionProperties *item = &out->items[out->count];

		memset(item, 0, sizeof(*item));
		snprintf(item->extensionName, VK_MAX_EXTENSION_NAME_SIZE, "%s", name);
		item->specVersion = version;
	}
	out->count++;
}

/* Those about swapchains are ours, whatever the driver lists; the others are its own. */
static void
put_ours(struct output *out, const struct kr_device_extensions *extensions,
	const struct kr_device_window *window)
{
	for (uint32_t i = 0; i < extensions->count; i++) {
		const char *name = extensions->items[i].extensionName;

		if (strcmp(name, VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME) != 0 &&
			strcmp(name, VK_KHR_SWAPCHAIN_EXTENSION_NAME) != 0 &&
			kr_vk_offer_find(name) == KR_OFFER_NONE &&
			!kr_device_extension_is_hidden(name) &&
			(window->own || !kr_device_extension_is_handled(name)))
			put(out, name, extensions->items[i].specVersion);
	}
	put(out, VK_KHR_SWAPCHAIN_EXTENSION_NAME,
		window->native_buffer >= KR_WSI_NATIVE_BUFFER_BINDS ? SWAPCHAIN_WITH_BIND
								    : SWAPCHAIN_WITHOUT);
	for (size_t i = 0; i < KR_OFFER_COUNT; i++) {
		if (window->offered & 1u << i)
			put(out, kr_vk_offers[i].name, kr_vk_offers[i].version);
	}
}

/* What applications see of the driver's extensions. */
static VkResult
enumerate_own(struct kr_physical_device *device, uint32_t *count, VkExtensionProperties *properties)
{
	struct output out = {.items = properties, .room = *count};
	struct kr_device_extensions extensions = {0};
	const struct kr_device_window *window;
	VkResult result = kr_physical_device_get_window(device, &window);

	if (result == VK_SUCCESS)
		result = ask_extensions(device, &extensions);
	if (result != VK_SUCCESS)
		return result;
	if (window->native_buffer) {
		put_ours(&out, &extensions, window);
	} else {
		for (uint32_t i = 0; i < extensions.count; i++)
			put(&out, extensions.items[i].extensionName,
				extensions.items[i].specVersion);
	}
	kr_free(device->owner->instance->allocator, extensions.items);
	*count = properties ? KR_MIN(out.count, out.room) : out.count;
	return properties && out.count > out.room ? VK_INCOMPLETE : VK_SUCCESS;
}

/* The same, and what implicit layers add, which has to be compared with all of the driver's. */
static VkResult
enumerate_with_layers(struct kr_physical_device *device, const struct kr_layer_selection *layers,
	uint32_t *count, VkExtensionProperties *properties)
{
	const VkAllocationCallbacks *allocator = device->owner->instance->allocator;
	struct kr_layer_extension_union all = {.items = properties, .room = *count};
	VkExtensionProperties *own;
	uint32_t own_count = 0;
	VkResult result = enumerate_own(device, &own_count, NULL);

	if (result != VK_SUCCESS)
		return result;
	own = kr_zalloc_array(
		allocator, own_count + 1, sizeof(*own), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!own)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	result = enumerate_own(device, &own_count, own);
	if (result >= VK_SUCCESS) {
		all.count = own_count;
		for (uint32_t i = 0; properties && i < own_count && i < all.room; i++)
			properties[i] = own[i];
		kr_layer_extensions_add(layers, true, own, own_count, &all);
		*count = properties ? KR_MIN(all.count, all.room) : all.count;
		result = properties && all.count > all.room ? VK_INCOMPLETE : VK_SUCCESS;
	}
	kr_free(allocator, own);
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_EnumerateDeviceExtensionProperties(VkPhysicalDevice handle, const char *layer,
	uint32_t *count, VkExtensionProperties *properties)
{
	struct kr_physical_device *device = kr_physical_device_from_handle(handle);
	const struct kr_layer_chain *chain = device->owner->instance->chain;

	if (layer && *layer)
		return kr_layer_device_extensions_enumerate(layer, count, properties);
	return chain ? enumerate_with_layers(device, &chain->enabled, count, properties)
		     : enumerate_own(device, count, properties);
}

/* Layers of devices are those of their instance; entry/ lists them. */
static VKAPI_ATTR VkResult VKAPI_CALL
terminator_EnumerateDeviceLayerProperties(
	VkPhysicalDevice handle, uint32_t *count, VkLayerProperties *properties)
{
	*count = 0;
	return VK_SUCCESS;
}

static const struct kr_terminator terminators[] = {
	KR_TERMINATOR(EnumerateDeviceExtensionProperties),
	KR_TERMINATOR(EnumerateDeviceLayerProperties),
};
const struct kr_terminators kr_terminators_extensions = {terminators, KR_ARRAY_LEN(terminators)};
