/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks of I-03: see package.h and docs/packages.md. The closure as a whole is looked at, not
 * a pair of libraries: a driver is good when everything that it and what it needs import will be
 * found in the process that loads it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hardware/device_map.h"
#include "service/package/graph.h"
#include "service/package/imports.h"
#include "service/package/needs.h"
#include "service/package/sets.h"
#include "service/package/warn.h"

static int
refuse_file(const struct kr_package_graph *graph, const struct kr_package_node *node,
	const char *what, char **reason)
{
	return kr_package_refuse(
		reason, -EINVAL, "%s: %s %s", graph->package->path, node->file->path, what);
}

/*
 * $ORIGIN, alone or as a path's beginning. What follows may climb ("$ORIGIN/../lib", as LLVM has
 * it): it ends at the root of the mount that a package is given as, and of a memory object it leads
 * nowhere.
 */
static bool
is_below_origin(const char *item, size_t len)
{
	static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};

	for (size_t i = 0; i < KR_ARRAY_LEN(origins); i++) {
		size_t size = strlen(origins[i]);

		if (len >= size && !strncmp(item, origins[i], size) &&
			(len == size || item[size] == '/'))
			return true;
	}
	return false;
}

static int
check_run_path(
	const struct kr_package_graph *graph, const struct kr_package_node *node, char **reason)
{
	const char *at = node->elf->run_path;

	/*
	 * An empty element is the current directory, so kr_list_next, which skips them, won't do.
	 */
	while (at) {
		size_t len = strcspn(at, ":");

		if (!is_below_origin(at, len))
			return kr_package_refuse(reason, -EINVAL,
				"%s: %s has the RUNPATH or RPATH \"%s\": only places below $ORIGIN are allowed, since others are the receiver's own",
				graph->package->path, node->file->path, node->elf->run_path);
		at = at[len] ? at + len + 1 : NULL;
	}
	return 0;
}

static int
check_health(
	const struct kr_package_graph *graph, const struct kr_package_node *node, char **reason)
{
	const struct kr_package_elf *elf = node->elf;

	if (elf->writable_code)
		return refuse_file(
			graph, node, "has a segment that is writable and executable (W+X)", reason);
	if (elf->text_relocations)
		return refuse_file(graph, node,
			"has relocations in its code (TEXTREL): it isn't compiled with -fPIC",
			reason);
	if (elf->executable_stack)
		return refuse_file(graph, node,
			"asks for an executable stack (link it with -z noexecstack)", reason);
	return check_run_path(graph, node, reason);
}

/* Who says that he has a version must have it, or the dynamic linker refuses him. */
static int
check_versions(
	const struct kr_package_graph *graph, const struct kr_package_node *node, char **reason)
{
	for (size_t i = 0; i < node->elf->wanted_count; i++) {
		const struct kr_package_wanted *wanted = &node->elf->wanted[i];
		const struct kr_package_node *of = kr_package_graph_find(graph, wanted->library);

		if (wanted->weak)
			continue;
		if (!of && !kr_package_is_platform(wanted->library) &&
			!kr_package_is_applications(wanted->library))
			return kr_package_refuse(reason, -EINVAL,
				"%s: %s wants version %s of %s, which isn't in the package",
				graph->package->path, node->file->path, wanted->version,
				wanted->library);
		if (of && !kr_package_elf_defines_version(of->elf, wanted->version))
			return kr_package_refuse(reason, -EINVAL,
				"%s: %s wants version %s of %s, which the one in the package doesn't define",
				graph->package->path, node->file->path, wanted->version,
				wanted->library);
	}
	return 0;
}

