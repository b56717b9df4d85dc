/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of drivers and layers: see library.h. */
#include "util/library.h"

#include <dlfcn.h>
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

bool
kr_library_is_ours(const void *function)
{
	Dl_info theirs, ours;

	return function && dladdr(function, &theirs) &&
		dladdr((const void *)kr_library_is_ours, &ours) &&
		theirs.dli_fbase == ours.dli_fbase;
}
