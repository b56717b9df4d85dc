/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices: the driver's handles, whose first word is the loader's, as it is of their
 * queues and command buffers.
 */
#ifndef KR_LOADER_DEVICES_DEVICE_H
#define KR_LOADER_DEVICES_DEVICE_H

#include "loader/handles/handles.h"
#include "util/macros.h"

/*
 * Gives an object that the driver made its first word. VK_ERROR_INITIALIZATION_FAILED, with a
 * message, when the driver didn't leave that word to us (`what` names the object).
 */
VkResult kr_device_adopt(const struct kr_device *device, void *object, const char *what)
	KR_MUST_CHECK;

/*
 * A layer that fails when all below it has worked leaves a device behind: ends those that this
 * thread has made and nobody got.
 */
void kr_device_destroy_orphans(struct kr_instance *instance);

#endif
