/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vulkan's window system over ANativeWindow and VK_ANDROID_native_buffer: what AOSP's
 * swapchain code does, for any driver that offers that extension. The loader decides which
 * surfaces and swapchains are ours and calls in here; functions of driver and device arrive
 * as arguments (DESIGN 5).
 *
 * External synchronisation is Vulkan's own. In addition the swapchain set of a device may be asked
 * from any thread.
 */
#ifndef KR_WSI_WSI_H
#define KR_WSI_WSI_H

#include <stdbool.h>
#include <krafla/native_window.h>
#include "gen/tables.h"
#include "util/macros.h"
#include "util/vulkan.h"

/* ---- surfaces ---- */

struct kr_wsi_surface;

/* Where a surface's window comes from, when its maker wants to hear of things. All optional. */
struct kr_wsi_surface_ops {
	/* The present mode of a swapchain that is being created on it. */
	void (*set_present_mode)(void *data, VkPresentModeKHR mode);
	/* Asks the window system for the current size and updates the window's default size. */
	void (*refresh)(void *data);
	/*
	 * A frame of this size was given to the window; on the thread that presents, which returns
	 * an error of this.
	 */
	VkResult (*presented)(void *data, VkExtent2D extent);
	/*
	 * Which modes the output can do beyond FIFO. NULL: MAILBOX and IMMEDIATE as
	 * the queue allows.
	 */
	bool (*has_present_mode)(void *data, VkPresentModeKHR mode);
	void (*destroy)(void *data);
	/*
	 * The surface has no size of its own (Wayland; VK_EXT_headless_surface without a display):
	 * its current extent is the special value 0xFFFFFFFF, and a swapchain says how large it is.
	 */
	bool no_size;
	/* Images of another size are stretched over all that shows the window. */
	bool fills_window;
	uint8_t inherited_alpha; /* enum kr_present_alpha: what VK_COMPOSITE_ALPHA_INHERIT means */
};

/*
 * A surface on a window (one more reference on it). The window is connected here, so that a second
 * surface on it fails. VK_ERROR_SURFACE_LOST_KHR when the window doesn't answer,
 * VK_ERROR_NATIVE_WINDOW_IN_USE_KHR when another API holds it. On failure `data` stays the
 * caller's. `ops` must live as long as the surface does.
 */
VkResult kr_wsi_surface_create(ANativeWindow *window, const struct kr_wsi_surface_ops *ops,
	void *data, const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface)
	KR_MUST_CHECK;
void kr_wsi_surface_destroy(struct kr_wsi_surface *surface, const VkAllocationCallbacks *allocator);

/* The version of VK_ANDROID_native_buffer from which on drivers bind images to buffers (W-06). */
#define KR_WSI_NATIVE_BUFFER_BINDS 8

/* A physical device as the driver knows it. */
struct kr_wsi_gpu {
	VkPhysicalDevice handle; /* the driver's */
	/*
	 * The driver's, borrowed for as long as a kr_wsi_device uses them; missing
	 * ones answer with errors.
	 */
	const struct kr_instance_table *functions;
	bool native_buffer;             /* it offers VK_ANDROID_native_buffer */
	uint32_t native_buffer_version; /* which version of it */
	/* VkPhysicalDevicePresentationPropertiesANDROID::sharedImage, if it can be asked (W-10) */
	bool shared_image;
	bool image_format2; /* vkGetPhysicalDeviceImageFormatProperties2[KHR] can be called */
	/* VK_ANDROID_external_memory_android_hardware_buffer */
	bool hardware_buffers;
	/* VkSwapchainCreateFlagsKHR that the extensions of this device allow */
	uint32_t swapchain_flags;
	/* VK_GOOGLE_surfaceless_query: all surfaces list the same formats in the same order */
	bool surfaceless;
	bool colour_spaces; /* VK_EXT_swapchain_colorspace: others than sRGB, and R8 */
	bool rgba10x6;      /* VK_EXT_rgba10x6_formats: images of R10X6G10X6B10X6A10X6_UNORM */
};

