/* SPDX-License-Identifier: Apache-2.0 */
/* What is no fault of a package, and worth a line: see warn.h. */
#include "service/package/warn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service/package/sets.h"
#include "util/text.h"

/* Functions that are worth a word when a driver imports them. */
static const char *const flagged[] = {"execl", "execle", "execlp", "execv", "execve", "execvp",
	"execvpe", "fexecve", "fork", "popen", "posix_spawn", "posix_spawnp", "system", "vfork"};

static bool
is_flagged(const char *symbol)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(flagged); i++) {
		if (!strcmp(symbol, flagged[i]))
			return true;
	}
	return false;
}

static bool
is_listed(char *const *list, const char *path)
{
	for (; list && *list; list++) {
		if (!strcmp(*list, path))
			return true;
	}
	return false;
}

static int
warn(json_t *warnings, char *take_sentence)
{
	int ret = !take_sentence ||
			(warnings && json_array_append_new(warnings, json_string(take_sentence)))
		? -ENOMEM
		: 0;

	free(take_sentence);
	return ret;
}

/* All of them in one line. */
static int
warn_flagged(const struct kr_package_node *node, json_t *warnings)
{
	const struct kr_package_elf *elf = node->elf;
	char *list = NULL;
	int ret;

	for (size_t i = 0; i < elf->import_count; i++) {
		const char *name = elf->imports[i].name;
		char *longer;

		if (!is_flagged(name))
			continue;
		longer = kr_asprintf("%s%s%s", list ? list : "", list ? ", " : "", name);
		free(list);
		list = longer;
		if (!list)
			return -ENOMEM;
	}
	if (!list)
		return 0;
	ret = warn(warnings,
		kr_asprintf("%s imports %s: it may start programs", node->file->path, list));
	free(list);
	return ret;
}

static int
warn_library(const struct kr_package_node *node, json_t *warnings)
{
	const struct kr_package_elf *elf = node->elf;
	const char *name = node->file->path;

	if (warn_flagged(node, warnings))
		return -ENOMEM;
	for (size_t i = 0; i < elf->wanted_count; i++) {
		if (!strcmp(elf->wanted[i].version, "GLIBC_PRIVATE") &&
			warn(warnings,
				kr_asprintf(
					"%s wants GLIBC_PRIVATE of %s: it works with one glibc only",
					name, elf->wanted[i].library)))
			return -ENOMEM;
	}
	if (elf->soname && kr_package_is_applications(elf->soname) &&
		warn(warnings,
			kr_asprintf(
				"%s should be the application's own: its objects cross to the driver",
				name)))
		return -ENOMEM;
	if (node->role != KR_INDEX_DRIVER && elf->soname &&
		strcmp(kr_package_base_name(name), elf->soname) != 0 &&
		warn(warnings,
			kr_asprintf(
				"%s has another name as SONAME, %s: other loaders won't find it",
				name, elf->soname)))
		return -ENOMEM;
	return 0;
}

int
kr_package_warn(const struct kr_package_graph *graph, json_t *warnings)
{
	for (size_t i = 0; i < graph->count; i++) {
		const struct kr_package_node *node = &graph->nodes[i];
		int ret = 0;

		if (node->state == KR_NODE_DONE)
			ret = warn_library(node, warnings);
		else if (node->elf && !is_listed(graph->package->data_files, node->file->path) &&
			!(node->elf->soname &&
				kr_package_graph_find(graph, node->elf->soname) != node))
			ret = warn(warnings,
				kr_asprintf(
					"%s: nothing needs this library, and it isn't in krafla.runtime_libraries",
					node->file->path));
		if (ret)
			return ret;
	}
	return 0;
}
