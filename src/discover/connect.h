/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Getting the functions of a driver whose library is open: icd.c, and hal.c. For this
 * room and krafla-probe.
 */
#ifndef KR_DISCOVER_CONNECT_H
#define KR_DISCOVER_CONNECT_H

#include "discover/driver.h"

/*
 * Agrees on an interface version with an ICD whose library is open and gets its functions. 0,
 * -ENOMEM or -EINVAL with a sentence in *reason (NULL only without memory).
 */
int kr_icd_connect(struct kr_driver *driver, char **reason) KR_MUST_CHECK;
/*
 * The same for a HAL module: opens its device, once, and gets its functions. Or what
 * open() returned.
 */
int kr_hal_connect(struct kr_driver *driver, char **reason) KR_MUST_CHECK;
/*
 * Asks for a version, offering KR_ICD_INTERFACE_MAX. False when the driver can't work with
 * that. Any VkResult but VK_ERROR_INCOMPATIBLE_DRIVER is a yes to what the version then says,
 * as other loaders have it.
 */
bool kr_icd_negotiate(
	PFN_vkNegotiateLoaderICDInterfaceVersion negotiate, const char *name, uint32_t *version);

#endif
