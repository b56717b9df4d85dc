/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers of pixels that cross processes (DESIGN 5.4). One reference-counted object, which is at
 * the same time the ANativeWindowBuffer that windows hand out and the AHardwareBuffer of the public
 * API; a native_handle_t describes it to another process or another copy of this library.
 *
 * Thread-safety: every function may be called from any thread; the pixels are the users' affair.
 */
#ifndef KR_GRALLOC_BUFFER_H
#define KR_GRALLOC_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <krafla/native_window.h>
#include "sync/kernel/dma_buf.h"
#include "util/macros.h"

struct kr_buffer;
struct kr_gpu_memory;

struct kr_buffer_desc {
	uint32_t width;
	uint32_t height;
	uint32_t layers;
	uint32_t format; /* AHARDWAREBUFFER_FORMAT_* */
	uint64_t usage;  /* AHARDWAREBUFFER_USAGE_* */
};

/* Where the memory comes from (backends.h). The numbers travel in handles. */
enum kr_buffer_backend {
	KR_BUFFER_MEMFD = 1,    /* sealed memfd; tier 0 */
	KR_BUFFER_UDMABUF = 2,  /* a dma-buf over a memfd's pages */
	KR_BUFFER_DMA_HEAP = 3, /* a dma-buf of the kernel's system heap */
	KR_BUFFER_GPU = 4,      /* of a GPU alone: no CPU reaches it */
};
/* Those with memory of CPUs. */
#define KR_BUFFER_BACKENDS 3

/* Rows of an order that its driver alone knows, which aren't a CPU's (DRM_FORMAT_MOD_INVALID). */
#define KR_BUFFER_MODIFIER_NONE ((UINT64_C(1) << 56) - 1)

/*
 * What a handle says, after it has been checked against its descriptors. The first part is of the
 * CPU's face; where the backend is KR_BUFFER_GPU there is none: `fd` -1, no row_bytes, and size,
 * modifier and stride (0: none) are the GPU's memory's.
 */
struct kr_buffer_info {
	struct kr_buffer_desc desc;
	enum kr_buffer_backend backend;
	int fd;             /* borrowed from the handle */
	uint32_t stride;    /* pixels */
	uint32_t row_bytes; /* stride in bytes */
	uint64_t size;      /* bytes; of CPUs' memory a multiple of the page size */
	uint64_t modifier;  /* DRM format modifier; 0 linear */
	uint64_t id;        /* unique in the producing process */
	/* The GPU's face (gpu_memory.h); NULL none. It lives as long as the buffer. */
	const struct kr_gpu_memory *gpu;
	int gpu_fd; /* borrowed; -1 none */
};

/*
 * Allocates memory of CPUs, or, where that can't be had, what kr_buffer_set_gpu_allocator's
 * gives. -EINVAL for a description that is malformed, -EOPNOTSUPP for one that is well formed and
 * can't be had (format, usage, layers), -ENODEV when KRAFLA_BUFFERS demands memory that can't
 * be had, -ENOMEM, -EMFILE...
 */
int kr_buffer_allocate(const struct kr_buffer_desc *desc, struct kr_buffer **buffer) KR_MUST_CHECK;
/*
 * Whether memory of CPUs can be had for the description, of which windows, drivers and displays
 * can make a picture: 0, -EINVAL or -EOPNOTSUPP.
 */
int kr_buffer_check(const struct kr_buffer_desc *desc);
/* The same for a picture that windows and displays show: -EOPNOTSUPP for other formats, too. */
int kr_buffer_check_shown(const struct kr_buffer_desc *desc);
/* Whether the description is well formed, whatever can be had here: 0 or -EINVAL. */
int kr_buffer_check_form(const struct kr_buffer_desc *desc);
/*
 * The same as kr_buffer_allocate for a buffer that isn't a window's. With CPU bits it may be what a
 * program alone makes something of (kr_buffer_is_of_cpus_alone). With KRAFLA_BUFFERS=gpu one that
 * GPUs use and processors don't is a GPU's memory, or -ENODEV. `buffer` NULL: whether there would
 * be one.
 */
