/* SPDX-License-Identifier: Apache-2.0 */
/* See gpu_samples.h. */
#include "gpu_samples.h"

#include "harness.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const struct kr_buffer_desc plain = {
	.width = 100,
	.height = 60,
	.layers = 1,
	.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
	.usage = AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER,
};

const struct kr_gpu_memory opaque = {
	.kind = KR_GPU_OPAQUE_FD,
	.device_uuid = {1, 2, 3},
	.driver_uuid = {[15] = 9},
	.allocation_size = SIZE,
	.memory_type = 3,
	.dedicated = true,
	.format = 37, /* VK_FORMAT_R8G8B8A8_UNORM */
	.width = 100,
	.height = 60,
	.flags = 8,
	.usage = 0x17,
	.mip_levels = 1,
	.array_layers = 1,
	.samples = 1,
	.layout = 1,
	.view_format_count = 2,
	.view_formats = {37, 43},
};

struct kr_gpu_memory
linear(void)
{
	struct kr_gpu_memory memory = opaque;

	memory.kind = KR_GPU_DMA_BUF;
	memory.tiling = 1000158000;
	memory.plane_count = 1;
	memory.planes[0] = (struct kr_gpu_plane){.offset = 256, .row_bytes = 512};
	return memory;
}

int
some_memory(void)
{
	int fd = memfd_create("gpu", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, SIZE), 0);
	return fd;
}

struct kr_buffer *
gpu_alone(void)
{
	struct kr_buffer *buffer;

	assert_int_equal(kr_buffer_from_gpu(&plain, &opaque, some_memory(), &buffer), 0);
	return buffer;
}

struct kr_buffer *
both_faces(void)
{
	struct kr_buffer_desc desc = plain;
	struct kr_buffer *buffer;

	desc.usage |= CPU;
	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	assert_int_equal(kr_buffer_attach_gpu(buffer, &opaque, some_memory()), 0);
	return buffer;
}

struct kr_handle
copy_handle(const struct kr_buffer *buffer)
{
	const native_handle_t *handle = kr_buffer_handle(buffer);
	struct kr_handle copy = {.words = {0}};

	memcpy(&copy, handle, sizeof(int) * (3 + (size_t)handle->numFds + (size_t)handle->numInts));
	return copy;
}

int
try_import(const struct kr_handle *handle)
{
	struct kr_buffer *buffer = NULL;
	int before = kr_test_count_fds();
	int err = kr_buffer_import(&handle->native, &buffer);

	if (!err)
		kr_buffer_unref(buffer);
	else
		assert_null(buffer);
	assert_int_equal(kr_test_count_fds(), before);
	return err;
}

void
assert_same_memory(const struct kr_gpu_memory *a, const struct kr_gpu_memory *b)
{
	int words[2][KR_GPU_MEMORY_WORDS];

	kr_buffer_gpu_encode(words[0], a);
	kr_buffer_gpu_encode(words[1], b);
	assert_memory_equal(words[0], words[1], sizeof(words[0]));
}
