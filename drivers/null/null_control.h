/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The null driver's settings and test hooks: functions that vulkan.null.so exports, to be found by
 * dlsym. They act on all devices of the process.
 *
 * What becomes of a release fence (vkQueueSignalReleaseImageANDROID) once its semaphores and the
 * queue's earlier work are through is a setting of the device, read from KRAFLA_NULL_RELEASE when
 * it is created:
 *   signalled   it is signalled at once; -1 when nothing was left to wait for (default)
 *   pending     it stays active until kr_null_signal_releases
 *   late:MS     it signals after MS milliseconds
 *   error       it fails with -EIO
 * Other values are reported, and stand for the default.
 *
 * KRAFLA_NULL_WORK=US, read then too: each batch with a render pass or a clear keeps its queue busy
 * for so many microseconds, up to ten seconds, one after the other. Without it work takes no time.
 *
 * What is executed: vkCmdClearColorImage on images of native buffers, vkCmdCopyImageToBuffer from
 * them, vkCmdFillBuffer, and events, when their batch is over, in the order of the queue. Clears
 * are known for the formats that buffers have here (pixel.c); all else has no effect.
 *
 * KRAFLA_NULL_DRIVER says what the driver pretends to be, as name=value with commas between, and is
 * read when an instance is made:
 *   version=5..11              of VK_ANDROID_native_buffer; functions and structures of later
 *                              versions are unknown to it (default 8)
 *   shared=yes|no              sharedImage (yes)
 *   mutable=yes|no             images may have VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT (yes)
 *   protected=yes|no           protected memory, queues and images (no)
 *   compression=yes|no         VK_EXT_image_compression_control (no)
 *   msrtss=yes|no              VK_EXT_multisampled_render_to_single_sampled (no)
 *   hardware_buffers=yes|no    VK_ANDROID_external_memory_android_hardware_buffer: memory is that
 *                              of buffers, of ordinary formats and BLOB (no)
 *   usage=BITS                 gralloc usage that it asks for, and without which in the buffer's
 *                              handle it makes no image (0)
 *   refuse=N                   the newest N of the ways to ask for usage fail (0)
 *   ahb=answered|ignored       version 11: whether the usage of an AHardwareBuffer is filled in,
 *                              or left as it was with success (answered)
 *   layout=plain|own           whether images of buffers have a layout of the driver's own while
 *                              they are acquired (own_layout.h; plain)
 *   api=1.MINOR[.PATCH]        of the devices (1.3 and the header's)
 *   type=other|integrated|discrete|virtual|cpu  of the devices (other)
 *   devices=1..4               as many, all the same (1)
 *   feature.NAME=yes|no        a member of VkPhysicalDeviceFeatures or
 *                              VkPhysicalDeviceVulkan1[123]Features (abilities.h, least.c)
 *   limit.NAME=NUMBER          a member of VkPhysicalDeviceLimits; arrays: all elements
 *   property.NAME=NUMBER       a member of VkPhysicalDeviceVulkan1[123]Properties
 *   extension.NAME=VERSION|yes|no  a device extension (yes: version 1), said and no more
 *   external.semaphore=none|import|export|both  by SYNC_FD, said and no more (none)
 *   external.fence=none|import|export|both      the same
 *   format.NUMBER=BITS         what is said of a VkFormat's optimal tiling
 *   mutant=NAME                the driver has that fault, and no other (mutants.h; none)
 * Other names and values are reported, and all of it stands for the defaults.
 *
 * Thread-safety: all functions may be called from any thread.
 */
#ifndef KR_NULL_CONTROL_H
#define KR_NULL_CONTROL_H

#include <stdint.h>
#include "util/vulkan.h"

/*
 * Signals every release fence that is held back; status 1, or -errno to fail them. Returns how
 * many. Those whose semaphores haven't been signalled yet aren't held back but pending by right;
 * they are left alone.
 */
int kr_null_signal_releases(int status);
/* How many kr_null_signal_releases would signal. */
int kr_null_count_releases(void);
/*
 * Sets what KRAFLA_NULL_RELEASE sets, for all devices and those to come; NULL: back to the
 * variable, for those to come. 0, or -EINVAL and nothing changes.
 */
int kr_null_set_release(const char *setting);
/*
 * Sets what KRAFLA_NULL_DRIVER sets, for instances to come; NULL: back to the variable.
 * 0, or -EINVAL and nothing changes.
 */
int kr_null_set_driver(const char *settings);

/* What happened in this process so far; everything only grows. */
struct kr_null_counts {
	uint32_t usage_queries[5]; /* GrallocUsage, 2, 3, 4, and AHardwareBuffer's */
	uint32_t images;           /* of native buffers, made or bound */
	uint32_t binds;            /* ... bound by vkBindImageMemory2 */
	uint32_t shared_images;    /* ... with the shared bit */
	uint32_t hardware_buffers; /* ... that came with `ahb` */
	uint32_t acquires;
	uint32_t releases;
	uint32_t missed_acquires; /* releases of images that weren't acquired, and aren't shared */
	uint32_t missed_releases; /* acquires of images that were acquired */
	uint32_t outside_changes; /* found by acquires (layout=own) */
	/*
	 * What never may come to a driver (W-02): swapchains that aren't null, and structures of
	 * swapchains, surfaces and presents.
	 */
	uint32_t swapchains;
	uint32_t foreign_structures;
};
void kr_null_get_counts(struct kr_null_counts *counts);

#define KR_NULL_VIEW_FORMATS 8u

/* With what an image of a native buffer was made. */
struct kr_null_image_info {
	VkImageCreateFlags flags;
	VkFormat format;
	VkExtent3D extent;
	VkImageUsageFlags usage;
	VkSharingMode sharing;
	uint32_t queue_family_count; /* as it was given, whatever the sharing */
	uint32_t view_format_count;  /* of the format list; all are counted, the first are kept */
	VkFormat view_formats[KR_NULL_VIEW_FORMATS];
	VkBool32 has_compression; /* a VkImageCompressionControlEXT was there */
	VkImageCompressionFlagsEXT compression;
	uint32_t swapchain_usage; /* VkSwapchainImageUsageFlagsANDROID */
	/* The native buffer, once there is one. */
	VkBool32 has_buffer;
	VkBool32 bound; /* by vkBindImageMemory2 */
	VkBool32 hardware_buffer;
	int stride;
	int buffer_format;
	int gralloc_usage;
	uint64_t consumer_usage;
	uint64_t producer_usage;
	uint64_t gralloc_usage64;
};
/* `image` is any image of this driver. */
void kr_null_describe_image(VkImage image, struct kr_null_image_info *info);

/*
 * Drawing, by hand: what a queue would do between an acquire and a release of an image of a native
 * buffer with four bytes to a pixel, where layout=own. 0; -EINVAL for other images; -EPERM while
 * the image isn't acquired; -ERANGE.
 */
int kr_null_fill_image(VkImage image, uint32_t pixel);
int kr_null_write_pixel(VkImage image, uint32_t x, uint32_t y, uint32_t pixel);
int kr_null_read_pixel(VkImage image, uint32_t x, uint32_t y, uint32_t *pixel);

/*
 * From here on every device that exists answers VK_ERROR_DEVICE_LOST where it can, and its release
 * fences that are pending have failed.
 */
void kr_null_lose_devices(void);

typedef int (*PFN_kr_null_signal_releases)(int status);
typedef int (*PFN_kr_null_count_releases)(void);
typedef int (*PFN_kr_null_set_release)(const char *setting);
typedef void (*PFN_kr_null_lose_devices)(void);
typedef int (*PFN_kr_null_set_driver)(const char *settings);
typedef void (*PFN_kr_null_get_counts)(struct kr_null_counts *counts);
typedef void (*PFN_kr_null_describe_image)(VkImage image, struct kr_null_image_info *info);
typedef int (*PFN_kr_null_fill_image)(VkImage image, uint32_t pixel);
typedef int (*PFN_kr_null_write_pixel)(VkImage image, uint32_t x, uint32_t y, uint32_t pixel);
typedef int (*PFN_kr_null_read_pixel)(VkImage image, uint32_t x, uint32_t y, uint32_t *pixel);

#endif
