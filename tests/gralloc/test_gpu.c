/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers with memory of GPUs: two faces, handles of version 2 (W-11). */
#include "harness.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "failing_alloc.h"
#include "gpu_samples.h"

static void
words_say_all_of_it(void **state)
{
	struct kr_gpu_memory memory = linear(), read;
	int words[KR_GPU_MEMORY_WORDS];

	memory.modifier = 0x0300000000606010;
	memory.plane_count = 4;
	for (uint32_t i = 0; i < 4; i++)
		memory.planes[i] = (struct kr_gpu_plane){4096 * i, 64 + i};
	kr_buffer_gpu_encode(words, &memory);
	memset(&read, 0xff, sizeof(read));
	assert_int_equal(kr_buffer_gpu_decode(words, &read), 0);
	assert_int_equal(read.kind, KR_GPU_DMA_BUF);
	assert_memory_equal(read.device_uuid, opaque.device_uuid, KR_GPU_UUID_SIZE);
	assert_memory_equal(read.driver_uuid, opaque.driver_uuid, KR_GPU_UUID_SIZE);
	assert_true(read.allocation_size == SIZE && read.dedicated && read.memory_type == 3);
	assert_true(read.format == 37 && read.width == 100 && read.height == 60);
	assert_true(read.flags == 8 && read.usage == 0x17 && read.tiling == 1000158000);
	assert_true(read.mip_levels == 1 && read.array_layers == 1 && read.samples == 1);
	assert_true(read.layout == 1 && read.view_format_count == 2 && read.view_formats[1] == 43);
	assert_true(read.modifier == memory.modifier && read.plane_count == 4);
	assert_true(read.planes[3].offset == 12288 && read.planes[3].row_bytes == 67);
}

/* W-11 */
static void
a_buffer_gets_a_second_face(void **state)
{
	struct kr_buffer_desc desc = plain;
	const struct kr_buffer_info *before, *info;
	const native_handle_t *handle;
	struct kr_buffer *buffer;
	void *data;

	desc.usage |= CPU;
	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	before = kr_buffer_get_info(buffer);
	assert_null(before->gpu);
	assert_int_equal(before->gpu_fd, -1);
	handle = kr_buffer_handle(buffer);
	assert_ptr_equal(handle, kr_buffer_cpu_handle(buffer));
	assert_int_equal(handle->numInts, KR_HANDLE_INTS);
	assert_int_equal(kr_buffer_attach_gpu(buffer, &opaque, some_memory()), 0);
	info = kr_buffer_get_info(buffer);
	assert_same_memory(info->gpu, &opaque);
	assert_true(info->gpu_fd >= 0 && info->fd == before->fd && info->id == before->id);
	assert_true(info->backend == before->backend && info->row_bytes == before->row_bytes);
	/* Who held the old handle still has a good one, of the CPU's face. */
	assert_ptr_equal(kr_buffer_cpu_handle(buffer), handle);
	assert_int_equal(handle->data[1 + KR_HANDLE_INT_VERSION], 1);
	handle = kr_buffer_handle(buffer);
	assert_ptr_equal(kr_buffer_native(buffer)->handle, handle);
	assert_int_equal(handle->numFds, 2);
	assert_int_equal(handle->data[2 + KR_HANDLE_INT_VERSION], 2);
	assert_int_equal(kr_buffer_map(buffer, &data), 0);
	/* Once. The descriptor is taken all the same: the harness counts them. */
	assert_int_equal(kr_buffer_attach_gpu(buffer, &opaque, some_memory()), -EEXIST);
	kr_buffer_unref(buffer);
}