VkResult kr_wsi_surface_support(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	uint32_t queue_family, VkBool32 *supported);
VkResult kr_wsi_surface_capabilities(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	VkSurfaceCapabilitiesKHR *caps);
/* With the structures that may be chained to VkSurfaceCapabilities2KHR. */
VkResult kr_wsi_surface_capabilities2(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	const VkPhysicalDeviceSurfaceInfo2KHR *info, VkSurfaceCapabilities2KHR *caps);
VkResult kr_wsi_surface_formats(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	uint32_t *count, VkSurfaceFormatKHR *formats);
VkResult kr_wsi_surface_formats2(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	uint32_t *count, VkSurfaceFormat2KHR *formats);
VkResult kr_wsi_surface_present_modes(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	uint32_t *count, VkPresentModeKHR *modes);
VkResult kr_wsi_surface_rectangles(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	uint32_t *count, VkRect2D *rectangles);

/* VkSurfaceCounterFlagsEXT: what the far end counts for this surface, as it says. */
VkSurfaceCounterFlagsEXT kr_wsi_surface_counters(const struct kr_wsi_surface *surface);

/* ---- devices ---- */

struct kr_wsi_device;

struct kr_wsi_device_info {
	VkDevice device; /* the driver's handle, its first word already the loader's */
	struct kr_wsi_gpu gpu;
	/*
	 * The driver's own; never through layers. VK_KHR_swapchain functions are NULL
	 * unless it has them.
	 */
	PFN_vkGetDeviceProcAddr get_device_proc_addr;
	const struct kr_device_table *functions; /* borrowed for the wsi device's life */
	/* Gives a dispatchable object that wsi made its first word (command buffers). */
	void (*set_dispatch)(VkDevice device, void *object);
	bool compression_control; /* the feature imageCompressionControlSwapchain is enabled */
	const VkAllocationCallbacks *allocator; /* copied */
};

/* VK_ERROR_INCOMPATIBLE_DRIVER when a function of VK_ANDROID_native_buffer is missing. */
VkResult kr_wsi_device_create(const struct kr_wsi_device_info *info, struct kr_wsi_device **device)
	KR_MUST_CHECK;
/* All swapchains must be gone; NULL is nothing. */
void kr_wsi_device_destroy(struct kr_wsi_device *device);

/* Whether any swapchain of ours lives on the device: a plain load, for the fast way round. */
bool kr_wsi_device_has_swapchains(const struct kr_wsi_device *device);
bool kr_wsi_owns_swapchain(struct kr_wsi_device *device, VkSwapchainKHR swapchain);

/* `surface` is the surface of info->surface; info->oldSwapchain is ours or VK_NULL_HANDLE. */
VkResult kr_wsi_create_swapchain(struct kr_wsi_device *device, struct kr_wsi_surface *surface,
	const VkSwapchainCreateInfoKHR *info, const VkAllocationCallbacks *allocator,
	VkSwapchainKHR *swapchain) KR_MUST_CHECK;
/* It is freed with what it was created with. */
void kr_wsi_destroy_swapchain(struct kr_wsi_device *device, VkSwapchainKHR swapchain);
VkResult kr_wsi_get_swapchain_images(
	struct kr_wsi_device *device, VkSwapchainKHR swapchain, uint32_t *count, VkImage *images);
VkResult kr_wsi_acquire_next_image(
	struct kr_wsi_device *device, const VkAcquireNextImageInfoKHR *info, uint32_t *index);
/* Any mixture of our swapchains and the driver's (DESIGN 5.1: split and rejoined). */
VkResult kr_wsi_queue_present(
	struct kr_wsi_device *device, VkQueue queue, const VkPresentInfoKHR *info);
/* Acquired images go back without being presented; also those of a retired swapchain. */
VkResult kr_wsi_release_swapchain_images(
	struct kr_wsi_device *device, const VkReleaseSwapchainImagesInfoEXT *info);
