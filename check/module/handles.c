/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatchable handles: their first word is the platform's (D-03). */
#include "check/module/module.h"

#include <string.h>

/* Where a platform's table is, as far as the driver is concerned. */
#define TABLE ((uintptr_t)0x4b7261666c61)

static hwvulkan_dispatch_t *
word_of(const void *handle)
{
	return (hwvulkan_dispatch_t *)(uintptr_t)handle;
}

static void
expect_magic(struct check *c, const void *handle, const char *what)
{
	uintptr_t is = word_of(handle)->magic;

	CHECK(c, is == HWVULKAN_DISPATCH_MAGIC, "%s begins with 0x%zx, where 0x%x is due", what,
		(size_t)is, HWVULKAN_DISPATCH_MAGIC);
}

static void
instance(struct check *c)
{
	expect_magic(c, check_make_instance(c, NULL), "an instance");
}

static void
physical_devices(struct check *c)
{
	VkPhysicalDevice devices[CHECK_MAX_PHYSICAL];
	uint32_t count = check_physical_devices(c, check_make_instance(c, NULL), devices);

	for (uint32_t i = 0; i < count; i++)
		expect_magic(c, devices[i], "a physical device");
}

static void
device(struct check *c)
{
	struct check_device made;

	check_make_device(c, NULL, &made);
	expect_magic(c, made.device, "a device");
}

static void
queues(struct check *c)
{
	const struct check_device_request request = {.queues = CHECK_MAX_QUEUES};
	struct check_device made;

	check_make_device(c, &request, &made);
	for (uint32_t i = 0; i < made.queue_count; i++)
		expect_magic(c, made.queues[i], "a queue");
}

#define BUFFERS 3

static VkCommandPool
make_pool(struct check *c, struct check_device *made, VkCommandBuffer buffers[BUFFERS])
{
	const VkCommandPoolCreateInfo pool_info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.queueFamilyIndex = made->family,
	};
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = BUFFERS,
	};

	CHECK_SUCCESS(c, vkCreateCommandPool, made->device, &pool_info, NULL, &info.commandPool);
	CHECK_SUCCESS(c, vkAllocateCommandBuffers, made->device, &info, buffers);
	return info.commandPool;
}

static void
command_buffers(struct check *c)
{
	VkCommandBuffer buffers[BUFFERS];
	struct check_device made;

	check_make_device(c, NULL, &made);
	(void)make_pool(c, &made, buffers);
	for (int i = 0; i < BUFFERS; i++)
		expect_magic(c, buffers[i], "a command buffer");
}

/* The platform writes a pointer there, as soon as it has the handle. */
static void
take(const void *handle)
{
	word_of(handle)->magic = TABLE;
}

static void
expect_taken(struct check *c, const void *handle, const char *what)
{
	CHECK(c, word_of(handle)->magic == TABLE,
		"the first word of %s is 0x%zx, and the platform had written 0x%zx", what,
		(size_t)word_of(handle)->magic, (size_t)TABLE);
}

static void
submit(struct check *c, struct check_device *made, VkCommandBuffer buffer)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &buffer,
	};

	CHECK_SUCCESS(c, vkBeginCommandBuffer, buffer, &begin);
	CHECK_SUCCESS(c, vkEndCommandBuffer, buffer);
	CHECK_SUCCESS(c, vkQueueSubmit, made->queues[0], 1, &info, VK_NULL_HANDLE);
	CHECK_SUCCESS(c, vkQueueWaitIdle, made->queues[0]);
}

static void
platforms_word(struct check *c)
{
	VkCommandBuffer buffers[BUFFERS];
	VkPhysicalDeviceProperties properties;
	struct check_device made;
	VkQueue queue = VK_NULL_HANDLE;

	check_make_device(c, NULL, &made);
	take(made.instance);
	take(made.physical);
	take(made.device);
	take(made.queues[0]);
	(void)make_pool(c, &made, buffers);
	take(buffers[0]);
	CHECK_CALL(c, vkGetPhysicalDeviceProperties, made.physical, &properties);
	CHECK_CALL(c, vkGetDeviceQueue, made.device, made.family, 0, &queue);
	CHECK(c, queue == made.queues[0], "vkGetDeviceQueue gave another queue the second time");
	submit(c, &made, buffers[0]);
	expect_taken(c, made.instance, "the instance");
	expect_taken(c, made.physical, "the physical device");
	expect_taken(c, made.device, "the device");
	expect_taken(c, made.queues[0], "the queue");
	expect_taken(c, buffers[0], "the command buffer");
	check_destroy_device(c, &made);
}

static const struct check_case rows[] = {
	{
		.name = "handles.instances_have_the_magic",
		.requirement = "D-03",
		.expected = "a VkInstance begins with HWVULKAN_DISPATCH_MAGIC",
		.consequence =
			"the loader refuses the instance, or overwrites what the driver keeps there",
		.run = instance,
	},
	{
		.name = "handles.physical_devices_have_the_magic",
		.requirement = "D-03",
		.expected = "each VkPhysicalDevice begins with HWVULKAN_DISPATCH_MAGIC",
		.consequence =
			"the loader leaves the device out, or overwrites what the driver keeps there",
		.run = physical_devices,
	},
	{
		.name = "handles.devices_have_the_magic",
		.requirement = "D-03",
		.expected = "a VkDevice begins with HWVULKAN_DISPATCH_MAGIC",
		.consequence = "vkCreateDevice fails in every program",
		.run = device,
	},
	{
		.name = "handles.queues_have_the_magic",
		.requirement = "D-03",
		.expected = "each VkQueue begins with HWVULKAN_DISPATCH_MAGIC",
		.consequence = "programs get no queue, or crash at the first submit",
		.run = queues,
	},
	{
		.name = "handles.command_buffers_have_the_magic",
		.requirement = "D-03",
		.expected = "each VkCommandBuffer begins with HWVULKAN_DISPATCH_MAGIC",
		.consequence = "programs get no command buffer, or crash at the first command",
		.run = command_buffers,
	},
	{
		.name = "handles.first_word_is_the_platforms",
		.requirement = "D-03",
		.expected =
			"the first word of a handle may be overwritten, and the driver neither reads nor changes it",
		.consequence =
			"crashes in any call, as soon as a loader stands between program and driver",
		.run = platforms_word,
	},
};

const struct check_rows check_module_handles = CHECK_ROWS(rows);
