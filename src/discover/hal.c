/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HAL modules (D-01..D-03). Properties name a module, `vulkan.<value>.so`; each name is looked for
 * in every directory before the next property is asked, and the first file that exists is final:
 * when it can't be used, that is an error and not a reason to try another.
 */
#include "discover/sources.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "discover/connect.h"
#include "discover/library.h"
#include "discover/probe.h"
#include "util/guard.h"
#include "util/log.h"
#include "util/mutex.h"
#include "util/properties.h"
#include "util/text.h"

/* What shipping code reads is ro.board.platform; the specification says ro.product.platform. */
static const char *const properties[] = {
	"ro.hardware.vulkan", "ro.product.platform", "ro.board.platform"};

/* Held while a module is opened, so that its open() runs once; behind no other lock. */
static struct kr_mutex opening = KR_MUTEX_INITIALIZER;

/* The modules that are open: each a reference that stays until the end. */
#define MAX_MODULES 8
static struct kr_driver_library *modules[MAX_MODULES] KR_GUARDED_BY(opening);
static size_t module_count KR_GUARDED_BY(opening);

const char *const kr_hal_builtin_dirs[] = {
	KR_HAL_DIR,
	"/odm/" KR_HAL_LIB "/hw",
	"/vendor/" KR_HAL_LIB "/hw",
	"/system/" KR_HAL_LIB "/hw",
	NULL,
};

/* dir/vulkan.<value>.so when that file exists, else *path stays. 0 or -ENOMEM. */
static int
try_directory(const char *dir, size_t len, const char *value, char **path)
{
	char *candidate = kr_asprintf("%.*s/vulkan.%s.so", (int)len, dir, value);

	if (!candidate)
		return -ENOMEM;
	if (access(candidate, F_OK))
		free(candidate);
	else
		*path = candidate;
	return 0;
}

/* Looks for the module in all directories; *path stays NULL when none has it. 0 or -ENOMEM. */
static int
find_module(const struct kr_discover_options *options, const char *value, char **path)
{
	const char *const *dirs = options->hal_dirs;
	const char *list = dirs ? NULL : kr_env_get_code("KRAFLA_HAL_PATH"), *item;
	size_t len;
	int ret = 0;

	while (!ret && !*path && kr_list_next(&list, ':', &item, &len))
		ret = try_directory(item, len, value, path);
	if (!dirs)
		dirs = kr_hal_builtin_dirs;
	for (; !ret && !*path && *dirs; dirs++)
		ret = try_directory(*dirs, strlen(*dirs), value, path);
	return ret;
}

static int
refuse(char **reason, char *take_sentence)
{
	*reason = take_sentence;
	return -EINVAL;
}

/* Shipping loaders look at the id alone; what else is off is said, not refused. */
static int
check_module(const char *path, const hw_module_t *module, char **reason)
{

	if (!module)
		return refuse(
			reason, kr_asprintf("%s has no symbol HMI: it is no HAL module", path));
	if (!module->id || strcmp(module->id, HWVULKAN_HARDWARE_MODULE_ID))
		return refuse(reason,
			kr_asprintf("%s is a HAL module with id \"%.40s\", not \"vulkan\"", path,
				module->id ? module->id : "(none)"));
	if (!module->methods || !module->methods->open)
		return refuse(reason, kr_asprintf("%s: the HAL module has no open()", path));
	if (module->tag != HARDWARE_MODULE_TAG)
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER, "%s: the module's tag is 0x%08x, not 0x%08x",
			path, module->tag, HARDWARE_MODULE_TAG);
	if (module->module_api_version != HWVULKAN_MODULE_API_VERSION_0_1 ||
		module->hal_api_version != HARDWARE_HAL_API_VERSION)
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
			"%s: module API version 0x%04x, HAL API version 0x%04x; expected 0x%04x, 0x%04x",
			path, module->module_api_version, module->hal_api_version,
			HWVULKAN_MODULE_API_VERSION_0_1, HARDWARE_HAL_API_VERSION);
	return 0;
}

static int
check_device(const char *path, const struct hwvulkan_device_t *device, char **reason)
{

	if (!device->EnumerateInstanceExtensionProperties || !device->CreateInstance ||
		!device->GetInstanceProcAddr)
		return refuse(reason,
			kr_asprintf("%s: the HAL device lacks a function it must have", path));
	if (device->common.tag != HARDWARE_DEVICE_TAG ||
		device->common.version != HWVULKAN_DEVICE_API_VERSION_0_1)
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
			"%s: device tag 0x%08x, version 0x%08x; expected 0x%08x, 0x%08x", path,
			device->common.tag, device->common.version, HARDWARE_DEVICE_TAG,
			HWVULKAN_DEVICE_API_VERSION_0_1);
	return 0;
}

static int
open_device(struct kr_driver_library *library, char **reason)
{
	hw_module_t *module = dlsym(library->dso, HAL_MODULE_INFO_SYM_AS_STR);
	struct hw_device_t *device = NULL;
	int ret = check_module(library->path, module, reason);

	if (ret)
		return ret;
	module->dso = library->dso;
	ret = module->methods->open(module, HWVULKAN_DEVICE_0, &device);
	if (ret || !device) {
		*reason = kr_asprintf("%s: open(\"%s\") failed: %s (%d)", library->path,
			HWVULKAN_DEVICE_0, ret ? strerror(abs(ret)) : "no device and no error",
			ret);
		return ret ? -abs(ret) : -EINVAL;
	}
	ret = check_device(library->path, (struct hwvulkan_device_t *)device, reason);
	if (!ret)
		library->hal = (struct hwvulkan_device_t *)device;
	else if (device->close)
		device->close(device);
	return ret;
}

