/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cases that count in the thousands. Threads tell what went wrong by their
 * result: NULL is nothing.
 */
#include "parity.h"

#include <errno.h>
#include <krafla/sync.h>
#include <krafla/timeline.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"
#include "util/clock.h"
#include "util/macros.h"

#define MAX_PRODUCERS 16
#define MAX_TIMELINES 32

struct shared_counter {
	int timeline;
	unsigned rounds;
	unsigned counter; /* written by whose turn it is: the fences order it */
};

struct turn {
	struct shared_counter *shared;
	unsigned id;
};

static void *
take_turns(void *data)
{
	struct turn *turn = data;
	struct shared_counter *shared = turn->shared;

	for (unsigned i = 0; i < shared->rounds; i++) {
		int fence = sw_sync_fence_create(shared->timeline, "fence", i * 2 + turn->id);
		bool wrong = fence < 0 || sync_wait(fence, PARITY_LIMIT_MS) ||
			shared->counter != i * 2 + turn->id;

		shared->counter++;
		if (wrong || sw_sync_timeline_inc(shared->timeline, 1))
			return (void *)1;
		close(fence);
	}
	return NULL;
}

/* One timeline makes two threads take turns at a counter. */
void
parity_two_threads(void **state)
{
	struct shared_counter shared = {parity_timeline(), parity_scaled(1 << 16), 0};
	struct turn turns[2] = {{&shared, 0}, {&shared, 1}};
	pthread_t threads[2];

	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_turns, &turns[i]), 0);
	for (unsigned i = 0; i < 2; i++) {
		void *wrong;

		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
	assert_int_equal(shared.counter, 2 * shared.rounds);
	close(shared.timeline);
	settle();
}

struct market {
	unsigned producers;
	unsigned rounds;
	int consumer;                 /* releases the producers */
	int timelines[MAX_PRODUCERS]; /* theirs */
	pthread_mutex_t lock;
	unsigned counter;
};

struct producer {
	struct market *market;
	unsigned id;
};

/* The other way to wait: asking. */
static bool
busy_wait(int fence)
{
	int64_t deadline = kr_clock_now() + PARITY_LIMIT_MS * KR_NSEC_PER_MSEC;

	while (parity_count(fence, 1) != parity_size(fence)) {
		if (parity_count(fence, -1) != 0 || kr_clock_now() > deadline)
			return false;
	}
	return true;
}

static void *
produce(void *data)
{
	struct producer *producer = data;
	struct market *market = producer->market;

	for (unsigned i = 0; i < market->rounds; i++) {
		int fence = sw_sync_fence_create(market->consumer, "fence", i);

		if (fence < 0)
			return (void *)1;
		if ((market->rounds + producer->id) % 8 ? sync_wait(fence, PARITY_LIMIT_MS) != 0
							: !busy_wait(fence))
			return (void *)2;
		pthread_mutex_lock(&market->lock);
		market->counter++;
		pthread_mutex_unlock(&market->lock);
		if (sw_sync_timeline_inc(market->timelines[producer->id], 1))
			return (void *)3;
		close(fence);
	}
	return NULL;
}

static int
fence_of_all(struct market *market, unsigned value)
{
	int fence = parity_fence(market->timelines[0], value);

	for (unsigned i = 1; i < market->producers; i++)
		fence = parity_merge_closing(parity_fence(market->timelines[i], value), fence);
	return fence;
}

static void
consume(struct market *market)
{
	for (unsigned i = 1; i <= market->rounds; i++) {
		int fence = fence_of_all(market, i);
		unsigned counter;

		if (market->rounds % 8)
			parity_expect_wait(fence, PARITY_LIMIT_MS, 0);
		else
			assert_true(busy_wait(fence));
		pthread_mutex_lock(&market->lock);
		counter = market->counter;
		pthread_mutex_unlock(&market->lock);
		assert_int_equal(counter, market->producers * i);
		assert_int_equal(sw_sync_timeline_inc(market->consumer, 1), 0);
		close(fence);
	}
}

