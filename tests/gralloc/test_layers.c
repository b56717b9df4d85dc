/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of several layers in memory of CPUs: between programs, and nobody else's. W-11. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "gralloc/handle.h"
#include "sync/fence/fence.h"

#define CPU     (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)
#define SAMPLED AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE
#define CUBE    AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP
#define RGBA    AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM

/* Rows of 256 bytes, layers of 40 rows. */
#define LAYER (256 * 40)
static const struct kr_buffer_desc three = {60, 37, 3, RGBA, CPU};

static struct kr_buffer *
allocate(const struct kr_buffer_desc *desc)
{
	struct kr_buffer *buffer = NULL;

	assert_int_equal(kr_buffer_allocate_shared(desc, &buffer), 0);
	return buffer;
}

static int
fence_with(int status)
{
	int producer, fence;

	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	kr_fence_signal(producer, status);
	return fence;
}

static void
layers_follow_one_another(void **state)
{
	static const struct {
		struct kr_buffer_desc desc;
		uint32_t row, layer;
	} cases[] = {
		{{60, 37, 3, RGBA, CPU}, 256, LAYER},
		{{60, 37, 2, AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, CPU}, 192, 192 * 40},
		{{64, 64, 6, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, CPU | CUBE}, 512, 32768},
		{{64, 64, 12, RGBA, CPU | CUBE | SAMPLED}, 256, 16384},
		{{30, 4, 5, AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT, CPU}, 256, 1024},
		{{1, 1, 2048, AHARDWAREBUFFER_FORMAT_R8_UNORM, CPU}, 64, 256},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		const struct kr_buffer_desc *desc = &cases[i].desc;
		const uint64_t all = (uint64_t)cases[i].layer * desc->layers;
		struct kr_buffer *buffer = allocate(desc), *twin = NULL;
		const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
		AHardwareBuffer_Desc told;
		void *data, *seen;

		AHardwareBuffer_describe((AHardwareBuffer *)(void *)buffer, &told);
		assert_int_equal(told.layers, desc->layers);
		assert_int_equal(told.stride, info->stride);
		assert_int_equal(info->row_bytes, cases[i].row);
		assert_true(kr_buffer_layer_bytes(info) == cases[i].layer);
		assert_true(info->size == (all + 4095) / 4096 * 4096);
		assert_true(kr_buffer_is_of_cpus_alone(info));
		assert_int_equal(kr_buffer_import_shared(kr_buffer_handle(buffer), &twin), 0);
		assert_int_equal(kr_buffer_map(buffer, &data), 0);
		assert_int_equal(kr_buffer_map(twin, &seen), 0);
		((unsigned char *)data)[all - 1] = 77;
		assert_int_equal(((unsigned char *)seen)[all - 1], 77);
		assert_true(kr_buffer_layer_bytes(kr_buffer_get_info(twin)) == cases[i].layer);
		kr_buffer_unref(twin);
		kr_buffer_unref(buffer);
	}
}

static void
what_cant_be_had_is_refused(void **state)
{
	static const struct {
		struct kr_buffer_desc desc;
		int err;
	} cases[] = {
		{{1, 1, 2049, RGBA, CPU}, -EOPNOTSUPP},
		{{1, 1, UINT32_MAX, RGBA, CPU}, -EOPNOTSUPP},
		/* 24 GiB, and what would be 0 in 64 bits if layers weren't looked at. */
		{{32768, 32768, 3, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, CPU}, -EOPNOTSUPP},
		{{32768, 32768, 1u << 31, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, CPU},
			-EOPNOTSUPP},
		{{32769, 1, 2, RGBA, CPU}, -EOPNOTSUPP},
		{{8, 8, 2, RGBA, SAMPLED}, -EOPNOTSUPP},
		{{8, 8, 6, RGBA, CUBE | SAMPLED}, -EOPNOTSUPP},
		{{8, 8, 6, RGBA, CUBE | CPU | AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE},
			-EOPNOTSUPP},
		{{8, 8, 2, RGBA, CPU | AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY}, -EOPNOTSUPP},
		{{8, 8, 6, RGBA, CPU | CUBE | AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY}, -EOPNOTSUPP},
		{{8, 8, 2, 0x22, CPU}, -EOPNOTSUPP},
		{{8, 8, 3, RGBA, CPU | CUBE}, -EINVAL},
		{{8, 9, 6, RGBA, CPU | CUBE}, -EINVAL},
		{{8, 8, 6, AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, CPU}, -EINVAL},
		{{8, 1, 6, AHARDWAREBUFFER_FORMAT_BLOB, CPU}, -EINVAL},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		struct kr_buffer *buffer = NULL;

		if (kr_buffer_check_shared(&cases[i].desc) != cases[i].err)
			fail_msg("case %zu: %d", i, kr_buffer_check_shared(&cases[i].desc));
		assert_int_equal(kr_buffer_allocate_shared(&cases[i].desc, &buffer), cases[i].err);
		assert_null(buffer);
	}
}

