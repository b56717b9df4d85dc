/* SPDX-License-Identifier: Apache-2.0 */
/* Memory through VkAllocationCallbacks, where Vulkan gives them. */
#ifndef KR_UTIL_ALLOC_H
#define KR_UTIL_ALLOC_H

#include <stddef.h>
#include "util/macros.h"
#include "util/vulkan.h"

/* `allocator` NULL means malloc. Zeroed memory, or NULL. */
void *kr_zalloc(const VkAllocationCallbacks *allocator, size_t size, VkSystemAllocationScope scope);
/* count * size, checked for overflow. */
void *kr_zalloc_array(const VkAllocationCallbacks *allocator, size_t count, size_t size,
	VkSystemAllocationScope scope);
void kr_free(const VkAllocationCallbacks *allocator, void *memory);
char *kr_strdup(
	const VkAllocationCallbacks *allocator, const char *text, VkSystemAllocationScope scope);

#endif
