/* SPDX-License-Identifier: Apache-2.0 */
/* AHardwareBuffer: the rules of the NDK (krafla/hardware_buffer.h). */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"

static const AHardwareBuffer_Desc desc = {
	.width = 64,
	.height = 48,
	.layers = 1,
	.format = AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM,
	.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_RARELY | AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE,
	.stride = 12345, /* ignored */
};

static AHardwareBuffer *
allocate(void)
{
	AHardwareBuffer *buffer;

	assert_int_equal(AHardwareBuffer_allocate(&desc, &buffer), 0);
	return buffer;
}

static void
describe_says_what_was_allocated(void **state)
{
	AHardwareBuffer *buffer = allocate();
	AHardwareBuffer_Desc out;
	uint64_t id = 0;

	memset(&out, 0xff, sizeof(out));
	AHardwareBuffer_describe(buffer, &out);
	assert_int_equal(out.width, 64);
	assert_int_equal(out.height, 48);
	assert_int_equal(out.layers, 1);
	assert_int_equal(out.format, desc.format);
	assert_true(out.usage == desc.usage);
	assert_int_equal(out.stride, 64);
	assert_int_equal(out.rfu0, 0);
	assert_true(out.rfu1 == 0);
	assert_int_equal(AHardwareBuffer_getId(buffer, &id), 0);
	assert_true(id != 0);
	assert_int_equal(AHardwareBuffer_getId(NULL, &id), -EINVAL);
	assert_non_null(AHardwareBuffer_getNativeHandle(buffer));
	assert_null(AHardwareBuffer_getNativeHandle(NULL));
	AHardwareBuffer_describe(NULL, &out);
	AHardwareBuffer_describe(buffer, NULL);
	AHardwareBuffer_acquire(buffer);
	AHardwareBuffer_release(buffer);
	AHardwareBuffer_release(buffer);
}

static void
what_cant_be_had_is_enosys(void **state)
{
	AHardwareBuffer_Desc wrong = desc;
	AHardwareBuffer *buffer = NULL;

	wrong.format = AHARDWAREBUFFER_FORMAT_D16_UNORM;
	wrong.usage = AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER;
	assert_int_equal(AHardwareBuffer_allocate(&wrong, &buffer), -ENOSYS);
	assert_int_equal(AHardwareBuffer_isSupported(&wrong), 0);
	wrong = desc;
	wrong.rfu0 = 1;
	assert_int_equal(AHardwareBuffer_allocate(&wrong, &buffer), -EINVAL);
	wrong = desc;
	wrong.rfu1 = 1;
	assert_int_equal(AHardwareBuffer_isSupported(&wrong), 0);
	assert_int_equal(AHardwareBuffer_allocate(NULL, &buffer), -EINVAL);
	assert_int_equal(AHardwareBuffer_allocate(&desc, NULL), -EINVAL);
	assert_null(buffer);
	assert_int_equal(AHardwareBuffer_isSupported(&desc), 1);
	assert_int_equal(AHardwareBuffer_isSupported(NULL), 0);
}

static void
lock_takes_allocated_cpu_usage_alone(void **state)
{
	AHardwareBuffer *buffer = allocate();
	void *data = NULL;

	assert_int_equal(AHardwareBuffer_lock(
				 buffer, AHARDWAREBUFFER_USAGE_CPU_READ_RARELY, -1, NULL, &data),
		-EINVAL);
	assert_int_equal(AHardwareBuffer_lock(buffer, 0, -1, NULL, &data), -EINVAL);
	assert_int_equal(AHardwareBuffer_lock(buffer,
				 AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN |
					 AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE,
				 -1, NULL, &data),
		-EINVAL);
	assert_null(data);
	assert_int_equal(AHardwareBuffer_lock(
				 buffer, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, NULL, &data),
		0);
	memset(data, 0x5a, 64 * 2 * 48);
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
	assert_int_equal(AHardwareBuffer_unlock(NULL, NULL), -EINVAL);
	AHardwareBuffer_release(buffer);
}

