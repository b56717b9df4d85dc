/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images whose memory others look at, on the fake driver: what is submitted for them, where, and
 * which barriers that is.
 */
#include "gpu.h"

#include <string.h>
#include <unistd.h>

#include <krafla/hardware_buffer.h>

#include "adapter/device.h"
#include "adapter/tuning.h"
#include "fake_icd.h"
#include "gralloc/gpu_memory.h"
#include "util/clock.h"
#include "util/native_memory.h"

#define SIZE   16
#define FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define EXPORT VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT

struct fixture {
	struct gpu gpu;
	struct kr_buffer *buffer;
	VkImage image;
	VkSemaphore acquired;
	VkFence fence;
};

static void
be_exporter(void)
{
	fake_reset();
	fake.device_extensions[6] = "VK_KHR_external_memory_fd";
	fake.opaque_features = EXPORT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
}

static struct kr_buffer *
make_buffer(void)
{
	const struct kr_buffer_desc desc = {SIZE, SIZE, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | KR_USAGE_GPU_MEMORY};
	struct kr_buffer *buffer;

	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	return buffer;
}

/* With queues of as many families, the first of each. */
static void
set_up_families(struct fixture *f, uint32_t families)
{
	static const float priority = 1.0f;
	VkDeviceQueueCreateInfo queues[4];
	struct gpu_options options = {
		.api_version = VK_API_VERSION_1_3, .queues = queues, .queue_count = families};

	fake.api_version = VK_API_VERSION_1_3;
	for (uint32_t i = 0; i < families; i++)
		queues[i] = (VkDeviceQueueCreateInfo){
			.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
			.queueFamilyIndex = i,
			.queueCount = 1,
			.pQueuePriorities = &priority,
		};
	memset(f, 0, sizeof(*f));
	gpu_init_fake(&f->gpu, &options);
	f->acquired = gpu_semaphore(&f->gpu);
	f->fence = gpu_fence(&f->gpu);
	f->buffer = make_buffer();
	f->image = gpu_image(&f->gpu, f->buffer, FORMAT);
}

static void
export_memory(struct fixture *f)
{
	struct kr_gpu_memory memory;
	int fd;

	assert_int_equal(f->gpu.get_memory(f->gpu.device, f->image, &memory, &fd), VK_SUCCESS);
	assert_int_equal(memory.layout, VK_IMAGE_LAYOUT_GENERAL);
	assert_int_equal(memory.allocation_size, 4096);
	assert_int_equal(memory.dedicated, fake.wants_dedicated);
	close(fd);
}

static void
set_up(struct fixture *f)
{
	set_up_families(f, 1);
	export_memory(f);
}

static void
tear_down(struct fixture *f)
{
	f->gpu.d.DestroyImage(f->gpu.device, f->image, NULL);
	f->gpu.d.DestroySemaphore(f->gpu.device, f->acquired, NULL);
	f->gpu.d.DestroyFence(f->gpu.device, f->fence, NULL);
	gpu_finish_fake(&f->gpu);
	kr_buffer_unref(f->buffer);
	assert_int_equal(fake.pending_destroys, 0);
	assert_int_equal(fake.vain_waits, 0);
	assert_int_equal(fake.double_signals, 0);
}

/* What was submitted last. */
static const struct fake_submit *
last(void)
{
	return &fake.submits[(fake.submit_count - 1) % FAKE_MAX];
}

static void
release_on(struct fixture *f, VkQueue queue, bool wanted)
{
	VkBool32 has_pixels;
	int fence = -1;

	assert_int_equal(
		f->gpu.release_wanted(queue, 0, NULL, f->image, wanted, &fence, &has_pixels),
		VK_SUCCESS);
	assert_int_equal(has_pixels, wanted);
	assert_true(fence == -1 || gpu_land(fence) == KR_FENCE_SIGNALLED);
}

static void
release(struct fixture *f, bool wanted)
{
	release_on(f, f->gpu.queue, wanted);
}

static void
acquire(struct fixture *f, VkSemaphore semaphore, VkFence fence)
{
	assert_int_equal(f->gpu.acquire(f->gpu.device, f->image, -1, semaphore, fence), VK_SUCCESS);
}

static const VkPipelineStageFlags stages[] = {VK_PIPELINE_STAGE_ALL_COMMANDS_BIT};

