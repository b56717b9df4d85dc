/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The null driver's objects. It is a whole Vulkan 1.3 driver that draws nothing but clears of
 * native buffers (draw.h): memory is host memory, and a queue's work is over as soon as what it
 * waits for has happened. Synchronisation is real, events that command buffers set included: that
 * is what its users test against.
 *
 * Every non-dispatchable handle is a pointer to one of these objects, allocated through the
 * caller's VkAllocationCallbacks.
 */
#ifndef KR_NULL_NULL_H
#define KR_NULL_NULL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <krafla/hal.h>
#include "null/null_control.h"
#include "null/own_layout.h"
#include "null/settings.h"
#include "util/alloc.h"
#include "util/hash.h"
#include "util/list.h"
#include "util/macros.h"
#include "util/mutex.h"
#include "util/vulkan.h"

#define NULL_QUEUE_COUNT 4
/* Those of its own, two of mutants, and what is set. */
#define NULL_EXTENSION_COUNT (7 + NULL_EXTENSIONS_SET)

/* A handle from a pointer, and back. Both directions also where handles are 64-bit integers. */
#define null_handle(type, object)        ((type)(uintptr_t)(object))
#define null_object(object_type, handle) ((struct object_type *)(uintptr_t)(handle))

struct null_physical_device {
	hwvulkan_dispatch_t dispatch;
	struct null_instance *instance;
};

struct null_instance {
	hwvulkan_dispatch_t dispatch;
	bool hal; /* made through the HAL, so VK_ANDROID_native_buffer exists */
	struct null_settings settings;
	struct null_physical_device physical_devices[NULL_DEVICES_MAX];
};

struct null_queue {
	hwvulkan_dispatch_t dispatch;
	struct null_device *device;
	VkDeviceQueueCreateFlags flags;
	bool requested;         /* by the VkDeviceCreateInfo */
	struct kr_list batches; /* null_batch.link: what is not over yet; guarded by device->lock */
	int64_t busy_until;     /* when its last work was over; guarded by device->lock */
	/*
	 * Of its release fences: the batches of one queue end in order, those of two don't (S-01).
	 * Made with the first; guarded by device->lock.
	 */
	struct kr_timeline *timeline;
	uint64_t held; /* numbers those that are held back, which end in any order */
};

/* What happens to a release fence once its work is over: see null_control.h. */
enum null_release_mode {
	NULL_RELEASE_SIGNALLED,
	NULL_RELEASE_PENDING,
	NULL_RELEASE_LATE,
	NULL_RELEASE_ERROR,
};

struct null_release_setting {
	enum null_release_mode mode;
	int64_t late_ns;
};

struct null_device {
	hwvulkan_dispatch_t dispatch;
	struct null_physical_device *physical_device;
	struct kr_list link;   /* in the list of control.c */
	bool native_buffer;    /* VK_ANDROID_native_buffer is enabled */
	bool compression;      /* VK_EXT_image_compression_control is */
	bool hardware_buffers; /* VK_ANDROID_external_memory_android_hardware_buffer is */
	struct kr_mutex lock;
	struct kr_cond changed; /* a fence, semaphore or queue of the device got further */
	/* All below is guarded by lock. */
	bool lost;
	struct null_release_setting release;
	int64_t work_ns;         /* how long a batch that renders takes; never changes */
	struct kr_list held;     /* null_release.link: release fences whose work is over */
	struct kr_list acquires; /* null_acquire.link: native fences that are waited for */
	struct kr_list natives;  /* null_image.link: with a native buffer, the newest last */
	bool reactor_runs;
	bool reactor_stops;
	pthread_t reactor;
	int wake_fd; /* eventfd of the reactor; -1 until it runs */
	struct null_queue queues[NULL_QUEUE_COUNT];
};

struct null_fence {
	bool signalled;
};

struct null_semaphore {
	bool timeline;
	uint64_t value; /* binary: 0 or 1 */
};

/* A native fence on its way into a semaphore and a fence (W-07). */
struct null_acquire {
	struct kr_list link;
	int fd;
	struct null_semaphore *semaphore; /* NULL: none, or destroyed meanwhile */
	struct null_fence *fence;
	struct null_image *image; /* NULL: destroyed meanwhile */
	int64_t since;
	int64_t deadline; /* when it counts as over; KR_FOREVER, but for a mutant */
};

/*
 * A release fence, and how it is to end: a point of its queue's timeline, or one that a test hook
 * holds back and ends when it likes.
 */
struct null_release {
	struct kr_list link;
	struct null_queue *queue;
	uint64_t point; /* on the queue's timeline; 0: none */
	int producer;   /* of one that is held back; -1: none */
	int given;      /* the number of the descriptor that its owner got */
	struct null_release_setting setting;
	int64_t deadline; /* once held; KR_FOREVER: only by hand */
};

struct null_memory {
	VkDeviceSize size;
	void *data; /* aligned_alloc, or the buffer's mapping */
	/* Of a hardware buffer's memory; else NULL. */
	struct kr_buffer *buffer;           /* of this copy of the library */
	struct ANativeWindowBuffer *native; /* as it came, or was made; a reference */
};

struct null_buffer {
	VkDeviceSize size;
	bool protected_memory;
	struct null_memory *memory;
	VkDeviceSize offset;
};

