/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one packet of a user-space fence. Both ends are on one machine: native byte order.
 *
 * Its length alone tells the status, so that nobody has to receive it to know: head and points when
 * it signalled, KR_SYNC_FAILED_LEN plus the errno, padded with zeros, when it failed.
 */
#ifndef KR_SYNC_FENCE_PACKET_H
#define KR_SYNC_FENCE_PACKET_H

#include <stdatomic.h>
#include <stdint.h>
#include "sync/fence/points.h"

#define KR_SYNC_MAGIC      0x636e5953u /* "SYnc" */
#define KR_SYNC_VERSION    1u
#define KR_SYNC_MAX_ERRNO  4095
#define KR_SYNC_FAILED_LEN 8192
#define KR_SYNC_PEEK_MARK  (-0x4b52464e)

/*
 * Makes a fence order memory also in the language's eyes: what a thread wrote before it signalled
 * is seen by the thread of the same process that finds the fence done. Released by
 * kr_sync_user_signal, acquired by kr_sync_user_status. (The kernel orders them too, but neither
 * C nor a sanitizer knows.)
 */
extern atomic_uint kr_sync_order;

struct kr_sync_packet_head {
	uint32_t magic;
	uint32_t version;
	int32_t status;    /* 1 signalled, else -1 .. -4095 */
	uint32_t n_points; /* 0: the fence is one point, as its label tells */
	int64_t timestamp; /* CLOCK_MONOTONIC ns */
	char name[KR_SYNC_TEXT];
};

struct kr_sync_packet {
	struct kr_sync_packet_head head;
	struct sync_fence_info point[KR_SYNC_MAX_POINTS];
};

_Static_assert(sizeof(struct kr_sync_packet_head) == 56, "no padding on the wire");

#endif
