/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of Linux drivers, versions 0 to 7 (K-18; vk_icd.h). How a driver shows what it
 * speaks:
 *
 *   0  exports vkGetInstanceProcAddr, vkCreateInstance,
 *      vkEnumerateInstanceExtensionProperties themselves
 *   1  exports vk_icdGetInstanceProcAddr
 *   2  and vk_icdNegotiateLoaderICDInterfaceVersion, which is called before anything else
 *   7  may hand that out through vk_icdGetInstanceProcAddr, which is then called first
 */
#include "discover/connect.h"

#include <dlfcn.h>
#include <errno.h>

#include "util/library.h"
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
	return take_sentence ? -EINVAL : -ENOMEM;
}

bool
kr_icd_negotiate(
	PFN_vkNegotiateLoaderICDInterfaceVersion negotiate, const char *name, uint32_t *version)
{
	VkResult result;

	*version = KR_ICD_INTERFACE_MAX;
	result = negotiate(version);
	if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
		return false;
	if (result < 0)
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
			"%s: negotiating the interface version gave VkResult %d; taken as version %u",
			name, result, *version);
	if (*version > KR_ICD_INTERFACE_MAX) {
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
			"%s answered interface version %u when offered %u", name, *version,
			KR_ICD_INTERFACE_MAX);
		*version = KR_ICD_INTERFACE_MAX;
	}
	return true;
}

/* Interface 0. */
static int
connect_by_exports(struct kr_driver *driver, char **reason)
{
	const char *path = driver->library_path;

	driver->get_instance_proc_addr =
		(PFN_vkGetInstanceProcAddr)dlsym(driver->dso, "vkGetInstanceProcAddr");
	driver->create_instance = (PFN_vkCreateInstance)dlsym(driver->dso, "vkCreateInstance");
	driver->enumerate_instance_extension_properties =
		(PFN_vkEnumerateInstanceExtensionProperties)dlsym(
			driver->dso, "vkEnumerateInstanceExtensionProperties");
	if (!driver->get_instance_proc_addr)
		return refuse(reason,
			kr_asprintf(
				"%s exports neither %s nor vkGetInstanceProcAddr: it is no Vulkan driver",
				path, GET_PROC));
	if (kr_library_is_a_loader((const void *)driver->get_instance_proc_addr))
		return refuse(reason,
			kr_asprintf(
				"%s has no %s but a loader's vkGetInstanceProcAddr: it is no Vulkan driver",
				path, GET_PROC));
	if (!driver->create_instance || !driver->enumerate_instance_extension_properties)
		return refuse(reason,
			kr_asprintf("%s doesn't export %s, as a driver of interface version 0 must",
				path,
				driver->create_instance ? "vkEnumerateInstanceExtensionProperties"
							: "vkCreateInstance"));
	kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
		"%s is a driver of interface version 0, which is deprecated: it exports vkGetInstanceProcAddr and no %s",
		path, GET_PROC);
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
	if (!driver->create_instance || !driver->enumerate_instance_extension_properties)
		return refuse(reason,
			kr_asprintf("%s: %s gives no %s", driver->library_path, GET_PROC,
				driver->create_instance ? "vkEnumerateInstanceExtensionProperties"
							: "vkCreateInstance"));
	if (driver->interface_version >= INTERFACE_BY_GIPA)
		driver->get_physical_device_proc_addr =
			(PFN_GetPhysicalDeviceProcAddr)gipa(NULL, GET_DEVICE_PROC);
	if (!driver->get_physical_device_proc_addr &&
		driver->interface_version >= INTERFACE_PHYSICAL_DEVICE)
		driver->get_physical_device_proc_addr =
			(PFN_GetPhysicalDeviceProcAddr)dlsym(driver->dso, GET_DEVICE_PROC);
	return 0;
}

/* Version 0 in *version: the driver doesn't negotiate. */
static int
negotiate(struct kr_driver *driver, uint32_t *version, char **reason)
{
	PFN_vkNegotiateLoaderICDInterfaceVersion fn =
		(PFN_vkNegotiateLoaderICDInterfaceVersion)dlsym(driver->dso, NEGOTIATE);

	*version = 0;
	if (!fn && driver->get_instance_proc_addr)
		fn = (PFN_vkNegotiateLoaderICDInterfaceVersion)driver->get_instance_proc_addr(
			NULL, NEGOTIATE);
	if (!fn)
		return 0;
	if (!kr_icd_negotiate(fn, driver->library_path, version))
		return refuse(reason,
			kr_asprintf(
				"%s refused interface version %u, the newest that is known here",
				driver->library_path, KR_ICD_INTERFACE_MAX));
	if (!driver->get_instance_proc_addr && *version)
		return refuse(reason,
			kr_asprintf("%s speaks interface version %u and doesn't export %s",
				driver->library_path, *version, GET_PROC));
	return 0;
}

static void
warn_about_version(const struct kr_driver *driver)
{
	if (driver->interface_version >= INTERFACE_API_VERSION ||
		driver->api_version < VK_API_VERSION_1_1)
		return;
	kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
		"%s supports Vulkan %u.%u by its manifest, but its interface version %u is for drivers of 1.0: 5 or newer is required (Policy #LDP_DRIVER_7)",
		driver->library_path, VK_API_VERSION_MAJOR(driver->api_version),
		VK_API_VERSION_MINOR(driver->api_version), driver->interface_version);
}

/* A manifest that says 1.0 is believed: some of its drivers know no name that came later. */
static void
find_version_function(struct kr_driver *driver)
{
	if (driver->api_version < VK_API_VERSION_1_1)
		return;
	driver->enumerate_instance_version =
		(PFN_vkEnumerateInstanceVersion)driver->get_instance_proc_addr(
			NULL, "vkEnumerateInstanceVersion");
}

int
kr_icd_connect(struct kr_driver *driver, char **reason)
{
	int ret;

	driver->get_instance_proc_addr = (PFN_vkGetInstanceProcAddr)dlsym(driver->dso, GET_PROC);
	ret = negotiate(driver, &driver->interface_version, reason);
	if (ret)
		return ret;
	if (driver->get_instance_proc_addr) {
		driver->interface_version = KR_MAX(driver->interface_version, 1u);
		ret = get_functions(driver, reason);
	} else {
		ret = connect_by_exports(driver, reason);
	}
	if (ret)
		return ret;
	find_version_function(driver);
	warn_about_version(driver);
	return 0;
}
