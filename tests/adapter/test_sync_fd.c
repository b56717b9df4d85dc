/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SYNC_FD import and export, on a fake driver that offers them. Pipes stand for sync_files, which
 * the kernel here may not have: it is asked through a fake that knows them.
 */
#include "gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <krafla/hardware_buffer.h>

#include "adapter/device.h"
#include "adapter/tuning.h"
#include "fake_icd.h"
#include "sync/fence/fence.h"
#include "sync/fence/kernel_calls.h"
#include "util/clock.h"

struct fixture {
	struct gpu gpu;
	struct kr_buffer *buffer;
	VkImage image;
	VkSemaphore semaphore;
	VkFence fence;
	int fd; /* to acquire with */
};

/* SYNC_IOC_FILE_INFO leaves a fence that is active. */
static int
ask_pipe(int fd, unsigned long request, void *data)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	return S_ISFIFO(st.st_mode) ? 0 : -ENOTTY;
}

static int
ask_file_system(int fd, long *type)
{
	return -ENOSYS;
}

static const struct kr_sync_kernel_calls pipes_are_fences = {ask_pipe, ask_file_system};

static void
set_up(struct fixture *f)
{
	int pipes[2];

	kr_sync_set_kernel_calls(&pipes_are_fences);
	gpu_init_fake(&f->gpu, NULL);
	f->buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);
	f->image = gpu_image(&f->gpu, f->buffer, VK_FORMAT_R8G8B8A8_UNORM);
	f->semaphore = gpu_semaphore(&f->gpu);
	f->fence = gpu_fence(&f->gpu);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	close(pipes[1]);
	f->fd = pipes[0];
}

static void
set_up_some(struct fixture *f, bool semaphores, bool fences)
{
	fake_reset();
	if (semaphores)
		fake.semaphore_features = VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT |
			VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
	if (fences)
		fake.fence_features = VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT |
			VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT;
	set_up(f);
}

static void
set_up_both(struct fixture *f)
{
	set_up_some(f, true, true);
}

static void
tear_down(struct fixture *f)
{
	f->gpu.d.DestroySemaphore(f->gpu.device, f->semaphore, NULL);
	f->gpu.d.DestroyFence(f->gpu.device, f->fence, NULL);
	f->gpu.d.DestroyImage(f->gpu.device, f->image, NULL);
	gpu_finish_fake(&f->gpu);
	kr_buffer_unref(f->buffer);
}

static bool
is_closed(int fd)
{
	return fcntl(fd, F_GETFD) < 0;
}

/* W-07: both signal when the fence does, and no queue is needed. */
static void
acquire_imports_into_both(void **state)
{
	struct fixture f;

	set_up_both(&f);
	assert_int_equal(
		f.gpu.acquire(f.gpu.device, f.image, f.fd, f.semaphore, f.fence), VK_SUCCESS);
	assert_int_equal(fake.semaphore_imports, 1);
	assert_int_equal(fake.fence_imports, 1);
	assert_int_equal(fake.imports_of_nothing, 0); /* each got the fence */
	assert_int_equal(fake.submit_count, 0);
	assert_true(is_closed(f.fd));
	tear_down(&f);
}

static void
acquire_imports_into_one(void **state)
{
	struct fixture f;

	set_up_both(&f);
	assert_int_equal(f.gpu.acquire(f.gpu.device, f.image, f.fd, f.semaphore, NULL), VK_SUCCESS);
	assert_int_equal(fake.last_import, f.fd); /* itself, no duplicate */
	assert_true(is_closed(f.fd));
	assert_int_equal(f.gpu.acquire(f.gpu.device, f.image, -1, NULL, f.fence), VK_SUCCESS);
	assert_int_equal(fake.last_import, -1);
	assert_int_equal(fake.fence_imports, 1);
	assert_int_equal(fake.submit_count, 0);
	tear_down(&f);
}

/* W-07: the window system hands a fence on where it is imported, and waits where it isn't. */
static void
what_acquires_import_is_said(void **state)
{
	for (int which = 0; which < 4; which++) {
		VkBool32 semaphores = 2, fences = 2;
		struct fixture f;

		set_up_some(&f, which & 1, which & 2);
		f.gpu.acquire_imports(f.gpu.device, &semaphores, &fences);
		assert_int_equal(semaphores, which & 1);
		assert_int_equal(fences, which >> 1);
		close(f.fd);
		tear_down(&f);
	}
}

