/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the service gives out as descriptors: generations of packages, and directories that clients watch.
 *
 * Problem: a detached mount that is read-only is made writable again by a receiver that has a user namespace of
 * its own (mount_setattr; seen on Linux 6.18), and then his file permissions decide: with a service of the same
 * user he could change what others run. Idea: mounts whose flags came through a user namespace boundary are
 * locked (MNT_LOCK_READONLY). So the store has two mount namespaces, one inside the other's user namespace:
 * `outer`, where it mounts, and `inner`, owned by a nested user namespace, to which mounts propagate and get
 * locked. What clients get is cloned in `inner`, by a setns there and back.
 *
 * A generation is a directory of empty files in the store's tmpfs with the package's pinned files bound over
 * them, one mount each: nothing is copied, and what is renamed on disk later changes nothing. Where that can't
 * be had (no user namespaces, a source mounted noexec), it is sealed memfds, made when first asked for.
 *
 * Thread-safety: one thread, as setns wants; nothing in the process may depend on its mount namespace meanwhile.
 */
#ifndef KR_SERVICE_STORE_H
#define KR_SERVICE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <jansson.h>
#include "delivery/delivery.h"
#include "service/config.h"
#include "service/package.h"
#include "util/macros.h"

struct kr_store;
struct kr_generation;
struct kr_tree;

/*
 * Makes the namespaces, unless `choice` is memory: the process lives in `outer` afterwards. Before threads are
 * started. Without namespaces the store works with memory alone, and kr_store_inspect says why; with choice
 * mount that is an error. 0 or -errno with a sentence.
 */
int kr_store_create(enum kr_delivery_choice choice, struct kr_store **store, char **reason)
	KR_MUST_CHECK;
/* All generations and trees must have been destroyed. */
void kr_store_destroy(struct kr_store *store);
/* {"delivery": "mount", "reason": ...} */
json_t *kr_store_inspect(const struct kr_store *store);

/* Descriptors on their way to a client. */
struct kr_given {
	enum kr_delivery_kind kind;
	int fds[KR_INDEX_MAX_FILES + 1];
	size_t count;
};
void kr_given_finish(struct kr_given *given); /* closes them */

/* One reference. Takes a checked package, on success only; `name` goes into its index. 0 or -errno with a sentence. */
int kr_generation_create(struct kr_store *store, struct kr_package *take_package, const char *name,
	struct kr_generation **generation, char **reason) KR_MUST_CHECK;
const struct kr_package *kr_generation_package(const struct kr_generation *generation);
const char *kr_generation_name(const struct kr_generation *generation);
/* New descriptors of it; `strict`: memory, whatever the store prefers. 0 or -errno. */
int kr_generation_give(struct kr_generation *generation, bool strict, struct kr_given *given)
	KR_MUST_CHECK;
json_t *kr_generation_inspect(const struct kr_generation *generation);
struct kr_generation *kr_generation_ref(struct kr_generation *generation);
/* The last one unmounts and closes it; what was given out stays whole. NULL is no generation. */
void kr_generation_unref(struct kr_generation *generation);

/*
 * A directory that clients read and watch with inotify: a file appears by rename, whole. Without mounts it is
 * given as a sealed memfd with a listing, as docs/service-protocol.md describes it: a picture of the moment.
 */
int kr_tree_create(struct kr_store *store, const char *name, struct kr_tree **tree) KR_MUST_CHECK;
/* Adds or replaces the file; folders of its path are made. */
int kr_tree_put(struct kr_tree *tree, const char *path, const char *text, size_t size)
	KR_MUST_CHECK;
void kr_tree_remove(struct kr_tree *tree, const char *path);
/* A new descriptor: KR_DELIVERY_MOUNT (a directory) or KR_DELIVERY_MEMORY (a listing). 0 or -errno. */
int kr_tree_give(struct kr_tree *tree, struct kr_given *given) KR_MUST_CHECK;
void kr_tree_destroy(struct kr_tree *tree);

#endif
