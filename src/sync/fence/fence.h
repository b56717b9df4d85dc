/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fences: create, signal, ask, rename. A fence is one file descriptor (S-04): a kernel sync_file
 * where a kernel driver made it, else a user-space fence, the consumer end of a SEQPACKET socket
 * pair (DESIGN 5.3). Elsewhere in the platform -1 means "signalled"; these functions take -1 so
 * too, which is where they differ from libsync's sync_*.
 *
 * All functions may be called from any thread.
 */
#ifndef KR_SYNC_FENCE_FENCE_H
#define KR_SYNC_FENCE_FENCE_H

#include <stdbool.h>
#include <stdint.h>
#include "sync/fence/name.h"
#include "util/macros.h"

#define KR_FENCE_ACTIVE    0
#define KR_FENCE_SIGNALLED 1
/* Negative: -errno, the fence has failed. */

/*
 * A new user-space fence. *producer is the end that signals, *fence the fence itself; the caller
 * owns both. Closing the producer end without signalling (also by dying) makes the fence fail with
 * -EOWNERDEAD. 0 or -errno (EMFILE, ENFILE, ENOMEM).
 */
int kr_fence_create(const struct kr_fence_label *label, int *producer, int *fence) KR_MUST_CHECK;

/* Signals and closes the producer end. status: 1 signalled, or -errno to fail the fence. */
void kr_fence_signal(int take_producer, int status);
/* Likewise for what has happened at that time (CLOCK_MONOTONIC, as kr_fence_signal_time says). */
void kr_fence_signal_at(int take_producer, int status, int64_t time_ns);

/* A fence that is done at birth; status as above. For 1 callers may use fd -1 instead. */
int kr_fence_create_done(const struct kr_fence_label *label, int status, int *fence) KR_MUST_CHECK;

/*
 * KR_FENCE_ACTIVE, KR_FENCE_SIGNALLED (also for -1), or -errno; -EINVAL when fd is no
 * fence. A socket of another family that was given a fence's mark on purpose may be told as
 * active: it is only waited for.
 */
int kr_fence_status(int fence);
/*
 * When it signalled (CLOCK_MONOTONIC ns); 0 while active, for -1 and when that is not known. Of a
 * user-space fence that another process made it never is: it would have to be received from, and
 * whoever shares the description can make that wait.
 */
int64_t kr_fence_signal_time(int fence);

/*
 * The same fence under a newer name (S-07: "SurfaceView:0"), in *renamed, owned by the caller; -1
 * for -1. A user-space fence comes back as a duplicate: it shares its description, which carries
 * the first new name it gets, and keeps its old one where names are denied. A kernel fence comes
 * back as a new sync_file; when it has failed as a duplicate, with its old name, since a new one
 * would have succeeded. 0 or -errno.
 */
int kr_fence_rename(const char *name, int fence, int *renamed) KR_MUST_CHECK;

/*
 * The same for a fence that the caller holds and that may stay as it is: only what is active gets
 * the name, and what can't be renamed, or is no fence, is left alone. A kernel fence in *fence is
 * replaced by the new one and closed; a user-space fence keeps its descriptor.
 */
void kr_fence_rename_held(const char *name, int *fence);

#endif
