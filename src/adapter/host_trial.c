/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trying whether a VkBuffer, or an image, over a buffer's mapping gets what the GPU writes.
 *
 * The rule is to ask feature bits. But SwiftShader, which offers VK_EXT_external_memory_host and
 * imports well, answers nothing at all about its handle type: neither features nor that the type is
 * compatible with itself, which the specification demands of whoever knows it. Such an ICD has not
 * said no. So it is asked by doing it, once for the physical device.
 */
#include "adapter/trial.h"
#include "util/log.h"

#define PATTERN UINT32_C(0x9E3779B9)

static VkResult
prepare(struct kr_trial *trial)
{
	return kr_host_buffer_create(trial->device, &trial->image);
}

static void
record(const struct kr_trial *trial, VkCommandBuffer commands)
{
	trial->device->vk.CmdFillBuffer(commands, trial->image.staging, 0, VK_WHOLE_SIZE, PATTERN);
}

static uint32_t
expected(uint32_t x, uint32_t y)
{
	return PATTERN;
}

static void
finish(struct kr_trial *trial)
{
	kr_staging_destroy(trial->device, &trial->image);
}

/* --- the same with an image --- */

#define RED UINT32_C(0xFF0000FF)

static VkResult
prepare_image(struct kr_trial *trial)
{
	const struct kr_adapter_device *device = trial->device;
	const VkExternalMemoryImageCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
	};
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = &external,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = trial->image.format,
		.extent = {KR_TRIAL_SIDE, KR_TRIAL_SIDE, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_LINEAR,
		.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	const VkImageSubresource colour = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
	VkSubresourceLayout layout = {0};
	VkResult result = device->vk.CreateImage(
		device->handle, &info, device->allocator, &trial->image.handle);

	if (result != VK_SUCCESS)
		return result;
	device->vk.GetImageSubresourceLayout(device->handle, trial->image.handle, &colour, &layout);
	if (layout.offset || layout.rowPitch != kr_buffer_get_info(trial->image.buffer)->row_bytes)
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	return kr_host_image_bind(trial->device, &trial->image);
}

static void
record_clear(const struct kr_trial *trial, VkCommandBuffer commands)
{
	const VkClearColorValue red = {.float32 = {1, 0, 0, 1}};
	const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = trial->image.handle,
		.subresourceRange = all,
	};

	trial->device->vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
	trial->device->vk.CmdClearColorImage(
		commands, trial->image.handle, VK_IMAGE_LAYOUT_GENERAL, &red, 1, &all);
}

static uint32_t
expected_red(uint32_t x, uint32_t y)
{
	return RED;
}

static void
finish_image(struct kr_trial *trial)
{
	struct kr_adapter_device *device = trial->device;

	device->vk.DestroyImage(device->handle, trial->image.handle, device->allocator);
	device->vk.FreeMemory(device->handle, trial->image.memory, device->allocator);
}

/* --- once for the physical device --- */

static bool
is_proven(struct kr_adapter_gpu *gpu, _Atomic(int) *state, const struct kr_trial_kind *kind,
	const char *what)
{
	int known = atomic_load(state);

	if (known == KR_HOST_IMPORT_UNKNOWN) {
		known = kr_trial_run(gpu, kind) ? KR_HOST_IMPORT_WORKS : KR_HOST_IMPORT_REFUSED;
		atomic_store(state, known);
		kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
			"%s: doesn't say whether a buffer's memory can be imported%s; tried: %s",
			gpu->instance->icd.name, what,
			known == KR_HOST_IMPORT_WORKS ? "it can" : "it can't");
	}
	return known == KR_HOST_IMPORT_WORKS;
}

bool
kr_host_buffer_proven(struct kr_adapter_gpu *gpu)
{
	static const struct kr_trial_kind kind = {prepare, record, expected, finish};

	return is_proven(gpu, &gpu->host_buffer, &kind, "");
}

bool
kr_host_image_proven(struct kr_adapter_gpu *gpu)
{
	static const struct kr_trial_kind kind = {
		prepare_image, record_clear, expected_red, finish_image};

	return is_proven(gpu, &gpu->host_image, &kind, " for images");
}
