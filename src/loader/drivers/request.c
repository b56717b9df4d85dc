/* SPDX-License-Identifier: Apache-2.0 */
/* What vkCreateInstance's info says about drivers: see request.h. */
#include "loader/drivers/request.h"

#include "gen/extensions.h"
#include "util/log.h"

#define PORTABILITY_FLAG VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR

static bool
enables(const VkInstanceCreateInfo *info, enum kr_extension extension)
{
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
		if (kr_extension_find(info->ppEnabledExtensionNames[i]) == extension)
			return true;
	}
	return false;
}

bool
kr_info_enumerates_portability(const VkInstanceCreateInfo *info)
{
	return (info->flags & PORTABILITY_FLAG) &&
		enables(info, KR_EXT_VK_KHR_portability_enumeration);
}

static const VkDirectDriverLoadingListLUNARG *
find_list(const void *chain)
{
	for (const VkBaseInStructure *s = chain; s; s = s->pNext) {
		if (s->sType == VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_LIST_LUNARG)
			return (const VkDirectDriverLoadingListLUNARG *)s;
	}
	return NULL;
}

bool
kr_info_wants_only_direct(const VkInstanceCreateInfo *info)
{
	const VkDirectDriverLoadingListLUNARG *list = find_list(info->pNext);

	return list && enables(info, KR_EXT_VK_LUNARG_direct_driver_loading) &&
		list->mode == VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG;
}

#define WHO "loader_scan_for_direct_drivers: "
#define EXT "The VK_LUNARG_direct_driver_loading extension"

static void
warn_direct(const char *text)
{
	kr_log(KR_LOG_WARN | KR_LOG_DRIVER, WHO "%s", text);
}

const VkDirectDriverLoadingListLUNARG *
kr_info_direct_drivers(const VkInstanceCreateInfo *info)
{
	const VkDirectDriverLoadingListLUNARG *list = find_list(info->pNext);
	bool enabled = enables(info, KR_EXT_VK_LUNARG_direct_driver_loading);

	if (list && !enabled)
		warn_direct("The pNext chain of VkInstanceCreateInfo contained the "
			    "VkDirectDriverLoadingListLUNARG structure, but the "
			    "VK_LUNARG_direct_driver_loading extension was not enabled.");
	if (!list || !enabled)
		return NULL;
	if (list->mode == VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG)
		kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
			WHO EXT
			" is active and specified "
			"VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG, skipping system and "
			"environment variable driver search mechanisms.");
	if (!list->pDrivers)
		warn_direct("The VkDirectDriverLoadingListLUNARG structure in the pNext chain of "
			    "VkInstanceCreateInfo has a NULL pDrivers member.");
	else if (!list->driverCount)
		warn_direct("The VkDirectDriverLoadingListLUNARG structure in the pNext chain of "
			    "VkInstanceCreateInfo has a non-null pDrivers member but a driverCount "
			    "member with a value of zero.");
	return list;
}

void
kr_info_check_direct_list(const VkInstanceCreateInfo *info, bool found_others)
{
	if (find_list(info->pNext) || !enables(info, KR_EXT_VK_LUNARG_direct_driver_loading))
		return;
	kr_log((found_others ? KR_LOG_INFO : KR_LOG_WARN) | KR_LOG_DRIVER,
		WHO EXT " was enabled but the pNext chain of VkInstanceCreateInfo did not contain "
			"the VkDirectDriverLoadingListLUNARG structure.");
}

const char *
kr_info_portability_advice(const VkInstanceCreateInfo *info)
{
	bool extension = enables(info, KR_EXT_VK_KHR_portability_enumeration);

	if (!extension && (info->flags & PORTABILITY_FLAG))
		return "VkInstanceCreateInfo: If flags has the "
		       "VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR bit set, the list of "
		       "enabled "
		       "extensions in ppEnabledExtensionNames must contain "
		       "VK_KHR_portability_enumeration [VUID-VkInstanceCreateInfo-flags-06559 ]"
		       "Applications that wish to enumerate portability drivers must enable the "
		       "VK_KHR_portability_enumeration instance extension.";
#define FOUND                                                                                      \
	"vkCreateInstance: Found drivers that contain devices which support the portability "      \
	"subset, but the instance does not enumerate portability drivers! Applications that wish " \
	"to enumerate portability drivers must set the "                                           \
	"VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR bit in the VkInstanceCreateInfo flags"
	return extension ? FOUND "."
			 : FOUND " and enable the VK_KHR_portability_enumeration instance "
				 "extension.";
#undef FOUND
}
