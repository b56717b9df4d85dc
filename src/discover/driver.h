/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers, brought to one form, whether they are HAL modules or Linux ICDs; what else might have
 * been one; and lists of both (discover.h makes them).
 *
 * Thread-safety: a list belongs to whoever made it. The libraries behind the lists
 * are shared (library.h).
 */
#ifndef KR_DISCOVER_DRIVER_H
#define KR_DISCOVER_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/vulkan.h" /* first: it decides what the Vulkan headers declare */
#include <vulkan/vk_icd.h>
#include <krafla/hal.h>
#include "util/list.h"
#include "util/macros.h"

enum kr_driver_source {
	KR_DRIVER_HAL,
	KR_DRIVER_MANIFEST,
	KR_DRIVER_STUB,   /* no driver: instances without devices */
	KR_DRIVER_DIRECT, /* handed over by the application (VK_LUNARG_direct_driver_loading) */
};

#define KR_ICD_INTERFACE_MAX 7u

struct kr_driver_library;

struct kr_driver {
	struct kr_list link;
	enum kr_driver_source source;
	char *name;           /* for messages: the library's file name */
	char *library_path;   /* what dlopen got; NULL without library */
	char *manifest_path;  /* NULL unless it came from a manifest */
	uint32_t api_version; /* from the manifest, or 0 */
	bool portability;
	struct kr_driver_library *library; /* NULL for the stub and for direct drivers */
	void *dso;                         /* the library's */
	uint32_t interface_version;        /* as agreed on; 0 for HAL and stub */
	VkDirectDriverLoadingFlagsLUNARG direct_flags;
	struct hwvulkan_device_t *hal; /* NULL for an ICD */
	/* Called with NULL for the global functions. */
	PFN_vkGetInstanceProcAddr get_instance_proc_addr;
	PFN_GetPhysicalDeviceProcAddr get_physical_device_proc_addr; /* may be NULL */
	PFN_vkEnumerateInstanceExtensionProperties enumerate_instance_extension_properties;
	PFN_vkCreateInstance create_instance;
	/* NULL: a driver of Vulkan 1.0 */
	PFN_vkEnumerateInstanceVersion enumerate_instance_version;
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
	KR_CANDIDATE_CODE_FORBIDDEN, /* it compiles at run time, as this process mustn't (M-04) */
	KR_CANDIDATE_QUARANTINED,
};

/* The variable of candidates that the loader service brings, or takes the place of. */
#define KR_DISCOVER_BY_SERVICE "service"

/*
 * Something that might have been a driver, and what became of it: for `krafla info` and `explain`.
 */
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
	 * "settings" (the settings file) that named the path, KR_DISCOVER_BY_SERVICE, or the
	 * property. NULL: a standard directory.
	 */
	const char *variable;
	char *reason; /* why it is used or not: a sentence */
};

struct kr_driver_list {
	struct kr_list drivers;    /* kr_driver.link, in order of discovery */
	struct kr_list candidates; /* kr_driver_candidate.link, in order of trial */
	/*
	 * 0, or what went wrong with the HAL module that the properties name: -EINVAL for one that
	 * is not a Vulkan module, -EFAULT for one that its probe found bad, otherwise what its
	 * open() returned (D-04). Other drivers are listed all the same; without any, the list is
	 * empty rather than a stub, and creating an instance must fail.
	 */
	int hal_error;
	bool portability_skipped; /* a driver was left out for the want of `portability` */
};

/*
 * Ends the list and its drivers, and closes the libraries that no other list has. Nothing of a
 * driver may be in use: not for a list whose drivers the application could still call.
 */
void kr_driver_list_finish(struct kr_driver_list *list);

/* Whether both are the same thing, found twice. */
bool kr_driver_is_same(const struct kr_driver *a, const struct kr_driver *b);

/* A new driver of a library (NULL: none), in no list, with nothing open; NULL without memory. */
struct kr_driver *kr_driver_create(
	enum kr_driver_source source, const char *library_path, const char *manifest_path);
void kr_driver_take_library(struct kr_driver *driver, struct kr_driver_library *take_library);
/* Takes the driver out of its list, closes and frees it. NULL is no driver. */
void kr_driver_destroy(struct kr_driver *driver);

const char *kr_driver_source_name(enum kr_driver_source source);

/*
 * Notes a candidate; of `facts` source, path, library_path, variable and served are copied. Takes
 * the reason, whose NULL is an allocation that failed. 0 or -ENOMEM.
 */
int kr_candidate_add(struct kr_driver_list *list, const struct kr_driver_candidate *facts,
	enum kr_candidate_verdict verdict, char *take_reason) KR_MUST_CHECK;

#endif
