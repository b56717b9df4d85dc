/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: their functions, the set of our swapchains, and what happens when one is lost. */
#include "wsi/device.h"

#include "util/alloc.h"
#include "util/log.h"
#include "util/native_acquire.h"
#include "wsi/semaphore.h"
#include "wsi/swapchain.h"

static void
load_imports(struct kr_wsi_native_functions *native, PFN_vkGetDeviceProcAddr get, VkDevice device)
{
	PFN_vkGetAcquireImportsKRAFLA ask =
		(PFN_vkGetAcquireImportsKRAFLA)get(device, KR_ACQUIRE_IMPORTS_FUNCTION);
	VkBool32 semaphores = VK_TRUE, fences = VK_TRUE;

	if (ask)
		ask(device, &semaphores, &fences);
	native->adapter = ask != NULL;
	native->acquire_semaphores = semaphores;
	native->acquire_fences = fences;
}

static void
load_native(struct kr_wsi_native_functions *native, PFN_vkGetDeviceProcAddr get, VkDevice device)
{
#define LOAD(member, name) native->member = (PFN_##name)get(device, #name)
	LOAD(usage, vkGetSwapchainGrallocUsageANDROID);
	LOAD(usage2, vkGetSwapchainGrallocUsage2ANDROID);
	LOAD(usage3, vkGetSwapchainGrallocUsage3ANDROID);
	LOAD(usage4, vkGetSwapchainGrallocUsage4ANDROID);
	LOAD(acquire, vkAcquireImageANDROID);
	LOAD(release, vkQueueSignalReleaseImageANDROID);
	LOAD(release_wanted, vkQueueSignalReleaseImageKRAFLA);
	LOAD(memory, vkGetNativeBufferMemoryKRAFLA);
#undef LOAD
	load_imports(native, get, device);
}

static bool
complete(const struct kr_wsi_native_functions *native)
{
	return native->acquire && native->release &&
		(native->usage || native->usage2 || native->usage3 || native->usage4);
}

VkResult
kr_wsi_device_create(const struct kr_wsi_device_info *info, struct kr_wsi_device **device)
{
	struct kr_wsi_native_functions native;
	struct kr_wsi_device *d;

	load_native(&native, info->get_device_proc_addr, info->device);
	if (!complete(&native)) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"the driver lacks a function of VK_ANDROID_native_buffer");
		return VK_ERROR_INCOMPATIBLE_DRIVER;
	}
	d = kr_object_alloc(info->allocator, sizeof(*d), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
	if (!d)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	d->info = *info;
	d->native = native;
	d->allocator = kr_object_allocator(d);
	d->info.allocator = d->allocator;
	kr_mutex_init(&d->lock);
	kr_mutex_lock(&d->lock);
	kr_list_init(&d->swapchains);
	kr_list_init(&d->semaphores);
	kr_mutex_unlock(&d->lock);
	*device = d;
	return VK_SUCCESS;
}

void
kr_wsi_device_destroy(struct kr_wsi_device *device)
{
	if (!device)
		return;
	kr_wsi_semaphores_finish(device);
	kr_mutex_finish(&device->lock);
	kr_object_free(device);
}

bool
kr_wsi_device_has_swapchains(const struct kr_wsi_device *device)
{
	return atomic_load_explicit(&device->swapchain_count, memory_order_relaxed) > 0;
}

bool
kr_wsi_owns_swapchain(struct kr_wsi_device *device, VkSwapchainKHR swapchain)
{
	struct kr_wsi_swapchain *s;
	bool found = false;

	if (!kr_wsi_device_has_swapchains(device))
		return false;
	kr_mutex_lock(&device->lock);
	kr_list_for_each (s, &device->swapchains, link)
		found |= s == kr_wsi_swapchain_from_handle(swapchain);
	kr_mutex_unlock(&device->lock);
	return found;
}

/*
 * The fences of frames on their way are the driver's, who fails them; what is left to us is that
 * nobody waits for buffers that will never be drawn (W-12).
 */
void
kr_wsi_device_lost(struct kr_wsi_device *device)
{
	struct kr_wsi_swapchain *s;

	if (atomic_exchange(&device->lost, true))
		return;
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "the device is lost: its swapchains end");
	kr_mutex_lock(&device->lock);
	kr_list_for_each (s, &device->swapchains, link) {
		for (uint32_t i = 0; i < s->image_count; i++)
			kr_wsi_image_give_back(s, &s->images[i]);
	}
	kr_mutex_unlock(&device->lock);
}

VkResult
kr_wsi_note_result(struct kr_wsi_device *device, VkResult result)
{
	if (result == VK_ERROR_DEVICE_LOST)
		kr_wsi_device_lost(device);
	return result;
}
