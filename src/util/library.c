/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that stay when the user says so: see library.h. */
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
