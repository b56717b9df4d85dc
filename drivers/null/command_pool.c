/* SPDX-License-Identifier: Apache-2.0 */
/* Command pools, and the life of their command buffers. */
#include "null/null.h"

#include "null/commands.h"

const VkAllocationCallbacks *
null_pool_allocator(const struct null_command_pool *pool)
{
	return kr_object_allocator(pool);
}

VKAPI_ATTR VkResult VKAPI_CALL
null_CreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkCommandPool *out)
{
	struct null_command_pool *pool =
		kr_object_alloc(allocator, sizeof(*pool), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

	if (!pool)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	kr_list_init(&pool->buffers);
	*out = null_handle(VkCommandPool, pool);
	return VK_SUCCESS;
}

static void
free_buffer(struct null_command_pool *pool, struct null_command_buffer *buffer)
{
	if (!buffer)
		return;
	kr_list_remove(&buffer->link);
	kr_free(null_pool_allocator(pool), buffer->events);
	kr_free(null_pool_allocator(pool), buffer);
}

VKAPI_ATTR void VKAPI_CALL
null_DestroyCommandPool(
	VkDevice device, VkCommandPool handle, const VkAllocationCallbacks *allocator)
{
	struct null_command_pool *pool = null_object(null_command_pool, handle);
	struct null_command_buffer *buffer, *next;

	if (!pool)
		return;
	kr_list_for_each_safe (buffer, next, &pool->buffers, link)
		free_buffer(pool, buffer);
	kr_object_free(pool);
}

VKAPI_ATTR VkResult VKAPI_CALL
null_ResetCommandPool(VkDevice device, VkCommandPool pool, VkCommandPoolResetFlags flags)
{
	struct null_command_buffer *buffer;

	kr_list_for_each (buffer, &null_object(null_command_pool, pool)->buffers, link)
		null_command_buffer_reset(buffer);
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
null_TrimCommandPool(VkDevice device, VkCommandPool pool, VkCommandPoolTrimFlags flags)
{
}

VKAPI_ATTR VkResult VKAPI_CALL
null_AllocateCommandBuffers(
	VkDevice device, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *out)
{
	struct null_command_pool *pool = null_object(null_command_pool, info->commandPool);
	uint32_t count = info->commandBufferCount;

	for (uint32_t i = 0; i < count; i++)
		out[i] = NULL;
	for (uint32_t i = 0; i < count; i++) {
		struct null_command_buffer *buffer = kr_zalloc(null_pool_allocator(pool),
			sizeof(*buffer), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

		if (!buffer) {
			null_FreeCommandBuffers(device, info->commandPool, i, out);
			for (uint32_t j = 0; j < i; j++)
				out[j] = NULL;
			return VK_ERROR_OUT_OF_HOST_MEMORY;
		}
		buffer->dispatch.magic = HWVULKAN_DISPATCH_MAGIC;
		buffer->pool = pool;
		kr_list_append(&pool->buffers, &buffer->link);
		out[i] = (VkCommandBuffer)buffer;
	}
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
null_FreeCommandBuffers(
	VkDevice device, VkCommandPool pool, uint32_t count, const VkCommandBuffer *buffers)
{
	for (uint32_t i = 0; i < count; i++)
		free_buffer(null_object(null_command_pool, pool),
			(struct null_command_buffer *)buffers[i]);
}
