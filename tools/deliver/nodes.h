/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of devices a sandbox must show for a driver in it to work. Thread-safety: no shared state.
 */
#ifndef KR_TOOLS_DELIVER_NODES_H
#define KR_TOOLS_DELIVER_NODES_H

#include "tools/deliver/words.h"

/* Zero (or NULL) members mean the default in brackets: seams for tests. */
struct kr_deliver_roots {
	const char *dev; /* ["/dev"] */
	const char *sys; /* ["/sys"] */
};

/*
 * Adds the arguments of bwrap for the nodes (below /dev, with `*`) that exist: each with
 * its access, what sysfs tells of it, and the directories through which it is found
 * there. Nothing without any.
 */
void kr_deliver_node_arguments(const struct kr_deliver_roots *roots, const char *const *nodes,
	size_t count, struct kr_words *arguments);

#endif
