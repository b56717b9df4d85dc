/* SPDX-License-Identifier: Apache-2.0 */
/* The life of drivers and candidates, and discovery as a whole. */
#include "discover/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "discover/internal.h"
#include "discover/library.h"
#include "manifest/profile.h"
#include "manifest/settings.h"
#include "util/log.h"
#include "util/properties.h"
#include "util/text.h"

const char *
kr_driver_source_name(enum kr_driver_source source)
{
	switch (source) {
	case KR_DRIVER_HAL:
		return "HAL";
	case KR_DRIVER_MANIFEST:
		return "manifest";
	case KR_DRIVER_STUB:
		return "stub";
	case KR_DRIVER_DIRECT:
		return "direct";
	}
	return "unknown";
}

static const char *
file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Copies text that may be NULL; false without memory. */
static bool
copy_text(char **out, const char *text)
{
	*out = text ? strdup(text) : NULL;
	return *out || !text;
}

struct kr_driver *
kr_driver_create(enum kr_driver_source source, const char *library_path, const char *manifest_path)
{
	struct kr_driver *driver = calloc(1, sizeof(*driver));
	const char *name = library_path ? file_name(library_path) : kr_driver_source_name(source);

	if (!driver)
		return NULL;
	kr_list_init(&driver->link);
	driver->source = source;
	if (!copy_text(&driver->name, name) || !copy_text(&driver->library_path, library_path) ||
		!copy_text(&driver->manifest_path, manifest_path)) {
		kr_driver_destroy(driver);
		return NULL;
	}
	return driver;
}

void
kr_driver_destroy(struct kr_driver *driver)
{
	if (!driver)
		return;
	kr_list_remove(&driver->link);
	kr_library_unref(driver->library);
	free(driver->name);
	free(driver->library_path);
	free(driver->manifest_path);
	free(driver);
}

void
kr_driver_take_library(struct kr_driver *driver, struct kr_library *take_library)
{
	driver->library = take_library;
	driver->dso = take_library->dso;
	driver->hal = take_library->hal;
}

bool
kr_driver_is_same(const struct kr_driver *a, const struct kr_driver *b)
{
	if (a->source != b->source)
		return false;
	if (a->source == KR_DRIVER_DIRECT)
		return a->get_instance_proc_addr == b->get_instance_proc_addr;
	return a->dso == b->dso;
}

static void
destroy_candidate(struct kr_driver_candidate *candidate)
{
	free(candidate->path);
	free(candidate->library_path);
	free(candidate->reason);
	free(candidate);
}

int
kr_candidate_add(struct kr_driver_list *list, const struct kr_driver_candidate *facts,
	enum kr_candidate_verdict verdict, char *take_reason)
{
	struct kr_driver_candidate *candidate = calloc(1, sizeof(*candidate));

	if (!candidate || !take_reason) {
		free(candidate);
		free(take_reason);
		return -ENOMEM;
	}
	candidate->source = facts->source;
	candidate->variable = facts->variable;
	candidate->served = facts->served;
	candidate->verdict = verdict;
	candidate->used = verdict == KR_CANDIDATE_USED;
	candidate->reason = take_reason;
	if (!copy_text(&candidate->path, facts->path) ||
		!copy_text(&candidate->library_path, facts->library_path)) {
		destroy_candidate(candidate);
		return -ENOMEM;
	}
	kr_list_append(&list->candidates, &candidate->link);
	return 0;
}

void
kr_driver_list_finish(struct kr_driver_list *list)
{
	struct kr_driver_candidate *candidate, *next_candidate;
	struct kr_driver *driver, *next;

	kr_list_for_each_safe (driver, next, &list->drivers, link)
		kr_driver_destroy(driver);
	kr_list_for_each_safe (candidate, next_candidate, &list->candidates, link) {
		kr_list_remove(&candidate->link);
		destroy_candidate(candidate);
	}
}

/* Moves every element of `from` behind those of the empty list `to`. */
static void
move_list(struct kr_list *to, struct kr_list *from)
{
	kr_list_init(to);
	if (kr_list_empty(from))
		return;
	*to = *from;
	to->next->prev = to;
	to->prev->next = to;
	kr_list_init(from);
}

