/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One driver manifest after the other: whether its driver is wanted, can be opened,
 * and what is told of it.
 */
#include "discover/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "discover/connect.h"
#include "discover/library.h"
#include "hardware/device_map.h"
#include "util/code_memory.h"
#include "util/env.h"
#include "util/log.h"
#include "util/text.h"

#define SELECT  "VK_LOADER_DRIVERS_SELECT"
#define DISABLE "VK_LOADER_DRIVERS_DISABLE"
#define SWITCH  "KRAFLA_ABSENT_HARDWARE"

/* A driver of the list with the same library, or NULL: dlopen gives a library one handle. */
static const struct kr_driver *
find_same(const struct kr_driver_list *list, const struct kr_driver_library *library)
{
	const struct kr_driver *other;

	kr_list_for_each (other, &list->drivers, link) {
		if (other->source == KR_DRIVER_MANIFEST && other->dso == library->dso)
			return other;
	}
	return NULL;
}

static enum kr_candidate_verdict
verdict_of_open(int error)
{
	switch (error) {
	case -ENOENT:
	case -ENOTDIR:
		return KR_CANDIDATE_MISSING;
	case -ELIBBAD:
		return KR_CANDIDATE_WRONG_ARCH;
	default:
		return KR_CANDIDATE_UNLOADABLE;
	}
}

/*
 * One of another word size is what systems with libraries of both have: worth a line for
 * whoever asks, and no complaint.
 */
static void
tell_refused(const struct kr_driver *driver, enum kr_candidate_verdict verdict, const char *reason)
{
	switch (verdict) {
	case KR_CANDIDATE_WRONG_ARCH:
		kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
			"%s: Requested ICD %s was wrong bit-type. Ignoring this JSON (%s)",
			driver->manifest_path, driver->library_path, reason);
		return;
	case KR_CANDIDATE_DUPLICATE:
		kr_log(KR_LOG_INFO | KR_LOG_DRIVER, "%s: %s", driver->manifest_path, reason);
		return;
	case KR_CANDIDATE_MISSING:
	case KR_CANDIDATE_UNLOADABLE:
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"loader_icd_scan: Failed loading library associated with ICD JSON %s. Ignoring this JSON",
			driver->library_path);
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "%s: %s", driver->manifest_path, reason);
		return;
	default:
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "%s: %s", driver->manifest_path, reason);
	}
}

/* Opens the driver's library and gets its functions; anything but -ENOMEM is a verdict. */
static int
open_driver(struct kr_driver_scan *scan, struct kr_driver *driver,
	enum kr_candidate_verdict *verdict, char **reason)
{
	const struct kr_driver *same;
	struct kr_driver_library *library;
	const char *path = driver->library_path, *origin = driver->manifest_path;
	int ret = scan->service
		? kr_driver_library_open_served(scan->service, path, origin, &library, reason)
		: kr_driver_library_open(KR_DRIVER_MANIFEST, path, origin, &library, reason);

	if (ret) {
		*verdict = verdict_of_open(ret);
		return ret == -ENOMEM || *reason ? ret : -ENOMEM;
	}
	same = find_same(scan->list, library);
	kr_driver_take_library(driver, library);
	if (same) {
		*verdict = KR_CANDIDATE_DUPLICATE;
		*reason = kr_asprintf("%s is the library of %s, which is used already",
			driver->library_path, same->manifest_path);
		return *reason ? -EEXIST : -ENOMEM;
	}
	*verdict = KR_CANDIDATE_NO_DRIVER;
	return kr_icd_connect(driver, reason);
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
add_driver(struct kr_driver_scan *scan, const struct kr_manifest_driver *manifest,
	const struct kr_driver_candidate *facts)
{
	enum kr_candidate_verdict verdict = KR_CANDIDATE_UNLOADABLE;
	struct kr_driver *driver =
		kr_driver_create(KR_DRIVER_MANIFEST, manifest->library_path, manifest->path);
	char *reason = NULL;
	int ret;

	if (!driver)
		return -ENOMEM;
	driver->api_version = manifest->api_version;
	driver->portability = manifest->portability;
	ret = open_driver(scan, driver, &verdict, &reason);
	if (ret) {
		if (ret != -ENOMEM)
			tell_refused(driver, verdict, reason);
		kr_driver_destroy(driver);
		return ret == -ENOMEM ? ret : kr_candidate_add(scan->list, facts, verdict, reason);
	}
	kr_list_append(&scan->list->drivers, &driver->link);
	reason = describe(driver);
	if (reason)
		kr_log(KR_LOG_INFO | KR_LOG_DRIVER, "%s is used: %s", driver->library_path, reason);
	return kr_candidate_add(scan->list, facts, KR_CANDIDATE_USED, reason);
}

static const char *
file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int
filter_out(struct kr_driver_scan *scan, const struct kr_driver_candidate *facts,
	enum kr_candidate_verdict verdict, const char *variable)
{
	struct kr_driver_candidate filtered = *facts;
	char *reason = kr_asprintf("Driver \"%s\" ignored because %s by env var '%s'",
		file_name(facts->path),
		verdict == KR_CANDIDATE_DISABLED ? "it was disabled" : "not selected", variable);

