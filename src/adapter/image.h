/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images whose memory is a native buffer.
 *
 * Two ways. Host import: a LINEAR image over the buffer's mapping, when the ICD can import that for
 * the image's usage, lays its rows out as the buffer has them, and draws by the memory that CPUs
 * have; nothing is copied. Copy: an OPTIMAL image in memory of the ICD, which a release copies into
 * the buffer when anybody wants to see it: by the GPU where a VkBuffer can be had over the mapping,
 * otherwise through a VkBuffer of the ICD and memcpy, behind the GPU. Where others may write into
 * the buffer by the CPU, an acquire copies it back (refresh.c).
 *
 * Images whose buffer is for a far end that looks at memory of a GPU go the second way, in memory
 * that the driver exports (exported.h).
 *
 * An image made for a swapchain by the application itself (W-06) has no buffer at first. When one
 * is bound to it, it shares the memory of the image that the swapchain has for this buffer.
 */
#ifndef KR_ADAPTER_IMAGE_H
#define KR_ADAPTER_IMAGE_H

#include <stdbool.h>
#include <sys/types.h>
#include "adapter/device.h"
#include "adapter/exported.h"
#include "adapter/native.h"
#include "gralloc/buffer.h"

enum kr_adapter_image_way {
	KR_IMAGE_HOST,        /* zero-copy */
	KR_IMAGE_COPY,        /* the GPU copies into the buffer */
	KR_IMAGE_COPY_MAPPED, /* ... into `staging_map`, and the CPU from there */
};

#define KR_IMAGE_GIVEN 3

struct kr_adapter_image {
	struct kr_adapter_image *next; /* of its bucket */
	VkImage handle;
	enum kr_adapter_image_way way;
	VkFormat format;
	VkExtent2D extent;
	struct kr_buffer *buffer; /* NULL: not bound yet (W-06) */
	void *pixels;             /* the buffer's mapping */
	dev_t buffer_dev;         /* which file the buffer is: its handle might lie about its id */
	ino_t buffer_ino;
	uint32_t row_bytes; /* of the driver's rows, where they are the buffer's */
	VkDeviceMemory memory;
	bool borrowed_memory; /* it belongs to another image */
	bool shared; /* with whoever shows it (W-05): released without an acquire between */
	/* Copy only. */
	bool exportable;                  /* its memory is to be, and is as `description` says */
	struct kr_gpu_memory description; /* complete with its memory */
	struct kr_exported *exported;     /* others look at it; NULL: nobody does */
	bool writable;                    /* by a copy */
	VkBuffer staging;
	VkDeviceMemory staging_memory;
	void *staging_map;
	VkCommandBuffer refresh; /* back into the image (refresh.c); NULL: never */
	VkFence refreshed;
	bool refreshing;           /* ... submitted, and not waited for */
	bool written;              /* the last release copied into the buffer */
	VkCommandBuffer *commands; /* one for each of device->families; NULL where it can't copy */
	VkSemaphore handoff;       /* to the helper, which copies for a family that can't */
	unsigned flights; /* releases of it that haven't landed; guarded by kr_flights_lock */
	/* With SYNC_FD: of the last copy, and whether it was submitted. */
	VkFence copied;
	bool copied_submitted;
	/* Likewise of releases that gave it and copied nothing. */
	struct kr_adapter_given {
		VkFence fence;
		bool submitted;
	} given[KR_IMAGE_GIVEN];
	/*
	 * Of the handle: kr_object_allocator or NULL. Everything else is of the device's allocator.
	 */
	const VkAllocationCallbacks *allocator;
};

/*
 * image_table.c. The image's state; NULL for one that is no native buffer's. The
 * application keeps it.
 */
struct kr_adapter_image *kr_adapter_image_from_handle(
	struct kr_adapter_device *device, VkImage image);
/* Another image that has the same buffer and memory of its own, or NULL. */
struct kr_adapter_image *kr_adapter_image_same_buffer(
	struct kr_adapter_device *device, const struct kr_adapter_image *image);
void kr_adapter_image_add(struct kr_adapter_device *device, struct kr_adapter_image *image);
/* Takes the image's state out of the table; NULL as above. */
struct kr_adapter_image *kr_adapter_image_take(struct kr_adapter_device *device, VkImage image);
/* Gives the image what was made for it: a buffer and memory. */
void kr_adapter_image_complete(struct kr_adapter_device *device, struct kr_adapter_image *image,
	const struct kr_adapter_image *bound);

/* Whether such an image can lie in a buffer. */
bool kr_adapter_image_is_plain(const VkImageCreateInfo *info);
/* The buffer that a VkNativeBufferANDROID names, if the image can lie in it. */
VkResult kr_adapter_image_set_buffer(
	struct kr_adapter_image *image, const VkNativeBufferANDROID *native) KR_MUST_CHECK;
/* Frees memory and what belongs to the copy; neither handle, buffer nor the state itself. */
void kr_adapter_image_finish(struct kr_adapter_device *device, struct kr_adapter_image *image);

/*
 * host_import.c. Makes the image's handle when the ICD could import a buffer for it whose rows are
 * row_bytes apart. *made false and VK_SUCCESS: not this way.
 */
