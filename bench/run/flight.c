/* SPDX-License-Identifier: Apache-2.0 */
/* See flight.h. */
#include "bench/run/flight.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/vulkan_calls.h"

static int
create_buffer(struct flights *flights, struct flight *flight)
{
	static const VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
					   cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
					   coherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	const VkMemoryPropertyFlags wishes[] = {
		visible | cached | coherent, visible | cached, visible | coherent};
	struct triangle *t = flights->t;
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = flights->size,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkMemoryRequirements needed;
	int type = -1;

	TRY(DEVICE_FN(t->vk, vkCreateBuffer)(t->vk->device, &info, NULL, &flight->buffer));
	DEVICE_FN(t->vk, vkGetBufferMemoryRequirements)
	(t->vk->device, flight->buffer, &needed);
	for (unsigned i = 0; i < 3 && type < 0; i++) {
		type = triangle_memory_type(t, needed.memoryTypeBits, wishes[i]);
		flight->coherent = (wishes[i] & coherent) != 0;
	}
	allocate.allocationSize = needed.size;
	allocate.memoryTypeIndex = (uint32_t)type;
	TRY(type < 0 ? VK_ERROR_OUT_OF_HOST_MEMORY
		     : DEVICE_FN(t->vk, vkAllocateMemory)(
			       t->vk->device, &allocate, NULL, &flight->memory));
	TRY(DEVICE_FN(t->vk, vkBindBufferMemory)(t->vk->device, flight->buffer, flight->memory, 0));
	TRY(DEVICE_FN(t->vk, vkMapMemory)(
		t->vk->device, flight->memory, 0, VK_WHOLE_SIZE, 0, &flight->pixels));
	return 0;
}

static int
create_flight(struct flights *flights, struct flight *flight)
{
	VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = flights->t->vk->pool,
		.commandBufferCount = 1,
	};
	VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	struct vulkan_child *vk = flights->t->vk;

	TRY(DEVICE_FN(vk, vkAllocateCommandBuffers)(vk->device, &allocate, &flight->commands));
	TRY(DEVICE_FN(vk, vkCreateSemaphore)(vk->device, &semaphore, NULL, &flight->acquired));
	TRY(DEVICE_FN(vk, vkCreateFence)(vk->device, &fence, NULL, &flight->done));
	return flights->read_to < 0 ? 0 : create_buffer(flights, flight);
}

int
flights_create(struct flights *flights, struct triangle *t, unsigned count, int read_to)
{
	*flights = (struct flights){
		.t = t,
		.read_to = read_to,
		.size = (size_t)t->extent.width * t->extent.height * 4,
	};
	for (; flights->count < count && flights->count < FLIGHTS_MAX; flights->count++) {
		if (create_flight(flights, &flights->all[flights->count]))
			return 1;
	}
	return 0;
}

/* The frame as a program would use it: all of it goes out at once. */
static int
use_pixels(struct flights *flights, struct flight *flight)
{
	const char *pixels = flight->pixels;
	VkMappedMemoryRange range = {
		.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
		.memory = flight->memory,
		.size = VK_WHOLE_SIZE,
	};
	size_t done = 0;

	if (!flight->coherent)
		TRY(DEVICE_FN(flights->t->vk, vkInvalidateMappedMemoryRanges)(
			flights->t->vk->device, 1, &range));
	while (done < flights->size) {
		ssize_t n = write(flights->read_to, pixels + done, flights->size - done);

		if (n <= 0) {
			fprintf(stderr, "krafla-bench: pixels can't be written\n");
			return 1;
		}
		done += (size_t)n;
	}
	return 0;
}

static int
finish(struct flights *flights, struct flight *flight)
{
	struct vulkan_child *vk = flights->t->vk;

	if (!flight->pending)
		return 0;
	flight->pending = false;
	TRY(DEVICE_FN(vk, vkWaitForFences)(vk->device, 1, &flight->done, VK_TRUE, UINT64_MAX));
	TRY(DEVICE_FN(vk, vkResetFences)(vk->device, 1, &flight->done));
	return flights->read_to < 0 ? 0 : use_pixels(flights, flight);
}

