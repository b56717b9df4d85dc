/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that has AHardwareBuffers in Vulkan: linked to libvulkan.so.1 and libkrafla.so.0, as
 * programs are. What it does is what every driver of ours can: clear images, read them, and lie in
 * buffers. What fails ends the case.
 */
#ifndef KR_TESTS_BUFFERS_PROGRAM_H
#define KR_TESTS_BUFFERS_PROGRAM_H

#define VK_USE_PLATFORM_ANDROID_KHR
#include <krafla/hardware_buffer.h>
#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#define HARDWARE_BUFFER   VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID
#define PROGRAM_MAX_BYTES (256 * 256 * 4)

struct program {
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	VkQueue queue;
	VkCommandPool pool;
	VkCommandBuffer commands;
	VkBuffer staging;
	VkDeviceMemory staging_memory;
	uint8_t *read; /* what program_read has read */
	PFN_vkGetAndroidHardwareBufferPropertiesANDROID properties;
	PFN_vkGetMemoryAndroidHardwareBufferANDROID get_buffer;
};

/* An image and its memory; either may be missing. */
struct picture {
	VkImage image;
	VkDeviceMemory memory;
	VkImageAspectFlags aspects;
	uint32_t width, height, layers, levels;
};

/*
 * Chooses the driver by KRAFLA_TEST_DRIVER: "null" (which then has the extension), "given" (that of
 * VK_DRIVER_FILES), else lavapipe. Before all else.
 */
void program_use_driver(void);
bool program_uses_null(void);
/* With a device that has the extension, and all that it needs. */
void program_open(struct program *program);
/* How often the device lists it. */
uint32_t program_count_extension(const struct program *program, const char *name);
void program_close(struct program *program);

/* What images of this program are, but for what the case changes. */
VkImageCreateInfo program_image_info(uint32_t width, uint32_t height, VkFormat format);
/* In place of `info->pNext`: an image that may lie in a buffer. */
VkResult program_create_image(
	struct program *program, const VkImageCreateInfo *info, struct picture *picture);
/* Memory that is the buffer, for that image (NULL: for none). */
VkResult program_allocate_import(struct program *program, const struct picture *picture,
	AHardwareBuffer *buffer, VkDeviceMemory *memory);
VkResult program_allocate_export(
	struct program *program, const struct picture *picture, VkDeviceMemory *memory);
/* All of that with success; the image is the buffer, or becomes one. */
void program_import(struct program *program, const VkImageCreateInfo *info, AHardwareBuffer *buffer,
	struct picture *picture);
void program_export(
	struct program *program, const VkImageCreateInfo *info, struct picture *picture);
void program_destroy(struct program *program, struct picture *picture);
/* A reference of the case's. */
AHardwareBuffer *program_buffer_of(struct program *program, const struct picture *picture);

/*
 * Clears a layer and level and hands the image to whoever has the buffer (queue family `to`:
 * VK_QUEUE_FAMILY_EXTERNAL or VK_QUEUE_FAMILY_FOREIGN_EXT).
 */
void program_clear(struct program *program, const struct picture *picture, uint32_t layer,
	uint32_t level, VkClearColorValue colour, uint32_t to);
/* Takes the image from there, reads, and hands it back. */
void program_read(struct program *program, const struct picture *picture, uint32_t layer,
	uint32_t level, uint32_t from);

AHardwareBuffer *program_allocate_buffer(
	uint32_t width, uint32_t height, uint32_t format, uint64_t usage);
/* By the CPU: a pattern with that seed, or whether it is there (RGBA of 8 bits). */
void program_paint(AHardwareBuffer *buffer, uint32_t seed);
uint32_t program_pattern(uint32_t seed, uint32_t x, uint32_t y);
/* Fails unless every pixel of the buffer is this one. */
void program_expect_pixels(AHardwareBuffer *buffer, uint32_t pixel);

#endif
