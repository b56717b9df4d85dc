/* SPDX-License-Identifier: Apache-2.0 */
/* Creating and destroying devices. */
#include "adapter/device.h"

#include "adapter/device_info.h"
#include "adapter/external.h"
#include "adapter/flights_thread.h"
#include "adapter/handle_map.h"
#include "adapter/image.h"
#include "adapter/probe.h"
#include "util/alloc.h"
#include "util/log.h"

static struct kr_adapter_handle_map devices = KR_HANDLE_MAP_INITIALIZER;
static struct kr_adapter_handle_map queues = KR_HANDLE_MAP_INITIALIZER;

struct kr_adapter_device *
kr_adapter_device_from_handle(VkDevice device)
{
	return kr_adapter_handle_map_get(&devices, device);
}

struct kr_adapter_queue *
kr_adapter_queue_from_handle(VkQueue queue)
{
	return kr_adapter_handle_map_get(&queues, queue);
}

struct kr_adapter_family *
kr_adapter_queue_family(const struct kr_adapter_queue *queue)
{
	struct kr_adapter_family *family = queue->device->families;

	while (family->index != queue->family)
		family++;
	return family;
}

static void
add_family(
	struct kr_adapter_device *device, const struct kr_adapter_queue_plan *plan, uint32_t index)
{
	for (uint32_t i = 0; i < device->family_count; i++) {
		if (device->families[i].index == index)
			return;
	}
	device->families[device->family_count++] = (struct kr_adapter_family){
		.index = index,
		.transfer = index < plan->family_count &&
			kr_family_can_transfer(&plan->families[index]),
	};
	device->can_always_transfer &= device->families[device->family_count - 1].transfer;
}

static VkQueue
get_queue(const struct kr_adapter_device *device, const VkDeviceQueueCreateInfo *info, uint32_t i)
{
	VkQueue queue = VK_NULL_HANDLE;

	if (info->flags && device->vk.GetDeviceQueue2) {
		const VkDeviceQueueInfo2 what = {
			.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2,
			.flags = info->flags,
			.queueFamilyIndex = info->queueFamilyIndex,
			.queueIndex = i,
		};

		device->vk.GetDeviceQueue2(device->handle, &what, &queue);
	} else if (!info->flags) {
		device->vk.GetDeviceQueue(device->handle, info->queueFamilyIndex, i, &queue);
	}
	return queue;
}

static VkResult
add_queue(struct kr_adapter_device *device, const VkDeviceQueueCreateInfo *info, uint32_t i)
{
	struct kr_adapter_queue *queue = &device->queues[device->queue_count];
	VkQueue handle = get_queue(device, info, i);

	/* An ICD may answer the same queue for infos of one family: then it is known already. */
	if (!handle || kr_adapter_queue_from_handle(handle))
		return VK_SUCCESS;
	*queue = (struct kr_adapter_queue){
		.device = device,
		.handle = handle,
		.family = info->queueFamilyIndex,
		.flags = info->flags,
	};
	if (kr_adapter_handle_map_put(&queues, handle, queue))
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	device->queue_count++;
	return VK_SUCCESS;
}

