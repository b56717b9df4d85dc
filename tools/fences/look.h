/* SPDX-License-Identifier: Apache-2.0 */
/* One descriptor of a process: is it a fence, and which? For sample.c. */
#ifndef KR_TOOLS_FENCES_LOOK_H
#define KR_TOOLS_FENCES_LOOK_H

#include "sync/fence/name.h"
#include "tools/fences/sample.h"
#include "tools/fences/sockets.h"
#include "util/hash.h"

struct kr_fences_look {
	struct kr_fences_sample *sample;
	const struct kr_sockets *table;
	struct kr_fences_process *process;
	int pidfd;
	bool other_network;           /* its sockets aren't in the table */
	int denied;                   /* -errno: its descriptors may not be looked at */
	const struct kr_hash *wanted; /* inodes of sockets, the others don't matter; NULL: all do */
	bool wants_kernel;            /* then: kernel fences too, */
	bool wants_foreign;           /* and sockets that aren't in the table */
};

/*
 * Adds what descriptor `fd`, which is a link to `target`, is: to the sample when it is a fence, to the
 * counts of the process otherwise. What is closed by now is nothing. 0 or -ENOMEM.
 */
int kr_fences_look_at(struct kr_fences_look *look, int fd, const char *target) KR_MUST_CHECK;
/* The same of all descriptors of look->process. 0, -ENOMEM, or -errno: they can't be listed. */
int kr_fences_look_at_all(struct kr_fences_look *look) KR_MUST_CHECK;

/* For names.c: a descriptor that is a fence; NULL without memory. */
struct kr_fences_seen *kr_fences_look_add(struct kr_fences_look *look, int fd,
	enum kr_fences_role role, uint64_t key, const struct kr_fence_description *about);

/* --- names --- */

/* The same of a socket. 0 or -ENOMEM. */
int kr_fences_look_add_socket(struct kr_fences_look *look, int fd, enum kr_fences_role role,
	uint64_t key, const struct kr_fence_description *about, uint64_t inode, bool alone)
	KR_MUST_CHECK;
/* A descriptor that may not be looked at. `row` is its socket's, NULL: it isn't in the table. 0 or -ENOMEM. */
int kr_fences_look_by_table(struct kr_fences_look *look, int fd, const struct kr_socket *row)
	KR_MUST_CHECK;
/* What a producer's name tells (NULL none), and that of a renamed fence (NULL none). */
void kr_fences_describe_names(const struct kr_sync_name *point, const struct kr_sync_name *newer,
	struct kr_fence_description *about);
uint64_t kr_fences_key_of_name(const struct kr_sync_name *name);
/* The same as that of its fence. `row` may be NULL. */
uint64_t kr_fences_key_of_producer(const struct kr_socket *row, const struct kr_sync_name *name);
/* Adds a socket of the table that is nobody's, when its name is that of a fence. 0 or -ENOMEM. */
int kr_fences_look_at_row(struct kr_fences_sample *sample, const struct kr_sockets *table,
	const struct kr_socket *row) KR_MUST_CHECK;

/* --- elsewhere --- */

/*
 * Completes a sample of processes that were `named`, or of all, by who else holds their fences, and by those
 * that the table of sockets alone tells of. 0 or -ENOMEM.
 */
int kr_fences_look_elsewhere(
	struct kr_fences_sample *sample, const struct kr_sockets *table, bool named) KR_MUST_CHECK;

#endif
