/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The consumer in the producer's process. Sink and consumer are two faces of one object that lives
 * until both are gone. Lock order: local.lock before queue.lock; the queue never calls in here
 * under its own.
 */
#include "window/consumer/consumer.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "gralloc/buffer.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/mutex.h"
#include "window/consumer/backlog.h"
#include "window/consumer/base.h"
#include "window/queue/sink.h"

struct local {
	struct kr_sink sink;
	struct kr_consumer consumer;
	struct kr_consumer_events events;
	void *data;
	struct kr_mutex lock;
	struct kr_cond quiet; /* no event function is running */
	uint32_t max_held KR_GUARDED_BY(lock);
	bool tells_activity KR_GUARDED_BY(lock);    /* for the queue, if it comes later */
	struct kr_queue *queue KR_GUARDED_BY(lock); /* NULL: not attached, or destroyed */
	struct kr_backlog backlog KR_GUARDED_BY(lock);
	struct kr_wants wants KR_GUARDED_BY(lock); /* for the queue, if it comes later */
	bool has_wants KR_GUARDED_BY(lock);
	bool watched KR_GUARDED_BY(lock); /* the next vertical blank is to be told */
	bool sink_gone KR_GUARDED_BY(lock);
	bool consumer_gone KR_GUARDED_BY(lock);
	unsigned calling KR_GUARDED_BY(lock); /* event functions that run */
	pthread_t caller KR_GUARDED_BY(lock); /* of the last one */
};

static const struct kr_sink_impl sink_impl;
static const struct kr_consumer_impl consumer_impl;

static struct local *
from_sink(struct kr_sink *sink)
{
	assert(sink->impl == &sink_impl);
	return kr_container_of(sink, struct local, sink);
}

static struct local *
from_consumer(const struct kr_consumer *consumer)
{
	assert(consumer->impl == &consumer_impl);
	return kr_container_of((uintptr_t)consumer, struct local, consumer);
}

static void
free_local(struct local *local) KR_NO_THREAD_SAFETY
{
	kr_backlog_finish(&local->backlog);
	kr_cond_finish(&local->quiet);
	kr_mutex_finish(&local->lock);
	free(local);
}

/* Before an event function runs; false when nobody listens any more. */
static bool
begin_event(struct local *local)
{
	bool listens;

	kr_mutex_lock(&local->lock);
	listens = !local->consumer_gone;
	local->calling += listens;
	local->caller = pthread_self();
	kr_mutex_unlock(&local->lock);
	return listens;
}

static void
end_event(struct local *local)
{
	kr_mutex_lock(&local->lock);
	local->calling--;
	kr_cond_broadcast(&local->quiet);
	kr_mutex_unlock(&local->lock);
}

/* Tells the consumer without any lock held. */
static void
tell(struct local *local, void (*event)(void *data))
{
	if (!event || !begin_event(local))
		return;
	event(local->data);
	end_event(local);
}

static void
tell_replaced(struct local *local, uint64_t number)
{
	if (!local->events.frame_replaced || !begin_event(local))
		return;
	local->events.frame_replaced(local->data, number);
	end_event(local);
}

static void
notice(struct local *local, const struct kr_notice *what)
{
	if (!local->events.noticed || !begin_event(local))
		return;
	local->events.noticed(local->data, what);
	end_event(local);
}

static void
local_attach(struct kr_sink *sink, struct kr_queue *queue)
{
	struct local *local = from_sink(sink);
	struct kr_queue_config config;
	bool gone;

	kr_queue_get_config(queue, &config);
	kr_mutex_lock(&local->lock);
	local->queue = queue;
	local->max_held = config.max_acquired + 1;
	if (local->has_wants)
		kr_queue_set_wants(queue, &local->wants);
	if (local->tells_activity)
		kr_queue_set_activity(queue, true);
	gone = local->consumer_gone;
	kr_mutex_unlock(&local->lock);
	if (gone)
		kr_queue_abandon(queue);
}

