/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of extensions: what an ICD offers, and what is asked of it. */
#ifndef KR_ADAPTER_EXTENSIONS_H
#define KR_ADAPTER_EXTENSIONS_H

#include <stdbool.h>
#include <stdint.h>
#include "adapter/adapter.h"
#include "util/macros.h"
#include "util/vulkan.h"

struct kr_adapter_gpu;
struct kr_adapter_instance;

/* What the ICD offers. */
struct kr_offered {
	VkExtensionProperties *items;
	uint32_t count;
	const VkAllocationCallbacks *allocator;
};

VkResult kr_offered_instance(const struct kr_adapter_icd *icd,
	const VkAllocationCallbacks *allocator, struct kr_offered *offered) KR_MUST_CHECK;
VkResult kr_offered_device(const struct kr_adapter_instance *instance, VkPhysicalDevice device,
	const VkAllocationCallbacks *allocator, struct kr_offered *offered) KR_MUST_CHECK;
bool kr_offered_has(const struct kr_offered *offered, const char *name);
void kr_offered_finish(struct kr_offered *offered);

/* Whether the ICD has VK_KHR_shared_presentable_image, and devices of the instance can. */
bool kr_offered_shared_layout(
	const struct kr_offered *offered, const struct kr_adapter_instance *instance);
bool kr_adapter_knows_shared_layout(const struct kr_adapter_gpu *gpu);

/* A list of names to enable. The names are borrowed. */
struct kr_enabled {
	const char **names;
	uint32_t count;
	uint32_t capacity;
	const VkAllocationCallbacks *allocator;
};

/* Room for `capacity` names. */
VkResult kr_enabled_init(struct kr_enabled *enabled, uint32_t capacity,
	const VkAllocationCallbacks *allocator) KR_MUST_CHECK;
bool kr_enabled_has(const struct kr_enabled *enabled, const char *name);
/* Adds unless it is there. The capacity must do. */
void kr_enabled_add(struct kr_enabled *enabled, const char *name);
/* Adds what of `names` (NULL-terminated) the ICD offers. */
void kr_enabled_add_offered(
	struct kr_enabled *enabled, const struct kr_offered *offered, const char *const *names);
void kr_enabled_finish(struct kr_enabled *enabled);

/* Device extensions that only exist together with a driver's own VK_KHR_swapchain. */
bool kr_adapter_is_swapchain_extension(const char *name);

#endif
