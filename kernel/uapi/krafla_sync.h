/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The ioctls of /dev/krafla_sync (krafla_sync.ko): a timeline of real sync_files for the lab and
 * for porting, not for products (S-05). Shared by the module and by user space.
 *
 * One open file description is one timeline, whose value starts at 0. Its points fail with
 * -EOWNERDEAD when the last descriptor of it is closed, also by dying; a forked child that has one
 * delays that. Every point has a time limit: a dma_fence must end whatever user space does. At the
 * limit the point and all before it fail with -ETIMEDOUT, and the timeline stands at its value, as
 * if it had been moved there; later points stay as they are.
 */
#ifndef KRAFLA_SYNC_UAPI_H
#define KRAFLA_SYNC_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define KRAFLA_SYNC_NAME_LEN       32
#define KRAFLA_SYNC_MAX_TIMEOUT_MS 60000

/* Before the first fence, else EBUSY. NUL ended, not empty. Default: the name of the process. */
struct krafla_sync_name {
	char name[KRAFLA_SYNC_NAME_LEN];
};

/*
 * A fence that signals when the timeline reaches `value`; ended already when it has: signalled, or
 * failed when the points there were what failed last. `timeout_ms` is 1 to
 * KRAFLA_SYNC_MAX_TIMEOUT_MS, else EINVAL. ENOSPC: the timeline has as many open points as the
 * module's max_points allows.
 */
struct krafla_sync_create {
	__u64 value;
	__u32 timeout_ms;
	__s32 fence; /* out: an O_CLOEXEC sync_file of the caller */
};

/*
 * Moves the timeline to `value`: points up to it end in order. Back is EINVAL, also behind a point
 * that ran out of time; the present value is nothing to do. `error` 0: they signal; -1 to -4095:
 * those at exactly `value` fail with it.
 */
struct krafla_sync_signal {
	__u64 value;
	__s32 error;
	__u32 pad; /* 0, else EINVAL */
};

struct krafla_sync_info {
	char name[KRAFLA_SYNC_NAME_LEN];
	__u64 value;
	__u64 last; /* the highest value that a fence was made for */
	__u32 open; /* points that haven't ended */
	__u32 pad;
};

#define KRAFLA_SYNC_IOC_SET_NAME _IOW('K', 0, struct krafla_sync_name)
#define KRAFLA_SYNC_IOC_CREATE   _IOWR('K', 1, struct krafla_sync_create)
#define KRAFLA_SYNC_IOC_SIGNAL   _IOW('K', 2, struct krafla_sync_signal)
#define KRAFLA_SYNC_IOC_INFO     _IOR('K', 3, struct krafla_sync_info)

#endif