int kr_buffer_allocate_shared(const struct kr_buffer_desc *desc, struct kr_buffer **buffer)
	KR_MUST_CHECK;
/* Whether memory of CPUs can be had for such a buffer, as kr_buffer_check. */
int kr_buffer_check_shared(const struct kr_buffer_desc *desc);
/* Why it can't, as the end of a sentence; NULL: it can. */
const char *kr_buffer_why_not(const struct kr_buffer_desc *desc);
/*
 * Who is asked for buffers that memory of CPUs can't be, for the whole process; NULL nobody. What
 * it answers is kr_buffer_allocate's answer. `buffer` NULL: whether it would, and nothing is made.
 */
typedef int (*kr_buffer_gpu_allocate_fn)(
	const struct kr_buffer_desc *desc, struct kr_buffer **buffer);
void kr_buffer_set_gpu_allocator(kr_buffer_gpu_allocate_fn allocator);
/*
 * A buffer of this process over the memory that a handle names. The handle and its descriptors stay
 * the caller's (they are duplicated). Nothing in the handle is trusted: counts, magic, sizes,
 * seals, that a dma-buf is one. -EINVAL when it lies, or its memory of CPUs is what
 * kr_buffer_check refuses; -EPERM when its memory isn't sealed against resizing.
 */
int kr_buffer_import(const native_handle_t *handle, struct kr_buffer **buffer) KR_MUST_CHECK;
/* The same of what kr_buffer_allocate_shared makes. */
int kr_buffer_import_shared(const native_handle_t *handle, struct kr_buffer **buffer) KR_MUST_CHECK;

/*
 * Memory of a GPU behind a buffer: beside the memory that it has, or, as a buffer of its own,
 * alone. `memory` is copied; the descriptor is taken, also on failure. From then on the handle is
 * one of version 2; what kr_buffer_handle and kr_buffer_get_info answered before stays as it was
 * until the last unref. -EINVAL it isn't memory that a buffer of this description can have;
 * -EEXIST it has such; -ENOMEM.
 */
int kr_buffer_attach_gpu(struct kr_buffer *buffer, const struct kr_gpu_memory *memory, int take_fd)
	KR_MUST_CHECK;
int kr_buffer_from_gpu(const struct kr_buffer_desc *desc, const struct kr_gpu_memory *memory,
	int take_fd, struct kr_buffer **buffer) KR_MUST_CHECK;

struct kr_buffer *kr_buffer_ref(struct kr_buffer *buffer);
/* NULL is nothing. The last reference unmaps and closes. */
void kr_buffer_unref(struct kr_buffer *buffer);

const native_handle_t *kr_buffer_handle(const struct kr_buffer *buffer); /* borrowed */
/* Version 1, of the CPU's face alone, for who knows no other; NULL where there is none. */
const native_handle_t *kr_buffer_cpu_handle(const struct kr_buffer *buffer);
const struct kr_buffer_info *kr_buffer_get_info(const struct kr_buffer *buffer);
/*
 * Whether a program alone makes something of it: memory of CPUs with several layers, a cube map,
 * depth or stencil. Drivers, composers and importers of other APIs refuse it.
 */
bool kr_buffer_is_of_cpus_alone(const struct kr_buffer_info *info);
/*
 * What the numbers of its pixels mean, as who has the AHardwareBuffer said: HAL_DATASPACE_*, 0 at
 * first. Of this object alone: no part of the handle; transfer.h carries it to other processes.
 */
int32_t kr_buffer_data_space(const struct kr_buffer *buffer);
void kr_buffer_set_data_space(struct kr_buffer *buffer, int32_t data_space);
/*
 * A number of the queue's, which nothing in this room reads. 0 at first. Of this object alone: it
 * is no part of the handle, and an import has its own.
 */
uint32_t kr_buffer_generation(const struct kr_buffer *buffer);
void kr_buffer_set_generation(struct kr_buffer *buffer, uint32_t generation);
ANativeWindowBuffer *kr_buffer_native(struct kr_buffer *buffer);
/*
 * The buffer behind an ANativeWindowBuffer of this very library copy, else NULL (another copy's, or
 * foreign: use its handle).
 */
