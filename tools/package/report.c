/* SPDX-License-Identifier: Apache-2.0 */
/* Reports on imports: see report.h. Words are made of the JSON, so that both say the same. */
#include "tools/package/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/package/imports.h"
#include "tools/command/command.h"
#include "tools/command/json_values.h"
#include "util/fd.h"
#include "util/file.h"
#include "util/text.h"

#define NAME "package"

struct notes {
	json_t *imports;
	size_t symbols; /* all that come from outside */
};

static json_t *
describe(const struct kr_import *import)
{
	const struct kr_allow_rule *rule = import->rule;
	char *sentence = kr_import_is_fault(import) ? kr_import_sentence(import)
		: import->gone                      ? kr_import_end(import)
						    : NULL;
	json_t *object = json_pack("{s:s, s:s, s:s, s:b, s:b, s:s*, s:s*, s:s*, s:s*, s:s*}",
		"file", import->file, "name", import->name, "kind",
		kr_import_kind_name(import->kind), "weak", import->weak, "fault",
		kr_import_is_fault(import), "library", import->library, "word",
		rule ? rule->word : NULL, "does", rule ? rule->does : NULL, "instead",
		rule ? rule->instead : NULL, "sentence", sentence);

	if (object && import->gone)
		json_object_set_new(object, "gone_in", json_integer(import->gone));
	free(sentence);
	return object;
}

/* Weak ones all, of the others what isn't simply fine. */
static int
note(void *data, const struct kr_import *import)
{
	struct notes *notes = data;

	notes->symbols += import->rule || import->kind == KR_IMPORT_UNLISTED;
	if (import->kind == KR_IMPORT_FINE && !import->weak && !import->gone)
		return 0;
	return json_array_append_new(notes->imports, describe(import)) ? -ENOMEM : 0;
}

int
kr_print_gather_imports(const struct kr_package *package, json_t **imports, char **reason)
{
	struct notes notes = {.imports = json_array()};
	struct kr_package_graph graph;
	struct kr_allow_lists lists;
	struct kr_import_judge judge = {&lists, package->imports, &graph};
	int ret = kr_package_graph_build(package, &graph, reason);

	if (!ret) {
		ret = kr_allow_read(package->platform, &lists, reason);
		if (!ret) {
			ret = kr_imports_judge_all(&judge, note, &notes);
			kr_allow_finish(&lists);
		}
		kr_package_graph_finish(&graph);
	}
	if (ret)
		json_decref(notes.imports);
	else
		*imports = notes.imports;
	return ret;
}

/* Whether an import of the array has that kind and strength. */
static bool
is_of(const json_t *import, const char *kind, bool weak)
{
	return !strcmp(json_string_value(json_object_get(import, "kind")), kind) &&
		json_is_true(json_object_get(import, "weak")) == weak;
}

/* "  WHAT: name (word), name (word)"; nothing where there is none. */
static void
print_names(const char *what, const json_t *imports, const char *kind, bool weak)
{
	const char *before = what;
	const json_t *import;
	size_t i;

	json_array_foreach(imports, i, import)
	{
		const char *word = json_string_value(json_object_get(import, "word"));

		if (!is_of(import, kind, weak))
			continue;
		printf(before == what ? "  %s: " : "%s", before);
		printf("%s", json_string_value(json_object_get(import, "name")));
		if (word)
			printf(" (%s)", word);
		before = ", ";
	}
	if (before != what)
		putchar('\n');
}

static void
print_needs(const char *what, const json_t *needs, const char *of)
{
	const char *before = what;
	const json_t *need;
	size_t i;

	json_array_foreach(needs, i, need)
	{
		if (strcmp(json_string_value(json_object_get(need, "of")), of) != 0)
			continue;
		printf(before == what ? "  %s: " : "%s", before);
		printf("%s", json_string_value(json_object_get(need, "library")));
		before = ", ";
	}
	if (before != what)
		putchar('\n');
}

static void
print_words(const json_t *report)
{
	const json_t *imports = json_object_get(report, "imports"),
		     *needs = json_object_get(report, "needs"), *import;
	int symbols = (int)json_integer_value(json_object_get(report, "symbols"));
	size_t i;

	printf("%s: %d %s of the C library, by %s\n",
		json_string_value(json_object_get(report, "file")), symbols,
		symbols == 1 ? "import" : "imports",
		json_string_value(json_object_get(report, "list")));
	json_array_foreach(imports, i, import)
	{
		const char *sentence = json_string_value(json_object_get(import, "sentence"));

		if (sentence)
			printf("  %s: %s\n",
				json_is_true(json_object_get(import, "fault")) ? "fault" : "later",
				sentence);
	}
	print_names("declared", imports, "declared", false);
	print_names("noted, since no list sees what is reached by them", imports, "noted", false);
	print_names("weak, and not declared", imports, "undeclared", true);
	print_names("weak, and refused to strong ones", imports, "refused", true);
	print_names("weak, and not on the list", imports, "unlisted", true);
	print_names("weak, and declared", imports, "declared", true);
	print_names("weak and noted", imports, "noted", true);
	print_names("weak", imports, "fine", true);
	print_needs("needs of the application", needs, "application");
	print_needs("needs in its package", needs, "package");
}

