/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers that do nothing but tell what they were called with. Each library (fake_a.so, fake_b.so)
 * is made of the same source; a test opens it before the loader does and sets it up through the
 * object `fake_control` that it exports.
 */
#ifndef KR_TESTS_LOADER_FAKE_ICD_H
#define KR_TESTS_LOADER_FAKE_ICD_H

#include <stdbool.h>
#include "util/macros.h"
#include "util/vulkan.h" /* first: it decides what the Vulkan headers declare */
#include <krafla/native_buffer.h>

#define FAKE_MAX_NAMES 24

/* What a device says of itself; zero: nothing beyond the driver's name. */
struct fake_device {
	const char *name; /* NULL: the driver's */
	VkPhysicalDeviceType type;
	uint32_t vendor_id, device_id;
	uint32_t pci_bus; /* told with VK_EXT_pci_bus_info among the device extensions */
	uint8_t device_uuid, driver_uuid; /* all bytes of it */
	VkDriverId driver_id;             /* told with VK_KHR_driver_properties */
};

struct fake_control {
	/* Settings. */
	uint32_t interface_version; /* what negotiation answers at most */
	uint32_t api_version;       /* 0: no vkEnumerateInstanceVersion */
	uint32_t device_count;
	struct fake_device about[4];
	const char *instance_extensions[FAKE_MAX_NAMES];
	const char *device_extensions[FAKE_MAX_NAMES];
	uint32_t native_buffer_version; /* of VK_ANDROID_native_buffer, when that is among them */
	VkResult create_instance_result;
	unsigned create_instance_us; /* vkCreateInstance takes this long */
	VkResult create_device_result;
	VkResult enumerate_result;
	bool bad_device_word, bad_queue_word, bad_command_buffer_word;
	bool no_groups;
	bool shares_no_memory; /* no VK_KHR_external_memory_capabilities unless it is listed */
	bool no_properties2;
	bool shared_image; /* VkPhysicalDevicePresentationPropertiesANDROID */
	const char *lacks; /* name of a function that it doesn't have */
	bool no_future;    /* vkFutureSum* aren't there */

	/* What the loader did. */
	int instances, devices, surfaces, messengers; /* that exist */
	int instances_created, surfaces_created, swapchains_created;
	uint32_t seen_api_version;
	uint32_t seen_flags;
	uint32_t seen_layer_count;
	char seen_instance_extensions[FAKE_MAX_NAMES][64];
	uint32_t seen_instance_extension_count;
	char seen_device_extensions[FAKE_MAX_NAMES][64];
	uint32_t seen_device_extension_count;
	VkInstance instance; /* the last one */
	VkPhysicalDevice physical_devices[4];
	VkPhysicalDevice seen_physical_device;
	VkPhysicalDevice seen_group[4];
	uint32_t seen_group_count;
	const void *seen_group_chain; /* of the first group, when groups were enumerated */
	const void *seen_chain_types[8];
	uint32_t seen_chain[8];
	uint32_t seen_chain_count;
	const void *seen_future;
	VkStructureType seen_image_chain[8]; /* of the image whose layout was asked for */
	uint32_t seen_image_chain_count;
	VkSurfaceKHR surface; /* the last one made */
	VkSurfaceKHR seen_surface;
	VkStructureType seen_surface_type; /* of the last one made */
	VkDisplayKHR display, seen_display;
	VkDisplayModeKHR display_mode, seen_display_mode;
	uint32_t seen_plane;
	uint32_t seen_features; /* structures behind VkPhysicalDeviceFeatures2 */
	VkImageUsageFlags seen_image_usage;
	const char *seen_function; /* the last of those in queries.c and windows.c */
	VkSwapchainKHR seen_old_swapchain, seen_presented, seen_swapchain;
	float seen_hdr_sum;                  /* of all metadata's maxLuminance */
	VkSwapchainKHR seen_image_swapchain; /* of the image made last */
	VkNativeBufferANDROID seen_native;   /* of the image made or bound last */
	int images;                          /* that exist */
	VkObjectType seen_object_type;
	uint64_t seen_object;
	int names_set, tags_set;
	VkPrivateDataSlot seen_slot; /* of private data */
	uint64_t private_data;       /* of whatever object */
	/* Makes the driver say something through its messengers, about this object. */
	void (*say)(VkObjectType type, uint64_t object, const char *text);
	PFN_vkVoidFunction cmd_draw, future_device, layout_function;
};

/* Inside of the library: window systems and names (windows.c). */
KR_EXPORT extern struct fake_control fake_control;
PFN_vkVoidFunction fake_windows_find(const char *name);
/* Its own swapchains, and images of the platform's (swapchains.c). */
PFN_vkVoidFunction fake_swapchains_find(const char *name);
/* Queries of physical devices, of displays among them (queries.c). */
PFN_vkVoidFunction fake_queries_find(const char *name);
VKAPI_ATTR VkResult VKAPI_CALL fake_create_surface(VkInstance instance, const void *info,
	const VkAllocationCallbacks *allocator, VkSurfaceKHR *out);

#endif