static bool
is_exclusive(const VkDirectDriverLoadingListLUNARG *direct)
{
	return direct && direct->mode == VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG;
}

static void
append_list(struct kr_list *to, struct kr_list *from)
{
	while (!kr_list_empty(from)) {
		struct kr_list *link = from->next;

		kr_list_remove(link);
		kr_list_append(to, link);
	}
}

static int
discover_installed(const struct kr_discover_options *options, const struct kr_driver_list *served,
	struct kr_driver_list *list)
{
	struct kr_discover_options named = *options;

	if (!(options->sources & (KR_DISCOVER_MANIFESTS | KR_DISCOVER_NAMED)))
		return 0;
	named.search.no_standard = !(options->sources & KR_DISCOVER_MANIFESTS);
	return kr_discover_manifests(&named, served, list);
}

/* The service stands for the search of standard directories: what replaces that replaces it. */
static bool
is_replaced(const struct kr_discover_options *options)
{
	const struct kr_settings *settings = options->settings;

	return (settings && settings->drivers_exclusive) ||
		kr_search_is_replaced(KR_MANIFEST_DRIVER, &options->search);
}

/* The service is asked first, so that what it serves isn't opened twice; its drivers stand behind the others. */
static int
discover_manifests(const struct kr_discover_options *options, struct kr_driver_list *list)
{
	struct kr_driver_list served = {.hal_error = 0};
	int ret = 0;

	kr_list_init(&served.drivers);
	kr_list_init(&served.candidates);
	if (options->sources & KR_DISCOVER_SERVICE && !is_replaced(options))
		ret = kr_discover_service(options, &served);
	if (!ret)
		ret = discover_installed(options, &served, list);
	append_list(&list->drivers, &served.drivers);
	append_list(&list->candidates, &served.candidates);
	list->portability_skipped |= served.portability_skipped;
	return ret;
}

static int
discover(const struct kr_discover_options *options, struct kr_driver_list *list)
{
	int ret = 0;

	if (options->direct)
		ret = kr_discover_direct(options->direct, list);
	if (!ret && options->sources & KR_DISCOVER_HAL)
		ret = kr_discover_hal(options, list);
	if (!ret)
		ret = discover_manifests(options, list);
	if (ret || !kr_list_empty(&list->drivers))
		return ret;
	if (list->hal_error) {
		kr_error("the HAL module that the properties name is broken and there is no other "
			 "driver");
		return 0;
	}
	return options->sources & KR_DISCOVER_STUB ? kr_discover_stub(list) : 0;
}

static uint32_t
sources_of_profile(void)
{
	uint32_t drivers = kr_profile_get()->drivers, sources = 0;

	if (drivers & KR_PROFILE_HAL)
		sources |= KR_DISCOVER_HAL;
	if (drivers & KR_PROFILE_MANIFESTS)
		sources |= KR_DISCOVER_MANIFESTS;
	if (drivers & KR_PROFILE_SERVICE)
		sources |= KR_DISCOVER_SERVICE;
	if (drivers & KR_PROFILE_NAMED)
		sources |= KR_DISCOVER_NAMED;
	if (drivers & KR_PROFILE_STUB)
		sources |= KR_DISCOVER_STUB;
	return sources;
}

int
kr_discover_drivers(const struct kr_discover_options *options, struct kr_driver_list *list)
{
	struct kr_discover_options filled = options ? *options : (struct kr_discover_options){0};
	struct kr_driver_list found = {.hal_error = 0};
	int ret;

	kr_list_init(&found.drivers);
	kr_list_init(&found.candidates);
	if (!filled.sources)
		filled.sources = sources_of_profile();
	if (is_exclusive(filled.direct))
		filled.sources = 0;
	if (!filled.property_get)
		filled.property_get = kr_property_get;
	ret = discover(&filled, &found);
	if (ret) {
		kr_driver_list_finish(&found);
		return ret;
	}
	move_list(&list->drivers, &found.drivers);
	move_list(&list->candidates, &found.candidates);
	list->hal_error = found.hal_error;
	list->portability_skipped = found.portability_skipped;
	return 0;
}

void
kr_discover_end(void)
{
	kr_discover_hal_end();
}
