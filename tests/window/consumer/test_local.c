/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the consumer in the producer's process promises beside what all do
 * (test_consumer_conformance.c).
 */
#include "help.h"

#include <errno.h>
#include <string.h>

static void
create(struct help_seen *seen, struct kr_queue **queue, struct kr_consumer **consumer)
{
	struct kr_sink *sink;

	memset(seen, 0, sizeof(*seen));
	assert_int_equal(kr_consumer_local_create(&help_events, seen, &sink, consumer), 0);
	*queue = help_queue(sink);
}

static void
a_producer_that_waits_is_told_of(void **state)
{
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	struct help_seen seen;

	create(&seen, &queue, &consumer);
	help_frame(queue);
	help_frame(queue);
	assert_int_equal(help_try_dequeue(queue, 0), -ETIMEDOUT);
	assert_int_equal(seen.waiting, 1);
	kr_queue_unref(queue);
	kr_consumer_destroy(consumer);
}

static void
a_consumer_may_be_destroyed_by_its_own_event(void **state)
{
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	struct help_seen seen;

	create(&seen, &queue, &consumer);
	help_frame(queue);
	seen.to_destroy = consumer;
	kr_queue_unref(queue);
	assert_int_equal(seen.disconnected, 1);
}

static void
a_consumer_without_a_queue_can_go(void **state)
{
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	struct kr_sink *sink;

	assert_int_equal(kr_consumer_local_create(NULL, NULL, &sink, &consumer), 0);
	kr_consumer_destroy(consumer);
	assert_int_equal(kr_queue_create(&help_config, sink, &queue), 0);
	assert_int_equal(kr_queue_connect(queue, 1), -ENODEV);
	kr_queue_unref(queue);
	kr_consumer_destroy(NULL);
}

static const struct kr_test tests[] = {
	KR_TEST(a_producer_that_waits_is_told_of),
	KR_TEST(a_consumer_may_be_destroyed_by_its_own_event),
	KR_TEST(a_consumer_without_a_queue_can_go),
};

KR_TEST_MAIN(tests)
