/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AHardwareBuffers in Vulkan as programs have them: buffers of libkrafla.so.0 in libvulkan.so.1,
 * and the other way round. Run on lavapipe behind the adapter, and on the null driver, which brings
 * the extension itself (KRAFLA_TEST_DRIVER=null).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "program.h"
#include "sanitizer.h"

#define LEAVES (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS) /* what lavapipe and LLVM keep for good */
#define CPU    (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)
#define GPU    (AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER)
#define RGBA   AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM
#define OTHERS VK_QUEUE_FAMILY_FOREIGN_EXT

/* No multiple of anything, so that rows have an end. */
enum { WIDTH = 70, HEIGHT = 45 };

static const VkClearColorValue teal = {.float32 = {0.2f, 0.6f, 0.4f, 1}};
#define TEAL UINT32_C(0xFF669933)
static const VkClearColorValue red = {.float32 = {1, 0, 0, 1}};
#define RED UINT32_C(0xFF0000FF)

static void
open_program(struct program *program)
{
	program_use_driver();
	program_open(program);
}

static VkImageCreateInfo
plain(void)
{
	return program_image_info(WIDTH, HEIGHT, VK_FORMAT_R8G8B8A8_UNORM);
}

static void
expect_pattern(const struct program *program, uint32_t seed)
{
	const uint32_t *pixels = (const uint32_t *)(const void *)program->read;

	for (uint32_t y = 0; y < HEIGHT; y++) {
		for (uint32_t x = 0; x < WIDTH; x++) {
			if (pixels[y * WIDTH + x] != program_pattern(seed, x, y))
				fail_msg("%u, %u is %08x", x, y, pixels[y * WIDTH + x]);
		}
	}
}

/* W-11 */
static void
offered_with_what_it_needs(void **state)
{
	const VkPhysicalDeviceExternalBufferInfo info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
		.handleType = HARDWARE_BUFFER,
	};
	VkExternalBufferProperties properties = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES,
	};
	struct program program;

	open_program(&program);
	/* Once, whatever the driver has of its own. */
	assert_int_equal(program_count_extension(&program,
				 VK_ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER_EXTENSION_NAME),
		1);
	assert_int_equal(
		program_count_extension(&program, VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME), 1);
	assert_int_equal(
		program_count_extension(&program, "VK_ANDROID_external_format_resolve"), 0);
	/* As Android's library, ours exports the commands. */
	assert_ptr_not_equal(vkGetMemoryAndroidHardwareBufferANDROID, NULL);
	assert_ptr_not_equal(vkGetAndroidHardwareBufferPropertiesANDROID, NULL);
	vkGetPhysicalDeviceExternalBufferProperties(program.physical, &info, &properties);
	assert_int_equal(properties.externalMemoryProperties.externalMemoryFeatures &
			(VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT |
				VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT),
		VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT |
			VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT);
	assert_int_equal(
		properties.externalMemoryProperties.compatibleHandleTypes, HARDWARE_BUFFER);
	program_close(&program);
}

/* W-11 */
static void
images_are_asked_for(void **state)
{
	const VkPhysicalDeviceExternalImageFormatInfo external = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
		.handleType = HARDWARE_BUFFER,
	};
	const VkPhysicalDeviceImageFormatInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = &external,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.type = VK_IMAGE_TYPE_2D,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
	};
	VkAndroidHardwareBufferUsageANDROID usage = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_USAGE_ANDROID,
	};
	VkExternalImageFormatProperties memory = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES,
		.pNext = &usage,
	};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
		.pNext = &memory,
	};
	struct program program;

	open_program(&program);
	assert_int_equal(
		vkGetPhysicalDeviceImageFormatProperties2(program.physical, &info, &properties),
		VK_SUCCESS);
	assert_int_equal(usage.androidHardwareBufferUsage & GPU, GPU);
	assert_int_equal(memory.externalMemoryProperties.externalMemoryFeatures,
		VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT |
			VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT |
			VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT);
	assert_int_equal(memory.externalMemoryProperties.compatibleHandleTypes, HARDWARE_BUFFER);
	assert_int_equal(properties.imageFormatProperties.sampleCounts, VK_SAMPLE_COUNT_1_BIT);
	program_close(&program);
}

