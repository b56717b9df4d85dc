/* SPDX-License-Identifier: Apache-2.0 */
/* Finding and loading output modules. */
#include "surface/output.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "util/guard.h"
#include "util/log.h"
#include "util/module.h"
#include "util/text.h"
#include "window/queue/queue.h"

static void
host_log(uint32_t bits, const char *message)
{
	kr_log(bits, "%s", message);
}

const struct kr_output_host kr_output_host = {
	.abi = KR_OUTPUT_MODULE_ABI,
	.queue_release = kr_queue_release,
	.queue_abandon = kr_queue_abandon,
	.queue_shown = kr_queue_shown,
	.queue_configure = kr_queue_configure,
	.buffer_handle = kr_buffer_handle,
	.log = host_log,
};

/* The module's path, to be freed; NULL without memory or when our own path isn't known. */
static char *
module_path(const char *name)
{
	const char *folder = kr_env_get_code("KRAFLA_OUTPUT_PATH");
	const char *slash;
	Dl_info self;

	if (folder)
		return kr_asprintf("%s/krafla-output-%s.so", folder, name);
	if (!dladdr(&kr_output_host, &self) || !self.dli_fname)
		return NULL;
	slash = strrchr(self.dli_fname, '/');
	if (!slash)
		return NULL;
	return kr_asprintf("%.*s/krafla/krafla-output-%s.so", (int)(slash - self.dli_fname),
		self.dli_fname, name);
}

static const struct kr_module_kind module_kind = {
	.room = "surface",
	.what = "output module",
	.symbol = KR_OUTPUT_MODULE_SYMBOL,
	.abi = KR_OUTPUT_MODULE_ABI,
};

int
kr_output_load(const char *name, const struct kr_output_module **module)
{
	char *path = module_path(name);
	const void *table;
	int ret;

	if (!path) {
		kr_error("surface: no place to look for krafla-output-%s.so", name);
		return -ENOENT;
	}
	ret = kr_module_load(&module_kind, path, &table);
	if (!ret)
		*module = table;
	free(path);
	return ret;
}
