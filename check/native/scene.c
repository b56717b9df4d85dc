/* SPDX-License-Identifier: Apache-2.0 */
/* What the cases share: fences on their way to a driver, and frames. */
#include "check/native/native.h"

#include <errno.h>
#include <fcntl.h>
#include <krafla/hardware_buffer.h>
#include <string.h>
#include <unistd.h>

#define LIMIT_NS (UINT64_C(1000000) * NATIVE_LIMIT_MS)
#define CLOSE_MS 2000
#define POLL_MS  10

const VkFormat native_formats[NATIVE_FORMATS] = {
	VK_FORMAT_R8G8B8A8_UNORM,
	VK_FORMAT_R8G8B8A8_SRGB,
	VK_FORMAT_B8G8R8A8_UNORM,
	VK_FORMAT_B8G8R8A8_SRGB,
	VK_FORMAT_R5G6B5_UNORM_PACK16,
	VK_FORMAT_A2B10G10R10_UNORM_PACK32,
	VK_FORMAT_R16G16B16A16_SFLOAT,
};

const char *
native_format_name(VkFormat format)
{
	static const char *const names[NATIVE_FORMATS] = {
		"R8G8B8A8_UNORM",
		"R8G8B8A8_SRGB",
		"B8G8R8A8_UNORM",
		"B8G8R8A8_SRGB",
		"R5G6B5_UNORM_PACK16",
		"A2B10G10R10_UNORM_PACK32",
		"R16G16B16A16_SFLOAT",
	};

	for (unsigned i = 0; i < NATIVE_FORMATS; i++) {
		if (native_formats[i] == format)
			return names[i];
	}
	return "another format";
}

void
native_scene_make(struct check *c, struct native_scene *scene)
{
	check_make_device(c, NULL, &scene->device);
	check_make_image(c, &scene->device, NULL, &scene->image);
}

struct check_image
native_buffer(struct check *c, const struct check_device *device, uint64_t more_usage)
{
	const VkImageCreateInfo info = check_image_info(NULL, NULL);
	struct check_image image = {
		.format = info.format, .width = info.extent.width, .height = info.extent.height};
	VkResult result = check_gralloc_usage(c, device, info.format, info.usage, 0, &image.usage);

	check_success(c, "the query for gralloc usage", result);
	image.usage |= more_usage | AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY |
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN;
	image.buffer = check_make_buffer(c, image.format, image.width, image.height, image.usage);
	return image;
}

struct native_fence
native_fence_make(struct check *c)
{
	struct native_fence fence;

	fence.fd = check_fence(c, &fence.timeline);
	fence.watch = fcntl(fence.fd, F_DUPFD_CLOEXEC, 3);
	if (fence.watch < 0)
		check_skip(c, "a fence can't be duplicated: %s", strerror(errno));
	return fence;
}

struct native_fence
native_fence_later(struct check *c, int delay_ms)
{
	struct native_fence fence = native_fence_make(c);

	check_signal_later(c, fence.timeline, 1, delay_ms);
	return fence;
}

bool
native_fence_is_over(struct check *c, const struct native_fence *fence)
{
	return check_fence_status(c, fence->watch);
}

bool
native_fence_is_kept(struct check *c, const struct native_fence *fence)
{
	const struct check_mark mark = {fence->fd, fence->watch};

	return check_mark_is_open(c, &mark);
}

void
native_fence_expect_closed(struct check *c, const struct native_fence *fence)
{
	for (int ms = 0; ms < CLOSE_MS && native_fence_is_kept(c, fence); ms += POLL_MS)
		usleep(POLL_MS * 1000);
	CHECK(c, !native_fence_is_kept(c, fence),
		"descriptor %d, which vkAcquireImageANDROID was given, is still open %d ms after all that could need it was over",
		fence->fd, CLOSE_MS);
}

VkSemaphore
native_semaphore(struct check *c, const struct check_device *device)
{
	const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	VkSemaphore semaphore = VK_NULL_HANDLE;

	CHECK_SUCCESS(c, vkCreateSemaphore, device->device, &info, NULL, &semaphore);
	return semaphore;
}

VkFence
native_vk_fence(struct check *c, const struct check_device *device)
{
	const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkFence fence = VK_NULL_HANDLE;

	CHECK_SUCCESS(c, vkCreateFence, device->device, &info, NULL, &fence);
	return fence;
}