static void
unlock_needs_a_lock(void **state)
{
	AHardwareBuffer *buffer = allocate();
	int32_t fence = 7;
	void *data;

	assert_int_equal(AHardwareBuffer_unlock(buffer, &fence), -EINVAL);
	assert_int_equal(fence, 7);
	assert_int_equal(AHardwareBuffer_lock(buffer, 0, -1, NULL, &data), -EINVAL);
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), -EINVAL);
	/* Locks nest, as on Android. */
	assert_int_equal(AHardwareBuffer_lock(buffer, 0x30, -1, NULL, &data), 0);
	assert_int_equal(AHardwareBuffer_lock(buffer, 0x30, -1, NULL, &data), 0);
	assert_int_equal(AHardwareBuffer_unlock(buffer, &fence), 0);
	assert_int_equal(fence, -1);
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), -EINVAL);
	AHardwareBuffer_release(buffer);
}

static void
lock_checks_the_rectangle(void **state)
{
	static const ARect bad[] = {{-1, 0, 4, 4}, {0, 0, 65, 4}, {0, 0, 4, 49}, {8, 0, 4, 4}};
	ARect good = {60, 40, 64, 48};
	AHardwareBuffer *buffer = allocate();
	int32_t fence = 7;
	void *all, *part;

	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++)
		assert_int_equal(AHardwareBuffer_lock(buffer, 0x30, -1, &bad[i], &all), -EINVAL);
	assert_int_equal(AHardwareBuffer_lock(buffer, 0x30, -1, NULL, &all), 0);
	assert_int_equal(AHardwareBuffer_unlock(buffer, &fence), 0);
	assert_int_equal(fence, -1);
	assert_int_equal(AHardwareBuffer_lock(buffer, 0x30, -1, &good, &part), 0);
	assert_ptr_equal(all, part);
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
	AHardwareBuffer_release(buffer);
}

/* S-06 */
static void
lock_waits_for_its_fence_and_owns_it(void **state)
{
	AHardwareBuffer *buffer = allocate();
	int producer, fence;
	void *data = NULL;

	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	kr_fence_signal(producer, 1);
	assert_int_equal(AHardwareBuffer_lock(buffer, 0x30, fence, NULL, &data), 0);
	assert_non_null(data);
	data = NULL;
	/* A fence that fails: its error, and no mapping. The harness counts the descriptors. */
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	kr_fence_signal(producer, -EIO);
	assert_int_equal(AHardwareBuffer_lock(buffer, 0x30, fence, NULL, &data), -EIO);
	assert_null(data);
	AHardwareBuffer_release(buffer);
}

static int
lock_plainly(AHardwareBuffer *buffer, uint64_t usage, int fence, const ARect *rect)
{
	void *data;

	return AHardwareBuffer_lock(buffer, usage, fence, rect, &data);
}

static int
lock_planes(AHardwareBuffer *buffer, uint64_t usage, int fence, const ARect *rect)
{
	AHardwareBuffer_Planes planes = {.planeCount = 7};
	int err = AHardwareBuffer_lockPlanes(buffer, usage, fence, rect, &planes);

	assert_int_equal(planes.planeCount, err ? 0 : 1);
	return err;
}

static int
lock_and_ask(AHardwareBuffer *buffer, uint64_t usage, int fence, const ARect *rect)
{
	int32_t pixel, row;
	void *data;

	return AHardwareBuffer_lockAndGetInfo(buffer, usage, fence, rect, &data, &pixel, &row);
}

static int
lock_layers(AHardwareBuffer *buffer, uint64_t usage, int fence, const ARect *rect)
{
	uint64_t layer_bytes;
	void *data;

	return krafla_hardware_buffer_lock_layers(buffer, usage, fence, rect, &data, &layer_bytes);
}

static int (*const locks[])(AHardwareBuffer *, uint64_t, int, const ARect *) = {
	lock_plainly, lock_planes, lock_and_ask, lock_layers};

static int
fence_with(int status)
{
	int producer, fence;

	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	kr_fence_signal(producer, status);
	return fence;
}

