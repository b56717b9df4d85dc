/* SPDX-License-Identifier: Apache-2.0 */
/* What is no fault of a package, and worth a line: see warn.h. */
#include "service/package/warn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service/package/sets.h"
#include "util/array.h"
#include "util/text.h"

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
	int ret;

	/* What is no text would be no JSON, and so a shortage that never passes. */
	if (take_sentence)
		kr_text_clean(take_sentence, strlen(take_sentence), false);
	ret = !take_sentence ||
			(warnings && json_array_append_new(warnings, json_string(take_sentence)))
		? -ENOMEM
		: 0;
	free(take_sentence);
	return ret;
}

/* Imports of one family, or weak ones of it: "libx.so popen, system; liby.so fork". */
struct group {
	enum kr_import_kind kind;
	bool weak;
	const struct kr_allow_rule *rule; /* NULL: not on the list */
	const char *file;                 /* of the last one */
	char *text;
};

struct groups {
	struct group *groups;
	size_t count, room;
	json_t *warnings;
};

static bool
is_of(const struct group *group, const struct kr_import *import)
{
	if (group->kind != import->kind || group->weak != import->weak)
		return false;
	return group->rule && import->rule ? !strcmp(group->rule->word, import->rule->word)
					   : group->rule == import->rule;
}

static struct group *
find_group(struct groups *groups, const struct kr_import *import)
{
	struct group *group;

	for (size_t i = 0; i < groups->count; i++) {
		if (is_of(&groups->groups[i], import))
			return &groups->groups[i];
	}
	group = kr_array_add(
		&groups->groups, &groups->count, &groups->room, sizeof(*groups->groups));
	if (group)
		*group = (struct group){import->kind, import->weak, import->rule, NULL, NULL};
	return group;
}

static int
note_import(void *data, const struct kr_import *import)
{
	struct groups *groups = data;
	struct group *group;
	char *longer;

	if (import->gone && !import->weak && warn(groups->warnings, kr_import_end(import)))
		return -ENOMEM;
	if (import->kind == KR_IMPORT_FINE)
		return 0;
	group = find_group(groups, import);
	if (!group)
		return -ENOMEM;
	longer = group->file == import->file
		? kr_asprintf("%s, %s", group->text, import->name)
		: kr_asprintf("%s%s%s %s", group->text ? group->text : "", group->text ? "; " : "",
			  import->file, import->name);
	free(group->text);
	group->text = longer;
	group->file = import->file;
	return longer ? 0 : -ENOMEM;
}

static char *
describe(const struct group *group)
{
	if (!group->rule)
		return kr_asprintf("weak imports that aren't on the allow list: %s", group->text);
	return kr_asprintf("%s of %s (%s): %s", group->weak ? "weak imports" : "imports",
		group->rule->word, group->rule->does, group->text);
}

static int
warn_imports(const struct kr_import_judge *judge, json_t *warnings)
{
	struct groups groups = {.warnings = warnings};
	int ret = kr_imports_judge_all(judge, note_import, &groups);

	for (size_t i = 0; i < groups.count; i++) {
		if (!ret)
			ret = warn(warnings, describe(&groups.groups[i]));
		free(groups.groups[i].text);
	}
	free(groups.groups);
	return ret;
}

static int
warn_library(const struct kr_package_node *node, json_t *warnings)
{
	const struct kr_package_elf *elf = node->elf;
	const char *name = node->file->path;

	for (size_t i = 0; i < elf->wanted_count; i++) {
		if (!strcmp(elf->wanted[i].version, "GLIBC_PRIVATE") &&
			warn(warnings,
				kr_asprintf(
					"%s wants GLIBC_PRIVATE of %s: it works with one glibc only",
					name, elf->wanted[i].library)))
			return -ENOMEM;
	}
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
kr_package_warn(const struct kr_import_judge *judge, json_t *warnings)
{
	const struct kr_package_graph *graph = judge->graph;

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
	return warn_imports(judge, warnings);
}
