/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for drivers under live instances. */
#include "loader/instances/hotplug.h"

#include "loader/drivers/drivers.h"
#include "loader/instances/drivers.h"
#include "loader/instances/search.h"
#include "util/clock.h"
#include "util/env.h"
#include "util/log.h"

/* For how long the first enumeration takes what vkCreateInstance has found. */
#define FRESH (KR_NSEC_PER_SEC / 10)

/* What decides which drivers are found, beside files and devices. */
static const char *const variables[] = {
	"HOME",
	"KRAFLA_ABSENT_HARDWARE",
	"KRAFLA_HAL_PATH",
	"KRAFLA_PROBE",
	"KRAFLA_PROPERTIES",
	"KRAFLA_SERVICE",
	"VK_ADD_DRIVER_FILES",
	"VK_DRIVER_FILES",
	"VK_ICD_FILENAMES",
	"VK_LOADER_DRIVERS_DISABLE",
	"VK_LOADER_DRIVERS_SELECT",
	"XDG_CONFIG_DIRS",
	"XDG_CONFIG_HOME",
	"XDG_DATA_DIRS",
	"XDG_DATA_HOME",
};

/* FNV-1a of all values, each with its end. */
static uint64_t
hash_environment(void)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < KR_ARRAY_LEN(variables); i++) {
		const char *value = kr_env_get_raw(variables[i]);

		/* Set to nothing isn't unset: 1 is no byte that begins a value. */
		do
			hash = (hash ^ (value ? (unsigned char)*value : 1)) *
				UINT64_C(0x100000001b3);
		while (value && *value++);
	}
	return hash;
}

void
kr_hotplug_begin(struct kr_instance *instance)
{
	instance->search_environment = hash_environment();
	atomic_store_explicit(&instance->searched_at, kr_clock_now(), memory_order_relaxed);
}

static bool
has(const struct kr_loaded_drivers *drivers, const struct kr_driver *driver)
{
	for (uint32_t i = 0; i < drivers->count; i++) {
		if (kr_driver_is_same(drivers->items[i].driver, driver))
			return true;
	}
	return false;
}

static void
note(struct kr_instance_driver *driver, bool gone)
{
	if (atomic_exchange_explicit(&driver->gone, gone, memory_order_relaxed) == gone)
		return;
	kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
		gone ? "%s: the driver went; its devices are not listed any more"
		     : "%s: the driver came back",
		driver->driver->driver->name);
}

/* Drivers that the application brought along, and those that stand for none, can't go. */
static void
note_known(struct kr_instance *instance, const struct kr_loaded_drivers *drivers)
{
	for (uint32_t i = 0; i < kr_instance_driver_count(instance); i++) {
		struct kr_instance_driver *driver = instance->drivers[i];
		enum kr_driver_source source = driver->driver->driver->source;

		if (source != KR_DRIVER_DIRECT && source != KR_DRIVER_STUB)
			note(driver, !has(drivers, driver->driver->driver));
	}
}

static VkResult
adopt_new(struct kr_instance *instance, struct kr_loaded_drivers *drivers)
{
	for (uint32_t i = 0; i < drivers->count; i++) {
		const struct kr_driver *found = drivers->items[i].driver;
		struct kr_instance_driver *driver;
		VkResult result;

		if (found->source == KR_DRIVER_STUB || kr_instance_find_driver(instance, found))
			continue;
		result = kr_instance_adopt_driver(instance, drivers, i, &driver);
		if (result == VK_ERROR_OUT_OF_HOST_MEMORY)
			return result;
		if (result == VK_SUCCESS)
			kr_log(KR_LOG_INFO | KR_LOG_DRIVER, "%s: a driver came", found->name);
	}
	return VK_SUCCESS;
}

static VkResult
look(struct kr_instance *instance)
{
	struct kr_loaded_drivers *drivers;
	struct kr_log_hold mute;
	VkResult result;

	/* What is wrong with manifests and libraries vkCreateInstance has told. */
	kr_log_mute_begin(&mute);
	result = kr_instance_look_again(instance, &drivers);
	kr_log_hold_end(&mute);
	if (result != VK_SUCCESS)
		return result;
	note_known(instance, drivers);
	result = adopt_new(instance, drivers);
	kr_loaded_drivers_unref(drivers);
	return result;
}

/*
 * Whether this is the first enumeration, and not long after the search of vkCreateInstance began.
 */
static bool
is_fresh(struct kr_instance *instance)
{
	int64_t searched_at =
		atomic_exchange_explicit(&instance->searched_at, 0, memory_order_relaxed);

	return searched_at && kr_clock_now() - searched_at < FRESH;
}

VkResult
kr_hotplug_look(struct kr_instance *instance, bool fetches)
{
	bool counted = atomic_exchange_explicit(&instance->counted, !fetches, memory_order_relaxed);

	if (is_fresh(instance) || (fetches && counted) || !kr_instance_may_look_again(instance) ||
		hash_environment() != instance->search_environment)
		return VK_SUCCESS;
	return look(instance);
}
