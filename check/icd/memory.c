/* SPDX-License-Identifier: Apache-2.0 */
/* Mapped memory, and memory of the platform's as the ICD's: where frames lie, or are copied to. */
#include "check/icd/icd.h"

#include <krafla/hardware_buffer.h>
#include <string.h>

#include "check/icd/work.h"
#include "gralloc/buffer.h"

#define SIZE 65536u

static void
open_device(struct check *c, const struct check_device_request *request, struct check_device *out)
{
	struct check_icd icd;

	check_open_icd(c, &icd);
	check_make_plain_device(c, request, out);
}

static void
fill(struct check *c, const struct check_device *device, VkBuffer buffer, uint32_t word)
{
	VkCommandBuffer commands = icd_begin(c, device);

	CHECK_CALL(c, vkCmdFillBuffer, commands, buffer, 0, VK_WHOLE_SIZE, word);
	icd_run(c, device, commands);
}

static void
expect_words(struct check *c, const void *data, uint32_t word)
{
	const uint32_t *words = data;

	for (uint32_t i = 0; i < SIZE / 4; i++)
		CHECK(c, words[i] == word,
			"byte %u holds 0x%08x, and the device wrote 0x%08x there", i * 4, words[i],
			word);
}

static void
device_writes(struct check *c)
{
	struct check_device device;
	struct icd_buffer buffer;

	open_device(c, NULL, &device);
	buffer = icd_make_buffer(c, &device, SIZE);
	memset(buffer.data, 0, SIZE);
	fill(c, &device, buffer.buffer, 0x4b524146);
	expect_words(c, buffer.data, 0x4b524146);
	fill(c, &device, buffer.buffer, 0x12345678);
	expect_words(c, buffer.data, 0x12345678);
}

/* No two parts of the memory are alike. */
static uint8_t
pattern(uint32_t i)
{
	return (uint8_t)(i * 7 + i / 251);
}

static void
cpu_writes(struct check *c)
{
	const VkBufferCopy all = {.size = SIZE};
	struct check_device device;
	struct icd_buffer from, to;
	VkCommandBuffer commands;

	open_device(c, NULL, &device);
	from = icd_make_buffer(c, &device, SIZE);
	to = icd_make_buffer(c, &device, SIZE);
	for (uint32_t i = 0; i < SIZE; i++)
		from.data[i] = pattern(i);
	memset(to.data, 0, SIZE);
	commands = icd_begin(c, &device);
	icd_barrier(c, commands);
	CHECK_CALL(c, vkCmdCopyBuffer, commands, from.buffer, to.buffer, 1, &all);
	icd_run(c, &device, commands);
	for (uint32_t i = 0; i < SIZE; i++)
		CHECK(c, to.data[i] == pattern(i),
			"byte %u was copied as %02x, and the CPU had written %02x", i, to.data[i],
			pattern(i));
}

/* Mapping again, and a part of it, is the same memory. */
static void
maps_again(struct check *c)
{
	struct check_device device;
	struct icd_buffer buffer;
	void *part = NULL;

	open_device(c, NULL, &device);
	buffer = icd_make_buffer(c, &device, SIZE);
	for (uint32_t i = 0; i < SIZE; i++)
		buffer.data[i] = pattern(i);
	CHECK_CALL(c, vkUnmapMemory, device.device, buffer.memory);
	CHECK_SUCCESS(c, vkMapMemory, device.device, buffer.memory, SIZE / 2, SIZE / 4, 0, &part);
	for (uint32_t i = 0; i < SIZE / 4; i++)
		CHECK(c, ((uint8_t *)part)[i] == pattern(SIZE / 2 + i),
			"byte %u is %02x when the memory is mapped again, and was written as %02x",
			SIZE / 2 + i, ((uint8_t *)part)[i], pattern(SIZE / 2 + i));
}

/* A buffer of the platform, which the ICD is to take as memory of its own. */
static const VkExternalMemoryBufferCreateInfo from_host = {
	.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
	.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
};

