/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries and versions that a package wants: see needs.h. */
#include "service/package/needs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service/package/sets.h"
#include "util/array.h"

static struct kr_index_need *
add_library(struct kr_package_needs *needs, const char *library)
{
	struct kr_index_need *need;

	for (size_t i = 0; i < needs->count; i++) {
		if (!strcmp(needs->needs[i].library, library))
			return &needs->needs[i];
	}
	need = kr_array_add(&needs->needs, &needs->count, &needs->room, sizeof(*needs->needs));
	if (!need)
		return NULL;
	need->library = strdup(library);
	if (need->library)
		return need;
	needs->count--;
	return NULL;
}

static int
add_version(struct kr_index_need *need, const char *version)
{
	char **grown;

	for (size_t i = 0; i < need->version_count; i++) {
		if (!strcmp(need->versions[i], version))
			return 0;
	}
	grown = realloc(need->versions, (need->version_count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	need->versions = grown;
	grown[need->version_count] = strdup(version);
	return grown[need->version_count] ? (need->version_count++, 0) : -ENOMEM;
}

static int
gather_of(const struct kr_package_graph *graph, const struct kr_package_elf *elf,
	struct kr_package_needs *needs)
{
	for (size_t i = 0; i < elf->needed_count; i++) {
		if (!kr_package_graph_find(graph, elf->needed[i]) &&
			!add_library(needs, elf->needed[i]))
			return -ENOMEM;
	}
	for (size_t i = 0; i < elf->wanted_count; i++) {
		struct kr_index_need *need;

		if (elf->wanted[i].weak)
			continue;
		need = add_library(needs, elf->wanted[i].library);
		if (!need || add_version(need, elf->wanted[i].version))
			return -ENOMEM;
	}
	return 0;
}

static int
by_library(const void *a, const void *b)
{
	return strcmp(((const struct kr_index_need *)a)->library,
		((const struct kr_index_need *)b)->library);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int
kr_package_needs_gather(const struct kr_package_graph *graph, struct kr_package_needs *needs)
{
	*needs = (struct kr_package_needs){0};
	for (size_t i = 0; i < graph->order_count; i++) {
		if (gather_of(graph, graph->nodes[graph->order[i]].elf, needs)) {
			kr_package_needs_finish(needs);
			return -ENOMEM;
		}
	}
	if (needs->count)
		qsort(needs->needs, needs->count, sizeof(*needs->needs), by_library);
	for (size_t i = 0; i < needs->count; i++) {
		if (needs->needs[i].version_count)
			qsort(needs->needs[i].versions, needs->needs[i].version_count,
				sizeof(char *), by_text);
	}
	return 0;
}

void
kr_package_needs_finish(struct kr_package_needs *needs)
{
	for (size_t i = 0; i < needs->count; i++) {
		for (size_t k = 0; k < needs->needs[i].version_count; k++)
			free(needs->needs[i].versions[k]);
		free(needs->needs[i].versions);
		free(needs->needs[i].library);
	}
	free(needs->needs);
	*needs = (struct kr_package_needs){0};
}

int
kr_package_version_compare(const char *a, const char *b)
{
	while (*a || *b) {
		char *end_a, *end_b;
		unsigned long left = strtoul(a, &end_a, 10), right = strtoul(b, &end_b, 10);

		if (left != right)
			return left < right ? -1 : 1;
		a = *end_a == '.' ? end_a + 1 : "";
		b = *end_b == '.' ? end_b + 1 : "";
	}
	return 0;
}

int
kr_package_needs_highest(const struct kr_package_needs *needs, bool (*is_of)(const char *soname),
	const char *prefix, char **version)
{
	const char *highest = NULL;
	size_t len = strlen(prefix);

	for (size_t i = 0; i < needs->count; i++) {
		const struct kr_index_need *need = &needs->needs[i];

		for (size_t k = 0; is_of(need->library) && k < need->version_count; k++) {
			const char *text = need->versions[k];

			if (strncmp(text, prefix, len) ||
				strspn(text + len, "0123456789.") != strlen(text + len))
				continue;
			if (!highest || kr_package_version_compare(text + len, highest) > 0)
				highest = text + len;
		}
	}
	*version = highest ? strdup(highest) : NULL;
	return highest && !*version ? -ENOMEM : 0;
}