/* Nobody has read it: it may be written again once the producer is done with it. */
static void
give_up(struct kr_queue *queue, const struct kr_frame *take_frame)
{
	struct kr_frame_events events;

	kr_frame_end_events(take_frame->number, &events);
	kr_queue_events(queue, &events);
	(void)kr_queue_release(
		queue, take_frame->slot, take_frame->number, take_frame->acquire_fence);
	kr_buffer_unref(take_frame->buffer);
}

static void
tell_frame(struct local *local, const struct kr_frame *frame, uint64_t buffer_id,
	const struct kr_frame *replaced)
{
	notice(local,
		&(struct kr_notice){
			.kind = replaced ? KR_NOTICE_REPLACED : KR_NOTICE_AVAILABLE,
			.slot = frame->slot,
			.number = frame->number,
			.other = replaced ? replaced->number : 0,
			.buffer_id = buffer_id,
		});
	if (replaced)
		tell_replaced(local, replaced->number);
	tell(local, local->events.frame_available);
}

static int
local_submit(struct kr_sink *sink, const struct kr_frame *frame)
{
	struct local *local = from_sink(sink);
	/* Once it is pushed the consumer may be done with it at any time. */
	uint64_t buffer_id = kr_buffer_get_info(frame->buffer)->id;
	int fence = frame->acquire_fence;
	struct kr_queue *queue;
	struct kr_frame old;
	bool replaced;

	kr_mutex_lock(&local->lock);
	if (local->consumer_gone) {
		kr_mutex_unlock(&local->lock);
		kr_fd_close(&fence);
		return -EPIPE;
	}
	queue = local->queue;
	replaced = kr_backlog_push(&local->backlog, frame, false, &old);
	kr_mutex_unlock(&local->lock);
	if (replaced)
		give_up(queue, &old);
	tell_frame(local, frame, buffer_id, replaced ? &old : NULL);
	return 0;
}

static void
tell_buffer(struct local *local, enum kr_notice_kind kind, uint32_t slot, uint64_t buffer_id)
{
	notice(local, &(struct kr_notice){.kind = kind, .slot = slot, .buffer_id = buffer_id});
}

static void
local_remove_buffer(struct kr_sink *sink, uint32_t slot, struct kr_buffer *buffer)
{
	tell_buffer(from_sink(sink), KR_NOTICE_GONE, slot, kr_buffer_get_info(buffer)->id);
}

static void
local_detach_buffer(struct kr_sink *sink, uint32_t slot, struct kr_buffer *buffer)
{
	tell_buffer(from_sink(sink), KR_NOTICE_DETACHED, slot, kr_buffer_get_info(buffer)->id);
}

static void
local_activity(struct kr_sink *sink, uint32_t slot, uint64_t buffer_id, bool cancelled)
{
	tell_buffer(from_sink(sink), cancelled ? KR_NOTICE_CANCELLED : KR_NOTICE_DEQUEUED, slot,
		buffer_id);
}

static void
local_disconnected(struct kr_sink *sink)
{
	notice(from_sink(sink), &(struct kr_notice){.kind = KR_NOTICE_DISCONNECTED});
}

static int
local_set_frame_rate(struct kr_sink *sink, const struct kr_frame_rate *rate)
{
	struct local *local = from_sink(sink);

	if (!local->events.noticed)
		return -EOPNOTSUPP;
	notice(local, &(struct kr_notice){.kind = KR_NOTICE_RATE, .rate = *rate});
	return 0;
}

static void
local_waiting(struct kr_sink *sink)
{
	struct local *local = from_sink(sink);

	tell(local, local->events.producer_waiting);
}

static void
tell_watched(struct local *local, bool on)
{
	if (!local->events.vblank_watched || !begin_event(local))
		return;
	local->events.vblank_watched(local->data, on);
	end_event(local);
}

static int
local_watch_vblank(struct kr_sink *sink)
{
	struct local *local = from_sink(sink);

	kr_mutex_lock(&local->lock);
	local->watched = true;
	kr_mutex_unlock(&local->lock);
	tell_watched(local, true);
	return 0;
}