/* S-06. Who closes the fence is known by the answer. */
static void
locks_leave_the_fence_where_arguments_are_wrong(void **state)
{
	static const ARect outside = {0, 0, 65, 48};
	static const uint64_t wrong[] = {0, 0x3, 0x33, 0x20 | 1 << 8, UINT64_C(1) << 32};
	AHardwareBuffer *buffer = allocate();
	int fence = fence_with(1), none = open("/dev/null", O_RDONLY | O_CLOEXEC), zero = 0;
	int before = kr_test_count_fds();

	for (size_t i = 0; i < KR_ARRAY_LEN(locks); i++) {
		for (size_t k = 0; k < KR_ARRAY_LEN(wrong); k++)
			assert_int_equal(locks[i](buffer, wrong[k], fence, NULL), -EINVAL);
		assert_int_equal(locks[i](buffer, 0x30, fence, &outside), -EINVAL);
		assert_int_equal(locks[i](NULL, 0x30, fence, NULL), -EINVAL);
		assert_int_equal(
			locks[i]((AHardwareBuffer *)(void *)&zero, 0x30, fence, NULL), -EINVAL);
		assert_int_equal(locks[i](buffer, 0x30, none, NULL), -EINVAL);
		assert_int_equal(locks[i](buffer, 0x30, -5, NULL), -EINVAL);
		assert_int_equal(kr_test_count_fds(), before);
		assert_int_equal(kr_fence_status(fence), 1);
	}
	assert_int_equal(AHardwareBuffer_lock(buffer, 0x30, fence, NULL, NULL), -EINVAL);
	assert_int_equal(AHardwareBuffer_lockPlanes(buffer, 0x30, fence, NULL, NULL), -EINVAL);
	assert_int_equal(
		AHardwareBuffer_lockAndGetInfo(buffer, 0x30, fence, NULL, NULL, &zero, &zero),
		-EINVAL);
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), -EINVAL);
	assert_int_equal(close(fence), 0);
	assert_int_equal(close(none), 0);
	AHardwareBuffer_release(buffer);
}

/* S-06 */
static void
locks_close_the_fence_else(void **state)
{
	static const struct {
		int status, err;
	} cases[] = {{1, 0}, {-EIO, -EIO}, {-ECANCELED, -ECANCELED}, {-EINVAL, -EIO}};
	AHardwareBuffer *buffer = allocate();
	int before = kr_test_count_fds();

	for (size_t i = 0; i < KR_ARRAY_LEN(locks); i++) {
		for (size_t k = 0; k < KR_ARRAY_LEN(cases); k++) {
			int fence = fence_with(cases[k].status);

			assert_int_equal(locks[i](buffer, 0x30, fence, NULL), cases[k].err);
			assert_int_equal(kr_test_count_fds(), before);
			assert_int_equal(
				AHardwareBuffer_unlock(buffer, NULL), cases[k].err ? -EINVAL : 0);
		}
	}
	AHardwareBuffer_release(buffer);
}

static const uint32_t formats[] = {
	AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
	AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM,
	AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM,
	AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT,
	AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM,
	AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM,
	AHARDWAREBUFFER_FORMAT_R8_UNORM,
	AHARDWAREBUFFER_FORMAT_R16_UINT,
	AHARDWAREBUFFER_FORMAT_R16G16_UINT,
	AHARDWAREBUFFER_FORMAT_BLOB,
	AHARDWAREBUFFER_FORMAT_D16_UNORM,
	AHARDWAREBUFFER_FORMAT_D24_UNORM,
	AHARDWAREBUFFER_FORMAT_D24_UNORM_S8_UINT,
	AHARDWAREBUFFER_FORMAT_D32_FLOAT,
	AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT,
	AHARDWAREBUFFER_FORMAT_S8_UINT,
};
static const int32_t bytes[] = {4, 3, 2, 8, 4, 8, 1, 2, 4, 1, 2, 4, 4, 4, 8, 1};

