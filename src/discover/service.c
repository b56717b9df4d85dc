/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers of the loader service: see service.h. */
#include "discover/service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "discover/scan.h"
#include "discover/sources.h"
#include "manifest/driver_manifest.h"
#include "util/log.h"
#include "util/text.h"

static int
add_served(void *data, const char *name, const char *text, size_t size)
{
	struct kr_driver_scan *scan = data;
	struct kr_manifest_driver manifest;
	char *path = kr_asprintf(KR_SERVICE_SCHEME "%s", name), *reason = NULL;
	int ret;

	if (!path)
		return -ENOMEM;
	ret = kr_manifest_driver_parse(path, text, size, &manifest, &reason);
	ret = kr_driver_scan_add(scan, path, KR_DISCOVER_BY_SERVICE, ret, &manifest, reason);
	free(path);
	return ret;
}

/* The service itself is the candidate that nothing came of. */
static int
add_failure(struct kr_driver_list *list, char *take_reason)
{
	const struct kr_driver_candidate facts = {
		.source = KR_DRIVER_MANIFEST,
		.path = (char *)"the loader service",
		.variable = KR_DISCOVER_BY_SERVICE,
		.served = true,
	};

	if (take_reason)
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "%s", take_reason);
	return kr_candidate_add(list, &facts, KR_CANDIDATE_UNREADABLE, take_reason);
}

int
kr_discover_service(const struct kr_discover_options *options, struct kr_driver_list *list)
{
	struct kr_driver_service *service = options->service;
	struct kr_driver_scan scan;
	char *reason = NULL;
	int ret;

	if (!service) {
		if (!(options->sources & KR_DISCOVER_MANIFESTS))
			kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
				"drivers come from the loader service in this profile, and there is none");
		return 0;
	}
	kr_driver_scan_begin(&scan, options, list);
	scan.service = service;
	ret = service->impl->for_each_manifest(service, add_served, &scan, &reason);
	return ret && ret != -ENOMEM ? add_failure(list, reason) : ret;
}
