/* SPDX-License-Identifier: Apache-2.0 */
/* The sink: buffers and frames of a queue, and a window's life. */
#include "outputs/wayland/window.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "outputs/log.h"
#include "sync/fence/kernel_fence.h"
#include "util/clock.h"
#include "util/fd.h"

static void
handle_attach(struct kr_sink *sink, struct kr_queue *queue)
{
	wayland_window_from_sink(sink)->queue = queue;
}

static int
add_buffer(struct kr_sink *sink, uint32_t slot, struct kr_buffer *buffer)
{
	struct wayland_window *w = wayland_window_from_sink(sink);
	struct kr_buffer_info info;
	int ret;

	ret = kr_buffer_info_from_handle(w->link.host->buffer_handle(buffer), &info);
	if (ret)
		return ret;
	kr_mutex_lock(&w->lock);
	ret = w->link.lost ? -EPIPE : wayland_pixels_init(w, &w->slots[slot], &info);
	if (ret == -EPIPE)
		ret = wayland_lose(w);
	kr_mutex_unlock(&w->lock);
	return ret;
}

static void
remove_buffer(struct kr_sink *sink, uint32_t slot, struct kr_buffer *buffer)
{
	struct wayland_window *w = wayland_window_from_sink(sink);

	kr_mutex_lock(&w->lock);
	if (w->current == &w->slots[slot])
		w->current = NULL;
	wayland_pixels_finish(&w->slots[slot]);
	kr_mutex_unlock(&w->lock);
}

/* Takes in what has come, without waiting: 0 or -EPIPE (told). */
static int
listen_now(struct wayland_window *w)
{
	if (w->link.lost || wayland_link_listen(&w->link, 0))
		return wayland_lose(w);
	if (wayland_due(w) <= kr_clock_now())
		wayland_handle_due(w);
	return wayland_show(w);
}

/* A shared one may wait already: then this is what it waits as. */
static void
keep(struct wayland_window *w, struct wayland_slot *slot, const struct kr_frame *frame)
{
	if (slot->state == WAYLAND_WAITING) {
		w->skipped = true;
		kr_fd_close(&slot->frame.acquire_fence);
	} else {
		w->waiting++;
	}
	slot->frame = *frame;
	slot->state = WAYLAND_WAITING;
}

static int
submit(struct kr_sink *sink, const struct kr_frame *frame)
{
	struct wayland_window *w = wayland_window_from_sink(sink);
	struct wayland_slot *slot = &w->slots[frame->slot];
	int ret = -EINVAL, fence = frame->acquire_fence;

	kr_mutex_lock(&w->lock);
	if (slot->used) {
		keep(w, slot, frame);
		fence = -1;
		ret = listen_now(w);
	}
	if (!ret)
		wayland_thread_nudge(w);
	kr_mutex_unlock(&w->lock);
	kr_fd_close(&fence);
	return ret;
}

/* A kernel's, for a compositor that takes such; all others are waited for before. */
static bool
takes_fence(struct kr_sink *sink, const struct kr_frame *frame)
{
	struct wayland_window *w = wayland_window_from_sink(sink);
	bool takes;

	kr_mutex_lock(&w->lock);
	takes = wayland_has_fences(w, &w->slots[frame->slot]) &&
		!kr_sync_kernel_check(frame->acquire_fence);
	kr_mutex_unlock(&w->lock);
	return takes;
}

/* Asked whenever somebody is about to poll: what comes by the connection is heard here. */
static int
poll_fds(struct kr_sink *sink, struct pollfd fds[KR_SINK_MAX_POLL])
{
	struct wayland_window *w = wayland_window_from_sink(sink);

	kr_mutex_lock(&w->lock);
	w->starving = true;
	wayland_thread_nudge(w);
	kr_mutex_unlock(&w->lock);
	fds[0] = (struct pollfd){.fd = w->heard, .events = POLLIN};
	return 1;
}

static int
dispatch(struct kr_sink *sink)
{
	struct wayland_window *w = wayland_window_from_sink(sink);
	eventfd_t count;
	int ret;

	kr_mutex_lock(&w->lock);
	(void)eventfd_read(w->heard, &count);
	ret = listen_now(w);
	if (!ret)
		ret = w->came > 0;
	w->came = 0;
	kr_mutex_unlock(&w->lock);
	return ret;
}

