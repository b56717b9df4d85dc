/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What our swapchains can be on a device is the driver's to say: by its extensions, features,
 * properties and image formats. A query that may not be called, or is refused, answers "no".
 */
#include "loader/devices/window.h"

#include <string.h>

#include "gen/commands.h"
#include <krafla/native_buffer.h>
#include "loader/devices/offers.h"
#include "loader/drivers/commands.h"
#include "loader/drivers/device_extensions.h"
#include "loader/drivers/drivers.h"
#include "util/alloc.h"

/* From here on drivers answer VkAndroidHardwareBufferUsageANDROID without the extension. */
#define NATIVE_BUFFER_WITH_HARDWARE_BUFFERS 11
#define SINGLE_SAMPLED_FEATURES                                                                    \
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_FEATURES_EXT

struct question {
	struct kr_physical_device *device;
	const struct kr_device_extensions *extensions;
	uint32_t version; /* what driver, device and application all speak */
};

static bool
has(const struct question *q, const char *name)
{
	return kr_device_extensions_have(q->extensions, name);
}

/* By its extension, or by the version that holds it. */
static bool
speaks(const struct question *q, const char *name, uint32_t version)
{
	return q->version >= version || has(q, name);
}

static uint32_t
read_version(const struct kr_physical_device *device)
{
	const struct kr_instance_driver *owner = device->owner;
	VkPhysicalDeviceProperties properties = {0};
	uint32_t version = owner->instance->api_version_below;

	device->driver->GetPhysicalDeviceProperties(device->handle, &properties);
	version = KR_MIN(version, owner->driver->api_version);
	return KR_MIN(version, properties.apiVersion);
}

/* W-10 */
static bool
can_share(const struct question *q)
{
	VkPhysicalDevicePresentationPropertiesANDROID presentation = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &presentation};

	if (!q->device->owner->properties2)
		return false;
	q->device->driver->GetPhysicalDeviceProperties2(q->device->handle, &properties);
	return presentation.sharedImage;
}

/* The first value of a structure of features. */
static bool
has_feature(const struct question *q, VkStructureType type)
{
	struct {
		VkStructureType type;
		void *next;
		VkBool32 value;
	} one = {.type = type};
	VkPhysicalDeviceFeatures2 features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &one};

	if (!q->device->owner->properties2)
		return false;
	q->device->driver->GetPhysicalDeviceFeatures2(q->device->handle, &features);
	return one.value;
}

/* An image as a swapchain of mutable format has it, in a format that any swapchain could have. */
static bool
can_mutate(const struct question *q)
{
	static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM};

	if (!speaks(q, VK_KHR_MAINTENANCE_2_EXTENSION_NAME, VK_API_VERSION_1_1) ||
		!speaks(q, VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME, VK_API_VERSION_1_2))
		return false;
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		VkImageFormatProperties properties;

		if (q->device->driver->GetPhysicalDeviceImageFormatProperties(q->device->handle,
			    formats[i], VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
			    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
			    VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT,
			    &properties) == VK_SUCCESS)
			return true;
	}
	return false;
}

static bool
can_control_compression(const struct question *q)
{
	return has(q, VK_EXT_IMAGE_COMPRESSION_CONTROL_EXTENSION_NAME) &&
		has_feature(q,
			VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT);
}

static bool
can_render_to_single_sampled(const struct question *q)
{
	return has(q, VK_EXT_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXTENSION_NAME) &&
		has_feature(q, SINGLE_SAMPLED_FEATURES);
}

static bool
can_protect(const struct question *q)
{
	return q->version >= VK_API_VERSION_1_1 &&
		has_feature(q, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES);
}

static uint32_t
ask_abilities(const struct question *q)
{
	static const struct {
		enum kr_device_need need;
		bool (*ask)(const struct question *q);
	} questions[] = {
		{KR_NEEDS_SHARED, can_share},
		{KR_NEEDS_MUTABLE, can_mutate},
		{KR_NEEDS_COMPRESSION, can_control_compression},
		{KR_NEEDS_SINGLE_SAMPLED, can_render_to_single_sampled},
		{KR_NEEDS_PROTECTED, can_protect},
	};
	uint32_t abilities = 0;

	for (size_t i = 0; i < KR_ARRAY_LEN(questions); i++) {
		if (questions[i].ask(q))
			abilities |= 1u << questions[i].need;
	}
	return abilities;
}

