/* SPDX-License-Identifier: Apache-2.0 */
/* The drivers of an instance: see instance/drivers.h. */
#include "loader/instances/drivers.h"

#include <string.h>

#include "loader/instances/driver.h"
#include "loader/drivers/request.h"
#include "loader/drivers/extensions.h"
#include "util/alloc.h"
#include "util/log.h"
#include "util/report.h"

VkResult
kr_instance_find_drivers(const struct kr_instance *instance, const VkInstanceCreateInfo *info,
	struct kr_loaded_drivers **drivers)
{
	const struct kr_driver_request request = {
		.settings = &instance->settings,
		.no_portability = !kr_info_enumerates_portability(info),
		.direct = kr_info_direct_drivers(info),
	};
	struct kr_loaded_drivers *found;
	VkResult result;

	if (!request.no_portability)
		kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
			"portability drivers count too: the application asks for them");
	result = kr_loaded_drivers_find(&request, &found);
	if (result != VK_SUCCESS)
		return result;
	kr_info_check_direct_list(info, found->count > 0);
	if (found->count) {
		*drivers = found;
		return VK_SUCCESS;
	}
	if (found->list.portability_skipped)
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "%s", kr_info_portability_advice(info));
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "vkCreateInstance: Found no drivers!");
	kr_report(KR_REPORT_NO_DRIVER, NULL);
	kr_loaded_drivers_unref(found);
	return VK_ERROR_INCOMPATIBLE_DRIVER;
}

static struct kr_driver_instance *
driver_create(struct kr_instance *instance, struct kr_loaded_drivers *drivers, uint32_t index)
{
	struct kr_driver_instance *driver = kr_zalloc(
		instance->allocator, sizeof(*driver), VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);

	if (!driver)
		return NULL;
	driver->driver = &drivers->items[index];
	driver->set = kr_loaded_drivers_ref(drivers);
	driver->instance = instance;
	return driver;
}

static void
driver_destroy(struct kr_driver_instance *driver)
{
	kr_loaded_drivers_unref(driver->set);
	kr_free(driver->instance->allocator, driver);
}

/* The caller holds the instance's lock, or nobody else has the instance yet. */
static void
append(struct kr_instance *instance, struct kr_driver_instance *driver)
{
	driver->number = kr_instance_driver_count(instance);
	instance->drivers[driver->number] = driver;
	atomic_store_explicit(&instance->driver_count, driver->number + 1, memory_order_release);
}

VkResult
kr_instance_add_drivers(struct kr_instance *instance, struct kr_loaded_drivers *drivers)
{
	if (drivers->count > KR_MAX_DRIVERS)
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER, "%u drivers: only the first %d are used",
			drivers->count, KR_MAX_DRIVERS);
	for (uint32_t i = 0; i < drivers->count && i < KR_MAX_DRIVERS; i++) {
		struct kr_driver_instance *driver = driver_create(instance, drivers, i);

		if (!driver)
			return VK_ERROR_OUT_OF_HOST_MEMORY;
		append(instance, driver);
	}
	return VK_SUCCESS;
}

void
kr_instance_free_drivers(struct kr_instance *instance)
{
	for (uint32_t i = 0; i < kr_instance_driver_count(instance); i++)
		driver_destroy(instance->drivers[i]);
	atomic_store_explicit(&instance->driver_count, 0, memory_order_relaxed);
	kr_free(instance->allocator, instance->origin);
	instance->origin = NULL;
}

/* One allocation: this, the names, their text. */
struct kr_instance_origin {
	VkInstanceCreateInfo info; /* without pNext and layers */
	VkApplicationInfo application;
	bool portability;
	bool exclusive; /* the application wants no drivers but its own */
	const char *names[];
};

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
	origin->portability = kr_info_enumerates_portability(info);
	origin->exclusive = kr_info_wants_only_direct(info);
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
	struct kr_driver_request request = {.no_portability = !instance->origin->portability};
	struct kr_settings settings;
	VkResult result;

	if (kr_settings_read(NULL, &settings))
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	request.settings = &settings;
	result = kr_loaded_drivers_find(&request, drivers);
	kr_settings_finish(&settings);
	return result;
}

struct kr_driver_instance *
kr_instance_find_driver(const struct kr_instance *instance, const struct kr_driver *driver)
{
	uint32_t count = kr_instance_driver_count(instance);

	for (uint32_t i = 0; i < count; i++) {
		if (kr_driver_is_same(instance->drivers[i]->driver->driver, driver))
			return instance->drivers[i];
	}
	return NULL;
}

/* Appends it unless another thread was faster: then that one's in *driver, which is returned. */
static struct kr_driver_instance *
append_once(struct kr_instance *instance, struct kr_driver_instance *driver, bool *full)
{
	struct kr_driver_instance *other;

	kr_mutex_lock(&instance->lock);
	other = kr_instance_find_driver(instance, driver->driver->driver);
	*full = !other && kr_instance_driver_count(instance) == KR_MAX_DRIVERS;
	if (!other && !*full)
		append(instance, driver);
	kr_mutex_unlock(&instance->lock);
	return other ? other : driver;
}

VkResult
kr_instance_adopt_driver(struct kr_instance *instance, struct kr_loaded_drivers *drivers,
	uint32_t index, struct kr_driver_instance **out)
{
	struct kr_driver_instance *driver = driver_create(instance, drivers, index);
	VkResult result;
	bool full;

	if (!driver)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	/* Its place in the list is its number, which nothing needs before it is there. */
	kr_driver_instance_choose(driver, instance->platform_wsi, &instance->enabled_below);
	result = kr_driver_instance_create(driver, &instance->origin->info, instance->allocator);
	if (result == VK_ERROR_OUT_OF_HOST_MEMORY) {
		driver_destroy(driver);
		return result;
	}
	*out = append_once(instance, driver, &full);
	if (full || *out != driver) {
		kr_driver_instance_destroy(driver);
		driver_destroy(driver);
		return full ? VK_ERROR_TOO_MANY_OBJECTS : VK_SUCCESS;
	}
	return result;
}
