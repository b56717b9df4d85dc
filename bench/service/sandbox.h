/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words that put a program into a sandbox with nothing but itself, the loader, the libraries that
 * it needs itself, and what the rig has; with `driver` (a library) and its manifest also that
 * driver's libraries. The words are the caller's to free.
 */
#ifndef KR_BENCH_SERVICE_SANDBOX_H
#define KR_BENCH_SERVICE_SANDBOX_H

#include <stddef.h>
#include "bench/service/rig.h"

struct service_sandbox {
	char **words;
	size_t count, room;
};
int service_sandbox_make(struct kr_bench *bench, struct service_rig *rig,
	const char *const *libraries, const char *manifest, struct service_sandbox *sandbox);
/* One more file or directory, at the same path. */
void service_sandbox_bind(struct service_sandbox *sandbox, const char *path);
void service_sandbox_free(struct service_sandbox *sandbox);

#endif