static VkResult
submit_on(struct fixture *f, VkQueue queue, VkSemaphore wait)
{
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = &wait,
		.pWaitDstStageMask = stages,
	};

	return f->gpu.d.QueueSubmit(queue, 1, &info, NULL);
}

/* The barriers of owners in what was recorded: one, which is this. */
static void
check_owners(VkCommandBuffer commands, uint32_t from, uint32_t to)
{
	unsigned found = 0;

	for (unsigned i = 0; i < fake.record_count; i++) {
		const VkImageMemoryBarrier *b = &fake.records[i].barrier;

		if (fake.records[i].commands != commands || fake.records[i].copy ||
			b->srcQueueFamilyIndex == b->dstQueueFamilyIndex)
			continue;
		found++;
		assert_int_equal(b->srcQueueFamilyIndex, from);
		assert_int_equal(b->dstQueueFamilyIndex, to);
		/* Both halves of a change of owners name the same layouts: here as there. */
		assert_int_equal(b->oldLayout, VK_IMAGE_LAYOUT_GENERAL);
		assert_int_equal(b->newLayout, VK_IMAGE_LAYOUT_GENERAL);
	}
	assert_int_equal(found, 1);
}

/* From which layout to which they take the image in all, and whether they copy. */
static void
check_layouts(VkCommandBuffer commands, VkImageLayout from, VkImageLayout to, bool copies)
{
	VkImageLayout is = from;
	bool copied = false;

	for (unsigned i = 0; i < fake.record_count; i++) {
		if (fake.records[i].commands != commands)
			continue;
		copied |= fake.records[i].copy;
		if (fake.records[i].copy) {
			assert_int_equal(is, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
			continue;
		}
		assert_int_equal(fake.records[i].barrier.oldLayout, is);
		is = fake.records[i].barrier.newLayout;
	}
	assert_int_equal(is, to);
	assert_int_equal(copied, copies);
}

static void
check_give(VkCommandBuffer commands, uint32_t family, bool copies)
{
	check_owners(commands, family, VK_QUEUE_FAMILY_EXTERNAL);
	check_layouts(commands, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_IMAGE_LAYOUT_GENERAL, copies);
}

static void
check_take(VkCommandBuffer commands, uint32_t family)
{
	check_owners(commands, VK_QUEUE_FAMILY_EXTERNAL, family);
	check_layouts(commands, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, false);
}

/* The last submit: what takes the image back, in front of one batch that waits for nothing. */
static void
check_taken_in_front(uint32_t family)
{
	assert_int_equal(last()->batch_count, 2);
	assert_int_equal(last()->batches[0].command_count, 1);
	assert_int_equal(last()->batches[0].wait_count, 0);
	check_take(last()->batches[0].commands[0], family);
	assert_int_equal(last()->batches[1].wait_count, 0);
	assert_int_equal(last()->batches[1].command_count, 0);
}

/* No submit more than without, no wait more, and nothing at all before the first release. */
static void
images_are_given_and_taken(void **state)
{
	struct fixture f;

	be_exporter();
	set_up(&f);
	acquire(&f, f.acquired, VK_NULL_HANDLE);
	assert_int_equal(submit_on(&f, f.gpu.queue, f.acquired), VK_SUCCESS);
	assert_int_equal(fake.submit_count, 1);
	assert_int_equal(last()->batch_count, 1);
	for (int i = 0; i < 4; i++) {
		release(&f, i & 1);
		assert_int_equal(fake.submit_count, 2 + 2 * i);
		assert_int_equal(last()->batch_count, 1);
		assert_int_equal(last()->batches[0].command_count, 1);
		check_give(last()->batches[0].commands[0], 0, i & 1);
		acquire(&f, f.acquired, VK_NULL_HANDLE);
		assert_int_equal(fake.submit_count, 2 + 2 * i);
		assert_int_equal(submit_on(&f, f.gpu.queue, f.acquired), VK_SUCCESS);
		check_taken_in_front(0);
	}
	assert_int_equal(fake.last_image.sharingMode, VK_SHARING_MODE_EXCLUSIVE);
	tear_down(&f);
}

static void
newer_submissions_take_too(void **state)
{
	VkSemaphoreSubmitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
	const VkSubmitInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
		.waitSemaphoreInfoCount = 1,
		.pWaitSemaphoreInfos = &wait,
	};
	struct fixture f;

	be_exporter();
	set_up(&f);
	wait.semaphore = f.acquired;
	release(&f, false);
	acquire(&f, f.acquired, VK_NULL_HANDLE);
	assert_int_equal(f.gpu.d.QueueSubmit2(f.gpu.queue, 1, &info, NULL), VK_SUCCESS);
	check_taken_in_front(0);
	tear_down(&f);
}

