/* SPDX-License-Identifier: Apache-2.0 */
/* See external.h. */
#include "adapter/external.h"

#include <string.h>

#include "util/macros.h"

/* More than src/gpu has, one of them NULL; bits of external.enabled. */
#define MOST 32

/* A part of Vulkan already. */
static bool
is_there(const struct kr_adapter_gpu *gpu, const char *name)
{
	static const char *const parts[] = {
		VK_KHR_EXTERNAL_MEMORY_EXTENSION_NAME,
		VK_KHR_GET_MEMORY_REQUIREMENTS_2_EXTENSION_NAME,
		VK_KHR_DEDICATED_ALLOCATION_EXTENSION_NAME,
		VK_KHR_BIND_MEMORY_2_EXTENSION_NAME,
		VK_KHR_MAINTENANCE_1_EXTENSION_NAME,
		VK_KHR_SAMPLER_YCBCR_CONVERSION_EXTENSION_NAME,
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(parts); i++) {
		if (gpu->api_version >= VK_API_VERSION_1_1 && !strcmp(parts[i], name))
			return true;
	}
	return false;
}

void
kr_adapter_external_enable(const struct kr_adapter_gpu *gpu, const struct kr_offered *offered,
	struct kr_enabled *enabled)
{
	for (const char *const *name = kr_gpu_extensions; *name; name++) {
		if (!is_there(gpu, *name) && kr_offered_has(offered, *name))
			kr_enabled_add(enabled, *name);
	}
}

void
kr_adapter_external_init(struct kr_adapter_device *device, const struct kr_enabled *enabled)
{
	if (!kr_enabled_has(enabled, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME))
		return;
	for (uint32_t i = 0; kr_gpu_extensions[i] && i < MOST - 1; i++) {
		if (is_there(device->gpu, kr_gpu_extensions[i]) ||
			kr_enabled_has(enabled, kr_gpu_extensions[i]))
			device->external.enabled |= UINT32_C(1) << i;
	}
}

static bool
ask(struct kr_adapter_device *device)
{
	const struct kr_adapter_gpu *gpu = device->gpu;
	const char *names[MOST] = {NULL};
	uint32_t count = 0;

	for (uint32_t i = 0; i < MOST - 1; i++) {
		if (device->external.enabled >> i & 1)
			names[count++] = kr_gpu_extensions[i];
	}
	return count &&
		kr_gpu_init(&device->external.gpu, gpu->instance->handle, gpu->handle,
			device->handle, gpu->instance->icd.get_instance_proc_addr,
			device->vk.GetDeviceProcAddr, device->allocator, names) == VK_SUCCESS;
}

const struct kr_gpu *
kr_adapter_external(struct kr_adapter_device *device)
{
	int state = atomic_load(&device->external.state);

	if (state == KR_EXTERNAL_UNKNOWN) {
		kr_mutex_lock(&device->image_lock);
		state = atomic_load(&device->external.state);
		if (state == KR_EXTERNAL_UNKNOWN) {
			state = ask(device) ? KR_EXTERNAL_THERE : KR_EXTERNAL_NONE;
			atomic_store(&device->external.state, state);
		}
		kr_mutex_unlock(&device->image_lock);
	}
	return state == KR_EXTERNAL_THERE ? &device->external.gpu : NULL;
}
