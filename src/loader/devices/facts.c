/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a driver about a device. */
#include "loader/devices/facts.h"

#include <string.h>

#include "loader/drivers/device_extensions.h"
#include "util/alloc.h"
#include "util/env.h"

/*
 * What of the device brings properties of its own: its extensions; and who filters by drivers' ids,
 * as other loaders do it, has them asked of devices that don't say that they know them. A structure
 * that a driver doesn't know it passes over, and then the id stays 0.
 */
struct offers {
	bool pci, driver;
};

static bool
ids_are_filtered(void)
{
	return kr_env_get("VK_LOADER_DRIVER_ID_FILTER") != NULL;
}

/* A device that can't say what it has has nothing. */
static VkResult
read_offers(const struct kr_instance_driver *driver, VkPhysicalDevice device, struct offers *offers)
{
	const VkAllocationCallbacks *allocator = driver->instance->allocator;
	struct kr_device_extensions extensions = {0};
	VkResult result = kr_device_extensions_of_driver(driver, device, allocator, &extensions);

	if (result != VK_SUCCESS)
		return result == VK_ERROR_OUT_OF_HOST_MEMORY ? result : VK_SUCCESS;
	offers->pci = kr_device_extensions_have(&extensions, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
	offers->driver =
		kr_device_extensions_have(&extensions, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
	kr_free(allocator, extensions.items);
	return VK_SUCCESS;
}

static bool
is_zero(const uint8_t uuid[VK_UUID_SIZE])
{
	static const uint8_t zero[VK_UUID_SIZE];

	return !memcmp(uuid, zero, sizeof(zero));
}

/* What is chained is what the device has: by its version, or by its extension. */
static void
read_second_form(const struct kr_instance_driver *driver, VkPhysicalDevice device, uint32_t version,
	const struct offers *offers, struct kr_device_facts *facts)
{
	VkPhysicalDevicePCIBusInfoPropertiesEXT pci = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT,
	};
	VkPhysicalDeviceDriverProperties of_driver = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
	};
	VkPhysicalDeviceIDProperties ids = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
	};

	if (offers->pci) {
		pci.pNext = properties.pNext;
		properties.pNext = &pci;
	}
	if (offers->driver || version >= VK_API_VERSION_1_2) {
		of_driver.pNext = properties.pNext;
		properties.pNext = &of_driver;
	}
	if (version >= VK_API_VERSION_1_1) {
		ids.pNext = properties.pNext;
		properties.pNext = &ids;
	}
	driver->table.GetPhysicalDeviceProperties2(device, &properties);
	facts->has_pci = offers->pci;
	facts->pci[0] = pci.pciDomain;
	facts->pci[1] = pci.pciBus;
	facts->pci[2] = pci.pciDevice;
	facts->pci[3] = pci.pciFunction;
	facts->has_uuids = !is_zero(ids.deviceUUID) || !is_zero(ids.driverUUID);
	memcpy(facts->device_uuid, ids.deviceUUID, VK_UUID_SIZE);
	memcpy(facts->driver_uuid, ids.driverUUID, VK_UUID_SIZE);
	facts->driver_id = of_driver.driverID;
	memcpy(facts->driver_name, of_driver.driverName, sizeof(facts->driver_name) - 1);
}

VkResult
kr_device_facts_read(const struct kr_instance_driver *driver, VkPhysicalDevice device,
	struct kr_device_facts *facts)
{
	VkPhysicalDeviceProperties properties = {0};
	struct offers offers = {0};
	VkResult result;

	memset(facts, 0, sizeof(*facts));
	driver->table.GetPhysicalDeviceProperties(device, &properties);
	facts->type = properties.deviceType;
	facts->vendor_id = properties.vendorID;
	facts->device_id = properties.deviceID;
	facts->driver_version = properties.driverVersion;
	memcpy(facts->name, properties.deviceName, sizeof(facts->name) - 1);
	if (!driver->properties2 &&
		!(ids_are_filtered() && driver->table.GetPhysicalDeviceProperties2))
		return VK_SUCCESS;
	result = read_offers(driver, device, &offers);
	offers.driver |= ids_are_filtered();
	if (result == VK_SUCCESS)
		read_second_form(driver, device, properties.apiVersion, &offers, facts);
	return result;
}