/* No sync_file: it would not enter a kernel interface (S-05), so it is waited for. */
static void
user_fence_is_waited_for(void **state)
{
	struct fixture f;
	int fence, producer;

	set_up_both(&f);
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	assert_int_equal(
		f.gpu.acquire(f.gpu.device, f.image, fence, f.semaphore, NULL), VK_SUCCESS);
	assert_int_equal(fake.last_import, -1);
	assert_int_equal(fake.semaphore_imports, 1);
	assert_true(is_closed(fence));
	kr_adapter_tuning.acquire_limit_ns = 20 * KR_NSEC_PER_MSEC;
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	assert_int_equal(
		f.gpu.acquire(f.gpu.device, f.image, fence, f.semaphore, NULL), VK_TIMEOUT);
	assert_int_equal(fake.semaphore_imports, 1);
	assert_true(is_closed(fence));
	kr_fence_signal(producer, 1);
	close(f.fd);
	tear_down(&f);
}

/* W-07: a driver would wait for it, for ever; a number that isn't open may soon be another's. */
static void
what_is_no_fence_is_refused(void **state)
{
	struct fixture f;
	int event = eventfd(0, EFD_CLOEXEC);

	set_up_both(&f);
	assert_int_equal(f.gpu.acquire(f.gpu.device, f.image, event, f.semaphore, f.fence),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	assert_true(is_closed(event));
	assert_int_equal(f.gpu.acquire(f.gpu.device, f.image, event, f.semaphore, NULL),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	assert_int_equal(fake.semaphore_imports + fake.fence_imports, 0);
	close(f.fd);
	tear_down(&f);
}

/* Every way to fail closes the fd. */
static void
failing_imports_close_the_fd(void **state)
{
	static const char *const calls[] = {"vkImportSemaphoreFdKHR", "vkImportFenceFdKHR"};

	for (size_t i = 0; i < KR_ARRAY_LEN(calls); i++) {
		struct fixture f;

		set_up_both(&f);
		fake.fail = calls[i];
		fake.fail_result = VK_ERROR_DEVICE_LOST;
		assert_int_equal(f.gpu.acquire(f.gpu.device, f.image, f.fd, f.semaphore, f.fence),
			VK_ERROR_DEVICE_LOST);
		assert_true(is_closed(f.fd));
		tear_down(&f);
	}
}

/* No descriptor to be had: nothing was imported, the fd is closed all the same. */
static void
acquire_without_descriptors_fails_whole(void **state)
{
	struct fixture f;
	VkResult result;

	set_up_both(&f);
	kr_test_limit_fds(0);
	result = f.gpu.acquire(f.gpu.device, f.image, f.fd, f.semaphore, f.fence);
	kr_test_end_fd_limit();
	assert_int_equal(result, VK_ERROR_TOO_MANY_OBJECTS);
	assert_int_equal(fake.semaphore_imports + fake.fence_imports, 0);
	assert_true(is_closed(f.fd));
	tear_down(&f);
}

/* Only what both imports and exports is used, each object by its own feature bits. */
static void
half_support_is_no_support(void **state)
{
	struct fixture f;

	fake_reset();
	fake.semaphore_features = VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
	fake.fence_features = VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT;
	set_up(&f);
	assert_false(kr_adapter_device_from_handle(f.gpu.device)->sync_fd_semaphore);
	assert_false(kr_adapter_device_from_handle(f.gpu.device)->sync_fd_fence);
	close(f.fd);
	tear_down(&f);

	/* Semaphores alone: a fence is signalled by a submit. */
	fake_reset();
	fake.semaphore_features = 3;
	set_up(&f);
	assert_int_equal(
		f.gpu.acquire(f.gpu.device, f.image, -1, f.semaphore, f.fence), VK_SUCCESS);
	assert_int_equal(fake.semaphore_imports, 0);
	assert_int_equal(fake.submit_count, 1);
	assert_null(fake.submits[0].signal); /* it is promised */
	assert_ptr_equal(fake.submits[0].fence, f.fence);
	assert_int_equal(f.gpu.acquire(f.gpu.device, f.image, f.fd, f.semaphore, NULL), VK_SUCCESS);
	assert_int_equal(fake.semaphore_imports, 1);
	tear_down(&f);

	/* The bits without the extension. */
	fake_reset();
	fake.semaphore_features = fake.fence_features = 3;
	fake.device_extensions[3] = NULL;
	set_up(&f);
	assert_false(kr_adapter_device_from_handle(f.gpu.device)->sync_fd_semaphore);
	close(f.fd);
	tear_down(&f);
}

/* Nothing to submit in an acquire: no queue more, none shared, no function of a queue hooked. */
static void
importing_devices_have_no_helper(void **state)
{
	struct fixture f;

	fake_reset();
	fake.semaphore_features = fake.fence_features = 3;
	fake.families[0].queueCount = 2;
	set_up(&f);
	assert_null(kr_adapter_device_from_handle(f.gpu.device)->helper);
	assert_int_equal(fake.queue_infos[0].queueCount, 1);
	assert_ptr_equal((void *)f.gpu.d.QueueSubmit,
		(void *)f.gpu.icd.get_instance_proc_addr(f.gpu.instance, "vkQueueSubmit"));
	assert_ptr_equal((void *)f.gpu.d.DeviceWaitIdle,
		(void *)f.gpu.icd.get_instance_proc_addr(f.gpu.instance, "vkDeviceWaitIdle"));
	close(f.fd);
	tear_down(&f);
}

/* W-08: what comes back is the driver's fence, and the caller's to close. */
static void
release_exports_a_fence(void **state)
{
	struct fixture f;
	VkSemaphore exported;
	int fence = -2;

	set_up_both(&f);
	fake.export_fd = f.fd;
	assert_int_equal(f.gpu.release(f.gpu.queue, 1, &f.semaphore, f.image, &fence), VK_SUCCESS);
	assert_true(fence >= 0 && fence != f.fd);
	close(fence);
	assert_int_equal(fake.submit_count, 1);
	assert_int_equal(fake.submits[0].wait_count, 1);
	exported = fake.submits[0].signal;
	assert_non_null(exported);
	assert_null(fake.submits[0].fence); /* nobody waits */
	/* The next one makes nothing new, and a driver may answer that all is done. */
	fake.export_fd = -1;
	assert_int_equal(f.gpu.release(f.gpu.queue, 0, NULL, f.image, &fence), VK_SUCCESS);
	assert_int_equal(fence, -1);
	assert_ptr_equal(fake.submits[1].signal, exported);
	close(f.fd);
	tear_down(&f);
}

/* Two queues, two semaphores: one's export can't take the other's signal. */
static void
each_queue_exports_its_own(void **state)
{
	const float priorities[2] = {1, 1};
	const VkDeviceQueueCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 2,
		.pQueuePriorities = priorities,
	};
	const struct gpu_options options = {.queues = &info, .queue_count = 1};
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);
	struct gpu gpu;
	VkQueue second;
	VkImage image;
	int fence;

	fake_reset();
	fake.families[0].queueCount = 2;
	fake.semaphore_features = 3;
	gpu_init_fake(&gpu, &options);
	gpu.d.GetDeviceQueue(gpu.device, 0, 1, &second);
	image = gpu_image(&gpu, buffer, VK_FORMAT_R8G8B8A8_UNORM);
	assert_int_equal(gpu.release(gpu.queue, 0, NULL, image, &fence), VK_SUCCESS);
	assert_int_equal(gpu.release(second, 0, NULL, image, &fence), VK_SUCCESS);
	assert_ptr_not_equal(fake.submits[0].signal, fake.submits[1].signal);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish_fake(&gpu);
	kr_buffer_unref(buffer);
}

