/* SPDX-License-Identifier: Apache-2.0 */
/* See placeholder.h. */
#include "outputs/wayland/placeholder.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outputs/log.h"
#include "outputs/wayland/link.h"
#include "util/fd.h"

#define MAX_UNANSWERED 64

/* External synchronisation, as Vulkan has it of a surface's swapchains. */
struct placeholder {
	struct kr_output_window base; /* first */
	struct wayland_link link;
	struct wl_shm *shm;
	struct wl_buffer *buffer; /* NULL: none yet, or none can be had */
	uint32_t width, height;   /* of the last frame */
	struct wl_callback *sync; /* NULL: nothing is asked */
	uint64_t sent;            /* commits */
	uint64_t asked;           /* of these when sync was sent */
	uint64_t answered;
};

static void
handle_answer(void *data, struct wl_callback *callback, uint32_t serial)
{
	struct placeholder *p = data;

	wl_callback_destroy(callback);
	p->sync = NULL;
	p->answered = p->asked;
}

static const struct wl_callback_listener answer_listener = {.done = handle_answer};

/* One question at a time: its answer says that all before it has been taken. */
static void
ask(struct placeholder *p)
{
	if (p->sync)
		return;
	p->sync = wl_display_sync(p->link.on_queue);
	if (!p->sync)
		return;
	p->asked = p->sent;
	wl_callback_add_listener(p->sync, &answer_listener, p);
}

/* A buffer of this size; NULL, told, when there can't be one. */
static struct wl_buffer *
make_buffer(struct placeholder *p, uint32_t width, uint32_t height)
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
		output_log(p->link.host, KR_LOG_WARN,
			"Wayland: no buffer of %ux%u to keep the window mapped with (%s): a program that waits for its compositor may stand still",
			width, height, strerror(-err));
	return buffer;
}

static void
commit(struct placeholder *p, bool new_size)
{
	/* What the buffer shows never changes; of a new one all is told. */
	int32_t side = new_size ? INT32_MAX : 1;

	wl_surface_attach(p->link.surface, p->buffer, 0, 0);
	wl_surface_damage(p->link.surface, 0, 0, side, side);
	wl_surface_commit(p->link.surface);
	p->sent++;
	ask(p);
}

static const struct kr_output_window_impl impl;

static struct placeholder *
from_window(struct kr_output_window *window)
{
	assert(window->impl == &impl);
	return (struct placeholder *)window;
}

static int
presented(struct kr_output_window *window, uint32_t width, uint32_t height)
{
	struct placeholder *p = from_window(window);
	bool new_size = width != p->width || height != p->height;
	struct wl_buffer *old = NULL;
	int ret = wayland_link_listen(&p->link, 0);

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
	return wayland_link_listen(&p->link, 0);
}

static void
close_placeholder(struct kr_output_window *window)
{
	struct placeholder *p = from_window(window);

	if (p->sync)
		wl_callback_destroy(p->sync);
	if (p->buffer)
		wl_buffer_destroy(p->buffer);
	if (p->shm)
		wl_shm_destroy(p->shm);
	wayland_link_finish(&p->link);
	free(p);
}

static const struct kr_output_window_impl impl = {
	.presented = presented,
	.close = close_placeholder,
};

static void
handle_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface,
	uint32_t version)
{
	struct placeholder *p = data;

	if (!p->shm && !strcmp(interface, wl_shm_interface.name))
		p->shm = wl_registry_bind(registry, name, &wl_shm_interface, 1);
}

static void
handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

static int
find_memory(struct placeholder *p)
{
	int ret = wayland_link_find_globals(&p->link, &registry_listener, p);

	if (ret || p->shm)
		return ret;
	output_log(p->link.host, KR_LOG_ERROR, "Wayland: the compositor has no wl_shm");
	return -ENODEV;
}

int
placeholder_open(const struct kr_output_host *host, const struct kr_native_window *native,
	struct kr_output_window **window)
{
	struct placeholder *p = calloc(1, sizeof(*p));
	int ret;

	if (!p)
		return -ENOMEM;
	p->base.impl = &impl;
	ret = wayland_link_init(&p->link, host, native);
	if (!ret)
		ret = find_memory(p);
	if (ret)
		close_placeholder(&p->base);
	else
		*window = &p->base;
	return ret;
}
