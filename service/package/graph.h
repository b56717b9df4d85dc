/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libraries of a package and which needs which. Whoever receives a package loads each library
 * after those that it needs, by path, and the dynamic linker finds what a library needs by the
 * SONAME of one that is loaded: so names are SONAMEs here, and there may be no circle. For the
 * package part alone.
 */
#ifndef KR_SERVICE_PACKAGE_GRAPH_H
#define KR_SERVICE_PACKAGE_GRAPH_H

#include "delivery/index.h"
#include "service/package/elf.h"
#include "service/package/internal.h"

struct kr_package_node {
	const struct kr_package_file *file;
	struct kr_package_elf *elf; /* NULL: no library; `fault` says why if it should be one */
	char *fault;
	enum kr_index_role role;
	enum { KR_NODE_NEW, KR_NODE_OPEN, KR_NODE_DONE } state;
	/* Which nodes it needs, those that they need included, and itself. */
	bool reach[KR_INDEX_MAX_FILES];
};

struct kr_package_graph {
	const struct kr_package *package;
	struct kr_package_node *nodes; /* in the order of package->files */
	size_t count;
	size_t order[KR_INDEX_MAX_FILES]; /* nodes in the order in which they are loaded */
	size_t order_count;
};

/* Reads all libraries and orders those that are needed. 0, -EINVAL or -ENOMEM with a sentence. */
int kr_package_graph_build(const struct kr_package *package, struct kr_package_graph *graph,
	char **reason) KR_MUST_CHECK;
void kr_package_graph_finish(struct kr_package_graph *graph);
/* The library of that SONAME; NULL: none. */
const struct kr_package_node *kr_package_graph_find(
	const struct kr_package_graph *graph, const char *soname);

#endif
