/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines (S-01): where fences come from. A driver instance has one; it counts the jobs submitted
 * and guarantees that their points end in order. A point (S-02) is one value on it, active until
 * the timeline reaches the value, then signalled or failed, once. User space sees fences, which are
 * file descriptors (<krafla/sync.h>); timelines and points stay opaque (S-11).
 *
 * Only the owner can signal: the process that created the timeline. A forked child can do nothing
 * with it but forget it (EPERM); it may also ask where it was at fork. The owner's death fails the
 * open points with -EOWNERDEAD, whatever children it leaves.
 *
 * A timeline makes user-space fences (docs/fences.md), each of which costs its owner a descriptor
 * while it is open; a point whose fence nobody holds any more is dropped when room is needed. For
 * tests KRAFLA_SYNC_TIMELINE (docs/environment.md) puts a kernel device in their place, with what
 * is said of devices below.
 *
 * Ownership: a timeline belongs to who created it; every fence that comes back belongs to the
 * caller, and lives on when the timeline is gone. Thread-safety: every function may be called from
 * any thread, except krafla_timeline_destroy, during and after which nobody may use the timeline;
 * none from a signal handler. Errors come back as negative errno.
 */
#ifndef KRAFLA_TIMELINE_H
#define KRAFLA_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct krafla_timeline;

/*
 * What a driver may add. Each function is optional, is called by the thread that asks, possibly by
 * several at once, and may not call functions of its timeline.
 */
struct krafla_timeline_ops {
	size_t size; /* sizeof(struct krafla_timeline_ops): says which of these exist */
	/*
	 * A value as text, at most `room` bytes with the NUL; without it the decimal number. Both
	 * the timeline's present value and a point's are rendered so.
	 */
	void (*value_text)(void *data, uint64_t value, char *out, size_t room);
	/*
	 * Data of the driver's own about a point, at most `room` bytes
	 * (krafla_timeline_driver_data). Returns how many were written, or -errno. It is for
	 * the owner's process: Android's legacy kernel interface let every holder of a fence
	 * ask for it (sync_pt_info), the kernel's present one has nothing like it, and
	 * neither have fences here.
	 */
	int (*fill_driver_data)(void *data, uint64_t value, void *out, size_t room);
};

/*
 * A timeline at value 0. `name` (cut to 31 bytes, copied) is what tools and sync_file_info show;
 * `ops` (copied) may be NULL; `data` is given to them. 0, -EINVAL (no name, bad ops), -ENOMEM; of a
 * device that can't be opened its -errno (-ENOENT, -EACCES).
 */
int krafla_timeline_create(const char *name, const struct krafla_timeline_ops *ops, void *data,
	struct krafla_timeline **timeline);

/*
 * Its open points fail with -ENOENT, in order, as those of a closed sw_sync timeline do; of the
 * device krafla_sync with -EOWNERDEAD. In a forked child nothing ends. NULL is nothing.
 */
void krafla_timeline_destroy(struct krafla_timeline *timeline);

/*
 * The next job: one more than the highest value asked for so far, in *value (may be NULL), with its
 * fence in *fence. `name` is the fence's, cut to 31 bytes ("SurfaceView:0"; NULL: the timeline's
 * and the value, "cube-7"). 0, -EPERM, -EMFILE, -ENFILE, -ENOMEM, -EOVERFLOW (also 2^31 or more
 * ahead of the device sw_sync); no value is used up by a failure.
 */
int krafla_timeline_submit(
	struct krafla_timeline *timeline, const char *name, uint64_t *value, int *fence);

/*
 * A fence of the point at `value`, any value; when the timeline has reached it, it has ended
 * already as the point did (one of a device may have forgotten that it failed). Several fences may
 * stand for one point. Errors as above.
 */
int krafla_timeline_fence(
	struct krafla_timeline *timeline, const char *name, uint64_t value, int *fence);

/*
 * The timeline reaches `value`: its open points up to there signal, in order, before this
 * returns. 0, also when it is there already; -EINVAL when it is beyond: time doesn't run
 * backwards; -EPERM. Of several threads who signal one goes after the other; who is woken can
 * use the timeline meanwhile.
 */
int krafla_timeline_signal(struct krafla_timeline *timeline, uint64_t value);

/*
 * The same, but the points at exactly `value` fail with `error` (negative errno, -1 to -4095, else
 * -EINVAL). -EINVAL also when the timeline has reached `value` already; -ENOMEM; -EOPNOTSUPP of the
 * device sw_sync, which knows no failing.
 */
int krafla_timeline_fail(struct krafla_timeline *timeline, uint64_t value, int error);

/* Where it is, and the highest value that was asked for: equal when nothing is open. */
uint64_t krafla_timeline_value(struct krafla_timeline *timeline);
uint64_t krafla_timeline_last(struct krafla_timeline *timeline);

/* Its name; lives as long as the timeline. */
const char *krafla_timeline_name(const struct krafla_timeline *timeline);

/* Where it is, and a point's value, as text: cut to `room` bytes, always ended (room > 0). */
void krafla_timeline_value_text(struct krafla_timeline *timeline, char *out, size_t room);
void krafla_timeline_point_text(
	struct krafla_timeline *timeline, uint64_t value, char *out, size_t room);

/*
 * What fill_driver_data says of a point: the number of bytes, or -errno (-EOVERFLOW when it says
 * more than there is room for); 0 without such a function.
 */
int krafla_timeline_driver_data(
	struct krafla_timeline *timeline, uint64_t value, void *out, size_t room);

/*
 * The names of Android's libsync for tests (sw_sync), over the same timelines, or over a kernel
 * device: KRAFLA_SYNC_TIMELINE in docs/environment.md. The timeline is a descriptor here, and
 * closing its last duplicate destroys it, within a moment: its open points fail with -ENOENT. A
 * forked child that holds a duplicate delays that, here as with the kernel, where the child can
 * signal, too; here it can't (EPERM).
 *
 * They return -1 with errno: EBADF fd isn't open, ENOTTY it is no timeline, and those
 * above. A timeline costs two descriptors, and each has the name of the thread that
 * makes it, as the kernel's.
 */
int sw_sync_timeline_create(void);
/* Moves it on by `count`. */
int sw_sync_timeline_inc(int fd, unsigned count);
/*
 * A fence of the point at `value` (32 bits, comparing as they wrap: what is up to 2^31 behind is
 * over); `name` as in krafla_timeline_submit.
 */
int sw_sync_fence_create(int fd, const char *name, unsigned value);

#ifdef __cplusplus
}
#endif

#endif
