/* SPDX-License-Identifier: Apache-2.0 */
/* What the two kinds of consumer share: the functions behind kr_consumer_*. */
#ifndef KR_WINDOW_CONSUMER_BASE_H
#define KR_WINDOW_CONSUMER_BASE_H

#include "window/consumer/consumer.h"
#include "window/queue/far_end.h"

/* All required; contracts as in consumer.h. */
struct kr_consumer_impl {
	int (*fd)(const struct kr_consumer *consumer);
	int (*dispatch)(struct kr_consumer *consumer);
	int (*acquire)(
		struct kr_consumer *consumer, const struct kr_acquire *how, struct kr_frame *frame);
	int (*peek)(struct kr_consumer *consumer, uint32_t index, struct kr_frame *frame);
	/* events: NULL: nothing is told */
	int (*release)(struct kr_consumer *consumer, const struct kr_frame *frame, int take_fence,
		const struct kr_frame_events *events);
	int (*detach)(struct kr_consumer *consumer, const struct kr_frame *frame,
		struct kr_buffer **buffer);
	int (*attach)(
		struct kr_consumer *consumer, struct kr_buffer *buffer, struct kr_frame *frame);
	int (*set_max_acquired)(struct kr_consumer *consumer, uint32_t count);
	int (*set_max_buffers)(struct kr_consumer *consumer, uint32_t count);
	void (*set_settings)(
		struct kr_consumer *consumer, const struct kr_queue_settings *settings);
	void (*discard_free)(struct kr_consumer *consumer);
	void (*set_activity)(struct kr_consumer *consumer, bool tells);
	int (*set_wants)(struct kr_consumer *consumer, const struct kr_wants *wants);
	void (*shown)(struct kr_consumer *consumer, uint64_t number, int64_t time_ns);
	void (*tell_events)(struct kr_consumer *consumer, const struct kr_frame_events *events);
	void (*configure)(struct kr_consumer *consumer, uint32_t width, uint32_t height,
		uint32_t transform_hint);
	void (*vblank)(struct kr_consumer *consumer, uint64_t count, int64_t time_ns);
	const char *(*label)(const struct kr_consumer *consumer);
	int (*pid)(const struct kr_consumer *consumer);
	void (*destroy)(struct kr_consumer *consumer);
};

/* First member of every consumer. */
struct kr_consumer {
	const struct kr_consumer_impl *impl;
};

#endif
