/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cases of `krafla check` are written with. A case is one sentence of the contract between a
 * platform and a driver: it opens the driver as a platform does, looks, and gives a verdict. Each
 * runs in a process of its own (check/run), so that what it makes needs no end.
 *
 * Functions here fail the case by themselves when what they stand for can't be had, unless they
 * say otherwise. Those that give a verdict don't return, and may be called from any thread; the
 * others, where nothing else is said, from one at a time.
 */
#ifndef KR_CHECK_RIG_CHECK_H
#define KR_CHECK_RIG_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/vulkan.h" /* first: it decides what the Vulkan headers declare */
#include <krafla/hal.h>
#include <krafla/native_buffer.h>
#include "check/rig/functions.h"
#include "util/macros.h"

struct AHardwareBuffer;
struct check; /* a case that runs */
struct check_timeline;
struct kr_buffer;

/* A row of the contract. */
struct check_case {
	const char *name;        /* "acquire.fd_is_closed_on_failure": group.words */
	const char *requirement; /* of docs/requirements.md; several with blanks between */
	const char *expected;    /* a sentence: what holds for a right driver */
	const char *consequence; /* what a user sees when it is wrong */
	void (*run)(struct check *c);
	uint32_t min_version; /* of VK_ANDROID_native_buffer; not applicable to older drivers */
	uint32_t timeout_s;   /* [CHECK_TIMEOUT_S] */
	bool optional;        /* failing is a remark, no verdict; `expected` says why */
};

#define CHECK_TIMEOUT_S 10

/*
 * The cases of a file, and those of a folder, in the order in which they run. A file has
 * `const struct check_rows check_native_acquire = CHECK_ROWS(rows);`, its folder's table names it.
 */
struct check_rows {
	const struct check_case *cases;
	size_t count;
};
#define CHECK_ROWS(array)                                                                          \
	{                                                                                          \
		(array), KR_ARRAY_LEN(array)                                                       \
	}
struct check_table {
	const char *section;
	const struct check_rows *const *files;
	size_t file_count;
};

/* Verdicts. `seen` is what the driver did, as a sentence. Returning from `run` is "held". */
_Noreturn void check_fail(struct check *c, const char *seen, ...) KR_PRINTF(2, 3);
_Noreturn void check_not_applicable(struct check *c, const char *why, ...) KR_PRINTF(2, 3);
_Noreturn void check_skip(struct check *c, const char *why, ...) KR_PRINTF(2, 3);
#define CHECK(c, condition, ...)                                                                   \
	do {                                                                                       \
		if (!(condition))                                                                  \
			check_fail((c), __VA_ARGS__);                                              \
	} while (0)
/* A remark that stands in the report. Any thread. */
void check_say(struct check *c, const char *format, ...) KR_PRINTF(2, 3);
/* From --seed, another sequence for each case. Any thread. */
uint64_t check_random(struct check *c);
/* "VK_ERROR_DEVICE_LOST", or the number of one that has no name here. */
const char *check_result_name(VkResult result);

/*
 * Calls a function of the driver, so that the report of a crash names it. The function has to be
 * there: a missing one fails the case. Any thread.
 */
