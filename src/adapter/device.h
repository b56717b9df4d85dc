/* SPDX-License-Identifier: Apache-2.0 */
/* What the adapter keeps of a device and of its queues. For this room alone. */
#ifndef KR_ADAPTER_DEVICE_H
#define KR_ADAPTER_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include "adapter/instance.h"
#include "adapter/promises.h"
#include "gen/tables.h"
#include "gpu/gpu.h"
#include "util/mutex.h"
#include "util/vulkan.h"

struct kr_adapter_image;
struct kr_ahb_conversion;
struct kr_ahb_memory;
struct kr_ahb_object;
struct kr_flights;

/*
 * A queue. What it holds is made when first needed and used by calls for which Vulkan demands that
 * the application synchronises the queue; only submitting to the helper queue takes a lock of ours.
 */
struct kr_adapter_queue {
	struct kr_adapter_device *device;
	VkQueue handle;
	uint32_t family;
	VkDeviceQueueCreateFlags flags;
	bool locked;            /* the helper: submissions hold device->queue_lock */
	VkFence fence;          /* unsignalled between calls: releases and waits for idle */
	VkSemaphore exportable; /* SYNC_FD; unsignalled between calls */
	_Atomic(struct kr_flights *) flights; /* flights.h; NULL before the first release */
};

/* A family that the device has queues of. */
struct kr_adapter_family {
	uint32_t index;
	bool transfer;
	VkCommandPool pool; /* of the copies; guarded by image_lock, made when first needed */
};

enum kr_external_state {
	KR_EXTERNAL_UNKNOWN,
	KR_EXTERNAL_THERE,
	KR_EXTERNAL_NONE,
};

#define KR_IMAGE_BUCKETS 64

struct kr_adapter_device {
	VkDevice handle;
	struct kr_adapter_gpu *gpu;
	const VkAllocationCallbacks *allocator;        /* kr_object_allocator */
	const VkAllocationCallbacks *handle_allocator; /* of the ICD's device: the same, or NULL */
	struct kr_device_table vk;                     /* the ICD's own functions */
	/* It can have native buffers. If not, nothing is hooked but destruction. */
	bool engaged;
	unsigned generation; /* kr_flights_generation */
	atomic_bool lost;    /* set once */

	bool sync_fd_semaphore; /* SYNC_FD goes in and out */
	bool sync_fd_fence;
	VkPhysicalDeviceMemoryProperties memory;
	VkDeviceSize host_alignment; /* of imported host memory; 0: there is no such thing */
	_Atomic(int) host_import;    /* enum kr_host_import; a hint, any order will do */

	struct kr_adapter_queue *queues;
	uint32_t queue_count;
	struct kr_adapter_family *families;
	uint32_t family_count;
	bool can_always_transfer; /* every family can */
	/*
	 * Signals what acquires promise when no queue does, and copies for families that can't.
	 * NULL when neither is needed, or without queues.
	 */
	struct kr_adapter_queue *helper;
	bool helper_shared; /* it is a queue of the application */
	/* Only around vkQueue* of the helper, none of which waits. */
	struct kr_mutex queue_lock;
	struct kr_promises promises; /* what acquires are to signal */

	struct { /* external.h */
		uint32_t enabled;
		_Atomic(int) state; /* enum kr_external_state */
		struct kr_gpu gpu;  /* written once, before the state says that it is there */
	} external;

	struct {                  /* hardware_buffer/ */
		bool enabled;     /* VK_ANDROID_external_memory_android_hardware_buffer */
		bool conversions; /* samplerYcbcrConversion, too */
		struct kr_mutex lock;
		struct kr_ahb_object *objects KR_GUARDED_BY(lock);
		struct kr_ahb_memory *memories KR_GUARDED_BY(lock);
		struct kr_ahb_conversion *first_conversion KR_GUARDED_BY(lock);
		struct kr_ahb_asked *asked KR_GUARDED_BY(lock); /* NULL: none yet */
		uint32_t asked_count KR_GUARDED_BY(lock);
		/* Zeros keep whoever destroys anything away from the lock. */
		_Atomic(uint32_t) object_count;
		_Atomic(uint32_t) memory_count;
		_Atomic(uint32_t) conversion_count;
	} hardware_buffers;

	struct kr_mutex image_lock;
	struct kr_adapter_image *images[KR_IMAGE_BUCKETS] KR_GUARDED_BY(image_lock);
	struct kr_adapter_image *kept KR_GUARDED_BY(image_lock); /* destroyed while in use */
	/*
	 * Zero keeps vkDestroyImage away from the lock. Its own order: an image is
	 * made before used.
	 */
	_Atomic(uint32_t) image_count;
};

/* NULL for a device whose instance isn't engaged. */
struct kr_adapter_device *kr_adapter_device_from_handle(VkDevice device);
struct kr_adapter_queue *kr_adapter_queue_from_handle(VkQueue queue);
/* The family of a queue. */
struct kr_adapter_family *kr_adapter_queue_family(const struct kr_adapter_queue *queue);

VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_CreateDevice(VkPhysicalDevice physicalDevice,
	const VkDeviceCreateInfo *pCreateInfo, const VkAllocationCallbacks *pAllocator,
	VkDevice *pDevice);
VKAPI_ATTR void VKAPI_CALL kr_adapter_DestroyDevice(
	VkDevice device, const VkAllocationCallbacks *pAllocator);

#endif
