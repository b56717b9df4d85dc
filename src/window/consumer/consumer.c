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
	return consumer->impl->acquire(consumer, frame);
}

int
kr_consumer_peek(struct kr_consumer *consumer, struct kr_frame *frame)
{
	return consumer->impl->peek(consumer, frame);
}

int
kr_consumer_release(
	struct kr_consumer *consumer, const struct kr_frame *frame, int take_release_fence)
{
	return consumer->impl->release(consumer, frame, take_release_fence);
}

int
kr_consumer_set_wants(struct kr_consumer *consumer, const struct kr_wants *wants)
{
	return consumer->impl->set_wants(consumer, wants);
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
