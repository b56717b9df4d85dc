/* SPDX-License-Identifier: Apache-2.0 */
/* The ICD behind the adapter, called as a loader calls it: for the rig, a HAL device. */
#include "check/rig/state.h"

#include <stdlib.h>
#include <string.h>

#include "discover/connect.h"
#include "discover/library.h"
#include "manifest/driver_manifest.h"
#include "util/text.h"

/* The library's name, for good. */
static char *
find_library(struct check *c, struct check_icd *out)
{
	const char *icd = c->job->driver->icd;
	struct kr_manifest_driver manifest;
	char *reason = NULL, *library;

	if (!kr_has_suffix(icd, ".json"))
		return strdup(icd);
	CHECK(c, !kr_manifest_driver_read(icd, &manifest, &reason), "%s",
		reason ? reason : "the manifest can't be read");
	out->manifest_version = manifest.api_version;
	library = strdup(manifest.library_path);
	kr_manifest_driver_finish(&manifest);
	return library;
}

static struct kr_driver *
connect_icd(struct check *c, struct check_icd *out)
{
	struct kr_driver_library *library;
	char *path = find_library(c, out), *reason = NULL;
	struct kr_driver *driver = path ? kr_driver_create(KR_DRIVER_MANIFEST, path, NULL) : NULL;

	if (!driver)
		check_skip(c, "no memory");
	driver->api_version = out->manifest_version ? out->manifest_version : VK_API_VERSION_1_3;
	check_step(c, "dlopen");
	CHECK(c,
		!kr_driver_library_open(
			KR_DRIVER_MANIFEST, path, "krafla check", &library, &reason),
		"%s", reason ? reason : "it can't be loaded");
	kr_driver_take_library(driver, library);
	check_step(c, "vk_icdNegotiateLoaderICDInterfaceVersion");
	CHECK(c, !kr_icd_connect(driver, &reason), "%s", reason ? reason : "it is no ICD");
	free(path);
	return driver;
}

void
check_open_icd(struct check *c, struct check_icd *out)
{
	static hwvulkan_device_t face;
	const struct kr_driver *driver;

	if (!check_is_adapted(c))
		check_not_applicable(
			c, "the driver is a HAL module, which no adapter stands before");
	*out = (struct check_icd){0};
	driver = connect_icd(c, out);
	face.EnumerateInstanceExtensionProperties = driver->enumerate_instance_extension_properties;
	face.CreateInstance = driver->create_instance;
	face.GetInstanceProcAddr = driver->get_instance_proc_addr;
	c->hal = &face;
	out->get_physical_device_proc_addr = driver->get_physical_device_proc_addr;
	out->interface_version = driver->interface_version;
}
