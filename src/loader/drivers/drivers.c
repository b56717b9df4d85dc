/* SPDX-License-Identifier: Apache-2.0 */
/* The drivers of this process: see drivers.h. */
#include "loader/drivers/drivers.h"

#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "discover/discover.h"
#include "manifest/profile.h"
#include "util/enumerate.h"
#include "util/env.h"
#include "util/log.h"
#include "util/mutex.h"

static struct kr_mutex lock = KR_MUTEX_INITIALIZER;
/* The set that was found last: it keeps the libraries open until the next search. */
static struct kr_loaded_drivers *last KR_GUARDED_BY(lock);
static atomic_bool environment_checked;

/* A driver whose manifest promises more than it keeps is one of 1.0, with a word about it. */
static void
ask_version(struct kr_loaded_driver *loaded)
{
	const struct kr_driver *driver = loaded->driver;
	uint32_t version = VK_API_VERSION_1_0;
	const char *fault = NULL;

	if (!driver->enumerate_instance_version)
		fault = "does not support vkEnumerateInstanceVersion";
	else if (driver->enumerate_instance_version(&version) != VK_SUCCESS)
		fault = "vkEnumerateInstanceVersion returned an error";
	else if (version < VK_API_VERSION_1_1)
		fault = "vkEnumerateInstanceVersion returned 1.0";
	loaded->api_version = fault ? VK_API_VERSION_1_0 : version;
	if (fault && driver->source == KR_DRIVER_MANIFEST &&
		driver->api_version >= VK_API_VERSION_1_1)
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
			"terminator_CreateInstance: Manifest ICD for \"%s\" contained a 1.1 or greater API version, but %s, treating as a 1.0 ICD",
			driver->library_path, fault);
}

/*
 * A driver that can't say what it has is kept without extensions: creating an instance will tell.
 */
static VkResult
ask_extensions(struct kr_loaded_driver *driver)
{
	const struct kr_enumerate_question question = {
		.of_instance = driver->driver->enumerate_instance_extension_properties,
		.who = driver->driver->name,
		.log = KR_LOG_DRIVER,
	};
	VkExtensionProperties *extensions = NULL;
	uint32_t count = 0;
	VkResult result = kr_enumerate_extensions(&question, NULL, &count, &extensions);

	if (result != VK_SUCCESS) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"%s: vkEnumerateInstanceExtensionProperties failed (VkResult %d)",
			driver->driver->name, result);
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
destroy(struct kr_loaded_drivers *drivers)
{
	for (uint32_t i = 0; i < drivers->count; i++)
		free(drivers->items[i].extensions);
	free(drivers->items);
	kr_driver_list_finish(&drivers->list);
	free(drivers);
}

/* What is set wrongly is said once, and then taken as if it weren't set. */
static void
check_environment(void)
{
	const char *wsi = kr_env_get("KRAFLA_WSI");

	if (wsi && strcmp(wsi, "platform") && strcmp(wsi, "driver"))
		kr_warn("KRAFLA_WSI=%s: neither \"platform\" nor \"driver\", taken as \"driver\"",
			wsi);
}

static VkResult
ask_drivers(struct kr_loaded_drivers *drivers)
{
	struct kr_driver *driver;
	uint32_t count = 0;

	kr_list_for_each (driver, &drivers->list.drivers, link)
		count++;
	drivers->items = calloc(count ? count : 1, sizeof(*drivers->items));
	if (!drivers->items)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	kr_list_for_each (driver, &drivers->list.drivers, link) {
		struct kr_loaded_driver *item = &drivers->items[drivers->count++];

		item->driver = driver;
		ask_version(item);
		if (ask_extensions(item) != VK_SUCCESS)
			return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	return VK_SUCCESS;
}

static VkResult
find(const struct kr_discover_options *options, struct kr_loaded_drivers **out)
{
	struct kr_loaded_drivers *drivers = calloc(1, sizeof(*drivers));

	if (!drivers)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	atomic_init(&drivers->refs, 1);
	if (kr_discover_drivers(options, &drivers->list)) {
		free(drivers);
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	if (ask_drivers(drivers) != VK_SUCCESS) {
		destroy(drivers);
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	*out = drivers;
	return VK_SUCCESS;
}

/* What the set before had open alone is closed here, outside of the lock. */
static void
keep(struct kr_loaded_drivers *take_drivers)
{
	struct kr_loaded_drivers *before;

	kr_mutex_lock(&lock);
	before = last;
	last = take_drivers;
	kr_mutex_unlock(&lock);
	kr_loaded_drivers_unref(before);
}

VkResult
kr_loaded_drivers_find(
	const struct kr_loaded_drivers_request *request, struct kr_loaded_drivers **drivers)
{
	const VkDirectDriverLoadingListLUNARG *direct = request->direct;
	const struct kr_discover_options options = {
		.settings = request->settings,
		.no_portability = request->no_portability,
		.direct = direct,
		.service = kr_client_service(),
	};
	VkResult result;

	if (!atomic_exchange(&environment_checked, true))
		check_environment();
	result = find(&options, drivers);
	/* A set of the application's own drivers says nothing about the next search. */
	if (result == VK_SUCCESS &&
		!(direct && direct->mode == VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG))
		keep(kr_loaded_drivers_ref(*drivers));
	return result;
}

struct kr_loaded_drivers *
kr_loaded_drivers_ref(struct kr_loaded_drivers *drivers)
{
	atomic_fetch_add_explicit(&drivers->refs, 1, memory_order_relaxed);
	return drivers;
}

void
kr_loaded_drivers_unref(struct kr_loaded_drivers *drivers)
{
	/* Each thread's use of the set comes before its end. */
	if (drivers && atomic_fetch_sub_explicit(&drivers->refs, 1, memory_order_acq_rel) == 1)
		destroy(drivers);
}

/*
 * The library is unloaded or the process ends: nothing stays behind, unless an instance was left,
 * which holds its set, and whose driver may still run code of its own.
 */
__attribute__((destructor)) static void
close_drivers(void)
{
	keep(NULL);
	kr_discover_end();
	kr_client_end();
}

bool
kr_platform_wsi_chosen(void)
{
	const char *wsi = kr_env_get("KRAFLA_WSI");

	if (kr_profile_get()->platform_wsi || kr_env_get("KRAFLA_DISPLAY"))
		return true;
	return wsi && !strcmp(wsi, "platform");
}
