/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which queue helps the adapter: a spare one, one of the application, one of a family
 * that can copy.
 */
#include "gpu.h"

#include <pthread.h>

#include <krafla/hardware_buffer.h>

#include "adapter/device.h"
#include "adapter/image.h"
#include "adapter/tuning.h"
#include "fake_icd.h"

static const float priorities[4] = {0.25f, 0.5f, 0.75f, 1.0f};

static VkDeviceQueueCreateInfo
queue_info(uint32_t family, uint32_t count)
{
	return (VkDeviceQueueCreateInfo){
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueFamilyIndex = family,
		.queueCount = count,
		.pQueuePriorities = priorities,
	};
}

static void
init(struct gpu *gpu, const VkDeviceQueueCreateInfo *infos, uint32_t count)
{
	const struct gpu_options options = {.queues = infos, .queue_count = count};

	gpu_init_fake(gpu, &options);
}

static struct kr_adapter_device *
device_of(struct gpu *gpu)
{
	return kr_adapter_device_from_handle(gpu->device);
}

static void
spare_queue_is_private(void **state)
{
	VkDeviceQueueCreateInfo info = queue_info(0, 2);
	struct gpu gpu;
	VkFence fence;

	fake_reset();
	fake.families[0].queueCount = 3;
	init(&gpu, &info, 1);
	assert_int_equal(fake.queue_info_count, 1);
	assert_int_equal(fake.queue_infos[0].queueCount, 3);
	assert_false(device_of(&gpu)->helper_shared);
	assert_ptr_not_equal(device_of(&gpu)->helper->handle, gpu.queue);
	/* An acquire uses it and no other. */
	fence = gpu_fence(&gpu);
	assert_int_equal(gpu.acquire(gpu.device, VK_NULL_HANDLE, -1, NULL, fence), VK_SUCCESS);
	assert_int_equal(fake.submit_count, 1);
	assert_ptr_equal(fake.submits[0].queue, device_of(&gpu)->helper->handle);
	gpu.d.DestroyFence(gpu.device, fence, NULL);
	/* And waiting for the device goes through fences, never through the driver's own wait. */
	assert_int_equal(gpu.d.DeviceWaitIdle(gpu.device), VK_SUCCESS);
	assert_int_equal(fake.device_wait_idles, 0);
	assert_int_equal(fake.submit_count, 4);
	gpu_finish_fake(&gpu);
}

static void
no_spare_queue_is_shared(void **state)
{
	VkDeviceQueueCreateInfo info = queue_info(0, 2);
	struct gpu gpu;

	fake_reset();
	fake.families[0].queueCount = 2;
	init(&gpu, &info, 1);
	assert_int_equal(fake.queue_infos[0].queueCount, 2);
	assert_true(device_of(&gpu)->helper_shared);
	assert_ptr_equal(device_of(&gpu)->helper->handle, gpu.queue);
	gpu_finish_fake(&gpu);
}

/* Counted for the family over all infos: a protected one may use up what seems to be spare. */
static void
protected_queues_count_and_stay(void **state)
{
	VkDeviceQueueCreateInfo infos[2] = {queue_info(0, 1), queue_info(0, 1)};
	struct gpu gpu;

	fake_reset();
	fake.families[0].queueCount = 2;
	infos[0].flags = VK_DEVICE_QUEUE_CREATE_PROTECTED_BIT;
	init(&gpu, infos, 2);
	assert_true(device_of(&gpu)->helper_shared);
	assert_int_equal(device_of(&gpu)->helper->flags, 0); /* not the protected one */
	gpu_finish_fake(&gpu);

	fake.families[0].queueCount = 3;
	init(&gpu, infos, 2);
	assert_false(device_of(&gpu)->helper_shared);
	assert_int_equal(fake.queue_infos[0].queueCount, 1);
	assert_int_equal(fake.queue_infos[1].queueCount, 2);
	gpu_finish_fake(&gpu);
}

/* An info with a chain says something about its queues that ours is not meant by. */
static void
priority_infos_stay(void **state)
{
	const VkDeviceQueueGlobalPriorityCreateInfoKHR high = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_GLOBAL_PRIORITY_CREATE_INFO_KHR,
		.globalPriority = VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR,
	};
	VkDeviceQueueCreateInfo info = queue_info(0, 1);
	struct gpu gpu;

	fake_reset();
	fake.families[0].queueCount = 2;
	info.pNext = &high;
	init(&gpu, &info, 1);
	assert_int_equal(fake.queue_infos[0].queueCount, 1);
	assert_ptr_equal(fake.queue_infos[0].pNext, &high);
	assert_true(device_of(&gpu)->helper_shared);
	gpu_finish_fake(&gpu);
}

