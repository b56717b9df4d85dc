/* SPDX-License-Identifier: Apache-2.0 */
/* Handles: create, clone, close; what a buffer's handle says, written and read back with checks. */
#include "gralloc/handle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gralloc/backends.h"
#include "gralloc/format.h"
#include "util/fd.h"

_Static_assert(sizeof(native_handle_t) == 12, "native_handle_t");

static void
put64(int *at, uint64_t value)
{
	at[0] = (int)(uint32_t)value;
	at[1] = (int)(uint32_t)(value >> 32);
}

static uint64_t
get64(const int *at)
{
	return (uint32_t)at[0] | (uint64_t)(uint32_t)at[1] << 32;
}

void
kr_handle_encode(struct kr_handle *handle, const struct kr_buffer_info *info)
{
	int fds = 0, *ints;

	if (info->backend != KR_BUFFER_GPU)
		handle->words[3 + fds++] = info->fd;
	if (info->gpu)
		handle->words[3 + fds++] = info->gpu_fd;
	handle->native.version = sizeof(native_handle_t);
	handle->native.numFds = fds;
	handle->native.numInts = info->gpu ? KR_HANDLE_MAX_INTS : KR_HANDLE_INTS;
	ints = handle->words + 3 + fds;
	ints[KR_HANDLE_INT_MAGIC] = KR_HANDLE_MAGIC;
	ints[KR_HANDLE_INT_VERSION] = info->gpu ? KR_HANDLE_VERSION_GPU : KR_HANDLE_VERSION;
	ints[KR_HANDLE_INT_BACKEND] = (int)info->backend;
	ints[KR_HANDLE_INT_WIDTH] = (int)info->desc.width;
	ints[KR_HANDLE_INT_HEIGHT] = (int)info->desc.height;
	ints[KR_HANDLE_INT_LAYERS] = (int)info->desc.layers;
	ints[KR_HANDLE_INT_STRIDE] = (int)info->stride;
	ints[KR_HANDLE_INT_FORMAT] = (int)info->desc.format;
	put64(ints + KR_HANDLE_INT_USAGE, info->desc.usage);
	put64(ints + KR_HANDLE_INT_MODIFIER, info->modifier);
	put64(ints + KR_HANDLE_INT_SIZE, info->size);
	put64(ints + KR_HANDLE_INT_ID, info->id);
	if (info->gpu)
		kr_buffer_gpu_encode(ints + KR_HANDLE_INTS, info->gpu);
}

uint64_t
kr_handle_gpu_modifier(const struct kr_gpu_memory *memory)
{
	return memory->kind == KR_GPU_DMA_BUF ? memory->modifier : KR_BUFFER_MODIFIER_NONE;
}

/*
 * The stride is the sender's choice as long as every row fits, rows start on 64 bytes (lavapipe
 * stores aligned vectors) and blocks of 4 x 4 pixels stay inside (docs/buffers.md, "Rows"). Layers
 * follow one another. Height and layers have passed kr_buffer_check_shared: nothing overflows.
 */
static bool
layout_fits(const struct kr_buffer_info *info)
{
	uint32_t format = info->desc.format;
	uint64_t row_bytes = (uint64_t)info->stride * kr_format_pixel_bytes(format), all;

	if (row_bytes > INT32_MAX)
		return false;
	all = kr_format_size(format, (uint32_t)row_bytes, info->desc.height) * info->desc.layers;
	return info->stride >= info->desc.width && row_bytes % kr_format_row_align(format) == 0 &&
		info->size % KR_BUFFER_PAGE == 0 && info->size <= KR_BUFFER_MAX_SIZE &&
		all <= info->size;
}

/* The integers that both versions have, unchecked. */
static void
read_ints(const int *ints, struct kr_buffer_info *info)
{
	info->backend = (enum kr_buffer_backend)ints[KR_HANDLE_INT_BACKEND];
	info->desc.width = (uint32_t)ints[KR_HANDLE_INT_WIDTH];
	info->desc.height = (uint32_t)ints[KR_HANDLE_INT_HEIGHT];
	info->desc.layers = (uint32_t)ints[KR_HANDLE_INT_LAYERS];
	info->desc.format = (uint32_t)ints[KR_HANDLE_INT_FORMAT];
	info->desc.usage = get64(ints + KR_HANDLE_INT_USAGE);
	info->stride = (uint32_t)ints[KR_HANDLE_INT_STRIDE];
	info->modifier = get64(ints + KR_HANDLE_INT_MODIFIER);
	info->size = get64(ints + KR_HANDLE_INT_SIZE);
	info->id = get64(ints + KR_HANDLE_INT_ID);
}

/* The CPU's face; with one of a GPU beside it, both are of one picture. */
static int
check_cpu(struct kr_buffer_info *info, bool has_gpu)
{
	int err = has_gpu ? kr_buffer_check(&info->desc) : kr_buffer_check_shared(&info->desc);

	if (err || info->modifier != 0 || !layout_fits(info))
		return -EINVAL;
	info->row_bytes = info->stride * kr_format_pixel_bytes(info->desc.format);
	return 0;
}

