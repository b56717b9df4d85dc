/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of `krafla-bench composer`. */
#ifndef KR_BENCH_COMPOSER_ROWS_H
#define KR_BENCH_COMPOSER_ROWS_H

struct kr_bench;

/* Pictures of layers, by the hardware composer's contract and by the renderer alone. */
void kr_bench_composer_layers(struct kr_bench *bench);
/* Ticks of the real clock: how late they come, and whether frames that are ready are in them. */
void kr_bench_composer_clock(struct kr_bench *bench);
/* What a display takes while there is nothing to show. */
void kr_bench_composer_memory(struct kr_bench *bench);
/* A program in an X window: its driver's, and that of a display. */
void kr_bench_composer_x11(struct kr_bench *bench);

#endif
