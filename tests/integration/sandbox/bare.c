/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bare: a Vulkan program that links libvulkan.so.1 and nothing of a window system. It draws a
 * rectangle into a picture of its own, looks at what came out, and prints the device's name, where
 * each library with "xcb" in its name came from, and each SONAME that it has twice.
 */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define SIZE   16u
#define FORMAT VK_FORMAT_R8G8B8A8_UNORM

struct bare {
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	VkQueue queue;
	VkImage image;
	VkImageView view;
	VkBuffer buffer;
	VkDeviceMemory memory; /* the buffer's */
	VkRenderPass pass;
	VkFramebuffer framebuffer;
	VkCommandBuffer commands;
};

static void
check(VkResult result, const char *what)
{
	if (result == VK_SUCCESS)
		return;
	printf("bare: %s: %d\n", what, result);
	exit(1);
}

static void
open_device(struct bare *bare)
{
	const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	const VkDeviceCreateInfo device = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
	};
	VkPhysicalDeviceProperties properties;
	uint32_t count = 1;

	check(vkCreateInstance(&instance, NULL, &bare->instance), "vkCreateInstance");
	check(vkEnumeratePhysicalDevices(bare->instance, &count, &bare->physical), "devices");
	vkGetPhysicalDeviceProperties(bare->physical, &properties);
	puts(properties.deviceName);
	check(vkCreateDevice(bare->physical, &device, NULL, &bare->device), "vkCreateDevice");
	vkGetDeviceQueue(bare->device, 0, 0, &bare->queue);
}

static VkDeviceMemory
allocate(struct bare *bare, const VkMemoryRequirements *needs, VkMemoryPropertyFlags flags)
{
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs->size};
	VkPhysicalDeviceMemoryProperties types;
	VkDeviceMemory memory;

	vkGetPhysicalDeviceMemoryProperties(bare->physical, &types);
	while (info.memoryTypeIndex + 1 < types.memoryTypeCount &&
		(!(needs->memoryTypeBits & 1u << info.memoryTypeIndex) ||
			(types.memoryTypes[info.memoryTypeIndex].propertyFlags & flags) != flags))
		info.memoryTypeIndex++;
	check(vkAllocateMemory(bare->device, &info, NULL, &memory), "memory");
	return memory;
}

static void
create_image(struct bare *bare)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = FORMAT,
		.extent = {SIZE, SIZE, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
	};
	VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = FORMAT,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	VkMemoryRequirements needs;

	check(vkCreateImage(bare->device, &info, NULL, &bare->image), "image");
	vkGetImageMemoryRequirements(bare->device, bare->image, &needs);
	check(vkBindImageMemory(bare->device, bare->image, allocate(bare, &needs, 0), 0), "bind");
	view.image = bare->image;
	check(vkCreateImageView(bare->device, &view, NULL, &bare->view), "view");
}

static void
create_buffer(struct bare *bare)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = SIZE * SIZE * 4,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkMemoryRequirements needs;

	check(vkCreateBuffer(bare->device, &info, NULL, &bare->buffer), "buffer");
	vkGetBufferMemoryRequirements(bare->device, bare->buffer, &needs);
	bare->memory = allocate(bare, &needs,
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
	check(vkBindBufferMemory(bare->device, bare->buffer, bare->memory, 0), "bind");
}

static void
create_pass(struct bare *bare)
{
	const VkAttachmentDescription attachment = {
		.format = FORMAT,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
	};
	const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
	const VkSubpassDescription subpass = {
		.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
		.colorAttachmentCount = 1,
		.pColorAttachments = &reference,
	};
	const VkRenderPassCreateInfo pass = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &attachment,
		.subpassCount = 1,
		.pSubpasses = &subpass,
	};
	VkFramebufferCreateInfo framebuffer = {
		.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &bare->view,
		.width = SIZE,
		.height = SIZE,
		.layers = 1,
	};

	check(vkCreateRenderPass(bare->device, &pass, NULL, &bare->pass), "pass");
	framebuffer.renderPass = bare->pass;
	check(vkCreateFramebuffer(bare->device, &framebuffer, NULL, &bare->framebuffer),
		"framebuffer");
}

/* Blue, and its left half red. */
static void
record(struct bare *bare)
{
	const VkClearValue blue = {.color.float32 = {0, 0, 1, 1}};
	const VkClearAttachment red = {
		VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color.float32 = {1, 0, 0, 1}}};
	const VkClearRect left = {{{0, 0}, {SIZE / 2, SIZE}}, 0, 1};
	const VkRenderPassBeginInfo pass = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = bare->pass,
		.framebuffer = bare->framebuffer,
		.renderArea = {{0, 0}, {SIZE, SIZE}},
		.clearValueCount = 1,
		.pClearValues = &blue,
	};
	const VkBufferImageCopy copy = {
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageExtent = {SIZE, SIZE, 1},
	};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};

	check(vkBeginCommandBuffer(bare->commands, &begin), "begin");
	vkCmdBeginRenderPass(bare->commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdClearAttachments(bare->commands, 1, &red, 1, &left);
	vkCmdEndRenderPass(bare->commands);
	vkCmdCopyImageToBuffer(bare->commands, bare->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
		bare->buffer, 1, &copy);
	check(vkEndCommandBuffer(bare->commands), "end");
}

static void
draw(struct bare *bare)
{
	const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandBufferAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 1};
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &bare->commands,
	};

	check(vkCreateCommandPool(bare->device, &pool, NULL, &allocation.commandPool), "pool");
	check(vkAllocateCommandBuffers(bare->device, &allocation, &bare->commands), "commands");
	record(bare);
	check(vkQueueSubmit(bare->queue, 1, &submit, VK_NULL_HANDLE), "submit");
	check(vkQueueWaitIdle(bare->queue), "wait");
}

static void
check_picture(struct bare *bare)
{
	void *pixels;

	check(vkMapMemory(bare->device, bare->memory, 0, VK_WHOLE_SIZE, 0, &pixels), "map");
	for (uint32_t i = 0; i < SIZE * SIZE; i++) {
		uint32_t want = i % SIZE < SIZE / 2 ? 0xff0000ffu : 0xffff0000u, got;

		memcpy(&got, (const char *)pixels + i * 4, sizeof(got));
		if (got == want)
			continue;
		printf("bare: pixel %u is %08x\n", i, got);
		exit(1);
	}
	puts("drawn");
}

static const char *
soname(const struct link_map *map)
{
	const char *strings = NULL;
	const ElfW(Dyn) *name = NULL;

	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_STRTAB)
			strings = (const char *)entry->d_un.d_ptr;
		if (entry->d_tag == DT_SONAME)
			name = entry;
	}
	/* The vDSO alone has addresses that the dynamic linker doesn't make pointers. */
	if (!strings || !name || (uintptr_t)strings < map->l_addr)
		return "";
	return strings + name->d_un.d_val;
}

static void
print_libraries(void)
{
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		const char *name = soname(map);

		if (strstr(name, "xcb"))
			printf("%s is %s\n", name, map->l_name);
		for (const struct link_map *other = map->l_next; *name && other;
			other = other->l_next) {
			if (!strcmp(soname(other), name))
				printf("twice: %s\n", name);
		}
	}
}

int
main(void)
{
	struct bare bare;

	open_device(&bare);
	create_image(&bare);
	create_buffer(&bare);
	create_pass(&bare);
	draw(&bare);
	check_picture(&bare);
	print_libraries();
	vkDeviceWaitIdle(bare.device);
	return 0;
}
