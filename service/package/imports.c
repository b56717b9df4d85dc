/* SPDX-License-Identifier: Apache-2.0 */
/* Imports from outside a package, judged: see imports.h. */
#include "service/package/imports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service/package/sets.h"
#include "util/text.h"

static bool
is_declared(const struct kr_import_judge *judge, const char *word)
{
	for (char *const *at = judge->declared; at && *at; at++) {
		if (!strcmp(*at, word))
			return true;
	}
	return false;
}

static enum kr_import_kind
kind_by(const struct kr_import_judge *judge, const struct kr_allow_rule *rule)
{
	if (!rule)
		return KR_IMPORT_UNLISTED;
	switch (rule->kind) {
	case KR_ALLOW_NOTED:
		return KR_IMPORT_NOTED;
	case KR_ALLOW_FAMILY:
		return is_declared(judge, rule->word) ? KR_IMPORT_DECLARED : KR_IMPORT_UNDECLARED;
	case KR_ALLOW_REFUSED:
		return KR_IMPORT_REFUSED;
	default:
		return KR_IMPORT_FINE;
	}
}

/* What a newer list doesn't take, and what the list itself says will be gone. */
static unsigned
find_end(const struct kr_import_judge *judge, const char *name, const struct kr_allow_rule *rule)
{
	unsigned end = rule && rule->until ? rule->until + 1 : 0;

	for (size_t i = 1; i < judge->lists->count; i++) {
		const struct kr_allow_list *newer = judge->lists->lists[i];

		if (end && newer->version >= end)
			break;
		if (kind_by(judge, kr_allow_find(newer, name)) >= KR_IMPORT_UNDECLARED)
			return newer->version;
	}
	return end;
}

static unsigned
find_end_of_library(const struct kr_import_judge *judge, const char *soname)
{
	for (size_t i = 1; i < judge->lists->count; i++) {
		if (!kr_allow_is_library(judge->lists->lists[i], soname))
			return judge->lists->lists[i]->version;
	}
	return 0;
}

/* Whether the library itself has it, or one in the package that it needs. */
static bool
is_inside(const struct kr_import_judge *judge, const struct kr_package_elf *elf,
	const struct kr_package_node *node, const char *name)
{
	if (!node)
		return kr_package_elf_exports(elf, name, NULL);
	for (size_t i = 0; i < judge->graph->count; i++) {
		if (node->reach[i] &&
			kr_package_elf_exports(judge->graph->nodes[i].elf, name, NULL))
			return true;
	}
	return false;
}

/* The C library is all that it needs. */
static bool
needs_platform_alone(const struct kr_package_elf *elf)
{
	for (size_t i = 0; i < elf->needed_count; i++) {
		if (!kr_package_is_platform(elf->needed[i]))
			return false;
	}
	return true;
}

/*
 * Whether a symbol is the C library's. Nearly all have a version, which says it. One without is
 * taken for it if its name is on the list and nobody nearer has it; other names too, where there is
 * nobody else.
 */
static bool
is_platforms(const struct kr_import_judge *judge, const struct kr_package_elf *elf,
	const struct kr_package_node *node, const struct kr_package_symbol *symbol, bool weak)
{
	if (symbol->library)
		return kr_package_is_platform(symbol->library) &&
			!(judge->graph && kr_package_graph_find(judge->graph, symbol->library));
	if (is_inside(judge, elf, node, symbol->name))
		return false;
	return kr_allow_find(judge->lists->lists[0], symbol->name) ||
		(!weak && needs_platform_alone(elf));
}

static int
judge_symbols(const struct kr_import_judge *judge, const struct kr_package_elf *elf,
	const struct kr_package_node *node, struct kr_import *import, kr_import_fn fn, void *data)
{
	const struct kr_package_symbol *symbols = import->weak ? elf->weak : elf->imports;
	size_t count = import->weak ? elf->weak_count : elf->import_count;
	int ret = 0;

	for (size_t i = 0; !ret && i < count; i++) {
		if (!is_platforms(judge, elf, node, &symbols[i], import->weak))
			continue;
		import->name = symbols[i].name;
		import->library = symbols[i].library;
		import->rule = kr_allow_find(import->list, import->name);
		import->kind = kind_by(judge, import->rule);
		import->gone = import->kind < KR_IMPORT_UNDECLARED
			? find_end(judge, import->name, import->rule) : 0;
		ret = fn(data, import);
	}
	return ret;
}

/* What is neither glibc's nor the application's own is in the package, or was refused before. */
static int
judge_libraries(const struct kr_import_judge *judge, const struct kr_package_elf *elf,
	struct kr_import *import, kr_import_fn fn, void *data)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < elf->needed_count; i++) {
		const char *soname = elf->needed[i];

		if ((!kr_package_is_platform(soname) && !kr_package_is_applications(soname)) ||
			(judge->graph && kr_package_graph_find(judge->graph, soname)))
			continue;
		import->name = soname;
		import->kind = kr_allow_is_library(import->list, soname) ? KR_IMPORT_FINE
									 : KR_IMPORT_LIBRARY;
		import->gone = find_end_of_library(judge, soname);
		ret = import->kind || import->gone ? fn(data, import) : 0;
	}
	return ret;
}

