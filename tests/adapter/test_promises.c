/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an acquire promises to signal: no submit, no wait; and where somebody must be able to wait,
 * the signal comes before the wait, on the queue that waits.
 */
#include "gpu.h"

#include <krafla/hardware_buffer.h>
#include <pthread.h>

#include "adapter/device.h"
#include "fake_icd.h"

struct fixture {
	struct gpu gpu;
	VkSemaphore promised, other;
};

static void
set_up(struct fixture *f)
{
	struct gpu_options options = {.extension = "VK_KHR_swapchain", .keep_driver_wsi = true};

	fake_reset();
	fake.families[0].queueCount = 2; /* one to spare for the helper */
	fake.api_version = options.api_version = VK_API_VERSION_1_3;
	gpu_init_fake(&f->gpu, &options);
	f->promised = gpu_semaphore(&f->gpu);
	f->other = gpu_semaphore(&f->gpu);
}

static void
tear_down(struct fixture *f)
{
	f->gpu.d.DestroySemaphore(f->gpu.device, f->promised, NULL);
	f->gpu.d.DestroySemaphore(f->gpu.device, f->other, NULL);
	assert_int_equal(fake.double_signals, 0);
	gpu_finish_fake(&f->gpu);
}

static struct kr_adapter_device *
device_of(struct fixture *f)
{
	return kr_adapter_device_from_handle(f->gpu.device);
}

static void
acquire(struct fixture *f, VkSemaphore semaphore)
{
	assert_int_equal(
		f->gpu.acquire(f->gpu.device, VK_NULL_HANDLE, -1, semaphore, VK_NULL_HANDLE),
		VK_SUCCESS);
}

/* An empty batch that signals, whose only signal it has to be. */
static void
signal(struct fixture *f, VkSemaphore semaphore)
{
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.signalSemaphoreCount = 1,
		.pSignalSemaphores = &semaphore,
	};

	assert_int_equal(f->gpu.d.QueueSubmit(f->gpu.queue, 1, &info, NULL), VK_SUCCESS);
}

static const VkPipelineStageFlags stages[] = {
	VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT};

static VkSubmitInfo
waiting(uint32_t count, const VkSemaphore *waits, const void *chain)
{
	return (VkSubmitInfo){
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.pNext = chain,
		.waitSemaphoreCount = count,
		.pWaitSemaphores = waits,
		.pWaitDstStageMask = stages,
	};
}

static void
promised_wait_is_left_out(void **state)
{
	struct fixture f;
	VkSemaphore waits[2];
	VkSubmitInfo info = waiting(2, waits, NULL);

	set_up(&f);
	waits[0] = f.promised;
	waits[1] = f.other;
	signal(&f, f.other);
	acquire(&f, f.promised);
	assert_int_equal(fake.submit_count, 1);
	assert_int_equal(f.gpu.d.QueueSubmit(f.gpu.queue, 1, &info, NULL), VK_SUCCESS);
	assert_int_equal(fake.submit_count, 2);
	assert_int_equal(fake.submits[1].wait_count, 1);
	assert_ptr_equal(fake.submits[1].waits[0], f.other);
	/* Kept: the next wait for it is for somebody's signal. */
	signal(&f, f.promised);
	signal(&f, f.other);
	assert_int_equal(f.gpu.d.QueueSubmit(f.gpu.queue, 1, &info, NULL), VK_SUCCESS);
	assert_int_equal(fake.submits[4].wait_count, 2);
	assert_int_equal(fake.vain_waits, 0);
	tear_down(&f);
}

static void
promised_wait_is_left_out_of_submit2(void **state)
{
	struct fixture f;
	VkSemaphoreSubmitInfo waits[2] = {{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO},
		{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO}};
	const VkSubmitInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
		.waitSemaphoreInfoCount = 2,
		.pWaitSemaphoreInfos = waits,
	};

	set_up(&f);
	waits[0].semaphore = f.other;
	waits[1].semaphore = f.promised;
	signal(&f, f.other);
	acquire(&f, f.promised);
	assert_int_equal(f.gpu.d.QueueSubmit2(f.gpu.queue, 1, &info, NULL), VK_SUCCESS);
	assert_int_equal(fake.submit_count, 2);
	assert_int_equal(fake.submits[1].wait_count, 1);
	assert_ptr_equal(fake.submits[1].waits[0], f.other);
	tear_down(&f);
}

/* Asserts that submit `i` signals what was promised on the application's queue. */
static void
check_signal(struct fixture *f, unsigned i)
{
	assert_ptr_equal(fake.submits[i].queue, f->gpu.queue);
	assert_ptr_equal(fake.submits[i].signal, f->promised);
	assert_int_equal(fake.vain_waits, 0);
	assert_false(kr_promises_any(&device_of(f)->promises));
}

