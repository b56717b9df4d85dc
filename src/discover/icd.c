/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linux drivers (ICDs), by their manifests (khronos-loader.md 2, abi.md 9). The interface version
 * is negotiated before anything else of a driver is called, except that a driver of version 7 may
 * hand out its negotiation function through vk_icdGetInstanceProcAddr alone.
 */
#include "discover/internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/driver_manifest.h"
#include "util/env.h"
#include "util/log.h"
#include "util/text.h"

#define NEGOTIATE       "vk_icdNegotiateLoaderICDInterfaceVersion"
#define GET_PROC        "vk_icdGetInstanceProcAddr"
#define GET_DEVICE_PROC "vk_icdGetPhysicalDeviceProcAddr"

/* Some drivers of interface 3 already have the physical device query that version 4 asks for. */
#define INTERFACE_PHYSICAL_DEVICE 3
#define INTERFACE_API_VERSION     5 /* from here on a driver takes any apiVersion that it can run */
#define INTERFACE_BY_GIPA         7

static int
refuse(char **reason, char *take_sentence)
{
	*reason = take_sentence;
	return -EINVAL;
}

static int
negotiate(struct kr_driver *driver, char **reason)
{
	const char *path = driver->library_path;
	PFN_vkNegotiateLoaderICDInterfaceVersion fn =
		(PFN_vkNegotiateLoaderICDInterfaceVersion)dlsym(driver->dso, NEGOTIATE);
	uint32_t version = KR_ICD_INTERFACE_MAX;
	VkResult result;

	if (!fn)
		fn = (PFN_vkNegotiateLoaderICDInterfaceVersion)driver->get_instance_proc_addr(
			NULL, NEGOTIATE);
	if (!fn)
		return refuse(reason,
			kr_asprintf("%s has no %s: interface version 1, which is not supported; at "
				    "least %u is",
				path, NEGOTIATE, KR_ICD_INTERFACE_MIN));
	result = fn(&version);
	if (result != VK_SUCCESS)
		return refuse(reason,
			kr_asprintf("%s refused interface version %u (VkResult %d)", path,
				KR_ICD_INTERFACE_MAX, result));
	if (version < KR_ICD_INTERFACE_MIN)
		return refuse(reason,
			kr_asprintf("%s speaks interface version %u; at least %u is needed", path,
				version, KR_ICD_INTERFACE_MIN));
	if (version > KR_ICD_INTERFACE_MAX)
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
			"%s answered interface version %u when offered %u", path, version,
			KR_ICD_INTERFACE_MAX);
	driver->interface_version = KR_MIN(version, KR_ICD_INTERFACE_MAX);
	return 0;
}

static int
get_functions(struct kr_driver *driver, char **reason)
{
	PFN_vkGetInstanceProcAddr gipa = driver->get_instance_proc_addr;

	driver->create_instance = (PFN_vkCreateInstance)gipa(NULL, "vkCreateInstance");
	driver->enumerate_instance_extension_properties =
		(PFN_vkEnumerateInstanceExtensionProperties)gipa(
			NULL, "vkEnumerateInstanceExtensionProperties");
	driver->enumerate_instance_version =
		(PFN_vkEnumerateInstanceVersion)gipa(NULL, "vkEnumerateInstanceVersion");
	if (!driver->create_instance || !driver->enumerate_instance_extension_properties)
		return refuse(reason,
			kr_asprintf("%s: %s gives no %s", driver->library_path, GET_PROC,
				driver->create_instance ? "vkEnumerateInstanceExtensionProperties"
							: "vkCreateInstance"));
	if (driver->interface_version < INTERFACE_PHYSICAL_DEVICE)
		return 0;
	driver->get_physical_device_proc_addr =
		(PFN_GetPhysicalDeviceProcAddr)dlsym(driver->dso, GET_DEVICE_PROC);
	if (!driver->get_physical_device_proc_addr &&
		driver->interface_version >= INTERFACE_BY_GIPA)
		driver->get_physical_device_proc_addr =
			(PFN_GetPhysicalDeviceProcAddr)gipa(NULL, GET_DEVICE_PROC);
	return 0;
}

