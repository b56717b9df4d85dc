/* SPDX-License-Identifier: Apache-2.0 */
/* dma-bufs that others made, taken in (W-11). In the lab with real ones: tests/lab. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <krafla/hardware_buffer.h>
#include <krafla/native_handle.h>

#include "buffer_rig.h"
#include "gralloc/gpu_memory.h"
#include "support.h"
#include "sync/fence/fence.h"
#include "util/clock.h"

#define READ  AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN
#define WRITE AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN
#define SIZE  65536

/* 100 x 60 pixels of 4 bytes in rows of 512, 256 bytes behind the beginning. */
static struct krafla_dma_buf
picture(void)
{
	struct krafla_dma_buf from = {
		.size = sizeof(from),
		.width = 100,
		.height = 60,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = READ | WRITE | AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE,
		.plane_count = 1,
		.planes = {{fake_dma_buf(), 256, 512}},
	};

	assert_int_equal(ftruncate(from.planes[0].fd, SIZE), 0);
	return from;
}

/* Takes it in; the answer. */
static int
try(const struct krafla_dma_buf *from)
{
	AHardwareBuffer *buffer = NULL;
	int before = kr_test_count_fds();
	int err = krafla_hardware_buffer_from_dma_buf(from, &buffer);

	if (err)
		assert_null(buffer);
	else
		AHardwareBuffer_release(buffer);
	assert_int_equal(kr_test_count_fds(), before);
	return err;
}

/* W-11 */
static void
rows_of_others_are_mapped(void **state)
{
	struct krafla_dma_buf from;
	AHardwareBuffer_Desc told;
	AHardwareBuffer *buffer;
	uint64_t layer_bytes = 7;
	int32_t pixel, row;
	char *memory;
	void *data, *layers;

	rig_begin();
	from = picture();
	assert_int_equal(krafla_hardware_buffer_from_dma_buf(&from, &buffer), 0);
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, from.planes[0].fd, 0);
	assert_true(memory != MAP_FAILED);
	AHardwareBuffer_describe(buffer, &told);
	assert_true(told.width == 100 && told.height == 60 && told.stride == 128);
	assert_int_equal(
		AHardwareBuffer_lockAndGetInfo(buffer, WRITE, -1, NULL, &data, &pixel, &row), 0);
	assert_int_equal(pixel, 4);
	assert_int_equal(row, 512);
	memset((char *)data + 59 * 512, 0x5a, 400);
	assert_int_equal(memory[256 + 59 * 512 + 399], 0x5a);
	/* What the CPU does stands between START and END, as with any dma-buf. */
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
	assert_true(fake_synced(from.planes[0].fd) & 4);
	assert_int_equal(
		krafla_hardware_buffer_lock_layers(buffer, WRITE, -1, NULL, &layers, &layer_bytes),
		0);
	assert_ptr_equal(layers, data);
	assert_true(layer_bytes == 0);
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
	munmap(memory, SIZE);
	AHardwareBuffer_release(buffer);
	close(from.planes[0].fd);
	rig_end();
}

/* S-04. Who uses it in the kernel is waited for, with a limit. */
static void
fences_inside_are_waited_for(void **state)
{
	struct krafla_dma_buf from;
	struct rig_fence writes;
	AHardwareBuffer *buffer;
	struct kr_buffer *own;
	void *data;

	rig_begin();
	from = picture();
	assert_int_equal(krafla_hardware_buffer_from_dma_buf(&from, &buffer), 0);
	own = (struct kr_buffer *)(void *)buffer;
	writes = rig_fence_create();
	assert_int_equal(krafla_buffer_import_fence(buffer, KRAFLA_BUFFER_WRITE, writes.fence), 0);
	assert_int_equal(
		kr_buffer_lock(own, KR_DMA_BUF_READ, kr_deadline_in(20000000), &data), -ETIME);
	assert_int_equal(kr_buffer_unlock(own), -EINVAL);
	rig_fence_signal(&writes);
	assert_int_equal(AHardwareBuffer_lock(buffer, READ, -1, NULL, &data), 0);
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
	rig_fence_finish(&writes);
	AHardwareBuffer_release(buffer);
	close(from.planes[0].fd);
	rig_end();
}

