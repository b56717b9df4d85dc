/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is remembered of probes: a file a library, which counts while the library is the
 * same. For probe.c alone.
 */
#ifndef KR_DISCOVER_PROBE_MEMORY_H
#define KR_DISCOVER_PROBE_MEMORY_H

#include "discover/probe.h"

struct kr_probe_memory {
	char *path;        /* of the file; NULL: nothing is remembered */
	char identity[96]; /* of the library as it was when this was begun */
};

/*
 * Where the verdict on a library belongs, and what the library is now. 0 (also when nothing can be
 * remembered: no such file, a relative path, no cache directory) or -ENOMEM.
 */
int kr_probe_memory_begin(struct kr_probe_memory *memory, const char *library_path,
	const char *(*env_get)(const char *name)) KR_MUST_CHECK;
void kr_probe_memory_finish(struct kr_probe_memory *memory);

/* False when there is no verdict on this very file. */
bool kr_probe_memory_load(const struct kr_probe_memory *memory, const char *library_path,
	struct kr_probe_result *result) KR_MUST_CHECK;
/* A failure is told, and means that the library will be probed again. */
void kr_probe_memory_store(const struct kr_probe_memory *memory, const char *library_path,
	const struct kr_probe_result *result);

#endif
