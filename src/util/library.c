/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of drivers and layers: see library.h. */
#include "util/library.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/env.h"
#include "util/file.h"

void *
kr_library_load(const char *path, int flags, const char **error)
{
	void *dso;

	/* A bare name is searched for by dlopen, in places of its own. */
	if (strchr(path, '/') && kr_file_check(path)) {
		*error = "it is a device, FIFO or socket, not a library";
		return NULL;
	}
	dso = dlopen(path, flags);
	if (dso)
		return dso;
	*error = dlerror();
	if (!*error)
		*error = "unknown error";
	return NULL;
}

void
kr_library_close(void *dso)
{
	const char *keep = kr_env_get("VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING");

	if (dso && !(keep && !strcmp(keep, "1")))
		dlclose(dso);
}

/* Whether a library calls itself libvulkan.so.1, or so. */
static bool
is_named_like_a_loader(const struct link_map *map)
{
	static const char name[] = "libvulkan.so";
	const char *names = NULL;
	size_t soname = 0;

	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_STRTAB)
			names = (const char *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_SONAME)
			soname = entry->d_un.d_val;
	}
	/* What isn't relocated (the vDSO's) is no address. */
	return soname && (uintptr_t)names >= map->l_addr &&
		!strncmp(names + soname, name, strlen(name));
}

bool
kr_library_is_a_loader(const void *function)
{
	struct link_map *map = NULL;
	Dl_info theirs, ours;

	if (!function || !dladdr1(function, &theirs, (void **)&map, RTLD_DL_LINKMAP))
		return false;
	return (dladdr((const void *)kr_library_is_a_loader, &ours) &&
		       theirs.dli_fbase == ours.dli_fbase) ||
		(map && is_named_like_a_loader(map));
}