static VkDeviceMemory
import(struct check *c, const struct check_device *device, void *data, VkDeviceSize size,
	uint32_t types)
{
	VkMemoryHostPointerPropertiesEXT properties = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
	const VkImportMemoryHostPointerInfoEXT pointer = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
		.pHostPointer = data,
	};
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &pointer,
		.allocationSize = size,
	};
	VkDeviceMemory memory;

	CHECK_SUCCESS(c, vkGetMemoryHostPointerPropertiesEXT, device->device, pointer.handleType,
		data, &properties);
	CHECK(c, properties.memoryTypeBits & types,
		"memory of the platform can be of the types %#x, and a buffer needs one of %#x",
		properties.memoryTypeBits, types);
	info.memoryTypeIndex = (uint32_t)__builtin_ctz(properties.memoryTypeBits & types);
	CHECK_SUCCESS(c, vkAllocateMemory, device->device, &info, NULL, &memory);
	return memory;
}

static void
imports(struct check *c)
{
	static const char *const name = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
	const struct check_device_request request = {.extensions = &name, .extension_count = 1};
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.pNext = &from_host,
		.size = SIZE,
		.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	struct kr_buffer *buffer;
	struct check_device device;
	VkMemoryRequirements needs = {0};
	VkDeviceMemory memory;
	VkBuffer made;
	void *data = NULL;
	struct check_icd icd;

	check_open_icd(c, &icd);
	check_make_plain_device(c, NULL, &device);
	if (!check_device_extension(c, device.physical, name))
		check_not_applicable(c, "it has no %s: the adapter copies by the CPU", name);
	check_destroy_device(c, &device);
	check_make_plain_device(c, &request, &device);
	buffer = check_make_buffer(c, ICD_FORMAT, 128, 128, AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER);
	if (kr_buffer_map(buffer, &data))
		check_skip(c, "a buffer can't be mapped");
	memset(data, 0, SIZE);
	CHECK_SUCCESS(c, vkCreateBuffer, device.device, &info, NULL, &made);
	CHECK_CALL(c, vkGetBufferMemoryRequirements, device.device, made, &needs);
	CHECK(c, needs.size <= kr_buffer_get_info(buffer)->size,
		"a buffer of %u bytes needs %llu bytes", SIZE, (unsigned long long)needs.size);
	memory = import(c, &device, data, kr_buffer_get_info(buffer)->size, needs.memoryTypeBits);
	CHECK_SUCCESS(c, vkBindBufferMemory, device.device, made, memory, 0);
	fill(c, &device, made, 0x6b726166);
	expect_words(c, data, 0x6b726166);
	CHECK_CALL(c, vkDestroyBuffer, device.device, made, NULL);
	CHECK_CALL(c, vkFreeMemory, device.device, memory, NULL);
	expect_words(c, data, 0x6b726166);
	check_destroy_device(c, &device);
	expect_words(c, data, 0x6b726166);
}

static const struct check_case rows[] = {
	{
		.name = "icd.maps_what_the_device_writes",
		.requirement = "W-08",
		.expected =
			"memory that is visible and coherent shows the CPU what the device wrote, once its fence has signalled",
		.consequence = "frames that are copied show old pictures, or none",
		.run = device_writes,
	},
	{
		.name = "icd.maps_what_the_cpu_writes",
		.requirement = "W-13",
		.expected =
			"the device reads what the CPU wrote to mapped memory before the submit",
		.consequence =
			"what others drew into a buffer is lost when the application gets it",
		.run = cpu_writes,
	},
	{
		.name = "icd.maps_again",
		.requirement = "W-08",
		.expected = "memory that is mapped again, at an offset, is the same memory",
		.consequence = "frames are torn, or show another frame's rows",
		.run = maps_again,
	},
	{
		.name = "icd.imports_memory",
		.requirement = "W-04 W-11",
		.expected =
			"with VK_EXT_external_memory_host a platform's buffer becomes memory of the device, which writes to the buffer itself and leaves it alone when it is freed",
		.consequence = "windows stay black, though the driver says that it drew",
		.run = imports,
	},
};

const struct check_rows check_icd_memory = CHECK_ROWS(rows);
