/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the adapter does to images whose memory others look at, as the validation layer between it
 * and lavapipe sees it: layouts, owners, synchronisation. It has nothing to say.
 */
#include "gpu.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <krafla/hardware_buffer.h>

#include "gralloc/gpu_memory.h"
#include "util/native_memory.h"

#define SIZE   64
#define FORMAT VK_FORMAT_R8G8B8A8_UNORM

struct fixture {
	struct gpu gpu;
	const char *log;
	struct kr_buffer *buffer;
	VkImage image;
	VkSemaphore acquired, drawn;
	VkFence fence;
	VkCommandPool pool;
	VkCommandBuffer commands; /* from PRESENT_SRC and back, over a copy */
};

static void
barrier(struct fixture *f, VkImageLayout from, VkImageLayout to)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.oldLayout = from,
		.newLayout = to,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = f->image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};

	f->gpu.d.CmdPipelineBarrier(f->commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

/* As an application goes on with what it presented before; `from`: where it thinks that it is. */
static void
record(struct fixture *f, VkImageLayout from)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
	};
	const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	const VkClearColorValue red = {.float32 = {1, 0, 0, 1}};

	assert_int_equal(f->gpu.d.BeginCommandBuffer(f->commands, &begin), VK_SUCCESS);
	barrier(f, from, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
	f->gpu.d.CmdClearColorImage(
		f->commands, f->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &red, 1, &range);
	barrier(f, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
	assert_int_equal(f->gpu.d.EndCommandBuffer(f->commands), VK_SUCCESS);
}

static void
make_commands(struct fixture *f)
{
	const VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
	};
	VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 1};

	assert_int_equal(
		f->gpu.d.CreateCommandPool(f->gpu.device, &pool, NULL, &f->pool), VK_SUCCESS);
	allocate.commandPool = f->pool;
	assert_int_equal(f->gpu.d.AllocateCommandBuffers(f->gpu.device, &allocate, &f->commands),
		VK_SUCCESS);
}

static void
make_image(struct fixture *f)
{
	const struct kr_buffer_desc desc = {SIZE, SIZE, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN |
			KR_USAGE_GPU_MEMORY};
	struct kr_gpu_memory memory;
	int fd;

	assert_int_equal(kr_buffer_allocate(&desc, &f->buffer), 0);
	f->image = gpu_image(&f->gpu, f->buffer, FORMAT);
	assert_int_equal(f->gpu.get_memory(f->gpu.device, f->image, &memory, &fd), VK_SUCCESS);
	close(fd);
}

static void
set_up(struct fixture *f)
{
	/* The layout of presentation is of an extension that the driver's end has to have. */
	const struct gpu_options options = {
		.keep_driver_wsi = true,
		.api_version = VK_API_VERSION_1_1,
		.instance_extension = "VK_KHR_surface",
		.extension = "VK_KHR_swapchain",
	};

	memset(f, 0, sizeof(*f));
	f->log = gpu_open_validated(&f->gpu);
	assert_int_equal(gpu_create_instance(&f->gpu, &options), VK_SUCCESS);
	assert_int_equal(gpu_create_device(&f->gpu, &options), VK_SUCCESS);
	make_image(f);
	f->acquired = gpu_semaphore(&f->gpu);
	f->drawn = gpu_semaphore(&f->gpu);
	f->fence = gpu_fence(&f->gpu);
	make_commands(f);
}

static void
tear_down(struct fixture *f)
{
	f->gpu.d.DestroyCommandPool(f->gpu.device, f->pool, NULL);
	f->gpu.d.DestroyFence(f->gpu.device, f->fence, NULL);
	f->gpu.d.DestroySemaphore(f->gpu.device, f->acquired, NULL);
	f->gpu.d.DestroySemaphore(f->gpu.device, f->drawn, NULL);
	f->gpu.d.DestroyImage(f->gpu.device, f->image, NULL);
	gpu_finish(&f->gpu);
	kr_buffer_unref(f->buffer);
}

