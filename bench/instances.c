/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vkCreateInstance + vkDestroyInstance with a driver that is loaded already, from one
 * thread and several.
 */
#include "bench/bench.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/macros.h"
#include "bench/vulkan_child.h"

#define MAX_THREADS 8

struct worker {
	pthread_t thread;
	const struct vulkan_child *vk;
	pthread_barrier_t *start;
	unsigned count;
	int64_t began;
	int64_t ended;
	bool failed;
};

static void *
make_and_destroy(void *data)
{
	struct worker *worker = data;
	const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	PFN_vkCreateInstance create =
		(PFN_vkCreateInstance)worker->vk->gipa(NULL, "vkCreateInstance");

	pthread_barrier_wait(worker->start);
	worker->began = kr_bench_now();
	for (unsigned i = 0; i < worker->count && !worker->failed; i++) {
		PFN_vkDestroyInstance destroy;
		VkInstance instance;

		if (create(&info, NULL, &instance) != VK_SUCCESS) {
			worker->failed = true;
			break;
		}
		destroy = (PFN_vkDestroyInstance)worker->vk->gipa(instance, "vkDestroyInstance");
		destroy(instance, NULL);
	}
	worker->ended = kr_bench_now();
	return NULL;
}

/* Microseconds from the first thread's start to the last thread's end; negative when one failed. */
static double
run_threads(const struct vulkan_child *vk, unsigned threads, unsigned count)
{
	struct worker workers[MAX_THREADS];
	pthread_barrier_t barrier;
	int64_t began = INT64_MAX, ended = 0;
	bool failed = false;

	pthread_barrier_init(&barrier, NULL, threads);
	for (unsigned i = 0; i < threads; i++) {
		workers[i] = (struct worker){.vk = vk, .start = &barrier, .count = count};
		if (pthread_create(&workers[i].thread, NULL, make_and_destroy, &workers[i]))
			exit(1);
	}
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(workers[i].thread, NULL);
		began = KR_MIN(began, workers[i].began);
		ended = KR_MAX(ended, workers[i].ended);
		failed |= workers[i].failed;
	}
	pthread_barrier_destroy(&barrier);
	return failed ? -1 : (double)(ended - began) / 1000;
}

/* `instances LOADER COUNT THREADS`: microseconds an instance, COUNT of them in all. */
int
kr_bench_child_instances(int argc, char **argv)
{
	unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	struct vulkan_child vk;
	double us;

	if (!count || !threads || threads > MAX_THREADS || vulkan_child_open(&vk, argv[0]))
		return 1;
	us = run_threads(&vk, threads, count / threads);
	printf("%.4f", us / (count / threads * threads));
	vulkan_child_close(&vk);
	return us < 0;
}

void
kr_bench_instances(struct kr_bench *bench)
{
	static const char *const threads[] = {"1", "2", "4", "8"};
	static const double goals[KR_BENCH_LOADERS] = {0, 33.0 / 129, 1.0};
	char env[4096], count[16], name[96];
	const char *environment[] = {env, NULL};
	double alone = NAN;

	kr_bench_null_driver(bench, env, sizeof(env));
	snprintf(count, sizeof(count), "%u", bench->quick ? 400 : 4000);
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		const char *more[] = {count, threads[i], NULL};
		double r[KR_BENCH_LOADERS][KR_BENCH_NUMBERS], values[KR_BENCH_LOADERS];

		kr_bench_measure(bench, "instances", more, environment, r);
		for (unsigned k = 0; k < KR_BENCH_LOADERS; k++)
			values[k] = r[k][0];
		snprintf(name, sizeof(name), "instance create+destroy, %s thread%s", threads[i],
			i ? "s" : "");
		kr_bench_compare(bench, name, "us", values, i ? NULL : goals);
		if (!i)
			alone = values[KR_BENCH_KRAFLA];
		else if (!isnan(values[KR_BENCH_KRAFLA]) && !isnan(alone))
			kr_bench_row(
				bench, name, "us", values[KR_BENCH_KRAFLA], "one thread", alone, 0);
	}
}
