/* SPDX-License-Identifier: Apache-2.0 */
/* Fences by the names of their sockets. */
#ifndef KR_TOOLS_FENCES_NAMES_H
#define KR_TOOLS_FENCES_NAMES_H

#include "sync/fence/name.h"
#include "tools/fences/sample.h"
#include "tools/fences/sockets.h"

/* Whether the name of a socket (NULL: there is none) is of that kind. */
bool kr_fences_name_of(
	const struct kr_socket *row, enum kr_sync_name_kind kind, struct kr_sync_name *name);
/* What a producer's name tells (NULL none), and that of a renamed fence (NULL none). */
void kr_fences_describe_names(const struct kr_sync_name *point, const struct kr_sync_name *newer,
	struct kr_fence_description *about);
uint64_t kr_fences_key_of_name(const struct kr_sync_name *name);
/* The same as that of its fence. `row` may be NULL. */
uint64_t kr_fences_key_of_producer(const struct kr_socket *row, const struct kr_sync_name *name);
/*
 * What names say of a socket, of which `row` (NULL: it isn't in the table) tells: 1 it was
 * added, 0 it is nothing that is known to be a fence, or -ENOMEM. Without the table's details it
 * isn't known whether a fence is done. A producer belongs to the process that has it; one with
 * pid 0 stands for nobody.
 */
int kr_fences_add_named(struct kr_fences_sample *sample, const struct kr_sockets *table,
	struct kr_fences_process *process, int fd, const struct kr_socket *row) KR_MUST_CHECK;

#endif
