/* SPDX-License-Identifier: Apache-2.0 */
/* What the two kinds of consumer share: the functions behind kr_consumer_*. */
#ifndef KR_WINDOW_CONSUMER_BASE_H
#define KR_WINDOW_CONSUMER_BASE_H

#include "window/consumer/consumer.h"

/* All required; contracts as in consumer.h. */
struct kr_consumer_impl {
	int (*fd)(const struct kr_consumer *consumer);
	int (*dispatch)(struct kr_consumer *consumer);
	int (*acquire)(struct kr_consumer *consumer, struct kr_frame *frame);
	int (*peek)(struct kr_consumer *consumer, struct kr_frame *frame);
	int (*release)(struct kr_consumer *consumer, const struct kr_frame *frame, int take_fence);
	int (*set_wants)(struct kr_consumer *consumer, const struct kr_wants *wants);
	const char *(*label)(const struct kr_consumer *consumer);
	int (*pid)(const struct kr_consumer *consumer);
	void (*destroy)(struct kr_consumer *consumer);
};

/* First member of every consumer. */
struct kr_consumer {
	const struct kr_consumer_impl *impl;
};

#endif
