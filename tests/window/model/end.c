/* SPDX-License-Identifier: Apache-2.0 */
#include "end.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "sync/fence/user_fence.h"
#include "util/fd.h"

void
end_notice(void *data, const struct kr_notice *notice)
{
	kr_notice_ring_push(((struct end *)data)->ring, notice);
}

static uint64_t
id_of(const struct kr_buffer *buffer)
{
	return kr_buffer_get_info(buffer)->id;
}

/* The fence is closed; what it was stays known. */
static uint64_t
cookie_of(int take_fence)
{
	uint64_t cookie = take_fence < 0 ? 0 : kr_sync_user_cookie(take_fence);

	kr_fd_close(&take_fence);
	return cookie;
}

static void
keep(struct end *end, struct kr_buffer *take_buffer)
{
	for (uint32_t i = 0; i < KEPT; i++) {
		if (!end->kept[i]) {
			end->kept[i] = take_buffer;
			return;
		}
	}
	kr_buffer_unref(end->kept[0]);
	end->kept[0] = take_buffer;
}

/* In this place; beyond them it isn't kept. */
static void
keep_at(struct end *end, uint32_t place, struct kr_buffer *take_buffer)
{
	if (place >= KEPT) {
		kr_buffer_unref(take_buffer);
		return;
	}
	kr_buffer_unref(end->kept[place]);
	end->kept[place] = take_buffer;
}

/* A kept one, or a new one, with a reference. */
static struct kr_buffer *
choose(struct end *end, const struct op *op)
{
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, 3};
	struct kr_buffer *buffer;

	if (op->a < KEPT && end->kept[op->a])
		return kr_buffer_ref(end->kept[op->a]);
	if (kr_buffer_allocate(&desc, &buffer))
		return NULL;
	kr_buffer_set_generation(buffer, op->b);
	return buffer;
}

static void
forget_kept(struct end *end, const struct kr_buffer *buffer)
{
	for (uint32_t i = 0; i < KEPT; i++) {
		if (end->kept[i] == buffer) {
			kr_buffer_unref(end->kept[i]);
			end->kept[i] = NULL;
		}
	}
}

/* ---- the producer ---- */

static int
dequeue(struct end *end, const struct op *op, struct outcome *o)
{
	const struct kr_queue_request request = {
		.width = op->a, .height = op->b, .usage = op->c, .deadline_ns = 0};
	struct kr_queue_dequeued dequeued;
	int err = kr_queue_dequeue_slot(end->queue, &request, &dequeued);

	if (err)
		return err;
	o->slot = dequeued.slot;
	o->age = dequeued.age;
	o->flags = dequeued.flags;
	o->fence = cookie_of(dequeued.fence);
	return 0;
}

static int
queue(struct end *end, const struct op *op, int take_fence, struct outcome *o)
{
	struct kr_queue_input input = {.timestamp_ns = op->time};

	input.presentation.mode = op->a ? KR_PRESENT_MAILBOX : KR_PRESENT_FIFO;
	return kr_queue_queue(end->queue, op->slot, &input, take_fence, &o->number);
}

static int
attach(struct end *end, const struct op *op, struct outcome *o)
{
	struct kr_buffer *buffer = choose(end, op);
	int err = buffer ? kr_queue_attach(end->queue, buffer, 0, &o->slot) : -ENOMEM;

	if (!err) {
		forget_kept(end, buffer);
		o->buffer = id_of(buffer);
	}
	kr_buffer_unref(buffer);
	return err;
}

static int
detach(struct end *end, const struct op *op, struct outcome *o)
{
	struct kr_buffer *buffer;
	int fence = -1;
	int err = op->kind == P_DETACH ? kr_queue_detach(end->queue, op->slot, &buffer)
				       : kr_queue_detach_next(end->queue, &buffer, &fence);

	if (err)
		return err;
	o->buffer = id_of(buffer);
	o->fence = cookie_of(fence);
	keep(end, buffer);
	return 0;
}

static int
say_last(struct end *end, struct outcome *o)
{
	struct kr_queue_last_frame last;
	int err = kr_queue_last_queued(end->queue, &last);

	if (err)
		return err;
	o->fence = cookie_of(last.fence);
	if (last.buffer)
		o->buffer = id_of(last.buffer);
	kr_buffer_unref(last.buffer);
	return 0;
}

