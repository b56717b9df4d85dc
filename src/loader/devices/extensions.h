/* SPDX-License-Identifier: Apache-2.0 */
/* What a physical device offers: for windows, and what applications see of its extensions. */
#ifndef KR_LOADER_DEVICES_EXTENSIONS_H
#define KR_LOADER_DEVICES_EXTENSIONS_H

#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"
#include "wsi/wsi.h"

/* What a driver's device offers for windows, asked for once. */
enum kr_device_window_bits {
	KR_DEVICE_NATIVE_BUFFER = 1 << 0,       /* VK_ANDROID_native_buffer: swapchains of ours */
	KR_DEVICE_SWAPCHAIN = 1 << 1,           /* its own VK_KHR_swapchain, and surfaces for it */
	KR_DEVICE_INCREMENTAL_PRESENT = 1 << 2, /* VK_KHR_incremental_present for those */
};
VkResult kr_physical_device_window_support(struct kr_physical_device *device, uint32_t *bits,
	uint32_t *native_buffer_version) KR_MUST_CHECK;
/* For the functions of wsi. */
VkResult kr_physical_device_get_gpu(struct kr_physical_device *device, struct kr_wsi_gpu *gpu)
	KR_MUST_CHECK;

#endif
