/* SPDX-License-Identifier: Apache-2.0 */
/* See module.h. */
#include "util/module.h"

#include <dlfcn.h>
#include <errno.h>

#include "util/library.h"
#include "util/log.h"

static void
tell_misfit(const struct kr_module_kind *kind, const char *path, const uint32_t *abi)
{
	if (abi)
		kr_error(
			"%s: the %s %s is of version %u and this platform of version %u: it needs the module that was installed with it",
			kind->room, kind->what, path, *abi, kind->abi);
	else
		kr_error("%s: %s is no %s", kind->room, path, kind->what);
}

int
kr_module_load(const struct kr_module_kind *kind, const char *path, const void **table)
{
	const char *error;
	void *library = kr_library_load(path, RTLD_NOW | RTLD_LOCAL, &error);
	const uint32_t *abi;

	if (!library) {
		kr_error("%s: no %s: %s", kind->room, kind->what, error);
		return -ENOENT;
	}
	abi = dlsym(library, kind->symbol);
	if (!abi || *abi != kind->abi) {
		tell_misfit(kind, path, abi);
		dlclose(library);
		return -EPROTO;
	}
	*table = abi;
	return 0;
}