#define CHECK_CALL(c, function, ...)                                                               \
	(check_trace((c), #function, (PFN_vkVoidFunction)check_functions(c)->function),            \
		check_functions(c)->function(__VA_ARGS__))
/* The same where anything but VK_SUCCESS fails the case. */
#define CHECK_SUCCESS(c, function, ...)                                                            \
	check_success((c), #function, CHECK_CALL(c, function, __VA_ARGS__))
void check_trace(struct check *c, const char *what, PFN_vkVoidFunction function);
void check_success(struct check *c, const char *what, VkResult result);
/* Notes a step that is no call of Vulkan ("open", "close"). */
void check_step(struct check *c, const char *what);
/* What is loaded: by check_make_instance and check_make_device; NULL: the driver hasn't it. */
const struct check_vk *check_functions(struct check *c);

/* What was seen of the driver before the cases; zeroes when nothing could be. */
struct check_facts {
	uint32_t known;       /* not 0 */
	uint32_t version;     /* of VK_ANDROID_native_buffer; 0 not listed */
	uint32_t api_version; /* of the device */
	uint32_t device_count;
	char device_name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
};
const struct check_facts *check_facts(struct check *c);
/* Whether it is a Linux ICD behind Krafla's adapter. */
bool check_is_adapted(struct check *c);
/* The file of the HAL module that is opened: the driver's, or the adapter's. */
const char *check_module_path(struct check *c);

/* The module, loaded; and its device, opened as "vk0". Again: the same one. */
struct hw_module_t *check_module(struct check *c);
hwvulkan_device_t *check_open(struct check *c);

/*
 * From now on the ICD itself is what is called, without the adapter; before anything else was. Its
 * functions for physical devices may be NULL. Not applicable to HAL modules.
 */
struct check_icd {
	PFN_vkVoidFunction(VKAPI_PTR *get_physical_device_proc_addr)(VkInstance, const char *);
	uint32_t interface_version; /* as agreed on */
	uint32_t manifest_version;  /* of Vulkan, by the manifest; 0: there is none */
};
void check_open_icd(struct check *c, struct check_icd *out);

struct check_device_request {
	uint32_t queues;    /* [1]; of the first family with graphics, as many as it has */
	bool second_device; /* the second physical device; not applicable without one */
	const struct check_device *of; /* of its instance and physical device [a new instance] */
	const char *const *extensions; /* beside VK_ANDROID_native_buffer */
	uint32_t extension_count;
	const void *features;                   /* chained to VkDeviceCreateInfo */
	const VkAllocationCallbacks *allocator; /* of instance and device */
};

#define CHECK_MAX_QUEUES 8
struct check_draws;

struct check_device {
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	VkQueue queues[CHECK_MAX_QUEUES];
	uint32_t queue_count;
	uint32_t family;
	uint32_t version; /* of VK_ANDROID_native_buffer */
	uint32_t api_version;
	const VkAllocationCallbacks *allocator;
	bool instance_is_lent;
	struct check_draws *draws; /* of check_clear, one a queue */
};

/* What instances of the rig ask for, where the driver is of 1.1 or later. */
#define CHECK_INSTANCE_VERSION VK_API_VERSION_1_3
/* An instance with its functions; NULL allocator: none. */
VkInstance check_make_instance(struct check *c, const VkAllocationCallbacks *allocator);
/* The result of vkCreateInstance, and no function is loaded. */
VkResult check_try_instance(
	struct check *c, const VkAllocationCallbacks *allocator, VkInstance *instance);
/* All of an instance's devices, CHECK_MAX_PHYSICAL at most; fails without any. */
#define CHECK_MAX_PHYSICAL 16
uint32_t check_physical_devices(
	struct check *c, VkInstance instance, VkPhysicalDevice devices[CHECK_MAX_PHYSICAL]);
/* The version of an extension that a device lists, 0 when it doesn't. */
uint32_t check_device_extension(struct check *c, VkPhysicalDevice physical, const char *name);

void check_make_device(
	struct check *c, const struct check_device_request *request, struct check_device *out);
/* The result of vkCreateDevice; the instance is there in any case, and is destroyed as above. */
VkResult check_try_device(
	struct check *c, const struct check_device_request *request, struct check_device *out);
/* Without VK_ANDROID_native_buffer, as a program without a swapchain has it. NULL: one queue. */
void check_make_plain_device(
	struct check *c, const struct check_device_request *request, struct check_device *out);
void check_destroy_device(struct check *c, struct check_device *device);

/* Buffers (src/gralloc), and images of them as the platform makes them. */
struct check_image {
	VkImage image;
	struct kr_buffer *buffer;
	struct AHardwareBuffer *ahb; /* the same */
	VkFormat format;
	uint32_t width;
	uint32_t height;
	uint64_t usage; /* of gralloc, as the buffer has it */
	bool shared;
};

struct check_image_request {
	VkFormat format;         /* [R8G8B8A8_UNORM] */
	uint32_t width;          /* [64] */
	uint32_t height;         /* [64] */
	VkImageUsageFlags usage; /* [color attachment, transfer source and destination] */
	bool deferred;           /* made without memory, bound by vkBindImageMemory2: version 8 */
	bool shared;             /* VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID: version 6 */
	VkImageCreateFlags flags;
};

/*
 * Fails the case where a right driver may say no: ask first (formats, shared images), or
 * use check_try_image, whose result is that of the usage query, the creation or the bind.
 */
void check_make_image(struct check *c, struct check_device *device,
	const struct check_image_request *request, struct check_image *out);
VkResult check_try_image(struct check *c, struct check_device *device,
	const struct check_image_request *request, struct check_image *out);
void check_destroy_image(struct check *c, struct check_device *device, struct check_image *image);

/* The parts of it. The usage is asked in the newest way that the driver has. */
VkResult check_gralloc_usage(struct check *c, const struct check_device *device, VkFormat format,
	VkImageUsageFlags usage, VkSwapchainImageUsageFlagsANDROID swapchain, uint64_t *gralloc);
struct kr_buffer *check_make_buffer(
	struct check *c, VkFormat format, uint32_t width, uint32_t height, uint64_t gralloc);
/* What a driver of any version reads of a buffer. */
VkNativeBufferANDROID check_native_buffer(struct kr_buffer *buffer, const void *chain);
/* The image of a swapchain with that request; its chain is the caller's. */
VkImageCreateInfo check_image_info(const struct check_image_request *request, const void *chain);
/* AHARDWAREBUFFER_FORMAT_* of a format; 0: none. */
uint32_t check_buffer_format(VkFormat format);
/* Whether images of the platform's formats can be had: false fails nothing. */
bool check_format_is_usable(struct check *c, const struct check_device *device, VkFormat format,
	VkImageUsageFlags usage);

/*
 * Clears the whole image by a command buffer, from an undefined layout to the one that is
 * presented, on queues[queue]. Semaphores may be null. One thread a queue.
 */
void check_clear(struct check *c, struct check_device *device, struct check_image *image,
	uint32_t queue, const float rgba[4], VkSemaphore wait, VkSemaphore signal);
/* The same, but what vkQueueSubmit returns is the caller's affair. */
VkResult check_try_clear(struct check *c, struct check_device *device, struct check_image *image,
	uint32_t queue, const float rgba[4], VkSemaphore wait, VkSemaphore signal);
/* The four bytes of a pixel of the buffer, the first of them lowest; of formats of four bytes. */
uint32_t check_pixel(struct check *c, struct check_image *image, uint32_t x, uint32_t y);
/* All pixels are what `rgba` is in a format of 8 bits each, within 1: else the case fails. */
void check_pixels(struct check *c, struct check_image *image, const float rgba[4]);

/* Fences as a consumer has them, by src/sync: an active one, whose descriptor is the caller's. */
int check_fence(struct check *c, struct check_timeline **timeline);
/* 1 signals it, -errno fails it. */
void check_signal(struct check *c, struct check_timeline *timeline, int status);
/* The same from another thread, after a while; for calls that may wait for it. */
void check_signal_later(struct check *c, struct check_timeline *timeline, int status, int delay_ms);
/* Its maker dies without a word. */
void check_abandon(struct check *c, struct check_timeline *timeline);
/* True: it has signalled, without an error, in time. -1 has. */
bool check_wait_fence(struct check *c, int fd, int timeout_ms);
/* 0 active, 1 signalled (also -1), -errno failed; -EINVAL is no fence. */
int check_fence_status(struct check *c, int fd);

/* Descriptors of this process: how many, and whether one is open. */
unsigned check_descriptors(struct check *c);
/* What the newest `count` of them are, in a text that lives as long as the case; one thread. */
const char *check_newest_descriptors(struct check *c, unsigned count);
bool check_fd_is_open(struct check *c, int fd);
/*
 * Whether a descriptor that was given away is still open as what it was, though its number may
 * have been given to another file since. The mark holds a duplicate, which counts as a descriptor.
 */
struct check_mark {
	int fd;
	int copy;
};
struct check_mark check_mark_fd(struct check *c, int fd);
bool check_mark_is_open(struct check *c, const struct check_mark *mark);
void check_unmark(struct check *c, struct check_mark *mark);

#endif
