/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph: see graph.h. A depth-first walk: what it leaves is ordered, what it meets while open
 * is a circle.
 */
#include "service/package/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service/package/sets.h"

static int
read_node(struct kr_package_node *node)
{
	int ret;

	node->role = KR_INDEX_DATA;
	if (!kr_package_is_elf(node->file->fd))
		return 0;
	ret = kr_package_elf_open(node->file->fd, node->file->path, &node->elf, &node->fault);
	return ret == -ENOMEM ? ret : 0;
}

/* Links: a name of a file that stands there under its SONAME as well is no second library. */
static bool
is_same_file(const struct kr_package_file *a, const struct kr_package_file *b)
{
	return a->inode == b->inode && a->device == b->device;
}

static bool
has_soname(const struct kr_package_node *node, const char *soname)
{
	return node->elf && node->elf->soname && !strcmp(node->elf->soname, soname);
}

const struct kr_package_node *
kr_package_graph_find(const struct kr_package_graph *graph, const char *soname)
{
	const struct kr_package_node *found = NULL;

	for (size_t i = 0; i < graph->count; i++) {
		const struct kr_package_node *node = &graph->nodes[i];

		if (!has_soname(node, soname))
			continue;
		if (!found || !strcmp(kr_package_base_name(node->file->path), soname))
			found = node;
	}
	return found;
}

static int
refuse(const struct kr_package_graph *graph, const char *sentence, char **reason)
{
	return kr_package_refuse(reason, -EINVAL, "%s: %s", graph->package->path, sentence);
}

static int
check_sonames(const struct kr_package_graph *graph, char **reason)
{
	for (size_t i = 0; i < graph->count; i++) {
		const struct kr_package_node *node = &graph->nodes[i];

		/*
		 * Also one that nothing needs: whoever has the directory in LD_LIBRARY_PATH would
		 * find it.
		 */
		if (node->elf && node->elf->soname && kr_package_is_platform(node->elf->soname))
			return kr_package_refuse(reason, -EINVAL,
				"%s: %s is a library of glibc, of which a process can have only its own",
				graph->package->path, node->file->path);
		for (size_t k = i + 1; node->elf && node->elf->soname && k < graph->count; k++) {
			const struct kr_package_node *other = &graph->nodes[k];

			if (has_soname(other, node->elf->soname) &&
				!is_same_file(node->file, other->file))
				return kr_package_refuse(reason, -EINVAL,
					"%s: %s and %s both have the SONAME %s: only one of them could be found",
					graph->package->path, node->file->path, other->file->path,
					node->elf->soname);
		}
	}
	return 0;
}

/* Why no library answers to a name that is needed, which some file may nevertheless have. */
static int
refuse_needed(const struct kr_package_graph *graph, const struct kr_package_node *by,
	const char *name, char **reason)
{
	for (size_t i = 0; i < graph->count; i++) {
		const struct kr_package_node *node = &graph->nodes[i];

		if (strcmp(kr_package_base_name(node->file->path), name))
			continue;
		if (node->fault)
			return refuse(graph, node->fault, reason);
		return kr_package_refuse(reason, -EINVAL,
			"%s: %s needs %s, and the file of that name %s%s: the dynamic linker would not find it",
			graph->package->path, by->file->path, name,
			node->elf ? "has the SONAME " : "is no library",
			!node->elf                  ? ""
				: node->elf->soname ? node->elf->soname
						    : "(none)");
	}
	return kr_package_refuse(reason, -EINVAL,
		"%s: %s needs %s, which is neither in the package nor a library that every process has or must bring itself",
		graph->package->path, by->file->path, name);
}

static int visit(struct kr_package_graph *graph, struct kr_package_node *node,
	enum kr_index_role role, char **reason);

static int
visit_needed(struct kr_package_graph *graph, struct kr_package_node *node, const char *name,
	enum kr_index_role role, char **reason)
{
	struct kr_package_node *needed =
		(struct kr_package_node *)kr_package_graph_find(graph, name);
	int ret;

