/* SPDX-License-Identifier: Apache-2.0 */
/* Images that the application makes for a swapchain, and binds (W-06). */
#include "check/native/native.h"

#include "gralloc/buffer.h"

#define MANY 3

static const float colours[MANY][4] = {
	{1.0f, 0.0f, 0.0f, 1.0f},
	{0.0f, 1.0f, 0.0f, 1.0f},
	{0.0f, 0.0f, 1.0f, 1.0f},
};

static void
draws(struct check *c)
{
	const struct check_image_request request = {.deferred = true};
	struct check_device device;
	struct check_image image;

	check_make_device(c, NULL, &device);
	check_make_image(c, &device, &request, &image);
	native_draw(c, &device, &image, colours[0]);
}

/* Without memory. The swapchain is the platform's, and no driver sees it (W-02). */
static VkImage
make_unbound(struct check *c, const struct check_device *device)
{
	const VkImageSwapchainCreateInfoKHR of = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR};
	const VkImageCreateInfo info = check_image_info(NULL, &of);
	VkImage image = VK_NULL_HANDLE;

	CHECK_SUCCESS(c, vkCreateImage, device->device, &info, NULL, &image);
	return image;
}

static void
several_in_one_call(struct check *c)
{
	const VkBindImageMemorySwapchainInfoKHR of = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR};
	VkNativeBufferANDROID natives[MANY];
	VkBindImageMemoryInfo binds[MANY];
	struct check_image images[MANY];
	struct check_device device;

	check_make_device(c, NULL, &device);
	for (int i = 0; i < MANY; i++) {
		check_make_image(c, &device, NULL, &images[i]);
		CHECK_CALL(c, vkDestroyImage, device.device, images[i].image, NULL);
		images[i].image = make_unbound(c, &device);
		natives[i] = check_native_buffer(images[i].buffer, &of);
		binds[i] = (VkBindImageMemoryInfo){
			.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
			.pNext = &natives[i],
			.image = images[i].image,
		};
	}
	CHECK_SUCCESS(c, vkBindImageMemory2, device.device, MANY, binds);
	for (int i = 0; i < MANY; i++)
		native_draw(c, &device, &images[i], colours[i]);
	for (int i = 0; i < MANY; i++)
		check_pixels(c, &images[i], colours[i]);
}

/* The swapchain has an image of the same buffer all the time. */
static void
of_a_buffer_in_use(struct check *c)
{
	const VkBindImageMemorySwapchainInfoKHR of = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR};
	VkBindImageMemoryInfo bind = {.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO};
	VkNativeBufferANDROID native;
	struct native_scene scene;
	struct check_image bound;
	VkResult result;

	native_scene_make(c, &scene);
	native = check_native_buffer(scene.image.buffer, &of);
	bound = scene.image;
	bind.pNext = &native;
	bind.image = bound.image = make_unbound(c, &scene.device);
	result = CHECK_CALL(c, vkBindImageMemory2, scene.device.device, 1, &bind);
	CHECK(c, result == VK_SUCCESS,
		"the buffer of another image can't be bound: vkBindImageMemory2 gives %s",
		check_result_name(result));
	/* The swapchain's own image is what is acquired and released. */
	CHECK_SUCCESS(c, vkAcquireImageANDROID, scene.device.device, scene.image.image, -1,
		VK_NULL_HANDLE, VK_NULL_HANDLE);
	check_clear(c, &scene.device, &bound, 0, colours[1], VK_NULL_HANDLE, VK_NULL_HANDLE);
	native_give_back(c, &scene.device, &scene.image);
	check_pixels(c, &scene.image, colours[1]);
}

static void
unbound_is_destroyed(struct check *c)
{
	struct check_device device;

	check_make_device(c, NULL, &device);
	if (device.api_version < VK_API_VERSION_1_1)
		check_not_applicable(c, "the device has Vulkan 1.0, and no vkBindImageMemory2");
	CHECK_CALL(c, vkDestroyImage, device.device, make_unbound(c, &device), NULL);
}

static const struct check_case rows[] = {
	{
		.name = "deferred.draws",
		.requirement = "W-06",
		.expected =
			"an image made with VkImageSwapchainCreateInfoKHR is bound by vkBindImageMemory2 with VkNativeBufferANDROID, and drawn to",
		.consequence = "windows of programs that bind swapchain images stay black",
		.run = draws,
		.min_version = NATIVE_SINCE_BIND,
	},
	{
		.name = "deferred.several_in_one_call",
		.requirement = "W-06",
		.expected = "vkBindImageMemory2 binds each image to its own buffer",
		.consequence = "frames are missing, or come twice",
		.run = several_in_one_call,
		.min_version = NATIVE_SINCE_BIND,
	},
	{
		.name = "deferred.of_a_buffer_in_use",
		.requirement = "W-06",
		.expected =
			"the buffer of a swapchain's image can be bound, and that image's release shows what was drawn",
		.consequence = "vkBindImageMemory2 fails for every image of a swapchain",
		.run = of_a_buffer_in_use,
		.min_version = NATIVE_SINCE_BIND,
	},
	{
		.name = "deferred.unbound_is_destroyed",
		.requirement = "W-06",
		.expected = "an image for a swapchain can be destroyed without ever being bound",
		.consequence = "programs crash when they end early",
		.run = unbound_is_destroyed,
		.min_version = NATIVE_SINCE_BIND,
	},
};

const struct check_rows check_native_deferred = CHECK_ROWS(rows);