/* W-11 */
static void
properties_are_the_buffers(void **state)
{
	VkAndroidHardwareBufferFormatPropertiesANDROID format = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_FORMAT_PROPERTIES_ANDROID,
	};
	VkAndroidHardwareBufferPropertiesANDROID properties = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_PROPERTIES_ANDROID,
		.pNext = &format,
	};
	AHardwareBuffer *buffer;
	struct program program;

	open_program(&program);
	buffer = program_allocate_buffer(WIDTH, HEIGHT, RGBA, CPU | GPU);
	assert_int_equal(
		vkGetAndroidHardwareBufferPropertiesANDROID(program.device, buffer, &properties),
		VK_SUCCESS);
	assert_true(properties.allocationSize >= WIDTH * HEIGHT * 4);
	assert_true(properties.memoryTypeBits);
	assert_int_equal(format.format, VK_FORMAT_R8G8B8A8_UNORM);
	assert_true(format.externalFormat);
	assert_true(format.formatFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT);
	AHardwareBuffer_release(buffer);
	program_close(&program);
}

/* W-11 */
static void
pixels_of_the_cpu_are_seen(void **state)
{
	const VkImageCreateInfo info = plain();
	struct picture picture;
	struct program program;
	AHardwareBuffer *buffer;

	open_program(&program);
	buffer = program_allocate_buffer(WIDTH, HEIGHT, RGBA, CPU | GPU);
	program_paint(buffer, 1);
	program_import(&program, &info, buffer, &picture);
	program_read(&program, &picture, 0, 0, OTHERS);
	expect_pattern(&program, 1);
	/* No copy was made: what is drawn later is there, too. */
	program_paint(buffer, 2);
	program_read(&program, &picture, 0, 0, VK_QUEUE_FAMILY_EXTERNAL);
	expect_pattern(&program, 2);
	program_destroy(&program, &picture);
	AHardwareBuffer_release(buffer);
	program_close(&program);
}

/* W-11 */
static void
pixels_of_vulkan_are_seen(void **state)
{
	const VkImageCreateInfo info = plain();
	struct picture picture;
	struct program program;
	AHardwareBuffer *buffer;

	open_program(&program);
	buffer = program_allocate_buffer(WIDTH, HEIGHT, RGBA, CPU | GPU);
	program_import(&program, &info, buffer, &picture);
	program_clear(&program, &picture, 0, 0, teal, OTHERS);
	program_expect_pixels(buffer, TEAL);
	program_clear(&program, &picture, 0, 0, red, VK_QUEUE_FAMILY_EXTERNAL);
	program_expect_pixels(buffer, RED);
	program_destroy(&program, &picture);
	program_expect_pixels(buffer, RED);
	AHardwareBuffer_release(buffer);
	program_close(&program);
}

/* W-11 */
static void
memory_becomes_a_buffer(void **state)
{
	const VkImageCreateInfo info = plain();
	struct picture picture, again;
	AHardwareBuffer *buffer, *same;
	AHardwareBuffer_Desc desc;
	struct program program;

	open_program(&program);
	program_export(&program, &info, &picture);
	buffer = program_buffer_of(&program, &picture);
	same = program_buffer_of(&program, &picture);
	assert_ptr_equal(buffer, same);
	AHardwareBuffer_release(same);
	AHardwareBuffer_describe(buffer, &desc);
	assert_int_equal(desc.width, WIDTH);
	assert_int_equal(desc.height, HEIGHT);
	assert_int_equal(desc.layers, 1);
	assert_int_equal(desc.format, RGBA);
	assert_true(desc.usage & AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE);
	program_clear(&program, &picture, 0, 0, teal, OTHERS);
	/* It lives on without the memory, and is taken in again. */
	program_destroy(&program, &picture);
	if (desc.usage & CPU)
		program_expect_pixels(buffer, TEAL);
	program_import(&program, &info, buffer, &again);
	AHardwareBuffer_release(buffer);
	program_read(&program, &again, 0, 0, OTHERS);
	for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
		assert_int_equal(((uint32_t *)(void *)program.read)[i], TEAL);
	/* What is imported is given out again, as the very buffer. */
	buffer = program_buffer_of(&program, &again);
	program_destroy(&program, &again);
	AHardwareBuffer_release(buffer);
	program_close(&program);
}

