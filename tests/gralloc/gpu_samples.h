/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers with memory of a GPU that is none, for tests of what this room knows of it. */
#ifndef KR_TESTS_GPU_SAMPLES_H
#define KR_TESTS_GPU_SAMPLES_H

#include <krafla/hardware_buffer.h>
#include "gralloc/buffer.h"
#include "gralloc/gpu_memory.h"
#include "gralloc/handle.h"

#define CPU  (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)
#define SIZE 65536

/* 100 x 60 pixels, and an opaque memory for it of SIZE bytes. */
extern const struct kr_buffer_desc plain;
extern const struct kr_gpu_memory opaque;
/* A dma-buf of rows. */
struct kr_gpu_memory linear(void);
/* A descriptor of SIZE bytes that is no dma-buf. */
int some_memory(void);
struct kr_buffer *gpu_alone(void);
struct kr_buffer *both_faces(void);

/* A handle that says what a good one says, to be spoilt; importing it, and undoing that. */
struct kr_handle copy_handle(const struct kr_buffer *buffer);
int try_import(const struct kr_handle *handle);
void assert_same_memory(const struct kr_gpu_memory *a, const struct kr_gpu_memory *b);

#endif
