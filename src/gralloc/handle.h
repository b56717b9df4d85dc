/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native_handle_t as this room uses it: the generic functions behind <krafla/native_handle.h>, and
 * the integers that a buffer's handle carries. The public names only wrap these, so that nothing in
 * a library ever calls an application's function of the same name.
 */
#ifndef KR_GRALLOC_HANDLE_H
#define KR_GRALLOC_HANDLE_H

#include <stddef.h>
#include <krafla/native_handle.h>
#include "gralloc/buffer.h"
#include "gralloc/gpu_memory.h"
#include "util/macros.h"

#define KR_HANDLE_MAGIC   0x4b524246 /* "KRBF" */
#define KR_HANDLE_VERSION 1          /* memory of CPUs alone: one descriptor */
/*
 * Memory of a GPU, too: descriptors [of the CPU's face] [of the GPU's], as far as there are such;
 * behind the integers of version 1 the words of gpu_memory.h.
 */
#define KR_HANDLE_VERSION_GPU 2

/* The integers after the descriptors, in this order; 64-bit values low half first. */
enum kr_handle_int {
	KR_HANDLE_INT_MAGIC,
	KR_HANDLE_INT_VERSION,
	KR_HANDLE_INT_BACKEND,
	KR_HANDLE_INT_WIDTH,
	KR_HANDLE_INT_HEIGHT,
	KR_HANDLE_INT_LAYERS,
	KR_HANDLE_INT_STRIDE,
	KR_HANDLE_INT_FORMAT,
	KR_HANDLE_INT_USAGE,
	KR_HANDLE_INT_MODIFIER = KR_HANDLE_INT_USAGE + 2,
	KR_HANDLE_INT_SIZE = KR_HANDLE_INT_MODIFIER + 2,
	KR_HANDLE_INT_ID = KR_HANDLE_INT_SIZE + 2,
	KR_HANDLE_INTS = KR_HANDLE_INT_ID + 2,
};
/* Of version 1. */
#define KR_HANDLE_FDS 1

#define KR_HANDLE_MAX_FDS  2
#define KR_HANDLE_MAX_INTS (KR_HANDLE_INTS + KR_GPU_MEMORY_WORDS)

/* A handle with room for one buffer of either version; `native` is what others see. */
struct kr_handle {
	union {
		native_handle_t native;
		int words[3 + KR_HANDLE_MAX_FDS + KR_HANDLE_MAX_INTS];
	};
};

/* Writes what `info` says, its descriptors included (borrowed). */
void kr_handle_encode(struct kr_handle *handle, const struct kr_buffer_info *info);
/*
 * Reads and checks the integers alone: shape, magic, sizes, for buffers of every kind. The
 * descriptors aren't looked at.
 * `gpu` gets what info->gpu then points to. -EINVAL.
 */
int kr_handle_decode(const native_handle_t *handle, struct kr_buffer_info *info,
	struct kr_gpu_memory *gpu) KR_MUST_CHECK;
/* What `modifier` says of a buffer whose memory is a GPU's alone. */
uint64_t kr_handle_gpu_modifier(const struct kr_gpu_memory *memory);

/* As native_handle_init, _create, _close, _delete, _clone; 0 or -errno. */
int kr_handle_init(void *storage, int fds, int ints, native_handle_t **handle) KR_MUST_CHECK;
int kr_handle_create(int fds, int ints, native_handle_t **handle) KR_MUST_CHECK;
int kr_handle_close(const native_handle_t *handle);
int kr_handle_delete(native_handle_t *handle);
int kr_handle_clone(const native_handle_t *handle, native_handle_t **clone) KR_MUST_CHECK;

#endif
