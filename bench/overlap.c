/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a program's processor and its driver work at the same time: frames that need WORK_US of
 * each, two in flight, on a headless surface. The driver is the null driver by its manifest, so
 * that the adapter serves it: without SYNC_FD, as with most people's drivers. Where an acquire or a
 * present waits for the driver, a frame takes both times; where none does, the longer one.
 */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/run/flight.h"
#include "bench/surface_child.h"

#define WORK_US 2000
#define WARM_UP 20

/* Reckons on the processor; sleeping would leave it to others. */
static void
work(void)
{
	int64_t end = kr_bench_now() + WORK_US * INT64_C(1000);

	while (kr_bench_now() < end)
		;
}

static int
run_frames(struct flights *flights, unsigned count)
{
	int64_t start = 0;

	for (unsigned number = 0; number < WARM_UP + count; number++) {
		if (number == WARM_UP)
			start = kr_bench_now();
		work();
		if (flights_frame(flights, number))
			return 1;
	}
	printf("%.3f", (double)(kr_bench_now() - start) / count / 1000);
	return flights_drain(flights);
}

/* overlap LOADER COUNT: prints us a frame. */
int
kr_bench_child_overlap(int argc, char **argv)
{
	struct triangle t = {.extent = {64, 64}};
	struct surface_child surface = {0};
	struct flights flights = {.t = &t};
	struct vulkan_child vk;
	VkPresentModeKHR mode;
	int ret;

	if (argc < 2)
		return 2;
	if (surface_child_open(&surface, &vk, argv[0], false, t.extent) ||
		triangle_create(&t, &vk, surface.handle, &mode))
		return 1;
	ret = flights_create(&flights, &t, 2, -1) || run_frames(&flights, (unsigned)atoi(argv[1]));
	flights_destroy(&flights);
	triangle_destroy(&t);
	surface_child_close(&surface, &vk);
	return ret;
}

void
kr_bench_overlap(struct kr_bench *bench)
{
	const char *name = "frame of 2 ms of CPU and 2 ms of driver work";
	char driver[4096], takes[32], count[16], out[64];
	const char *arguments[] = {"overlap", bench->loaders[KR_BENCH_KRAFLA], count, NULL};
	const char *environment[] = {"KRAFLA_WSI=platform", driver, takes, NULL};
	double us[KR_BENCH_MAX_REPEAT];

	kr_bench_null_driver(bench, driver, sizeof(driver));
	snprintf(takes, sizeof(takes), "KRAFLA_NULL_WORK=%d", WORK_US);
	snprintf(count, sizeof(count), "%u", bench->quick ? 100 : 1000);
	for (unsigned run = 0; run < bench->repeat; run++) {
		if (kr_bench_child(bench, arguments, environment, out, sizeof(out)) ||
			sscanf(out, "%lf", &us[run]) != 1) {
			kr_bench_skip(bench, name, "a child failed; its message stands above");
			return;
		}
	}
	kr_bench_row(bench, name, "us", kr_bench_median(us, bench->repeat), "one of the two",
		WORK_US, 1.1);
}
