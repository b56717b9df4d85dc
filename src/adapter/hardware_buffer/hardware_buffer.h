/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VK_ANDROID_external_memory_android_hardware_buffer over an ICD that knows no such buffers (W-11).
 * Images and VkBuffers that are made for them, and the memory that is imported and exported, are
 * the ICD's own; what the ICD is told is another kind of memory:
 *
 *   host    a LINEAR image (or a VkBuffer) over the mapping of a buffer that CPUs have memory of
 *   opaque  an OPTIMAL image (or a VkBuffer) of a buffer that has memory of this very driver
 *   dma_buf an image (or a VkBuffer) with the modifier and planes of a dma-buf that somebody made
 *
 * Which of them is decided when image or VkBuffer are made, before anybody names a buffer; for
 * dma-bufs by what was asked before (asked.c). Nothing is ever copied: a buffer whose memory
 * doesn't fit is refused, and the log says why.
 *
 * Thread-safety: any thread.
 */
#ifndef KR_ADAPTER_HARDWARE_BUFFER_H
#define KR_ADAPTER_HARDWARE_BUFFER_H

#include <stdbool.h>
#include <stdint.h>
#include "adapter/device.h"
#include "gralloc/buffer.h"
#include "gralloc/gpu_memory.h"
#include "util/macros.h"

enum kr_ahb_way {
	KR_AHB_HOST,
	KR_AHB_OPAQUE,
	KR_AHB_DMA_BUF,
};

/* An image or a VkBuffer that was made to lie in hardware buffers. */
struct kr_ahb_object {
	struct kr_ahb_object *next;
	uint64_t handle; /* VkImage or VkBuffer */
	bool is_image;
	enum kr_ahb_way way;
	struct kr_gpu_memory is; /* an image's description; a VkBuffer's format is 0 */
	uint32_t buffer_format;  /* AHARDWAREBUFFER_FORMAT_*: what an export is; 0 none */
	uint64_t buffer_usage;   /* AHARDWAREBUFFER_USAGE_* of an export */
	uint64_t size;           /* of a VkBuffer */
	bool external_format;    /* the application doesn't know the format */
};

/* Memory that is a hardware buffer's. */
struct kr_ahb_memory {
	struct kr_ahb_memory *next;
	VkDeviceMemory handle;
	ANativeWindowBuffer *buffer;  /* as it came, or was made; a reference */
	struct kr_buffer *mapped;     /* of this copy of the library; NULL: the same, or none */
	struct kr_gpu_image imported; /* what an import was made of; its image isn't ours */
};

/* objects.c. What is added belongs to the device from then on; what is taken, to the caller. */
void kr_ahb_object_add(struct kr_adapter_device *device, struct kr_ahb_object *object);
struct kr_ahb_object *kr_ahb_object_find(
	struct kr_adapter_device *device, bool is_image, uint64_t handle);
struct kr_ahb_object *kr_ahb_object_take(
	struct kr_adapter_device *device, bool is_image, uint64_t handle);
void kr_ahb_memory_add(struct kr_adapter_device *device, struct kr_ahb_memory *memory);
struct kr_ahb_memory *kr_ahb_memory_find(struct kr_adapter_device *device, VkDeviceMemory handle);
struct kr_ahb_memory *kr_ahb_memory_take(struct kr_adapter_device *device, VkDeviceMemory handle);
/* What the application left behind. */
void kr_ahb_finish(struct kr_adapter_device *device);
void kr_ahb_memory_free(struct kr_ahb_memory *memory);

/* Says once more why something can't be, and answers VK_ERROR_INVALID_EXTERNAL_HANDLE. */
VkResult kr_ahb_refuse(const char *call, const char *what);

/* import.c, export.c. *memory is the ICD's then, and `record` says whose. */
VkResult kr_ahb_import(struct kr_adapter_device *device, const VkMemoryAllocateInfo *info,
	const VkAllocationCallbacks *allocator, VkDeviceMemory *memory,
	struct kr_ahb_memory *record) KR_MUST_CHECK;
VkResult kr_ahb_export(struct kr_adapter_device *device, const VkMemoryAllocateInfo *info,
	const VkAllocationCallbacks *allocator, VkDeviceMemory *memory,
	struct kr_ahb_memory *record) KR_MUST_CHECK;
