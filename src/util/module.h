/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared objects of Krafla's own that are loaded on demand. Each exports a table whose first member
 * is a uint32_t: the version of the interface, which both sides must agree on. Any thread.
 */
#ifndef KR_UTIL_MODULE_H
#define KR_UTIL_MODULE_H

#include <stdint.h>
#include "util/macros.h"

/* A kind of module, as it is spoken of and recognised. */
struct kr_module_kind {
	const char *room;   /* who tells: "surface" */
	const char *what;   /* "output module" */
	const char *symbol; /* of the table */
	uint32_t abi;
};

/*
 * The table of the module at a path. It stays loaded. -ENOENT there is none, -EPROTO it is none of
 * this kind, or one of another version (logged).
 */
int kr_module_load(const struct kr_module_kind *kind, const char *path, const void **table)
	KR_MUST_CHECK;

#endif