/* Nobody knows at a release which family takes the image: all share it. */
static void
families_share_what_is_given(void **state)
{
	struct fixture f;
	VkQueue queues[2];

	be_exporter();
	fake.families[1] = (VkQueueFamilyProperties){VK_QUEUE_TRANSFER_BIT, 1, 0, {0}};
	fake.family_count = 2;
	set_up_families(&f, 2);
	assert_int_equal(fake.last_image.sharingMode, VK_SHARING_MODE_CONCURRENT);
	assert_int_equal(fake.last_image.queueFamilyIndexCount, 2);
	export_memory(&f);
	for (uint32_t i = 0; i < 2; i++)
		f.gpu.d.GetDeviceQueue(f.gpu.device, i, 0, &queues[i]);
	for (uint32_t i = 0; i < 4; i++) {
		release_on(&f, queues[i & 1], false);
		check_give(last()->batches[0].commands[0], VK_QUEUE_FAMILY_IGNORED, false);
		acquire(&f, f.acquired, VK_NULL_HANDLE);
		assert_int_equal(submit_on(&f, queues[i >> 1], f.acquired), VK_SUCCESS);
		check_taken_in_front(VK_QUEUE_FAMILY_IGNORED);
	}
	tear_down(&f);
}

/* One that no family of this queue can take: the helper does, and signals what is waited for. */
static void
a_family_without_barriers_has_its_images_taken(void **state)
{
	struct fixture f;
	VkQueue sparse;

	be_exporter();
	fake.families[1] = (VkQueueFamilyProperties){VK_QUEUE_SPARSE_BINDING_BIT, 1, 0, {0}};
	fake.family_count = 2;
	set_up_families(&f, 2);
	export_memory(&f);
	f.gpu.d.GetDeviceQueue(f.gpu.device, 1, 0, &sparse);
	release(&f, false);
	acquire(&f, f.acquired, VK_NULL_HANDLE);
	fake.submit_count = 0;
	assert_int_equal(submit_on(&f, sparse, f.acquired), VK_SUCCESS);
	assert_int_equal(fake.submit_count, 2);
	assert_ptr_equal(
		fake.submits[0].queue, kr_adapter_device_from_handle(f.gpu.device)->helper->handle);
	check_take(fake.submits[0].commands, 0);
	assert_ptr_equal(fake.submits[0].signal, f.acquired);
	assert_ptr_equal(fake.submits[1].queue, sparse);
	assert_int_equal(fake.submits[1].wait_count, 1);
	release_on(&f, sparse, false);
	tear_down(&f);
}

static void
be_sync_fd(void)
{
	be_exporter();
	fake.semaphore_features = fake.fence_features = 3;
}

/* With SYNC_FD the take waits in the application's place. */
static void
takes_wait_for_imported_semaphores(void **state)
{
	struct fixture f;

	be_sync_fd();
	set_up(&f);
	release(&f, false);
	acquire(&f, f.acquired, VK_NULL_HANDLE);
	assert_int_equal(fake.semaphore_imports, 1);
	assert_int_equal(fake.submit_count, 1);
	assert_int_equal(submit_on(&f, f.gpu.queue, f.acquired), VK_SUCCESS);
	assert_int_equal(last()->batch_count, 2);
	assert_int_equal(last()->batches[0].wait_count, 1);
	assert_ptr_equal(last()->batches[0].waits[0], f.acquired);
	check_take(last()->batches[0].commands[0], 0);
	assert_int_equal(last()->batches[1].wait_count, 0);
	/* As an image that isn't out, its semaphore is the driver's alone. */
	acquire(&f, f.acquired, VK_NULL_HANDLE);
	assert_int_equal(submit_on(&f, f.gpu.queue, f.acquired), VK_SUCCESS);
	assert_int_equal(last()->batch_count, 1);
	assert_int_equal(last()->batches[0].wait_count, 1);
	tear_down(&f);
}

