/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers: what is allocated, what is imported, and what lies. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <krafla/hardware_buffer.h>

#include "failing_alloc.h"
#include "gralloc/buffer.h"
#include "gralloc/handle.h"

#define CPU (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)

#define SAMPLED AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE

#define SIZE (2048 * 304) /* of plain */

static const struct kr_buffer_desc plain = {
	.width = 500,
	.height = 301,
	.layers = 1,
	.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
	.usage = CPU | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER,
};

/* A handle that says what a good one says, to be spoilt. */
static struct kr_handle
copy_handle(const struct kr_buffer *buffer)
{
	struct kr_handle handle;

	memcpy(&handle, kr_buffer_handle(buffer), sizeof(handle));
	return handle;
}

static int
try_import(const struct kr_handle *handle)
{
	struct kr_buffer *buffer = NULL;
	int err = kr_buffer_import(&handle->native, &buffer);

	if (!err)
		kr_buffer_unref(buffer);
	else
		assert_null(buffer);
	return err;
}

static void
layout_is_lavapipes_own(void **state)
{
	/* pitch = align(align(w, 4) * bytes, 64), size = pitch * align(h, 4) up to a page */
	static const struct {
		uint32_t format, width, height, row;
		uint64_t size;
	} cases[] = {
		{AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 1, 1, 64, 4096},
		{AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 500, 500, 2048, 1024000},
		{AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, 17, 5, 128, 4096},
		{AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, 1280, 720, 5120, 3686400},
		{AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, 33, 65, 128, 12288},
		{AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, 17, 5, 128, 4096},
		{AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, 500, 301, 4032, 1228800},
		{AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM, 500, 301, 4032, 1228800},
		{AHARDWAREBUFFER_FORMAT_R8_UNORM, 100, 62, 128, 8192},
		{AHARDWAREBUFFER_FORMAT_R16_UINT, 100, 62, 256, 16384},
		{AHARDWAREBUFFER_FORMAT_R16G16_UINT, 66, 38, 320, 16384},
		/* Rows of whole pixels, and of 64 bytes. */
		{AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 100, 62, 384, 24576},
		/* lavapipe 25's own: two planes behind each other. */
		{AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 640, 360, 640, 348160},
		{AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 100, 62, 128, 12288},
		{AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 34, 18, 64, 4096},
		{AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 33, 17, 64, 4096},
		{AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 1280, 17, 1280, 40960},
		{AHARDWAREBUFFER_FORMAT_YCbCr_P010, 66, 38, 192, 12288},
		{AHARDWAREBUFFER_FORMAT_YCbCr_P010, 1280, 720, 2560, 2764800},
		{AHARDWAREBUFFER_FORMAT_BLOB, 5000, 1, 5000, 8192},
	};
	uint32_t row;
	uint64_t size;

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		assert_int_equal(kr_format_layout(cases[i].format, cases[i].width, cases[i].height,
					 &row, &size),
			0);
		assert_int_equal(row, cases[i].row);
		assert_int_equal(size, cases[i].size);
	}
	assert_int_equal(kr_format_layout(1, 0, 1, &row, &size), -EINVAL);
	assert_int_equal(kr_format_layout(0x22, 1, 1, &row, &size), -EOPNOTSUPP);
	assert_int_equal(kr_format_layout(1, 32769, 1, &row, &size), -EOPNOTSUPP);
}