/* What makes a picture of it, or hands it to who does. */
static void
windows_have_none(void **state)
{
	struct kr_buffer *buffer = allocate(&three), *twin = NULL;
	struct kr_buffer_info read;

	assert_int_equal(kr_buffer_check(&three), -EOPNOTSUPP);
	assert_int_equal(kr_buffer_check_shown(&three), -EOPNOTSUPP);
	assert_int_equal(kr_buffer_allocate(&three, &twin), -EOPNOTSUPP);
	assert_int_equal(kr_buffer_import(kr_buffer_handle(buffer), &twin), -EINVAL);
	assert_int_equal(kr_buffer_info_from_handle(kr_buffer_handle(buffer), &read), -EINVAL);
	assert_null(twin);
	kr_buffer_unref(buffer);
}

/* Each on its own; the memory is that of three layers. */
static void
a_handle_that_lies_is_refused(void **state)
{
	static const struct {
		int index;
		int value;
	} lies[] = {
		{KR_HANDLE_INT_LAYERS, 0},
		{KR_HANDLE_INT_LAYERS, 4},
		{KR_HANDLE_INT_LAYERS, 2048},
		{KR_HANDLE_INT_LAYERS, 2049},
		{KR_HANDLE_INT_LAYERS, 1 << 30},
		{KR_HANDLE_INT_LAYERS, INT32_MAX},
		{KR_HANDLE_INT_LAYERS, INT32_MIN},
		{KR_HANDLE_INT_LAYERS, -1},
		{KR_HANDLE_INT_STRIDE, 80},
		{KR_HANDLE_INT_STRIDE, INT32_MAX / 4 & ~15},
		{KR_HANDLE_INT_STRIDE, -64},
		{KR_HANDLE_INT_HEIGHT, 41},
		{KR_HANDLE_INT_HEIGHT, 32768},
		{KR_HANDLE_INT_SIZE, 28672},
		{KR_HANDLE_INT_SIZE, 4096},
		{KR_HANDLE_INT_USAGE, SAMPLED},
		{KR_HANDLE_INT_USAGE, CPU | CUBE}, /* not square */
		{KR_HANDLE_INT_FORMAT, AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420},
		{KR_HANDLE_INT_FORMAT, AHARDWAREBUFFER_FORMAT_BLOB},
		{KR_HANDLE_INT_FORMAT, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT},
	};
	struct kr_buffer *buffer = allocate(&three), *twin = NULL;
	struct kr_handle handle;

	for (size_t i = 0; i < KR_ARRAY_LEN(lies); i++) {
		memcpy(&handle, kr_buffer_handle(buffer), sizeof(handle));
		handle.words[3 + KR_HANDLE_FDS + lies[i].index] = lies[i].value;
		if (kr_buffer_import_shared(&handle.native, &twin) != -EINVAL)
			fail_msg("lie %zu was believed", i);
		assert_null(twin);
	}
	/* All at their limits: 2048 layers of 32768 rows of 2 GiB. */
	memcpy(&handle, kr_buffer_handle(buffer), sizeof(handle));
	handle.words[3 + KR_HANDLE_FDS + KR_HANDLE_INT_LAYERS] = 2048;
	handle.words[3 + KR_HANDLE_FDS + KR_HANDLE_INT_HEIGHT] = 32768;
	handle.words[3 + KR_HANDLE_FDS + KR_HANDLE_INT_STRIDE] = INT32_MAX / 4 & ~15;
	assert_int_equal(kr_buffer_import_shared(&handle.native, &twin), -EINVAL);
	/* Fewer are in it, too. */
	memcpy(&handle, kr_buffer_handle(buffer), sizeof(handle));
	handle.words[3 + KR_HANDLE_FDS + KR_HANDLE_INT_LAYERS] = 2;
	assert_int_equal(kr_buffer_import_shared(&handle.native, &twin), 0);
	assert_true(kr_buffer_layer_bytes(kr_buffer_get_info(twin)) == LAYER);
	kr_buffer_unref(twin);
	kr_buffer_unref(buffer);
}