/* A fence signals behind the take, on the helper; so do semaphores that others may wait for. */
static void
what_nobody_submits_is_taken_by_the_helper(void **state)
{
	const VkExportSemaphoreCreateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
	};
	const VkSemaphoreCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &export};
	struct fixture f;
	VkSemaphore shared;

	for (int sync_fd = 0; sync_fd < 2; sync_fd++) {
		if (sync_fd)
			be_sync_fd();
		else
			be_exporter();
		set_up(&f);
		release(&f, false);
		acquire(&f, VK_NULL_HANDLE, f.fence);
		assert_int_equal(fake.fence_imports, 0);
		assert_ptr_equal(last()->fence, f.fence);
		check_take(last()->commands, 0);
		release(&f, false);
		assert_int_equal(last()->batches[0].command_count, 1);
		assert_int_equal(
			f.gpu.d.CreateSemaphore(f.gpu.device, &info, NULL, &shared), VK_SUCCESS);
		acquire(&f, shared, VK_NULL_HANDLE);
		assert_ptr_equal(last()->signal, shared);
		check_take(last()->commands, 0);
		f.gpu.d.DestroySemaphore(f.gpu.device, shared, NULL);
		/* With neither, it is waited for. */
		release(&f, false);
		acquire(&f, VK_NULL_HANDLE, VK_NULL_HANDLE);
		check_take(last()->commands, 0);
		assert_non_null(last()->fence);
		tear_down(&f);
	}
}

static void
failed_submissions_leave_images_out(void **state)
{
	struct fixture f;

	be_exporter();
	set_up(&f);
	release(&f, false);
	acquire(&f, f.acquired, VK_NULL_HANDLE);
	fake.fail_result = VK_ERROR_OUT_OF_HOST_MEMORY;
	fake.fail_once = true;
	fake.fail = "vkQueueSubmit";
	assert_int_equal(submit_on(&f, f.gpu.queue, f.acquired), VK_ERROR_OUT_OF_HOST_MEMORY);
	assert_int_equal(submit_on(&f, f.gpu.queue, f.acquired), VK_SUCCESS);
	check_taken_in_front(0);
	/* The same of a fence. */
	release(&f, false);
	fake.fail = "vkQueueSubmit";
	assert_int_equal(f.gpu.acquire(f.gpu.device, f.image, -1, VK_NULL_HANDLE, f.fence),
		VK_ERROR_OUT_OF_HOST_MEMORY);
	acquire(&f, VK_NULL_HANDLE, f.fence);
	check_take(last()->commands, 0);
	tear_down(&f);
}

/* What was acquired and never waited for is with the far end still, as far as barriers go. */
static void
releases_take_what_nobody_did(void **state)
{
	struct fixture f;
	VkSemaphore other;

	be_exporter();
	set_up(&f);
	other = gpu_semaphore(&f.gpu);
	release(&f, false);
	acquire(&f, f.acquired, VK_NULL_HANDLE);
	release(&f, false);
	assert_int_equal(last()->batches[0].command_count, 2);
	check_take(last()->batches[0].commands[0], 0);
	check_give(last()->batches[0].commands[1], 0, false);
	/* Its semaphore brings no image any more; that of the last acquire does. */
	assert_int_equal(submit_on(&f, f.gpu.queue, f.acquired), VK_SUCCESS);
	assert_int_equal(last()->batch_count, 1);
	acquire(&f, f.acquired, VK_NULL_HANDLE);
	acquire(&f, other, VK_NULL_HANDLE);
	assert_int_equal(submit_on(&f, f.gpu.queue, f.acquired), VK_SUCCESS);
	assert_int_equal(last()->batch_count, 1);
	assert_int_equal(submit_on(&f, f.gpu.queue, other), VK_SUCCESS);
	check_taken_in_front(0);
	f.gpu.d.DestroySemaphore(f.gpu.device, other, NULL);
	tear_down(&f);
}