static void
ping(struct kr_sink *sink)
{
	struct wayland_window *w = wayland_window_from_sink(sink);

	kr_mutex_lock(&w->lock);
	wayland_ask(w);
	if (!w->link.lost)
		(void)wl_display_flush(w->link.display);
	kr_mutex_unlock(&w->lock);
}

static void
finish(struct wayland_window *w)
{
	wayland_forget_frames(w);
	for (size_t i = 0; i < KR_QUEUE_SLOTS; i++)
		wayland_pixels_finish(&w->slots[i]);
	wayland_globals_forget(w);
	wayland_link_finish(&w->link);
	kr_cond_finish(&w->needed);
	kr_mutex_finish(&w->lock);
}

/* In a forked child the connection is the parent's, and the lock may be anybody's. */
static void
destroy(struct kr_sink *sink)
{
	struct wayland_window *w = wayland_window_from_sink(sink);

	if (wayland_thread_end(w))
		finish(w);
	free(w);
}

const struct kr_sink_impl wayland_sink_impl = {
	.name = "wayland",
	.attach = handle_attach,
	.add_buffer = add_buffer,
	.remove_buffer = remove_buffer,
	.submit = submit,
	.ready_frames = true,
	.takes_fence = takes_fence,
	.poll_fds = poll_fds,
	.dispatch = dispatch,
	.ping = ping,
	.destroy = destroy,
};

static const struct kr_output_window_impl output_impl;

static void
close_window(struct kr_output_window *window)
{
	assert(window->impl == &output_impl);
	destroy(window->sink);
}

static const struct kr_output_window_impl output_impl = {.close = close_window};

/* The window is as large as what is shown in it: no scaling has anything to do, nor gravity. */
static struct kr_abilities
abilities_of(const struct wayland_window *w)
{
	bool turns = wl_surface_get_version(w->link.surface) >=
		WL_SURFACE_SET_BUFFER_TRANSFORM_SINCE_VERSION;
	struct kr_abilities abilities = {
		.modes = KR_ABILITY(KR_PRESENT_FIFO) | KR_ABILITY(KR_PRESENT_MAILBOX) |
			KR_ABILITY(KR_PRESENT_IMMEDIATE) |
			KR_ABILITY(KR_PRESENT_FIFO_LATEST_READY) | KR_ABILITY_SHARED,
		.transforms = turns ? KR_ABILITY_TRANSFORMS : 1,
		.alphas = KR_ABILITY(KR_ALPHA_INHERIT) | KR_ABILITY(KR_ALPHA_OPAQUE) |
			KR_ABILITY(KR_ALPHA_PREMULTIPLIED),
		.scalings = KR_ABILITY_ALL(KR_SCALING_COUNT),
		.gravities = KR_ABILITY_ALL(KR_GRAVITY_COUNT),
		.tells_shown = true,
	};

	if (w->tearing)
		abilities.modes |= KR_ABILITY(KR_PRESENT_FIFO_RELAXED);
	return abilities;
}

int
wayland_window_open(const struct kr_output_host *host, const struct kr_native_window *native,
	struct kr_queue_config *config, struct kr_output_window **out)
{
	struct wayland_window *w = calloc(1, sizeof(*w));
	int ret;

	if (!w)
		return -ENOMEM;
	w->base.impl = &wayland_sink_impl;
	w->output.impl = &output_impl;
	w->output.sink = &w->base;
	w->wake = w->heard = -1;
	kr_mutex_init(&w->lock);
	kr_cond_init(&w->needed);
	ret = wayland_link_init(&w->link, host, native);
	if (!ret)
		ret = wayland_globals_find(w);
	if (!ret)
		ret = wayland_thread_start(w);
	if (ret) {
		destroy(&w->base);
		return ret;
	}
	*out = &w->output;
	/* As large as what is presented, which the producer says. */
	*config = (struct kr_queue_config){
		.default_width = 1,
		.default_height = 1,
		.default_format = AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM,
		.consumer_usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
		.max_acquired = 1,
		.abilities = abilities_of(w),
	};
	return 0;
}
