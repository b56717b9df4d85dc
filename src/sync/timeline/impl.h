/* SPDX-License-Identifier: Apache-2.0 */
/* What makes the fences of a timeline and ends them. For the files of this folder. */
#ifndef KR_SYNC_TIMELINE_IMPL_H
#define KR_SYNC_TIMELINE_IMPL_H

#include <krafla/timeline.h>
#include <stdint.h>
#include <sys/types.h>
#include "sync/fence/name.h"
#include "util/macros.h"
#include "util/mutex.h"

struct kr_timeline;

/*
 * All are called by the owner's process alone, except forget. Names are never NULL. A value that is
 * given to `reach` is beyond the present one.
 */
struct kr_timeline_impl {
	const char *word;   /* in KRAFLA_SYNC_TIMELINE */
	const char *device; /* for a person who can't open it; NULL none */
	/* Of a timeline at value 0: its own part, in timeline->state. 0 or -errno. */
	int (*open)(struct kr_timeline *timeline);
	/* Open points fail, in order. */
	void (*close)(struct kr_timeline *timeline);
	/* In a forked child, instead of close: lets go of this process's part alone. */
	void (*forget)(struct kr_timeline *timeline);
	/* With `lock` held. A fence of that point. 0 or -errno. */
	int (*fence_locked)(
		struct kr_timeline *timeline, const char *name, uint64_t value, int *fence);
	/*
	 * With `signal_lock` held. Ends the points up to `value` in order, those at it with `error`
	 * unless that is 0. 0 or -errno, then nothing has ended.
	 */
	int (*reach)(struct kr_timeline *timeline, uint64_t value, int error);
	/* Where it is. Any thread, no lock held. */
	uint64_t (*value)(struct kr_timeline *timeline);
};

extern const struct kr_timeline_impl kr_timeline_user;
extern const struct kr_timeline_impl kr_timeline_krafla_sync;
extern const struct kr_timeline_impl kr_timeline_sw_sync;

struct kr_timeline {
	const struct kr_timeline_impl *impl;
	char name[KR_SYNC_TEXT];
	struct krafla_timeline_ops ops;
	void *data;
	pid_t owner;
	/* One who signals at a time, so that points end in order; held while they are woken. */
	struct kr_mutex signal_lock;
	/* The rest; taken for moments, so that who was woken gets it. */
	struct kr_mutex lock;
	/* written under `lock`; read also in a forked child, where that may be taken */
	_Atomic uint64_t last;
	union {
		void *user; /* user.c */
		struct {
			int fd;
			_Atomic uint64_t value; /* sw_sync: what the kernel knows 32 bits of */
		} device;                       /* device.c */
	} state;
};

/*
 * For sw_sync.c, where the descriptor itself is the timeline. 0 or -errno, of which
 * stderr is told once.
 */
int kr_timeline_open_device(const struct kr_timeline_impl *impl, int *fd) KR_MUST_CHECK;
/* A fence of the sw_sync timeline `fd`, which compares as 32 bits wrap. 0 or -errno. */
int kr_sw_sync_device_fence(int fd, uint32_t value, int *fence) KR_MUST_CHECK;
int kr_sw_sync_device_inc(int fd, uint32_t count) KR_MUST_CHECK;
/* The same of a krafla_sync timeline: its 64 bits seen through a window of 32. */
int kr_krafla_sync_device_fence(int fd, uint32_t value, int *fence) KR_MUST_CHECK;
int kr_krafla_sync_device_inc(int fd, uint32_t count) KR_MUST_CHECK;

/*
 * The value of 64 bits that is meant by 32, when the timeline is at `now`; never
 * before its beginning.
 */
uint64_t kr_timeline_widen(uint64_t now, uint32_t value);

#endif
