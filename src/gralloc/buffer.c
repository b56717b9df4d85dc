/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The buffer object. It starts with the ANativeWindowBuffer that others see; AHardwareBuffer
 * pointers are pointers to the same object.
 */
#include "gralloc/buffer.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "gralloc/backends.h"
#include "gralloc/handle.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"

struct kr_buffer {
	ANativeWindowBuffer native; /* first */
	atomic_uint refs;
	struct kr_buffer_info info; /* owns info.fd */
	struct kr_handle handle;
	_Atomic(void *) map; /* NULL until first asked for */
	atomic_uint locks;   /* not unlocked yet */
};

_Static_assert(sizeof(ANativeWindowBuffer) == 168, "ANativeWindowBuffer");

/*
 * Ids are unique in the process although it may hold two copies of this room (libvulkan and
 * libkrafla): each copy draws the upper half at random, once.
 */
static uint64_t
next_id(void)
{
	static _Atomic uint64_t base;
	static atomic_uint count;
	uint64_t upper = atomic_load(&base);

	if (!upper) {
		uint64_t expected = 0;
		uint32_t drawn;

		if (getrandom(&drawn, sizeof(drawn), GRND_NONBLOCK) != (ssize_t)sizeof(drawn))
			drawn = (uint32_t)kr_clock_now();
		upper = (uint64_t)(drawn | 1) << 32;
		if (!atomic_compare_exchange_strong(&base, &expected, upper))
			upper = expected;
	}
	return upper | (uint32_t)(atomic_fetch_add(&count, 1) + 1);
}

static void
handle_inc_ref(android_native_base_t *base)
{
	kr_buffer_ref((struct kr_buffer *)base);
}

static void
handle_dec_ref(android_native_base_t *base)
{
	kr_buffer_unref((struct kr_buffer *)base);
}

/* Fills in the faces of a buffer whose info is complete. */
static void
init_faces(struct kr_buffer *buffer)
{
	const struct kr_buffer_info *info = &buffer->info;
	ANativeWindowBuffer *native = &buffer->native;

	kr_handle_encode(&buffer->handle, info);
	native->common.magic = ANDROID_NATIVE_BUFFER_MAGIC;
	native->common.version = sizeof(*native);
	native->common.incRef = handle_inc_ref;
	native->common.decRef = handle_dec_ref;
	native->width = (int)info->desc.width;
	native->height = (int)info->desc.height;
	native->stride = (int)info->stride;
	native->format = (int)info->desc.format;
	native->usage_deprecated = (int)(uint32_t)info->desc.usage;
	native->usage = info->desc.usage;
	native->layerCount = info->desc.layers;
	native->handle = &buffer->handle.native;
	atomic_init(&buffer->refs, 1);
}

int
kr_buffer_allocate(const struct kr_buffer_desc *desc, struct kr_buffer **buffer)
{
	const struct kr_buffer_impl *impl;
	struct kr_buffer *b;
	int err = kr_buffer_check(desc);

	if (err)
		return err;
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->info.desc = *desc;
	err = kr_format_layout(
		desc->format, desc->width, desc->height, &b->info.row_bytes, &b->info.size);
	if (err)
		goto err_free;
	b->info.stride = b->info.row_bytes / kr_format_bytes(desc->format);
	b->info.id = next_id();
	err = kr_buffer_memory_allocate(b->info.size, &impl, &b->info.fd);
	if (err)
		goto err_free;
	b->info.backend = impl->backend;
	init_faces(b);
	*buffer = b;
	return 0;

err_free:
	free(b);
	return err;
}

int
kr_buffer_info_from_handle(const native_handle_t *handle, struct kr_buffer_info *info)
{
	struct kr_buffer_info read;
	int err = kr_handle_decode(handle, &read);

	if (!err)
		err = kr_buffer_impl_from_backend((int)read.backend)->check(read.fd, read.size);
	if (!err)
		*info = read;
	return err;
}

