/* SPDX-License-Identifier: Apache-2.0 */
/* What the compositor has, and gives back; dma-bufs of windows among it: see pane.h. */
#include "outputs/display/wayland/pane.h"

#include <linux-dmabuf-client.h>
#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>
#include <sys/stat.h>

#include "gralloc/buffer.h"
#include "outputs/display/log.h"

#define FOURCC_XRGB UINT32_C(0x34325258)
#define FOURCC_XBGR UINT32_C(0x34324258)

static void
handle_release(void *data, struct wl_buffer *buffer)
{
	struct pane *pane = data;

	for (unsigned i = 0; i < SLOTS; i++) {
		if (pane->known[i].sent != buffer)
			continue;
		pane->known[i].sent = NULL;
		if (pane->slots.items[i].state == SLOT_SENT)
			slot_idle(&pane->slots, &pane->slots.items[i]);
	}
}

static const struct wl_buffer_listener buffer_listener = {.release = handle_release};

void
pane_listen_to_buffer(struct pane *pane, struct wl_buffer *buffer)
{
	wl_buffer_add_listener(buffer, &buffer_listener, pane);
}

/* What DRM calls the picture's pixels, without their alpha; 0: the compositor takes no such. */
static uint32_t
fourcc_of(const struct pane *pane, uint32_t format)
{
	switch (format) {
	case AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM:
		return pane->takes_xrgb ? FOURCC_XRGB : 0;
	case AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM:
	case AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM:
		return pane->takes_xbgr ? FOURCC_XBGR : 0;
	default:
		return 0;
	}
}

static void
clear(struct import *import)
{
	if (import->params)
		zwp_linux_buffer_params_v1_destroy(import->params);
	if (import->buffer)
		wl_buffer_destroy(import->buffer);
	*import = (struct import){.pane = import->pane};
}

void
pane_forget_imports(struct pane *pane)
{
	for (unsigned i = 0; i < IMPORTS; i++)
		clear(&pane->imports[i]);
}

static void
handle_created(void *data, struct zwp_linux_buffer_params_v1 *params, struct wl_buffer *buffer)
{
	struct import *import = data;

	zwp_linux_buffer_params_v1_destroy(params);
	import->params = NULL;
	import->buffer = buffer;
	pane_listen_to_buffer(import->pane, buffer);
}

/* It stays known, so that it isn't asked for again: its pictures are copied. */
static void
handle_failed(void *data, struct zwp_linux_buffer_params_v1 *params)
{
	struct import *import = data;

	zwp_linux_buffer_params_v1_destroy(params);
	import->params = NULL;
	display_log(import->pane->host, KR_LOG_INFO,
		"Wayland output: the compositor doesn't take a buffer as it is; it is copied");
}

static const struct zwp_linux_buffer_params_v1_listener params_listener = {
	.created = handle_created,
	.failed = handle_failed,
};

static bool
is_on_its_way(const struct pane *pane, const struct import *import)
{
	bool used = import->params != NULL;

	for (unsigned i = 0; i < SLOTS && import->buffer; i++)
		used |= pane->known[i].sent == import->buffer ||
			pane->known[i].next == import->buffer;
	return used;
}

/* The one that was used longest ago makes room. NULL: all are in use. */
static struct import *
find_room(struct pane *pane)
{
	struct import *oldest = NULL;

	for (unsigned i = 0; i < IMPORTS; i++) {
		struct import *import = &pane->imports[i];

		if (!is_on_its_way(pane, import) && (!oldest || import->used < oldest->used))
			oldest = import;
	}
	return oldest;
}

static void
ask(struct pane *pane, struct import *import, const struct kr_composed_frame *frame,
	uint32_t fourcc)
{
	import->params = zwp_linux_dmabuf_v1_create_params(pane->dmabuf);
	if (!import->params)
		return;
	zwp_linux_buffer_params_v1_add_listener(import->params, &params_listener, import);
	zwp_linux_buffer_params_v1_add(import->params, frame->buffer->fd, 0,
		(uint32_t)frame->offset, frame->row_bytes, 0, 0);
	zwp_linux_buffer_params_v1_create(
		import->params, (int32_t)frame->width, (int32_t)frame->height, fourcc, 0);
}

struct import *
pane_import(struct pane *pane, const struct kr_composed_frame *frame)
{
	const struct kr_buffer_info *info = frame->buffer;
	uint32_t fourcc = pane->dmabuf ? fourcc_of(pane, frame->format) : 0;
	struct import *import;
	struct stat status;

	if (!info || frame->dataspace != HAL_DATASPACE_SRGB || !frame->hold || !fourcc ||
		info->fd < 0 || info->modifier || !kr_buffer_backend_is_dma_buf(info->backend) ||
		frame->offset > UINT32_MAX || fstat(info->fd, &status))
		return NULL;
	for (import = pane->imports; import < pane->imports + IMPORTS; import++) {
		if (import->inode != status.st_ino || import->device != status.st_dev ||
			import->width != frame->width || import->height != frame->height ||
			import->format != frame->format || import->row_bytes != frame->row_bytes ||
			import->offset != frame->offset)
			continue;
		import->used = ++pane->uses;
		/* One that the compositor still has can't be told apart from itself. */
		return import->buffer && !is_on_its_way(pane, import) ? import : NULL;
	}
	import = find_room(pane);
	if (!import || pane->full)
		return NULL;
	clear(import);
	*import = (struct import){
		.pane = pane,
		.device = status.st_dev,
		.inode = status.st_ino,
		.width = frame->width,
		.height = frame->height,
		.format = frame->format,
		.row_bytes = frame->row_bytes,
		.offset = frame->offset,
		.used = ++pane->uses,
	};
	ask(pane, import, frame, fourcc);
	return NULL;
}
