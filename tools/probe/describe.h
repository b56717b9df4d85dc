/* SPDX-License-Identifier: Apache-2.0 */
/* For krafla-probe: what a driver's devices say of themselves (M-01). */
#ifndef KR_TOOLS_PROBE_DESCRIBE_H
#define KR_TOOLS_PROBE_DESCRIBE_H

#include "discover/driver.h"
#include "discover/probe_device.h"

/*
 * Whether the driver has VK_KHR_get_physical_device_properties2, which is to be enabled for an
 * instance whose devices are to say their nodes.
 */
bool probe_has_properties2(const struct kr_driver *driver);
/* `properties2`: it is enabled. A driver without the functions leaves *out as not told. */
void probe_describe(const struct kr_driver *driver, VkInstance instance, bool properties2,
	VkPhysicalDevice device, struct kr_probe_device *out);

#endif
