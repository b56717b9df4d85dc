/* SPDX-License-Identifier: Apache-2.0 */
/* The sink: buffers and frames of a queue, turned into X requests. */
#include "outputs/xcb/x_window.h"

#include <errno.h>
#include <stdlib.h>

#include "outputs/log.h"
#include "gralloc/buffer.h"
#include "util/clock.h"

/* How long others, of whom the frame's fence doesn't tell, may use a buffer that is a dma-buf. */
#define OTHERS_NS (5 * KR_NSEC_PER_SEC)

static void
handle_attach(struct kr_sink *sink, struct kr_queue *queue)
{
	x_window_from_sink(sink)->queue = queue;
}

static int
add_buffer(struct kr_sink *sink, uint32_t slot, struct kr_buffer *buffer)
{
	struct x_window *x = x_window_from_sink(sink);
	struct kr_buffer_info info;
	int ret;

	if (x->gone)
		return -EPIPE;
	ret = kr_buffer_info_from_handle(x->host->buffer_handle(buffer), &info);
	if (ret)
		return ret;
	ret = x_pixels_init(x, &x->slots[slot], &info);
	return ret == -EPIPE ? x_lose(x, "the X server doesn't answer") : ret;
}

static void
remove_buffer(struct kr_sink *sink, uint32_t slot, struct kr_buffer *buffer)
{
	struct x_window *x = x_window_from_sink(sink);

	if (x->shared_slot.on && x->shared_slot.slot == slot)
		x_shared_forget(x);
	x_pixels_finish(x, &x->slots[slot]);
	xcb_flush(x->connection);
}

/* A free entry; there are as many as slots, and a slot has one frame at a time. */
static struct x_pending *
new_pending(struct x_window *x, const struct kr_frame *frame)
{
	for (size_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		struct x_pending *pending = &x->pending[i];

		if (pending->kind != X_PENDING_NONE)
			continue;
		pending->slot = frame->slot;
		pending->number = frame->number;
		pending->order = ++x->order;
		pending->tell = frame->presentation.tell_shown;
		pending->stays = x->shared_slot.on && x->shared_slot.slot == frame->slot;
		return pending;
	}
	return NULL;
}

static bool
is_put(uint8_t mode)
{
	return mode == KR_PRESENT_IMMEDIATE || mode == KR_PRESENT_SHARED_DEMAND ||
		mode == KR_PRESENT_SHARED_CONTINUOUS;
}

static int
show(struct x_window *x, const struct kr_frame *frame)
{
	uint8_t mode = frame->presentation.mode;
	struct x_pixels *pixels = &x->slots[frame->slot];
	struct x_pending *pending;
	int ret;

	if (!pixels->used)
		return -EINVAL;
	ret = x_switch_mode(x, mode);
	/* How large the window is by now. */
	if (!ret && frame->presentation.scaling != KR_SCALING_WINDOW)
		ret = KR_MIN(x_take_events(x), 0);
	if (ret)
		return ret;
	ret = x_shared_begin(x, frame);
	if (ret)
		return ret;
	x_pixels_update(x, pixels);
	if (!x_is_plain(x, pixels, frame)) {
		ret = x_compose(x, pixels, frame, &pixels);
		if (ret)
			return ret == -EPIPE ? x_lose(x, "the X server doesn't answer") : ret;
	}
	pending = new_pending(x, frame);
	if (!pending)
		return -EBUSY;
	if (is_put(mode) || !x->present)
		ret = x_show_put(x, pixels, pending);
	else
		ret = x_show_present(x, pixels, pending, mode);
	x_shared_end(x, frame);
	xcb_flush(x->connection);
	return ret;
}

static int
submit(struct kr_sink *sink, const struct kr_frame *frame)
{
	struct x_window *x = x_window_from_sink(sink);
	const struct kr_buffer_info *info = &x->slots[frame->slot].info;
	int ret;

	if (x->gone)
		return -EPIPE;
	/*
	 * The server may read later, by a mapping of its own: as coherent with other CPUs as ours.
	 */
	ret = kr_buffer_begin_cpu(info, KR_DMA_BUF_READ, kr_deadline_in(OTHERS_NS));
	if (ret) {
		/* Not shown, and the slot is free again. */
		output_log(x->host, KR_LOG_WARN,
			"X output: frame %llu isn't shown, its buffer can't be read (%d)",
			(unsigned long long)frame->number, ret);
		return x->host->queue_release(x->queue, frame->slot, frame->number, -1);
	}
	ret = show(x, frame);
	kr_buffer_end_cpu(info, KR_DMA_BUF_READ);
	if (ret)
		return ret;
	/* Requests may have read from the connection, and what came with it wakes nobody. */
	ret = x_take_events(x);
	return KR_MIN(ret, 0);
}

static int
poll_fds(struct kr_sink *sink, struct pollfd fds[KR_SINK_MAX_POLL])
{
	struct x_window *x = x_window_from_sink(sink);

	fds[0] = (struct pollfd){.fd = xcb_get_file_descriptor(x->connection), .events = POLLIN};
	return 1;
}

static int
dispatch(struct kr_sink *sink)
{
	return x_take_events(x_window_from_sink(sink));
}

static void
ping(struct kr_sink *sink)
{
	struct x_window *x = x_window_from_sink(sink);

	if (x->pinged || x->gone)
		return;
	x->pinged = true;
	x->ping_cookie = xcb_get_input_focus(x->connection).sequence;
	xcb_flush(x->connection);
}

static void
destroy(struct kr_sink *sink)
{
	struct x_window *x = x_window_from_sink(sink);

	x_shared_forget(x);
	x_window_close(x);
}

const struct kr_sink_impl x_sink_impl = {
	.name = "xcb",
	.attach = handle_attach,
	.add_buffer = add_buffer,
	.remove_buffer = remove_buffer,
	.submit = submit,
	.ready_frames = true,
	.poll_fds = poll_fds,
	.dispatch = dispatch,
	.ping = ping,
	.destroy = destroy,
};
