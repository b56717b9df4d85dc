/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for drivers: they are found, opened and listed (driver.h).
 *
 * Thread-safety: kr_discover_drivers may run in several threads at once. No library is opened twice
 * (library.h): one that is in a list stays open, and HAL modules, which expect to be opened once in
 * a process, stay until kr_discover_end.
 */
#ifndef KR_DISCOVER_DISCOVER_H
#define KR_DISCOVER_DISCOVER_H

#include "discover/driver.h"
#include "discover/probe.h"
#include "hardware/device_map.h"
#include "manifest/paths.h"

struct kr_driver_service;
struct kr_settings;

enum kr_discover_source_bits {
	KR_DISCOVER_HAL = 1 << 0,
	KR_DISCOVER_MANIFESTS = 1 << 1,
	KR_DISCOVER_STUB = 1 << 2,    /* when no other source has anything */
	KR_DISCOVER_SERVICE = 1 << 3, /* the loader service, when `service` is there */
	KR_DISCOVER_NAMED = 1 << 4, /* manifests that variables and settings name, and no others */
	KR_DISCOVER_ALL = KR_DISCOVER_HAL | KR_DISCOVER_MANIFESTS | KR_DISCOVER_STUB,
};

/* Zero (or NULL) members mean the default in brackets. */
struct kr_discover_options {
	uint32_t sources; /* kr_discover_source_bits; [those of the profile] */
	/* NULL-terminated; [KRAFLA_HAL_PATH, then kr_hal_builtin_dirs] */
	const char *const *hal_dirs;
	bool (*property_get)(const char *name, char *value, size_t size); /* [kr_property_get] */
	struct kr_search_options search;    /* environment and directories of manifests */
	const struct kr_settings *settings; /* additional drivers; [none] */
	struct kr_driver_service *service;  /* what KR_DISCOVER_SERVICE asks; [none] */
	bool no_portability;                /* [portability drivers are opened like others] */
	/* Before the others, or instead of them when its mode is exclusive; [none] */
	const VkDirectDriverLoadingListLUNARG *direct;
	struct kr_probe_options probe;      /* libraries that are tried in a process of their own */
	struct kr_hardware_options devices; /* where absent hardware is looked for */
};

/*
 * Finds and opens drivers: direct ones, the HAL module when a property names one (D-01), then those
 * of manifests; when there is none and the profile wants it, the stub, whose instances have no
 * devices (D-04). `options` may be NULL. What can't be used is logged and listed as a candidate
 * with its reason; it doesn't make the call fail. 0 or -ENOMEM.
 */
int kr_discover_drivers(const struct kr_discover_options *options, struct kr_driver_list *list)
	KR_MUST_CHECK;

/* Lets go of the HAL modules: at the end of the loader, when all lists are finished. */
void kr_discover_end(void);

/* The directories of HAL modules after those of KRAFLA_HAL_PATH, NULL-terminated. */
extern const char *const kr_hal_builtin_dirs[];

/*
 * Whether the library need not be opened (K-40): it is one of hardware/device_map.txt and none of
 * its devices is here. Never one that was named by somebody (`named_by`: the variable or the
 * settings file, NULL for a standard directory). If so, *reason is a sentence (NULL without
 * memory), which has been logged.
 */
bool kr_driver_absent(const struct kr_discover_options *options, const char *library_path,
	const char *named_by, char **reason) KR_MUST_CHECK;

#endif
