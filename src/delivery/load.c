/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading a delivered driver.
 *
 * Libraries are opened one by one, each after those that it needs: the dynamic linker then finds
 * these by their SONAMEs among what is loaded, and searches nowhere. Those that the driver opens
 * itself come behind it and are found by its dlopen("libfoo.so.1") in the same way. RTLD_LOCAL:
 * nobody else sees their symbols. RTLD_NOW: what lacks a symbol fails here, and not in the middle
 * of a frame.
 *
 * Each library that the driver uses is held by a handle of ours, the process's own ones too: what
 * was checked can't be replaced before the driver has it. Other threads may load and unload
 * meanwhile; after each step it is asked whose copy the dynamic linker now takes for the SONAME,
 * and if that is another's, it is checked and used.
 *
 * Two names must never be the same: the dynamic linker takes a path that it has loaded before for
 * that library, whatever is there now (a descriptor number used again). So descriptors stay open as
 * long as what was loaded from them, and a number under whose name something is still loaded isn't
 * used.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "delivery/plan.h"
#include "util/code_memory.h"
#include "util/fd.h"
#include "util/file.h"
#include "util/text.h"

#define MAX_OLD_NAMES 64

struct loading {
	struct kr_delivery *delivery;
	struct kr_plan *plan;
	void *handles[KR_INDEX_MAX_FILES];
	size_t count;
};

/* The object behind a handle: handles of one object needn't be equal. */
static const struct link_map *
object_of(void *handle)
{
	struct link_map *map;

	return dlinfo(handle, RTLD_DI_LINKMAP, &map) ? NULL : map;
}

/*
 * Whether something is loaded under this very name: the same file may be, under that of an earlier
 * delivery.
 */
static bool
is_name(const char *path)
{
	void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
	const struct link_map *object = handle ? object_of(handle) : NULL;
	bool named = object && !strcmp(object->l_name, path);

	if (handle)
		dlclose(handle);
	else
		dlerror();
	return named;
}

/* What is loaded keeps its names, and they their descriptors. */
static void
keep_names(struct loading *loading)
{
	for (size_t i = 0; i < loading->delivery->index.file_count; i++) {
		const struct kr_planned *file = &loading->plan->files[i];

		if (file->copy == KR_COPY_PACKAGE && is_name(file->path))
			loading->delivery->stays = true;
	}
}

static int
say_linker(const struct loading *loading, const char *what, char **reason)
{
	const char *error = dlerror();

	*reason = kr_asprintf("the driver %s can't be loaded: %s: %s",
		loading->delivery->index.driver, what, error ? error : "unknown error");
	return -ELIBACC;
}

static int
open_path(struct loading *loading, const char *what, const char *path, void **handle, char **reason)
{
	*handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	return *handle ? 0 : say_linker(loading, what, reason);
}

/*
 * Whether the dynamic linker took the file for the name. It also finds a library that is loaded
 * under another name by its inode, and keeps both names for it: such a name may have been another
 * file's since.
 */
static bool
is_of_file(void *handle, const char *path)
{
	const struct link_map *object = object_of(handle);
	bool same = false;
	FILE *file;

	if (!object || !strcmp(object->l_name, path))
		return true;
	if (!kr_file_open(path, &file)) {
		same = kr_delivery_fd_is_at(fileno(file), object->l_name);
		fclose(file);
	}
	return same;
}

/* One of the package's. -ESTALE: the name was another file's. */
static int
open_file(struct loading *loading, size_t number, void **handle, char **reason)
{
	const char *path = loading->plan->files[number].path;
	int ret = open_path(
		loading, loading->delivery->index.files[number].path, path, handle, reason);

	if (ret || is_of_file(*handle, path))
		return ret;
	dlclose(*handle);
	return -ESTALE;
}

/* Another's copy will be taken for this SONAME: it has to do. */
static int
check_other(struct loading *loading, size_t number, const struct kr_process_library *library,
	char **reason)
{
	struct kr_faults faults = {0};

	kr_plan_check_wanted(loading->plan, number, library, &faults);
	return kr_faults_finish(&faults, loading->delivery->index.driver, reason);
}

/*
 * The handle of whatever the dynamic linker takes for the SONAME of file `number`, NULL if nothing
 * is loaded.
 */
static int
hold_loaded(struct loading *loading, size_t number, void **handle, char **reason)
{
	const char *soname = loading->delivery->index.files[number].soname;
	struct kr_process_library own;
	int ret;

	*handle = NULL;
	if (!kr_process_library_loaded(soname, &own))
		return 0;
	ret = check_other(loading, number, &own, reason);
	if (ret) {
		kr_process_library_close(&own);
		return ret;
	}
	*handle = own.handle;
	return 0;
}

