/* SPDX-License-Identifier: Apache-2.0 */
/* The drivers of an instance: see drivers.h. */
#include "loader/instances/drivers.h"

#include "loader/drivers/extensions.h"
#include "loader/instances/driver.h"
#include "loader/instances/search.h"
#include "util/alloc.h"
#include "util/log.h"

static struct kr_instance_driver *
driver_create(struct kr_instance *instance, struct kr_loaded_drivers *drivers, uint32_t index)
{
	struct kr_instance_driver *driver = kr_zalloc(
		instance->allocator, sizeof(*driver), VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);

	if (!driver)
		return NULL;
	driver->driver = &drivers->items[index];
	driver->set = kr_loaded_drivers_ref(drivers);
	driver->instance = instance;
	return driver;
}

static void
driver_destroy(struct kr_instance_driver *driver)
{
	kr_loaded_drivers_unref(driver->set);
	kr_free(driver->instance->allocator, driver);
}

/* The caller holds the instance's lock, or nobody else has the instance yet. */
static void
append(struct kr_instance *instance, struct kr_instance_driver *driver)
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
		struct kr_instance_driver *driver = driver_create(instance, drivers, i);

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

struct kr_instance_driver *
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
static struct kr_instance_driver *
append_once(struct kr_instance *instance, struct kr_instance_driver *driver, bool *full)
{
	struct kr_instance_driver *other;

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
	uint32_t index, struct kr_instance_driver **out)
{
	struct kr_instance_driver *driver = driver_create(instance, drivers, index);
	VkResult result;
	bool full;

	if (!driver)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	/* Its place in the list is its number, which nothing needs before it is there. */
	kr_instance_driver_choose(driver, instance->platform_wsi, &instance->enabled_below);
	result = kr_instance_driver_create(driver, &instance->origin->info, instance->allocator);
	if (result == VK_ERROR_OUT_OF_HOST_MEMORY) {
		driver_destroy(driver);
		return result;
	}
	*out = append_once(instance, driver, &full);
	if (full || *out != driver) {
		kr_instance_driver_destroy(driver);
		driver_destroy(driver);
		return full ? VK_ERROR_TOO_MANY_OBJECTS : VK_SUCCESS;
	}
	return result;
}
