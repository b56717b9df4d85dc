/* SPDX-License-Identifier: Apache-2.0 */
/* Private binary semaphores. */
#include "wsi/semaphore.h"

#include "gen/tables.h"
#include "util/alloc.h"

static VkResult
create_unlisted(struct kr_wsi_device *device, struct kr_wsi_semaphore **semaphore)
{
	const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	struct kr_wsi_semaphore *s;
	VkResult result;

	s = kr_zalloc(device->allocator, sizeof(*s), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
	if (!s)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	result = device->info.functions->CreateSemaphore(
		device->info.device, &info, device->allocator, &s->handle);
	if (result != VK_SUCCESS) {
		kr_free(device->allocator, s);
		return result;
	}
	kr_list_init(&s->link);
	*semaphore = s;
	return VK_SUCCESS;
}

static void
add(struct kr_wsi_device *device, struct kr_wsi_semaphore *semaphore)
{
	kr_mutex_lock(&device->lock);
	kr_list_append(&device->semaphores, &semaphore->link);
	kr_mutex_unlock(&device->lock);
}

VkResult
kr_wsi_semaphore_create(struct kr_wsi_device *device, struct kr_wsi_semaphore **semaphore)
{
	VkResult result = create_unlisted(device, semaphore);

	if (result == VK_SUCCESS)
		add(device, *semaphore);
	return result;
}

static void
destroy_unlisted(struct kr_wsi_device *device, struct kr_wsi_semaphore *semaphore)
{
	device->info.functions->DestroySemaphore(
		device->info.device, semaphore->handle, device->allocator);
	kr_free(device->allocator, semaphore);
}

void
kr_wsi_semaphore_destroy(struct kr_wsi_device *device, struct kr_wsi_semaphore *semaphore)
{
	if (!semaphore)
		return;
	kr_mutex_lock(&device->lock);
	kr_list_remove(&semaphore->link);
	kr_mutex_unlock(&device->lock);
	destroy_unlisted(device, semaphore);
}

static struct kr_wsi_semaphore *
find(struct kr_wsi_device *device, VkSwapchainKHR swapchain, uint32_t index)
{
	struct kr_wsi_semaphore *s, *found = NULL;

	kr_mutex_lock(&device->lock);
	kr_list_for_each (s, &device->semaphores, link) {
		if (s->swapchain == swapchain && s->index == index)
			found = s;
	}
	kr_mutex_unlock(&device->lock);
	return found;
}

VkResult
kr_wsi_semaphore_for_driver(struct kr_wsi_device *device, VkSwapchainKHR swapchain, uint32_t index,
	struct kr_wsi_semaphore **semaphore)
{
	/* A swapchain is presented by one thread at a time, so nobody else adds the same. */
	struct kr_wsi_semaphore *s = find(device, swapchain, index);
	VkResult result;

	if (!s) {
		result = create_unlisted(device, &s);
		if (result != VK_SUCCESS)
			return result;
		s->swapchain = swapchain;
		s->index = index;
		add(device, s);
	}
	*semaphore = s;
	return VK_SUCCESS;
}

void
kr_wsi_semaphore_abandon(struct kr_wsi_device *device, struct kr_wsi_semaphore *semaphore)
{
	kr_mutex_lock(&device->lock);
	semaphore->swapchain = VK_NULL_HANDLE;
	kr_mutex_unlock(&device->lock);
}

void
kr_wsi_semaphores_finish(struct kr_wsi_device *device)
{
	struct kr_wsi_semaphore *s, *tmp;
	struct kr_list all;

	kr_list_init(&all);
	kr_mutex_lock(&device->lock);
	kr_list_for_each_safe (s, tmp, &device->semaphores, link) {
		kr_list_remove(&s->link);
		kr_list_append(&all, &s->link);
	}
	kr_mutex_unlock(&device->lock);
	kr_list_for_each_safe (s, tmp, &all, link)
		destroy_unlisted(device, s);
}
