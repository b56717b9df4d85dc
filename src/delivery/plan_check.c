/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether everything that a package's files need is there: in the process, or before them in the
 * package.
 */
#include <errno.h>
#include <string.h>

#include "delivery/plan.h"
#include "util/text.h"

static bool
is_in_package(const struct kr_index *index, const char *soname)
{
	for (size_t i = 0; i < index->file_count; i++) {
		const struct kr_index_file *file = &index->files[i];

		if (file->role != KR_INDEX_DATA && file->soname && !strcmp(file->soname, soname))
			return true;
	}
	return false;
}

struct want {
	const char *library;
	const char *version; /* NULL: whether the library is needed at all */
};

static int
is_library(void *data, const char *library)
{
	return !strcmp(((const struct want *)data)->library, library);
}

static int
is_version(void *data, const char *library, const char *version)
{
	const struct want *want = data;

	return !strcmp(want->library, library) && !strcmp(want->version, version);
}

/*
 * Whether a file that is taken wants it. What no file wants, only the index, counts, too: who wrote
 * that may know more. So what alone copies want that aren't taken doesn't.
 */
static bool
counts(const struct kr_plan *plan, struct want want)
{
	bool unused = false;

	for (size_t i = 0; i < plan->delivery->index.file_count; i++) {
		const struct kr_planned *file = &plan->files[i];

		if (file->copy == KR_COPY_NONE ||
			!(want.version ? kr_image_for_each_wanted(&file->image, is_version, &want)
				       : kr_image_for_each_needed(&file->image, is_library, &want)))
			continue;
		if (file->copy == KR_COPY_PACKAGE)
			return true;
		unused = true;
	}
	return !unused;
}

static int
check_need(struct kr_plan *plan, const struct kr_index_need *need, struct kr_faults *faults)
{
	struct kr_lacking lacking = {0};
	struct kr_process_library own;
	int ret = 0;

	if (!counts(plan, (struct want){need->library, NULL}))
		return 0;
	if (!kr_process_library_loaded(need->library, &own)) {
		ret = kr_process_library_find(&plan->search, need->library, &own);
		if (ret == -ENOENT && kr_process_library_try(need->library, &own))
			ret = 0;
	}
	if (ret == -ENOENT) {
		kr_faults_add_missing(faults, need->library);
		return 0;
	}
	if (ret)
		return ret;
	for (size_t i = 0; i < need->version_count && own.readable; i++) {
		if (kr_image_has_versions(&own.image) &&
			!kr_image_defines(&own.image, need->versions[i]) &&
			counts(plan, (struct want){need->library, need->versions[i]}))
			kr_lacking_add(&lacking, need->versions[i]);
	}
	if (lacking.version)
		kr_faults_add_version(faults, need->library, lacking.version, &own);
	kr_process_library_close(&own);
	return 0;
}

/*
 * Libraries of the package stand among its needs too; what is wanted of those is read off its
 * files.
 */
int
kr_plan_check_needs(struct kr_plan *plan, struct kr_faults *faults)
{
	const struct kr_index *index = &plan->delivery->index;
	int ret = 0;

	for (size_t i = 0; i < index->need_count && !ret; i++) {
		if (!is_in_package(index, index->needs[i].library))
			ret = check_need(plan, &index->needs[i], faults);
	}
	return ret;
}

struct order {
	const struct kr_plan *plan;
	size_t number;
	const char *unknown;
};

/*
 * Whether a library is there when file `number` is loaded; else the dynamic linker would take any
 * that it finds.
 */
static int
check_needed(void *data, const char *library)
{
	struct order *order = data;
	const struct kr_index *index = &order->plan->delivery->index;
	struct kr_process_library own;

	for (size_t i = 0; i < order->number; i++) {
		if (index->files[i].soname && !strcmp(index->files[i].soname, library))
			return 0;
	}
	for (size_t i = 0; i < index->need_count; i++) {
		if (!strcmp(index->needs[i].library, library) && !is_in_package(index, library))
			return 0;
	}
	if (kr_process_library_loaded(library, &own)) {
		kr_process_library_close(&own);
		return 0;
	}
	order->unknown = library;
	return 1;
}

int
kr_plan_check_order(const struct kr_plan *plan, char **reason)
{
	const struct kr_index *index = &plan->delivery->index;

	for (size_t i = 0; i < index->file_count; i++) {
		struct order order = {plan, i, NULL};

		if (plan->files[i].copy != KR_COPY_PACKAGE ||
			!kr_image_for_each_needed(&plan->files[i].image, check_needed, &order))
			continue;
		*reason = kr_asprintf("%s of the package %s needs %s, which %s",
			index->files[i].path, index->name, order.unknown,
			is_in_package(index, order.unknown)
				? "stands behind it in the index"
				: "is neither in the package nor among its needs");
		return -EINVAL;
	}
	return 0;
}
