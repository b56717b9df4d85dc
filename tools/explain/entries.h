/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `krafla explain` finds out, as arrays of objects with the same keys (docs/commands.md); the
 * text is printed from them. Each function returns a new value. Without memory jansson's functions
 * give NULL and pass it on.
 */
#ifndef KR_TOOLS_EXPLAIN_ENTRIES_H
#define KR_TOOLS_EXPLAIN_ENTRIES_H

#include <jansson.h>
#include "discover/discover.h"

struct kr_explain_options {
	const char *devices; /* a directory with dev and sys in it; NULL: the root */
};

/*
 * Every candidate for a driver, in the order considered. Each library is opened by krafla-probe
 * before this process opens it, so that a driver that crashes is told and harms nobody.
 */
json_t *kr_explain_drivers(const struct kr_explain_options *options);
/* Every layer of every manifest, in the order considered. */
json_t *kr_explain_layers(void);

/* What to do about a candidate: a new string, NULL when there is nothing to do (or no memory). */
char *kr_explain_advice(const struct kr_driver_candidate *candidate);
/* The same for a library (of a driver or layer) that dlopen refused with this sentence. */
char *kr_explain_library_advice(
	const char *library_path, const char *manifest, const char *sentence);

#endif
