/* SPDX-License-Identifier: Apache-2.0 */
/* The face of a fake driver that is a HAL module: HMI, and its only device's open() and close(). */
#ifndef KR_TESTS_HAL_FACE_H
#define KR_TESTS_HAL_FACE_H

#include "util/vulkan.h" /* first: it decides what the Vulkan headers declare */
#include <krafla/hal.h>

/*
 * The driver's own: fills in the device's three functions, and may change what else is there. What
 * it returns is what open() does; other than 0 gives no device.
 */
int hal_face_open(struct hwvulkan_device_t *device);

/* For a driver that has something wrong about it: in a constructor, before anybody looks. */
extern struct hwvulkan_module_t HAL_MODULE_INFO_SYM;

#endif
