/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slot's buffer on the compositor's side. Memory of a format that it takes is shared as it is,
 * and so is a dma-buf; what it doesn't take is copied, as B8G8R8A8, which every compositor takes.
 */
#include "outputs/wayland/window.h"

#include <explicit-sync-client.h>
#include <linux-dmabuf-client.h>
#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <string.h>
#include <sys/mman.h>

#include "gralloc/pixels.h"
#include "outputs/log.h"
#include "outputs/alpha.h"
#include "util/clock.h"
#include "util/fd.h"

/* How long others, of whom the frame's fence doesn't tell, may use a buffer that is a dma-buf. */
#define OTHERS_NS   (5 * KR_NSEC_PER_SEC)
#define COPY_FORMAT AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM

/* libwayland duplicates descriptors and loses the connection where it can't. */
static bool
has_descriptor(int fd)
{
	int copy = -1;

	if (kr_fd_dup(fd, &copy))
		return false;
	kr_fd_close(&copy);
	return true;
}

static struct wl_buffer *
share_memory(struct wayland_slot *slot, int fd, uint64_t size, uint32_t row_bytes, uint32_t fourcc)
{
	struct wl_buffer *buffer = NULL;
	struct wl_shm_pool *pool;

	if (size > INT32_MAX || !has_descriptor(fd))
		return NULL;
	pool = wl_shm_create_pool(slot->window->shm, fd, (int32_t)size);
	if (!pool)
		return NULL;
	buffer = wl_shm_pool_create_buffer(pool, 0, (int32_t)slot->info.desc.width,
		(int32_t)slot->info.desc.height, (int32_t)row_bytes, wayland_shm_format(fourcc));
	wl_shm_pool_destroy(pool);
	return buffer;
}

/* What the compositor has answered to a dma-buf. */
struct import {
	struct wl_buffer *buffer;
	bool answered;
};

static void
handle_created(void *data, struct zwp_linux_buffer_params_v1 *params, struct wl_buffer *buffer)
{
	struct import *import = data;

	import->buffer = buffer;
	import->answered = true;
}

static void
handle_failed(void *data, struct zwp_linux_buffer_params_v1 *params)
{
	((struct import *)data)->answered = true;
}

static const struct zwp_linux_buffer_params_v1_listener params_listener = {
	.created = handle_created,
	.failed = handle_failed,
};

/* Waits for the answer: a compositor may refuse what it says that it takes. NULL: it did. */
static struct wl_buffer *
share_dmabuf(struct wayland_slot *slot, uint32_t fourcc)
{
	struct zwp_linux_buffer_params_v1 *params;
	struct import import = {0};

	if (!has_descriptor(slot->info.fd))
		return NULL;
	params = zwp_linux_dmabuf_v1_create_params(slot->window->dmabuf);
	if (!params)
		return NULL;
	zwp_linux_buffer_params_v1_add_listener(params, &params_listener, &import);
	zwp_linux_buffer_params_v1_add(params, slot->info.fd, 0, 0, slot->info.row_bytes, 0, 0);
	zwp_linux_buffer_params_v1_create(
		params, (int32_t)slot->info.desc.width, (int32_t)slot->info.desc.height, fourcc, 0);
	if (wayland_link_wait(&slot->window->link, &import.answered))
		import.buffer = NULL;
	zwp_linux_buffer_params_v1_destroy(params);
	return import.buffer;
}

static uint32_t
fourcc_of(const struct wayland_slot *slot, bool blended)
{
	const struct wayland_window *w = slot->window;

	switch (slot->way) {
	case WAYLAND_MEMORY:
		return wayland_formats_find(&w->shm_formats, slot->info.desc.format, blended);
	case WAYLAND_DMABUF:
		return wayland_formats_find(&w->dmabuf_formats, slot->info.desc.format, blended);
	default:
		return wayland_formats_find(&w->shm_formats, COPY_FORMAT, blended);
	}
}