/* As on Android, and the fence stays the caller's. */
static void
locks_of_one_layer_refuse_several(void **state)
{
	struct kr_buffer *buffer = allocate(&three);
	AHardwareBuffer *public = (AHardwareBuffer *)(void *)buffer;
	AHardwareBuffer_Planes planes = {.planeCount = 7};
	int32_t pixel = 7, row = 7;
	void *data = NULL;
	int fence = fence_with(1);

	assert_int_equal(AHardwareBuffer_lock(public, CPU, fence, NULL, &data), -ENOSYS);
	assert_int_equal(AHardwareBuffer_lockPlanes(public, CPU, fence, NULL, &planes), -ENOSYS);
	assert_int_equal(
		AHardwareBuffer_lockAndGetInfo(public, CPU, fence, NULL, &data, &pixel, &row),
		-ENOSYS);
	assert_null(data);
	assert_int_equal(planes.planeCount, 0);
	assert_int_equal(pixel, 7);
	assert_int_equal(row, 7);
	assert_int_equal(AHardwareBuffer_unlock(public, NULL), -EINVAL);
	/* What is wrong in itself is told first. */
	assert_int_equal(AHardwareBuffer_lock(public, SAMPLED, fence, NULL, &data), -EINVAL);
	assert_int_equal(close(fence), 0);
	AHardwareBuffer_release(public);
}

static void
each_layer_is_reached(void **state)
{
	struct kr_buffer *buffer = allocate(&three);
	AHardwareBuffer *public = (AHardwareBuffer *)(void *)buffer;
	uint64_t layer = 0;
	void *data = NULL, *all;

	assert_int_equal(
		krafla_hardware_buffer_lock_layers(public, CPU, -1, NULL, &data, &layer), 0);
	assert_true(layer == LAYER);
	assert_int_equal(kr_buffer_map(buffer, &all), 0);
	assert_ptr_equal(data, all);
	for (int i = 0; i < 3; i++)
		memset((char *)data + i * layer, i, layer);
	assert_int_equal(AHardwareBuffer_unlock(public, NULL), 0);
	assert_int_equal(AHardwareBuffer_unlock(public, NULL), -EINVAL);
	AHardwareBuffer_release(public);
}

/* Also of one layer, in each format: bytes and YCbCr have one alone. */
static void
one_layer_is_a_case_of_several(void **state)
{
	static const struct {
		uint32_t format, height, layer;
	} cases[] = {
		{RGBA, 37, LAYER},
		{AHARDWAREBUFFER_FORMAT_S8_UINT, 37, 64 * 40},
		{AHARDWAREBUFFER_FORMAT_YCbCr_P010, 37, 128 * (40 + 20)},
		{AHARDWAREBUFFER_FORMAT_BLOB, 1, 60},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		const struct kr_buffer_desc desc = {60, cases[i].height, 1, cases[i].format, CPU};
		AHardwareBuffer *public = (AHardwareBuffer *)(void *)allocate(&desc);
		uint64_t layer = 0;
		void *data, *layers;

		assert_int_equal(AHardwareBuffer_lock(public, CPU, -1, NULL, &data), 0);
		assert_int_equal(
			krafla_hardware_buffer_lock_layers(public, CPU, -1, NULL, &layers, &layer),
			0);
		assert_ptr_equal(data, layers);
		assert_true(layer == cases[i].layer);
		assert_int_equal(AHardwareBuffer_unlock(public, NULL), 0);
		assert_int_equal(AHardwareBuffer_unlock(public, NULL), 0);
		AHardwareBuffer_release(public);
	}
}