static int
load_library(struct loading *loading, size_t number, void **handle, char **reason)
{
	const struct kr_index_file *entry = &loading->delivery->index.files[number];
	const struct kr_planned *file = &loading->plan->files[number];
	void *ours, *taken;
	int ret = hold_loaded(loading, number, handle, reason);

	if (ret || *handle)
		return ret;
	if (file->copy == KR_COPY_FILE)
		ret = open_path(loading, entry->path, file->had.path, &ours, reason);
	else
		ret = open_file(loading, number, &ours, reason);
	if (ret)
		return ret;
	ret = hold_loaded(loading, number, &taken, reason);
	if (!ret && taken && object_of(taken) != object_of(ours)) {
		*handle = taken;
		dlclose(ours);
		return 0;
	}
	if (taken)
		dlclose(taken);
	if (ret)
		dlclose(ours);
	else
		*handle = ours;
	return ret;
}

static int
load_all(struct loading *loading, void **driver, char **reason)
{
	const struct kr_index *index = &loading->delivery->index;

	for (size_t i = 0; i < index->file_count; i++) {
		const struct kr_planned *file = &loading->plan->files[i];
		void *handle;
		int ret;

		if (file->copy == KR_COPY_NONE || file->copy == KR_COPY_UNUSED)
			continue;
		if (index->files[i].role == KR_INDEX_DRIVER)
			ret = open_file(loading, i, &handle, reason);
		else
			ret = load_library(loading, i, &handle, reason);
		if (ret)
			return ret;
		loading->handles[loading->count++] = handle;
		if (index->files[i].role == KR_INDEX_DRIVER)
			*driver = handle;
	}
	return 0;
}

/* Some may say themselves that they can't be unloaded. */
static void
unload(struct loading *loading)
{
	while (loading->count)
		dlclose(loading->handles[--loading->count]);
}

static int
compare_names(struct dl_phdr_info *info, size_t size, void *data)
{
	const struct kr_plan *plan = data;

	for (size_t i = 0; i < plan->delivery->index.file_count; i++) {
		if (plan->files[i].copy == KR_COPY_PACKAGE &&
			!strcmp(plan->files[i].path, info->dlpi_name))
			return 1;
	}
	return 0;
}

/*
 * Whether an object has the very name of a file that isn't loaded yet: its descriptor was closed,
 * or we hadn't been given the number.
 */
static bool
has_old_name(const struct kr_plan *plan)
{
	return dl_iterate_phdr(compare_names, (void *)plan);
}

/* The same descriptors under other numbers. */
static int
renumber(struct kr_delivery *delivery)
{
	for (size_t i = 0; i < delivery->fd_count; i++) {
		int moved = fcntl(delivery->fds[i], F_DUPFD_CLOEXEC, delivery->fds[i] + 1);

		if (moved < 0)
			return -errno;
		kr_fd_close(&delivery->fds[i]);
		delivery->fds[i] = moved;
	}
	return 0;
}

/* One try, with the names that the descriptors have now. -ESTALE: they aren't new. */
static int
load_by_names(struct loading *loading, void **driver, char **reason)
{
	int ret = kr_plan_create(loading->delivery, &loading->plan, reason);

	if (ret)
		return ret;
	if (has_old_name(loading->plan)) {
		ret = -ESTALE;
	} else {
		ret = load_all(loading, driver, reason);
		if (ret)
			unload(loading);
		keep_names(loading);
	}
	kr_plan_destroy(loading->plan);
	return ret;
}

static int
load_by_new_names(struct loading *loading, void **driver, char **reason)
{
	for (int i = 0; i < MAX_OLD_NAMES && !loading->delivery->stays; i++) {
		int ret = load_by_names(loading, driver, reason);

		if (ret != -ESTALE)
			return ret;
		ret = renumber(loading->delivery);
		if (ret)
			return ret;
	}
	*reason = kr_asprintf(
		"the driver %s can't be loaded: the names of its descriptors are those of libraries that are loaded",
		loading->delivery->index.driver);
	return -EBUSY;
}

/* M-04: such a driver would end the process in the middle of a frame. */
static int
check_code_memory(const struct kr_delivery *delivery, char **reason)
{
	char why[KR_CODE_MEMORY_WHY_SIZE];

	if (!delivery->index.compiles || !kr_code_memory_forbidden(why))
		return 0;
	*reason = kr_asprintf(
		"the driver %s compiles at run time, and this process may not run what it writes: %s",
		delivery->index.driver, why);
	return -EPERM;
}

int
kr_delivery_load(struct kr_delivery *delivery, void **dso, char **reason)
{
	struct loading *loading;
	void *driver = NULL;
	int ret;

	*reason = NULL;
	if (delivery->dso) {
		*dso = delivery->dso;
		return 0;
	}
	ret = check_code_memory(delivery, reason);
	if (ret)
		return ret;
	loading = calloc(1, sizeof(*loading));
	if (!loading)
		return -ENOMEM;
	loading->delivery = delivery;
	ret = load_by_new_names(loading, &driver, reason);
	if (!ret)
		*dso = delivery->dso = driver;
	free(loading);
	return ret;
}
