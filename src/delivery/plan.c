/* SPDX-License-Identifier: Apache-2.0 */
/* Deciding which copies to load: see plan.h. */
#include "delivery/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/elf_file.h"
#include "util/text.h"

static const struct kr_index_file *
entry_of(const struct kr_plan *plan, size_t number)
{
	return &plan->delivery->index.files[number];
}

/* Libraries without SONAME can't be asked for by name, and the driver is loaded by its path. */
static bool
is_loaded_at_all(const struct kr_index_file *entry)
{
	return entry->role == KR_INDEX_DRIVER || (entry->role != KR_INDEX_DATA && entry->soname);
}

static bool
may_be_newest(const char *soname)
{
	return !strcmp(soname, "libstdc++.so.6") || !strcmp(soname, "libgcc_s.so.1");
}

static int
read_file(struct kr_plan *plan, size_t number, char **reason)
{
	const struct kr_index_file *entry = entry_of(plan, number);
	struct kr_planned *file = &plan->files[number];
	char path[KR_DELIVERY_PATH_SIZE], *why = NULL;
	const char *soname;
	int ret;

	kr_delivery_path(plan->delivery, plan->root, number, path);
	file->path = strdup(path);
	if (!file->path)
		return -ENOMEM;
	ret = kr_mapping_open(path, &file->mapping);
	if (!ret)
		ret = kr_image_from_bytes(file->mapping.bytes, file->mapping.size, &file->image);
	if (ret) {
		const int cause = kr_elf_check(path, &why);

		ret = cause ? cause : ret;
		*reason = kr_asprintf("%s of the package %s can't be loaded: %s", entry->path,
			plan->delivery->index.name, why ? why : strerror(-ret));
		free(why);
		return ret;
	}
	soname = kr_image_soname(&file->image);
	if (entry->soname && (!soname || strcmp(soname, entry->soname))) {
		*reason =
			kr_asprintf("%s of the package %s has the SONAME %s, and the index says %s",
				entry->path, plan->delivery->index.name, soname ? soname : "(none)",
				entry->soname);
		return -EINVAL;
	}
	return 0;
}

struct wanted {
	const char *soname;
	const struct kr_image *image; /* of what would be taken */
	struct kr_lacking lacking;
};

static int
note_lacking(void *data, const char *library, const char *version)
{
	struct wanted *wanted = data;

	if (!strcmp(library, wanted->soname) && !kr_image_defines(wanted->image, version))
		kr_lacking_add(&wanted->lacking, version);
	return 0;
}

/*
 * The newest version that the package's other files want of a library and that it lacks, or NULL.
 */
static const char *
lacking_version(const struct kr_plan *plan, size_t number, const struct kr_process_library *library)
{
	struct wanted wanted = {.soname = entry_of(plan, number)->soname, .image = &library->image};

	/*
	 * Who says nothing of versions has what the symbols' names say: the dynamic linker's way.
	 */
	if (!library->readable || !kr_image_has_versions(&library->image))
		return NULL;
	for (size_t i = 0; i < plan->delivery->index.file_count; i++) {
		if (plan->files[i].copy == KR_COPY_PACKAGE && i != number)
			kr_image_for_each_wanted(&plan->files[i].image, note_lacking, &wanted);
	}
	return wanted.lacking.version;
}

void
kr_plan_check_wanted(const struct kr_plan *plan, size_t number,
	const struct kr_process_library *library, struct kr_faults *faults)
{
	const char *version = lacking_version(plan, number, library);

	if (version)
		kr_faults_add_version(faults, entry_of(plan, number)->soname, version, library);
}

static int
is_undefined(void *data, const char *version)
{
	return !kr_image_defines(data, version);
}

/* Whether `a` defines every version that `b` does. */
static bool
defines_all(const struct kr_image *a, const struct kr_image *b)
{
	return kr_image_has_versions(a) && !kr_image_for_each_defined(b, is_undefined, (void *)a);
}

/*
 * The process's own file takes the package's place when it is as new, or is all that serves both.
 */
