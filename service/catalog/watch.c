/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The catalog: see catalog.h. Two things may be due: a scan, which finds out what packages there
 * are, and a look at a package, which reads and checks it. Both come a while after an event, so
 * that what comes in many steps is looked at once; a look is put off by further events, but not for
 * ever (kr_catalog_touch). One package is looked at in each round of the loop, so clients are
 * answered in between.
 */
#include "service/catalog/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"

#define SCAN_DELAY (20 * KR_NSEC_PER_MSEC)
/* A package that changes for longer without ever being whole keeps nobody waiting any more. */
#define PATIENCE (5 * KR_NSEC_PER_SEC)

static bool
has_work(const struct kr_catalog *catalog)
{
	const int64_t now = kr_clock_now();
	struct kr_catalog_entry *public;

	if (!catalog->started || (catalog->scan_due != KR_FOREVER && !catalog->is_short))
		return true;
	kr_list_for_each (public, &catalog->entries, link) {
		const struct kr_catalog_record *entry = kr_catalog_record_from_entry(public);

		if (entry->due != KR_FOREVER && now < entry->pending_since + PATIENCE)
			return true;
	}
	return false;
}

/* The entry that is due first; NULL: none is. */
static struct kr_catalog_record *
next_due(const struct kr_catalog *catalog)
{
	struct kr_catalog_entry *public;
	struct kr_catalog_record *next = NULL;

	kr_list_for_each (public, &catalog->entries, link) {
		struct kr_catalog_record *entry = kr_catalog_record_from_entry(public);

		if (entry->due != KR_FOREVER && (!next || entry->due < next->due))
			next = entry;
	}
	return next;
}

static void
set_timer(struct kr_catalog *catalog)
{
	const struct kr_catalog_record *next = next_due(catalog);

	kr_watch_deadline(catalog->timer, KR_MIN(catalog->scan_due, next ? next->due : KR_FOREVER));
}

/*
 * What happens in a source happens to the package of that name: another directory may have taken
 * its place.
 */
static void
handle_directory(void *data, const char *tag, const char *name)
{
	struct kr_catalog *catalog = data;
	const char *package = tag && !strcmp(tag, KR_CATALOG_SOURCE) ? name : tag;
	struct kr_catalog_entry *public;

	kr_list_for_each (public, &catalog->entries, link) {
		if (!package || !strcmp(public->name, package))
			kr_catalog_touch(kr_catalog_record_from_entry(public));
	}
	catalog->scan_due = KR_MIN(catalog->scan_due, kr_clock_now() + SCAN_DELAY);
	catalog->is_short = false;
	catalog->was_idle = false;
	set_timer(catalog);
}

static void
tell_idle(struct kr_catalog *catalog)
{
	if (catalog->was_idle || has_work(catalog))
		return;
	catalog->was_idle = true;
	catalog->events->idle(catalog->data);
}

static void
handle_timer(void *data, uint32_t events)
{
	struct kr_catalog *catalog = data;
	struct kr_catalog_record *next;

	if (catalog->scan_due <= kr_clock_now())
		kr_catalog_scan(catalog);
	next = next_due(catalog);
	if (next && next->due <= kr_clock_now())
		kr_catalog_look(catalog, next);
	set_timer(catalog);
	tell_idle(catalog);
}

/* NULL without memory. */
static struct kr_catalog_source *
list_sources(const struct kr_config *config)
{
	struct kr_catalog_source *sources = calloc(config->package_count + 1, sizeof(*sources));

	for (size_t i = 0; sources && i < config->package_count; i++) {
		sources[i].path = config->packages[i];
		sources[i].resolver = kr_config_resolver_of(config, i);
		sources[i].left_out = sources[i].resolver != KR_RESOLVE_BASE && config->resolver &&
			!strcmp(config->resolver, "base");
	}
	return sources;
}

int
kr_catalog_create(struct kr_loop *loop, struct kr_store *store, const struct kr_config *config,
	const struct kr_catalog_events *events, void *data, struct kr_catalog **out)
{
	struct kr_catalog *catalog = calloc(1, sizeof(*catalog));
	int ret;

	if (!catalog)
		return -ENOMEM;
	*catalog = (struct kr_catalog){.loop = loop,
		.store = store,
		.config = config,
		.events = events,
		.data = data,
		.scan_due = KR_FOREVER,
		.sources = list_sources(config)};
	kr_list_init(&catalog->entries);
	ret = catalog->sources ? 0 : -ENOMEM;
	if (!ret)
		ret = kr_watch_add(loop, -1, 0, handle_timer, catalog, &catalog->timer);
	if (!ret)
		ret = kr_directories_create(loop, handle_directory, catalog, &catalog->directories);
	if (ret)
		kr_catalog_destroy(catalog);
	else
		*out = catalog;
	return ret;
}

/* What is there at the start has been quiet long enough. */
int
kr_catalog_start(struct kr_catalog *catalog)
{
	struct kr_catalog_entry *public;

	catalog->started = true;
	kr_catalog_scan(catalog);
	kr_list_for_each (public, &catalog->entries, link)
		kr_catalog_record_from_entry(public)->due = kr_clock_now();
	/* A round of the loop later at least, where events may come from. */
	kr_watch_deadline(catalog->timer, kr_clock_now());
	return 0;
}

int
kr_catalog_configure(struct kr_catalog *catalog, const struct kr_config *config)
{
	struct kr_catalog_source *sources = list_sources(config);

	if (!sources)
		return -ENOMEM;
	free(catalog->sources);
	catalog->sources = sources;
	catalog->config = config;
	/* As if events had been lost: everything is looked at. */
	handle_directory(catalog, NULL, NULL);
	return 0;
}

void
kr_catalog_destroy(struct kr_catalog *catalog)
{
	struct kr_catalog_entry *public, *next;

	if (!catalog)
		return;
	kr_directories_destroy(catalog->directories);
	kr_watch_remove(catalog->timer);
	kr_list_for_each_safe (public, next, &catalog->entries, link)
		kr_catalog_free_entry(kr_catalog_record_from_entry(public));
	free(catalog->sources);
	free(catalog);
}