int
kr_buffer_import(const native_handle_t *handle, struct kr_buffer **buffer)
{
	struct kr_buffer_info info;
	struct kr_buffer *b;
	int err = kr_buffer_info_from_handle(handle, &info);

	if (err)
		return err;
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->info = info;
	err = kr_fd_dup(info.fd, &b->info.fd);
	if (err)
		goto err_free;
	init_faces(b);
	*buffer = b;
	return 0;

err_free:
	free(b);
	return err;
}

KR_PRIVATE struct kr_buffer *
kr_buffer_ref(struct kr_buffer *buffer)
{
	atomic_fetch_add_explicit(&buffer->refs, 1, memory_order_relaxed);
	return buffer;
}

KR_PRIVATE void
kr_buffer_unref(struct kr_buffer *buffer)
{
	void *map;

	/* Pairs with the other unrefs: the last one sees what the earlier ones did. */
	if (!buffer || atomic_fetch_sub_explicit(&buffer->refs, 1, memory_order_acq_rel) != 1)
		return;
	map = atomic_load(&buffer->map);
	if (map)
		munmap(map, buffer->info.size);
	kr_fd_close(&buffer->info.fd);
	/* A stale pointer is then no buffer to anybody who checks. */
	buffer->native.common.magic = 0;
	free(buffer);
}

KR_PRIVATE const native_handle_t *
kr_buffer_handle(const struct kr_buffer *buffer)
{
	return &buffer->handle.native;
}

KR_PRIVATE const struct kr_buffer_info *
kr_buffer_get_info(const struct kr_buffer *buffer)
{
	return &buffer->info;
}

ANativeWindowBuffer *
kr_buffer_native(struct kr_buffer *buffer)
{
	return &buffer->native;
}

struct kr_buffer *
kr_buffer_from_native(ANativeWindowBuffer *native)
{
	if (!native || native->common.magic != ANDROID_NATIVE_BUFFER_MAGIC ||
		native->common.version != sizeof(*native) ||
		native->common.incRef != handle_inc_ref)
		return NULL;
	return (struct kr_buffer *)native;
}

KR_PRIVATE int
kr_buffer_map(struct kr_buffer *buffer, void **data)
{
	void *map = atomic_load(&buffer->map);
	void *expected = NULL;

	if (!map) {
		map = mmap(NULL, buffer->info.size, PROT_READ | PROT_WRITE, MAP_SHARED,
			buffer->info.fd, 0);
		if (map == MAP_FAILED)
			return -errno;
		/* Two threads may get here; the second uses the first one's. */
		if (!atomic_compare_exchange_strong(&buffer->map, &expected, map)) {
			munmap(map, buffer->info.size);
			map = expected;
		}
	}
	*data = map;
	return 0;
}

int
kr_buffer_map_alone(struct kr_buffer *buffer)
{
	void *map;
	int err;

	if (kr_buffer_backend_is_dma_buf(buffer->info.backend))
		return 0;
	err = kr_buffer_map(buffer, &map);
	if (err)
		return err;
	kr_fd_close(&buffer->info.fd);
	kr_handle_encode(&buffer->handle, &buffer->info);
	return 0;
}

int
kr_buffer_lock(
	struct kr_buffer *buffer, enum kr_dma_buf_access access, int64_t deadline_ns, void **data)
{
	void *map;
	int err = kr_buffer_map(buffer, &map);

	if (!err)
		err = kr_buffer_begin_cpu(&buffer->info, access, deadline_ns);
	if (err)
		return err;
	atomic_fetch_add(&buffer->locks, 1);
	*data = map;
	return 0;
}

int
kr_buffer_unlock(struct kr_buffer *buffer)
{
	unsigned locks = atomic_load(&buffer->locks);

	do {
		if (!locks)
			return -EINVAL;
	} while (!atomic_compare_exchange_weak(&buffer->locks, &locks, locks - 1));
	kr_buffer_end_cpu(&buffer->info, KR_DMA_BUF_READ_WRITE);
	return 0;
}
