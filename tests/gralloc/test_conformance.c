/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every backend promises. KRAFLA_BUFFERS says which one this is; on this machine the devices
 * are fakes (buffer_rig.h), in the lab they are the kernel's.
 */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/handle.h"
#include "buffer_rig.h"
#include "support.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"

#define CPU (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)

#define SIZE (2048 * 304) /* of `plain` */
#define PAST 0            /* a deadline */
#define MS   1000000

static const struct kr_buffer_desc plain = {
	.width = 500,
	.height = 301,
	.layers = 1,
	.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
	.usage = CPU | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER,
};

static struct kr_buffer *
allocate(void)
{
	struct kr_buffer *buffer;

	assert_int_equal(kr_buffer_allocate(&plain, &buffer), 0);
	return buffer;
}

static void
memory_is_what_was_asked_for(void **state)
{
	const struct kr_buffer_info *info;
	struct kr_buffer *buffer;
	unsigned char *pixels;
	int before;

	rig_begin();
	before = kr_test_count_fds();
	buffer = allocate();
	/*
	 * One descriptor a buffer: neither the device nor what the memory was made of stays open.
	 */
	assert_int_equal(kr_test_count_fds(), before + 1);
	info = kr_buffer_get_info(buffer);
	assert_int_equal(info->backend, rig_impl()->backend);
	assert_true(info->size == SIZE);
	assert_int_equal(lseek(info->fd, 0, SEEK_END), SIZE);
	assert_true(fcntl(info->fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(rig_impl()->check(info->fd, SIZE), 0);
	assert_int_equal(kr_buffer_map(buffer, (void **)&pixels), 0);
	for (int i = 0; i < SIZE; i++)
		assert_int_equal(pixels[i], 0);
	kr_buffer_unref(buffer);
	assert_int_equal(kr_test_count_fds(), before);
	rig_end();
}

static void
nobody_can_resize_it(void **state)
{
	struct kr_buffer *buffer;
	int fd;

	rig_begin();
	buffer = allocate();
	fd = kr_buffer_get_info(buffer)->fd;
	/* The fake of a dma-buf has no such power. */
	if (rig_is_real() || !rig_impl()->dma_buf) {
		assert_int_equal(ftruncate(fd, 0), -1);
		assert_int_equal(ftruncate(fd, 4 * SIZE), -1);
	}
	assert_int_equal(lseek(fd, 0, SEEK_END), SIZE);
	kr_buffer_unref(buffer);
	rig_end();
}

static void
an_import_sees_the_same_pixels(void **state)
{
	struct kr_buffer *buffer, *twin;
	unsigned char *a, *b;

	rig_begin();
	buffer = allocate();
	assert_int_equal(kr_buffer_import(kr_buffer_handle(buffer), &twin), 0);
	assert_int_equal(kr_buffer_get_info(twin)->backend, rig_impl()->backend);
	assert_int_equal(kr_buffer_map(buffer, (void **)&a), 0);
	assert_int_equal(kr_buffer_map(twin, (void **)&b), 0);
	assert_ptr_not_equal(a, b);
	assert_int_equal(
		kr_buffer_begin_cpu(kr_buffer_get_info(buffer), KR_DMA_BUF_WRITE, SOON), 0);
	a[0] = 1;
	a[SIZE - 1] = 77;
	kr_buffer_end_cpu(kr_buffer_get_info(buffer), KR_DMA_BUF_WRITE);
	kr_buffer_unref(buffer);
	assert_int_equal(kr_buffer_begin_cpu(kr_buffer_get_info(twin), KR_DMA_BUF_READ, SOON), 0);
	assert_int_equal(b[0], 1);
	assert_int_equal(b[SIZE - 1], 77);
	kr_buffer_end_cpu(kr_buffer_get_info(twin), KR_DMA_BUF_READ);
	kr_buffer_unref(twin);
	rig_end();
}

/* A handle of a good buffer with other words or another descriptor. */
static int
import_with(const struct kr_buffer *buffer, int word, int value, int fd)
{
	struct kr_buffer *other = NULL;
	struct kr_handle handle;
	int err;

	memcpy(&handle, kr_buffer_handle(buffer), sizeof(handle));
	handle.words[3] = fd;
	if (word >= 0)
		handle.words[3 + KR_HANDLE_FDS + word] = value;
	err = kr_buffer_import(&handle.native, &other);
	kr_buffer_unref(other);
	return err;
}

static void
a_size_that_lies_is_refused(void **state)
{
	struct kr_buffer *buffer;
	int fd;

	rig_begin();
	buffer = allocate();
	fd = kr_buffer_get_info(buffer)->fd;
	assert_int_equal(import_with(buffer, -1, 0, fd), 0);
	/* Everything in the handle fits together; the memory is smaller, or larger. */
	assert_int_equal(
		import_with(buffer, KR_HANDLE_INT_SIZE, SIZE + KR_BUFFER_PAGE, fd), -EINVAL);
	assert_int_equal(import_with(buffer, KR_HANDLE_INT_SIZE, 1 << 30, fd), -EINVAL);
	assert_int_equal(rig_impl()->check(fd, SIZE - KR_BUFFER_PAGE), -EINVAL);
	kr_buffer_unref(buffer);
	rig_end();
}

static void
memory_of_another_kind_is_refused(void **state)
{
	const bool dma_buf = rig_impl()->dma_buf;
	struct kr_buffer *buffer;
	int fd, foreign;

	rig_begin();
	buffer = allocate();
	fd = kr_buffer_get_info(buffer)->fd;
	for (int backend = 1; backend <= KR_BUFFER_BACKENDS; backend++) {
		int err = import_with(buffer, KR_HANDLE_INT_BACKEND, backend, fd);

		/* The fakes of dma-bufs don't say who made them. */
		if (backend == (int)rig_impl()->backend ||
			(!rig_is_real() && dma_buf &&
				kr_buffer_backend_is_dma_buf((enum kr_buffer_backend)backend)))
			assert_int_equal(err, 0);
		else
			assert_true(err == -EINVAL || err == -EPERM);
	}
	assert_int_equal(import_with(buffer, KR_HANDLE_INT_BACKEND, 0, fd), -EINVAL);
	assert_int_equal(
		import_with(buffer, KR_HANDLE_INT_BACKEND, KR_BUFFER_BACKENDS + 1, fd), -EINVAL);
	assert_int_equal(import_with(buffer, KR_HANDLE_INT_BACKEND, -1, fd), -EINVAL);
	/* A memfd that isn't sealed. */
	foreign = memfd_create("foreign", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(foreign, SIZE), 0);
	assert_int_equal(import_with(buffer, -1, 0, foreign), dma_buf ? -EINVAL : -EPERM);
	close(foreign);
	foreign = rig_read_only_memory(SIZE);
	assert_int_equal(import_with(buffer, -1, 0, foreign), -EINVAL);
	close(foreign);
	kr_buffer_unref(buffer);
	rig_end();
}

static void
descriptors_that_are_no_memory_are_refused(void **state)
{
	struct kr_buffer *buffer;
	struct rig_fence fence;
	int fds[2];

	rig_begin();
	buffer = allocate();
	assert_int_equal(import_with(buffer, -1, 0, -1), -EINVAL);
	assert_int_equal(import_with(buffer, -1, 0, 900), -EINVAL);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(import_with(buffer, -1, 0, fds[1]), -EINVAL);
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	assert_int_equal(import_with(buffer, -1, 0, fds[0]), -EINVAL);
	close(fds[0]);
	close(fds[1]);
	fds[0] = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(import_with(buffer, -1, 0, fds[0]), -EINVAL);
	close(fds[0]);
	fence = rig_fence_create();
	assert_int_equal(import_with(buffer, -1, 0, fence.fence), -EINVAL);
	rig_fence_finish(&fence);
	kr_buffer_unref(buffer);
	rig_end();
}

/* At each point of an allocation and an import at which a descriptor may be missing. */
static void
too_few_descriptors_are_an_error_without_a_leak(void **state)
{
	struct kr_buffer *buffer = NULL, *twin = NULL;
	int before, failures = 0;

	rig_begin();
	before = kr_test_count_fds();
	for (int spare = 0; spare < 5; spare++) {
		int err;

		/* The fake's own dma-bufs can't fail. */
		if (!rig_is_real() && rig_impl()->dma_buf && spare)
			rig_device_fails(spare < 3 ? -EMFILE : 0);
		kr_test_limit_fds(spare);
		err = kr_buffer_allocate(&plain, &buffer);
		if (!err)
			err = kr_buffer_import(kr_buffer_handle(buffer), &twin);
		kr_test_end_fd_limit();
		failures += err != 0;
		assert_true(!err || err == -EMFILE || err == -EINVAL);
		kr_buffer_unref(buffer);
		kr_buffer_unref(twin);
		buffer = twin = NULL;
		assert_int_equal(kr_test_count_fds(), before);
	}
	assert_in_range(failures, 1, 4);
	rig_end();
}

static void
many_buffers_come_and_go(void **state)
{
	struct kr_buffer *buffers[64];
	int before;

	rig_begin();
	before = kr_test_count_fds();
	for (int i = 0; i < 64; i++)
		buffers[i] = allocate();
	assert_int_equal(kr_test_count_fds(), before + 64);
	for (int i = 0; i < 64; i++)
		kr_buffer_unref(buffers[i]);
	assert_int_equal(kr_test_count_fds(), before);
	rig_end();
}

/* Not for a memfd: no fence can be in it, and it says so. */
static void
fences_go_in_and_out(void **state)
{
	const struct kr_buffer_info *info;
	struct kr_buffer *buffer;
	struct rig_fence fence;
	int out = -2;

	rig_begin();
	buffer = allocate();
	info = kr_buffer_get_info(buffer);
	fence = rig_fence_create();
	if (!rig_impl()->dma_buf) {
		assert_int_equal(kr_buffer_export_fence(info, KR_DMA_BUF_READ, &out), -EOPNOTSUPP);
		assert_int_equal(
			kr_buffer_import_fence(info, KR_DMA_BUF_WRITE, fence.fence), -EOPNOTSUPP);
		assert_int_equal(kr_buffer_import_fence(info, KR_DMA_BUF_WRITE, -1), -EOPNOTSUPP);
		assert_int_equal(out, -2);
	} else {
		assert_int_equal(kr_buffer_export_fence(info, KR_DMA_BUF_READ_WRITE, &out), 0);
		assert_int_equal(kr_fence_status(out), KR_FENCE_SIGNALLED);
		close(out);
		assert_int_equal(kr_buffer_import_fence(info, KR_DMA_BUF_WRITE, fence.fence), 0);
		assert_int_equal(kr_buffer_export_fence(info, KR_DMA_BUF_READ, &out), 0);
		assert_int_equal(kr_fence_status(out), KR_FENCE_ACTIVE);
		rig_fence_signal(&fence);
		assert_int_equal(kr_fence_wait(out, SOON), 0);
		close(out);
	}
	rig_fence_finish(&fence);
	kr_buffer_unref(buffer);
	rig_end();
}

/* S-05: what user space can signal never gets into the kernel. */
static void
user_space_fences_stay_out(void **state)
{
	struct kr_buffer *buffer;
	struct pair pair;

	rig_begin();
	buffer = allocate();
	pair = make_pair("user");
	assert_int_equal(
		kr_buffer_import_fence(kr_buffer_get_info(buffer), KR_DMA_BUF_WRITE, pair.fence),
		-EOPNOTSUPP);
	close_pair(&pair);
	kr_buffer_unref(buffer);
	rig_end();
}

/* A reader waits for writers, a writer for everybody; with a limit, where the kernel knows none. */
static void
the_cpu_waits_for_others_within_its_deadline(void **state)
{
	const struct kr_buffer_info *info;
	struct kr_buffer *buffer;
	struct rig_fence reads, writes;

	rig_begin();
	buffer = allocate();
	info = kr_buffer_get_info(buffer);
	assert_int_equal(kr_buffer_begin_cpu(info, KR_DMA_BUF_READ_WRITE, PAST), 0);
	kr_buffer_end_cpu(info, KR_DMA_BUF_READ_WRITE);
	if (rig_impl()->dma_buf) {
		reads = rig_fence_create();
		assert_int_equal(kr_buffer_import_fence(info, KR_DMA_BUF_READ, reads.fence), 0);
		assert_int_equal(kr_buffer_begin_cpu(info, KR_DMA_BUF_READ, PAST), 0);
		kr_buffer_end_cpu(info, KR_DMA_BUF_READ);
		assert_int_equal(kr_buffer_begin_cpu(info, KR_DMA_BUF_WRITE, PAST), -ETIME);
		assert_int_equal(
			kr_buffer_begin_cpu(info, KR_DMA_BUF_WRITE, kr_deadline_in(20 * MS)),
			-ETIME);
		rig_fence_signal(&reads);
		assert_int_equal(kr_buffer_begin_cpu(info, KR_DMA_BUF_WRITE, SOON), 0);
		kr_buffer_end_cpu(info, KR_DMA_BUF_WRITE);
		writes = rig_fence_create();
		assert_int_equal(kr_buffer_import_fence(info, KR_DMA_BUF_WRITE, writes.fence), 0);
		assert_int_equal(kr_buffer_begin_cpu(info, KR_DMA_BUF_READ, PAST), -ETIME);
		rig_fence_signal(&writes);
		assert_int_equal(kr_buffer_begin_cpu(info, KR_DMA_BUF_READ, SOON), 0);
		kr_buffer_end_cpu(info, KR_DMA_BUF_READ);
		rig_fence_finish(&reads);
		rig_fence_finish(&writes);
	}
	kr_buffer_unref(buffer);
	rig_end();
}

struct signaller {
	struct rig_fence fence;
	bool fails;
	atomic_bool done;
};

static void *
signal_late(void *data)
{
	struct signaller *signaller = data;

	usleep(50000);
	atomic_store(&signaller->done, true);
	if (signaller->fails)
		rig_fence_fail(&signaller->fence);
	else
		rig_fence_signal(&signaller->fence);
	return NULL;
}

/* A writer that dies or fails while it is waited for is done. */
static void
a_failed_fence_is_done(void **state)
{
	struct signaller signaller = {.fails = true};
	const struct kr_buffer_info *info;
	struct kr_buffer *buffer;
	pthread_t thread;

	rig_begin();
	buffer = allocate();
	info = kr_buffer_get_info(buffer);
	if (rig_impl()->dma_buf) {
		signaller.fence = rig_fence_create();
		assert_int_equal(
			kr_buffer_import_fence(info, KR_DMA_BUF_WRITE, signaller.fence.fence), 0);
		assert_int_equal(pthread_create(&thread, NULL, signal_late, &signaller), 0);
		assert_int_equal(kr_buffer_begin_cpu(info, KR_DMA_BUF_READ, SOON), 0);
		assert_true(atomic_load(&signaller.done));
		kr_buffer_end_cpu(info, KR_DMA_BUF_READ);
		pthread_join(thread, NULL);
		rig_fence_finish(&signaller.fence);
	}
	kr_buffer_unref(buffer);
	rig_end();
}

/*
 * W-11: AHardwareBuffer_lock waits for what is inside the buffer too, and tells the
 * kernel of both ends.
 */
static void
lock_waits_for_what_is_inside(void **state)
{
	const struct kr_buffer_info *info;
	struct signaller signaller = {0};
	struct kr_buffer *buffer;
	pthread_t thread;
	void *data;

	rig_begin();
	buffer = allocate();
	info = kr_buffer_get_info(buffer);
	signaller.fence = rig_fence_create();
	if (rig_impl()->dma_buf)
		assert_int_equal(
			kr_buffer_import_fence(info, KR_DMA_BUF_WRITE, signaller.fence.fence), 0);
	assert_int_equal(pthread_create(&thread, NULL, signal_late, &signaller), 0);
	assert_int_equal(AHardwareBuffer_lock((AHardwareBuffer *)(void *)buffer,
				 AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN, -1, NULL, &data),
		0);
	assert_true(atomic_load(&signaller.done) || !rig_impl()->dma_buf);
	if (rig_impl()->dma_buf && !rig_is_real())
		assert_int_equal(fake_synced(info->fd), KR_DMA_BUF_READ);
	assert_int_equal(AHardwareBuffer_unlock((AHardwareBuffer *)(void *)buffer, NULL), 0);
	if (rig_impl()->dma_buf && !rig_is_real())
		assert_int_equal(fake_synced(info->fd), 4 | KR_DMA_BUF_READ_WRITE);
	pthread_join(thread, NULL);
	rig_fence_finish(&signaller.fence);
	kr_buffer_unref(buffer);
	rig_end();
}

static const struct kr_test tests[] = {
	KR_TEST(memory_is_what_was_asked_for),
	KR_TEST(nobody_can_resize_it),
	KR_TEST(an_import_sees_the_same_pixels),
	KR_TEST(a_size_that_lies_is_refused),
	KR_TEST(memory_of_another_kind_is_refused),
	KR_TEST(descriptors_that_are_no_memory_are_refused),
	KR_TEST(too_few_descriptors_are_an_error_without_a_leak),
	KR_TEST(many_buffers_come_and_go),
	KR_TEST(fences_go_in_and_out),
	KR_TEST(user_space_fences_stay_out),
	KR_TEST(the_cpu_waits_for_others_within_its_deadline),
	KR_TEST(a_failed_fence_is_done),
	KR_TEST(lock_waits_for_what_is_inside),
};

KR_TEST_MAIN(tests)