static int
signalled_fence(void)
{
	int producer, fence;

	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	kr_fence_signal(producer, 1);
	return fence;
}

/* S-06. The arguments are good, so the fence is the call's: the harness counts descriptors. */
static void
no_lock_maps_it(AHardwareBuffer *buffer)
{
	AHardwareBuffer_Planes planes = {.planeCount = 7};
	uint64_t layer_bytes = 7;
	int32_t pixel = 7, row = 7;
	void *data = NULL;

	assert_int_equal(
		AHardwareBuffer_lock(buffer, READ, signalled_fence(), NULL, &data), -ENOSYS);
	assert_int_equal(AHardwareBuffer_lockPlanes(buffer, READ, signalled_fence(), NULL, &planes),
		-ENOSYS);
	assert_int_equal(AHardwareBuffer_lockAndGetInfo(
				 buffer, READ, signalled_fence(), NULL, &data, &pixel, &row),
		-ENOSYS);
	assert_int_equal(krafla_hardware_buffer_lock_layers(
				 buffer, READ, signalled_fence(), NULL, &data, &layer_bytes),
		-ENOSYS);
	assert_null(data);
	assert_int_equal(planes.planeCount, 0);
	assert_true(pixel == 7 && row == 7 && layer_bytes == 7);
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), -EINVAL);
}

/* Of rows, and of an order that only drivers know, where CPU bits ask in vain. */
static void
locks_of_what_is_not_mapped_close_their_fence(void **state)
{
	struct krafla_dma_buf from;
	AHardwareBuffer_Desc told;
	AHardwareBuffer *buffer, *twin;
	struct kr_gpu_memory tiled = {0};
	struct kr_buffer *own = NULL;
	int fd;

	rig_begin();
	from = picture();
	assert_int_equal(krafla_hardware_buffer_from_dma_buf(&from, &buffer), 0);
	AHardwareBuffer_describe(buffer, &told);
	assert_int_equal(AHardwareBuffer_createFromHandle(
				 &told, AHardwareBuffer_getNativeHandle(buffer), 3, &twin),
		0);
	no_lock_maps_it(twin);
	tiled = *kr_buffer_get_info((struct kr_buffer *)(void *)buffer)->gpu;
	tiled.modifier = 1;
	fd = fcntl(from.planes[0].fd, F_DUPFD_CLOEXEC, 0);
	assert_int_equal(kr_buffer_from_gpu(&(struct kr_buffer_desc){100, 60, 1, from.format, READ},
				 &tiled, fd, &own),
		0);
	no_lock_maps_it((AHardwareBuffer *)(void *)own);
	kr_buffer_unref(own);
	AHardwareBuffer_release(twin);
	AHardwareBuffer_release(buffer);
	close(from.planes[0].fd);
	rig_end();
}

/* Who gets the buffer doesn't map what he knows nothing about. */
static void
others_get_it_unmapped(void **state)
{
	struct krafla_dma_buf from;
	AHardwareBuffer *buffer, *twin;
	AHardwareBuffer_Desc told;
	void *data;

	rig_begin();
	from = picture();
	assert_int_equal(krafla_hardware_buffer_from_dma_buf(&from, &buffer), 0);
	AHardwareBuffer_describe(buffer, &told);
	assert_int_equal(
		AHardwareBuffer_createFromHandle(&told, AHardwareBuffer_getNativeHandle(buffer),
			AHARDWAREBUFFER_CREATE_FROM_HANDLE_METHOD_CLONE, &twin),
		0);
	assert_int_equal(AHardwareBuffer_lock(twin, READ, -1, NULL, &data), -ENOSYS);
	AHardwareBuffer_release(twin);
	AHardwareBuffer_release(buffer);
	close(from.planes[0].fd);
	rig_end();
}

