/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which packages there are: see catalog.h. A subdirectory of a source with a metadata.json, where a
 * layout has it, is one; the others are watched, too, since one may be on its way. Links to
 * directories count, as names of a version that is current.
 */
#include "service/catalog/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/loop/shortage.h"
#include "service/package/component.h"
#include "service/package/layout.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/text.h"

#define DEPTH_MAX 8
/* Of one package: all have 4096 watches together, and one that takes them has others missed. */
#define ENTRIES_MAX 4096
#define WATCHES_MAX 256

struct budget {
	unsigned entries, watches; /* that are left */
};

static void
watch(struct kr_catalog *catalog, const char *path, const char *tag, int *error)
{
	const int ret = kr_directories_add(catalog->directories, path, tag);

	/* One that is gone has been told of by the one above it. */
	if (ret && ret != -ENOENT && ret != -ENOTDIR && error && !*error)
		*error = ret;
}

static bool
is_directory(const char *path, bool follow)
{
	struct stat status;

	return !(follow ? stat(path, &status) : lstat(path, &status)) && S_ISDIR(status.st_mode);
}

static bool
join(char path[PATH_MAX], const char *directory, const char *name)
{
	return snprintf(path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX;
}

/* Watches a package's directories: itself, then those below it. */
static void
watch_tree(struct kr_catalog *catalog, const char *path, const char *tag, int depth,
	struct budget *left, int *error)
{
	const struct dirent *entry;
	DIR *directory;

	if (!left->watches)
		return;
	left->watches--;
	watch(catalog, path, tag, error);
	directory = depth ? opendir(path) : NULL;
	if (!directory)
		return;
	while (left->entries && left->watches && (entry = readdir(directory))) {
		char below[PATH_MAX];

		left->entries--;
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
			(entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) &&
			join(below, path, entry->d_name) && is_directory(below, false))
			watch_tree(catalog, below, tag, depth - 1, left, error);
	}
	closedir(directory);
}

/*
 * Each of a package's two directories may be a link to the one of today; a component's lies
 * elsewhere.
 */
static void
watch_package(struct kr_catalog *catalog, const char *path, const char *name, int *error)
{
	static const char *const parts[] = {"contents", "metadata", "meta"};
	char part[PATH_MAX], *directory = kr_component_directory(path);
	struct budget left = {ENTRIES_MAX, WATCHES_MAX};

	watch_tree(catalog, path, name, DEPTH_MAX, &left, error);
	if (directory && is_directory(directory, true))
		watch_tree(catalog, directory, name, DEPTH_MAX, &left, error);
	free(directory);
	for (size_t i = 0; i < KR_ARRAY_LEN(parts); i++) {
		if (join(part, path, parts[i]) && !is_directory(part, false) &&
			is_directory(part, true))
			watch_tree(catalog, part, name, DEPTH_MAX - 1, &left, error);
	}
}

/* What may become a package: where its metadata.json would come. */
static void
watch_beginning(struct kr_catalog *catalog, const char *path, const char *name, int *error)
{
	static const char *const parts[] = {"metadata", "meta", "meta/metadata"};
	char part[PATH_MAX];

	watch(catalog, path, name, error);
	for (size_t i = 0; i < KR_ARRAY_LEN(parts); i++) {
		if (join(part, path, parts[i]) && is_directory(part, true))
			watch(catalog, part, name, error);
	}
}

static struct kr_catalog_record *
create(struct kr_catalog *catalog, const char *name, const char *path)
{
	struct kr_catalog_record *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return NULL;
	kr_list_init(&entry->public.link);
	entry->due = entry->pending_since = KR_FOREVER;
	entry->public.name = strdup(name);
	entry->path = strdup(path);
	if (entry->public.name && entry->path)
		return entry;
	kr_catalog_free_entry(entry);
	return NULL;
}

/* In the order of names, which is the order in which packages of one kind are tried. */
static void
insert(struct kr_catalog *catalog, struct kr_catalog_record *entry)
{
	struct kr_list *at = &catalog->entries;
	struct kr_catalog_entry *public;

	kr_list_for_each (public, &catalog->entries, link) {
		if (strcmp(public->name, entry->public.name) > 0)
			break;
		at = &public->link;
	}
	kr_list_insert(at, &entry->public.link);
	catalog->count++;
}

static bool
move(struct kr_catalog_record *entry, const char *path, enum kr_config_resolver resolver)
{
	char *copy;

	if (entry->source_resolver != resolver)
		kr_catalog_touch(entry);
	entry->source_resolver = resolver;
	if (!strcmp(entry->path, path))
		return true;
	copy = strdup(path);
	if (!copy)
		return false;
	free(entry->path);
	entry->path = copy;
	kr_catalog_touch(entry);
	return true;
}