VkResult kr_host_image_create(struct kr_adapter_device *device, struct kr_adapter_image *image,
	const VkImageCreateInfo *info, uint32_t row_bytes, bool *made) KR_MUST_CHECK;
/*
 * Binds the buffer's memory to it. The error of an ICD that refuses is
 * VK_ERROR_INVALID_EXTERNAL_HANDLE.
 */
VkResult kr_host_image_bind(struct kr_adapter_device *device, struct kr_adapter_image *image)
	KR_MUST_CHECK;
/* Memory over the buffer's mapping of which `needs` can be made. */
VkResult kr_host_memory_import(struct kr_adapter_device *device,
	const struct kr_adapter_image *image, const VkMemoryRequirements *needs,
	VkDeviceMemory *memory) KR_MUST_CHECK;

/* The VkBuffer of a copy, without memory; and its end, memory included. */
VkResult kr_staging_create(struct kr_adapter_device *device, struct kr_adapter_image *image,
	const void *chain, VkMemoryRequirements *needs) KR_MUST_CHECK;
void kr_staging_destroy(struct kr_adapter_device *device, struct kr_adapter_image *image);
/* The VkBuffer of a copy over the buffer's mapping. */
VkResult kr_host_buffer_create(struct kr_adapter_device *device, struct kr_adapter_image *image)
	KR_MUST_CHECK;
/* host_trial.c. Whether such a VkBuffer was seen to get what the GPU writes; tried once. */
bool kr_host_buffer_proven(struct kr_adapter_gpu *gpu);
/* Likewise of an image in rows. */
bool kr_host_image_proven(struct kr_adapter_gpu *gpu);

/*
 * copy.c. The image's handle in memory that can be exported. *made false and VK_SUCCESS: the driver
 * exports no such.
 */
VkResult kr_adapter_export_image_create(struct kr_adapter_device *device,
	struct kr_adapter_image *image, const VkImageCreateInfo *info, bool *made) KR_MUST_CHECK;
/* The image's handle; then its memory, its staging buffer and its command buffers. */
VkResult kr_copy_image_create(struct kr_adapter_device *device, struct kr_adapter_image *image,
	const VkImageCreateInfo *info) KR_MUST_CHECK;
VkResult kr_copy_image_bind(struct kr_adapter_device *device, struct kr_adapter_image *image)
	KR_MUST_CHECK;
/* copy_commands.c. One recorded copy for each family of the device that can do it. */
VkResult kr_copy_commands_create(struct kr_adapter_device *device, struct kr_adapter_image *image)
	KR_MUST_CHECK;
VkResult kr_copy_commands_allocate(struct kr_adapter_device *device,
	struct kr_adapter_family *family, VkCommandBuffer *commands) KR_REQUIRES(device->image_lock)
	KR_MUST_CHECK;
VkBufferImageCopy kr_copy_whole(const struct kr_adapter_image *image);
void kr_copy_commands_destroy(struct kr_adapter_device *device, struct kr_adapter_image *image);
/* The recorded way back, where the image may need it. */
VkResult kr_copy_refresh_create(struct kr_adapter_device *device, struct kr_adapter_image *image)
	KR_MUST_CHECK;
/*
 * refresh.c. Whether others may write into the buffer, and the image can get it; whether an
 * acquire is to do so; and doing it, when nobody writes any more.
 */
bool kr_adapter_image_may_be_stale(
	const struct kr_adapter_device *device, const struct kr_adapter_image *image);
bool kr_adapter_image_is_stale(const struct kr_adapter_image *image);
VkResult kr_adapter_image_refresh(struct kr_adapter_device *device, struct kr_adapter_image *image)
	KR_MUST_CHECK;
/*
 * pixels.c. The GPU is done: the CPU's part of a copy, and the end of what the CPU may do to the
 * buffer.
 */
void kr_adapter_image_give_pixels(const struct kr_adapter_image *image, bool cpu_copies);

/*
 * image_end.c. The end of an image that was taken out of the table, when the driver has done what
 * it was given to present of it. One that doesn't get done is kept until the device goes.
 */
void kr_adapter_image_end(struct kr_adapter_device *device, struct kr_adapter_image *image);
/* The device's flights are closed. */
void kr_adapter_kept_images_destroy(struct kr_adapter_device *device);

/* The first memory type of `types` with and without these properties; false when there is none. */
bool kr_adapter_memory_type(const struct kr_adapter_device *device, uint32_t types,
	VkMemoryPropertyFlags with, VkMemoryPropertyFlags without, uint32_t *type);

VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_CreateImage(VkDevice device,
	const VkImageCreateInfo *pCreateInfo, const VkAllocationCallbacks *pAllocator,
	VkImage *pImage);
VKAPI_ATTR void VKAPI_CALL kr_adapter_DestroyImage(
	VkDevice device, VkImage image, const VkAllocationCallbacks *pAllocator);
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_BindImageMemory2(
	VkDevice device, uint32_t bindInfoCount, const VkBindImageMemoryInfo *pBindInfos);

#endif
