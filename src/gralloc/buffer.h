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
};
#define KR_BUFFER_BACKENDS 3

/* What a handle says, after it has been checked against its descriptor. */
struct kr_buffer_info {
	struct kr_buffer_desc desc;
	enum kr_buffer_backend backend;
	int fd;             /* borrowed from the handle */
	uint32_t stride;    /* pixels */
	uint32_t row_bytes; /* stride in bytes */
	uint64_t size;      /* bytes, a multiple of the page size */
	uint64_t modifier;  /* DRM format modifier; 0 linear */
	uint64_t id;        /* unique in the producing process */
};

/*
 * Allocates. -EINVAL for a description that is malformed, -EOPNOTSUPP for one that is well formed
 * and can't be had (format, usage, layers), -ENODEV when KRAFLA_BUFFERS demands memory that can't
 * be had, -ENOMEM, -EMFILE...
 */
int kr_buffer_allocate(const struct kr_buffer_desc *desc, struct kr_buffer **buffer) KR_MUST_CHECK;
/* Whether kr_buffer_allocate would accept the description: 0, -EINVAL or -EOPNOTSUPP. */
int kr_buffer_check(const struct kr_buffer_desc *desc);
/*
 * A buffer of this process over the memory that a handle names. The handle and its descriptors stay
 * the caller's (they are duplicated). Nothing in the handle is trusted: counts, magic, sizes,
 * seals, that a dma-buf is one. -EINVAL when it lies, -EPERM when its memory isn't sealed against
 * resizing.
 */
int kr_buffer_import(const native_handle_t *handle, struct kr_buffer **buffer) KR_MUST_CHECK;

struct kr_buffer *kr_buffer_ref(struct kr_buffer *buffer);
/* NULL is nothing. The last reference unmaps and closes. */
void kr_buffer_unref(struct kr_buffer *buffer);

const native_handle_t *kr_buffer_handle(const struct kr_buffer *buffer); /* borrowed */
const struct kr_buffer_info *kr_buffer_get_info(const struct kr_buffer *buffer);
ANativeWindowBuffer *kr_buffer_native(struct kr_buffer *buffer);
/*
 * The buffer behind an ANativeWindowBuffer of this very library copy, else NULL (another copy's, or
 * foreign: use its handle).
 */
struct kr_buffer *kr_buffer_from_native(ANativeWindowBuffer *native);

/*
 * The whole buffer mapped shared, read and write; cached in the buffer, valid until its last unref.
 */
int kr_buffer_map(struct kr_buffer *buffer, void **data) KR_MUST_CHECK;
/*
 * Maps a memfd, whose mapping needs no descriptor, and closes its own; a dma-buf keeps it.
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
 * memfd, which holds none.
 */
int kr_buffer_export_fence(
	const struct kr_buffer_info *info, enum kr_dma_buf_access access, int *fence) KR_MUST_CHECK;
int kr_buffer_import_fence(
	const struct kr_buffer_info *info, enum kr_dma_buf_access access, int fence) KR_MUST_CHECK;

/*
 * What KRAFLA_BUFFERS may be, for messages, and whether a word is one of these; NULL,
 * for unset, is.
 */
#define KR_BUFFER_WORDS "auto, memfd, udmabuf, dma-heap"
bool kr_buffer_word_is_known(const char *word);

/* "memfd", "udmabuf", "dma-heap"; "unknown". */
const char *kr_buffer_backend_name(enum kr_buffer_backend backend);
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
 * first. 0, -EINVAL, -EPERM as for kr_buffer_import.
 */
int kr_buffer_info_from_handle(const native_handle_t *handle, struct kr_buffer_info *info)
	KR_MUST_CHECK;

/* Bytes of a pixel, 0 for a format that is unknown here. */
uint32_t kr_format_bytes(uint32_t format);
/*
 * The row pitch in bytes and the size that buffers of a format get: lavapipe's own rule, so that
 * its import is zero-copy: pitch = align(align(w, 4) * bytes, 64), size = pitch * align(h, 4) up to
 * a page.
 */
int kr_format_layout(uint32_t format, uint32_t width, uint32_t height, uint32_t *row_bytes,
	uint64_t *size) KR_MUST_CHECK;

#endif
