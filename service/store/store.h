/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the service gives out as descriptors: generations of packages, and directories that clients
 * watch.
 *
 * Problem: a detached mount that is read-only is made writable again by a receiver that has a user
 * namespace of its own (mount_setattr; seen on Linux 6.18), and then his file permissions decide:
 * with a service of the same user he could change what others run. Idea: mounts whose flags came
 * through a user namespace boundary are locked (MNT_LOCK_READONLY). So there are two mount
 * namespaces, one inside the other's user namespace: `outer`, where mounts are made, and `inner`,
 * owned by a nested user namespace, to which they propagate and get locked. What clients get is
 * cloned in `inner`. A child process has these namespaces (mounts.h); the service stays in its own.
 *
 * A generation is a tmpfs of empty files with the package's pinned files bound over them, one mount
 * each: nothing is copied, and what is renamed on disk later changes nothing. What is written into
 * a file in place does show: packages are replaced by renaming, and one that was written to is not
 * given any more (-ESTALE). Where mounts can't be had (no user namespaces, a source mounted noexec
 * or not readable by all), it is sealed memfds, copied once, by a child process that begins when
 * the generation is created; on a service with mounts, when strict is first asked for.
 *
 * Thread-safety: one thread.
 */
#ifndef KR_SERVICE_STORE_STORE_H
#define KR_SERVICE_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <jansson.h>
#include "delivery/delivery.h"
#include "service/config/config.h"
#include "service/package/package.h"
#include "util/macros.h"

struct kr_store;
struct kr_generation;
struct kr_tree;

/*
 * Starts the process that makes mounts, unless `choice` is memory: before threads are started.
 * Raises the limit of descriptors to the hard one: a generation needs one a file, and a second one
 * a file for copies. Without mounts the store works with memory alone, and kr_store_inspect says
 * why, as does the log; with choice mount that is an error. 0 or -errno with a sentence.
 */
int kr_store_create(enum kr_config_delivery choice, struct kr_store **store, char **reason)
	KR_MUST_CHECK;
/* All generations and trees must have been destroyed. */
void kr_store_destroy(struct kr_store *store);
/*
 * The directory above all that it writes through, for who confines the process: the store's, or -1
 * where it has none.
 */
int kr_store_directory(const struct kr_store *store);
/*
 * {"delivery": "mount" or "memory", "reason": why memory, "process": pid of the child,
 * "descriptors": limit}
 */
json_t *kr_store_inspect(const struct kr_store *store);

/* Descriptors on their way to a client. */
struct kr_given {
	enum kr_delivery_kind kind;
	int fds[KR_INDEX_MAX_FILES + 1];
	size_t count;
};
void kr_given_finish(struct kr_given *given); /* closes them */

/*
 * One reference. Takes a checked package, on success only; `name` goes into its index. 0 or -errno
 * with a sentence.
 */
int kr_generation_create(struct kr_store *store, struct kr_package *take_package, const char *name,
	struct kr_generation **generation, char **reason) KR_MUST_CHECK;
const struct kr_package *kr_generation_package(const struct kr_generation *generation);
const char *kr_generation_name(const struct kr_generation *generation);
/*
 * New descriptors of it; `strict`: memory, whatever the store prefers. Waits for copies that aren't
 * made yet (at most 10 s): see kr_generation_prepare. 0; -ESTALE a file was written to in place;
 * -errno.
 */
int kr_generation_give(struct kr_generation *generation, bool strict, struct kr_given *given)
	KR_MUST_CHECK;
/*
 * For who mustn't wait: has copies made if `strict` or this generation needs them. *fd is -1 when
 * kr_generation_give won't wait, else a descriptor (borrowed, until then) that becomes readable
 * when it no longer would. 0 or -errno.
 */
int kr_generation_prepare(struct kr_generation *generation, bool strict, int *fd) KR_MUST_CHECK;
json_t *kr_generation_inspect(const struct kr_generation *generation);
struct kr_generation *kr_generation_ref(struct kr_generation *generation);
/* The last one unmounts and closes it; what was given out stays whole. NULL is no generation. */
void kr_generation_unref(struct kr_generation *generation);

/*
 * A directory that clients read and watch with inotify: a file appears by rename, whole. Without
 * mounts it is given as a sealed memfd with a listing, as docs/service-protocol.md describes it: a
 * picture of the moment.
 */
int kr_tree_create(struct kr_store *store, const char *name, struct kr_tree **tree) KR_MUST_CHECK;
/* Adds or replaces the file; folders of its path are made. */
int kr_tree_put(struct kr_tree *tree, const char *path, const char *text, size_t size)
	KR_MUST_CHECK;
void kr_tree_remove(struct kr_tree *tree, const char *path);
/*
 * A new descriptor: KR_DELIVERY_MOUNT (a directory) or KR_DELIVERY_MEMORY (a listing). 0 or -errno.
 */
int kr_tree_give(struct kr_tree *tree, struct kr_given *given) KR_MUST_CHECK;
void kr_tree_destroy(struct kr_tree *tree);

#endif