static void
one_plane_is_told(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		AHardwareBuffer_Desc of = {60, 30, 1, formats[i], 0x33, 0, 0, 0}, told;
		AHardwareBuffer *buffer;
		AHardwareBuffer_Planes planes;
		int32_t pixel = 0, row = 0;
		void *data;

		if (formats[i] == AHARDWAREBUFFER_FORMAT_BLOB)
			of.height = 1;
		assert_int_equal(AHardwareBuffer_isSupported(&of), 1);
		assert_int_equal(AHardwareBuffer_allocate(&of, &buffer), 0);
		AHardwareBuffer_describe(buffer, &told);
		assert_int_equal(
			AHardwareBuffer_lockAndGetInfo(buffer, 0x33, -1, NULL, &data, &pixel, &row),
			0);
		assert_int_equal(pixel, bytes[i]);
		assert_int_equal(row, (int32_t)told.stride * bytes[i]);
		assert_int_equal(AHardwareBuffer_lockPlanes(buffer, 0x33, -1, NULL, &planes), 0);
		assert_int_equal(planes.planeCount, 1);
		assert_ptr_equal(planes.planes[0].data, data);
		assert_int_equal(planes.planes[0].pixelStride, pixel);
		assert_int_equal(planes.planes[0].rowStride, row);
		memset(data, 1, (size_t)row * of.height);
		assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
		assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
		AHardwareBuffer_release(buffer);
	}
}

/* W-11. Y, then Cb and Cr in turn. */
static void
planes_of_ycbcr_are_told(void **state)
{
	for (int wide = 0; wide < 2; wide++) {
		AHardwareBuffer_Desc of = {66, 37, 1,
			wide ? AHARDWAREBUFFER_FORMAT_YCbCr_P010
			     : AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420,
			0x33, 0, 0, 0};
		const uint32_t size = wide ? 2 : 1, row = wide ? 192 : 128;
		AHardwareBuffer *buffer;
		AHardwareBuffer_Planes planes = {0};
		int32_t pixel = 0, stride = 0;
		char *y;
		void *data;

		assert_int_equal(AHardwareBuffer_allocate(&of, &buffer), 0);
		assert_int_equal(AHardwareBuffer_lockPlanes(buffer, 0x33, -1, NULL, &planes), 0);
		assert_int_equal(planes.planeCount, 3);
		y = planes.planes[0].data;
		assert_ptr_equal(planes.planes[1].data, y + row * 40);
		assert_ptr_equal(planes.planes[2].data, y + row * 40 + size);
		assert_int_equal(planes.planes[0].pixelStride, size);
		assert_int_equal(planes.planes[1].pixelStride, 2 * size);
		assert_int_equal(planes.planes[2].pixelStride, 2 * size);
		for (int i = 0; i < 3; i++)
			assert_int_equal(planes.planes[i].rowStride, row);
		/* All of it is there: 20 rows of chroma. */
		memset(planes.planes[1].data, 9, (size_t)row * 20);
		assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
		assert_int_equal(AHardwareBuffer_lockAndGetInfo(
					 buffer, 0x33, -1, NULL, &data, &pixel, &stride),
			0);
		assert_ptr_equal(data, y);
		assert_int_equal(pixel, -1);
		assert_int_equal(stride, -1);
		assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
		AHardwareBuffer_release(buffer);
	}
}

static void
planes_follow_the_rules_of_locks(void **state)
{
	AHardwareBuffer *buffer = allocate();
	AHardwareBuffer_Planes planes = {.planeCount = 7};
	int32_t pixel, row;
	void *data;

	assert_int_equal(AHardwareBuffer_lockPlanes(buffer, 0x3, -1, NULL, &planes), -EINVAL);
	assert_int_equal(planes.planeCount, 0);
	assert_int_equal(AHardwareBuffer_lockPlanes(buffer, 0x30, -1, NULL, NULL), -EINVAL);
	assert_int_equal(AHardwareBuffer_lockPlanes(NULL, 0x30, -1, NULL, &planes), -EINVAL);
	assert_int_equal(
		AHardwareBuffer_lockAndGetInfo(buffer, 0x30, -1, NULL, &data, NULL, &row), -EINVAL);
	assert_int_equal(
		AHardwareBuffer_lockAndGetInfo(NULL, 0x30, -1, NULL, &data, &pixel, &row), -EINVAL);
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), -EINVAL);
	AHardwareBuffer_release(buffer);
}

