/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device that samples AHardwareBuffers, through libvulkan.so.1 and libkrafla as programs have
 * them. KRAFLA_TEST_DRIVER says whose: lavapipe's if it isn't set, `swiftshader`, or `given`: that
 * of VK_DRIVER_FILES, or of the machine.
 */
#ifndef KR_TESTS_FORMATS_RIG_H
#define KR_TESTS_FORMATS_RIG_H

#define VK_USE_PLATFORM_ANDROID_KHR
#include <vulkan/vulkan_core.h>
#include <vulkan/vulkan_android.h>

#include <krafla/hardware_buffer.h>
#include <stdbool.h>
#include <stdint.h>

#define RIG_PIXELS (256u * 256u) /* that one look at a picture has at most */

struct rig {
	VkInstance instance;
	VkPhysicalDevice gpu;
	VkDevice device;
	VkQueue queue;
	VkPhysicalDeviceProperties properties;
	bool conversions; /* samplerYcbcrConversion, enabled */
	PFN_vkGetAndroidHardwareBufferPropertiesANDROID get_properties;
	VkPhysicalDeviceMemoryProperties memory;
	VkCommandPool pool;
	VkCommandBuffer commands;
	VkBuffer out; /* RIG_PIXELS of four floats, or whole numbers */
	VkDeviceMemory out_memory;
	void *pixels;
};

/* Skips the case where there are no such devices. `conversions`: enables them, if it has them. */
void rig_open(struct rig *rig, bool conversions);
void rig_close(struct rig *rig);

/* Its commands, recorded between the two; when they end, the CPU sees what was written. */
void rig_begin(const struct rig *rig);
void rig_end(const struct rig *rig);

/* A buffer, of memory of CPUs where `usage` has their bits. NULL: there are no such. */
AHardwareBuffer *rig_buffer(uint32_t width, uint32_t height, uint32_t format, uint64_t usage);
#define RIG_CPU_USAGE                                                                              \
	(AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN |            \
		AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE)
/* What the device says of it, in both structures, which must agree. */
VkResult rig_ask(const struct rig *rig, AHardwareBuffer *buffer,
	VkAndroidHardwareBufferFormatProperties2ANDROID *format);

/* An image with the buffer's memory. */
struct rig_image {
	VkImage image;
	VkDeviceMemory memory;
	VkFormat format; /* UNDEFINED: an external one */
};
/* `format` UNDEFINED: of the number. */
VkResult rig_import(const struct rig *rig, AHardwareBuffer *buffer, VkFormat format,
	uint64_t external_format, VkImageUsageFlags usage, struct rig_image *image);
void rig_image_destroy(const struct rig *rig, struct rig_image *image);

/*
 * Writes planes (rows without gaps, one behind the other) by the device, into a buffer that it
 * alone has.
 */
void rig_write(const struct rig *rig, AHardwareBuffer *buffer, VkFormat format, const void *planes,
	uint32_t width, uint32_t height, uint32_t bytes);

struct rig_look {
	VkFormat format;    /* of the view; UNDEFINED: the image's is external */
	bool whole_numbers; /* ..._UINT */
	VkFilter filter;
	const VkSamplerYcbcrConversionCreateInfo *conversion; /* or NULL */
	uint32_t width, height; /* of what is seen: the picture's own, or another */
};
/* rig->pixels are then what was sampled: four floats each (or uint32_t). */
VkResult rig_sample(struct rig *rig, const struct rig_image *image, const struct rig_look *look);

#endif
