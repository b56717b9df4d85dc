/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines (S-01): <krafla/timeline.h> says what each function does; these are the same for the
 * rest of the platform, over one of three backends:
 *
 *   user         user-space fences: the default
 *   krafla_sync  /dev/krafla_sync: kernel fences, for the lab and for porting
 *   sw_sync      the kernel's own timeline for tests
 *
 * KRAFLA_SYNC_TIMELINE chooses, for tests. Functions may be called from any thread.
 */
#ifndef KR_SYNC_TIMELINE_TIMELINE_H
#define KR_SYNC_TIMELINE_TIMELINE_H

#include <krafla/timeline.h>
#include <stddef.h>
#include <stdint.h>
#include "util/macros.h"

struct kr_timeline;
struct kr_timeline_impl;

/*
 * What KRAFLA_SYNC_TIMELINE asks for, read each time. 0; -EINVAL it says something that is none of
 * them, which stderr is told once.
 */
int kr_timeline_backend(const struct kr_timeline_impl **impl) KR_MUST_CHECK;

/*
 * Also, of a backend whose device can't be opened: its -errno, and stderr is told
 * once of the device.
 */
int kr_timeline_create(const char *name, const struct krafla_timeline_ops *ops, void *data,
	struct kr_timeline **timeline) KR_MUST_CHECK;
int kr_timeline_create_on(const struct kr_timeline_impl *impl, const char *name,
	const struct krafla_timeline_ops *ops, void *data, struct kr_timeline **timeline)
	KR_MUST_CHECK;
void kr_timeline_destroy(struct kr_timeline *timeline);

int kr_timeline_submit(struct kr_timeline *timeline, const char *name, uint64_t *value, int *fence)
	KR_MUST_CHECK;
int kr_timeline_fence(struct kr_timeline *timeline, const char *name, uint64_t value, int *fence)
	KR_MUST_CHECK;
int kr_timeline_signal(struct kr_timeline *timeline, uint64_t value) KR_MUST_CHECK;
int kr_timeline_fail(struct kr_timeline *timeline, uint64_t value, int error) KR_MUST_CHECK;
/* Signals the value that is `count` beyond the present one. 0, -EOVERFLOW, -EPERM. */
int kr_timeline_advance(struct kr_timeline *timeline, uint64_t count) KR_MUST_CHECK;

uint64_t kr_timeline_value(struct kr_timeline *timeline);
uint64_t kr_timeline_last(struct kr_timeline *timeline);
const char *kr_timeline_name(const struct kr_timeline *timeline);
void kr_timeline_point_text(struct kr_timeline *timeline, uint64_t value, char *out, size_t room);
int kr_timeline_driver_data(struct kr_timeline *timeline, uint64_t value, void *out, size_t room)
	KR_MUST_CHECK;

#endif