/* Room for what is about to be added. */
static VkResult
allocate_queues(struct kr_adapter_device *device, const struct kr_adapter_queue_plan *plan)
{
	uint32_t total = 0;

	for (uint32_t i = 0; i < plan->count; i++)
		total += plan->infos[i].queueCount;
	if (!plan->count)
		return VK_SUCCESS;
	device->queues = kr_zalloc_array(device->allocator, KR_MAX(total, 1u),
		sizeof(*device->queues), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
	device->families = kr_zalloc_array(device->allocator, plan->count,
		sizeof(*device->families), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
	return device->queues && device->families ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

static VkResult
add_queues(struct kr_adapter_device *device, const struct kr_adapter_queue_plan *plan)
{
	VkResult result = allocate_queues(device, plan);

	device->can_always_transfer = true;
	for (uint32_t i = 0; i < plan->count && result == VK_SUCCESS; i++) {
		const VkDeviceQueueCreateInfo *info = &plan->infos[i];

		add_family(device, plan, info->queueFamilyIndex);
		for (uint32_t j = 0; j < info->queueCount && result == VK_SUCCESS; j++) {
			result = add_queue(device, info, j);
			if (i == plan->helper_info && j == plan->helper_index)
				device->helper =
					kr_adapter_queue_from_handle(get_queue(device, info, j));
		}
	}
	if (device->helper)
		device->helper->locked = true;
	device->helper_shared = device->helper && !plan->helper_private;
	return result;
}

static void
remove_queues(struct kr_adapter_device *device)
{
	const VkAllocationCallbacks *allocator = device->allocator;

	for (uint32_t i = 0; i < device->queue_count; i++)
		kr_flights_close(&device->queues[i]);
	kr_adapter_kept_images_destroy(device);
	for (uint32_t i = 0; i < device->queue_count; i++) {
		struct kr_adapter_queue *queue = &device->queues[i];

		kr_adapter_handle_map_remove(&queues, queue->handle);
		device->vk.DestroyFence(device->handle, queue->fence, allocator);
		device->vk.DestroySemaphore(device->handle, queue->exportable, allocator);
	}
	for (uint32_t i = 0; i < device->family_count; i++)
		device->vk.DestroyCommandPool(device->handle, device->families[i].pool, allocator);
	kr_free(allocator, device->families);
	kr_free(allocator, device->queues);
}

/* Asks once more without the extra queue when that may be what the ICD can't give. */
static VkResult
create_driver_device(const struct kr_adapter_gpu *gpu, struct kr_adapter_device_info *info,
	const VkAllocationCallbacks *allocator, VkDevice *handle)
{
	PFN_vkCreateDevice create = gpu->instance->vk.CreateDevice;
	VkResult result = create(gpu->handle, &info->info, allocator, handle);

	if (info->queues.helper_private &&
		(result == VK_ERROR_INITIALIZATION_FAILED || result == VK_ERROR_TOO_MANY_OBJECTS)) {
		kr_adapter_queue_plan_share(&info->queues);
		info->info.queueCreateInfoCount = info->queues.count;
		result = create(gpu->handle, &info->info, allocator, handle);
	}
	if (result != VK_SUCCESS || *handle)
		return result;
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
		"%s: vkCreateDevice answered VK_SUCCESS and gave no device",
		gpu->instance->icd.name);
	return VK_ERROR_INITIALIZATION_FAILED;
}

/* Everything about a new device of the ICD. */
static VkResult
set_up(struct kr_adapter_device *device, const struct kr_adapter_device_info *info)
{
	PFN_vkGetDeviceProcAddr get =
		(PFN_vkGetDeviceProcAddr)device->gpu->instance->icd.get_instance_proc_addr(
			device->gpu->instance->handle, "vkGetDeviceProcAddr");
	VkResult result;

	kr_device_table_load(&device->vk, get, device->handle);
	device->vk.GetDeviceProcAddr = get;
	device->engaged = info->engaged;
	device->hardware_buffers.enabled = info->hardware_buffers;
	device->hardware_buffers.conversions = info->hardware_buffers && info->conversions;
	device->generation = kr_flights_generation();
	if (device->engaged)
		kr_adapter_probe(device, &info->enabled);
	if (device->engaged)
		kr_adapter_external_init(device, &info->enabled);
	result = add_queues(device, &info->queues);
	if (result == VK_SUCCESS && kr_adapter_handle_map_put(&devices, device->handle, device))
		result = VK_ERROR_OUT_OF_HOST_MEMORY;
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_CreateDevice(VkPhysicalDevice physicalDevice, const VkDeviceCreateInfo *pCreateInfo,
	const VkAllocationCallbacks *pAllocator, VkDevice *pDevice)
{
	struct kr_adapter_gpu *gpu = kr_adapter_gpu_from_handle(physicalDevice);
	struct kr_adapter_device *device;
	struct kr_adapter_device_info info;
	VkResult result;

	const VkAllocationCallbacks *allocator = pAllocator ? pAllocator : gpu->instance->allocator;

	device = kr_object_alloc(allocator, sizeof(*device), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
	if (!device)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	device->gpu = gpu;
	device->allocator = kr_object_allocator(device);
	device->handle_allocator = pAllocator ? device->allocator : NULL;
	result = kr_adapter_device_info_init(&info, gpu, pCreateInfo, allocator);
	if (result != VK_SUCCESS)
		goto err_free;
	result = create_driver_device(gpu, &info, pAllocator, &device->handle);
	if (result != VK_SUCCESS)
		goto err_info;
	kr_mutex_init(&device->queue_lock);
	kr_mutex_init(&device->image_lock);
	kr_mutex_init(&device->hardware_buffers.lock);
	kr_promises_init(&device->promises, device->allocator);
	result = set_up(device, &info);
	if (result != VK_SUCCESS)
		goto err_destroy;
	kr_adapter_device_info_finish(&info);
	*pDevice = device->handle;
	return VK_SUCCESS;

err_destroy:
	remove_queues(device);
	device->vk.DestroyDevice(device->handle, pAllocator);
	kr_promises_finish(&device->promises);
	kr_mutex_finish(&device->hardware_buffers.lock);
	kr_mutex_finish(&device->image_lock);
	kr_mutex_finish(&device->queue_lock);
err_info:
	kr_adapter_device_info_finish(&info);
err_free:
	kr_object_free(device);
	return result;
}

VKAPI_ATTR void VKAPI_CALL
kr_adapter_DestroyDevice(VkDevice device, const VkAllocationCallbacks *pAllocator)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);

	if (!state)
		return;
	kr_adapter_handle_map_remove(&devices, device);
	remove_queues(state);
	state->vk.DestroyDevice(device, state->handle_allocator);
	kr_promises_finish(&state->promises);
	kr_mutex_finish(&state->hardware_buffers.lock);
	kr_mutex_finish(&state->image_lock);
	kr_mutex_finish(&state->queue_lock);
	kr_object_free(state);
}
