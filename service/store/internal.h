/* SPDX-License-Identifier: Apache-2.0 */
/* What the store's parts share: store.c, generation*.c, tree.c. */
#ifndef KR_SERVICE_STORE_INTERNAL_H
#define KR_SERVICE_STORE_INTERNAL_H

#include "service/store/store.h"
#include "service/store/mounts.h"
#include "util/list.h"

struct kr_store {
	enum kr_config_delivery choice;
	struct kr_mounts *mounts;   /* NULL: memory alone */
	char *reason;               /* why; NULL when there are mounts */
	struct kr_list generations; /* kr_generation.link */
};

/* Why mounts aren't used any more, or never were; NULL while they are. */
const char *kr_store_why_memory(const struct kr_store *store);

/*
 * A sealed memory object with these bytes, which nobody can execute as a program (since Linux 6.3;
 * before, its owner can). For reading only: its position is the caller's own. 0 or -errno.
 */
int kr_memory_from_text(const char *name, const char *text, size_t size, int *fd) KR_MUST_CHECK;
/* An empty one to be filled through the descriptor; then sealed. */
int kr_memory_open(const char *name, int *fd) KR_MUST_CHECK;
int kr_memory_seal(int fd) KR_MUST_CHECK;
/*
 * Has the kernel put what `size` bytes of it fill into its largest pages (2 MiB, x86-64), which
 * costs no memory and spares whoever maps them time. Where that can't be had, it stays as it is.
 * May take long: for a process that nobody waits for.
 */
void kr_memory_enlarge_pages(int fd, uint64_t size);
/*
 * Opened anew for reading: who gets it shares neither position nor locks with other clients.
 */
int kr_memory_reopen(int fd, int *out) KR_MUST_CHECK;

/*
 * Creates a file in a directory of the store, readable by everybody, with the folders that its path
 * needs.
 */
int kr_tree_write(int directory, const char *path, const char *text, size_t size) KR_MUST_CHECK;

#endif
