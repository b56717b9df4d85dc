/* SPDX-License-Identifier: Apache-2.0 */
/* See retired.h. */
#include "service/server/retired.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	struct kr_list link;
	struct kr_generation *generation;
	uint64_t next;
};

static void
drop(struct entry *entry)
{
	kr_list_remove(&entry->link);
	kr_generation_unref(entry->generation);
	free(entry);
}

void
kr_retired_init(struct kr_retired *retired)
{
	kr_list_init(&retired->all);
}

static const char *
package_of(const struct kr_generation *generation)
{
	return kr_generation_package(generation)->name;
}

/* Drops the oldest of a package, or of all with NULL, beyond a number. */
static void
keep(struct kr_retired *retired, const char *package, unsigned most)
{
	struct entry *entry, *next;
	unsigned count = 0;

	kr_list_for_each (entry, &retired->all, link)
		count += !package || !strcmp(package_of(entry->generation), package);
	kr_list_for_each_safe (entry, next, &retired->all, link) {
		if (count <= most)
			return;
		if (!package || !strcmp(package_of(entry->generation), package)) {
			drop(entry);
			count--;
		}
	}
}

void
kr_retired_add(struct kr_retired *retired, struct kr_generation *generation, uint64_t next)
{
	struct entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return;
	entry->generation = kr_generation_ref(generation);
	entry->next = next;
	kr_list_append(&retired->all, &entry->link);
	keep(retired, package_of(generation), KR_RETIRED_OF_A_PACKAGE);
	keep(retired, NULL, KR_RETIRED_IN_ALL);
}

struct kr_generation *
kr_retired_find(const struct kr_retired *retired, const char *name, uint64_t client)
{
	const struct entry *entry;

	kr_list_for_each (entry, &retired->all, link) {
		if (client < entry->next && !strcmp(kr_generation_name(entry->generation), name))
			return entry->generation;
	}
	return NULL;
}

void
kr_retired_prune(struct kr_retired *retired, uint64_t oldest)
{
	struct entry *entry, *next;

	kr_list_for_each_safe (entry, next, &retired->all, link) {
		if (oldest >= entry->next)
			drop(entry);
	}
}

json_t *
kr_retired_inspect(const struct kr_retired *retired)
{
	json_t *list = json_array();
	const struct entry *entry;

	kr_list_for_each (entry, &retired->all, link)
		json_array_append_new(list, json_string(kr_generation_name(entry->generation)));
	return list;
}

void
kr_retired_finish(struct kr_retired *retired)
{
	struct entry *entry, *next;

	kr_list_for_each_safe (entry, next, &retired->all, link)
		drop(entry);
}