/* That of a GPU; where it is alone, the integers of the CPU's say what it is. */
static int
read_gpu(const int *words, struct kr_buffer_info *info, struct kr_gpu_memory *gpu)
{
	if (kr_buffer_gpu_decode(words, gpu) || kr_buffer_gpu_check_desc(gpu, &info->desc))
		return -EINVAL;
	info->gpu = gpu;
	if (info->backend != KR_BUFFER_GPU)
		return 0;
	return kr_buffer_check_form(&info->desc) ||
			info->stride != kr_buffer_gpu_stride(gpu, info->desc.format) ||
			info->size != gpu->allocation_size ||
			info->modifier != kr_handle_gpu_modifier(gpu)
		? -EINVAL
		: 0;
}

/* As many descriptors and integers as its version has, whose magic and backend are known. */
static bool
has_shape(const native_handle_t *handle, int version)
{
	bool gpu = version == KR_HANDLE_VERSION_GPU;
	const int *ints = handle->data + handle->numFds;
	int backend, fds;

	if (handle->numInts != (gpu ? KR_HANDLE_MAX_INTS : KR_HANDLE_INTS))
		return false;
	backend = ints[KR_HANDLE_INT_BACKEND];
	fds = (backend != KR_BUFFER_GPU) + gpu;
	return ints[KR_HANDLE_INT_MAGIC] == KR_HANDLE_MAGIC &&
		ints[KR_HANDLE_INT_VERSION] == version && handle->numFds == fds &&
		((gpu && backend == KR_BUFFER_GPU) || kr_buffer_impl_from_backend(backend));
}

int
kr_handle_decode(
	const native_handle_t *handle, struct kr_buffer_info *info, struct kr_gpu_memory *gpu)
{
	struct kr_buffer_info read = {.fd = -1, .gpu_fd = -1};
	const int *ints;
	bool has_gpu;
	int err = 0;

	if (!handle || handle->version != sizeof(native_handle_t) || handle->numFds < 1 ||
		handle->numFds > KR_HANDLE_MAX_FDS)
		return -EINVAL;
	has_gpu = has_shape(handle, KR_HANDLE_VERSION_GPU);
	if (!has_gpu && !has_shape(handle, KR_HANDLE_VERSION))
		return -EINVAL;
	ints = handle->data + handle->numFds;
	read_ints(ints, &read);
	if (read.backend != KR_BUFFER_GPU) {
		read.fd = handle->data[0];
		err = check_cpu(&read, has_gpu);
	}
	if (!err && has_gpu) {
		read.gpu_fd = handle->data[handle->numFds - 1];
		err = read_gpu(ints + KR_HANDLE_INTS, &read, gpu);
	}
	if (!err)
		*info = read;
	return err;
}

static bool
are_counts(int fds, int ints)
{
	return fds >= 0 && ints >= 0 && fds <= NATIVE_HANDLE_MAX_FDS &&
		ints <= NATIVE_HANDLE_MAX_INTS;
}

int
kr_handle_init(void *storage, int fds, int ints, native_handle_t **handle)
{
	native_handle_t *h = storage;

	if (!h || (uintptr_t)h % _Alignof(native_handle_t) || !are_counts(fds, ints))
		return -EINVAL;
	h->version = sizeof(native_handle_t);
	h->numFds = fds;
	h->numInts = ints;
	*handle = h;
	return 0;
}

int
kr_handle_create(int fds, int ints, native_handle_t **handle)
{
	void *storage;

	if (!are_counts(fds, ints))
		return -EINVAL;
	storage = malloc(sizeof(native_handle_t) + sizeof(int) * (size_t)(fds + ints));
	return storage ? kr_handle_init(storage, fds, ints, handle) : -ENOMEM;
}

int
kr_handle_close(const native_handle_t *handle)
{
	if (!handle)
		return 0;
	if (handle->version != sizeof(native_handle_t) ||
		!are_counts(handle->numFds, handle->numInts))
		return -EINVAL;
	for (int i = 0; i < handle->numFds; i++) {
		int fd = handle->data[i];

		kr_fd_close(&fd);
	}
	return 0;
}

int
kr_handle_delete(native_handle_t *handle)
{
	if (!handle)
		return 0;
	if (handle->version != sizeof(native_handle_t))
		return -EINVAL;
	free(handle);
	return 0;
}

int
kr_handle_clone(const native_handle_t *handle, native_handle_t **clone)
{
	native_handle_t *h;
	int err, i;

	if (!handle || handle->version != sizeof(native_handle_t))
		return -EINVAL;
	err = kr_handle_create(handle->numFds, handle->numInts, &h);
	if (err)
		return err;
	for (i = 0; i < handle->numFds; i++) {
		err = handle->data[i] < 0 ? -EBADF : kr_fd_dup(handle->data[i], &h->data[i]);
		if (err)
			goto err_close;
	}
	memcpy(h->data + h->numFds, handle->data + handle->numFds,
		sizeof(int) * (size_t)handle->numInts);
	*clone = h;
	return 0;

err_close:
	h->numFds = i;
	kr_handle_close(h);
	free(h);
	return err;
}
