/* SPDX-License-Identifier: Apache-2.0 */
/* What cases of AHardwareBuffers in Vulkan share: a device, a buffer and an image over it. */
#ifndef KR_CHECK_NATIVE_HARDWARE_H
#define KR_CHECK_NATIVE_HARDWARE_H

#include "check/native/native.h"

#include <krafla/hardware_buffer.h>

#define NATIVE_HARDWARE_BUFFER VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID
#define NATIVE_HARDWARE_SIDE   64
#define NATIVE_HARDWARE_USAGE                                                                      \
	(AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN |            \
		AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER)

/* The extension, and the one that it needs. */
#define NATIVE_HARDWARE_EXTENSIONS 2
extern const char *const native_hardware_extensions[NATIVE_HARDWARE_EXTENSIONS];

/* A picture of R8G8B8A8_UNORM; any of them may be missing. */
struct native_picture {
	struct kr_buffer *buffer;
	VkImage image;
	VkDeviceMemory memory;
};

bool native_hardware_is_listed(struct check *c, VkPhysicalDevice physical);
/* A device with the extension; not applicable without. */
void native_hardware_device(struct check *c, struct check_device *device);
struct AHardwareBuffer *native_hardware_handle(struct kr_buffer *buffer);
VkImage native_hardware_image(struct check *c, const struct check_device *device, uint32_t width);
/* The result of vkAllocateMemory; `image` null: for none. */
VkResult native_hardware_try_import(struct check *c, const struct check_device *device,
	VkImage image, struct kr_buffer *buffer, VkDeviceMemory *memory);
/* A buffer, and an image over it. */
struct native_picture native_hardware_import(struct check *c, const struct check_device *device);
void native_hardware_destroy(
	struct check *c, const struct check_device *device, struct native_picture *picture);
/* Green, and given to whoever else has the buffer. */
void native_hardware_draw(
	struct check *c, const struct check_device *device, const struct native_picture *picture);
void native_hardware_expect_green(struct check *c, struct kr_buffer *buffer);

#endif