static VkBuffer
create_blob(struct program *program, VkDeviceSize size)
{
	const VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = HARDWARE_BUFFER,
	};
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.pNext = &external,
		.size = size,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkBuffer blob;

	assert_int_equal(vkCreateBuffer(program->device, &info, NULL, &blob), VK_SUCCESS);
	return blob;
}

/* Through the queue. */
static void
fill_blob(struct program *program, VkBuffer blob, uint32_t word)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &program->commands,
	};

	assert_int_equal(vkBeginCommandBuffer(program->commands, &begin), VK_SUCCESS);
	vkCmdFillBuffer(program->commands, blob, 0, VK_WHOLE_SIZE, word);
	assert_int_equal(vkEndCommandBuffer(program->commands), VK_SUCCESS);
	assert_int_equal(vkQueueSubmit(program->queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
	assert_int_equal(vkQueueWaitIdle(program->queue), VK_SUCCESS);
}

static void
expect_words(AHardwareBuffer *buffer, uint32_t word, size_t count)
{
	uint32_t *words;

	assert_int_equal(AHardwareBuffer_lock(buffer, CPU, -1, NULL, (void **)&words), 0);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(words[i], word);
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
}

/* W-11 */
static void
bytes_are_buffers_too(void **state)
{
	enum { SIZE = 5000 };
	AHardwareBuffer *buffer;
	VkDeviceMemory memory;
	struct program program;
	VkBuffer blob;

	open_program(&program);
	buffer = program_allocate_buffer(
		SIZE, 1, AHARDWAREBUFFER_FORMAT_BLOB, CPU | AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER);
	blob = create_blob(&program, SIZE);
	assert_int_equal(program_allocate_import(&program, NULL, buffer, &memory), VK_SUCCESS);
	assert_int_equal(vkBindBufferMemory(program.device, blob, memory, 0), VK_SUCCESS);
	fill_blob(&program, blob, 0xC0FFEE);
	expect_words(buffer, 0xC0FFEE, SIZE / 4);
	vkFreeMemory(program.device, memory, NULL);
	vkDestroyBuffer(program.device, blob, NULL);
	AHardwareBuffer_release(buffer);
	program_close(&program);
}

/* W-11 */
static void
bytes_become_a_buffer(void **state)
{
	enum { SIZE = 4096 };
	const VkExportMemoryAllocateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
		.handleTypes = HARDWARE_BUFFER,
	};
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &export,
	};
	struct picture picture = {0};
	AHardwareBuffer_Desc desc;
	VkMemoryRequirements needs;
	AHardwareBuffer *buffer;
	struct program program;
	VkBuffer blob;

	open_program(&program);
	blob = create_blob(&program, SIZE);
	vkGetBufferMemoryRequirements(program.device, blob, &needs);
	info.allocationSize = needs.size;
	info.memoryTypeIndex = (uint32_t)__builtin_ctz(needs.memoryTypeBits);
	assert_int_equal(
		vkAllocateMemory(program.device, &info, NULL, &picture.memory), VK_SUCCESS);
	assert_int_equal(vkBindBufferMemory(program.device, blob, picture.memory, 0), VK_SUCCESS);
	buffer = program_buffer_of(&program, &picture);
	AHardwareBuffer_describe(buffer, &desc);
	assert_int_equal(desc.format, AHARDWAREBUFFER_FORMAT_BLOB);
	assert_true(desc.width >= SIZE);
	fill_blob(&program, blob, 0xBEEF);
	expect_words(buffer, 0xBEEF, SIZE / 4);
	AHardwareBuffer_release(buffer);
	vkDestroyBuffer(program.device, blob, NULL);
	vkFreeMemory(program.device, picture.memory, NULL);
	program_close(&program);
}

