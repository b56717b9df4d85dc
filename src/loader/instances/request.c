/* SPDX-License-Identifier: Apache-2.0 */
/* Tells what an application asks of vkCreateInstance: see instance_request.h. */
#include "loader/instances/request.h"

#include <stdio.h>

#include "util/log.h"

/* What is wrong with the version that the application says it was written for. */
static void
check_version(const VkApplicationInfo *application)
{
	uint32_t version = application ? application->apiVersion : 0;

	if (version && version < VK_API_VERSION_1_0)
		kr_error("VkInstanceCreateInfo::pApplicationInfo::apiVersion has value of %u which "
			 "is not permitted. If apiVersion is not 0, then it must be greater than "
			 "or equal to the value of VK_API_VERSION_1_0 "
			 "[VUID-VkApplicationInfo-apiVersion]",
			version);
	if (VK_API_VERSION_VARIANT(version))
		kr_warn("vkCreateInstance: The API Variant specified in "
			"pCreateInfo->pApplicationInfo.apiVersion is %u instead of the expected "
			"value of 0.",
			VK_API_VERSION_VARIANT(version));
}

/* One line; what doesn't fit is left out. */
static void
tell_names(const char *what, uint32_t count, const char *const *names)
{
	char text[1024] = "";
	size_t used = 0;

	for (uint32_t i = 0; names && i < count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "",
			names[i] ? names[i] : "NULL");
	kr_info("%s: %s", what, text[0] ? text : "none");
}

static void
tell_application(const VkApplicationInfo *application)
{
	uint32_t version = application ? application->apiVersion : 0;

	kr_info("Application name: \"%s\" (version %u), engine \"%s\" (version %u), for Vulkan "
		"%u.%u.%u",
		application && application->pApplicationName ? application->pApplicationName : "",
		application ? application->applicationVersion : 0,
		application && application->pEngineName ? application->pEngineName : "",
		application ? application->engineVersion : 0,
		VK_API_VERSION_MAJOR(version ? version : VK_API_VERSION_1_0),
		VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
}

void
kr_instance_request_tell(const VkInstanceCreateInfo *info)
{
	check_version(info->pApplicationInfo);
	if (!kr_log_enabled(KR_LOG_INFO))
		return;
	tell_application(info->pApplicationInfo);
	tell_names("Requested layers", info->enabledLayerCount, info->ppEnabledLayerNames);
	tell_names(
		"Requested extensions", info->enabledExtensionCount, info->ppEnabledExtensionNames);
}
