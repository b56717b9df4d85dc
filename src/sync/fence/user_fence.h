/* SPDX-License-Identifier: Apache-2.0 */
/*
 * User-space fences. The object is a connected AF_UNIX SEQPACKET pair: the fence is the consumer
 * end, which may be passed to anybody; the producer end stays with who signals.
 *
 *   signal    one packet (struct kr_sync_packet), then close: always both, so that a consumer who
 *             takes the packet out leaves end-of-file behind, which is an error, never a hang
 *   forging   the producer's receive side is shut, so that a consumer's send fails with EPIPE
 *   filter    SO_LOCK_FILTER on the consumer end, else a consumer's BPF filter could
 *             swallow the packet
 *   stalling  receiving, even with MSG_PEEK, takes a lock of the socket, which a consumer holds for
 *             as long as he likes by receiving into memory whose page faults he serves (tried:
 *             another's recv then never returns). So the status is told by the length of the
 *             packet, and asked for without receiving
 *   peeking   SO_PEEK_OFF belongs to the shared description: a consumer who sets it hides the
 *             packet from those who receive it for names and times. It carries a mark from birth, a
 *             negative number, which means "off" to the kernel as -1 does: one getsockopt tells a
 *             fence from another socket. An offset is put right and read again
 *   shutdown  by a consumer: end-of-file, an error for all who share the description
 *   death     the kernel closes the producer end: end-of-file, an error
 *
 * Never a false success. The worst that a holder of a consumer end can do to those who share
 * its description is an early error, and to stall those who ask for its names and times. So
 * clients that distrust each other, or whom we distrust, get a description each:
 * kr_fence_merge(name, f, f).
 *
 * What an fd is, is decided from the socket, never from its name.
 */
#ifndef KR_SYNC_FENCE_USER_FENCE_H
#define KR_SYNC_FENCE_USER_FENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "sync/fence/points.h"
#include "util/macros.h"

/*
 * The answers: 0; -ENOTSOCK when fd is no socket (nor open); -EINVAL when it is another socket. The
 * fence's own state is in *status, where end-of-file and nonsense give -EOWNERDEAD.
 */
int kr_sync_user_status(int fd, int32_t *status) KR_MUST_CHECK;
/*
 * Whether fd is a fence that is certainly active, in two calls that wait for nobody: what is asked
 * most. A socket of another family that carries a fence's mark is taken for one here, so this is no
 * leave to ask fd for more.
 */
bool kr_sync_user_is_active(int fd);
/*
 * `careful`: a fence that another process made is not received from: its label and status are told,
 * its time is now. The way for threads that serve more than one client.
 */
int kr_sync_user_read(int fd, bool careful, struct kr_sync_points *points) KR_MUST_CHECK;
/* Sends what `points` says and closes. */
void kr_sync_user_signal(int take_producer, const struct kr_sync_points *points);
/* A fence that is done at birth; points->status says how. */
int kr_sync_user_create_done(const struct kr_sync_points *points, int *fence) KR_MUST_CHECK;
/* Gives the description of `fence` a newer name, where it has none and names can be had. */
void kr_sync_user_rename(int fence, const char *name);
/* What the kernel knows the socket by, never used twice. 0 when fd is no socket. */
uint64_t kr_sync_user_cookie(int fd);

/* What a fence says whose socket has so many bytes to be received; nonsense is an error. */
int32_t kr_sync_user_status_of_length(size_t len);
/* The process that made the pair, as the kernel knows it; 0 when it can't be seen from here. */
pid_t kr_sync_user_owner(int fd);

#endif
