/* SPDX-License-Identifier: Apache-2.0 */
/* Whether images can be shared, and the trial that shows it. */
#include "adapter/shared.h"

#include "adapter/extensions.h"
#include "adapter/probe.h"
#include "adapter/trial.h"
#include "util/log.h"

#define LAYOUT VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR
#define HALF   (KR_TRIAL_SIDE / 2)
#define USAGE                                                                                      \
	(VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |                   \
		VK_IMAGE_USAGE_TRANSFER_DST_BIT)

/* Of the trial's image: what each kind of access leaves in it. */
#define CLEARED UINT32_C(0xFF0000FF)
#define DRAWN   UINT32_C(0xFF00FF00)

static VkResult
create_render_pass(struct kr_trial *trial)
{
	const struct kr_adapter_device *device = trial->device;
	const VkAttachmentDescription attachment = {
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
		.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
		.initialLayout = LAYOUT,
		.finalLayout = LAYOUT,
	};
	const VkAttachmentReference reference = {0, LAYOUT};
	const VkSubpassDescription subpass = {
		.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
		.colorAttachmentCount = 1,
		.pColorAttachments = &reference,
	};
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &attachment,
		.subpassCount = 1,
		.pSubpasses = &subpass,
	};

	return device->vk.CreateRenderPass(
		device->handle, &info, device->allocator, &trial->render_pass);
}

static VkResult
create_framebuffer(struct kr_trial *trial)
{
	const struct kr_adapter_device *device = trial->device;
	const VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = trial->image.handle,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	const VkFramebufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
		.renderPass = trial->render_pass,
		.attachmentCount = 1,
		.pAttachments = &trial->view,
		.width = KR_TRIAL_SIDE,
		.height = KR_TRIAL_SIDE,
		.layers = 1,
	};
	VkResult result =
		device->vk.CreateImageView(device->handle, &view, device->allocator, &trial->view);

	if (result != VK_SUCCESS)
		return result;
	return device->vk.CreateFramebuffer(
		device->handle, &info, device->allocator, &trial->framebuffer);
}

static VkResult
prepare(struct kr_trial *trial)
{
	VkResult result = kr_trial_image_create(trial, USAGE);

	if (result == VK_SUCCESS)
		result = create_render_pass(trial);
	if (result == VK_SUCCESS)
		result = create_framebuffer(trial);
	return result;
}

static void
barrier(const struct kr_trial *trial, VkCommandBuffer commands, VkImageLayout from)
{
	kr_trial_barrier(
		trial, commands, from, LAYOUT, VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED);
}

/* The right half, in a render pass that keeps the left one. */
static void
record_drawing(const struct kr_trial *trial, VkCommandBuffer commands)
{
	const struct kr_device_table *vk = &trial->device->vk;
	const VkRenderPassBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = trial->render_pass,
		.framebuffer = trial->framebuffer,
		.renderArea = {{0, 0}, {KR_TRIAL_SIDE, KR_TRIAL_SIDE}},
	};
	const VkClearAttachment green = {
		.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
		.clearValue.color.float32 = {0, 1, 0, 1},
	};
	const VkClearRect right = {{{HALF, 0}, {HALF, KR_TRIAL_SIDE}}, 0, 1};

	vk->CmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
	vk->CmdClearAttachments(commands, 1, &green, 1, &right);
	vk->CmdEndRenderPass(commands);
}

/* Cleared, drawn to, and copied within: the lower left quarter has what the right half has. */
static void
record(const struct kr_trial *trial, VkCommandBuffer commands)
{
	const struct kr_device_table *vk = &trial->device->vk;
	const VkClearColorValue red = {.float32 = {1, 0, 0, 1}};
	const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	const VkImageCopy copy = {
		.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.srcOffset = {(int32_t)HALF, 0, 0},
		.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.dstOffset = {0, (int32_t)HALF, 0},
		.extent = {HALF, HALF, 1},
	};
	VkImage image = trial->image.handle;

	barrier(trial, commands, VK_IMAGE_LAYOUT_UNDEFINED);
	vk->CmdClearColorImage(commands, image, LAYOUT, &red, 1, &range);
	barrier(trial, commands, LAYOUT);
	record_drawing(trial, commands);
	barrier(trial, commands, LAYOUT);
	vk->CmdCopyImage(commands, image, LAYOUT, image, LAYOUT, 1, &copy);
}

static uint32_t
expected(uint32_t x, uint32_t y)
{
	return x >= HALF || y >= HALF ? DRAWN : CLEARED;
}

static void
finish(struct kr_trial *trial)
{
	struct kr_adapter_device *device = trial->device;

	device->vk.DestroyFramebuffer(device->handle, trial->framebuffer, device->allocator);
	device->vk.DestroyRenderPass(device->handle, trial->render_pass, device->allocator);
	device->vk.DestroyImageView(device->handle, trial->view, device->allocator);
	device->vk.DestroyImage(device->handle, trial->image.handle, trial->image.allocator);
	device->vk.FreeMemory(device->handle, trial->image.memory, device->allocator);
}

static bool
find_out(struct kr_adapter_gpu *gpu)
{
	static const struct kr_trial_kind kind = {prepare, record, expected, finish};
	VkImageCreateInfo info = kr_trial_image_info(USAGE);
	bool works;

	info.tiling = VK_IMAGE_TILING_LINEAR;
	if (gpu->discrete || !kr_adapter_image_possible(gpu, &info, true))
		return false;
	if (kr_adapter_knows_shared_layout(gpu))
		return true;
	/* Another kind of device may pass by luck. */
	if (!gpu->cpu)
		return false;
	works = kr_trial_run(gpu, &kind);
	kr_log(KR_LOG_INFO | KR_LOG_DRIVER, "%s: tried to draw to a shared image: %s",
		gpu->instance->icd.name, works ? "it can" : "it can't");
	return works;
}

bool
kr_adapter_shares_images(struct kr_adapter_gpu *gpu)
{
	int known = atomic_load(&gpu->shared);

	if (known == KR_HOST_IMPORT_UNKNOWN) {
		known = find_out(gpu) ? KR_HOST_IMPORT_WORKS : KR_HOST_IMPORT_REFUSED;
		atomic_store(&gpu->shared, known);
	}
	return known == KR_HOST_IMPORT_WORKS;
}
