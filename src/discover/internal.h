/* SPDX-License-Identifier: Apache-2.0 */
/* What the sources of drivers share. For this room alone. */
#ifndef KR_DISCOVER_INTERNAL_H
#define KR_DISCOVER_INTERNAL_H

#include "discover/driver.h"

struct kr_library;

/* Each source appends its drivers and candidates. 0 or -ENOMEM. */
int kr_discover_hal(const struct kr_discover_options *options, struct kr_driver_list *list)
	KR_MUST_CHECK;
/* `served`: the drivers that the service gave; what is installed of them, too, is passed over. */
int kr_discover_manifests(const struct kr_discover_options *options,
	const struct kr_driver_list *served, struct kr_driver_list *list) KR_MUST_CHECK;
int kr_discover_service(const struct kr_discover_options *options, struct kr_driver_list *list)
	KR_MUST_CHECK;
int kr_discover_direct(const VkDirectDriverLoadingListLUNARG *direct, struct kr_driver_list *list)
	KR_MUST_CHECK;
int kr_discover_stub(struct kr_driver_list *list) KR_MUST_CHECK;
void kr_discover_hal_end(void);

/*
 * A new driver of a library (NULL: none), in no list, with nothing open; NULL without memory.
 */
struct kr_driver *kr_driver_create(
	enum kr_driver_source source, const char *library_path, const char *manifest_path);
void kr_driver_take_library(struct kr_driver *driver, struct kr_library *take_library);

/*
 * Agrees on an interface version with an ICD whose library is open and gets its functions (icd.c). 0,
 * -ENOMEM or -EINVAL with a sentence in *reason (NULL only without memory).
 */
int kr_icd_connect(struct kr_driver *driver, char **reason) KR_MUST_CHECK;
/* The same for a HAL module (hal.c): opens its device, once, and gets its functions. Or what open() returned. */
int kr_hal_connect(struct kr_driver *driver, char **reason) KR_MUST_CHECK;
/*
 * Asks for a version, offering KR_ICD_INTERFACE_MAX. False when the driver can't work with that. Any VkResult
 * but VK_ERROR_INCOMPATIBLE_DRIVER is a yes to what the version then says, as other loaders have it.
 */
bool kr_icd_negotiate(
	PFN_vkNegotiateLoaderICDInterfaceVersion negotiate, const char *name, uint32_t *version);

/*
 * Notes a candidate; of `facts` source, path, library_path, variable and served are copied. Takes the reason, whose
 * NULL is an allocation that failed. 0 or -ENOMEM.
 */
int kr_candidate_add(struct kr_driver_list *list, const struct kr_driver_candidate *facts,
	enum kr_candidate_verdict verdict, char *take_reason) KR_MUST_CHECK;

#endif
