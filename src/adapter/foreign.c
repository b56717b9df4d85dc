/* SPDX-License-Identifier: Apache-2.0 */
/* See foreign.h. */
#include "adapter/foreign.h"

#include <krafla/hardware_buffer.h>

#include "gpu/format.h"
#include "adapter/image.h"
#include "adapter/probe.h"
#include "adapter/trial.h"
#include "util/log.h"

#define KEPT UINT32_C(0xFF0000FF)

/* --- the trial --- */

static VkResult
prepare(struct kr_trial *trial)
{
	return kr_trial_image_create(
		trial, VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
}

static void
hand_over(const struct kr_trial *trial, VkCommandBuffer commands, VkImageLayout layout,
	uint32_t from, uint32_t to)
{
	kr_trial_barrier(trial, commands, layout, VK_IMAGE_LAYOUT_GENERAL, from, to);
}

/* Given to both kinds of others, and taken back. */
static void
record(const struct kr_trial *trial, VkCommandBuffer commands)
{
	static const uint32_t others[] = {VK_QUEUE_FAMILY_EXTERNAL, VK_QUEUE_FAMILY_FOREIGN_EXT};
	const struct kr_device_table *vk = &trial->device->vk;
	const VkClearColorValue red = {.float32 = {1, 0, 0, 1}};
	const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	uint32_t family = trial->device->queues[0].family;
	VkImage image = trial->image.handle;

	hand_over(trial, commands, VK_IMAGE_LAYOUT_UNDEFINED, VK_QUEUE_FAMILY_IGNORED,
		VK_QUEUE_FAMILY_IGNORED);
	vk->CmdClearColorImage(commands, image, VK_IMAGE_LAYOUT_GENERAL, &red, 1, &range);
	for (size_t i = 0; i < KR_ARRAY_LEN(others); i++) {
		hand_over(trial, commands, VK_IMAGE_LAYOUT_GENERAL, family, others[i]);
		hand_over(trial, commands, VK_IMAGE_LAYOUT_GENERAL, others[i], family);
	}
}

static uint32_t
expected(uint32_t x, uint32_t y)
{
	return KEPT;
}

static void
finish(struct kr_trial *trial)
{
	struct kr_adapter_device *device = trial->device;

	device->vk.DestroyImage(device->handle, trial->image.handle, trial->image.allocator);
	device->vk.FreeMemory(device->handle, trial->image.memory, device->allocator);
}

static bool
passes_over_families(const struct kr_adapter_gpu *gpu)
{
	static const struct kr_trial_kind kind = {prepare, record, expected, finish};
	bool passes = gpu->cpu && kr_trial_run(gpu, &kind);

	kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
		"%s: tried to hand an image to other families and back: %s",
		gpu->instance->icd.name, passes ? "its content stays" : "not so");
	return passes;
}

/* --- what the device can --- */

bool
kr_adapter_image_lies_in_host_memory(struct kr_adapter_gpu *gpu, const VkImageCreateInfo *info)
{
	VkImageCreateInfo linear = *info;
	enum kr_said said;

	if (info->imageType != VK_IMAGE_TYPE_2D || info->mipLevels != 1 || info->arrayLayers != 1 ||
		(info->flags &
			(VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT | VK_IMAGE_CREATE_PROTECTED_BIT)) ||
		!kr_format_bytes(kr_gpu_buffer_format(info->format)))
		return false;
	linear.tiling = VK_IMAGE_TILING_LINEAR;
	/* A card would read through its bus: only when it is told to. */
	if (info->tiling != VK_IMAGE_TILING_LINEAR &&
		(gpu->discrete || !kr_adapter_linear_does_the_same(gpu, &linear)))
		return false;
	said = kr_adapter_host_image_said(gpu, &linear);
	return said == KR_SAID_YES || (said == KR_SAID_NOTHING && kr_host_image_proven(gpu));
}