/*
 * vkWaitForPresentKHR and vkWaitForPresent2KHR. Other threads may use the swapchain meanwhile, but
 * not destroy it.
 */
VkResult kr_wsi_wait_for_present(
	struct kr_wsi_device *device, VkSwapchainKHR swapchain, uint64_t id, uint64_t timeout);
/*
 * VK_EXT_present_timing, of swapchains that are retired, too; any threads. The last one's answer is
 * VK_ERROR_DEVICE_LOST when the device is.
 */
VkResult kr_wsi_set_timing_queue_size(VkSwapchainKHR swapchain, uint32_t size);
VkResult kr_wsi_get_timing_properties(
	VkSwapchainKHR swapchain, VkSwapchainTimingPropertiesEXT *properties, uint64_t *counter);
VkResult kr_wsi_get_time_domains(VkSwapchainKHR swapchain,
	VkSwapchainTimeDomainPropertiesEXT *properties, uint64_t *counter);
VkResult kr_wsi_get_past_timing(struct kr_wsi_device *device,
	const VkPastPresentationTimingInfoEXT *info,
	VkPastPresentationTimingPropertiesEXT *properties);
/* VK_GOOGLE_display_timing; VK_ERROR_OUT_OF_DATE_KHR of one that is retired, as on Android. */
VkResult kr_wsi_get_refresh_cycle(VkSwapchainKHR swapchain, VkRefreshCycleDurationGOOGLE *refresh);
VkResult kr_wsi_get_past_timing_google(
	VkSwapchainKHR swapchain, uint32_t *count, VkPastPresentationTimingGOOGLE *past);
/*
 * The time of a swapchain's far end now: CLOCK_MONOTONIC. With a virtual clock, which goes on with
 * its pictures, that of the newest one that is known.
 */
uint64_t kr_wsi_swapchain_now(VkSwapchainKHR swapchain);
/* VK_SUBOPTIMAL_KHR, VK_ERROR_OUT_OF_DATE_KHR, VK_ERROR_SURFACE_LOST_KHR by asking the window. */
VkResult kr_wsi_get_swapchain_status(struct kr_wsi_device *device, VkSwapchainKHR swapchain);
/*
 * VK_EXT_hdr_metadata, of a swapchain of ours, from any thread: from its next frame on. What is no
 * metadata is left out and logged.
 */
void kr_wsi_set_hdr_metadata(
	struct kr_wsi_device *device, VkSwapchainKHR swapchain, const VkHdrMetadataEXT *metadata);
/*
 * W-06. Without a structure of ours in the chain these pass straight to the driver. The driver sees
 * the chain with our swapchain's handle replaced by VK_NULL_HANDLE: in vkCreateImage a
 * VkImageSwapchainCreateInfoKHR so changed says that a native buffer will be bound to the image; in
 * vkBindImageMemory2 a VkNativeBufferANDROID stands before the VkBindImageMemorySwapchainInfoKHR.
 */
VkResult kr_wsi_create_image(struct kr_wsi_device *device, const VkImageCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkImage *image);
VkResult kr_wsi_bind_image_memory2(
	struct kr_wsi_device *device, uint32_t count, const VkBindImageMemoryInfo *infos);
/* Private data of our swapchains, which must not reach the driver (DESIGN rule 2). */
VkResult kr_wsi_set_private_data(struct kr_wsi_device *device, VkSwapchainKHR swapchain,
	VkPrivateDataSlot slot, uint64_t data);
uint64_t kr_wsi_get_private_data(
	struct kr_wsi_device *device, VkSwapchainKHR swapchain, VkPrivateDataSlot slot);
/* A slot is being destroyed: its values go, so that a slot at the same address starts empty. */
void kr_wsi_forget_private_data(struct kr_wsi_device *device, VkPrivateDataSlot slot);
/* The device was lost: pending fences that we produce for it become errors (W-12). */
void kr_wsi_device_lost(struct kr_wsi_device *device);

#endif
