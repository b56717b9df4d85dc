/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A generation from inside: generation.c, its mount (generation_mount.c), its copies
 * (generation_copy.c).
 */
#ifndef KR_SERVICE_STORE_GENERATION_H
#define KR_SERVICE_STORE_GENERATION_H

#include <stdint.h>
#include <sys/types.h>
#include "service/store/internal.h"

struct kr_generation {
	struct kr_list link;
	struct kr_store *store;
	unsigned references;
	char *name;
	struct kr_package *package;
	char *index;      /* the text */
	char *why_memory; /* NULL: it has a mount */
	uint32_t id;      /* of its mount; 0: none */

	/* Copies: */
	bool copied;
	int copier; /* pidfd of the child that copies; -1: none */
	pid_t copier_pid;
	int *copies; /* the index, then a file each; NULL: not begun */
	size_t copy_count;

	uint64_t mounts_given;
	uint64_t copies_given;
};

/* 0, or -errno with a sentence, why this package can't be a mount. */
int kr_generation_mount(struct kr_generation *generation, char **why) KR_MUST_CHECK;
/* Whether the pinned files are as they were when they were read. */
bool kr_generation_is_unchanged(const struct kr_generation *generation);

/*
 * Has a child process copy the files, unless one does or did: the loop goes on meanwhile. When it
 * can't be begun, kr_generation_copy_give tries again and says why not.
 */
void kr_generation_copy_begin(struct kr_generation *generation);
/* Waits for the child (at most 10 s) if need be. 0, -ESTALE (a file is not what it was), -errno. */
int kr_generation_copy_give(struct kr_generation *generation, struct kr_given *given) KR_MUST_CHECK;
void kr_generation_copy_finish(struct kr_generation *generation);

#endif
