/* SPDX-License-Identifier: Apache-2.0 */
/* The drivers of this process. */
#include "loader/drivers.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/profile.h"
#include "util/env.h"
#include "util/log.h"
#include "util/mutex.h"

static struct kr_mutex lock = KR_MUTEX_INITIALIZER;
static struct kr_loaded_drivers loaded KR_GUARDED_BY(lock);
/* Set (release) once `loaded` is complete; read with acquire. */
static atomic_bool ready;
static atomic_uint instances;

static void
ask_version(struct kr_loaded_driver *driver)
{
	uint32_t version = VK_API_VERSION_1_0;

	if (driver->driver->enumerate_instance_version &&
		driver->driver->enumerate_instance_version(&version) != VK_SUCCESS)
		version = VK_API_VERSION_1_0;
	driver->api_version = version;
}

/* A driver that can't say what it has is kept without extensions: creating an instance will tell. */
static VkResult
ask_extensions(struct kr_loaded_driver *driver)
{
	PFN_vkEnumerateInstanceExtensionProperties enumerate =
		driver->driver->enumerate_instance_extension_properties;
	VkExtensionProperties *extensions = NULL;
	uint32_t count = 0;
	VkResult result;

	do {
		free(extensions);
		extensions = NULL;
		result = enumerate(NULL, &count, NULL);
		if (result != VK_SUCCESS || !count)
			break;
		extensions = calloc(count, sizeof(*extensions));
		if (!extensions)
			return VK_ERROR_OUT_OF_HOST_MEMORY;
		result = enumerate(NULL, &count, extensions);
	} while (result == VK_INCOMPLETE);
	if (result != VK_SUCCESS) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"%s: vkEnumerateInstanceExtensionProperties failed (VkResult %d)",
			driver->driver->name, result);
		free(extensions);
		return result == VK_ERROR_OUT_OF_HOST_MEMORY ? result : VK_SUCCESS;
	}
	driver->extensions = extensions;
	driver->extension_count = count;
	for (uint32_t i = 0; i < count; i++)
		kr_extension_set_add(
			&driver->extension_set, kr_extension_find(extensions[i].extensionName));
	return VK_SUCCESS;
}

static void
finish(void) KR_REQUIRES(lock)
{
	for (uint32_t i = 0; i < loaded.count; i++)
		free(loaded.items[i].extensions);
	free(loaded.items);
	kr_driver_list_finish(&loaded.list);
	memset(&loaded, 0, sizeof(loaded));
}

/* What is set wrongly is said once, and then taken as if it weren't set. */
static void
check_environment(void)
{
	const char *wsi = kr_env_get("KRAFLA_WSI");

	if (kr_env_get("KRAFLA_SERVICE"))
		kr_warn("KRAFLA_SERVICE: there is no loader service yet; drivers are searched "
			"here");
	if (wsi && strcmp(wsi, "platform") && strcmp(wsi, "driver"))
		kr_warn("KRAFLA_WSI=%s: neither \"platform\" nor \"driver\", taken as \"driver\"",
			wsi);
}

static VkResult
load(void) KR_REQUIRES(lock)
{
	struct kr_driver *driver;
	uint32_t count = 0;

	check_environment();
	if (kr_discover_drivers(NULL, &loaded.list))
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	kr_list_for_each (driver, &loaded.list.drivers, link)
		count++;
	loaded.items = calloc(count ? count : 1, sizeof(*loaded.items));
	if (!loaded.items)
		goto err_finish;
	kr_list_for_each (driver, &loaded.list.drivers, link) {
		struct kr_loaded_driver *item = &loaded.items[loaded.count++];

		item->driver = driver;
		ask_version(item);
		if (ask_extensions(item) != VK_SUCCESS)
			goto err_finish;
	}
	return VK_SUCCESS;

err_finish:
	finish();
	return VK_ERROR_OUT_OF_HOST_MEMORY;
}

VkResult
kr_loaded_drivers_get(const struct kr_loaded_drivers **drivers)
{
	VkResult result = VK_SUCCESS;

	if (!atomic_load_explicit(&ready, memory_order_acquire)) {
		kr_mutex_lock(&lock);
		if (!atomic_load_explicit(&ready, memory_order_relaxed))
			result = load();
		if (result == VK_SUCCESS)
			atomic_store_explicit(&ready, true, memory_order_release);
		kr_mutex_unlock(&lock);
	}
	if (result == VK_SUCCESS)
		*drivers = &loaded;
	return result;
}

void
kr_loaded_drivers_ref(void)
{
	atomic_fetch_add(&instances, 1);
}

void
kr_loaded_drivers_unref(void)
{
	atomic_fetch_sub(&instances, 1);
}

/*
 * The library is unloaded or the process ends: nothing stays behind, unless an instance was left,
 * whose driver may still run code of its own.
 */
__attribute__((destructor)) static void
close_drivers(void)
{
	kr_mutex_lock(&lock);
	if (atomic_load(&ready) && !atomic_load(&instances)) {
		atomic_store(&ready, false);
		finish();
	}
	kr_mutex_unlock(&lock);
}

bool
kr_platform_wsi_chosen(void)
{
	const char *wsi = kr_env_get("KRAFLA_WSI");

	if (kr_profile_get()->platform_wsi || kr_env_get("KRAFLA_DISPLAY"))
		return true;
	return wsi && !strcmp(wsi, "platform");
}
