/* SPDX-License-Identifier: Apache-2.0 */
/* Memory through VkAllocationCallbacks. */
#include "util/alloc.h"

#include <stdbool.h>
#include <stddef.h>
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

/* Stands before an object. */
struct header {
	_Alignas(max_align_t) VkAllocationCallbacks callbacks;
	bool given;
};

static struct header *
header_of(const void *object)
{
	return (struct header *)(uintptr_t)object - 1;
}

void *
kr_object_alloc(const VkAllocationCallbacks *allocator, size_t size, VkSystemAllocationScope scope)
{
	struct header *header = kr_zalloc(allocator, sizeof(*header) + size, scope);

	if (!header)
		return NULL;
	header->given = allocator != NULL;
	if (allocator)
		header->callbacks = *allocator;
	return header + 1;
}

const VkAllocationCallbacks *
kr_object_allocator(const void *object)
{
	const struct header *header = header_of(object);

	return header->given ? &header->callbacks : NULL;
}

void
kr_object_free(void *object)
{
	VkAllocationCallbacks callbacks;
	struct header *header;
	bool given;

	if (!object)
		return;
	header = header_of(object);
	/* They lie in what they free. */
	callbacks = header->callbacks;
	given = header->given;
	kr_free(given ? &callbacks : NULL, header);
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