void
native_submit(struct check *c, const struct check_device *device, VkSemaphore wait,
	VkSemaphore signal, VkFence fence)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = wait ? 1 : 0,
		.pWaitSemaphores = &wait,
		.pWaitDstStageMask = &stage,
		.signalSemaphoreCount = signal ? 1 : 0,
		.pSignalSemaphores = &signal,
	};

	CHECK_SUCCESS(c, vkQueueSubmit, device->queues[0], 1, &info, fence);
}

void
native_wait(struct check *c, const struct check_device *device, VkFence fence, const char *what)
{
	VkResult result =
		CHECK_CALL(c, vkWaitForFences, device->device, 1, &fence, VK_TRUE, LIMIT_NS);

	CHECK(c, result != VK_TIMEOUT, "%s isn't signalled within %d ms", what, NATIVE_LIMIT_MS);
	check_success(c, "vkWaitForFences", result);
}

void
native_wait_after(struct check *c, const struct check_device *device, VkFence fence,
	const struct native_fence *first, const char *what)
{
	native_wait(c, device, fence, what);
	CHECK(c, native_fence_is_over(c, first),
		"%s is signalled, and the fence that the image was acquired with is still active",
		what);
}

void
native_consume(
	struct check *c, const struct check_device *device, VkSemaphore semaphore, const char *what)
{
	VkFence done = native_vk_fence(c, device);

	native_submit(c, device, semaphore, VK_NULL_HANDLE, done);
	native_wait(c, device, done, what);
	CHECK_CALL(c, vkDestroyFence, device->device, done, NULL);
}

void
native_acquire(struct check *c, const struct native_scene *scene, int take_fd,
	VkSemaphore semaphore, VkFence fence)
{
	CHECK_SUCCESS(c, vkAcquireImageANDROID, scene->device.device, scene->image.image, take_fd,
		semaphore, fence);
}

int
native_release(struct check *c, const struct check_device *device, const struct check_image *image,
	uint32_t wait_count, const VkSemaphore *waits)
{
	int fence = -2;

	CHECK_SUCCESS(c, vkQueueSignalReleaseImageANDROID, device->queues[0], wait_count, waits,
		image->image, &fence);
	CHECK(c, fence != -2, "vkQueueSignalReleaseImageANDROID left *pNativeFenceFd as it was");
	return fence;
}

void
native_released(struct check *c, int take_fence, const struct native_fence *first)
{
	bool signalled = check_wait_fence(c, take_fence, NATIVE_LIMIT_MS);
	int status = check_fence_status(c, take_fence);

	CHECK(c, !first || !status || native_fence_is_over(c, first),
		take_fence < 0
			? "vkQueueSignalReleaseImageANDROID gave -1, and what it had to wait for is still active"
			: "the release fence is over, and what it had to wait for is still active");
	CHECK(c, status >= 0, "the release fence failed: %s", strerror(-status));
	CHECK(c, signalled, "the release fence isn't signalled within %d ms", NATIVE_LIMIT_MS);
	if (take_fence >= 0)
		close(take_fence);
}

void
native_give_back(
	struct check *c, const struct check_device *device, const struct check_image *image)
{
	native_released(c, native_release(c, device, image, 0, NULL), NULL);
}

void
native_draw(struct check *c, struct check_device *device, struct check_image *image,
	const float rgba[4])
{
	CHECK_SUCCESS(c, vkAcquireImageANDROID, device->device, image->image, -1, VK_NULL_HANDLE,
		VK_NULL_HANDLE);
	check_clear(c, device, image, 0, rgba, VK_NULL_HANDLE, VK_NULL_HANDLE);
	native_give_back(c, device, image);
	check_pixels(c, image, rgba);
}

bool
native_shares_images(struct check *c, const struct check_device *device)
{
	VkPhysicalDevicePresentationPropertiesANDROID presentation = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &presentation};

	if (device->version < NATIVE_SINCE_PRESENTATION ||
		!check_functions(c)->vkGetPhysicalDeviceProperties2)
		return false;
	CHECK_CALL(c, vkGetPhysicalDeviceProperties2, device->physical, &properties);
	return presentation.sharedImage;
}

void
native_need_shared(struct check *c, const struct check_device *device)
{
	if (!native_shares_images(c, device))
		check_not_applicable(c, "the driver doesn't offer shared images");
}
