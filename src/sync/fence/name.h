/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bound names of fence sockets, for tools and for sync_file_info: labels, never authority. Any
 * process may bind or squat such a name, so nothing is decided by one, and all of it is optional.
 *
 * Producer end: `syncf/PID/COUNTER.TIME[~SUFFIX]/TIMELINE/SEQNO/NAME`, abstract, at most 107 bytes.
 * COUNTER is hexadecimal and unique in its process, TIME the milliseconds of CLOCK_MONOTONIC at
 * creation in hexadecimal, SUFFIX what it took to get past a squatted name.
 * Renamed consumer end: `syncn/PID/COUNTER.TIME[~SUFFIX]//0/NAME`, the same with
 * nothing of the point.
 */
#ifndef KR_SYNC_FENCE_NAME_H
#define KR_SYNC_FENCE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "util/macros.h"

#define KR_SYNC_TEXT 32 /* bytes of a name with its NUL, as in the kernel's structures */

/*
 * What tools show of a fence; all of it is a label, never authority. Strings are cut to 31 bytes.
 */
struct kr_fence_label {
	const char *timeline; /* which timeline the point is on; NULL "krafla" */
	uint64_t seqno;       /* the point's value */
	const char *name;     /* the fence's name, e.g. "SurfaceView:0"; NULL none */
};

enum kr_sync_name_kind {
	KR_SYNC_NAME_FENCE,  /* the producer end: which point this is */
	KR_SYNC_NAME_RENAME, /* the consumer end: its newer name (S-07) */
};

struct kr_sync_name {
	pid_t pid; /* who bound it, as he says */
	uint64_t counter;
	int64_t created_ns; /* CLOCK_MONOTONIC, in whole milliseconds */
	uint64_t seqno;
	char timeline[KR_SYNC_TEXT];
	char name[KR_SYNC_TEXT];
};

/*
 * Binds `fd` to a name; another one when that is taken. 0, or -errno when names can't be had here
 * (denied, none free, the socket has one already): the fence works without.
 */
int kr_sync_name_bind(int fd, enum kr_sync_name_kind kind, uint64_t counter,
	const struct kr_fence_label *label) KR_MUST_CHECK;
/*
 * What `len` characters say that name a socket, without the NUL that abstract names begin with, as
 * the kernel's tables of sockets have them; false when that is no name of that kind.
 */
bool kr_sync_name_parse(
	const char *text, size_t len, enum kr_sync_name_kind kind, struct kr_sync_name *name);
/* What fd's own name, or its peer's, says; false when it has none of that kind. */
bool kr_sync_name_own(int fd, enum kr_sync_name_kind kind, struct kr_sync_name *name);
bool kr_sync_name_peer(int fd, enum kr_sync_name_kind kind, struct kr_sync_name *name);
/*
 * Copies at most 31 bytes and a NUL; NULL is the empty string. What isn't to be shown becomes '_':
 * control characters, what turns or hides text, and what isn't UTF-8.
 */
void kr_sync_text_copy(char out[KR_SYNC_TEXT], const char *text);

#endif