/* In the libraries that the node needs, itself included. */
static bool
is_resolved(const struct kr_package_graph *graph, const struct kr_package_node *node,
	const struct kr_package_symbol *symbol)
{
	/* A version of the platform's or the application's own becomes a need. */
	if (symbol->library && !kr_package_graph_find(graph, symbol->library))
		return true;
	for (size_t i = 0; i < graph->count; i++) {
		if (node->reach[i] &&
			kr_package_elf_exports(graph->nodes[i].elf, symbol->name, symbol->version))
			return true;
	}
	if (symbol->version)
		return false;
	for (size_t i = 0; i < graph->count; i++) {
		const struct kr_package_elf *elf = graph->nodes[i].elf;

		for (size_t k = 0; node->reach[i] && k < elf->needed_count; k++) {
			if (!kr_package_graph_find(graph, elf->needed[k]) &&
				kr_package_own_defines(elf->needed[k], symbol->name))
				return true;
		}
	}
	return false;
}

static int
check_imports(
	const struct kr_package_graph *graph, const struct kr_package_node *node, char **reason)
{
	for (size_t i = 0; i < node->elf->import_count; i++) {
		const struct kr_package_symbol *symbol = &node->elf->imports[i];

		if (!is_resolved(graph, node, symbol))
			return kr_package_refuse(reason, -EINVAL,
				"%s: %s imports %s%s%s, which no library that it needs defines",
				graph->package->path, node->file->path, symbol->name,
				symbol->version ? "@" : "", symbol->version ? symbol->version : "");
	}
	return 0;
}

/* As discover/icd.c connects a driver: interface 1 and later by one export, 0 by three. */
static int
check_exports(const struct kr_package_graph *graph, char **reason)
{
	static const char *const oldest[] = {"vkGetInstanceProcAddr", "vkCreateInstance",
		"vkEnumerateInstanceExtensionProperties"};

	for (size_t i = 0; i < graph->order_count; i++) {
		const struct kr_package_node *node = &graph->nodes[graph->order[i]];

		if (node->role != KR_INDEX_DRIVER ||
			kr_package_elf_exports(node->elf, "vk_icdGetInstanceProcAddr", NULL))
			continue;
		for (size_t k = 0; k < KR_ARRAY_LEN(oldest); k++) {
			if (!kr_package_elf_exports(node->elf, oldest[k], NULL))
				return refuse_file(graph, node,
					"doesn't export vk_icdGetInstanceProcAddr: it is no Vulkan driver",
					reason);
		}
	}
	return 0;
}

static int
check_libraries(const struct kr_package_graph *graph, char **reason)
{
	int ret = check_exports(graph, reason);

	for (size_t i = 0; !ret && i < graph->order_count; i++) {
		const struct kr_package_node *node = &graph->nodes[graph->order[i]];

		ret = check_health(graph, node, reason);
		if (!ret)
			ret = check_versions(graph, node, reason);
		if (!ret)
			ret = check_imports(graph, node, reason);
	}
	return ret;
}

static bool
is_libstdcxx(const char *soname)
{
	return !strncmp(soname, "libstdc++.so.", 13);
}

/*
 * What is declared may be more than what is needed, not less; without a declaration it is what is
 * needed.
 */
static int
settle_minimum(const struct kr_package *package, const char *what, const char *declared,
	char **needed, char **reason)
{
	if (!declared)
		return 0;
	if (*needed && kr_package_version_compare(declared, *needed) < 0)
		return kr_package_refuse(reason, -EINVAL, "%s: krafla.%s says %s, needs %s",
			package->path, what, declared, *needed);
	free(*needed);
	*needed = strdup(declared);
	return *needed ? 0 : -ENOMEM;
}

struct result {
	struct kr_package_graph graph;
	struct kr_package_needs needs;
	char *glibc, *libstdcxx;
};

static int
find_needs(const struct kr_package *package, struct result *result, char **reason)
{
	int ret = kr_package_needs_gather(&result->graph, &result->needs);

	if (!ret)
		ret = kr_package_needs_highest(
			&result->needs, kr_package_is_platform, "GLIBC_", &result->glibc);
	if (!ret)
		ret = kr_package_needs_highest(
			&result->needs, is_libstdcxx, "GLIBCXX_", &result->libstdcxx);
	if (!ret)
		ret = settle_minimum(package, "glibc", package->glibc, &result->glibc, reason);
	if (!ret)
		ret = settle_minimum(
			package, "libstdcxx", package->libstdcxx, &result->libstdcxx, reason);
	return ret;
}

