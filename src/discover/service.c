/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers of the loader service: see service.h. */
#include "discover/service.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "discover/internal.h"
#include "discover/library.h"
#include "discover/scan.h"
#include "manifest/driver_manifest.h"
#include "util/log.h"
#include "util/text.h"

/* Stands before names of manifests and libraries that aren't files. */
#define SCHEME "service:"

static _Atomic(struct kr_driver_service *) current;

void
kr_driver_service_set(struct kr_driver_service *service)
{
	atomic_store(&current, service);
}

struct kr_driver_service *
kr_driver_service_get(void)
{
	return atomic_load(&current);
}

int
kr_service_library_open(struct kr_driver_service *service, const char *name, const char *origin,
	struct kr_library **library, char **reason)
{
	char *key = kr_asprintf(SCHEME "%s", name);
	void *dso;
	int ret;

	if (!key)
		return -ENOMEM;
	ret = kr_library_find(KR_DRIVER_MANIFEST, key, library);
	if (ret == -ENOENT) {
		kr_log(KR_LOG_DEBUG | KR_LOG_DRIVER, "Opening driver %s (manifest %s)", key,
			origin);
		ret = service->impl->open_library(service, name, &dso, reason);
		if (!ret)
			ret = kr_library_adopt(KR_DRIVER_MANIFEST, key, dso, library);
	}
	free(key);
	return ret;
}

static int
add_served(void *data, const char *name, const char *text, size_t size)
{
	struct kr_manifest_scan *scan = data;
	struct kr_driver_manifest manifest;
	char *path = kr_asprintf(SCHEME "%s", name), *reason = NULL;
	int ret;

	if (!path)
		return -ENOMEM;
	ret = kr_driver_manifest_parse(path, text, size, &manifest, &reason);
	ret = kr_manifest_scan_add(scan, path, "service", ret, &manifest, reason);
	free(path);
	return ret;
}

int
kr_discover_service(const struct kr_discover_options *options, struct kr_driver_list *list)
{
	struct kr_driver_service *service =
		options->service ? options->service : kr_driver_service_get();
	struct kr_manifest_scan scan;
	int ret;

	if (!service) {
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
			"drivers come from the loader service in this profile, and there is none");
		return 0;
	}
	kr_manifest_scan_begin(&scan, options, list);
	scan.service = service;
	ret = service->impl->for_each_manifest(service, add_served, &scan);
	if (ret && ret != -ENOMEM) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"the loader service doesn't tell which drivers there are: %s",
			strerror(-ret));
		ret = 0;
	}
	return ret;
}
