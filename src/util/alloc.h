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

/*
 * Objects whose handles applications hold. They keep the callbacks that they were made with and are
 * freed with those, whatever is given when they end: an application may not, but does, make one
 * without callbacks and end it with some (SDL 2: its surfaces), or the other way round. Callbacks
 * that an object was made with work as long as it lives (Vulkan 1.3, 11.1: they serve for its own
 * needs too), so they do at its end.
 */
void *kr_object_alloc(
	const VkAllocationCallbacks *allocator, size_t size, VkSystemAllocationScope scope);
/* What it was made with, as long as it lives; NULL: malloc. */
const VkAllocationCallbacks *kr_object_allocator(const void *object);
/* NULL is no object. */
void kr_object_free(void *object);

char *kr_strdup(
	const VkAllocationCallbacks *allocator, const char *text, VkSystemAllocationScope scope);

#endif
