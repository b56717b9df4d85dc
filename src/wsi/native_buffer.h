/* SPDX-License-Identifier: Apache-2.0 */
/* VkNativeBufferANDROID of a window's buffer, for as long as one call of the driver lasts. */
#ifndef KR_WSI_NATIVE_BUFFER_H
#define KR_WSI_NATIVE_BUFFER_H

#include <krafla/native_buffer.h>
#include <krafla/native_window.h>

struct kr_buffer;

struct kr_wsi_native_buffer {
	VkNativeBufferANDROID native;
	struct kr_buffer *imported; /* what `ahb` is when the buffer isn't this library copy's */
};

/* For a driver of this version. Everything in it is the buffer's, and borrowed. */
void kr_wsi_native_buffer_init(
	struct kr_wsi_native_buffer *native, ANativeWindowBuffer *buffer, uint32_t version);
void kr_wsi_native_buffer_finish(struct kr_wsi_native_buffer *native);

#endif
