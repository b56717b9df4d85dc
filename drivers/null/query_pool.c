/* SPDX-License-Identifier: Apache-2.0 */
/* Query pools. Nothing was drawn, so every query is available and counted nothing. */
#include "null/null.h"

#include <string.h>

#include "null/commands.h"

static uint32_t
values_of(const VkQueryPoolCreateInfo *info)
{
	return info->queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS
		? (uint32_t)__builtin_popcount(info->pipelineStatistics)
		: 1;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_CreateQueryPool(VkDevice device, const VkQueryPoolCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkQueryPool *out)
{
	struct null_query_pool *pool =
		kr_object_alloc(allocator, sizeof(*pool), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

	if (!pool)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	pool->values = values_of(info);
	*out = null_handle(VkQueryPool, pool);
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
null_DestroyQueryPool(VkDevice device, VkQueryPool pool, const VkAllocationCallbacks *allocator)
{
	kr_object_free(null_object(null_query_pool, pool));
}

/* One value of 4 or 8 bytes; whether it fits was the caller's to see. */
static char *
put_value(char *at, uint64_t value, size_t size)
{
	uint32_t small = (uint32_t)value;

	memcpy(at, size == sizeof(value) ? (const void *)&value : &small, size);
	return at + size;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_GetQueryPoolResults(VkDevice device, VkQueryPool handle, uint32_t first, uint32_t count,
	size_t size, void *data, VkDeviceSize stride, VkQueryResultFlags flags)
{
	const struct null_query_pool *pool = null_object(null_query_pool, handle);
	bool availability = flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;
	size_t value_size = flags & VK_QUERY_RESULT_64_BIT ? 8 : 4;
	size_t query_size = (pool->values + availability) * value_size;

	for (uint32_t i = 0; i < count; i++) {
		char *at = (char *)data + i * stride;

		if (i * stride + query_size > size)
			break;
		for (uint32_t j = 0; j < pool->values; j++)
			at = put_value(at, 0, value_size);
		if (availability)
			put_value(at, 1, value_size);
	}
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
null_ResetQueryPool(VkDevice device, VkQueryPool pool, uint32_t first, uint32_t count)
{
}
