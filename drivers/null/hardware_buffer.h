/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VK_ANDROID_external_memory_android_hardware_buffer, of the driver's own (hardware_buffers=yes):
 * memory that is the mapping of a buffer of gralloc's, and images that lie in it.
 *
 * Thread-safety: any thread; what Vulkan wants synchronised is the caller's to synchronise.
 */
#ifndef KR_NULL_HARDWARE_BUFFER_H
#define KR_NULL_HARDWARE_BUFFER_H

#include "null/null.h"

#define NULL_HARDWARE_BUFFER VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID

/* Of what such memory can be, for an image or a VkBuffer. */
VkExternalMemoryProperties null_hardware_properties(bool image);
/* Notes that the image is for buffers, and of which format, if so. */
VkResult null_hardware_image_create(struct null_image *image, const VkImageCreateInfo *info);
/* The image lies in the memory's buffer, if both are of that kind. */
void null_hardware_image_bind(struct null_image *image, const struct null_memory *memory);
/*
 * The memory is a buffer that is imported, or made to be exported: *is. VK_SUCCESS and not *is:
 * neither.
 */
VkResult null_hardware_memory_allocate(
	struct null_memory *memory, const VkMemoryAllocateInfo *info, bool *is);
/* Safe on memory that is no buffer. */
void null_hardware_memory_finish(struct null_memory *memory);
/* The two commands; NULL: the name is none of them. */
PFN_vkVoidFunction null_find_hardware_buffer_function(const char *name);

#endif