struct kr_buffer *kr_buffer_from_native(ANativeWindowBuffer *native);
/*
 * For an AHardwareBuffer or ANativeWindowBuffer of whatever copy of the library in this process
 * (copies.h). A buffer of this copy over the same memory, with a reference: itself, or an
 * import. It may be one of CPUs alone. -EINVAL it is none; errors of kr_buffer_import_shared.
 */
int kr_buffer_from_any(void *any, struct kr_buffer **buffer) KR_MUST_CHECK;
/*
 * A buffer that a program may keep when this copy of the library is unloaded (libvulkan.so.1):
 * one of libkrafla's copy over the same memory, where the program has that, else the buffer itself.
 * With a reference. Errors of kr_buffer_import.
 */
int kr_buffer_hand_out(struct kr_buffer *buffer, ANativeWindowBuffer **native) KR_MUST_CHECK;
/* Its handle, borrowed; NULL it is none. */
const native_handle_t *kr_buffer_any_handle(const void *any);
/* References to the buffer itself; nothing happens to what is none. */
void kr_buffer_any_ref(void *any);
void kr_buffer_any_unref(void *any);
/* kr_buffer_attach_gpu on the buffer itself. -EINVAL it is none. */
int kr_buffer_any_attach_gpu(
	ANativeWindowBuffer *native, const struct kr_gpu_memory *memory, int take_fd) KR_MUST_CHECK;

/*
 * What a program has of others (a camera, another API): memory of a GPU alone, which this process
 * maps all the same where CPU bits of the usage ask for it and the dma-buf lets it. In other
 * processes, which get its handle, it isn't mapped: what becomes of a mapping is its exporter's
 * affair. The descriptor is taken, also on failure. As kr_buffer_from_gpu; -EPERM it can't be
 * written; -EOPNOTSUPP it can't be mapped.
 */
int kr_buffer_from_dma_buf(const struct kr_buffer_desc *desc, const struct kr_gpu_memory *memory,
	int take_fd, struct kr_buffer **buffer) KR_MUST_CHECK;

/*
 * The whole buffer mapped shared, read and write; cached in the buffer, valid until its last unref.
 * -EOPNOTSUPP a GPU has it alone. A dma-buf of somebody else's is writable as its usage says.
 */
int kr_buffer_map(struct kr_buffer *buffer, void **data) KR_MUST_CHECK;
/*
 * Maps a memfd, whose mapping needs no descriptor, and closes its own; what else there is keeps it.
 * The handle of one that was closed names no memory any more: for readers alone, before
 * anybody else has the buffer.
 */
int kr_buffer_map_alone(struct kr_buffer *buffer) KR_MUST_CHECK;
/*
 * The same, counted, for one use by the CPU as kr_buffer_begin_cpu has it: what
 * AHardwareBuffer_lock gives until _unlock. -EINVAL when nothing is locked; -ETIME.
 */
int kr_buffer_lock(struct kr_buffer *buffer, enum kr_dma_buf_access access, int64_t deadline_ns,
	void **data) KR_MUST_CHECK;
int kr_buffer_unlock(struct kr_buffer *buffer) KR_MUST_CHECK;

/*
 * Around each use of a mapping by the CPU, where the buffer is a dma-buf; nothing to do for a
 * memfd, which no device reaches. Begin waits until `deadline_ns` for the fences that others have
 * put into the dma-buf and then lets the CPU see what devices wrote: 0; -ETIME; -errno. A fence in
 * error is done. (The kernel would wait without a limit. It still does for who gets a fence in
 * between the two; a kernel's fence ends by itself.) End may be told of more access than begin was.
 */
int kr_buffer_begin_cpu(const struct kr_buffer_info *info, enum kr_dma_buf_access access,
	int64_t deadline_ns) KR_MUST_CHECK;
