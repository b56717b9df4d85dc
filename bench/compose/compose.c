/* SPDX-License-Identifier: Apache-2.0 */
/* What composing takes: see compose.h. */
#include "bench/compose/compose.h"

#include "bench/bench.h"

void
kr_bench_compose(struct kr_bench *bench)
{
	kr_bench_compose_layers(bench, 1280, 720);
	kr_bench_compose_layers(bench, 1920, 1080);
	kr_bench_compose_layers(bench, 3840, 2160);
	kr_bench_compose_windows(bench);
}