	if (kr_package_is_platform(name) || (!needed && kr_package_is_applications(name)))
		return 0;
	if (!needed)
		return refuse_needed(graph, node, name, reason);
	if (needed->state == KR_NODE_OPEN)
		return kr_package_refuse(reason, -EINVAL,
			"%s: %s needs %s, which needs it in turn: libraries that need each other can't be loaded one after the other",
			graph->package->path, node->file->path, needed->file->path);
	ret = visit(graph, needed, role, reason);
	for (size_t i = 0; !ret && i < graph->count; i++)
		node->reach[i] |= needed->reach[i];
	return ret;
}

/*
 * `role` is that of what it needs: a library of the driver, or one of those that it opens itself.
 */
static int
visit(struct kr_package_graph *graph, struct kr_package_node *node, enum kr_index_role role,
	char **reason)
{
	size_t index = (size_t)(node - graph->nodes);

	if (node->state == KR_NODE_DONE)
		return 0;
	if (node->fault)
		return refuse(graph, node->fault, reason);
	if (!node->elf)
		return kr_package_refuse(reason, -EINVAL, "%s: %s is no ELF file",
			graph->package->path, node->file->path);
	node->state = KR_NODE_OPEN;
	node->reach[index] = true;
	for (size_t i = 0; i < node->elf->needed_count; i++) {
		int ret = visit_needed(graph, node, node->elf->needed[i], role, reason);

		if (ret)
			return ret;
	}
	node->state = KR_NODE_DONE;
	node->role = role;
	graph->order[graph->order_count++] = index;
	return 0;
}

static struct kr_package_node *
find_path(const struct kr_package_graph *graph, const char *path)
{
	for (size_t i = 0; i < graph->count; i++) {
		if (!strcmp(graph->nodes[i].file->path, path))
			return &graph->nodes[i];
	}
	return NULL;
}

/*
 * One that is opened at run time, unless it is loaded already or stands here under another of its
 * names.
 */
static int
visit_runtime(struct kr_package_graph *graph, const char *path, char **reason)
{
	struct kr_package_node *node = find_path(graph, path);

	if (!node)
		return kr_package_refuse(reason, -EINVAL,
			"%s: krafla.runtime_libraries names %s, which isn't there",
			graph->package->path, path);
	if (node->elf && node->elf->soname)
		node = (struct kr_package_node *)kr_package_graph_find(graph, node->elf->soname);
	return visit(graph, node, KR_INDEX_RUNTIME, reason);
}

static int
order(struct kr_package_graph *graph, char **reason)
{
	struct kr_package_node *driver = find_path(graph, graph->package->file_path);
	int ret;

	if (!driver)
		return kr_package_refuse(reason, -EINVAL,
			"%s: file_path names %s, which isn't there", graph->package->path,
			graph->package->file_path);
	ret = visit(graph, driver, KR_INDEX_LIBRARY, reason);
	driver->role = KR_INDEX_DRIVER;
	for (char *const *path = graph->package->runtime_libraries; !ret && path && *path; path++)
		ret = visit_runtime(graph, *path, reason);
	return ret;
}

int
kr_package_graph_build(
	const struct kr_package *package, struct kr_package_graph *graph, char **reason)
{
	int ret = 0;

	*graph = (struct kr_package_graph){.package = package, .count = package->file_count};
	graph->nodes = calloc(package->file_count ? package->file_count : 1, sizeof(*graph->nodes));
	if (!graph->nodes)
		return -ENOMEM;
	for (size_t i = 0; !ret && i < graph->count; i++) {
		graph->nodes[i].file = &package->files[i];
		ret = read_node(&graph->nodes[i]);
	}
	if (!ret)
		ret = check_sonames(graph, reason);
	if (!ret)
		ret = order(graph, reason);
	if (ret)
		kr_package_graph_finish(graph);
	return ret;
}

void
kr_package_graph_finish(struct kr_package_graph *graph)
{
	for (size_t i = 0; graph->nodes && i < graph->count; i++) {
		kr_package_elf_close(graph->nodes[i].elf);
		free(graph->nodes[i].fault);
	}
	free(graph->nodes);
	*graph = (struct kr_package_graph){0};
}