static void
destroyed_images_are_forgotten(void **state)
{
	struct fixture f;

	be_exporter();
	set_up(&f);
	release(&f, false);
	acquire(&f, f.acquired, VK_NULL_HANDLE);
	f.gpu.d.DestroyImage(f.gpu.device, f.image, NULL);
	f.image = VK_NULL_HANDLE;
	assert_int_equal(submit_on(&f, f.gpu.queue, f.acquired), VK_SUCCESS);
	assert_int_equal(last()->batch_count, 1);
	assert_int_equal(last()->batches[0].command_count, 0);
	tear_down(&f);
}

/* With SYNC_FD a release that copies nothing waits for none before it, and destroying for all. */
static void
giving_waits_for_nothing(void **state)
{
	struct fixture f;
	unsigned waits;

	be_sync_fd();
	set_up(&f);
	kr_adapter_tuning.landing_limit_ns = 20 * KR_NSEC_PER_MSEC;
	fake_hold(f.gpu.queue);
	waits = fake.fence_waits;
	for (int i = 0; i < 3; i++) {
		release(&f, false);
		acquire(&f, f.acquired, VK_NULL_HANDLE);
		assert_int_equal(submit_on(&f, f.gpu.queue, f.acquired), VK_SUCCESS);
	}
	assert_int_equal(fake.fence_waits, waits);
	/* Kept until the driver is done, or the device goes. */
	f.gpu.d.DestroyImage(f.gpu.device, f.image, NULL);
	f.image = VK_NULL_HANDLE;
	assert_true(fake.fence_waits > waits);
	fake_let_go(f.gpu.queue);
	tear_down(&f);
}

/* Nobody but the adapter knows of what the helper was given for a fence. */
static void
destroying_waits_for_the_helper(void **state)
{
	struct fixture f;
	unsigned waits;

	be_exporter();
	set_up(&f);
	release(&f, false);
	kr_adapter_tuning.acquire_limit_ns = 20 * KR_NSEC_PER_MSEC;
	fake_hold(f.gpu.queue);
	acquire(&f, VK_NULL_HANDLE, f.fence);
	waits = fake.fence_waits;
	f.gpu.d.DestroyImage(f.gpu.device, f.image, NULL);
	f.image = VK_NULL_HANDLE;
	assert_true(fake.fence_waits > waits);
	fake_let_go(f.gpu.queue);
	tear_down(&f);
}

/* Until somebody asks for its memory, an image costs what it did. */
static void
nobody_pays_who_is_not_looked_at(void **state)
{
	struct fixture f;

	be_exporter();
	set_up_families(&f, 1);
	assert_int_equal(fake.memory_exports, 1); /* the sample by which others' are known */
	assert_true(fake.last_memory_exports || fake.last_memory.allocationSize);
	release(&f, false);
	assert_int_equal(last()->batches[0].command_count, 0);
	acquire(&f, f.acquired, VK_NULL_HANDLE);
	assert_int_equal(submit_on(&f, f.gpu.queue, f.acquired), VK_SUCCESS);
	assert_int_equal(last()->batch_count, 1);
	tear_down(&f);
}

static void
drivers_that_export_nothing_go_on(void **state)
{
	struct kr_gpu_memory memory;
	struct fixture f;
	int fd = 77;

	for (int i = 0; i < 3; i++) {
		be_exporter();
		if (i == 0)
			fake.device_extensions[6] = NULL;
		if (i == 1)
			fake.opaque_features = VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
		if (i == 2) {
			fake.fail_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
			fake.fail_after = 1; /* the sample's */
			fake.fail_once = true;
			fake.fail = "vkAllocateMemory";
		}
		set_up_families(&f, 1);
		assert_int_equal(fake.last_image.tiling, VK_IMAGE_TILING_LINEAR);
		assert_int_equal(f.gpu.get_memory(f.gpu.device, f.image, &memory, &fd),
			VK_ERROR_FEATURE_NOT_PRESENT);
		assert_int_equal(fd, 77);
		tear_down(&f);
	}
}

