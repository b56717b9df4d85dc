/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers and fences that go from process to process: see share_buffer.h. */
#include "share_buffer.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define VK_USE_PLATFORM_ANDROID_KHR
#include <vulkan/vulkan_android.h>

void
share_check(const char *what, int result)
{
	if (result < 0)
		die("%s: %s", what, strerror(result == -1 ? errno : -result));
}

/* What the device says of the buffer: its format, how large it is, which memory types it can be. */
static VkFormat
ask(const struct gpu *gpu, AHardwareBuffer *buffer,
	VkAndroidHardwareBufferPropertiesANDROID *properties)
{
	PFN_vkGetAndroidHardwareBufferPropertiesANDROID get =
		(PFN_vkGetAndroidHardwareBufferPropertiesANDROID)vkGetDeviceProcAddr(
			gpu->device, "vkGetAndroidHardwareBufferPropertiesANDROID");
	VkAndroidHardwareBufferFormatPropertiesANDROID format = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_FORMAT_PROPERTIES_ANDROID,
	};

	properties->sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_PROPERTIES_ANDROID;
	properties->pNext = &format;
	if (!get)
		die("there is no vkGetAndroidHardwareBufferPropertiesANDROID");
	check(get(gpu->device, buffer, properties), "vkGetAndroidHardwareBufferPropertiesANDROID");
	if (format.format == VK_FORMAT_UNDEFINED)
		die("this buffer has no format of Vulkan's");
	return format.format;
}

static void
create_image(const struct gpu *gpu, const AHardwareBuffer_Desc *desc, VkFormat format,
	VkImageUsageFlags usage, struct gpu_image *image)
{
	const VkExternalMemoryImageCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID,
	};
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = &external,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = {desc->width, desc->height, 1},
		.mipLevels = 1,
		.arrayLayers = desc->layers,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = usage,
	};

	check(vkCreateImage(gpu->device, &info, NULL, &image->image), "vkCreateImage");
}

/* Memory of a buffer is always one image's (or VkBuffer's) alone: dedicated. */
static void
import_memory(const struct gpu *gpu, AHardwareBuffer *buffer,
	const VkAndroidHardwareBufferPropertiesANDROID *properties, struct gpu_image *image)
{
	const VkImportAndroidHardwareBufferInfoANDROID import = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_ANDROID_HARDWARE_BUFFER_INFO_ANDROID,
		.buffer = buffer,
	};
	const VkMemoryDedicatedAllocateInfo dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
		.pNext = &import,
		.image = image->image,
	};
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &dedicated,
		.allocationSize = properties->allocationSize,
	};

	if (!properties->memoryTypeBits)
		die("the device has no memory that could be this buffer's");
	info.memoryTypeIndex = (uint32_t)__builtin_ctz(properties->memoryTypeBits);
	check(vkAllocateMemory(gpu->device, &info, NULL, &image->memory), "importing a buffer");
	check(vkBindImageMemory(gpu->device, image->image, image->memory, 0), "vkBindImageMemory");
}

struct gpu_image
share_import(const struct gpu *gpu, AHardwareBuffer *buffer, VkImageUsageFlags usage)
{
	VkAndroidHardwareBufferPropertiesANDROID properties;
	VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	AHardwareBuffer_Desc desc;
	struct gpu_image made;

	AHardwareBuffer_describe(buffer, &desc);
	view.format = ask(gpu, buffer, &properties);
	create_image(gpu, &desc, view.format, usage, &made);
	import_memory(gpu, buffer, &properties, &made);
	view.image = made.image;
	check(vkCreateImageView(gpu->device, &view, NULL, &made.view), "vkCreateImageView");
	return made;
}

/* Outside an image is in the layout GENERAL: that is what the two processes agree on. */
static void
change_owner(const struct gpu *gpu, VkCommandBuffer commands, VkImage image, bool takes,
	VkImageLayout layout)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = takes ? 0 : VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = takes ? VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT : 0,
		.oldLayout = takes ? VK_IMAGE_LAYOUT_GENERAL : layout,
		.newLayout = takes ? layout : VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = takes ? VK_QUEUE_FAMILY_EXTERNAL : gpu->family,
		.dstQueueFamilyIndex = takes ? gpu->family : VK_QUEUE_FAMILY_EXTERNAL,
		.image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};

	vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

void
share_take(const struct gpu *gpu, VkCommandBuffer commands, VkImage image, VkImageLayout to)
{
	change_owner(gpu, commands, image, true, to);
}

void
share_give(const struct gpu *gpu, VkCommandBuffer commands, VkImage image, VkImageLayout from)
{
	change_owner(gpu, commands, image, false, from);
}

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int))];
};

/* A fence is a descriptor: it travels as every descriptor does. */
void
share_send_fence(int socket, int fence)
{
	char byte = 0;
	struct iovec iov = {&byte, 1};
	union control control = {0};
	struct msghdr msg = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fence, sizeof(int));
	share_check("sending a fence", sendmsg(socket, &msg, MSG_NOSIGNAL) < 0 ? -errno : 0);
}

int
share_receive_fence(int socket)
{
	char byte;
	int fence = -EPROTO;
	struct iovec iov = {&byte, 1};
	union control control;
	struct msghdr msg = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes)};
	ssize_t got = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
	struct cmsghdr *cmsg = got == 1 ? CMSG_FIRSTHDR(&msg) : NULL;

	if (got == 0)
		return -1;
	if (cmsg && cmsg->cmsg_type == SCM_RIGHTS && cmsg->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fence, CMSG_DATA(cmsg), sizeof(int));
	share_check("receiving a fence", got < 0 ? -errno : fence);
	return fence;
}
