/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process that holds the store's namespaces and makes its mounts, and how the store talks to
 * it.
 *
 * It is a child that lives as long as the store: the service itself stays in its own namespaces, so
 * that it sees who its clients are (in a user namespace all other users look the same, also in
 * SO_PEERCRED), what it starts runs as usual, and mounts of the host reach it. helper.h says what
 * happens in the child.
 *
 * A directory begins in private, gets its files, then is published: from then on it is cloned for
 * clients. Each call is one question and one answer, and takes 5 s at most; a child that doesn't
 * answer is killed, and every later call is -EPIPE.
 *
 * Thread-safety: one thread.
 */
#ifndef KR_SERVICE_STORE_MOUNTS_H
#define KR_SERVICE_STORE_MOUNTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "util/macros.h"

struct kr_mounts;

/*
 * Starts the child, and has it try that what it gives away can't be made writable. 0, or -errno
 * with a sentence in *reason (free; NULL only without memory): not permitted here, not in this
 * kernel...
 */
int kr_mounts_start(struct kr_mounts **mounts, char **reason) KR_MUST_CHECK;
/* Ends the child. What was cloned stays whole. NULL is none. */
void kr_mounts_stop(struct kr_mounts *mounts);
/* The directory above all that it makes, in its own namespace; O_PATH, its own. */
int kr_mounts_directory(const struct kr_mounts *mounts);
pid_t kr_mounts_pid(const struct kr_mounts *mounts);

/*
 * A new empty directory, a file system of its own: its number, and a descriptor through which it is
 * written to.
 */
int kr_mounts_make(struct kr_mounts *mounts, uint32_t *id, int *directory) KR_MUST_CHECK;
/*
 * Binds the file at `source`, an absolute path without links, over the file `path` of a directory
 * that isn't published yet. 0; -ESTALE what the child sees there isn't this device and inode;
 * -errno.
 */
int kr_mounts_bind(struct kr_mounts *mounts, uint32_t id, const char *path, const char *source,
	dev_t device, ino_t inode) KR_MUST_CHECK;
/*
 * From now on it can be cloned; `keep_writable`: its descriptor can still write, else nobody can.
 */
int kr_mounts_publish(struct kr_mounts *mounts, uint32_t id, bool keep_writable) KR_MUST_CHECK;
/*
 * A detached mount of its own for somebody: read-only for good, whatever he may do in namespaces of
 * his.
 */
int kr_mounts_clone(struct kr_mounts *mounts, uint32_t id, int *fd) KR_MUST_CHECK;
/* Unmounts it here; clones stay. */
void kr_mounts_drop(struct kr_mounts *mounts, uint32_t id);

#endif
