/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers: found, opened and brought to one form, whether they are HAL modules or Linux ICDs.
 *
 * Thread-safety: kr_discover_drivers has no state of its own and may run in several threads; a list
 * belongs to whoever made it. HAL modules expect to be opened once in a process: the loader keeps
 * the drivers that it found, and sees to it that discovery runs once at a time.
 */
#ifndef KR_DISCOVER_DRIVER_H
#define KR_DISCOVER_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/vulkan.h" /* first: it decides what the Vulkan headers declare */
#include <vulkan/vk_icd.h>
#include <krafla/hal.h>
#include "manifest/paths.h"
#include "util/list.h"
#include "util/macros.h"

enum kr_driver_source {
	KR_DRIVER_HAL,
	KR_DRIVER_MANIFEST,
	KR_DRIVER_STUB, /* no driver: instances without devices */
};

#define KR_ICD_INTERFACE_MIN 2u
#define KR_ICD_INTERFACE_MAX 7u

struct kr_driver {
	struct kr_list link;
	enum kr_driver_source source;
	char *name;           /* for messages: the library's file name */
	char *library_path;   /* what dlopen got; NULL for the stub */
	char *manifest_path;  /* NULL unless it came from a manifest */
	uint32_t api_version; /* from the manifest, or 0 */
	bool portability;
	void *dso;                     /* NULL for the stub */
	uint32_t interface_version;    /* negotiated; 0 for HAL and stub */
	struct hwvulkan_device_t *hal; /* NULL for an ICD */
	/* Called with NULL for the global functions. */
	PFN_vkGetInstanceProcAddr get_instance_proc_addr;
	PFN_GetPhysicalDeviceProcAddr get_physical_device_proc_addr; /* may be NULL */
	PFN_vkEnumerateInstanceExtensionProperties enumerate_instance_extension_properties;
	PFN_vkCreateInstance create_instance;
	PFN_vkEnumerateInstanceVersion
		enumerate_instance_version; /* NULL: a driver of Vulkan 1.0 */
};

/* Something that might have been a driver, and what became of it: for `krafla info`. */
struct kr_driver_candidate {
	struct kr_list link;
	enum kr_driver_source source;
	char *path;         /* the manifest, or the HAL module's file */
	char *library_path; /* NULL when it never got that far */
	bool used;
	char *reason; /* why it is used or not: a sentence */
};

struct kr_driver_list {
	struct kr_list drivers;    /* kr_driver.link, in order of discovery */
	struct kr_list candidates; /* kr_driver_candidate.link, in order of trial */
	/*
	 * 0, or what went wrong with the HAL module that the properties name: -EINVAL for one that
	 * is not a Vulkan module, otherwise what its open() returned (D-04). Other drivers are
	 * listed all the same; without any, the list is empty rather than a stub, and creating an
	 * instance must fail.
	 */
	int hal_error;
};

enum kr_discover_source_bits {
	KR_DISCOVER_HAL = 1 << 0,
	KR_DISCOVER_MANIFESTS = 1 << 1,
	KR_DISCOVER_ALL = KR_DISCOVER_HAL | KR_DISCOVER_MANIFESTS,
};

/* Zero (or NULL) members mean the default in brackets. */
struct kr_discover_options {
	uint32_t sources; /* kr_discover_source_bits; [KR_DISCOVER_ALL] */
	const char *const
		*hal_dirs; /* NULL-terminated; [KRAFLA_HAL_PATH, then kr_hal_builtin_dirs] */
	bool (*property_get)(const char *name, char *value, size_t size); /* [kr_property_get] */
	struct kr_search_options search; /* environment and directories of manifests */
};

/*
 * Finds and opens drivers: the HAL module when a property names one (D-01), then those of
 * manifests; when there is neither, the stub, whose instances have no devices (D-04). `options` may
 * be NULL. What can't be used is logged and listed as a candidate with its reason; it doesn't make
 * the call fail. 0 or -ENOMEM.
 */
int kr_discover_drivers(const struct kr_discover_options *options, struct kr_driver_list *list)
	KR_MUST_CHECK;

/* Closes every driver of the list. Nothing of a driver may be in use: not for a list whose drivers
 * the application could still call. */
void kr_driver_list_finish(struct kr_driver_list *list);

/* Takes the driver out of its list, closes and frees it. NULL is no driver. */
void kr_driver_destroy(struct kr_driver *driver);

/* The directories of HAL modules after those of KRAFLA_HAL_PATH, NULL-terminated. */
extern const char *const kr_hal_builtin_dirs[];

const char *kr_driver_source_name(enum kr_driver_source source);

#endif