/* The files in the order of the index. `files` has room for all. */
static int
sort_files(const struct kr_package_graph *graph, struct kr_package_file *files, char **reason)
{
	size_t count = 0;

	for (size_t i = 0; i < graph->order_count; i++)
		files[count++] = *graph->nodes[graph->order[i]].file;
	for (size_t i = 0; i < graph->count; i++) {
		if (graph->nodes[i].state != KR_NODE_DONE)
			files[count++] = *graph->nodes[i].file;
	}
	for (size_t i = 0; i < count; i++) {
		const struct kr_package_node *node =
			i < graph->order_count ? &graph->nodes[graph->order[i]] : NULL;

		files[i].is_elf = kr_package_is_elf(files[i].fd);
		files[i].role = node ? node->role : KR_INDEX_DATA;
		files[i].soname = NULL;
	}
	for (size_t i = 0; i < graph->order_count; i++) {
		const char *soname = graph->nodes[graph->order[i]].elf->soname;

		files[i].soname = soname ? strdup(soname) : NULL;
		if (soname && !files[i].soname) {
			while (i--)
				free(files[i].soname);
			return -ENOMEM;
		}
	}
	return 0;
}

/*
 * M-04, where the metadata doesn't say it: of a known driver its rule does, of another one libLLVM
 * is taken for the sign.
 */
static bool
is_compiling(const struct kr_package *package)
{
	const struct kr_hardware_rule *rule = kr_hardware_rule_get(package->file_path);

	if (rule)
		return rule->writes_code;
	for (size_t i = 0; i < package->file_count; i++) {
		const char *soname = package->files[i].soname;

		if (soname && !strncmp(soname, "libLLVM", 7))
			return true;
	}
	return false;
}

/* Nothing fails any more. */
static void
keep(struct kr_package *package, struct kr_package_file *take_files, struct result *result)
{
	for (size_t i = 0; i < package->file_count; i++)
		free(package->files[i].soname);
	free(package->files);
	package->files = take_files;
	kr_package_needs_finish(&(struct kr_package_needs){package->needs, package->need_count, 0});
	package->needs = result->needs.needs;
	package->need_count = result->needs.count;
	result->needs = (struct kr_package_needs){0};
	free(package->glibc);
	free(package->libstdcxx);
	package->glibc = result->glibc;
	package->libstdcxx = result->libstdcxx;
	result->glibc = result->libstdcxx = NULL;
	if (!package->compiles_is_said)
		package->compiles_at_run_time = is_compiling(package);
	package->checked = true;
}

int
kr_package_check(struct kr_package *package, json_t *warnings, char **reason)
{
	struct result result = {0};
	struct kr_allow_lists lists = {0};
	struct kr_import_judge judge = {.lists = &lists, .graph = &result.graph};
	struct kr_package_file *files = NULL;
	int ret;

	*reason = NULL;
	ret = kr_package_graph_build(package, &result.graph, reason);
	if (ret)
		return ret;
	ret = check_libraries(&result.graph, reason);
	if (!ret)
		ret = kr_allow_read(package->platform, &lists, reason);
	if (!ret)
		ret = kr_imports_check(package, &judge, reason);
	if (!ret)
		ret = find_needs(package, &result, reason);
	if (!ret)
		ret = kr_package_warn(&judge, warnings);
	if (!ret) {
		files = calloc(KR_INDEX_MAX_FILES, sizeof(*files));
		ret = files ? sort_files(&result.graph, files, reason) : -ENOMEM;
	}
	if (ret)
		free(files);
	else
		keep(package, files, &result);
	kr_allow_finish(&lists);
	kr_package_graph_finish(&result.graph);
	kr_package_needs_finish(&result.needs);
	free(result.glibc);
	free(result.libstdcxx);
	return ret;
}
