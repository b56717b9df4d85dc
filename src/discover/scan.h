/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over driver manifests, whoever gives them. For this room alone. */
#ifndef KR_DISCOVER_SCAN_H
#define KR_DISCOVER_SCAN_H

#include "discover/discover.h"
#include "manifest/driver_manifest.h"
#include "manifest/filters.h"
#include "util/macros.h"

struct kr_driver_scan {
	const struct kr_discover_options *options;
	struct kr_driver_list *list;
	struct kr_filters select, disable;
	bool opens_absent;                   /* drivers whose hardware isn't here, too */
	struct kr_driver_service *service;   /* whose libraries they are; NULL: files */
	const struct kr_driver_list *served; /* drivers of the service that are used; NULL: none */
};

void kr_driver_scan_begin(struct kr_driver_scan *scan, const struct kr_discover_options *options,
	struct kr_driver_list *list);

/*
 * One manifest: decides, opens its driver, notes the candidate. `read` is what reading
 * it gave; when that isn't 0, `manifest` is ignored and take_reason says why. Finishes
 * the manifest. 0 or -ENOMEM.
 */
int kr_driver_scan_add(struct kr_driver_scan *scan, const char *path, const char *variable,
	int read, struct kr_manifest_driver *manifest, char *take_reason) KR_MUST_CHECK;

#endif
