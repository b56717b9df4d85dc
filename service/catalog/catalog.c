/* SPDX-License-Identifier: Apache-2.0 */
/* What the catalog holds: see catalog.h. What comes into it, and when: watch.c. */
#include "service/catalog/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"

#define QUIET (200 * KR_NSEC_PER_MSEC)
#define BOUND (2 * KR_NSEC_PER_SEC)

void
kr_catalog_touch(struct kr_catalog_record *entry)
{
	const int64_t now = kr_clock_now();

	if (entry->due == KR_FOREVER) {
		entry->changing_since = now;
		if (entry->pending_since == KR_FOREVER)
			entry->pending_since = now;
	}
	entry->due = KR_MIN(now + QUIET, entry->changing_since + BOUND);
}

bool
kr_catalog_is_idle(const struct kr_catalog *catalog)
{
	return catalog->was_idle;
}

const struct kr_list *
kr_catalog_entries(const struct kr_catalog *catalog)
{
	return &catalog->entries;
}

struct kr_catalog_entry *
kr_catalog_find(const struct kr_catalog *catalog, const char *name)
{
	struct kr_catalog_entry *public;

	kr_list_for_each (public, &catalog->entries, link) {
		if (!strcmp(public->name, name))
			return public;
	}
	return NULL;
}

void
kr_catalog_free_entry(struct kr_catalog_record *entry)
{
	kr_list_remove(&entry->public.link);
	kr_generation_unref(entry->public.generation);
	json_decref(entry->warnings);
	free(entry->public.name);
	free(entry->public.reason);
	free(entry->path);
	free(entry);
}

static json_t *
inspect_source(const struct kr_catalog_source *source)
{
	const char *state = source->left_out ? "left out"
		: !source->error             ? "watched"
		: source->error == -ENOENT   ? "absent"
					     : "unreadable";

	const char *reason = source->left_out
		? "it isn't of the base set, and the resolver is \"base\""
		: source->error && source->error != -ENOENT ? strerror(-source->error)
							    : NULL;

	return json_pack("{s:s, s:s, s:s, s:s?}", "path", source->path, "resolver",
		kr_config_resolver_name(source->resolver), "state", state, "reason", reason);
}

static json_t *
inspect_entry(const struct kr_catalog_record *entry)
{
	const struct kr_generation *generation = entry->public.generation;
	const char *state = entry->due != KR_FOREVER ? "checking"
		: entry->public.reason               ? "bad"
						     : "good";

	return json_pack("{s:s, s:s, s:s, s:s, s:s?, s:o?, s:O?}", "name", entry->public.name,
		"path", entry->path, "resolver", kr_config_resolver_name(entry->resolver), "state",
		state, "reason", entry->public.reason, "generation",
		generation ? kr_generation_inspect(generation) : NULL, "warnings", entry->warnings);
}

json_t *
kr_catalog_inspect(const struct kr_catalog *catalog)
{
	json_t *sources = json_array(), *packages = json_array();
	struct kr_catalog_entry *public;

	for (size_t i = 0; i < catalog->config->package_count; i++)
		json_array_append_new(sources, inspect_source(&catalog->sources[i]));
	kr_list_for_each (public, &catalog->entries, link)
		json_array_append_new(
			packages, inspect_entry(kr_catalog_record_from_entry(public)));
	return json_pack("{s:o, s:o}", "sources", sources, "found", packages);
}
