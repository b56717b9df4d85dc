/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Krafla is compared with: two programs that trust each other and share an image by nothing
 * but Vulkan, as a guide would have it. Also with semaphores, for which the GPU waits.
 */
#include "bench/shared/shared.h"

#include <stdio.h>
#include <unistd.h>

#include "bench/shared/carry.h"
#include "bench/vulkan_calls.h"

#define OPAQUE VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT

enum { MEMORY, READY, FREE, FDS };

struct announcement {
	uint64_t size;
	uint32_t type;
	uint32_t fds;
};

static int
create_image(struct shared_end *end, VkImage *image)
{
	const VkExternalMemoryImageCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
		.handleTypes = OPAQUE,
	};
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = &external,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = {end->width, end->height, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = SHARED_USAGE,
	};

	TRY(end->d.CreateImage(end->vk.device, &info, NULL, image));
	return 0;
}

/* Dedicated at both ends: every driver takes that. */
static int
allocate(struct shared_end *end, struct kr_gpu_image *image, const void *next, uint64_t size,
	uint32_t type)
{
	const VkMemoryDedicatedAllocateInfo dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
		.pNext = next,
		.image = image->image,
	};
	const VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &dedicated,
		.allocationSize = size,
		.memoryTypeIndex = type,
	};

	TRY(end->d.AllocateMemory(end->vk.device, &info, NULL, &image->memory));
	TRY(end->d.BindImageMemory(end->vk.device, image->image, image->memory, 0));
	return 0;
}

/* The first that lies on the GPU; of a GPU that is the fast one. */
static uint32_t
choose_type(const struct shared_end *end, uint32_t types)
{
	for (uint32_t i = 0; i < end->gpu.memory.memoryTypeCount; i++) {
		if ((types & (1u << i)) &&
			(end->gpu.memory.memoryTypes[i].propertyFlags &
				VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT))
			return i;
	}
	return 0;
}

static void
set_barriers(struct shared_end *end, struct shared_slot *slot)
{
	const VkImageLayout layout = end->producer ? VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL
						   : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
	const VkAccessFlags access =
		end->producer ? VK_ACCESS_TRANSFER_WRITE_BIT : VK_ACCESS_TRANSFER_READ_BIT;

	slot->acquire = (VkImageMemoryBarrier){
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = access,
		.oldLayout = end->producer ? VK_IMAGE_LAYOUT_UNDEFINED : VK_IMAGE_LAYOUT_GENERAL,
		.newLayout = layout,
		.srcQueueFamilyIndex = end->producer ? 0 : VK_QUEUE_FAMILY_EXTERNAL,
		.image = slot->image.image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	slot->release = slot->acquire;
	slot->release.srcAccessMask = access;
	slot->release.dstAccessMask = 0;
	slot->release.oldLayout = layout;
	slot->release.newLayout = VK_IMAGE_LAYOUT_GENERAL;
	slot->release.srcQueueFamilyIndex = 0;
	slot->release.dstQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL;
}

static int
export_semaphore(struct shared_end *end, VkSemaphore *semaphore, int *fd)
{
	const VkExportSemaphoreCreateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
	};
	const VkSemaphoreCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
		.pNext = &export,
	};
	VkSemaphoreGetFdInfoKHR get = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
	};

	TRY(end->d.CreateSemaphore(end->vk.device, &info, NULL, semaphore));
	get.semaphore = *semaphore;
	TRY(end->d.GetSemaphoreFdKHR(end->vk.device, &get, fd));
	return 0;
}

/* The driver takes the descriptor. */
static int
import_semaphore(struct shared_end *end, VkSemaphore *semaphore, int *fd)
{
	const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	VkImportSemaphoreFdInfoKHR import = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
		.fd = *fd,
	};

	TRY(end->d.CreateSemaphore(end->vk.device, &info, NULL, semaphore));
	import.semaphore = *semaphore;
	TRY(end->d.ImportSemaphoreFdKHR(end->vk.device, &import));
	*fd = -1;
	return 0;
}

static int
export_all(struct shared_end *end, struct shared_slot *slot, struct announcement *told, int *fds)
{
	const VkExportMemoryAllocateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
		.handleTypes = OPAQUE,
	};
	VkMemoryGetFdInfoKHR get = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
		.handleType = OPAQUE,
	};
	VkMemoryRequirements needs;

	if (create_image(end, &slot->image.image))
		return 1;
	end->d.GetImageMemoryRequirements(end->vk.device, slot->image.image, &needs);
	told->size = needs.size;
	told->type = choose_type(end, needs.memoryTypeBits);
	if (allocate(end, &slot->image, &export, told->size, told->type))
		return 1;
	get.memory = slot->image.memory;
	TRY(end->d.GetMemoryFdKHR(end->vk.device, &get, &fds[MEMORY]));
	told->fds = 1;
	if (end->way != SHARED_GPU)
		return 0;
	told->fds = FDS;
	return export_semaphore(end, &slot->signal, &fds[READY]) ||
		export_semaphore(end, &slot->wait, &fds[FREE]);
}

static void
close_all(const int *fds)
{
	for (unsigned i = 0; i < FDS; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
}

int
shared_bare_send(struct shared_end *end, struct shared_slot *slot, int socket)
{
	struct announcement told = {0};
	int fds[FDS] = {-1, -1, -1};
	int ret = export_all(end, slot, &told, fds);

	set_barriers(end, slot);
	if (!ret)
		ret = shared_carry_send(socket, &told, sizeof(told), fds, told.fds);
	close_all(fds);
	return ret;
}

static int
import_all(
	struct shared_end *end, struct shared_slot *slot, const struct announcement *told, int *fds)
{
	const VkImportMemoryFdInfoKHR import = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
		.handleType = OPAQUE,
		.fd = fds[MEMORY],
	};

	if (create_image(end, &slot->image.image) ||
		allocate(end, &slot->image, &import, told->size, told->type))
		return 1;
	fds[MEMORY] = -1;
	if (end->way != SHARED_GPU)
		return 0;
	return import_semaphore(end, &slot->wait, &fds[READY]) ||
		import_semaphore(end, &slot->signal, &fds[FREE]);
}

int
shared_bare_receive(struct shared_end *end, struct shared_slot *slot, int socket)
{
	struct announcement told;
	int fds[FDS] = {-1, -1, -1};
	int ret = shared_carry_receive(socket, &told, sizeof(told), fds, FDS);

	if (!ret)
		ret = import_all(end, slot, &told, fds);
	set_barriers(end, slot);
	close_all(fds);
	return ret;
}
