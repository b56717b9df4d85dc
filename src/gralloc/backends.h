/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the memory of buffers comes from. A backend makes memory that is one descriptor and can't
 * be resized, and recognises such memory when somebody else claims to send it.
 *
 * Which one allocates: KRAFLA_BUFFERS. `auto`, the default, takes the first in this
 * order that gives memory:
 *
 *   dma-heap  a real dma-buf, made of few large pieces and mapped at once; any size
 *   udmabuf   a real dma-buf over a memfd, page by page; the kernel limits its size (64 MiB unless
 *             it is told otherwise)
 *   memfd     always there, but no device can use it: tier 0 (DESIGN 6)
 *
 * The two devices belong to root unless the system says otherwise, so most programs get memfds.
 */
#ifndef KR_GRALLOC_BACKENDS_H
#define KR_GRALLOC_BACKENDS_H

#include <stdbool.h>
#include <stdint.h>
#include "gralloc/buffer.h"
#include "util/macros.h"

#define KR_BUFFER_PAGE       4096
#define KR_BUFFER_ROW_ALIGN  64
#define KR_BUFFER_MAX_EXTENT 32768
#define KR_BUFFER_MAX_LAYERS 2048
/* Twice what the largest extent needs in the widest format. */
#define KR_BUFFER_MAX_SIZE (UINT64_C(16) << 30)

/* All required, callable from any thread, and free of waits. */
struct kr_buffer_impl {
	enum kr_buffer_backend backend;
	const char *name; /* as KRAFLA_BUFFERS has it */
	const char *node; /* the device it needs, below the directory of devices; NULL: none */
	bool dma_buf;
	/*
	 * Zeroed memory of `size` bytes, a multiple of KR_BUFFER_PAGE, in *fd (CLOEXEC). `node` is
	 * the opened device, or -1. 0 or -errno.
	 */
	int (*allocate)(int node, uint64_t size, int *fd);
	/*
	 * Whether somebody's descriptor is such memory, of exactly `size` bytes: 0; -EINVAL; -EPERM
	 * when it could be resized.
	 */
	int (*check)(int fd, uint64_t size);
};

extern const struct kr_buffer_impl kr_memfd_impl;
extern const struct kr_buffer_impl kr_udmabuf_impl;
extern const struct kr_buffer_impl kr_dma_heap_impl;

/* NULL for a number that is none: what handles say isn't trusted. */
const struct kr_buffer_impl *kr_buffer_impl_from_backend(int backend);

/*
 * Memory of the backend that is to be used, in *fd, and which it was. -ENODEV when KRAFLA_BUFFERS
 * names one that can't be had or is unknown, which stderr is told once; else -errno.
 */
int kr_buffer_memory_allocate(uint64_t size, const struct kr_buffer_impl **impl, int *fd)
	KR_MUST_CHECK;

/*
 * Check of the backends whose memory is a dma-buf (dma_buf_memory.c). `exporter` is what made it:
 * memory of another, a graphics driver's, may vanish or wait when it is used. 0 or -EINVAL.
 */
int kr_gralloc_check_dma_buf(int fd, uint64_t size, const char *exporter) KR_MUST_CHECK;

/* Who made a dma-buf, as the kernel names him; empty where it doesn't tell. */
#define KR_DMA_BUF_NAME 64
void kr_gralloc_read_exporter(int fd, char name[KR_DMA_BUF_NAME]);

/*
 * Takes the place of the devices, for tests. Also forgets which backend was chosen. NULL
 * puts the real ones back.
 */
struct kr_buffer_devices {
	const char *dir;  /* in place of "/dev"; NULL: that */
	const char *word; /* in place of KRAFLA_BUFFERS; NULL: what that says */
	/* ioctl(2) on a device's node: its answer, or -errno. NULL: the real one. */
	int (*ioctl)(int node, unsigned long request, void *data);
};
void kr_buffer_set_devices(const struct kr_buffer_devices *devices);
/* For backends: the ioctl above, asked again when a signal interrupts. */
int kr_buffer_device_ioctl(int node, unsigned long request, void *data) KR_MUST_CHECK;

#endif
