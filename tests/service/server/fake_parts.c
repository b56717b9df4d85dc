/* SPDX-License-Identifier: Apache-2.0 */
/* See fake_parts.h. */
#include "fake_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "service/catalog/catalog.h"
#include "service/offers/offers.h"
#include "service/package/package.h"
#include "service/store/store.h"
#include "util/fd.h"
#include "util/text.h"

struct fake_parts fake;

struct kr_store {
	int unused;
};
struct kr_tree {
	json_t *files; /* path to text */
};
struct kr_generation {
	unsigned references;
	char *name;
	struct kr_package package;
};
struct kr_catalog {
	struct kr_list entries; /* kr_catalog_entry.link */
	const struct kr_catalog_events *events;
	void *data;
};
struct kr_offers {
	struct kr_list all; /* kr_offer.link */
	const struct kr_offers_events *events;
	void *data;
	json_t *nodes;
};

static struct kr_catalog *catalog;
static struct kr_offers *offers;
static bool is_idle;

/* --- store --- */

int
kr_store_create(enum kr_config_delivery choice, struct kr_store **store, char **reason)
{
	*store = calloc(1, sizeof(**store));
	return 0;
}

int
kr_store_directory(const struct kr_store *store)
{
	return -1;
}

void
kr_store_destroy(struct kr_store *store)
{
	free(store);
}

json_t *
kr_store_inspect(const struct kr_store *store)
{
	return json_pack("{s:s, s:s}", "delivery", fake.delivery ? fake.delivery : "mount",
		"reason", "because the test says so");
}

