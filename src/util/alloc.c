/* SPDX-License-Identifier: Apache-2.0 */
/* Memory through VkAllocationCallbacks. */
#include "util/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *
kr_zalloc(const VkAllocationCallbacks *allocator, size_t size, VkSystemAllocationScope scope)
{
	void *memory;

	if (!allocator)
		return calloc(1, size);
	memory = allocator->pfnAllocation(allocator->pUserData, size, _Alignof(max_align_t), scope);
	if (memory)
		memset(memory, 0, size);
	return memory;
}

void *
kr_zalloc_array(const VkAllocationCallbacks *allocator, size_t count, size_t size,
	VkSystemAllocationScope scope)
{
	if (size && count > SIZE_MAX / size)
		return NULL;
	return kr_zalloc(allocator, count * size, scope);
}

void
kr_free(const VkAllocationCallbacks *allocator, void *memory)
{
	if (!memory)
		return;
	if (allocator)
		allocator->pfnFree(allocator->pUserData, memory);
	else
		free(memory);
}

char *
kr_strdup(const VkAllocationCallbacks *allocator, const char *text, VkSystemAllocationScope scope)
{
	size_t size = strlen(text) + 1;
	char *copy = kr_zalloc(allocator, size, scope);

	if (copy)
		memcpy(copy, text, size);
	return copy;
}