/* Arrays beside the waits, more batches than fit: the wait stays, and gets its signal. */
static void
what_cannot_be_cut_gets_its_signal(void **state)
{
	const VkTimelineSemaphoreSubmitInfo values = {
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
	const VkSubmitInfo2 many2[8] = {[7] = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2}};
	struct fixture f;
	VkSubmitInfo info, many[8];

	set_up(&f);
	info = waiting(1, &f.promised, &values);
	acquire(&f, f.promised);
	assert_int_equal(f.gpu.d.QueueSubmit(f.gpu.queue, 1, &info, NULL), VK_SUCCESS);
	assert_int_equal(fake.submit_count, 2);
	check_signal(&f, 0);
	assert_int_equal(fake.submits[1].wait_count, 1);

	for (size_t i = 0; i < KR_ARRAY_LEN(many); i++)
		many[i] = waiting(i == 0, &f.promised, NULL);
	acquire(&f, f.promised);
	assert_int_equal(f.gpu.d.QueueSubmit(f.gpu.queue, 8, many, NULL), VK_SUCCESS);
	assert_int_equal(fake.submit_count, 4);
	check_signal(&f, 2);

	/* None of these waits for it. */
	acquire(&f, f.promised);
	assert_int_equal(f.gpu.d.QueueSubmit2(f.gpu.queue, 8, many2, NULL), VK_SUCCESS);
	assert_int_equal(fake.submit_count, 5);
	assert_true(kr_promises_any(&device_of(&f)->promises));
	tear_down(&f);
}

static void
other_waiters_get_their_signal(void **state)
{
	struct fixture f;
	VkBindSparseInfo bind = {
		.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .waitSemaphoreCount = 1};
	VkPresentInfoKHR present = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, .waitSemaphoreCount = 1};
	VkSemaphoreGetFdInfoKHR export = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
	};
	int fd = -1;

	set_up(&f);
	bind.pWaitSemaphores = present.pWaitSemaphores = &f.promised;
	export.semaphore = f.promised;
	acquire(&f, f.promised);
	assert_int_equal(f.gpu.d.QueueBindSparse(f.gpu.queue, 1, &bind, NULL), VK_SUCCESS);
	check_signal(&f, 0);
	acquire(&f, f.promised);
	assert_int_equal(f.gpu.d.QueuePresentKHR(f.gpu.queue, &present), VK_SUCCESS);
	check_signal(&f, 2);
	/* No queue waits for what is exported. */
	acquire(&f, f.promised);
	(void)f.gpu.d.GetSemaphoreFdKHR(f.gpu.device, &export, &fd);
	assert_int_equal(fake.submit_count, 5);
	assert_ptr_equal(fake.submits[4].queue, device_of(&f)->helper->handle);
	assert_ptr_equal(fake.submits[4].signal, f.promised);
	tear_down(&f);
}

/* Presented without being drawn into: the release is who waits. */
static void
releases_leave_it_out(void **state)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);
	struct fixture f;
	VkImage image;

	set_up(&f);
	image = gpu_image(&f.gpu, buffer, VK_FORMAT_R8G8B8A8_UNORM);
	acquire(&f, f.promised);
	gpu_release(&f.gpu, f.gpu.queue, 1, &f.promised, image);
	assert_int_equal(fake.submit_count, 1);
	assert_int_equal(fake.submits[0].wait_count, 0);
	f.gpu.d.DestroyImage(f.gpu.device, image, NULL);
	tear_down(&f);
	kr_buffer_unref(buffer);
}

/* After a submit that failed for want of memory the application tries again. */
static void
failed_submits_leave_the_promise(void **state)
{
	struct fixture f;
	VkSubmitInfo info;

	set_up(&f);
	info = waiting(1, &f.promised, NULL);
	acquire(&f, f.promised);
	fake.fail_result = VK_ERROR_OUT_OF_HOST_MEMORY;
	fake.fail_once = true;
	fake.fail = "vkQueueSubmit";
	assert_int_equal(
		f.gpu.d.QueueSubmit(f.gpu.queue, 1, &info, NULL), VK_ERROR_OUT_OF_HOST_MEMORY);
	assert_int_equal(f.gpu.d.QueueSubmit(f.gpu.queue, 1, &info, NULL), VK_SUCCESS);
	assert_int_equal(fake.submits[0].wait_count, 0);
	assert_int_equal(fake.vain_waits, 0);

	/* The same when the signal itself is what fails. */
	info.pNext = &(VkTimelineSemaphoreSubmitInfo){
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
	acquire(&f, f.promised);
	fake.fail = "vkQueueSubmit";
	assert_int_equal(
		f.gpu.d.QueueSubmit(f.gpu.queue, 1, &info, NULL), VK_ERROR_OUT_OF_HOST_MEMORY);
	assert_int_equal(f.gpu.d.QueueSubmit(f.gpu.queue, 1, &info, NULL), VK_SUCCESS);
	check_signal(&f, 1);
	tear_down(&f);
}

/* Nobody waited for it: whoever gets its handle next is another. */
static void
destroyed_semaphores_are_forgotten(void **state)
{
	struct fixture f;

	set_up(&f);
	acquire(&f, f.promised);
	f.gpu.d.DestroySemaphore(f.gpu.device, f.promised, NULL);
	assert_false(kr_promises_any(&device_of(&f)->promises));
	f.promised = VK_NULL_HANDLE;
	tear_down(&f);
}

static VkSemaphore
exportable(struct fixture *f)
{
	const VkExportSemaphoreCreateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
	};
	const VkSemaphoreCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &export};
	VkSemaphore semaphore;

	assert_int_equal(
		f->gpu.d.CreateSemaphore(f->gpu.device, &info, NULL, &semaphore), VK_SUCCESS);
	return semaphore;
}

