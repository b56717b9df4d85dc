/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver is told of a buffer that it shall make an image of. */
#include "wsi/native_buffer.h"

#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "util/log.h"

#define READS_HARDWARE_BUFFER 11 /* drivers from this version on */

/*
 * Gralloc's usage in its older halves, for drivers up to version 8:
 * android_convertGralloc0To1Usage.
 */
static VkNativeBufferUsage2ANDROID
usage_halves(int usage)
{
	const uint64_t producer_mask = 0xC24222, consumer_mask = 0x959902;
	uint64_t u = (uint64_t)(int64_t)usage;
	VkNativeBufferUsage2ANDROID halves = {u & consumer_mask, u & producer_mask};

	if ((u & 0x3) == 0x3) {
		halves.consumer |= 0x6;
		halves.producer |= 0x6;
	}
	if ((u & 0x30) == 0x30)
		halves.producer |= 0x60;
	return halves;
}

/* NULL for a buffer of another platform, whose handle says nothing to us. */
static struct kr_buffer *
import(const ANativeWindowBuffer *buffer)
{
	struct kr_buffer *imported;

	if (!kr_buffer_import(buffer->handle, &imported))
		return imported;
	kr_debug("window system: no AHardwareBuffer of the window's buffer");
	return NULL;
}

void
kr_wsi_native_buffer_init(
	struct kr_wsi_native_buffer *native, ANativeWindowBuffer *buffer, uint32_t version)
{
	struct kr_buffer *own = kr_buffer_from_native(buffer);

	*native = (struct kr_wsi_native_buffer){
		.native =
			{
				.sType = VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID,
				.handle = buffer->handle,
				.stride = buffer->stride,
				.format = buffer->format,
				.usage = (int)buffer->usage,
				.usage2 = usage_halves((int)buffer->usage),
				.usage3 = buffer->usage,
			},
	};
	if (!own && version >= READS_HARDWARE_BUFFER)
		own = native->imported = import(buffer);
	/* gralloc/hardware_buffer.c: the two are one object. */
	native->native.ahb = (struct AHardwareBuffer *)(void *)own;
}

void
kr_wsi_native_buffer_finish(struct kr_wsi_native_buffer *native)
{
	kr_buffer_unref(native->imported);
}