static void
planes_of_ycbcr_lie_where_they_are_said_to(void **state)
{
	struct krafla_dma_buf from;
	AHardwareBuffer_Planes planes;
	AHardwareBuffer *buffer;
	char *y;

	rig_begin();
	from = picture();
	from.format = AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420;
	from.plane_count = 3;
	/* Cr before Cb, as YV12 has it. */
	from.planes[0] = (struct krafla_dma_buf_plane){from.planes[0].fd, 0, 128};
	from.planes[1] = (struct krafla_dma_buf_plane){from.planes[0].fd, 16384, 64};
	from.planes[2] = (struct krafla_dma_buf_plane){from.planes[0].fd, 8192, 64};
	assert_int_equal(krafla_hardware_buffer_from_dma_buf(&from, &buffer), 0);
	assert_int_equal(AHardwareBuffer_lockPlanes(buffer, READ, -1, NULL, &planes), 0);
	assert_int_equal(planes.planeCount, 3);
	y = planes.planes[0].data;
	assert_ptr_equal(planes.planes[1].data, y + 16384);
	assert_ptr_equal(planes.planes[2].data, y + 8192);
	assert_int_equal(planes.planes[1].pixelStride, 1);
	assert_int_equal(planes.planes[2].rowStride, 64);
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
	AHardwareBuffer_release(buffer);
	from.plane_count = 2;
	from.planes[1].row_bytes = 128;
	assert_int_equal(krafla_hardware_buffer_from_dma_buf(&from, &buffer), 0);
	assert_int_equal(AHardwareBuffer_lockPlanes(buffer, READ, -1, NULL, &planes), 0);
	assert_int_equal(planes.planeCount, 3);
	assert_ptr_equal(planes.planes[2].data, (char *)planes.planes[1].data + 1);
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
	AHardwareBuffer_release(buffer);
	from.planes[1].row_bytes = 99; /* 50 pairs */
	assert_int_equal(try(&from), -EINVAL);
	close(from.planes[0].fd);
	rig_end();
}

/* Tiles are a GPU's: taken in, told to drivers, never mapped. */
static void
modifiers_are_for_drivers(void **state)
{
	struct krafla_dma_buf from;
	const struct kr_buffer_info *info;
	AHardwareBuffer *buffer;
	void *data;

	rig_begin();
	from = picture();
	from.modifier = 0x0100000000000002;
	assert_int_equal(try(&from), -ENOSYS);
	from.usage = AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE;
	assert_int_equal(krafla_hardware_buffer_from_dma_buf(&from, &buffer), 0);
	info = kr_buffer_get_info((struct kr_buffer *)(void *)buffer);
	assert_int_equal(info->backend, KR_BUFFER_GPU);
	assert_int_equal(info->gpu->kind, KR_GPU_DMA_BUF);
	assert_true(info->gpu->modifier == from.modifier && info->modifier == from.modifier);
	assert_true(info->gpu->plane_count == 1 && info->gpu->planes[0].offset == 256);
	assert_int_equal(info->stride, 0);
	assert_int_equal(AHardwareBuffer_lock(buffer, READ, -1, NULL, &data), -EINVAL);
	AHardwareBuffer_release(buffer);
	/* No modifier at all is no description. */
	from.modifier = KR_BUFFER_MODIFIER_NONE;
	assert_int_equal(try(&from), -EINVAL);
	close(from.planes[0].fd);
	rig_end();
}

