/* SPDX-License-Identifier: Apache-2.0 */
/* See module.h. */
#include "composer/module.h"

#include <errno.h>
#include <stdlib.h>

#include "sync/fence/fence.h"
#include "util/guard.h"
#include "util/log.h"
#include "util/module.h"
#include "util/text.h"

static void
host_log(uint32_t bits, const char *message)
{
	kr_log(bits, "%s", message);
}

static int
host_fence_create(uint64_t number, int *producer, int *fence)
{
	const struct kr_fence_label label = {"output", number, "on screen"};

	return kr_fence_create(&label, producer, fence);
}

const struct kr_display_output_host kr_display_output_host = {
	.abi = KR_DISPLAY_OUTPUT_ABI,
	.log = host_log,
	.hold_take = kr_picture_hold_take,
	.hold_drop = kr_picture_hold_drop,
	.fence_create = host_fence_create,
	.fence_signal = kr_fence_signal,
};

static const struct kr_module_kind module_kind = {
	.room = "display",
	.what = "output module",
	.symbol = KR_DISPLAY_OUTPUT_SYMBOL,
	.abi = KR_DISPLAY_OUTPUT_ABI,
};

int
kr_display_output_load(
	const char *name, const char *folder, const struct kr_display_output_module **module)
{
	const char *said = kr_env_get_code("KRAFLA_OUTPUT_PATH");
	char *path = kr_asprintf("%s/krafla-output-display-%s.so", said ? said : folder, name);
	const void *table;
	int ret;

	if (!path)
		return -ENOMEM;
	ret = kr_module_load(&module_kind, path, &table);
	if (!ret)
		*module = table;
	free(path);
	return ret;
}
