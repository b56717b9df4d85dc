/* SPDX-License-Identifier: Apache-2.0 */
/* What the process has: see process.h. */
#include "delivery/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "delivery/ld_cache.h"
#include "util/text.h"

struct look {
	const void *dynamic; /* which object */
	struct kr_image *image;
	bool found;
};

static int
look_at_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct look *look = data;

	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type != PT_DYNAMIC ||
			(const void *)(info->dlpi_addr + header->p_vaddr) != look->dynamic)
			continue;
		look->found = !kr_image_from_loaded(info, look->image);
		return 1;
	}
	return 0;
}

static bool
read_handle(struct kr_process_library *library)
{
	struct look look = {.image = &library->image};
	struct link_map *map;

	if (dlinfo(library->handle, RTLD_DI_LINKMAP, &map))
		return false;
	look.dynamic = map->l_ld;
	dl_iterate_phdr(look_at_object, &look);
	return look.found;
}

static bool
open_by_name(const char *soname, int flags, struct kr_process_library *library)
{
	struct kr_process_library found = {
		.handle = dlopen(soname, RTLD_LAZY | RTLD_LOCAL | flags)};

	if (!found.handle) {
		dlerror(); /* or the application would find it */
		return false;
	}
	found.readable = read_handle(&found);
	*library = found;
	return true;
}

static bool
is_called(const struct dl_phdr_info *info, const char *soname)
{
	const char *slash = strrchr(info->dlpi_name, '/'), *name;
	struct kr_image image;

	if (!strcmp(slash ? slash + 1 : info->dlpi_name, soname))
		return true;
	name = kr_image_from_loaded(info, &image) ? NULL : kr_image_soname(&image);
	return name && !strcmp(name, soname);
}

static int
compare_name(struct dl_phdr_info *info, size_t size, void *data)
{
	return is_called(info, data);
}

bool
kr_process_library_loaded(const char *soname, struct kr_process_library *library)
{
	return dl_iterate_phdr(compare_name, (void *)soname) &&
		open_by_name(soname, RTLD_NOLOAD, library);
}

bool
kr_process_library_try(const char *soname, struct kr_process_library *library)
{
	return open_by_name(soname, 0, library);
}

/*
 * A file that this process could load; -ENOENT otherwise, and the search goes on as the dynamic
 * linker's does.
 */
static int
use_file(const char *directory, const char *name, struct kr_process_library *library)
{
	struct kr_process_library found = {
		.path = directory ? kr_asprintf("%s/%s", directory, name) : strdup(name)};

	if (!found.path)
		return -ENOMEM;
	if (access(found.path, R_OK) || kr_mapping_open(found.path, &found.mapping)) {
		free(found.path);
		return -ENOENT;
	}
	if (kr_image_from_bytes(found.mapping.bytes, found.mapping.size, &found.image)) {
		kr_process_library_close(&found);
		return -ENOENT;
	}
	found.readable = true;
	*library = found;
	return 0;
}

/* The directories that the dynamic linker searches for the program, NULL when it doesn't say. */
static Dl_serinfo *
search_path(void)
{
	void *program = dlopen(NULL, RTLD_LAZY);
	Dl_serinfo *path = NULL, head;

	if (!program)
		return NULL;
	if (!dlinfo(program, RTLD_DI_SERINFOSIZE, &head))
		path = malloc(head.dls_size);
	if (path) {
		path->dls_size = head.dls_size;
		path->dls_cnt = head.dls_cnt;
		if (dlinfo(program, RTLD_DI_SERINFO, path)) {
			free(path);
			path = NULL;
		}
	}
	dlclose(program);
	return path;
}

/*
 * Whether a directory is of the system, which the dynamic linker searches after its cache: /lib,
 * /usr/lib64, /lib/x86_64-linux-gnu... It lists them behind those that somebody named, and doesn't
 * say where they begin.
 */
static bool
is_system_directory(const char *name)
{
	static const char *const roots[] = {"/lib", "/usr/lib"};

	for (size_t i = 0; i < KR_ARRAY_LEN(roots); i++) {
		size_t len = strlen(roots[i]);

		if (strncmp(name, roots[i], len) != 0)
			continue;
		len += strspn(name + len, "x0123456789");
		if (!name[len] || name[len] == '/')
			return true;
	}
	return false;
}

static int
search_directories(const char *soname, const Dl_serinfo *path, bool of_the_system,
	struct kr_process_library *library)
{
	int ret = -ENOENT;

	for (unsigned i = 0; path && i < path->dls_cnt && ret == -ENOENT; i++) {
		const char *name = path->dls_serpath[i].dls_name;

		if (is_system_directory(name) == of_the_system)
			ret = use_file(*name ? name : ".", soname, library);
	}
	return ret;
}

static void
begin_search(struct kr_process_search *search)
{
	if (search->begun)
		return;
	search->begun = true;
	search->path = search_path();
	if (kr_mapping_open(KR_LD_CACHE, &search->cache))
		search->cache = (struct kr_mapping){0};
}

void
kr_process_search_finish(struct kr_process_search *search)
{
	free(search->path);
	kr_mapping_close(&search->cache);
	*search = (struct kr_process_search){0};
}

struct cache_search {
	struct kr_process_library *library;
	int ret;
};

static int
use_cached(void *data, const char *path)
{
	struct cache_search *search = data;

	search->ret = *path == '/' ? use_file(NULL, path, search->library) : -ENOENT;
	return search->ret != -ENOENT;
}

static int
search_cache(const char *soname, const struct kr_mapping *cache, struct kr_process_library *library)
{
	struct cache_search search = {library, -ENOENT};

	if (cache->bytes)
		kr_ld_cache_for_each(cache->bytes, cache->size, soname, use_cached, &search);
	return search.ret;
}

int
kr_process_library_find(
	struct kr_process_search *search, const char *soname, struct kr_process_library *library)
{
	int ret;

	begin_search(search);
	ret = search_directories(soname, search->path, false, library);
	if (ret == -ENOENT)
		ret = search_cache(soname, &search->cache, library);
	if (ret == -ENOENT)
		ret = search_directories(soname, search->path, true, library);
	return ret;
}

void
kr_process_library_close(struct kr_process_library *library)
{
	if (library->handle)
		dlclose(library->handle);
	kr_mapping_close(&library->mapping);
	free(library->path);
	*library = (struct kr_process_library){0};
}