static void
note_full(struct kr_catalog *catalog, const char *path)
{
	if (!catalog->is_full)
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD,
			"There are more than %d packages: %s and others are left out",
			KR_CATALOG_PACKAGES_MAX, path);
	catalog->is_full = true;
}

/* False without memory. */
static bool
note_package(struct kr_catalog *catalog, const char *name, const char *path,
	enum kr_config_resolver resolver)
{
	struct kr_catalog_entry *public = kr_catalog_find(catalog, name);
	struct kr_catalog_record *entry;

	if (public) {
		entry = kr_catalog_record_from_entry(public);
		if (entry->seen)
			return true; /* of a later source, which counts */
		entry->seen = true;
		return move(entry, path, resolver);
	}
	if (catalog->count >= KR_CATALOG_PACKAGES_MAX) {
		note_full(catalog, path);
		return true;
	}
	entry = create(catalog, name, path);
	if (!entry)
		return false;
	entry->source_resolver = entry->resolver = resolver;
	insert(catalog, entry);
	kr_catalog_touch(entry);
	entry->seen = true;
	return true;
}

/* Names go into logs, terminals and JSON. */
static bool
is_text(const char *name)
{
	char clean[NAME_MAX + 1];

	snprintf(clean, sizeof(clean), "%s", name);
	kr_text_clean(clean, strlen(clean), false);
	return !strcmp(clean, name);
}

static int
read_source(struct kr_catalog *catalog, DIR *directory, const struct kr_catalog_source *source)
{
	const struct dirent *entry;
	int error = 0;

	while ((entry = readdir(directory))) {
		char path[PATH_MAX];
		bool package;

		if (entry->d_name[0] == '.' || !join(path, source->path, entry->d_name) ||
			!is_directory(path, true))
			continue;
		package = kr_package_layout_is_package(path);
		if (!is_text(entry->d_name)) {
			error = package && !error ? -EILSEQ : error;
			continue;
		}
		if (package)
			watch_package(catalog, path, entry->d_name, &error);
		else
			watch_beginning(catalog, path, entry->d_name, &error);
		/* Asked again: it may have come just before it was watched. */
		if ((package || kr_package_layout_is_package(path)) &&
			!note_package(catalog, entry->d_name, path, source->resolver))
			error = -ENOMEM;
	}
	return error;
}

static void
scan_source(struct kr_catalog *catalog, struct kr_catalog_source *source)
{
	DIR *directory;
	int error = 0;

	watch(catalog, source->path, KR_CATALOG_SOURCE, &error);
	directory = opendir(source->path);
	if (!directory) {
		error = -errno;
	} else {
		const int ret = read_source(catalog, directory, source);

		closedir(directory);
		error = error ? error : ret;
	}
	if (error && error != -ENOENT && error != source->error)
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD,
			"Packages of %s may be missed, or their changes: %s%s", source->path,
			strerror(-error),
			error == -ENOSPC ? " (the limit is fs.inotify.max_user_watches)" : "");
	source->error = error;
	catalog->is_short = catalog->is_short || kr_is_shortage(error);
}

/* Nobody can tell whether they are gone. */
static void
keep_unseen(struct kr_catalog *catalog)
{
	struct kr_catalog_entry *public;

	kr_list_for_each (public, &catalog->entries, link)
		kr_catalog_record_from_entry(public)->seen = true;
}

static bool
is_refused(const struct kr_catalog *catalog, const struct kr_catalog_source *source)
{
	return catalog->config->serves_users && source->resolver == KR_RESOLVE_EPHEMERAL;
}

/*
 * From the last source to the first: of two packages of one name the later source's counts, unless
 * it is one whose packages are refused.
 */
static void
scan_sources(struct kr_catalog *catalog, bool refused)
{
	for (size_t i = catalog->config->package_count; i > 0; i--) {
		struct kr_catalog_source *source = &catalog->sources[i - 1];

		if (!source->left_out && is_refused(catalog, source) == refused)
			scan_source(catalog, source);
	}
}

void
kr_catalog_scan(struct kr_catalog *catalog)
{
	struct kr_catalog_entry *public;

	catalog->scan_due = KR_FOREVER;
	catalog->is_short = false;
	kr_list_for_each (public, &catalog->entries, link)
		kr_catalog_record_from_entry(public)->seen = false;
	kr_directories_begin(catalog->directories);
	scan_sources(catalog, false);
	scan_sources(catalog, true);
	kr_directories_end(catalog->directories);
	if (catalog->is_short) {
		keep_unseen(catalog);
		catalog->scan_due = kr_clock_now() + KR_SHORTAGE_AGAIN;
	}
	kr_list_for_each (public, &catalog->entries, link) {
		struct kr_catalog_record *entry = kr_catalog_record_from_entry(public);

		if (!entry->seen && entry->due == KR_FOREVER)
			kr_catalog_touch(entry);
	}
}
