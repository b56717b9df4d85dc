/* SPDX-License-Identifier: Apache-2.0 */
/* Finding and loading devices that are modules. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hwc/composer.h"
#include "util/guard.h"
#include "util/library.h"
#include "util/log.h"
#include "util/text.h"

/* In the folder `krafla` beside what this is a part of; NULL without memory. */
static char *
path_beside_us(const char *name)
{
	const char *slash;
	Dl_info self;

	if (!dladdr((void *)(uintptr_t)kr_hwc_module_load, &self) || !self.dli_fname)
		return NULL;
	slash = strrchr(self.dli_fname, '/');
	if (!slash)
		return NULL;
	return kr_asprintf("%.*s/krafla/krafla-output-%s.so", (int)(slash - self.dli_fname),
		self.dli_fname, name);
}

/* NULL with *error: `path` is none, or can't be loaded. */
static void *
load(char *take_path, const char **error)
{
	void *library = take_path ? kr_library_load(take_path, RTLD_NOW | RTLD_LOCAL, error) : NULL;

	free(take_path);
	return library;
}

static void *
find(const char *name)
{
	const char *folder = kr_env_get_code("KRAFLA_OUTPUT_PATH"), *error = "no memory";
	void *library;

	if (folder) {
		library = load(kr_asprintf("%s/krafla-output-%s.so", folder, name), &error);
	} else {
		library = load(path_beside_us(name), &error);
		if (!library)
			library = load(
				kr_asprintf(KR_OUTPUT_DIR "/krafla-output-%s.so", name), &error);
	}
	if (!library)
		kr_error("composer: there is no device '%s': %s", name, error);
	return library;
}

static bool
is_word(const char *name)
{
	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == strlen(name);
}

int
kr_hwc_module_load(const char *name, void **library, const struct kr_hwc_device_impl **impl)
{
	const struct kr_hwc_module *module;
	void *found = is_word(name) ? find(name) : NULL;

	if (!found)
		return -ENOENT;
	module = dlsym(found, KR_HWC_MODULE_SYMBOL);
	if (!module || module->abi != KR_HWC_ABI) {
		kr_error(
			"composer: krafla-output-%s.so is no device of version %d of the composer: it needs the one that was installed with it",
			name, KR_HWC_ABI);
		dlclose(found);
		return -EPROTO;
	}
	*library = found;
	*impl = module->impl;
	return 0;
}
