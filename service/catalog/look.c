/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking at one package: it is read, checked, and made the current generation, in this order, and
 * what fails leaves everything as it was but for the reason.
 */
#include "service/catalog/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service/package/layout.h"
#include "service/package/owners.h"
#include "service/loop/shortage.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/text.h"

#define NAME_LENGTH_MAX 64 /* of `get` */

static bool
is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* NULL without memory, too: then there is still a word for it. */
static void
set_reason(struct kr_catalog_record *entry, char *take_reason, int err)
{
	char *reason = take_reason ? take_reason : strdup(strerror(-err));

	if (reason && !is_same_text(reason, entry->public.reason))
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD, "Package %s (%s): %s%s", entry->public.name,
			entry->path, reason,
			entry->public.generation ? "; what it was before stays in use" : "");
	free(entry->public.reason);
	entry->public.reason = reason;
}

static void
set_generation(struct kr_catalog *catalog, struct kr_catalog_record *entry,
	struct kr_generation *generation)
{
	struct kr_generation *old = entry->public.generation;

	entry->public.generation = generation;
	catalog->events->changed(catalog->data, &entry->public);
	kr_generation_unref(old);
}

static char *
make_name(const struct kr_catalog *catalog, const struct kr_package *package, char **reason)
{
	const char *slash = strrchr(package->library_path, '/');
	const char *library = slash ? slash + 1 : package->library_path;
	char *name = kr_asprintf("%u-%s", catalog->next_number, library);

	if (!name || strlen(name) <= NAME_LENGTH_MAX)
		return name;
	*reason = kr_asprintf(
		"the library_path of its manifest, '%s', is too long a name: with the number before it a name may have %d bytes",
		package->library_path, NAME_LENGTH_MAX);
	free(name);
	return NULL;
}

/* Takes the package, on success only. */
static int
adopt(struct kr_catalog *catalog, struct kr_catalog_record *entry, struct kr_package *take_package,
	char **reason)
{
	json_t *warnings = json_array();
	struct kr_generation *generation;
	char *name = NULL;
	int ret = kr_package_check(take_package, warnings, reason);

	if (!ret) {
		name = make_name(catalog, take_package, reason);
		ret = name ? kr_generation_create(
				     catalog->store, take_package, name, &generation, reason)
			: *reason ? -EINVAL
				  : -ENOMEM;
	}
	free(name);
	if (ret) {
		json_decref(warnings);
		return ret;
	}
	catalog->next_number++;
	json_decref(entry->warnings);
	entry->warnings = json_array_size(warnings) ? warnings : NULL;
	if (!entry->warnings)
		json_decref(warnings);
	set_generation(catalog, entry, generation);
	return 0;
}

static bool
is_current(const struct kr_catalog_record *entry, const struct kr_package *package)
{
	return entry->public.generation &&
		kr_package_is_same(kr_generation_package(entry->public.generation), package);
}

/* I-06: what somebody develops isn't for all users of a system. */
static int
check_resolver(
	const struct kr_catalog *catalog, const struct kr_catalog_record *entry, char **reason)
{
	if (entry->resolver != KR_RESOLVE_EPHEMERAL || !catalog->config->serves_users)
		return 0;
	*reason = strdup(
		"it is ephemeral, for development, and this is a service of the system, for all its users: a user's own service (--user) takes it");
	return *reason ? -EPERM : -ENOMEM;
}

static int
read_from(struct kr_catalog *catalog, struct kr_catalog_record *entry, const char *path,
	enum kr_config_resolver resolver, char **reason)
{
	struct kr_package *package;
	int ret = kr_package_open(path, &package, reason);
	bool is_kept = false;

	entry->resolver = resolver;
	if (ret)
		return ret;
	if (package->ephemeral)
		entry->resolver = KR_RESOLVE_EPHEMERAL;
	ret = check_resolver(catalog, entry, reason);
	if (!ret)
		ret = kr_package_check_owners(package, reason);
	if (!ret && !is_current(entry, package)) {
		ret = adopt(catalog, entry, package, reason);
		is_kept = !ret;
	}
	if (!is_kept)
		kr_package_destroy(package);
	return ret;
}

/* The package of this name in the next source before that of `path`: free; NULL: none. */
static char *
find_earlier(const struct kr_catalog *catalog, const char *name, const char *path,
	enum kr_config_resolver *resolver)
{
	char *found = NULL;

	for (size_t i = 0; i < catalog->config->package_count; i++) {
		const struct kr_catalog_source *source = &catalog->sources[i];
		char *other = kr_asprintf("%s/%s", source->path, name);

		if (!other || !strcmp(other, path)) {
			free(other);
			return found;
		}
		if (!source->left_out && source->resolver != KR_RESOLVE_EPHEMERAL &&
			kr_package_layout_is_package(other)) {
			free(found);
			found = other;
			*resolver = source->resolver;
		} else {
			free(other);
		}
	}
	free(found);
	return NULL;
}

/* One that says itself that it is ephemeral doesn't stand in for another of its name. */
static int
read_package(struct kr_catalog *catalog, struct kr_catalog_record *entry, char **reason)
{
	enum kr_config_resolver resolver = entry->source_resolver;
	char *path = strdup(entry->path), *earlier;
	int ret = path ? read_from(catalog, entry, path, resolver, reason) : -ENOMEM;

	while (ret && path && entry->resolver == KR_RESOLVE_EPHEMERAL &&
		catalog->config->serves_users) {
		earlier = find_earlier(catalog, entry->public.name, path, &resolver);
		if (!earlier)
			break;
		free(path);
		path = earlier;
		free(*reason);
		*reason = NULL;
		ret = read_from(catalog, entry, path, resolver, reason);
	}
	free(path);
	return ret;
}

static void
remove_entry(struct kr_catalog *catalog, struct kr_catalog_record *entry)
{
	struct kr_generation *generation = entry->public.generation;

	kr_list_remove(&entry->public.link);
	catalog->count--;
	entry->public.generation = NULL;
	catalog->events->changed(catalog->data, &entry->public);
	kr_generation_unref(generation);
	kr_catalog_free_entry(entry);
}

void
kr_catalog_look(struct kr_catalog *catalog, struct kr_catalog_record *entry)
{
	char *reason = NULL;
	int ret;

	if (!entry->seen) {
		remove_entry(catalog, entry);
		return;
	}
	entry->due = KR_FOREVER;
	ret = read_package(catalog, entry, &reason);
	if (ret == -EAGAIN)
		kr_catalog_touch(entry); /* it was being changed */
	else if (kr_is_shortage(ret))
		entry->due = kr_clock_now() + KR_SHORTAGE_AGAIN;
	else
		entry->pending_since = KR_FOREVER;
	if (ret) {
		set_reason(entry, reason, ret);
		return;
	}
	free(reason);
	free(entry->public.reason);
	entry->public.reason = NULL;
}
