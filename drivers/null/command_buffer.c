/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command pools and their buffers. Nothing is executed, so of all commands only those that a
 * program could notice are recorded: they set and reset events, which happens when the batch is
 * over.
 */
#include "null/null.h"

#include <string.h>

#include "null/commands.h"

static const VkAllocationCallbacks *
pool_allocator(const struct null_command_pool *pool)
{
	return kr_object_allocator(pool);
}

static struct null_command_buffer *
from_handle(VkCommandBuffer handle)
{
	return (struct null_command_buffer *)handle;
}

/* Recording can't fail where it happens: vkEndCommandBuffer tells. */
static void
record(struct null_command_buffer *buffer, const struct null_event_command *commands,
	uint32_t count)
{
	uint32_t needed = buffer->event_count + count;
	struct null_event_command *bigger;

	if (needed > buffer->event_capacity) {
		uint32_t capacity = KR_MAX(needed, 2 * buffer->event_capacity);

		bigger = kr_zalloc_array(pool_allocator(buffer->pool), capacity, sizeof(*bigger),
			VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
		if (!bigger) {
			buffer->failed = true;
			return;
		}
		if (buffer->event_count)
			memcpy(bigger, buffer->events, buffer->event_count * sizeof(*bigger));
		kr_free(pool_allocator(buffer->pool), buffer->events);
		buffer->events = bigger;
		buffer->event_capacity = capacity;
	}
	if (count)
		memcpy(buffer->events + buffer->event_count, commands, count * sizeof(*commands));
	buffer->event_count = needed;
}

static void
record_event(VkCommandBuffer buffer, VkEvent event, bool set)
{
	struct null_event_command command = {null_object(null_event, event), set};

	record(from_handle(buffer), &command, 1);
}

VKAPI_ATTR void VKAPI_CALL
null_CmdSetEvent(VkCommandBuffer buffer, VkEvent event, VkPipelineStageFlags stages)
{
	record_event(buffer, event, true);
}

VKAPI_ATTR void VKAPI_CALL
null_CmdSetEvent2(VkCommandBuffer buffer, VkEvent event, const VkDependencyInfo *info)
{
	record_event(buffer, event, true);
}

VKAPI_ATTR void VKAPI_CALL
null_CmdResetEvent(VkCommandBuffer buffer, VkEvent event, VkPipelineStageFlags stages)
{
	record_event(buffer, event, false);
}

VKAPI_ATTR void VKAPI_CALL
null_CmdResetEvent2(VkCommandBuffer buffer, VkEvent event, VkPipelineStageFlags2 stages)
{
	record_event(buffer, event, false);
}

VKAPI_ATTR void VKAPI_CALL
null_CmdBeginRenderPass(
	VkCommandBuffer buffer, const VkRenderPassBeginInfo *info, VkSubpassContents contents)
{
	from_handle(buffer)->renders = true;
}

VKAPI_ATTR void VKAPI_CALL
null_CmdBeginRenderPass2(VkCommandBuffer buffer, const VkRenderPassBeginInfo *info,
	const VkSubpassBeginInfo *subpass)
{
	from_handle(buffer)->renders = true;
}

VKAPI_ATTR void VKAPI_CALL
null_CmdBeginRendering(VkCommandBuffer buffer, const VkRenderingInfo *info)
{
	from_handle(buffer)->renders = true;
}

/* A secondary buffer that changes makes this one invalid, so its commands can be copied. */
VKAPI_ATTR void VKAPI_CALL
null_CmdExecuteCommands(VkCommandBuffer buffer, uint32_t count, const VkCommandBuffer *secondaries)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct null_command_buffer *secondary = from_handle(secondaries[i]);

		record(from_handle(buffer), secondary->events, secondary->event_count);
	}
}

void
null_command_buffer_finish(const struct null_command_buffer *buffer)
{
	for (uint32_t i = 0; i < buffer->event_count; i++)
		buffer->events[i].event->set = buffer->events[i].set;
}

static void
reset(struct null_command_buffer *buffer)
{
	buffer->event_count = 0;
	buffer->failed = false;
	buffer->renders = false;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_BeginCommandBuffer(VkCommandBuffer buffer, const VkCommandBufferBeginInfo *info)
{
	reset(from_handle(buffer));
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_EndCommandBuffer(VkCommandBuffer buffer)
{
	return from_handle(buffer)->failed ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_ResetCommandBuffer(VkCommandBuffer buffer, VkCommandBufferResetFlags flags)
{
	reset(from_handle(buffer));
	return VK_SUCCESS;
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
	kr_free(pool_allocator(pool), buffer->events);
	kr_free(pool_allocator(pool), buffer);
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
		reset(buffer);
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
		struct null_command_buffer *buffer = kr_zalloc(
			pool_allocator(pool), sizeof(*buffer), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

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