/* W-11 */
static void
memory_of_a_gpu_alone_isnt_mapped(void **state)
{
	struct kr_buffer *buffer = gpu_alone();
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	void *data = NULL;
	int fence;

	assert_int_equal(info->backend, KR_BUFFER_GPU);
	assert_string_equal(kr_buffer_backend_name(info->backend), "gpu");
	assert_true(info->fd == -1 && info->gpu_fd >= 0 && info->stride == 0);
	assert_true(info->size == SIZE && info->modifier == KR_BUFFER_MODIFIER_NONE);
	assert_null(kr_buffer_cpu_handle(buffer));
	assert_int_equal(kr_buffer_map(buffer, &data), -EOPNOTSUPP);
	assert_int_equal(kr_buffer_lock(buffer, KR_DMA_BUF_READ, 0, &data), -EOPNOTSUPP);
	assert_int_equal(kr_buffer_map_alone(buffer), 0);
	assert_int_equal(kr_buffer_export_fence(info, KR_DMA_BUF_READ, &fence), -EOPNOTSUPP);
	assert_null(data);
	kr_buffer_unref(buffer);
}

static void
locking_it_is_enosys(void **state)
{
	struct kr_buffer_desc desc = plain;
	struct kr_buffer *buffer;
	void *data = NULL;

	desc.usage |= CPU;
	assert_int_equal(kr_buffer_from_gpu(&desc, &opaque, some_memory(), &buffer), 0);
	assert_int_equal(
		AHardwareBuffer_lock((AHardwareBuffer *)(void *)buffer, CPU, -1, NULL, &data),
		-ENOSYS);
	assert_null(data);
	kr_buffer_unref(buffer);
}

static void
handles_of_both_kinds_are_imported(void **state)
{
	struct kr_buffer *made[2] = {gpu_alone(), both_faces()};

	for (int i = 0; i < 2; i++) {
		const struct kr_buffer_info *of = kr_buffer_get_info(made[i]), *info;
		struct kr_buffer_info told;
		native_handle_t *clone;
		struct kr_buffer *buffer;

		assert_int_equal(kr_buffer_info_from_handle(kr_buffer_handle(made[i]), &told), 0);
		assert_null(told.gpu);
		assert_int_equal(told.gpu_fd, of->gpu_fd);
		assert_int_equal(kr_handle_clone(kr_buffer_handle(made[i]), &clone), 0);
		assert_int_equal(kr_buffer_import(clone, &buffer), 0);
		kr_handle_close(clone);
		kr_handle_delete(clone);
		info = kr_buffer_get_info(buffer);
		assert_same_memory(info->gpu, of->gpu);
		assert_true(info->id == of->id && info->backend == of->backend);
		assert_true(info->gpu_fd >= 0 && info->gpu_fd != of->gpu_fd);
		assert_int_equal(info->fd >= 0, of->fd >= 0);
		kr_buffer_unref(buffer);
		kr_buffer_unref(made[i]);
	}
}

/* A BLOB is a VkBuffer. */
static void
a_blob_is_no_image(void **state)
{
	const struct kr_buffer_desc blob = {
		5000, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER};
	struct kr_gpu_memory memory = {
		.kind = KR_GPU_OPAQUE_FD,
		.device_uuid = {1},
		.driver_uuid = {1},
		.allocation_size = SIZE,
		.width = 5000,
		.height = 1,
		.usage = 0x20,
		.mip_levels = 1,
		.array_layers = 1,
		.samples = 1,
	};
	struct kr_buffer *buffer;

	assert_int_equal(kr_buffer_from_gpu(&blob, &memory, some_memory(), &buffer), 0);
	kr_buffer_unref(buffer);
	assert_int_equal(kr_buffer_from_gpu(&blob, &opaque, some_memory(), &buffer), -EINVAL);
	memory.width = 5001;
	assert_int_equal(kr_buffer_from_gpu(&blob, &memory, some_memory(), &buffer), -EINVAL);
	memory.width = 5000;
	memory.allocation_size = 4999;
	assert_int_equal(kr_buffer_from_gpu(&blob, &memory, some_memory(), &buffer), -EINVAL);
}

static atomic_bool attached;

/* Who looks at a buffer sees the CPU's face alone or both, whole. */
static void *
look(void *data)
{
	struct kr_buffer *buffer = data;

	while (!atomic_load(&attached)) {
		const native_handle_t *handle = kr_buffer_any_handle(buffer);
		const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
		int version = handle->data[handle->numFds + KR_HANDLE_INT_VERSION];

		if (version != handle->numFds || (info->gpu && info->gpu->width != 100))
			return data;
	}
	return kr_buffer_get_info(buffer)->gpu ? NULL : data;
}

