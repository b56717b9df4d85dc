/* SPDX-License-Identifier: Apache-2.0 */
/* An instance, a device and buffers behind the adapter, over lavapipe or any other ICD. */
#ifndef KR_TESTS_ADAPTER_GPU_H
#define KR_TESTS_ADAPTER_GPU_H

#include "util/vulkan.h"
#include <krafla/native_buffer.h>

#include "harness.h"
#include "adapter/adapter.h"
#include "gen/tables.h"
#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/native_acquire.h"
#include "util/native_memory.h"
#include "util/native_release.h"

/* What to make; zeros are a sensible device. */
struct gpu_options {
	bool keep_driver_wsi;
	uint32_t api_version;  /* [1.1] */
	bool not_engaged;      /* without VK_ANDROID_native_buffer */
	const char *extension; /* one more, of the device */
	const char *instance_extension;
	const void *device_chain;
	/* Queues; [one of family 0] */
	const VkDeviceQueueCreateInfo *queues;
	uint32_t queue_count;
	const VkAllocationCallbacks *allocator;
};

struct gpu {
	struct kr_adapter_icd icd;
	VkInstance instance;
	VkPhysicalDevice physical_device;
	VkDevice device;
	VkQueue queue;              /* the first */
	struct kr_instance_table i; /* through the adapter */
	struct kr_device_table d;
	PFN_vkGetSwapchainGrallocUsageANDROID gralloc_usage;
	PFN_vkGetSwapchainGrallocUsage2ANDROID gralloc_usage2;
	PFN_vkGetSwapchainGrallocUsage3ANDROID gralloc_usage3;
	PFN_vkGetSwapchainGrallocUsage4ANDROID gralloc_usage4;
	PFN_vkAcquireImageANDROID acquire;
	PFN_vkGetAcquireImportsKRAFLA acquire_imports;
	PFN_vkQueueSignalReleaseImageANDROID release;
	PFN_vkQueueSignalReleaseImageKRAFLA release_wanted;
	PFN_vkGetNativeBufferMemoryKRAFLA get_memory;
	const VkAllocationCallbacks *allocator;
};

/* Opens lavapipe's library, or skips the case. */
void gpu_open_lavapipe(struct gpu *gpu);
void gpu_open_swiftshader(struct gpu *gpu);
/*
 * lavapipe behind the system's loader and its validation layer, with checks of synchronisation:
 * what that finds is written into a file, whose path is answered. Or skips the case.
 */
const char *gpu_open_validated(struct gpu *gpu);
/* Instance and physical device; then the device. */
VkResult gpu_create_instance(struct gpu *gpu, const struct gpu_options *options);
VkResult gpu_create_device(struct gpu *gpu, const struct gpu_options *options);
/* All of it on lavapipe; on SwiftShader, or skips the case. */
void gpu_init_swiftshader(struct gpu *gpu);
void gpu_init(struct gpu *gpu, const struct gpu_options *options);
/* All of it on the fake driver as it is (fake_icd.h). Asserts that this works. */
void gpu_init_fake(struct gpu *gpu, const struct gpu_options *options);
/* Also asserts that nothing of the fake driver is left. */
void gpu_finish_fake(struct gpu *gpu);
void gpu_finish(struct gpu *gpu);

struct kr_buffer *gpu_buffer(uint32_t format, uint32_t width, uint32_t height);
/* An image of a buffer, as the platform makes it (W-04). */
void gpu_native_buffer(const struct kr_buffer *buffer, VkNativeBufferANDROID *native);
VkImageCreateInfo gpu_image_info(
	VkFormat format, uint32_t width, uint32_t height, const void *chain);
VkImage gpu_image(struct gpu *gpu, const struct kr_buffer *buffer, VkFormat format);

/* Asserts that a release of a device without SYNC_FD gives a fence, which signals; waits for it. */
void gpu_release(struct gpu *gpu, VkQueue queue, uint32_t wait_count, const VkSemaphore *waits,
	VkImage image);
/* Waits for up to 10 s for such a fence, and closes it. What became of it: kr_fence_status. */
int32_t gpu_land(int take_fence);

VkSemaphore gpu_semaphore(struct gpu *gpu);
VkSemaphore gpu_timeline(struct gpu *gpu);
VkFence gpu_fence(struct gpu *gpu);
/* Waits for up to 10 s. */
void gpu_wait_fence(struct gpu *gpu, VkFence fence);
/* A fence's status once it is known to come soon, or after 50 ms. */
bool gpu_fence_stays_unsignalled(struct gpu *gpu, VkFence fence);

/* Draws a picture into an image of any kind, leaving it in PRESENT_SRC; render.c. */
struct drawing;
struct drawing *gpu_draw(struct gpu *gpu, VkImage image, VkFormat format, uint32_t width,
	uint32_t height, VkSemaphore wait, VkSemaphore signal);
void gpu_drawing_finish(struct gpu *gpu, struct drawing *drawing);
/* The same picture in memory of the driver, tightly packed rows; freed by the caller. */
void *gpu_reference(
	struct gpu *gpu, VkFormat format, uint32_t bytes, uint32_t width, uint32_t height);
/* Fails the case unless another mapping of the buffer shows the reference. */
void gpu_assert_picture(struct gpu *gpu, const struct kr_buffer *buffer, VkFormat format);

#endif
