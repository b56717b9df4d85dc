/* SPDX-License-Identifier: Apache-2.0 */
/* The buffer object, for the files of this room that make and change it. */
#ifndef KR_GRALLOC_OBJECT_H
#define KR_GRALLOC_OBJECT_H

#include <stdatomic.h>
#include "gralloc/buffer.h"
#include "gralloc/gpu_memory.h"
#include "gralloc/handle.h"

struct kr_buffer_functions;

/* What others see of a buffer that has memory of a GPU. Never changes once it is there. */
struct kr_buffer_gpu {
	struct kr_gpu_memory memory;
	struct kr_buffer_info info; /* both faces; owns info.gpu_fd */
	struct kr_handle handle;
};

struct kr_buffer {
	ANativeWindowBuffer native;                  /* first */
	const struct kr_buffer_functions *functions; /* behind it: copies.h */
	atomic_uint refs;
	struct kr_buffer_info info;          /* the CPU's face alone; owns info.fd */
	struct kr_handle handle;             /* version 1, of that */
	_Atomic(struct kr_buffer_gpu *) gpu; /* NULL until there is one; owned */
	_Atomic(void *) map;                 /* NULL until first asked for */
	int gpu_prot; /* how this process may map memory of a GPU alone (PROT_*); 0: not at all */
	atomic_uint locks; /* not unlocked yet */
	_Atomic int32_t data_space;
	_Atomic uint32_t generation; /* the queue's */
};

/* Unique among the buffers of this process. */
uint64_t kr_buffer_object_next_id(void);
/* A buffer of nothing yet, with one reference. -ENOMEM. */
int kr_buffer_object_create(struct kr_buffer **buffer) KR_MUST_CHECK;
/* Fills in what others see of a buffer whose info is complete. */
void kr_buffer_object_init(struct kr_buffer *buffer, const struct kr_buffer_info *info,
	const struct kr_buffer_functions *functions);
/*
 * What can be wrong with memory that this very process made: the same as with what comes from
 * elsewhere, and whoever gets the handle would find it. 0 or -EINVAL.
 */
int kr_buffer_gpu_check(const struct kr_gpu_memory *memory, const struct kr_buffer_desc *desc,
	int fd) KR_MUST_CHECK;
/*
 * Puts memory of a GPU to the buffer: `info` and `handle` of both. The descriptor is taken, also on
 * failure. -EEXIST there is one; -ENOMEM.
 */
int kr_buffer_object_add_gpu(struct kr_buffer *buffer, const struct kr_buffer_info *info,
	const struct kr_gpu_memory *memory, int take_fd) KR_MUST_CHECK;

#endif