/* W-11: a buffer has a width of 31 bits, and is never a part of what was asked for. */
static void
too_many_bytes_are_refused(void **state)
{
	const VkExportMemoryAllocateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
		.handleTypes = HARDWARE_BUFFER,
	};
	VkMemoryDedicatedAllocateInfo dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
		.pNext = &export,
	};
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &dedicated,
		.allocationSize = (UINT64_C(1) << 32) + 64,
	};
	VkMemoryRequirements needs;
	struct program program;
	VkDeviceMemory memory;

	open_program(&program);
	dedicated.buffer = create_blob(&program, 64);
	vkGetBufferMemoryRequirements(program.device, dedicated.buffer, &needs);
	info.memoryTypeIndex = (uint32_t)__builtin_ctz(needs.memoryTypeBits);
	assert_true(vkAllocateMemory(program.device, &info, NULL, &memory) < 0);
	vkDestroyBuffer(program.device, dedicated.buffer, NULL);
	program_close(&program);
}

static void
expect_refused(struct program *program, const VkImageCreateInfo *info, AHardwareBuffer *buffer)
{
	struct picture picture;
	VkDeviceMemory memory;

	assert_int_equal(program_create_image(program, info, &picture), VK_SUCCESS);
	assert_int_equal(program_allocate_import(program, &picture, buffer, &memory),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	vkDestroyImage(program->device, picture.image, NULL);
}

/* W-11: neither promised nor made. */
static void
formats_of_no_buffer_are_refused(void **state)
{
	static const VkFormat formats[] = {
		VK_FORMAT_R32G32B32A32_SFLOAT,
		VK_FORMAT_BC1_RGB_UNORM_BLOCK,
	};
	const VkPhysicalDeviceExternalImageFormatInfo external = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
		.handleType = HARDWARE_BUFFER,
	};
	VkPhysicalDeviceImageFormatInfo2 question = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = &external,
		.type = VK_IMAGE_TYPE_2D,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
	};
	VkExternalImageFormatProperties memory = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES,
	};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
		.pNext = &memory,
	};
	VkImageCreateInfo info = plain();
	struct program program;
	struct picture picture;
	const char *driver = getenv("KRAFLA_TEST_DRIVER");

	if (driver && !strcmp(driver, "null"))
		skip();
	open_program(&program);
	info.usage = question.usage;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		info.format = question.format = formats[i];
		assert_int_equal(vkGetPhysicalDeviceImageFormatProperties2(
					 program.physical, &question, &properties),
			VK_ERROR_FORMAT_NOT_SUPPORTED);
		assert_int_equal(program_create_image(&program, &info, &picture),
			VK_ERROR_FORMAT_NOT_SUPPORTED);
	}
	program_close(&program);
}