static int
choose_newest(struct kr_plan *plan, size_t number)
{
	struct kr_planned *file = &plan->files[number];
	struct kr_process_library own;
	int ret = kr_process_library_find(&plan->search, entry_of(plan, number)->soname, &own);

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	if (defines_all(&own.image, &file->image) ||
		(!defines_all(&file->image, &own.image) && !lacking_version(plan, number, &own))) {
		file->copy = KR_COPY_FILE;
		file->had = own;
		return 0;
	}
	kr_process_library_close(&own);
	return 0;
}

/*
 * What is loaded is settled first: what such libraries' files in the package want doesn't matter.
 */
static int
choose_loaded(struct kr_plan *plan, char **reason)
{
	for (size_t i = 0; i < plan->delivery->index.file_count; i++) {
		const struct kr_index_file *entry = entry_of(plan, i);
		struct kr_process_library own;
		int ret;

		if (!is_loaded_at_all(entry))
			continue;
		ret = read_file(plan, i, reason);
		if (ret)
			return ret;
		plan->files[i].copy = KR_COPY_PACKAGE;
		if (entry->role == KR_INDEX_DRIVER ||
			!kr_process_library_loaded(entry->soname, &own))
			continue;
		plan->files[i].copy = KR_COPY_LOADED;
		kr_process_library_close(&own);
	}
	return 0;
}

static int
check_copies(struct kr_plan *plan, struct kr_faults *faults)
{
	for (size_t i = 0; i < plan->delivery->index.file_count; i++) {
		const struct kr_index_file *entry = entry_of(plan, i);
		struct kr_process_library own;
		int ret = 0;

		if (plan->files[i].copy == KR_COPY_LOADED &&
			kr_process_library_loaded(entry->soname, &own)) {
			kr_plan_check_wanted(plan, i, &own, faults);
			kr_process_library_close(&own);
		} else if (plan->files[i].copy == KR_COPY_FILE) {
			kr_plan_check_wanted(plan, i, &plan->files[i].had, faults);
		} else if (plan->files[i].copy == KR_COPY_PACKAGE && entry->soname &&
			may_be_newest(entry->soname)) {
			ret = choose_newest(plan, i);
		}
		if (ret)
			return ret;
	}
	return 0;
}

int
kr_plan_create(const struct kr_delivery *delivery, struct kr_plan **plan, char **reason)
{
	struct kr_plan *new = calloc(1, sizeof(*new));
	struct kr_faults faults = {0};
	char *lacks = NULL;
	int ret, lacking;

	*reason = NULL;
	if (!new)
		return -ENOMEM;
	new->delivery = delivery;
	ret = kr_delivery_root(delivery, new->root, reason);
	if (!ret)
		ret = choose_loaded(new, reason);
	if (!ret)
		ret = kr_plan_choose_own(new);
	if (!ret)
		ret = kr_plan_check_needs(new, &faults);
	if (!ret)
		ret = check_copies(new, &faults);
	if (!ret)
		ret = kr_plan_check_order(new, reason);
	lacking = kr_faults_finish(&faults, delivery->index.driver, &lacks);
	/* A fault of the package itself comes first: no other process would do. */
	if (ret) {
		free(lacks);
	} else {
		ret = lacking;
		*reason = lacks;
	}
	if (ret)
		kr_plan_destroy(new);
	else
		*plan = new;
	return ret;
}

void
kr_plan_destroy(struct kr_plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < plan->delivery->index.file_count; i++) {
		kr_mapping_close(&plan->files[i].mapping);
		kr_process_library_close(&plan->files[i].had);
		free(plan->files[i].path);
	}
	kr_process_search_finish(&plan->search);
	free(plan);
}

int
kr_delivery_check(const struct kr_delivery *delivery, char **reason)
{
	struct kr_plan *plan;
	int ret = kr_plan_create(delivery, &plan, reason);

	if (!ret)
		kr_plan_destroy(plan);
	return ret;
}