static void
look(struct kr_physical_device *device, const struct kr_device_extensions *extensions,
	struct kr_device_window *window)
{
	const struct kr_instance_driver *owner = device->owner;
	struct question q = {device, extensions, 0};

	for (uint32_t i = 0; i < extensions->count; i++) {
		if (!strcmp(extensions->items[i].extensionName,
			    VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME))
			window->native_buffer = extensions->items[i].specVersion;
	}
	window->rgba10x6 = has(&q, VK_EXT_RGBA10X6_FORMATS_EXTENSION_NAME);
	window->own = owner->driver_wsi && has(&q, VK_KHR_SWAPCHAIN_EXTENSION_NAME);
	if (!window->native_buffer)
		return;
	q.version = read_version(device);
	window->abilities = ask_abilities(&q);
	window->offered =
		kr_vk_offers_choose(window->abilities, window->own, extensions, &window->passed);
	window->image_format2 = owner->properties2 &&
		kr_instance_table_has(
			device->driver, KR_CMD_GetPhysicalDeviceImageFormatProperties2);
	window->hardware_buffers = window->image_format2 &&
		(window->native_buffer >= NATIVE_BUFFER_WITH_HARDWARE_BUFFERS ||
			has(&q, VK_ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER_EXTENSION_NAME));
}

static void
publish(struct kr_physical_device *device, const struct kr_device_window *window)
{
	struct kr_instance *instance = device->owner->instance;

	kr_mutex_lock(&instance->lock);
	if (!atomic_load_explicit(&device->window_known, memory_order_relaxed)) {
		device->window = *window;
		atomic_store_explicit(&device->window_known, true, memory_order_release);
	}
	kr_mutex_unlock(&instance->lock);
}

VkResult
kr_physical_device_get_window(
	struct kr_physical_device *device, const struct kr_device_window **out)
{
	const VkAllocationCallbacks *allocator = device->owner->instance->allocator;
	struct kr_device_extensions extensions = {0};
	struct kr_device_window window = {0};
	VkResult result;

	*out = &device->window;
	if (atomic_load_explicit(&device->window_known, memory_order_acquire))
		return VK_SUCCESS;
	if (device->owner->native_buffer) {
		result = kr_device_extensions_of_driver(
			device->owner, device->handle, allocator, &extensions);
		if (result != VK_SUCCESS)
			return result;
		look(device, &extensions, &window);
		kr_free(allocator, extensions.items);
	}
	publish(device, &window);
	return VK_SUCCESS;
}

static VkSwapchainCreateFlagsKHR
swapchain_flags(const struct kr_device_window *window)
{
	VkSwapchainCreateFlagsKHR flags = 0;

	for (size_t i = 0; i < KR_OFFER_COUNT; i++)
		flags |= window->offered & 1u << i ? kr_vk_offers[i].flags : 0;
	if (window->abilities & 1u << KR_NEEDS_PROTECTED)
		flags |= VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR;
	return flags;
}

VkResult
kr_physical_device_get_gpu(struct kr_physical_device *device, struct kr_wsi_gpu *gpu)
{
	const struct kr_device_window *window;
	VkResult result = kr_physical_device_get_window(device, &window);

	if (result != VK_SUCCESS)
		return result;
	*gpu = (struct kr_wsi_gpu){
		.handle = device->handle,
		.functions = device->driver,
		.native_buffer = window->native_buffer,
		.native_buffer_version = window->native_buffer,
		.shared_image = window->abilities & 1u << KR_NEEDS_SHARED,
		.image_format2 = window->image_format2,
		.hardware_buffers = window->hardware_buffers,
		.swapchain_flags = swapchain_flags(window),
		.surfaceless = kr_extension_set_has(&device->owner->instance->enabled_below,
			KR_EXT_VK_GOOGLE_surfaceless_query),
		.colour_spaces = kr_extension_set_has(&device->owner->instance->enabled_below,
			KR_EXT_VK_EXT_swapchain_colorspace),
		.rgba10x6 = window->rgba10x6,
	};
	return VK_SUCCESS;
}
