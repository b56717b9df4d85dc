/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The catalog from inside: catalog.c, below what finds (scan.c), reads (look.c) and watches
 * (watch.c).
 */
#ifndef KR_SERVICE_CATALOG_INTERNAL_H
#define KR_SERVICE_CATALOG_INTERNAL_H

#include <stdint.h>
#include "service/catalog/catalog.h"
#include "service/loop/directories.h"

#define KR_CATALOG_PACKAGES_MAX 512
#define KR_CATALOG_SOURCE       "" /* the tag of sources; other tags are names of packages */

struct kr_catalog_record {
	struct kr_catalog_entry public; /* first member */
	char *path; /* its directory, of the last source that has one of this name */
	enum kr_config_resolver resolver; /* of that source, or what the package says of itself */
	enum kr_config_resolver source_resolver;
	json_t *warnings;       /* of the current generation's check; NULL: none */
	int64_t due;            /* when to look at it; KR_FOREVER: it has been looked at */
	int64_t changing_since; /* the first change since it was looked at */
	int64_t pending_since;  /* the first change since it was looked at with a result */
	bool seen;              /* by the scan that is under way, or by the last one */
};

struct kr_catalog_source {
	const char *path; /* the configuration's */
	enum kr_config_resolver resolver;
	bool left_out; /* the configuration's resolver isn't its */
	int error;     /* 0 or -errno of reading it */
};

struct kr_catalog {
	struct kr_loop *loop;
	struct kr_store *store;
	const struct kr_config *config;
	const struct kr_catalog_events *events;
	void *data;
	struct kr_list entries; /* kr_catalog_record.public.link, by name */
	size_t count;
	struct kr_catalog_source *sources;
	struct kr_directories *directories;
	struct kr_watch *timer;
	int64_t scan_due; /* KR_FOREVER: nothing has happened */
	bool is_short;    /* the last scan couldn't see everything: shortage.h */
	bool started;
	bool was_idle; /* and nothing has happened since */
	bool is_full;
	unsigned next_number; /* of generations */
};

static inline struct kr_catalog_record *
kr_catalog_record_from_entry(struct kr_catalog_entry *entry)
{
	return kr_container_of(entry, struct kr_catalog_record, public);
}

/*
 * Something has changed in it: it is looked at when it has been quiet for a moment, and within a
 * bounded time even if it never is.
 */
void kr_catalog_touch(struct kr_catalog_record *entry);
/* Finds out which packages there are; those that came, went or moved are touched. */
void kr_catalog_scan(struct kr_catalog *catalog);
/* Reads and checks it, or removes it (and frees it) when it isn't there any more. */
void kr_catalog_look(struct kr_catalog *catalog, struct kr_catalog_record *entry);
void kr_catalog_free_entry(struct kr_catalog_record *entry);

#endif