int
kr_imports_judge(const struct kr_import_judge *judge, const char *file,
	const struct kr_package_elf *elf, const struct kr_package_node *node, kr_import_fn fn,
	void *data)
{
	struct kr_import import = {.file = file, .list = judge->lists->lists[0]};
	int ret = judge_libraries(judge, elf, &import, fn, data);

	if (!ret)
		ret = judge_symbols(judge, elf, node, &import, fn, data);
	import.weak = true;
	return ret ? ret : judge_symbols(judge, elf, node, &import, fn, data);
}

int
kr_imports_judge_all(const struct kr_import_judge *judge, kr_import_fn fn, void *data)
{
	const struct kr_package_graph *graph = judge->graph;
	int ret = 0;

	for (size_t i = 0; !ret && i < graph->order_count; i++) {
		const struct kr_package_node *node = &graph->nodes[graph->order[i]];

		ret = kr_imports_judge(judge, node->file->path, node->elf, node, fn, data);
	}
	return ret;
}

bool
kr_import_is_fault(const struct kr_import *import)
{
	return !import->weak && import->kind >= KR_IMPORT_UNDECLARED;
}

char *
kr_import_sentence(const struct kr_import *import)
{
	const struct kr_allow_rule *rule = import->rule;

	switch (import->kind) {
	case KR_IMPORT_LIBRARY:
		return kr_asprintf(
			"%s needs %s, which isn't on the list of what packages may need of the system (%s): do without it, or link its code statically",
			import->file, import->name, import->list->path);
	case KR_IMPORT_UNLISTED:
		return kr_asprintf(
			"%s imports %s%s%s, which isn't on the list of what packages may import (%s): use a function that is, or a library in the package",
			import->file, import->name, import->library ? " of " : "",
			import->library ? import->library : "", import->list->path);
	case KR_IMPORT_REFUSED:
		return kr_asprintf("%s imports %s, which no package may (%s: it %s); instead: %s",
			import->file, import->name, rule->word, rule->does, rule->instead);
	case KR_IMPORT_UNDECLARED:
		return kr_asprintf(
			"%s imports %s, which the package must declare (it %s): \"imports\": [\"%s\"] in \"krafla\" of metadata.json; instead: %s",
			import->file, import->name, rule->does, rule->word, rule->instead);
	default:
		return kr_asprintf("%s imports %s", import->file, import->name);
	}
}

char *
kr_import_end(const struct kr_import *import)
{
	const char *instead = import->rule ? import->rule->instead : NULL;

	return kr_asprintf("%s %s %s, which platform version %u doesn't take any more%s%s",
		import->file, import->rule ? "imports" : "needs", import->name, import->gone,
		instead ? "; instead: " : "", instead ? instead : "");
}

const char *
kr_import_kind_name(enum kr_import_kind kind)
{
	static const char *const names[] = {
		"fine", "noted", "declared", "undeclared", "refused", "unlisted", "library"};

	return names[kind];
}

/* The words of krafla.imports must be families of the list. */
static int
check_declared(const struct kr_package *package, const struct kr_allow_list *list, char **reason)
{
	for (char *const *word = package->imports; word && *word; word++) {
		char *families;

		if (kr_allow_is_family(list, *word))
			continue;
		families = kr_allow_families(list);
		if (!families)
			return -ENOMEM;
		kr_package_refuse(reason, 0,
			"%s: \"%s\" is no family of imports of platform version %u: there are %s",
			package->path, *word, list->version, families);
		free(families);
		return *reason ? -EINVAL : -ENOMEM;
	}
	return 0;
}

static int
declare(void *data, const struct kr_import *import)
{
	struct kr_package *package = data;

	return import->weak || import->kind != KR_IMPORT_UNDECLARED
		? 0
		: kr_package_list_add(&package->imports, import->rule->word);
}

struct fault {
	const struct kr_package *package;
	char **reason;
};

static int
refuse_import(void *data, const struct kr_import *import)
{
	const struct fault *fault = data;
	char *sentence;

	if (!kr_import_is_fault(import))
		return 0;
	sentence = kr_import_sentence(import);
	if (!sentence)
		return -ENOMEM;
	kr_package_refuse(fault->reason, 0, "%s: %s", fault->package->path, sentence);
	free(sentence);
	return *fault->reason ? -EINVAL : -ENOMEM;
}

int
kr_imports_check(struct kr_package *package, struct kr_import_judge *judge, char **reason)
{
	const struct kr_allow_list *list = judge->lists->lists[0];
	struct fault fault = {package, reason};
	int ret = check_declared(package, list, reason);

	judge->declared = package->imports;
	if (!ret && package->declares_what_it_imports)
		ret = kr_imports_judge_all(judge, declare, package);
	judge->declared = package->imports;
	if (!ret)
		ret = kr_imports_judge_all(judge, refuse_import, &fault);
	if (!ret)
		package->platform = list->version;
	return ret;
}
