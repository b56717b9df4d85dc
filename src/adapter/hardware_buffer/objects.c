/* SPDX-License-Identifier: Apache-2.0 */
/* What was made for hardware buffers, by handle: few enough for lists. */
#include "adapter/hardware_buffer/hardware_buffer.h"

#include "util/alloc.h"
#include "util/log.h"

void
kr_ahb_object_add(struct kr_adapter_device *device, struct kr_ahb_object *object)
{
	kr_mutex_lock(&device->hardware_buffers.lock);
	object->next = device->hardware_buffers.objects;
	device->hardware_buffers.objects = object;
	kr_mutex_unlock(&device->hardware_buffers.lock);
	atomic_fetch_add_explicit(&device->hardware_buffers.object_count, 1, memory_order_relaxed);
}

static struct kr_ahb_object **
find_object(struct kr_adapter_device *device, bool is_image, uint64_t handle)
	KR_REQUIRES(device->hardware_buffers.lock)
{
	struct kr_ahb_object **link = &device->hardware_buffers.objects;

	while (*link && ((*link)->handle != handle || (*link)->is_image != is_image))
		link = &(*link)->next;
	return link;
}

struct kr_ahb_object *
kr_ahb_object_find(struct kr_adapter_device *device, bool is_image, uint64_t handle)
{
	struct kr_ahb_object *object;

	kr_mutex_lock(&device->hardware_buffers.lock);
	object = *find_object(device, is_image, handle);
	kr_mutex_unlock(&device->hardware_buffers.lock);
	return object;
}

struct kr_ahb_object *
kr_ahb_object_take(struct kr_adapter_device *device, bool is_image, uint64_t handle)
{
	struct kr_ahb_object **link, *object;

	if (!atomic_load_explicit(&device->hardware_buffers.object_count, memory_order_relaxed))
		return NULL;
	kr_mutex_lock(&device->hardware_buffers.lock);
	link = find_object(device, is_image, handle);
	object = *link;
	if (object)
		*link = object->next;
	kr_mutex_unlock(&device->hardware_buffers.lock);
	if (object)
		atomic_fetch_sub_explicit(
			&device->hardware_buffers.object_count, 1, memory_order_relaxed);
	return object;
}

void
kr_ahb_memory_add(struct kr_adapter_device *device, struct kr_ahb_memory *memory)
{
	kr_mutex_lock(&device->hardware_buffers.lock);
	memory->next = device->hardware_buffers.memories;
	device->hardware_buffers.memories = memory;
	kr_mutex_unlock(&device->hardware_buffers.lock);
	atomic_fetch_add_explicit(&device->hardware_buffers.memory_count, 1, memory_order_relaxed);
}

static struct kr_ahb_memory **
find_memory(struct kr_adapter_device *device, VkDeviceMemory handle)
	KR_REQUIRES(device->hardware_buffers.lock)
{
	struct kr_ahb_memory **link = &device->hardware_buffers.memories;

	while (*link && (*link)->handle != handle)
		link = &(*link)->next;
	return link;
}

struct kr_ahb_memory *
kr_ahb_memory_find(struct kr_adapter_device *device, VkDeviceMemory handle)
{
	struct kr_ahb_memory *memory;

	kr_mutex_lock(&device->hardware_buffers.lock);
	memory = *find_memory(device, handle);
	kr_mutex_unlock(&device->hardware_buffers.lock);
	return memory;
}

struct kr_ahb_memory *
kr_ahb_memory_take(struct kr_adapter_device *device, VkDeviceMemory handle)
{
	struct kr_ahb_memory **link, *memory;

	if (!atomic_load_explicit(&device->hardware_buffers.memory_count, memory_order_relaxed))
		return NULL;
	kr_mutex_lock(&device->hardware_buffers.lock);
	link = find_memory(device, handle);
	memory = *link;
	if (memory)
		*link = memory->next;
	kr_mutex_unlock(&device->hardware_buffers.lock);
	if (memory)
		atomic_fetch_sub_explicit(
			&device->hardware_buffers.memory_count, 1, memory_order_relaxed);
	return memory;
}

void
kr_ahb_memory_free(struct kr_ahb_memory *memory)
{
	if (memory->buffer)
		memory->buffer->common.decRef(&memory->buffer->common);
	kr_buffer_unref(memory->mapped);
	kr_object_free(memory);
}

void
kr_ahb_finish(struct kr_adapter_device *device) KR_NO_THREAD_SAFETY
{
	kr_free(device->allocator, device->hardware_buffers.asked);
	device->hardware_buffers.asked = NULL;
	while (device->hardware_buffers.objects) {
		struct kr_ahb_object *object = device->hardware_buffers.objects;

		device->hardware_buffers.objects = object->next;
		kr_object_free(object);
	}
	while (device->hardware_buffers.memories) {
		struct kr_ahb_memory *memory = device->hardware_buffers.memories;

		device->hardware_buffers.memories = memory->next;
		kr_gpu_memory_unmap(&memory->imported);
		kr_ahb_memory_free(memory);
	}
}

VkResult
kr_ahb_refuse(const char *call, const char *what)
{
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "%s: %s", call, what);
	return VK_ERROR_INVALID_EXTERNAL_HANDLE;
}
