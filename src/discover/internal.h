/* SPDX-License-Identifier: Apache-2.0 */
/* What the sources of drivers share. For this room alone. */
#ifndef KR_DISCOVER_INTERNAL_H
#define KR_DISCOVER_INTERNAL_H

#include "discover/driver.h"

/* Each source appends its drivers and candidates. 0 or -ENOMEM. */
int kr_discover_hal(const struct kr_discover_options *options, struct kr_driver_list *list)
	KR_MUST_CHECK;
int kr_discover_manifests(const struct kr_discover_options *options, struct kr_driver_list *list)
	KR_MUST_CHECK;
int kr_discover_stub(struct kr_driver_list *list) KR_MUST_CHECK;

/*
 * A new driver of a library (NULL: none), in no list, with nothing open; NULL without memory.
 */
struct kr_driver *kr_driver_create(
	enum kr_driver_source source, const char *library_path, const char *manifest_path);

/*
 * Opens the driver's library: its kind is checked first, and its name logged, so that one that
 * crashes in its constructor is named by the last line. 0 or -errno and a sentence (NULL only
 * without memory).
 */
int kr_driver_open_library(struct kr_driver *driver, int dlopen_flags, char **reason) KR_MUST_CHECK;

/* Notes a candidate. Takes the reason, whose NULL is an allocation that failed. 0 or -ENOMEM. */
int kr_candidate_add(struct kr_driver_list *list, enum kr_driver_source source, const char *path,
	const char *library_path, bool used, char *take_reason) KR_MUST_CHECK;

#endif
