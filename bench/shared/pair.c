/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The consumer's process: one or more producers, each way in turns, so that what else the machine
 * does meets all alike.
 */
#include "bench/bench.h"
#include "bench/shared/shared.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/shared/carry.h"

#define MAX_SOURCES 16
#define TURNS       10
#define WARM_UP     6
#define LIMIT_MS    60000

struct consumer {
	struct shared_size size;
	struct shared_end ends[SHARED_WAYS];
	bool open[SHARED_WAYS];
	struct shared_source sources[MAX_SOURCES];
	unsigned count;
	unsigned first; /* the way whose images are made first: they may lie better */
	uint64_t wrong; /* pictures that weren't what their number says */
};

static int
order(struct shared_source *source, unsigned way, uint32_t frames)
{
	const struct shared_order order = {way, frames};

	return shared_carry_send(source->socket, &order, sizeof(order), NULL, 0);
}

static int
open_way(struct consumer *consumer, unsigned way)
{
	struct shared_end *end = &consumer->ends[way];

	*end = (struct shared_end){.width = consumer->size.width, .height = consumer->size.height};
	consumer->open[way] = true;
	if (shared_end_open(end, shared_loader(&consumer->size, way), way))
		return 1;
	for (unsigned i = 0; i < consumer->count; i++) {
		struct shared_source *source = &consumer->sources[i];

		if (order(source, way, 0))
			return 1;
		for (unsigned n = 0; n < SHARED_SLOTS; n++) {
			if (shared_slot_create(end, &source->slots[way][n]) ||
				shared_slot_receive(end, &source->slots[way][n], source->socket))
				return 1;
		}
	}
	return 0;
}

/* One frame of a source: what was in the slot before is looked at first. */
static int
copy_frame(struct consumer *consumer, struct shared_source *source, unsigned way)
{
	struct shared_end *end = &consumer->ends[way];
	const uint64_t number = source->frames[way]++;
	struct shared_slot *slot = &source->slots[way][number % SHARED_SLOTS];

	if (shared_turn_take(end, slot, source->socket))
		return 1;
	if (number >= SHARED_SLOTS) {
		if (shared_slot_finish(end, slot))
			return 1;
		consumer->wrong += !shared_slot_shows(end, slot, number - SHARED_SLOTS);
	}
	return shared_slot_submit(end, slot, number) || shared_turn_give(end, slot, source->socket);
}

/* Whoever has a frame is served; with a single source the receive is what waits. */
static int
copy_frames(struct consumer *consumer, unsigned way, uint32_t frames)
{
	struct pollfd polls[MAX_SOURCES];
	uint32_t left[MAX_SOURCES];
	uint64_t sum = (uint64_t)frames * consumer->count;

	for (unsigned i = 0; i < consumer->count; i++) {
		left[i] = frames;
		polls[i] = (struct pollfd){consumer->sources[i].socket, POLLIN, POLLIN};
	}
	while (sum) {
		if (consumer->count > 1 && poll(polls, consumer->count, LIMIT_MS) <= 0)
			return 1;
		for (unsigned i = 0; i < consumer->count; i++) {
			if (!left[i] || !polls[i].revents)
				continue;
			if (copy_frame(consumer, &consumer->sources[i], way))
				return 1;
			sum--;
			if (!--left[i])
				polls[i].fd = -1, polls[i].revents = 0;
		}
	}
	return 0;
}

/* From the first order to the last copy. */
static int
time_frames(struct consumer *consumer, unsigned way, uint32_t frames, int64_t *sum)
{
	const int64_t start = kr_bench_now();

	for (unsigned i = 0; i < consumer->count; i++) {
		if (order(&consumer->sources[i], way, frames))
			return 1;
	}
	if (copy_frames(consumer, way, frames))
		return 1;
	for (unsigned i = 0; i < consumer->count; i++) {
		for (unsigned n = 0; n < SHARED_SLOTS; n++) {
			if (shared_slot_finish(
				    &consumer->ends[way], &consumer->sources[i].slots[way][n]))
				return 1;
		}
	}
	*sum += kr_bench_now() - start;
	return 0;
}

/* How many ways there are; 0: not all that there should be. */
static unsigned
open_ways(struct consumer *consumer)
{
	if (open_way(consumer, consumer->first) || open_way(consumer, consumer->first ^ 1))
		return 0;
	if (!consumer->ends[SHARED_BARE].semaphores)
		return SHARED_GPU;
	return open_way(consumer, SHARED_GPU) ? 0 : SHARED_WAYS;
}

static int
measure(struct consumer *consumer, uint32_t frames)
{
	int64_t warm_up = 0, sums[SHARED_WAYS] = {0};
	const unsigned ways = open_ways(consumer);

	frames = KR_MAX(frames / TURNS, 3u);
	for (unsigned way = 0; way < ways; way++) {
		if (time_frames(consumer, way, WARM_UP, &warm_up))
			return 1;
	}
	for (unsigned turn = 0; turn < TURNS; turn++) {
		for (unsigned way = 0; way < ways; way++) {
			if (time_frames(consumer, way, frames, &sums[way]))
				return 1;
		}
	}
	for (unsigned way = 0; ways && way < SHARED_WAYS; way++)
		printf("%.3f ",
			(double)sums[way] / ((double)frames * TURNS * consumer->count) / 1000);
	printf("%d %llu", consumer->ends[0].gpu.type != VK_PHYSICAL_DEVICE_TYPE_CPU,
		(unsigned long long)consumer->wrong);
	return ways == 0;
}

static void
close_consumer(struct consumer *consumer)
{
	for (unsigned way = 0; way < SHARED_WAYS; way++) {
		for (unsigned i = 0; consumer->open[way] && i < consumer->count; i++) {
			for (unsigned n = 0; n < SHARED_SLOTS; n++)
				shared_slot_destroy(
					&consumer->ends[way], &consumer->sources[i].slots[way][n]);
		}
		if (consumer->open[way])
			shared_end_close(&consumer->ends[way]);
	}
	for (unsigned i = 0; i < consumer->count; i++)
		shared_source_end(&consumer->sources[i]);
}

/*
 * shared KRAFLA OTHER WIDTH HEIGHT FRAMES SOURCES FIRST: prints us a frame of each way (0: it
 * can't be had), 1 for a GPU or 0, and how many pictures were wrong.
 */
int
kr_bench_child_shared(int argc, char **argv)
{
	static struct consumer consumer;
	unsigned sources;
	int ret = 0;

	if (argc < 7)
		return 2;
	consumer.size = (struct shared_size){.krafla = argv[0],
		.other = argv[1],
		.width = (uint32_t)atoi(argv[2]),
		.height = (uint32_t)atoi(argv[3])};
	sources = (unsigned)atoi(argv[5]);
	consumer.first = atoi(argv[6]) & 1;
	while (!ret && consumer.count < KR_MIN(sources, (unsigned)MAX_SOURCES))
		ret = shared_source_start(&consumer.sources[consumer.count++], &consumer.size);
	if (!ret)
		ret = measure(&consumer, (uint32_t)atoi(argv[4]));
	close_consumer(&consumer);
	return ret;
}
