/* SPDX-License-Identifier: Apache-2.0 */
/* The queue: its life, who is connected, and slots that come back. */
#include "window/queue/far_end.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/queue/core.h"

/* What isn't said is Android's. */
static int
read_config(const struct kr_queue_config *from, struct kr_queue_config *config)
{
	*config = *from;
	if (!config->default_width && !config->default_height)
		config->default_width = config->default_height = 1;
	if (!config->default_format)
		config->default_format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;
	if (!config->max_buffers)
		config->max_buffers = KR_QUEUE_SLOTS;
	if (!config->default_width || !config->default_height ||
		!kr_format_is_shown(config->default_format))
		return -EINVAL;
	if (!config->max_acquired || config->max_acquired > KR_QUEUE_MAX_ACQUIRED)
		return -EINVAL;
	/* The producer has one, too. */
	return config->max_buffers > config->max_acquired && config->max_buffers <= KR_QUEUE_SLOTS
		? 0
		: -EINVAL;
}

static void
init_state(struct kr_queue *queue, const struct kr_queue_config *config) KR_NO_THREAD_SAFETY
{
	atomic_init(&queue->refs, 1);
	kr_mutex_init(&queue->lock);
	kr_cond_init(&queue->changed);
	queue->config = *config;
	kr_abilities_complete(&queue->config.abilities);
	queue->max_dequeued = 1;
	queue->shared_slot = KR_QUEUE_SLOTS;
	queue->allows_allocation = queue->legacy_drop = true;
	queue->timeout_ns = -1;
	queue->notices_fd = -1;
	queue->last = (struct kr_queue_last){.slot = KR_QUEUE_SLOTS, .fence = -1};
	queue->hint_in_use = config->transform_hint;
	kr_wanted_init(&queue->wanted);
	for (size_t i = 0; i < KR_QUEUE_SLOTS; i++)
		queue->slots[i].fence = -1;
	for (size_t i = 0; i < KR_FRAME_HISTORY; i++)
		queue->history[i].fence = -1;
	queue->shown_is_event = queue->config.abilities.tells_shown &&
		!(config->timing.events & 1 << KR_EVENT_SHOWN);
	queue->ready_is_event = queue->shown_is_event && queue->sink->impl->ready_frames &&
		!(config->timing.events & 1 << KR_EVENT_READY);
	if (queue->shown_is_event)
		queue->config.timing.events |= 1 << KR_EVENT_SHOWN;
	if (queue->ready_is_event)
		queue->config.timing.events |= 1 << KR_EVENT_READY | 1 << KR_EVENT_LATCH;
}

int
kr_queue_create(
	const struct kr_queue_config *config, struct kr_sink *take_sink, struct kr_queue **queue)
{
	struct kr_queue_config read;
	struct kr_queue *q = NULL;
	int err = read_config(config, &read);

	if (err)
		goto err_sink;
	err = -ENOMEM;
	q = calloc(1, sizeof(*q));
	if (!q)
		goto err_sink;
	q->sink = take_sink;
	q->sink_polls = take_sink->impl->poll_fds != NULL;
	q->wake = -1;
	if (q->sink_polls) {
		q->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		err = -errno;
		if (q->wake < 0)
			goto err_sink;
	}
	init_state(q, &read);
	kr_queue_set_label(q, NULL);
	take_sink->impl->attach(take_sink, q);
	*queue = q;
	return 0;

err_sink:
	free(q);
	take_sink->impl->destroy(take_sink);
	return err;
}

struct kr_queue *
kr_queue_ref(struct kr_queue *queue)
{
	atomic_fetch_add_explicit(&queue->refs, 1, memory_order_relaxed);
	return queue;
}

bool
kr_queue_try_ref(struct kr_queue *queue)
{
	unsigned refs = atomic_load_explicit(&queue->refs, memory_order_relaxed);

	while (refs) {
		if (atomic_compare_exchange_weak_explicit(&queue->refs, &refs, refs + 1,
			    memory_order_acquire, memory_order_relaxed))
			return true;
	}
	return false;
}

/* Nobody else knows the queue any more, but the sink may still release from a thread of its own. */
static void
destroy_queue(struct kr_queue *queue) KR_NO_THREAD_SAFETY
{
	bool alone = kr_gate_finish(queue);

	queue->sink->impl->destroy(queue->sink);
	for (size_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		kr_fd_close(&queue->slots[i].fence);
		kr_buffer_unref(queue->slots[i].buffer);
	}
	for (size_t i = 0; i < KR_FRAME_HISTORY; i++)
		kr_fd_close(&queue->history[i].fence);
	kr_fd_close(&queue->wake);
	kr_fd_close(&queue->last.fence);
	kr_fd_close(&queue->notices_fd);
	kr_notice_ring_destroy(queue->notices);
	if (alone)
		kr_cond_finish(&queue->changed);
	kr_mutex_finish(&queue->lock);
	free(queue);
}

void
kr_queue_unref(struct kr_queue *queue)
{
	if (queue && atomic_fetch_sub_explicit(&queue->refs, 1, memory_order_acq_rel) == 1)
		destroy_queue(queue);
}

void
kr_queue_abandon(struct kr_queue *queue)
{
	kr_mutex_lock(&queue->lock);
	kr_queue_abandon_locked(queue);
	kr_mutex_unlock(&queue->lock);
}

void
kr_queue_set_label(struct kr_queue *queue, const char *label)
{
	if (!label || !label[0])
		label = program_invocation_short_name;
	kr_mutex_lock(&queue->lock);
	memset(queue->label, 0, sizeof(queue->label));
	memcpy(queue->label, label, strnlen(label, KR_QUEUE_LABEL_MAX));
	kr_mutex_unlock(&queue->lock);
}

