/* SPDX-License-Identifier: Apache-2.0 */
/* Generations of packages: see store.h. */
#include "service/store/generation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"
#include "util/text.h"

/*
 * Says why there is no mount, and whether there may be none: not when there can be one in a moment.
 */
static int
without_mount(struct kr_generation *generation, int error, char **reason)
{
	if (generation->store->choice == KR_DELIVER_MOUNT || error == -ETOOMANYREFS) {
		*reason = generation->why_memory;
		generation->why_memory = NULL;
		return error;
	}
	if (!kr_store_why_memory(generation->store))
		kr_log(KR_LOG_WARN | KR_LOG_LOUD,
			"%s is given as copies in memory, not as a mount: %s",
			generation->package->path,
			generation->why_memory ? generation->why_memory : "out of memory");
	kr_generation_copy_begin(generation);
	return 0;
}

static int
prepare(struct kr_generation *generation, char **reason)
{
	const char *why = kr_store_why_memory(generation->store);
	int ret;

	if (why) {
		generation->why_memory = strdup(why);
		return without_mount(generation, -EPIPE, reason);
	}
	ret = kr_generation_mount(generation, &generation->why_memory);
	return ret ? without_mount(generation, ret, reason) : 0;
}

static void
destroy(struct kr_generation *generation)
{
	if (generation->id)
		kr_mounts_drop(generation->store->mounts, generation->id);
	kr_generation_copy_finish(generation);
	kr_list_remove(&generation->link);
	kr_package_destroy(generation->package);
	free(generation->why_memory);
	free(generation->index);
	free(generation->name);
	free(generation);
}

int
kr_generation_create(struct kr_store *store, struct kr_package *take_package, const char *name,
	struct kr_generation **out, char **reason)
{
	struct kr_generation *generation = calloc(1, sizeof(*generation));
	int ret = -ENOMEM;

	*reason = NULL;
	if (!generation)
		return -ENOMEM;
	*generation = (struct kr_generation){.store = store, .references = 1, .copier = -1};
	kr_list_init(&generation->link);
	generation->name = strdup(name);
	generation->package = take_package;
	generation->index = kr_package_index(take_package, name);
	if (take_package->file_count > KR_INDEX_MAX_FILES) {
		ret = -EFBIG;
		*reason = kr_asprintf("%s: %zu files are more than the %d that can be given",
			take_package->path, take_package->file_count, KR_INDEX_MAX_FILES);
	} else if (generation->name && generation->index) {
		ret = prepare(generation, reason);
	}
	if (ret) {
		generation->package = NULL; /* the caller's again */
		destroy(generation);
		return ret;
	}
	kr_list_append(&store->generations, &generation->link);
	*out = generation;
	return 0;
}

const struct kr_package *
kr_generation_package(const struct kr_generation *generation)
{
	return generation->package;
}

const char *
kr_generation_name(const struct kr_generation *generation)
{
	return generation->name;
}

static bool
gives_mount(const struct kr_generation *generation)
{
	return generation->id && !kr_store_why_memory(generation->store);
}

int
kr_generation_prepare(struct kr_generation *generation, bool strict, int *fd)
{
	*fd = -1;
	if (!strict && gives_mount(generation))
		return 0;
	if (!generation->copied)
		kr_generation_copy_begin(generation);
	*fd = generation->copier;
	return 0;
}

int
kr_generation_give(struct kr_generation *generation, bool strict, struct kr_given *given)
{
	int ret, fd;

	if (!strict && generation->id) {
		if (!kr_generation_is_unchanged(generation))
			return -ESTALE;
		ret = kr_mounts_clone(generation->store->mounts, generation->id, &fd);
		if (!ret) {
			given->kind = KR_DELIVERY_MOUNT;
			given->fds[0] = fd;
			given->count = 1;
			generation->mounts_given++;
			return 0;
		}
		/* A copy's descriptors are more, and can't be sent either. */
		if (generation->store->choice == KR_DELIVER_MOUNT || ret == -ETOOMANYREFS)
			return ret;
	}
	ret = kr_generation_copy_give(generation, given);
	if (!ret)
		generation->copies_given++;
	return ret;
}

json_t *
kr_generation_inspect(const struct kr_generation *generation)
{
	const bool mount = gives_mount(generation);
	const char *why = generation->why_memory;

	if (!mount && !why)
		why = kr_store_why_memory(generation->store);
	return json_pack("{s:s, s:s, s:s?, s:b, s:I, s:I}", "name", generation->name, "delivery",
		mount ? "mount" : "memory", "reason", mount ? NULL : why, "copied",
		generation->copied, "mounts_given", (json_int_t)generation->mounts_given,
		"copies_given", (json_int_t)generation->copies_given);
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
	if (generation && !--generation->references)
		destroy(generation);
}
