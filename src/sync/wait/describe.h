/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a person wants to know of a fence that doesn't signal: which one it is, whose, since when.
 * All of it is a label that its maker chose, except kind, status and owner, which the kernel tells.
 */
#ifndef KR_SYNC_WAIT_DESCRIBE_H
#define KR_SYNC_WAIT_DESCRIBE_H

#include <stdint.h>
#include <sys/types.h>
#include "sync/fence/fence.h"
#include "util/macros.h"

enum kr_fence_kind {
	KR_FENCE_KIND_USER,   /* a socket */
	KR_FENCE_KIND_KERNEL, /* a sync_file */
};

/*
 * Timeline, point, owner and time are those of the point that holds it up, where that is known: for
 * a merge that this process made, and for kernel fences; else the fence's own.
 */
struct kr_fence_description {
	enum kr_fence_kind kind;
	int32_t status;              /* as kr_fence_status */
	char name[KR_SYNC_TEXT];     /* "SurfaceView:0"; empty: none */
	char timeline[KR_SYNC_TEXT]; /* empty: not known */
	char driver[KR_SYNC_TEXT];   /* who makes it: "krafla" or a kernel driver */
	uint64_t point;              /* its value there; 0 not known */
	uint32_t points;             /* how many it has, as far as is known; at least 1 */
	pid_t owner;                 /* the process that made it; 0 not known (kernel fences) */
	int64_t created_ns;          /* CLOCK_MONOTONIC; 0 not known */
};

/* Waits for nobody, and receives nothing from fences of others. 0, -EINVAL no fence. */
int kr_fence_describe(int fence, struct kr_fence_description *description) KR_MUST_CHECK;

#define KR_FENCE_SENTENCE 256 /* bytes that kr_fence_sentence writes at most */

/*
 * "'SurfaceView:0' (point 7 of cube, made by process 4711 3.2 s ago)": for messages. What
 * isn't known is left out, and a name may end in the middle of a character of UTF-8, as
 * labels are cut to 31 bytes.
 */
void kr_fence_sentence(const struct kr_fence_description *description, char out[KR_FENCE_SENTENCE]);
/* What kr_fence_sentence says of a fence, for messages: "the fence %s". */
void kr_fence_sentence_of(int fence, char out[KR_FENCE_SENTENCE]);

/*
 * Says as a warning that `fence` has not signalled for `waited_ns`, and who waits:
 * `what` is a phrase like "a frame of 'vkcube'". Says nothing when it has signalled
 * meanwhile, or isn't a fence.
 */
void kr_fence_log_late(int fence, const char *what, int64_t waited_ns);

/* After how long a fence is late: Android's libsync warns then, too. */
#define KR_FENCE_BUDGET_NS (INT64_C(3) * 1000 * 1000 * 1000)

#endif
