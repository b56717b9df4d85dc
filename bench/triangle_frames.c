/* SPDX-License-Identifier: Apache-2.0 */
/* The three ways of drawing one frame and waiting for it. */
#include "bench/triangle.h"

#include "bench/vulkan_calls.h"

static int
record(struct triangle *t, uint32_t index, unsigned number)
{
	if (triangle_begin(t, t->vk->commands))
		return 1;
	triangle_draw(t, t->vk->commands, index, number);
	return triangle_end(t, t->vk->commands);
}

static int
finish(struct triangle *t, VkFence fence)
{
	TRY(DEVICE_FN(t->vk, vkWaitForFences)(t->vk->device, 1, &fence, VK_TRUE, UINT64_MAX));
	TRY(DEVICE_FN(t->vk, vkResetFences)(t->vk->device, 1, &fence));
	return 0;
}

/* Draws between two semaphores. */
static int
submit_frame(struct triangle *t, const VkSemaphore *rendered)
{
	VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
	VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = &t->acquired,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &t->vk->commands,
		.signalSemaphoreCount = 1,
		.pSignalSemaphores = rendered,
	};

	TRY(DEVICE_FN(t->vk, vkQueueSubmit)(t->vk->queue, 1, &submit, t->done));
	return 0;
}

int
triangle_frame(struct triangle *t, unsigned number)
{
	uint32_t index;
	VkPresentInfoKHR present = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.waitSemaphoreCount = 1,
		.swapchainCount = 1,
		.pSwapchains = &t->swapchain,
		.pImageIndices = &index,
	};

	TRY(DEVICE_FN(t->vk, vkAcquireNextImageKHR)(
		t->vk->device, t->swapchain, UINT64_MAX, t->acquired, VK_NULL_HANDLE, &index));
	present.pWaitSemaphores = &t->rendered[index];
	if (record(t, index, number) || submit_frame(t, &t->rendered[index]))
		return 1;
	TRY(DEVICE_FN(t->vk, vkQueuePresentKHR)(t->vk->queue, &present));
	return finish(t, t->done);
}

int
triangle_offscreen_frame(struct triangle *t, unsigned number)
{
	VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &t->vk->commands,
	};

	if (record(t, 0, number))
		return 1;
	TRY(DEVICE_FN(t->vk, vkQueueSubmit)(t->vk->queue, 1, &submit, t->done));
	return finish(t, t->done);
}

int
triangle_handshake_frame(struct triangle *t, unsigned number)
{
	VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	VkSubmitInfo acquire = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.signalSemaphoreCount = 1,
		.pSignalSemaphores = &t->acquired,
	};
	VkSubmitInfo release = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = &t->rendered[0],
		.pWaitDstStageMask = &stage,
	};

	TRY(DEVICE_FN(t->vk, vkQueueSubmit)(t->vk->queue, 1, &acquire, VK_NULL_HANDLE));
	if (record(t, 0, number) || submit_frame(t, &t->rendered[0]))
		return 1;
	TRY(DEVICE_FN(t->vk, vkQueueSubmit)(t->vk->queue, 1, &release, t->released));
	return finish(t, t->released) || finish(t, t->done);
}