	if (!reason)
		return -ENOMEM;
	kr_log(KR_LOG_WARN | KR_LOG_DRIVER, "%s (%s)", reason, facts->path);
	filtered.variable = variable;
	return kr_candidate_add(scan->list, &filtered, verdict, reason);
}

static int
skip_portability(struct kr_driver_scan *scan, const struct kr_driver_candidate *facts)
{
	scan->list->portability_skipped = true;
	kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
		"%s: a portability driver, left out because the instance doesn't enumerate such",
		facts->path);
	return kr_candidate_add(scan->list, facts, KR_CANDIDATE_PORTABILITY,
		kr_asprintf(
			"a portability driver: used when the instance has VK_KHR_portability_enumeration and its flag"));
}

/* "0-libvulkan_lvp.so" is served for what is installed elsewhere as "libvulkan_lvp.so". */
static bool
is_served_as(const char *served, const char *file)
{
	size_t digits = strspn(served, "0123456789");

	if (digits && served[digits] == '-')
		served += digits + 1;
	return !strcmp(served, file);
}

/* The one of them that is served under the file name of this library, or NULL. */
static const struct kr_driver *
served_like(const struct kr_driver_list *served, const char *library_path)
{
	const char *file = file_name(library_path);
	const struct kr_driver *driver;

	kr_list_for_each (driver, &served->drivers, link) {
		if (is_served_as(driver->library_path, file))
			return driver;
	}
	return NULL;
}

/*
 * The service's driver goes before an installed one of the same name: it is made for this
 * process, and of two copies each device would be there twice. What somebody has named is
 * wanted, whatever is served.
 */
static const struct kr_driver *
find_served(const struct kr_driver_scan *scan, const struct kr_manifest_driver *manifest,
	const char *named_by)
{
	return scan->served && !named_by ? served_like(scan->served, manifest->library_path) : NULL;
}

static int
skip_served(struct kr_driver_scan *scan, const struct kr_driver_candidate *facts,
	const struct kr_driver *served)
{
	struct kr_driver_candidate skipped = *facts;
	char *reason =
		kr_asprintf("the loader service has this driver, too, and that one is used: %s",
			served->library_path);

	if (reason)
		kr_log(KR_LOG_INFO | KR_LOG_DRIVER, "%s: %s", facts->path, reason);
	skipped.variable = KR_DISCOVER_BY_SERVICE;
	return kr_candidate_add(scan->list, &skipped, KR_CANDIDATE_DUPLICATE, reason);
}

bool
kr_driver_absent(const struct kr_discover_options *options, const char *library_path,
	const char *named_by, char **reason)
{
	const struct kr_hardware_rule *rule = kr_hardware_rule_get(library_path);
	struct kr_hardware_options devices = options->devices;
	char why[KR_PRESENCE_WHY_SIZE];

	if (!rule || named_by)
		return false;
	if (!devices.env_get)
		devices.env_get = options->search.env_get;
	if (kr_hardware_presence(rule, &devices, why) != KR_PRESENCE_ABSENT)
		return false;
	*reason = kr_asprintf("%s isn't opened: its hardware isn't here (%s)", library_path, why);
	kr_log(KR_LOG_INFO | KR_LOG_DRIVER, "%s isn't opened: its hardware isn't here (%s)",
		library_path, why);
	return true;
}

/*
 * A driver that is known to compile at run time would end the process when it can't, in the middle
 * of a frame; whoever has named it (M-04).
 */
