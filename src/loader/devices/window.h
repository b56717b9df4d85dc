/* SPDX-License-Identifier: Apache-2.0 */
/* What a physical device offers for windows: asked of its driver once. */
#ifndef KR_LOADER_DEVICES_WINDOW_H
#define KR_LOADER_DEVICES_WINDOW_H

#include "loader/handles/handles.h"
#include "util/macros.h"
#include "wsi/wsi.h"

/* *window belongs to the device, and doesn't change. Calls the driver at the first time. */
VkResult kr_physical_device_get_window(
	struct kr_physical_device *device, const struct kr_device_window **window) KR_MUST_CHECK;
/* For the functions of wsi. */
VkResult kr_physical_device_get_gpu(struct kr_physical_device *device, struct kr_wsi_gpu *gpu)
	KR_MUST_CHECK;

#endif
