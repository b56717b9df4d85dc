/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the store's child: its two mount namespaces, and what it is asked over its socket.
 *
 *   outer   a user namespace of its own, /proc covered by a tmpfs, in it:
 *             work/N    directories that are being made, private
 *             given/N   those that are published; `given` is shared
 *   inner   owned by a user namespace nested in outer's: `given` is a slave of the outer one here,
 *           and each mount that propagates to it has its flags locked on the way
 *
 * Clients get clones made in inner, private ones: nothing that is mounted or unmounted here later
 * reaches them. Each directory is a tmpfs of its own and dies with its last clone; in one tmpfs for
 * all, removing a dropped directory's files would take away what is bound over them from every
 * clone.
 *
 * /proc is covered because it is there for sure (the maps are written through it) and no package is
 * below it.
 */
#ifndef KR_SERVICE_STORE_HELPER_H
#define KR_SERVICE_STORE_HELPER_H

#include <limits.h>
#include <stdint.h>
#include "util/macros.h"

#define KR_HELPER_ROOT  "/proc"
#define KR_HELPER_WORK  KR_HELPER_ROOT "/work"
#define KR_HELPER_GIVEN KR_HELPER_ROOT "/given"

enum kr_helper_op {
	KR_HELPER_MAKE,  /* answered with a descriptor */
	KR_HELPER_BIND,  /* uses all members */
	KR_HELPER_CLOSE, /* publish, and nobody writes any more */
	KR_HELPER_OPEN,  /* publish, and keep writable */
	KR_HELPER_CLONE, /* answered with a descriptor */
	KR_HELPER_DROP,
};

struct kr_helper_request {
	uint32_t op;
	uint32_t id;
	uint64_t device;
	uint64_t inode;
	char path[PATH_MAX]; /* sent up to source's end */
	char source[PATH_MAX];
};

struct kr_helper_answer {
	int32_t result; /* 0 or -errno */
	/* Of the first answer, which comes unasked: what failed, "making a user namespace" */
	char failed[60];
};

struct kr_helper {
	int socket;
	int outer; /* mount namespaces */
	int inner;
	int current; /* that of them which the process is in */
};

/*
 * Makes the namespaces and the tmpfs. 0 or -errno; *failed says at what, for a sentence. What it
 * has made goes when the process ends.
 */
int kr_helper_enter(struct kr_helper *helper, const char **failed) KR_MUST_CHECK;
/* Sees whether a clone's flags are locked: 0, or -EPERM when they can be cleared, or -errno. */
int kr_helper_try_locks(struct kr_helper *helper) KR_MUST_CHECK;
/* Does what is asked; *fd is -1 or a descriptor to be sent along and closed. 0 or -errno. */
int kr_helper_do(struct kr_helper *helper, const struct kr_helper_request *request, int *fd)
	KR_MUST_CHECK;

#endif
