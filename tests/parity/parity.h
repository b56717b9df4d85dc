/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cases of the kernel's tools/testing/selftests/sync and of Android's libsync sync_test,
 * under their names, written anew against <krafla/sync.h> and the sw_sync names.
 * KRAFLA_SYNC_TIMELINE says on what they run: user-space fences here, krafla_sync and sw_sync in
 * the lab (tests/lab/list).
 */
#ifndef KR_TESTS_PARITY_H
#define KR_TESTS_PARITY_H

#include <stdbool.h>
#include <stdint.h>
#include "harness.h"

/* How long anything may take that has to happen: a limit for what is broken. */
#define PARITY_LIMIT_MS 60000

/* What the timelines are: "user", "krafla_sync", "sw_sync". */
bool parity_over(const char *backend);
/* What points of a closed timeline fail with. */
int parity_closed_error(void);

/* A timeline and a fence of it that are valid descriptors; the case fails otherwise. */
int parity_timeline(void);
int parity_fence(int timeline, unsigned value);
/* A merge of two, which are closed. */
int parity_merge_closing(int take_fence1, int take_fence2);
/* How many points of the fence have that status; any thread, -1 when it can't be asked. */
int parity_count(int fence, int status);
int parity_size(int fence);
/* sync_wait(fence, timeout_ms) gives -1 with that errno; 0: it gives 0. */
void parity_expect_wait(int fence, int timeout_ms, int error);

/* What its info says; a fence that has failed. */
int parity_status(int fence);
int parity_failed_fence(void);

/*
 * A part of the original's count: KRAFLA_PARITY=16 asks for a sixteenth, as nothing
 * does; 1 for all of it.
 */
unsigned parity_scaled(unsigned original);

/* basic.c */
void parity_alloc_timeline(void **state);
void parity_alloc_fence(void **state);
void parity_alloc_fence_negative(void **state);
void parity_one_timeline_wait(void **state);
void parity_one_timeline_poll(void **state);
void parity_one_timeline_merge(void **state);
void parity_merge_same_fence(void **state);
void parity_poll_on_destroyed_timeline(void **state);
void parity_multi_timeline_wait(void **state);
/* Where kernels and Android differ: what Krafla does. */
void parity_merge_with_an_error(void **state);
void parity_merge_that_fails(void **state);

/* raw.c */
void parity_raw_merge(void **state);

/* stress.c */
void parity_two_threads(void **state);
void parity_five_producers(void **state);
void parity_two_producers(void **state);
void parity_four_producers(void **state);
void parity_sixteen_producers(void **state);
void parity_merge_16_32(void **state);
void parity_merge_16_1k(void **state);
void parity_merge_16_32k(void **state);
void parity_merge_32_32(void **state);
void parity_merge_32_1k(void **state);
void parity_merge_32_32k(void **state);

#endif
