/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Linux driver that draws nothing and can be made to be of any kind: with or without SYNC_FD,
 * host import, spare queues; with odd row pitches; failing any of its functions at will. What it is
 * asked for is kept for the test to look at. Objects come from the caller's VkAllocationCallbacks.
 */
#ifndef KR_TESTS_ADAPTER_FAKE_ICD_H
#define KR_TESTS_ADAPTER_FAKE_ICD_H

#include <stdatomic.h>
#include <stdbool.h>
#include "adapter/adapter.h"
#include "util/vulkan.h"

#define FAKE_MAX 32

/* One batch. */
struct fake_batch {
	uint32_t wait_count;
	VkSemaphore waits[4];
	uint32_t command_count;
	VkCommandBuffer commands[4];
	VkSemaphore signal;
};

struct fake_submit {
	VkQueue queue;
	uint32_t batch_count;
	struct fake_batch batches[8];
	/* Of the first batch. */
	uint32_t wait_count;
	VkSemaphore waits[FAKE_MAX];
	VkCommandBuffer commands;
	VkSemaphore signal;
	VkFence fence;
};

/* A barrier of an image, or (`copy`) a copy out of it, as it was recorded. */
struct fake_record {
	VkCommandBuffer commands;
	bool copy;
	VkImageMemoryBarrier barrier;
};

struct fake_icd {
	/* What it is. */
	uint32_t api_version;
	bool refuses_newer; /* instances above that, as SwiftShader does */
	VkPhysicalDeviceType device_type;
	VkMemoryPropertyFlags memory_types[4];
	const char *instance_extensions[FAKE_MAX]; /* NULL-terminated */
	const char *device_extensions[FAKE_MAX];
	VkQueueFamilyProperties families[4];
	uint32_t family_count;
	VkExternalSemaphoreFeatureFlags semaphore_features; /* of SYNC_FD */
	VkExternalFenceFeatureFlags fence_features;
	VkExternalMemoryFeatureFlags host_image_features;
	VkExternalMemoryFeatureFlags host_buffer_features;
	VkExternalMemoryFeatureFlags opaque_features; /* of OPAQUE_FD */
	bool wants_dedicated;
	bool silent_about_host; /* it doesn't even say that the type is compatible with itself */
	bool fills_imports;     /* vkCmdFillBuffer does so at once, where memory was imported */
	VkFormatFeatureFlags linear_features, optimal_features;
	VkImageCreateFlags refused_flags;        /* of images, whatever their tiling */
	VkImageCreateFlags refused_linear_flags; /* of LINEAR ones */
	uint32_t extra_pitch;                    /* more than a buffer has */
	VkDeviceSize layout_offset;
	bool incoherent_host_memory;
	VkDeviceSize image_size;       /* [fits] */
	bool hidden_feature_supported; /* answers TRUE for presentId */

	/* `fail` fails with `fail_result` once it has worked `fail_after` times. */
	_Atomic(const char *) fail; /* set after the next two, once there are threads */
	VkResult fail_result;
	unsigned fail_after;
	bool fail_once;

	/* What it was asked. */
	char enabled_instance[FAKE_MAX][VK_MAX_EXTENSION_NAME_SIZE];
	uint32_t enabled_instance_count;
	char enabled_device[FAKE_MAX][VK_MAX_EXTENSION_NAME_SIZE];
	uint32_t enabled_device_count;
	uint32_t device_chain[FAKE_MAX]; /* sTypes */
	uint32_t device_chain_count;
	VkDeviceQueueCreateInfo queue_infos[FAKE_MAX];
	uint32_t queue_info_count;
	VkImageCreateInfo last_image;
	uint32_t last_image_families[8];
	uint32_t image_chain[FAKE_MAX]; /* sTypes */
	uint32_t image_chain_count;
	uint32_t question_chain[FAKE_MAX]; /* sTypes of the last image format query */
	uint32_t question_chain_count;
	VkMemoryAllocateInfo last_memory;
	struct fake_submit submits[FAKE_MAX]; /* the first ones */
	unsigned submit_count;
	unsigned semaphore_imports, fence_imports, semaphore_exports, copies, fills;
	unsigned imports_of_nothing;              /* of -1 */
	int last_import;                          /* the fd; closed by now */
	atomic_uint overlaps;                     /* two threads submitted to one queue at once */
	struct fake_record records[4 * FAKE_MAX]; /* the first ones */
	unsigned record_count;
	unsigned memory_exports;
	bool last_memory_exports; /* the chain of last_memory says so */
	bool last_memory_dedicated;
	unsigned double_signals; /* of a semaphore that nobody had waited for */
	unsigned vain_waits;     /* for a semaphore that nobody had signalled */
	unsigned bad_stages;     /* waits that aren't at all stages */
	unsigned device_wait_idles;
	unsigned devices;                        /* that are alive */
	atomic_uint fence_waits, pending_resets; /* a reset of a fence that is to be signalled */
	atomic_uint pending_destroys;            /* of a fence or semaphore of a held queue */
	int export_fd;                           /* what an export duplicates; -1 */
	atomic_int objects;                      /* that are alive */
};

extern struct fake_icd fake;

/*
 * What a queue is given from now on isn't done before fake_let_go, which does it in order; waiting
 * for a fence of it waits. fake_lose: it is never done, and all waits say that the device is lost.
 */
void fake_hold(VkQueue queue);
void fake_let_go(VkQueue queue);
void fake_lose(void);

/* A good driver of Vulkan 1.1 with one queue, host import and no SYNC_FD; nothing was asked yet. */
void fake_reset(void);
void fake_get(struct kr_adapter_icd *icd);
bool fake_has_enabled(const char *device_extension);

#endif