static int
say_info(struct end *end, struct outcome *o)
{
	struct kr_queue_output output;

	kr_queue_get_output(end->queue, &output);
	o->info[0] = kr_queue_min_undequeued(end->queue);
	o->info[1] = output.max_buffers;
	o->info[2] = (int64_t)output.next_frame;
	o->info[3] = output.pending;
	o->info[4] = kr_queue_running_behind(end->queue);
	o->info[5] = output.transform_hint;
	return 0;
}

static int
request(struct end *end, const struct op *op, struct outcome *o)
{
	struct kr_buffer *buffer;
	int err = kr_queue_request_buffer(end->queue, op->slot, &buffer);

	if (!err)
		o->buffer = id_of(buffer);
	return err;
}

static int
disconnect(struct end *end, const struct op *op)
{
	static const int apis[] = {NATIVE_WINDOW_API_EGL, NATIVE_WINDOW_API_MEDIA, KR_API_CURRENT};

	return kr_queue_disconnect(end->queue, apis[op->a]);
}

static int
set(struct end *end, const struct op *op)
{
	static const int64_t timeouts[] = {-1, 0, 1000000000};
	const struct kr_queue_request whole = {0};
	const struct kr_frame_rate rate = {(float)op->a, 0, 0};

	switch (op->kind) {
	case P_ALLOCATE:
		return kr_queue_allocate(end->queue, &whole);
	case P_SET_ASYNC:
		return kr_queue_set_async(end->queue, op->a);
	case P_SET_MAX_DEQUEUED:
		return kr_queue_set_max_dequeued(end->queue, op->a);
	case P_SET_COUNT:
		return kr_queue_set_buffer_count(end->queue, op->a);
	case P_SET_TIMEOUT:
		return kr_queue_set_timeout(end->queue, timeouts[op->a]);
	case P_SET_SHARED:
		return kr_queue_set_shared(end->queue, op->a);
	case P_SET_REFRESH:
		return kr_queue_set_auto_refresh(end->queue, op->a);
	case P_SET_GENERATION:
		kr_queue_set_generation(end->queue, op->a);
		return 0;
	case P_ALLOW:
		kr_queue_allow_allocation(end->queue, op->a);
		return 0;
	case P_LEGACY:
		return kr_queue_set_legacy_drop(end->queue, op->a);
	case P_PREROTATE:
		kr_queue_set_auto_prerotation(end->queue, op->a);
		return 0;
	default:
		return kr_queue_set_frame_rate(end->queue, &rate);
	}
}

static int
do_producers(struct end *end, const struct op *op, int take_fence, struct outcome *o)
{
	switch (op->kind) {
	case P_CONNECT:
		return kr_queue_connect_as(end->queue, NATIVE_WINDOW_API_EGL, op->a, NULL);
	case P_DISCONNECT:
		return disconnect(end, op);
	case P_DEQUEUE:
		return dequeue(end, op, o);
	case P_REQUEST:
		return request(end, op, o);
	case P_QUEUE:
		return queue(end, op, take_fence, o);
	case P_CANCEL:
		return kr_queue_cancel(end->queue, op->slot, take_fence);
	case P_ATTACH:
		return attach(end, op, o);
	case P_DETACH:
	case P_DETACH_NEXT:
		return detach(end, op, o);
	case P_LAST:
		return say_last(end, o);
	case P_INFO:
		return say_info(end, o);
	default:
		return set(end, op);
	}
}

/* ---- the consumer ---- */

static void
hold(struct end *end, const struct kr_frame *frame)
{
	for (uint32_t i = 0; i < end->held_count; i++) {
		if (end->held[i].slot == frame->slot) {
			end->held[i] = *frame;
			return;
		}
	}
	end->held[end->held_count++] = *frame;
}

static void
unhold(struct end *end, uint32_t which)
{
	memmove(end->held + which, end->held + which + 1,
		(--end->held_count - which) * sizeof(end->held[0]));
}

static int
acquire(struct end *end, const struct op *op, struct outcome *o)
{
	const struct kr_acquire how = {
		.expected_ns = op->time, .max_number = op->number, .extra = op->a, .again = op->b};
	struct kr_frame frame;
	int err = kr_consumer_acquire_at(end->consumer, &how, &frame);

	if (err)
		return err;
	o->slot = frame.slot;
	o->number = frame.number;
	o->buffer = id_of(frame.buffer);
	o->fence = cookie_of(frame.acquire_fence);
	hold(end, &frame);
	return 0;
}

