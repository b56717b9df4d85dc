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
	return consumer->impl->acquire(consumer, &(struct kr_acquire){0}, frame);
}

int
kr_consumer_acquire_at(
	struct kr_consumer *consumer, const struct kr_acquire *how, struct kr_frame *frame)
{
	return consumer->impl->acquire(consumer, how, frame);
}

int
kr_consumer_skip(struct kr_consumer *consumer, struct kr_frame *frame)
{
	return consumer->impl->acquire(consumer, &(struct kr_acquire){.beyond = true}, frame);
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
kr_consumer_detach(
	struct kr_consumer *consumer, const struct kr_frame *frame, struct kr_buffer **buffer)
{
	return consumer->impl->detach(consumer, frame, buffer);
}

int
kr_consumer_attach(struct kr_consumer *consumer, struct kr_buffer *buffer, struct kr_frame *frame)
{
	return consumer->impl->attach(consumer, buffer, frame);
}

int
kr_consumer_set_max_acquired(struct kr_consumer *consumer, uint32_t count)
{
	return consumer->impl->set_max_acquired(consumer, count);
}

int
kr_consumer_set_max_buffers(struct kr_consumer *consumer, uint32_t count)
{
	return consumer->impl->set_max_buffers(consumer, count);
}

void
kr_consumer_set_settings(struct kr_consumer *consumer, const struct kr_queue_settings *settings)
{
	consumer->impl->set_settings(consumer, settings);
}

void
kr_consumer_discard_free(struct kr_consumer *consumer)
{
	consumer->impl->discard_free(consumer);
}

void
kr_consumer_set_activity(struct kr_consumer *consumer, bool tells)
{
	consumer->impl->set_activity(consumer, tells);
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
