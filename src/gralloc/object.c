/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The buffer object: its life, and what others see of it. It starts with the ANativeWindowBuffer;
 * AHardwareBuffer pointers are pointers to the same object.
 */
#include "gralloc/object.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "gralloc/copies.h"
#include "util/clock.h"
#include "util/fd.h"

_Static_assert(sizeof(ANativeWindowBuffer) == 168, "ANativeWindowBuffer");
_Static_assert(offsetof(struct kr_buffer, functions) == sizeof(ANativeWindowBuffer), "functions");

/*
 * Ids are unique in the process although it may hold two copies of this room (libvulkan and
 * libkrafla): each copy draws the upper half at random, once.
 */
uint64_t
kr_buffer_object_next_id(void)
{
	static _Atomic uint64_t base;
	static atomic_uint count;
	uint64_t upper = atomic_load(&base);

	if (!upper) {
		uint64_t expected = 0;
		uint32_t drawn;

		if (getrandom(&drawn, sizeof(drawn), GRND_NONBLOCK) != (ssize_t)sizeof(drawn))
			drawn = (uint32_t)kr_clock_now();
		upper = (uint64_t)(drawn | 1) << 32;
		if (!atomic_compare_exchange_strong(&base, &expected, upper))
			upper = expected;
	}
	return upper | (uint32_t)(atomic_fetch_add(&count, 1) + 1);
}

static void
handle_inc_ref(android_native_base_t *base)
{
	kr_buffer_ref((struct kr_buffer *)base);
}

static void
handle_dec_ref(android_native_base_t *base)
{
	kr_buffer_unref((struct kr_buffer *)base);
}

int
kr_buffer_object_create(struct kr_buffer **buffer)
{
	struct kr_buffer *b = calloc(1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	b->info.fd = b->info.gpu_fd = -1;
	atomic_init(&b->refs, 1);
	*buffer = b;
	return 0;
}

void
kr_buffer_object_init(struct kr_buffer *buffer, const struct kr_buffer_info *info,
	const struct kr_buffer_functions *functions)
{
	ANativeWindowBuffer *native = &buffer->native;

	buffer->functions = functions;
	native->common.reserved[0] = kr_buffer_mark(native);
	native->common.magic = ANDROID_NATIVE_BUFFER_MAGIC;
	native->common.version = sizeof(*native);
	native->common.incRef = handle_inc_ref;
	native->common.decRef = handle_dec_ref;
	native->width = (int)info->desc.width;
	native->height = (int)info->desc.height;
	native->stride = (int)info->stride;
	native->format = (int)info->desc.format;
	native->usage_deprecated = (int)(uint32_t)info->desc.usage;
	native->usage = info->desc.usage;
	native->layerCount = info->desc.layers;
	if (info->backend == KR_BUFFER_GPU)
		return;
	buffer->info = *info;
	buffer->info.gpu = NULL;
	buffer->info.gpu_fd = -1;
	kr_handle_encode(&buffer->handle, &buffer->info);
	native->handle = &buffer->handle.native;
}

int
kr_buffer_object_add_gpu(struct kr_buffer *buffer, const struct kr_buffer_info *info,
	const struct kr_gpu_memory *memory, int take_fd)
{
	struct kr_buffer_gpu *gpu = malloc(sizeof(*gpu)), *expected = NULL;
	int err = gpu ? 0 : -ENOMEM;

	if (err)
		goto err_close;
	*gpu = (struct kr_buffer_gpu){.memory = *memory, .info = *info};
	gpu->info.gpu = &gpu->memory;
	gpu->info.gpu_fd = take_fd;
	kr_handle_encode(&gpu->handle, &gpu->info);
	/* Pairs with the loads of who looks at it: it is complete before it is seen. */
	if (!atomic_compare_exchange_strong(&buffer->gpu, &expected, gpu)) {
		err = -EEXIST;
		goto err_free;
	}
	/* Others may be reading it: either handle is a good one. */
	__atomic_store_n(&buffer->native.handle, &gpu->handle.native, __ATOMIC_RELEASE);
	return 0;

err_free:
	free(gpu);
err_close:
	kr_fd_close(&take_fd);
	return err;
}

KR_PRIVATE struct kr_buffer *
kr_buffer_ref(struct kr_buffer *buffer)
{
	atomic_fetch_add_explicit(&buffer->refs, 1, memory_order_relaxed);
	return buffer;
}

KR_PRIVATE void
kr_buffer_unref(struct kr_buffer *buffer)
{
	struct kr_buffer_gpu *gpu;
	void *map;

	/* Pairs with the other unrefs: the last one sees what the earlier ones did. */
	if (!buffer || atomic_fetch_sub_explicit(&buffer->refs, 1, memory_order_acq_rel) != 1)
		return;
	map = atomic_load(&buffer->map);
	if (map)
		munmap(map, kr_buffer_get_info(buffer)->size);
	kr_fd_close(&buffer->info.fd);
	gpu = atomic_load(&buffer->gpu);
	if (gpu)
		kr_fd_close(&gpu->info.gpu_fd);
	free(gpu);
	/* A stale pointer is then no buffer to anybody who checks. */
	buffer->native.common.magic = 0;
	free(buffer);
}

KR_PRIVATE const native_handle_t *
kr_buffer_handle(const struct kr_buffer *buffer)
{
	const struct kr_buffer_gpu *gpu = atomic_load(&buffer->gpu);

	return gpu ? &gpu->handle.native : &buffer->handle.native;
}

KR_PRIVATE const native_handle_t *
kr_buffer_cpu_handle(const struct kr_buffer *buffer)
{
	return kr_buffer_get_info(buffer)->backend == KR_BUFFER_GPU ? NULL : &buffer->handle.native;
}

KR_PRIVATE const struct kr_buffer_info *
kr_buffer_get_info(const struct kr_buffer *buffer)
{
	const struct kr_buffer_gpu *gpu = atomic_load(&buffer->gpu);

	return gpu ? &gpu->info : &buffer->info;
}

int32_t
kr_buffer_data_space(const struct kr_buffer *buffer)
{
	return atomic_load(&buffer->data_space);
}

void
kr_buffer_set_data_space(struct kr_buffer *buffer, int32_t data_space)
{
	atomic_store(&buffer->data_space, data_space);
}

uint32_t
kr_buffer_generation(const struct kr_buffer *buffer)
{
	return atomic_load(&buffer->generation);
}

void
kr_buffer_set_generation(struct kr_buffer *buffer, uint32_t generation)
{
	atomic_store(&buffer->generation, generation);
}

ANativeWindowBuffer *
kr_buffer_native(struct kr_buffer *buffer)
{
	return &buffer->native;
}

struct kr_buffer *
kr_buffer_from_native(ANativeWindowBuffer *native)
{
	if (!native || native->common.magic != ANDROID_NATIVE_BUFFER_MAGIC ||
		native->common.version != sizeof(*native) ||
		native->common.incRef != handle_inc_ref)
		return NULL;
	return (struct kr_buffer *)native;
}
