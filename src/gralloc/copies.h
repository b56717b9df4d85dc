/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers of other copies of this room in the process: libvulkan.so.1 and libkrafla.so.0 have one
 * each, and an AHardwareBuffer of one is handed to the other. Each works on buffers of all by a
 * table of functions, which a buffer carries right behind its ANativeWindowBuffer; the private
 * layout of a copy stays its own, whatever version it is of.
 *
 * That a table is there says a mark: reserved[0] of the buffer's base, made of its address. An
 * AHardwareBuffer pointer and an ANativeWindowBuffer pointer are the same here.
 */
#ifndef KR_GRALLOC_COPIES_H
#define KR_GRALLOC_COPIES_H

#include <stddef.h>
#include <stdint.h>
#include <krafla/native_window.h>
#include "gralloc/buffer.h"

#define KR_BUFFER_FUNCTIONS_MAGIC 0x4b524654 /* "KRFT" */
#define KR_BUFFER_FUNCTIONS_MARK  UINT64_C(0x4b72427546754d61)

/*
 * The table. New members come last; `size` says which there are, in bytes. What each answers is
 * what the function of buffer.h with that name does.
 */
struct kr_buffer_functions {
	uint32_t magic;
	uint32_t size;
	int (*get_id)(const ANativeWindowBuffer *native, uint64_t *id);
	int (*lock)(ANativeWindowBuffer *native, int access, int64_t deadline_ns, void **data);
	int (*unlock)(ANativeWindowBuffer *native);
	int (*export_fence)(const ANativeWindowBuffer *native, int access, int *fence);
	int (*import_fence)(const ANativeWindowBuffer *native, int access, int fence);
	/* `words`: gpu_memory.h. The descriptor is taken, also on failure. */
	int (*attach_gpu)(
		ANativeWindowBuffer *native, const int *words, uint32_t count, int take_fd);
	/* `size`: of the struct as the caller knows it. */
	int (*get_planes)(
		const ANativeWindowBuffer *native, struct kr_buffer_planes *planes, uint32_t size);
	int (*get_layer_bytes)(const ANativeWindowBuffer *native, uint64_t *bytes);
	int32_t (*get_data_space)(const ANativeWindowBuffer *native);
	void (*set_data_space)(ANativeWindowBuffer *native, int32_t data_space);
};

static inline void *
kr_buffer_mark(const ANativeWindowBuffer *native)
{
	return (void *)((uintptr_t)native ^ (uintptr_t)KR_BUFFER_FUNCTIONS_MARK);
}

/* Of this copy's buffers. */
extern const struct kr_buffer_functions kr_buffer_own_functions;
/*
 * The table of whatever copy's buffer this is, with all members above; NULL when it is none, or one
 * of a copy that lacks some.
 */
const struct kr_buffer_functions *kr_buffer_functions_of(const void *any);

#endif
