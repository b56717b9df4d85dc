/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers that the application hands over with vkCreateInstance (VK_LUNARG_direct_driver_loading):
 * a pointer to their vk_icdGetInstanceProcAddr, which gives everything else. Their libraries are
 * the application's affair.
 */
#include "discover/sources.h"

#include <errno.h>
#include <stdlib.h>

#include "discover/connect.h"
#include "util/log.h"
#include "util/text.h"

#define NEGOTIATE "vk_icdNegotiateLoaderICDInterfaceVersion"
#define WHO       "loader_add_direct_driver: "

/* All functions through one: since version 7. */
#define INTERFACE_BY_GIPA 7

static int
refuse(char **reason, char *take_sentence)
{
	*reason = take_sentence;
	return take_sentence ? -EINVAL : -ENOMEM;
}

static int
lacks(char **reason, uint32_t index, const char *function)
{
	return refuse(reason,
		kr_asprintf(
			"Could not get '%s' from VkDirectDriverLoadingInfoLUNARG structure at index %u, skipping.",
			function, index));
}

static int
negotiate(struct kr_driver *driver, uint32_t index, char **reason)
{
	PFN_vkNegotiateLoaderICDInterfaceVersion fn =
		(PFN_vkNegotiateLoaderICDInterfaceVersion)driver->get_instance_proc_addr(
			NULL, NEGOTIATE);

	if (!fn)
		return lacks(reason, index, NEGOTIATE);
	if (kr_icd_negotiate(fn, driver->name, &driver->interface_version) &&
		driver->interface_version >= INTERFACE_BY_GIPA)
		return 0;
	return refuse(reason,
		kr_asprintf(
			"VkDirectDriverLoadingInfoLUNARG structure at index %u supports interface version %u, which is incompatible with the Loader Driver Interface version that supports the VK_LUNARG_direct_driver_loading extension, skipping. (At least %u is needed.)",
			index, driver->interface_version, INTERFACE_BY_GIPA));
}

static int
get_functions(struct kr_driver *driver, uint32_t index, char **reason)
{
	PFN_vkGetInstanceProcAddr gipa = driver->get_instance_proc_addr;

	driver->enumerate_instance_extension_properties =
		(PFN_vkEnumerateInstanceExtensionProperties)gipa(
			NULL, "vkEnumerateInstanceExtensionProperties");
	if (!driver->enumerate_instance_extension_properties)
		return lacks(reason, index, "vkEnumerateInstanceExtensionProperties");
	driver->create_instance = (PFN_vkCreateInstance)gipa(NULL, "vkCreateInstance");
	if (!driver->create_instance)
		return lacks(reason, index, "vkCreateInstance");
	driver->get_physical_device_proc_addr =
		(PFN_GetPhysicalDeviceProcAddr)gipa(NULL, "vk_icdGetPhysicalDeviceProcAddr");
	driver->enumerate_instance_version =
		(PFN_vkEnumerateInstanceVersion)gipa(NULL, "vkEnumerateInstanceVersion");
	return 0;
}

static int
connect_driver(struct kr_driver *driver, const VkDirectDriverLoadingInfoLUNARG *info,
	uint32_t index, char **reason)
{
	int ret;

	if (!info->pfnGetInstanceProcAddr)
		return refuse(reason,
			kr_asprintf(
				"VkDirectDriverLoadingInfoLUNARG structure at index %u contains a NULL pointer for the pfnGetInstanceProcAddr member, skipping.",
				index));
	driver->get_instance_proc_addr = (PFN_vkGetInstanceProcAddr)info->pfnGetInstanceProcAddr;
	driver->direct_flags = info->flags;
	ret = negotiate(driver, index, reason);
	return ret ? ret : get_functions(driver, index, reason);
}

static int
add_driver(const VkDirectDriverLoadingInfoLUNARG *info, uint32_t index, struct kr_driver_list *list)
{
	const struct kr_driver_candidate facts = {
		.source = KR_DRIVER_DIRECT,
		.variable = "VkDirectDriverLoadingListLUNARG",
	};
	struct kr_driver *driver = kr_driver_create(KR_DRIVER_DIRECT, NULL, NULL);
	char *reason = NULL;
	int ret;

	if (!driver)
		return -ENOMEM;
	ret = connect_driver(driver, info, index, &reason);
	if (ret) {
		kr_driver_destroy(driver);
		if (ret == -ENOMEM)
			return ret;
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, WHO "%s", reason);
		return kr_candidate_add(list, &facts, KR_CANDIDATE_NO_DRIVER, reason);
	}
	kr_list_append(&list->drivers, &driver->link);
	kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
		WHO
		"Adding driver found in index %u of VkDirectDriverLoadingListLUNARG::pDrivers structure. pfnGetInstanceProcAddr was set to %p",
		index, (void *)(uintptr_t)info->pfnGetInstanceProcAddr);
	return kr_candidate_add(list, &facts, KR_CANDIDATE_USED,
		kr_asprintf("given by the application, interface version %u",
			driver->interface_version));
}

int
kr_discover_direct(const VkDirectDriverLoadingListLUNARG *direct, struct kr_driver_list *list)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && direct->pDrivers && i < direct->driverCount; i++)
		ret = add_driver(&direct->pDrivers[i], i, list);
	return ret;
}
