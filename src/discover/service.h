/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers that a loader service hands over (F-03, F-04): its manifest file system stands for icd.d,
 * and the library that a manifest names comes from it. This is the interface; what connects to a
 * service implements it (client/), and who searches says so with kr_discover_options.service.
 * Without any, a profile whose drivers come from the service alone has none, which is told.
 *
 * Thread-safety: any thread.
 */
#ifndef KR_DISCOVER_SERVICE_H
#define KR_DISCOVER_SERVICE_H

#include <stddef.h>
#include "util/macros.h"

struct kr_driver_service {
	const struct kr_driver_service_impl *impl; /* first member of what implements it */
};

/* What each() gets: a manifest's file name and text (not terminated), valid during the call. */
typedef int (*kr_service_manifest_fn)(void *data, const char *name, const char *text, size_t size);

struct kr_driver_service_impl {
	/*
	 * Required. Calls each() for every manifest that the service serves now, in its order, once
	 * devices that are still being looked at have been decided on. Ends when each() returns
	 * other than 0, and returns that; 0; or -errno when the service doesn't answer, with a
	 * sentence in *reason (free; NULL only without memory).
	 */
	int (*for_each_manifest)(struct kr_driver_service *service, kr_service_manifest_fn each,
		void *data, char **reason);
	/*
	 * Required. Loads the library that a manifest names, for the life of the process,
	 * and makes the calls that come before all others (F-05): *dso is what dlopen gave.
	 * The name identifies the library. 0, or -errno with a sentence in *reason (free;
	 * NULL only without memory).
	 */
	int (*open_library)(
		struct kr_driver_service *service, const char *library, void **dso, char **reason);
};

/* What stands before the names of manifests and libraries that aren't files. */
#define KR_SERVICE_SCHEME "service:"

#endif