static void
local_describe(struct kr_sink *sink, const char *device)
{
	struct local *local = from_sink(sink);

	if (!local->events.producer_described || !begin_event(local))
		return;
	local->events.producer_described(local->data, device);
	end_event(local);
}

static void
local_sink_destroy(struct kr_sink *sink)
{
	struct local *local = from_sink(sink);
	bool last;

	tell(local, local->events.disconnected);
	kr_mutex_lock(&local->lock);
	local->queue = NULL;
	local->sink_gone = true;
	last = local->consumer_gone;
	kr_mutex_unlock(&local->lock);
	if (last)
		free_local(local);
}

static const struct kr_sink_impl sink_impl = {
	.name = "local",
	.attach = local_attach,
	.remove_buffer = local_remove_buffer,
	.detach_buffer = local_detach_buffer,
	.submit = local_submit,
	.waiting = local_waiting,
	.watch_vblank = local_watch_vblank,
	.describe = local_describe,
	.disconnected = local_disconnected,
	.activity = local_activity,
	.set_frame_rate = local_set_frame_rate,
	.tells_taken = true,
	.destroy = local_sink_destroy,
};

static int
local_fd(const struct kr_consumer *consumer)
{
	return -1;
}

static int
local_dispatch(struct kr_consumer *consumer)
{
	struct local *local = from_consumer(consumer);
	int err;

	kr_mutex_lock(&local->lock);
	err = local->sink_gone ? -EPIPE : 0;
	kr_mutex_unlock(&local->lock);
	return err;
}

/* What the time has overtaken. Under the lock, so that the queue can't be destroyed meanwhile. */
static void
drop_locked(struct local *local, const struct kr_acquire *how) KR_REQUIRES(local->lock)
{
	struct kr_frame old;

	while (kr_backlog_drop(&local->backlog, how, &old)) {
		if (local->queue) {
			give_up(local->queue, &old);
			continue;
		}
		kr_fd_close(&old.acquire_fence);
		kr_buffer_unref(old.buffer);
	}
}

static int
local_acquire(struct kr_consumer *consumer, const struct kr_acquire *how, struct kr_frame *frame)
{
	struct local *local = from_consumer(consumer);
	int err;

	kr_mutex_lock(&local->lock);
	drop_locked(local, how);
	err = kr_backlog_acquire(&local->backlog, how, local->max_held, frame);
	if (!err && local->queue)
		kr_queue_taken(local->queue, frame->slot, frame->number);
	if (err == -EAGAIN && local->sink_gone)
		err = -EPIPE;
	kr_mutex_unlock(&local->lock);
	return err;
}

static int
local_peek(struct kr_consumer *consumer, uint32_t index, struct kr_frame *frame)
{
	struct local *local = from_consumer(consumer);
	int err;

	kr_mutex_lock(&local->lock);
	err = kr_backlog_peek(&local->backlog, index, frame);
	kr_mutex_unlock(&local->lock);
	return err;
}

static int
local_release(struct kr_consumer *consumer, const struct kr_frame *frame, int take_fence,
	const struct kr_frame_events *events)
{
	struct local *local = from_consumer(consumer);
	struct kr_buffer *buffer;
	int err = 0;

	if (events)
		kr_consumer_tell_events(consumer, events);

	kr_mutex_lock(&local->lock);
	buffer = kr_backlog_release(&local->backlog, frame);
	if (!buffer && kr_backlog_passed(&local->backlog, frame)) {
		err = 0;
	} else if (!buffer) {
		err = -ESTALE;
	} else if (!local->queue) {
		err = -EPIPE;
	} else {
		/* Under the lock, so that the queue can't be destroyed meanwhile. */
		err = kr_queue_release(local->queue, frame->slot, frame->number, take_fence);
		take_fence = -1;
	}
	kr_mutex_unlock(&local->lock);
	kr_fd_close(&take_fence);
	kr_buffer_unref(buffer);
	return err;
}