static bool
is_code_forbidden(const char *library_path, char **reason)
{
	const struct kr_hardware_rule *rule = kr_hardware_rule_get(library_path);
	char why[KR_CODE_MEMORY_WHY_SIZE];

	if (!rule || !rule->writes_code || !kr_code_memory_forbidden(why))
		return false;
	*reason = kr_asprintf(
		"%s isn't opened: it compiles at run time, and this process may not run what it writes: %s",
		library_path, why);
	kr_log(KR_LOG_WARN | KR_LOG_DRIVER, "%s", *reason ? *reason : library_path);
	return true;
}

/* A manifest that could be read: filters first, so that nothing is opened that isn't wanted. */
static int
consider(struct kr_driver_scan *scan, const struct kr_manifest_driver *manifest,
	const char *variable)
{
	const struct kr_driver_candidate facts = {
		.source = KR_DRIVER_MANIFEST,
		.path = manifest->path,
		.library_path = manifest->library_path,
		.variable = variable,
		.served = scan->service != NULL,
	};
	const char *name = file_name(manifest->path);
	const struct kr_driver *served = find_served(scan, manifest, variable);
	bool selected = kr_filters_match(&scan->select, name);
	char *reason = NULL;

	if (manifest->portability && scan->options->no_portability)
		return skip_portability(scan, &facts);
	if (!selected && kr_filters_match(&scan->disable, name))
		return filter_out(scan, &facts, KR_CANDIDATE_DISABLED, DISABLE);
	if (!selected && scan->select.count)
		return filter_out(scan, &facts, KR_CANDIDATE_NOT_SELECTED, SELECT);
	/* What a service serves it has looked at itself. */
	if (scan->service)
		return add_driver(scan, manifest, &facts);
	if (served)
		return skip_served(scan, &facts, served);
	if (!scan->opens_absent &&
		kr_driver_absent(scan->options, manifest->library_path, variable, &reason))
		return kr_candidate_add(scan->list, &facts, KR_CANDIDATE_HARDWARE_ABSENT, reason);
	if (is_code_forbidden(manifest->library_path, &reason))
		return kr_candidate_add(scan->list, &facts, KR_CANDIDATE_CODE_FORBIDDEN, reason);
	if (kr_driver_quarantined(scan->options, manifest->library_path, &reason))
		return kr_candidate_add(scan->list, &facts, KR_CANDIDATE_QUARANTINED, reason);
	return add_driver(scan, manifest, &facts);
}

static enum kr_candidate_verdict
verdict_of_read(int error)
{
	switch (error) {
	case -ELIBBAD:
		return KR_CANDIDATE_WRONG_ARCH;
	case -EINVAL:
	case -EFBIG:
		return KR_CANDIDATE_BAD_MANIFEST;
	default:
		return KR_CANDIDATE_UNREADABLE;
	}
}

int
kr_driver_scan_add(struct kr_driver_scan *scan, const char *path, const char *variable, int read,
	struct kr_manifest_driver *manifest, char *take_reason)
{
	int ret;

	if (read) {
		const struct kr_driver_candidate facts = {
			.source = KR_DRIVER_MANIFEST,
			.path = (char *)path,
			.variable = variable,
			.served = scan->service != NULL,
		};

		return kr_candidate_add(scan->list, &facts, verdict_of_read(read), take_reason);
	}
	ret = consider(scan, manifest, variable);
	kr_manifest_driver_finish(manifest);
	return ret;
}

/*
 * What KRAFLA_ABSENT_HARDWARE says: with a value that means nothing it is better to
 * open. Once a search.
 */
static bool
absent_are_opened(const struct kr_discover_options *options)
{
	const char *value = options->search.env_get ? options->search.env_get(SWITCH)
						    : kr_env_get("KRAFLA_ABSENT_HARDWARE");

	if (!value || !strcmp(value, "skip"))
		return false;
	if (strcmp(value, "open"))
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
			SWITCH " is \"%s\": it can be \"open\" or \"skip\"; taken as \"open\"",
			value);
	return true;
}

void
kr_driver_scan_begin(struct kr_driver_scan *scan, const struct kr_discover_options *options,
	struct kr_driver_list *list)
{
	*scan = (struct kr_driver_scan){.options = options, .list = list};
	if (!options->search.no_override) {
		kr_filters_read(&scan->select, SELECT, options->search.env_get);
		kr_filters_read(&scan->disable, DISABLE, options->search.env_get);
	}
	scan->opens_absent = absent_are_opened(options);
}
