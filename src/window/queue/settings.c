/* SPDX-License-Identifier: Apache-2.0 */
/* What either end sets and asks, but for how many buffers there may be (limits.c). */
#include "window/queue/far_end.h"

#include <errno.h>
#include <math.h>

#include "util/clock.h"
#include "util/log.h"
#include "window/queue/core.h"
#include "window/queue/sink.h"

int64_t
kr_queue_timeout(struct kr_queue *queue)
{
	int64_t timeout;

	kr_mutex_lock(&queue->lock);
	timeout = queue->timeout_ns;
	kr_mutex_unlock(&queue->lock);
	return timeout;
}

int
kr_queue_set_legacy_drop(struct kr_queue *queue, bool drop)
{
	int err = 0;

	kr_mutex_lock(&queue->lock);
	if (queue->abandoned)
		err = -ENODEV;
	else
		queue->legacy_drop = drop;
	kr_mutex_unlock(&queue->lock);
	return err;
}

void
kr_queue_allow_allocation(struct kr_queue *queue, bool allow)
{
	kr_mutex_lock(&queue->lock);
	queue->allows_allocation = allow;
	kr_queue_wake_locked(queue);
	kr_mutex_unlock(&queue->lock);
}

void
kr_queue_set_generation(struct kr_queue *queue, uint32_t generation)
{
	const struct kr_sink_impl *impl = queue->sink->impl;

	kr_mutex_lock(&queue->lock);
	if (!kr_queue_enter_sink_locked(queue, KR_FOREVER)) {
		queue->buffer_generation = generation;
		kr_mutex_unlock(&queue->lock);
		if (impl->set_generation)
			impl->set_generation(queue->sink, generation);
		kr_mutex_lock(&queue->lock);
		kr_queue_leave_sink_locked(queue);
	}
	kr_mutex_unlock(&queue->lock);
}

uint32_t
kr_queue_generation(struct kr_queue *queue)
{
	uint32_t generation;

	kr_mutex_lock(&queue->lock);
	generation = queue->buffer_generation;
	kr_mutex_unlock(&queue->lock);
	return generation;
}

void
kr_queue_set_auto_prerotation(struct kr_queue *queue, bool on)
{
	kr_mutex_lock(&queue->lock);
	queue->auto_prerotation = on;
	kr_mutex_unlock(&queue->lock);
}

int
kr_frame_rate_check(const struct kr_frame_rate *rate)
{
	bool known = rate->compatibility == NATIVE_WINDOW_FRAME_RATE_COMPATIBILITY_DEFAULT ||
		rate->compatibility == NATIVE_WINDOW_FRAME_RATE_COMPATIBILITY_FIXED_SOURCE;

	if (!isfinite(rate->rate) || rate->rate < 0 || !known)
		return -EINVAL;
	return rate->strategy == NATIVE_WINDOW_CHANGE_FRAME_RATE_ONLY_IF_SEAMLESS ||
			rate->strategy == NATIVE_WINDOW_CHANGE_FRAME_RATE_ALWAYS
		? 0
		: -EINVAL;
}

int
kr_queue_set_frame_rate(struct kr_queue *queue, const struct kr_frame_rate *rate)
{
	const struct kr_sink_impl *impl = queue->sink->impl;
	struct kr_log_hold hold;
	int err = kr_frame_rate_check(rate);

	if (err)
		return err;
	if (!impl->set_frame_rate)
		return -EOPNOTSUPP;
	kr_log_hold_begin(&hold);
	kr_mutex_lock(&queue->lock);
	err = queue->abandoned ? -ENODEV : kr_queue_enter_sink_locked(queue, KR_FOREVER);
	if (!err) {
		kr_mutex_unlock(&queue->lock);
		err = impl->set_frame_rate(queue->sink, rate);
		kr_mutex_lock(&queue->lock);
		if (err == -EPIPE) {
			kr_queue_abandon_locked(queue);
			err = -ENODEV;
		}
		kr_queue_leave_sink_locked(queue);
	}
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
	return err;
}

void
kr_queue_get_config(struct kr_queue *queue, struct kr_queue_config *config)
{
	kr_mutex_lock(&queue->lock);
	*config = queue->config;
	kr_mutex_unlock(&queue->lock);
}

static void
fill_output_locked(const struct kr_queue *queue, struct kr_queue_output *output)
	KR_REQUIRES(queue->lock)
{
	*output = (struct kr_queue_output){
		.width = queue->config.default_width,
		.height = queue->config.default_height,
		.transform_hint = queue->hint_in_use,
		.pending = kr_queue_pending_locked(queue),
		.next_frame = queue->frames + 1,
		.max_buffers = queue->config.max_buffers,
	};
}

void
kr_queue_get_output(struct kr_queue *queue, struct kr_queue_output *output)
{
	kr_mutex_lock(&queue->lock);
	fill_output_locked(queue, output);
	kr_mutex_unlock(&queue->lock);
}

void
kr_queue_configure(struct kr_queue *queue, uint32_t width, uint32_t height, uint32_t transform_hint)
{
	kr_mutex_lock(&queue->lock);
	if (width && height) {
		queue->config.default_width = width;
		queue->config.default_height = height;
	}
	if (transform_hint != KR_HINT_SAME)
		queue->config.transform_hint = transform_hint;
	kr_mutex_unlock(&queue->lock);
}

void
kr_queue_set_settings(struct kr_queue *queue, const struct kr_queue_settings *settings)
{
	struct kr_queue_config *config = &queue->config;

	kr_mutex_lock(&queue->lock);
	if (settings->set & KR_SETTING_FORMAT)
		config->default_format = settings->format;
	if (settings->set & KR_SETTING_DATASPACE)
		config->default_dataspace = settings->dataspace;
	if (settings->set & KR_SETTING_USAGE)
		config->consumer_usage = settings->usage;
	if (settings->set & KR_SETTING_PROTECTED)
		config->is_protected = settings->is_protected;
	if (settings->set & KR_SETTING_REFRESH) {
		config->refresh_ns = settings->refresh_ns;
		config->timing.phase_ns = settings->phase_ns;
	}
	kr_mutex_unlock(&queue->lock);
}

void
kr_queue_set_activity(struct kr_queue *queue, bool tells)
{
	kr_mutex_lock(&queue->lock);
	queue->tells_activity = tells;
	kr_mutex_unlock(&queue->lock);
}

void
kr_queue_discard_free(struct kr_queue *queue)
{
	kr_mutex_lock(&queue->lock);
	for (uint32_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		struct kr_slot *slot = &queue->slots[i];

		if (slot->state == KR_SLOT_FREE && slot->buffer && !slot->doomed)
			kr_queue_doom_locked(queue, slot, true);
	}
	/* Who is inside the sink sweeps when he leaves the far end's word. */
	if (queue->doomed && kr_queue_sweep_by_locked(queue, 0))
		kr_debug("discardFree: the buffers go with the next call");
	kr_mutex_unlock(&queue->lock);
}
