/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of `krafla-bench compose`. */
#ifndef KR_BENCH_COMPOSE_COMPOSE_H
#define KR_BENCH_COMPOSE_COMPOSE_H

#include <stdint.h>

struct kr_bench;

/* Pictures of layers, against memcpy of as many bytes as are seen. */
void kr_bench_compose_layers(struct kr_bench *bench, uint32_t width, uint32_t height);
/* Windows at 60 Hz: ticks at which one of them should have shown a frame and didn't. */
void kr_bench_compose_windows(struct kr_bench *bench);

#endif