static int
connect_driver(struct kr_driver *driver, char **reason)
{
	int ret;

	driver->get_instance_proc_addr = (PFN_vkGetInstanceProcAddr)dlsym(driver->dso, GET_PROC);
	if (!driver->get_instance_proc_addr)
		return refuse(reason,
			kr_asprintf("%s doesn't export %s: interface version 0, which is not "
				    "supported; at least %u is",
				driver->library_path, GET_PROC, KR_ICD_INTERFACE_MIN));
	ret = negotiate(driver, reason);
	if (!ret)
		ret = get_functions(driver, reason);
	if (!ret && driver->interface_version < INTERFACE_API_VERSION &&
		driver->api_version >= VK_API_VERSION_1_1)
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
			"%s is said to support Vulkan %u.%u, but its interface version %u is for "
			"drivers of 1.0",
			driver->library_path, VK_API_VERSION_MAJOR(driver->api_version),
			VK_API_VERSION_MINOR(driver->api_version), driver->interface_version);
	return ret;
}

/* A driver of the list with the same library, or NULL: dlopen gives a library one handle. */
static const struct kr_driver *
find_same(const struct kr_driver_list *list, const struct kr_driver *driver)
{
	const struct kr_driver *other;

	kr_list_for_each (other, &list->drivers, link) {
		if (other->source == KR_DRIVER_MANIFEST && other->dso == driver->dso)
			return other;
	}
	return NULL;
}

static int
open_driver(struct kr_driver *driver, const struct kr_driver_list *list, char **reason)
{
	const struct kr_driver *same;
	int ret = kr_driver_open_library(driver, RTLD_LAZY | RTLD_LOCAL, reason);

	if (ret)
		return ret;
	same = find_same(list, driver);
	if (same)
		return refuse(reason,
			kr_asprintf("%s is the library of %s, which is used already",
				driver->library_path, same->manifest_path));
	return connect_driver(driver, reason);
}

static char *
describe(const struct kr_driver *driver)
{
	return kr_asprintf("interface version %u, Vulkan %u.%u.%u by its manifest%s",
		driver->interface_version, VK_API_VERSION_MAJOR(driver->api_version),
		VK_API_VERSION_MINOR(driver->api_version),
		VK_API_VERSION_PATCH(driver->api_version),
		driver->portability ? ", a portability driver" : "");
}

static int
add_driver(const struct kr_driver_manifest *manifest, struct kr_driver_list *list)
{
	struct kr_driver *driver =
		kr_driver_create(KR_DRIVER_MANIFEST, manifest->library_path, manifest->path);
	char *reason = NULL;
	int ret;

	if (!driver)
		return -ENOMEM;
	driver->api_version = manifest->api_version;
	driver->portability = manifest->portability;
	ret = open_driver(driver, list, &reason);
	if (ret) {
		kr_driver_destroy(driver);
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER, "%s: %s", manifest->path,
			reason ? reason : "out of memory");
	} else {
		kr_list_append(&list->drivers, &driver->link);
		reason = describe(driver);
	}
	return kr_candidate_add(
		list, KR_DRIVER_MANIFEST, manifest->path, manifest->library_path, !ret, reason);
}

static int
add_manifest(const char *path, struct kr_driver_list *list)
{
	struct kr_driver_manifest manifest;
	char *reason = NULL;
	int ret = kr_driver_manifest_read(path, &manifest, &reason);

	if (ret)
		return kr_candidate_add(list, KR_DRIVER_MANIFEST, path, NULL, false, reason);
	ret = add_driver(&manifest, list);
	kr_driver_manifest_finish(&manifest);
	return ret;
}

/* A variable that leaves a program without any driver deserves more than a debug line. */
static void
note_empty_override(const struct kr_discover_options *options, size_t manifests)
{
	static const char *const variables[] = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"};

	for (size_t i = 0; i < KR_ARRAY_LEN(variables); i++) {
		const char *value = options->search.env_get ? options->search.env_get(variables[i])
							    : kr_env_get(variables[i]);

		if (!value)
			continue;
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "%s=%s names %s", variables[i], value,
			manifests ? "no driver that can be used" : "no driver manifest");
		return;
	}
}

int
kr_discover_manifests(const struct kr_discover_options *options, struct kr_driver_list *list)
{
	struct kr_list *last = list->drivers.prev;
	struct kr_search_list files;
	int ret = kr_manifest_find(KR_MANIFEST_DRIVER, &options->search, &files);

	if (ret)
		return ret;
	for (size_t i = 0; i < files.count && !ret; i++)
		ret = add_manifest(files.places[i].path, list);
	if (!ret && list->drivers.prev == last)
		note_empty_override(options, files.count);
	kr_search_list_finish(&files);
	return ret;
}
