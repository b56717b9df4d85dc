/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Producers that are killed at each step, one after the other: what the consumer, which lives on,
 * has of the GPU's memory, of its own and of descriptors afterwards.
 */
#include "bench/shared/rows.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "bench/bench.h"
#include "bench/shared/carry.h"
#include "bench/shared/memory.h"
#include "bench/shared/shared.h"

#define ROUNDS  100
#define WARM_UP 10
#define FRAMES  1000

/* When it is killed: each round takes the next. */
enum step {
	WHILE_SENDING,  /* its images: after the first */
	BEFORE_FRAMES,  /* once all are here */
	BEFORE_COPYING, /* while it draws a frame that was handed over */
	WHILE_COPYING,
	AFTER_FRAMES, /* of which some are left */
	STEPS,
};

static int
receive_images(struct shared_end *end, struct shared_source *source, enum step step)
{
	const struct shared_order order = {SHARED_KRAFLA, 0};

	if (shared_carry_send(source->socket, &order, sizeof(order), NULL, 0))
		return 1;
	for (unsigned i = 0; i < SHARED_SLOTS; i++) {
		struct shared_slot *slot = &source->slots[SHARED_KRAFLA][i];

		if (shared_slot_create(end, slot) || shared_slot_receive(end, slot, source->socket))
			return 1;
		if (step == WHILE_SENDING)
			return 0;
	}
	return 0;
}

/* Frames until the step at which the producer goes; it may be gone before. */
static int
copy_some(struct shared_end *end, struct shared_source *source, enum step step)
{
	const struct shared_order order = {SHARED_KRAFLA, FRAMES};

	if (shared_carry_send(source->socket, &order, sizeof(order), NULL, 0))
		return 1;
	for (unsigned n = 0; n < 2 * SHARED_SLOTS; n++) {
		struct shared_slot *slot = &source->slots[SHARED_KRAFLA][n % SHARED_SLOTS];
		bool last = n == 2 * SHARED_SLOTS - 1;

		if (last && step == BEFORE_COPYING)
			kill(source->pid, SIGKILL);
		if (shared_turn_take(end, slot, source->socket))
			return !last;
		if (shared_slot_submit(end, slot, n))
			return 1;
		if (last && step == WHILE_COPYING)
			kill(source->pid, SIGKILL);
		if (shared_turn_give(end, slot, source->socket) && !last)
			return 1;
	}
	return 0;
}

static int
one_round(struct shared_end *end, const struct shared_size *size, enum step step)
{
	struct shared_source source;
	int ret = shared_source_start(&source, size) || receive_images(end, &source, step);

	if (!ret && step >= BEFORE_COPYING)
		ret = copy_some(end, &source, step);
	if (source.pid > 0)
		kill(source.pid, SIGKILL);
	for (unsigned i = 0; i < SHARED_SLOTS; i++) {
		if (source.slots[SHARED_KRAFLA][i].done)
			shared_slot_destroy(end, &source.slots[SHARED_KRAFLA][i]);
	}
	shared_source_end(&source);
	return ret;
}

static void
print_state(struct shared_end *end)
{
	printf("%.0f %u %.0f ", shared_end_memory_kb(end), shared_memory_descriptors(0),
		shared_memory_gpu_kb());
}

/* shared-kills KRAFLA OTHER WIDTH HEIGHT ROUNDS: prints kB, descriptors, kB of all; twice; GPU. */
int
kr_bench_child_shared_kills(int argc, char **argv)
{
	struct shared_end end = {0};
	struct shared_size size;
	unsigned rounds;

	if (argc < 5)
		return 2;
	size = (struct shared_size){.krafla = argv[0],
		.other = argv[1],
		.width = (uint32_t)atoi(argv[2]),
		.height = (uint32_t)atoi(argv[3])};
	rounds = (unsigned)atoi(argv[4]) + WARM_UP;
	end.width = size.width;
	end.height = size.height;
	if (shared_end_open(&end, size.krafla, SHARED_KRAFLA))
		return 1;
	for (unsigned i = 0; i < rounds; i++) {
		if (i == WARM_UP)
			print_state(&end);
		if (one_round(&end, &size, i % STEPS)) {
			fprintf(stderr, "krafla-bench: round %u of kills failed\n", i);
			return 1;
		}
	}
	print_state(&end);
	printf("%d", end.gpu.type != VK_PHYSICAL_DEVICE_TYPE_CPU);
	shared_end_close(&end);
	return 0;
}

void
kr_bench_shared_kills(struct kr_bench *bench)
{
	const unsigned rounds = bench->quick ? ROUNDS / 10 : ROUNDS;
	double before[3], after[3];
	char drivers[4096], out[512], text[16], name[96];
	const char *const arguments[] = {
		"shared-kills", bench->loaders[KR_BENCH_KRAFLA], "", "1920", "1080", text, NULL};
	const char *environment[] = {drivers, NULL};
	int gpu;

	snprintf(text, sizeof(text), "%u", rounds);
	kr_bench_drivers(bench, drivers, sizeof(drivers));
	if (kr_bench_child(bench, arguments, environment, out, sizeof(out)) ||
		sscanf(out, "%lf %lf %lf %lf %lf %lf %d", &before[0], &before[1], &before[2],
			&after[0], &after[1], &after[2], &gpu) != 7) {
		kr_bench_skip(bench, "shared, after kills",
			"the device can't share memory, or a round failed");
		return;
	}
	snprintf(name, sizeof(name), "%s after %u kills",
		gpu ? "GPU memory of a consumer" : "memory of a consumer, no GPU,", rounds);
	kr_bench_row(bench, name, "kB", after[0], "before them", before[0], 1);
	snprintf(name, sizeof(name), "GPU memory of all after %u kills", rounds);
	if (gpu && before[2] > 0)
		kr_bench_row(bench, name, "kB", after[2], "before them", before[2], 1);
	else
		kr_bench_skip(bench, name, "nvidia-smi doesn't tell");
	snprintf(name, sizeof(name), "descriptors of a consumer after %u kills", rounds);
	kr_bench_row(bench, name, "fds", after[1], "before them", before[1], 1);
}
