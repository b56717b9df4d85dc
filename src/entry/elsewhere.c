/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds other loaders: the libraries of this process that are called libvulkan.so and
 * have what a loader has.
 */
#include "entry/elsewhere.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "entry/references.h"
#include "gen/trampolines.h"
#include "util/log.h"
#include "util/mutex.h"

#define NAME        "libvulkan.so"
#define MAX_LOADERS 8
/* How far into a table of functions one looks for a function of its loader. */
#define MOST_WORDS 64

struct loader {
	void *dso; /* a reference, until the process ends or we are unloaded */
	uintptr_t start, end;
	const struct link_map *map;
};

/* Only grows until we are unloaded: written under the lock, the count last (release). */
static struct loader loaders[MAX_LOADERS];
static atomic_uint count;
/* How many libraries had been opened in this process when it was last searched (dlpi_adds). */
static atomic_ullong seen;
static struct kr_mutex lock = KR_MUTEX_INITIALIZER;

/* What a walk through the libraries brings: no library may be opened during it. */
struct walk {
	unsigned long long adds;
	uint32_t count;
	struct {
		char path[PATH_MAX];
		uintptr_t start, end;
	} found[MAX_LOADERS];
};

static void
get_range(const struct dl_phdr_info *info, uintptr_t *start, uintptr_t *end)
{
	*start = UINTPTR_MAX;
	*end = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD)
			continue;
		*start = KR_MIN(*start, at);
		*end = KR_MAX(*end, at + segment->p_memsz);
	}
}

static int
note_library(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	struct walk *walk = data;
	uintptr_t start, end, self = (uintptr_t)note_library;

	walk->adds = info->dlpi_adds;
	if (!slash || strncmp(slash + 1, NAME, strlen(NAME)) || walk->count == MAX_LOADERS ||
		strlen(info->dlpi_name) >= PATH_MAX)
		return 0;
	get_range(info, &start, &end);
	if (self >= start && self < end)
		return 0;
	strcpy(walk->found[walk->count].path, info->dlpi_name);
	walk->found[walk->count].start = start;
	walk->found[walk->count++].end = end;
	return 0;
}

static int
note_adds(struct dl_phdr_info *info, size_t size, void *data)
{
	*(unsigned long long *)data = info->dlpi_adds;
	return 1;
}

/* A function of the library's own, not of one that it brings. */
static PFN_vkVoidFunction
own_function(const struct loader *loader, const char *name)
{
	void *function = dlsym(loader->dso, name);
	uintptr_t at = (uintptr_t)function;

	return at >= loader->start && at < loader->end ? (PFN_vkVoidFunction)function : NULL;
}

/* A driver or layer may be called so; it hasn't all of these. */
static bool
is_loader(const struct loader *loader)
{
	return own_function(loader, "vkGetInstanceProcAddr") &&
		own_function(loader, "vkEnumerateInstanceVersion") &&
		own_function(loader, "vkCmdDraw");
}

/* False: it is known, or there is no room. */
static bool
append(const struct loader *loader)
{
	uint32_t n;
	bool known = false;

	kr_mutex_lock(&lock);
	n = atomic_load_explicit(&count, memory_order_relaxed);
	for (uint32_t i = 0; i < n; i++)
		known |= loaders[i].map == loader->map;
	known |= n == MAX_LOADERS;
	if (!known) {
		loaders[n] = *loader;
		atomic_store_explicit(&count, n + 1, memory_order_release);
	}
	kr_mutex_unlock(&lock);
	return !known;
}

/* Without the lock: the dynamic linker has one of its own, which is held while constructors run. */
static void
add_loader(const char *path, uintptr_t start, uintptr_t end)
{
	struct loader loader = {
		.dso = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD),
		.start = start,
		.end = end,
	};

	if (!loader.dso)
		return;
	loader.map = loader.dso;
	if (is_loader(&loader) && append(&loader))
		kr_info("%s is another loader in this process: calls with its objects go on to it",
			path);
	else
		dlclose(loader.dso);
}

/* How many there are. The process is searched once after each time that a library was opened. */
static uint32_t
search(void)
{
	unsigned long long adds = 0;
	struct walk *walk;

	dl_iterate_phdr(note_adds, &adds);
	if (adds == atomic_load_explicit(&seen, memory_order_acquire))
		return atomic_load_explicit(&count, memory_order_acquire);
	walk = calloc(1, sizeof(*walk));
	if (walk) {
		dl_iterate_phdr(note_library, walk);
		for (uint32_t i = 0; i < walk->count; i++)
			add_loader(walk->found[i].path, walk->found[i].start, walk->found[i].end);
		atomic_store_explicit(&seen, walk->adds, memory_order_release);
	}
	free(walk);
	return atomic_load_explicit(&count, memory_order_acquire);
}

/* Whose functions stand in the handle's table; the first with several where that can't be seen. */
static const struct loader *
owner_of(const void *handle, uint32_t n)
{
	const uintptr_t *table;

	if (n < 2)
		return n ? &loaders[0] : NULL;
	memcpy(&table, handle, sizeof(table));
	for (size_t word = 1; word < MOST_WORDS; word++) {
		for (uint32_t i = 0; i < n; i++) {
			if (table[word] >= loaders[i].start && table[word] < loaders[i].end)
				return &loaders[i];
		}
	}
	return &loaders[0];
}

/*
 * The answer to a handle that is none of ours, as in every loader: a sentence with the command's
 * name and the id of the rule in the specification, then abort(), since nothing could be
 * returned (DESIGN rule 5).
 */
static _Noreturn void
end_process(enum kr_command_id id)
{
	const struct kr_command *command = &kr_commands[id];
	bool alias = command->specified != id;

	kr_log(KR_LOG_ERROR | KR_LOG_FATAL,
		"%s: Invalid %s [VUID-%s-%s-parameter]: no such object is alive in this loader%s%s",
		command->name, command->handle, command->name, command->handle,
		alias ? "; the specification has the rule under " : "",
		alias ? kr_commands[command->specified].name : "");
	abort();
}

PFN_vkVoidFunction
kr_entry_elsewhere(const void *handle, enum kr_command_id id)
{
	const struct loader *owner = handle ? owner_of(handle, search()) : NULL;
	PFN_vkVoidFunction function = owner ? own_function(owner, kr_commands[id].name) : NULL;

	if (!function)
		end_process(id);
	return function;
}

PFN_vkVoidFunction
kr_entry_meant_elsewhere(const void *caller, PFN_vkVoidFunction exported, enum kr_command_id id)
{
	const char *name = kr_commands[id].name;
	PFN_vkVoidFunction function = NULL;
	uint32_t n = search();

	for (uint32_t i = 0; i < n && !function; i++) {
		if (kr_entry_library_refers_to(loaders[i].map, name, (uintptr_t)exported))
			function = own_function(&loaders[i], name);
	}
	return function && !kr_call_is_by_name(caller, name) ? function : NULL;
}

__attribute__((destructor)) static void
close_loaders(void)
{
	uint32_t n = atomic_exchange_explicit(&count, 0, memory_order_acquire);

	/* Other libraries' destructors may come after this one, and call still. */
	atomic_store_explicit(&seen, 0, memory_order_release);
	while (n)
		dlclose(loaders[--n].dso);
}