static int
local_detach(struct kr_consumer *consumer, const struct kr_frame *frame, struct kr_buffer **buffer)
{
	struct local *local = from_consumer(consumer);
	struct kr_buffer *queues = NULL;
	int err;

	kr_mutex_lock(&local->lock);
	if (!kr_backlog_holds(&local->backlog, frame)) {
		err = -ESTALE;
	} else if (local->backlog.held[frame->slot].shared) {
		err = -EINVAL;
	} else {
		err = local->queue ? kr_queue_take_away(local->queue, frame->slot, frame->number,
					     false, &queues)
				   : 0;
		/* Whatever the queue knows of it, it is held here. */
		if (err != -EINVAL) {
			*buffer = kr_backlog_release(&local->backlog, frame);
			err = 0;
		}
	}
	kr_mutex_unlock(&local->lock);
	kr_buffer_unref(queues);
	return err;
}

/* The queue, with a reference: it is called without our lock. NULL: it is gone. */
static struct kr_queue *
hold_queue(struct local *local)
{
	struct kr_queue *queue;

	kr_mutex_lock(&local->lock);
	queue = local->queue && kr_queue_try_ref(local->queue) ? local->queue : NULL;
	kr_mutex_unlock(&local->lock);
	return queue;
}

static int
local_attach_buffer(struct kr_consumer *consumer, struct kr_buffer *buffer, struct kr_frame *frame)
{
	struct local *local = from_consumer(consumer);
	struct kr_queue *queue = hold_queue(local);
	uint32_t slot;
	int err;

	if (!queue)
		return -EPIPE;
	kr_mutex_lock(&local->lock);
	err = local->backlog.held_count < local->max_held ? 0 : -EBUSY;
	kr_mutex_unlock(&local->lock);
	if (!err)
		err = kr_queue_bring(queue, buffer, &slot);
	if (!err) {
		kr_mutex_lock(&local->lock);
		/* A consumer has one thread at a time: there is room still. */
		err = kr_backlog_hold(&local->backlog, slot, buffer, UINT32_MAX);
		kr_mutex_unlock(&local->lock);
		*frame = (struct kr_frame){.slot = slot,
			.number = KR_FRAME_BROUGHT,
			.buffer = buffer,
			.acquire_fence = -1,
			.format = (int32_t)kr_buffer_get_info(buffer)->desc.format,
			.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO};
	}
	kr_queue_unref(queue);
	return err;
}

static int
local_set_max_acquired(struct kr_consumer *consumer, uint32_t count)
{
	struct local *local = from_consumer(consumer);
	int err;

	kr_mutex_lock(&local->lock);
	if (!local->queue)
		err = -EPIPE;
	else if (local->backlog.held_count > count)
		err = -EINVAL;
	else
		err = kr_queue_set_max_acquired(local->queue, count);
	if (!err)
		local->max_held = count + 1;
	kr_mutex_unlock(&local->lock);
	return err;
}

static int
local_set_max_buffers(struct kr_consumer *consumer, uint32_t count)
{
	struct local *local = from_consumer(consumer);
	int err;

	kr_mutex_lock(&local->lock);
	err = local->queue ? kr_queue_set_max_buffers(local->queue, count) : -EPIPE;
	kr_mutex_unlock(&local->lock);
	return err;
}

static void
local_set_settings(struct kr_consumer *consumer, const struct kr_queue_settings *settings)
{
	struct local *local = from_consumer(consumer);

	kr_mutex_lock(&local->lock);
	if (local->queue)
		kr_queue_set_settings(local->queue, settings);
	kr_mutex_unlock(&local->lock);
}

static void
local_discard_free(struct kr_consumer *consumer)
{
	struct kr_queue *queue = hold_queue(from_consumer(consumer));

	/* The sink's functions are called in here. */
	if (queue)
		kr_queue_discard_free(queue);
	kr_queue_unref(queue);
}

static void
local_set_activity(struct kr_consumer *consumer, bool tells)
{
	struct local *local = from_consumer(consumer);

	kr_mutex_lock(&local->lock);
	local->tells_activity = tells;
	if (local->queue)
		kr_queue_set_activity(local->queue, tells);
	kr_mutex_unlock(&local->lock);
}

