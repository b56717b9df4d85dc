/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over driver manifests, whoever gives them. For this room alone. */
#ifndef KR_DISCOVER_SCAN_H
#define KR_DISCOVER_SCAN_H

#include "discover/driver.h"
#include "manifest/driver_manifest.h"
#include "manifest/filters.h"
#include "util/macros.h"

struct kr_driver_service;
struct kr_library;

struct kr_manifest_scan {
	const struct kr_discover_options *options;
	struct kr_driver_list *list;
	struct kr_filters select, disable;
	bool opens_absent;                   /* drivers whose hardware isn't here, too */
	struct kr_driver_service *service;   /* whose libraries they are; NULL: files */
	const struct kr_driver_list *served; /* drivers of the service that are used; NULL: none */
};

void kr_manifest_scan_begin(struct kr_manifest_scan *scan,
	const struct kr_discover_options *options, struct kr_driver_list *list);

/*
 * One manifest: decides, opens its driver, notes the candidate. `read` is what reading it gave; when that
 * isn't 0, `manifest` is ignored and take_reason says why. Finishes the manifest. 0 or -ENOMEM.
 */
int kr_manifest_scan_add(struct kr_manifest_scan *scan, const char *path, const char *variable,
	int read, struct kr_driver_manifest *manifest, char *take_reason) KR_MUST_CHECK;

/* The one of them that is served under the file name of this library, or NULL. */
const struct kr_driver *kr_service_driver_like(
	const struct kr_driver_list *served, const char *library_path);

/* As kr_library_open, for a library that the service knows by `name`. */
int kr_service_library_open(struct kr_driver_service *service, const char *name, const char *origin,
	struct kr_library **library, char **reason) KR_MUST_CHECK;

#endif
