/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packages of the configured directories, and the current generation of each. Directories are
 * watched: what appears, changes or goes is told. A changed package is a new generation with a new
 * name once it has been quiet for a moment and could be read whole; until then, and when it is bad,
 * the old one stays current.
 */
#ifndef KR_SERVICE_CATALOG_CATALOG_H
#define KR_SERVICE_CATALOG_CATALOG_H

#include <stdbool.h>
#include <jansson.h>
#include "service/config/config.h"
#include "service/loop/loop.h"
#include "service/store/store.h"
#include "util/list.h"
#include "util/macros.h"

/* One directory. Its current generation may be NULL: `reason` says why. */
struct kr_catalog_entry {
	struct kr_list link;
	char *name;
	struct kr_generation *generation; /* a reference */
	char *reason;
};

struct kr_catalog_events {
	/*
	 * The package has another current generation, or none any more, or is gone (entry is freed
	 * afterwards).
	 */
	void (*changed)(void *data, struct kr_catalog_entry *entry);
	/* Everything that is there has been looked at; also again after changes. */
	void (*idle)(void *data);
};

struct kr_catalog;

/* Names of generations are "<n>-<library_path>", n counting from 0 in this process. 0 or -errno. */
int kr_catalog_create(struct kr_loop *loop, struct kr_store *store, const struct kr_config *config,
	const struct kr_catalog_events *events, void *data, struct kr_catalog **catalog)
	KR_MUST_CHECK;
/* Looks at everything; events come from here and later from the loop. */
int kr_catalog_start(struct kr_catalog *catalog) KR_MUST_CHECK;
/*
 * Other directories from here on; packages of those that stay stay as they are. Borrows. 0 or
 * -ENOMEM: as before.
 */
int kr_catalog_configure(struct kr_catalog *catalog, const struct kr_config *config) KR_MUST_CHECK;
bool kr_catalog_is_idle(const struct kr_catalog *catalog);
/* kr_catalog_entry.link */
const struct kr_list *kr_catalog_entries(const struct kr_catalog *catalog);
struct kr_catalog_entry *kr_catalog_find(const struct kr_catalog *catalog, const char *name);
/*
 * {"sources": [{"path", "resolver": "full" | "base" | "ephemeral",
 *    "state": "watched" | "absent" | "unreadable" | "left out", "reason"}],
 *  "found": [{"name", "path", "resolver", "state": "checking" | "good" | "bad", "reason",
 *    "generation", "warnings"}]}.
 * A bad one has a generation if it was good before: that one stays current.
 */
json_t *kr_catalog_inspect(const struct kr_catalog *catalog);
void kr_catalog_destroy(struct kr_catalog *catalog);

#endif