static int
file_of(const char *text)
{
	int fd = memfd_create("fake", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		abort();
	return fd;
}

void
kr_given_finish(struct kr_given *given)
{
	for (size_t i = 0; i < given->count; i++)
		kr_fd_close(&given->fds[i]);
	given->count = 0;
}

/* --- generations --- */

static struct kr_generation *
new_generation(const char *name, const char *package)
{
	struct kr_generation *generation = calloc(1, sizeof(*generation));

	generation->references = 1;
	generation->name = strdup(name);
	generation->package.name = strdup(package);
	fake.generations++;
	return generation;
}

const struct kr_package *
kr_generation_package(const struct kr_generation *generation)
{
	return &generation->package;
}

const char *
kr_generation_name(const struct kr_generation *generation)
{
	return generation->name;
}

int
kr_generation_give(struct kr_generation *generation, bool strict, struct kr_given *given)
{
	const size_t count = strict ? 1 + fake.files : 1;

	if (fake.give_fails) {
		fake.give_fails--;
		return fake.give_error;
	}
	given->kind = strict ? KR_DELIVERY_MEMORY : KR_DELIVERY_MOUNT;
	for (given->count = 0; given->count < count; given->count++) {
		int fd = file_of(generation->name);

		if (fd < 0) {
			kr_given_finish(given);
			return fd;
		}
		given->fds[given->count] = fd;
	}
	fake.given++;
	return 0;
}

int
kr_generation_prepare(struct kr_generation *generation, bool strict, int *fd)
{
	*fd = fake.copied ? fake.copied : -1;
	return 0;
}

struct kr_generation *
kr_generation_ref(struct kr_generation *generation)
{
	generation->references++;
	return generation;
}

void
kr_generation_unref(struct kr_generation *generation)
{
	if (!generation || --generation->references)
		return;
	free(generation->package.name);
	free(generation->name);
	free(generation);
	fake.generations--;
}

char *
kr_package_served_manifest(const struct kr_package *package, const char *name)
{
	return kr_asprintf("{\"ICD\": {\"library_path\": \"%s\"}}", name);
}

/* --- trees: given as listings --- */

int
kr_tree_create(struct kr_store *store, const char *name, struct kr_tree **tree)
{
	*tree = calloc(1, sizeof(**tree));
	(*tree)->files = json_object();
	return 0;
}

int
kr_tree_put(struct kr_tree *tree, const char *path, const char *text, size_t size)
{
	return json_object_set_new(tree->files, path, json_stringn(text, size)) ? -ENOMEM : 0;
}

void
kr_tree_remove(struct kr_tree *tree, const char *path)
{
	json_object_del(tree->files, path);
}

int
kr_tree_give(struct kr_tree *tree, struct kr_given *given)
{
	char *text = json_dumps(tree->files, 0);
	int fd = file_of(text);

	free(text);
	if (fd < 0)
		return fd;
	*given = (struct kr_given){.kind = KR_DELIVERY_MEMORY, .fds = {fd}, .count = 1};
	return 0;
}

void
kr_tree_destroy(struct kr_tree *tree)
{
	if (tree)
		json_decref(tree->files);
	free(tree);
}

/* --- catalog --- */

int
kr_catalog_create(struct kr_loop *loop, struct kr_store *store, const struct kr_config *config,
	const struct kr_catalog_events *events, void *data, struct kr_catalog **out)
{
	catalog = calloc(1, sizeof(*catalog));
	kr_list_init(&catalog->entries);
	catalog->events = events;
	catalog->data = data;
	*out = catalog;
	return 0;
}

int
kr_catalog_start(struct kr_catalog *started)
{
	if (fake.begin)
		fake.begin();
	return 0;
}

int
kr_catalog_configure(struct kr_catalog *configured, const struct kr_config *config)
{
	return 0;
}

bool
kr_catalog_is_idle(const struct kr_catalog *asked)
{
	return is_idle;
}

const struct kr_list *
kr_catalog_entries(const struct kr_catalog *asked)
{
	return &asked->entries;
}

json_t *
kr_catalog_inspect(const struct kr_catalog *asked)
{
	return json_array();
}

void
fake_package(const char *name, const char *reason)
{
	struct kr_catalog_entry *entry = calloc(1, sizeof(*entry));

	entry->name = strdup(name);
	entry->reason = reason ? strdup(reason) : NULL;
	kr_list_append(&catalog->entries, &entry->link);
}

void
kr_catalog_destroy(struct kr_catalog *destroyed)
{
	struct kr_catalog_entry *entry, *next;

	if (!destroyed)
		return;
	kr_list_for_each_safe (entry, next, &destroyed->entries, link) {
		free(entry->name);
		free(entry->reason);
		free(entry);
	}
	free(destroyed);
	catalog = NULL;
}

/* --- offers --- */

int
kr_offers_create(struct kr_loop *loop, struct kr_catalog *of, const struct kr_config *config,
	const struct kr_offers_sources *sources, const struct kr_offers_events *events, void *data,
	struct kr_offers **out)
{
	offers = calloc(1, sizeof(*offers));
	kr_list_init(&offers->all);
	offers->events = events;
	offers->data = data;
	offers->nodes = json_object();
	*out = offers;
	return 0;
}

int
kr_offers_start(struct kr_offers *started)
{
	return 0;
}

void
kr_offers_configure(struct kr_offers *configured, const struct kr_config *config)
{
}

void
kr_offers_package_changed(struct kr_offers *told, struct kr_catalog_entry *entry)
{
}

void
kr_offers_packages_idle(struct kr_offers *told)
{
}

bool
kr_offers_is_idle(const struct kr_offers *asked)
{
	return is_idle;
}

struct kr_offer *
kr_offers_find(const struct kr_offers *asked, const char *name)
{
	struct kr_offer *offer;

	kr_list_for_each (offer, &asked->all, link) {
		if (!strcmp(offer->generation->name, name))
			return offer;
	}
	return NULL;
}

const struct kr_list *
kr_offers_list(const struct kr_offers *asked)
{
	return &asked->all;
}

int
kr_offers_open_node(const struct kr_offers *asked, const char *path, int *fd)
{
	int got;

	if (!json_object_get(asked->nodes, path))
		return -ENOENT;
	got = open(fake.node_path, O_RDWR | O_CLOEXEC);
	if (got < 0)
		return -errno;
	*fd = got;
	return 0;
}

json_t *
kr_offers_inspect(const struct kr_offers *asked)
{
	return json_array();
}

static void
drop(struct kr_offer *offer)
{
	kr_list_remove(&offer->link);
	kr_generation_unref(offer->generation);
	free(offer);
}

void
kr_offers_destroy(struct kr_offers *destroyed)
{
	struct kr_offer *offer, *next;

	if (!destroyed)
		return;
	kr_list_for_each_safe (offer, next, &destroyed->all, link)
		drop(offer);
	json_decref(destroyed->nodes);
	free(destroyed);
	offers = NULL;
	is_idle = false;
}

static void
add_offer(const char *name, const char *package, bool software)
{
	struct kr_offer *offer = calloc(1, sizeof(*offer));

	offer->generation = new_generation(name, package);
	offer->software = software;
	kr_list_append(&offers->all, &offer->link);
	offers->events->offer_added(offers->data, offer);
}

void
fake_offer(const char *name, const char *package)
{
	add_offer(name, package, false);
}

void
fake_offer_software(const char *name, const char *package)
{
	add_offer(name, package, true);
}

void
fake_retire(const char *name)
{
	struct kr_offer *offer = kr_offers_find(offers, name);

	kr_list_remove(&offer->link);
	offers->events->offer_removed(offers->data, offer);
	drop(offer);
}

void
fake_node(const char *path)
{
	json_object_set_new(offers->nodes, path, json_true());
	offers->events->node_added(offers->data, path);
}

void
fake_node_gone(const char *path)
{
	json_object_del(offers->nodes, path);
	offers->events->node_removed(offers->data, path);
}

void
fake_set_idle(bool idle)
{
	is_idle = idle;
	if (!idle)
		return;
	catalog->events->idle(catalog->data);
	offers->events->idle(offers->data);
}