/* No descriptor for the fence: the release waits instead, and -1 is true then. */
static void
failing_export_waits(void **state)
{
	struct fixture f;
	int fence = 77;

	set_up_both(&f);
	fake.fail = "vkGetSemaphoreFdKHR";
	fake.fail_result = VK_ERROR_TOO_MANY_OBJECTS;
	fake.fail_once = true;
	assert_int_equal(f.gpu.release(f.gpu.queue, 0, NULL, f.image, &fence), VK_SUCCESS);
	assert_int_equal(fence, -1);
	assert_int_equal(fake.submit_count, 2);
	assert_non_null(fake.submits[1].fence);
	/* A new semaphore takes the place of the one that kept its signal. */
	fake.export_fd = f.fd;
	assert_int_equal(f.gpu.release(f.gpu.queue, 0, NULL, f.image, &fence), VK_SUCCESS);
	assert_true(fence >= 0);
	close(fence);
	assert_int_equal(fake.double_signals, 0);
	/* W-12 */
	fake.fail = "vkGetSemaphoreFdKHR";
	fake.fail_result = VK_ERROR_DEVICE_LOST;
	fence = 77;
	assert_int_equal(
		f.gpu.release(f.gpu.queue, 0, NULL, f.image, &fence), VK_ERROR_DEVICE_LOST);
	assert_int_equal(fence, 77);
	close(f.fd);
	tear_down(&f);
}