void kr_buffer_end_cpu(const struct kr_buffer_info *info, enum kr_dma_buf_access access);
/*
 * The fences inside a dma-buf, as sync/kernel/dma_buf.h has them; -EOPNOTSUPP for a
 * memfd, which holds none, and for a GPU's memory that is no dma-buf.
 */
int kr_buffer_export_fence(
	const struct kr_buffer_info *info, enum kr_dma_buf_access access, int *fence) KR_MUST_CHECK;
int kr_buffer_import_fence(
	const struct kr_buffer_info *info, enum kr_dma_buf_access access, int fence) KR_MUST_CHECK;

/*
 * What KRAFLA_BUFFERS may be, for messages, and whether a word is one of these; NULL,
 * for unset, is.
 */
#define KR_BUFFER_WORDS "auto, memfd, udmabuf, dma-heap, gpu"
bool kr_buffer_word_is_known(const char *word);
/* KRAFLA_BUFFERS is "gpu": memory of CPUs is `auto`'s, for what wants it. */
bool kr_buffer_gpu_is_wanted(void);

/* "memfd", "udmabuf", "dma-heap", "gpu"; "unknown". */
const char *kr_buffer_backend_name(enum kr_buffer_backend backend);
/* Whether the CPU's face is one. */
bool kr_buffer_backend_is_dma_buf(enum kr_buffer_backend backend);

struct kr_buffer_backend_state {
	enum kr_buffer_backend backend;
	char node[PATH_MAX]; /* the device that it needs; empty: none */
	int error;           /* 0, or why it gives no memory, -errno */
	bool chosen;         /* what the next buffer is made of */
};
/*
 * Tries each by allocating a page; best first. What KRAFLA_BUFFERS says now counts for `chosen`;
 * that it is no word of KR_BUFFER_WORDS isn't told.
 */
void kr_buffer_backends_ask(struct kr_buffer_backend_state states[KR_BUFFER_BACKENDS]);

/*
 * Reads and checks a handle without taking anything from it; what the adapter and a receiver do
 * first. 0, -EINVAL, -EPERM as for kr_buffer_import. Of a GPU's face only the descriptor is told:
 * info->gpu is NULL.
 */
int kr_buffer_info_from_handle(const native_handle_t *handle, struct kr_buffer_info *info)
	KR_MUST_CHECK;

/*
 * Bytes of a pixel; of the first plane's where there are several; 0 for a format that is unknown
 * here, and for depth and stencil, of which nobody here makes a picture.
 */
uint32_t kr_format_bytes(uint32_t format);
/* Whether windows, layers and displays show it. */
bool kr_format_is_shown(uint32_t format);
/*
 * The row pitch in bytes and the size that buffers of a format get: lavapipe's own rule, so that
 * its import is zero-copy: pitch = align(align(w, 4) * bytes, 64), size = pitch * align(h, 4) up to
 * a page. A format of two planes has the second, of pairs Cb Cr, behind the first, with the same
 * pitch. A BLOB is `width` bytes. -EINVAL a size of 0; -EOPNOTSUPP a format without
 * kr_format_bytes, or it is too large.
 */
int kr_format_layout(uint32_t format, uint32_t width, uint32_t height, uint32_t *row_bytes,
	uint64_t *size) KR_MUST_CHECK;

/*
 * Where planes lie, from the beginning of the memory: of the CPU's face, or of a GPU's that lies in
 * rows. Of YCbCr the first is Y; of two the second is Cb and Cr in turn, of three each is one.
 */
struct kr_buffer_plane {
	uint64_t offset;
	uint32_t row_bytes;
	uint32_t pixel_bytes; /* from one to the next */
};
struct kr_buffer_planes {
	uint32_t count;
	struct kr_buffer_plane plane[3];
};
/* Of the first layer. -EOPNOTSUPP: its driver alone knows. */
int kr_buffer_get_planes(const struct kr_buffer_info *info, struct kr_buffer_planes *planes);
/* From a layer's beginning to the next's, in memory of CPUs; 0: it has none. */
uint64_t kr_buffer_layer_bytes(const struct kr_buffer_info *info);

#endif
