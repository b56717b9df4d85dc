/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of drivers and layers: see library.h. */
#include "util/library.h"

#include <dlfcn.h>
#include <string.h>

#include "util/env.h"

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
