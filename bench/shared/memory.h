/* SPDX-License-Identifier: Apache-2.0 */
/* What processes, and a GPU, have in use; negative or 0 where that isn't told. */
#ifndef KR_BENCH_SHARED_MEMORY_H
#define KR_BENCH_SHARED_MEMORY_H

#include <sys/types.h>

/* Resident memory of a process; 0: of this one. */
double shared_memory_kb(pid_t pid);
unsigned shared_memory_descriptors(pid_t pid);
/* What nvidia-smi says of the whole GPU: what processes that were killed have left, too. */
double shared_memory_gpu_kb(void);

#endif