struct wl_buffer *
wayland_pixels_buffer(struct wayland_slot *slot, bool blended)
{
	struct wl_buffer **buffer = &slot->buffers[blended];
	uint32_t fourcc = fourcc_of(slot, blended);

	if (*buffer || !fourcc)
		return *buffer;
	if (slot->way == WAYLAND_DMABUF)
		*buffer = share_dmabuf(slot, fourcc);
	else if (slot->way == WAYLAND_MEMORY)
		*buffer = share_memory(
			slot, slot->info.fd, slot->info.size, slot->info.row_bytes, fourcc);
	else
		*buffer = share_memory(
			slot, slot->copy_fd, slot->copy_size, slot->copy_row_bytes, fourcc);
	return *buffer;
}

static int
make_copy(struct wayland_slot *slot)
{
	const struct kr_buffer_desc *desc = &slot->info.desc;
	void *map;
	int ret;

	if (!kr_pixels_to_xrgb(desc->format))
		return -EOPNOTSUPP;
	ret = kr_format_layout(
		COPY_FORMAT, desc->width, desc->height, &slot->copy_row_bytes, &slot->copy_size);
	if (ret)
		return ret;
	map = mmap(NULL, slot->info.size, PROT_READ, MAP_SHARED, slot->info.fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	slot->source = map;
	ret = kr_memfd_create("krafla-wayland-pixels", slot->copy_size, &slot->copy_fd);
	if (ret)
		return ret;
	map = mmap(NULL, slot->copy_size, PROT_READ | PROT_WRITE, MAP_SHARED, slot->copy_fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	slot->copy = map;
	return 0;
}

/* Whether the compositor takes the buffer as it is; without alpha, as most are shown. */
static bool
is_taken(struct wayland_slot *slot)
{
	return fourcc_of(slot, false) && fourcc_of(slot, true) &&
		wayland_pixels_buffer(slot, false);
}

int
wayland_pixels_init(
	struct wayland_window *w, struct wayland_slot *slot, const struct kr_buffer_info *info)
{
	bool dmabuf = kr_buffer_backend_is_dma_buf(info->backend);
	int ret;

	*slot = (struct wayland_slot){.window = w, .used = true, .info = *info, .copy_fd = -1};
	if (info->modifier)
		return -EOPNOTSUPP;
	slot->way = dmabuf ? WAYLAND_DMABUF : WAYLAND_MEMORY;
	if ((!dmabuf || w->dmabuf) && is_taken(slot))
		return 0;
	if (w->link.lost)
		return -EPIPE;
	if (dmabuf)
		output_log(w->link.host, KR_LOG_INFO,
			"Wayland: the compositor doesn't take dma-bufs of this format; they are copied");
	slot->way = WAYLAND_COPY;
	ret = make_copy(slot);
	if (!ret && !wayland_pixels_buffer(slot, false))
		ret = -ENOMEM;
	if (ret)
		wayland_pixels_finish(slot);
	return ret;
}

/* A buffer that the surface shows may be destroyed: its memory isn't written any more. */
void
wayland_pixels_finish(struct wayland_slot *slot)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(slot->buffers); i++) {
		if (slot->buffers[i])
			wl_buffer_destroy(slot->buffers[i]);
	}
	if (slot->release)
		zwp_linux_buffer_release_v1_destroy(slot->release);
	if (slot->source)
		munmap(slot->source, slot->info.size);
	if (slot->copy)
		munmap(slot->copy, slot->copy_size);
	if (slot->used)
		kr_fd_close(&slot->copy_fd);
	if (slot->state != WAYLAND_IDLE)
		kr_fd_close(&slot->frame.acquire_fence);
	*slot = (struct wayland_slot){.copy_fd = -1};
}

int
wayland_pixels_update(struct wayland_slot *slot)
{
	kr_pixels_row_fn convert = kr_pixels_to_xrgb(slot->info.desc.format);
	int ret;

	if (slot->way != WAYLAND_COPY)
		return 0;
	ret = kr_buffer_begin_cpu(&slot->info, KR_DMA_BUF_READ, kr_deadline_in(OTHERS_NS));
	if (ret)
		return ret;
	for (uint32_t y = 0; y < slot->info.desc.height; y++) {
		const void *from = (const char *)slot->source + (size_t)y * slot->info.row_bytes;
		void *to = (char *)slot->copy + (size_t)y * slot->copy_row_bytes;

		convert(from, to, slot->info.desc.width);
		output_copy_alpha(slot->info.desc.format, from, to, slot->info.desc.width);
	}
	kr_buffer_end_cpu(&slot->info, KR_DMA_BUF_READ);
	return 0;
}
