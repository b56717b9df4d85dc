/* SPDX-License-Identifier: Apache-2.0 */
/* Draws into an image, copies it to a buffer, writes that. */
#include "cube_offscreen.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cube_gpu.h"
#include "cube_scene.h"

#define FORMAT VK_FORMAT_R8G8B8A8_UNORM

static void
write_ppm(const char *path, VkExtent2D size, const uint8_t *rgba)
{
	FILE *file = fopen(path, "wb");

	if (!file)
		die("can't write %s: %s", path, strerror(errno));
	fprintf(file, "P6\n%u %u\n255\n", size.width, size.height);
	for (size_t i = 0; i < (size_t)size.width * size.height; i++)
		fwrite(rgba + 4 * i, 3, 1, file);
	if (ferror(file) || fclose(file) != 0)
		die("can't write %s: %s", path, strerror(errno));
}

void
offscreen_write(const struct gpu *gpu, VkImage image, VkExtent2D size, const char *path)
{
	const VkBufferImageCopy copy = {
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageExtent = {size.width, size.height, 1},
	};
	struct gpu_buffer buffer = gpu_buffer_create(
		gpu, (VkDeviceSize)size.width * size.height * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	VkCommandBuffer commands = gpu_begin(gpu);

	gpu_change_layout(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
		VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
	vkCmdCopyImageToBuffer(
		commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer.buffer, 1, &copy);
	gpu_finish(gpu, commands);
	write_ppm(path, size, buffer.data);
	gpu_buffer_destroy(gpu, &buffer);
}

void
offscreen_draw(uint32_t device_index, VkExtent2D size, uint64_t frame, const char *path)
{
	struct gpu_image image;
	struct target target;
	struct scene scene;
	struct gpu gpu = {0};
	VkCommandBuffer commands;

	gpu_open_instance(&gpu, NULL);
	gpu_open_device(&gpu, device_index, VK_NULL_HANDLE);
	scene_create(&scene, &gpu, FORMAT, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, NULL);
	image = gpu_image_create(&gpu, FORMAT, size,
		VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
		VK_IMAGE_ASPECT_COLOR_BIT);
	target_create(&target, &scene, FORMAT, image.image, size);

	commands = gpu_begin(&gpu);
	scene_draw(&scene, &target, commands, frame);
	gpu_finish(&gpu, commands);
	offscreen_write(&gpu, image.image, size, path);

	target_destroy(&target, &scene);
	gpu_image_destroy(&gpu, &image);
	scene_destroy(&scene);
	gpu_close(&gpu);
}
