/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices that give buffers and fences of a kernel driver, for tests of every backend: fakes
 * on this machine, the real ones in the lab. KRAFLA_BUFFERS of the test's own environment
 * says which backend is meant.
 */
#ifndef KR_TESTS_BUFFER_RIG_H
#define KR_TESTS_BUFFER_RIG_H

#include <stdbool.h>
#include "gralloc/backends.h"

/* Puts the fakes in place, as new; nothing in the lab. First thing of a case. */
void rig_begin(void);
/* The same with this in place of KRAFLA_BUFFERS. */
void rig_begin_with(const char *word);
void rig_end(void);
bool rig_is_real(void);
/* The backend that is meant. */
const struct kr_buffer_impl *rig_impl(void);

/* A kernel's fence that is active, and its end. */
struct rig_fence {
	int fence;
	int point; /* of the fake; in the lab the descriptor of krafla_sync's timeline */
};
struct rig_fence rig_fence_create(void);
void rig_fence_signal(struct rig_fence *fence);
void rig_fence_fail(struct rig_fence *fence); /* -EIO */
/* Closes what is open; a fence that wasn't signalled fails. */
void rig_fence_finish(struct rig_fence *fence);

/* Memory of the backend, `size` bytes, of which the descriptor can be read from alone. */
int rig_read_only_memory(uint64_t size);

/*
 * The fake devices alone: what the next allocations answer (-errno; 0: memory), and
 * how many were asked.
 */
void rig_device_fails(int err);
void rig_device_limits(uint64_t bytes); /* above: -EINVAL, as udmabuf's */
unsigned rig_device_asked(void);
/* The directory of the fake devices, and taking one away. */
const char *rig_device_dir(void);
void rig_device_remove(const char *node);

#endif
