/* SPDX-License-Identifier: Apache-2.0 */
/* The life of drivers, candidates and their lists. */
#include "discover/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "discover/library.h"

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
	kr_driver_library_unref(driver->library);
	free(driver->name);
	free(driver->library_path);
	free(driver->manifest_path);
	free(driver);
}

void
kr_driver_take_library(struct kr_driver *driver, struct kr_driver_library *take_library)
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
