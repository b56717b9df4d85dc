/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a fence of either kind, told apart from whether it is one: it may have failed so. */
#ifndef KR_SYNC_FENCE_STATUS_H
#define KR_SYNC_FENCE_STATUS_H

#include <stdbool.h>
#include <stdint.h>
#include "sync/fence/points.h"
#include "util/macros.h"

/* 0 with *status, or -EINVAL: fd is no fence (also for negative fds). */
int kr_sync_status(int fd, int32_t *status) KR_MUST_CHECK;
/* The same, and whether it is the kernel's. */
int kr_sync_status_and_kind(int fd, int32_t *status, bool *kernel) KR_MUST_CHECK;
/*
 * For an fd that poll found ready. A kernel fence that is ready but active contradicts itself: an
 * error, because whoever goes on waiting for it would spin.
 */
int kr_sync_status_ready(int fd, int32_t *status) KR_MUST_CHECK;
/* All that the fence says of itself. 0, -EINVAL no fence. `careful`: see kr_sync_user_read. */
int kr_sync_points_read(int fd, bool careful, struct kr_sync_points *points) KR_MUST_CHECK;

#endif
