/* SPDX-License-Identifier: Apache-2.0 */
/* Images as Krafla has them: a buffer with memory of the GPU, as a handle, which is checked. */
#include "bench/shared/shared.h"

#include <poll.h>
#include <stdio.h>
#include <krafla/hardware_buffer.h>

#include "bench/shared/carry.h"
#include "gralloc/buffer.h"

#define LIMIT_MS 30000

static int
problem(const char *what, int result)
{
	fprintf(stderr, "krafla-bench: %s: %d\n", what, result);
	return 1;
}

static void
set_barriers(struct shared_end *end, struct shared_slot *slot)
{
	const VkImageLayout layout = end->producer ? VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL
						   : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
	const VkAccessFlags access =
		end->producer ? VK_ACCESS_TRANSFER_WRITE_BIT : VK_ACCESS_TRANSFER_READ_BIT;

	kr_gpu_acquire_barrier(&end->gpu, &slot->image, layout, access, &slot->acquire);
	kr_gpu_release_barrier(&end->gpu, &slot->image, layout, access, &slot->release);
	if (!end->producer)
		return;
	slot->acquire.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED; /* all of it is drawn anew */
	slot->acquire.srcQueueFamilyIndex = slot->acquire.dstQueueFamilyIndex;
}

int
shared_slot_export(struct shared_end *end, struct shared_slot *slot, struct kr_buffer **buffer)
{
	const struct kr_buffer_desc desc = {end->width, end->height, 1,
		AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER};
	const struct kr_gpu_memory wanted = {
		.kind = KR_GPU_OPAQUE_FD,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.width = end->width,
		.height = end->height,
		.usage = SHARED_USAGE,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.mip_levels = 1,
		.array_layers = 1,
		.samples = 1,
	};
	VkResult result = kr_gpu_image_create(&end->gpu, &wanted, &slot->image);
	int fd, err;

	if (result != VK_SUCCESS)
		return problem("making an image", result);
	set_barriers(end, slot);
	result = kr_gpu_image_export(&end->gpu, &slot->image, &fd);
	if (result != VK_SUCCESS)
		return problem("exporting an image", result);
	err = kr_buffer_from_gpu(&desc, &slot->image.description, fd, buffer);
	return err ? problem("a buffer of it", err) : 0;
}

int
shared_slot_send(struct shared_end *end, struct shared_slot *slot, int socket)
{
	struct kr_buffer *buffer;
	int err;

	if (end->way != SHARED_KRAFLA)
		return shared_bare_send(end, slot, socket);
	if (shared_slot_export(end, slot, &buffer))
		return 1;
	err = AHardwareBuffer_sendHandleToUnixSocket((AHardwareBuffer *)(void *)buffer, socket);
	kr_buffer_unref(buffer);
	return err ? problem("sending it", err) : 0;
}

int
shared_slot_receive(struct shared_end *end, struct shared_slot *slot, int socket)
{
	struct pollfd readable = {.fd = socket, .events = POLLIN};
	const struct kr_buffer_info *info;
	const char *reason = "it isn't the GPU's";
	VkResult result = VK_ERROR_INVALID_EXTERNAL_HANDLE;
	AHardwareBuffer *buffer;
	int err;

	if (end->way != SHARED_KRAFLA)
		return shared_bare_receive(end, slot, socket);
	if (poll(&readable, 1, LIMIT_MS) <= 0)
		return problem("waiting for an image", 0);
	err = AHardwareBuffer_recvHandleFromUnixSocket(socket, &buffer);
	if (err)
		return problem("receiving an image", err);
	info = kr_buffer_get_info((struct kr_buffer *)(void *)buffer);
	if (info->gpu)
		result = kr_gpu_image_import(
			&end->gpu, info->gpu, info->gpu_fd, &slot->image, &reason);
	AHardwareBuffer_release(buffer);
	if (result != VK_SUCCESS)
		return problem(reason ? reason : "importing an image", result);
	set_barriers(end, slot);
	return 0;
}