/* What the layer has found, up to some text. */
static const char *
findings(const struct fixture *f)
{
	static char text[16384];
	FILE *file = fopen(f->log, "r");

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static void
acquire(struct fixture *f, VkFence fence)
{
	assert_int_equal(f->gpu.acquire(f->gpu.device, f->image, -1,
				 fence ? VK_NULL_HANDLE : f->acquired, fence),
		VK_SUCCESS);
	if (!fence)
		return;
	gpu_wait_fence(&f->gpu, fence);
	assert_int_equal(f->gpu.d.ResetFences(f->gpu.device, 1, &fence), VK_SUCCESS);
}

static void
submit(struct fixture *f, bool waits)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
	const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = waits,
		.pWaitSemaphores = &f->acquired,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &f->commands,
		.signalSemaphoreCount = 1,
		.pSignalSemaphores = &f->drawn};

	assert_int_equal(f->gpu.d.QueueSubmit(f->gpu.queue, 1, &info, NULL), VK_SUCCESS);
}

static void
release(struct fixture *f, VkSemaphore wait, bool wanted)
{
	VkBool32 has_pixels;
	int fence = -1;

	assert_int_equal(f->gpu.release_wanted(f->gpu.queue, wait != VK_NULL_HANDLE, &wait,
				 f->image, wanted, &fence, &has_pixels),
		VK_SUCCESS);
	assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
}

static void
first_frame(struct fixture *f, bool wanted)
{
	acquire(f, VK_NULL_HANDLE);
	gpu_drawing_finish(
		&f->gpu, gpu_draw(&f->gpu, f->image, FORMAT, SIZE, SIZE, f->acquired, f->drawn));
	release(f, f->drawn, wanted);
	record(f, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
}

static void
giving_and_taking_is_valid(void **state)
{
	struct fixture f;

	set_up(&f);
	first_frame(&f, false);
	for (int i = 0; i < 4; i++) {
		VkFence fence = i & 1 ? f.fence : VK_NULL_HANDLE;

		acquire(&f, fence);
		submit(&f, !fence);
		/* What was copied into the buffer is taken from there by the next acquire. */
		release(&f, f.drawn, i & 2);
	}
	/* Presented without being drawn into, and released without an acquire between. */
	acquire(&f, VK_NULL_HANDLE);
	release(&f, f.acquired, false);
	release(&f, VK_NULL_HANDLE, true);
	release(&f, VK_NULL_HANDLE, false);
	tear_down(&f);
	assert_string_equal(findings(&f), "");
}

static void
what_is_waited_for_beside_values_is_valid(void **state)
{
	const uint32_t first = 0, mask = 1;
	const VkDeviceGroupSubmitInfo values = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO,
		.waitSemaphoreCount = 1,
		.pWaitSemaphoreDeviceIndices = &first,
		.commandBufferCount = 1,
		.pCommandBufferDeviceMasks = &mask,
		.signalSemaphoreCount = 1,
		.pSignalSemaphoreDeviceIndices = &first,
	};
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.pNext = &values,
		.waitSemaphoreCount = 1,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.signalSemaphoreCount = 1};
	struct fixture f;

	set_up(&f);
	info.pWaitSemaphores = &f.acquired;
	info.pCommandBuffers = &f.commands;
	info.pSignalSemaphores = &f.drawn;
	first_frame(&f, true);
	acquire(&f, VK_NULL_HANDLE);
	assert_int_equal(f.gpu.d.QueueSubmit(f.gpu.queue, 1, &info, NULL), VK_SUCCESS);
	release(&f, f.drawn, false);
	tear_down(&f);
	assert_string_equal(findings(&f), "");
}

/* Without this the others prove nothing. */
static void
a_wrong_layout_is_found(void **state)
{
	struct fixture f;

	set_up(&f);
	first_frame(&f, false);
	/* As if nobody had taken it back. */
	record(&f, VK_IMAGE_LAYOUT_GENERAL);
	acquire(&f, VK_NULL_HANDLE);
	submit(&f, true);
	release(&f, f.drawn, false);
	tear_down(&f);
	assert_non_null(strstr(findings(&f), "InvalidImageLayout"));
}

#define KEEPS (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)

static const struct kr_test tests[] = {
	KR_TEST_SLOW(giving_and_taking_is_valid, KEEPS, 60),
	KR_TEST_SLOW(what_is_waited_for_beside_values_is_valid, KEEPS, 60),
	KR_TEST_SLOW(a_wrong_layout_is_found, KEEPS, 60),
};

KR_TEST_MAIN(tests)
