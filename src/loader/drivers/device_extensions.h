/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of device extensions, as somebody answers to vkEnumerateDeviceExtensionProperties. */
#ifndef KR_LOADER_DRIVERS_DEVICE_EXTENSIONS_H
#define KR_LOADER_DRIVERS_DEVICE_EXTENSIONS_H

#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

struct kr_device_extensions {
	VkExtensionProperties *items; /* free with kr_free and the allocator */
	uint32_t count;
};

/* Those that the top of an instance's chain shows. */
VkResult kr_device_extensions_ask(const struct kr_instance_table *chain, VkPhysicalDevice device,
	const VkAllocationCallbacks *allocator, struct kr_device_extensions *extensions)
	KR_MUST_CHECK;
/* The driver's own, of a device of the driver's, without those that can be the platform's alone. */
VkResult kr_device_extensions_of_driver(const struct kr_instance_driver *driver,
	VkPhysicalDevice device, const VkAllocationCallbacks *allocator,
	struct kr_device_extensions *extensions) KR_MUST_CHECK;
bool kr_device_extensions_have(const struct kr_device_extensions *extensions, const char *name);
/* Whether the driver has a device extension; false also when it can't be asked. */
bool kr_physical_device_has_extension(const struct kr_physical_device *device, const char *name);

#endif