static int
local_set_wants(struct kr_consumer *consumer, const struct kr_wants *wants)
{
	struct local *local = from_consumer(consumer);
	int err = 0;

	kr_mutex_lock(&local->lock);
	local->wants = *wants;
	local->has_wants = true;
	if (local->queue)
		kr_queue_set_wants(local->queue, wants);
	else if (local->sink_gone)
		err = -EPIPE;
	kr_mutex_unlock(&local->lock);
	return err;
}

static void
local_shown(struct kr_consumer *consumer, uint64_t number, int64_t time_ns)
{
	struct local *local = from_consumer(consumer);

	kr_mutex_lock(&local->lock);
	if (local->queue)
		kr_queue_shown(local->queue, number, time_ns);
	kr_mutex_unlock(&local->lock);
}

static void
local_tell_events(struct kr_consumer *consumer, const struct kr_frame_events *events)
{
	struct local *local = from_consumer(consumer);

	kr_mutex_lock(&local->lock);
	if (local->queue)
		kr_queue_events(local->queue, events);
	kr_mutex_unlock(&local->lock);
}

static void
local_configure(
	struct kr_consumer *consumer, uint32_t width, uint32_t height, uint32_t transform_hint)
{
	struct local *local = from_consumer(consumer);

	kr_mutex_lock(&local->lock);
	if (local->queue)
		kr_queue_configure(local->queue, width, height, transform_hint);
	kr_mutex_unlock(&local->lock);
}

static void
local_vblank(struct kr_consumer *consumer, uint64_t count, int64_t time_ns)
{
	struct local *local = from_consumer(consumer);
	bool watched;

	kr_mutex_lock(&local->lock);
	watched = local->watched;
	local->watched = false;
	if (watched && local->queue)
		kr_queue_vblank(local->queue, count, time_ns);
	kr_mutex_unlock(&local->lock);
	if (watched)
		tell_watched(local, false);
}

static const char *
local_label(const struct kr_consumer *consumer)
{
	return "local";
}

static int
local_pid(const struct kr_consumer *consumer)
{
	return 0;
}

static void
local_destroy(struct kr_consumer *consumer)
{
	struct local *local = from_consumer(consumer);
	bool last;

	kr_mutex_lock(&local->lock);
	local->consumer_gone = true;
	if (local->queue)
		kr_queue_abandon(local->queue);
	/* An event function may destroy its own consumer. */
	while (local->calling && !pthread_equal(local->caller, pthread_self()))
		kr_cond_wait_until(&local->quiet, &local->lock, KR_FOREVER);
	kr_backlog_finish(&local->backlog);
	last = local->sink_gone;
	kr_mutex_unlock(&local->lock);
	if (last)
		free_local(local);
}

static const struct kr_consumer_impl consumer_impl = {
	.fd = local_fd,
	.dispatch = local_dispatch,
	.acquire = local_acquire,
	.peek = local_peek,
	.release = local_release,
	.detach = local_detach,
	.attach = local_attach_buffer,
	.set_max_acquired = local_set_max_acquired,
	.set_max_buffers = local_set_max_buffers,
	.set_settings = local_set_settings,
	.discard_free = local_discard_free,
	.set_activity = local_set_activity,
	.set_wants = local_set_wants,
	.shown = local_shown,
	.tell_events = local_tell_events,
	.configure = local_configure,
	.vblank = local_vblank,
	.label = local_label,
	.pid = local_pid,
	.destroy = local_destroy,
};

int
kr_consumer_local_create(const struct kr_consumer_events *events, void *data, struct kr_sink **sink,
	struct kr_consumer **consumer)
{
	struct local *local = calloc(1, sizeof(*local));

	if (!local)
		return -ENOMEM;
	local->sink.impl = &sink_impl;
	local->consumer.impl = &consumer_impl;
	if (events)
		local->events = *events;
	local->data = data;
	kr_mutex_init(&local->lock);
	kr_cond_init(&local->quiet);
	*sink = &local->sink;
	*consumer = &local->consumer;
	return 0;
}
