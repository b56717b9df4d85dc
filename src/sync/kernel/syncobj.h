/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DRM syncobjs: the kernel's timelines, and sync_files into and out of them, by raw
 * ioctls. A syncobj belongs to an open DRM device and is known there by a handle, never 0.
 * Its points are numbers above 0 that come in order; point 0 of a syncobj stands for the
 * one fence of a binary one.
 *
 * All functions return 0 or -errno: -ENOTTY `drm` is no DRM device; -EOPNOTSUPP it has no
 * syncobjs, or no timelines; -ENOENT (kr_syncobj_destroy: -EINVAL) no such handle; -EINVAL nobody
 * has submitted that point.
 */
#ifndef KR_SYNC_KERNEL_SYNCOBJ_H
#define KR_SYNC_KERNEL_SYNCOBJ_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"

enum kr_syncobj_until {
	KR_SYNCOBJ_WAIT_DONE = 0,      /* until the point has ended; it must be submitted */
	KR_SYNCOBJ_WAIT_SUBMIT = 2,    /* also until somebody submits it */
	KR_SYNCOBJ_WAIT_AVAILABLE = 4, /* only until somebody has submitted it */
};

/* Whether the device has syncobjs, or timelines of them. */
int kr_syncobj_check(int drm, bool timeline) KR_MUST_CHECK;
int kr_syncobj_create(int drm, uint32_t *handle) KR_MUST_CHECK;
int kr_syncobj_destroy(int drm, uint32_t handle);
/* As a descriptor, for another process or device; and the handle of one. */
int kr_syncobj_export(int drm, uint32_t handle, int *fd) KR_MUST_CHECK;
int kr_syncobj_import(int drm, int fd, uint32_t *handle) KR_MUST_CHECK;
/*
 * `to_point` signals when `from_point` does. Points are submitted in order: one at or below the
 * last that was submitted breaks its timeline, which the kernel doesn't refuse.
 */
int kr_syncobj_transfer(int drm, uint32_t from, uint64_t from_point, uint32_t to, uint64_t to_point)
	KR_MUST_CHECK;
/* The point that a timeline has reached, and the last that was submitted. */
int kr_syncobj_query(int drm, uint32_t handle, uint64_t *reached, uint64_t *last) KR_MUST_CHECK;
int kr_syncobj_signal(int drm, uint32_t handle, uint64_t point) KR_MUST_CHECK;
/*
 * The point signals when `fence` does; -1 signals it. Never a user-space fence (S-05): -EOPNOTSUPP.
 * A fence that has failed is that failure, and the point isn't submitted.
 */
int kr_syncobj_import_fence(int drm, uint32_t handle, uint64_t point, int fence) KR_MUST_CHECK;
/* A sync_file of the point (or of the first that was submitted after it), owned by the caller. */
int kr_syncobj_export_fence(int drm, uint32_t handle, uint64_t point, int *fence) KR_MUST_CHECK;
/*
 * Until `deadline_ns`: 0 or -ETIME. How a point ended is not told here: the kernel says the same
 * for a failure. An exported fence tells.
 */
int kr_syncobj_wait(int drm, uint32_t handle, uint64_t point, enum kr_syncobj_until until,
	int64_t deadline_ns) KR_MUST_CHECK;
/*
 * The same as an event: the eventfd, which the kernel keeps, is written once when it has
 * come to that; a point that isn't submitted is waited for. -EINVAL no eventfd;
 * -EOPNOTSUPP before Linux 6.6.
 */
int kr_syncobj_watch(int drm, uint32_t handle, uint64_t point, enum kr_syncobj_until until,
	int eventfd) KR_MUST_CHECK;

#endif