/* An ICD that fails with the extra queue is asked again without. */
static void
refused_spare_queue_is_shared(void **state)
{
	VkDeviceQueueCreateInfo info = queue_info(0, 1);
	struct gpu gpu;

	fake_reset();
	fake.families[0].queueCount = 2;
	fake.fail = "vkCreateDevice";
	fake.fail_result = VK_ERROR_INITIALIZATION_FAILED;
	fake.fail_once = true;
	init(&gpu, &info, 1);
	assert_int_equal(fake.queue_infos[0].queueCount, 1);
	assert_true(device_of(&gpu)->helper_shared);
	gpu_finish_fake(&gpu);
}

/* Family 0 decodes video, 1 copies. */
static void
two_families(void)
{
	fake_reset();
	fake.families[0] = (VkQueueFamilyProperties){
		.queueFlags = VK_QUEUE_SPARSE_BINDING_BIT, .queueCount = 1};
	fake.families[1] =
		(VkQueueFamilyProperties){.queueFlags = VK_QUEUE_TRANSFER_BIT, .queueCount = 1};
	fake.family_count = 2;
	fake.extra_pitch = 64;
}

/* The presenting queue's family can't copy: it hands over to one that can. */
static void
other_family_copies(void **state)
{
	VkDeviceQueueCreateInfo infos[2] = {queue_info(0, 1), queue_info(1, 1)};
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);
	struct gpu gpu;
	VkSemaphore wait;
	VkImage image;
	int fence;

	two_families();
	init(&gpu, infos, 2);
	assert_int_equal(device_of(&gpu)->helper->family, 1);
	image = gpu_image(&gpu, buffer, VK_FORMAT_R8G8B8A8_UNORM);
	assert_int_equal(fake.last_image.sharingMode, VK_SHARING_MODE_CONCURRENT);
	assert_int_equal(fake.last_image.queueFamilyIndexCount, 2);
	assert_int_equal(fake.last_image_families[1], 1);
	assert_int_equal(fake.copies, 1); /* recorded for the one family */
	wait = gpu_semaphore(&gpu);
	gpu_release(&gpu, gpu.queue, 1, &wait, image);
	assert_int_equal(fake.submit_count, 2);
	assert_ptr_equal(fake.submits[0].queue, gpu.queue);
	assert_ptr_equal(fake.submits[0].waits[0], wait);
	assert_null(fake.submits[0].commands);
	assert_non_null(fake.submits[0].signal);
	assert_ptr_equal(fake.submits[1].queue, device_of(&gpu)->helper->handle);
	assert_ptr_equal(fake.submits[1].waits[0], fake.submits[0].signal);
	assert_non_null(fake.submits[1].commands);
	/* When the second submit fails, the semaphore between the two isn't left signalled. */
	fake.fail = "vkQueueSubmit";
	fake.fail_after = 1;
	fake.fail_once = true;
	fake.fail_result = VK_ERROR_OUT_OF_HOST_MEMORY;
	assert_int_equal(
		gpu.release(gpu.queue, 1, &wait, image, &fence), VK_ERROR_OUT_OF_HOST_MEMORY);
	gpu_release(&gpu, gpu.queue, 1, &wait, image);
	assert_int_equal(fake.double_signals, 0);
	gpu.d.DestroySemaphore(gpu.device, wait, NULL);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish_fake(&gpu);
	kr_buffer_unref(buffer);
}

/* The application has no queue that can copy: one is added. */
static void
copying_family_is_added(void **state)
{
	VkDeviceQueueCreateInfo info = queue_info(0, 1);
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);
	struct gpu gpu;
	VkImage image;
	int fence;

	two_families();
	init(&gpu, &info, 1);
	assert_int_equal(fake.queue_info_count, 2);
	assert_int_equal(fake.queue_infos[1].queueFamilyIndex, 1);
	assert_false(device_of(&gpu)->helper_shared);
	image = gpu_image(&gpu, buffer, VK_FORMAT_R8G8B8A8_UNORM);
	gpu_release(&gpu, gpu.queue, 0, NULL, image);
	assert_int_equal(fake.submit_count, 2);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish_fake(&gpu);

	/* Refused by the ICD: shared then, and a copy is an error rather than a wrong picture. */
	fake.fail = "vkCreateDevice";
	fake.fail_result = VK_ERROR_INITIALIZATION_FAILED;
	fake.fail_once = true;
	init(&gpu, &info, 1);
	assert_int_equal(fake.queue_info_count, 1);
	image = gpu_image(&gpu, buffer, VK_FORMAT_R8G8B8A8_UNORM);
	assert_int_equal(
		gpu.release(gpu.queue, 0, NULL, image, &fence), VK_ERROR_FEATURE_NOT_PRESENT);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish_fake(&gpu);
	kr_buffer_unref(buffer);
}