static void
a_data_space_is_the_buffers(void **state)
{
	static const ADataSpace spaces[] = {
		HAL_DATASPACE_DISPLAY_P3, INT32_MIN, -1, INT32_MAX, ADATASPACE_UNKNOWN};
	AHardwareBuffer *buffer = allocate(), *other = allocate(), *taken = NULL;
	AHardwareBuffer_Desc said;
	int zero = 0;

	assert_int_equal(AHardwareBuffer_getDataSpace(buffer), ADATASPACE_UNKNOWN);
	for (size_t i = 0; i < KR_ARRAY_LEN(spaces); i++) {
		assert_int_equal(
			AHardwareBuffer_setDataSpace(buffer, spaces[i]), AHARDWAREBUFFER_STATUS_OK);
		assert_int_equal(AHardwareBuffer_getDataSpace(buffer), spaces[i]);
		assert_int_equal(AHardwareBuffer_getDataSpace(other), ADATASPACE_UNKNOWN);
	}
	/* No handle says it. */
	assert_int_equal(AHardwareBuffer_setDataSpace(buffer, HAL_DATASPACE_BT2020_PQ), 0);
	AHardwareBuffer_describe(buffer, &said);
	assert_int_equal(AHardwareBuffer_createFromHandle(
				 &said, AHardwareBuffer_getNativeHandle(buffer), 3, &taken),
		0);
	assert_int_equal(AHardwareBuffer_getDataSpace(taken), ADATASPACE_UNKNOWN);
	AHardwareBuffer_release(taken);
	assert_int_equal(AHardwareBuffer_getDataSpace(NULL), ADATASPACE_UNKNOWN);
	assert_int_equal(AHardwareBuffer_setDataSpace(NULL, 1), AHARDWAREBUFFER_STATUS_BAD_VALUE);
	assert_int_equal(AHardwareBuffer_setDataSpace((AHardwareBuffer *)(void *)&zero, 1),
		AHARDWAREBUFFER_STATUS_BAD_VALUE);
	AHardwareBuffer_release(other);
	AHardwareBuffer_release(buffer);
}

/* There are none; what has none is AHardwareBuffer_allocate. */
static void
options_are_refused(void **state)
{
	static const AHardwareBufferLongOptions two[] = {
		{"android.hardware.graphics.common.Dataspace", 1}, {NULL, 2}};
	AHardwareBuffer_Desc wrong = desc;
	AHardwareBuffer *buffer = NULL;

#define TRY AHardwareBuffer_allocateWithOptions
	assert_int_equal(TRY(&desc, two, 1, &buffer), AHARDWAREBUFFER_STATUS_UNSUPPORTED);
	assert_int_equal(TRY(&desc, two, 2, &buffer), AHARDWAREBUFFER_STATUS_BAD_VALUE);
	assert_int_equal(TRY(&desc, NULL, 1, &buffer), AHARDWAREBUFFER_STATUS_BAD_VALUE);
	assert_int_equal(TRY(&desc, NULL, 0, NULL), AHARDWAREBUFFER_STATUS_BAD_VALUE);
	assert_int_equal(TRY(NULL, NULL, 0, &buffer), AHARDWAREBUFFER_STATUS_BAD_VALUE);
	wrong.layers = 0;
	assert_int_equal(TRY(&wrong, NULL, 0, &buffer), AHARDWAREBUFFER_STATUS_BAD_VALUE);
	assert_int_equal(TRY(&wrong, two, 1, &buffer), AHARDWAREBUFFER_STATUS_BAD_VALUE);
	wrong = desc;
	wrong.rfu1 = 1;
	assert_int_equal(TRY(&wrong, NULL, 0, &buffer), AHARDWAREBUFFER_STATUS_BAD_VALUE);
	wrong = desc;
	wrong.format = 0x22;
	assert_int_equal(TRY(&wrong, NULL, 0, &buffer), AHARDWAREBUFFER_STATUS_UNSUPPORTED);
	assert_null(buffer);
	assert_int_equal(TRY(&desc, NULL, 0, &buffer), AHARDWAREBUFFER_STATUS_OK);
	AHardwareBuffer_release(buffer);
	assert_int_equal(TRY(&desc, two, 0, &buffer), AHARDWAREBUFFER_STATUS_OK);
	AHardwareBuffer_release(buffer);
}

