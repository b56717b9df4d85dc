/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The manifests of a service: a picture of its manifest file system, which is a directory or a
 * listing in JSON (docs/service-protocol.md). Nothing in it is trusted: files that aren't manifests
 * are passed over, and there are limits.
 *
 * Thread-safety: a picture never changes; the functions have no shared state.
 */
#ifndef KR_CLIENT_MANIFESTS_H
#define KR_CLIENT_MANIFESTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "util/macros.h"

#define KR_MANIFESTS_MAX      256         /* files of a picture */
#define KR_MANIFESTS_MAX_SIZE (64 * 1024) /* of one */

struct kr_manifests_file {
	char *name;
	char *text; /* not terminated */
	size_t size;
};

struct kr_manifests {
	atomic_uint refs;
	size_t count, room;
	struct kr_manifests_file *files; /* in the order of the numbers in their names */
};

/*
 * Reads a directory (borrowed), by its name below /proc: no call that the loader may use reads one
 * from a descriptor. 0; -ENOENT where /proc isn't mounted, -errno, -ENOMEM with a sentence in
 * *reason (NULL only without memory).
 */
int kr_manifests_read_directory(int directory, struct kr_manifests **manifests, char **reason)
	KR_MUST_CHECK;
/* The same of a listing: of its text, and of a memory object that has it. Also -EINVAL. */
int kr_manifests_parse_listing(const char *text, size_t size, struct kr_manifests **manifests,
	char **reason) KR_MUST_CHECK;
int kr_manifests_read_listing(int memory, struct kr_manifests **manifests, char **reason)
	KR_MUST_CHECK;
bool kr_manifests_have(const struct kr_manifests *manifests, const char *name);
struct kr_manifests *kr_manifests_ref(struct kr_manifests *manifests);
/* NULL is no picture. */
void kr_manifests_unref(struct kr_manifests *manifests);

#endif