static void
locks_of_layers_follow_the_rules_of_locks(void **state)
{
	static const struct kr_buffer_desc written = {
		60, 37, 3, RGBA, AHARDWAREBUFFER_USAGE_CPU_WRITE_RARELY};
	static const ARect outside = {0, 0, 61, 37};
	AHardwareBuffer *public = (AHardwareBuffer *)(void *)allocate(&written);
	int fence = fence_with(1), failed = fence_with(-EIO);
	uint64_t layer = 7;
	void *data = NULL;

#define LOCK krafla_hardware_buffer_lock_layers
	assert_int_equal(LOCK(NULL, 0x30, fence, NULL, &data, &layer), -EINVAL);
	assert_int_equal(LOCK(public, 0x30, fence, NULL, NULL, &layer), -EINVAL);
	assert_int_equal(LOCK(public, 0x30, fence, NULL, &data, NULL), -EINVAL);
	assert_int_equal(LOCK(public, 0x33, fence, NULL, &data, &layer), -EINVAL);
	assert_int_equal(LOCK(public, 0, fence, NULL, &data, &layer), -EINVAL);
	assert_int_equal(LOCK(public, 0x30, fence, &outside, &data, &layer), -EINVAL);
	assert_int_equal(close(fence), 0);
	assert_int_equal(LOCK(public, 0x30, failed, NULL, &data, &layer), -EIO);
	assert_int_equal(fcntl(failed, F_GETFD), -1);
	assert_null(data);
	assert_true(layer == 7);
	assert_int_equal(AHardwareBuffer_unlock(public, NULL), -EINVAL);
	AHardwareBuffer_release(public);
}

static void
layers_go_to_another_process(void **state)
{
	struct kr_buffer *buffer = allocate(&three);
	AHardwareBuffer *sent = (AHardwareBuffer *)(void *)buffer, *came = NULL, *taken = NULL;
	AHardwareBuffer_Desc told;
	void *data, *seen;
	int ends[2];

	assert_int_equal(kr_buffer_map(buffer, &data), 0);
	for (int i = 0; i < 3; i++)
		memset((char *)data + i * LAYER, 0x11 * (i + 1), LAYER);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(AHardwareBuffer_sendHandleToUnixSocket(sent, ends[0]), 0);
	assert_int_equal(AHardwareBuffer_recvHandleFromUnixSocket(ends[1], &came), 0);
	AHardwareBuffer_describe(came, &told);
	assert_int_equal(told.layers, 3);
	assert_int_equal(kr_buffer_map((struct kr_buffer *)came, &seen), 0);
	assert_memory_equal(data, seen, 3 * LAYER);
	assert_int_equal(AHardwareBuffer_createFromHandle(
				 &told, AHardwareBuffer_getNativeHandle(came), 3, &taken),
		0);
	AHardwareBuffer_release(taken);
	told.layers = 2;
	assert_int_equal(AHardwareBuffer_createFromHandle(
				 &told, AHardwareBuffer_getNativeHandle(came), 3, &taken),
		-EINVAL);
	AHardwareBuffer_release(came);
	AHardwareBuffer_release(sent);
	close(ends[0]);
	close(ends[1]);
}

static const struct kr_test tests[] = {
	KR_TEST(layers_follow_one_another),
	KR_TEST(what_cant_be_had_is_refused),
	KR_TEST(windows_have_none),
	KR_TEST(a_handle_that_lies_is_refused),
	KR_TEST(locks_of_one_layer_refuse_several),
	KR_TEST(each_layer_is_reached),
	KR_TEST(one_layer_is_a_case_of_several),
	KR_TEST(locks_of_layers_follow_the_rules_of_locks),
	KR_TEST(layers_go_to_another_process),
};

KR_TEST_MAIN(tests)
