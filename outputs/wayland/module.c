/* SPDX-License-Identifier: Apache-2.0 */
/* krafla-output-wayland.so: its table. */
#include <errno.h>

#include "outputs/wayland/placeholder.h"
#include "outputs/wayland/window.h"

static int
open_window(const struct kr_output_host *host, const struct kr_native_window *native,
	struct kr_queue_config *config, struct kr_output_window **window)
{
	if (host->abi != KR_OUTPUT_MODULE_ABI)
		return -EPROTO;
	if (native->system != KR_OUTPUT_SYSTEM_WAYLAND)
		return -EOPNOTSUPP;
	return config ? wayland_window_open(host, native, config, window)
		      : placeholder_open(host, native, window);
}

/* There are no visuals: any compositor shows shared memory. */
static bool
supports(const struct kr_output_host *host, enum kr_output_system system, void *connection,
	uintptr_t visual)
{
	return system == KR_OUTPUT_SYSTEM_WAYLAND;
}

extern const struct kr_output_module kr_output_module;
KR_EXPORT const struct kr_output_module kr_output_module = {
	.abi = KR_OUTPUT_MODULE_ABI,
	.name = "wayland",
	.open = open_window,
	.supports = supports,
};
