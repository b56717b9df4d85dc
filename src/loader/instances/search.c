/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which drivers an instance looks for: what vkCreateInstance's info says of them, then and later.
 */
#include "loader/instances/search.h"

#include <string.h>

#include "gen/extensions.h"
#include "util/alloc.h"
#include "util/log.h"
#include "util/report.h"

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

/* The flag and the extension. */
static bool
enumerates_portability(const VkInstanceCreateInfo *info)
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

/* Whether drivers of the application's own are all that may take part. */
static bool
wants_only_direct(const VkInstanceCreateInfo *info)
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

/* The list, when it and its extension are there, else NULL; what is odd about it is told. */
static const VkDirectDriverLoadingListLUNARG *
direct_drivers(const VkInstanceCreateInfo *info)
{
	const VkDirectDriverLoadingListLUNARG *list = find_list(info->pNext);
	bool enabled = enables(info, KR_EXT_VK_LUNARG_direct_driver_loading);

	if (list && !enabled)
		warn_direct(
			"The pNext chain of VkInstanceCreateInfo contained the VkDirectDriverLoadingListLUNARG structure, but the VK_LUNARG_direct_driver_loading extension was not enabled.");
	if (!list || !enabled)
		return NULL;
	if (list->mode == VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG)
		kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
			WHO EXT
			" is active and specified VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG, skipping system and environment variable driver search mechanisms.");
	if (!list->pDrivers)
		warn_direct(
			"The VkDirectDriverLoadingListLUNARG structure in the pNext chain of VkInstanceCreateInfo has a NULL pDrivers member.");
	else if (!list->driverCount)
		warn_direct(
			"The VkDirectDriverLoadingListLUNARG structure in the pNext chain of VkInstanceCreateInfo has a non-null pDrivers member but a driverCount member with a value of zero.");
	return list;
}

/*
 * The extension without its list is told: a warning when nothing else was found either. A program
 * that enables whatever is offered (vulkaninfo) loses nothing by it.
 */
static void
check_direct_list(const VkInstanceCreateInfo *info, bool found_others)
{
	if (find_list(info->pNext) || !enables(info, KR_EXT_VK_LUNARG_direct_driver_loading))
		return;
	kr_log((found_others ? KR_LOG_INFO : KR_LOG_WARN) | KR_LOG_DRIVER,
		WHO EXT
		" was enabled but the pNext chain of VkInstanceCreateInfo did not contain the VkDirectDriverLoadingListLUNARG structure.");
}

/* Why the instance has no drivers although there are portability drivers: what is missing. */
static const char *
portability_advice(const VkInstanceCreateInfo *info)
{
	bool extension = enables(info, KR_EXT_VK_KHR_portability_enumeration);

	if (!extension && (info->flags & PORTABILITY_FLAG))
		return "VkInstanceCreateInfo: If flags has the VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR bit set, the list of enabled extensions in ppEnabledExtensionNames must contain VK_KHR_portability_enumeration [VUID-VkInstanceCreateInfo-flags-06559 ]Applications that wish to enumerate portability drivers must enable the VK_KHR_portability_enumeration instance extension.";
#define FOUND                                                                                      \
	"vkCreateInstance: Found drivers that contain devices which support the portability subset, but the instance does not enumerate portability drivers! Applications that wish to enumerate portability drivers must set the VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR bit in the VkInstanceCreateInfo flags"
	return extension ? FOUND "."
			 : FOUND
		" and enable the VK_KHR_portability_enumeration instance extension.";
#undef FOUND
}

VkResult
kr_instance_find_drivers(const struct kr_instance *instance, const VkInstanceCreateInfo *info,
	struct kr_loaded_drivers **drivers)
{
	const struct kr_loaded_drivers_request request = {
		.settings = &instance->settings,
		.no_portability = !enumerates_portability(info),
		.direct = direct_drivers(info),
	};
	struct kr_loaded_drivers *found;
	VkResult result;

	if (!request.no_portability)
		kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
			"portability drivers count too: the application asks for them");
	result = kr_loaded_drivers_find(&request, &found);
	if (result != VK_SUCCESS)
		return result;
	check_direct_list(info, found->count > 0);
	if (found->count) {
		*drivers = found;
		return VK_SUCCESS;
	}
	if (found->list.portability_skipped)
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "%s", portability_advice(info));
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "vkCreateInstance: Found no drivers!");
	kr_report(KR_REPORT_NO_DRIVER, NULL);
	kr_loaded_drivers_unref(found);
	return VK_ERROR_INCOMPATIBLE_DRIVER;
}

static size_t
length(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

static size_t
text_length(const VkInstanceCreateInfo *info)
{
	const VkApplicationInfo *application = info->pApplicationInfo;
	size_t total = 0;

	if (application)
		total = length(application->pApplicationName) + length(application->pEngineName);
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
		total += length(info->ppEnabledExtensionNames[i]);
	return total;
}

/* Copies to *room, which moves on. */
static const char *
copy(char **room, const char *text)
{
	char *start = *room;

	if (!text)
		return NULL;
	memcpy(start, text, length(text));
	*room += length(text);
	return start;
}

static void
copy_application(
	struct kr_instance_origin *origin, const VkApplicationInfo *application, char **room)
{
	origin->application = *application;
	origin->application.pNext = NULL;
	origin->application.pApplicationName = copy(room, application->pApplicationName);
	origin->application.pEngineName = copy(room, application->pEngineName);
	origin->info.pApplicationInfo = &origin->application;
}

VkResult
kr_instance_keep_origin(struct kr_instance *instance, const VkInstanceCreateInfo *info)
{
	const VkAllocationCallbacks *allocator = instance->allocator;
	uint32_t count = info->enabledExtensionCount;
	size_t head = sizeof(struct kr_instance_origin) + count * sizeof(char *);
	struct kr_instance_origin *origin =
		kr_zalloc(allocator, head + text_length(info), VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
	char *room;

	if (!origin)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	room = (char *)origin + head;
	origin->info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
	origin->info.flags = info->flags;
	origin->info.enabledExtensionCount = count;
	origin->info.ppEnabledExtensionNames = count ? origin->names : NULL;
	for (uint32_t i = 0; i < count; i++)
		origin->names[i] = copy(&room, info->ppEnabledExtensionNames[i]);
	if (info->pApplicationInfo)
		copy_application(origin, info->pApplicationInfo, &room);
	origin->portability = enumerates_portability(info);
	origin->exclusive = wants_only_direct(info);
	/* A layer may have tried before, and failed. */
	kr_free(allocator, instance->origin);
	instance->origin = origin;
	return VK_SUCCESS;
}

bool
kr_instance_may_look_again(const struct kr_instance *instance)
{
	return instance->origin && !instance->origin->exclusive;
}

VkResult
kr_instance_look_again(struct kr_instance *instance, struct kr_loaded_drivers **drivers)
{
	struct kr_loaded_drivers_request request = {
		.no_portability = !instance->origin->portability};
	struct kr_settings settings;
	VkResult result;

	if (kr_settings_read(NULL, &settings))
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	request.settings = &settings;
	result = kr_loaded_drivers_find(&request, drivers);
	kr_settings_finish(&settings);
	return result;
}
