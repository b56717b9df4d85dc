/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "tests/integration/stack/stack.h"

#define CPU (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)

static bool
driver_is(const char *name)
{
	const char *driver = getenv("KRAFLA_TEST_DRIVER");

	return driver && !strcmp(driver, name);
}

bool
program_uses_null(void)
{
	return driver_is("null");
}

void
program_use_driver(void)
{
	const char *given = driver_is("given") ? getenv("VK_DRIVER_FILES") : NULL;
	char *kept = given ? strdup(given) : NULL;

	stack_use(program_uses_null() ? STACK_NULL : STACK_LAVAPIPE);
	setenv("KRAFLA_NULL_DRIVER", "version=11,hardware_buffers=yes", 1);
	if (kept)
		setenv("VK_DRIVER_FILES", kept, 1);
	free(kept);
}

uint32_t
program_count_extension(const struct program *program, const char *name)
{
	static VkExtensionProperties list[512];
	uint32_t count = 512, found = 0;

	assert_int_equal(
		vkEnumerateDeviceExtensionProperties(program->physical, NULL, &count, list),
		VK_SUCCESS);
	for (uint32_t i = 0; i < count; i++)
		found += !strcmp(list[i].extensionName, name);
	return found;
}

static void
open_instance(struct program *program)
{
	const VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.apiVersion = VK_API_VERSION_1_1,
	};
	const VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
	};
	uint32_t number = 1;

	assert_int_equal(vkCreateInstance(&info, NULL, &program->instance), VK_SUCCESS);
	assert_true(vkEnumeratePhysicalDevices(program->instance, &number, &program->physical) >=
		VK_SUCCESS);
	assert_int_equal(number, 1);
}

static void
open_device(struct program *program)
{
	static const char *const extensions[] = {
		VK_ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER_EXTENSION_NAME,
		VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME,
	};
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	const VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.enabledExtensionCount = 2,
		.ppEnabledExtensionNames = extensions,
	};

	assert_int_equal(
		vkCreateDevice(program->physical, &info, NULL, &program->device), VK_SUCCESS);
	vkGetDeviceQueue(program->device, 0, 0, &program->queue);
	program->properties = (PFN_vkGetAndroidHardwareBufferPropertiesANDROID)vkGetDeviceProcAddr(
		program->device, "vkGetAndroidHardwareBufferPropertiesANDROID");
	program->get_buffer = (PFN_vkGetMemoryAndroidHardwareBufferANDROID)vkGetDeviceProcAddr(
		program->device, "vkGetMemoryAndroidHardwareBufferANDROID");
	assert_non_null(program->properties);
	assert_non_null(program->get_buffer);
}

static void
create_commands(struct program *program)
{
	const VkCommandPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
	};
	VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandBufferCount = 1,
	};

	assert_int_equal(
		vkCreateCommandPool(program->device, &info, NULL, &program->pool), VK_SUCCESS);
	allocate.commandPool = program->pool;
	assert_int_equal(vkAllocateCommandBuffers(program->device, &allocate, &program->commands),
		VK_SUCCESS);
}

static uint32_t
host_visible(const struct program *program, uint32_t types)
{
	const VkMemoryPropertyFlags wanted =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	VkPhysicalDeviceMemoryProperties memory;

	vkGetPhysicalDeviceMemoryProperties(program->physical, &memory);
	for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
		if ((types & 1u << i) && (memory.memoryTypes[i].propertyFlags & wanted) == wanted)
			return i;
	}
	fail_msg("no memory for the CPU");
	return 0;
}

static void
create_staging(struct program *program)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = PROGRAM_MAX_BYTES,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkMemoryRequirements needs;

	assert_int_equal(
		vkCreateBuffer(program->device, &info, NULL, &program->staging), VK_SUCCESS);
	vkGetBufferMemoryRequirements(program->device, program->staging, &needs);
	allocate.allocationSize = needs.size;
	allocate.memoryTypeIndex = host_visible(program, needs.memoryTypeBits);
	assert_int_equal(
		vkAllocateMemory(program->device, &allocate, NULL, &program->staging_memory),
		VK_SUCCESS);
	assert_int_equal(
		vkBindBufferMemory(program->device, program->staging, program->staging_memory, 0),
		VK_SUCCESS);
	assert_int_equal(vkMapMemory(program->device, program->staging_memory, 0, VK_WHOLE_SIZE, 0,
				 (void **)&program->read),
		VK_SUCCESS);
}

void
program_open(struct program *program)
{
	*program = (struct program){0};
	open_instance(program);
	open_device(program);
	create_commands(program);
	create_staging(program);
}

void
program_close(struct program *program)
{
	vkDestroyBuffer(program->device, program->staging, NULL);
	vkFreeMemory(program->device, program->staging_memory, NULL);
	vkDestroyCommandPool(program->device, program->pool, NULL);
	vkDestroyDevice(program->device, NULL);
	vkDestroyInstance(program->instance, NULL);
}