/* Each round waits for all producers, who wait for the next. */
static void
run_market(unsigned producers, unsigned rounds)
{
	struct market market = {
		.producers = producers, .rounds = rounds, .lock = PTHREAD_MUTEX_INITIALIZER};
	struct producer data[MAX_PRODUCERS];
	pthread_t threads[MAX_PRODUCERS];

	market.consumer = parity_timeline();
	for (unsigned i = 0; i < producers; i++)
		market.timelines[i] = parity_timeline();
	for (unsigned i = 0; i < producers; i++) {
		data[i] = (struct producer){&market, i};
		assert_int_equal(pthread_create(&threads[i], NULL, produce, &data[i]), 0);
	}
	consume(&market);
	for (unsigned i = 0; i < producers; i++) {
		void *wrong;

		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
		close(market.timelines[i]);
	}
	close(market.consumer);
	settle();
}

void
parity_five_producers(void **state)
{
	run_market(5, parity_scaled(1 << 12));
}

void
parity_two_producers(void **state)
{
	run_market(2, parity_scaled(1 << 12));
}

void
parity_four_producers(void **state)
{
	run_market(4, parity_scaled(1 << 12));
}

void
parity_sixteen_producers(void **state)
{
	run_market(16, parity_scaled(1 << 12));
}

/* What the fence of random points should be: the latest of each timeline. */
struct expected {
	unsigned count;
	int timelines[MAX_TIMELINES];
	long latest[MAX_TIMELINES]; /* -1: none */
};

static int
merge_points(struct expected *expected, unsigned merges)
{
	int fence = parity_fence(expected->timelines[0], 0);
	unsigned seed = 12;

	for (unsigned i = 0; i < merges; i++) {
		unsigned at = (unsigned)rand_r(&seed) % expected->count;
		int value = rand_r(&seed);
		int point = parity_fence(expected->timelines[at], (unsigned)value);

		expected->latest[at] = KR_MAX(expected->latest[at], (long)value);
		fence = parity_merge_closing(point, fence);
	}
	return fence;
}

static void
random_merge(unsigned timelines, unsigned merges)
{
	struct expected expected = {.count = timelines};
	unsigned size = 0;
	int fence;

	for (unsigned i = 0; i < timelines; i++) {
		expected.timelines[i] = parity_timeline();
		expected.latest[i] = -1;
	}
	fence = merge_points(&expected, merges);
	for (unsigned i = 0; i < timelines; i++)
		size += expected.latest[i] >= 0;
	assert_int_equal(parity_size(fence), size);
	for (unsigned i = 0; i < timelines; i++) {
		if (expected.latest[i] < 0)
			continue;
		parity_expect_wait(fence, 0, ETIME);
		assert_int_equal(
			sw_sync_timeline_inc(expected.timelines[i], (unsigned)expected.latest[i]),
			0);
	}
	/* Here the reactor's thread signals it, so a moment may pass. */
	parity_expect_wait(fence, parity_over("user") ? PARITY_LIMIT_MS : 0, 0);
	close(fence);
	for (unsigned i = 0; i < timelines; i++)
		close(expected.timelines[i]);
	settle();
}

void
parity_merge_16_32(void **state)
{
	random_merge(16, 32);
}

void
parity_merge_16_1k(void **state)
{
	random_merge(16, parity_scaled(1024));
}

void
parity_merge_16_32k(void **state)
{
	random_merge(16, parity_scaled(32 * 1024));
}

void
parity_merge_32_32(void **state)
{
	random_merge(32, 32);
}

void
parity_merge_32_1k(void **state)
{
	random_merge(32, parity_scaled(1024));
}

void
parity_merge_32_32k(void **state)
{
	random_merge(32, parity_scaled(32 * 1024));
}
