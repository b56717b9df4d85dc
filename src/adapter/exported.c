/* SPDX-License-Identifier: Apache-2.0 */
/* See exported.h. */
#include "adapter/exported.h"

#include "adapter/external.h"
#include "adapter/image.h"
#include "util/alloc.h"
#include "util/fd.h"

/* The index of a queue's family. */
static uint32_t
family_of(const struct kr_adapter_queue *queue)
{
	return (uint32_t)(kr_adapter_queue_family(queue) - queue->device->families);
}

bool
kr_exported_is_out(const struct kr_adapter_image *image)
{
	return image && image->exported && atomic_load(&image->exported->out);
}

VkCommandBuffer
kr_exported_take(struct kr_adapter_image *image, struct kr_adapter_queue *queue)
{
	struct kr_exported *exported = image->exported;
	VkCommandBuffer take = exported->commands[family_of(queue)].take;

	return take && atomic_exchange(&exported->out, false) ? take : VK_NULL_HANDLE;
}

void
kr_exported_untake(struct kr_adapter_image *image)
{
	atomic_store(&image->exported->out, true);
}

VkCommandBuffer
kr_exported_give(
	const struct kr_adapter_image *image, const struct kr_adapter_queue *queue, bool copied)
{
	const struct kr_export_commands *commands = &image->exported->commands[family_of(queue)];

	return copied ? commands->give_copied : commands->give;
}

void
kr_exported_given(struct kr_adapter_image *image)
{
	atomic_store(&image->exported->out, true);
}

static VkResult
allocate(struct kr_adapter_device *device, struct kr_adapter_family *family,
	struct kr_export_commands *commands) KR_REQUIRES(device->image_lock)
{
	VkResult result = kr_copy_commands_allocate(device, family, &commands->give);

	if (result == VK_SUCCESS)
		result = kr_copy_commands_allocate(device, family, &commands->give_copied);
	if (result == VK_SUCCESS)
		result = kr_copy_commands_allocate(device, family, &commands->take);
	return result;
}

static VkResult
record(struct kr_adapter_device *device, const struct kr_gpu *gpu, struct kr_adapter_image *image)
	KR_REQUIRES(device->image_lock)
{
	struct kr_export_recording recording = {
		.vk = &device->vk,
		.image = image->handle,
		.family = gpu->family_count > 1 ? VK_QUEUE_FAMILY_IGNORED : gpu->families[0],
		.buffer = image->staging,
		.whole = kr_copy_whole(image),
	};
	VkResult result = VK_SUCCESS;

	for (uint32_t i = 0; i < device->family_count && result == VK_SUCCESS; i++) {
		struct kr_export_commands *commands = &image->exported->commands[i];

		if (!device->families[i].transfer)
			continue;
		result = allocate(device, &device->families[i], commands);
		if (result == VK_SUCCESS)
			result = kr_export_record(&recording, commands);
	}
	return result;
}

static void
destroy_locked(struct kr_adapter_device *device, struct kr_adapter_image *image)
	KR_REQUIRES(device->image_lock)
{
	for (uint32_t i = 0; i < device->family_count; i++) {
		const struct kr_export_commands *commands = &image->exported->commands[i];
		const VkCommandBuffer all[] = {
			commands->give, commands->give_copied, commands->take};

		for (size_t j = 0; j < KR_ARRAY_LEN(all); j++) {
			if (all[j])
				device->vk.FreeCommandBuffers(
					device->handle, device->families[i].pool, 1, &all[j]);
		}
	}
	device->vk.DestroyFence(device->handle, image->exported->drained, device->allocator);
	kr_free(device->allocator, image->exported);
	image->exported = NULL;
}

void
kr_exported_destroy(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	if (!image->exported)
		return;
	kr_mutex_lock(&device->image_lock);
	destroy_locked(device, image);
	kr_mutex_unlock(&device->image_lock);
}

/* From here on it is given and taken. */
static VkResult
begin(struct kr_adapter_device *device, const struct kr_gpu *gpu, struct kr_adapter_image *image)
{
	size_t size = device->family_count * sizeof(*image->exported->commands);
	VkResult result;

	if (image->exported)
		return VK_SUCCESS;
	image->exported = kr_zalloc(device->allocator, sizeof(*image->exported) + size,
		VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!image->exported)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	atomic_init(&image->exported->out, false);
	kr_mutex_lock(&device->image_lock);
	result = record(device, gpu, image);
	if (result != VK_SUCCESS)
		destroy_locked(device, image);
	kr_mutex_unlock(&device->image_lock);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_GetNativeBufferMemoryKRAFLA(
	VkDevice device, VkImage image, struct kr_gpu_memory *memory, int *fd)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	struct kr_adapter_image *native = kr_adapter_image_from_handle(state, image);
	const struct kr_gpu *gpu = kr_adapter_external(state);
	struct kr_gpu_image exported;
	VkResult result;
	int made = -1;

	if (!gpu || !native || !native->exportable || !native->memory || native->borrowed_memory)
		return VK_ERROR_FEATURE_NOT_PRESENT;
	exported = (struct kr_gpu_image){
		.image = native->handle,
		.memory = native->memory,
		.description = native->description,
	};
	result = kr_gpu_image_export(gpu, &exported, &made);
	if (result != VK_SUCCESS)
		return result;
	result = begin(state, gpu, native);
	if (result != VK_SUCCESS) {
		kr_fd_close(&made);
		return result;
	}
	*memory = native->description;
	*fd = made;
	return VK_SUCCESS;
}