/* Another device, process or API may hold the payload: its waits don't come past the adapter. */
static void
what_others_may_wait_for_is_signalled(void **state)
{
	VkImportSemaphoreFdInfoKHR import = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
		.flags = VK_SEMAPHORE_IMPORT_TEMPORARY_BIT,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
		.fd = -1,
	};
	VkSemaphore semaphores[40];
	struct fixture f;

	set_up(&f);
	for (uint32_t i = 0; i < KR_ARRAY_LEN(semaphores); i++)
		semaphores[i] = exportable(&f);
	acquire(&f, semaphores[0]);
	acquire(&f, semaphores[39]);
	assert_int_equal(fake.submit_count, 2);
	assert_ptr_equal(fake.submits[0].signal, semaphores[0]);
	assert_ptr_equal(fake.submits[1].signal, semaphores[39]);
	for (uint32_t i = 0; i < KR_ARRAY_LEN(semaphores); i++)
		f.gpu.d.DestroySemaphore(f.gpu.device, semaphores[i], NULL);

	/* Handles come again, as something else. */
	acquire(&f, f.promised);
	assert_int_equal(fake.submit_count, 2);
	/* What was promised isn't forgotten over what is imported for one wait. */
	import.semaphore = f.promised;
	assert_int_equal(f.gpu.d.ImportSemaphoreFdKHR(f.gpu.device, &import), VK_SUCCESS);
	assert_int_equal(fake.submit_count, 3);
	assert_ptr_equal(fake.submits[2].signal, f.promised);
	fake.double_signals = 0;
	acquire(&f, f.promised);
	assert_int_equal(fake.submit_count, 4);
	fake.double_signals = 0;
	tear_down(&f);
}

static void
promises_beyond_the_room_are_submitted(void **state)
{
	VkSemaphore semaphores[KR_PROMISES_MAX + 1];
	struct fixture f;

	set_up(&f);
	for (uint32_t i = 0; i <= KR_PROMISES_MAX; i++) {
		assert_int_equal(fake.submit_count, 0);
		semaphores[i] = gpu_semaphore(&f.gpu);
		acquire(&f, semaphores[i]);
	}
	assert_int_equal(fake.submit_count, 1);
	assert_ptr_equal(fake.submits[0].signal, semaphores[KR_PROMISES_MAX]);
	for (uint32_t i = 0; i <= KR_PROMISES_MAX; i++)
		f.gpu.d.DestroySemaphore(f.gpu.device, semaphores[i], NULL);
	tear_down(&f);
}

#define TURNS 5000

static void *
acquire_and_submit(void *data)
{
	struct fixture *f = data;
	VkSemaphore semaphore = gpu_semaphore(&f->gpu);
	VkSubmitInfo info = waiting(1, &semaphore, NULL);

	for (int i = 0; i < TURNS; i++) {
		acquire(f, semaphore);
		/* The helper is private here, and has a lock. */
		assert_int_equal(f->gpu.d.QueueSubmit(device_of(f)->helper->handle, 1, &info, NULL),
			VK_SUCCESS);
	}
	f->gpu.d.DestroySemaphore(f->gpu.device, semaphore, NULL);
	return NULL;
}

static void
threads_keep_each_others_promises(void **state)
{
	pthread_t threads[3];
	struct fixture f;

	set_up(&f);
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, acquire_and_submit, &f), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(fake.submit_count, KR_ARRAY_LEN(threads) * TURNS);
	assert_int_equal(fake.vain_waits, 0);
	assert_false(kr_promises_any(&device_of(&f)->promises));
	tear_down(&f);
}

static const struct kr_test tests[] = {
	KR_TEST(promised_wait_is_left_out),
	KR_TEST(promised_wait_is_left_out_of_submit2),
	KR_TEST(what_cannot_be_cut_gets_its_signal),
	KR_TEST(other_waiters_get_their_signal),
	KR_TEST(releases_leave_it_out),
	KR_TEST(failed_submits_leave_the_promise),
	KR_TEST(destroyed_semaphores_are_forgotten),
	KR_TEST(what_others_may_wait_for_is_signalled),
	KR_TEST(promises_beyond_the_room_are_submitted),
	KR_TEST(threads_keep_each_others_promises),
};

KR_TEST_MAIN(tests)