struct null_image {
	VkFormat format;
	VkExtent3D extent;
	uint32_t mip_levels;
	uint32_t layers;
	uint32_t samples;
	bool protected_memory;
	struct null_device *device;
	bool native;   /* memory is a native buffer's, or a hardware buffer's */
	bool hardware; /* made to lie in hardware buffers */
	bool shared;   /* the driver's from its first acquire on */
	/* Guarded by the device's lock. */
	bool acquired;
	bool released;            /* since its last acquire */
	struct kr_buffer *buffer; /* the native buffer, if it is gralloc's; set when it is bound */
	struct null_own_layout *own; /* NULL: the layout is nobody's own */
	struct kr_list link;         /* null_device.natives; of images with a buffer */
	/* What wrong drivers go by (mutants.h). */
	bool deferred;       /* made for a swapchain, to be bound */
	int lent_fd;         /* the first of the handle that it was made from */
	uint8_t drawn[8];    /* the pixel of the last clear */
	uint32_t drawn_size; /* 0: none */
	void *remembered;    /* pixels as they were; read instead of the buffer's */
	struct kr_null_image_info info;
};

struct null_command_pool {
	struct kr_list buffers; /* null_command_buffer.link */
};

/* What is done when the batch is over. */
struct null_command {
	enum null_command_kind {
		NULL_COMMAND_EVENT,
		NULL_COMMAND_CLEAR,
		NULL_COMMAND_COPY,
		NULL_COMMAND_FILL,
	} kind;
	union {
		struct {
			struct null_event *event;
			bool set;
		} event;
		struct {
			struct null_image *image;
			VkClearColorValue colour;
		} clear;
		struct {
			struct null_image *image;
			struct null_buffer *buffer;
			VkBufferImageCopy region;
		} copy;
		struct {
			struct null_buffer *buffer;
			VkDeviceSize offset, size;
			uint32_t word;
		} fill;
	} u;
};

struct null_command_buffer {
	hwvulkan_dispatch_t dispatch;
	struct null_command_pool *pool;
	struct kr_list link;
	struct null_command *commands;
	uint32_t command_count;
	uint32_t command_capacity;
	bool failed;  /* a command could not be recorded */
	bool renders; /* it begins a render pass, or clears */
};

struct null_descriptor_pool {
	uint32_t sets_left;
	struct kr_list sets; /* null_descriptor_set.link */
};

struct null_descriptor_set {
	struct kr_list link;
};

struct null_query_pool {
	uint32_t values; /* in each query */
};

struct null_event {
	bool set; /* guarded by the device's lock */
};

struct null_private_data_slot {
	struct kr_hash values; /* object handle to data; guarded by the device's lock */
};

static inline struct null_device *
null_device_from_handle(VkDevice handle)
{
	return (struct null_device *)handle;
}

static inline const struct null_abilities *
null_abilities_of(VkPhysicalDevice handle)
{
	return &((struct null_physical_device *)handle)->instance->settings.abilities;
}

/* All devices are the same, but for their number. */
static inline uint32_t
null_index_of(VkPhysicalDevice handle)
{
	const struct null_physical_device *device = (struct null_physical_device *)handle;

	return (uint32_t)(device - device->instance->physical_devices);
}

static inline struct null_queue *
null_queue_from_handle(VkQueue handle)
{
	return (struct null_queue *)handle;
}

/* What the driver knows of a format (format.c); block_size 0: it doesn't support it. */
struct null_format {
	uint32_t block_size;
	uint32_t block_width;
	uint32_t block_height;
	VkFormatFeatureFlags optimal;
	VkFormatFeatureFlags linear;
	VkFormatFeatureFlags buffer;
};
struct null_format null_format_get(VkFormat format);
/* Bytes of one mip level of one layer, and of its rows and slices. */
VkSubresourceLayout null_level_layout(
	VkFormat format, VkExtent3D extent, uint32_t mip, uint32_t samples);

/* A batch with this buffer is over. The caller holds the device's lock. */
void null_command_buffer_finish(const struct null_command_buffer *buffer);

/* Total memory that the one heap offers (physical.c). */
VkDeviceSize null_heap_size(void);
/* Whether every feature that the chain and `enabled` ask for exists (features.c). */
bool null_features_supported(const struct null_settings *settings, const void *chain,
	const VkPhysicalDeviceFeatures *enabled);
/*
 * How an image that is made with this control is compressed (format.c); NULL: without any.
 */
void null_fill_compression(
	const VkImageCompressionControlEXT *control, VkImageCompressionPropertiesEXT *out);
/* instance.c; `hal`: through the HAL. */
VkResult null_create_instance(const VkInstanceCreateInfo *info,
	const VkAllocationCallbacks *allocator, bool hal, VkInstance *out);
/*
 * Writes an array in Vulkan's two-call way: how many of `available` fit and are to be written goes
 * to
 * *count, VK_INCOMPLETE says that there were more.
 */
VkResult null_enumerate(uint32_t available, const void *out, uint32_t *count);

/* Whether devices of the instance have the extension (instance.c). */
bool null_has_extension(const struct null_instance *instance, const char *name);

/* How new devices treat release fences, and the list of devices (control.c). */
void null_control_add(struct null_device *device);
void null_control_remove(struct null_device *device);
/* Whether a device of this process was lost. */
bool null_control_has_lost(void);

/*
 * Native fences and late releases are waited for by a thread of the device, which starts with the
 * first of them (reactor.c). 0 or -errno.
 */
int null_reactor_wake(struct null_device *device) KR_REQUIRES(device->lock) KR_MUST_CHECK;
void null_reactor_stop(struct null_device *device) KR_EXCLUDES(device->lock);

/* Requirements of `size` bytes, with what may be chained (memory.c). */
void null_fill_requirements(VkMemoryRequirements2 *out, VkDeviceSize size, bool protected_memory);

/* Function lookup (table.c). */
PFN_vkVoidFunction null_find_function(const char *name);
bool null_is_physical_device_function(const char *name);
bool null_is_device_function(const char *name);
bool null_is_global_function(const char *name);
/* Of what the version of the extension has. */
PFN_vkVoidFunction null_find_native_buffer_function(
	const struct null_settings *settings, const char *name);

#endif