static int
release(struct end *end, const struct op *op, int take_fence)
{
	struct kr_frame frame;
	int err;

	if (op->a >= end->held_count) {
		kr_fd_close(&take_fence);
		return -ESTALE;
	}
	frame = end->held[op->a];
	frame.number -= op->b;
	err = kr_consumer_release(end->consumer, &frame, take_fence);
	if (!op->b)
		unhold(end, op->a);
	return err;
}

static int
detach_held(struct end *end, const struct op *op, struct outcome *o)
{
	struct kr_buffer *buffer;
	int err = op->a < end->held_count
		? kr_consumer_detach(end->consumer, &end->held[op->a], &buffer)
		: -ESTALE;

	if (err)
		return err;
	o->buffer = id_of(buffer);
	unhold(end, op->a);
	if (op->b)
		keep_at(end, op->b - 1, buffer);
	else
		keep(end, buffer);
	return 0;
}

static int
attach_far(struct end *end, const struct op *op, struct outcome *o)
{
	struct kr_buffer *buffer = choose(end, op);
	struct kr_frame frame;
	int err = buffer ? kr_consumer_attach(end->consumer, buffer, &frame) : -ENOMEM;

	if (!err) {
		o->buffer = id_of(buffer);
		o->slot = frame.slot;
		hold(end, &frame);
		forget_kept(end, buffer);
	}
	kr_buffer_unref(buffer);
	return err;
}

static void
change(struct end *end, const struct op *op)
{
	const struct kr_queue_settings settings = {.set = KR_SETTING_FORMAT, .format = op->b};

	kr_consumer_configure(end->consumer, op->a, op->a / 2, op->c);
	if (op->b)
		kr_consumer_set_settings(end->consumer, &settings);
}

void
end_do(struct end *end, const struct op *op, int take_fence, struct outcome *o)
{
	memset(o, 0, sizeof(*o));
	switch (op->kind) {
	case C_ACQUIRE:
		o->err = acquire(end, op, o);
		break;
	case C_RELEASE:
		o->err = release(end, op, take_fence);
		break;
	case C_DETACH:
		o->err = detach_held(end, op, o);
		break;
	case C_ATTACH:
		o->err = attach_far(end, op, o);
		break;
	case C_SET_MAX_ACQUIRED:
		o->err = kr_consumer_set_max_acquired(end->consumer, op->a);
		break;
	case C_SET_MAX_BUFFERS:
		o->err = kr_consumer_set_max_buffers(end->consumer, op->a);
		break;
	case C_SETTINGS:
		change(end, op);
		break;
	case C_DISCARD:
		kr_consumer_discard_free(end->consumer);
		break;
	default:
		o->err = do_producers(end, op, take_fence, o);
	}
}

/* ---- what is heard ---- */

void
end_listen(struct end *end)
{
	struct pollfd p;

	if (end->queue) {
		end->gone = !kr_queue_alive(end->queue);
		return;
	}
	p = (struct pollfd){.fd = kr_consumer_fd(end->consumer), .events = POLLIN};
	while (end->remote && !end->gone && poll(&p, 1, 0) == 1)
		end->gone = kr_consumer_dispatch(end->consumer) != 0;
}

static int
pop(struct end *end, struct kr_notice *notice)
{
	return end->queue ? kr_queue_next_notice(end->queue, notice)
			  : kr_notice_ring_pop(end->ring, notice);
}

void
end_hear(struct end *end, struct actor_notices *notices)
{
	struct kr_notice n;

	notices->count = 0;
	notices->out_of_order = false;
	while (notices->count < ACTOR_NOTICES && !pop(end, &n)) {
		notices->list[notices->count++] =
			(struct actor_notice){n.kind, n.slot, n.number, n.other, n.buffer_id};
		notices->out_of_order |= n.ticket != ++end->tickets;
	}
}

void
end_finish(struct end *end)
{
	for (uint32_t i = 0; i < KEPT; i++)
		kr_buffer_unref(end->kept[i]);
	kr_consumer_destroy(end->consumer);
	kr_queue_unref(end->queue);
	kr_notice_ring_destroy(end->ring);
	memset(end, 0, sizeof(*end));
}