/* W-12: a lost device's results pass through, nothing hangs, and destroying works. */
static void
lost_device_tells_and_ends(void **state)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);
	static const char *const calls[] = {"vkQueueSubmit", "vkWaitForFences"};
	struct gpu gpu;
	VkImage image;
	int fence = 77;

	fake_reset();
	gpu_init_fake(&gpu, NULL);
	image = gpu_image(&gpu, buffer, VK_FORMAT_R8G8B8A8_UNORM);
	fake.fail_result = VK_ERROR_DEVICE_LOST;
	for (size_t i = 0; i < KR_ARRAY_LEN(calls); i++) {
		fake.fail = calls[i];
		assert_int_equal(
			gpu.release(gpu.queue, 0, NULL, image, &fence), VK_ERROR_DEVICE_LOST);
		assert_int_equal(fence, 77);
		assert_int_equal(gpu.d.DeviceWaitIdle(gpu.device), VK_ERROR_DEVICE_LOST);
		assert_int_equal(gpu.d.QueueWaitIdle(gpu.queue), VK_ERROR_DEVICE_LOST);
	}
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish_fake(&gpu);
	kr_buffer_unref(buffer);
}

static void *
acquire_often(void *data)
{
	struct gpu *gpu = data;
	VkFence fence = gpu_fence(gpu);

	for (int i = 0; i < 2000; i++)
		assert_int_equal(
			gpu->acquire(gpu->device, VK_NULL_HANDLE, -1, NULL, fence), VK_SUCCESS);
	gpu->d.DestroyFence(gpu->device, fence, NULL);
	return NULL;
}

/* Vulkan lets one thread at a time into a queue; the application can't know of our submits. */
static void
shared_queue_has_one_thread_at_a_time(void **state)
{
	VkDeviceQueueCreateInfo info = queue_info(0, 1);
	pthread_t thread;
	struct gpu gpu;
	VkFence fence;

	fake_reset();
	init(&gpu, &info, 1);
	fence = gpu_fence(&gpu);
	assert_int_equal(pthread_create(&thread, NULL, acquire_often, &gpu), 0);
	for (int i = 0; i < 2000; i++) {
		assert_int_equal(gpu.d.QueueSubmit(gpu.queue, 0, NULL, fence), VK_SUCCESS);
		assert_int_equal(gpu.d.DeviceWaitIdle(gpu.device), VK_SUCCESS);
	}
	pthread_join(thread, NULL);
	assert_int_equal(fake.overlaps, 0);
	gpu.d.DestroyFence(gpu.device, fence, NULL);
	gpu_finish_fake(&gpu);
}

/* More waits than a release has room for without memory: all at all stages. */
static void
many_waits_are_at_all_stages(void **state)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);
	VkDeviceQueueCreateInfo info = queue_info(0, 1);
	VkSemaphore waits[FAKE_MAX];
	struct gpu gpu;
	VkImage image;

	fake_reset();
	init(&gpu, &info, 1);
	image = gpu_image(&gpu, buffer, VK_FORMAT_R8G8B8A8_UNORM);
	for (uint32_t i = 0; i < FAKE_MAX; i++)
		waits[i] = gpu_semaphore(&gpu);
	for (uint32_t n = 0; n <= FAKE_MAX; n++) {
		gpu_release(&gpu, gpu.queue, n, waits, image);
		assert_int_equal(fake.submits[n % FAKE_MAX].wait_count, n);
	}
	assert_int_equal(fake.bad_stages, 0);
	for (uint32_t i = 0; i < FAKE_MAX; i++)
		gpu.d.DestroySemaphore(gpu.device, waits[i], NULL);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish_fake(&gpu);
	kr_buffer_unref(buffer);
}

static const struct kr_test tests[] = {
	KR_TEST(spare_queue_is_private),
	KR_TEST(no_spare_queue_is_shared),
	KR_TEST(protected_queues_count_and_stay),
	KR_TEST(priority_infos_stay),
	KR_TEST(refused_spare_queue_is_shared),
	KR_TEST(other_family_copies),
	KR_TEST(copying_family_is_added),
	KR_TEST_FLAGS(shared_queue_has_one_thread_at_a_time, KR_TEST_KEEPS_MEMORY),
	KR_TEST(many_waits_are_at_all_stages),
	KR_TEST(lost_device_tells_and_ends),
};
KR_TEST_MAIN(tests)
