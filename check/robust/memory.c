/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Out of memory at each allocation that a driver makes by VkAllocationCallbacks (D-03, W-03). One
 * that doesn't use them can't be looked at: nobody else can fail its allocations one by one.
 */
#include <stdlib.h>
#include <string.h>

#include "check/robust/robust.h"
#include "gralloc/buffer.h"

/* More than a driver makes for one of these calls. */
#define MAX_ALLOCATIONS 5000

struct memory {
	unsigned made; /* allocations that were asked for */
	unsigned fail; /* the number of the one that fails, from 1; 0: none */
	unsigned live;
};

/* Stands in front of each allocation. */
struct header {
	char *block; /* as malloc gave it */
	size_t size;
};

static struct header
header_of(const void *at)
{
	struct header header;

	memcpy(&header, (const char *)at - sizeof(header), sizeof(header));
	return header;
}

static void *
allocate(void *data, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	struct header header = {.size = size};
	struct memory *memory = data;
	char *at;

	if (++memory->made == memory->fail || !size)
		return NULL;
	header.block = malloc(sizeof(header) + size + alignment);
	if (!header.block)
		return NULL;
	at = header.block + sizeof(header);
	at += (alignment - (uintptr_t)at % alignment) % alignment;
	memcpy(at - sizeof(header), &header, sizeof(header));
	memory->live++;
	return at;
}

static void
deallocate(void *data, void *at)
{
	struct memory *memory = data;

	if (!at)
		return;
	free(header_of(at).block);
	memory->live--;
}

static void *
reallocate(void *data, void *at, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	size_t before = at ? header_of(at).size : 0;
	void *moved = size ? allocate(data, size, alignment, scope) : NULL;

	if (moved && at)
		memcpy(moved, at, size < before ? size : before);
	if (moved || !size)
		deallocate(data, at);
	return moved;
}

static VkAllocationCallbacks
callbacks_of(struct memory *memory)
{
	return (VkAllocationCallbacks){
		.pUserData = memory,
		.pfnAllocation = allocate,
		.pfnReallocation = reallocate,
		.pfnFree = deallocate,
	};
}

static void
expect_out_of_memory(
	struct check *c, const char *what, VkResult result, const struct memory *memory)
{
	CHECK(c,
		result == VK_SUCCESS || result == VK_ERROR_OUT_OF_HOST_MEMORY ||
			result == VK_ERROR_OUT_OF_DEVICE_MEMORY ||
			result == VK_ERROR_INITIALIZATION_FAILED,
		"%s without memory for its allocation %u gave %s", what, memory->fail,
		check_result_name(result));
}

/* False when the call makes no more allocations than that. */
static bool
next(struct check *c, struct memory *memory, const char *what)
{
	unsigned fail = memory->fail + 1;

	CHECK(c, memory->live == 0, "%s without memory for its allocation %u left %u blocks behind",
		what, memory->fail, memory->live);
	if (memory->fail && memory->made < memory->fail)
		return false;
	CHECK(c, fail < MAX_ALLOCATIONS, "%s makes more than %u allocations", what,
		MAX_ALLOCATIONS);
	if (memory->fail == 0 && memory->made == 0)
		check_not_applicable(c, "the driver makes none of its allocations by callbacks");
	*memory = (struct memory){.fail = fail};
	return true;
}

static void
of_instances(struct check *c)
{
	struct memory memory = {0};
	const VkAllocationCallbacks callbacks = callbacks_of(&memory);
	unsigned fds = 0;

	do {
		VkInstance instance = VK_NULL_HANDLE;
		VkResult result;

		if (memory.fail == 1)
			fds = check_descriptors(c);
		result = check_try_instance(c, &callbacks, &instance);
		expect_out_of_memory(c, "vkCreateInstance", result, &memory);
		if (result == VK_SUCCESS) {
			PFN_vkDestroyInstance destroy;

			CHECK(c, instance, "vkCreateInstance gave VK_SUCCESS and no instance");
			destroy = (PFN_vkDestroyInstance)check_open(c)->GetInstanceProcAddr(
				instance, "vkDestroyInstance");
			CHECK(c, destroy, "there is no vkDestroyInstance");
			destroy(instance, &callbacks);
		}
		CHECK(c, !fds || check_descriptors(c) <= fds,
			"vkCreateInstance without memory for its allocation %u left a descriptor open",
			memory.fail);
	} while (next(c, &memory, "vkCreateInstance"));
}

static void
of_devices(struct check *c)
{
	struct memory memory = {0};
	const VkAllocationCallbacks callbacks = callbacks_of(&memory);
	struct check_device first, device;

	check_make_device(c, NULL, &first);
	do {
		const struct check_device_request request = {.of = &first, .allocator = &callbacks};
		VkResult result = check_try_device(c, &request, &device);

		expect_out_of_memory(c, "vkCreateDevice", result, &memory);
		if (result == VK_SUCCESS) {
			CHECK(c, device.device, "vkCreateDevice gave VK_SUCCESS and no device");
			check_destroy_device(c, &device);
		}
	} while (next(c, &memory, "vkCreateDevice"));
}

static void
of_images(struct check *c)
{
	struct memory memory = {0};
	const VkAllocationCallbacks callbacks = callbacks_of(&memory);
	const struct check_image_request request = {.format = VK_FORMAT_R8G8B8A8_UNORM,
		.width = 32,
		.height = 16,
		.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
	VkNativeBufferANDROID native;
	struct check_device device;
	struct kr_buffer *buffer;
	VkImageCreateInfo info;
	uint64_t usage = 0;

	check_make_device(c, NULL, &device);
	check_gralloc_usage(c, &device, request.format, request.usage, 0, &usage);
	buffer = check_make_buffer(c, request.format, request.width, request.height, usage);
	native = check_native_buffer(buffer, NULL);
	info = check_image_info(&request, &native);
	do {
		VkImage image = VK_NULL_HANDLE;
		VkResult result =
			CHECK_CALL(c, vkCreateImage, device.device, &info, &callbacks, &image);

		expect_out_of_memory(c, "vkCreateImage", result, &memory);
		if (result == VK_SUCCESS) {
			CHECK(c, image, "vkCreateImage gave VK_SUCCESS and no image");
			CHECK_CALL(c, vkDestroyImage, device.device, image, &callbacks);
		}
	} while (next(c, &memory, "vkCreateImage"));
	kr_buffer_unref(buffer);
}

static const struct check_case rows[] = {
	{
		.name = "memory.of_instances",
		.requirement = "D-03",
		.expected =
			"vkCreateInstance without memory for any one of its allocations says so, and leaves nothing",
		.consequence = "a program that is short of memory crashes in the driver",
		.run = of_instances,
		.timeout_s = 60,
	},
	{
		.name = "memory.of_devices",
		.requirement = "D-03",
		.expected =
			"vkCreateDevice without memory for any one of its allocations says so, and leaves nothing",
		.consequence = "a program that is short of memory crashes in the driver",
		.run = of_devices,
		.timeout_s = 60,
	},
	{
		.name = "memory.of_images",
		.requirement = "W-03",
		.expected =
			"an image of a buffer without memory for any one of its allocations says so, and leaves nothing",
		.consequence = "a window that is resized when memory is short crashes its program",
		.run = of_images,
		.timeout_s = 60,
	},
};

const struct check_rows check_robust_memory = CHECK_ROWS(rows);
