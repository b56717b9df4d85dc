/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries of the application's own, of which driver and application must have the same copy: see
 * plan.h. The process may load them when it likes, so those of its files count that it hasn't
 * loaded yet. Where it has none, nobody can have another copy later either: the dynamic linker
 * finds ours by the SONAME.
 */
#include <errno.h>
#include <string.h>

#include "delivery/plan.h"

/*
 * What the dynamic linker alone finds is loaded then, and held until the plan ends: by that time
 * the driver has it.
 */
static int
choose(struct kr_plan *plan, size_t number)
{
	const char *soname = plan->delivery->index.files[number].soname;
	struct kr_planned *file = &plan->files[number];
	int ret = kr_process_library_find(&plan->search, soname, &file->had);

	if (!ret)
		file->copy = KR_COPY_FILE;
	else if (ret == -ENOENT && kr_process_library_try(soname, &file->had))
		file->copy = KR_COPY_LOADED;
	return ret == -ENOENT ? 0 : ret;
}

struct needed {
	const struct kr_index *index;
	bool by[KR_INDEX_MAX_FILES];
};

static int
note_needed(void *data, const char *library)
{
	struct needed *needed = data;

	for (size_t i = 0; i < needed->index->file_count; i++) {
		const char *soname = needed->index->files[i].soname;

		if (soname && !strcmp(soname, library))
			needed->by[i] = true;
	}
	return 0;
}

/*
 * Each file stands behind those that it needs, so one walk from the end meets it when all that need
 * it have been met. What nobody needs at all stays: it is there for a reason of its own.
 */
static void
drop_unused(struct kr_plan *plan)
{
	const struct kr_index *index = &plan->delivery->index;
	struct needed taken = {.index = index}, left = {.index = index};

	for (size_t i = index->file_count; i--;) {
		struct kr_planned *file = &plan->files[i];

		if (file->copy == KR_COPY_NONE)
			continue;
		if (left.by[i] && !taken.by[i] && index->files[i].role == KR_INDEX_LIBRARY)
			file->copy = KR_COPY_UNUSED;
		kr_image_for_each_needed(
			&file->image, note_needed, file->copy == KR_COPY_PACKAGE ? &taken : &left);
	}
}

int
kr_plan_choose_own(struct kr_plan *plan)
{
	const struct kr_index *index = &plan->delivery->index;
	int ret = 0;

	for (size_t i = 0; !ret && i < index->file_count; i++) {
		if (index->files[i].own && plan->files[i].copy == KR_COPY_PACKAGE &&
			index->files[i].role != KR_INDEX_DRIVER)
			ret = choose(plan, i);
	}
	if (!ret)
		drop_unused(plan);
	return ret;
}
