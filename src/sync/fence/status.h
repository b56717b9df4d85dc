/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a fence of either kind, told apart from whether it is one: it may have failed so. */
#ifndef KR_SYNC_STATUS_H
#define KR_SYNC_STATUS_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"

/* 0 with *status, or -EINVAL: fd is no fence (also for negative fds). */
int kr_sync_status(int fd, int32_t *status) KR_MUST_CHECK;
/* The same, and whether it is the kernel's. */
int kr_sync_status_and_kind(int fd, int32_t *status, bool *kernel) KR_MUST_CHECK;
/*
 * For an fd that poll found ready. A kernel fence that is ready but active contradicts itself: an error,
 * because whoever goes on waiting for it would spin.
 */
int kr_sync_status_ready(int fd, int32_t *status) KR_MUST_CHECK;
/* Waits: 0 with *status when it is done, -ETIME, -EINVAL. */
int kr_sync_wait_until(int fd, int64_t deadline_ns, int32_t *status) KR_MUST_CHECK;

#endif