/* The image or VkBuffer that the memory is dedicated to, or NULL. */
const struct kr_ahb_object *kr_ahb_dedicated(
	struct kr_adapter_device *device, const VkMemoryAllocateInfo *info);
/* Host memory over a buffer's mapping. `chain` is what the application said besides. */
VkResult kr_ahb_import_host(struct kr_adapter_device *device, struct kr_buffer *buffer,
	uint32_t type, const void *chain, const VkAllocationCallbacks *allocator,
	VkDeviceMemory *memory) KR_MUST_CHECK;
/* The types that such memory may be; 0: it can't be imported. */
uint32_t kr_ahb_host_types(struct kr_adapter_device *device, struct kr_buffer *buffer);

/* Of formats whose chroma has half the width and height. */
#define KR_AHB_ODD "Vulkan has no images of YCbCr 4:2:0 whose width or height is odd"
#define KR_AHB_OF_CPUS_ALONE                                                                       \
	"several layers, cube maps, depth and stencil in memory of CPUs are no images: allocate the buffer without CPU bits"
#define KR_AHB_NOT_ASKED                                                                           \
	"the buffer is a dma-buf: call vkGetAndroidHardwareBufferPropertiesANDROID before the image or VkBuffer for it is made, once for each"

/* planes.c. What keeps an image out of a buffer's memory, for a log. */
struct kr_ahb_flaw {
	char text[160];
};
/* Whether the ICD's rows and planes of an image are the buffer's; if not, the flaw is said. */
bool kr_ahb_rows_match(const struct kr_adapter_device *device, VkImage image, VkFormat format,
	const struct kr_buffer_info *info, struct kr_ahb_flaw *flaw);
/* Makes an image to see whether they would be. */
VkResult kr_ahb_check_rows(struct kr_adapter_device *device, const struct kr_buffer_info *info,
	VkFormat format, VkImageUsageFlags usage, const char *call) KR_MUST_CHECK;

/* format.c. What a buffer is as an image: format and features. */
VkResult kr_ahb_describe_format(struct kr_adapter_device *device, const struct kr_buffer_info *info,
	VkAndroidHardwareBufferPropertiesANDROID *properties) KR_MUST_CHECK;

VKAPI_ATTR VkResult VKAPI_CALL kr_ahb_CreateImage(VkDevice device,
	const VkImageCreateInfo *pCreateInfo, const VkAllocationCallbacks *pAllocator,
	VkImage *pImage);
VKAPI_ATTR void VKAPI_CALL kr_ahb_DestroyImage(
	VkDevice device, VkImage image, const VkAllocationCallbacks *pAllocator);
VKAPI_ATTR VkResult VKAPI_CALL kr_ahb_CreateBuffer(VkDevice device,
	const VkBufferCreateInfo *pCreateInfo, const VkAllocationCallbacks *pAllocator,
	VkBuffer *pBuffer);
VKAPI_ATTR void VKAPI_CALL kr_ahb_DestroyBuffer(
	VkDevice device, VkBuffer buffer, const VkAllocationCallbacks *pAllocator);
VKAPI_ATTR VkResult VKAPI_CALL kr_ahb_AllocateMemory(VkDevice device,
	const VkMemoryAllocateInfo *pAllocateInfo, const VkAllocationCallbacks *pAllocator,
	VkDeviceMemory *pMemory);
VKAPI_ATTR void VKAPI_CALL kr_ahb_FreeMemory(
	VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks *pAllocator);
VKAPI_ATTR void VKAPI_CALL kr_ahb_DestroyDevice(
	VkDevice device, const VkAllocationCallbacks *pAllocator);
VKAPI_ATTR VkResult VKAPI_CALL kr_ahb_GetAndroidHardwareBufferPropertiesANDROID(VkDevice device,
	const struct AHardwareBuffer *buffer,
	VkAndroidHardwareBufferPropertiesANDROID *pProperties);
VKAPI_ATTR VkResult VKAPI_CALL kr_ahb_GetMemoryAndroidHardwareBufferANDROID(VkDevice device,
	const VkMemoryGetAndroidHardwareBufferInfoANDROID *pInfo, struct AHardwareBuffer **pBuffer);

#endif