/* W-11: nothing else than what the buffer is, and nothing is copied to make it fit. */
static void
what_does_not_fit_is_refused(void **state)
{
	VkImageCreateInfo info = plain();
	AHardwareBuffer *buffer;
	VkDeviceMemory memory;
	struct program program;

	open_program(&program);
	buffer = program_allocate_buffer(WIDTH, HEIGHT, RGBA, CPU | GPU);
	info.extent.width = WIDTH + 1;
	expect_refused(&program, &info, buffer);
	info.extent.width = WIDTH - 1;
	expect_refused(&program, &info, buffer);
	info = plain();
	info.extent.height = HEIGHT * 100;
	expect_refused(&program, &info, buffer);
	info = plain();
	info.format = VK_FORMAT_B8G8R8A8_UNORM;
	expect_refused(&program, &info, buffer);
	info = plain();
	info.arrayLayers = 2;
	expect_refused(&program, &info, buffer);
	/* Pixels belong to an image, which is named. */
	assert_int_equal(program_allocate_import(&program, NULL, buffer, &memory),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	AHardwareBuffer_release(buffer);
	program_close(&program);
}

static void
expect_no_properties(const struct program *program, const AHardwareBuffer *buffer)
{
	VkAndroidHardwareBufferPropertiesANDROID properties = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_PROPERTIES_ANDROID,
	};

	assert_int_equal(program->properties(program->device, buffer, &properties),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
}

/*
 * W-11. Layers, a cube map, depth and stencil that processors asked for: no driver takes them, nor
 * is a part of them taken for the whole.
 */
static void
what_cpus_have_alone_is_refused(void **state)
{
	static const AHardwareBuffer_Desc descs[] = {
		{WIDTH, HEIGHT, 2, RGBA, CPU | GPU, 0, 0, 0},
		{64, 64, 6, RGBA, CPU | GPU | AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP, 0, 0, 0},
		{WIDTH, HEIGHT, 1, AHARDWAREBUFFER_FORMAT_D16_UNORM, CPU | GPU, 0, 0, 0},
		{WIDTH, HEIGHT, 1, AHARDWAREBUFFER_FORMAT_D32_FLOAT, CPU | GPU, 0, 0, 0},
		{WIDTH, HEIGHT, 1, AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT, CPU, 0, 0, 0},
		{WIDTH, HEIGHT, 1, AHARDWAREBUFFER_FORMAT_S8_UINT, CPU, 0, 0, 0},
	};
	static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM,
		VK_FORMAT_D16_UNORM, VK_FORMAT_D32_SFLOAT, VK_FORMAT_D32_SFLOAT_S8_UINT,
		VK_FORMAT_S8_UINT};
	struct program program;

	open_program(&program);
	for (size_t i = 0; i < sizeof(descs) / sizeof(descs[0]); i++) {
		VkImageCreateInfo info = plain();
		AHardwareBuffer *buffer;
		struct picture picture;
		VkDeviceMemory memory;

		assert_int_equal(AHardwareBuffer_allocate(&descs[i], &buffer), 0);
		expect_no_properties(&program, buffer);
		assert_int_equal(program_allocate_import(&program, NULL, buffer, &memory),
			VK_ERROR_INVALID_EXTERNAL_HANDLE);
		info.extent = (VkExtent3D){descs[i].width, descs[i].height, 1};
		expect_refused(&program, &info, buffer);
		/* As it is, where the driver has such images for buffers. */
		info.arrayLayers = descs[i].layers;
		info.format = formats[i];
		if (descs[i].layers == 1)
			info.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
		if (program_create_image(&program, &info, &picture) == VK_SUCCESS) {
			vkDestroyImage(program.device, picture.image, NULL);
			expect_refused(&program, &info, buffer);
		}
		AHardwareBuffer_release(buffer);
	}
	program_close(&program);
}

/* W-11 */
static void
other_memory_is_no_buffer(void **state)
{
	VkMemoryGetAndroidHardwareBufferInfoANDROID info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_GET_ANDROID_HARDWARE_BUFFER_INFO_ANDROID,
	};
	AHardwareBuffer *buffer = (AHardwareBuffer *)&info;
	struct program program;

	open_program(&program);
	info.memory = program.staging_memory;
	assert_true(program.get_buffer(program.device, &info, &buffer) < 0);
	program_close(&program);
}

/* W-11: memory has a reference, and gives references. */
static void
anything_may_be_freed_first(void **state)
{
	const VkImageCreateInfo info = plain();
	AHardwareBuffer *buffer, *got;
	struct picture picture;
	struct program program;

	open_program(&program);
	for (unsigned order = 0; order < 6; order++) {
		static const char orders[6][4] = {"bim", "bmi", "ibm", "imb", "mbi", "mib"};

		buffer = program_allocate_buffer(WIDTH, HEIGHT, RGBA, CPU | GPU);
		program_import(&program, &info, buffer, &picture);
		for (const char *what = orders[order]; *what; what++) {
			if (*what == 'b')
				AHardwareBuffer_release(buffer);
			if (*what == 'i')
				vkDestroyImage(program.device, picture.image, NULL);
			if (*what == 'm')
				vkFreeMemory(program.device, picture.memory, NULL);
			/* As long as there is memory, the buffer is there. */
			if (*what == 'b' && (order < 3)) {
				got = program_buffer_of(&program, &picture);
				program_paint(got, order);
				AHardwareBuffer_release(got);
			}
		}
	}
	program_close(&program);
}

static void
round_of(struct program *program, const VkImageCreateInfo *info)
{
	struct picture in, out;
	AHardwareBuffer *buffer;

	program_export(program, info, &out);
	buffer = program_buffer_of(program, &out);
	program_import(program, info, buffer, &in);
	AHardwareBuffer_release(buffer);
	program_destroy(program, &out);
	program_destroy(program, &in);
}

static long
resident_pages(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	long size, resident;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%ld %ld", &size, &resident), 2);
	fclose(file);
	return resident;
}

