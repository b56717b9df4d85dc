/* SPDX-License-Identifier: Apache-2.0 */
/* krafla-output-wayland.so: its table, and a placeholder's life and frames. */
#include "outputs/wayland/placeholder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/log.h"

static void
handle_answer(void *data, struct wl_callback *callback, uint32_t serial)
{
	struct kr_output_placeholder *p = data;

	wl_callback_destroy(callback);
	p->sync = NULL;
	p->answered = p->asked;
}

static const struct wl_callback_listener answer_listener = {.done = handle_answer};

/* One question at a time: its answer says that all before it has been taken. */
static void
ask(struct kr_output_placeholder *p)
{
	if (p->sync)
		return;
	p->sync = wl_display_sync(p->on_queue);
	if (!p->sync)
		return;
	p->asked = p->sent;
	wl_callback_add_listener(p->sync, &answer_listener, p);
}

/* A buffer of this size; NULL, told, when there can't be one. */
static struct wl_buffer *
make_buffer(struct kr_output_placeholder *p, uint32_t width, uint32_t height)
{
	uint64_t stride = (uint64_t)width * 4, size = stride * height;
	struct wl_buffer *buffer = NULL;
	struct wl_shm_pool *pool;
	int fd = -1, err;

	err = stride <= INT32_MAX && size <= INT32_MAX
		? kr_memfd_create("krafla-wayland-window", (size_t)size, &fd)
		: -EFBIG;
	if (!err) {
		pool = wl_shm_create_pool(p->shm, fd, (int32_t)size);
		if (pool) {
			buffer = wl_shm_pool_create_buffer(pool, 0, (int32_t)width, (int32_t)height,
				(int32_t)stride, WL_SHM_FORMAT_XRGB8888);
			wl_shm_pool_destroy(pool);
		}
		err = buffer ? 0 : -ENOMEM;
	}
	kr_fd_close(&fd);
	if (err)
		placeholder_log(p, KR_LOG_WARN,
			"Wayland: no buffer of %ux%u to keep the window mapped with (%s): a "
			"program that waits for its compositor may stand still",
			width, height, strerror(-err));
	return buffer;
}

static void
commit(struct kr_output_placeholder *p, bool new_size)
{
	/* What the buffer shows never changes; of a new one all is told. */
	int32_t side = new_size ? INT32_MAX : 1;

	wl_surface_attach(p->surface, p->buffer, 0, 0);
	wl_surface_damage(p->surface, 0, 0, side, side);
	wl_surface_commit(p->surface);
	p->sent++;
	ask(p);
}

static int
show(struct kr_output_placeholder *p, uint32_t width, uint32_t height)
{
	bool new_size = width != p->width || height != p->height;
	struct wl_buffer *old = NULL;
	int ret = placeholder_listen(p);

	if (ret)
		return ret;
	if (p->sent - p->answered >= MAX_UNANSWERED)
		return 0;
	if (new_size) {
		old = p->buffer;
		p->buffer = make_buffer(p, width, height);
		p->width = width;
		p->height = height;
	}
	if (p->buffer)
		commit(p, new_size);
	/* The window's content no more. */
	if (old)
		wl_buffer_destroy(old);
	return placeholder_listen(p);
}

static void
close_placeholder(struct kr_output_placeholder *p)
{
	if (!p)
		return;
	if (p->sync)
		wl_callback_destroy(p->sync);
	if (p->buffer)
		wl_buffer_destroy(p->buffer);
	if (p->shm)
		wl_shm_destroy(p->shm);
	if (p->surface)
		wl_proxy_wrapper_destroy(p->surface);
	if (p->on_queue)
		wl_proxy_wrapper_destroy(p->on_queue);
	if (p->queue)
		wl_event_queue_destroy(p->queue);
	if (!p->lost)
		(void)wl_display_flush(p->display);
	free(p);
}

static int
open_placeholder(const struct kr_output_host *host, void *display, void *surface,
	struct kr_output_placeholder **out)
{
	struct kr_output_placeholder *p;
	int ret = -ENOMEM;

	if (host->abi != KR_OUTPUT_MODULE_ABI)
		return -EPROTO;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->host = host;
	p->display = display;
	p->queue = wl_display_create_queue(display);
	p->on_queue = wl_proxy_create_wrapper(display);
	p->surface = wl_proxy_create_wrapper(surface);
	if (p->queue && p->on_queue && p->surface) {
		wl_proxy_set_queue((struct wl_proxy *)p->on_queue, p->queue);
		wl_proxy_set_queue((struct wl_proxy *)p->surface, p->queue);
		ret = placeholder_find_globals(p);
	}
	if (ret)
		close_placeholder(p);
	else
		*out = p;
	return ret;
}

extern const struct kr_output_module kr_output_module;
KR_EXPORT const struct kr_output_module kr_output_module = {
	.abi = KR_OUTPUT_MODULE_ABI,
	.name = "wayland",
	.open_placeholder = open_placeholder,
	.show_placeholder = show,
	.close_placeholder = close_placeholder,
};