/* Whoever imports the memory makes an image of the description alone, which has to say it all. */
static void
what_can_not_be_said_is_not_exported(void **state)
{
	const VkFormat formats[] = {FORMAT, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R8G8B8A8_UINT,
		VK_FORMAT_R8G8B8A8_SINT, VK_FORMAT_R8G8B8A8_SNORM};
	VkImageFormatListCreateInfo list = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
		.pViewFormats = formats,
	};
	const VkImageCompressionControlEXT compression = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT};
	const struct {
		uint32_t formats;
		const void *chain;
		VkImageCreateFlags flags;
		VkResult result;
	} cases[] = {
		{2, NULL, VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT, VK_SUCCESS},
		{5, NULL, VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT, VK_ERROR_FEATURE_NOT_PRESENT},
		{1, &compression, 0, VK_ERROR_FEATURE_NOT_PRESENT},
		{1, NULL, VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT,
			VK_ERROR_FEATURE_NOT_PRESENT},
	};
	VkNativeBufferANDROID native;
	VkImageCreateInfo info = gpu_image_info(FORMAT, SIZE, SIZE, &list);
	struct kr_gpu_memory memory;
	struct fixture f;
	VkImage image;
	int fd;

	be_exporter();
	fake.device_extensions[7] = "VK_KHR_image_format_list";
	set_up_families(&f, 1);
	gpu_native_buffer(f.buffer, &native);
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		list.viewFormatCount = cases[i].formats;
		list.pNext = &native;
		native.pNext = cases[i].chain;
		info.flags = cases[i].flags;
		assert_int_equal(
			f.gpu.d.CreateImage(f.gpu.device, &info, NULL, &image), VK_SUCCESS);
		assert_int_equal(
			f.gpu.get_memory(f.gpu.device, image, &memory, &fd), cases[i].result);
		if (cases[i].result == VK_SUCCESS) {
			close(fd);
			assert_int_equal(memory.view_format_count, 2);
			assert_int_equal(memory.view_formats[1], VK_FORMAT_R8G8B8A8_SRGB);
			assert_int_equal(memory.flags, VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT);
			assert_int_equal(memory.usage, fake.last_image.usage);
			assert_true(memory.usage & VK_IMAGE_USAGE_SAMPLED_BIT);
		}
		f.gpu.d.DestroyImage(f.gpu.device, image, NULL);
	}
	tear_down(&f);
}

/* Then the application's own image of the swapchain can't have it, and is told so (W-06). */
static void
dedicated_memory_is_one_images(void **state)
{
	const VkSwapchainImageCreateInfoANDROID usage = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID,
		.usage = KR_SWAPCHAIN_IMAGE_GPU_MEMORY,
	};
	const VkImageSwapchainCreateInfoKHR later = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR, .pNext = &usage};
	VkImageCreateInfo info = gpu_image_info(FORMAT, SIZE, SIZE, &later);
	VkNativeBufferANDROID native;
	VkBindImageMemoryInfo bind = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, .pNext = &native};

	for (int dedicated = 0; dedicated < 2; dedicated++) {
		struct fixture f;

		be_exporter();
		fake.wants_dedicated = dedicated;
		set_up(&f);
		assert_int_equal(
			f.gpu.d.CreateImage(f.gpu.device, &info, NULL, &bind.image), VK_SUCCESS);
		gpu_native_buffer(f.buffer, &native);
		assert_int_equal(f.gpu.d.BindImageMemory2(f.gpu.device, 1, &bind),
			dedicated ? VK_ERROR_INVALID_EXTERNAL_HANDLE : VK_SUCCESS);
		f.gpu.d.DestroyImage(f.gpu.device, bind.image, NULL);
		tear_down(&f);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(images_are_given_and_taken),
	KR_TEST(newer_submissions_take_too),
	KR_TEST(families_share_what_is_given),
	KR_TEST(a_family_without_barriers_has_its_images_taken),
	KR_TEST(takes_wait_for_imported_semaphores),
	KR_TEST(what_nobody_submits_is_taken_by_the_helper),
	KR_TEST(failed_submissions_leave_images_out),
	KR_TEST(releases_take_what_nobody_did),
	KR_TEST(destroyed_images_are_forgotten),
	KR_TEST(giving_waits_for_nothing),
	KR_TEST(destroying_waits_for_the_helper),
	KR_TEST(nobody_pays_who_is_not_looked_at),
	KR_TEST(drivers_that_export_nothing_go_on),
	KR_TEST(what_can_not_be_said_is_not_exported),
	KR_TEST(dedicated_memory_is_one_images),
};

KR_TEST_MAIN(tests)