/* W-11, S-06 */
static void
thousand_rounds_leave_nothing(void **state)
{
	const VkImageCreateInfo info = plain();
	struct program program;
	long pages;
	int fds;

	open_program(&program);
	for (int i = 0; i < 20; i++)
		round_of(&program, &info);
	fds = kr_test_count_fds();
	pages = resident_pages();
	for (int i = 0; i < 1000; i++)
		round_of(&program, &info);
	assert_int_equal(kr_test_count_fds(), fds);
	/* Half a page a round; a sanitizer keeps what was freed. */
	if (!ADDRESS_SANITIZER)
		assert_in_range(resident_pages(), 0, pages + 500);
	program_close(&program);
}

/* The other process: reads what came, and answers with pixels of its own. */
static void
be_the_other(int socket)
{
	const VkImageCreateInfo info = plain();
	struct picture picture;
	struct program program;
	AHardwareBuffer *buffer;

	open_program(&program);
	assert_int_equal(AHardwareBuffer_recvHandleFromUnixSocket(socket, &buffer), 0);
	program_import(&program, &info, buffer, &picture);
	program_read(&program, &picture, 0, 0, VK_QUEUE_FAMILY_EXTERNAL);
	for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
		assert_int_equal(((uint32_t *)(void *)program.read)[i], TEAL);
	program_clear(&program, &picture, 0, 0, red, VK_QUEUE_FAMILY_EXTERNAL);
	program_destroy(&program, &picture);
	AHardwareBuffer_release(buffer);
	program_close(&program);
}

/* W-11 */
static void
pixels_go_to_another_process_and_back(void **state)
{
	const VkImageCreateInfo info = plain();
	struct picture picture;
	struct program program;
	AHardwareBuffer *buffer;
	int sockets[2], status;
	pid_t child;

	/* Skipped before there are two. */
	program_use_driver();
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	child = fork();
	if (!child) {
		close(sockets[0]);
		be_the_other(sockets[1]);
		_exit(0);
	}
	assert_true(child > 0);
	close(sockets[1]);
	open_program(&program);
	program_export(&program, &info, &picture);
	program_clear(&program, &picture, 0, 0, teal, VK_QUEUE_FAMILY_EXTERNAL);
	buffer = program_buffer_of(&program, &picture);
	assert_int_equal(AHardwareBuffer_sendHandleToUnixSocket(buffer, sockets[0]), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	program_read(&program, &picture, 0, 0, VK_QUEUE_FAMILY_EXTERNAL);
	for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
		assert_int_equal(((uint32_t *)(void *)program.read)[i], RED);
	AHardwareBuffer_release(buffer);
	close(sockets[0]);
	program_destroy(&program, &picture);
	program_close(&program);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(offered_with_what_it_needs, LEAVES),
	KR_TEST_FLAGS(images_are_asked_for, LEAVES),
	KR_TEST_FLAGS(properties_are_the_buffers, LEAVES),
	KR_TEST_FLAGS(pixels_of_the_cpu_are_seen, LEAVES),
	KR_TEST_FLAGS(pixels_of_vulkan_are_seen, LEAVES),
	KR_TEST_FLAGS(memory_becomes_a_buffer, LEAVES),
	KR_TEST_FLAGS(bytes_are_buffers_too, LEAVES),
	KR_TEST_FLAGS(bytes_become_a_buffer, LEAVES),
	KR_TEST_FLAGS(too_many_bytes_are_refused, LEAVES),
	KR_TEST_FLAGS(formats_of_no_buffer_are_refused, LEAVES),
	KR_TEST_FLAGS(what_does_not_fit_is_refused, LEAVES),
	KR_TEST_FLAGS(what_cpus_have_alone_is_refused, LEAVES),
	KR_TEST_FLAGS(other_memory_is_no_buffer, LEAVES),
	KR_TEST_FLAGS(anything_may_be_freed_first, LEAVES),
	KR_TEST_SLOW(thousand_rounds_leave_nothing, LEAVES, 60),
	KR_TEST_SLOW(pixels_go_to_another_process_and_back, LEAVES, 60),
};
KR_TEST_MAIN(tests)
