/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers: found, opened and brought to one form, whether they are HAL modules or Linux ICDs.
 *
 * Thread-safety: kr_discover_drivers may run in several threads at once; a list belongs to whoever made
 * it. The libraries behind the lists are shared (library.h), so that none is opened twice: one that is in
 * a list stays open, and HAL modules, which expect to be opened once in a process, stay until
 * kr_discover_end.
 */
#ifndef KR_DISCOVER_DRIVER_H
#define KR_DISCOVER_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/vulkan.h" /* first: it decides what the Vulkan headers declare */
#include <vulkan/vk_icd.h>
#include <krafla/hal.h>
#include "discover/probe.h"
#include "hardware/device_map.h"
#include "manifest/paths.h"
#include "util/list.h"
#include "util/macros.h"

enum kr_driver_source {
	KR_DRIVER_HAL,
	KR_DRIVER_MANIFEST,
	KR_DRIVER_STUB,   /* no driver: instances without devices */
	KR_DRIVER_DIRECT, /* handed over by the application (VK_LUNARG_direct_driver_loading) */
};

#define KR_ICD_INTERFACE_MAX 7u

struct kr_library;
struct kr_driver_service;
struct kr_settings;

struct kr_driver {
	struct kr_list link;
	enum kr_driver_source source;
	char *name;           /* for messages: the library's file name */
	char *library_path;   /* what dlopen got; NULL without library */
	char *manifest_path;  /* NULL unless it came from a manifest */
	uint32_t api_version; /* from the manifest, or 0 */
	bool portability;
	struct kr_library *library; /* NULL for the stub and for direct drivers */
	void *dso;                  /* the library's */
	uint32_t interface_version; /* as agreed on; 0 for HAL and stub */
	VkDirectDriverLoadingFlagsLUNARG direct_flags;
	struct hwvulkan_device_t *hal; /* NULL for an ICD */
	/* Called with NULL for the global functions. */
	PFN_vkGetInstanceProcAddr get_instance_proc_addr;
	PFN_GetPhysicalDeviceProcAddr get_physical_device_proc_addr; /* may be NULL */
	PFN_vkEnumerateInstanceExtensionProperties enumerate_instance_extension_properties;
	PFN_vkCreateInstance create_instance;
	PFN_vkEnumerateInstanceVersion
		enumerate_instance_version; /* NULL: a driver of Vulkan 1.0 */
};

/* What became of a candidate; the sentence beside it has the details. */
enum kr_candidate_verdict {
	KR_CANDIDATE_USED,
	KR_CANDIDATE_UNREADABLE,   /* the manifest can't be read */
	KR_CANDIDATE_BAD_MANIFEST, /* it isn't a driver's manifest, or lacks something */
	KR_CANDIDATE_WRONG_ARCH,   /* the library is of another word size or machine */
	KR_CANDIDATE_DISABLED,     /* by a filter; `variable` says which */
	KR_CANDIDATE_NOT_SELECTED, /* by a filter that selects others; `variable` */
	KR_CANDIDATE_PORTABILITY,  /* only used when asked for */
	KR_CANDIDATE_MISSING,      /* there is no such library, or module */
	KR_CANDIDATE_UNLOADABLE,   /* the library is there and can't be opened */
	KR_CANDIDATE_DUPLICATE,    /* its library is used already */
	KR_CANDIDATE_NO_DRIVER,    /* the library is open and isn't a driver that we can use */
	KR_CANDIDATE_HARDWARE_ABSENT,
	KR_CANDIDATE_QUARANTINED,
};

/* The variable of candidates that the loader service brings, or takes the place of. */
#define KR_DISCOVER_BY_SERVICE "service"

/* Something that might have been a driver, and what became of it: for `krafla info` and `explain`. */
struct kr_driver_candidate {
	struct kr_list link;
	enum kr_driver_source source;
	char *path;         /* the manifest, or the HAL module's file */
	char *library_path; /* NULL when it never got that far */
	bool used;
	bool served; /* by the loader service: path and library_path are no files */
	enum kr_candidate_verdict verdict;
	/*
	 * Static: what decided, when a variable did (a filter), else what led here: the variable or
	 * "settings" (the settings file) that named the path, KR_DISCOVER_BY_SERVICE, or the property. NULL: a
	 * standard directory.
	 */
	const char *variable;
	char *reason; /* why it is used or not: a sentence */
};

struct kr_driver_list {
	struct kr_list drivers;    /* kr_driver.link, in order of discovery */
	struct kr_list candidates; /* kr_driver_candidate.link, in order of trial */
	/*
	 * 0, or what went wrong with the HAL module that the properties name: -EINVAL for one that
	 * is not a Vulkan module, -EFAULT for one that its probe found bad, otherwise what its open() returned (D-04). Other drivers are
	 * listed all the same; without any, the list is empty rather than a stub, and creating an
	 * instance must fail.
	 */
	int hal_error;
	bool portability_skipped; /* a driver was left out for the want of `portability` */
};

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
	const char *const
		*hal_dirs; /* NULL-terminated; [KRAFLA_HAL_PATH, then kr_hal_builtin_dirs] */
	bool (*property_get)(const char *name, char *value, size_t size); /* [kr_property_get] */
	struct kr_search_options search;    /* environment and directories of manifests */
	const struct kr_settings *settings; /* additional drivers; [none] */
	struct kr_driver_service *service;  /* what KR_DISCOVER_SERVICE asks; [none] */
	bool no_portability;                /* [portability drivers are opened like others] */
	/* Before the others, or instead of them when its mode is exclusive; [none] */
	const VkDirectDriverLoadingListLUNARG *direct;
	struct kr_probe_options probe;    /* libraries that are tried in a process of their own */
	struct kr_device_options devices; /* where absent hardware is looked for */
};

/*
 * Finds and opens drivers: direct ones, the HAL module when a property names one (D-01), then those of
 * manifests; when there is none and the profile wants it, the stub, whose instances have no devices (D-04). `options` may be NULL. What can't be used is logged and listed as a candidate with its reason; it
 * doesn't make the call fail. 0 or -ENOMEM.
 */
int kr_discover_drivers(const struct kr_discover_options *options, struct kr_driver_list *list)
	KR_MUST_CHECK;

/*
 * Ends the list and its drivers, and closes the libraries that no other list has. Nothing of a driver may be
 * in use: not for a list whose drivers the application could still call.
 */
void kr_driver_list_finish(struct kr_driver_list *list);

/* Whether both are the same thing, found twice. */
bool kr_driver_is_same(const struct kr_driver *a, const struct kr_driver *b);

/* Lets go of the HAL modules: at the end of the loader, when all lists are finished. */
void kr_discover_end(void);

/* Takes the driver out of its list, closes and frees it. NULL is no driver. */
void kr_driver_destroy(struct kr_driver *driver);

/* The directories of HAL modules after those of KRAFLA_HAL_PATH, NULL-terminated. */
extern const char *const kr_hal_builtin_dirs[];

const char *kr_driver_source_name(enum kr_driver_source source);

#endif