VkImageCreateInfo
program_image_info(uint32_t width, uint32_t height, VkFormat format)
{
	return (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = {width, height, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
			VK_IMAGE_USAGE_SAMPLED_BIT,
	};
}

static VkImageAspectFlags
aspects_of(VkFormat format)
{
	switch (format) {
	case VK_FORMAT_D16_UNORM:
	case VK_FORMAT_D32_SFLOAT:
		return VK_IMAGE_ASPECT_DEPTH_BIT;
	default:
		return VK_IMAGE_ASPECT_COLOR_BIT;
	}
}

VkResult
program_create_image(
	struct program *program, const VkImageCreateInfo *info, struct picture *picture)
{
	const VkExternalMemoryImageCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
		.handleTypes = HARDWARE_BUFFER,
	};
	VkImageCreateInfo with = *info;

	*picture = (struct picture){
		.aspects = aspects_of(info->format),
		.width = info->extent.width,
		.height = info->extent.height,
		.layers = info->arrayLayers,
		.levels = info->mipLevels,
	};
	with.pNext = &external;
	return vkCreateImage(program->device, &with, NULL, &picture->image);
}

VkResult
program_allocate_import(struct program *program, const struct picture *picture,
	AHardwareBuffer *buffer, VkDeviceMemory *memory)
{
	const VkImportAndroidHardwareBufferInfoANDROID import = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_ANDROID_HARDWARE_BUFFER_INFO_ANDROID,
		.buffer = buffer,
	};
	const VkMemoryDedicatedAllocateInfo dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
		.pNext = &import,
		.image = picture ? picture->image : VK_NULL_HANDLE,
	};
	VkAndroidHardwareBufferPropertiesANDROID properties = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_PROPERTIES_ANDROID,
	};
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = picture ? (const void *)&dedicated : &import,
	};
	VkResult result = program->properties(program->device, buffer, &properties);

	if (result != VK_SUCCESS)
		return result;
	assert_true(properties.allocationSize);
	assert_true(properties.memoryTypeBits);
	info.allocationSize = properties.allocationSize;
	info.memoryTypeIndex = (uint32_t)__builtin_ctz(properties.memoryTypeBits);
	return vkAllocateMemory(program->device, &info, NULL, memory);
}

VkResult
program_allocate_export(
	struct program *program, const struct picture *picture, VkDeviceMemory *memory)
{
	const VkExportMemoryAllocateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
		.handleTypes = HARDWARE_BUFFER,
	};
	const VkMemoryDedicatedAllocateInfo dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
		.pNext = &export,
		.image = picture->image,
	};
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &dedicated,
	};
	VkMemoryRequirements needs;

	/* The size of what is exported isn't the program's to say: 0. */
	vkGetImageMemoryRequirements(program->device, picture->image, &needs);
	info.memoryTypeIndex = (uint32_t)__builtin_ctz(needs.memoryTypeBits);
	return vkAllocateMemory(program->device, &info, NULL, memory);
}

static void
bind(struct program *program, struct picture *picture)
{
	assert_int_equal(
		vkBindImageMemory(program->device, picture->image, picture->memory, 0), VK_SUCCESS);
}

void
program_import(struct program *program, const VkImageCreateInfo *info, AHardwareBuffer *buffer,
	struct picture *picture)
{
	assert_int_equal(program_create_image(program, info, picture), VK_SUCCESS);
	assert_int_equal(
		program_allocate_import(program, picture, buffer, &picture->memory), VK_SUCCESS);
	bind(program, picture);
}

void
program_export(struct program *program, const VkImageCreateInfo *info, struct picture *picture)
{
	assert_int_equal(program_create_image(program, info, picture), VK_SUCCESS);
	assert_int_equal(program_allocate_export(program, picture, &picture->memory), VK_SUCCESS);
	bind(program, picture);
}

void
program_destroy(struct program *program, struct picture *picture)
{
	vkDestroyImage(program->device, picture->image, NULL);
	vkFreeMemory(program->device, picture->memory, NULL);
	*picture = (struct picture){0};
}

AHardwareBuffer *
program_buffer_of(struct program *program, const struct picture *picture)
{
	const VkMemoryGetAndroidHardwareBufferInfoANDROID info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_GET_ANDROID_HARDWARE_BUFFER_INFO_ANDROID,
		.memory = picture->memory,
	};
	AHardwareBuffer *buffer = NULL;

	assert_int_equal(program->get_buffer(program->device, &info, &buffer), VK_SUCCESS);
	assert_non_null(buffer);
	return buffer;
}

static void
begin(struct program *program)
{
	const VkCommandBufferBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};

	assert_int_equal(vkBeginCommandBuffer(program->commands, &info), VK_SUCCESS);
}