/* */
static void
what_lies_is_refused(void **state)
{
	struct krafla_dma_buf good, from;
	int other, memfd;

	rig_begin();
	good = from = picture();
	other = fake_dma_buf();
	memfd = memfd_create("no dma-buf", MFD_CLOEXEC);
	assert_int_equal(ftruncate(memfd, SIZE), 0);
	assert_int_equal(try(NULL), -EINVAL);
	assert_int_equal(krafla_hardware_buffer_from_dma_buf(&good, NULL), -EINVAL);
	from.size--;
	assert_int_equal(try(&from), -EINVAL);
	from = good;
	from.reserved = 1;
	assert_int_equal(try(&from), -EINVAL);
	from = good;
	from.plane_count = 0;
	assert_int_equal(try(&from), -EINVAL);
	from.plane_count = 5;
	assert_int_equal(try(&from), -EINVAL);
	from.plane_count = 2; /* of a format that has one */
	from.planes[1] = from.planes[0];
	assert_int_equal(try(&from), -EINVAL);
	from.format = AHARDWAREBUFFER_FORMAT_YCbCr_P010;
	from.planes[0] = (struct krafla_dma_buf_plane){good.planes[0].fd, 0, 256};
	from.planes[1] = (struct krafla_dma_buf_plane){other, 0, 256};
	assert_int_equal(try(&from), -ENOSYS);
	from.planes[1] =
		(struct krafla_dma_buf_plane){good.planes[0].fd, SIZE - 256 * 29 - 199, 256};
	assert_int_equal(try(&from), -EINVAL); /* outside, and odd */
	from.planes[1].offset = 32768 + 2;
	assert_int_equal(try(&from), -EINVAL); /* not where a pair can start */
	from.planes[1].offset = 32768;
	assert_int_equal(try(&from), 0);
	from = good;
	from.planes[0].fd = memfd;
	assert_int_equal(try(&from), -EINVAL);
	from.planes[0].fd = -1;
	assert_int_equal(try(&from), -EINVAL);
	from.planes[0].fd = other; /* of no bytes */
	assert_int_equal(try(&from), -EINVAL);
	from = good;
	from.format = 0x22;
	assert_int_equal(try(&from), -ENOSYS);
	from = good;
	from.width = 0;
	assert_int_equal(try(&from), -EINVAL);
	from.width = 129; /* wider than a row */
	assert_int_equal(try(&from), -EINVAL);
	from = good;
	from.height = 129; /* beyond the end */
	assert_int_equal(try(&from), -EINVAL);
	from = good;
	from.planes[0].offset = 258;
	assert_int_equal(try(&from), -EINVAL);
	from.planes[0].offset = UINT64_MAX - 255;
	assert_int_equal(try(&from), -EINVAL);
	from = good;
	from.planes[0].row_bytes = UINT64_MAX;
	assert_int_equal(try(&from), -EINVAL);
	from = good;
	from.usage |= AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT;
	assert_int_equal(try(&from), -EINVAL);
	assert_int_equal(try(&good), 0);
	close(good.planes[0].fd);
	close(other);
	close(memfd);
	rig_end();
}

static void
the_descriptors_mode_counts(void **state)
{
	struct krafla_dma_buf from;
	char path[64];
	int writable;

	rig_begin();
	from = picture();
	writable = from.planes[0].fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", writable);
	from.planes[0].fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(from.planes[0].fd >= 0);
	assert_int_equal(try(&from), -EPERM);
	from.usage = READ;
	assert_int_equal(try(&from), 0);
	close(from.planes[0].fd);
	close(writable);
	rig_end();
}

/* Memory of bytes. */
static void
a_blob_is_its_bytes(void **state)
{
	struct krafla_dma_buf from;
	AHardwareBuffer *buffer;

	rig_begin();
	from = picture();
	from.format = AHARDWAREBUFFER_FORMAT_BLOB;
	from.width = 50000;
	from.height = 1;
	from.usage = AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER;
	assert_int_equal(try(&from), -EINVAL); /* not at 0 */
	from.planes[0].offset = 0;
	assert_int_equal(krafla_hardware_buffer_from_dma_buf(&from, &buffer), 0);
	AHardwareBuffer_release(buffer);
	from.width = SIZE + 1;
	assert_int_equal(try(&from), -EINVAL);
	close(from.planes[0].fd);
	rig_end();
}

static const struct kr_test tests[] = {
	KR_TEST(rows_of_others_are_mapped),
	KR_TEST(fences_inside_are_waited_for),
	KR_TEST(others_get_it_unmapped),
	KR_TEST(locks_of_what_is_not_mapped_close_their_fence),
	KR_TEST(planes_of_ycbcr_lie_where_they_are_said_to),
	KR_TEST(modifiers_are_for_drivers),
	KR_TEST(what_lies_is_refused),
	KR_TEST(the_descriptors_mode_counts),
	KR_TEST(a_blob_is_its_bytes),
};

KR_TEST_MAIN(tests)