/* The CPU copies at last: then the fence can't be the GPU's, and signals when that is done. */
static void
mapped_copy_comes_before_its_fence(void **state)
{
	struct fixture f;
	unsigned char *pixels;

	fake_reset();
	fake.semaphore_features = 3;
	fake.host_image_features = fake.host_buffer_features = 0;
	set_up(&f);
	gpu_release(&f.gpu, f.gpu.queue, 0, NULL, f.image);
	assert_int_equal(fake.semaphore_exports, 0);
	assert_non_null(fake.submits[0].fence);
	assert_int_equal(kr_buffer_map(f.buffer, (void **)&pixels), 0);
	assert_int_equal(pixels[0], 0x5a);
	assert_int_equal(pixels[15 * 64 + 63], 0x5a);
	close(f.fd);
	tear_down(&f);
}

/* What copies is the image's: destroying that waits for the driver, which gave a fence for it. */
static void
exported_copy_keeps_its_image(void **state)
{
	struct fixture f;
	int fence = -2, objects;

	fake_reset();
	fake.semaphore_features = fake.fence_features = 3;
	fake.host_image_features = 0;
	set_up(&f);
	fake.export_fd = f.fd;
	kr_adapter_tuning.landing_limit_ns = 1;
	/* Fences and semaphores are used again and again. */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(f.gpu.release(f.gpu.queue, 0, NULL, f.image, &fence), VK_SUCCESS);
		close(fence);
		assert_non_null(fake.submits[i].fence);
		assert_ptr_equal(fake.submits[i].fence, fake.submits[0].fence);
	}
	fake_hold(f.gpu.queue);
	assert_int_equal(f.gpu.release(f.gpu.queue, 0, NULL, f.image, &fence), VK_SUCCESS);
	close(fence);
	objects = fake.objects;
	f.gpu.d.DestroyImage(f.gpu.device, f.image, NULL);
	assert_int_equal(fake.objects, objects);
	f.image = VK_NULL_HANDLE;
	fake_let_go(f.gpu.queue);
	close(f.fd);
	tear_down(&f);
	assert_int_equal(fake.pending_destroys, 0);
	assert_int_equal(fake.pending_resets, 0);
}

static const struct kr_test tests[] = {
	KR_TEST(acquire_imports_into_both),
	KR_TEST(acquire_imports_into_one),
	KR_TEST(what_acquires_import_is_said),
	KR_TEST(user_fence_is_waited_for),
	KR_TEST(what_is_no_fence_is_refused),
	KR_TEST(failing_imports_close_the_fd),
	KR_TEST(acquire_without_descriptors_fails_whole),
	KR_TEST(half_support_is_no_support),
	KR_TEST(importing_devices_have_no_helper),
	KR_TEST(release_exports_a_fence),
	KR_TEST(each_queue_exports_its_own),
	KR_TEST(failing_export_waits),
	KR_TEST(mapped_copy_comes_before_its_fence),
	KR_TEST(exported_copy_keeps_its_image),
};
KR_TEST_MAIN(tests)
