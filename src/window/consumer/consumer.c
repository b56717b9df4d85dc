/* SPDX-License-Identifier: Apache-2.0 */
/* The consumer's functions, each handed to its kind. */
#include "window/consumer/consumer.h"

#include "window/consumer/base.h"

int
kr_consumer_fd(const struct kr_consumer *consumer)
{
	return consumer->impl->fd(consumer);
}

int
kr_consumer_dispatch(struct kr_consumer *consumer)
{
	return consumer->impl->dispatch(consumer);
}

int
kr_consumer_acquire(struct kr_consumer *consumer, struct kr_frame *frame)
{
	return consumer->impl->acquire(consumer, false, frame);
}

int
kr_consumer_skip(struct kr_consumer *consumer, struct kr_frame *frame)
{
	return consumer->impl->acquire(consumer, true, frame);
}

int
kr_consumer_peek(struct kr_consumer *consumer, struct kr_frame *frame)
{
	return consumer->impl->peek(consumer, 0, frame);
}

int
kr_consumer_peek_at(struct kr_consumer *consumer, uint32_t index, struct kr_frame *frame)
{
	return consumer->impl->peek(consumer, index, frame);
}

int
kr_consumer_release(
	struct kr_consumer *consumer, const struct kr_frame *frame, int take_release_fence)
{
	return consumer->impl->release(consumer, frame, take_release_fence, NULL);
}

int
kr_consumer_release_timed(struct kr_consumer *consumer, const struct kr_frame *frame,
	int take_release_fence, const struct kr_frame_events *events)
{
	return consumer->impl->release(consumer, frame, take_release_fence, events);
}

int
kr_consumer_set_wants(struct kr_consumer *consumer, const struct kr_wants *wants)
{
	return consumer->impl->set_wants(consumer, wants);
}

void
kr_consumer_shown(struct kr_consumer *consumer, uint64_t number, int64_t time_ns)
{
	consumer->impl->shown(consumer, number, time_ns);
}

void
kr_consumer_tell_events(struct kr_consumer *consumer, const struct kr_frame_events *events)
{
	consumer->impl->tell_events(consumer, events);
}

void
kr_consumer_configure(
	struct kr_consumer *consumer, uint32_t width, uint32_t height, uint32_t transform_hint)
{
	consumer->impl->configure(consumer, width, height, transform_hint);
}

void
kr_consumer_vblank(struct kr_consumer *consumer, uint64_t count, int64_t time_ns)
{
	consumer->impl->vblank(consumer, count, time_ns);
}

const char *
kr_consumer_label(const struct kr_consumer *consumer)
{
	return consumer->impl->label(consumer);
}

int
kr_consumer_pid(const struct kr_consumer *consumer)
{
	return consumer->impl->pid(consumer);
}

void
kr_consumer_destroy(struct kr_consumer *consumer)
{
	if (consumer)
		consumer->impl->destroy(consumer);
}
