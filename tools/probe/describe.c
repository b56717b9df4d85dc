/* SPDX-License-Identifier: Apache-2.0 */
/* See describe.h. */
#include "tools/probe/describe.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#define MOST_EXTENSIONS 4096

static bool
has(const VkExtensionProperties *list, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!strncmp(list[i].extensionName, name, sizeof(list[i].extensionName)))
			return true;
	}
	return false;
}

/* What a driver lists between two calls may change: what was had then is looked at. */
static VkExtensionProperties *
make_list(uint32_t count)
{
	return count && count <= MOST_EXTENSIONS ? calloc(count, sizeof(VkExtensionProperties))
						 : NULL;
}

bool
probe_has_properties2(const struct kr_driver *driver)
{
	PFN_vkEnumerateInstanceExtensionProperties list_all =
		driver->enumerate_instance_extension_properties;
	VkExtensionProperties *list;
	uint32_t count = 0;
	bool found;

	if (!list_all || list_all(NULL, &count, NULL) != VK_SUCCESS)
		return false;
	list = make_list(count);
	found = list && list_all(NULL, &count, list) >= VK_SUCCESS &&
		has(list, count, VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME);
	free(list);
	return found;
}

static bool
has_drm(const struct kr_driver *driver, VkInstance instance, VkPhysicalDevice device)
{
	PFN_vkEnumerateDeviceExtensionProperties list_all =
		(PFN_vkEnumerateDeviceExtensionProperties)driver->get_instance_proc_addr(
			instance, "vkEnumerateDeviceExtensionProperties");
	VkExtensionProperties *list;
	uint32_t count = 0;
	bool found;

	if (!list_all || list_all(device, NULL, &count, NULL) != VK_SUCCESS)
		return false;
	list = make_list(count);
	found = list && list_all(device, NULL, &count, list) >= VK_SUCCESS &&
		has(list, count, VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME);
	free(list);
	return found;
}

static void
ask_nodes(const struct kr_driver *driver, VkInstance instance, VkPhysicalDevice device,
	struct kr_probe_device *out)
{
	VkPhysicalDeviceDrmPropertiesEXT drm = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &drm};
	PFN_vkGetPhysicalDeviceProperties2KHR ask =
		(PFN_vkGetPhysicalDeviceProperties2KHR)driver->get_instance_proc_addr(
			instance, "vkGetPhysicalDeviceProperties2KHR");

	if (!ask || !has_drm(driver, instance, device))
		return;
	ask(device, &properties);
	out->has_drm = drm.hasPrimary || drm.hasRender;
	if (drm.hasPrimary) {
		out->primary_major = drm.primaryMajor;
		out->primary_minor = drm.primaryMinor;
	}
	if (drm.hasRender) {
		out->render_major = drm.renderMajor;
		out->render_minor = drm.renderMinor;
	}
}

void
probe_describe(const struct kr_driver *driver, VkInstance instance, bool properties2,
	VkPhysicalDevice device, struct kr_probe_device *out)
{
	PFN_vkGetPhysicalDeviceProperties ask =
		(PFN_vkGetPhysicalDeviceProperties)driver->get_instance_proc_addr(
			instance, "vkGetPhysicalDeviceProperties");
	VkPhysicalDeviceProperties properties = {0};

	*out = (struct kr_probe_device){
		.primary_major = -1, .primary_minor = -1, .render_major = -1, .render_minor = -1};
	if (!ask)
		return;
	ask(device, &properties);
	out->told = true;
	out->type = properties.deviceType;
	out->vendor = properties.vendorID;
	out->device = properties.deviceID;
	snprintf(out->name, sizeof(out->name), "%.*s", (int)sizeof(properties.deviceName) - 1,
		properties.deviceName);
	if (properties2)
		ask_nodes(driver, instance, device, out);
}
