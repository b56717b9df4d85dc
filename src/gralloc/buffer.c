/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers: allocated, imported, or around memory that somebody else made. */
#include "gralloc/buffer.h"

#include <dlfcn.h>
#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <stdlib.h>
#include <string.h>

#include <krafla/hardware_buffer.h>

#include "gralloc/backends.h"
#include "gralloc/copies.h"
#include "gralloc/format.h"
#include "gralloc/object.h"
#include "util/fd.h"

#define CPU_USAGE (AHARDWAREBUFFER_USAGE_CPU_READ_MASK | AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK)
#define GPU_USAGE                                                                                  \
	(AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER |         \
		AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER | AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP |       \
		AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE)

static int
allocate(const struct kr_buffer_desc *desc, struct kr_buffer **buffer)
{
	struct kr_buffer_info info = {.desc = *desc, .gpu_fd = -1};
	const struct kr_buffer_impl *impl;
	struct kr_buffer *b;
	int err = kr_format_lay_out(desc, &info.row_bytes, &info.size);

	if (!err)
		err = kr_buffer_object_create(&b);
	if (err)
		return err;
	info.stride = info.row_bytes / kr_format_pixel_bytes(desc->format);
	info.id = kr_buffer_object_next_id();
	err = kr_buffer_memory_allocate(info.size, &impl, &info.fd);
	if (err) {
		kr_buffer_unref(b);
		return err;
	}
	info.backend = impl->backend;
	kr_buffer_object_init(b, &info, &kr_buffer_own_functions);
	*buffer = b;
	return 0;
}

/* Who makes what memory of CPUs can't be (src/gpu); NULL none. */
static _Atomic(kr_buffer_gpu_allocate_fn) gpu_allocator;

void
kr_buffer_set_gpu_allocator(kr_buffer_gpu_allocate_fn allocator)
{
	atomic_store(&gpu_allocator, allocator);
}

/* `err`: whether memory of CPUs can be it. `buffer` NULL: whether it would. */
static int
allocate_any(const struct kr_buffer_desc *desc, int err, struct kr_buffer **buffer)
{
	kr_buffer_gpu_allocate_fn of_gpu = atomic_load(&gpu_allocator);

	if (err == -EOPNOTSUPP && of_gpu) {
		err = of_gpu(desc, buffer);
		return err == -ENODEV ? -EOPNOTSUPP : err;
	}
	return err || !buffer ? err : allocate(desc, buffer);
}

KR_PRIVATE int
kr_buffer_allocate(const struct kr_buffer_desc *desc, struct kr_buffer **buffer)
{
	return allocate_any(desc, kr_buffer_check(desc), buffer);
}

/* What KRAFLA_BUFFERS=gpu means: used by GPUs, and by no processor. */
static bool
wants_gpu(const struct kr_buffer_desc *desc)
{
	return kr_buffer_gpu_is_wanted() && !(desc->usage & CPU_USAGE) &&
		(desc->usage & GPU_USAGE) && !kr_buffer_check_form(desc);
}

int
kr_buffer_allocate_shared(const struct kr_buffer_desc *desc, struct kr_buffer **buffer)
{
	kr_buffer_gpu_allocate_fn of_gpu = atomic_load(&gpu_allocator);

	if (!wants_gpu(desc))
		return allocate_any(desc, kr_buffer_check_shared(desc), buffer);
	return of_gpu ? of_gpu(desc, buffer) : -ENODEV;
}

/*
 * The handle, and its descriptors; `gpu` gets what info->gpu points to. `shared`: what isn't a
 * window's may come, too.
 */
static int
read_handle(const native_handle_t *handle, bool shared, struct kr_buffer_info *info,
	struct kr_gpu_memory *gpu)
{
	int err = kr_handle_decode(handle, info, gpu);

	if (!err && !shared && info->backend != KR_BUFFER_GPU && kr_buffer_check(&info->desc))
		err = -EINVAL;
	if (!err && info->backend != KR_BUFFER_GPU)
		err = kr_buffer_impl_from_backend((int)info->backend)->check(info->fd, info->size);
	if (!err && info->gpu)
		err = kr_buffer_gpu_check_fd(gpu, info->gpu_fd);
	return err;
}

int
kr_buffer_info_from_handle(const native_handle_t *handle, struct kr_buffer_info *info)
{
	struct kr_buffer_info read;
	struct kr_gpu_memory gpu;
	int err = read_handle(handle, false, &read, &gpu);

	if (err)
		return err;
	read.gpu = NULL;
	*info = read;
	return 0;
}

