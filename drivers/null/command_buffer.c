/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command buffers. Nothing is executed, so of all commands only those that a program could notice
 * are recorded: they set and reset events, which happens when the batch is over.
 */
#include "null/null.h"

#include <string.h>

#include "null/commands.h"

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

		bigger = kr_zalloc_array(null_pool_allocator(buffer->pool), capacity,
			sizeof(*bigger), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
		if (!bigger) {
			buffer->failed = true;
			return;
		}
		if (buffer->event_count)
			memcpy(bigger, buffer->events, buffer->event_count * sizeof(*bigger));
		kr_free(null_pool_allocator(buffer->pool), buffer->events);
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

void
null_command_buffer_reset(struct null_command_buffer *buffer)
{
	buffer->event_count = 0;
	buffer->failed = false;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_BeginCommandBuffer(VkCommandBuffer buffer, const VkCommandBufferBeginInfo *info)
{
	null_command_buffer_reset(from_handle(buffer));
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
	null_command_buffer_reset(from_handle(buffer));
	return VK_SUCCESS;
}
