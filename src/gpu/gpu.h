/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of drivers as descriptors: images and VkBuffers that are exported, and others' that are
 * imported after what can be checked was checked (W-11). For whoever has a device: the adapter
 * (the driver's own functions), the painter and the allocator of buffers (Krafla's loader's).
 *
 * Both ends make identical images: all that a description says, and sharing between all families
 * of the physical device (not of queues that one end happens to have) where there are several.
 *
 * What comes from another process is a claim. Before a driver gets it: UUIDs, sizes, formats and
 * limits are those of this device, and the descriptor is what this driver's own exports are
 * (kr_gpu_sample). What no check can find (another allocation of the same driver) may cost the
 * device: who can't bear that imports in a process of his own (src/painter).
 *
 * Thread-safety: any thread, once it is initialised; what Vulkan wants synchronised is the
 * caller's to synchronise.
 */
#ifndef KR_GPU_GPU_H
#define KR_GPU_GPU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "gralloc/gpu_memory.h"
#include "util/macros.h"
#include "util/vulkan.h"

/* The functions that this room calls; whose they are is the caller's affair. */
struct kr_gpu_functions {
	/* of the instance */
	PFN_vkGetPhysicalDeviceProperties GetPhysicalDeviceProperties;
	PFN_vkGetPhysicalDeviceMemoryProperties GetPhysicalDeviceMemoryProperties;
	PFN_vkGetPhysicalDeviceQueueFamilyProperties GetPhysicalDeviceQueueFamilyProperties;
	PFN_vkGetPhysicalDeviceProperties2 GetPhysicalDeviceProperties2;
	PFN_vkGetPhysicalDeviceFormatProperties2 GetPhysicalDeviceFormatProperties2;
	PFN_vkGetPhysicalDeviceImageFormatProperties2 GetPhysicalDeviceImageFormatProperties2;
	PFN_vkGetPhysicalDeviceExternalBufferProperties GetPhysicalDeviceExternalBufferProperties;
	/* of the device */
	PFN_vkCreateImage CreateImage;
	PFN_vkDestroyImage DestroyImage;
	PFN_vkGetImageMemoryRequirements2 GetImageMemoryRequirements2;
	PFN_vkGetImageSubresourceLayout GetImageSubresourceLayout;
	PFN_vkCreateBuffer CreateBuffer;
	PFN_vkDestroyBuffer DestroyBuffer;
	PFN_vkGetBufferMemoryRequirements2 GetBufferMemoryRequirements2;
	PFN_vkAllocateMemory AllocateMemory;
	PFN_vkFreeMemory FreeMemory;
	PFN_vkBindImageMemory BindImageMemory;
	PFN_vkBindBufferMemory BindBufferMemory;
	PFN_vkGetMemoryFdKHR GetMemoryFdKHR;                                       /* or NULL */
	PFN_vkGetMemoryFdPropertiesKHR GetMemoryFdPropertiesKHR;                   /* or NULL */
	PFN_vkGetMemoryHostPointerPropertiesEXT GetMemoryHostPointerPropertiesEXT; /* or NULL */
	PFN_vkGetImageDrmFormatModifierPropertiesEXT
		GetImageDrmFormatModifierPropertiesEXT; /* or NULL */
};

#define KR_GPU_MAX_FAMILIES 16

/* What an opaque descriptor of this device is like: one was exported and looked at. */
struct kr_gpu_sample {
	bool known;
	mode_t type;   /* S_IFMT */
	int access;    /* O_ACCMODE */
	dev_t device;  /* of a file */
	dev_t special; /* of a character device */
	bool dma_buf;
	/* A file: how much longer than the memory, and whether it can be shrunk. */
	bool file;
	bool sealed;
	uint64_t more;
	/* What stands in front of the memory, where that was understood: size, offset, whose. */
	bool header_known;
	uint64_t offset;
	uint8_t whose[16];
};

/* A device with what was asked of it once. */
struct kr_gpu {
	struct kr_gpu_functions vk;
	VkPhysicalDevice physical_device;
	VkDevice device;
	const VkAllocationCallbacks *allocator;
	VkPhysicalDeviceMemoryProperties memory;
	uint8_t device_uuid[KR_GPU_UUID_SIZE];
	uint8_t driver_uuid[KR_GPU_UUID_SIZE];
	VkDriverId driver; /* 0: it doesn't say */
	VkPhysicalDeviceType type;
	bool opaque_fd; /* the extensions are enabled on the device */
	bool dma_buf;
	bool modifiers;
	bool foreign; /* VK_EXT_queue_family_foreign */
	bool format_list;
	bool protects; /* whoever enabled protectedMemory sets it; else such memory is refused */
	uint64_t max_allocation; /* bytes of one allocation */
	uint64_t host_alignment; /* of imported host memory; 0: there is no such thing */
	/* Images are shared between these, if there are several; else they belong to family 0. */
	uint32_t families[KR_GPU_MAX_FAMILIES];
	uint32_t family_count;
	struct kr_gpu_sample sample;
	/* Opaque memory is imported as a mapping of its file (src/gpu/sample.h). */
	bool maps_files;
	char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
};

/* Device extensions that a device should have enabled for this room, where it offers them. */
extern const char *const kr_gpu_extensions[]; /* ended by NULL */
/*
 * Loads functions; asks UUIDs, memory, families; exports a sample. `enabled`: names, ended by NULL.
 * VK_ERROR_FEATURE_NOT_PRESENT: not even a function of Vulkan 1.1 (or its extensions) that it takes
 * is there. Holds nothing afterwards: there is no finish.
 */
VkResult kr_gpu_init(struct kr_gpu *gpu, VkInstance instance, VkPhysicalDevice physical_device,
	VkDevice device, PFN_vkGetInstanceProcAddr get_instance_proc,
	PFN_vkGetDeviceProcAddr get_device_proc, const VkAllocationCallbacks *allocator,
	const char *const *enabled) KR_MUST_CHECK;

struct kr_gpu_image {
	VkImage image;   /* or */
	VkBuffer buffer; /* a BLOB's */
	VkDeviceMemory memory;
	struct kr_gpu_memory description;
	void *map; /* of the descriptor that was imported, where maps_files says so */
	uint64_t map_size;
};
/*
 * What an image of `wanted` (kind, UUIDs, size, modifier and planes are found here, layout is
 * GENERAL) takes, in memory that is exported: opaque, or a dma-buf where `kind` says so (`tiling`
 * LINEAR then asks for that, any other leaves the choice to the driver).
 * VK_ERROR_FORMAT_NOT_SUPPORTED: the driver doesn't export such.
 */
VkResult kr_gpu_image_create(const struct kr_gpu *gpu, const struct kr_gpu_memory *wanted,
	struct kr_gpu_image *image) KR_MUST_CHECK;
/* Whether it would, without making anything. */
bool kr_gpu_image_possible(const struct kr_gpu *gpu, const struct kr_gpu_memory *wanted);
/* A descriptor of its memory, the caller's; sealed against shrinking where the driver lets us. */
VkResult kr_gpu_image_export(const struct kr_gpu *gpu, const struct kr_gpu_image *image, int *fd)
	KR_MUST_CHECK;
/*
 * Whether somebody's description and descriptor may be given to this device's driver: 0; -EINVAL
 * it is no such memory, or lies; -EXDEV of another device or driver; -EPERM the memory isn't
 * sealed; -EOPNOTSUPP this device can't. `reason`: a sentence for a log, or NULL.
 */
int kr_gpu_memory_check(const struct kr_gpu *gpu, const struct kr_gpu_memory *memory, int fd,
	const char **reason) KR_MUST_CHECK;
/* The same; *found is the description as it would be imported: size, tiling, type of memory. */
int kr_gpu_memory_look(const struct kr_gpu *gpu, const struct kr_gpu_memory *memory, int fd,
	struct kr_gpu_memory *found, const char **reason) KR_MUST_CHECK;
/*
 * An image for a dma-buf whose descriptor comes later, by kr_gpu_memory_import: `create` is what
 * it is made for, but for its tiling and `memory`'s modifier and planes. *is: what was made.
 * VK_ERROR_FORMAT_NOT_SUPPORTED: this device imports no such.
 */
VkResult kr_gpu_dma_buf_image_create(const struct kr_gpu *gpu, const struct kr_gpu_memory *memory,
	const VkImageCreateInfo *create, VkImage *image, struct kr_gpu_memory *is,
	const char **reason) KR_MUST_CHECK;
/*
 * Checks, then imports. The descriptor stays the caller's. VK_ERROR_INVALID_EXTERNAL_HANDLE: the
 * check said no, or the driver. `reason` as above, or NULL for who doesn't want to know.
 */
VkResult kr_gpu_image_import(const struct kr_gpu *gpu, const struct kr_gpu_memory *memory, int fd,
	struct kr_gpu_image *image, const char **reason) KR_MUST_CHECK;
/*
 * The same for an image (or VkBuffer, image->image or ->buffer) that the caller made as `memory`
 * says, with these handle types, before he knew what it gets: ->memory, ->map and ->description
 * are filled in, nothing is bound. It is bound at 0; a dma-buf's image has memory->tiling. Later
 * vkFreeMemory, and then kr_gpu_memory_unmap (nothing else of it is undone there).
 */
VkResult kr_gpu_memory_import(const struct kr_gpu *gpu, const struct kr_gpu_memory *memory, int fd,
	struct kr_gpu_image *image, const char **reason) KR_MUST_CHECK;
VkExternalMemoryHandleTypeFlags kr_gpu_handle_types(const struct kr_gpu *gpu);
void kr_gpu_memory_unmap(struct kr_gpu_image *image);
/* Safe on a zeroed one. */
void kr_gpu_image_destroy(const struct kr_gpu *gpu, struct kr_gpu_image *image);

/*
 * The barrier by which an image's content comes from others (`layout` is what it shall have here)
 * or goes to them (`layout` is what it has): families and the layout of its description are filled
 * in, for queues of any family; access masks and the subresources (all of them) too.
 */
void kr_gpu_acquire_barrier(const struct kr_gpu *gpu, const struct kr_gpu_image *image,
	VkImageLayout layout, VkAccessFlags access, VkImageMemoryBarrier *barrier);
void kr_gpu_release_barrier(const struct kr_gpu *gpu, const struct kr_gpu_image *image,
	VkImageLayout layout, VkAccessFlags access, VkImageMemoryBarrier *barrier);
/* The second for a VkBuffer. */
void kr_gpu_release_buffer_barrier(const struct kr_gpu *gpu, const struct kr_gpu_image *image,
	VkAccessFlags access, VkBufferMemoryBarrier *barrier);
/*
 * Of images that lie in an AHardwareBuffer, whose maker doesn't know what others will use it for:
 * all that is usual, as far as the format's features (of OPTIMAL tiling) allow it, at both ends.
 */
static inline VkImageUsageFlags
kr_gpu_hardware_buffer_usage(VkFormatFeatureFlags features)
{
	VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

	if (features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT)
		usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
	if (features & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT)
		usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
	if (features & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT)
		usage |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
			VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
	return usage;
}

/* The aspects of a format: colour, or those of depth and stencil, or of planes: colour. */
VkImageAspectFlags kr_gpu_aspects(uint32_t format);

#endif