static void
a_buffer_is_what_was_asked_for(void **state)
{
	const struct kr_buffer_info *info;
	ANativeWindowBuffer *native;
	struct kr_buffer *buffer;
	struct stat st;

	assert_int_equal(kr_buffer_allocate(&plain, &buffer), 0);
	info = kr_buffer_get_info(buffer);
	native = kr_buffer_native(buffer);
	assert_memory_equal(&info->desc, &plain, sizeof(plain));
	assert_int_equal(info->row_bytes, 2048);
	assert_int_equal(info->stride, 512);
	assert_int_equal(fstat(info->fd, &st), 0);
	assert_int_equal(st.st_size, info->size);
	assert_true(fcntl(info->fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(fcntl(info->fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	assert_int_equal(native->common.magic, ANDROID_NATIVE_BUFFER_MAGIC);
	assert_int_equal(native->common.version, 168);
	assert_int_equal(native->width, 500);
	assert_int_equal(native->stride, 512);
	assert_int_equal(native->layerCount, 1);
	assert_true(native->usage == plain.usage);
	assert_ptr_equal(native->handle, kr_buffer_handle(buffer));
	assert_ptr_equal(kr_buffer_from_native(native), buffer);
	native->common.incRef(&native->common);
	kr_buffer_unref(buffer);
	assert_int_equal(native->common.magic, ANDROID_NATIVE_BUFFER_MAGIC);
	native->common.decRef(&native->common);
}

static void
offsets_of_a_native_buffer_are_androids(void **state)
{
	assert_int_equal(sizeof(ANativeWindowBuffer), 168);
	assert_int_equal(offsetof(ANativeWindowBuffer, width), 56);
	assert_int_equal(offsetof(ANativeWindowBuffer, stride), 64);
	assert_int_equal(offsetof(ANativeWindowBuffer, usage_deprecated), 72);
	assert_int_equal(offsetof(ANativeWindowBuffer, layerCount), 80);
	assert_int_equal(offsetof(ANativeWindowBuffer, handle), 96);
	assert_int_equal(offsetof(ANativeWindowBuffer, usage), 104);
	assert_int_equal(offsetof(android_native_base_t, incRef), 40);
	assert_int_equal(offsetof(native_handle_t, data), 12);
}

static void
a_foreign_native_buffer_is_not_taken_for_ours(void **state)
{
	ANativeWindowBuffer foreign = {
		.common = {.magic = ANDROID_NATIVE_BUFFER_MAGIC, .version = sizeof(foreign)}};

	assert_null(kr_buffer_from_native(&foreign));
	assert_null(kr_buffer_from_native(NULL));
}

static void
what_cant_be_had_is_refused(void **state)
{
	static const struct {
		struct kr_buffer_desc desc;
		int err;
	} cases[] = {
		{{0, 1, 1, 1, CPU}, -EINVAL},
		{{1, 0, 1, 1, CPU}, -EINVAL},
		{{1, 1, 0, 1, CPU}, -EINVAL},
		{{1, 1, 2, 1, CPU}, -EOPNOTSUPP},
		{{1, 1, 1, AHARDWAREBUFFER_FORMAT_D16_UNORM, SAMPLED}, -EOPNOTSUPP},
		{{1, 1, 1, AHARDWAREBUFFER_FORMAT_D24_UNORM, SAMPLED}, -EOPNOTSUPP},
		{{1, 1, 1, AHARDWAREBUFFER_FORMAT_D24_UNORM_S8_UINT, SAMPLED}, -EOPNOTSUPP},
		{{1, 1, 1, AHARDWAREBUFFER_FORMAT_D32_FLOAT, SAMPLED}, -EOPNOTSUPP},
		{{1, 1, 1, AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT, SAMPLED}, -EOPNOTSUPP},
		{{1, 1, 1, AHARDWAREBUFFER_FORMAT_S8_UINT, SAMPLED}, -EOPNOTSUPP},
		{{16, 2, 1, AHARDWAREBUFFER_FORMAT_BLOB, CPU}, -EINVAL},
		{{16, 1, 2, AHARDWAREBUFFER_FORMAT_BLOB, CPU}, -EINVAL},
		{{16, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, CPU | SAMPLED}, -EINVAL},
		{{16, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER},
			-EINVAL},
		{{16, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, AHARDWAREBUFFER_USAGE_VIDEO_ENCODE},
			-EINVAL},
		{{16, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA},
			-EOPNOTSUPP},
		{{UINT32_MAX, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, CPU}, -EOPNOTSUPP},
		{{2, 2, 2, AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, CPU}, -EINVAL},
		{{2, 2, 1, AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420,
			 AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE},
			-EINVAL},
		{{2, 2, 1, AHARDWAREBUFFER_FORMAT_R16_UINT, AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY},
			-EOPNOTSUPP},
		{{1, 1, 1, 0, CPU}, -EOPNOTSUPP},
		{{1, 1, 1, 1, AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT}, -EOPNOTSUPP},
		{{1, 1, 1, 1, AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT | CPU}, -EINVAL},
		{{1, 1, 1, 1, AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE}, -EOPNOTSUPP},
		{{1, 2, 6, 1, AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP}, -EINVAL},
		{{2, 2, 5, 1, AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP}, -EINVAL},
		{{2, 2, 6, 1, AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP}, -EOPNOTSUPP},
		{{1, 1, 1, 1, AHARDWAREBUFFER_USAGE_VIDEO_ENCODE}, -EOPNOTSUPP},
		{{1, 1, 1, 1, AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA}, -EINVAL},
		{{1, 1, 1, 1, AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER}, -EOPNOTSUPP},
		{{1, 1, 1, 1, 1}, -EINVAL},
		{{1, 1, 1, 1, 0x10}, -EINVAL},
		{{32769, 1, 1, 1, CPU}, -EOPNOTSUPP},
		{{UINT32_MAX, UINT32_MAX, 1, 1, CPU}, -EOPNOTSUPP},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		struct kr_buffer *buffer = NULL;

		if (kr_buffer_check(&cases[i].desc) != cases[i].err)
			fail_msg("case %zu: %d", i, kr_buffer_check(&cases[i].desc));
		assert_int_equal(kr_buffer_allocate(&cases[i].desc, &buffer), cases[i].err);
		assert_null(buffer);
	}
}

/* W-13: what drivers and consumers say to each other is none of the allocator's business. */
static void
usage_that_is_others_travels_unchanged(void **state)
{
	static const uint64_t others = UINT64_C(0xffff0001f0000000) | 1 << 12 | 1 << 20;
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, others | CPU};
	struct kr_buffer *buffer, *twin;
	struct kr_buffer_info info;

	for (int bit = 0; bit < 64; bit++) {
		const uint64_t one = UINT64_C(1) << bit;

		if (others & one)
			assert_int_equal(
				kr_buffer_check(&(struct kr_buffer_desc){1, 1, 1, 1, one}), 0);
	}
	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	assert_true(kr_buffer_native(buffer)->usage == desc.usage);
	assert_int_equal(kr_buffer_info_from_handle(kr_buffer_handle(buffer), &info), 0);
	assert_true(info.desc.usage == desc.usage);
	assert_int_equal(kr_buffer_import(kr_buffer_handle(buffer), &twin), 0);
	assert_true(kr_buffer_get_info(twin)->desc.usage == desc.usage);
	assert_true(kr_buffer_native(twin)->usage == desc.usage);
	kr_buffer_unref(twin);
	kr_buffer_unref(buffer);
}

static void
two_mappings_see_the_same_pixels(void **state)
{
	struct kr_buffer *buffer, *twin;
	uint8_t *a, *b;
	void *data;

	assert_int_equal(kr_buffer_allocate(&plain, &buffer), 0);
	assert_int_equal(kr_buffer_import(kr_buffer_handle(buffer), &twin), 0);
	assert_int_equal(kr_buffer_map(buffer, &data), 0);
	a = data;
	assert_int_equal(kr_buffer_map(twin, &data), 0);
	b = data;
	assert_ptr_not_equal(a, b);
	a[kr_buffer_get_info(buffer)->size - 1] = 77;
	assert_int_equal(b[kr_buffer_get_info(buffer)->size - 1], 77);
	assert_int_equal(kr_buffer_map(twin, &data), 0);
	assert_ptr_equal(data, b);
	assert_true(kr_buffer_get_info(twin)->id == kr_buffer_get_info(buffer)->id);
	kr_buffer_unref(buffer);
	/* The import stands on its own. */
	assert_int_equal(b[kr_buffer_get_info(twin)->size - 1], 77);
	kr_buffer_unref(twin);
}

static void
ids_differ(void **state)
{
	struct kr_buffer *a, *b;

	assert_int_equal(kr_buffer_allocate(&plain, &a), 0);
	assert_int_equal(kr_buffer_allocate(&plain, &b), 0);
	assert_true(kr_buffer_get_info(a)->id != kr_buffer_get_info(b)->id);
	kr_buffer_unref(a);
	kr_buffer_unref(b);
}

/* The queue's number is the object's alone: who gets the handle has an object of his own. */
static void
a_generation_is_the_objects_own(void **state)
{
	struct kr_buffer *buffer, *twin;
	struct kr_handle before;

	assert_int_equal(kr_buffer_allocate(&plain, &buffer), 0);
	assert_int_equal(kr_buffer_generation(buffer), 0);
	before = copy_handle(buffer);
	kr_buffer_set_generation(buffer, UINT32_MAX);
	assert_true(kr_buffer_generation(buffer) == UINT32_MAX);
	assert_memory_equal(&before, kr_buffer_handle(buffer), 3 * sizeof(int));
	assert_memory_equal(before.words + 3, kr_buffer_handle(buffer)->data,
		sizeof(int) * (KR_HANDLE_FDS + KR_HANDLE_INTS));
	assert_int_equal(kr_buffer_import(kr_buffer_handle(buffer), &twin), 0);
	assert_int_equal(kr_buffer_generation(twin), 0);
	kr_buffer_set_generation(twin, 3);
	assert_true(kr_buffer_generation(buffer) == UINT32_MAX);
	kr_buffer_unref(twin);
	kr_buffer_unref(buffer);
}

static void
nobody_can_resize_a_buffer(void **state)
{
	struct kr_buffer *buffer;
	int fd;

	assert_int_equal(kr_buffer_allocate(&plain, &buffer), 0);
	fd = kr_buffer_get_info(buffer)->fd;
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(ftruncate(fd, 1 << 24), -1);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
	kr_buffer_unref(buffer);
}

static void
a_handle_that_lies_is_refused(void **state)
{
	static const struct {
		int index;
		int value;
	} lies[] = {
		{KR_HANDLE_INT_MAGIC, 0},
		{KR_HANDLE_INT_VERSION, 2},
		{KR_HANDLE_INT_BACKEND, 0},
		{KR_HANDLE_INT_BACKEND, 2},
		{KR_HANDLE_INT_WIDTH, 0},
		{KR_HANDLE_INT_WIDTH, 513},
		{KR_HANDLE_INT_WIDTH, -1},
		{KR_HANDLE_INT_HEIGHT, 305},
		{KR_HANDLE_INT_HEIGHT, INT32_MIN},
		{KR_HANDLE_INT_LAYERS, 2},
		{KR_HANDLE_INT_STRIDE, 499},
		{KR_HANDLE_INT_STRIDE, 501}, /* not 64 bytes */
		{KR_HANDLE_INT_STRIDE, 528}, /* beyond the end */
		{KR_HANDLE_INT_STRIDE, -16},
		{KR_HANDLE_INT_STRIDE, 1 << 30},
		{KR_HANDLE_INT_FORMAT, 0x22}, /* none */
		{KR_HANDLE_INT_FORMAT, 0x30}, /* depth: no picture */
		{KR_HANDLE_INT_FORMAT, 0x16}, /* wider pixels */
		{KR_HANDLE_INT_USAGE, 1 << 14},
		{KR_HANDLE_INT_MODIFIER, 1},
		{KR_HANDLE_INT_SIZE, 4096},
		{KR_HANDLE_INT_SIZE, -1},
		{KR_HANDLE_INT_SIZE + 1, 1},
	};
	struct kr_buffer *buffer;
	struct kr_handle handle;

	assert_int_equal(kr_buffer_allocate(&plain, &buffer), 0);
	handle = copy_handle(buffer);
	assert_int_equal(try_import(&handle), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(lies); i++) {
		handle = copy_handle(buffer);
		handle.words[3 + KR_HANDLE_FDS + lies[i].index] = lies[i].value;
		if (try_import(&handle) != -EINVAL)
			fail_msg("lie %zu was believed: %d", i, try_import(&handle));
	}
	for (int word = 0; word < 3; word++) {
		handle = copy_handle(buffer);
		handle.words[word]++;
		assert_int_equal(try_import(&handle), -EINVAL);
	}
	kr_buffer_unref(buffer);
}

/* A handle of a good buffer, with another descriptor. */
static int
import_over(int fd)
{
	struct kr_buffer *buffer;
	struct kr_handle handle;
	int err;

	assert_int_equal(kr_buffer_allocate(&plain, &buffer), 0);
	handle = copy_handle(buffer);
	handle.words[3] = fd;
	err = try_import(&handle);
	kr_buffer_unref(buffer);
	return err;
}

static int
memory_with(off_t size, int seals, unsigned flags)
{
	int fd = memfd_create("test", MFD_CLOEXEC | flags);

	assert_int_equal(ftruncate(fd, size), 0);
	if (seals)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static void
memory_that_could_be_resized_is_refused(void **state)
{
	const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	static const int missing[] = {F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_SEAL};
	int fd;

	fd = memory_with(SIZE, all, MFD_ALLOW_SEALING);
	assert_int_equal(import_over(fd), 0);
	close(fd);
	for (size_t i = 0; i < KR_ARRAY_LEN(missing); i++) {
		fd = memory_with(SIZE, all & ~missing[i], MFD_ALLOW_SEALING);
		assert_int_equal(import_over(fd), -EPERM);
		close(fd);
	}
	fd = memory_with(SIZE, 0, 0);
	assert_int_equal(import_over(fd), -EPERM);
	close(fd);
	fd = memory_with(4096, all, MFD_ALLOW_SEALING);
	assert_int_equal(import_over(fd), -EINVAL);
	close(fd);
	fd = memory_with(SIZE, all | F_SEAL_WRITE, MFD_ALLOW_SEALING);
	assert_int_equal(import_over(fd), -EINVAL);
	close(fd);
}

/* Sealed as it may be, its pages can be taken away under a reader, which then dies of SIGBUS. */
static void
huge_pages_are_refused(void **state)
{
	const struct kr_buffer_desc two_mib = {512, 1024, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};
	struct kr_buffer *buffer;
	struct kr_handle handle;
	int fd = memfd_create("huge", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB | MFD_HUGE_2MB);

	if (fd < 0)
		kr_test_skip("no-huge-pages", "of 2 MiB");
	assert_int_equal(kr_buffer_allocate(&two_mib, &buffer), 0);
	handle = copy_handle(buffer);
	assert_int_equal(ftruncate(fd, (off_t)kr_buffer_get_info(buffer)->size), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
	handle.words[3] = fd;
	assert_int_equal(try_import(&handle), -EINVAL);
	kr_buffer_unref(buffer);
	close(fd);
}

static void
descriptors_that_are_no_memory_are_refused(void **state)
{
	int fds[2], fd;
	char path[64];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(import_over(fds[0]), -EINVAL);
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(import_over(-1), -EINVAL);
	assert_int_equal(import_over(900), -EINVAL);
	/* Right memory, but opened for reading alone: mapping it would fail later. */
	fd = memory_with(SIZE, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL, MFD_ALLOW_SEALING);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fds[0] = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fds[0] >= 0);
	assert_int_equal(import_over(fds[0]), -EINVAL);
	close(fds[0]);
	close(fd);
	/* A plain file of the right size, which anybody could truncate. */
	fd = open(kr_test_file("plain", ""), O_RDWR | O_CLOEXEC);
	assert_int_equal(ftruncate(fd, SIZE), 0);
	assert_int_equal(import_over(fd), -EPERM);
	close(fd);
}

static void
no_descriptors_left_is_an_error_without_a_leak(void **state)
{
	struct kr_buffer *buffer, *other = NULL;
	int before;

	assert_int_equal(kr_buffer_allocate(&plain, &buffer), 0);
	before = kr_test_count_fds();
	kr_test_limit_fds(0);
	assert_int_equal(kr_buffer_allocate(&plain, &other), -EMFILE);
	/* fcntl calls a limit at the very end of the table EINVAL or EMFILE. */
	assert_true(kr_buffer_import(kr_buffer_handle(buffer), &other) < 0);
	assert_null(other);
	kr_test_end_fd_limit();
	assert_int_equal(kr_test_count_fds(), before);
	kr_buffer_unref(buffer);
}

/* Allocates and imports; the first error. */
static int
make_two(void)
{
	struct kr_buffer *buffer, *other;
	int err = kr_buffer_allocate(&plain, &buffer);

	if (err)
		return err;
	err = kr_buffer_import(kr_buffer_handle(buffer), &other);
	if (!err)
		kr_buffer_unref(other);
	kr_buffer_unref(buffer);
	return err;
}

static void
no_memory_left_is_an_error_without_a_leak(void **state)
{
	for (int i = 0; i < 2; i++) {
		failing_alloc_left = i;
		assert_int_equal(make_two(), -ENOMEM);
	}
	failing_alloc_left = -1;
	assert_int_equal(make_two(), 0);
}

/*
 * W-11. What processors ask for lies in rows; windows, drivers and displays make nothing of it,
 * so the ways to them don't take it.
 */
static void
depth_is_the_programs_own(void **state)
{
	static const struct {
		uint32_t format, stride, bytes;
	} cases[] = {
		{AHARDWAREBUFFER_FORMAT_D16_UNORM, 96, 2},
		{AHARDWAREBUFFER_FORMAT_D24_UNORM, 80, 4},
		{AHARDWAREBUFFER_FORMAT_D24_UNORM_S8_UINT, 80, 4},
		{AHARDWAREBUFFER_FORMAT_D32_FLOAT, 80, 4},
		{AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT, 72, 8},
		{AHARDWAREBUFFER_FORMAT_S8_UINT, 128, 1},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		const struct kr_buffer_desc desc = {66, 38, 1, cases[i].format, CPU | SAMPLED};
		const struct kr_buffer_desc of_gpu = {66, 38, 1, cases[i].format, SAMPLED};
		const uint32_t row = cases[i].stride * cases[i].bytes;
		struct kr_buffer *buffer = NULL, *twin = NULL;
		const struct kr_buffer_info *info;
		struct kr_buffer_planes planes;
		struct kr_buffer_info read;
		void *data;

		assert_int_equal(kr_buffer_allocate(&desc, &buffer), -EOPNOTSUPP);
		assert_int_equal(kr_buffer_check_shown(&desc), -EOPNOTSUPP);
		assert_int_equal(kr_buffer_allocate_shared(&of_gpu, &buffer), -EOPNOTSUPP);
		assert_int_equal(kr_buffer_allocate_shared(&desc, &buffer), 0);
		info = kr_buffer_get_info(buffer);
		assert_int_equal(info->stride, cases[i].stride);
		assert_int_equal(info->row_bytes, row);
		assert_int_equal(info->size, (row * 40 + 4095) / 4096 * 4096);
		assert_int_equal(kr_buffer_get_planes(info, &planes), 0);
		assert_int_equal(planes.count, 1);
		assert_int_equal(planes.plane[0].pixel_bytes, cases[i].bytes);
		assert_true(kr_buffer_is_of_cpus_alone(info));
		assert_int_equal(kr_format_bytes(desc.format), 0);
		assert_int_equal(kr_buffer_map(buffer, &data), 0);
		memset(data, 0x5a, row * 38);
		assert_int_equal(kr_buffer_import(kr_buffer_handle(buffer), &twin), -EINVAL);
		assert_int_equal(
			kr_buffer_info_from_handle(kr_buffer_handle(buffer), &read), -EINVAL);
		assert_int_equal(kr_buffer_import_shared(kr_buffer_handle(buffer), &twin), 0);
		assert_int_equal(kr_buffer_get_info(twin)->row_bytes, row);
		assert_true(kr_buffer_is_of_cpus_alone(kr_buffer_get_info(twin)));
		kr_buffer_unref(twin);
		kr_buffer_unref(buffer);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(layout_is_lavapipes_own),
	KR_TEST(a_buffer_is_what_was_asked_for),
	KR_TEST(offsets_of_a_native_buffer_are_androids),
	KR_TEST(a_foreign_native_buffer_is_not_taken_for_ours),
	KR_TEST(what_cant_be_had_is_refused),
	KR_TEST(usage_that_is_others_travels_unchanged),
	KR_TEST(two_mappings_see_the_same_pixels),
	KR_TEST(ids_differ),
	KR_TEST(a_generation_is_the_objects_own),
	KR_TEST(depth_is_the_programs_own),
	KR_TEST(nobody_can_resize_a_buffer),
	KR_TEST(a_handle_that_lies_is_refused),
	KR_TEST(memory_that_could_be_resized_is_refused),
	KR_TEST(huge_pages_are_refused),
	KR_TEST(descriptors_that_are_no_memory_are_refused),
	KR_TEST(no_descriptors_left_is_an_error_without_a_leak),
	KR_TEST(no_memory_left_is_an_error_without_a_leak),
};

KR_TEST_MAIN(tests)
