/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a driver says of one of its physical devices, as far as it decides whether and
 * where it is listed.
 */
#ifndef KR_LOADER_DEVICES_FACTS_H
#define KR_LOADER_DEVICES_FACTS_H

#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

struct kr_device_facts {
	VkPhysicalDeviceType type;
	uint32_t vendor_id, device_id, driver_version;
	char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
	bool has_pci;
	uint32_t pci[4]; /* domain, bus, device, function */
	bool has_uuids;  /* a driver that leaves them zero has none */
	uint8_t device_uuid[VK_UUID_SIZE], driver_uuid[VK_UUID_SIZE];
	VkDriverId driver_id;                      /* 0: unknown */
	char driver_name[VK_MAX_DRIVER_NAME_SIZE]; /* "": unknown */
};

/* VK_ERROR_OUT_OF_HOST_MEMORY; what the driver can't say stays zero. Calls the driver. */
VkResult kr_device_facts_read(const struct kr_instance_driver *driver, VkPhysicalDevice device,
	struct kr_device_facts *facts) KR_MUST_CHECK;

#endif
