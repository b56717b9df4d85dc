/* SPDX-License-Identifier: Apache-2.0 */
/* The child that draws a triangle on a surface: what a frame takes, presented and not. */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/surface_child.h"
#include "bench/triangle.h"
#include "util/macros.h"

/*
 * Three ways of drawing the same frame, in turns, so that what else the machine does
 * meets all alike.
 */
enum { PRESENTED, HANDSHAKE, OFFSCREEN, WAYS };
#define TURNS 10

static int (*const ways[WAYS])(struct triangle *, unsigned) = {
	[PRESENTED] = triangle_frame,
	[HANDSHAKE] = triangle_handshake_frame,
	[OFFSCREEN] = triangle_offscreen_frame,
};

static int
add_frames(struct triangle *t, unsigned way, unsigned count, int64_t *sum)
{
	int64_t start = kr_bench_now();

	for (unsigned i = 0; i < count; i++) {
		if (ways[way](t, i))
			return 1;
	}
	*sum += kr_bench_now() - start;
	return 0;
}

static int
run_frames(struct triangle *t, unsigned count, const char *mode)
{
	int64_t warm_up = 0, sums[WAYS] = {0};

	if (add_frames(t, PRESENTED, 30, &warm_up))
		return 1;
	count = KR_MAX(count / TURNS, 1u);
	for (unsigned turn = 0; turn < TURNS; turn++) {
		for (unsigned way = 0; way < WAYS; way++) {
			if (add_frames(t, way, count, &sums[way]))
				return 1;
		}
	}
	for (unsigned way = 0; way < WAYS; way++)
		printf("%.3f ", (double)sums[way] / (count * TURNS) / 1000);
	printf("%s %d", mode, vulkan_child_is_gpu(t->vk));
	return 0;
}

/*
 * frames LOADER WIDTH HEIGHT COUNT xcb|headless: prints us a frame, us with the submits that
 * presenting takes, us without, the present mode, and 1 for a GPU or 0.
 */
int
kr_bench_child_frames(int argc, char **argv)
{
	static const char *const modes[] = {"IMMEDIATE", "MAILBOX", "FIFO"};
	struct surface_child surface = {0};
	struct vulkan_child vk;
	VkPresentModeKHR mode;
	struct triangle t = {0};
	int ret;

	if (argc < 5)
		return 2;
	t.extent.width = (uint32_t)atoi(argv[1]);
	t.extent.height = (uint32_t)atoi(argv[2]);
	if (surface_child_open(&surface, &vk, argv[0], !strcmp(argv[4], "xcb"), t.extent) ||
		triangle_create(&t, &vk, surface.handle, &mode))
		return 1;
	ret = run_frames(&t, (unsigned)atoi(argv[3]), mode < 3 ? modes[mode] : "?");
	triangle_destroy(&t);
	surface_child_close(&surface, &vk);
	return ret;
}