static void
readers_see_whole_faces(void **state)
{
	struct kr_buffer_desc desc = plain;
	struct kr_buffer *buffer;
	pthread_t readers[2];
	void *failed;

	atomic_store(&attached, false);
	desc.usage |= CPU;
	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&readers[i], NULL, look, buffer), 0);
	assert_int_equal(kr_buffer_attach_gpu(buffer, &opaque, some_memory()), 0);
	atomic_store(&attached, true);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(readers[i], &failed), 0);
		assert_null(failed);
	}
	kr_buffer_unref(buffer);
}

/* In the place of src/gpu: images with several layers. */
static int
allocate_on_gpu(const struct kr_buffer_desc *desc, struct kr_buffer **buffer)
{
	struct kr_gpu_memory memory = opaque;

	if (desc->layers == 1)
		return -EOPNOTSUPP;
	if (!buffer)
		return 0;
	memory.array_layers = desc->layers;
	return kr_buffer_from_gpu(desc, &memory, some_memory(), buffer);
}

/* W-11 */
static void
what_cpus_cant_have_a_gpu_may(void **state)
{
	AHardwareBuffer_Desc layers = {100, 60, 3, plain.format, plain.usage, 0, 0, 0};
	AHardwareBuffer_Desc depth = {
		100, 60, 1, AHARDWAREBUFFER_FORMAT_D16_UNORM, plain.usage, 0, 0, 0};
	AHardwareBuffer_Desc told;
	AHardwareBuffer *buffer = NULL;

	assert_int_equal(AHardwareBuffer_allocate(&layers, &buffer), -ENOSYS);
	assert_int_equal(AHardwareBuffer_isSupported(&layers), 0);
	kr_buffer_set_gpu_allocator(allocate_on_gpu);
	assert_int_equal(AHardwareBuffer_isSupported(&layers), 1);
	assert_int_equal(AHardwareBuffer_isSupported(&depth), 0);
	assert_int_equal(AHardwareBuffer_allocate(&depth, &buffer), -ENOSYS);
	layers.height = 0;
	assert_int_equal(AHardwareBuffer_allocate(&layers, &buffer), -EINVAL);
	layers.height = 60;
	assert_int_equal(AHardwareBuffer_allocate(&layers, &buffer), 0);
	AHardwareBuffer_describe(buffer, &told);
	assert_int_equal(told.layers, 3);
	assert_int_equal(told.stride, 0);
	AHardwareBuffer_release(buffer);
	kr_buffer_set_gpu_allocator(NULL);
}

static void
failed_allocations_leave_nothing(void **state)
{
	struct kr_buffer *buffer = both_faces(), *again;
	struct kr_handle handle = copy_handle(buffer);

	for (unsigned n = 0;; n++) {
		int err;

		failing_alloc_left = (int)n;
		err = try_import(&handle);
		failing_alloc_left = -1;
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
	}
	for (unsigned n = 0;; n++) {
		int fd = some_memory(), err;

		failing_alloc_left = (int)n;
		err = kr_buffer_from_gpu(&plain, &opaque, fd, &again);
		failing_alloc_left = -1;
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
	}
	kr_buffer_unref(again);
	kr_buffer_unref(buffer);
}

static const struct kr_test tests[] = {
	KR_TEST(words_say_all_of_it),
	KR_TEST(a_buffer_gets_a_second_face),
	KR_TEST(memory_of_a_gpu_alone_isnt_mapped),
	KR_TEST(locking_it_is_enosys),
	KR_TEST(handles_of_both_kinds_are_imported),
	KR_TEST(a_blob_is_no_image),
	KR_TEST(readers_see_whole_faces),
	KR_TEST(what_cpus_cant_have_a_gpu_may),
	KR_TEST(failed_allocations_leave_nothing),
};

KR_TEST_MAIN(tests)
