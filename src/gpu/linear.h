/* SPDX-License-Identifier: Apache-2.0 */
/* The planes of pictures whose rows lie one behind the other. For this room alone. */
#ifndef KR_GPU_LINEAR_H
#define KR_GPU_LINEAR_H

#include "gpu/format.h"
#include "gpu/gpu.h"

/*
 * Whether the planes of a LINEAR dma-buf can be rows of its picture, in memory of its allocation
 * size. NULL, or what is wrong. Drivers take rows and offsets as they are told; with some that
 * aren't a multiple of 16 bytes lavapipe ends the process (SIGSEGV), and who sends a picture to
 * GPUs has 64.
 */
const char *kr_gpu_linear_flaw(const struct kr_gpu_memory *memory);

#endif