static json_t *
list_needs(const struct kr_package_elf *elf)
{
	json_t *needs = json_array();

	for (size_t i = 0; i < elf->needed_count; i++) {
		const char *library = elf->needed[i];
		const char *of = kr_package_is_platform(library) ? "C library"
			: kr_package_is_applications(library)    ? "application"
								 : "package";

		json_array_append_new(needs, json_pack("{s:s, s:s}", "library", library, "of", of));
	}
	return needs;
}

static size_t
count(const json_t *imports, bool (*is_counted)(const json_t *import))
{
	size_t found = 0;

	for (size_t i = 0; i < json_array_size(imports); i++)
		found += is_counted(json_array_get(imports, i));
	return found;
}

static bool
is_fault(const json_t *import)
{
	return json_is_true(json_object_get(import, "fault"));
}

static bool
is_undeclared(const json_t *import)
{
	return is_of(import, "undeclared", false);
}

static int
show(const char *path, const struct kr_allow_list *list, const struct kr_package_elf *elf,
	const struct notes *notes, bool as_json)
{
	size_t faults = count(notes->imports, is_fault);
	json_t *report = json_pack("{s:o, s:i, s:o, s:b, s:I, s:O, s:o}", "file",
		kr_tool_json_text(path), "platform", (int)list->version, "list",
		kr_tool_json_text(list->path), "good", !faults, "symbols",
		(json_int_t)notes->symbols, "imports", notes->imports, "needs", list_needs(elf));

	if (!report) {
		kr_complain(NAME, "out of memory");
		return KR_EXIT_FAILURE;
	}
	if (as_json) {
		json_dumpf(report, stdout, JSON_INDENT(2));
		putchar('\n');
	} else {
		print_words(report);
	}
	json_decref(report);
	if (!faults)
		return KR_EXIT_OK;
	/* Behind the report, where both go to one place. */
	fflush(stdout);
	kr_complain(NAME, "%s: %zu %s%s", path, faults, faults == 1 ? "fault" : "faults",
		count(notes->imports, is_undeclared)
			? "; a family is declared by --imports here, and by krafla.imports in a package"
			: "");
	return KR_EXIT_FAILURE;
}

static int
check_declared(const struct kr_allow_list *list, char *const *declared)
{
	for (; declared && *declared; declared++) {
		char *families;

		if (kr_allow_is_family(list, *declared))
			continue;
		families = kr_allow_families(list);
		kr_complain(NAME, "'%s' is no family of imports: there are %s", *declared,
			families ? families : "others");
		free(families);
		return KR_EXIT_FAILURE;
	}
	return KR_EXIT_OK;
}

static int
judge(const char *path, const struct kr_package_elf *elf, char *const *declared,
	const struct kr_allow_lists *lists, bool as_json)
{
	const struct kr_import_judge judge = {lists, declared, NULL};
	struct notes notes = {.imports = json_array()};
	const char *slash = strrchr(path, '/');
	int code = check_declared(lists->lists[0], declared);

	if (!code && kr_imports_judge(&judge, slash ? slash + 1 : path, elf, NULL, note, &notes)) {
		kr_complain(NAME, "out of memory");
		code = KR_EXIT_FAILURE;
	}
	if (!code)
		code = show(path, lists->lists[0], elf, &notes, as_json);
	json_decref(notes.imports);
	return code;
}

int
kr_print_library(const char *path, char *const *declared, bool as_json)
{
	struct kr_package_elf *elf = NULL;
	struct kr_allow_lists lists = {0};
	char *reason = NULL;
	int ret = kr_file_check(path), fd = -1, code = KR_EXIT_FAILURE;

	if (!ret)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		kr_complain(NAME, "%s can't be opened: %s", path, strerror(ret ? -ret : errno));
		return KR_EXIT_FAILURE;
	}
	if (!kr_package_is_our_elf(fd))
		reason = kr_asprintf("%s is no shared library for this machine", path);
	else if (!kr_package_elf_open(fd, path, &elf, &reason) &&
		!kr_allow_read(0, &lists, &reason))
		code = judge(path, elf, declared, &lists, as_json);
	if (!lists.count)
		kr_complain(NAME, "%s", reason ? reason : "out of memory");
	free(reason);
	kr_allow_finish(&lists);
	kr_package_elf_close(elf);
	kr_fd_close(&fd);
	return code;
}
