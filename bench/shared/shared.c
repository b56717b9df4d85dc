/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a GPU between processes: see rows.h. */
#include "bench/shared/rows.h"

#include "bench/bench.h"

void
kr_bench_shared(struct kr_bench *bench)
{
	kr_bench_shared_frames(bench);
	kr_bench_shared_kills(bench);
	kr_bench_shared_crowd(bench);
}
