/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing: a clear, in a few command buffers a queue that are used again and again. */
#include "check/rig/state.h"

#include <stdlib.h>
#include <string.h>

#define AT_ONCE 4
#define WAIT_NS (UINT64_C(5) * 1000 * 1000 * 1000)

struct queue_draws {
	VkCommandPool pool;
	VkCommandBuffer buffers[AT_ONCE];
	VkFence fences[AT_ONCE];
	bool pending[AT_ONCE];
	unsigned next;
};

struct check_draws {
	struct queue_draws queues[CHECK_MAX_QUEUES];
};

static void
make_queue(struct check *c, struct check_device *device, struct queue_draws *draws)
{
	const VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
		.queueFamilyIndex = device->family,
	};
	const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkCommandBufferAllocateInfo buffers = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = AT_ONCE,
	};

	CHECK_SUCCESS(
		c, vkCreateCommandPool, device->device, &pool, device->allocator, &draws->pool);
	buffers.commandPool = draws->pool;
	CHECK_SUCCESS(c, vkAllocateCommandBuffers, device->device, &buffers, draws->buffers);
	for (int i = 0; i < AT_ONCE; i++)
		CHECK_SUCCESS(c, vkCreateFence, device->device, &fence, device->allocator,
			&draws->fences[i]);
}

static void
destroy_queue(struct check *c, struct check_device *device, struct queue_draws *draws)
{
	if (!draws->pool)
		return;
	for (int i = 0; i < AT_ONCE; i++) {
		if (draws->pending[i])
			CHECK_CALL(c, vkWaitForFences, device->device, 1, &draws->fences[i],
				VK_TRUE, WAIT_NS);
		CHECK_CALL(c, vkDestroyFence, device->device, draws->fences[i], device->allocator);
	}
	CHECK_CALL(c, vkDestroyCommandPool, device->device, draws->pool, device->allocator);
}

void
check_draws_destroy(struct check *c, struct check_device *device)
{
	if (!device->draws)
		return;
	for (unsigned i = 0; i < CHECK_MAX_QUEUES; i++)
		destroy_queue(c, device, &device->draws->queues[i]);
	free(device->draws);
	device->draws = NULL;
}

/* One that isn't pending any more. */
static unsigned
take_buffer(struct check *c, struct check_device *device, struct queue_draws *draws)
{
	unsigned i = draws->next++ % AT_ONCE;

	if (draws->pending[i]) {
		VkResult result = CHECK_CALL(
			c, vkWaitForFences, device->device, 1, &draws->fences[i], VK_TRUE, WAIT_NS);

		CHECK(c, result != VK_TIMEOUT, "what was submitted isn't done within 5 s");
		check_success(c, "vkWaitForFences", result);
		CHECK_SUCCESS(c, vkResetFences, device->device, 1, &draws->fences[i]);
		draws->pending[i] = false;
	}
	return i;
}

static VkImageMemoryBarrier
barrier(const struct check_image *image)
{
	return (VkImageMemoryBarrier){
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image->image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
}

static void
record(struct check *c, VkCommandBuffer buffer, const struct check_image *image,
	const float rgba[4])
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};
	VkImageMemoryBarrier before = barrier(image), after = before;
	VkClearColorValue color;

	before.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
	before.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
	before.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
	after.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
	after.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
	after.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
	/* A shared image has one layout for good, in which it may be written, too. */
	if (image->shared) {
		before.newLayout = VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR;
		after.oldLayout = after.newLayout = VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR;
	}
	memcpy(color.float32, rgba, sizeof(color.float32));
	CHECK_SUCCESS(c, vkBeginCommandBuffer, buffer, &begin);
	CHECK_CALL(c, vkCmdPipelineBarrier, buffer, VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &before);
	CHECK_CALL(c, vkCmdClearColorImage, buffer, image->image, before.newLayout, &color, 1,
		&before.subresourceRange);
	CHECK_CALL(c, vkCmdPipelineBarrier, buffer, VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, NULL, 0, NULL, 1, &after);
	CHECK_SUCCESS(c, vkEndCommandBuffer, buffer);
}

static VkResult
submit(struct check *c, VkQueue queue, VkCommandBuffer buffer, VkSemaphore wait, VkSemaphore signal,
	VkFence fence)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = wait ? 1 : 0,
		.pWaitSemaphores = &wait,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &buffer,
		.signalSemaphoreCount = signal ? 1 : 0,
		.pSignalSemaphores = &signal,
	};

	return CHECK_CALL(c, vkQueueSubmit, queue, 1, &info, fence);
}

/* Several threads may come for the first time, each with its queue. */
static struct queue_draws *
draws_of_queue(struct check *c, struct check_device *device, uint32_t queue)
{
	struct check_draws *draws = __atomic_load_n(&device->draws, __ATOMIC_ACQUIRE), *none = NULL;

	CHECK(c, queue < device->queue_count, "there is no queue %u", queue);
	if (draws)
		return &draws->queues[queue];
	draws = calloc(1, sizeof(*draws));
	if (!draws)
		check_skip(c, "no memory");
	if (__atomic_compare_exchange_n(
		    &device->draws, &none, draws, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return &draws->queues[queue];
	free(draws);
	return &none->queues[queue];
}

VkResult
check_try_clear(struct check *c, struct check_device *device, struct check_image *image,
	uint32_t queue, const float rgba[4], VkSemaphore wait, VkSemaphore signal)
{
	struct queue_draws *draws = draws_of_queue(c, device, queue);
	VkResult result;
	unsigned i;

	if (!draws->pool)
		make_queue(c, device, draws);
	i = take_buffer(c, device, draws);
	record(c, draws->buffers[i], image, rgba);
	result =
		submit(c, device->queues[queue], draws->buffers[i], wait, signal, draws->fences[i]);
	draws->pending[i] = result == VK_SUCCESS;
	return result;
}

void
check_clear(struct check *c, struct check_device *device, struct check_image *image, uint32_t queue,
	const float rgba[4], VkSemaphore wait, VkSemaphore signal)
{
	check_success(
		c, "vkQueueSubmit", check_try_clear(c, device, image, queue, rgba, wait, signal));
}
