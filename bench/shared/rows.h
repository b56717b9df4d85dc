/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of `krafla-bench shared`. */
#ifndef KR_BENCH_SHARED_ROWS_H
#define KR_BENCH_SHARED_ROWS_H

struct kr_bench;

/* Frames from one process to another, and from 16 to one. */
void kr_bench_shared_frames(struct kr_bench *bench);
/* What is left of producers that were killed. */
void kr_bench_shared_kills(struct kr_bench *bench);
/* Of programs whose windows a display has composed on a GPU. */
void kr_bench_shared_crowd(struct kr_bench *bench);

#endif