int
kr_queue_release(struct kr_queue *queue, uint32_t slot, uint64_t number, int take_fence)
{
	int err = -ESTALE;

	kr_mutex_lock(&queue->lock);
	if (slot < KR_QUEUE_SLOTS && number && queue->slots[slot].at_sink == number) {
		/* Of a connection that is over: nobody will tell what became of it. */
		if (queue->slots[slot].stale && number != KR_FRAME_BROUGHT)
			kr_queue_shown_locked(queue, number);
		if (!queue->slots[slot].stale)
			kr_queue_tell_locked(
				queue, KR_NOTICE_RELEASED, &queue->slots[slot], number);
		kr_queue_came_back_locked(queue, number, take_fence);
		kr_queue_free_slot_locked(queue, &queue->slots[slot], take_fence);
		queue->told_waiting = false;
		queue->silent_since = 0;
		err = 0;
	} else if (slot < KR_QUEUE_SLOTS && number && queue->slots[slot].shared &&
		number < queue->slots[slot].at_sink) {
		/* Of a shared slot in which the next frame is queued: that one is given back. */
		if (queue->slots[slot].taken == number)
			queue->slots[slot].taken = 0;
		kr_fd_close(&take_fence);
		err = 0;
	}
	kr_mutex_unlock(&queue->lock);
	if (err)
		kr_fd_close(&take_fence);
	return err;
}

void
kr_queue_taken(struct kr_queue *queue, uint32_t slot, uint64_t number)
{
	kr_mutex_lock(&queue->lock);
	if (slot < KR_QUEUE_SLOTS && number && queue->slots[slot].at_sink) {
		queue->slots[slot].taken = number;
		/* A producer may wait because too much is queued. */
		kr_queue_wake_locked(queue);
	}
	kr_mutex_unlock(&queue->lock);
}

/* What holds for a connection alone. */
static void
begin_connection_locked(struct kr_queue *queue, int api, bool by_app) KR_REQUIRES(queue->lock)
{
	bool own = by_app && queue->config.by_app;

	queue->api = api;
	queue->connected_pid = getpid();
	queue->has_queued = false;
	queue->cannot_block = own && queue->timeout_ns < 0;
	queue->can_drop = own && queue->timeout_ns <= 0;
	queue->legacy_drop = true;
	queue->allows_allocation = true;
	queue->hint_in_use = queue->config.transform_hint;
	kr_queue_trim_locked(queue);
}

int
kr_queue_connect_as(struct kr_queue *queue, int api, bool by_app, struct kr_queue_output *output)
{
	int err = 0;

	kr_mutex_lock(&queue->lock);
	if (queue->abandoned)
		err = -ENODEV;
	else if (queue->api || api < NATIVE_WINDOW_API_EGL || api > NATIVE_WINDOW_API_CAMERA)
		err = -EINVAL;
	else
		begin_connection_locked(queue, api, by_app);
	kr_mutex_unlock(&queue->lock);
	if (!err && output)
		kr_queue_get_output(queue, output);
	return err;
}

int
kr_queue_connect(struct kr_queue *queue, int api)
{
	return kr_queue_connect_as(queue, api, true, NULL);
}

/* What isn't with the sink is doomed now, the rest when it returns. */
static void
forget_buffers_locked(struct kr_queue *queue) KR_REQUIRES(queue->lock)
{
	for (size_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		struct kr_slot *slot = &queue->slots[i];

		if (slot->at_sink) {
			slot->state = KR_SLOT_QUEUED;
			slot->stale = true;
			continue;
		}
		if (slot->allocating || !slot->buffer || slot->doomed)
			continue;
		slot->state = KR_SLOT_FREE;
		kr_queue_doom_locked(queue, slot, false);
	}
}

static void
end_connection_locked(struct kr_queue *queue) KR_REQUIRES(queue->lock)
{
	const struct kr_sink_impl *impl = queue->sink->impl;

	queue->api = 0;
	queue->connected_pid = 0;
	queue->has_queued = false;
	queue->async = false;
	queue->max_dequeued = 1;
	queue->auto_prerotation = false;
	queue->generation++;
	kr_queue_end_sharing_locked(queue);
	kr_queue_clear_last_locked(queue);
	forget_buffers_locked(queue);
	kr_queue_wake_locked(queue);
	if (kr_queue_enter_sink_locked(queue, KR_FOREVER))
		return;
	kr_queue_sweep_locked(queue);
	if (impl->disconnected && !queue->abandoned) {
		kr_mutex_unlock(&queue->lock);
		impl->disconnected(queue->sink);
		kr_mutex_lock(&queue->lock);
	}
	kr_queue_leave_sink_locked(queue);
}

static int
check_disconnect_locked(const struct kr_queue *queue, int api) KR_REQUIRES(queue->lock)
{
	if (queue->abandoned)
		return 0;
	if (api == KR_API_CURRENT)
		return 0;
	if (api < NATIVE_WINDOW_API_EGL || api > NATIVE_WINDOW_API_CAMERA)
		return -EINVAL;
	if (!queue->api)
		return -ENODEV;
	return queue->api == api ? 0 : -EINVAL;
}

int
kr_queue_disconnect(struct kr_queue *queue, int api)
{
	struct kr_log_hold hold;
	int err;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&queue->lock);
	err = check_disconnect_locked(queue, api);
	if (!err && queue->api && (api == KR_API_CURRENT || api == queue->api))
		end_connection_locked(queue);
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
	return err;
}

int
kr_queue_disconnect_local(struct kr_queue *queue)
{
	bool here;

	kr_mutex_lock(&queue->lock);
	here = queue->connected_pid == getpid();
	kr_mutex_unlock(&queue->lock);
	return here ? kr_queue_disconnect(queue, KR_API_CURRENT) : 0;
}