static void
finish(struct program *program)
{
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &program->commands,
	};

	assert_int_equal(vkEndCommandBuffer(program->commands), VK_SUCCESS);
	assert_int_equal(vkQueueSubmit(program->queue, 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
	assert_int_equal(vkQueueWaitIdle(program->queue), VK_SUCCESS);
}

struct families {
	uint32_t from, to;
};

static void
barrier(const struct program *program, const struct picture *picture, struct families families,
	VkImageLayout before, VkImageLayout after)
{
	const VkImageMemoryBarrier info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.oldLayout = before,
		.newLayout = after,
		.srcQueueFamilyIndex = families.from,
		.dstQueueFamilyIndex = families.to,
		.image = picture->image,
		.subresourceRange = {picture->aspects, 0, picture->levels, 0, picture->layers},
	};

	vkCmdPipelineBarrier(program->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &info);
}

void
program_clear(struct program *program, const struct picture *picture, uint32_t layer,
	uint32_t level, VkClearColorValue colour, uint32_t to)
{
	const struct families none = {VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED};
	const VkImageSubresourceRange range = {picture->aspects, level, 1, layer, 1};
	const VkClearDepthStencilValue depth = {.depth = colour.float32[0]};
	bool first = !layer && !level;

	begin(program);
	if (first)
		barrier(program, picture, none, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
	else
		barrier(program, picture, (struct families){to, 0}, VK_IMAGE_LAYOUT_GENERAL,
			VK_IMAGE_LAYOUT_GENERAL);
	if (picture->aspects == VK_IMAGE_ASPECT_COLOR_BIT)
		vkCmdClearColorImage(program->commands, picture->image, VK_IMAGE_LAYOUT_GENERAL,
			&colour, 1, &range);
	else
		vkCmdClearDepthStencilImage(program->commands, picture->image,
			VK_IMAGE_LAYOUT_GENERAL, &depth, 1, &range);
	barrier(program, picture, (struct families){0, to}, VK_IMAGE_LAYOUT_GENERAL,
		VK_IMAGE_LAYOUT_GENERAL);
	finish(program);
}

void
program_read(struct program *program, const struct picture *picture, uint32_t layer, uint32_t level,
	uint32_t from)
{
	const VkBufferImageCopy region = {
		.imageSubresource = {picture->aspects, level, layer, 1},
		.imageExtent = {picture->width >> level, picture->height >> level, 1},
	};

	memset(program->read, 0x77, PROGRAM_MAX_BYTES);
	begin(program);
	barrier(program, picture, (struct families){from, 0}, VK_IMAGE_LAYOUT_GENERAL,
		VK_IMAGE_LAYOUT_GENERAL);
	vkCmdCopyImageToBuffer(program->commands, picture->image, VK_IMAGE_LAYOUT_GENERAL,
		program->staging, 1, &region);
	barrier(program, picture, (struct families){0, from}, VK_IMAGE_LAYOUT_GENERAL,
		VK_IMAGE_LAYOUT_GENERAL);
	finish(program);
}

AHardwareBuffer *
program_allocate_buffer(uint32_t width, uint32_t height, uint32_t format, uint64_t usage)
{
	const AHardwareBuffer_Desc desc = {
		.width = width,
		.height = height,
		.layers = 1,
		.format = format,
		.usage = usage,
	};
	AHardwareBuffer *buffer;

	assert_int_equal(AHardwareBuffer_allocate(&desc, &buffer), 0);
	return buffer;
}

uint32_t
program_pattern(uint32_t seed, uint32_t x, uint32_t y)
{
	return (seed + x * 16807 + y * 48271) * 2654435761u;
}

static uint32_t *
lock(AHardwareBuffer *buffer, AHardwareBuffer_Desc *desc)
{
	void *pixels;

	AHardwareBuffer_describe(buffer, desc);
	assert_int_equal(AHardwareBuffer_lock(buffer, desc->usage & CPU, -1, NULL, &pixels), 0);
	return pixels;
}

void
program_paint(AHardwareBuffer *buffer, uint32_t seed)
{
	AHardwareBuffer_Desc desc;
	uint32_t *pixels = lock(buffer, &desc);

	for (uint32_t y = 0; y < desc.height; y++) {
		for (uint32_t x = 0; x < desc.width; x++)
			pixels[y * desc.stride + x] = program_pattern(seed, x, y);
	}
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
}

void
program_expect_pixels(AHardwareBuffer *buffer, uint32_t pixel)
{
	AHardwareBuffer_Desc desc;
	const uint32_t *pixels = lock(buffer, &desc);

	for (uint32_t y = 0; y < desc.height; y++) {
		for (uint32_t x = 0; x < desc.width; x++) {
			if (pixels[y * desc.stride + x] != pixel)
				fail_msg("%u, %u is %08x, not %08x", x, y,
					pixels[y * desc.stride + x], pixel);
		}
	}
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
}
