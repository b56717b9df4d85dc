/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command pools and their buffers. Of all commands only those that a program could notice here are
 * recorded: they set and reset events, and touch the memory of native buffers (draw.h), which
 * happens when the batch is over.
 */
#include "null/null.h"

#include <string.h>

#include "null/commands.h"
#include "null/mutants.h"
#include "null/draw.h"

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
record(struct null_command_buffer *buffer, const struct null_command *commands, uint32_t count)
{
	uint32_t needed = buffer->command_count + count;
	struct null_command *bigger;

	if (needed > buffer->command_capacity) {
		uint32_t capacity = KR_MAX(needed, 2 * buffer->command_capacity);

		bigger = kr_zalloc_array(pool_allocator(buffer->pool), capacity, sizeof(*bigger),
			VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
		if (!bigger) {
			buffer->failed = true;
			return;
		}
		if (buffer->command_count)
			memcpy(bigger, buffer->commands, buffer->command_count * sizeof(*bigger));
		kr_free(pool_allocator(buffer->pool), buffer->commands);
		buffer->commands = bigger;
		buffer->command_capacity = capacity;
	}
	if (count)
		memcpy(buffer->commands + buffer->command_count, commands,
			count * sizeof(*commands));
	buffer->command_count = needed;
}

static void
record_event(VkCommandBuffer buffer, VkEvent event, bool set)
{
	struct null_command command = {
		.kind = NULL_COMMAND_EVENT,
		.u.event = {null_object(null_event, event), set},
	};

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

/* The one level of the one layer that images of native buffers have. */
static bool
has_colour(uint32_t count, const VkImageSubresourceRange *ranges)
{
	for (uint32_t i = 0; i < count; i++) {
		if (ranges[i].aspectMask & VK_IMAGE_ASPECT_COLOR_BIT && !ranges[i].baseMipLevel &&
			!ranges[i].baseArrayLayer)
			return true;
	}
	return false;
}

VKAPI_ATTR void VKAPI_CALL
null_CmdClearColorImage(VkCommandBuffer buffer, VkImage image, VkImageLayout layout,
	const VkClearColorValue *colour, uint32_t count, const VkImageSubresourceRange *ranges)
{
	struct null_command command = {
		.kind = NULL_COMMAND_CLEAR,
		.u.clear = {null_object(null_image, image), *colour},
	};

	from_handle(buffer)->renders = true;
	if (command.u.clear.image->native && has_colour(count, ranges))
		record(from_handle(buffer), &command, 1);
}

VKAPI_ATTR void VKAPI_CALL
null_CmdCopyImageToBuffer(VkCommandBuffer buffer, VkImage image, VkImageLayout layout, VkBuffer to,
	uint32_t count, const VkBufferImageCopy *regions)
{
	struct null_command command = {
		.kind = NULL_COMMAND_COPY,
		.u.copy = {null_object(null_image, image), null_object(null_buffer, to), {0}},
	};

	for (uint32_t i = 0; i < count && command.u.copy.image->native; i++) {
		command.u.copy.region = regions[i];
		record(from_handle(buffer), &command, 1);
	}
}

VKAPI_ATTR void VKAPI_CALL
null_CmdFillBuffer(
	VkCommandBuffer buffer, VkBuffer to, VkDeviceSize offset, VkDeviceSize size, uint32_t word)
{
	struct null_command command = {
		.kind = NULL_COMMAND_FILL,
		.u.fill = {null_object(null_buffer, to), offset, size, word},
	};

	record(from_handle(buffer), &command, 1);
}

/* A secondary buffer that changes makes this one invalid, so its commands can be copied. */
VKAPI_ATTR void VKAPI_CALL
null_CmdExecuteCommands(VkCommandBuffer buffer, uint32_t count, const VkCommandBuffer *secondaries)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct null_command_buffer *secondary = from_handle(secondaries[i]);

		record(from_handle(buffer), secondary->commands, secondary->command_count);
		from_handle(buffer)->renders |= secondary->renders;
	}
}

static void
execute(const struct null_command *command)
{
	switch (command->kind) {
	case NULL_COMMAND_EVENT:
		command->u.event.event->set = command->u.event.set;
		break;
	case NULL_COMMAND_CLEAR:
		null_draw_clear(command->u.clear.image, &command->u.clear.colour);
		break;
	case NULL_COMMAND_COPY:
		null_draw_copy(
			command->u.copy.image, command->u.copy.buffer, &command->u.copy.region);
		break;
	case NULL_COMMAND_FILL:
		null_draw_fill(command->u.fill.buffer, command->u.fill.offset, command->u.fill.size,
			command->u.fill.word);
		break;
	}
}

void
null_command_buffer_finish(const struct null_command_buffer *buffer)
{
	for (uint32_t i = 0; i < buffer->command_count; i++)
		execute(&buffer->commands[i]);
}

static void
reset(struct null_command_buffer *buffer)
{
	buffer->command_count = 0;
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
	kr_free(pool_allocator(pool), buffer->commands);
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
		buffer->dispatch.magic =
			null_has_fault(command_buffer_without_magic) ? 0 : HWVULKAN_DISPATCH_MAGIC;
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