static void
read_back(struct flights *flights, struct flight *flight, uint32_t index)
{
	struct triangle *t = flights->t;
	VkBufferImageCopy copy = {
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageExtent = {t->extent.width, t->extent.height, 1},
	};
	VkMemoryBarrier drawn = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
	};
	VkMemoryBarrier copied = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_HOST_READ_BIT,
	};

	DEVICE_FN(t->vk, vkCmdPipelineBarrier)
	(flight->commands, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &drawn, 0, NULL, 0, NULL);
	DEVICE_FN(t->vk, vkCmdCopyImageToBuffer)
	(flight->commands, t->images[index], t->layout_after, flight->buffer, 1, &copy);
	DEVICE_FN(t->vk, vkCmdPipelineBarrier)
	(flight->commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
		&copied, 0, NULL, 0, NULL);
}

static int
record(struct flights *flights, struct flight *flight, uint32_t index, unsigned number)
{
	if (triangle_begin(flights->t, flight->commands))
		return 1;
	triangle_draw(flights->t, flight->commands, index, number);
	if (flights->read_to >= 0)
		read_back(flights, flight, index);
	return triangle_end(flights->t, flight->commands);
}

static int
submit(struct flights *flights, struct flight *flight, uint32_t index)
{
	struct triangle *t = flights->t;
	VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
	uint32_t semaphores = t->swapchain ? 1 : 0;
	VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = semaphores,
		.pWaitSemaphores = &flight->acquired,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &flight->commands,
		.signalSemaphoreCount = semaphores,
		.pSignalSemaphores = &t->rendered[index],
	};

	TRY(DEVICE_FN(t->vk, vkQueueSubmit)(t->vk->queue, 1, &info, flight->done));
	flight->pending = true;
	return 0;
}

static int
present(struct triangle *t, uint32_t index)
{
	VkPresentInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = &t->rendered[index],
		.swapchainCount = 1,
		.pSwapchains = &t->swapchain,
		.pImageIndices = &index,
	};

	TRY(DEVICE_FN(t->vk, vkQueuePresentKHR)(t->vk->queue, &info));
	return 0;
}

int
flights_frame(struct flights *flights, unsigned number)
{
	struct flight *flight = &flights->all[number % flights->count];
	struct triangle *t = flights->t;
	uint32_t index = number % t->image_count;

	if (finish(flights, flight))
		return 1;
	if (t->swapchain)
		TRY(DEVICE_FN(t->vk, vkAcquireNextImageKHR)(t->vk->device, t->swapchain, UINT64_MAX,
			flight->acquired, VK_NULL_HANDLE, &index));
	if (record(flights, flight, index, number) || submit(flights, flight, index))
		return 1;
	return t->swapchain ? present(t, index) : 0;
}

int
flights_drain(struct flights *flights)
{
	int ret = 0;

	for (unsigned i = 0; i < flights->count; i++)
		ret |= finish(flights, &flights->all[i]);
	return ret;
}

void
flights_destroy(struct flights *flights)
{
	struct vulkan_child *vk = flights->t->vk;

	DEVICE_FN(vk, vkDeviceWaitIdle)(vk->device);
	for (unsigned i = 0; i < FLIGHTS_MAX; i++) {
		struct flight *flight = &flights->all[i];

		DEVICE_FN(vk, vkDestroySemaphore)(vk->device, flight->acquired, NULL);
		DEVICE_FN(vk, vkDestroyFence)(vk->device, flight->done, NULL);
		DEVICE_FN(vk, vkDestroyBuffer)(vk->device, flight->buffer, NULL);
		DEVICE_FN(vk, vkFreeMemory)(vk->device, flight->memory, NULL);
	}
}