bool
kr_adapter_blobs_in_host_memory(struct kr_adapter_gpu *gpu)
{
	enum kr_said said = kr_adapter_host_buffer_said(gpu);

	return said == KR_SAID_YES || (said == KR_SAID_NOTHING && kr_host_buffer_proven(gpu));
}

bool
kr_adapter_image_lies_in_own_memory(
	const struct kr_adapter_gpu *gpu, const VkPhysicalDeviceImageFormatInfo2 *info)
{
	const VkExternalMemoryFeatureFlags both = VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT |
		VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
	const struct kr_instance_table *vk = &gpu->instance->vk;
	PFN_vkGetPhysicalDeviceImageFormatProperties2 get =
		vk->GetPhysicalDeviceImageFormatProperties2;
	const VkPhysicalDeviceExternalImageFormatInfo external = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
	};
	const VkPhysicalDeviceImageFormatInfo2 question = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = &external,
		.format = info->format,
		.type = info->type,
		.tiling = info->tiling,
		.usage = info->usage,
		.flags = info->flags,
	};
	VkExternalImageFormatProperties memory = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES,
	};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
		.pNext = &memory,
	};

	/* No buffer has protected memory: nobody here allocates it (W-04). */
	if (info->flags & VK_IMAGE_CREATE_PROTECTED_BIT)
		return false;
	if (!get || gpu->api_version < VK_API_VERSION_1_1)
		get = vk->GetPhysicalDeviceImageFormatProperties2KHR;
	return get && get(gpu->handle, &question, &properties) == VK_SUCCESS &&
		(memory.externalMemoryProperties.externalMemoryFeatures & both) == both;
}

uint64_t
kr_adapter_hardware_buffer_usage(VkImageUsageFlags usage, VkImageCreateFlags flags)
{
	const VkImageUsageFlags drawn =
		VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
	const VkImageUsageFlags read =
		VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
	uint64_t buffer = 0;

	if (usage & read)
		buffer |= AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE;
	if (usage & drawn)
		buffer |= AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER;
	if (flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT)
		buffer |= AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP;
	return buffer ? buffer : AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE;
}

bool
kr_adapter_has_foreign(const struct kr_adapter_gpu *gpu)
{
	struct kr_offered offered;
	bool has;

	if (kr_offered_device(gpu->instance, gpu->handle, gpu->instance->allocator, &offered) !=
		VK_SUCCESS)
		return false;
	has = kr_offered_has(&offered, VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME);
	kr_offered_finish(&offered);
	return has;
}

/* Empty: it can. */
static const char *
find_out(struct kr_adapter_gpu *gpu)
{
	struct kr_offered offered;
	bool memory;

	if (gpu->api_version < VK_API_VERSION_1_1)
		return "instance, device or driver are of Vulkan 1.0";
	if (kr_offered_device(gpu->instance, gpu->handle, gpu->instance->allocator, &offered) !=
		VK_SUCCESS)
		return "the driver doesn't list its extensions";
	memory = kr_offered_has(&offered, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) ||
		kr_offered_has(&offered, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
	kr_offered_finish(&offered);
	if (!memory)
		return "the driver imports neither host memory nor descriptors";
	if (!kr_adapter_has_foreign(gpu) && !passes_over_families(gpu))
		return "the driver hasn't VK_EXT_queue_family_foreign, and wasn't seen to do without";
	return "";
}

const char *
kr_adapter_why_no_hardware_buffers(struct kr_adapter_gpu *gpu)
{
	const char *why = atomic_load(&gpu->no_hardware_buffers);

	if (!why) {
		why = find_out(gpu);
		if (*why)
			kr_log(KR_LOG_INFO | KR_LOG_DRIVER, "%s: no AHardwareBuffers: %s",
				gpu->instance->icd.name, why);
		atomic_store(&gpu->no_hardware_buffers, why);
	}
	return *why ? why : NULL;
}

bool
kr_adapter_offers_hardware_buffers(struct kr_adapter_gpu *gpu)
{
	return !kr_adapter_why_no_hardware_buffers(gpu);
}
