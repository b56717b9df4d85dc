/* SPDX-License-Identifier: Apache-2.0 */
/* Handles: create, clone, close; what a buffer's handle says, written and read back with checks. */
#include "gralloc/handle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gralloc/backends.h"
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
	int *ints = handle->words + 3 + KR_HANDLE_FDS;

	handle->native.version = sizeof(native_handle_t);
	handle->native.numFds = KR_HANDLE_FDS;
	handle->native.numInts = KR_HANDLE_INTS;
	handle->words[3] = info->fd;
	ints[KR_HANDLE_INT_MAGIC] = KR_HANDLE_MAGIC;
	ints[KR_HANDLE_INT_VERSION] = KR_HANDLE_VERSION;
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
}

/*
 * The stride is the sender's choice as long as every row fits, rows start on 64 bytes (lavapipe
 * stores aligned vectors) and blocks of 4 x 4 pixels stay inside (docs/buffers.md, "Rows").
 */
static bool
layout_fits(const struct kr_buffer_info *info)
{
	uint64_t row_bytes = (uint64_t)info->stride * kr_format_bytes(info->desc.format);
	uint64_t rows = ((uint64_t)info->desc.height + 3) & ~UINT64_C(3);

	return info->stride >= info->desc.width && row_bytes % KR_BUFFER_ROW_ALIGN == 0 &&
		row_bytes <= INT32_MAX && info->size % KR_BUFFER_PAGE == 0 &&
		info->size <= KR_BUFFER_MAX_SIZE && row_bytes * rows <= info->size;
}

int
kr_handle_decode(const native_handle_t *handle, struct kr_buffer_info *info)
{
	struct kr_buffer_info read = {0};
	const int *ints;

	if (!handle || handle->version != sizeof(native_handle_t) ||
		handle->numFds != KR_HANDLE_FDS || handle->numInts != KR_HANDLE_INTS)
		return -EINVAL;
	ints = handle->data + KR_HANDLE_FDS;
	if (ints[KR_HANDLE_INT_MAGIC] != KR_HANDLE_MAGIC ||
		ints[KR_HANDLE_INT_VERSION] != KR_HANDLE_VERSION ||
		!kr_buffer_impl_from_backend(ints[KR_HANDLE_INT_BACKEND]))
		return -EINVAL;
	read.backend = (enum kr_buffer_backend)ints[KR_HANDLE_INT_BACKEND];
	read.fd = handle->data[0];
	read.desc.width = (uint32_t)ints[KR_HANDLE_INT_WIDTH];
	read.desc.height = (uint32_t)ints[KR_HANDLE_INT_HEIGHT];
	read.desc.layers = (uint32_t)ints[KR_HANDLE_INT_LAYERS];
	read.desc.format = (uint32_t)ints[KR_HANDLE_INT_FORMAT];
	read.desc.usage = get64(ints + KR_HANDLE_INT_USAGE);
	read.stride = (uint32_t)ints[KR_HANDLE_INT_STRIDE];
	read.modifier = get64(ints + KR_HANDLE_INT_MODIFIER);
	read.size = get64(ints + KR_HANDLE_INT_SIZE);
	read.id = get64(ints + KR_HANDLE_INT_ID);
	if (kr_buffer_check(&read.desc) || read.modifier != 0 || !layout_fits(&read))
		return -EINVAL;
	read.row_bytes = read.stride * kr_format_bytes(read.desc.format);
	*info = read;
	return 0;
}

int
kr_handle_create(int fds, int ints, native_handle_t **handle)
{
	native_handle_t *h;

	if (fds < 0 || ints < 0 || fds > NATIVE_HANDLE_MAX_FDS || ints > NATIVE_HANDLE_MAX_INTS)
		return -EINVAL;
	h = malloc(sizeof(*h) + sizeof(int) * (size_t)(fds + ints));
	if (!h)
		return -ENOMEM;
	h->version = sizeof(native_handle_t);
	h->numFds = fds;
	h->numInts = ints;
	*handle = h;
	return 0;
}

int
kr_handle_close(const native_handle_t *handle)
{
	if (!handle)
		return 0;
	if (handle->version != sizeof(native_handle_t))
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
