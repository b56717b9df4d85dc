/* SPDX-License-Identifier: Apache-2.0 */
/* What a display's ticks, its memory and its windows elsewhere take: see rows.h. */
#include "bench/composer/rows.h"

#include "bench/bench.h"

void
kr_bench_composer(struct kr_bench *bench)
{
	kr_bench_composer_layers(bench);
	kr_bench_composer_clock(bench);
	kr_bench_composer_memory(bench);
	kr_bench_composer_x11(bench);
}
