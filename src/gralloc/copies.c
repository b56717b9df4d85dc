/* SPDX-License-Identifier: Apache-2.0 */
/* The table of functions that this copy's buffers carry, and finding others'. */
#include "gralloc/copies.h"

#include <errno.h>
#include <string.h>

#include "gralloc/object.h"
#include "util/fd.h"

static struct kr_buffer *
from_native(const ANativeWindowBuffer *native)
{
	return (struct kr_buffer *)(uintptr_t)native;
}

static int
get_id(const ANativeWindowBuffer *native, uint64_t *id)
{
	*id = kr_buffer_get_info(from_native(native))->id;
	return 0;
}

static int
lock(ANativeWindowBuffer *native, int access, int64_t deadline_ns, void **data)
{
	return kr_buffer_lock(
		from_native(native), (enum kr_dma_buf_access)access, deadline_ns, data);
}

static int
unlock(ANativeWindowBuffer *native)
{
	return kr_buffer_unlock(from_native(native));
}

static int
export_fence(const ANativeWindowBuffer *native, int access, int *fence)
{
	return kr_buffer_export_fence(
		kr_buffer_get_info(from_native(native)), (enum kr_dma_buf_access)access, fence);
}

static int
import_fence(const ANativeWindowBuffer *native, int access, int fence)
{
	return kr_buffer_import_fence(
		kr_buffer_get_info(from_native(native)), (enum kr_dma_buf_access)access, fence);
}

static int
attach_gpu(ANativeWindowBuffer *native, const int *words, uint32_t count, int take_fd)
{
	struct kr_gpu_memory memory;
	int err = count == KR_GPU_MEMORY_WORDS ? kr_buffer_gpu_decode(words, &memory) : -EINVAL;

	if (err) {
		kr_fd_close(&take_fd);
		return err;
	}
	return kr_buffer_attach_gpu(from_native(native), &memory, take_fd);
}

static int
get_planes(const ANativeWindowBuffer *native, struct kr_buffer_planes *planes, uint32_t size)
{
	return size == sizeof(*planes)
		? kr_buffer_get_planes(kr_buffer_get_info(from_native(native)), planes)
		: -EINVAL;
}

static int
get_layer_bytes(const ANativeWindowBuffer *native, uint64_t *bytes)
{
	*bytes = kr_buffer_layer_bytes(kr_buffer_get_info(from_native(native)));
	return 0;
}

static int32_t
get_data_space(const ANativeWindowBuffer *native)
{
	return kr_buffer_data_space(from_native(native));
}

static void
set_data_space(ANativeWindowBuffer *native, int32_t data_space)
{
	kr_buffer_set_data_space(from_native(native), data_space);
}

const struct kr_buffer_functions kr_buffer_own_functions = {
	.magic = KR_BUFFER_FUNCTIONS_MAGIC,
	.size = sizeof(struct kr_buffer_functions),
	.get_id = get_id,
	.lock = lock,
	.unlock = unlock,
	.export_fence = export_fence,
	.import_fence = import_fence,
	.attach_gpu = attach_gpu,
	.get_planes = get_planes,
	.get_layer_bytes = get_layer_bytes,
	.get_data_space = get_data_space,
	.set_data_space = set_data_space,
};

/* In this order: what isn't a buffer may end anywhere. */
const struct kr_buffer_functions *
kr_buffer_functions_of(const void *any)
{
	const struct kr_buffer_functions *functions;
	const ANativeWindowBuffer *native = any;

	if (!native || native->common.magic != ANDROID_NATIVE_BUFFER_MAGIC ||
		native->common.version != sizeof(*native) ||
		native->common.reserved[0] != kr_buffer_mark(native))
		return NULL;
	memcpy(&functions, native + 1, sizeof(functions));
	return functions->magic == KR_BUFFER_FUNCTIONS_MAGIC &&
			functions->size >= sizeof(*functions)
		? functions
		: NULL;
}

const native_handle_t *
kr_buffer_any_handle(const void *any)
{
	const ANativeWindowBuffer *native = any;

	/* Pairs with the store when memory of a GPU is attached. */
	return kr_buffer_functions_of(any) ? __atomic_load_n(&native->handle, __ATOMIC_ACQUIRE)
					   : NULL;
}

void
kr_buffer_any_ref(void *any)
{
	ANativeWindowBuffer *native = any;

	if (kr_buffer_functions_of(any))
		native->common.incRef(&native->common);
}

void
kr_buffer_any_unref(void *any)
{
	ANativeWindowBuffer *native = any;

	if (kr_buffer_functions_of(any))
		native->common.decRef(&native->common);
}

int
kr_buffer_any_attach_gpu(
	ANativeWindowBuffer *native, const struct kr_gpu_memory *memory, int take_fd)
{
	const struct kr_buffer_functions *functions = kr_buffer_functions_of(native);
	int words[KR_GPU_MEMORY_WORDS];

	if (!functions) {
		kr_fd_close(&take_fd);
		return -EINVAL;
	}
	kr_buffer_gpu_encode(words, memory);
	return functions->attach_gpu(native, words, KR_GPU_MEMORY_WORDS, take_fd);
}