/* The CPU's face and the GPU's, as far as there are such, over duplicates of the descriptors. */
static int
import_faces(struct kr_buffer *buffer, struct kr_buffer_info *info)
{
	int gpu_fd = -1, err = 0;

	if (info->fd >= 0)
		err = kr_fd_dup(info->fd, &info->fd);
	if (err)
		return err;
	kr_buffer_object_init(buffer, info, &kr_buffer_own_functions);
	if (!info->gpu)
		return 0;
	err = kr_fd_dup(info->gpu_fd, &gpu_fd);
	return err ? err : kr_buffer_object_add_gpu(buffer, info, info->gpu, gpu_fd);
}

static int
import(const native_handle_t *handle, bool shared, struct kr_buffer **buffer)
{
	struct kr_buffer_info info;
	struct kr_gpu_memory gpu;
	struct kr_buffer *b;
	int err = read_handle(handle, shared, &info, &gpu);

	if (!err)
		err = kr_buffer_object_create(&b);
	if (err)
		return err;
	err = import_faces(b, &info);
	if (err)
		kr_buffer_unref(b);
	else
		*buffer = b;
	return err;
}

KR_PRIVATE int
kr_buffer_import(const native_handle_t *handle, struct kr_buffer **buffer)
{
	return import(handle, false, buffer);
}

int
kr_buffer_import_shared(const native_handle_t *handle, struct kr_buffer **buffer)
{
	return import(handle, true, buffer);
}

int
kr_buffer_from_gpu(const struct kr_buffer_desc *desc, const struct kr_gpu_memory *memory,
	int take_fd, struct kr_buffer **buffer)
{
	struct kr_buffer_info info = {.desc = *desc, .backend = KR_BUFFER_GPU, .fd = -1};
	struct kr_buffer *b;
	int err = kr_buffer_check_form(desc);

	if (!err)
		err = kr_buffer_gpu_check(memory, desc, take_fd);
	if (!err)
		err = kr_buffer_object_create(&b);
	if (err) {
		kr_fd_close(&take_fd);
		return err;
	}
	info.size = memory->allocation_size;
	info.modifier = kr_handle_gpu_modifier(memory);
	info.stride = kr_buffer_gpu_stride(memory, desc->format);
	info.id = kr_buffer_object_next_id();
	kr_buffer_object_init(b, &info, &kr_buffer_own_functions);
	err = kr_buffer_object_add_gpu(b, &info, memory, take_fd);
	if (err) {
		kr_buffer_unref(b);
		return err;
	}
	*buffer = b;
	return 0;
}

KR_PRIVATE int
kr_buffer_from_any(void *any, struct kr_buffer **buffer)
{
	const native_handle_t *handle = kr_buffer_any_handle(any);
	struct kr_buffer *own = kr_buffer_from_native(any);

	if (!handle)
		return -EINVAL;
	if (!own)
		return import(handle, true, buffer);
	*buffer = kr_buffer_ref(own);
	return 0;
}

/* The handle as another copy of the library takes it in. */
static int
import_by(__typeof__(AHardwareBuffer_createFromHandle) *create, struct kr_buffer *buffer,
	ANativeWindowBuffer **native)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	const AHardwareBuffer_Desc desc = {
		.width = info->desc.width,
		.height = info->desc.height,
		.layers = info->desc.layers,
		.format = info->desc.format,
		.usage = info->desc.usage,
		.stride = info->stride,
	};
	AHardwareBuffer *made;
	int err = create(&desc, kr_buffer_handle(buffer),
		AHARDWAREBUFFER_CREATE_FROM_HANDLE_METHOD_CLONE, &made);

	if (!err)
		*native = (ANativeWindowBuffer *)(void *)made;
	return err;
}

int
kr_buffer_hand_out(struct kr_buffer *buffer, ANativeWindowBuffer **native)
{
	__typeof__(AHardwareBuffer_createFromHandle) *create;
	void *found = dlsym(RTLD_DEFAULT, "AHardwareBuffer_createFromHandle");

	memcpy(&create, &found, sizeof(create));
	/* Another platform's, of the same name, knows none of our handles. */
	if (create && create != AHardwareBuffer_createFromHandle &&
		dlsym(RTLD_DEFAULT, "krafla_hardware_buffer_from_dma_buf"))
		return import_by(create, buffer, native);
	*native = kr_buffer_native(kr_buffer_ref(buffer));
	return 0;
}