/* Opens the module's device unless that was done before. */
static int
open_once(struct kr_driver_library *library, char **reason) KR_REQUIRES(opening)
{
	int ret;

	if (library->hal)
		return 0;
	ret = open_device(library, reason);
	if (!ret && module_count < MAX_MODULES)
		modules[module_count++] = kr_driver_library_ref(library);
	return ret;
}

static void
fill_functions(struct kr_driver *driver)
{
	struct hwvulkan_device_t *device = driver->hal;

	driver->get_instance_proc_addr = device->GetInstanceProcAddr;
	driver->create_instance = device->CreateInstance;
	driver->enumerate_instance_extension_properties =
		device->EnumerateInstanceExtensionProperties;
	driver->enumerate_instance_version =
		(PFN_vkEnumerateInstanceVersion)device->GetInstanceProcAddr(
			NULL, "vkEnumerateInstanceVersion");
}

int
kr_hal_connect(struct kr_driver *driver, char **reason)
{
	struct kr_log_hold hold;
	int ret;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&opening);
	ret = open_once(driver->library, reason);
	kr_mutex_unlock(&opening);
	kr_log_hold_end(&hold);
	if (ret)
		return ret;
	driver->hal = driver->library->hal;
	fill_functions(driver);
	return 0;
}

static int
open_driver(struct kr_driver *driver, const char *property, char **reason)
{
	struct kr_driver_library *library;
	int ret = kr_driver_library_open(
		KR_DRIVER_HAL, driver->library_path, property, &library, reason);

	if (ret)
		return ret;
	kr_driver_take_library(driver, library);
	return kr_hal_connect(driver, reason);
}

void
kr_discover_hal_end(void)
{
	kr_mutex_lock(&opening);
	while (module_count)
		kr_driver_library_unref(modules[--module_count]);
	kr_mutex_unlock(&opening);
}

static enum kr_candidate_verdict
verdict_of(int error)
{
	switch (error) {
	case -ELIBBAD:
		return KR_CANDIDATE_WRONG_ARCH;
	case -ELIBACC:
	case -ENOEXEC:
		return KR_CANDIDATE_UNLOADABLE;
	default:
		return KR_CANDIDATE_NO_DRIVER;
	}
}

static int
open_module(const struct kr_discover_options *options, const char *path, const char *property,
	struct kr_driver_list *list)
{
	const struct kr_driver_candidate facts = {
		.source = KR_DRIVER_HAL,
		.path = (char *)path,
		.library_path = (char *)path,
		.variable = property,
	};
	struct kr_driver *driver;
	char *reason = NULL;
	int ret;

	if (kr_driver_quarantined(options, path, &reason)) {
		list->hal_error = -EFAULT;
		return kr_candidate_add(list, &facts, KR_CANDIDATE_QUARANTINED, reason);
	}
	driver = kr_driver_create(KR_DRIVER_HAL, path, NULL);
	if (!driver)
		return -ENOMEM;
	ret = open_driver(driver, property, &reason);
	if (ret) {
		kr_driver_destroy(driver);
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "%s", reason ? reason : path);
		list->hal_error = ret;
		return kr_candidate_add(list, &facts, verdict_of(ret), reason);
	}
	kr_list_append(&list->drivers, &driver->link);
	kr_log(KR_LOG_INFO | KR_LOG_DRIVER, "%s is used: named by the property %s", path, property);
	return kr_candidate_add(list, &facts, KR_CANDIDATE_USED,
		kr_asprintf("HAL module, named by the property %s", property));
}

static int
note_missing(const char *property, const char *value, struct kr_driver_list *list)
{
	char *name = kr_asprintf("vulkan.%s.so", value);
	char *reason = kr_asprintf(
		"%s is \"%s\", but no HAL directory has vulkan.%s.so", property, value, value);
	int ret;

	if (reason)
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER, "%s", reason);
	ret = kr_candidate_add(list,
		&(struct kr_driver_candidate){
			.source = KR_DRIVER_HAL, .path = name, .variable = property},
		KR_CANDIDATE_MISSING, reason);
	free(name);
	return ret;
}

static int
note_bad_value(const char *property, const char *value, struct kr_driver_list *list)
{
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "%s is \"%s\": the name of a module has no slash",
		property, value);
	return kr_candidate_add(list,
		&(struct kr_driver_candidate){
			.source = KR_DRIVER_HAL, .path = (char *)value, .variable = property},
		KR_CANDIDATE_MISSING,
		kr_asprintf("%s is \"%s\": the name of a module has no slash", property, value));
}

int
kr_discover_hal(const struct kr_discover_options *options, struct kr_driver_list *list)
{
	char value[KR_PROPERTY_VALUE_MAX];
	int ret = 0;

	for (size_t i = 0; i < KR_ARRAY_LEN(properties) && !ret; i++) {
		char *path = NULL;

		if (!options->property_get(properties[i], value, sizeof(value)) || !value[0])
			continue;
		if (strchr(value, '/')) {
			ret = note_bad_value(properties[i], value, list);
			continue;
		}
		ret = find_module(options, value, &path);
		if (!ret && path) {
			ret = open_module(options, path, properties[i], list);
			free(path);
			return ret;
		}
		if (!ret)
			ret = note_missing(properties[i], value, list);
	}
	return ret;
}