static void
a_handle_becomes_a_buffer(void **state)
{
	AHardwareBuffer *buffer = allocate(), *other = NULL;
	const native_handle_t *handle = AHardwareBuffer_getNativeHandle(buffer);
	native_handle_t *clone = native_handle_clone(handle);
	AHardwareBuffer_Desc said, wrong;
	uint64_t id, same;

	AHardwareBuffer_describe(buffer, &said);
	assert_int_equal(AHardwareBuffer_createFromHandle(&said, handle, 3, &other), 0);
	AHardwareBuffer_getId(buffer, &id);
	AHardwareBuffer_getId(other, &same);
	assert_true(id == same);
	AHardwareBuffer_release(other);
	/* What fails leaves the handle to who has it; the harness counts descriptors. */
	wrong = said;
	wrong.width--;
	assert_int_equal(AHardwareBuffer_createFromHandle(&wrong, clone, 2, &other), -EINVAL);
	wrong = said;
	wrong.usage = 0;
	assert_int_equal(AHardwareBuffer_createFromHandle(&wrong, clone, 2, &other), -EINVAL);
	assert_int_equal(AHardwareBuffer_createFromHandle(&said, clone, 1, &other), -EINVAL);
	assert_int_equal(AHardwareBuffer_createFromHandle(&said, NULL, 2, &other), -EINVAL);
	assert_int_equal(AHardwareBuffer_createFromHandle(NULL, clone, 2, &other), -EINVAL);
	assert_int_equal(AHardwareBuffer_createFromHandle(&said, clone, 2, NULL), -EINVAL);
	assert_int_equal(AHardwareBuffer_createFromHandle(&said, clone, 2, &other), 0);
	AHardwareBuffer_release(other);
	AHardwareBuffer_release(buffer);
}

static void
a_windows_buffer_is_a_hardware_buffer(void **state)
{
	AHardwareBuffer *buffer = allocate();
	ANativeWindowBuffer foreign = {
		.common = {.magic = ANDROID_NATIVE_BUFFER_MAGIC, .version = sizeof(foreign)}};
	ANativeWindowBuffer *native = kr_buffer_native((struct kr_buffer *)buffer);

	assert_ptr_equal(ANativeWindowBuffer_getHardwareBuffer(native), buffer);
	assert_null(ANativeWindowBuffer_getHardwareBuffer(&foreign));
	assert_null(ANativeWindowBuffer_getHardwareBuffer(NULL));
	AHardwareBuffer_release(buffer);
}

static const struct kr_test tests[] = {
	KR_TEST(describe_says_what_was_allocated),
	KR_TEST(what_cant_be_had_is_enosys),
	KR_TEST(lock_takes_allocated_cpu_usage_alone),
	KR_TEST(unlock_needs_a_lock),
	KR_TEST(lock_checks_the_rectangle),
	KR_TEST(lock_waits_for_its_fence_and_owns_it),
	KR_TEST(locks_leave_the_fence_where_arguments_are_wrong),
	KR_TEST(locks_close_the_fence_else),
	KR_TEST(one_plane_is_told),
	KR_TEST(planes_of_ycbcr_are_told),
	KR_TEST(planes_follow_the_rules_of_locks),
	KR_TEST(a_data_space_is_the_buffers),
	KR_TEST(options_are_refused),
	KR_TEST(a_handle_becomes_a_buffer),
	KR_TEST(a_windows_buffer_is_a_hardware_buffer),
};

KR_TEST_MAIN(tests)
